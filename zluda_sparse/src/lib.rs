//! cuSPARSE, NVIDIA's library of sparse matrices (libcusparse.so), for the devices that the driver runs programs on.
//!
//! This file is the list of exports; names that are not in it answer "not supported". What they do stands in [`api`]:
//! functions that differ in the types of their numbers alone are one there. [`handle`] and [`descriptors`] have what handles
//! lead to. The arithmetic on this machine's processor is that of the crate `sparse`.

mod api;
mod convert;
mod descriptors;
mod export;
mod handle;
mod legacy;

#[allow(unused_imports)]
use cuda_types::cusparse::*;

cuda_macros::export_api! {
    cusparse;
    context {
        cusparseCreate => create, cusparseDestroy => destroy, cusparseGetVersion => version,
        cusparseGetProperty => property, cusparseGetErrorName => error_name, cusparseGetErrorString => error_text,
        cusparseSetStream => set_stream, cusparseGetStream => get_stream, cusparseSetPointerMode => set_pointer_mode,
        cusparseGetPointerMode => get_pointer_mode, cusparseLoggerSetCallback => log_call,
        cusparseLoggerSetFile => log_file, cusparseLoggerOpenFile => log_open, cusparseLoggerSetLevel => log_level,
        cusparseLoggerSetMask => log_mask, cusparseLoggerForceDisable => log_off,
    },
    mat_descr {
        cusparseCreateMatDescr => create, cusparseDestroyMatDescr => destroy, cusparseSetMatType => set_type,
        cusparseGetMatType => get_type, cusparseSetMatFillMode => set_fill, cusparseGetMatFillMode => get_fill,
        cusparseSetMatDiagType => set_diagonal, cusparseGetMatDiagType => get_diagonal,
        cusparseSetMatIndexBase => set_base, cusparseGetMatIndexBase => get_base,
    },
    vectors {
        cusparseCreate[Const]?SpVec => create_sparse, cusparseDestroySpVec => destroy_sparse,
        cusparse[Const]?SpVecGet => get_sparse, cusparseSpVecGetIndexBase => get_base,
        cusparse[Const]?SpVecGetValues => get_sparse_values, cusparseSpVecSetValues => set_sparse_values,
        cusparseCreate[Const]?DnVec => create_dense, cusparseDestroyDnVec => destroy_dense,
        cusparse[Const]?DnVecGet => get_dense, cusparse[Const]?DnVecGetValues => get_dense_values,
        cusparseDnVecSetValues => set_dense_values,
    },
    dense_matrix {
        cusparseCreate[Const]?DnMat => create, cusparseDestroyDnMat => destroy, cusparse[Const]?DnMatGet => get,
        cusparse[Const]?DnMatGetValues => get_values, cusparseDnMatSetValues => set_values,
        cusparseDnMatSetStridedBatch => set_batch, cusparseDnMatGetStridedBatch => get_batch,
    },
    sparse_matrix {
        cusparseCreate[Const]?Csr => create_csr, cusparseCreate[Const]?Csc => create_csc,
        cusparseCreate[Const]?Coo => create_coo, cusparseCreate[Const]?Bsr => create_bsr,
        cusparseCreate[Const]?BlockedEll => create_blocked_ell, cusparseCreate[Const]?SlicedEll => create_sliced_ell,
        cusparseDestroySpMat => destroy, cusparse[Const]?CsrGet => get_csr, cusparse[Const]?CscGet => get_csc,
        cusparse[Const]?CooGet => get_coo, cusparse[Const]?BlockedEllGet => get_blocked_ell,
        cusparseCsrSetPointers => set_csr, cusparseCscSetPointers => set_csc, cusparseCooSetPointers => set_coo,
        cusparseSpMatGetFormat => get_format, cusparseSpMatGetIndexBase => get_base,
        cusparse[Const]?SpMatGetValues => get_values, cusparseSpMatSetValues => set_values,
        cusparseSpMatGetSize => get_size, cusparseSpMatGetStridedBatch => get_batch,
        cusparseCooSetStridedBatch => set_coo_batch, cusparseCsrSetStridedBatch => set_csr_batch,
        cusparseBsrSetStridedBatch => set_bsr_batch, cusparseSpMatGetAttribute => get_attribute,
        cusparseSpMatSetAttribute => set_attribute,
    },
    product {
        cusparseSpMV => spmv, cusparseSpMV_bufferSize => spmv_size, cusparseSpMV_preprocess => spmv_prepare,
        cusparseSpMM => spmm, cusparseSpMM_bufferSize => spmm_size, cusparseSpMM_preprocess => spmm_prepare,
    },
    sddmm {
        cusparseSDDMM => sddmm, cusparseSDDMM_bufferSize => sddmm_size, cusparseSDDMM_preprocess => sddmm_prepare,
    },
    spgemm {
        cusparseSpGEMM_createDescr => create, cusparseSpGEMM_destroyDescr => destroy,
        cusparseSpGEMM_workEstimation => estimate, cusparseSpGEMM_getNumProducts => number_of_products,
        cusparseSpGEMM_estimateMemory => estimate_memory, cusparseSpGEMM_compute => compute, cusparseSpGEMM_copy => copy,
        cusparseSpGEMMreuse_workEstimation => reuse_estimate, cusparseSpGEMMreuse_nnz => reuse_nnz,
        cusparseSpGEMMreuse_copy => reuse_copy, cusparseSpGEMMreuse_compute => reuse_compute,
    },
    triangular {
        cusparseSpSV_createDescr => create_spsv, cusparseSpSV_destroyDescr => destroy_spsv,
        cusparseSpSV_bufferSize => spsv_size, cusparseSpSV_analysis => spsv_analysis, cusparseSpSV_solve => spsv_solve,
        cusparseSpSV_updateMatrix => spsv_update,
        cusparseSpSM_createDescr => create_spsm, cusparseSpSM_destroyDescr => destroy_spsm,
        cusparseSpSM_bufferSize => spsm_size, cusparseSpSM_analysis => spsm_analysis, cusparseSpSM_solve => spsm_solve,
        cusparseSpSM_updateMatrix => spsm_update,
    },
    conversions {
        cusparseSparseToDense => sparse_to_dense, cusparseSparseToDense_bufferSize => sparse_to_dense_size,
        cusparseDenseToSparse_bufferSize => dense_to_sparse_size,
        cusparseDenseToSparse_analysis => dense_to_sparse_analysis,
        cusparseDenseToSparse_convert => dense_to_sparse_convert,
    },
    sparse_vectors {
        cusparseAxpby => axpby, cusparseGather => gather, cusparseScatter => scatter, cusparseRot => rot,
        cusparseSpVV => spvv, cusparseSpVV_bufferSize => spvv_size,
    },
    sums {
        cusparse[S D C Z]csrgeam2_bufferSizeExt => geam_size, cusparseXcsrgeam2Nnz => geam_nnz,
        cusparse[S D C Z]csrgeam2 => geam,
    },
    bands {
        cusparse[S D C Z]gtsv2_bufferSizeExt => size, cusparse[S D C Z]gtsv2_nopivot_bufferSizeExt => size,
        cusparse[S D C Z]gtsv2 => gtsv, cusparse[S D C Z]gtsv2_nopivot => gtsv_nopivot,
        cusparse[S D C Z]gtsv2StridedBatch_bufferSizeExt => strided_size,
        cusparse[S D C Z]gtsv2StridedBatch => gtsv_strided,
        cusparse[S D C Z]gtsvInterleavedBatch_bufferSizeExt => interleaved_size,
        cusparse[S D C Z]gtsvInterleavedBatch => gtsv_interleaved,
        cusparse[S D C Z]gpsvInterleavedBatch_bufferSizeExt => five_size,
        cusparse[S D C Z]gpsvInterleavedBatch => gpsv_interleaved,
    },
    sorts {
        cusparseCreateIdentityPermutation => identity, cusparseX[coo csr csc]sort_bufferSizeExt => size,
        cusparseXcoosortByRow => coosort_rows, cusparseXcoosortByColumn => coosort_columns,
        cusparseXcsrsort => csrsort, cusparseXcscsort => cscsort, cusparseXcoo2csr => coo_to_csr,
        cusparseXcsr2coo => csr_to_coo, cusparseCsr2cscEx2 => transpose, cusparseCsr2cscEx2_bufferSize => transpose_size,
    },
    incomplete {
        cusparseCreate[Csric02 Csrilu02 Bsric02 Bsrilu02 Bsrsv2 Bsrsm2]Info => create,
        cusparseDestroy[Csric02 Csrilu02 Bsric02 Bsrilu02 Bsrsv2 Bsrsm2]Info => destroy,
        cusparseX[csric02 csrilu02 bsric02 bsrilu02 bsrsv2 bsrsm2]_zeroPivot => zero_pivot,
        cusparse[S D C Z][csrilu02 bsrilu02]_numericBoost => boost,
        cusparse[S D C Z][csrilu02 csric02]_bufferSize => csr_size,
        cusparse[S D C Z][csrilu02 csric02]_analysis => csr_analysis,
        cusparse[S D C Z]csrilu02 => csrilu, cusparse[S D C Z]csric02 => csric,
        cusparse[S D C Z][bsrilu02 bsric02]_bufferSize => bsr_size,
        cusparse[S D C Z][bsrilu02 bsric02]_analysis => bsr_analysis,
        cusparse[S D C Z]bsrilu02 => bsrilu, cusparse[S D C Z]bsric02 => bsric,
        cusparse[S D C Z]bsrsv2_bufferSize => bsrsv_size, cusparse[S D C Z]bsrsv2_analysis => bsrsv_analysis,
        cusparse[S D C Z]bsrsv2_solve => bsrsv,
        cusparse[S D C Z]bsrsm2_bufferSize => bsrsm_size, cusparse[S D C Z]bsrsm2_analysis => bsrsm_analysis,
        cusparse[S D C Z]bsrsm2_solve => bsrsm,
    },
    blocks {
        cusparse[S D C Z]bsrmv => bsrmv, cusparse[S D C Z]bsrmm => bsrmm, cusparse[S D C Z]nnz => nnz,
    },
    rows {
        cusparse[S D C Z]nnz_compress => count, cusparse[S D C Z]csr2csr_compress => compress,
        cusparseCreateCsru2csrInfo => create, cusparseDestroyCsru2csrInfo => destroy,
        cusparse[S D C Z]csru2csr_bufferSizeExt => sort_size, cusparse[S D C Z]csru2csr => sort,
        cusparse[S D C Z]csr2csru => unsort,
    },
}
