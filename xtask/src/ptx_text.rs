//! Texts of PTX: where they are found, and whether they are understood.

use crate::Result;

/// The PTX of all fat binaries in a file.
pub fn fat_binaries(bytes: &[u8]) -> Vec<Vec<u8>> {
    fatbin::containers(bytes)
        .flat_map(|container| container.all_ptx().flatten().collect::<Vec<_>>())
        .collect()
}

/// Whether a text parses, prints, and parses to the same tree again.
pub fn understood(bytes: &[u8]) -> Result<()> {
    let text = String::from_utf8_lossy(bytes);
    let parse = ptx_parser::parse(&text);
    if let Some(error) = parse.errors.first() {
        return Err(format!("{} errors, first {}", parse.errors.len(), error.render(&text)).into());
    }
    let printed = parse.module.to_string();
    let again = ptx_parser::parse(&printed);
    if let Some(error) = again.errors.first() {
        return Err(format!("what is printed has errors, first {}", error.render(&printed)).into());
    }
    if again.module != parse.module {
        return Err("what is printed is another module".into());
    }
    Ok(())
}
