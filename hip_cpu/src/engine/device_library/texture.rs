//! Textures and surfaces: what the functions of AMD GPUs, the engine, and its quick way make of the same instruction.

use std::ffi::c_void;

use cpu_abi::texel_format::{Channel, Format};
use cpu_abi::texture_object::{HANDLE_TAG, LIVE, TextureObject, TextureObjectSampler};
use cpu_abi::{
    SurfaceBounds, TextureAction, TextureGeometry, TextureLevel, TextureOperation, TextureType,
    sampler_word,
};
use hip_host::core::array::Level;
use hip_host::core::copy::PitchedPtr;
use hip_host::core::texture::{self, Geometry, Object, Owner};

use super::{Library, Random};
use crate::engine::texture::quick::Quick;
use crate::engine::texture::{Operands, Stop, operand_words, run};

/// A kernel that stops returns to the caller, with what it stopped for.
const HOST: &str = r#"
#include <setjmp.h>
static jmp_buf ptr;
static unsigned why;
void stop(unsigned error) __asm__("zluda.amd.stop");
void stop(unsigned error) { why = error; longjmp(ptr, 1); }
unsigned guarded(void (*f)(unsigned long, const unsigned *, unsigned *), unsigned long operation, const unsigned *in,
                 unsigned *out) {
  if (setjmp(ptr)) return why;
  f(operation, in, out);
  return 0;
}
"#;

type Function = extern "C" fn(*mut c_void, u64, *const u32, *mut u32) -> u32;

/// The files for all targets, seen from those for AMD GPUs.
const SHARED: &str = "../../device_library/c";

const IMAGE: usize = 1 << 16;

/// All formats that images have.
fn formats() -> Vec<Format> {
    let plain = [0x01, 0x02, 0x03, 0x08, 0x09, 0x0a, 0x10, 0x20];
    (1..=4)
        .flat_map(|channels| {
            let normalized = 0xc0..=0xcb;
            let codes = plain.into_iter().chain(0x91..=0x9e).chain(normalized);
            codes.filter_map(move |code| Format::of(code, channels))
        })
        .collect()
}

struct Image {
    bytes: Vec<u8>,
    object: Box<TextureObject>,
    handle: u64,
}

impl Drop for Image {
    fn drop(&mut self) {
        drop(texture::retire(self.handle, self.object.surface != 0));
    }
}

fn sampler(random: &mut Random) -> TextureObjectSampler {
    let mut truth = || u32::from(random.below(2) != 0);
    let [linear, linear_levels, normalized, seamless] = [truth(), truth(), truth(), truth()];
    let address = [random.below(4), random.below(4), random.below(4)];
    let mut number = |scale: f32| (random.below(2001) as f32 / 1000.0 - 1.0) * scale;
    TextureObjectSampler {
        address,
        linear,
        linear_levels,
        normalized,
        bias: number(1.5),
        least_level: number(1.0).max(0.0),
        greatest_level: 2.0 + number(2.0),
        border: [number(1.2), number(1.2), number(1.2), f32::from_bits(random.word())],
        seamless,
    }
}

/// An image of random texels for both.
fn image(random: &mut Random, surface: bool, format: Format) -> Image {
    let geometry = match random.below(if surface { 7 } else { 8 }) {
        0 => Geometry::Axes(1),
        1 | 2 => Geometry::Axes(2),
        3 => Geometry::Axes(3),
        4 => Geometry::Layers(1),
        5 => Geometry::Layers(2),
        6 => [Geometry::Cube, Geometry::CubeLayers][random.below(2) as usize],
        _ => Geometry::Linear,
    };
    let geometry = if format.block.is_some() { Geometry::Axes(2) } else { geometry };
    let mut side = || 1 + random.below(9) as usize;
    let (width, height, depth) = (side(), side(), side());
    let (height, depth) = match geometry {
        Geometry::Linear | Geometry::Axes(1) => (1, 1),
        Geometry::Axes(2) => (height, 1),
        Geometry::Axes(_) => (height, depth),
        Geometry::Layers(1) => (1, depth),
        Geometry::Layers(_) => (height, depth),
        Geometry::Cube => (width, 6),
        Geometry::CubeLayers => (width, 12),
    };
    let count =
        if surface || geometry == Geometry::Linear { 1 } else { 1 + random.below(3) as usize };
    let mut bytes = vec![0_u8; IMAGE];
    let nearby = random.below(2) == 0;
    for word in bytes.chunks_mut(4) {
        let number = random.word();
        // Floats that are near each other, or any bits.
        let number = match format.channel {
            Channel::F32 if nearby => 0x3e00_0000 | number & 0x81ff_ffff,
            Channel::F16 if nearby => 0x3000_3000 | number & 0x8fff_8fff,
            _ => number,
        };
        word.copy_from_slice(&number.to_le_bytes());
    }
    let mut start = bytes.as_ptr().addr();
    let mut levels = Vec::new();
    for level in 0..count {
        let smaller = |side: usize| (side >> level).max(1);
        let depth = if matches!(geometry, Geometry::Axes(3)) { smaller(depth) } else { depth };
        let (width, height) = (smaller(width), smaller(height));
        let blocks = format.block_side();
        let pitch = (width.div_ceil(blocks) * format.size()).next_multiple_of(16);
        let slice = pitch * height.div_ceil(blocks);
        levels.push(Level { ptr: PitchedPtr { start, pitch, slice }, width, height, depth });
        start += slice * depth;
    }
    let as_integers = surface || random.below(2) != 0;
    let srgb = !surface && !as_integers && random.below(2) != 0;
    let kind = TextureObject {
        surface: surface.into(),
        as_integers: as_integers.into(),
        srgb: srgb.into(),
        sampler: sampler(random),
        ..TextureObject::default()
    };
    let object = Object::new(geometry, &levels, format, Owner::Memory, kind);
    let description = Box::new(object.description);
    assert_eq!(description.mark, LIVE);
    Image { bytes, object: description, handle: texture::insert(object).unwrap() }
}

