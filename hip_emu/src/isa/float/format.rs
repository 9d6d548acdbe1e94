//! The formats, and their values as bits.

use super::super::value::Value;
use super::super::{Kind, Mode, Round};
use super::convert;
use std::marker::PhantomData;

/// A binary format as in IEEE 754, and what the host makes of it to nearest even.
pub trait Format: Copy + 'static {
    const KIND: Kind;
    /// Of two values.
    const PAIR: Kind;
    const BITS: u32;
    /// Bits of fraction that are stored.
    const FRACTION: u32;

    const SIGN: u64 = 1 << (Self::BITS - 1);
    const INFINITY: u64 = Self::SIGN - (1 << Self::FRACTION);
    const QUIET: u64 = 1 << (Self::FRACTION - 1);
    const BIAS: i32 = (1 << (Self::BITS - Self::FRACTION - 2)) - 1;
    const ONE: u64 = (Self::BIAS as u64) << Self::FRACTION;

    /// The rounding of the format in this mode.
    fn round(mode: &Mode) -> Round;
    /// Whether subnormal operands count as zeros.
    fn flushes_in(mode: &Mode) -> bool;
    /// Whether subnormal results become zeros.
    fn flushes_out(mode: &Mode) -> bool;

    /// `a + b`, to nearest even.
    fn add(a: u64, b: u64) -> u64;
    /// `a * b`, to nearest even.
    fn mul(a: u64, b: u64) -> u64;
    /// `a * b + c`, rounded once, to nearest even.
    fn fma(a: u64, b: u64, c: u64) -> u64;
    /// Exactly; of a NaN the bits that are there.
    fn widen(a: u64) -> f64;
    /// To nearest even.
    fn narrow(a: f64) -> u64;
}

macro_rules! of_mode {
    ($round:ident, $flush_in:ident, $flush_out:ident) => {
        #[inline(always)]
        fn round(mode: &Mode) -> Round {
            mode.$round
        }
        #[inline(always)]
        fn flushes_in(mode: &Mode) -> bool {
            mode.$flush_in
        }
        #[inline(always)]
        fn flushes_out(mode: &Mode) -> bool {
            mode.$flush_out
        }
    };
}

#[derive(Clone, Copy)]
pub struct Single;

impl Format for Single {
    const KIND: Kind = Kind::F32;
    const PAIR: Kind = Kind::PF32;
    const BITS: u32 = 32;
    const FRACTION: u32 = 23;
    of_mode!(round_f32, flush_in_f32, flush_out_f32);

    #[inline(always)]
    fn add(a: u64, b: u64) -> u64 {
        (f32::from_bits(a as u32) + f32::from_bits(b as u32)).to_bits().into()
    }
    #[inline(always)]
    fn mul(a: u64, b: u64) -> u64 {
        (f32::from_bits(a as u32) * f32::from_bits(b as u32)).to_bits().into()
    }
    #[inline(always)]
    fn fma(a: u64, b: u64, c: u64) -> u64 {
        f32::from_bits(a as u32)
            .mul_add(f32::from_bits(b as u32), f32::from_bits(c as u32))
            .to_bits()
            .into()
    }
    #[inline(always)]
    fn widen(a: u64) -> f64 {
        f64::from(f32::from_bits(a as u32))
    }
    #[inline(always)]
    fn narrow(a: f64) -> u64 {
        (a as f32).to_bits().into()
    }
}

#[derive(Clone, Copy)]
pub struct Double;

impl Format for Double {
    const KIND: Kind = Kind::F64;
    const PAIR: Kind = Kind::None;
    const BITS: u32 = 64;
    const FRACTION: u32 = 52;
    of_mode!(round_f64, flush_in_f64, flush_out_f64);

    #[inline(always)]
    fn add(a: u64, b: u64) -> u64 {
        (f64::from_bits(a) + f64::from_bits(b)).to_bits()
    }
    #[inline(always)]
    fn mul(a: u64, b: u64) -> u64 {
        (f64::from_bits(a) * f64::from_bits(b)).to_bits()
    }
    #[inline(always)]
    fn fma(a: u64, b: u64, c: u64) -> u64 {
        f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits()
    }
    #[inline(always)]
    fn widen(a: u64) -> f64 {
        f64::from_bits(a)
    }
    #[inline(always)]
    fn narrow(a: f64) -> u64 {
        a.to_bits()
    }
}

/// A format of 16 bits, whose arithmetic is done in `f64`: sums and products are rounded twice without harm,
/// because `f64` has more than twice the precision.
macro_rules! narrow_format {
    ($name:ident, $kind:ident, $pair:ident, $fraction:literal, $round:ident, $flush_in:ident, $flush_out:ident) => {
        #[derive(Clone, Copy)]
        pub struct $name;

        impl Format for $name {
            const KIND: Kind = Kind::$kind;
            const PAIR: Kind = Kind::$pair;
            const BITS: u32 = 16;
            const FRACTION: u32 = $fraction;
            of_mode!($round, $flush_in, $flush_out);

            fn add(a: u64, b: u64) -> u64 {
                Self::narrow(Self::widen(a) + Self::widen(b))
            }
            fn mul(a: u64, b: u64) -> u64 {
                Self::narrow(Self::widen(a) * Self::widen(b))
            }
            fn fma(a: u64, b: u64, c: u64) -> u64 {
                Self::narrow(convert::sum_to_odd(Self::widen(a) * Self::widen(b), Self::widen(c)))
            }
            fn widen(a: u64) -> f64 {
                convert::widen::<Self>(a)
            }
            fn narrow(a: f64) -> u64 {
                convert::narrow::<Self>(a)
            }
        }
    };
}

