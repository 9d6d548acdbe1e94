//! Fat binaries: containers of code for several devices, some of it compressed.
//!
//! A container is a header (magic `0xBA55ED50`, version, its own size, the size of what follows) and
//! entries, each with a header of its own:
//!
//! | offset | what |
//! |---|---|
//! | 0 | u16: what it is, a [`Kind`] |
//! | 4 | u32: size of this header |
//! | 8 | u64: size of the data, padding included |
//! | 16 | u32: size of the data when compressed |
//! | 28 | u32: architecture, such as 80 |
//! | 40 | u64: flags |
//! | 56 | u64: size of the data before compression |
//!
//! Nothing that stands there is trusted: all sizes are checked against the container, and the container's
//! against a limit.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Read;

pub const CONTAINER_MAGIC: u32 = 0xBA55_ED50;
/// The size of a container's header at least.
pub const HEADER_SIZE: usize = 16;
/// No container is larger: 2 GiB.
const MAX_CONTAINER: u64 = 2 << 30;
/// No text is larger: 1 GiB.
const MAX_TEXT: u64 = 1 << 30;

const ENTRY_HEADER: usize = 64;
const FLAG_LZ4: u64 = 0x2000;
const FLAG_ZSTD: u64 = 0x8000;
/// Code that GPUs of exactly its architecture run, and no later ones: sm_90a, for one.
const FLAG_SPECIFIC: u64 = 0x10_0000;

/// The bytes are no container, or not all of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed fat binary: {0}")]
pub struct Malformed(pub &'static str);

/// A container, its sizes checked.
#[derive(Clone, Debug)]
pub struct Container<'a> {
    entries: Vec<Entry<'a>>,
}

/// The language of an entry. The numbers are those that CUDA 13.5's `fatbinary` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// 1
    Ptx,
    /// 2: an ELF file
    MachineCode,
    /// 8: what links with optimisation
    Nvvm,
    /// 128
    TileIr,
    Unknown(u16),
}

impl Kind {
    const fn of(number: u16) -> Self {
        match number {
            1 => Kind::Ptx,
            2 => Kind::MachineCode,
            8 => Kind::Nvvm,
            128 => Kind::TileIr,
            other => Kind::Unknown(other),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Ptx => f.write_str("PTX"),
            Kind::MachineCode => f.write_str("machine code (SASS)"),
            Kind::Nvvm => f.write_str("NVVM IR"),
            Kind::TileIr => f.write_str("CUDA Tile IR"),
            Kind::Unknown(number) => write!(f, "code of unknown kind {number}"),
        }
    }
}

#[derive(Clone, Debug)]
struct Entry<'a> {
    kind: Kind,
    architecture: u32,
    flags: u64,
    uncompressed_size: u64,
    data: &'a [u8],
}

fn field<const N: usize>(bytes: &[u8], offset: usize) -> Result<[u8; N], Malformed> {
    let end = offset.checked_add(N).ok_or(Malformed("an offset overflows"))?;
    let slice = bytes.get(offset..end).ok_or(Malformed("it ends early"))?;
    slice.try_into().map_err(|_| Malformed("it ends early"))
}

fn u16_at(bytes: &[u8], offset: usize) -> Result<u16, Malformed> {
    field(bytes, offset).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], offset: usize) -> Result<u32, Malformed> {
    field(bytes, offset).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], offset: usize) -> Result<u64, Malformed> {
    field(bytes, offset).map(u64::from_le_bytes)
}

/// The size of the container that begins with this header of [`HEADER_SIZE`] bytes.
pub fn container_size(header: &[u8]) -> Result<usize, Malformed> {
    if u32_at(header, 0)? != CONTAINER_MAGIC {
        return Err(Malformed("wrong magic number"));
    }
    let header_size = u16_at(header, 6)?;
    if usize::from(header_size) < HEADER_SIZE {
        return Err(Malformed("a header is too small"));
    }
    match u64_at(header, 8)?.checked_add(u64::from(header_size)) {
        Some(size) if size <= MAX_CONTAINER => Ok(size as usize),
        _ => Err(Malformed("it says that it is larger than 2 GiB")),
    }
}

