//! Tests of single passes: files `tests/passes/<pass>/*.ll`, each an input, a line `; becomes`, and what the pass makes of
//! it. Comments at the beginning may name settings, such as `; gpu: gfx942`. In files `*.ptx` comments begin with `//`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

const BECOMES: &str = " becomes\n";

/// A file's input, and who asks for settings.
pub struct Case<'t> {
    pub pass: &'t str,
    pub input: &'t str,
}

impl Case<'_> {
    /// The value of a setting; `default` where the file does not say.
    pub fn setting<'t>(&'t self, name: &str, default: &'t str) -> &'t str {
        let comment = |line: &'t str| line.strip_prefix("//").or_else(|| line.strip_prefix(';'));
        let mut values = self.input.lines().map_while(comment).filter_map(|line| {
            let (key, value) = line.trim_start().split_once(": ")?;
            (key == name).then_some(value)
        });
        values.next().unwrap_or(default)
    }
}

/// Runs the files of a folder. `passes` are all that there are, `without` those that have no file, and why.
pub fn main(
    folder: &'static str,
    passes: impl Iterator<Item = &'static str>,
    without: &'static [(&'static str, &'static str)],
    run: fn(&Case<'_>) -> Result<String, String>,
) -> ExitCode {
    let passes: BTreeSet<_> = passes.collect();
    let mut trials = Vec::new();
    let mut tested = BTreeSet::new();
    for pass in list(Path::new(folder)) {
        let name = stem(&pass);
        for file in list(&pass) {
            let (pass, title) = (name.clone(), format!("{name}/{}", stem(&file)));
            trials.push(Trial::test(title, move || check(&pass, &file, run)));
        }
        tested.insert(name);
    }
    trials.push(Trial::test("each_pass_has_a_file_or_a_reason", move || {
        let excused: BTreeSet<_> = without.iter().map(|(pass, _)| (*pass).to_owned()).collect();
        let both: Vec<_> = tested.intersection(&excused).collect();
        let known: BTreeSet<_> = tested.union(&excused).map(String::as_str).collect();
        let missing: Vec<_> = passes.difference(&known).collect();
        let unknown: Vec<_> = known.difference(&passes).collect();
        if both.is_empty() && missing.is_empty() && unknown.is_empty() {
            return Ok(());
        }
        Err(format!("no file: {missing:?}, no pass: {unknown:?}, a file and a reason: {both:?}")
            .into())
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn check(
    pass: &str,
    file: &Path,
    run: fn(&Case<'_>) -> Result<String, String>,
) -> Result<(), Failed> {
    let text = fs::read_to_string(file)?;
    let is_ptx = file.extension().is_some_and(|extension| extension == "ptx");
    let becomes = format!("\n{}{BECOMES}", if is_ptx { "//" } else { ";" });
    let (input, expected) = text.split_once(&becomes).unwrap_or((&text, ""));
    let made = bare(&run(&Case { pass, input })?);
    if std::env::var_os("ZLUDA_BLESS").is_some() {
        fs::write(file, format!("{}\n{becomes}\n{made}\n", input.trim_end()))?;
    } else if made != expected.trim() {
        let show = file.display();
        return Err(format!("{show}: ZLUDA_BLESS=1 writes what it becomes:\n{made}").into());
    }
    Ok(())
}

/// Without what LLVM prints of every module.
fn bare(module: &str) -> String {
    let everywhere = ["; ModuleID", "source_filename", "target "];
    let lines =
        module.lines().filter(|line| !everywhere.iter().any(|start| line.starts_with(start)));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
