//! The instruction tables against ptxas: no family may fall below what docs/user/ptx_support.md records.

use super::Report;
use crate::Result;
use crate::isa::grammar;
use crate::isa::report::{document_path, fallen};
use crate::progress::heading;
use crate::repository::root;
use crate::verb::isa_audit::{RECORDED, audit};

/// The manual's syntax as a text, where it lies beside the repository.
const GRAMMAR: &str = "../shared/facts/ptx_grammar.txt";

/// Checks the tables against ptxas, and where the manual's text is at hand, against its words. Fails if ptxas cannot be
/// run.
pub fn run(report: &mut Report) -> Result<()> {
    if let Ok(text) = std::fs::read_to_string(root().join(GRAMMAR)) {
        heading("Looking for the words of the manual in the instruction tables");
        let (missing, found) = grammar::missing(&text, &ptx_parser::isa::syntax());
        println!("{found} words, {} missing", missing.len());
        let lines: Vec<_> =
            missing.iter().map(|m| format!("{}: {}", m.instruction, m.mnemonic)).collect();
        let result = if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) };
        report.check("the manual's words", result);
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
