//! Decodes machine code by the table of its architecture.

use crate::instruction::{
    Address, Bank, Constant, File, Immediate, Instruction, Matrices, Operand, Predicate, Register,
    Signs,
};
use crate::special;
use crate::table::{
    self, Base, Choice, Descriptor, Field, Form, Kind, Literal, Modifier, Source, Suffix, Table,
};
use std::sync::OnceLock;

/// The bytes of an instruction.
pub const SIZE: usize = 16;

const SCOREBOARDS: u8 = 6;

/// An instruction that the table does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown instruction {word:#034x} at {address:#x}")]
pub struct Unknown {
    /// Its offset in the section.
    pub address: u64,
    pub word: u128,
}

/// How the instructions of an architecture are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    Sm75,
    #[default]
    Sm80,
    /// What sm_87 and sm_88 are read by, too.
    Sm86,
    Sm89,
    Sm90,
}

const SM_75: &str = include_str!("sm75.txt");
const SM_80: &str = include_str!("sm80.txt");
const SM_86: &str = include_str!("sm86.txt");
const SM_89: &str = include_str!("sm89.txt");
const SM_90: &str = include_str!("sm90.txt");

/// The texts of each table, of which the first counts that has a name or takes a word.
const TEXTS: [&[&str]; 5] = [
    &[SM_75, SM_80],
    &[SM_80],
    &[SM_86, SM_80],
    &[SM_89, SM_86, SM_80],
    &[SM_90, SM_89, SM_86, SM_80],
];

static TABLES: [OnceLock<Table>; TEXTS.len()] = [const { OnceLock::new() }; TEXTS.len()];

impl Encoding {
    /// That of an architecture, 80 for sm_80. `None`: it is not known.
    pub fn of(architecture: u8) -> Option<Encoding> {
        match architecture {
            75 => Some(Encoding::Sm75),
            80 => Some(Encoding::Sm80),
            86..=88 => Some(Encoding::Sm86),
            89 => Some(Encoding::Sm89),
            90 => Some(Encoding::Sm90),
            _ => None,
        }
    }

    fn table(self) -> &'static Table {
        let index = self as usize;
        TABLES[index].get_or_init(|| table::parse(TEXTS[index]).unwrap_or_default())
    }

    /// Decodes a section of code. Bytes that are no whole instruction at its end are left out.
    pub fn decode_all(self, code: &[u8]) -> impl Iterator<Item = Result<Instruction, Unknown>> {
        let words = code.as_chunks::<SIZE>().0.iter().map(|bytes| u128::from_le_bytes(*bytes));
        words.zip(0u64..).map(move |(word, index)| self.decode(index * SIZE as u64, word))
    }

    /// Decodes one instruction; `address` is its offset in the section of code.
    pub fn decode(self, address: u64, word: u128) -> Result<Instruction, Unknown> {
        let forms = self.table().get(&((word & 0xfff) as u16)).map_or(&[][..], |forms| forms);
        let word = Word { bits: word, address };
        let found = forms.iter().find_map(|form| word.instruction(form));
        found.ok_or(Unknown { address, word: word.bits })
    }

    /// The lowest 12 bits of all instructions that the table has.
    pub fn opcodes(self) -> impl Iterator<Item = u16> {
        self.table().keys().copied()
    }
}

struct Word {
    bits: u128,
    address: u64,
}

/// Where a source lies.
enum Slot {
    /// Bits 32 to 63, as a register.
    Register32,
    /// Bits 64 to 71, as a register.
    Register64,
    Immediate,
    Constant,
    Uniform,
}

impl Word {
    fn bit(&self, bit: u8) -> bool {
        self.bits >> bit & 1 == 1
    }

    fn byte(&self, low: u8) -> u8 {
        (self.bits >> low) as u8
    }

    fn field(&self, bits: &[u8]) -> u64 {
        bits.iter().rev().fold(0, |value, bit| value << 1 | u64::from(self.bit(*bit)))
    }

    fn signed(&self, bits: &[u8]) -> i64 {
        let unused = 64 - bits.len() as u32;
        if unused == 64 { 0 } else { (self.field(bits) << unused) as i64 >> unused }
    }

