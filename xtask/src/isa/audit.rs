//! The whole comparison: generates, asks, counts.

use super::environment::{ALL, Environment, WIDEST};
use super::generate::{Case, Class, forms};
use super::judge::{Ptxas, Question, Verdict, ours};
use super::mutate::{Vocabulary, mutate};
use super::random;
use super::report::{Entry, Row, not_lowered};
use crate::Result;
use ptx_parser::isa::Syntax;
use std::collections::BTreeMap;

/// The number of instructions that are made.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Of each form, about.
    pub forms: usize,
    /// Changed ones of each instruction.
    pub variations: usize,
}

pub struct Audit {
    pub entries: Vec<Entry>,
    pub forms: usize,
    pub variations: usize,
    /// `instruction` and why ptxas refuses it, where we do not.
    pub taken: Vec<Difference>,
    /// `instruction` and why we refuse it, where ptxas does not.
    pub refused: Vec<Difference>,
}

pub struct Difference {
    pub mnemonic: String,
    pub environment: Environment,
    pub instruction: String,
    pub reason: String,
}

/// An instruction of the tables, and the index of its first form.
struct InstructionForms {
    syntax: Syntax,
    mnemonic: String,
}

/// The literal words that all forms of an instruction begin with.
fn mnemonic(forms: &[Syntax]) -> String {
    let Some(first) = forms.first() else { return String::new() };
    let mut text = first.opcode().to_owned();
    for (place, slot) in first.words().iter().enumerate() {
        let same = |form: &Syntax| {
            form.words().get(place).is_some_and(|s| s.words == slot.words && !s.optional)
        };
        if slot.words.len() != 1 || !forms.iter().all(same) {
            break;
        }
        text.push('.');
        text.push_str(slot.words[0]);
    }
    text
}

fn generate(size: Size, filter: &str) -> (Vec<InstructionForms>, Vec<Case>) {
    let all = ptx_parser::isa::syntax();
    let mut groups: Vec<InstructionForms> = Vec::new();
    let mut cases: Vec<Case> = Vec::new();
    for own in all.chunk_by(|a, b| a.instruction() == b.instruction()) {
        let name = own[0].instruction();
        if !name.to_lowercase().contains(&filter.to_lowercase()) {
            continue;
        }
        let group = groups.len();
        groups.push(InstructionForms { syntax: own[0], mnemonic: mnemonic(own) });
        for (index, form) in own.iter().enumerate() {
            let mut random = random::of(&format!("{name} {index}"));
            cases.extend(forms(form, group, size.forms, &mut random));
        }
    }
    let forms = cases.len();
    for (group, InstructionForms { syntax, .. }) in groups.iter().enumerate() {
        let own: Vec<Case> = cases[..forms].iter().filter(|c| c.group == group).cloned().collect();
        let vocabulary = Vocabulary::new(&all, syntax.opcode());
        let mut random = random::of(syntax.instruction());
        for _ in 0..size.variations {
            let variation = own.get(random.below(own.len()));
            cases.extend(variation.and_then(|c| mutate(c, &vocabulary, &mut random)));
        }
    }
    (groups, cases)
}

