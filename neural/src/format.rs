//! The types of elements in memory. All are widened to compute with them, and rounded once when a result is stored.

use dense::Real;
use dense::element::{E4m3, E5m2, Element};
use half::{bf16, f16};
use std::sync::atomic::{AtomicU8, Ordering};

/// The type of elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    F32,
    F64,
    F16,
    Bf16,
    I8,
    U8,
    I32,
    I64,
    E4m3,
    E5m2,
    /// A byte, 0 or 1.
    Bool,
    /// A bit, the lowest of a byte first.
    Bit,
}

/// A number that is stored.
trait Stored: Copy {
    fn widen(self) -> f64;
    /// Rounded to nearest, ties to even; integers saturate.
    fn narrow(value: f64) -> Self;
}

macro_rules! stored {
    ($($ty:ty: $from:ident => $widen:expr, $to:ident => $narrow:expr;)*) => {$(
        impl Stored for $ty {
            #[inline(always)]
            fn widen(self) -> f64 {
                let $from = self;
                $widen
            }
            #[inline(always)]
            fn narrow($to: f64) -> Self {
                $narrow
            }
        }
    )*};
}

stored! {
    f32: x => x.into(), v => v as f32;
    f64: x => x, v => v;
    f16: x => x.to_f32().into(), v => f16::from_f32(v as f32);
    bf16: x => Element::widen(x).into(), v => bf16::from_f32(v as f32);
    i8: x => x.into(), v => v.round_ties_even() as i8;
    u8: x => x.into(), v => v.round_ties_even() as u8;
    i32: x => x.into(), v => v.round_ties_even() as i32;
    i64: x => x as f64, v => v.round_ties_even() as i64;
    E4m3: x => Element::widen(x).into(), v => Element::narrow(v as f32);
    E5m2: x => Element::widen(x).into(), v => Element::narrow(v as f32);
}

/// Evaluates an expression for the type of a format, whose elements have addresses.
macro_rules! of_format {
    ($format:expr, $ty:ident => $value:expr, bit => $bit:expr) => {
        match $format {
            Format::F32 => of_format!(@ $ty = f32, $value),
            Format::F64 => of_format!(@ $ty = f64, $value),
            Format::F16 => of_format!(@ $ty = f16, $value),
            Format::Bf16 => of_format!(@ $ty = bf16, $value),
            Format::I8 => of_format!(@ $ty = i8, $value),
            Format::U8 => of_format!(@ $ty = u8, $value),
            Format::I32 => of_format!(@ $ty = i32, $value),
            Format::I64 => of_format!(@ $ty = i64, $value),
            Format::E4m3 => of_format!(@ $ty = E4m3, $value),
            Format::E5m2 => of_format!(@ $ty = E5m2, $value),
            Format::Bool => of_format!(@ $ty = u8, $value),
            Format::Bit => $bit,
        }
    };
    (@ $ty:ident = $is:ty, $value:expr) => {{
        type $ty = $is;
        $value
    }};
}

impl Format {
    /// Bytes of an element; 1 for bits.
    pub fn size(self) -> usize {
        of_format!(self, T => size_of::<T>(), bit => 1)
    }

    /// Whether sums of products are made in double precision: of doubles, and of integers, whose sums are exact then.
    pub fn is_wide(self) -> bool {
        matches!(self, Format::F64 | Format::I8 | Format::U8 | Format::I32 | Format::I64)
    }

    /// Elements `offset`, `offset + step`, ... after `first`.
    ///
    /// # Safety
    /// They are memory that may be read.
    #[inline]
    pub unsafe fn load<T: Real>(self, first: *const u8, offset: isize, step: isize, to: &mut [T]) {
        // SAFETY: the caller says so.
        of_format!(self, S => unsafe { load_row::<S, T>(first, offset, step, to) }, bit => {
            for (i, to) in to.iter_mut().enumerate() {
                let at = offset + i as isize * step;
                // SAFETY: the caller says so.
                let byte = unsafe { first.wrapping_offset(at >> 3).read() };
                *to = T::from_f64(f64::from(byte >> (at & 7) & 1));
            }
        })
    }

    /// Rounds and stores elements.
    ///
    /// # Safety
    /// They are memory that may be written.
    #[inline]
    pub unsafe fn store<T: Real>(self, first: *mut u8, offset: isize, step: isize, from: &[T]) {
        // SAFETY: the caller says so.
        of_format!(self, S => unsafe { store_row::<S, T>(first, offset, step, from) }, bit => {
            for (i, from) in from.iter().enumerate() {
                let at = offset + i as isize * step;
                let mask = 1u8 << (at & 7);
                // Another thread may have the other bits of the byte.
                // SAFETY: the caller says so; a byte is aligned.
                let byte = unsafe { AtomicU8::from_ptr(first.wrapping_offset(at >> 3)) };
                if from.to_f64() != 0.0 {
                    byte.fetch_or(mask, Ordering::Relaxed);
                } else {
                    byte.fetch_and(!mask, Ordering::Relaxed);
                }
            }
        })
    }
}

#[inline(always)]
unsafe fn load_row<S: Stored, T: Real>(first: *const u8, offset: isize, step: isize, to: &mut [T]) {
    let first = first.cast::<S>().wrapping_offset(offset);
    // The same loop twice: the first one is for vectors.
    // SAFETY: the caller says that they may be read.
    unsafe {
        if step == 1 {
            for (i, to) in to.iter_mut().enumerate() {
                *to = T::from_f64(first.wrapping_add(i).read_unaligned().widen());
            }
        } else {
            for (i, to) in to.iter_mut().enumerate() {
                let place = first.wrapping_offset(i as isize * step);
                *to = T::from_f64(place.read_unaligned().widen());
            }
        }
    }
}

#[inline(always)]
unsafe fn store_row<S: Stored, T: Real>(first: *mut u8, offset: isize, step: isize, from: &[T]) {
    let first = first.cast::<S>().wrapping_offset(offset);
    // SAFETY: the caller says that they may be written.
    unsafe {
        if step == 1 {
            for (i, from) in from.iter().enumerate() {
                first.wrapping_add(i).write_unaligned(S::narrow(from.to_f64()));
            }
        } else {
            for (i, from) in from.iter().enumerate() {
                let place = first.wrapping_offset(i as isize * step);
                place.write_unaligned(S::narrow(from.to_f64()));
            }
        }
    }
}
