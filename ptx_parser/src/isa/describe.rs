//! The tables as data for others: what may be written, form by form.

use super::FAMILIES;
use super::fit::fit;
use super::spec::{Form, OperandSlot, Slot, Spec};
use super::vector::registers;
use crate::modifier::ScalarType;

/// One form of an instruction, as its table gives it.
#[derive(Clone, Copy)]
pub struct Syntax {
    /// The file of its table.
    pub family: &'static str,
    spec: &'static Spec,
    form: &'static Form,
}

/// A modifier of a form: one of `words`, without their dots.
#[derive(Clone, Copy)]
pub struct WordSyntax {
    pub words: &'static [&'static str],
    pub optional: bool,
    /// The place among the instruction's fields, where it has one.
    pub field: Option<usize>,
}

/// The syntax of an operand, all that stands between two commas.
#[derive(Clone)]
pub struct OperandSyntax {
    /// One name; several for `[a, b]`.
    pub names: Vec<&'static str>,
    pub bracket: bool,
    /// `{a, b}`
    pub vector: bool,
    pub optional: bool,
    /// `{!}a`
    pub not: bool,
    /// The type of each name, where it is known.
    pub types: Vec<Option<ScalarType>>,
    /// The number of registers of each name that is a vector.
    pub counts: Vec<Option<usize>>,
    /// A value for each name that is a constant.
    pub constants: Vec<Option<i64>>,
    pub write: bool,
    /// `a|p`: the second name, and whether it may be left out.
    pub pair: Option<(&'static str, bool)>,
    /// `a{.sel}`
    pub selector: Option<WordSyntax>,
}

/// All forms of all instructions.
pub fn syntax() -> Vec<Syntax> {
    let mut all = Vec::new();
    for (family, specs) in FAMILIES {
        for spec in *specs {
            all.extend(spec.forms.iter().map(|form| Syntax { family, spec, form }));
        }
    }
    all
}

impl WordSyntax {
    fn new(slot: &'static Slot) -> Self {
        WordSyntax { words: slot.words, optional: slot.optional, field: slot.field }
    }
}

impl Syntax {
    /// The name of the instruction's struct.
    pub fn instruction(&self) -> &'static str {
        self.spec.name
    }

    /// The first word of the mnemonic.
    pub fn opcode(&self) -> &'static str {
        self.form.opcode
    }

    /// The modifiers of the form, in order.
    pub fn words(&self) -> Vec<WordSyntax> {
        self.form.modifiers.iter().map(WordSyntax::new).collect()
    }

    /// All words that the field's enum has; none for a flag.
    pub fn field_words(&self, field: usize) -> &'static [&'static str] {
        self.spec.fields.get(field).map_or(&[], |f| f.words)
    }

    /// The operands for a choice of words that fits the form; none for one that does not.
    pub fn operands(&self, words: &[&str]) -> Option<Vec<OperandSyntax>> {
        let codes = fit(self.spec, self.form, words, true).ok()?;
        let operand = |slot: &'static OperandSlot| {
            let specs: Vec<_> = slot.fields.iter().map(|f| &self.spec.operands[*f]).collect();
            let registers: Vec<_> =
                specs.iter().map(|s| registers(self.spec, &codes, s.name)).collect();
            OperandSyntax {
                names: specs.iter().map(|s| s.name).collect(),
                bracket: slot.bracket,
                vector: slot.vector,
                optional: slot.optional,
                not: slot.not,
                types: (specs.iter().zip(&registers))
                    .map(|(s, r)| r.map(|r| r.type_).or(s.type_(&codes)))
                    .collect(),
                counts: registers.iter().map(|r| r.map(|r| r.count)).collect(),
                constants: specs.iter().map(|s| self.spec.constants(&codes, s)?.any()).collect(),
                write: specs.iter().any(|s| s.write),
                pair: slot.pair.map(|(f, optional)| (self.spec.operands[f].name, optional)),
                selector: slot.suffix.as_ref().map(WordSyntax::new),
            }
        };
        Some(self.form.operands.iter().map(operand).collect())
    }
}