/// All containers in the bytes of a file, such as a program or a library: they begin at multiples of eight bytes.
pub fn containers(bytes: &[u8]) -> impl Iterator<Item = Container<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
            at += 8;
            if let Ok(size) = container_size(rest)
                && let Ok(container) = Container::parse(rest)
            {
                at += size.saturating_sub(8).next_multiple_of(8);
                return Some(container);
            }
        }
    })
}

impl<'a> Container<'a> {
    /// Reads the container at the beginning of `bytes`, which may be longer.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let size = container_size(bytes)?;
        let bytes = bytes.get(..size).ok_or(Malformed("it ends early"))?;
        let mut rest =
            bytes.get(usize::from(u16_at(bytes, 6)?)..).ok_or(Malformed("it ends early"))?;
        let mut entries = Vec::new();
        while !rest.is_empty() {
            let header_size = u32_at(rest, 4)? as usize;
            let padded = usize::try_from(u64_at(rest, 8)?)
                .map_err(|_| Malformed("an entry is too large"))?;
            if header_size < ENTRY_HEADER {
                return Err(Malformed("the header of an entry is too small"));
            }
            let end = header_size.checked_add(padded).ok_or(Malformed("an entry is too large"))?;
            let all = rest.get(..end).ok_or(Malformed("an entry ends early"))?;
            let flags = u64_at(all, 40)?;
            let mut data = &all[header_size..];
            if flags & (FLAG_LZ4 | FLAG_ZSTD) != 0 {
                data = data
                    .get(..u32_at(all, 16)? as usize)
                    .ok_or(Malformed("compressed data ends early"))?;
            }
            entries.push(Entry {
                kind: Kind::of(u16_at(all, 0)?),
                architecture: u32_at(all, 28)?,
                flags,
                uncompressed_size: u64_at(all, 56)?,
                data,
            });
            rest = &rest[end..];
        }
        Ok(Container { entries })
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The kinds of its entries, each once.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> + use<> {
        self.entries.iter().map(|entry| entry.kind).collect::<BTreeSet<_>>().into_iter()
    }

    /// The PTX for all devices, as [`best_ptx`](Self::best_ptx) gives it.
    pub fn all_ptx(&self) -> impl Iterator<Item = Result<Vec<u8>, Malformed>> {
        self.entries.iter().filter(|entry| entry.kind == Kind::Ptx).map(Entry::text)
    }

    /// The PTX that suits a device of this compute capability (80 for 8.0) best, decompressed, without
    /// NULs at its end: the highest architecture that is not above the device's, else the lowest one.
    /// `None`: the container has no PTX.
    pub fn best_ptx(&self, capability: u32) -> Option<Result<Vec<u8>, Malformed>> {
        let ptx = || self.entries.iter().filter(|entry| entry.kind == Kind::Ptx);
        let suitable = ptx()
            .filter(|entry| entry.architecture <= capability)
            .max_by_key(|entry| entry.architecture);
        let best = suitable.or_else(|| ptx().min_by_key(|entry| entry.architecture))?;
        Some(best.text())
    }

    /// The machine code of one of these architectures (80 for sm_80), decompressed: that of the first of them which the
    /// container has, with what that alone has (sm_90a) before code that others have too. `None`: it has none of them.
    pub fn machine_code(&self, architectures: &[u32]) -> Option<Result<Vec<u8>, Malformed>> {
        let code = || self.entries.iter().filter(|entry| entry.kind == Kind::MachineCode);
        let of = |wanted: &u32| {
            let found = || code().filter(|entry| entry.architecture == *wanted);
            found().find(|entry| entry.flags & FLAG_SPECIFIC != 0).or_else(|| found().next())
        };
        architectures.iter().find_map(of).map(Entry::bytes)
    }
}

