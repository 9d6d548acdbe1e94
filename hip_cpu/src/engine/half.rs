//! f16, which becomes f32 and comes of it.

/// The NaN that the GPU makes of all.
pub const NAN: u16 = 0x7fff;

/// The value of an f16; a NaN keeps its bits.
pub fn from_f16(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let rest = u32::from(bits & 0x7fff);
    let magnitude = match rest >> 10 {
        31 => rest << 13 | 0x7f80_0000,
        // Multiples of 2^-24.
        0 => (rest as f32 * f32::from_bits(0x3380_0000)).to_bits(),
        _ => (rest << 13) + (112 << 23),
    };
    f32::from_bits(magnitude | sign)
}

/// The nearest f16, ties to even; of a NaN [`NAN`].
pub fn to_f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if value.is_nan() {
        return NAN;
    }
    if magnitude < 113 << 23 {
        // Denormal: what is added brings the last bit that is kept to where f32 rounds.
        let denormal = f32::from_bits(magnitude) + 0.5;
        return sign | (denormal.to_bits() - 0.5f32.to_bits()) as u16;
    }
    let rounded = (magnitude - (112 << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    sign | rounded.min(0x7c00) as u16
}

/// Against LLVM's arithmetic: all patterns, and the floats beside each pattern and beside the middle to the next one.
#[cfg(test)]
mod tests {
    use super::*;
    use rustc_apfloat::ieee::{Half, Single};
    use rustc_apfloat::{Float, FloatConvert};

    fn widen<F: FloatConvert<Single>>(bits: u16) -> f32 {
        f32::from_bits(F::from_bits(bits.into()).convert(&mut false).value.to_bits() as u32)
    }

    fn narrow<F: Float>(value: f32) -> u16
    where
        Single: FloatConvert<F>,
    {
        let value = Single::from_bits(value.to_bits().into());
        value.convert(&mut false).value.to_bits() as u16
    }

    /// All that is no NaN, and of the numbers what lies close.
    fn floats(widen: fn(u16) -> f32) -> impl Iterator<Item = f32> {
        let numbers = (0..=u16::MAX).map(widen).filter(|value| !value.is_nan());
        numbers.flat_map(move |value| {
            let bits = value.to_bits();
            // The first of the bits that an f16 lacks.
            let middles = [value, f32::from_bits(bits | 0x1000)];
            // Between subnormal halves, and above the greatest number.
            let more = [value + 2f32.powi(-25), value - 2f32.powi(-25), value * 1.000_25];
            middles
                .into_iter()
                .chain(more)
                .flat_map(|value| [value, value.next_up(), value.next_down()])
        })
    }

    fn check(widen: [fn(u16) -> f32; 2], narrow: [fn(f32) -> u16; 2]) {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (widen[0](bits), widen[1](bits));
            if theirs.is_nan() {
                assert_eq!(ours.to_bits() & 0xffff_e000, ours.to_bits(), "{bits:#x}");
                assert_eq!(ours.to_bits() | 0x40_0000, theirs.to_bits() | 0x40_0000, "{bits:#x}");
                assert_eq!(narrow[0](ours), NAN, "{bits:#x}");
            } else {
                assert_eq!(ours.to_bits(), theirs.to_bits(), "{bits:#x}");
                assert_eq!(narrow[0](ours), bits);
            }
        }
        for value in floats(widen[1]).filter(|value| !value.is_nan()) {
            assert_eq!(narrow[0](value), narrow[1](value), "{value:e}");
        }
    }

    #[test]
    fn f16_is_as_in_llvm() {
        check([from_f16, widen::<Half>], [to_f16, narrow::<Half>]);
    }

    #[test]
    fn nans_keep_their_bits_where_they_are_not_rounded() {
        for bits in (0x7c01..0x8000).chain(0xfc01..=0xffff) {
            assert_eq!(from_f16(bits).to_bits() >> 13 & 0x3ff, u32::from(bits) & 0x3ff);
        }
        assert_eq!(to_f16(-f32::NAN), 0x7fff);
    }
}
