//! Images: what programs hand over as code. Finds the PTX text in them, or machine code.
//!
//! | begins with | what |
//! |---|---|
//! | `0x466243b1` | a wrapper, which points to a container |
//! | `0xBA55ED50` | a container ([`fatbin`]) |
//! | `\x7fELF` | a cubin: PTX where it is one of ours ([`cubin`]), else machine code of NVIDIA's GPUs ([`machine_code`]) |
//! | `\x7fTileIR` | CUDA Tile IR: of no use here |
//! | anything else | PTX text, NUL-terminated where no size is given |

use crate::core::compile::compiler::Linker;
use crate::core::compile::jit_options::JitOptions;
use crate::core::compile::machine_code::{self, Lifted};
use cuda_types::cuda::{CUerror, CUres};
use fatbin::{CONTAINER_MAGIC, Container, HEADER_SIZE, Malformed, container_size};
use std::ffi::{CStr, c_void};
use zluda_common::config::{MachineCode, config};

const WRAPPER_MAGIC: u32 = 0x4662_43b1;
const ELF_MAGIC: u32 = 0x464c_457f;
const ELF_HEADER: usize = 64;
/// The first four bytes of `\x7fTileIR`.
const TILE_IR_MAGIC: u32 = u32::from_le_bytes(*b"\x7fTil");

/// The structure that `.nvFatBinSegment` holds, and that NVIDIA's runtime passes.
#[repr(C)]
#[derive(Clone, Copy)]
struct Wrapper {
    magic: u32,
    version: u32,
    container: *const u8,
    /// In version 2 a null-terminated list of the containers to link with the one above: what `nvcc -rdc=true`
    /// leaves to the driver.
    linked: *const *const u8,
}

/// No program links more containers.
const MOST_LINKED: usize = 1 << 20;

/// What a module is made of.
#[derive(Debug)]
pub(crate) enum Source {
    /// Empty: the image is empty, which is no error.
    Ptx(Vec<u8>),
    MachineCode(Lifted),
}

impl Source {
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Source::Ptx(text) if text.is_empty())
    }

    /// The text of all of it, for linking.
    pub(crate) fn text(self) -> CUres<Vec<u8>> {
        match self {
            Source::Ptx(text) => Ok(text),
            Source::MachineCode(lifted) => lifted.whole().map_err(|failure| failure.error),
        }
    }
}

/// What an image of unknown size has.
///
/// # Safety
/// `image` is null or points to an image, whose own sizes, if they make sense, are right.
pub(crate) unsafe fn source_of(image: *const c_void) -> CUres<Source> {
    if image.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    let bytes = image.cast::<u8>();
    // SAFETY: text ends with a NUL, and all other images are longer than a magic number.
    match unsafe { magic(bytes) } {
        WRAPPER_MAGIC => {
            // SAFETY: the magic number says what it is.
            let wrapper = unsafe { image.cast::<Wrapper>().read_unaligned() };
            if !matches!(wrapper.version, 1 | 2) || wrapper.container.is_null() {
                return Err(malformed(Malformed("a wrapper of an unknown version")));
            }
            // SAFETY: a wrapper points to a container.
            if unsafe { magic(wrapper.container) } != CONTAINER_MAGIC {
                return Err(malformed(Malformed("a wrapper without a container")));
            }
            // SAFETY: as above.
            let (linked, is_whole) = unsafe { linked_texts(&wrapper) }?;
            // Machine code is of what is linked already: of use where PTX is not of all.
            let wanted = if is_whole { Wanted::Ptx } else { Wanted::All };
            // SAFETY: as above.
            let own = unsafe { found_in_container(wrapper.container, wanted) }?;
            match own {
                own if linked.is_empty() => own.source(),
                Found::Source(own @ Source::MachineCode(_)) => Ok(own),
                // Machine code of what is linked already, for the devices that were known then.
                Found::Without(_) => link(Vec::new(), linked).map(Source::Ptx),
                Found::Source(own) => link(own.text()?, linked).map(Source::Ptx),
            }
        }
        // SAFETY: the magic number says what it is.
        CONTAINER_MAGIC => unsafe { found_in_container(bytes, Wanted::All) }?.source(),
        // SAFETY: all files that begin so have a header; ours are as long as it says.
        ELF_MAGIC => unsafe {
            let header = std::slice::from_raw_parts(bytes, ELF_HEADER);
            match header.first_chunk().is_some_and(cubin::is_ours) {
                true => match cubin::size(&*bytes.cast()) {
                    Some(size) => source_of_bytes(std::slice::from_raw_parts(bytes, size)),
                    None => Err(CUerror::INVALID_IMAGE),
                },
                false => {
                    machine_code::check(header)?;
                    // SAFETY: the sizes that a file of machine code says of itself are right.
                    Lifted::of(machine_code::file(bytes)?).map(Source::MachineCode)
                }
            }
        },
        TILE_IR_MAGIC => Err(tile_ir()),
        // SAFETY: what is nothing else is NUL-terminated text.
        _ => text(unsafe { CStr::from_ptr(image.cast()) }.to_bytes()).map(Source::Ptx),
    }
}

