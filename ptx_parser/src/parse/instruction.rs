//! Instructions: which form of which table a mnemonic is, and its operands.

use std::rc::Rc;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::operand::{Item, ItemKind, address};
use super::rule::{Environment, Subject};
use super::{Parser, Result};
use crate::error::Error;
use crate::isa::Call;
use crate::isa::Instruction;
use crate::isa::TABLES;
use crate::isa::check::takes_predicate;
use crate::isa::fit::{Mismatch, fit, set};
use crate::isa::spec::{Codes, FieldSpec, Form, OperandSlot, Spec, Value, Values};
use crate::lexer::TokenKind;
use crate::modifier::ScalarType;
use crate::operand::{Address, Immediate, Operand};
use crate::span::Span;

/// A form whose modifiers fit, and the values that they give.
#[derive(Clone)]
pub(super) struct Selection {
    spec: &'static Spec,
    form: &'static Form,
    codes: Codes,
    /// Some rules depend on the operands.
    rules_wait: bool,
}

/// All forms by the first word of their mnemonic.
static FORMS: LazyLock<FxHashMap<&'static str, Vec<(&'static Spec, &'static Form)>>> =
    LazyLock::new(|| {
        let mut forms: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for spec in TABLES {
            for form in spec.forms {
                forms.entry(form.opcode).or_default().push((*spec, form));
            }
        }
        forms
    });

impl<'a> Parser<'a> {
    /// An instruction up to its `;`. Gives the mnemonic where it is the operands that are wrong.
    pub(super) fn instruction(&mut self) -> Result<Instruction<'a>> {
        let start = self.token.start;
        let opcode = self.name()?;
        let mut words = Vec::new();
        let mut contiguous = true;
        while self.token.kind == TokenKind::Dot {
            contiguous &= self.token.start == self.previous_end;
            words.push(&self.next().text[1..]);
            // The number of a bank, as in `ld.const[1].u32`.
            if words.last() == Some(&"const") && self.environment.has_banks() && self.eat("[") {
                self.integer()?;
                self.expect("]")?;
                contiguous = false;
            }
        }
        let mnemonic = self.since(start);
        if opcode == "call" {
            return self.call(&words, mnemonic);
        }
        let selections = self.select(opcode, &words, mnemonic, contiguous)?;
        let mut items = Vec::new();
        if !self.at(";") {
            loop {
                items.push(self.item()?);
                if !self.eat(",") {
                    break;
                }
            }
        }
        if !self.at(";") {
            return Err(self.expected("`,` or `;`"));
        }
        let mut mismatch = None;
        for selection in selections.iter() {
            match place(selection, &items) {
                Ok(places) => {
                    self.next();
                    return self.build(selection, &words, items, &places, mnemonic);
                }
                Err(error) => {
                    if mismatch.as_ref().is_none_or(|m: &OperandMismatch| m.fitted < error.fitted) {
                        mismatch = Some(error);
                    }
                }
            }
        }
        let (span, message) = match mismatch {
            Some(mismatch) => (mismatch.span.unwrap_or(mnemonic), mismatch.message),
            None => (mnemonic, "wrong operands".to_owned()),
        };
        Err(Error::invalid(span, format!("{message} in `{}`", mnemonic.text(self.source()))))
    }

    fn select(
        &mut self,
        opcode: &'a str,
        words: &[&'a str],
        mnemonic: Span,
        contiguous: bool,
    ) -> Result<Rc<[Selection]>> {
        let key = mnemonic.text(self.source());
        if contiguous && let Some(selections) = self.selections.get(key) {
            return Ok(selections.clone());
        }
        let Some(forms) = FORMS.get(opcode) else {
            return Err(self.unknown_word(mnemonic, format!("unknown instruction `{opcode}`")));
        };
        let mut selections = Vec::new();
        let mut best: Option<Mismatch<'_>> = None;
        let mut violation = None;
        // Words that mean nothing are looked at only where no form has all words.
        for strict in [true, false] {
            for (spec, form) in forms {
                match fit(spec, form, words, strict) {
                    Ok(mut codes) => {
                        if self.environment.always_flushes() {
                            flush(spec, form, &self.environment, &mut codes);
                        }
                        let subject = Subject { spec, words, codes: &codes, values: None };
                        match subject.check(&self.environment) {
                            Ok(rules_wait) => {
                                selections.push(Selection { spec, form, codes, rules_wait });
                            }
                            Err(text) => violation = violation.or(Some(text)),
                        }
                    }
                    Err(mismatch) => {
                        if best.as_ref().is_none_or(|b| b.fitted < mismatch.fitted) {
                            best = Some(mismatch);
                        }
                    }
                }
            }
            if !selections.is_empty() || violation.is_some() {
                break;
            }
        }
        if selections.is_empty()
            && let Some(violation) = violation
        {
            return Err(Error::invalid(mnemonic, format!("`{key}`: {violation}")));
        }
        if selections.is_empty() {
            let reason = best.map_or_else(String::new, |b| b.reason.to_string());
            return Err(Error::unsupported(
                mnemonic,
                format!("no form of `{opcode}` is `{key}`: {reason}"),
            ));
        }
        let selections: Rc<[Selection]> = selections.into();
        if contiguous {
            self.selections.insert(key, selections.clone());
        }
        Ok(selections)
    }

    /// `call{.uni} (returns), target, (arguments), prototype`
    fn call(&mut self, words: &[&str], mnemonic: Span) -> Result<Instruction<'a>> {
        if let Some(word) = words.iter().find(|w| **w != "uni") {
            return Err(Error::unsupported(mnemonic, format!("no form of `call` has `.{word}`")));
        }
        let mut call = Call {
            uni: !words.is_empty(),
            returns: Vec::new(),
            target: "",
            arguments: Vec::new(),
            prototype: None,
        };
        if self.eat("(") {
            call.returns = self.list(")", Self::operand)?;
            self.expect(",")?;
        }
        call.target = self.name()?;
        if self.eat(",") {
            if self.eat("(") {
                call.arguments = self.list(")", Self::operand)?;
                if self.eat(",") {
                    call.prototype = Some(self.name()?);
                }
            } else {
                call.prototype = Some(self.name()?);
            }
        }
        self.expect(";")?;
        Ok(Instruction::Call(Box::new(call)))
    }
}

