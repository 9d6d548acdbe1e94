//! Enumerators and structures that go on to the engine as they are have the same numbers and sizes in both versions' headers.

use std::collections::BTreeMap;

const NINE: &str = include_str!("../../cuda_types/src/cudnn/generated.rs");
const EIGHT: &str = include_str!("../../cuda_types/src/cudnn8/generated.rs");

/// What of a generated file begins so, up to the end of its statement, by name.
fn statements(text: &str, begins: &str, parts: char) -> BTreeMap<String, String> {
    let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    let found = text.split(begins).skip(1).filter_map(|rest| {
        let (statement, _) = rest.split_once(';')?;
        let (name, value) = statement.split_once(parts)?;
        Some((name.to_owned(), value.to_owned()))
    });
    found.collect()
}

/// The names that both versions have, and which of them are not the same.
fn differing(begins: &str, parts: char) -> (usize, Vec<String>) {
    let (eight, nine) = (statements(EIGHT, begins, parts), statements(NINE, begins, parts));
    let both = eight.iter().filter_map(|(name, value)| Some((name, value, nine.get(name)?)));
    let count = both.clone().count();
    (count, both.filter(|(_, eight, nine)| eight != nine).map(|(name, ..)| name.clone()).collect())
}

#[test]
fn statuses_alone_have_other_numbers() {
    let (count, differing) = differing("pubconst", ':');
    assert!(count > 500, "{count}");
    // Numbers of what there is, and of the version.
    let of_versions = ["MAJOR", "MINOR", "PATCHLEVEL", "VERSION", "MAX_", "MIN_DEVICE_", "SM_"];
    let is_known = |name: &str| {
        let starts =
            |part: &&str| name.strip_prefix("CUDNN_").is_some_and(|n| n.starts_with(*part));
        name.ends_with("_COUNT") || name.ends_with("_COUNTS") || of_versions.iter().any(starts)
    };
    let differing: Vec<_> = differing.into_iter().filter(|name| !is_known(name)).collect();
    assert!(differing.iter().all(|name| name.starts_with("CUDNN_STATUS_")), "{differing:?}");
    assert_eq!(differing.len(), 14, "{differing:?}");
}

#[test]
fn structures_lie_alike() {
    for begins in ["[\"Sizeof", "[\"Offsetoffield:"] {
        let (count, differing) = differing(begins, ']');
        assert!(count > 3, "{count} of {begins}");
        assert_eq!(differing, Vec::<String>::new());
    }
}
