//! Images: what programs hand over as code. Finds the PTX text in them.
//!
//! | begins with | what |
//! |---|---|
//! | `0x466243b1` | a wrapper, which points to a container |
//! | `0xBA55ED50` | a container ([`crate::core::fatbin`]) |
//! | `\x7fELF` | machine code of NVIDIA's GPUs: of no use here |
//! | anything else | PTX text, NUL-terminated where no size is given |

use crate::core::fatbin::{CONTAINER_MAGIC, Container, HEADER_SIZE, Malformed, container_size};
use cuda_types::cuda::{CUerror, CUres};
use std::ffi::{CStr, c_void};
use zluda_common::config::config;

const WRAPPER_MAGIC: u32 = 0x4662_43b1;
const ELF_MAGIC: u32 = 0x464c_457f;

/// What `.nvFatBinSegment` and NVIDIA's runtime point to.
#[repr(C)]
#[derive(Clone, Copy)]
struct Wrapper {
    magic: u32,
    version: u32,
    container: *const u8,
    /// In version 2 the containers that were linked to the one above.
    _linked: *const c_void,
}

/// The text in an image of unknown size. Empty: the image is empty, which is no error.
///
/// # Safety
/// `image` is null or points to an image, whose own sizes, if they make sense, are right.
pub(crate) unsafe fn text_of(image: *const c_void) -> CUres<Vec<u8>> {
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
            match unsafe { magic(wrapper.container) } {
                // SAFETY: as above.
                CONTAINER_MAGIC => unsafe { text_of_container(wrapper.container) },
                _ => Err(malformed(Malformed("a wrapper without a container"))),
            }
        }
        // SAFETY: the magic number says what it is.
        CONTAINER_MAGIC => unsafe { text_of_container(bytes) },
        ELF_MAGIC => Err(machine_code()),
        // SAFETY: what is nothing else is NUL-terminated text.
        _ => text(unsafe { CStr::from_ptr(image.cast()) }.to_bytes()),
    }
}

/// The text in an image whose size is known.
pub(crate) fn text_of_bytes(bytes: &[u8]) -> CUres<Vec<u8>> {
    match bytes.first_chunk().map(|magic| u32::from_le_bytes(*magic)) {
        Some(CONTAINER_MAGIC) => best_of(bytes),
        Some(ELF_MAGIC) => Err(machine_code()),
        // Pointers in a file mean nothing.
        Some(WRAPPER_MAGIC) => Err(CUerror::INVALID_IMAGE),
        _ => text(bytes.split(|byte| *byte == 0).next().unwrap_or_default()),
    }
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
unsafe fn text_of_container(container: *const u8) -> CUres<Vec<u8>> {
    // SAFETY: a container has a header.
    let header = unsafe { std::slice::from_raw_parts(container, HEADER_SIZE) };
    let size = container_size(header).map_err(malformed)?;
    // SAFETY: the caller says so.
    best_of(unsafe { std::slice::from_raw_parts(container, size) })
}

fn best_of(container: &[u8]) -> CUres<Vec<u8>> {
    let container = Container::parse(container).map_err(malformed)?;
    if container.is_empty() {
        return Ok(Vec::new());
    }
    let capability = config().compute_capability;
    match container.best_ptx(capability.major * 10 + capability.minor) {
        Some(Ok(found)) => text(&found),
        Some(Err(error)) => Err(malformed(error)),
        None => {
            tracing::warn!(
                "unsupported: a fat binary without PTX (build with -code=compute_XX to have some)"
            );
            Err(CUerror::NO_BINARY_FOR_GPU)
        }
    }
}

fn text(bytes: &[u8]) -> CUres<Vec<u8>> {
    // "CUDA_ERROR_INVALID_IMAGE: the device kernel image is invalid."
    if bytes.is_empty()
        || bytes
            .iter()
            .any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace() && *byte != 0x0b)
    {
        return Err(CUerror::INVALID_IMAGE);
    }
    Ok(bytes.to_vec())
}

fn malformed(error: Malformed) -> CUerror {
    tracing::warn!("invalid: {error}");
    CUerror::INVALID_IMAGE
}

fn machine_code() -> CUerror {
    tracing::warn!("unsupported: machine code of NVIDIA's GPUs (SASS); only PTX can run here");
    CUerror::NO_BINARY_FOR_GPU
}
