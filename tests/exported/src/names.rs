//! The names that a library exports.

use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::path::Path;

/// Fails unless a library exports the names of a list, a line each, and no other ones; `count` says how many there are.
pub fn assert_are_exported(library: &Path, list: &str, count: usize) {
    let bytes = std::fs::read(library).expect("the library is built");
    let file = object::File::parse(&*bytes).expect("it is a library");
    let exported: BTreeSet<&str> = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .map(|symbol| symbol.name().expect("a name is text"))
        .collect();
    let wanted: BTreeSet<&str> = list.lines().collect();
    assert_eq!(wanted.difference(&exported).collect::<Vec<_>>(), Vec::<&&str>::new(), "missing");
    assert_eq!(exported.difference(&wanted).collect::<Vec<_>>(), Vec::<&&str>::new(), "too many");
    assert_eq!(wanted.len(), count);
}
