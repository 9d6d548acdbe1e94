//! Copies, fills and reductions, against integers of Rust and LLVM's arithmetic of floats.

// Tests may.
#![allow(clippy::unwrap_used)]

use device_library::LANE_FUNCTIONS;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use simt_abi::Reduction;
use splitmix::Random;

fn call(word: &str, arguments: &[u64]) {
    let (_, function) = LANE_FUNCTIONS.iter().find(|(known, _)| *known == word).unwrap();
    // SAFETY: the tests pass addresses of their own memory.
    unsafe { function.call(arguments) };
}

/// Holds `operation`'s result for each pair of elements against `expected`.
fn check<T: Copy + PartialEq + std::fmt::LowerHex>(
    operation: Reduction,
    pairs: &[[T; 2]],
    expected: impl Fn(T, T) -> T,
) {
    let mut to: Vec<T> = pairs.iter().map(|pair| pair[0]).collect();
    let from: Vec<T> = pairs.iter().map(|pair| pair[1]).collect();
    let bytes = size_of_val(&to[..]) as u64;
    let places = [to.as_mut_ptr() as u64, from.as_ptr() as u64];
    call("reduce", &[places[0], places[1], bytes, operation as u64]);
    for (&[a, b], got) in pairs.iter().zip(to) {
        let wanted = expected(a, b);
        assert!(got == wanted, "{operation:?} {a:#x} {b:#x}: {got:#x} instead of {wanted:#x}");
    }
}

/// Random bits, those of special floats among them, and numbers that are near each other.
fn pairs(special: &[u64], width: u32) -> Vec<[u64; 2]> {
    let mut random = Random::new(4);
    let mut bits = move || match random.bits() % 4 {
        0 => special[random.bits() as usize % special.len()],
        1 => special[0] ^ random.bits() >> (64 - width / 2),
        _ => random.bits() >> (64 - width),
    };
    (0..4000).map(|_| [bits(), bits()]).collect()
}

#[test]
fn integers() {
    use Reduction::*;
    let wide = pairs(&[0, 1, u64::MAX, 1 << 63], 64);
    let words: Vec<[u32; 2]> = wide.iter().map(|pair| pair.map(|word| word as u32)).collect();
    check(And64, &wide, |a, b| a & b);
    check(Or64, &wide, |a, b| a | b);
    check(Xor64, &wide, |a, b| a ^ b);
    check(AddU64, &wide, u64::wrapping_add);
    check(MinU64, &wide, u64::min);
    check(MaxU64, &wide, u64::max);
    check(MinS64, &wide, |a, b| (a as i64).min(b as i64) as u64);
    check(MaxS64, &wide, |a, b| (a as i64).max(b as i64) as u64);
    check(And32, &words, |a, b| a & b);
    check(Or32, &words, |a, b| a | b);
    check(Xor32, &words, |a, b| a ^ b);
    check(AddU32, &words, u32::wrapping_add);
    check(MinU32, &words, u32::min);
    check(MaxU32, &words, u32::max);
    check(MinS32, &words, |a, b| (a as i32).min(b as i32) as u32);
    check(MaxS32, &words, |a, b| (a as i32).max(b as i32) as u32);
    // "d = (old >= b) ? 0 : old + 1", "d = ((old == 0) || (old > b)) ? b : old - 1"
    check(IncU32, &words, |old, b| if old >= b { 0 } else { old + 1 });
    check(DecU32, &words, |old, b| if old == 0 || old > b { b } else { old - 1 });
}

