//! The syntax of instructions as the PTX manual writes it, from a text: whether the tables have every word of it.
//!
//! The text has a section `## name` for each instruction; below it stand forms, `opcode{.a}.b  d, a;`, and choices,
//! `.a = .c = { .x, .y };`. Lines of dashes part blocks; a choice of the own block goes before that of a later one,
//! and that before one of an earlier one.

use ptx_parser::isa::Syntax;
use std::collections::BTreeMap;

/// A modifier of a form: its choice of words, without dots; some are several.
struct Slot {
    words: Vec<Vec<String>>,
    optional: bool,
}

struct Form {
    opcodes: Vec<String>,
    slots: Vec<Slot>,
}

type Choices = BTreeMap<String, Vec<String>>;

#[derive(Default)]
struct Block {
    forms: Vec<String>,
    choices: Choices,
}

/// A word that no form of the tables takes.
#[derive(Debug, PartialEq, Eq)]
pub struct Missing {
    pub instruction: String,
    pub mnemonic: String,
}

/// Words that texts have and ptxas refuses, with reasons.
pub const REFUSED: &[(&str, &str, &str)] = &[
    ("call", "call...uni", "has no table"),
    ("cp_reduce_async_bulk_tensor", "cp...level::cache_hint", "the text does not say which"),
    ("fma", "fma...rn", "the text does not say which types"),
    ("fma", "fma...oob", "the text does not say which types"),
    ("fma", "fma...relu", "the text does not say which types"),
    ("fma", "fma...type", "the text does not say which types"),
    ("mad", "mad...ftz", "rounding may be left out for sm_1x only"),
    ("mad", "mad...sat", "rounding may be left out for sm_1x only"),
    ("mad", "mad...f32", "rounding may be left out for sm_1x only"),
    ("membar", "membar...async.global", "of `fence` only"),
    ("membar", "membar...async.shared::cta", "of `fence` only"),
    ("membar", "membar...async.shared::cluster", "of `fence` only"),
    ("mma", "mma...m8n84", "misspelled"),
    ("red", "red...shared", "vectors are reduced in global memory only"),
    ("red", "red...shared::cta", "vectors are reduced in global memory only"),
    ("red", "red...shared::cluster", "vectors are reduced in global memory only"),
    ("red_async", "red...cluster", "`.release` has other scopes"),
];

/// The words of `text` that the tables lack, beside [`REFUSED`], and the number of words that it has.
pub fn missing(text: &str, tables: &[Syntax]) -> (Vec<Missing>, usize) {
    let mut missing = Vec::new();
    let mut found = 0;
    for section in text.split("\n## ").skip(1) {
        let (instruction, body) = section.split_once('\n').unwrap_or((section, ""));
        for form in forms(body) {
            for opcode in &form.opcodes {
                let own: Vec<&Syntax> = tables.iter().filter(|t| t.opcode() == opcode).collect();
                for place in 0..form.slots.len().max(1) {
                    let (lacks, has) = words(&form, opcode, place, &own);
                    found += has;
                    missing.extend(
                        lacks.into_iter().map(|mnemonic| Missing {
                            instruction: instruction.to_owned(),
                            mnemonic,
                        }),
                    );
                }
            }
        }
    }
    missing.retain(|Missing { instruction, mnemonic }| {
        !REFUSED.iter().any(|(i, m, _)| i == instruction && m == mnemonic)
    });
    (missing, found)
}

/// The words of the modifier at `place` that no table has with any of the other modifiers' words; and how many
/// there are.
fn words(form: &Form, opcode: &str, place: usize, tables: &[&Syntax]) -> (Vec<String>, usize) {
    let Some(slot) = form.slots.get(place) else {
        let known = tables.iter().any(|t| t.operands(&[]).is_some());
        return if known { (Vec::new(), 1) } else { (vec![opcode.to_owned()], 0) };
    };
    let mut lacks = Vec::new();
    let mut found = 0;
    for word in &slot.words {
        // Types and shapes have to fit together: all pairs are tried, with what is optional and without.
        let taken = combinations(form, place, word).any(|words| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            tables.iter().any(|t| t.operands(&words).is_some())
        });
        if taken {
            found += 1;
        } else {
            lacks.push(format!("{opcode}...{}", word.join(".")));
        }
    }
    (lacks, found)
}

/// Mnemonics with `word` at `place`: any word at one other place or at two, the first at the others.
fn combinations<'f>(
    form: &'f Form,
    place: usize,
    word: &'f [String],
) -> impl Iterator<Item = Vec<String>> + 'f {
    let most = form.slots.iter().map(|s| s.words.len()).max().unwrap_or(1);
    let all = [false, true].into_iter();
    let all = all.flat_map(move |optional| (0..most).map(move |first| (optional, first)));
    let all = all.flat_map(move |(optional, first)| {
        (0..form.slots.len()).map(move |other| (optional, first, other))
    });
    all.flat_map(move |(optional, first, other)| {
        let others = form.slots.get(other).map_or(1, |s| s.words.len());
        (0..others).map(move |second| {
            let slots = form.slots.iter().enumerate();
            let chosen = slots.filter(|(i, s)| *i == place || optional || !s.optional);
            chosen
                .flat_map(|(i, slot)| match i {
                    _ if i == place => word,
                    _ if i == other => &slot.words[second],
                    _ => &slot.words[first % slot.words.len()],
                })
                .cloned()
                .collect()
        })
    })
}

