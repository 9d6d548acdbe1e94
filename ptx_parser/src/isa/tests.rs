//! Every line of every table: its words exist, and it parses and prints.

use super::TABLES;
use super::spec::{Form, MAX_FIELDS, MAX_OPERANDS, OperandSlot, Slot, Spec};
use crate::{Directive, Instruction, Statement, parse};

fn slots(form: &Form) -> impl Iterator<Item = &Slot> {
    form.modifiers.iter().chain(form.operands.iter().filter_map(|o| o.suffix.as_ref()))
}

#[test]
fn words_are_known_to_their_enums() {
    for spec in TABLES {
        assert!(
            spec.fields.len() <= MAX_FIELDS && spec.operands.len() <= MAX_OPERANDS,
            "{}",
            spec.name
        );
        for form in spec.forms {
            for slot in slots(form) {
                let words = slot.field.map_or(&[][..], |f| spec.fields[f].words);
                if words.is_empty() {
                    assert_eq!(
                        slot.words.len(),
                        1,
                        "{}: a flag has one word, not {:?}",
                        spec.name,
                        slot.words
                    );
                } else if slot.words != words {
                    for word in slot.words {
                        assert!(
                            words.contains(word),
                            "{}: `.{word}` is not in {words:?}",
                            spec.name
                        );
                    }
                }
            }
        }
    }
}

/// The names of instructions begin with their opcode.
#[test]
fn structs_are_named_after_their_opcode() {
    for spec in TABLES {
        for form in spec.forms {
            assert!(
                spec.name.to_lowercase().starts_with(form.opcode),
                "{} has a form of `{}`",
                spec.name,
                form.opcode
            );
        }
    }
}

fn operand(slot: &OperandSlot, all: bool) -> String {
    let names: Vec<_> = slot.fields.iter().map(|f| format!("%o{f}")).collect();
    let mut text = names.join(", ");
    if slot.bracket {
        text = format!("[{text}]");
    }
    if slot.vector {
        text = format!("{{{text}}}");
    }
    if let Some(suffix) = &slot.suffix
        && (all || !suffix.optional)
    {
        text.push_str(&format!(".{}", suffix.words[0]));
    }
    match slot.pair {
        Some((field, optional)) if all || !optional => format!("{text}|%o{field}"),
        _ => text,
    }
}

/// The form with the `choice`th word of each modifier, and with all that is optional or nothing.
fn text(form: &Form, choice: usize, all: bool) -> String {
    let mut text = form.opcode.to_owned();
    for slot in form.modifiers.iter().filter(|s| all || !s.optional) {
        text.push_str(&format!(".{}", slot.words[choice % slot.words.len()]));
    }
    let operands: Vec<_> =
        form.operands.iter().filter(|o| all || !o.optional).map(|o| operand(o, all)).collect();
    if !operands.is_empty() {
        text.push(' ');
    }
    format!("{text}{};", operands.join(", "))
}

/// No target has all instructions, and no version.
const TARGETS: [(&str, &str); 16] = [
    ("9.5", "sm_60"),
    ("9.5", "sm_90a"),
    ("9.5", "sm_100a"),
    ("9.5", "sm_103a"),
    ("9.5", "sm_107a"),
    ("9.5", "sm_110a"),
    ("9.5", "sm_120a"),
    ("9.5", "sm_121a"),
    ("9.0", "sm_60"),
    ("9.0", "sm_90a"),
    ("9.0", "sm_100a"),
    ("9.0", "sm_103a"),
    ("9.0", "sm_110a"),
    ("9.0", "sm_120a"),
    ("3.1", "sm_20"),
    ("1.3", "sm_20"),
];

fn instruction(text: &str) -> Result<String, String> {
    let results = TARGETS.map(|(version, target)| instruction_for(version, target, text));
    let never = |r: &Result<String, String>| matches!(r, Err(e) if e.contains("wrong modifiers"));
    let best = results.iter().position(Result::is_ok).or_else(|| results.iter().position(never));
    results[best.unwrap_or_default()].clone()
}

fn instruction_for(version: &str, target: &str, text: &str) -> Result<String, String> {
    let module = format!(".version {version}\n.target {target}\n.func f() {{ {text} }}");
    let parse = parse(&module);
    if let Some(error) = parse.errors.first() {
        return Err(error.render(&module));
    }
    match &parse.module.directives[..] {
        [Directive::Function(f)] => match f.body.as_deref() {
            Some([Statement::Instruction(i)]) => match &i.instruction {
                Instruction::Call(_) => Err("a call".to_owned()),
                instruction => Ok(format!(
                    "{:?}\n{};",
                    instruction.parts().map(|p| p.spec.name),
                    i.instruction
                )),
            },
            other => Err(format!("{other:?}")),
        },
        other => Err(format!("{other:?}")),
    }
}

/// Whether the table has the instruction: not all words of a form go together.
fn check(spec: &Spec, text: &str) -> bool {
    let first = match instruction(text) {
        Ok(first) => first,
        Err(e) if e.contains("wrong modifiers") => return false,
        Err(e) => panic!("{text}\n{e}"),
    };
    let (name, printed) = first.split_once('\n').unwrap();
    assert_eq!(name, format!("Some({:?})", spec.name), "{text}");
    // What is printed means the same.
    assert_eq!(
        instruction(printed).unwrap_or_else(|e| panic!("{text}\n{printed}\n{e}")),
        first,
        "{text}"
    );
    let mut before: Vec<_> = text.split(['.', ' ', ';']).collect();
    let mut after: Vec<_> = printed.split(['.', ' ', ';']).collect();
    before.sort_unstable();
    after.sort_unstable();
    assert_eq!(before, after, "{text} was printed as {printed}");
    true
}

#[test]
fn every_form_parses_and_prints() {
    let mut count = 0;
    for spec in TABLES {
        for form in spec.forms {
            let choices = form.modifiers.iter().map(|s| s.words.len()).max().unwrap_or(1);
            for choice in 0..choices {
                for all in [false, true] {
                    count += usize::from(check(spec, &text(form, choice, all)));
                }
            }
        }
    }
    assert!(count > 2000, "{count}");
}
