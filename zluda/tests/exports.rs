//! The library exports what NVIDIA's does, and nothing else.

mod common;

#[test]
fn every_name_of_nvidias_library_is_exported_and_no_other() {
    let list = include_str!("../../cuda_macros/src/cuda_exports.txt");
    exported::names::assert_are_exported(&common::library_path(), list, 707);
}
