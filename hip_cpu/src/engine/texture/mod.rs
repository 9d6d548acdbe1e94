//! Texture and surface instructions, a lane at a time: [`run`], for [`texture_instruction`](super::texture_instruction). docs/dev/textures.md says what was measured.

mod block;
mod coordinate;
mod cube;
mod filter;
mod query;
pub(super) mod quick;
mod sample;
mod slope;
mod srgb;
mod surface;
mod texel;

use cpu_abi::{TEXTURE_RESULTS, TextureAction, TextureObjectKind, TextureOperation, sampler_word};
use hip_host::core::device::Device;
use hip_host::core::texture::{self, Address, Object, Sampler};

/// Words of operands that the longest instruction has, and some.
const MOST_OPERANDS: usize = 24;

/// The operands of one lane, read one after the other. What is not there is 0.
pub(super) struct Operands {
    words: [u32; MOST_OPERANDS],
    next: usize,
}

impl Operands {
    /// The operands of a lane, whose words are these.
    pub fn new(given: impl IntoIterator<Item = u32>) -> Operands {
        let mut words = [0; MOST_OPERANDS];
        words.iter_mut().zip(given).for_each(|(word, given)| *word = given);
        Operands { words, next: 0 }
    }

    fn word(&mut self) -> u32 {
        self.next += 1;
        self.words.get(self.next - 1).copied().unwrap_or(0)
    }

    fn handle(&mut self) -> u64 {
        u64::from(self.word()) | u64::from(self.word()) << 32
    }
}

pub(super) type Results = [u32; TEXTURE_RESULTS];

/// The reasons for which an instruction ends the kernel.
pub(super) enum Stop {
    /// The handle is of no texture, or not of one that fits.
    NoObject(u64),
    /// `.trap` outside of a surface.
    Outside,
    /// At bytes of a surface that the access cannot begin at.
    Misaligned,
}

/// The number of words that the operands of an operation have.
pub(super) fn operand_words(operation: &TextureOperation) -> usize {
    use cpu_abi::{TextureLevel as L, TextureType as T};
    let geometry = operation.geometry;
    let wide = matches!(operation.type_, T::B64 | T::U64 | T::S64);
    let words = match operation.action {
        TextureAction::Sample | TextureAction::Gather => {
            let level = match operation.level {
                L::Implicit | L::Base => 0,
                L::Level => 1,
                L::Grad => 2 * geometry.axes(),
            };
            let offset = if operation.offset { geometry.axes() } else { 0 };
            4 + geometry.coordinates() + level + offset + usize::from(operation.compare)
        }
        TextureAction::Query => 3,
        TextureAction::IsType => 2,
        TextureAction::Load => 2 + geometry.coordinates(),
        _ => 2 + geometry.coordinates() + usize::from(operation.count) * if wide { 2 } else { 1 },
    };
    words.min(MOST_OPERANDS)
}

/// Performs an operation for one lane. Fails where the instruction ends the kernel.
pub(super) fn run(operation: &TextureOperation, operands: &mut Operands) -> Result<Results, Stop> {
    let handle = operands.handle();
    let object = find(handle);
    if operation.action == TextureAction::IsType {
        let is = match operation.object_kind() {
            Some(TextureObjectKind::Texture) => object.is_some_and(|object| !object.surface),
            Some(TextureObjectKind::Surface) => object.is_some_and(|object| object.surface),
            _ => sampler_of_word(resolve(handle)).is_some(),
        };
        return Ok([is.into(), 0, 0, 0, 1]);
    }
    if operation.action == TextureAction::Query {
        return match object {
            Some(object) => Ok(query::attribute(object, operation, operands.word())),
            None => sampler_of_word(resolve(handle))
                .and_then(|sampler| query::sampler_attribute(&sampler, operation.attribute()?))
                .map(|word| [word, 0, 0, 0, 1])
                .ok_or(Stop::NoObject(handle)),
        };
    }
    if handle == 0 {
        // What a variable holds that nothing is bound to: it shows zeros.
        return Ok([0, 0, 0, 0, 1]);
    }
    let sampled = matches!(operation.action, TextureAction::Sample | TextureAction::Gather);
    // Textures of surfaces' arrays are other objects than the surfaces.
    let object = object.filter(|object| object.surface != sampled).ok_or(Stop::NoObject(handle))?;
    if !sampled {
        return surface::access(object, operation, operands);
    }
    let sampler_handle = operands.handle();
    let separate = match sampler_handle {
        0 => None,
        _ => Some(find_sampler(sampler_handle).ok_or(Stop::NoObject(sampler_handle))?),
    };
    let sampler = match &separate {
        None => &object.sampler,
        Some(sampler) => sampler,
    };
    Ok(sample::sample(object, sampler, operation, operands))
}

/// The word that a handle stands for: itself, or what the variable at that address holds.
fn resolve(handle: u64) -> u64 {
    let tagged = handle >> 48 != 0;
    if tagged || !handle.is_multiple_of(8) {
        return handle;
    }
    let address = handle as usize;
    match Device::get().memory.find(address) {
        Some(range) if range.start + range.size - address >= 8 => {
            // SAFETY: the range is memory of the device that has not been freed.
            unsafe { (address as *const u64).read() }
        }
        _ => handle,
    }
}

fn find<'a>(handle: u64) -> Option<&'a Object> {
    // SAFETY: objects end when no kernel runs.
    unsafe { texture::get(handle).or_else(|| texture::get(resolve(handle))) }
}

/// A sampler is a variable, or that of a texture.
fn find_sampler(handle: u64) -> Option<Sampler> {
    find(handle).map(|object| object.sampler).or_else(|| sampler_of_word(resolve(handle)))
}

fn sampler_of_word(word: u64) -> Option<Sampler> {
    use sampler_word::{ADDRESS_SHIFT, FORCE_UNNORMALIZED, LINEAR, TAG, TAG_MASK};
    if word & TAG_MASK != TAG {
        return None;
    }
    Some(Sampler {
        address: ADDRESS_SHIFT
            .map(|shift| Address::of((word >> shift) as u32 & 3).unwrap_or(Address::Clamp)),
        linear: word & LINEAR != 0,
        linear_levels: false,
        normalized: word & FORCE_UNNORMALIZED == 0,
        bias: 0.0,
        least_level: 0.0,
        greatest_level: 1000.0,
        border: [0.0; 4],
        seamless: false,
    })
}
