//! The files of cases.

use std::path::Path;

use crate::grid::{Dialect, all, chosen};

#[derive(Debug)]
pub struct Case {
    pub name: String,
    text: String,
    pub runs: bool,
    form: Option<Form>,
    /// The dialects, each with its place among those of the whole grid.
    pub few: Option<Vec<usize>>,
    pub grid: Vec<Dialect>,
}

/// A case of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Usual,
    /// Gone from version 1.4 of PTX on.
    Old,
    /// Not there, or not all of them, for old targets.
    New,
}

/// The start of a kernel with a parameter, and before version 1.4 of PTX.
const KERNEL: &str = ".entry k (.param .u64 out) {";
const OLD_KERNEL: &str = ".entry k { .param .u64 out;";

impl Case {
    /// Leaves only the dialects that stand for others, but of the cases about the grid itself.
    pub fn ask_few(&mut self) {
        let all = self.grid.iter().enumerate();
        let few: Vec<usize> =
            all.filter(|(_, d)| d.is_among_few()).map(|(place, _)| place).collect();
        if !self.name.starts_with("grid/") {
            self.few = Some(few);
        }
    }

    /// The places in the grid that are asked for.
    pub fn places(&self) -> Vec<usize> {
        self.few.clone().unwrap_or_else(|| (0..self.grid.len()).collect())
    }

    /// Whether its kernel runs.
    pub fn runs_in(&self, dialect: &Dialect) -> bool {
        self.runs && (self.few.is_none() || dialect.is_run(self.form))
    }

    /// The module in one dialect.
    pub fn text(&self, dialect: &Dialect) -> String {
        let (version, target) = (dialect.version_text(), dialect.target);
        let old = dialect.version < (1, 4);
        let text = if old { self.text.replace(KERNEL, OLD_KERNEL) } else { self.text.clone() };
        if text.contains("$V") || text.contains("$T") {
            return text.replace("$V", &version).replace("$T", target);
        }
        let size = if dialect.version >= (2, 3) { ".address_size 64\n" } else { "" };
        format!(".version {version}\n.target {target}\n{size}{text}")
    }
}

/// The cases of a file; panics if it cannot be read.
pub fn read_file(path: &Path) -> Vec<Case> {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    read(&text, &stem)
}

fn read(text: &str, file: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut templates: Vec<(String, String)> = Vec::new();
    let mut grid = chosen();
    // What the lines at hand belong to.
    enum At {
        Nothing,
        Case,
        Template,
        Forms(String, Form),
    }
    let mut at = At::Nothing;
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("//! ") {
            let words: Vec<&str> = command.split(' ').collect();
            at = match words[..] {
                ["case", name] | ["case", name, "run"] => {
                    cases.push(Case {
                        name: format!("{file}/{name}"),
                        text: String::new(),
                        runs: words.len() == 3,
                        form: None,
                        few: None,
                        grid: grid.clone(),
                    });
                    At::Case
                }
                ["template", name] => {
                    templates.push((name.to_owned(), String::new()));
                    At::Template
                }
                ["forms", name, ref age @ ..] => {
                    let found = templates.iter().find(|(known, _)| known == name);
                    let (_, text) = found.unwrap_or_else(|| panic!("{line}: no template"));
                    let form = match age {
                        [] => Form::Usual,
                        ["old"] => Form::Old,
                        ["new"] => Form::New,
                        _ => panic!("{line}: unknown"),
                    };
                    At::Forms(text.clone(), form)
                }
                ["grid"] => {
                    grid = all();
                    At::Nothing
                }
                _ => panic!("{line}: unknown"),
            };
            continue;
        }
        match &at {
            At::Nothing => {}
            At::Case => push(&mut cases.last_mut().unwrap().text, line),
            At::Template => push(&mut templates.last_mut().unwrap().1, line),
            At::Forms(..) if line.trim().is_empty() || line.starts_with('#') => {}
            At::Forms(template, which) => {
                cases.extend(forms(line.trim()).into_iter().map(|form| Case {
                    text: template.replacen('$', &form, 1),
                    name: format!("{file}/{form}"),
                    runs: true,
                    form: Some(*which),
                    few: None,
                    grid: grid.clone(),
                }))
            }
        }
    }
    cases
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// All that a line with choices like `[[.rn|.rz|]]` stands for.
fn forms(line: &str) -> Vec<String> {
    let Some((before, rest)) = line.split_once("[[") else { return vec![line.to_owned()] };
    let (choices, after) = rest.split_once("]]").unwrap_or_else(|| panic!("{line}: no ]]"));
    let behind = forms(after);
    let choices = choices.split('|');
    choices
        .flat_map(|choice| behind.iter().map(move |end| format!("{before}{choice}{end}")))
        .collect()
}
