//! Arithmetic of matrix instructions.

use device_library::matrix::fused;
use simt_abi::MatrixRounding;

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