fn geometry(object: &TextureObject) -> TextureGeometry {
    use TextureGeometry::*;
    match (object.shape, object.axes) {
        (1, 2) => D2,
        (1, 3) => D3,
        (2, 1) => A1d,
        (2, _) => A2d,
        (3, _) => Cube,
        (4, _) => Acube,
        _ => D1,
    }
}

/// A coordinate in texels or in images, now and then a special one.
fn coordinate(random: &mut Random, size: u32) -> u32 {
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40, -0.0, 1e20, -3e9, 4097.5];
    if random.below(16) == 0 {
        return special[random.below(8) as usize].to_bits();
    }
    let scale = if random.below(2) == 0 { 1.0 } else { size as f32 };
    let value = (random.below(1 << 20) as f32 / (1 << 18) as f32 - 1.5) * scale;
    let halves = (value * 2.0).round() / 2.0;
    if random.below(4) == 0 { halves.to_bits() } else { value.to_bits() }
}

/// Asks both, and compares what they give and what is in memory.
fn compare(library: &Library, operation: &TextureOperation, words: &[u32], image: &mut Image) {
    let name = match operation.action {
        TextureAction::Sample | TextureAction::Gather => "look_up",
        TextureAction::Query => "query",
        TextureAction::IsType => "is_type",
        _ => "surface",
    };
    let (before, number) = (image.bytes.clone(), operation.encode());
    let with_handle = |handle: u64| {
        let mut words = words.to_vec();
        (words[0], words[1]) = (handle as u32, (handle >> 32) as u32);
        words
    };
    let expected = run(number, operation, &mut Operands::new(with_handle(image.handle)));
    if Quick::does(operation) {
        let given = with_handle(image.handle);
        let quickly = Quick::default().sample(operation, |row| given[row]);
        if let (Some(quickly), Ok(expected)) = (quickly, &expected) {
            assert_eq!(quickly, *expected, "{operation:?} of {words:x?}, {:?}", image.object);
        }
    }
    let wanted_bytes = image.bytes.clone();
    image.bytes.copy_from_slice(&before);
    let handle = HANDLE_TAG | std::ptr::from_ref(&*image.object).addr() as u64;
    let mut got = [0_u32; 5];
    let symbol = library.symbol(&format!("zluda.amd.texture.{name}"));
    // SAFETY: the host's function has this type.
    let guarded: Function = unsafe { std::mem::transmute(library.symbol("guarded")) };
    let mut in_words = with_handle(handle);
    in_words.resize(32, 0);
    let error = guarded(symbol, number, in_words.as_ptr(), got.as_mut_ptr());
    let what = || format!("{operation:?} of {words:x?}, {:?}", image.object);
    match expected {
        Ok(expected) => {
            assert_eq!(error, 0, "{}", what());
            assert_eq!(got, expected, "{got:x?} instead of {expected:x?}: {}", what());
        }
        Err(Stop::NoObject(_)) => assert_eq!(error, 1, "{}", what()),
        Err(Stop::Outside) => assert_eq!(error, 3, "{}", what()),
        Err(Stop::Misaligned) => assert_eq!(error, 4, "{}", what()),
    }
    assert!(image.bytes == wanted_bytes, "memory differs: {}", what());
}

fn library() -> Library {
    let shared = ["texel", "slope", "block"].map(|part| format!("{SHARED}/texture_{part}.c"));
    let [texel, slope, block] = shared.each_ref().map(String::as_str);
    Library::build(&["texture.c", "texture_surface.c", texel, slope, block], HOST, &[])
}

