//! Vectors.

use crate::matrix::Vector;
use crate::{Real, Scalar};

/// `y = alpha x + y`.
///
/// # Safety
/// The vectors are memory of `n` elements.
pub unsafe fn axpy<T: Scalar>(n: usize, alpha: T, x: Vector<T>, y: Vector<T>) {
    if alpha == T::ZERO {
        return;
    }
    for i in 0..n {
        // SAFETY: the caller says so.
        unsafe { y.set(i, alpha * x.get(i) + y.get(i)) };
    }
}

/// `x = alpha x`.
///
/// # Safety
/// As for [`axpy`].
pub unsafe fn scale<T: Scalar>(n: usize, alpha: T, x: Vector<T>) {
    for i in 0..n {
        // SAFETY: the caller says so.
        unsafe { x.set(i, alpha * x.get(i)) };
    }
}

/// `y = x`.
///
/// # Safety
/// As for [`axpy`].
pub unsafe fn copy<T: Scalar>(n: usize, x: Vector<T>, y: Vector<T>) {
    for i in 0..n {
        // SAFETY: the caller says so.
        unsafe { y.set(i, x.get(i)) };
    }
}

/// Exchanges x and y.
///
/// # Safety
/// As for [`axpy`].
pub unsafe fn swap<T: Scalar>(n: usize, x: Vector<T>, y: Vector<T>) {
    for i in 0..n {
        // SAFETY: the caller says so.
        unsafe {
            let kept = x.get(i);
            x.set(i, y.get(i));
            y.set(i, kept);
        }
    }
}

/// Sums that run beside each other.
const LANES: usize = 16;

/// Numbers that are added one after the other, in [`LANES`] sums.
const RUN: usize = 1 << 10;

/// The sum of `n` numbers: of runs, and these in pairs, so that roundings grow with the logarithm of `n`, as they do where
/// thousands of threads add; as fast as memory.
fn sum<T: Scalar>(n: usize, mut number: impl FnMut(usize) -> T) -> T {
    pairs(0, n, &mut number)
}

fn pairs<T: Scalar>(from: usize, n: usize, number: &mut impl FnMut(usize) -> T) -> T {
    if n <= RUN {
        return run(from, n, number);
    }
    // Whole runs but for the last.
    let half = (n / 2).next_multiple_of(RUN);
    pairs(from, half, number) + pairs(from + half, n - half, number)
}

fn run<T: Scalar>(from: usize, n: usize, number: &mut impl FnMut(usize) -> T) -> T {
    let mut sums = [T::ZERO; LANES];
    let whole = n / LANES * LANES;
    for i in (0..whole).step_by(LANES) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum += number(from + i + lane);
        }
    }
    for i in whole..n {
        sums[i - whole] += number(from + i);
    }
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
    }
    sums[0]
}

/// The sum of `x[i] y[i]`, with x conjugated where asked for.
///
/// # Safety
/// As for [`axpy`].
pub unsafe fn dot<T: Scalar>(n: usize, x: Vector<T>, y: Vector<T>, conj: bool) -> T {
    // SAFETY: the caller says so.
    sum(n, |i| unsafe { x.get(i).conj_if(conj) * y.get(i) })
}

/// The sum of the sizes of all elements.
///
/// # Safety
/// As for [`axpy`].
pub unsafe fn asum<T: Scalar>(n: usize, x: Vector<T>) -> T::Real {
    // SAFETY: the caller says so.
    sum(n, |i| unsafe { x.get(i) }.size())
}

/// The Euclidean norm, which does not overflow or vanish where its squares would.
///
/// # Safety
/// As for [`axpy`].
pub unsafe fn norm<T: Scalar>(n: usize, x: Vector<T>) -> T::Real {
    // SAFETY: the caller says so.
    let at = |i| unsafe { x.get(i) };
    let square = |i: usize, by: f64| {
        let (re, im) = (at(i).re().to_f64() * by, at(i).im().to_f64() * by);
        re * re + im * im
    };
    // Of 32 bits, no square of 64 bits overflows.
    let plain = sum(n, |i| square(i, 1.0));
    if plain.is_nan() || (plain.is_finite() && plain > 1e-280) {
        return T::Real::from_f64(plain.sqrt());
    }
    let largest = (0..n).map(|i| at(i).re().abs().to_f64().max(at(i).im().abs().to_f64()));
    let largest = largest.fold(0.0, f64::max);
    if largest == 0.0 || largest.is_infinite() {
        return T::Real::from_f64(largest);
    }
    // Halved, so that the factor of the smallest numbers is one too.
    let by = 0.5 / largest.max(f64::MIN_POSITIVE);
    T::Real::from_f64(sum(n, |i| square(i, by)).sqrt() / by)
}

/// The first place, from 1, of the element of the greatest or smallest size; 0 where there is none. No number is neither.
///
/// # Safety
/// As for [`axpy`].
pub unsafe fn extreme<T: Scalar>(n: usize, x: Vector<T>, greatest: bool) -> usize {
    let mut best: Option<(usize, T::Real)> = None;
    for i in 0..n {
        // SAFETY: the caller says so.
        let size = unsafe { x.get(i) }.size();
        let better = match best {
            None => true,
            Some((_, other)) if greatest => size > other,
            Some((_, other)) => size < other,
        };
        if better {
            best = Some((i + 1, size));
        }
    }
    best.map_or(0, |(place, _)| place)
}

