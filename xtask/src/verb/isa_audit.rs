//! `isa-audit`: the instruction tables against ptxas.

use crate::Result;
use crate::isa::audit::{self, Audit, Difference, Size, examples};
use crate::isa::grammar::{self, Missing};
use crate::isa::judge::Ptxas;
use crate::isa::report::{Row, document, document_path, families};
use crate::repository::{make, make_empty, target};
use crate::toolkit::{CUDA_VERSIONS, cuda};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Options {
    /// Many more instructions, and no change of docs/user/ptx_support.md
    #[arg(long)]
    full: bool,
    /// Only instructions whose name contains this, such as `Mbarrier`; the document stays as it is
    #[arg(long, default_value = "")]
    filter: String,
    /// So many changed instructions of each; the document stays as it is
    #[arg(long)]
    variations: Option<usize>,
    /// Only whether the tables have every word of this text, in the syntax of the PTX manual
    #[arg(long)]
    grammar: Option<PathBuf>,
    /// A folder for lists of all differences
    #[arg(long)]
    list: Option<PathBuf>,
}

/// The size of the audit that the document records.
pub const RECORDED: Size = Size { forms: 20, variations: 100 };
const FULL: Size = Size { forms: 1000, variations: 4000 };

/// Compares the tables with ptxas and writes the document, or with `--grammar` compares them with a text, and fails if
/// they lack a word of it.
pub fn run(options: &Options) -> Result<ExitCode> {
    if let Some(path) = &options.grammar {
        return compare(path);
    }
    let mut size = if options.full { FULL } else { RECORDED };
    size.variations = options.variations.unwrap_or(size.variations);
    let audit = audit(size, &options.filter)?;
    println!("{} forms, {} variations", audit.forms, audit.variations);
    let mut total = Row::default();
    for (family, row) in families(&audit.entries) {
        println!("{}", line(family, &row));
        total.merge(&row);
    }
    println!("{}", line("all", &total));
    if let Some(folder) = &options.list {
        make(folder)?;
        list(&folder.join("taken"), &audit.taken)?;
        list(&folder.join("refused"), &audit.refused)?;
    }
    if !options.full && options.variations.is_none() && options.filter.is_empty() {
        let text = document(&audit.entries, &examples(&audit.taken), &examples(&audit.refused))?;
        std::fs::write(document_path(), text)?;
        println!("written: {}", document_path().display());
    }
    Ok(ExitCode::SUCCESS)
}

fn compare(path: &Path) -> Result<ExitCode> {
    let text = std::fs::read_to_string(path)?;
    let (missing, found) = grammar::missing(&text, &ptx_parser::isa::syntax());
    for Missing { instruction, mnemonic } in &missing {
        println!("{instruction}: {mnemonic}");
    }
    println!("{found} words, {} missing", missing.len());
    Ok(if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Asks ptxas and our parser.
pub fn audit(size: Size, filter: &str) -> Result<Audit> {
    let folder = target().join("isa-audit");
    make_empty(&folder)?;
    let mut paths = BTreeMap::new();
    for version in CUDA_VERSIONS {
        paths.insert(version.name, cuda(version)?.ptxas());
    }
    audit::run(&Ptxas::new(paths, folder), size, filter)
}

fn line(name: &str, row: &Row) -> String {
    let refused = row.refused();
    format!(
        "{name:12} taken {} of {}, varied {} of {}; refused {} of {}",
        row.forms.ours,
        row.forms.theirs,
        row.variations.ours,
        row.variations.theirs,
        refused.ours,
        refused.theirs
    )
}

fn list(path: &Path, differences: &[Difference]) -> Result<()> {
    let lines: Vec<_> = differences
        .iter()
        .map(|d| {
            let e = d.environment;
            format!("{}\t{} {}\t{}\t{}\n", d.mnemonic, e.version, e.target, d.instruction, d.reason)
        })
        .collect();
    Ok(std::fs::write(path, lines.concat())?)
}
