//! Atomic operations on memory of the host, which other threads may change at the same time.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use zluda_common::program_memory;

use super::Stop;
use super::wave::Wave;
use crate::decode::memory::{Atomic, What};
use crate::isa;

/// Does an operation; returns what was there.
///
/// # Safety
/// `address` is aligned to the operation's width, and what cannot be accessed there ends the code that
/// accesses it.
pub unsafe fn apply(operation: Atomic, address: usize, data: u64, second: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { program_memory::touch(address) };
    if operation.wide {
        // SAFETY: the caller's promise.
        let memory = unsafe { AtomicU64::from_ptr(address as *mut u64) };
        wide(operation.what, memory, data, second)
    } else {
        // SAFETY: the caller's promise.
        let memory = unsafe { AtomicU32::from_ptr(address as *mut u32) };
        narrow(operation.what, memory, data as u32, second as u32).into()
    }
}

/// Does a lane's operation with data of these registers, and leaves what was there; without a place nothing is done, and that
/// is 0.
pub fn in_lane(
    wave: &mut Wave,
    operation: Atomic,
    place: Option<usize>,
    lane: usize,
    [data, second]: [u16; 2],
    result: Option<u16>,
) -> Result<(), Stop> {
    let value = |register| match operation.wide {
        true => wave.lane64(register, lane),
        false => wave.lane32(register, lane).into(),
    };
    let old = match place {
        None => 0,
        Some(place) if !place.is_multiple_of(if operation.wide { 8 } else { 4 }) => {
            return Err(Stop::Misaligned(place));
        }
        // SAFETY: aligned; what cannot be accessed ends the interpreter.
        Some(place) => unsafe { apply(operation, place, value(data), value(second)) },
    };
    match result {
        None => {}
        Some(register) if operation.wide => wave.set_lane64(register, lane, old),
        Some(register) => wave.set_lane32(register, lane, old as u32),
    }
    Ok(())
}

macro_rules! integers {
    ($name:ident, $atomic:ty, $unsigned:ty, $signed:ty, $float:ty) => {
        fn $name(what: What, memory: &$atomic, data: $unsigned, second: $unsigned) -> $unsigned {
            const ORDER: Ordering = Ordering::SeqCst;
            let exchange =
                |expected, new| match memory.compare_exchange(expected, new, ORDER, ORDER) {
                    Ok(old) | Err(old) => old,
                };
            let update = |next: &dyn Fn($unsigned) -> $unsigned| {
                let mut old = memory.load(ORDER);
                loop {
                    match memory.compare_exchange_weak(old, next(old), ORDER, ORDER) {
                        Ok(old) => return old,
                        Err(now) => old = now,
                    }
                }
            };
            match what {
                What::Add => memory.fetch_add(data, ORDER),
                What::Sub => memory.fetch_sub(data, ORDER),
                What::And => memory.fetch_and(data, ORDER),
                What::Or => memory.fetch_or(data, ORDER),
                What::Xor => memory.fetch_xor(data, ORDER),
                What::Swap => memory.swap(data, ORDER),
                What::MinUnsigned => memory.fetch_min(data, ORDER),
                What::MaxUnsigned => memory.fetch_max(data, ORDER),
                What::MinSigned => {
                    update(&|old| (old as $signed).min(data as $signed) as $unsigned)
                }
                What::MaxSigned => {
                    update(&|old| (old as $signed).max(data as $signed) as $unsigned)
                }
                What::SubReverse => update(&|old| data.wrapping_sub(old)),
                What::SubClamped => update(&|old| old.saturating_sub(data)),
                What::SubConditional => update(&|old| if old >= data { old - data } else { old }),
                What::Increment => update(&|old| if old >= data { 0 } else { old + 1 }),
                What::Decrement => {
                    update(&|old| if old == 0 || old > data { data } else { old - 1 })
                }
                What::CompareSwap => exchange(second, data),
                What::CompareStore => exchange(data, second),
                What::MaskOr => update(&|old| old & !data | second),
                What::AddFloat => {
                    update(&|old| (<$float>::from_bits(old) + <$float>::from_bits(data)).to_bits())
                }
                What::MinFloat => update(&|old| {
                    {
                        let (old, data) = (<$float>::from_bits(old), <$float>::from_bits(data));
                        least(old.into(), data.into()) as $float
                    }
                    .to_bits()
                }),
                What::MaxFloat => update(&|old| {
                    {
                        let (old, data) = (<$float>::from_bits(old), <$float>::from_bits(data));
                        -least((-old).into(), (-data).into()) as $float
                    }
                    .to_bits()
                }),
                What::AddHalves => {
                    update(&|old| pairs("v_pk_add_f16", old.into(), data.into()) as $unsigned)
                }
                What::AddBf16s => {
                    update(&|old| pairs("v_pk_add_bf16", old.into(), data.into()) as $unsigned)
                }
            }
        }
    };
}

integers! { narrow, AtomicU32, u32, i32, f32 }
integers! { wide, AtomicU64, u64, i64, f64 }

/// The lesser of two numbers, the number where one is none; -0 is less than 0.
fn least(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() || a < b || (a == b && a.is_sign_negative()) {
        a
    } else {
        b
    }
}

/// The sums of two pairs.
fn pairs(name: &str, old: u64, data: u64) -> u64 {
    let mode = super::mode::ModeRegister::default().mode;
    match isa::vector(name).map(|operation| operation.action) {
        Some(isa::Action::Value(run)) => run(&mode, [old, data, 0]),
        _ => old,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_change_memory_and_return_what_was_there() {
        let run = |what, old: u32, data: u32, second: u32| {
            let memory = AtomicU32::new(old);
            let before = narrow(what, &memory, data, second);
            (before, memory.load(Ordering::Relaxed))
        };
        assert_eq!(run(What::Increment, 5, 5, 0), (5, 0));
        assert_eq!(run(What::Increment, 4, 5, 0), (4, 5));
        assert_eq!(run(What::Decrement, 0, 7, 0), (0, 7));
        assert_eq!(run(What::Decrement, 9, 7, 0), (9, 7));
        assert_eq!(run(What::MinSigned, 1, u32::MAX, 0), (1, u32::MAX));
        assert_eq!(run(What::MaxUnsigned, 1, u32::MAX, 0), (1, u32::MAX));
        assert_eq!(run(What::CompareSwap, 3, 9, 3), (3, 9));
        assert_eq!(run(What::CompareStore, 3, 9, 3), (3, 3));
        assert_eq!(run(What::MaskOr, 0xff, 0x0f, 0x100), (0xff, 0x1f0));
        let (one, two) = (1f32.to_bits(), 2f32.to_bits());
        assert_eq!(run(What::AddFloat, one, one, 0), (one, two));
        assert_eq!(run(What::MaxFloat, f32::NAN.to_bits(), one, 0).1, one);
        assert_eq!(run(What::MinFloat, 0, 0x8000_0000, 0).1, 0x8000_0000);
    }
}
