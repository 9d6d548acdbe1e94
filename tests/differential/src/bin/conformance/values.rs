//! Operand values that reach the edges of each type, and their combinations.

use splitmix::Random;

use crate::elements;
use crate::form::{CASES, Type};

/// Zeros, ones, extremes, ties, denormals, infinities and NaNs of a type, as bits.
pub fn edges(ty: Type) -> Vec<u64> {
    let integers = |bits: u32| {
        let max = u64::MAX >> (64 - bits);
        let sign = 1 << (bits - 1);
        vec![
            0,
            1,
            2,
            3,
            7,
            8,
            15,
            16,
            31,
            32,
            33,
            max,
            max - 1,
            sign,
            sign - 1,
            sign + 1,
            max / 3,
            max / 5 * 4,
            63,
            64,
            65,
            255,
            0x80,
            0x1234 & max,
        ]
    };
    match ty {
        Type::Int(bits) => integers(bits),
        Type::Shift => vec![
            0,
            1,
            5,
            8,
            15,
            16,
            17,
            24,
            31,
            32,
            33,
            63,
            64,
            65,
            128,
            255,
            256,
            0x8000_0000,
            u32::MAX as u64,
        ],
        Type::F16 => vec![
            0x0000, 0x8000, 0x3c00, 0xbc00, 0x3c01, 0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff,
            0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0x3555, 0x4248, 0x6400, 0x5800, 0xd7ff, 0x3800,
            0x4100, 0x7800,
        ],
        Type::Bf16 => vec![
            0x0000, 0x8000, 0x3f80, 0xbf80, 0x3f81, 0x0001, 0x8001, 0x007f, 0x0080, 0x7f7f, 0xff7f,
            0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7f81, 0x3eab, 0x4049, 0x4b00, 0x3f00, 0x4020, 0x7f00,
            0x4300, 0xc2ff,
        ],
        Type::F16x2 => pairs(&edges(Type::F16)),
        Type::Bf16x2 => pairs(&edges(Type::Bf16)),
        Type::F32 => vec![
            0x0000_0000,
            0x8000_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x3f80_0001,
            0x3f7f_ffff,
            0x0000_0001,
            0x8000_0001,
            0x007f_ffff,
            0x0080_0000,
            0x8080_0000,
            0x7f7f_ffff,
            0xff7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0xffc0_1234,
            0x7f80_0001,
            0x4049_0fdb,
            0x3fb5_04f3,
            0x3f00_0000,
            0x3fc0_0000,
            0x4020_0000,
            0xbf00_0000,
            0x4b00_0000,
            0x4b00_0001,
            0x4f00_0000,
            0xcf00_0000,
            0x4f7f_ffff,
            0x5f00_0000,
            0x3eaa_aaab,
            0x0040_0000,
            0x42fe_0000,
            0x437f_0000,
            0x4380_0000,
            0xc300_8000,
            0x477f_e000,
            0x477f_f000,
            0x3300_0000,
            0x3380_0001,
        ],
        Type::F64 => vec![
            0,
            1 << 63,
            0x3ff0_0000_0000_0000,
            0xbff0_0000_0000_0000,
            0x3ff0_0000_0000_0001,
            0x3fef_ffff_ffff_ffff,
            1,
            0x800f_ffff_ffff_ffff,
            0x0010_0000_0000_0000,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0xfff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
            0xfff8_0000_0000_1234,
            0x7ff0_0000_0000_0001,
            0x4009_21fb_5444_2d18,
            0x3fe0_0000_0000_0000,
            0x3ff8_0000_0000_0000,
            0x4004_0000_0000_0000,
            0x4330_0000_0000_0000,
            0x4330_0000_0000_0001,
            0x41e0_0000_0000_0000,
            0xc1e0_0000_0000_0000,
            0x41ef_ffff_ffe0_0000,
            0x43e0_0000_0000_0000,
            0x43f0_0000_0000_0000,
            0x36a0_0000_0000_0000,
            0x380f_ffff_c000_0000,
            0x47ef_ffff_e000_0000,
            0x47ef_ffff_f000_0000,
            0x3fd5_5555_5555_5555,
        ],
        Type::F32x2 => {
            let floats = edges(Type::F32);
            (0..floats.len())
                .map(|i| floats[i] | floats[(i * 11 + 5) % floats.len()] << 32)
                .collect()
        }
        Type::Flag => vec![0, 1],
        Type::Elements(_) => vec![0],
    }
}

/// Two halves in one word: each edge beside another one.
fn pairs(halves: &[u64]) -> Vec<u64> {
    (0..halves.len()).map(|i| halves[i] | halves[(i * 7 + 3) % halves.len()] << 16).collect()
}

/// A value drawn from the type's usual range, so that results do not all overflow.
fn usual(ty: Type, random: &mut Random) -> u64 {
    let bits = random.bits();
    match ty {
        Type::Int(width) => bits & (u64::MAX >> (64 - width)),
        Type::Shift => bits % 70,
        Type::F16 => bits & 0x8fff | 0x3000,
        Type::Bf16 => bits & 0x83ff | 0x3e00,
        Type::F16x2 => bits & 0x8fff_8fff | 0x3000_3000,
        Type::Bf16x2 => bits & 0x83ff_83ff | 0x3e00_3e00,
        Type::F32 => bits & 0x81ff_ffff | 0x3e00_0000,
        Type::F64 => bits & 0x803f_ffff_ffff_ffff | 0x3fc0_0000_0000_0000,
        Type::F32x2 => bits & 0x81ff_ffff_81ff_ffff | 0x3e00_0000_3e00_0000,
        Type::Flag => bits & 1,
        Type::Elements(_) => bits,
    }
}

/// The operands of all cases of a form, a column an operand: every pair of edges of the first two
/// operands as far as there is room, then edges against usual values, then usual values alone. `used` says
/// how many of the cases run.
pub fn columns(types: &[Type], used: usize, seed: u64) -> Vec<Vec<u64>> {
    let mut random = Random::new(seed);
    let sets: Vec<Vec<u64>> = types.iter().map(|&ty| edges(ty)).collect();
    let product: usize = sets.iter().map(Vec::len).product();
    let mut rows: Vec<Vec<u64>> = Vec::with_capacity(CASES);
    for case in 0..CASES {
        let row = match case * 8 / CASES {
            // The first five eighths: combinations of edges, all of them where they fit.
            0..5 => {
                let mut index = if product <= CASES * 5 / 8 {
                    case % product
                } else {
                    random.bits() as usize % product
                };
                sets.iter()
                    .map(|set| {
                        let value = set[index % set.len()];
                        index /= set.len();
                        value
                    })
                    .collect()
            }
            5 => types
                .iter()
                .zip(&sets)
                .map(|(&ty, set)| {
                    if random.bits().is_multiple_of(2) {
                        set[random.bits() as usize % set.len()]
                    } else {
                        usual(ty, &mut random)
                    }
                })
                .collect(),
            _ => types.iter().map(|&ty| usual(ty, &mut random)).collect(),
        };
        rows.push(row);
    }
    let column = |index: usize| match types[index] {
        Type::Elements(element) => {
            (0..CASES).map(|case| elements::word(element, case, used, &mut random)).collect()
        }
        _ => rows.iter().map(|row| row[index]).collect(),
    };
    (0..types.len()).map(column).collect()
}
