//! The imports between crates and between folders, held against the tables of docs/dev/architecture.md.

pub mod crates;
mod folders;

pub use folders::rust_files;

use crate::Result;
use crate::repository::root;
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = "docs/dev/architecture.md";

/// For each name the names that it points to.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Fails where an import is there and not in the tables, or the other way round, and lists those.
pub fn check() -> std::result::Result<(), String> {
    let differences = differences().map_err(|error| error.to_string())?;
    if differences.is_empty() {
        return Ok(());
    }
    Err(format!("{PAGE} and the code differ:\n{}", differences.join("\n")))
}

fn differences() -> Result<Vec<String>> {
    let page = std::fs::read_to_string(root().join(PAGE))?;
    let mut differences = Vec::new();
    for (title, found) in [("arrows", crates::find()?), ("cycles", folders::cycles()?)] {
        let listed = table(&page, title).ok_or_else(|| format!("{PAGE} has no ```{title}"))?;
        let all: BTreeSet<_> = found.keys().chain(listed.keys()).collect();
        let of = |arrows: &Arrows, name: &String| arrows.get(name).cloned().unwrap_or_default();
        for name in all {
            let (found, listed) = (of(&found, name), of(&listed, name));
            differences.extend(
                found.difference(&listed).map(|to| format!("{title}: {name} has {to}, unlisted")),
            );
            differences.extend(
                listed.difference(&found).map(|to| format!("{title}: {name} has no {to}, listed")),
            );
        }
    }
    Ok(differences)
}

/// The lines `name: other other` of a block of code.
fn table(page: &str, title: &str) -> Option<Arrows> {
    let (_, rest) = page.split_once(&format!("```{title}\n"))?;
    let (block, _) = rest.split_once("```")?;
    let lines = block.lines().filter_map(|line| line.split_once(':'));
    let names = |names: &str| names.split_whitespace().map(str::to_owned).collect();
    Some(lines.map(|(name, others)| (name.to_owned(), names(others))).collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tables_are_those_of_the_code() {
        super::check().unwrap();
    }
}
