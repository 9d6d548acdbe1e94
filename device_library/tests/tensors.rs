//! Tensor copies against a model that takes one element after the other, and changes of maps against their encoding. The
//! model is that of samples/tensor_copies.cu, which holds on an H100.

// Tests may.
#![allow(clippy::unwrap_used)]

use device_library::LANE_FUNCTIONS;
use simt_abi::tensor_map::{AccessMode, Element, Interleave, RANK, TensorMap, WORDS};
use simt_abi::{TensorMode, TensorReduction};
use splitmix::Random;

const BYTES: usize = 1 << 16;
/// Where the tensor, and the box in shared memory, begin.
const START: usize = 1024;

#[repr(C, align(1024))]
#[derive(Clone)]
struct Memory {
    global: [u8; BYTES],
    shared: [u8; BYTES],
    map: [u64; WORDS],
    barrier: u64,
    places: [i32; 8],
}

fn call(word: &str, arguments: &[u64]) {
    let (_, function) = LANE_FUNCTIONS.iter().find(|(known, _)| *known == word).unwrap();
    // SAFETY: the tests pass addresses of their own memory.
    unsafe { function.call(arguments) };
}

fn memory(random: &mut Random) -> Box<Memory> {
    // SAFETY: zeros are numbers.
    let mut memory: Box<Memory> = unsafe { Box::new_zeroed().assume_init() };
    for bytes in memory.global.chunks_mut(8).chain(memory.shared.chunks_mut(8)) {
        let word = random.bits();
        // Now and then in the middle of two numbers of type tf32.
        let middle = word & !0x1fff_0000_1fff | 0x1000_0000_1000;
        bytes.copy_from_slice(&if word >> 62 == 0 { middle } else { word }.to_le_bytes());
    }
    memory.barrier = 3 | 3 << 20;
    memory.places.fill_with(|| random.below(6) as i32 - 2);
    memory
}

fn map(random: &mut Random, address: u64) -> TensorMap {
    let all: Vec<Element> = (0..13).filter_map(Element::from_number).collect();
    let (rank, element) = (1 + random.below(5), random.pick(&all).unwrap());
    let dims = std::array::from_fn(|i| 1 + random.below(if i == 0 { 40 } else { 6 }) as u64);
    let mut strides = [0; RANK - 1];
    let mut stride = (dims[0] * element.size()).next_multiple_of(16);
    for (i, place) in strides.iter_mut().enumerate().take(rank - 1) {
        *place = stride;
        stride *= dims[i + 1];
    }
    let swizzle = random.below(4) as u32;
    let widest = if swizzle == 0 { 40 } else { (16 << swizzle) / element.size() as usize };
    let first = 1 + random.below(widest) as u32;
    let mode = if rank >= 3 && random.below(2) == 0 {
        let mut corner = || std::array::from_fn(|_| random.below(5) as i32 - 2);
        let (lower, upper) = (corner(), corner());
        AccessMode::Im2col { lower, upper, channels: first, pixels: 1 + random.below(20) as u32 }
    } else {
        let side = |i| if i == 0 { first } else { 1 + random.below(4) as u32 };
        AccessMode::Tile(std::array::from_fn(side))
    };
    let steps = std::array::from_fn(|i| if i == 0 { 1 } else { 1 + random.below(2) as u32 });
    TensorMap {
        address,
        rank,
        element,
        interleave: Interleave::None,
        swizzle,
        nan_fill: element.is_float() && random.below(2) == 0,
        l2_promotion: 0,
        dims,
        strides,
        steps,
        mode,
    }
}