/// `(x, y) = (c x + s y, c y - conj(s) x)`.
///
/// # Safety
/// As for [`axpy`].
pub unsafe fn rotate<T: Scalar>(n: usize, x: Vector<T>, y: Vector<T>, c: T::Real, s: T) {
    let c = T::of(c);
    for i in 0..n {
        // SAFETY: the caller says so.
        unsafe {
            let (a, b) = (x.get(i), y.get(i));
            x.set(i, c * a + s * b);
            y.set(i, c * b - s.conj() * a);
        }
    }
}

/// The rotation that turns (a, b) to (r, 0): r, z, c and s. z tells c and s of real numbers, as BLAS defines it.
pub fn rotation<T: Scalar>(a: T, b: T) -> (T, T, T::Real, T) {
    let (one, zero) = (T::Real::ONE, T::Real::ZERO);
    if T::IS_COMPLEX {
        if a.modulus() == zero {
            return (b, b, zero, T::ONE);
        }
        let norm = a.modulus().hypot(b.modulus());
        let phase = a / T::of(a.modulus());
        let s = phase * b.conj() / T::of(norm);
        return (phase * T::of(norm), b, a.modulus() / norm, s);
    }
    let (x, y) = (a.re(), b.re());
    let larger = if x.abs() > y.abs() { x } else { y };
    let norm = x.hypot(y);
    if norm == zero {
        return (T::ZERO, T::ZERO, one, T::ZERO);
    }
    let r = if larger < zero { -norm } else { norm };
    let (c, s) = (x / r, y / r);
    let z = match x.abs() > y.abs() {
        true => s,
        false if c != zero => one / c,
        false => one,
    };
    (T::of(r), T::of(z), c, T::of(s))
}

/// The modified rotation by `param` as BLAS defines it: a flag and four numbers of a matrix, of which the flag says which
/// are told.
///
/// # Safety
/// As for [`axpy`].
pub unsafe fn rotate_modified<T: Real>(n: usize, x: Vector<T>, y: Vector<T>, param: [T; 5]) {
    let [flag, h11, h21, h12, h22] = param;
    let (one, zero) = (T::ONE, T::ZERO);
    let [h11, h21, h12, h22] = match flag {
        flag if flag == -(one + one) => return,
        flag if flag == zero => [one, h21, h12, one],
        flag if flag == one => [h11, -one, one, h22],
        _ => [h11, h21, h12, h22],
    };
    for i in 0..n {
        // SAFETY: the caller says so.
        unsafe {
            let (a, b) = (x.get(i), y.get(i));
            x.set(i, a * h11 + b * h12);
            y.set(i, a * h21 + b * h22);
        }
    }
}

/// A modified rotation: d1, d2, x1 after it, and its parameters.
pub fn modified_rotation<T: Real>(mut d1: T, mut d2: T, mut x1: T, y1: T) -> (T, T, T, [T; 5]) {
    let (one, zero) = (T::ONE, T::ZERO);
    let gamma = T::from_f64(4096.0);
    let (large, small) = (gamma * gamma, one / (gamma * gamma));
    let nothing = (zero, zero, zero, [-one, zero, zero, zero, zero]);
    if d1 < zero {
        return nothing;
    }
    let p2 = d2 * y1;
    if p2 == zero {
        return (d1, d2, x1, [-(one + one), zero, zero, zero, zero]);
    }
    let p1 = d1 * x1;
    let (q2, q1) = (p2 * y1, p1 * x1);
    let mut flag;
    let [mut h11, mut h21, mut h12, mut h22] = [zero; 4];
    if q1.abs() > q2.abs() {
        h21 = -y1 / x1;
        h12 = p2 / p1;
        let u = one - h12 * h21;
        let positive = u > zero;
        if !positive {
            return nothing;
        }
        flag = zero;
        d1 = d1 / u;
        d2 = d2 / u;
        x1 *= u;
    } else {
        if q2 < zero {
            return nothing;
        }
        flag = one;
        h11 = p1 / p2;
        h22 = x1 / y1;
        let u = one + h11 * h22;
        (d1, d2) = (d2 / u, d1 / u);
        x1 = y1 * u;
    }
    // The matrix is written out before it is scaled.
    let mut write_out = |h11: &mut T, h21: &mut T, h12: &mut T, h22: &mut T| {
        if flag == zero {
            (*h11, *h22) = (one, one);
        } else if flag == one {
            (*h21, *h12) = (-one, one);
        }
        flag = -one;
    };
    let finite = |d: T| d != zero && d.to_f64().is_finite();
    while finite(d1) && (d1 <= small || d1 >= large) {
        write_out(&mut h11, &mut h21, &mut h12, &mut h22);
        let by = if d1 <= small { gamma } else { one / gamma };
        d1 = d1 * by * by;
        x1 = x1 / by;
        h11 = h11 / by;
        h12 = h12 / by;
    }
    while finite(d2) && (d2.abs() <= small || d2.abs() >= large) {
        write_out(&mut h11, &mut h21, &mut h12, &mut h22);
        let by = if d2.abs() <= small { gamma } else { one / gamma };
        d2 = d2 * by * by;
        h21 = h21 / by;
        h22 = h22 / by;
    }
    (d1, d2, x1, [flag, h11, h21, h12, h22])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roundings_of_long_sums_do_not_add_up() {
        // Each product is 1/16 and what single precision leaves of it.
        let n = 1 << 22;
        let x = vec![0.25f32 + 1.0 / 3e6; n];
        let vector = Vector::blas(x.as_ptr(), n, 1);
        let wanted = f64::from(x[0]) * f64::from(x[0]) * n as f64;
        // SAFETY: the vector has as many elements.
        let found = f64::from(unsafe { dot(n, vector, vector, false) });
        assert!((found / wanted - 1.0).abs() < 1e-6, "{found} {wanted}");
    }
}
