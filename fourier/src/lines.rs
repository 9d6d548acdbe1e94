//! The planned transforms of single lines. Planning takes 50 us for a short line and much longer for a long one, and
//! programs plan the same lengths again and again: what was planned is kept for the process.

use crate::Direction;
use parking_lot::Mutex;
use realfft::{ComplexToReal, FftNum, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftPlanner};
use std::sync::{Arc, LazyLock};

/// A type that is computed with.
pub trait Precision: FftNum {
    /// The plans for lines of this type.
    fn planned() -> &'static Planned<Self>;

    /// The nearest number.
    fn of(number: f64) -> Self;

    /// The same number.
    fn wide(self) -> f64;
}

macro_rules! precisions {
    ($($ty:ty)*) => {$(
        impl Precision for $ty {
            fn planned() -> &'static Planned<$ty> {
                static PLANNED: LazyLock<Planned<$ty>> = LazyLock::new(Planned::new);
                &PLANNED
            }

            fn of(number: f64) -> $ty {
                number as $ty
            }

            fn wide(self) -> f64 {
                self.into()
            }
        }
    )*};
}

precisions! { f32 f64 }

/// The planned lines of a type.
pub struct Planned<T: FftNum>(Mutex<Planners<T>>);

struct Planners<T: FftNum> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
    /// The elements of all lines that were asked for since the planners were made: their tables are as long.
    elements: usize,
}

/// The planners begin anew after so many elements. Transforms keep their own lines.
const MOST_ELEMENTS: usize = 1 << 23;

impl<T: FftNum> Planned<T> {
    fn new() -> Self {
        Planned(Mutex::new(Planners::new()))
    }

    /// Lines of complex numbers.
    pub fn complex(&self, length: usize, direction: Direction) -> Arc<dyn Fft<T>> {
        self.plan(length, |planners| match direction {
            Direction::Forward => planners.complex.plan_fft_forward(length),
            Direction::Inverse => planners.complex.plan_fft_inverse(length),
        })
    }

    /// Lines from real to complex numbers.
    pub fn forward(&self, length: usize) -> Arc<dyn RealToComplex<T>> {
        self.plan(length, |planners| planners.real.plan_fft_forward(length))
    }

    /// Lines from complex to real numbers.
    pub fn inverse(&self, length: usize) -> Arc<dyn ComplexToReal<T>> {
        self.plan(length, |planners| planners.real.plan_fft_inverse(length))
    }

    fn plan<L>(&self, length: usize, plan: impl FnOnce(&mut Planners<T>) -> L) -> L {
        let mut planners = self.0.lock();
        let line = plan(&mut planners);
        planners.elements += length;
        if planners.elements > MOST_ELEMENTS {
            *planners = Planners::new();
        }
        line
    }
}

impl<T: FftNum> Planners<T> {
    fn new() -> Self {
        Planners { complex: FftPlanner::new(), real: RealFftPlanner::new(), elements: 0 }
    }
}