#[test]
fn samples_have_the_bits_of_the_engine() {
    let (library, mut random) = (library(), Random::new(8));
    let formats = formats();
    for round in 0..1000 {
        let format = formats[round % formats.len()];
        let mut image = image(&mut random, false, format);
        for _ in 0..8 {
            let geometry = geometry(&image.object);
            let cube = matches!(geometry, TextureGeometry::Cube | TextureGeometry::Acube);
            let flat = cube || matches!(geometry, TextureGeometry::D2 | TextureGeometry::A2d);
            let gathers = flat && random.below(5) == 0;
            let whole = !cube && !gathers && random.below(4) == 0;
            let level = match random.below(if whole { 3 } else { 4 }) {
                _ if gathers => TextureLevel::Base,
                0 => TextureLevel::Implicit,
                1 => TextureLevel::Base,
                2 => TextureLevel::Level,
                _ => TextureLevel::Grad,
            };
            let types = [TextureType::F32, TextureType::U32, TextureType::F16, TextureType::F16x2];
            let action = if gathers { TextureAction::Gather } else { TextureAction::Sample };
            let operation = TextureOperation {
                level,
                detail: if gathers { random.below(4) as u8 } else { 0 },
                whole,
                offset: !cube && random.below(3) == 0,
                compare: random.below(6) == 0,
                ..TextureOperation::new(action, geometry, types[random.below(4) as usize])
            };
            let mut words = vec![0; 4];
            if random.below(8) == 0 {
                let word = sampler_word::TAG | u64::from(random.below(256));
                (words[2], words[3]) = (word as u32, (word >> 32) as u32);
            }
            if geometry.is_layered() {
                words.push(random.below(14));
            }
            for _ in 0..geometry.axes() {
                let size = image.object.levels[0].width;
                words.push(match whole {
                    true => random.below(14).wrapping_sub(3),
                    false => coordinate(&mut random, size),
                });
            }
            // Levels, slopes, offsets and depths.
            while words.len() < operand_words(&operation) {
                words.push(match random.below(4) {
                    0 if whole => random.below(4),
                    0 => random.word(),
                    _ => ((random.below(4001) as f32 - 1000.0) / 1000.0).to_bits(),
                });
            }
            compare(&library, &operation, &words, &mut image);
        }
    }
}

#[test]
fn surfaces_have_the_bytes_of_the_engine() {
    let (library, mut random) = (library(), Random::new(9));
    let formats: Vec<_> = formats().into_iter().filter(|format| format.block.is_none()).collect();
    use TextureType::*;
    for round in 0..700 {
        let format = formats[round % formats.len()];
        let mut image = image(&mut random, true, format);
        for _ in 0..8 {
            let geometry = match geometry(&image.object) {
                TextureGeometry::Cube | TextureGeometry::Acube => TextureGeometry::A2d,
                geometry => geometry,
            };
            let action = [
                TextureAction::Load,
                TextureAction::Store,
                TextureAction::StoreFormatted,
                TextureAction::Reduce,
                TextureAction::ReduceFormatted,
            ][random.below(5) as usize];
            let (type_, count) = match action {
                TextureAction::Load | TextureAction::Store => (
                    [B8, B16, B32, B64][random.below(4) as usize],
                    [1, 2, 4][random.below(3) as usize],
                ),
                TextureAction::StoreFormatted => (B32, [1, 2, 4][random.below(3) as usize]),
                TextureAction::Reduce => ([U32, S32, U64, S64, B32][random.below(5) as usize], 1),
                _ => ([B32, B64][random.below(2) as usize], 1),
            };
            // Vectors have 16 bytes at most.
            let count = if type_ == B64 { count.min(2) } else { count };
            let bounds = [SurfaceBounds::Trap, SurfaceBounds::Clamp, SurfaceBounds::Zero];
            let operation = TextureOperation {
                count,
                detail: random.below(5) as u8,
                bounds: bounds[random.below(3) as usize],
                ..TextureOperation::new(action, geometry, type_)
            };
            let mut words = vec![0; 2];
            if geometry.is_layered() {
                words.push(random.below(10));
            }
            let formatted =
                matches!(action, TextureAction::StoreFormatted | TextureAction::ReduceFormatted);
            for axis in 0..geometry.axes() {
                let texel = if axis == 0 && !formatted { format.size() as u32 } else { 1 };
                words
                    .push((random.below(11) * texel).wrapping_sub(u32::from(random.below(8) == 0)));
            }
            while words.len() < operand_words(&operation) {
                let special = [f32::NAN, 70000.0, -1.5, 0.3, -0.7, 1e-7, f32::INFINITY, 65519.9];
                words.push(match random.below(2) {
                    0 => random.word(),
                    _ => special[random.below(8) as usize].to_bits(),
                });
            }
            compare(&library, &operation, &words, &mut image);
        }
    }
}

#[test]
fn queries_have_the_answers_of_the_engine() {
    let (library, mut random) = (library(), Random::new(10));
    let formats = formats();
    for round in 0..500 {
        let format = formats[round % formats.len()];
        let surface = format.block.is_none() && round % 3 == 0;
        let mut image = image(&mut random, surface, format);
        for detail in 0..15 {
            let operation = TextureOperation {
                detail,
                ..TextureOperation::new(TextureAction::Query, TextureGeometry::D2, TextureType::U32)
            };
            compare(&library, &operation, &[0, 0, random.below(3)], &mut image);
            let operation = TextureOperation {
                detail: detail % 3,
                ..TextureOperation::new(
                    TextureAction::IsType,
                    TextureGeometry::D2,
                    TextureType::U32,
                )
            };
            compare(&library, &operation, &[0, 0], &mut image);
        }
    }
}
