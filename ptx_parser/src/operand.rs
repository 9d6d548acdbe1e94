//! Operands of instructions.

use crate::modifier::{ScalarType, VectorSize};
use crate::special_register::SpecialRegister;

/// An operand that is not an address in brackets.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand<'a> {
    /// A register, a variable, a parameter, a function or a label; scopes decide which.
    Name(&'a str),
    /// `v.x`: one element of a vector register.
    Component(&'a str, Component),
    Special(SpecialRegister),
    Immediate(Immediate),
    /// `variable+4`
    Offset(Box<Address<'a>>),
    /// `{a, b, c, d}`
    Vector(Box<[Operand<'a>]>),
    /// `_`: a result that nobody wants.
    Sink,
    /// `!p`, of any predicate that is read.
    Not(&'a str),
    /// `-a`, in video instructions only.
    Minus(&'a str),
}

/// `[base+offset]`, `[base]`, or `[offset]`; and `base[index]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Address<'a> {
    /// A register or a variable; none in an absolute address.
    pub base: Option<&'a str>,
    /// The element of an array, whose number is in a register.
    pub index: Option<Index<'a>>,
    /// Bytes. The bits of an absolute address, where there is no base.
    pub offset: i64,
}

/// `register` in `array[register+1]`. The number of the element has 32 bits, and so has its distance in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Index<'a> {
    pub register: &'a str,
    /// Bytes of an element.
    pub size: u32,
}

impl<'a> Address<'a> {
    pub fn new(base: Option<&'a str>, offset: i64) -> Self {
        Address { base, index: None, offset }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    X,
    Y,
    Z,
    W,
}

impl Component {
    /// Also knows the colour names of texture results.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "x" | "r" => Some(Component::X),
            "y" | "g" => Some(Component::Y),
            "z" | "b" => Some(Component::Z),
            "w" | "a" => Some(Component::W),
            _ => None,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Component::X => "x",
            Component::Y => "y",
            Component::Z => "z",
            Component::W => "w",
        }
    }

    /// 0 for `x` to 3 for `w`.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A constant; constant expressions are evaluated when they are parsed.
#[derive(Clone, Copy, Debug)]
pub enum Immediate {
    S64(i64),
    U64(u64),
    /// The bits of `0f3F800000`.
    F32(u32),
    /// The bits of `0d...`, or a decimal like `1.5`.
    F64(u64),
}

impl PartialEq for Immediate {
    /// By value and kind; a positive integer is the same whether it is signed or not.
    fn eq(&self, other: &Self) -> bool {
        match (self.integer(), other.integer()) {
            (Some(a), Some(b)) => a == b,
            (None, None) => match (self, other) {
                (Immediate::F32(a), Immediate::F32(b)) => a == b,
                (Immediate::F64(a), Immediate::F64(b)) => a == b,
                _ => false,
            },
            _ => false,
        }
    }
}

impl Immediate {
    /// The value of an integer.
    pub fn integer(self) -> Option<i128> {
        match self {
            Immediate::S64(v) => Some(v.into()),
            Immediate::U64(v) => Some(v.into()),
            _ => None,
        }
    }

    /// The bits of an integer, in two's complement.
    pub fn integer_bits(self) -> Option<u64> {
        match self {
            Immediate::S64(v) => Some(v as u64),
            Immediate::U64(v) => Some(v),
            _ => None,
        }
    }

    /// The value as the 64 low bits of an operand of `type_`, as ptxas reads it: integers are cut to
    /// size, `.f32` operands take doubles rounded to nearest, `.f64` operands the bits of a single as they are,
    /// untyped operands the bits of either.
    /// None where the constant does not fit the type (an integer for `.f32`, a float for `.s32`).
    pub fn bits(self, type_: ScalarType) -> Option<u64> {
        use ScalarType::*;
        let value = match (self, type_) {
            (Immediate::S64(_) | Immediate::U64(_), F32 | F64) => return None,
            (Immediate::S64(_) | Immediate::U64(_), _) => self.integer_bits()?,
            (Immediate::F32(bits), F32 | F64 | B32) => bits.into(),
            (Immediate::F64(bits), F32) => (f64::from_bits(bits) as f32).to_bits().into(),
            (Immediate::F64(bits), F64 | B64) => bits,
            _ => return None,
        };
        Some(match type_.bits() {
            bits @ 1..64 => value & ((1 << bits) - 1),
            _ => value,
        })
    }
}

impl VectorSize {
    /// The number of elements.
    pub fn elements(self) -> usize {
        match self {
            VectorSize::V2 => 2,
            VectorSize::V4 => 4,
            VectorSize::V8 => 8,
        }
    }
}

impl ScalarType {
    /// Width in bits; 0 for the opaque types.
    pub fn bits(self) -> u32 {
        use ScalarType::*;
        match self {
            Pred | B1 => 1,
            B2 | U2 | S2 => 2,
            B4 | U4 | S4 | E2m1 => 4,
            E2m3 | E3m2 => 6,
            B8 | U8 | S8 | E4m3 | E5m2 | E2m1x2 | Ue8m0 | Ue4m3 => 8,
            B16 | U16 | S16 | F16 | Bf16 | E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | Ue8m0x2 | E2m1x4
            | S2f6x2 => 16,
            B32 | U32 | S32 | F32 | F16x2 | Bf16x2 | Tf32 | U16x2 | S16x2 | U8x4 | S8x4
            | E4m3x4 | E5m2x4 | E2m3x4 | E3m2x4 => 32,
            B64 | U64 | S64 | F64 | F32x2 => 64,
            B128 | B8x16 | B6x16P32 | B4x16P64 => 128,
            B1024 => 1024,
            Texref | Samplerref | Surfref => 0,
        }
    }

    /// Size in memory, in bytes.
    pub fn size(self) -> u32 {
        match self {
            ScalarType::Texref | ScalarType::Samplerref | ScalarType::Surfref => 8,
            _ => self.bits().div_ceil(8),
        }
    }

    /// The integer type of twice the width: the result of `mul.wide`.
    pub fn doubled(self) -> Option<ScalarType> {
        use ScalarType::*;
        Some(match self {
            U8 => U16,
            U16 => U32,
            U32 => U64,
            S8 => S16,
            S16 => S32,
            S32 => S64,
            _ => return None,
        })
    }

    /// `.s8` to `.s64`, `.s16x2` and `.s8x4`.
    pub fn is_signed(self) -> bool {
        use ScalarType::*;
        matches!(self, S2 | S4 | S8 | S16 | S32 | S64 | S16x2 | S8x4)
    }

    /// Types of floating-point arithmetic.
    pub fn is_float(self) -> bool {
        use ScalarType::*;
        matches!(self, F16 | F16x2 | F32 | F32x2 | F64 | Bf16 | Bf16x2 | Tf32)
    }
}

/// The way in which an instruction uses an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    Write,
}
