//! The rules of the tables: versions and targets that forms need, and words that never go together.

use crate::isa::spec::{Codes, Condition, OperandKind, Rule, Spec, Term, Value, Values};
use crate::operand::Operand;
use crate::tree::{Module, Target};

/// The newest version of PTX whose instructions and directives are all known. What a module of a newer version
/// has besides is unsupported; in others it is invalid.
pub const NEWEST: (u16, u16) = (9, 3);

/// The `.version` and `.target` of a module, as far as it has them.
#[derive(Clone, Copy, Default)]
pub(super) struct Environment {
    version: Option<(u16, u16)>,
    target: Option<Architecture>,
}

/// `sm_100f`
#[derive(Clone, Copy, PartialEq, Eq)]
struct Architecture {
    number: u32,
    suffix: Suffix,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Suffix {
    /// For all later architectures too.
    None,
    /// For all of the family.
    Family,
    /// For this one only.
    Exact,
}

impl Architecture {
    fn parse(word: &str) -> Option<Self> {
        let text = word.strip_prefix("sm_").or_else(|| word.strip_prefix("compute_"))?;
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let suffix = match &text[digits.len()..] {
            "" => Suffix::None,
            "f" => Suffix::Family,
            "a" => Suffix::Exact,
            _ => return None,
        };
        Some(Architecture { number: digits.parse().ok()?, suffix })
    }

    /// Whether a module for `self` has what `needed` has. 100 and 103 are of one family.
    fn covers(self, needed: Architecture) -> bool {
        match needed.suffix {
            Suffix::None => self.number >= needed.number,
            Suffix::Exact => self == needed,
            Suffix::Family => {
                self.suffix != Suffix::None
                    && self.number >= needed.number
                    && self.number / 10 == needed.number / 10
            }
        }
    }
}

impl Environment {
    /// The version and the target that the module names, as far as it does.
    pub fn new(module: &Module<'_>) -> Self {
        let Target { words } = &module.target;
        Environment {
            version: (module.version != (0, 0)).then_some(module.version),
            target: words.iter().find_map(|w| Architecture::parse(w)),
        }
    }

    /// Whether single precision has no subnormal numbers: what targets before sm_20 compute, `.ftz` does.
    pub fn always_flushes(&self) -> bool {
        self.target.is_some_and(|target| target.number < 20)
    }

    /// Whether `cvt` between single and double precision flushes too, where the target does: not before PTX 1.5.
    pub fn flushes_doubles(&self) -> bool {
        self.version.is_some_and(|version| version >= (1, 5))
    }

    /// Whether accesses name banks of constants.
    pub fn has_banks(&self) -> bool {
        self.version.is_some_and(|version| version < (2, 2))
    }

    /// Whether the tables have all that the version of the module has.
    pub fn is_known(&self) -> bool {
        self.version.is_some_and(|version| version <= NEWEST)
    }

    /// As [`Self::violation`], of what later versions and targets no longer have.
    fn gone(&self, rule: &Rule, words: &[&str]) -> Option<String> {
        let (major, minor) = rule.version;
        let first = rule.targets.iter().find_map(|t| Architecture::parse(t))?;
        // A second target is the last that the rule is for.
        let last = rule.targets.get(1).and_then(|t| Architecture::parse(t));
        let number = self.target?.number;
        let gone = self.version? >= rule.version
            && number >= first.number
            && last.is_none_or(|last| number <= last.number);
        gone.then(|| {
            let without: Vec<_> = rule
                .when
                .iter()
                .filter(|term| term.not)
                .flat_map(|term| term.any)
                .filter_map(|condition| match condition {
                    Condition::Word(word) | Condition::Field(_, word) => Some(format!("`.{word}`")),
                    Condition::Operand(..) => None,
                })
                .collect();
            let subject = if without.is_empty() {
                subject(rule, words).trim_end_matches(" needs").to_owned()
            } else {
                format!("a form without {}", without.join(" or "))
            };
            // All targets come behind the first.
            let target = match first.number {
                10 => String::new(),
                number => format!(".target sm_{number} and "),
            };
            format!("{subject} is gone from {target}PTX ISA .version {major}.{minor} on")
        })
    }

