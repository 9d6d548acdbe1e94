//! Which form of an instruction's table a mnemonic is: the words after its name against the slots of the form.

use super::spec::{Codes, Form, MAX_FIELDS, Slot, Spec};
use crate::modifier::{Layout, Modifier, ScalarType, StateSpace};

/// The reason why a form does not fit, and the number of words that fitted before.
pub(crate) struct Mismatch<'a> {
    pub(crate) fitted: usize,
    pub(crate) reason: Reason<'a>,
}

pub(crate) enum Reason<'a> {
    Unfit(&'a str),
    Missing(&'static Slot),
}

impl std::fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Unfit(word) => write!(f, "`.{word}` does not fit"),
            Reason::Missing(Slot { words: [word], .. }) => write!(f, "`.{word}` is missing"),
            Reason::Missing(slot) => write!(f, "one of `.{}` is missing", slot.words.join("`, `.")),
        }
    }
}

/// Flags that ptxas takes several times.
const REPEATABLE: &[&str] =
    &["sat", "sync", "approx", "cc", "uni", "NaN", "shiftamt", "satfinite", "relu"];

/// Words of few instructions that ptxas takes in all others too, where they mean nothing.
const MEANINGLESS: &[&str] = &[
    "acc::f16",
    "acc::f32",
    "finite",
    "infinite",
    "number",
    "notanumber",
    "normal",
    "subnormal",
    "b8x16",
    "b6x16_p32",
    "b4x16_p64",
    "global_address",
    "rank",
    "box_dim",
    "global_dim",
    "global_stride",
    "element_stride",
    "elemtype",
    "interleave_layout",
    "swizzle_mode",
    "swizzle_atomicity",
    "fill_mode",
];

/// Types that ptxas takes besides the others in [`TAKE_OPAQUE`], where they mean nothing.
const OPAQUE: &[&str] = &["pred", "texref", "samplerref", "surfref"];

const TAKE_OPAQUE: &[&str] = &[
    "Add",
    "Sub",
    "Mul",
    "Abs",
    "Neg",
    "Min",
    "Max",
    "AddCc",
    "SubCc",
    "Fma",
    "Rcp",
    "Sqrt",
    "Rsqrt",
    "Sin",
    "Cos",
    "Lg2",
    "Setp",
    "Set",
    "Cvt",
    "CvtPack",
    "Atom",
    "Red",
    "Ex2",
    "Tanh",
    "MultimemSt",
    "MultimemLdReduce",
    "MultimemRed",
    "WmmaMma",
    "CpReduceAsyncBulk",
    "WgmmaMmaAsync",
    "WgmmaMmaAsyncSp",
];

/// Whether ptxas takes a word that no form of the instruction has.
fn is_meaningless(spec: &Spec, words: &[&str], word: &str) -> bool {
    let takes_opaque = || {
        let integer = words.iter().any(|w| matches!(*w, "hi" | "lo" | "wide"));
        TAKE_OPAQUE.contains(&spec.name) && !integer
    };
    if spec.ignored.contains(&word) {
        return true;
    }
    let known = MEANINGLESS.contains(&word) || OPAQUE.contains(&word) && takes_opaque();
    known && !spec.forms.iter().any(|f| f.modifiers.iter().any(|s| s.words.contains(&word)))
}

/// The number of words at the front that are the name of `form`.
fn fit_name<'a>(
    spec: &Spec,
    form: &'static Form,
    words: &[&'a str],
    codes: &mut Codes,
) -> Result<usize, Mismatch<'a>> {
    let mut fitted = 0;
    for slot in &form.modifiers[..form.name] {
        match words.get(fitted) {
            Some(word) if slot.words.contains(word) => {
                set(spec, slot, word, codes);
                fitted += 1;
            }
            _ if slot.optional => {}
            _ => return Err(Mismatch { fitted, reason: Reason::Missing(slot) }),
        }
    }
    Ok(fitted)
}

/// The class of words that stand in the order of the form where it has several: types, state spaces, and layouts.
fn kind(word: &str) -> Option<usize> {
    let type_ = ScalarType::from_word(word).is_some_and(|t| t != ScalarType::B1024);
    let space = StateSpace::from_word(word).is_some();
    [type_, space, Layout::from_word(word).is_some()].iter().position(|is| *is)
}

/// The values that `words` give to the fields of `form`. After the name words may stand in any order, but types
/// stand in that of the form.
pub(crate) fn fit<'a>(
    spec: &Spec,
    form: &'static Form,
    words: &[&'a str],
    strict: bool,
) -> Result<Codes, Mismatch<'a>> {
    let mut codes = [0; MAX_FIELDS];
    let named = fit_name(spec, form, words, &mut codes)?;
    let mut filled = (1u64 << form.name) - 1;
    let mut next = [0; 3];
    for (fitted, word) in words.iter().enumerate().skip(named) {
        let ordered = kind(word);
        let free = |(index, slot): &(usize, &Slot)| {
            filled & (1 << index) == 0
                && slot.words.contains(word)
                && ordered.is_none_or(|kind| *index >= next[kind])
        };
        let Some((index, slot)) = form.modifiers.iter().enumerate().find(free) else {
            let repeated = REPEATABLE.contains(word) && words[..fitted].contains(word);
            if repeated || !strict && is_meaningless(spec, words, word) {
                continue;
            }
            return Err(Mismatch { fitted, reason: Reason::Unfit(word) });
        };
        filled |= 1 << index;
        if let Some(kind) = ordered {
            next[kind] = index;
        }
        set(spec, slot, word, &mut codes);
    }
    let missing = form
        .modifiers
        .iter()
        .enumerate()
        .find(|(index, slot)| filled & (1 << index) == 0 && !slot.optional);
    match missing {
        None => Ok(codes),
        Some((_, slot)) => Err(Mismatch { fitted: words.len(), reason: Reason::Missing(slot) }),
    }
}

/// Stores a word in the field of its slot.
pub(crate) fn set(spec: &Spec, slot: &Slot, word: &str, codes: &mut Codes) {
    let Some(field) = slot.field else { return };
    let Some(field_spec) = spec.fields.get(field) else { return };
    let index = field_spec.words.iter().position(|w| *w == word).unwrap_or(0);
    codes[field] = index as u16 + 1;
}