narrow_format!(Half, F16, PF16, 10, round_f64, flush_in_f64, flush_out_f64);
narrow_format!(Bf16, Bf16, PBf16, 7, round_f32, flush_in_f32, flush_out_f32);

/// A value of a format, as bits.
pub struct Float<F>(u64, PhantomData<F>);

pub type F16 = Float<Half>;
pub type BF16 = Float<Bf16>;
pub type F32 = Float<Single>;
pub type F64 = Float<Double>;

impl<F> Clone for Float<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Float<F> {}

impl<F: Format> Value for Float<F> {
    const KIND: Kind = F::KIND;
    #[inline(always)]
    fn of(bits: u64) -> Self {
        Float(if F::BITS == 64 { bits } else { bits & ((1 << F::BITS) - 1) }, PhantomData)
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        self.0
    }
}

impl<F: Format> Value for [Float<F>; 2] {
    const KIND: Kind = F::PAIR;
    #[inline(always)]
    fn of(bits: u64) -> Self {
        [Float::of(bits), Float::of(bits >> F::BITS)]
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        self[0].0 | self[1].0 << F::BITS
    }
}

impl<F: Format> Float<F> {
    /// The result of invalid operations.
    pub const NAN: Self = Float(F::SIGN | F::INFINITY | F::QUIET, PhantomData);
    pub const ZERO: Self = Float(0, PhantomData);
    pub const ONE: Self = Float(F::ONE, PhantomData);
    pub const INFINITY: Self = Float(F::INFINITY, PhantomData);

    /// Without its sign.
    #[inline(always)]
    pub fn magnitude(self) -> u64 {
        self.0 & !F::SIGN
    }
    /// Whether it is a NaN, quiet or signalling.
    #[inline(always)]
    pub fn is_nan(self) -> bool {
        self.magnitude() > F::INFINITY
    }
    /// Whether it is a signalling NaN.
    pub fn is_signalling(self) -> bool {
        self.is_nan() && self.0 & F::QUIET == 0
    }
    /// Whether it is an infinity of either sign.
    pub fn is_infinite(self) -> bool {
        self.magnitude() == F::INFINITY
    }
    /// Whether it is a zero of either sign.
    #[inline(always)]
    pub fn is_zero(self) -> bool {
        self.magnitude() == 0
    }
    /// Whether it is subnormal; zeros are not.
    #[inline(always)]
    pub fn is_subnormal(self) -> bool {
        self.magnitude().wrapping_sub(1) < (1 << F::FRACTION) - 1
    }
    /// Whether its sign is set, of zeros and NaNs too.
    pub fn is_negative(self) -> bool {
        self.0 & F::SIGN != 0
    }
    /// The exponent's field.
    pub fn exponent(self) -> i32 {
        (self.magnitude() >> F::FRACTION) as i32
    }
    /// With the sign cleared.
    pub fn abs(self) -> Self {
        Float(self.magnitude(), PhantomData)
    }
    /// With the other sign.
    pub fn negated(self) -> Self {
        Float(self.0 ^ F::SIGN, PhantomData)
    }
    /// With this sign.
    pub fn with_sign(self, negative: bool) -> Self {
        if negative { Float(self.0 | F::SIGN, PhantomData) } else { self.abs() }
    }
    /// A NaN, made quiet.
    pub fn quiet(self) -> Self {
        Float(self.0 | F::QUIET, PhantomData)
    }
    /// The place among the numbers that are no NaN: -0 is below 0.
    #[inline(always)]
    pub fn rank(self) -> i64 {
        if self.is_negative() { -1 - self.magnitude() as i64 } else { self.0 as i64 }
    }
    /// The value as a double, which holds it exactly.
    #[inline(always)]
    pub fn wide(self) -> f64 {
        F::widen(self.0)
    }

    /// As an operand: subnormals become zeros where the mode says so.
    #[inline(always)]
    pub fn read(self, mode: &Mode) -> Self {
        if F::flushes_in(mode) { self.flushed() } else { self }
    }

    /// As a result that is no NaN.
    #[inline(always)]
    pub fn written(self, mode: &Mode) -> Self {
        if F::flushes_out(mode) { self.flushed() } else { self }
    }

    /// With a zero of its sign in place of a subnormal number.
    #[inline(always)]
    pub fn flushed(self) -> Self {
        if self.is_subnormal() { Float(self.0 & F::SIGN, PhantomData) } else { self }
    }

    /// As a result of these operands.
    #[inline(always)]
    pub fn result<const N: usize>(self, mode: &Mode, operands: [Self; N]) -> Self {
        if self.is_nan() { Self::nan_of(operands) } else { self.written(mode) }
    }

    /// The first NaN among operands.
    #[cold]
    pub fn nan_of<const N: usize>(operands: [Self; N]) -> Self {
        operands.into_iter().find(|operand| operand.is_nan()).map_or(Self::NAN, Self::quiet)
    }
}
