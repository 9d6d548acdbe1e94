//! Numbers: the types that are stored, and those that are computed with.

use dense::Complex;
use half::{bf16, f16};
use std::fmt::Debug;
use std::num::Wrapping;
use std::ops::{Add, AddAssign, Mul, Sub};

/// The type of stored numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    F16,
    BF16,
    F32,
    F64,
    /// Complex numbers of two [`Type::F16`], and so on.
    C16,
    CB16,
    C32,
    C64,
    I8,
    I32,
}

impl Type {
    pub fn is_complex(self) -> bool {
        matches!(self, Type::C16 | Type::CB16 | Type::C32 | Type::C64)
    }

    /// Bytes of a number.
    pub fn size(self) -> usize {
        match self {
            Type::I8 => 1,
            Type::F16 | Type::BF16 => 2,
            Type::F32 | Type::I32 | Type::C16 | Type::CB16 => 4,
            Type::F64 | Type::C32 => 8,
            Type::C64 => 16,
        }
    }
}

/// A number that is computed with; sums of integers wrap around.
pub trait Number:
    Copy
    + Debug
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + AddAssign
{
    const ZERO: Self;
    const ONE: Self;

    /// The conjugate where asked for.
    fn conj_if(self, conj: bool) -> Self;
}

macro_rules! number {
    ($($ty:ty: $zero:expr, $one:expr, $conj:expr;)*) => {$(
        impl Number for $ty {
            const ZERO: Self = $zero;
            const ONE: Self = $one;

            #[inline(always)]
            fn conj_if(self, conj: bool) -> Self {
                let turn: fn(Self) -> Self = $conj;
                if conj { turn(self) } else { self }
            }
        }
    )*};
}

number! {
    f32: 0.0, 1.0, |x| x;
    f64: 0.0, 1.0, |x| x;
    Complex<f32>: Complex::new(0.0, 0.0), Complex::new(1.0, 0.0), |x| x.conj();
    Complex<f64>: Complex::new(0.0, 0.0), Complex::new(1.0, 0.0), |x| x.conj();
    Wrapping<i32>: Wrapping(0), Wrapping(1), |x| x;
}

/// A stored number that is computed with as a `C`.
pub trait Load<C>: Copy + Send + Sync + 'static {
    fn load(self) -> C;
}

/// A stored number that results are rounded to.
pub trait Store<C>: Load<C> {
    fn store(value: C) -> Self;
}

macro_rules! stored {
    ($($ty:ty as $number:ty: $load:expr $(, $store:expr)?;)*) => {$(
        impl Load<$number> for $ty {
            #[inline(always)]
            fn load(self) -> $number {
                let load: fn($ty) -> $number = $load;
                load(self)
            }
        }
        $(impl Store<$number> for $ty {
            #[inline(always)]
            fn store(value: $number) -> Self {
                let store: fn($number) -> $ty = $store;
                store(value)
            }
        })?
    )*};
}

stored! {
    f32 as f32: |x| x, |x| x;
    f64 as f64: |x| x, |x| x;
    Complex<f32> as Complex<f32>: |x| x, |x| x;
    Complex<f64> as Complex<f64>: |x| x, |x| x;
    f16 as f32: |x| x.to_f32(), f16::from_f32;
    bf16 as f32: |x| f32::from_bits(u32::from(x.to_bits()) << 16), bf16::from_f32;
    i8 as f32: |x| x.into();
    f32 as f64: |x| x.into();
    f32 as Complex<f32>: |x| x.into();
    f64 as Complex<f64>: |x| x.into();
    Complex<f32> as Complex<f64>: |x| Complex::new(x.re.into(), x.im.into());
    i8 as Wrapping<i32>: |x| Wrapping(x.into());
    i32 as Wrapping<i32>: |x| Wrapping(x), |x| x.0;
    Complex<f16> as Complex<f32>:
        |x| Complex::new(x.re.to_f32(), x.im.to_f32()),
        |x| Complex::new(f16::from_f32(x.re), f16::from_f32(x.im));
    Complex<bf16> as Complex<f32>:
        |x| Complex::new(x.re.to_f32(), x.im.to_f32()),
        |x| Complex::new(bf16::from_f32(x.re), bf16::from_f32(x.im));
}

/// The types of a product's sparse matrix, dense operand, result and arithmetic. [`with_types`] has code for those that
/// go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Types {
    pub a: Type,
    pub x: Type,
    pub y: Type,
    pub compute: Type,
}