/// The forms of a section, with their choices looked up.
fn forms(body: &str) -> Vec<Form> {
    let blocks = blocks(body);
    let mut forms = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let choice = |name: &str| {
            let mut all = blocks[index..].iter().chain(&blocks[..index]);
            all.find_map(|b| b.choices.get(name)).cloned()
        };
        for form in &block.forms {
            forms.extend(read(form, choice));
        }
    }
    forms
}

fn blocks(body: &str) -> Vec<Block> {
    let mut plain = String::new();
    for line in body.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if line.starts_with("---") {
            plain.push('#');
        } else {
            plain.push_str(line);
        }
        plain.push(' ');
    }
    let mut blocks = Vec::new();
    for part in plain.split('#') {
        let mut block = Block::default();
        for statement in part.split(';').map(str::trim).filter(|s| !s.is_empty()) {
            match statement.split_once('{') {
                Some((names, words)) if names.contains('=') => {
                    let words = words.trim_end_matches('}').split(',');
                    let words: Vec<String> =
                        words.map(|w| w.trim().to_owned()).filter(|w| !w.is_empty()).collect();
                    for name in names.split('=').map(str::trim).filter(|n| !n.is_empty()) {
                        let name = name.trim_start_matches('.').to_owned();
                        block.choices.insert(name, words.clone());
                    }
                }
                _ => block.forms.push(statement.replace(". ", ".")),
            }
        }
        blocks.push(block);
    }
    blocks
}

/// All that a word may stand for: choices may name choices, `.a.b` is two words, `.a::b` may be of choices `::b`,
/// and `*` refers to a note.
fn spelled(word: &str, choice: &impl Fn(&str) -> Option<Vec<String>>) -> Vec<Vec<String>> {
    let word = word.trim_start_matches('.').trim_end_matches('*');
    if word == "none" {
        return vec![Vec::new()];
    }
    let mut all = vec![Vec::new()];
    for part in word.split('.') {
        let own = |w: &String| w.trim_start_matches('.') == part;
        let parts: Vec<Vec<String>> = match choice(part).filter(|words| !words.iter().any(own)) {
            Some(words) => words.iter().flat_map(|w| spelled(w, choice)).collect(),
            None => qualified(part, choice).into_iter().map(|word| vec![word]).collect(),
        };
        let append = |before: &Vec<String>| -> Vec<Vec<String>> {
            parts.iter().map(|part| before.iter().chain(part).cloned().collect()).collect()
        };
        all = all.iter().flat_map(append).collect();
    }
    all
}

/// The words that `a::b::c` stands for, where there are choices `::b` or `::c`.
fn qualified(word: &str, choice: &impl Fn(&str) -> Option<Vec<String>>) -> Vec<String> {
    let (first, rest) = word.split_at(word.find("::").unwrap_or(word.len()));
    let mut words = vec![first.to_owned()];
    for piece in rest.split("::").skip(1) {
        let piece = format!("::{piece}");
        let pieces = choice(&piece).unwrap_or_else(|| vec![piece]);
        let append = |word: &String| -> Vec<String> {
            pieces.iter().map(|p| format!("{word}{}", p.trim_end_matches('*'))).collect()
        };
        words = words.iter().flat_map(append).collect();
    }
    words
}

/// None for what is no form.
fn read(form: &str, choice: impl Fn(&str) -> Option<Vec<String>>) -> Option<Form> {
    let mnemonic = form.split_whitespace().next()?;
    let end = mnemonic.find(['.', '{']).unwrap_or(mnemonic.len());
    let (opcode, mut rest) = mnemonic.split_at(end);
    if !opcode.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let mut slots = Vec::new();
    while !rest.is_empty() {
        let optional = rest.starts_with('{');
        rest = rest.trim_start_matches('{').strip_prefix('.')?;
        let end = rest.find(if optional { &['}'][..] } else { &['.', '{'] }).unwrap_or(rest.len());
        slots.push(Slot { words: spelled(&rest[..end], &choice), optional });
        rest = rest[end..].trim_start_matches('}');
    }
    let opcodes = choice(opcode).unwrap_or_else(|| vec![opcode.to_owned()]);
    Some(Form { opcodes, slots })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_looked_for() {
        let text = "\n## add\nadd{.sat}.type  d, a, b; // both\n.type = { .s32,\n.u33 };\n---\nadd.f31 d, a, b;\n";
        let (missing, found) = missing(text, &ptx_parser::isa::syntax());
        let missing: Vec<_> = missing.iter().map(|m| m.mnemonic.as_str()).collect();
        assert_eq!(missing, ["add...u33", "add...f31"]);
        assert_eq!(found, 2);
    }
}