/// The coordinates of the rows of a box, in their order, and the elements of each.
fn rows(map: &TensorMap, places: &[i32; 8], rows4: bool) -> (Vec<[i64; RANK]>, u64) {
    let start: [i64; RANK] = std::array::from_fn(|i| places[i].into());
    match map.mode {
        AccessMode::Tile(sides) if rows4 => {
            ((1..5).map(|i| [start[0], start[i], 0, 0, 0]).collect(), sides[0].into())
        }
        AccessMode::Tile(sides) => {
            let mut rows = vec![start];
            // The later dimension is the slower one.
            for i in 1..map.rank {
                let steps = (0..sides[i]).step_by(map.steps[i] as usize);
                let moved = |step: u32| {
                    rows.iter().map(move |row| {
                        let mut row = *row;
                        row[i] += i64::from(step);
                        row
                    })
                };
                rows = steps.flat_map(moved).collect();
            }
            (rows, sides[0].into())
        }
        AccessMode::Im2colWide { .. } => unreachable!("no copy takes such a map"),
        AccessMode::Im2col { lower, upper, channels, pixels } => {
            let (space, mut pixel, mut rows) = (map.rank - 2, start, Vec::new());
            for _ in 0..pixels {
                let offset = |i: usize| {
                    if (1..=space).contains(&i) { i64::from(places[RANK + i - 1]) } else { 0 }
                };
                rows.push(std::array::from_fn(|i| pixel[i] + offset(i)));
                let mut i = 1;
                loop {
                    if i > space {
                        pixel[map.rank - 1] += 1;
                        break;
                    }
                    pixel[i] += i64::from(map.steps[i]);
                    if pixel[i] < map.dims[i] as i64 + i64::from(upper[i - 1]) {
                        break;
                    }
                    pixel[i] = lower[i - 1].into();
                    i += 1;
                }
            }
            (rows, channels.into())
        }
    }
}

/// For each element of a box: where its bytes begin in the box, and in the tensor, if they are there. Rows of what goes out
/// end at 16 bytes.
fn elements(
    map: &TensorMap,
    places: &[i32; 8],
    rows4: bool,
    out: bool,
) -> Vec<(usize, Option<usize>)> {
    let size = map.element.size();
    let width = if out { map.dims[0].next_multiple_of(16 / size) } else { map.dims[0] };
    let (rows, count) = rows(map, places, rows4);
    let pitch = if map.swizzle == 0 { count * size } else { 16 << map.swizzle };
    let each = rows.iter().enumerate().flat_map(|(index, row)| {
        (0..count).map(move |element| {
            let plain = START as u64 + index as u64 * pitch + element * size;
            let pattern = [0, 1, 3, 7][map.swizzle as usize];
            let x = row[0] + element as i64;
            let inside = (0..width as i64).contains(&x)
                && (1..map.rank).all(|i| (0..map.dims[i] as i64).contains(&row[i]));
            let line: i64 = (1..map.rank).map(|i| row[i] * map.strides[i - 1] as i64).sum();
            let there = inside.then(|| (START as i64 + x * size as i64 + line) as usize);
            ((plain ^ (plain >> 7 & pattern) << 4) as usize, there)
        })
    });
    each.collect()
}

/// To ten digits behind the first, ties to even. f64 rounds nothing here.
fn tf32(bytes: &mut [u8]) {
    let bits = u32::from_le_bytes(bytes.try_into().unwrap());
    let value = f32::from_bits(bits);
    let rounded = if value.is_nan() {
        0x7fff_e000
    } else if value.is_subnormal() {
        // Of the same distance from each other.
        let unit = f64::from(f32::from_bits(1 << 13));
        (((f64::from(value) / unit).round_ties_even() * unit).copysign(value.into()) as f32)
            .to_bits()
    } else if value.is_infinite() || value == 0.0 {
        bits
    } else {
        let unit = f64::from(f32::from_bits(bits & 0x7f80_0000)) / 1024.0;
        let rounded = (f64::from(value) / unit).round_ties_even() * unit;
        // Beyond the greatest number lies infinity.
        (rounded as f32).to_bits()
    };
    bytes.copy_from_slice(&rounded.to_le_bytes());
}

