//! Bulk reductions: what `cp.reduce.async.bulk` and its kin do to each element.

use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

use cpu_abi::Reduction;

use super::half;

/// Reduces elements at `from` into those at `to`; every change of an element is atomic. An unknown operation
/// does nothing.
///
/// # Safety
/// Both ranges are accessible and aligned to their elements, or the caller is a kernel.
pub unsafe fn reduce(to: u64, from: u64, bytes: u64, operation: u32) {
    use Reduction::*;
    let Some(operation) = known(operation) else { return };
    let each =
        |size: u64| (0..bytes / size).map(move |index| (to + index * size, from + index * size));
    // SAFETY: the caller's promise.
    unsafe {
        match operation {
            And64 | Or64 | Xor64 | AddU64 | MinU64 | MinS64 | MaxU64 | MaxS64 | AddF64 => {
                for (to, from) in each(8) {
                    let b = (from as *const u64).read();
                    let update = |a| Some(word64(operation, a, b));
                    let place = AtomicU64::from_ptr(to as *mut u64);
                    let _ = place.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
                }
            }
            AddF16 | MinF16 | MaxF16 | AddBf16 | MinBf16 | MaxBf16 => {
                for (to, from) in each(2) {
                    let b = (from as *const u16).read();
                    let update = |a| Some(word16(operation, a, b));
                    let place = AtomicU16::from_ptr(to as *mut u16);
                    let _ = place.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
                }
            }
            _ => {
                for (to, from) in each(4) {
                    let b = (from as *const u32).read();
                    let update = |a| Some(word32(operation, a, b));
                    let place = AtomicU32::from_ptr(to as *mut u32);
                    let _ = place.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
                }
            }
        }
    }
}

fn known(number: u32) -> Option<Reduction> {
    use Reduction::*;
    const ALL: [Reduction; 27] = [
        And32, And64, Or32, Or64, Xor32, Xor64, AddU32, AddU64, IncU32, DecU32, MinU32, MinS32,
        MinU64, MinS64, MaxU32, MaxS32, MaxU64, MaxS64, AddF16, MinF16, MaxF16, AddBf16, MinBf16,
        MaxBf16, AddF32, AddFtzF32, AddF64,
    ];
    ALL.into_iter().find(|operation| *operation as u32 == number)
}

fn word64(operation: Reduction, a: u64, b: u64) -> u64 {
    match operation {
        Reduction::And64 => a & b,
        Reduction::Or64 => a | b,
        Reduction::Xor64 => a ^ b,
        Reduction::AddU64 => a.wrapping_add(b),
        Reduction::MinU64 => a.min(b),
        Reduction::MaxU64 => a.max(b),
        Reduction::MinS64 => (a as i64).min(b as i64) as u64,
        Reduction::MaxS64 => (a as i64).max(b as i64) as u64,
        // The GPU hands NaNs on as they are.
        Reduction::AddF64 if f64::from_bits(b).is_nan() => b,
        Reduction::AddF64 if f64::from_bits(a).is_nan() => a,
        Reduction::AddF64 => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
        _ => a,
    }
}

fn word32(operation: Reduction, a: u32, b: u32) -> u32 {
    match operation {
        Reduction::And32 => a & b,
        Reduction::Or32 => a | b,
        Reduction::Xor32 => a ^ b,
        Reduction::AddU32 => a.wrapping_add(b),
        Reduction::IncU32 if a >= b => 0,
        Reduction::IncU32 => a + 1,
        Reduction::DecU32 if a == 0 || a > b => b,
        Reduction::DecU32 => a - 1,
        Reduction::MinU32 => a.min(b),
        Reduction::MaxU32 => a.max(b),
        Reduction::MinS32 => (a as i32).min(b as i32) as u32,
        Reduction::MaxS32 => (a as i32).max(b as i32) as u32,
        Reduction::AddF32 => {
            let sum = f32::from_bits(a) + f32::from_bits(b);
            // The GPU makes one NaN of all.
            if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() }
        }
        Reduction::AddFtzF32 => flush((flush(a) + flush(b)).to_bits()).to_bits(),
        _ => a,
    }
}

/// The number, zero of its sign where it is denormal.
fn flush(bits: u32) -> f32 {
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

type Widen = fn(u16) -> f32;
type Narrow = fn(f32) -> u16;

fn word16(operation: Reduction, a: u16, b: u16) -> u16 {
    use Reduction::*;
    let is_f16 = matches!(operation, AddF16 | MinF16 | MaxF16);
    let (widen, narrow): (Widen, Narrow) =
        if is_f16 { (half::from_f16, half::to_f16) } else { (half::from_bf16, half::to_bf16) };
    let (x, y) = (widen(a), widen(b));
    match operation {
        // One rounding more than the sum has in f32 is none: that has twice the digits and two more.
        AddF16 | AddBf16 => narrow(x + y),
        _ if x.is_nan() && y.is_nan() => half::NAN,
        _ if y.is_nan() => a,
        _ if x.is_nan() => b,
        MinF16 | MinBf16 => {
            if y < x || (y == x && y.is_sign_negative()) {
                b
            } else {
                a
            }
        }
        _ => {
            if y > x || (y == x && y.is_sign_positive()) {
                b
            } else {
                a
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_reduced_by_their_types() {
        let mut to = [u32::MAX, 5, 1.5f32.to_bits(), 0];
        let run = |to: &mut [u32; 4], from: [u32; 4], operation: Reduction| {
            // SAFETY: the addresses of arrays.
            unsafe { reduce(to.as_mut_ptr() as u64, from.as_ptr() as u64, 16, operation as u32) }
        };
        run(&mut to, [1, 7, 0, 0], Reduction::MinS32);
        assert_eq!(to, [u32::MAX, 5, 0, 0]);
        run(&mut to, [1, 7, 9, 9], Reduction::MinU32);
        assert_eq!(to, [1, 5, 0, 0]);
        run(&mut to, [1, 7, 9, 9], Reduction::IncU32);
        assert_eq!(to, [0, 6, 1, 1]);
        run(&mut to, [1, 0, 1, 0], Reduction::AddU64);
        assert_eq!(to, [1, 6, 2, 1]);
    }
}
