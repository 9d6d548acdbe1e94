//! Wrong instructions, made from right ones. Some are right in another way: ptxas decides.

use super::generate::{Case, Class};
use ptx_parser::isa::Syntax;
use ptx_parser::{Modifier, ScalarType};
use splitmix::Random;

/// The words that may replace those of a form.
pub struct Vocabulary {
    /// The words of all forms of the opcode.
    opcode: Vec<&'static str>,
    /// The words of all instructions.
    all: Vec<&'static str>,
}

impl Vocabulary {
    /// The words of the forms of `opcode`, and those of all forms.
    pub fn new(all: &[Syntax], opcode: &str) -> Self {
        let words = |of: &mut dyn Iterator<Item = &Syntax>| {
            let mut words: Vec<_> =
                of.flat_map(|f| f.words()).flat_map(|w| w.words.iter().copied()).collect();
            words.sort_unstable();
            words.dedup();
            words
        };
        Vocabulary {
            opcode: words(&mut all.iter().filter(|f| f.opcode() == opcode)),
            all: words(&mut all.iter()),
        }
    }
}

/// Operands of every kind.
const OPERANDS: &[&str] = &[
    "%p1",
    "%bb1",
    "%h1",
    "%r1",
    "%f1",
    "%rd1",
    "%fd1",
    "%q1",
    "1",
    "1.5",
    "-1",
    "{%r1, %r2}",
    "{%r1, %r2, %r3, %r4}",
    "{%f1, %f2}",
    "{%rd1, %rd2}",
    "{%h1, %h2}",
    "[%rd1]",
    "[%r1]",
    "!%p1",
    "%tid.x",
    "sh",
    "[sh]",
    "[gl+4]",
    "L",
    "0x123456789",
];

fn is_type(word: &str) -> bool {
    ScalarType::WORDS.contains(&word)
}

/// A change of `case`; none where it has no place for it.
pub fn mutate(case: &Case, vocabulary: &Vocabulary, random: &mut Random) -> Option<Case> {
    let mut case = case.clone();
    let types: Vec<_> = (0..case.words.len()).filter(|i| is_type(case.words[*i])).collect();
    match random.below(11) {
        0 | 1 => {
            let place = random.pick(&types)?;
            case.words[place] = random.pick(ScalarType::WORDS)?;
            case.class = Class::Type;
        }
        2 => {
            let place = random.below(case.words.len());
            if case.words.is_empty() {
                return None;
            }
            case.words.remove(place);
            case.class = Class::Modifier;
        }
        3 | 4 => {
            let place = random.below(case.words.len() + 1);
            case.words.insert(place, random.pick(&vocabulary.opcode)?);
            case.class = Class::Modifier;
        }
        5 => {
            let place = random.below(case.words.len());
            let word = random.pick(&vocabulary.opcode)?;
            *case.words.get_mut(place)? = word;
            case.class = Class::Modifier;
        }
        6 => {
            let place = random.below(case.words.len() + 1);
            case.words.insert(place, random.pick(&vocabulary.all)?);
            case.class = Class::Modifier;
        }
        7 => {
            let place = random.below(case.words.len().checked_sub(1)?);
            let next = place + 1;
            if next >= case.words.len() {
                return None;
            }
            case.words.swap(place, next);
            case.class = Class::Modifier;
        }
        8 => {
            if random.below(2) == 0 {
                let place = random.below(case.operands.len());
                if case.operands.is_empty() {
                    return None;
                }
                case.operands.remove(place);
            } else {
                let place = random.below(case.operands.len() + 1);
                case.operands.insert(place, random.pick(OPERANDS)?.to_owned());
            }
            case.class = Class::Operand;
        }
        _ => {
            let place = random.below(case.operands.len());
            let operand = random.pick(OPERANDS)?.to_owned();
            *case.operands.get_mut(place)? = operand;
            case.class = Class::Operand;
        }
    }
    Some(case)
}
