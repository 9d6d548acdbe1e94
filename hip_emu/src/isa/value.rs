//! The types that operations are written in, and how they lie in a `u64`.

use super::Kind;

/// A type of operands and results.
pub(super) trait Value: Copy {
    const KIND: Kind;
    /// From the low bits.
    fn of(bits: u64) -> Self;
    /// With zeros above.
    fn bits(self) -> u64;
}

macro_rules! values {
    ($($type:ty: $kind:ident, |$bits:ident| $of:expr, |$value:ident| $to:expr;)*) => {
        $(impl Value for $type {
            const KIND: Kind = Kind::$kind;
            #[inline(always)]
            fn of($bits: u64) -> $type {
                $of
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                let $value = self;
                $to
            }
        })*
    };
}

values! {
    u16: B16, |bits| bits as u16, |value| u64::from(value);
    i16: B16, |bits| bits as i16, |value| u64::from(value as u16);
    u32: B32, |bits| bits as u32, |value| u64::from(value);
    i32: B32, |bits| bits as i32, |value| u64::from(value as u32);
    u64: B64, |bits| bits, |value| value;
    i64: B64, |bits| bits as i64, |value| value as u64;
    [u16; 2]: P16, |bits| [bits as u16, (bits >> 16) as u16], |value| pair(value, 16);
    [i16; 2]: P16, |bits| [bits as i16, (bits >> 16) as i16], |value| pair(value, 16);
    [u32; 2]: P32, |bits| [bits as u32, (bits >> 32) as u32], |value| pair(value, 32);
}

/// Two values in one, the first in the low half.
#[inline(always)]
fn pair<T: Value>([low, high]: [T; 2], width: u32) -> u64 {
    low.bits() | high.bits() << width
}
