//! Textures and surfaces: `cpu/texture.c`.

use std::sync::LazyLock;

use simt_abi::TEXTURE_RESULTS;
use simt_abi::texture_object::{TextureObject, TextureObjectSampler};

/// What an instruction gives: four words of values, and 1 where the texels were there.
type Results = [u32; TEXTURE_RESULTS];

type Sample = unsafe extern "C" fn(
    u64,
    *const TextureObject,
    *const TextureObjectSampler,
    *const u32,
    *mut u32,
);
type Surface = unsafe extern "C" fn(u64, *const TextureObject, *const u32, *mut u32) -> u32;
type Attribute = unsafe extern "C" fn(*const TextureObject, u32, u32) -> u32;

/// Why an access of a surface ends the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// `.trap` outside of a surface.
    Outside,
    /// It begins at bytes that it cannot begin at.
    Misaligned,
}

/// The functions for one level of processors. An operation is the number of a [`simt_abi::TextureOperation`], of which
/// `words` has at least as many operands, behind the handles.
#[derive(Clone, Copy, Debug)]
pub struct Textures {
    sample: Sample,
    surface: Surface,
    attribute: Attribute,
}

macro_rules! level {
    ($sample:literal, $surface:literal, $attribute:literal) => {{
        unsafe extern "C" {
            #[link_name = $sample]
            fn sample(
                operation: u64,
                object: *const TextureObject,
                sampler: *const TextureObjectSampler,
                words: *const u32,
                out: *mut u32,
            );
            #[link_name = $surface]
            fn surface(
                operation: u64,
                object: *const TextureObject,
                words: *const u32,
                out: *mut u32,
            ) -> u32;
            #[link_name = $attribute]
            fn attribute(object: *const TextureObject, attribute: u32, level: u32) -> u32;
        }
        Textures { sample, surface, attribute }
    }};
}

/// For any processor, and for those of x86-64-v3.
const BASELINE: Textures =
    level!("zluda.texture.sample", "zluda.texture.surface", "zluda.texture.attribute");
const V3: Textures =
    level!("zluda.texture.sample.v3", "zluda.texture.surface.v3", "zluda.texture.attribute.v3");

impl Textures {
    /// Those that this processor runs, the fastest last.
    pub fn all() -> &'static [Textures] {
        static ALL: LazyLock<Vec<Textures>> =
            LazyLock::new(|| if has_v3() { vec![BASELINE, V3] } else { vec![BASELINE] });
        &ALL
    }

    /// The fastest ones of this processor.
    #[inline]
    pub fn best() -> &'static Textures {
        Self::all().last().unwrap_or(&BASELINE)
    }

    /// `tex` and `tld4`.
    ///
    /// # Safety
    /// The object's texels are memory, or the caller is a kernel, on whose stack it faults.
    #[inline]
    pub unsafe fn sample(
        &self,
        operation: u64,
        object: &TextureObject,
        sampler: &TextureObjectSampler,
        words: &[u32],
    ) -> Results {
        let mut results = [0; TEXTURE_RESULTS];
        // SAFETY: the caller's promise.
        unsafe { (self.sample)(operation, object, sampler, words.as_ptr(), results.as_mut_ptr()) };
        results
    }

    /// `suld`, `sust` and `sured`.
    ///
    /// # Errors
    /// Where the instruction ends the kernel.
    ///
    /// # Safety
    /// As of [`Self::sample`].
    #[inline]
    pub unsafe fn surface(
        &self,
        operation: u64,
        object: &TextureObject,
        words: &[u32],
    ) -> Result<Results, Wrong> {
        let mut results = [0; TEXTURE_RESULTS];
        // SAFETY: the caller's promise.
        match unsafe { (self.surface)(operation, object, words.as_ptr(), results.as_mut_ptr()) } {
            0 => Ok(results),
            1 => Err(Wrong::Outside),
            _ => Err(Wrong::Misaligned),
        }
    }

    /// What `txq` and `suq` give for a level of an object; 0 where it has not as many. The number is that of a
    /// [`simt_abi::TextureAttribute`].
    pub fn attribute(&self, object: &TextureObject, attribute: u32, level: u32) -> u32 {
        // SAFETY: the function reads the object.
        unsafe { (self.attribute)(object, attribute, level) }
    }
}

fn has_v3() -> bool {
    macro_rules! has {
        ($($feature:tt)*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
    }
    has!("avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe" "popcnt" "sse4.2")
}
