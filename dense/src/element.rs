//! Numbers that are stored alone: they are widened to compute with them, and rounded once at the end.

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

/// A number of a type that is stored.
pub trait Element: Copy + Default + Send + Sync + 'static {
    fn widen(self) -> f32;
    /// Rounded to nearest, ties to even.
    fn narrow(value: f32) -> Self;

    /// Widens many.
    fn widen_all(from: &[Self], to: &mut [f32]) {
        for (from, to) in from.iter().zip(to) {
            *to = from.widen();
        }
    }

    /// Rounds many.
    fn narrow_all(from: &[f32], to: &mut [Self]) {
        for (from, to) in from.iter().zip(to) {
            *to = Self::narrow(*from);
        }
    }
}

impl Element for f32 {
    fn widen(self) -> f32 {
        self
    }
    fn narrow(value: f32) -> Self {
        value
    }
}

impl Element for f16 {
    fn widen(self) -> f32 {
        self.to_f32()
    }
    fn narrow(value: f32) -> Self {
        f16::from_f32(value)
    }
    fn widen_all(from: &[Self], to: &mut [f32]) {
        from.convert_to_f32_slice(to);
    }
    fn narrow_all(from: &[f32], to: &mut [Self]) {
        to.convert_from_f32_slice(from);
    }
}

impl Element for bf16 {
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }
    fn narrow(value: f32) -> Self {
        bf16::from_f32(value)
    }
}

impl Element for i8 {
    fn widen(self) -> f32 {
        self.into()
    }
    fn narrow(value: f32) -> Self {
        value.round_ties_even() as i8
    }
}

impl Element for i32 {
    fn widen(self) -> f32 {
        self as f32
    }
    fn narrow(value: f32) -> Self {
        value.round_ties_even() as i32
    }
}

/// Eight bits: a sign, four of exponent, three of mantissa; no infinities, one NaN of each sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct E4m3(pub u8);

/// Eight bits: a sign, five of exponent, two of mantissa; the upper half of an [`f16`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct E5m2(pub u8);

impl Element for E4m3 {
    fn widen(self) -> f32 {
        let (exponent, mantissa) = (self.0 >> 3 & 15, f32::from(self.0 & 7));
        let value = match (exponent, self.0 & 7) {
            (15, 7) => f32::NAN,
            (0, _) => mantissa * power(-9),
            _ => (8.0 + mantissa) * power(i32::from(exponent) - 10),
        };
        if self.0 & 0x80 != 0 { -value } else { value }
    }

    fn narrow(value: f32) -> Self {
        E4m3(narrow(value, 3, -6, 448.0, 0x7f))
    }
}

impl Element for E5m2 {
    fn widen(self) -> f32 {
        f16::from_bits(u16::from(self.0) << 8).to_f32()
    }

    fn narrow(value: f32) -> Self {
        E5m2(narrow(value, 2, -14, 57344.0, 0x7f))
    }
}

/// Two to a power of -126 to 127.
fn power(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// Rounds to a format of eight bits; what is too large becomes the largest.
fn narrow(value: f32, mantissa_bits: i32, least: i32, largest: f32, nan: u8) -> u8 {
    let sign = if value.is_sign_negative() { 0x80 } else { 0 };
    if value.is_nan() {
        return nan | sign;
    }
    let size = value.abs().min(largest);
    let exponent = ((size.to_bits() >> 23) as i32 - 127).max(least);
    // In steps of the last place; rounding up may give the next exponent its first step, which is the same number.
    let steps = (size / power(exponent - mantissa_bits)).round_ties_even() as i32;
    let normal = (exponent - least) << mantissa_bits;
    sign | (normal + steps) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<T: Element + PartialEq + std::fmt::Debug>(make: fn(u8) -> T) {
        let mut finite: Vec<(f32, u8)> = Vec::new();
        for bits in 0..=255 {
            let value = make(bits).widen();
            if value.is_finite() {
                assert_eq!(T::narrow(value), make(bits), "{bits:#x}");
                finite.push((value, bits));
            }
        }
        finite.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Between two neighbours the nearer one, and of the middle the even one.
        for pair in finite.windows(2) {
            let [(low, below), (high, above)] = [pair[0], pair[1]];
            if low == high {
                continue;
            }
            let middle = (low + high) / 2.0;
            let even = if below & 1 == 0 { below } else { above };
            assert_eq!(T::narrow(middle).widen(), make(even).widen(), "between {low} and {high}");
            let quarter = (low + middle) / 2.0;
            assert_eq!(T::narrow(quarter).widen(), low, "above {low}");
        }
        let (largest, _) = finite[finite.len() - 1];
        assert_eq!(T::narrow(f32::INFINITY).widen(), largest);
        assert!(T::narrow(f32::NAN).widen().is_nan());
    }

    // Values by the definitions of the formats (OCP 8-bit floating point, table 1).
    #[test]
    fn eight_bits_are_read_and_rounded() {
        assert_eq!(E4m3(0x7e).widen(), 448.0);
        assert_eq!(E4m3(0x01).widen(), 2f32.powi(-9));
        assert_eq!(E4m3(0xb8).widen(), -1.0);
        assert_eq!(E5m2(0x7b).widen(), 57344.0);
        assert_eq!(E5m2(0x01).widen(), 2f32.powi(-16));
        all(E4m3);
        all(E5m2);
    }
}
