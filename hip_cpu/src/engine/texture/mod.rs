//! Texture and surface instructions, a lane at a time: [`run`], for [`texture_instruction`](super::texture_instruction), says
//! what handles mean, and [`quick`] has the look-ups that programs make most. All others are the device library's.
//! docs/dev/textures.md says what was measured.

mod coordinate;
mod filter;
pub(super) mod quick;
mod srgb;
mod texel;

use cpu_abi::texture_object::{TextureObject, TextureObjectSampler};
use cpu_abi::{
    TEXTURE_RESULTS, TextureAction, TextureAttribute, TextureObjectKind, TextureOperation,
    sampler_word,
};
use device_library::texture as library;
use device_library::texture::Wrong;
use hip_host::core::tables::tables;
use hip_host::core::texture::{self, Object};

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

    /// All that have not been read.
    fn rest(&self) -> &[u32] {
        self.words.get(self.next..).unwrap_or_default()
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
pub(super) fn run(
    number: u64,
    operation: &TextureOperation,
    operands: &mut Operands,
) -> Result<Results, Stop> {
    let handle = operands.handle();
    let object = find(handle);
    if operation.action == TextureAction::IsType {
        let is = match operation.object_kind() {
            Some(TextureObjectKind::Texture) => object.is_some_and(|object| !object.is_surface()),
            Some(TextureObjectKind::Surface) => object.is_some_and(Object::is_surface),
            _ => sampler_of_word(resolve(handle)).is_some(),
        };
        return Ok([is.into(), 0, 0, 0, 1]);
    }
    if operation.action == TextureAction::Query {
        let Some(attribute) = operation.attribute() else { return Ok([0; TEXTURE_RESULTS]) };
        let word = match object {
            Some(object) => {
                library::attribute(&object.description, attribute as u32, operands.word())
            }
            None => sampler_of_word(resolve(handle))
                .and_then(|sampler| sampler_attribute(sampler, attribute))
                .ok_or(Stop::NoObject(handle))?,
        };
        return Ok([word, 0, 0, 0, 1]);
    }
    if handle == 0 {
        // What a variable holds that nothing is bound to: it shows zeros.
        return Ok([0, 0, 0, 0, 1]);
    }
    let sampled = matches!(operation.action, TextureAction::Sample | TextureAction::Gather);
    // Textures of surfaces' arrays are other objects than the surfaces.
    let object = object.filter(|object| object.is_surface() != sampled);
    let object = &object.ok_or(Stop::NoObject(handle))?.description;
    if !sampled {
        // SAFETY: a kernel's instruction, which faults where the program's memory is gone.
        let accessed = unsafe { library::surface(number, object, operands.rest()) };
        return accessed.map_err(|wrong| match wrong {
            Wrong::Outside => Stop::Outside,
            Wrong::Misaligned => Stop::Misaligned,
        });
    }
    let sampler_handle = operands.handle();
    let separate = match sampler_handle {
        0 => None,
        _ => Some(find_sampler(sampler_handle).ok_or(Stop::NoObject(sampler_handle))?),
    };
    let sampler = separate.as_ref().unwrap_or(&object.sampler);
    // SAFETY: as above.
    Ok(unsafe { library::sample(number, object, sampler, operands.rest()) })
}

/// `txq` of a sampler's attribute; nothing for attributes of images.
fn sampler_attribute(sampler: TextureObjectSampler, attribute: TextureAttribute) -> Option<u32> {
    use TextureAttribute::*;
    let object = TextureObject { level_count: 1, sampler, ..TextureObject::default() };
    matches!(attribute, ForceUnnormalizedCoords | FilterMode | AddrMode0 | AddrMode1 | AddrMode2)
        .then(|| library::attribute(&object, attribute as u32, 0))
}

/// The word that a handle stands for: itself, or what the variable at that address holds.
fn resolve(handle: u64) -> u64 {
    let tagged = handle >> 48 != 0;
    if tagged || !handle.is_multiple_of(8) {
        return handle;
    }
    let address = handle as usize;
    match tables().memory.find(address) {
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
fn find_sampler(handle: u64) -> Option<TextureObjectSampler> {
    let of_texture = find(handle).map(|object| object.description.sampler);
    of_texture.or_else(|| sampler_of_word(resolve(handle)))
}

fn sampler_of_word(word: u64) -> Option<TextureObjectSampler> {
    use sampler_word::{ADDRESS_SHIFT, FORCE_UNNORMALIZED, LINEAR, TAG, TAG_MASK};
    (word & TAG_MASK == TAG).then(|| TextureObjectSampler {
        address: ADDRESS_SHIFT.map(|shift| (word >> shift) as u32 & 3),
        linear: u32::from(word & LINEAR != 0),
        normalized: u32::from(word & FORCE_UNNORMALIZED == 0),
        greatest_level: 1000.0,
        ..TextureObjectSampler::default()
    })
}
