//! An instruction of machine code, as nvdisasm's text has it, complete and without loss.
//!
//! `@!P0 IMAD.WIDE.U32 R16, R3, -R16, c[0x0][0x160] ;` is the guard `!P0`, the opcode `IMAD`, the modifiers `WIDE` and `U32`
//! in the order in which they are printed, and four operands. What is left out is what an executor in program order has no use
//! for: the bits of scheduling with the `.reuse` of operands, and the notes that begin with `&` or `?`.
//!
//! [`Display`](fmt::Display) prints nvdisasm's text of a raw binary, where targets of branches are addresses.

use std::fmt::{self, Display, Formatter};

/// One instruction of 16 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Where it lies in its section of code, in bytes.
    pub address: u64,
    /// Threads for which it holds execute the instruction; [`Predicate::TRUE`] where nothing is printed.
    pub guard: Predicate,
    /// The name before the first dot, such as `IMAD`.
    pub opcode: &'static str,
    /// The names behind the dots, in printed order: `WIDE`, `U32`.
    pub modifiers: Vec<&'static str>,
    /// As printed, results first. Operands that nvdisasm leaves out, such as a predicate of a carry that is `PT`, are left out
    /// here too.
    pub operands: Vec<Operand>,
}

impl Instruction {
    /// Whether a modifier is among those printed.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }
}

/// What stands between two commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// `R5`, `-R5.H0_H0`, `|RZ|`, `UR4`, `~UR6`
    Register(Register),
    /// `P0`, `!PT`, `UP1`
    Predicate(Predicate),
    /// `PR` (general) and `UPR` (uniform): all predicates of a file as the bits of a word.
    Predicates(File),
    /// `0x10`, `-0x8`, `1.5`, `+INF`
    Immediate(Immediate),
    /// `c[0x0][0x160]`, `-|c[0x2][R4+0x8]|`
    Constant(Constant),
    /// `[R2.64+UR4+0x10]`
    Address(Address),
    /// `desc[UR4]`: a descriptor alone, which says how to cache
    Descriptor(Register),
    /// `gdesc[UR4].tnspB`: where matrices of a warp group lie
    Matrices(Matrices),
    /// The place to which a branch goes, a [BSSY] waits or a return belongs: an offset in the section of code. Printed as
    /// `0x1a0` or as `` `(.L_x_0) ``.
    ///
    /// [BSSY]: https://docs.nvidia.com/cuda/cuda-binary-utilities/
    Label(u64),
    /// `SR_TID.X`, with all of its name.
    Special(&'static str),
    /// `B0`: a barrier of convergence.
    Barrier(u8),
    /// `SB0`: a scoreboard.
    Scoreboard(u8),
    /// `{4,3,1}`: bit n stands for scoreboard n.
    Scoreboards(u8),
    /// Any other word, such as `2D` of a texture or `ATEXIT_PC.LO`.
    Word(&'static str),
}

/// Descriptors of matrices in shared memory, each in two uniform registers: that of the first factor from this one on, which may be left
/// out, and that of the second behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrices {
    pub register: Register,
    /// `.tnspA`, `.tnspB`
    pub transposed: [bool; 2],
    /// `.negA`, `.negB`
    pub negated: [bool; 2],
}

impl Matrices {
    /// The modifiers as they are printed, and whether they are there.
    pub(crate) fn modifiers(&mut self) -> [(&'static str, &mut bool); 4] {
        let ([tnsp_a, tnsp_b], [neg_a, neg_b]) = (&mut self.transposed, &mut self.negated);
        [("negA", neg_a), ("negB", neg_b), ("tnspA", tnsp_a), ("tnspB", tnsp_b)]
    }
}

/// A file of registers or of predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum File {
    /// One for each thread: `R`, `P`.
    General,
    /// One for each warp: `UR`, `UP`.
    Uniform,
}

/// What is applied to an operand before the operation: first the absolute value, then the minus; or the complement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signs {
    /// `-x`
    pub negated: bool,
    /// `|x|`
    pub absolute: bool,
    /// `~x`, the complement of all bits
    pub inverted: bool,
}

/// A register, and the first of several where the instruction takes a pair, three or four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    pub file: File,
    /// [`Register::RZ`] or [`Register::URZ`], by file, reads as zero and forgets what is written.
    pub number: u8,
    pub signs: Signs,
    /// What is printed behind a dot: `64`, `U32`, `X4`, `H0_H0`, `B1` and others; behind the bars of a general register
    /// (`|R4|.H0_H0`), inside those of a uniform one (`|UR4.H0_H0|`).
    pub suffix: Option<&'static str>,
}

impl Register {
    pub const RZ: u8 = 255;
    pub const URZ: u8 = 63;
    /// The register that says where a function's part of the thread's own memory is.
    pub const STACK: u8 = 1;

