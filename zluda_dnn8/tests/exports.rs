//! The library exports what NVIDIA's does, and nothing else.

#[test]
fn every_name_of_nvidias_library_is_exported_and_no_other() {
    let list = include_str!("../../cuda_macros/src/cudnn8_exports.txt");
    exported::names::assert_are_exported(&exported::file::built("libzluda_dnn8.so"), list, 268);
}
