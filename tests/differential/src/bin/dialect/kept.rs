//! Kept answers, and how others differ from them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::answer::Answer;
use crate::case::Case;

/// The answers of a summary, by case: one for each place of its grid.
pub struct Kept {
    cases: BTreeMap<String, Vec<Answer>>,
}

impl Kept {
    /// Reads a summary that is compressed.
    pub fn read(path: &Path) -> Self {
        let packed = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let text = String::from_utf8(zstd::decode_all(packed.as_slice()).unwrap()).unwrap();
        let mut outputs = BTreeMap::new();
        for line in text.lines().filter(|line| line.starts_with('#')) {
            outputs.extend(line.split_once(' '));
        }
        let cases = format!("\n{}", text.split("\n#").next().unwrap_or_default());
        let cases = cases.split("\ncase ").skip(1).map(|case| {
            let mut lines = case.lines();
            let name = lines.next().unwrap_or_default().to_owned();
            let row = lines.next().unwrap_or_default();
            let kinds: BTreeMap<char, Answer> = lines
                .filter_map(|line| {
                    let (letter, answer) = line.split_once(' ')?;
                    let mut answer = Answer::parse(answer);
                    if let Some(output) = outputs.get(answer.output.as_str()) {
                        answer.output = (*output).to_owned();
                    }
                    Some((letter.chars().next()?, answer))
                })
                .collect();
            (name, row.chars().map(|letter| kinds[&letter].clone()).collect())
        });
        Kept { cases: cases.collect() }
    }
}

/// A line for each case with differences, with a letter for each dialect: `=` where answers are equal, `t` where
/// only these take the text, `k` where both refuse it, but these only when the kernel is asked for, `r` where only
/// these refuse it, or its kernel, `c` for another code, `o` for another output. Behind two blanks and a `#` follows
/// what the others said of the first that they refuse. What is known of the kept ones' side in no way is equal.
pub fn differences(
    kept: &Kept,
    cases: &[Case],
    questions: &[(usize, usize)],
    answers: &BTreeMap<usize, Answer>,
) -> String {
    let mut rows: BTreeMap<usize, (String, &str)> = BTreeMap::new();
    for (number, (case, place)) in questions.iter().enumerate() {
        let theirs = kept.cases.get(&cases[*case].name).and_then(|answers| answers.get(*place));
        let letter = theirs.map_or('?', |theirs| difference(theirs, &answers[&number]));
        let (row, remark) = rows.entry(*case).or_default();
        row.push(letter);
        if let ('t' | 'k', true, Some(theirs)) = (letter, remark.is_empty(), theirs) {
            *remark = &theirs.remark;
        }
    }
    let different =
        rows.into_iter().filter(|(_, (row, _))| row.chars().any(|letter| letter != '='));
    different
        .map(|(case, (row, remark))| format!("{}: {row}  # {remark}\n", cases[case].name))
        .collect()
}

fn difference(theirs: &Answer, ours: &Answer) -> char {
    let unknown = |answer: &Answer| matches!(answer.code.as_str(), "none" | "crash");
    let refused = ours.output.starts_with("get:");
    match (theirs.code.as_str(), ours.code.as_str()) {
        _ if unknown(theirs) => '=',
        ("0", "0") if theirs.output == ours.output || ours.output == "-" => '=',
        ("0", "0") if refused => 'r',
        ("0", "0") => 'o',
        ("0", _) => 'r',
        (_, "0") if refused => 'k',
        (_, "0") => 't',
        (their_code, our_code) if their_code == our_code => '=',
        _ => 'c',
    }
}