/// Gives `.ftz` to what computes in single precision and may have it.
fn flush(spec: &Spec, form: &Form, environment: &Environment, codes: &mut Codes) {
    let Some(ftz) = spec.fields.iter().position(|field| field.name == "ftz") else { return };
    let has = |type_: &str| {
        let held = |(field, code): (&FieldSpec, &u16)| {
            usize::from(*code).checked_sub(1).and_then(|c| field.words.get(c)) == Some(&type_)
        };
        spec.fields.iter().zip(codes.iter()).any(held)
    };
    let may = form.modifiers.iter().any(|slot| slot.field == Some(ftz));
    // Forms of one type only keep it in no field.
    let single = has("f32") || form.modifiers.iter().any(|slot| slot.words == ["f32"]);
    let of_doubles = spec.name == "Cvt" && has("f64");
    if may && single && (!of_doubles || environment.flushes_doubles()) {
        codes[ftz] = 1;
    }
}

/// The reason why the operands do not fit a form, and the number of them that fitted before.
struct OperandMismatch {
    fitted: usize,
    span: Option<Span>,
    message: String,
}

/// The index of the slot that each item fills. Optional slots are filled from the left.
fn place(
    selection: &Selection,
    items: &[Item<'_>],
) -> std::result::Result<Vec<usize>, OperandMismatch> {
    let slots = selection.form.operands;
    let required = slots.iter().filter(|s| !s.optional).count();
    let mut optional = items.len().saturating_sub(required);
    let mut places = Vec::with_capacity(items.len());
    for (index, slot) in slots.iter().enumerate() {
        if slot.optional {
            if optional == 0 {
                continue;
            }
            optional -= 1;
        }
        let fitted = places.len();
        let Some(item) = items.get(fitted) else {
            let message = format!("{fitted} operands instead of {required}");
            return Err(OperandMismatch { fitted, span: None, message });
        };
        accepts(selection, slot, item).map_err(|message| OperandMismatch {
            fitted,
            span: Some(item.span),
            message: message.to_owned(),
        })?;
        places.push(index);
    }
    if optional > 0 {
        let fitted = places.len();
        let span = items.get(fitted).map(|i| i.span);
        return Err(OperandMismatch { fitted, span, message: "too many operands".to_owned() });
    }
    Ok(places)
}

/// Every predicate that is read may be negated, though the manual writes `{!}` in few places.
fn reads_predicate(selection: &Selection, slot: &OperandSlot) -> bool {
    let operand = slot.fields.first().and_then(|f| selection.spec.operands.get(*f));
    operand.is_some_and(|o| {
        let predicate = o.type_(&selection.codes) == Some(ScalarType::Pred);
        !o.write && predicate || takes_predicate(selection.spec.name, o.name)
    })
}

fn is_predicate(selection: &Selection, slot: &OperandSlot) -> bool {
    let operand = slot.fields.first().and_then(|f| selection.spec.operands.get(*f));
    operand.is_some_and(|o| o.type_(&selection.codes) == Some(ScalarType::Pred))
}

/// A descriptor is one register, where another form has a fragment in its place.
fn is_descriptor(selection: &Selection, slot: &OperandSlot) -> bool {
    let operand = slot.fields.first().and_then(|f| selection.spec.operands.get(*f));
    operand.is_some_and(|o| o.name.ends_with("_desc"))
}

/// Instructions whose addresses ptxas takes without brackets: constants as well, or else all but them.
const BARE_ADDRESSES: &[(&str, &str, bool)] = &[
    ("CpAsyncBulk", "mbar", true),
    ("CpReduceAsyncBulk", "mbar", true),
    ("CpAsyncBulkTensor", "dst_mem", false),
    ("CpAsyncBulkTensor", "mbar", false),
    ("CpAsyncBulkTensor", "src_mem", false),
    ("CpReduceAsyncBulkTensor", "src_mem", false),
];

fn is_bare_address(selection: &Selection, slot: &OperandSlot, operand: &Operand<'_>) -> bool {
    let [field] = slot.fields else { return false };
    let spec = selection.spec;
    let name = spec.operands.get(*field).map_or("", |o| o.name);
    let bare = BARE_ADDRESSES.iter().find(|(i, o, _)| *i == spec.name && *o == name);
    bare.is_some_and(|(_, _, constants)| match operand {
        Operand::Name(_) => true,
        Operand::Not(_) => !constants,
        Operand::Immediate(value) => *constants == value.integer().is_some(),
        Operand::Vector(_) => *constants,
        _ => false,
    })
}

/// The address that ptxas makes of an operand in the place of one.
fn bare_address<'a>(operand: &Operand<'a>) -> Address<'a> {
    let constant = |value: &Immediate| value.integer_bits().or(value.bits(ScalarType::F64));
    match operand {
        Operand::Name(name) | Operand::Not(name) => Address::new(Some(name), 0),
        Operand::Immediate(value) => Address::new(None, constant(value).unwrap_or_default() as i64),
        _ => Address::new(None, 0),
    }
}