/// `with_types!(types, A X Y C => expression)`: the expression with the Rust types of [`Types`] that go together; `None` of
/// others.
macro_rules! with_types {
    ($types:expr, $A:ident $X:ident $Y:ident $C:ident => $run:expr) => {{
        use $crate::number::Type as T;
        use half::{bf16, f16};
        let types = $types;
        $crate::number::with_types!(@ (types.a, types.x, types.y, types.compute), $A $X $Y $C => $run;
            F32 F32 F32 F32: f32, f32, f32, f32;
            F64 F64 F64 F64: f64, f64, f64, f64;
            C32 C32 C32 C32: dense::Complex<f32>, dense::Complex<f32>, dense::Complex<f32>, dense::Complex<f32>;
            C64 C64 C64 C64: dense::Complex<f64>, dense::Complex<f64>, dense::Complex<f64>, dense::Complex<f64>;
            F16 F16 F16 F32: f16, f16, f16, f32;
            F16 F16 F32 F32: f16, f16, f32, f32;
            BF16 BF16 BF16 F32: bf16, bf16, bf16, f32;
            BF16 BF16 F32 F32: bf16, bf16, f32, f32;
            I8 I8 I32 I32: i8, i8, i32, std::num::Wrapping<i32>;
            I8 I8 F32 F32: i8, i8, f32, f32;
            C16 C16 C16 C32: dense::Complex<f16>, dense::Complex<f16>, dense::Complex<f16>, dense::Complex<f32>;
            CB16 CB16 CB16 C32: dense::Complex<bf16>, dense::Complex<bf16>, dense::Complex<bf16>, dense::Complex<f32>;
            F32 F64 F64 F64: f32, f64, f64, f64;
            F32 C32 C32 C32: f32, dense::Complex<f32>, dense::Complex<f32>, dense::Complex<f32>;
            F64 C64 C64 C64: f64, dense::Complex<f64>, dense::Complex<f64>, dense::Complex<f64>;)
    }};
    (@ $of:expr, $A:ident $X:ident $Y:ident $C:ident => $run:expr;
        $($a:ident $x:ident $y:ident $c:ident: $ta:ty, $tx:ty, $ty:ty, $tc:ty;)*) => {
        match $of {
            $((T::$a, T::$x, T::$y, T::$c) => {
                type $A = $ta;
                type $X = $tx;
                type $Y = $ty;
                type $C = $tc;
                Some($run)
            })*
            _ => None,
        }
    };
}
pub(crate) use with_types;

impl Types {
    /// All numbers of one type that is computed with.
    pub fn uniform(of: Type) -> Types {
        Types { a: of, x: of, y: of, compute: of }
    }

    /// Whether they go together.
    pub fn is_known(self) -> bool {
        with_types!(self, A X Y C => {
            let _ = (size_of::<A>(), size_of::<X>(), size_of::<Y>(), size_of::<C>());
        })
        .is_some()
    }
}

/// A number that a program passes: its bytes, or a place that is read when the work runs.
#[derive(Clone, Copy, Debug)]
pub enum Factor {
    Host([u8; 16]),
    Device(crate::Address),
}

impl Factor {
    /// A number of this machine's memory.
    ///
    /// # Safety
    /// `bytes` bytes can be read.
    pub unsafe fn host(place: *const u8, bytes: usize) -> Factor {
        let mut copy = [0; 16];
        // SAFETY: the caller says so; no number has more bytes than there is room for.
        unsafe { std::ptr::copy_nonoverlapping(place, copy.as_mut_ptr(), bytes.min(16)) };
        Factor::Host(copy)
    }

    /// One of the types that are computed with.
    pub fn of<C: Number>(value: C) -> Factor {
        // SAFETY: a number is its bytes.
        unsafe { Factor::host((&raw const value).cast(), size_of::<C>()) }
    }

    /// The number.
    ///
    /// # Safety
    /// As for [`Self::get`].
    pub unsafe fn get_scalar<S: dense::Scalar>(&self) -> S {
        match self {
            // SAFETY: any bytes are a number.
            Factor::Host(bytes) => unsafe { bytes.as_ptr().cast::<S>().read_unaligned() },
            // SAFETY: the caller says so.
            Factor::Device(place) => unsafe { place.get(0) },
        }
    }

    /// The number.
    ///
    /// # Safety
    /// It is of this type; a place can be read.
    pub unsafe fn get<C: Number>(&self) -> C {
        match self {
            // SAFETY: any bytes are a number.
            Factor::Host(bytes) => unsafe { bytes.as_ptr().cast::<C>().read_unaligned() },
            // SAFETY: the caller says so.
            Factor::Device(place) => unsafe { place.get(0) },
        }
    }
}
/// `with_scalar!(type, S => expression)`: the expression with the real or complex Rust type of 32 or 64 bits; `None` of
/// others.
macro_rules! with_scalar {
    ($ty:expr, $S:ident => $run:expr) => {
        $crate::number::with_scalar!(@ $ty, $S => $run; F32 f32, F64 f64, C32 dense::Complex<f32>, C64 dense::Complex<f64>)
    };
    (@ $of:expr, $S:ident => $run:expr; $($name:ident $ty:ty),*) => {
        match $of {
            $($crate::number::Type::$name => {
                type $S = $ty;
                Some($run)
            })*
            _ => None,
        }
    };
}
pub(crate) use with_scalar;