/// What an image whose size is known has.
pub(crate) fn source_of_bytes(bytes: &[u8]) -> CUres<Source> {
    match bytes.first_chunk().map(|magic| u32::from_le_bytes(*magic)) {
        Some(CONTAINER_MAGIC) => best_of(bytes, Wanted::All)?.source(),
        Some(ELF_MAGIC) => match cubin::text(bytes) {
            Some(found) => text(up_to_nul(found)).map(Source::Ptx),
            None => {
                machine_code::check(bytes)?;
                Lifted::of(bytes).map(Source::MachineCode)
            }
        },
        Some(TILE_IR_MAGIC) => Err(tile_ir()),
        // Pointers in a file mean nothing.
        Some(WRAPPER_MAGIC) => Err(CUerror::INVALID_IMAGE),
        _ => text(up_to_nul(bytes)).map(Source::Ptx),
    }
}

fn up_to_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The texts of the containers that a wrapper lists. Those without PTX are for devices that this one is not, and what they
/// define is missed where it is used. Whether there are some, and all containers have one.
///
/// # Safety
/// The wrapper's list, if its version has one, ends with null and points to containers.
unsafe fn linked_texts(wrapper: &Wrapper) -> CUres<(Vec<Vec<u8>>, bool)> {
    let mut texts = Vec::new();
    if wrapper.version != 2 || wrapper.linked.is_null() {
        return Ok((texts, false));
    }
    let mut is_whole = true;
    for index in 0..MOST_LINKED {
        // SAFETY: no pointer before this one was null.
        let container = unsafe { wrapper.linked.add(index).read_unaligned() };
        if container.is_null() {
            break;
        }
        // SAFETY: the list points to containers.
        let found = match unsafe { magic(container) } {
            // SAFETY: as above.
            CONTAINER_MAGIC => unsafe { found_in_container(container, Wanted::Ptx) }?,
            _ => return Err(malformed(Malformed("a wrapper lists what is no container"))),
        };
        match found {
            Found::Source(source) if source.is_empty() => {}
            Found::Source(source) => texts.push(source.text()?),
            Found::Without(_) => is_whole = false,
        }
    }
    is_whole &= !texts.is_empty();
    Ok((texts, is_whole))
}

/// Modules as one.
fn link(own: Vec<u8>, others: Vec<Vec<u8>>) -> CUres<Vec<u8>> {
    let mut linker = Linker::default();
    let mut options = JitOptions::default();
    let texts = others.into_iter().chain(Some(own).filter(|text| !text.is_empty()));
    for (number, text) in texts.enumerate() {
        linker.offer(&format!("module {number}"), &text);
    }
    linker.complete(&mut options).map(String::into_bytes)
}

/// The contents of an input of the linker: texts that all belong to the program, or members of an archive, of which
/// only some are wanted.
#[derive(Debug)]
pub(crate) enum Parts {
    Texts(Vec<Vec<u8>>),
    Archive(Vec<Vec<u8>>),
}

/// The texts in an object of the host, as `nvcc -dc` makes them: none where it has machine code only. One
/// without a fat binary is `CUDA_ERROR_UNKNOWN`, as for NVIDIA's driver.
pub(crate) fn parts_of_object(bytes: &[u8]) -> CUres<Parts> {
    let texts = fatbin::texts_of_object(bytes, capability()).ok_or(CUerror::UNKNOWN)?;
    texts.map(Parts::Texts).map_err(malformed)
}

/// The texts in the members of an archive: objects of the host.
pub(crate) fn parts_of_archive(bytes: &[u8]) -> CUres<Parts> {
    fatbin::texts_of_archive(bytes, capability()).map(Parts::Archive).map_err(malformed)
}

/// The device's compute capability: 80 for 8.0.
fn capability() -> u32 {
    let capability = config().compute_capability;
    capability.major * 10 + capability.minor
}

/// The first four bytes, as far as they come before a NUL.
///
/// # Safety
/// Up to a NUL, or four, bytes can be read.
unsafe fn magic(bytes: *const u8) -> u32 {
    let mut magic = [0; 4];
    for (i, byte) in magic.iter_mut().enumerate() {
        // SAFETY: no byte before this one was a NUL.
        *byte = unsafe { bytes.add(i).read() };
        if *byte == 0 {
            break;
        }
    }
    u32::from_le_bytes(magic)
}

/// # Safety
/// `container` points to a container, whose own sizes, if they make sense, are right.
unsafe fn found_in_container(container: *const u8, wanted: Wanted) -> CUres<Found> {
    // SAFETY: a container has a header.
    let header = unsafe { std::slice::from_raw_parts(container, HEADER_SIZE) };
    let size = container_size(header).map_err(malformed)?;
    // SAFETY: the caller says so.
    best_of(unsafe { std::slice::from_raw_parts(container, size) }, wanted)
}

/// What may be taken from a container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    /// What is to be linked.
    Ptx,
}

/// What a container has for the device.
enum Found {
    /// Empty: the container is empty, which is no error.
    Source(Source),
    /// The kinds of code that it has instead of PTX.
    Without(String),
}

