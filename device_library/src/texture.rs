//! Textures and surfaces: `cpu/texture.c`. An operation is the number of a [`simt_abi::TextureOperation`], and its `words` are
//! at least as many operands as it has, behind the handles.

use simt_abi::TEXTURE_RESULTS;
use simt_abi::texture_object::{TextureObject, TextureObjectSampler};

/// The result of an instruction: four words of values, and 1 where the texels were there.
type Results = [u32; TEXTURE_RESULTS];

unsafe extern "C" {
    #[link_name = "zluda.texture.sample"]
    fn texture_sample(
        operation: u64,
        object: *const TextureObject,
        sampler: *const TextureObjectSampler,
        words: *const u32,
        out: *mut u32,
    );
    #[link_name = "zluda.texture.surface"]
    fn texture_surface(
        operation: u64,
        object: *const TextureObject,
        words: *const u32,
        out: *mut u32,
    ) -> u32;
    #[link_name = "zluda.texture.attribute"]
    fn texture_attribute(object: *const TextureObject, attribute: u32, level: u32) -> u32;
}

/// Why an access of a surface ends the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// `.trap` outside of a surface.
    Outside,
    /// It begins at bytes that it cannot begin at.
    Misaligned,
}

/// `tex` and `tld4`.
///
/// # Safety
/// The object's texels are memory, or the caller is a kernel, on whose stack it faults.
#[inline]
pub unsafe fn sample(
    operation: u64,
    object: &TextureObject,
    sampler: &TextureObjectSampler,
    words: &[u32],
) -> Results {
    let mut results = [0; TEXTURE_RESULTS];
    // SAFETY: the caller's promise.
    unsafe { texture_sample(operation, object, sampler, words.as_ptr(), results.as_mut_ptr()) };
    results
}

/// `suld`, `sust` and `sured`.
///
/// # Errors
/// Where the instruction ends the kernel.
///
/// # Safety
/// As of [`sample`].
#[inline]
pub unsafe fn surface(
    operation: u64,
    object: &TextureObject,
    words: &[u32],
) -> Result<Results, Wrong> {
    let mut results = [0; TEXTURE_RESULTS];
    // SAFETY: the caller's promise.
    match unsafe { texture_surface(operation, object, words.as_ptr(), results.as_mut_ptr()) } {
        0 => Ok(results),
        1 => Err(Wrong::Outside),
        _ => Err(Wrong::Misaligned),
    }
}

/// The answer of `txq` and `suq` for a level of an object; 0 where it has not as many. The number is that of a
/// [`simt_abi::TextureAttribute`].
pub fn attribute(object: &TextureObject, attribute: u32, level: u32) -> u32 {
    // SAFETY: the function reads the object.
    unsafe { texture_attribute(object, attribute, level) }
}
