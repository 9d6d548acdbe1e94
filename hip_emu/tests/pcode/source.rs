//! The pseudo code itself: tables in a Python package that the test suites install, which take it from AMD's
//! manuals. The text is read where it lies.

use std::path::{Path, PathBuf};

/// One instruction of one generation, in one encoding.
#[derive(Debug)]
pub struct Entry {
    pub generation: &'static str,
    pub encoding: String,
    /// Lower case, without the suffix of its encoding.
    pub mnemonic: String,
    pub text: String,
}

const GENERATIONS: [&str; 3] = ["rdna3", "rdna4", "cdna"];
/// Those that compute on registers only.
const ENCODINGS: [&str; 10] =
    ["SOP1", "SOP2", "SOPC", "SOPK", "VOP1", "VOP2", "VOP3", "VOP3P", "VOP3SD", "VOPC"];

/// The folder of the tables, if the packages are installed.
fn folder() -> Option<PathBuf> {
    let libraries = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../toolkit/python/lib");
    let versions = std::fs::read_dir(libraries).ok()?;
    let tables = versions
        .flatten()
        .map(|version| version.path().join("site-packages/tinygrad/runtime/autogen/amd"));
    tables.into_iter().find(|folder| folder.join("rdna3/str_pcode.py").exists())
}

/// All entries.
pub fn entries() -> std::io::Result<Vec<Entry>> {
    let folder = folder().ok_or_else(|| {
        std::io::Error::other("AMD's pseudo code is not installed: `cargo xtask toolkit` does it")
    })?;
    let mut entries = Vec::new();
    for generation in GENERATIONS {
        let text = std::fs::read_to_string(folder.join(generation).join("str_pcode.py"))?;
        entries.extend(text.lines().filter_map(|line| entry(generation, line)));
    }
    Ok(entries)
}

/// `  VOP1Op.V_MOV_B32_E32: 'D0.b32 = S0.b32',`
fn entry(generation: &'static str, line: &str) -> Option<Entry> {
    let (encoding, rest) = line.trim().split_once("Op.")?;
    let (name, literal) = rest.split_once(": ")?;
    if !ENCODINGS.contains(&encoding) {
        return None;
    }
    let mnemonic = name.to_ascii_lowercase();
    let mnemonic =
        mnemonic.strip_suffix("_e32").or(mnemonic.strip_suffix("_e64")).unwrap_or(&mnemonic);
    let literal = literal.strip_suffix(',').unwrap_or(literal);
    let quote = literal.chars().next()?;
    let text = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    let text = text.replace("\\n", "\n").replace("\\'", "'").replace("\\\"", "\"");
    Some(Entry { generation, encoding: encoding.to_owned(), mnemonic: mnemonic.to_owned(), text })
}
