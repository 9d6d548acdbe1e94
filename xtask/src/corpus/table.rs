//! The results of a collection, as Markdown for people and JSON for programs.

use crate::corpus::verdict::Verdict;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The results of one program.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    pub verdict: Verdict,
    pub seconds: f64,
    /// The list's reasons, for the verdict and for other arguments.
    pub reasons: Vec<String>,
    /// The first difference in each place, with `--compare`.
    pub differences: Vec<(String, String)>,
    /// The difference to what is expected.
    pub problem: Option<String>,
}

/// The origin of the programs.
#[derive(Clone, Debug)]
pub struct Source {
    pub collection: String,
    /// The checkout's commit and its date.
    pub commit: String,
    pub place: String,
    /// The number of its programs, chosen or not.
    pub programs: usize,
    /// The seconds of `--timeout`.
    pub seconds: u64,
}

const WORDS: [&str; 7] =
    ["passed", "failed", "crashed", "wrong result", "timed out", "did not build", "left out"];

/// The number of programs of each verdict, as text.
pub fn counts(rows: &[Row]) -> String {
    let count = |word: &str| rows.iter().filter(|row| row.verdict.word() == word).count();
    let counts = WORDS.iter().map(|word| (count(word), word));
    let counts: Vec<String> = counts
        .filter(|(count, word)| *count > 0 || **word == "passed")
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    counts.join(", ")
}

/// A section of `docs/dev/corpus.md`: what did not pass has a row, what did stands in one paragraph.
pub fn markdown(source: &Source, rows: &[Row]) -> String {
    let mut text = format!(
        "## {}\n\nCommit {}, on {} with `--timeout {}`. {} of {} programs: {}.\n",
        source.collection,
        source.commit,
        source.place,
        source.seconds,
        rows.len(),
        source.programs,
        counts(rows)
    );
    let mut passed = Vec::new();
    let mut table = String::new();
    for row in rows {
        let remarks = remarks(row);
        if row.verdict == Verdict::Passed && remarks.is_empty() {
            passed.push(row);
            continue;
        }
        let seconds = if row.seconds > 0.0 { format!("{:.1}", row.seconds) } else { String::new() };
        let remarks = remarks.join("; ").replace('|', "\\|");
        let _ =
            writeln!(table, "| {} | {} | {seconds} | {remarks} |", row.name, row.verdict.word());
    }
    if !table.is_empty() {
        let _ =
            write!(text, "\n| program | result | seconds | remarks |\n|---|---|---:|---|\n{table}");
    }
    if !passed.is_empty() {
        let _ = writeln!(text, "\nPassed as they are: {}.", names(&passed));
    }
    text
}

/// More names than that nobody reads.
const MOST_NAMES: usize = 600;

/// The names of programs, or, of too many, the number in each folder.
fn names(rows: &[&Row]) -> String {
    if rows.len() <= MOST_NAMES {
        let names = rows.iter().map(|row| format!("{} ({:.1} s)", row.name, row.seconds));
        return names.collect::<Vec<_>>().join(", ");
    }
    let mut folders = BTreeMap::<_, usize>::new();
    for row in rows {
        let folder = row.name.rsplit_once('/').map_or(".", |(folder, _)| folder);
        *folders.entry(folder).or_default() += 1;
    }
    let folders = folders.iter().map(|(folder, count)| format!("{count} in {folder}"));
    folders.collect::<Vec<_>>().join(", ")
}

fn remarks(row: &Row) -> Vec<String> {
    let mut remarks: Vec<String> = row.problem.iter().map(|text| format!("**{text}**")).collect();
    let detail = row.verdict.detail();
    if !detail.is_empty() && !row.reasons.contains(&detail) {
        remarks.push(if row.verdict.word() == "left out" { detail } else { format!("`{detail}`") });
    }
    remarks.extend(row.reasons.iter().cloned());
    remarks.extend(row.differences.iter().map(|(place, text)| format!("on {place}: {text}")));
    remarks
}

