//! Operands at the edges of their kinds, and some that are nothing special.

use splitmix::Random;
use zluda_hip_emu::isa::Kind;

/// All bits of a kind.
pub fn width(kind: Kind) -> u32 {
    match kind {
        Kind::None => 0,
        Kind::B16 | Kind::F16 | Kind::Bf16 => 16,
        Kind::B32 | Kind::F32 | Kind::P16 | Kind::PF16 | Kind::PBf16 => 32,
        Kind::B64 | Kind::F64 | Kind::PF32 | Kind::P32 => 64,
    }
}

/// Bits of fraction of a kind of floats, and bits of its values.
pub fn float(kind: Kind) -> Option<(u32, u32)> {
    match kind {
        Kind::F16 | Kind::PF16 => Some((10, 16)),
        Kind::Bf16 | Kind::PBf16 => Some((7, 16)),
        Kind::F32 | Kind::PF32 => Some((23, 32)),
        Kind::F64 => Some((52, 64)),
        _ => None,
    }
}

/// Values of one operand.
fn values(kind: Kind, seed: u64) -> Vec<u64> {
    let mut numbers = Random::new(seed);
    let width = width(kind);
    if width == 0 {
        return vec![0];
    }
    let mask = u64::MAX >> (64 - width);
    let mut values = match float(kind) {
        Some((fraction, width)) => {
            let sign = 1_u64 << (width - 1);
            let infinity = sign - (1 << fraction);
            let one = (infinity / 2) & !((1 << fraction) - 1);
            let unit = 1_u64 << fraction;
            let positive = [
                0,
                one,
                one - unit,
                unit - 1,
                unit,
                1,
                infinity,
                infinity + unit / 2,
                infinity + 1,
                infinity - 1,
                one + unit / 2,
                one + 1,
                one - 1,
                one + unit + 1,
                one + u64::from(fraction) * unit,
                one + 31 * unit / 4,
                infinity - 2 * unit,
                2 * unit + 1,
            ];
            positive.into_iter().flat_map(|value| [value, value | sign]).collect::<Vec<_>>()
        }
        None => {
            let top = 1_u64 << (width - 1);
            [
                0,
                1,
                mask,
                top,
                top - 1,
                2,
                3,
                4,
                8,
                12,
                15,
                16,
                17,
                23,
                24,
                31,
                32,
                33,
                63,
                64,
                0xff,
                0x80,
                0x7f,
                0x100,
            ]
            .into_iter()
            .chain([
                0x7fff,
                0x8000,
                0xffff,
                0x1_0000,
                0x000c_0d07,
                0x0020_0000,
                0x0010_0008,
                0x7f_ffff,
                0x80_0000,
            ])
            .chain([
                top + 1,
                mask - 1,
                0x0123_4567_89ab_cdef,
                0x0102_0304_0506_0708,
                0x8000_0000,
                0xffff_ffff,
            ])
            .map(|value| value & mask)
            .collect()
        }
    };
    // Both halves of pairs.
    if matches!(kind, Kind::PF16 | Kind::PBf16 | Kind::PF32) {
        let half = width / 2;
        values = values
            .iter()
            .map(|&value| value | values[numbers.bits() as usize % values.len()] << half)
            .collect();
    }
    values.extend((0..24).map(|_| numbers.bits() & mask));
    // Floats of ordinary size.
    if let (Some((fraction, width)), false) =
        (float(kind), matches!(kind, Kind::PF16 | Kind::PBf16 | Kind::PF32))
    {
        let one = ((1_u64 << (width - 2)) - 1) & !((1 << fraction) - 1);
        values.extend((0..24).map(|_| {
            let offset = numbers.bits() % (8 << fraction);
            (one - (4 << fraction) + offset) | (numbers.bits() & 1) << (width - 1)
        }));
    }
    values
}

/// All values of one operand; of more the combinations of every few, and random ones of all.
pub fn tuples(kinds: &[Kind]) -> Vec<[u64; 3]> {
    let kind = |index: usize| kinds.get(index).copied().unwrap_or(Kind::None);
    let all = [values(kind(0), 1), values(kind(1), 2), values(kind(2), 3)];
    // A step that is odd takes both signs.
    let (step, random) = match kinds.len() {
        0 | 1 => (1, 0),
        2 => (3, 600),
        _ => (11, 800),
    };
    let mut tuples = Vec::new();
    for &a in all[0].iter().step_by(step) {
        for &b in all[1].iter().step_by(step) {
            tuples.extend(all[2].iter().step_by(step).map(|&c| [a, b, c]));
        }
    }
    let mut numbers = Random::new(4);
    for round in 0..random {
        let mut tuple =
            all.each_ref().map(|values| values[(numbers.bits() >> 20) as usize % values.len()]);
        // Operands that are the same, as those of a division are.
        match round % 4 {
            2 => tuple[0] = tuple[2],
            3 => tuple[0] = tuple[1],
            _ => {}
        }
        tuples.push(tuple);
    }
    tuples
}