    /// The error of an instruction for which the rule's `when` holds; none where version and target suffice.
    fn violation(&self, rule: &Rule, words: &[&str]) -> Option<String> {
        if rule.never {
            return Some(never(rule));
        }
        if rule.gone {
            return self.gone(rule, words);
        }
        let covered = |target: Architecture| {
            let known = rule.targets.iter().filter_map(|t| Architecture::parse(t));
            rule.targets.is_empty() || known.into_iter().any(|t| target.covers(t))
        };
        if self.target.is_some_and(|t| !covered(t)) {
            let or_higher =
                if rule.targets.iter().all(|t| t.ends_with(|c: char| c.is_ascii_digit())) {
                    " or higher"
                } else {
                    ""
                };
            return Some(format!(
                "{} .target {}{or_higher}",
                subject(rule, words),
                rule.targets.join(", ")
            ));
        }
        let (major, minor) = rule.version;
        if self.version.is_some_and(|v| v < rule.version) {
            return Some(format!(
                "{} PTX ISA .version {major}.{minor} or later",
                subject(rule, words)
            ));
        }
        None
    }
}

/// The words that a rule is about and that `present` has.
fn subject(rule: &Rule, present: &[&str]) -> String {
    let conditions = rule.when.iter().filter(|t| !t.not).flat_map(|t| t.any);
    let words: Vec<_> = conditions
        .filter_map(|condition| match condition {
            Condition::Word(word) | Condition::Field(_, word) => Some(*word),
            Condition::Operand(..) => None,
        })
        .filter(|word| present.contains(word))
        .map(|word| format!("`.{word}`"))
        .collect();
    let rest = if words.len() > 1 { "together need" } else { "needs" };
    format!("{} {rest}", if words.is_empty() { "it".to_owned() } else { words.join(" and ") })
}

fn never(rule: &Rule) -> String {
    let term = |term: &Term| {
        let words: Vec<_> = term
            .any
            .iter()
            .map(|atom| match atom {
                Condition::Word(word) | Condition::Field(_, word) => format!("`.{word}`"),
                Condition::Operand(..) => "such operands".to_owned(),
            })
            .collect();
        format!("{}{}", if term.not { "without " } else { "" }, words.join(" or "))
    };
    let terms: Vec<_> = rule.when.iter().map(term).collect();
    format!("wrong modifiers: {}", terms.join(" with "))
}

/// The instruction that a rule is asked of.
pub(super) struct Subject<'s, 'a> {
    pub spec: &'static Spec,
    /// The modifiers of the mnemonic.
    pub words: &'s [&'a str],
    pub codes: &'s Codes,
    /// None while the operands are not known.
    pub values: Option<&'s Values<'a>>,
}

impl Subject<'_, '_> {
    /// None where it depends on operands that are not known yet.
    fn atom(&self, atom: &Condition) -> Option<bool> {
        match atom {
            Condition::Word(word) => Some(self.words.contains(word)),
            Condition::Field(field, word) => {
                let names = self.spec.fields.get(*field).map_or(&[][..], |f| f.words);
                let code = usize::from(self.codes[*field]);
                Some(code.checked_sub(1).and_then(|c| names.get(c)) == Some(word))
            }
            Condition::Operand(operand, kind) => Some(match (&self.values?[*operand], kind) {
                (Value::None, _) => false,
                (_, OperandKind::Present)
                | (Value::Operand(Operand::Sink), OperandKind::Sink)
                | (Value::Operand(Operand::Vector(_)), OperandKind::Vector)
                | (Value::Operand(Operand::Immediate(_)), OperandKind::Immediate) => true,
                _ => false,
            }),
        }
    }

    fn term(&self, term: &Term) -> Option<bool> {
        let mut unknown = false;
        for atom in term.any {
            match self.atom(atom) {
                Some(true) => return Some(!term.not),
                Some(false) => {}
                None => unknown = true,
            }
        }
        if unknown { None } else { Some(term.not) }
    }

    fn holds(&self, rule: &Rule) -> Option<bool> {
        let mut unknown = false;
        for term in rule.when {
            match self.term(term) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => unknown = true,
            }
        }
        if unknown { None } else { Some(true) }
    }

    /// The first violation; and whether some rules wait for the operands.
    pub fn check(&self, environment: &Environment) -> Result<bool, String> {
        let mut waiting = false;
        for rule in self.spec.rules {
            match self.holds(rule) {
                Some(true) => {
                    if let Some(violation) = environment.violation(rule, self.words) {
                        return Err(violation);
                    }
                }
                Some(false) => {}
                None => waiting = true,
            }
        }
        Ok(waiting)
    }
}
