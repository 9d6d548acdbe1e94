//! Code objects of several GPUs in one piece, as clang puts them into programs and ROCm's libraries into files. LLVM's "Clang
//! Offload Bundler", sections "Bundled Binary File Layout" and "Compression".

use std::io::Read;

use hip_host::executor::Copied;
use hip_runtime_sys::hipError_t;

const MAGIC: &[u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED: &[u8; 4] = b"CCOB";
/// The kinds of entries that are code objects of HIP, before the name of the GPU.
const KINDS: [&str; 2] = ["hipv4-amdgcn-amd-amdhsa--", "hip-amdgcn-amd-amdhsa--"];
/// Entries and bytes that are believed.
const MOST_ENTRIES: u64 = 1 << 10;
const LARGEST: u64 = 1 << 32;

const INVALID: hipError_t = hipError_t::hipErrorInvalidImage;

/// The code object of one GPU.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// The image is no bundle.
    Whole,
    /// So many bytes at this place of the image.
    Part(usize, usize),
    /// It was compressed.
    Unpacked(Vec<u8>),
}

/// Looks for the code object for `gfx` in an image that `read` reads: so many bytes from a place, if there are as many.
pub fn find(
    gfx: &str,
    read: &dyn Fn(usize, usize) -> Option<Vec<u8>>,
) -> Result<Found, hipError_t> {
    match read(0, COMPRESSED.len()) {
        Some(magic) if magic == COMPRESSED => {
            let all = unpack(read)?;
            let part = |at: usize, size: usize| {
                Some(all.get(at..at.checked_add(size)?).ok_or(()).ok()?.to_vec())
            };
            let (at, size) = entry(gfx, &part)?;
            part(at, size).map(Found::Unpacked).ok_or(INVALID)
        }
        _ if read(0, MAGIC.len()).is_some_and(|magic| magic == MAGIC) => {
            entry(gfx, read).map(|(at, size)| Found::Part(at, size))
        }
        _ => Ok(Found::Whole),
    }
}

/// As [`find`], of an image in memory that ends after `most` bytes at the latest.
pub fn find_in_memory(image: *const u8, most: usize, gfx: &str) -> Result<Found, hipError_t> {
    find(gfx, &|at, size| {
        let mut copied = Copied::new().ok()?;
        let is_there = at.checked_add(size)? <= most && copied.append(image.wrapping_add(at), size);
        if is_there { copied.bytes().ok() } else { None }
    })
}

