//! The tables that `isa!` makes: static descriptions of forms, and the values that fill them.
//!
//! Parsing, printing and queries are written once over these; generated code only moves values
//! between a struct and its [`Codes`] and [`Values`].

use super::Instruction;
use crate::modifier::{Modifier, MulMode, ScalarType};
use crate::operand::{Address, Operand};

pub(crate) const MAX_FIELDS: usize = 20;
pub(crate) const MAX_OPERANDS: usize = 12;

/// For each modifier field: 0 where absent, else 1 + the index of its word in the field's enum.
pub(crate) type Codes = [u16; MAX_FIELDS];
pub(crate) type Values<'a> = [Value<'a>; MAX_OPERANDS];

pub(crate) struct Spec {
    /// The struct's name.
    pub name: &'static str,
    pub fields: &'static [FieldSpec],
    pub operands: &'static [OperandSpec],
    pub forms: &'static [Form],
    /// Words that are taken and mean nothing.
    pub ignored: &'static [&'static str],
    pub rules: &'static [Rule],
    pub build: for<'a> fn(&Codes, &mut Values<'a>) -> Option<Instruction<'a>>,
}

impl Spec {
    /// The word that `codes` give to a field; none where it is absent.
    pub fn word(&self, codes: &Codes, field: &str) -> Option<&'static str> {
        let index = self.fields.iter().position(|f| f.name == field)?;
        self.fields[index].words.get(usize::from(codes[index]).checked_sub(1)?).copied()
    }

    /// The values that an operand may have; none for an operand that is no constant.
    pub fn constants(&self, codes: &Codes, operand: &OperandSpec) -> Option<&'static Constants> {
        let words = |field: usize| {
            let words = self.fields.get(field).map_or(&[][..], |f| f.words);
            usize::from(codes[field]).checked_sub(1).and_then(|c| words.get(c).copied())
        };
        let atom = |atom: &Condition| match atom {
            Condition::Word(word) => (0..self.fields.len()).any(|f| words(f) == Some(*word)),
            Condition::Field(field, word) => words(*field) == Some(*word),
            Condition::Operand(..) => false,
        };
        let holds = |c: &&Constants| c.when.iter().all(|t| t.any.iter().any(atom) != t.not);
        operand.constants.iter().find(holds)
    }

    /// Whether the mnemonic has a word that is a field of its own.
    pub fn flag(&self, codes: &Codes, field: &str) -> bool {
        self.fields.iter().position(|f| f.name == field).is_some_and(|i| codes[i] != 0)
    }
}

pub(crate) struct FieldSpec {
    pub name: &'static str,
    /// All words of the field's enum; none for a flag.
    pub words: &'static [&'static str],
}

pub(crate) struct OperandSpec {
    pub name: &'static str,
    /// The sources of its type: the first that is there.
    pub types: &'static [TypeRule],
    pub write: bool,
    /// The values that it may have as a constant: the first whose condition holds.
    pub constants: &'static [Constants],
    /// Of the variable that an address names.
    pub space: Option<SpaceRule>,
}

/// An operand that is a constant.
pub(crate) struct Constants {
    /// A register will do too.
    pub registers: bool,
    pub ranges: &'static [Range],
    /// All of these hold.
    pub when: &'static [Term],
}

pub(crate) struct Range {
    pub first: i64,
    pub last: i64,
    pub step: i64,
}

impl Constants {
    /// One of the values.
    pub fn any(&self) -> Option<i64> {
        let range = self.ranges.last()?;
        Some(if range.first == i64::MIN { range.last } else { range.first })
    }

    /// Whether a value lies in one of the ranges, on a step.
    pub fn contain(&self, value: i128) -> bool {
        self.ranges.iter().any(|r| {
            let (first, last) = (i128::from(r.first), i128::from(r.last));
            let start = if r.first == i64::MIN { 0 } else { first };
            (first..=last).contains(&value) && (value - start) % i128::from(r.step) == 0
        })
    }
}

