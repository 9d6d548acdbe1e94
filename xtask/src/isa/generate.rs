//! Instructions that the tables admit: all words of all forms where they are few, a sample where the
//! product explodes.

use super::operand::operand;
use ptx_parser::isa::{Syntax, WordSyntax};
use splitmix::Random;

/// A generated instruction.
#[derive(Clone, Debug)]
pub struct Case {
    /// Index of its [`super::InstructionForms`].
    pub group: usize,
    pub class: Class,
    pub opcode: &'static str,
    pub words: Vec<&'static str>,
    pub operands: Vec<String>,
    /// Names a sampler, which only modules with `texmode_independent` may.
    pub independent: bool,
}

/// The change that was made to a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Nothing.
    Form,
    /// Another type.
    Type,
    /// A modifier more, fewer, another, or in another place.
    Modifier,
    /// Operands of other kinds or types, more, or fewer.
    Operand,
}

impl Case {
    /// The instruction as PTX.
    pub fn text(&self) -> String {
        let mut text = self.opcode.to_owned();
        for word in &self.words {
            text.push('.');
            text.push_str(word);
        }
        if !self.operands.is_empty() {
            text.push(' ');
            text.push_str(&self.operands.join(", "));
        }
        text.push(';');
        text
    }
}

/// The choices of a form: for each modifier its words, and nothing where it is optional.
fn choices(words: &[WordSyntax]) -> Vec<Vec<Option<&'static str>>> {
    let choice = |slot: &WordSyntax| {
        let none = slot.optional.then_some(None);
        none.into_iter().chain(slot.words.iter().map(|w| Some(*w))).collect()
    };
    words.iter().map(choice).collect()
}

fn decode(choices: &[Vec<Option<&'static str>>], mut index: u128) -> Vec<&'static str> {
    let mut words = Vec::new();
    for choice in choices {
        let count = choice.len().max(1) as u128;
        words.extend(choice[(index % count) as usize]);
        index /= count;
    }
    words
}

/// The choices of words, at most about `limit`. Every word of every modifier occurs.
fn samples(form: &Syntax, limit: usize, random: &mut Random) -> Vec<Vec<&'static str>> {
    let choices = choices(&form.words());
    let total: u128 = choices.iter().map(|c| c.len().max(1) as u128).product();
    if total <= limit as u128 {
        return (0..total).map(|i| decode(&choices, i)).collect();
    }
    let mut all = Vec::new();
    let any =
        |random: &mut Random| (u128::from(random.bits()) << 32 | u128::from(random.bits())) % total;
    for (place, choice) in choices.iter().enumerate() {
        // The thousands of byte selectors are alike.
        let step = choice.len().div_ceil(64);
        for word in choice.iter().step_by(step) {
            let mut narrowed = choices.clone();
            narrowed[place] = vec![*word];
            let total: u128 = narrowed.iter().map(|c| c.len().max(1) as u128).product();
            all.push(decode(&narrowed, any(random) % total));
        }
    }
    while all.len() < limit {
        let index = any(random);
        all.push(decode(&choices, index));
    }
    all.sort();
    all.dedup();
    all
}

/// The instructions of a form.
pub fn forms(form: &Syntax, group: usize, limit: usize, random: &mut Random) -> Vec<Case> {
    let mut cases = Vec::new();
    let combinations = samples(form, limit, random);
    for words in combinations {
        let Some(syntax) = form.operands(&words) else { continue };
        let independent =
            syntax.iter().any(|o| o.bracket && o.names.contains(&"b") && o.names.contains(&"c"))
                || matches!(form.instruction(), "Txq");
        let optional = syntax.iter().filter(|o| o.optional).count()
            + syntax.iter().filter(|o| o.pair.is_some_and(|p| p.1)).count();
        // All that is optional, one thing of it, or nothing.
        for variant in 0..=optional.min(3) {
            let mut left = variant;
            let mut take = || {
                let taken = left > 0;
                left = left.saturating_sub(1);
                taken
            };
            let mut operands = Vec::new();
            for (index, slot) in syntax.iter().enumerate() {
                if slot.optional && !take() {
                    continue;
                }
                let mut text = operand(form.instruction(), &words, slot, index + 1);
                if let Some(selector) = slot.selector
                    && (!selector.optional || random.below(2) == 0)
                    && let Some(word) = random.pick(selector.words)
                {
                    text.push_str(&format!(".{word}"));
                }
                if let Some((_, optional)) = slot.pair
                    && (!optional || take())
                {
                    text.push_str("|%p5");
                }
                operands.push(text);
            }
            cases.push(Case {
                group,
                class: Class::Form,
                opcode: form.opcode(),
                words: words.clone(),
                operands,

                independent,
            });
        }
    }
    cases
}
