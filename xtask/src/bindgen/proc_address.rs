//! `zluda/src/proc_address.rs`, the table behind `cuGetProcAddress`, from `cudaTypedefs.h` and its kin and the list of
//! names that the driver exports.

use super::api::CUDA;
use super::{HEADER, Result, write};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Generates the file below `root` from the headers in `headers` (the `include` folder of a CUDA toolkit).
pub fn generate(headers: &Path, root: &Path) -> Result<()> {
    let mut typedefs = String::new();
    for name in [
        "cudaTypedefs.h",
        "cudaProfilerTypedefs.h",
        "cudaGLTypedefs.h",
        "cudaVDPAUTypedefs.h",
        "cudaEGLTypedefs.h",
    ] {
        typedefs += &fs::read_to_string(headers.join(name))?;
    }
    write(&root.join("zluda/src/proc_address.rs"), &proc_address(&typedefs, &CUDA.exported(root)?)?)
}

/// The table behind `cuGetProcAddress`.
///
/// `cudaTypedefs.h` names the versions in which a function's ABI changed (`PFN_cuX_v3020`), and the
/// library exports one symbol for each (`cuX`, `cuX_v2`, ...). Both lists, sorted, go together, for the
/// per-thread variants (`_ptds`, `_ptsz`) as well.
fn proc_address(typedefs: &str, exported: &BTreeSet<String>) -> Result<String> {
    let mut versions: BTreeMap<(String, bool), BTreeSet<u32>> = BTreeMap::new();
    for word in typedefs.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        let Some(name) = word.strip_prefix("PFN_") else { continue };
        let plain = name.strip_suffix("_ptds").or_else(|| name.strip_suffix("_ptsz"));
        let (base, per_thread) = (plain.unwrap_or(name), plain.is_some());
        let Some((base, version)) = base.rsplit_once("_v") else { continue };
        let Ok(version) = version.parse() else { continue };
        versions.entry((base.to_owned(), per_thread)).or_default().insert(version);
    }
    let mut symbols: BTreeMap<(String, bool), BTreeSet<(u32, String)>> = BTreeMap::new();
    for symbol in exported {
        let plain = symbol.strip_suffix("_ptds").or_else(|| symbol.strip_suffix("_ptsz"));
        let (base, per_thread) = (plain.unwrap_or(symbol), plain.is_some());
        let (base, revision) = match base.rsplit_once("_v") {
            Some((base, number)) if number.len() == 1 => (base, number.parse()?),
            _ => (base, 1),
        };
        symbols
            .entry((base.to_owned(), per_thread))
            .or_default()
            .insert((revision, symbol.clone()));
    }
    let mut out = format!(
        "{HEADER}\n/// A symbol as `cuGetProcAddress` knows it.\n#[derive(Clone, Copy, Debug)]\npub(crate) struct Entry {{\n\
         \x20   /// The name that programs ask for.\n    pub(crate) name: &'static str,\n\
         \x20   /// The CUDA version that introduced this ABI.\n    pub(crate) version: u32,\n\
         \x20   /// The variant whose default stream is the thread's own.\n    pub(crate) per_thread: bool,\n\
         \x20   /// The exported symbol.\n    pub(crate) symbol: &'static str,\n}}\n\n\
         /// Sorted by name; within a name the plain variants first, versions ascending.\n\
         #[rustfmt::skip]\npub(crate) static ENTRIES: &[Entry] = &[\n"
    );
    for ((base, per_thread), symbols) in &symbols {
        let Some(versions) = versions.get(&(base.clone(), *per_thread)) else { continue };
        // Where the headers name fewer versions than the library has symbols, the newest go together.
        for (version, (_, symbol)) in
            versions.iter().rev().zip(symbols.iter().rev()).collect::<Vec<_>>().into_iter().rev()
        {
            writeln!(
                out,
                "    Entry {{ name: {base:?}, version: {version}, per_thread: {per_thread}, symbol: {symbol:?} }},"
            )?;
        }
    }
    out += "];\n";
    Ok(out)
}