#[test]
fn floats() {
    let special = [0x3f80_0000, 0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_1234, 1];
    let words: Vec<[u32; 2]> =
        pairs(&special, 32).into_iter().map(|pair| pair.map(|word| word as u32)).collect();
    let single = |bits: u32| Single::from_bits(bits.into());
    let sum = |a: u32, b: u32| {
        let sum = (single(a) + single(b)).value;
        if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() as u32 }
    };
    check(Reduction::AddF32, &words, sum);
    // Subnormal numbers are zeros of their signs; here the NaN is not looked at.
    let flush = |bits: u32| if single(bits).is_denormal() { bits & 0x8000_0000 } else { bits };
    let numbers: Vec<[u32; 2]> =
        words.into_iter().filter(|pair| !single(sum(pair[0], pair[1])).is_nan()).collect();
    check(Reduction::AddFtzF32, &numbers, |a, b| flush(sum(flush(a), flush(b))));
    let special = [0x3ff0 << 48, 0, 1 << 63, 0x7ff0 << 48, 0xfff0 << 48, 0x7ff8_1234 << 32];
    let double = |bits: u64| Double::from_bits(bits.into());
    // NaNs are handed on as they are; infinities that cancel out are not looked at.
    let numbers: Vec<[u64; 2]> = pairs(&special, 64)
        .into_iter()
        .filter(|&[a, b]| {
            double(a).is_nan() || double(b).is_nan() || !(double(a) + double(b)).value.is_nan()
        })
        .collect();
    check(Reduction::AddF64, &numbers, |a, b| match () {
        () if double(b).is_nan() => b,
        () if double(a).is_nan() => a,
        () => (double(a) + double(b)).value.to_bits() as u64,
    });
}

/// The order of all that is no NaN, where -0 is less than 0.
fn rank(bits: u16) -> i32 {
    let magnitude = i32::from(bits & 0x7fff);
    if bits & 0x8000 == 0 { magnitude } else { -1 - magnitude }
}

fn halves<F: Float>(one: u64, infinity: u64, [add, min, max]: [Reduction; 3]) {
    let special = [one, 0, 0x8000, infinity, 0x8000 | infinity, infinity | 1, 0x7fff, 1];
    let pairs: Vec<[u16; 2]> =
        pairs(&special, 16).into_iter().map(|pair| pair.map(|word| word as u16)).collect();
    let number = |bits: u16| F::from_bits(bits.into());
    check(add, &pairs, |a, b| {
        let sum = (number(a) + number(b)).value;
        if sum.is_nan() { 0x7fff } else { sum.to_bits() as u16 }
    });
    let chosen = |a: u16, b: u16, sign: i32| match (number(a).is_nan(), number(b).is_nan()) {
        (true, true) => 0x7fff,
        (true, false) => b,
        (false, true) => a,
        _ if sign * rank(b) > sign * rank(a) => b,
        _ => a,
    };
    check(min, &pairs, |a, b| chosen(a, b, -1));
    check(max, &pairs, |a, b| chosen(a, b, 1));
}

#[test]
fn halves_are_as_in_llvm() {
    use Reduction::*;
    halves::<Half>(0x3c00, 0x7c00, [AddF16, MinF16, MaxF16]);
    halves::<BFloat>(0x3f80, 0x7f80, [AddBf16, MinBf16, MaxBf16]);
}

/// At every distance from a multiple of 16, so that pieces of all sizes come in.
#[test]
fn copies_and_fills_are_exact() {
    let source: [u8; 96] = std::array::from_fn(|index| index as u8 + 1);
    let start = source.as_ptr() as u64;
    for (to, from) in (0..17).flat_map(|to| (0..17).map(move |from| (to, from))) {
        for bytes in [0, 1, 3, 4, 8, 15, 16, 31, 48, 67] {
            let both = |word: &str, last: &[u64], expected: &dyn Fn(usize) -> u8| {
                let mut target = [0_u8; 96];
                let place = target.as_mut_ptr() as u64 + to as u64;
                let arguments = match word {
                    "fill" => vec![place, bytes as u64],
                    _ => vec![place, start + from as u64, bytes as u64],
                };
                call(word, &[&arguments, last].concat());
                for (index, byte) in target.into_iter().enumerate() {
                    let inside = (to..to + bytes).contains(&index);
                    let wanted = if inside { expected(index - to) } else { 0 };
                    assert_eq!(byte, wanted, "{word} {to} {from} {bytes}: {index}");
                }
            };
            both("copy", &[], &|index| source[from + index]);
            let mask = 0xa5c3_u64;
            both("copy.masked", &[mask], &|index| {
                if mask >> (index % 16) & 1 == 1 { source[from + index] } else { 0 }
            });
            both("fill", &[0x35], &|_| 0x35);
        }
    }
}
