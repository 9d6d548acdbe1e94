//! Fused multiplication and addition of f64 in all rounding modes.

use cpu_abi::MatrixRounding;

/// The result of what has none.
const NAN: u64 = 0xfff8_0000_0000_0000;
const QUIET: u64 = 1 << 51;

/// `a * b + c`, rounded once.
pub fn fused(a: u64, b: u64, c: u64, rounding: MatrixRounding) -> u64 {
    let nearest = f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
    if nearest.is_nan() {
        let operand = [a, b, c].into_iter().find(|bits| f64::from_bits(*bits).is_nan());
        return operand.map_or(NAN, |bits| bits | QUIET);
    }
    let operands_are_finite = [a, b, c].iter().all(|bits| f64::from_bits(*bits).is_finite());
    if rounding == MatrixRounding::Nearest || !operands_are_finite {
        return nearest.to_bits();
    }
    directed(a, b, c, rounding)
}

/// `significand * 2^exponent`
fn parts(bits: u64) -> (bool, u64, i32) {
    let field = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let whole = u64::from(field != 0) << 52;
    (bits >> 63 != 0, fraction | whole, field.max(1) - 1075)
}

fn directed(a: u64, b: u64, c: u64, rounding: MatrixRounding) -> u64 {
    let ((sign_a, x, e), (sign_b, y, f), (sign_c, z, g)) = (parts(a), parts(b), parts(c));
    let product_sign = sign_a != sign_b;
    let product = u128::from(x) * u128::from(y);
    if product == 0 && z == 0 {
        let negative =
            if product_sign == sign_c { sign_c } else { rounding == MatrixRounding::Down };
        return u64::from(negative) << 63;
    }
    // Both have their first one in bit 125, so that a carry fits and the lost bits of the smaller one
    // matter for rounding alone.
    let lift = |magnitude: u128, exponent: i32| {
        let shift = magnitude.leading_zeros() as i32 - 2;
        if shift >= 0 { (magnitude << shift, exponent - shift) } else { (magnitude, exponent) }
    };
    let one = (product_sign, lift(product, e + f));
    let two = (sign_c, lift(u128::from(z), g));
    let below = |x: &(bool, (u128, i32)), y: &(bool, (u128, i32))| {
        x.1.0 == 0 || (y.1.0 != 0 && (x.1.1, x.1.0) < (y.1.1, y.1.0))
    };
    let (large, small) = if below(&one, &two) { (two, one) } else { (one, two) };
    let (sign, (magnitude, exponent)) = large;
    let (small_sign, (other, other_exponent)) = small;
    let distance = exponent - other_exponent;
    let aligned = match distance {
        _ if other == 0 => 0,
        0 => other,
        1..=126 => other >> distance | u128::from(other & ((1 << distance) - 1) != 0),
        _ => 1,
    };
    let total = if sign == small_sign { magnitude + aligned } else { magnitude - aligned };
    if total == 0 {
        return u64::from(rounding == MatrixRounding::Down) << 63;
    }
    round(sign, total, exponent, rounding)
}

fn round(negative: bool, magnitude: u128, exponent: i32, rounding: MatrixRounding) -> u64 {
    let sign = u64::from(negative) << 63;
    let top = 127 - magnitude.leading_zeros() as i32 + exponent;
    let away = match rounding {
        MatrixRounding::Up => !negative,
        MatrixRounding::Down => negative,
        _ => false,
    };
    if top > 1023 {
        return sign | if away { 0x7ff0_0000_0000_0000 } else { 0x7fef_ffff_ffff_ffff };
    }
    let lowest = (top - 52).max(-1074);
    let shift = lowest - exponent;
    let (kept, inexact) = match shift {
        ..=0 => ((magnitude << -shift) as u64, false),
        1..=127 => ((magnitude >> shift) as u64, magnitude & ((1 << shift) - 1) != 0),
        _ => (0, true),
    };
    let kept = kept + u64::from(inexact && away);
    // A carry runs into the exponent, up to infinity.
    sign | (kept + ((lowest + 1074) as u64 * (1 << 52)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directed_rounding_brackets_the_exact_result() {
        let third = (1.0f64 / 3.0).to_bits();
        let [down, up, zero] = [MatrixRounding::Down, MatrixRounding::Up, MatrixRounding::Zero]
            .map(|rounding| fused(third, third, (-1.0f64).to_bits(), rounding));
        assert_eq!(down, up + 1);
        assert_eq!(zero, up);
        assert_eq!(f64::from_bits(down), -0.888_888_888_888_889);
    }

    #[test]
    fn nothing_is_lost_far_below() {
        let one = 1.0f64.to_bits();
        assert_eq!(fused(1, 1, one, MatrixRounding::Up), one + 1);
        assert_eq!(fused(1, 1 | 1 << 63, one, MatrixRounding::Zero), one - 1);
        assert_eq!(fused(1, one, 0, MatrixRounding::Down), 1);
        let most = f64::MAX.to_bits();
        assert_eq!(fused(most, most, one, MatrixRounding::Zero), most);
        assert_eq!(fused(most, most, one, MatrixRounding::Up), f64::INFINITY.to_bits());
    }

    #[test]
    fn zeros_have_the_sign_of_the_mode() {
        let (one, minus) = (1.0f64.to_bits(), (-1.0f64).to_bits());
        assert_eq!(fused(one, one, minus, MatrixRounding::Down), 1 << 63);
        assert_eq!(fused(one, one, minus, MatrixRounding::Up), 0);
    }
}