pub(crate) enum SpaceRule {
    Field(usize),
    Fixed(&'static str),
}

pub(crate) enum TypeRule {
    Field(usize),
    /// A literal.
    Fixed(&'static str),
    /// The type in the first field, doubled if the second is `.wide`.
    Wide(usize, usize),
}

impl OperandSpec {
    /// Its type (that of each element, where it is a vector).
    pub fn type_(&self, codes: &Codes) -> Option<ScalarType> {
        self.types.iter().find_map(|rule| match rule {
            TypeRule::Field(field) => ScalarType::from_code(codes[*field]),
            TypeRule::Fixed(word) => ScalarType::from_word(word),
            TypeRule::Wide(type_, mode) => {
                let type_ = ScalarType::from_code(codes[*type_])?;
                let wide = MulMode::from_code(codes[*mode]) == Some(MulMode::Wide);
                Some(if wide { type_.doubled()? } else { type_ })
            }
        })
    }
}

/// A need of an instruction's forms, or words that never stand together, beyond what the forms say.
pub(crate) struct Rule {
    /// An instruction for which `when` holds is wrong.
    pub never: bool,
    /// The version and the targets are the first that no longer have it.
    pub gone: bool,
    /// The least PTX version; 0.0 for any.
    pub version: (u16, u16),
    /// Targets, of which one has to cover that of the module; none for any.
    pub targets: &'static [&'static str],
    /// All of these hold.
    pub when: &'static [Term],
}

pub(crate) struct Term {
    pub not: bool,
    pub any: &'static [Condition],
}

pub(crate) enum Condition {
    /// A word of the mnemonic.
    Word(&'static str),
    /// The word of a field.
    Field(usize, &'static str),
    Operand(usize, OperandKind),
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // Tables name those that they need.
pub(crate) enum OperandKind {
    Present,
    Sink,
    Vector,
    Immediate,
}

/// One line of the manual.
pub(crate) struct Form {
    /// The first word of the mnemonic.
    pub opcode: &'static str,
    /// The number of modifiers that belong to the name: they come first and in order.
    pub name: usize,
    pub modifiers: &'static [Slot],
    pub operands: &'static [OperandSlot],
}

/// A modifier of a form: a literal (one word) or a choice.
pub(crate) struct Slot {
    pub words: &'static [&'static str],
    /// The index of the field that takes its value; none where every form has the same word.
    pub field: Option<usize>,
    pub optional: bool,
}

/// An operand of a form.
pub(crate) struct OperandSlot {
    /// One operand; several for `[a, b]`.
    pub fields: &'static [usize],
    pub bracket: bool,
    /// `{a, b}`
    pub vector: bool,
    pub optional: bool,
    /// `{!}a`
    pub not: bool,
    /// `{-}a`
    pub minus: bool,
    /// `a|p`, and whether `|p` is optional.
    pub pair: Option<(usize, bool)>,
    /// `a{.sel}`
    pub suffix: Option<Slot>,
}

/// A parsed operand on its way into a struct.
#[derive(Debug, Default)]
pub(crate) enum Value<'a> {
    #[default]
    None,
    Operand(Operand<'a>),
    Address(Address<'a>),
}

impl<'a> Value<'a> {
    /// The operand, if it is one; leaves nothing in its place, whatever was there.
    pub fn take_operand(&mut self) -> Option<Operand<'a>> {
        match std::mem::take(self) {
            Value::Operand(operand) => Some(operand),
            _ => None,
        }
    }

    /// The address, if it is one; leaves nothing in its place, whatever was there.
    pub fn take_address(&mut self) -> Option<Address<'a>> {
        match std::mem::take(self) {
            Value::Address(address) => Some(address),
            _ => None,
        }
    }
}

/// An operand of an instruction, by reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandRef<'s, 'a> {
    Operand(&'s Operand<'a>),
    Address(&'s Address<'a>),
}

/// An instruction taken apart, in the order of its table.
pub(crate) struct Parts<'s, 'a> {
    pub spec: &'static Spec,
    pub codes: Codes,
    pub operands: [Option<OperandRef<'s, 'a>>; MAX_OPERANDS],
}

impl Parts<'_, '_> {
    /// The word of a field; none where it is absent.
    pub fn word(&self, field: &str) -> Option<&'static str> {
        self.spec.word(&self.codes, field)
    }

    /// An instruction of a table, without modifiers and operands.
    pub fn new(spec: &'static Spec) -> Self {
        Parts { spec, codes: [0; MAX_FIELDS], operands: [None; MAX_OPERANDS] }
    }
}