    fn chosen<'a>(&self, choice: &'a Choice) -> Option<&'a [&'static str]> {
        choice.names.get(&self.field(&choice.bits)).map(Vec::as_slice)
    }

    fn instruction(&self, form: &Form) -> Option<Instruction> {
        if form.fixed.iter().any(|(bit, value)| self.bit(*bit) != *value) {
            return None;
        }
        let mut modifiers = Vec::new();
        for modifier in &form.modifiers {
            match modifier {
                Modifier::Always(name) => modifiers.push(*name),
                Modifier::Choice(choice) => modifiers.extend(self.chosen(choice)?),
            }
        }
        let is_uniform = form.name.starts_with('U')
            || form.name == "S2UR"
            || form.name == "SYNCS" && modifiers.contains(&"EXCH");
        let file = if is_uniform { File::Uniform } else { File::General };
        let mut guard = Predicate { file, number: self.byte(12) & 7, negated: self.bit(15) };
        if guard == (Predicate { file, ..Predicate::TRUE }) {
            guard = Predicate::TRUE;
        }
        let operands = Vec::with_capacity(form.operands.len());
        let mut instruction =
            Instruction { address: self.address, guard, opcode: form.name, modifiers, operands };
        for place in &form.operands {
            if place.beside.is_none_or(|modifier| instruction.has(modifier)) {
                self.operand(form, place, &mut instruction)?;
            }
        }
        rename(&mut instruction);
        Some(instruction)
    }

    /// Adds an operand, if it is printed. None where it makes no instruction.
    fn operand(&self, form: &Form, place: &Field, to: &mut Instruction) -> Option<()> {
        let is_left_out = |value: u64, usual: u64| {
            place.left_out.is_some_and(|number| value == number.unwrap_or(usual))
        };
        let operand = match &place.kind {
            Kind::Register { uniform, bit } => {
                let register = self.register(*uniform, *bit);
                if place.left_out.is_some() && register.is_zero() {
                    return Some(());
                }
                let signs = self.signs(place, *bit, to);
                let suffix = self.suffix(&place.suffix, *bit)?;
                Operand::Register(Register { signs, suffix, ..register })
            }
            Kind::Predicate { uniform, bit, inverted } => {
                let number = (self.byte(*bit) & 7) ^ if *inverted { 7 } else { 0 };
                let negated = !place.signs.is_empty() && self.bit(bit + 3);
                if is_left_out(number.into(), Predicate::PT.into()) && !negated {
                    return Some(());
                }
                let file = if *uniform { File::Uniform } else { File::General };
                Operand::Predicate(Predicate { file, number, negated })
            }
            Kind::Predicates { uniform } => {
                Operand::Predicates(if *uniform { File::Uniform } else { File::General })
            }
            Kind::Source { uniform, source, literal } => {
                return self.source(form, place, (*uniform, *source, *literal), to);
            }
            Kind::Unsigned(bits) => {
                let value = self.field(bits);
                if is_left_out(value, 0) {
                    return Some(());
                }
                Operand::Immediate(Immediate::Integer(value as i64))
            }
            Kind::Signed(bits) | Kind::Relative(bits) => {
                let shift = if matches!(place.kind, Kind::Relative(_)) { 2 } else { 0 };
                let value = self.signed(bits) << shift;
                if is_left_out(value as u64, 0) {
                    return Some(());
                }
                Operand::Immediate(Immediate::Integer(value))
            }
            Kind::Constant { bit, register } => {
                let offset = ((self.bits >> bit) as u16 as i16).into();
                let register = register.map(|(uniform, bit)| self.register(uniform, bit));
                // A place by no register is printed without one, but for the first.
                let register =
                    register.filter(|register| register.number != Register::RZ || offset == 0);
                let bank = Bank::Number(self.byte(54) & 31);
                Operand::Constant(Constant {
                    bank,
                    register,
                    offset,
                    signs: Signs::default(),
                    suffix: None,
                })
            }
            Kind::Bindless { bank, register } => {
                let register = register.map(|bit| self.register(false, bit));
                let register = register.filter(|register| !register.is_zero());
                let offset = (self.bits >> 38) as u16;
                let offset =
                    if register.is_some() { (offset as i16).into() } else { offset.into() };
                let bank = Bank::Bindless(self.byte(*bank) & 63);
                Operand::Constant(Constant {
                    bank,
                    register,
                    offset,
                    signs: Signs::default(),
                    suffix: None,
                })
            }
            Kind::Address { descriptor, base, uniform, offset } => {
                let place = self.place_in_memory(base.as_deref(), *uniform, offset)?;
                let descriptor = descriptor.map(|descriptor| self.descriptor(descriptor));
                Operand::Address(Address { descriptor, ..place })
            }
            Kind::Descriptor(bit) => Operand::Descriptor(self.register(true, *bit)),
            Kind::Matrices { bit, modifiers } => {
                let register = self.register(true, *bit);
                let mut matrices =
                    Matrices { register, transposed: [false; 2], negated: [false; 2] };
                for (name, is_there) in matrices.modifiers() {
                    let at = modifiers.iter().find(|(known, _)| *known == name);
                    *is_there = at.is_some_and(|(_, bit)| self.bit(*bit));
                }
                Operand::Matrices(matrices)
            }
            Kind::Label(bits) => {
                let target = self
                    .address
                    .wrapping_add(SIZE as u64)
                    .wrapping_add_signed(self.signed(bits) << 2);
                Operand::Label(target)
            }
            Kind::Absolute(bits) => Operand::Label(self.field(bits) << 2),
            Kind::Barrier(bit) => Operand::Barrier(self.byte(*bit) & 15),
            Kind::Scoreboard(bits) => match self.field(bits) as u8 {
                number @ 0..SCOREBOARDS => Operand::Scoreboard(number),
                _ => return None,
            },
            Kind::Scoreboards(bits) => match self.field(bits) as u8 {
                0 => return Some(()),
                set => Operand::Scoreboards(set),
            },
            Kind::Special(bit) => Operand::Special(special::name(self.byte(*bit))?),
            Kind::Word(choice) => match self.chosen(choice)? {
                [] => return Some(()),
                [word, ..] => match word.strip_prefix('B').and_then(|number| number.parse().ok()) {
                    Some(number) => Operand::Barrier(number),
                    None if word.starts_with("SR_") => Operand::Special(word),
                    None => Operand::Word(word),
                },
            },
        };
        to.operands.push(operand);
        Some(())
    }

    fn register(&self, uniform: bool, bit: u8) -> Register {
        if uniform {
            Register::uniform(self.byte(bit) & 63)
        } else {
            Register::general(self.byte(bit))
        }
    }

    fn descriptor(&self, descriptor: Descriptor) -> Register {
        let mut register = self.register(true, descriptor.bit);
        if descriptor.is_next {
            register.number = Register::URZ.min(register.number + 1);
        }
        register
    }

    /// The signs of what lies from a bit on.
    fn signs(&self, place: &Field, low: u8, instruction: &Instruction) -> Signs {
        let (minus, bar) = match low {
            24 => (72, 73),
            64 => (75, 74),
            _ => (63, 62),
        };
        let mut signs = Signs::default();
        for sign in &place.signs {
            // The bit that a line names is that of a register at 64, if a source may lie elsewhere.
            let named =
                sign.bit.filter(|_| !(matches!(place.kind, Kind::Source { .. }) && low == 32));
            match sign.character {
                '-' => signs.negated = self.bit(named.unwrap_or(minus)),
                '|' => signs.absolute = self.bit(named.unwrap_or(bar)),
                '~' => signs.inverted = self.bit(named.unwrap_or(minus)),
                _ if instruction.has("X") => signs.inverted = self.bit(named.unwrap_or(minus)),
                _ => signs.negated = self.bit(named.unwrap_or(minus)),
            }
        }
        signs
    }

    fn suffix(&self, suffix: &Suffix, low: u8) -> Option<Option<&'static str>> {
        Some(match suffix {
            Suffix::None => None,
            Suffix::Fixed(name) => Some(*name),
            Suffix::Choice(choice) => self.chosen(choice)?.first().copied(),
            Suffix::Half => {
                let bits = match low {
                    24 => [74, 75],
                    64 => [81, 82],
                    _ => [60, 61],
                };
                [None, Some("F32"), Some("H0_H0"), Some("H1_H1")][self.field(&bits) as usize]
            }
        })
    }

    fn source(
        &self,
        form: &Form,
        place: &Field,
        (uniform, source, literal): (bool, Source, Literal),
        to: &mut Instruction,
    ) -> Option<()> {
        let low = match form.sources {
            1 => Slot::Register32,
            2 | 4 => Slot::Immediate,
            3 | 5 => Slot::Constant,
            _ => Slot::Uniform,
        };
        let slot = match (source, form.sources) {
            (Source::S, _) | (Source::B, 1 | 4..=6) | (Source::C, 2 | 3 | 7) => low,
            _ => Slot::Register64,
        };
        let (bit, register) = match slot {
            Slot::Register64 => (64, self.register(uniform, 64)),
            Slot::Register32 => (32, self.register(uniform, 32)),
            Slot::Uniform => (32, self.register(true, 32)),
            Slot::Immediate => {
                let bits = (self.bits >> 32) as u32;
                let mut push = |immediate| to.operands.push(Operand::Immediate(immediate));
                match literal {
                    Literal::Signed => push(Immediate::Integer((bits as i32).into())),
                    Literal::Unsigned => push(Immediate::Integer(bits.into())),
                    Literal::F16 => push(Immediate::F16(bits as u16)),
                    Literal::F32 => push(Immediate::F32(bits)),
                    Literal::F64 => push(Immediate::F64(u64::from(bits) << 32)),
                    Literal::Halves => {
                        let kind = if to.has("BF16_V2") { Immediate::Bf16 } else { Immediate::F16 };
                        let halves = [(bits >> 16) as u16, bits as u16];
                        to.operands.extend(halves.map(|bits| Operand::Immediate(kind(bits))));
                    }
                }
                return Some(());
            }
            Slot::Constant => {
                const WORDS: [u8; 14] = [40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53];
                let (bank, offset) = if self.bit(91) {
                    (Bank::Bindless(self.byte(32) & 63), self.field(&WORDS) as i32)
                } else {
                    (Bank::Number(self.byte(54) & 31), self.signed(&WORDS) as i32)
                };
                let offset = offset << 2;
                let (signs, suffix) = (self.signs(place, 32, to), self.suffix(&place.suffix, 32)?);
                to.operands.push(Operand::Constant(Constant {
                    bank,
                    register: None,
                    offset,
                    signs,
                    suffix,
                }));
                return Some(());
            }
        };
        if place.left_out.is_some() && register.is_zero() {
            return Some(());
        }
        let (signs, suffix) = (self.signs(place, bit, to), self.suffix(&place.suffix, bit)?);
        to.operands.push(Operand::Register(Register { signs, suffix, ..register }));
        Some(())
    }

    fn place_in_memory(
        &self,
        base: Option<&Base>,
        uniform: Option<u8>,
        places: &[u8],
    ) -> Option<Address> {
        let uniform = uniform.map(|bit| self.register(true, bit));
        let mut offset = self.signed(places);
        let base = match base {
            None => None,
            Some(base) => {
                let register = self.register(base.uniform, base.bit);
                let mut suffix = self.suffix(&base.suffix, base.bit)?;
                if uniform.is_none()
                    && register.is_zero()
                    && matches!(base.suffix, Suffix::Choice(_))
                {
                    suffix = None;
                }
                // RZ is printed where nothing else is.
                let is_printed = match uniform {
                    Some(_) => !register.is_zero() || suffix.is_some() && !base.is_dropped,
                    None => !register.is_zero() || suffix.is_some() || offset == 0,
                };
                is_printed.then_some(Register { suffix, ..register })
            }
        };
        if base.is_none() && uniform.is_none() {
            offset = self.field(places) as i64;
        }
        Some(Address { descriptor: None, base, uniform, offset })
    }
}

