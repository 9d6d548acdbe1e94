//! Texts of PTX: where they are found, and whether they are understood.

use crate::Result;
use fatbin::{CONTAINER_MAGIC, Container, container_size};

/// The PTX of all fat binaries in a file.
pub fn fat_binaries(bytes: &[u8]) -> Vec<Vec<u8>> {
    let magic = CONTAINER_MAGIC.to_le_bytes();
    let mut texts = Vec::new();
    let mut at = 0;
    // They stand at multiples of eight bytes.
    while let Some(rest) = bytes.get(at..).filter(|rest| rest.len() >= magic.len()) {
        at += 8;
        if rest.starts_with(&magic)
            && let Ok(size) = container_size(rest)
            && let Ok(container) = Container::parse(rest)
        {
            texts.extend(container.all_ptx().flatten());
            at += size.saturating_sub(8).next_multiple_of(8);
        }
    }
    texts
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