    /// `Rn`
    pub const fn general(number: u8) -> Self {
        let signs = Signs { negated: false, absolute: false, inverted: false };
        Self { file: File::General, number, signs, suffix: None }
    }

    /// `URn`
    pub const fn uniform(number: u8) -> Self {
        Self { file: File::Uniform, ..Self::general(number) }
    }

    /// Whether it is `RZ` or `URZ`, signs aside.
    pub const fn is_zero(&self) -> bool {
        match self.file {
            File::General => self.number == Self::RZ,
            File::Uniform => self.number == Self::URZ,
        }
    }
}

/// A predicate, and whether its opposite is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    pub file: File,
    /// [`Predicate::PT`] reads as true and forgets what is written, in both files.
    pub number: u8,
    pub negated: bool,
}

impl Predicate {
    pub const PT: u8 = 7;
    /// `PT`
    pub const TRUE: Self = Self { file: File::General, number: Self::PT, negated: false };
}

/// A number in the instruction. Floating point stands as its bits, so that NaNs keep theirs; `bits` of an integer are those of
/// two's complement in 64 bits, as its printed sign says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Immediate {
    /// `0x10`, `-0x8`; whether the instruction takes it as signed or not is the instruction's.
    Integer(i64),
    /// `1`, `-QNAN`: the bits of a binary16, in HADD2, HMUL2, HFMA2 and HSETP2, where two stand side by side, the upper half
    /// first.
    F16(u16),
    /// The same of a bfloat16.
    Bf16(u16),
    /// The bits of a binary32.
    F32(u32),
    /// The bits of a binary64, whose lower 32 are zero.
    F64(u64),
}

/// The number of a bank, or the uniform register (first of a pair) that describes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bank {
    /// `c[0x3][..]`
    Number(u8),
    /// `cx[UR4][..]`
    Bindless(u8),
}

/// A value in a constant bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constant {
    pub bank: Bank,
    /// What is added to the offset in a load (`c[0x3][R4+0x8]`).
    pub register: Option<Register>,
    /// In bytes.
    pub offset: i32,
    pub signs: Signs,
    /// As [`Register::suffix`], but printed inside of the bars: `|c[0x0][0x8].H0_H0|`.
    pub suffix: Option<&'static str>,
}

/// A place in memory: `[R2.64+UR4+0x10]`, `desc[UR4][R2.64+0x10]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The uniform register of a descriptor (sm_90 on).
    pub descriptor: Option<Register>,
    /// A register with its suffix: `64` for an address in two registers, `U32` for one that is extended with zeros, `X4`, `X8`
    /// and `X16` for one that is multiplied. None where nothing is printed.
    pub base: Option<Register>,
    /// What is added.
    pub uniform: Option<Register>,
    /// In bytes.
    pub offset: i64,
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        if self.guard != Predicate::TRUE {
            write!(f, "@{} ", self.guard)?;
        }
        f.write_str(self.opcode)?;
        self.modifiers.iter().try_for_each(|modifier| write!(f, ".{modifier}"))?;
        for (index, operand) in self.operands.iter().enumerate() {
            // A register and the place to which it is relative stand side by side: `RET.REL.NODEC R4 0x0`.
            let beside = index > 0
                && matches!(self.opcode, "RET" | "BRX" | "BRXU" | "JMX" | "JMXU" | "CALL")
                && matches!(self.operands[index - 1], Operand::Register(_))
                && matches!(operand, Operand::Label(_) | Operand::Immediate(_));
            f.write_str(if index == 0 || beside { " " } else { ", " })?;
            operand.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::Register(register) => register.fmt(f),
            Self::Predicate(predicate) => predicate.fmt(f),
            Self::Predicates(file) => write!(f, "{}PR", prefix(*file)),
            Self::Immediate(immediate) => immediate.fmt(f),
            Self::Constant(constant) => constant.fmt(f),
            Self::Address(address) => address.fmt(f),
            Self::Descriptor(register) => write!(f, "desc[{register}]"),
            Self::Matrices(matrices) => {
                write!(f, "gdesc[{}]", matrices.register)?;
                let mut matrices = *matrices;
                let printed = matrices.modifiers().into_iter().filter(|(_, is_there)| **is_there);
                printed.into_iter().try_for_each(|(name, _)| write!(f, ".{name}"))
            }
            Self::Label(address) => Hexadecimal(*address as i64).fmt(f),
            Self::Special(name) | Self::Word(name) => f.write_str(name),
            Self::Barrier(number) => write!(f, "B{number}"),
            Self::Scoreboard(number) => write!(f, "SB{number}"),
            Self::Scoreboards(set) => {
                let numbers: Vec<_> =
                    (0..8).rev().filter(|n| set >> n & 1 == 1).map(|n| n.to_string()).collect();
                write!(f, "{{{}}}", numbers.join(","))
            }
        }
    }
}