impl Found {
    fn source(self) -> CUres<Source> {
        match self {
            Found::Source(source) => Ok(source),
            Found::Without(kinds) => {
                tracing::warn!(
                    "unsupported: a fat binary of {kinds} without PTX (build with -code=compute_XX to have some)"
                );
                Err(CUerror::NO_BINARY_FOR_GPU)
            }
        }
    }
}

fn best_of(container: &[u8], wanted: Wanted) -> CUres<Found> {
    let container = Container::parse(container).map_err(malformed)?;
    if container.is_empty() {
        return Ok(Found::Source(Source::Ptx(Vec::new())));
    }
    let of_code = || {
        let code = (wanted == Wanted::All)
            .then(|| container.machine_code(&machine_code::architectures(capability())))??;
        let lifted = code.map_err(malformed).and_then(|code| Lifted::of(&code));
        Some(lifted.map(|lifted| Found::Source(Source::MachineCode(lifted))))
    };
    if machine_code::is_on()
        && config().machine_code == MachineCode::Prefer
        && let Some(Ok(found)) = of_code()
    {
        return Ok(found);
    }
    match container.best_ptx(capability()) {
        Some(Ok(found)) => {
            if is_refused(&found)
                && machine_code::is_on()
                && let Some(Ok(found)) = of_code()
            {
                return Ok(found);
            }
            text(&found).map(|text| Found::Source(Source::Ptx(text)))
        }
        Some(Err(error)) => Err(malformed(error)),
        None => {
            if machine_code::is_on()
                && let Some(Ok(found)) = of_code()
            {
                return Ok(found);
            }
            let kinds: Vec<_> = container.kinds().map(|kind| kind.to_string()).collect();
            Ok(Found::Without(kinds.join(" and ")))
        }
    }
}

/// Whether text has instructions that no manual has and NVIDIA's assembler refuses: cuSPARSELt 0.6.2 brings such PTX beside the machine
/// code that was made of it by other means.
fn is_refused(ptx: &[u8]) -> bool {
    str::from_utf8(ptx).is_ok_and(|text| text.contains("\nr2p."))
}

fn text(bytes: &[u8]) -> CUres<Vec<u8>> {
    // What does not begin as PTX does, comments aside, is no image at all for NVIDIA's driver.
    let mut rest = bytes.trim_ascii_start();
    loop {
        let end = if rest.starts_with(b"//") {
            rest.iter().position(|byte| *byte == b'\n')
        } else if rest.starts_with(b"/*") {
            rest.windows(2).position(|two| two == b"*/").map(|end| end + 1)
        } else {
            break;
        };
        rest = end.and_then(|end| rest.get(end + 1..)).unwrap_or_default().trim_ascii_start();
    }
    if rest.starts_with(b".version") { Ok(bytes.to_vec()) } else { Err(CUerror::INVALID_IMAGE) }
}

fn malformed(error: Malformed) -> CUerror {
    tracing::warn!("invalid: {error}");
    CUerror::INVALID_IMAGE
}

/// The error for what NVIDIA's compiler of tiles leaves, and libraries make at run time.
fn tile_ir() -> CUerror {
    tracing::warn!("unsupported: CUDA Tile IR; only PTX can run here");
    CUerror::NO_BINARY_FOR_GPU
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_in(bytes: &[u8]) -> CUres<Vec<u8>> {
        source_of_bytes(bytes)?.text()
    }

    #[test]
    fn a_cubin_of_ours_holds_text_and_no_other_cubin() {
        let cubin = |text: &[u8]| [&cubin::head(text.len(), 80)[..], text].concat();
        let one = cubin(b".version 8.0\0");
        assert_eq!(text_in(&one), Ok(b".version 8.0".to_vec()));
        assert_eq!(text_in(&cubin(&one)), Err(CUerror::INVALID_IMAGE));
    }

    #[test]
    fn only_what_begins_as_ptx_is_text() {
        for good in [".version 8.0", "\n// .target\n/* a\n*/ .version 8.0\0rest"] {
            let text = text_in(good.as_bytes()).unwrap();
            assert_eq!(text, good.split('\0').next().unwrap().as_bytes());
        }
        for bad in
            ["", "hello", ".target sm_80", "// .version 8.0", "/* .version 8.0", "/", "\0.version"]
        {
            assert_eq!(text_in(bad.as_bytes()), Err(CUerror::INVALID_IMAGE), "{bad}");
        }
    }

    #[test]
    fn machine_code_is_told_from_other_files() {
        let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
        elf.resize(64, 0);
        assert_eq!(text_in(&elf), Err(CUerror::INVALID_IMAGE));
        elf[18] = 190;
        assert_eq!(text_in(&elf), Err(CUerror::NO_BINARY_FOR_GPU));
        assert_eq!(text_in(&elf[..8]), Err(CUerror::INVALID_IMAGE));
        assert_eq!(text_in(b"\x7fTileIR\0\x0d\x01"), Err(CUerror::NO_BINARY_FOR_GPU));
    }
}
