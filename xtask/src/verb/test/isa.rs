//! The instruction tables against ptxas: no family may fall below what docs/user/ptx_support.md records.

use super::Report;
use crate::Result;
use crate::isa::report::{document_path, fallen};
use crate::progress::heading;
use crate::verb::isa_audit::{RECORDED, audit};

pub fn run(report: &mut Report) -> Result<()> {
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