fn number(read: &dyn Fn(usize, usize) -> Option<Vec<u8>>, at: usize) -> Result<u64, hipError_t> {
    let bytes = read(at, 8).and_then(|bytes| bytes.try_into().ok()).ok_or(INVALID)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Place and size of the entry for a GPU: the first one, as features that it may name are those of emulated GPUs, or nobody's.
fn entry(
    gfx: &str,
    read: &dyn Fn(usize, usize) -> Option<Vec<u8>>,
) -> Result<(usize, usize), hipError_t> {
    if read(0, MAGIC.len()).is_none_or(|magic| magic != MAGIC) {
        return Err(INVALID);
    }
    let count = number(read, MAGIC.len())?;
    let mut at = MAGIC.len() + 8;
    for _ in 0..count.min(MOST_ENTRIES) {
        let [offset, size, length] =
            [number(read, at)?, number(read, at + 8)?, number(read, at + 16)?];
        let length = usize::try_from(length).ok().filter(|length| *length < 1 << 12);
        let name = length.and_then(|length| read(at + 24, length)).ok_or(INVALID)?;
        at += 24 + name.len();
        let name = String::from_utf8_lossy(&name);
        let gpu = KINDS.iter().find_map(|kind| name.strip_prefix(kind));
        if gpu.is_some_and(|gpu| gpu.split(':').next() == Some(gfx)) {
            let place = |value: u64| usize::try_from(value).map_err(|_| INVALID);
            return Ok((place(offset)?, place(size)?));
        }
    }
    tracing::error!("code for other GPUs than {gfx} alone");
    Err(hipError_t::hipErrorNoBinaryForGpu)
}

/// The bundle that is compressed: a header of 24 bytes with sizes of 32 bits (version 2), or of 32 with 64 (version 3).
fn unpack(read: &dyn Fn(usize, usize) -> Option<Vec<u8>>) -> Result<Vec<u8>, hipError_t> {
    let head = read(0, 32).ok_or(INVALID)?;
    let short = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
    let word = |at: usize| u64::from(short(at)) | u64::from(short(at + 2)) << 16;
    let (header, total, size) = match short(4) {
        2 => (24, word(8), word(12)),
        3 => (32, word(8) | word(12) << 32, word(16) | word(20) << 32),
        version => {
            tracing::error!("unsupported: version {version} of compressed offload bundles");
            return Err(INVALID);
        }
    };
    const ZSTD: u16 = 1;
    if short(6) != ZSTD || size > LARGEST {
        tracing::error!(
            "unsupported: an offload bundle that is compressed by other means than zstd"
        );
        return Err(INVALID);
    }
    let total = usize::try_from(total).ok().filter(|total| *total > header).ok_or(INVALID)?;
    let data = read(header, total - header).ok_or(INVALID)?;
    let decoder = zstd::Decoder::new(data.as_slice()).map_err(|_| INVALID)?;
    let mut all = Vec::new();
    decoder.take(size).read_to_end(&mut all).map_err(|_| INVALID)?;
    if all.len() as u64 == size { Ok(all) } else { Err(INVALID) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bundle by the layout that LLVM's manual has: the host's entry, which is empty, and those of two GPUs.
    fn bundle() -> Vec<u8> {
        let entries: [(&str, &[u8]); 3] = [
            ("host-x86_64-unknown-linux-gnu-", b""),
            ("hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", b"first"),
            ("hipv4-amdgcn-amd-amdhsa--gfx1100", b"second"),
        ];
        let mut bytes = MAGIC.to_vec();
        bytes.extend(3u64.to_le_bytes());
        let mut offset = 32 + entries.iter().map(|(name, _)| 24 + name.len()).sum::<usize>();
        for (name, data) in entries {
            for number in [offset, data.len(), name.len()] {
                bytes.extend((number as u64).to_le_bytes());
            }
            bytes.extend(name.as_bytes());
            offset += data.len();
        }
        bytes.extend(b"firstsecond");
        bytes
    }

    fn reader(bytes: &[u8]) -> impl Fn(usize, usize) -> Option<Vec<u8>> {
        |at, size| bytes.get(at..at.checked_add(size)?).map(<[u8]>::to_vec)
    }

    #[test]
    fn a_gpu_gets_its_own_code() {
        let bytes = bundle();
        let end = bytes.len();
        assert_eq!(find("gfx942", &reader(&bytes)), Ok(Found::Part(end - 11, 5)));
        assert_eq!(find("gfx1100", &reader(&bytes)), Ok(Found::Part(end - 6, 6)));
        let none = Err(hipError_t::hipErrorNoBinaryForGpu);
        assert_eq!(find("gfx110", &reader(&bytes)), none);
        assert_eq!(find("gfx1100", &reader(b"\x7fELF and so on")), Ok(Found::Whole));
    }

    #[test]
    fn compressed_bundles() {
        let (bytes, mut packed) = (bundle(), COMPRESSED.to_vec());
        let data = zstd::encode_all(bytes.as_slice(), 3).unwrap();
        packed.extend([2, 0, 1, 0]);
        for number in [24 + data.len(), bytes.len(), 1, 2] {
            packed.extend((number as u32).to_le_bytes());
        }
        packed.extend(&data);
        let found = Ok(Found::Unpacked(b"second".to_vec()));
        // The header of version 3 is longer: what is read at once has to be there.
        packed.resize(packed.len().max(32), 0);
        assert_eq!(find("gfx1100", &reader(&packed)), found);
        let mut wide = COMPRESSED.to_vec();
        wide.extend([3, 0, 1, 0]);
        for number in [32 + data.len(), bytes.len(), 1] {
            wide.extend((number as u64).to_le_bytes());
        }
        wide.extend(&data);
        assert_eq!(find("gfx1100", &reader(&wide)), found);
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let bytes = bundle();
        let named = bytes.len() - 11;
        for end in MAGIC.len()..named {
            assert!(find("gfx1100", &reader(&bytes[..end])).is_err(), "{end}");
        }
    }
}
