//! Conversions that the recording GPU does not have, computed by search through the few values of a format: slow,
//! simple, and apart from the code under test.

use rustc_apfloat::ieee::{Double, Half};
use rustc_apfloat::{Float, FloatConvert};

/// A floating-point format of at most 8 bits, without infinities or NaNs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    E2M3,
    E3M2,
    E2M1,
}

impl Format {
    /// Bits of exponent and of mantissa, and the exponent's bias.
    fn shape(self) -> (u32, u32, i32) {
        match self {
            Format::E2M3 => (2, 3, 1),
            Format::E3M2 => (3, 2, 3),
            Format::E2M1 => (2, 1, 1),
        }
    }

    /// Bits between two elements of a pair: bytes, but for the smallest.
    fn pitch(self) -> u32 {
        if self == Format::E2M1 { 4 } else { 8 }
    }

    fn value(self, code: u32) -> f64 {
        let (exponent_bits, mantissa_bits, bias) = self.shape();
        let mantissa = f64::from(code & ((1 << mantissa_bits) - 1)) / f64::from(1 << mantissa_bits);
        let exponent = (code >> mantissa_bits & ((1 << exponent_bits) - 1)) as i32;
        let size = match exponent {
            0 => mantissa * 2f64.powi(1 - bias),
            exponent => (1.0 + mantissa) * 2f64.powi(exponent - bias),
        };
        if code >> (exponent_bits + mantissa_bits) & 1 == 0 { size } else { -size }
    }

    /// The nearest value's code, of two the even one; what is too large, and NaN, is the largest value.
    fn nearest(self, value: f32, relu: bool) -> u64 {
        let (exponent_bits, mantissa_bits, _) = self.shape();
        let sign = 1_u32 << (exponent_bits + mantissa_bits);
        if value.is_nan() {
            return u64::from(sign - 1);
        }
        if relu && value.is_sign_negative() {
            return 0;
        }
        // What is larger than all values is as near to the largest as that itself.
        let size = f64::from(value.abs()).min(self.value(sign - 1));
        let distance = |code: &u32| ((self.value(*code) - size).abs(), code & 1);
        let best = (0..sign).min_by(|a, b| {
            distance(a).partial_cmp(&distance(b)).unwrap_or(std::cmp::Ordering::Equal)
        });
        u64::from(best.unwrap_or(0) | if value.is_sign_negative() { sign } else { 0 })
    }
}

/// Two floats; the first becomes the upper element.
pub fn pair(format: Format, relu: bool, operands: &[u64]) -> [u64; 2] {
    let [high, low] = [0, 1].map(|i| format.nearest(f32::from_bits(operands[i] as u32), relu));
    [high << format.pitch() | low, 0]
}

/// The f16 pair of two elements.
pub fn to_halves(format: Format, relu: bool, operands: &[u64]) -> [u64; 2] {
    let half = |shift: u32| {
        let value = format.value((operands[0] >> shift) as u32);
        let value = if relu && (value < 0.0 || value.is_sign_negative()) { 0.0 } else { value };
        let half: Half = Double::from_bits(value.to_bits().into()).convert(&mut false).value;
        half.to_bits() as u64
    };
    [half(0) | half(format.pitch()) << 16, 0]
}

/// Powers of two, as exponents of 8 bits: the size of each float, rounded to one; the first is the upper.
pub fn exponents(up: bool, finite: bool, high: u32, low: u32) -> [u64; 2] {
    let code = |bits: u32| -> u64 {
        let value = f32::from_bits(bits).abs();
        if value.is_nan() || (value.is_infinite() && !finite) {
            return 0xff;
        }
        let power = |code: i32| 2f64.powi(code - 127);
        let value = f64::from(value);
        let fits = |code: &i32| if up { power(*code) >= value } else { power(*code) <= value };
        let found = if up { (0..=254).find(fits) } else { (0..=254).rfind(fits) };
        match found {
            Some(code) => code as u64,
            // Above the largest, when rounding up; below the smallest, when rounding down.
            None if up => {
                if finite {
                    0xfe
                } else {
                    0xff
                }
            }
            None => 0,
        }
    };
    [code(high) << 8 | code(low), 0]
}

/// bfloat16 values of two such exponents.
pub fn powers(operands: &[u64]) -> [u64; 2] {
    let half = |code: u64| match code & 0xff {
        0xff => 0x7fff,
        // 2^-127 is a subnormal number.
        0 => 0x0040,
        code => code << 7,
    };
    [half(operands[0]) | half(operands[0] >> 8) << 16, 0]
}

/// Formats of 16 bits that stochastic rounding makes, with what they need of the random bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wide {
    Half,
    Bfloat,
}

impl Wide {
    /// The size that a code without a sign stands for; in place of infinity the next power of two.
    fn value(self, code: u32) -> f64 {
        let (mantissa_bits, bias) = match self {
            Wide::Half => (10, 15),
            Wide::Bfloat => (7, 127),
        };
        let mantissa = f64::from(code & ((1 << mantissa_bits) - 1)) / f64::from(1 << mantissa_bits);
        match (code >> mantissa_bits) as i32 {
            0 => mantissa * 2f64.powi(1 - bias),
            exponent => (1.0 + mantissa) * 2f64.powi(exponent - bias),
        }
    }

    fn infinity(self) -> u32 {
        if self == Wide::Half { 0x7c00 } else { 0x7f80 }
    }

    /// Up from the value below, where the rest counts as much as the random number lacks to its end.
    fn stochastic(self, value: f32, random: u32, relu: bool, finite: bool) -> u32 {
        if value.is_nan() {
            return 0x7fff;
        }
        if relu && value.is_sign_negative() {
            return 0;
        }
        let bits = if self == Wide::Half { 13 } else { 16 };
        let steps = f64::from(1 << bits);
        let random = f64::from(random & ((1 << bits) - 1));
        let size = f64::from(value.abs());
        let below = (0..=self.infinity()).rfind(|&code| self.value(code) <= size).unwrap_or(0);
        let rest = (size - self.value(below)) / (self.value(below + 1) - self.value(below));
        let up = (rest * steps).floor() + random >= steps;
        let most = self.infinity() - u32::from(finite);
        let size = (below + u32::from(up)).min(most);
        size | if value.is_sign_negative() { 0x8000 } else { 0 }
    }
}

/// Two floats and random bits, half of them for each; the first becomes the upper half.
pub fn stochastic(format: Wide, relu: bool, finite: bool, operands: &[u64]) -> [u64; 2] {
    let [high, low] = [0, 1].map(|i| {
        let random = (operands[2] >> (16 - 16 * i)) as u32;
        u64::from(format.stochastic(f32::from_bits(operands[i] as u32), random, relu, finite))
    });
    [high << 16 | low, 0]
}
