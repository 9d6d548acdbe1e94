//! The numbers that are computed with.

use num_complex::Complex;
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A real or complex number of 32 or 64 bits a component.
pub trait Scalar:
    Copy
    + Debug
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The type of its components.
    type Real: Real;
    /// The same of 64 bits a component.
    type Wide: Scalar<Real = f64>;

    const ZERO: Self;
    const ONE: Self;
    const IS_COMPLEX: bool;

    fn of(real: Self::Real) -> Self;
    fn of_parts(real: Self::Real, imaginary: Self::Real) -> Self;
    fn re(self) -> Self::Real;
    fn im(self) -> Self::Real;
    fn conj(self) -> Self;

    fn widen(self) -> Self::Wide {
        Self::Wide::of_parts(self.re().to_f64(), self.im().to_f64())
    }
    /// The nearest number.
    fn narrow(wide: Self::Wide) -> Self {
        Self::of_parts(Self::Real::from_f64(wide.re()), Self::Real::from_f64(wide.im()))
    }

    /// The absolute value.
    fn modulus(self) -> Self::Real {
        if Self::IS_COMPLEX { self.re().hypot(self.im()) } else { self.re().abs() }
    }

    /// The size of a number as BLAS has it: the sum of its components' absolute values.
    fn size(self) -> Self::Real {
        if Self::IS_COMPLEX { self.re().abs() + self.im().abs() } else { self.re().abs() }
    }

    /// The conjugate where asked for.
    fn conj_if(self, conj: bool) -> Self {
        if Self::IS_COMPLEX && conj { self.conj() } else { self }
    }
}

/// A real number.
pub trait Real: Scalar<Real = Self> + PartialOrd {
    fn hypot(self, other: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn from_f64(value: f64) -> Self;
    fn to_f64(self) -> f64;
}

macro_rules! real {
    ($ty:ty) => {
        impl Scalar for $ty {
            type Real = $ty;
            type Wide = f64;

            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const IS_COMPLEX: bool = false;

            fn of(real: $ty) -> Self {
                real
            }
            fn of_parts(real: $ty, _: $ty) -> Self {
                real
            }
            fn re(self) -> $ty {
                self
            }
            fn im(self) -> $ty {
                0.0
            }
            fn conj(self) -> Self {
                self
            }
        }

        impl Real for $ty {
            fn hypot(self, other: Self) -> Self {
                <$ty>::hypot(self, other)
            }
            fn abs(self) -> Self {
                <$ty>::abs(self)
            }
            fn sqrt(self) -> Self {
                <$ty>::sqrt(self)
            }
            fn from_f64(value: f64) -> Self {
                value as $ty
            }
            fn to_f64(self) -> f64 {
                self.into()
            }
        }

        impl Scalar for Complex<$ty> {
            type Real = $ty;
            type Wide = Complex<f64>;

            const ZERO: Self = Complex::new(0.0, 0.0);
            const ONE: Self = Complex::new(1.0, 0.0);
            const IS_COMPLEX: bool = true;

            fn of(real: $ty) -> Self {
                Complex::new(real, 0.0)
            }
            fn of_parts(real: $ty, imaginary: $ty) -> Self {
                Complex::new(real, imaginary)
            }
            fn re(self) -> $ty {
                self.re
            }
            fn im(self) -> $ty {
                self.im
            }
            fn conj(self) -> Self {
                Complex::new(self.re, -self.im)
            }
        }
    };
}

real!(f32);
real!(f64);