/// Factors in place of which a shift is printed: powers of 2, but for the sign and, for no reason that one could see, 2^16.
fn is_shift(factor: i64) -> bool {
    factor >= 2 && factor.count_ones() == 1 && factor != 0x1_0000
}

/// Multiplications that only move, shift or add are printed as such.
fn rename(instruction: &mut Instruction) {
    if instruction.opcode != "IMAD"
        || instruction.has("WIDE")
        || instruction.has("HI")
        || instruction.has("X")
    {
        return;
    }
    let [_, a, b, c] = &instruction.operands[..] else { return };
    let is_uniform = |operand: &Operand| match operand {
        Operand::Register(register) => register.file == File::Uniform,
        Operand::Constant(constant) => matches!(constant.bank, Bank::Bindless(_)),
        _ => false,
    };
    let is_zero =
        |operand: &Operand| matches!(operand, Operand::Register(register) if register.is_zero());
    if is_uniform(b) || is_uniform(c) {
        return;
    }
    let factor = match b {
        Operand::Immediate(Immediate::Integer(value)) => Some(*value),
        _ => None,
    };
    let name = if is_zero(a) || is_zero(b) || factor == Some(0) || factor == Some(1) && is_zero(c) {
        "MOV"
    } else if factor == Some(1) {
        "IADD"
    } else if is_zero(c) && factor.is_some_and(is_shift) {
        "SHL"
    } else {
        return;
    };
    instruction.modifiers.insert(0, name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read() {
        for texts in TEXTS {
            let table = table::parse(texts).expect("a table");
            assert!(table.len() > 400, "{}", table.len());
        }
    }

    /// Words of code that ptxas makes, with the text of nvdisasm.
    #[test]
    fn words_are_what_nvdisasm_says() {
        for (word, text) in [
            (0x000fc800_078e00ff_000000ff_ff037224, "IMAD.MOV.U32 R3, RZ, RZ, RZ"),
            (0x000fca00_080e06ff_80000005_ff027e24, "IMAD.X R2, RZ, RZ, ~UR5, P0"),
            (0x040fe400_007fe4ff_00005900_02057a10, "IADD3.X R5, R2, c[0x0][0x164], RZ, P0, !PT"),
            (0x000fee00_0fffe03f_0000003f_3f3ff290, "@!UPT UIADD3 URZ, URZ, URZ, URZ"),
            (0x000ea800_0c1e1900_00000004_04047981, "LDG.E R4, [R4.64]"),
            (
                0x000fc000_0c141c44_00000000_080b7fae,
                "LDGSTS.E.BYPASS.128.ZFILL [R11], [R8.64], !P0",
            ),
            // Its shared address is a sum with a uniform register, which ptxas was not seen to make.
            (0x000fe800_0b921844_00080080_02057dae, "LDGSTS.E [R5+UR4+0x80], [R2.64+0x80]"),
            (
                0x000fc068_4d149d6e_78008484_935e9dae,
                "@!P1 LDGSTS.E.BYPASS.LTC128B.128.ZFILL.CONSTANT [R94+UR46+0x78008], desc[UR47][R147.64+0x484], !P2",
            ),
            (0x000fc180_6c14150e_e222094e_7cfb79aa, "QSPC.E.S P2, R251, [R124.64+UR14+-0x1dddf7]"),
            (
                0x000fc800_00040804_94009400_05047831,
                "HFMA2 R4, R5.H0_H0, -0.0009765625, -0.0009765625, R4.H0_H0",
            ),
            (0x001fee00_00041804_00000002_0810723c, "HMMA.16816.F32.BF16 R16, R8, R2, R4"),
            (0x000fea00_03c3ffff_fffffde0_02007950, "RET.REL.NODEC R2 -0x210"),
            (0x000fd800_0b800000_00000072_06007947, "BRA.DIV UR6, 0x80"),
        ] {
            assert_eq!(
                Encoding::Sm80.decode(0, word).map(|instruction| instruction.to_string()),
                Ok(text.to_owned())
            );
        }
    }

    #[test]
    fn accesses_of_sm_75_have_modifiers_of_their_own() {
        for (word, text) in [
            (0x000e_a200_001e_6100_0000_0000_0400_7381, "LDG.E.U8.CONSTANT.SYS R0, [R4]"),
            (0x000e_a800_001f_6900_0000_0000_0200_7381, "LDG.E.STRONG.SYS R0, [R2]"),
            (0x000e_2400_0000_5800_0001_0000_0403_0984, "@P0 LDS.U R3, [R4.X4+0x100]"),
            (0x0001_e400_0011_4100_0000_0005_0200_098e, "@P0 RED.E.ADD.STRONG.GPU [R2], R5"),
            (0x0001_e200_0010_e900_0000_0007_0200_0386, "@P0 STG.E.SYS [R2], R7"),
            (
                0x000f_6400_0001_5414_0000_000c_0a14_7236,
                "HMMA.884.F32.F32.STEP2 R20, R10.ROW, R12.COL, R20",
            ),
        ] {
            let decoded = Encoding::Sm75.decode(0, word);
            assert_eq!(decoded.map(|instruction| instruction.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn unknown_words_say_where_they_are() {
        let code = [[0; SIZE], [0xff; SIZE]].concat();
        let errors: Vec<_> = Encoding::Sm80.decode_all(&code).filter_map(Result::err).collect();
        assert_eq!(errors.len(), 2);
        assert_eq!(
            errors[1].to_string(),
            "unknown instruction 0xffffffffffffffffffffffffffffffff at 0x10"
        );
    }
}