fn prefix(file: File) -> &'static str {
    match file {
        File::General => "",
        File::Uniform => "U",
    }
}

impl Signs {
    fn around(self, f: &mut Formatter, inner: &dyn Display) -> fmt::Result {
        let bar = if self.absolute { "|" } else { "" };
        let minus = if self.negated { "-" } else { "" };
        let tilde = if self.inverted { "~" } else { "" };
        write!(f, "{minus}{tilde}{bar}{inner}{bar}")
    }
}

struct Suffix(Option<&'static str>);

impl Display for Suffix {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.0.map_or(Ok(()), |suffix| write!(f, ".{suffix}"))
    }
}

impl Display for Register {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let file = prefix(self.file);
        let suffix = Suffix(self.suffix);
        let (inside, behind) = match self.file {
            File::General => (Suffix(None), suffix),
            File::Uniform => (suffix, Suffix(None)),
        };
        if self.is_zero() {
            self.signs.around(f, &format_args!("{file}RZ{inside}"))?;
        } else {
            self.signs.around(f, &format_args!("{file}R{}{inside}", self.number))?;
        }
        behind.fmt(f)
    }
}

impl Display for Predicate {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let file = prefix(self.file);
        f.write_str(if self.negated { "!" } else { "" })?;
        if self.number == Self::PT {
            write!(f, "{file}PT")
        } else {
            write!(f, "{file}P{}", self.number)
        }
    }
}

/// A signed number as nvdisasm prints it: `0x10`, `-0x8`.
struct Hexadecimal(i64);

impl Display for Hexadecimal {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{}{:#x}", if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs())
    }
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        struct Inner<'a>(&'a Constant);
        impl Display for Inner<'_> {
            fn fmt(&self, f: &mut Formatter) -> fmt::Result {
                match self.0.bank {
                    Bank::Number(number) => write!(f, "c[{number:#x}]")?,
                    Bank::Bindless(number) => write!(f, "cx[{}]", Register::uniform(number))?,
                }
                let offset = Hexadecimal(self.0.offset.into());
                match self.0.register {
                    None => write!(f, "[{offset}]")?,
                    Some(register) if self.0.offset == 0 => write!(f, "[{register}]")?,
                    Some(register) => write!(f, "[{register}+{offset}]")?,
                }
                Suffix(self.0.suffix).fmt(f)
            }
        }
        self.signs.around(f, &Inner(self))
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        if let Some(descriptor) = &self.descriptor {
            write!(f, "desc[{descriptor}]")?;
        }
        f.write_str("[")?;
        let mut between = "";
        for register in [&self.base, &self.uniform].into_iter().flatten() {
            write!(f, "{between}{register}")?;
            between = "+";
        }
        if self.offset != 0 || between.is_empty() {
            write!(f, "{between}{}", Hexadecimal(self.offset))?;
        }
        f.write_str("]")
    }
}

impl Display for Immediate {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match *self {
            Self::Integer(value) => Hexadecimal(value).fmt(f),
            Self::F16(bits) => floating(f, widen(bits.into(), 5, 10), bits & 0x200 != 0),
            Self::Bf16(bits) => {
                floating(f, f32::from_bits(u32::from(bits) << 16).into(), bits & 0x40 != 0)
            }
            Self::F32(bits) => floating(f, f32::from_bits(bits).into(), bits & 0x40_0000 != 0),
            Self::F64(bits) => floating(f, f64::from_bits(bits), bits & (1 << 51) != 0),
        }
    }
}

/// Prints a floating-point number: the shortest decimal text that names it, or `+INF`, `-QNAN` and the like.
fn floating(f: &mut Formatter, value: f64, is_quiet: bool) -> fmt::Result {
    let sign = if value.is_sign_negative() { "-" } else { "+" };
    if value.is_nan() {
        write!(f, "{sign}{}NAN", if is_quiet { "Q" } else { "S" })
    } else if value.is_infinite() {
        write!(f, "{sign}INF")
    } else {
        write!(f, "{value}")
    }
}

/// A number of few bits as binary64, in which it has the same value.
fn widen(bits: u64, exponent: u32, fraction: u32) -> f64 {
    let sign = if bits >> (exponent + fraction) & 1 == 1 { -1.0 } else { 1.0 };
    let field = (bits >> fraction & ((1 << exponent) - 1)) as i32;
    let part = (bits & ((1 << fraction) - 1)) as f64 / (1u64 << fraction) as f64;
    let bias = (1 << (exponent - 1)) - 1;
    match field {
        0 => sign * part * 2f64.powi(1 - bias),
        _ if field == (1 << exponent) - 1 && part == 0.0 => sign * f64::INFINITY,
        _ if field == (1 << exponent) - 1 => f64::NAN.copysign(sign),
        _ => sign * (1.0 + part) * 2f64.powi(field - bias),
    }
}