impl Entry<'_> {
    /// Text, without NULs at its end.
    fn text(&self) -> Result<Vec<u8>, Malformed> {
        let mut text = self.bytes()?;
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        text.truncate(end);
        Ok(text)
    }

    fn bytes(&self) -> Result<Vec<u8>, Malformed> {
        let text = if self.flags & FLAG_ZSTD != 0 {
            let mut text = Vec::new();
            let decoder = zstd::Decoder::new(self.data).map_err(|_| Malformed("bad zstd data"))?;
            // One more than allowed tells too much from just enough.
            decoder
                .take(MAX_TEXT + 1)
                .read_to_end(&mut text)
                .map_err(|_| Malformed("bad zstd data"))?;
            text
        } else if self.flags & FLAG_LZ4 != 0 {
            // LZ4 makes at most 255 bytes of one.
            let most = (self.data.len() as u64).saturating_mul(255).saturating_add(64);
            let size = self.uncompressed_size.min(most).min(MAX_TEXT) as usize;
            lz4_flex::block::decompress(self.data, size).map_err(|_| Malformed("bad LZ4 data"))?
        } else {
            self.data.to_vec()
        };
        if text.len() as u64 > MAX_TEXT {
            return Err(Malformed("text is larger than 1 GiB"));
        }
        Ok(text)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const TEXT: &[u8] = b".version 8.0\n.target sm_80\n.address_size 64\n";

    fn entry(
        kind: u16,
        architecture: u32,
        flags: u64,
        data: &[u8],
        uncompressed: usize,
    ) -> Vec<u8> {
        let mut entry = vec![0; 64];
        entry[0..2].copy_from_slice(&kind.to_le_bytes());
        entry[2..4].copy_from_slice(&0x101u16.to_le_bytes());
        entry[4..8].copy_from_slice(&64u32.to_le_bytes());
        let padded = data.len().next_multiple_of(8);
        entry[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
        entry[16..20].copy_from_slice(&(data.len() as u32).to_le_bytes());
        entry[28..32].copy_from_slice(&architecture.to_le_bytes());
        entry[40..48].copy_from_slice(&(0x11 | flags).to_le_bytes());
        entry[56..64].copy_from_slice(&(uncompressed as u64).to_le_bytes());
        entry.extend_from_slice(data);
        entry.resize(64 + padded, 0);
        entry
    }

    /// A container of these entries.
    pub(crate) fn container(entries: &[Vec<u8>]) -> Vec<u8> {
        let body = entries.concat();
        let mut bytes = CONTAINER_MAGIC.to_le_bytes().to_vec();
        bytes.extend_from_slice(&1u16.to_le_bytes());
        bytes.extend_from_slice(&16u16.to_le_bytes());
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    /// An entry of PTX for an architecture, whose text is the architecture's number, not compressed.
    pub(crate) fn plain(architecture: u32) -> Vec<u8> {
        entry(1, architecture, 0, format!("{architecture}\0").as_bytes(), 0)
    }

    #[test]
    fn text_comes_back_however_it_was_packed() {
        let lz4 = lz4_flex::block::compress(TEXT);
        let zstd = zstd::encode_all(TEXT, 3).unwrap();
        for packed in [
            entry(1, 80, 0, TEXT, 0),
            entry(1, 80, FLAG_LZ4, &lz4, TEXT.len()),
            entry(1, 80, FLAG_ZSTD, &zstd, TEXT.len()),
        ] {
            let bytes = container(&[packed]);
            assert_eq!(Container::parse(&bytes).unwrap().best_ptx(80).unwrap().unwrap(), TEXT);
        }
    }

    #[test]
    fn machine_code_comes_back_whole() {
        let code = b"\x7fELF\0code\0\0";
        let lz4 = lz4_flex::block::compress(code);
        let bytes = container(&[
            entry(2, 90, 0, b"\x7fELF90", 0),
            entry(2, 86, 0, b"\x7fELF86", 0),
            entry(2, 80, FLAG_LZ4, &lz4, code.len()),
            entry(2, 90, FLAG_SPECIFIC, b"\x7fELF90a", 0),
            plain(75),
        ]);
        let container = Container::parse(&bytes).unwrap();
        let found = |wanted: &[u32]| container.machine_code(wanted).map(Result::unwrap);
        assert_eq!(found(&[80, 86]), Some(code.to_vec()));
        // Entries are padded to eight bytes.
        assert_eq!(found(&[89, 86]), Some(b"\x7fELF86\0\0".to_vec()));
        assert_eq!(found(&[90]), Some(b"\x7fELF90a\0".to_vec()));
        assert_eq!(found(&[75]), None);
    }

    #[test]
    fn the_best_ptx_is_chosen() {
        let bytes = container(&[
            entry(2, 80, 0, b"\x7fELF", 0),
            plain(50),
            plain(120),
            plain(75),
            plain(90),
        ]);
        let container = Container::parse(&bytes).unwrap();
        for (capability, chosen) in [(80, "75"), (90, "90"), (75, "75"), (200, "120"), (30, "50")] {
            assert_eq!(container.best_ptx(capability).unwrap().unwrap(), chosen.as_bytes());
        }
        // Machine code for the very device, and PTX that is for later ones alone.
        let bytes = container_of_newer_ptx();
        let newer = Container::parse(&bytes).unwrap();
        assert_eq!(newer.best_ptx(80).unwrap().unwrap(), b"120");
        let all: Vec<_> = container.all_ptx().map(Result::unwrap).collect();
        assert_eq!(all, [&b"50"[..], b"120", b"75", b"90"]);
    }

    fn container_of_newer_ptx() -> Vec<u8> {
        container(&[entry(2, 80, 0, b"\x7fELF", 0), plain(120)])
    }

    #[test]
    fn containers_without_ptx_say_what_they_have() {
        let bytes = container(&[
            entry(128, 100, 0, b"\x7fTileIR\0", 0),
            entry(2, 80, 0, b"\x7fELF", 0),
            entry(8, 80, 0, b"BC", 0),
            entry(2, 90, 0, b"\x7fELF", 0),
            entry(77, 90, 0, b"?", 0),
        ]);
        let found = Container::parse(&bytes).unwrap();
        assert!(!found.is_empty());
        assert!(found.best_ptx(80).is_none());
        let kinds: Vec<_> = found.kinds().map(|kind| kind.to_string()).collect();
        let wanted = ["machine code (SASS)", "NVVM IR", "CUDA Tile IR", "code of unknown kind 77"];
        assert_eq!(kinds, wanted);
        assert!(Container::parse(&container(&[])).unwrap().is_empty());
    }

    #[test]
    fn every_cut_and_every_wrong_byte_is_an_error_or_text() {
        let zstd = zstd::encode_all(TEXT, 3).unwrap();
        let lz4 = lz4_flex::block::compress(TEXT);
        let bytes = container(&[
            entry(1, 75, FLAG_ZSTD, &zstd, TEXT.len()),
            entry(1, 80, FLAG_LZ4, &lz4, TEXT.len()),
            entry(1, 60, 0, TEXT, 0),
        ]);
        for length in 0..bytes.len() {
            assert!(Container::parse(&bytes[..length]).is_err(), "{length}");
        }
        for position in 0..bytes.len() {
            for wrong in [0, 1, 0x7f, 0xff] {
                let mut bytes = bytes.clone();
                bytes[position] = wrong;
                if let Ok(container) = Container::parse(&bytes) {
                    for capability in [60, 75, 80] {
                        let _ = container.best_ptx(capability);
                    }
                }
            }
        }
    }

    #[test]
    fn sizes_that_lie_are_errors() {
        let mut huge = container(&[plain(80)]);
        huge[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(Container::parse(&huge).is_err());
        let mut entry_too_large = container(&[plain(80)]);
        entry_too_large[24..32].copy_from_slice(&(u64::MAX - 8).to_le_bytes());
        assert!(Container::parse(&entry_too_large).is_err());
        let lz4 = lz4_flex::block::compress(TEXT);
        let lying = container(&[entry(1, 80, FLAG_LZ4, &lz4, usize::MAX)]);
        // Too much room does no harm.
        assert_eq!(Container::parse(&lying).unwrap().best_ptx(80).unwrap().unwrap(), TEXT);
        let small = container(&[entry(1, 80, FLAG_LZ4, &lz4, 4)]);
        assert!(Container::parse(&small).unwrap().best_ptx(80).unwrap().is_err());
    }
}
