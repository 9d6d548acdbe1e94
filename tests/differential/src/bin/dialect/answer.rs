//! The answer of a library, and many answers in few lines.

use std::collections::BTreeMap;
use std::fmt;

use crate::case::Case;

/// `CODE OUTPUT REMARK`: the result of loading; what the kernel left, in hexadecimal digits, or `-`; and what is
/// wrong with the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Answer {
    pub code: String,
    pub output: String,
    pub remark: String,
}

impl Answer {
    /// Reads the three words of a line; those that are missing are empty.
    pub fn parse(line: &str) -> Self {
        let mut words = line.splitn(3, ' ').map(str::to_owned);
        let mut next = || words.next().unwrap_or_default();
        Answer { code: next(), output: next(), remark: next() }
    }

    /// The answer of a library that ends its process.
    pub fn crash() -> Self {
        Answer { code: "crash".to_owned(), output: "-".to_owned(), remark: String::new() }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.code, self.output, self.remark)
    }
}

const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Each case as a line `case NAME`, a line with a letter for each dialect of its grid, and a line for each letter
/// with its answer. All outputs, which are named by numbers, stand at the end.
pub fn summary(
    cases: &[Case],
    questions: &[(usize, usize)],
    answers: &BTreeMap<usize, Answer>,
) -> String {
    let mut text = String::new();
    let mut outputs: Vec<&str> = Vec::new();
    let mut by_case: BTreeMap<usize, Vec<&Answer>> = BTreeMap::new();
    let none = Answer::parse("none -");
    for (number, (case, _)) in questions.iter().enumerate() {
        by_case.entry(*case).or_default().push(answers.get(&number).unwrap_or(&none));
    }
    for (case, answers) in by_case {
        let mut kinds: Vec<&Answer> = Vec::new();
        let mut row = String::new();
        for answer in answers {
            let same = |known: &&Answer| *known == answer;
            let alike =
                |known: &&Answer| (&known.code, &known.output) == (&answer.code, &answer.output);
            let kind =
                kinds.iter().position(same).unwrap_or_else(|| match kinds.iter().position(alike) {
                    // Of many remarks the first is enough.
                    Some(kind) if kinds.len() >= LETTERS.len() / 2 => kind,
                    _ => {
                        kinds.push(answer);
                        kinds.len() - 1
                    }
                });
            row.push(char::from(*LETTERS.get(kind).unwrap_or(&b'?')));
        }
        text += &format!("case {}\n{row}\n", cases[case].name);
        for (letter, answer) in LETTERS.iter().zip(kinds) {
            let output = match answer.output.as_str() {
                "-" => "-".to_owned(),
                output => {
                    let known = outputs.iter().position(|known| *known == output);
                    let place = known.unwrap_or_else(|| {
                        outputs.push(output);
                        outputs.len() - 1
                    });
                    format!("#{place}")
                }
            };
            let line =
                format!("{} {} {output} {}", char::from(*letter), answer.code, answer.remark);
            text += line.trim_end();
            text.push('\n');
        }
    }
    for (place, output) in outputs.iter().enumerate() {
        text += &format!("#{place} {output}\n");
    }
    text
}
