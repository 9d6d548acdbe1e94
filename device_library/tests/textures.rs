//! Textures and surfaces, against an H100 and LLVM's arithmetic.

// Tests may.
#![allow(clippy::unwrap_used)]

use device_library::texture;
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};
use simt_abi::texel_format::{Block, Channel, Format};
use simt_abi::texture_object::{TextureObject, TextureObjectLevel, TextureShape};
use simt_abi::{TextureAction, TextureGeometry, TextureLevel, TextureOperation, TextureType};

/// The texels of a level are at `start` and lie side by side, in rows and slices that are `pitch` and `slice` bytes apart.
fn level(start: u64, size: [u32; 3], pitch: u64, slice: u64) -> TextureObjectLevel {
    let [width, height, depth] = size;
    TextureObjectLevel { start, pitch, slice, width, height, depth, unused: 0 }
}

fn object(
    shape: TextureShape,
    axes: u32,
    format: Format,
    levels: &[TextureObjectLevel],
) -> TextureObject {
    let mut object = TextureObject {
        shape: shape as u32,
        axes,
        level_count: levels.len() as u32,
        ..TextureObject::default()
    };
    object.set_format(format);
    object.levels[..levels.len()].copy_from_slice(levels);
    object.sampler.normalized = 1;
    object.sampler.address = [1; 3];
    object.sampler.greatest_level = 1000.0;
    object
}

fn plain(channel: Channel) -> Format {
    Format { channel, channels: 1, block: None, opaque: false, srgb: false, code: 0 }
}

fn sample(operation: TextureOperation, object: &TextureObject, words: &[u32]) -> [f32; 4] {
    let mut operands = [0; 24];
    operands[..words.len()].copy_from_slice(words);
    // SAFETY: the tests' objects have texels.
    let answer = unsafe { texture::sample(operation.encode(), object, &object.sampler, &operands) };
    [0, 1, 2, 3].map(|channel| f32::from_bits(answer[channel]))
}