/// Asks ptxas and our parser about the instructions whose struct's name contains `filter`. Fails if ptxas cannot be
/// run.
pub fn run(ptxas: &Ptxas, size: Size, filter: &str) -> Result<Audit> {
    let (groups, cases) = generate(size, filter);
    let texts: Vec<String> = cases.iter().map(Case::text).collect();
    let mut rows = vec![Row::default(); groups.len()];
    let (mut taken, mut refused) = (Vec::new(), Vec::new());
    let difference = |index: usize, environment: Environment, reason: &str| Difference {
        mnemonic: groups[cases[index].group].mnemonic.clone(),
        environment,
        instruction: texts[index].clone(),
        reason: reason.to_owned(),
    };

    let indices: Vec<usize> = (0..cases.len()).collect();
    let answers = ask(ptxas, WIDEST, &cases, &texts, &indices)?;
    let mut somewhere = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        if answers.theirs.iter().any(|verdicts| verdicts[index].is_none()) {
            somewhere.push(index);
            continue;
        }
        let row = &mut rows[case.group];
        let agreement = match case.class {
            Class::Operand => &mut row.operands,
            Class::Form | Class::Type | Class::Modifier => &mut row.modifiers,
        };
        let ours = answers.ours.iter().position(|verdicts| verdicts[index].is_none());
        agreement.add(ours.is_none());
        if let Some(environment) = ours {
            let reason = best(&answers.theirs, index);
            taken.push(difference(index, WIDEST[environment], reason));
        }
    }

    let answers = ask(ptxas, ALL, &cases, &texts, &somewhere)?;
    for (place, index) in somewhere.into_iter().enumerate() {
        let case = &cases[index];
        for (e, environment) in ALL.iter().enumerate() {
            let row = &mut rows[case.group];
            match (&answers.theirs[e][place], &answers.ours[e][place]) {
                (None, ours) => {
                    let of_form = case.class == Class::Form;
                    let agreement = if of_form { &mut row.forms } else { &mut row.variations };
                    agreement.add(ours.is_none());
                    if let Some(reason) = ours {
                        refused.push(difference(index, *environment, reason));
                    }
                }
                (Some(reason), ours) => {
                    row.targets.add(ours.is_some());
                    if ours.is_none() {
                        taken.push(difference(index, *environment, reason));
                    }
                }
            }
        }
    }

    let missing = not_lowered()?;
    let variations = cases.iter().filter(|c| c.class != Class::Form).count();
    let entry = |(group, row): (&InstructionForms, Row)| Entry {
        family: group.syntax.family,
        mnemonic: group.mnemonic.clone(),
        row,
        executable: !missing.iter().any(|name| name == group.syntax.instruction()),
    };
    let entries = groups.iter().zip(rows).map(entry).collect();
    Ok(Audit { entries, forms: cases.len() - variations, variations, taken, refused })
}

/// For each environment, the verdicts on the cases.
struct Answers {
    theirs: Vec<Vec<Verdict>>,
    ours: Vec<Vec<Verdict>>,
}

fn ask(
    ptxas: &Ptxas,
    environments: &[Environment],
    cases: &[Case],
    texts: &[String],
    indices: &[usize],
) -> Result<Answers> {
    let mut places = [Vec::new(), Vec::new()];
    for (place, index) in indices.iter().enumerate() {
        places[usize::from(cases[*index].independent)].push(place);
    }
    let mut questions = Vec::new();
    for environment in environments {
        for (independent, places) in places.iter().enumerate() {
            questions.push(Question {
                environment: *environment,
                independent: independent == 1,
                instructions: places.iter().map(|p| texts[indices[*p]].clone()).collect(),
            });
        }
    }
    let merge = |answers: Vec<Vec<Verdict>>| {
        let merge = |both: &[Vec<Verdict>]| {
            let mut all = vec![None; indices.len()];
            for (places, answers) in places.iter().zip(both) {
                for (place, answer) in places.iter().zip(answers) {
                    all[*place].clone_from(answer);
                }
            }
            all
        };
        answers.chunks(2).map(merge).collect()
    };
    let ours = questions.iter().map(ours).collect();
    Ok(Answers { theirs: merge(ptxas.ask(&questions)?), ours: merge(ours) })
}

/// The most telling reason: not the target, if there is another.
fn best(verdicts: &[Vec<Verdict>], index: usize) -> &str {
    let all = || verdicts.iter().filter_map(|v| v[index].as_deref());
    all().find(|v| !v.contains(".target")).or_else(|| all().next()).unwrap_or_default()
}

/// One line for each instruction and reason.
pub fn examples(differences: &[Difference]) -> Vec<String> {
    let kind = |reason: &str| -> String {
        let quoted = reason.split(['`', '\'']).step_by(2);
        quoted.collect::<String>().chars().filter(|c| !c.is_ascii_digit()).collect()
    };
    let mut first = BTreeMap::new();
    for difference in differences {
        first.entry((difference.mnemonic.as_str(), kind(&difference.reason))).or_insert(difference);
    }
    let line = |d: &Difference| {
        let Environment { version, target } = d.environment;
        let instruction: String = d.instruction.chars().take(120).collect();
        format!("{instruction}  // {version} {target}: {}", d.reason)
    };
    first.values().map(|d| line(d)).collect()
}
