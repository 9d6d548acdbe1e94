//! The crates of the workspace that each crate needs, tests aside.

use super::Arrows;
use crate::Result;
use crate::repository::root;
use std::collections::BTreeSet;
use std::path::Path;

/// Reads the needs of each crate in its manifest; fails if one cannot be read.
pub fn find() -> Result<Arrows> {
    let manifest = read(&root().join("Cargo.toml"))?;
    let ours: BTreeSet<_> = keys(&manifest, &["[workspace.dependencies]"])
        // What stands in another crate's place goes by its name, and is no arrow of this table.
        .filter(|(_, value)| value.contains("path = ") && !value.contains("package = "))
        .map(|(name, _)| name.to_owned())
        .collect();
    members(&manifest)
        .map(|folder| {
            let manifest = read(&root().join(folder).join("Cargo.toml"))?;
            let needs = keys(&manifest, &["[dependencies]", "[build-dependencies]"])
                .map(|(name, _)| name.trim_end_matches(".workspace").to_owned())
                .filter(|name| ours.contains(name))
                .collect();
            Ok((folder.to_owned(), needs))
        })
        .collect()
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// The folders of all members.
pub fn members(manifest: &str) -> impl Iterator<Item = &str> {
    let list = manifest.split_once("members = [").and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.unwrap_or_default();
    list.split(',').map(|name| name.trim().trim_matches('"')).filter(|name| !name.is_empty())
}

/// The keys and values of some sections.
fn keys<'a>(manifest: &'a str, sections: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    let mut inside = false;
    manifest.lines().filter_map(move |line| {
        if line.starts_with('[') {
            inside = sections.contains(&line.trim());
        }
        let (name, value) = line.split_once('=')?;
        inside.then_some((name.trim(), value.trim()))
    })
}