fn words(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn texels_of_blocks_are_those_of_an_h100() {
    let first = |block, channels, bytes: &[u8]| {
        let bytes = [bytes, &[0; 16]].concat();
        let format = Format {
            block: Some(block),
            channels,
            opaque: channels < 4,
            ..plain(match block {
                Block::Bc4 => Channel::Unorm16,
                _ => Channel::Unorm8,
            })
        };
        let level = level(bytes.as_ptr() as u64, [4, 4, 1], 16, 16);
        let object = object(TextureShape::Axes, 2, format, &[level]);
        let operation =
            TextureOperation::new(TextureAction::Sample, TextureGeometry::D2, TextureType::F32);
        sample(TextureOperation { whole: true, ..operation }, &object, &[0, 0])
    };
    // Six bits of 48 and 17: the fourth colour's green is 108.
    let colours = [48_u16 << 5, 17 << 5].map(u16::to_le_bytes).concat();
    let block = [colours.as_slice(), &[3, 0, 0, 0]].concat();
    assert_eq!(first(Block::Bc1, 4, &block), [0.0, 108.0 / 255.0, 0.0, 1.0]);
    // The first step from 255 to 0: 221 * 255 of 65535.
    assert_eq!(first(Block::Bc4, 1, &[255, 0, 2, 0, 0, 0, 0, 0])[0], 56355.0 / 65535.0);
    let alpha = |select| first(Block::Bc3, 4, &[25, 169, select])[3];
    assert_eq!([alpha(3), alpha(6)], [79.0 / 255.0, 0.0]);
}

/// An image whose texels are the numbers of their levels, of which filters give the level that slopes mean.
fn ladder(shape: TextureShape, axes: u32, size: [u32; 3], rows: &[Vec<f32>]) -> TextureObject {
    let smaller = |side: u32, number: usize| (side >> number).max(1);
    let levels: Vec<_> = rows
        .iter()
        .enumerate()
        .map(|(number, row)| {
            let size = [smaller(size[0], number), smaller(size[1], number), size[2]];
            level(row.as_ptr() as u64, size, 0, 0)
        })
        .collect();
    let mut object = object(shape, axes, plain(Channel::F32), &levels);
    object.sampler.linear_levels = 1;
    object
}

fn grad(geometry: TextureGeometry) -> TextureOperation {
    let operation = TextureOperation::new(TextureAction::Sample, geometry, TextureType::F32);
    TextureOperation { level: TextureLevel::Grad, ..operation }
}

#[test]
fn levels_of_slopes_are_those_of_an_h100() {
    let rows: Vec<_> = (0..10).map(|number| vec![number as f32; 1536]).collect();
    let image = ladder(TextureShape::Axes, 2, [512, 512, 1], &rows);
    let plane = |steps: [f32; 4]| {
        let numbers = [&[0.5, 0.5], &steps.map(|step| step / 512.0)[..]].concat();
        256.0 * sample(grad(TextureGeometry::D2), &image, &words(&numbers))[0]
    };
    assert_eq!(plane([18.34375, -21.875, 19.15625, -7.0625]), 1286.0);
    assert_eq!(plane([-6.9296875, 15.21875, -7.296875, -17.90625]), 1155.0);
    assert_eq!(plane([8.984375, -0.164_550_78, 10.65625, 10.515625]), 1023.0);
    let image = ladder(TextureShape::Axes, 1, [1536, 1, 1], &rows);
    let line =
        |step: f32| 256.0 * sample(grad(TextureGeometry::D1), &image, &words(&[0.5, step, 0.0]))[0];
    let steps = [683.0 / 512.0 / 256.0, 685.0 / 512.0 / 256.0, 0.0];
    assert_eq!(steps.map(line), [768.0, 770.0, 0.0]);
}

// Of faces of 32 texels: a step to the next face, and two to different ones.
#[test]
fn levels_across_edges_of_cubes_are_those_of_an_h100() {
    let rows: Vec<_> = (0..6).map(|number| vec![number as f32; 32]).collect();
    let image = ladder(TextureShape::Cube, 2, [32, 32, 6], &rows);
    let level = |numbers: [f32; 9]| {
        256.0 * sample(grad(TextureGeometry::Cube), &image, &words(&numbers))[0]
    };
    #[rustfmt::skip]
    assert_eq!(level([
        0.448_854_8, 0.727_300_64, 0.846_449_14,
        -0.002_430_495_3, -0.020_198_295, 0.183_570_8,
        0.480_18, 0.010_856_614, 0.010_785_977,
    ]), 815.0);
    #[rustfmt::skip]
    assert_eq!(level([
        0.944_607_6, -0.387_100_93, 0.336_996_44,
        0.013_032_963, -1.685_676_6, -0.632_245_84,
        -0.083_829_895, 0.001_347_114_6, 1.572_403,
    ]), 1121.0);
}

#[test]
fn directions_meet_their_faces() {
    let texels: Vec<f32> = (0..96).map(|number| number as f32).collect();
    let level = level(texels.as_ptr() as u64, [4, 4, 6], 16, 64);
    let image = object(TextureShape::Cube, 2, plain(Channel::F32), &[level]);
    let at = |direction: [f32; 3]| {
        let geometry = TextureGeometry::Cube;
        let operation = TextureOperation::new(TextureAction::Sample, geometry, TextureType::F32);
        let number = sample(operation, &image, &words(&direction))[0] as u32;
        (number / 16, number % 4, number / 4 % 4)
    };
    assert_eq!(at([1.0, 0.0, 0.0]), (0, 2, 2));
    assert_eq!(at([-1.0, 0.5, 0.0]), (1, 2, 1));
    assert_eq!(at([0.0, 2.0, 1.0]), (2, 2, 3));
    assert_eq!(at([0.0, 0.0, -3.0]), (5, 2, 2));
}

/// Surfaces cut floats to halves: what is too large becomes the greatest number.
#[test]
fn stored_halves_are_cut_as_in_llvm() {
    let mut texel = 0_u16;
    let level = level(&raw mut texel as u64, [1, 1, 1], 16, 16);
    let mut surface = object(TextureShape::Axes, 1, plain(Channel::F16), &[level]);
    surface.surface = 1;
    let action = TextureAction::StoreFormatted;
    let operation = TextureOperation::new(action, TextureGeometry::D1, TextureType::B32);
    let number = TextureOperation { count: 1, ..operation }.encode();
    let cut = |value: f32| -> u16 {
        let value = Single::from_bits(value.to_bits().into());
        let half: Half = value.convert_r(Round::TowardZero, &mut false).value;
        half.to_bits() as u16
    };
    for half in (0..=u16::MAX).filter(|half| half & 0x7c00 != 0x7c00) {
        let value: Single = Half::from_bits(half.into()).convert(&mut false).value;
        let value = f32::from_bits(value.to_bits() as u32);
        for value in [value, value.next_up(), value.next_down(), value * 1.000_25] {
            let mut operands = [0; 24];
            operands[1] = value.to_bits();
            // SAFETY: the surface has its texel.
            unsafe { texture::surface(number, &surface, &operands) }.unwrap();
            // SAFETY: the surface's texel, which only the call above changes.
            let stored = unsafe { (&raw const texel).read_volatile() };
            assert_eq!(stored, cut(value), "{value:e}");
        }
    }
}
