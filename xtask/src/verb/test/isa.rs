//! The instruction tables against ptxas: no family may fall below what docs/user/ptx_support.md records.

use super::Report;
use crate::Result;
use crate::isa::grammar;
use crate::isa::report::{document_path, fallen};
use crate::progress::heading;
use crate::repository::root;
use crate::verb::isa_audit::{RECORDED, audit};
use std::path::Path;

/// The folder of facts, which may lie beside the repository, and the manual's syntax as a text in it.
const FACTS: &str = "../shared/facts";
const GRAMMAR: &str = "ptx_grammar.txt";

/// Checks the tables against ptxas, and against the manual's words where the folder of facts is at hand. Fails if ptxas
/// cannot be run.
pub fn run(report: &mut Report) -> Result<()> {
    heading("Looking for the words of the manual in the instruction tables");
    let facts = root().join(FACTS);
    let words = "the manual's words";
    if facts.is_dir() {
        report.check(words, check_words(&facts.join(GRAMMAR)));
    } else {
        report.skip(words, &format!("there is no {}", facts.display()));
    }
    heading("Comparing the instruction tables with ptxas");
    let audit = audit(RECORDED, "")?;
    println!("{} forms, {} variations", audit.forms, audit.variations);
    let document = std::fs::read_to_string(document_path())?;
    let fallen = fallen(&audit.entries, &document);
    report.check(
        "instruction tables",
        match &fallen[..] {
            [] => Ok(()),
            lines => Err(format!(
                "{}\n`cargo xtask isa-audit --list FOLDER` lists the differences",
                lines.join("\n")
            )),
        },
    );
    Ok(())
}

/// Looks for each word of the manual's syntax in the tables; without the text, that is a failure too.
fn check_words(grammar: &Path) -> std::result::Result<(), String> {
    let text = std::fs::read_to_string(grammar)
        .map_err(|error| format!("{}: {error}", grammar.display()))?;
    let (missing, found) = grammar::missing(&text, &ptx_parser::isa::syntax());
    println!("{found} words, {} missing", missing.len());
    if found == 0 {
        return Err(format!("{} has no forms of instructions", grammar.display()));
    }
    let lines: Vec<_> =
        missing.iter().map(|m| format!("{}: {}", m.instruction, m.mnemonic)).collect();
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
}