fn accepts(
    selection: &Selection,
    slot: &OperandSlot,
    item: &Item<'_>,
) -> std::result::Result<(), &'static str> {
    match &item.kind {
        ItemKind::Operand(operand) if slot.bracket && is_bare_address(selection, slot, operand) => {
        }
        ItemKind::Operand(_) if slot.bracket => return Err("expected an address in brackets"),
        ItemKind::Operand(operand) if slot.vector && !matches!(operand, Operand::Vector(_)) => {
            return Err("expected a vector");
        }
        ItemKind::Operand(Operand::Vector(_))
            if is_descriptor(selection, slot) || is_predicate(selection, slot) =>
        {
            return Err("a vector is not allowed");
        }
        ItemKind::Operand(Operand::Not(_)) if !slot.not && !reads_predicate(selection, slot) => {
            return Err("`!` is not allowed");
        }
        ItemKind::Operand(Operand::Minus(_)) if !slot.minus => return Err("`-` is not allowed"),
        ItemKind::Operand(_) => {}
        ItemKind::Element(_) if slot.fields.len() == 1 => {}
        _ if !slot.bracket => return Err("brackets are not allowed"),
        ItemKind::Address(_) if slot.fields.len() == 1 => {}
        ItemKind::List(list) if slot.fields.len() == list.len() => {}
        _ => return Err("wrong number of operands in brackets"),
    }
    match (&item.pair, slot.pair) {
        (Some(_), None) => return Err("`|` is not allowed"),
        (None, Some((_, false))) => return Err("expected a second result behind `|`"),
        _ => {}
    }
    match (item.suffix, &slot.suffix) {
        (Some(word), Some(suffix)) if suffix.words.contains(&word) => Ok(()),
        (Some(_), _) => Err("a selector that does not fit"),
        (None, Some(suffix)) if !suffix.optional => Err("a selector is missing"),
        (None, _) => Ok(()),
    }
}

impl<'a> Parser<'a> {
    fn build(
        &self,
        selection: &Selection,
        words: &[&'a str],
        items: Vec<Item<'a>>,
        places: &[usize],
        mnemonic: Span,
    ) -> Result<Instruction<'a>> {
        let mut codes = selection.codes;
        let mut values: Values<'a> = Default::default();
        for (item, place) in items.into_iter().zip(places) {
            let slot = &selection.form.operands[*place];
            match item.kind {
                ItemKind::Operand(operand) if slot.bracket => {
                    values[slot.fields[0]] = Value::Address(bare_address(&operand));
                }
                ItemKind::Operand(operand) => values[slot.fields[0]] = Value::Operand(operand),
                ItemKind::Element(operand) if slot.bracket => {
                    values[slot.fields[0]] =
                        address(operand).map(Value::Address).unwrap_or_default();
                }
                ItemKind::Element(operand) => values[slot.fields[0]] = Value::Operand(operand),
                ItemKind::Address(address) => values[slot.fields[0]] = Value::Address(address),
                ItemKind::List(list) => {
                    for (field, operand) in slot.fields.iter().zip(list) {
                        values[*field] = Value::Operand(operand);
                    }
                }
            }
            if let (Some(operand), Some((field, _))) = (item.pair, slot.pair) {
                values[field] = Value::Operand(operand);
            }
            if let (Some(word), Some(suffix)) = (item.suffix, &slot.suffix) {
                set(selection.spec, suffix, word, &mut codes);
            }
        }
        if selection.rules_wait {
            let spec = selection.spec;
            let subject = Subject { spec, words, codes: &codes, values: Some(&values) };
            if let Err(violation) = subject.check(&self.environment) {
                let key = mnemonic.text(self.source());
                return Err(Error::invalid(mnemonic, format!("`{key}`: {violation}")));
            }
        }
        (selection.spec.build)(&codes, &mut values).ok_or_else(|| {
            Error::bug(mnemonic, format!("the table of {} misses a value", selection.spec.name))
        })
    }
}
