//! `capabilities`: which Python programs run at which compute capability on the CPU, as a table in docs/user/devices.md.

use crate::progress::{heading, parallel};
use crate::repository::{Profile, root, target};
use crate::verb::test::python::{Case, Suite};
use crate::{Result, repository, verb};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Options {
    /// Only programs whose name contains this; the document stays as it is
    #[arg(default_value = "")]
    filter: String,
}

/// The default; the newest that the PTX of most programs is for; what NVIDIA's libraries know, and what they do not.
const CAPABILITIES: &[&str] = &["8.0", "9.0", "12.0", "13.0"];

/// The lines of the document between which the table stands.
const BEGIN: &str = "<!-- capabilities: made by `./x capabilities` -->\n";
const END: &str = "<!-- end of capabilities -->\n";

/// Runs the programs that ask for a capability, or might, with each of [`CAPABILITIES`], and writes the table.
pub fn run(options: &Options) -> Result<ExitCode> {
    heading("Building the release");
    verb::build::build(Profile::Release)?;
    let suite = Suite::new(&options.filter, true)?;
    let cases: Vec<Case> = suite.cases("cpu").into_iter().filter(Case::sees_capability).collect();
    let jobs: Vec<(&Case, &str)> = cases
        .iter()
        .flat_map(|case| CAPABILITIES.iter().map(move |capability| (case, *capability)))
        .collect();
    heading("Running Python programs at several compute capabilities on the CPU");
    let folder = target().join("test/capabilities");
    repository::make_empty(&folder)?;
    let name = |case: &Case, capability: &str| format!("{} at {capability}", case.name);
    let results = parallel(
        &jobs,
        |(case, capability)| name(case, capability),
        |(case, capability)| {
            let result = suite.run(case, &[("ZLUDA_CC", capability)]);
            let failure = result.as_ref().err().map_or("", String::as_str);
            // What there is to say of a failure is for whoever looks into the table.
            let _ = std::fs::write(folder.join(name(case, capability)), failure);
            result.is_ok()
        },
        |good| *good,
    );
    let columns = CAPABILITIES.len();
    let mut table =
        format!("| program | {} |\n|---|{}\n", CAPABILITIES.join(" | "), "---|".repeat(columns));
    for (case, results) in cases.iter().zip(results.chunks(columns)) {
        let cells: Vec<&str> =
            results.iter().map(|good| if *good { "yes" } else { "no" }).collect();
        table += &format!("| `{}` | {} |\n", case.name, cells.join(" | "));
    }
    println!("{table}");
    println!("what failed says so in {}", folder.display());
    if options.filter.is_empty() {
        let path = document();
        let text = std::fs::read_to_string(&path)?;
        std::fs::write(&path, with_table(&text, &table)?)?;
        println!("written: {}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn document() -> PathBuf {
    root().join("docs/user/devices.md")
}

/// The document with another table in its place.
fn with_table(text: &str, table: &str) -> Result<String> {
    let parts = text.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let (before, after) = parts.ok_or("docs/user/devices.md has no place for the table")?;
    Ok(format!("{before}{BEGIN}\n{table}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_a_place_for_the_table() {
        let text = std::fs::read_to_string(document()).unwrap();
        let changed = with_table(&text, "| a |\n").unwrap();
        assert!(changed.contains("\n| a |\n") && !changed.contains("| 8.0 | 9.0 |"));
        assert!(with_table("nothing", "| a |\n").is_err());
    }
}
