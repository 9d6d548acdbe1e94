//! Version and target.

use ptx_parser::{Error, Module, Span};

/// The targets, and the version of PTX that each came with.
const TARGETS: &[(u32, (u16, u16))] = &[
    (10, (1, 0)),
    (11, (1, 0)),
    (12, (1, 2)),
    (13, (1, 2)),
    (20, (2, 0)),
    (21, (2, 0)),
    (30, (3, 0)),
    (32, (4, 0)),
    (35, (3, 0)),
    (37, (4, 1)),
    (50, (4, 0)),
    (52, (4, 1)),
    (53, (4, 2)),
    (60, (5, 0)),
    (61, (5, 0)),
    (62, (5, 0)),
    (70, (5, 1)),
    (72, (6, 1)),
    (75, (6, 3)),
    (80, (7, 0)),
    (86, (7, 1)),
    (87, (7, 4)),
    (88, (7, 3)),
    (89, (7, 8)),
    (90, (7, 8)),
    (100, (8, 6)),
    (101, (8, 6)),
    (103, (8, 8)),
    (107, (9, 4)),
    (110, (9, 0)),
    (120, (8, 7)),
    (121, (8, 8)),
];

/// Targets above those of [`TARGETS`], up to this one, are GPUs to come: programs ask for them where the device reports
/// their capability. Forms that need an architecture or later ones are there.
const LAST_TARGET: u32 = 999;

/// The other words that may stand in a `.target`, and the versions that brought them.
const OPTIONS: [(&str, (u16, u16)); 4] = [
    ("texmode_unified", (1, 0)),
    ("texmode_independent", (1, 5)),
    ("debug", (3, 0)),
    ("map_f64_to_f32", (1, 0)),
];

/// Adds errors for words of `.target` that are unknown, newer than the module's version, or not allowed together.
pub fn check(module: &Module<'_>, source: &str, errors: &mut Vec<Error>) {
    for word in &module.target.words {
        let span = Span::of(source, word).unwrap_or_default();
        if let Some((_, since)) = OPTIONS.iter().find(|(option, _)| option == word) {
            if module.version < *since {
                let message = format!("`{word}` needs version {}.{}", since.0, since.1);
                errors.push(Error::invalid(span, message));
            }
            continue;
        }
        let number = word.strip_prefix("sm_").or(word.strip_prefix("compute_"));
        let number = number.and_then(|n| n.trim_end_matches(['a', 'f']).parse::<u32>().ok());
        if number.is_some_and(is_to_come) {
            continue;
        }
        let known = number.and_then(|number| TARGETS.iter().find(|(sm, _)| *sm == number));
        match known {
            None => errors.push(Error::invalid(span, format!("there is no target `{word}`"))),
            Some(_) if *word == "sm_90a" && module.version < (8, 0) => {
                errors.push(Error::invalid(span, "the target `sm_90a` came with version 8.0"));
            }
            Some((_, since)) if module.version < *since => errors.push(Error::invalid(
                span,
                format!("the target `{word}` came with version {}.{}", since.0, since.1),
            )),
            Some(_) => {}
        }
    }
    let Some(first) = module.target.words.first() else { return };
    let span = Span::of(source, first).unwrap_or_default();
    if OPTIONS.iter().any(|(option, _)| option == first) {
        errors.push(Error::invalid(span, "a `.target` begins with an architecture"));
    }
    if module.target.words.contains(&"map_f64_to_f32")
        && module.target.sm().is_some_and(|sm| sm >= 13)
    {
        let message = "`map_f64_to_f32` is for targets before sm_13";
        errors.push(Error::invalid(span, message));
    }
}

fn is_to_come(number: u32) -> bool {
    number <= LAST_TARGET && TARGETS.iter().all(|(sm, _)| number > *sm)
}

#[cfg(test)]
mod tests {
    use crate::check::{Extent, errors};

    #[test]
    fn targets_are_those_that_there_are_and_later_ones() {
        for (target, is_one) in [
            ("sm_80", true),
            ("sm_81", false),
            ("sm_120", true),
            ("sm_122", true),
            ("sm_130a", true),
            ("compute_140", true),
            ("sm_1000", false),
            ("sm_x", false),
        ] {
            let text = format!(".version 9.0\n.target {target}\n.address_size 64\n");
            let parse = ptx_parser::parse(&text);
            let found = errors(&parse.module, parse.errors, &text, Extent::Whole);
            assert_eq!(found.is_empty(), is_one, "{target}: {found:?}");
        }
    }
}
