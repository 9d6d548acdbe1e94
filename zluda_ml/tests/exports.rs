//! The library exports what NVIDIA's does, and nothing else.

mod common;

use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;

#[test]
fn every_name_of_nvidias_library_is_exported_and_no_other() {
    let bytes = std::fs::read(common::library_path()).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let exported: BTreeSet<&str> = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .map(|symbol| symbol.name().unwrap())
        .collect();
    let wanted: BTreeSet<&str> =
        include_str!("../../cuda_macros/src/nvml_exports.txt").lines().collect();
    assert_eq!(wanted.difference(&exported).collect::<Vec<_>>(), Vec::<&&str>::new(), "missing");
    assert_eq!(exported.difference(&wanted).collect::<Vec<_>>(), Vec::<&&str>::new(), "too many");
    assert_eq!(wanted.len(), 439);
}
