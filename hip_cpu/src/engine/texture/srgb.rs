//! The curve of sRGB, as an H100 has it.

use super::texel::Number;

/// The linear number of an encoded one.
pub fn linear(encoded: u8) -> Number {
    let segments = SEGMENTS.iter().rev();
    let exponent =
        segments.clone().find(|(first, _)| *first <= encoded).map_or(0, |(_, exponent)| *exponent);
    Number::Srgb(SIGNIFICANDS[usize::from(encoded)], exponent)
}

/// The value of a linear number: `significand * 2^exponent`.
pub fn float(significand: u8, exponent: i8) -> f32 {
    f32::from(significand) * f32::from(exponent).exp2()
}

/// Segments of the curve: the first number, and the exponent of two of its significands.
const SEGMENTS: [(u8, i8); 8] =
    [(0, -14), (32, -13), (48, -12), (64, -11), (96, -10), (136, -9), (184, -8), (248, -7)];

/// They are near the curve, but rounded in no one way.
#[rustfmt::skip]
const SIGNIFICANDS: [u8; 256] = [
    0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 66, 72, 78, 85, 92, 99, 107,
    115, 123, 131, 140, 150, 159, 169, 180, 190, 201, 213, 224, 118, 125, 131, 138, 145, 152, 159, 166,
    174, 182, 190, 198, 206, 215, 224, 233, 121, 126, 131, 136, 141, 146, 151, 156, 162, 168, 173, 179,
    185, 191, 197, 204, 105, 108, 112, 115, 118, 122, 125, 129, 133, 136, 140, 144, 148, 152, 156, 160,
    164, 169, 173, 177, 182, 186, 191, 195, 200, 205, 209, 214, 219, 224, 229, 234, 120, 122, 125, 128,
    130, 133, 136, 139, 142, 145, 148, 151, 154, 157, 160, 163, 166, 169, 172, 176, 179, 182, 186, 189,
    192, 196, 199, 203, 206, 210, 214, 217, 221, 225, 229, 232, 236, 240, 244, 248, 126, 128, 130, 132,
    134, 136, 138, 141, 143, 145, 147, 149, 152, 154, 156, 158, 161, 163, 165, 168, 170, 173, 175, 178,
    180, 182, 185, 188, 190, 193, 195, 198, 200, 203, 206, 209, 211, 214, 217, 219, 222, 225, 228, 231,
    234, 237, 240, 242, 123, 124, 126, 127, 129, 130, 132, 133, 135, 137, 138, 140, 141, 143, 145, 146,
    148, 150, 151, 153, 155, 156, 158, 160, 161, 163, 165, 167, 169, 170, 172, 174, 176, 178, 179, 181,
    183, 185, 187, 189, 191, 193, 195, 197, 199, 201, 203, 205, 207, 209, 211, 213, 215, 217, 219, 221,
    223, 225, 227, 229, 232, 234, 236, 238, 120, 121, 122, 123, 125, 126, 127, 128,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_near_the_curve() {
        for value in 0..=255_u8 {
            let encoded = f64::from(value) / 255.0;
            let expected = if encoded <= 0.04045 {
                encoded / 12.92
            } else {
                ((encoded + 0.055) / 1.055).powf(2.4)
            };
            let got = f64::from(f32::from_bits(linear(value).word()));
            assert!((got - expected).abs() <= expected / 128.0, "{value}: {got}, {expected}");
        }
    }
}
