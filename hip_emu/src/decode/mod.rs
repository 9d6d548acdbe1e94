//! From machine code to [`Instruction`]s, through the text that LLVM prints.
//!
//! - [`text`]: the text taken apart; [`operand`]: what operands mean.
//! - [`vector`], [`scalar`], [`memory`], [`lane`], [`matrix`]: the families, each with the structure that the machine runs.
//!
//! An unknown instruction becomes [`Code::Unknown`], which ends a launch that comes to it.

pub mod lane;
pub mod matrix;
pub mod memory;
pub mod operand;
pub mod scalar;
pub mod text;
pub mod vector;

use llvm_zluda::Disassembler;

use crate::arch::Arch;
use crate::isa;
use lane::{CrossLane, Permute};
use matrix::Multiply;
use memory::{LdsExchange, Memory, ScalarLoad};
use operand::{ACCUMULATION, Registers, sgpr};
use scalar::{Branch, Clock, Jump, SaveExec, Scalar, Status};
use text::{Error, Text};
use vector::Vector;

/// An instruction, ready to run.
#[derive(Debug)]
pub struct Instruction {
    /// Words of code.
    pub words: u8,
    pub named: Named,
    pub code: Code,
}

/// The number of registers of each kind that there are, or have to be: one more than the highest that is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Named {
    pub vector: u16,
    pub accumulation: u16,
    /// Without those that have names of their own.
    pub scalar: u16,
}

impl Named {
    /// More than any GPU has.
    pub const ALL: Named = Named { vector: u16::MAX, accumulation: u16::MAX, scalar: u16::MAX };

    /// Whether these are among `others`.
    #[inline(always)]
    pub fn are_among(&self, others: &Named) -> bool {
        self.vector <= others.vector
            && self.accumulation <= others.accumulation
            && self.scalar <= others.scalar
    }

    /// Those of an instruction's text.
    fn of(text: &str) -> Named {
        let mut named = Named::default();
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && !"[:]_".contains(c)) {
            let (place, end) = match operand::registers(word) {
                Some(Registers::Vector { first, count }) if first < ACCUMULATION => {
                    (&mut named.vector, first + count)
                }
                Some(Registers::Vector { first, count }) => {
                    (&mut named.accumulation, first + count - ACCUMULATION)
                }
                Some(Registers::Scalar { first, count }) if first < sgpr::VCC => {
                    (&mut named.scalar, u16::from(first + count))
                }
                _ => continue,
            };
            *place = end.max(*place);
        }
        named
    }

    /// One more than the highest row of vector registers.
    fn rows(&self) -> usize {
        match self.accumulation {
            0 => self.vector.into(),
            count => (ACCUMULATION + count).into(),
        }
    }
}

/// The operation of an instruction.
#[derive(Debug)]
pub enum Code {
    /// Nothing that can be seen: waits, hints.
    Nothing,
    /// All memory accesses before come before those after.
    Fence,
    /// Others may run.
    Yield,
    Barrier,
    /// Arrives at the barrier, without waiting.
    BarrierSignal,
    BarrierWait,
    End,
    Trap(u32),
    Scalar(Box<Scalar>),
    SaveExec(Box<SaveExec>),
    Branch(Branch),
    Jump(Box<Jump>),
    Status(Box<Status>),
    Clock(Clock),
    Vector(Box<Vector>),
    /// Both read their sources before either writes.
    Dual(Box<[Vector; 2]>),
    Matrix(Box<Multiply>),
    CrossLane(Box<CrossLane>),
    Permute(Box<Permute>),
    Memory(Box<Memory>),
    LdsExchange(Box<LdsExchange>),
    ScalarLoad(Box<ScalarLoad>),
    /// An instruction that the emulator does not know: why, and the text.
    Unknown(Box<str>),
}

/// The padding behind code.
const S_CODE_END: u32 = 0xbf9f_0000;