/// One object with an array of programs.
pub fn json(source: &Source, rows: &[Row]) -> String {
    let programs: Vec<String> = rows
        .iter()
        .map(|row| {
            let differences: Vec<String> = row
                .differences
                .iter()
                .map(|(place, text)| format!("{}: {}", quoted(place), quoted(text)))
                .collect();
            let reasons: Vec<String> = row.reasons.iter().map(|reason| quoted(reason)).collect();
            format!(
                "    {{\"name\": {}, \"result\": {}, \"detail\": {}, \"seconds\": {:.3}, \
                 \"expected\": {}, \"problem\": {}, \"reasons\": [{}], \"differences\": {{{}}}}}",
                quoted(&row.name),
                quoted(row.verdict.word()),
                quoted(&row.verdict.detail()),
                row.seconds,
                row.problem.is_none(),
                row.problem.as_deref().map_or("null".to_owned(), quoted),
                reasons.join(", "),
                differences.join(", ")
            )
        })
        .collect();
    format!(
        "{{\n  \"collection\": {},\n  \"commit\": {},\n  \"place\": {},\n  \"timeout\": {},\n  \"programs\": [\n{}\n  ]\n}}\n",
        quoted(&source.collection),
        quoted(&source.commit),
        quoted(&source.place),
        source.seconds,
        programs.join(",\n")
    )
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Puts a section in the place of the one with the same heading, or at the end of the page.
pub fn replace_section(page: &str, section: &str) -> String {
    let heading = section.lines().next().unwrap_or_default();
    let is_heading = |line: &str| line.starts_with("## ");
    let lines: Vec<&str> = page.lines().collect();
    let Some(start) = lines.iter().position(|line| *line == heading) else {
        return format!("{}\n\n{section}", page.trim_end());
    };
    let end = lines[start + 1..].iter().position(|line| is_heading(line));
    let end = end.map_or(lines.len(), |end| start + 1 + end);
    let mut text: String = lines[..start].iter().map(|line| format!("{line}\n")).collect();
    text += section;
    if end < lines.len() {
        text.push('\n');
        text.extend(lines[end..].iter().map(|line| format!("{line}\n")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, verdict: Verdict) -> Row {
        Row {
            name: name.to_owned(),
            verdict,
            seconds: 1.25,
            reasons: Vec::new(),
            differences: Vec::new(),
            problem: None,
        }
    }

    fn source() -> Source {
        Source {
            collection: "some".into(),
            commit: "abc of a day".into(),
            place: "cpu".into(),
            programs: 3,
            seconds: 60,
        }
    }

    #[test]
    fn what_did_not_pass_has_a_row() {
        let mut rows = vec![row("a", Verdict::Passed), row("b", Verdict::Failed(2))];
        rows[1].reasons.push("two GPUs".into());
        assert_eq!(
            markdown(&source(), &rows),
            "## some\n\nCommit abc of a day, on cpu with `--timeout 60`. 2 of 3 programs: 1 passed, 1 failed.\n\n\
             | program | result | seconds | remarks |\n|---|---|---:|---|\n\
             | b | failed | 1.2 | `exit status 2`; two GPUs |\n\nPassed as they are: a (1.2 s).\n"
        );
    }

    #[test]
    fn json_holds_any_text() {
        let text = json(&source(), &[row("a", Verdict::Wrong("\"x\\\u{1b}".into()))]);
        assert!(
            text.contains(r#""detail": "\"x\\\u001b", "seconds": 1.250, "expected": true"#),
            "{text}"
        );
    }

    #[test]
    fn a_section_takes_the_place_of_its_predecessor() {
        let page = "# Page\n\ntext\n\n## a\n\nold\n\n## b\n\nkept\n";
        assert_eq!(
            replace_section(page, "## a\n\nnew\n"),
            "# Page\n\ntext\n\n## a\n\nnew\n\n## b\n\nkept\n"
        );
        assert_eq!(
            replace_section(page, "## b\n\nnew\n"),
            "# Page\n\ntext\n\n## a\n\nold\n\n## b\n\nnew\n"
        );
        assert_eq!(replace_section("# Page\n", "## c\n\nnew\n"), "# Page\n\n## c\n\nnew\n");
    }
}
