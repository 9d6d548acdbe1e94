//! Elements of transforms: as they lie in memory, and as they are computed with.

use crate::lines::Precision;
use half::{bf16, f16};

/// The type of an element's real numbers. A complex element is two of them, the real part first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    F16,
    BF16,
    F32,
    F64,
}

impl Element {
    /// The bytes of a real number.
    pub const fn size(self) -> usize {
        match self {
            Element::F16 | Element::BF16 => 2,
            Element::F32 => 4,
            Element::F64 => 8,
        }
    }
}

/// A real number in memory.
pub trait Storage: Copy + Send + Sync + 'static {
    /// The type that is computed with.
    type Compute: Precision;

    /// Whether the two types are one.
    const NATIVE: bool;

    /// The same number.
    fn widen(self) -> Self::Compute;

    /// The nearest number.
    fn narrow(number: Self::Compute) -> Self;
}

impl Storage for f32 {
    type Compute = f32;
    const NATIVE: bool = true;

    fn widen(self) -> f32 {
        self
    }

    fn narrow(number: f32) -> f32 {
        number
    }
}

impl Storage for f64 {
    type Compute = f64;
    const NATIVE: bool = true;

    fn widen(self) -> f64 {
        self
    }

    fn narrow(number: f64) -> f64 {
        number
    }
}

impl Storage for f16 {
    type Compute = f32;
    const NATIVE: bool = false;

    fn widen(self) -> f32 {
        self.to_f32()
    }

    fn narrow(number: f32) -> f16 {
        f16::from_f32(number)
    }
}

impl Storage for bf16 {
    type Compute = f32;
    const NATIVE: bool = false;

    fn widen(self) -> f32 {
        self.to_f32()
    }

    fn narrow(number: f32) -> bf16 {
        bf16::from_f32(number)
    }
}