/// Code, ready to run.
#[derive(Debug, Default)]
pub struct Program {
    /// One a word.
    pub instructions: Vec<Instruction>,
    /// The address of the first.
    pub address: u64,
    /// One more than the highest vector register that is named.
    pub registers: usize,
}

impl Program {
    /// The address of a word of code.
    pub fn address_of(&self, word: usize) -> u64 {
        self.address.wrapping_add(4 * word as u64)
    }

    /// The word of code at an address.
    pub fn word_of(&self, address: u64) -> Option<usize> {
        let offset = address.checked_sub(self.address)?;
        let word = usize::try_from(offset / 4).ok()?;
        (offset.is_multiple_of(4) && word < self.instructions.len()).then_some(word)
    }
}

/// Decodes the code of a text section, which lies at `address`.
pub fn decode(arch: &Arch, bytes: &[u8], address: u64) -> Result<Program, Error> {
    let disassembler = Disassembler::new("amdgcn-amd-amdhsa", &arch.name, "")
        .map_err(|error| error.to_string())?;
    let unknown = |why: &str| {
        let code = Code::Unknown(why.into());
        Instruction { words: 1, named: Named::default(), code }
    };
    let mut code = Vec::with_capacity(bytes.len() / 4);
    let mut registers = 4;
    let mut at = 0;
    while at + 4 <= bytes.len() {
        let rest = &bytes[at..];
        let word = u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]);
        if word == S_CODE_END || word == 0 {
            code.push(unknown("no instruction: padding"));
            at += 4;
            continue;
        }
        let Some((text, size)) = disassembler.decode(rest, address + at as u64) else {
            code.push(unknown("no instruction of this processor"));
            at += 4;
            continue;
        };
        let words = (size / 4).max(1);
        let named = Named::of(&text);
        registers = registers.max(named.rows());
        let parsed = parse(arch, &text, word);
        let parsed = parsed.unwrap_or_else(|why| Code::Unknown(format!("`{text}`: {why}").into()));
        code.push(Instruction { words: words as u8, named, code: parsed });
        // Nobody jumps into the middle of an instruction.
        code.extend((1..words).map(|_| unknown("the middle of an instruction")));
        at += words * 4;
    }
    Ok(Program { instructions: code, address, registers })
}

/// An instruction from its text; `word` is the first of its code.
pub fn parse(arch: &Arch, text: &str, word: u32) -> Result<Code, Error> {
    if let Some((x, y)) = text.split_once(" :: ") {
        let half = |text: &str| {
            let text = text.trim().replacen("v_dual_", "v_", 1);
            let text = text.replacen("v_dot2acc_", "v_dot2c_", 1);
            Vector::parse(arch, &Text::new(&text))
        };
        return Ok(Code::Dual(Box::new([half(x)?, half(y)?])));
    }
    let text = Text::new(text);
    let name = text.mnemonic;
    let code = match name.split('_').next().unwrap_or_default() {
        "s" => scalar::parse(arch, &text)?,
        "v" => match lane::parse(arch, &text)?
            .map_or_else(|| matrix::parse(arch, &text), |code| Ok(Some(code)))?
        {
            Some(code) => code,
            None => Code::Vector(Box::new(Vector::parse(arch, &text)?)),
        },
        "global" | "flat" | "scratch" | "buffer" | "ds" => memory::parse(arch, &text, word)?,
        _ => return Err("mnemonic".to_owned()),
    };
    if !matches!(code, Code::Nothing | Code::Fence) {
        text.finish()?;
    }
    Ok(code)
}

/// The meaning of a vector instruction, or that there is none.
fn vector_operation(
    arch: &Arch,
    name: &str,
    saturates: bool,
) -> Result<&'static isa::Operation, Error> {
    // Formats of eight bits of its own have operations of their own.
    if arch.has_unsigned_zeros()
        && let Some(found) = isa::vector(&format!("{name}_fnuz"))
    {
        return Ok(found);
    }
    let found = if saturates { isa::saturating(name) } else { isa::vector(name) };
    found.ok_or_else(|| "mnemonic".to_owned())
}
