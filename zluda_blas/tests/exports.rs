//! The library exports what NVIDIA's two do, and nothing else.

#[test]
fn every_name_of_nvidias_libraries_is_exported_and_no_other() {
    let list = include_str!("../../cuda_macros/src/cublas_exports.txt");
    exported::names::assert_are_exported(&exported::file::built("libzluda_blas.so"), list, 942);
}