fn load(map: &TensorMap, memory: &mut Memory, rows4: bool) {
    let size = map.element.size() as usize;
    let all = elements(map, &memory.places, rows4, false);
    for &(to, from) in &all {
        let bytes = &mut memory.shared[to..to + size];
        let nan = [0xf7, 0x7f].into_iter().cycle();
        match from {
            Some(from) => bytes.copy_from_slice(&memory.global[from..from + size]),
            None if map.nan_fill => bytes.iter_mut().zip(nan).for_each(|(to, byte)| *to = byte),
            None => bytes.fill(0),
        }
        if from.is_some() && matches!(map.element, Element::Tf32 | Element::Tf32Ftz) {
            tf32(bytes);
        }
    }
    // All bytes of the box have come.
    let bytes = (all.len() * size) as u64;
    memory.barrier = memory.barrier & !(0x1f_ffff << 40) | (bytes.wrapping_neg() & 0x1f_ffff) << 40;
}

#[test]
fn boxes_are_copied_element_by_element() {
    let mut random = Random::new(6);
    for round in 0..900 {
        let mut real = memory(&mut random);
        let map = map(&mut random, real.global.as_ptr() as u64 + START as u64);
        real.map = map.encode();
        let rows4 = matches!(map.mode, AccessMode::Tile(_)) && map.rank == 2 && round % 2 == 0;
        let mode = if rows4 { TensorMode::Rows4 } else { TensorMode::Tile } as u64;
        let mut model = real.clone();
        let shared = real.shared.as_mut_ptr() as u64 + START as u64;
        let (at, places) = (real.map.as_ptr() as u64, real.places.as_ptr() as u64);
        let size = map.element.size() as usize;
        match round % 3 {
            0 => {
                let barrier = &raw mut real.barrier as u64;
                call("tensor.load", &[shared, at, places, mode, barrier, 0]);
                load(&map, &mut model, rows4);
            }
            1 => {
                call("tensor.store", &[shared, at, places, mode]);
                for (from, to) in elements(&map, &model.places, rows4, true) {
                    let Some(to) = to else { continue };
                    model.global[to..to + size].copy_from_slice(&model.shared[from..from + size]);
                }
            }
            _ => {
                let or = TensorReduction::Or as u64;
                call("tensor.reduce", &[shared, at, places, 0, or]);
                // Only integers of 32 and 64 bits have it.
                let has = !map.element.is_float() && size >= 4;
                for (from, to) in elements(&map, &model.places, false, true) {
                    let Some(to) = to.filter(|_| has) else { continue };
                    (0..size).for_each(|i| model.global[to + i] |= model.shared[from + i]);
                }
            }
        }
        let what = (&map, real.places, rows4);
        assert!(real.shared == model.shared, "{round}: shared memory differs: {what:?}");
        assert!(real.global == model.global, "{round}: global memory differs: {what:?}");
        assert_eq!(real.barrier, model.barrier, "{round}: {what:?}");
    }
}

#[test]
fn maps_change_as_they_are_encoded() {
    let mut random = Random::new(7);
    for _ in 0..900 {
        let mut map = map(&mut random, 1024);
        let words = map.encode();
        let (field, index) = (random.below(11), random.below(map.rank));
        let mut value = 1 + random.below(16) as u64;
        match (field, &mut map.mode) {
            (0, _) => map.address = value,
            // Ranks stay, so that nothing is left behind.
            (1, _) => value = map.rank as u64 - 1,
            (2, AccessMode::Tile(sides)) => sides[index] = value as u32,
            (3, _) => map.dims[index] = value,
            (4, _) if index + 1 < map.rank => {
                value *= 16 * random.bits() as u32 as u64 / 16;
                value &= !15;
                map.strides[index] = value;
            }
            (5, _) => {
                value = value.min(8);
                map.steps[index] = value as u32;
            }
            (6, _) => map.element = Element::from_number(value as u32).unwrap_or(map.element),
            (7, _) => {
                map.interleave = Interleave::from_number(value as u32).unwrap_or(map.interleave)
            }
            (8, _) => map.swizzle = value as u32 & 3,
            (10, _) => map.nan_fill = value & 1 != 0,
            _ => {}
        }
        call("tensor.replace", &[words.as_ptr() as u64, field as u64, index as u64, value]);
        assert_eq!(words, map.encode(), "field {field} of index {index}: {map:?}");
    }
}
