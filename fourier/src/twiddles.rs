//! The factors between the two passes of a long line.

use crate::Direction;
use crate::lines::Precision;
use num_complex::Complex;

/// Powers of exp(-2 pi i / n), or of exp(2 pi i / n), by two tables of about the square root of n.
pub(crate) struct Twiddles {
    /// Powers below 2^bits.
    low: Vec<Complex<f64>>,
    /// Every 2^bits-th power.
    high: Vec<Complex<f64>>,
    bits: u32,
}

impl Twiddles {
    pub(crate) fn new(length: usize, direction: Direction) -> Twiddles {
        let bits = length.ilog2().div_ceil(2);
        let sign = match direction {
            Direction::Forward => -1.0,
            Direction::Inverse => 1.0,
        };
        let power = |exponent: usize| {
            let angle = sign * std::f64::consts::TAU * exponent as f64 / length as f64;
            Complex::from_polar(1.0, angle)
        };
        Twiddles {
            low: (0..1 << bits).map(power).collect(),
            high: (0..=length >> bits).map(|i| power(i << bits)).collect(),
            bits,
        }
    }

    /// Multiplies the elements of a line by the powers 0, `step`, 2 `step`, ..., all below n.
    pub(crate) fn multiply<T: Precision>(&self, line: &mut [Complex<T>], step: usize) {
        let mask = (1 << self.bits) - 1;
        for (i, element) in line.iter_mut().enumerate() {
            let exponent = i * step;
            let factor = self.low[exponent & mask] * self.high[exponent >> self.bits];
            let product = Complex::new(element.re.wide(), element.im.wide()) * factor;
            *element = Complex::new(T::of(product.re), T::of(product.im));
        }
    }
}
