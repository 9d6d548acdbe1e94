//! cuBLAS and cuBLASLt, NVIDIA's libraries of dense products, for the devices that the driver runs programs on. One library:
//! handles of the one are handles of the other. Stubs of NVIDIA's names lead here.
//!
//! This file is the list of exports; names that are not in it answer "not supported". What they do stands in [`api`]:
//! functions of all types of numbers, and of indices of 32 and 64 bits, are one there. What is `forwarded` goes on
//! to hipBLAS on AMD GPUs, by [`forward`].

mod api;
mod backend;
mod convert;
mod device;
mod export;
mod forward;
mod handle;
mod number;
mod settings;

#[allow(unused_imports)]
use cuda_types::cublas::*;

cuda_macros::export_api! {
    cublas;
    context {
        cublasCreate_v2 => create, cublasDestroy_v2 => destroy, cublasGetVersion_v2 => version,
        cublasGetProperty => property, cublasGetCudartVersion => cudart_version, cublasSetStream_v2 => set_stream,
        cublasGetStream_v2 => get_stream, cublasSetWorkspace_v2 => set_workspace,
        cublasSetPointerMode_v2 => set_pointer_mode, cublasGetPointerMode_v2 => get_pointer_mode,
        cublasSetAtomicsMode => set_atomics_mode, cublasGetAtomicsMode => get_atomics_mode,
        cublasSetMathMode => set_math_mode, cublasGetMathMode => get_math_mode,
        cublasSetSmCountTarget => set_multiprocessors, cublasGetSmCountTarget => get_multiprocessors,
        cublasSetEmulationStrategy => set_emulation, cublasGetEmulationStrategy => get_emulation,
        cublasSetEmulationSpecialValuesSupport => set_special_values,
        cublasGetEmulationSpecialValuesSupport => get_special_values,
        cublasSetFixedPointEmulationMantissaControl => set_mantissa_control,
        cublasGetFixedPointEmulationMantissaControl => get_mantissa_control,
        cublasSetFixedPointEmulationMaxMantissaBitCount => set_most_mantissa_bits,
        cublasGetFixedPointEmulationMaxMantissaBitCount => get_most_mantissa_bits,
        cublasSetFixedPointEmulationMantissaBitOffset => set_mantissa_bit_offset,
        cublasGetFixedPointEmulationMantissaBitOffset => get_mantissa_bit_offset,
        cublasSetFixedPointEmulationMantissaBitCountPointer => set_mantissa_bit_count,
        cublasGetFixedPointEmulationMantissaBitCountPointer => get_mantissa_bit_count,
        cublasGetStatusName => status_name, cublasGetStatusString => status_text, cublasLoggerConfigure => logger,
        cublasLtGetProperty => property, cublasLtGetCudartVersion => cudart_version,
        cublasLtGetStatusName => status_name, cublasLtGetStatusString => status_text,
    },
    #[forwarded] product {
        cublas[S D C Z]gemm_v2[_64]? => gemm, cublas[C Z]gemm3m[_64]? => gemm,
        cublas[S D C Z]gemmBatched[_64]? => gemm_batched, cublasCgemm3mBatched[_64]? => gemm_batched,
        cublas[S D C Z]gemmStridedBatched[_64]? => gemm_strided_batched,
        cublasCgemm3mStridedBatched[_64]? => gemm_strided_batched,
    },
    #[forwarded] level1 {
        cublas[S D C Z]axpy_v2[_64]? => axpy, cublas[S D C Z Cs Zd]scal_v2[_64]? => scal,
        cublas[S D C Z]copy_v2[_64]? => copy, cublas[S D C Z]swap_v2[_64]? => swap,
        cublas[Sdot Ddot Cdotu Zdotu]_v2[_64]? => dot, cublas[C Z]dotc_v2[_64]? => dotc,
        cublas[S D Sc Dz]nrm2_v2[_64]? => nrm2, cublas[S D Sc Dz]asum_v2[_64]? => asum,
        cublasI[s d c z]amax_v2[_64]? => amax, cublasI[s d c z]amin_v2[_64]? => amin,
        cublas[S D C Z Cs Zd]rot_v2[_64]? => rot, cublas[S D C Z]rotg_v2 => rotg, cublas[S D]rotm_v2[_64]? => rotm,
        cublas[S D]rotmg_v2 => rotmg,
    },
    #[forwarded] level2 {
        cublas[S D C Z]gemv_v2[_64]? => gemv, cublas[S D C Z]gemvBatched[_64]? => gemv_batched,
        cublas[S D C Z]gemvStridedBatched[_64]? => gemv_strided_batched,
        cublas[S D C Z]gbmv_v2[_64]? => gbmv, cublas[Sger Dger Cgeru Zgeru]_v2[_64]? => ger,
        cublas[C Z]gerc_v2[_64]? => gerc, cublas[S D C Z]symv_v2[_64]? => symv, cublas[C Z]hemv_v2[_64]? => hemv,
        cublas[S D]sbmv_v2[_64]? => sbmv, cublas[C Z]hbmv_v2[_64]? => hbmv, cublas[S D]spmv_v2[_64]? => spmv,
        cublas[C Z]hpmv_v2[_64]? => hpmv, cublas[S D C Z]trmv_v2[_64]? => trmv, cublas[S D C Z]tbmv_v2[_64]? => tbmv,
        cublas[S D C Z]tpmv_v2[_64]? => tpmv, cublas[S D C Z]trsv_v2[_64]? => trsv,
        cublas[S D C Z]tbsv_v2[_64]? => tbsv, cublas[S D C Z]tpsv_v2[_64]? => tpsv,
        cublas[S D C Z]syr_v2[_64]? => syr, cublas[C Z]her_v2[_64]? => her, cublas[S D]spr_v2[_64]? => spr,
        cublas[C Z]hpr_v2[_64]? => hpr, cublas[S D C Z]syr2_v2[_64]? => syr2, cublas[C Z]her2_v2[_64]? => her2,
        cublas[S D]spr2_v2[_64]? => spr2, cublas[C Z]hpr2_v2[_64]? => hpr2,
    },
    #[forwarded] level3 {
        cublas[S D C Z]syrk_v2[_64]? => syrk, cublas[C Z]herk_v2[_64]? => herk, cublas[S D C Z]syr2k_v2[_64]? => syr2k,
        cublas[C Z]her2k_v2[_64]? => her2k, cublas[S D C Z]syrkx[_64]? => syrkx, cublas[C Z]herkx[_64]? => herkx,
        cublas[S D C Z]symm_v2[_64]? => symm, cublas[C Z]hemm_v2[_64]? => hemm, cublas[S D C Z]trsm_v2[_64]? => trsm,
        cublas[S D C Z]trsmBatched[_64]? => trsm_batched, cublas[S D C Z]trmm_v2[_64]? => trmm,
        cublas[S D C Z]geam[_64]? => geam, cublas[S D C Z]dgmm[_64]? => dgmm,
    },
    mixed {
        cublasGemmEx[_64]? => gemm_ex, cublasGemmBatchedEx[_64]? => gemm_batched_ex,
        cublasGemmStridedBatchedEx[_64]? => gemm_strided_batched_ex, cublas[S C]gemmEx[_64]? => gemm_single,
        cublasCgemm3mEx[_64]? => gemm_single, cublasHgemm[_64]? => gemm_half,
        cublasHgemmBatched[_64]? => gemm_batched_half, cublasHgemmStridedBatched[_64]? => gemm_strided_batched_half,
        cublasC[syrkEx syrk3mEx][_64]? => syrk_ex, cublasC[herkEx herk3mEx][_64]? => herk_ex,
    },
    grouped {
        cublas[S D]gemmGroupedBatched[_64]? => gemm_grouped, cublasGemmGroupedBatchedEx[_64]? => gemm_grouped_ex,
    },
    typed {
        cublasAxpyEx[_64]? => axpy, cublasScalEx[_64]? => scal, cublasDotEx[_64]? => dot, cublasDotcEx[_64]? => dotc,
        cublasNrm2Ex[_64]? => nrm2, cublasAsumEx[_64]? => asum, cublasCopyEx[_64]? => copy, cublasSwapEx[_64]? => swap,
        cublasIamaxEx[_64]? => amax, cublasIaminEx[_64]? => amin, cublasRotEx[_64]? => rot,
    },
    copies {
        cublasSetMatrix[_64]? => set_matrix, cublasSetMatrixAsync[_64]? => set_matrix_async,
        cublasGetMatrix[_64]? => get_matrix, cublasGetMatrixAsync[_64]? => get_matrix_async,
        cublasSetVector[_64]? => set_vector, cublasSetVectorAsync[_64]? => set_vector_async,
        cublasGetVector[_64]? => get_vector, cublasGetVectorAsync[_64]? => get_vector_async,
    },
    #[forwarded] solvers {
        cublas[S D C Z]getrfBatched => getrf_batched, cublas[S D C Z]getrsBatched => getrs_batched,
        cublas[S D C Z]getriBatched => getri_batched, cublas[S D C Z]geqrfBatched => geqrf_batched,
        cublas[S D C Z]gelsBatched => gels_batched, cublas[S D C Z]matinvBatched => matinv_batched,
        cublas[S D C Z]tpttr => tpttr, cublas[S D C Z]trttp => trttp,
    },
    xt {
        cublasXtCreate => create, cublasXtDestroy => destroy, cublasXtDeviceSelect => select,
        cublasXtMaxBoards => boards, cublasXtSetBlockDim => set_block, cublasXtGetBlockDim => get_block,
        cublasXtSetPinningMemMode => set_pinning, cublasXtGetPinningMemMode => get_pinning,
        cublasXt[S D C Z]gemm => gemm, cublasXt[S D C Z]symm => symm, cublasXt[C Z]hemm => hemm,
        cublasXt[S D C Z]syrk => syrk, cublasXt[C Z]herk => herk, cublasXt[S D C Z]syr2k => syr2k,
        cublasXt[C Z]her2k => her2k, cublasXt[S D C Z]syrkx => syrkx, cublasXt[C Z]herkx => herkx,
        cublasXt[S D C Z]trsm => trsm, cublasXt[S D C Z]trmm => trmm,
    },
    lt {
        cublasLtCreate => create, cublasLtDestroy => destroy, cublasLtGetVersion => version,
    },
    lt::attributes {
        cublasLtMatmulDescCreate => create_desc, cublasLtMatmulDescDestroy => destroy_desc,
        cublasLtMatmulDescSetAttribute => set_desc, cublasLtMatmulDescGetAttribute => get_desc,
        cublasLtMatrixLayoutCreate => create_layout, cublasLtMatrixLayoutDestroy => destroy_layout,
        cublasLtMatrixLayoutSetAttribute => set_layout, cublasLtMatrixLayoutGetAttribute => get_layout,
        cublasLtMatmulPreferenceCreate => create_preference, cublasLtMatmulPreferenceDestroy => destroy_preference,
        cublasLtMatmulPreferenceSetAttribute => set_preference, cublasLtMatmulPreferenceGetAttribute => get_preference,
        cublasLtMatrixTransformDescCreate => create_transform, cublasLtMatrixTransformDescDestroy => destroy_transform,
        cublasLtMatrixTransformDescSetAttribute => set_transform,
        cublasLtMatrixTransformDescGetAttribute => get_transform,
        cublasLtEmulationDescCreate => create_emulation, cublasLtEmulationDescDestroy => destroy_emulation,
        cublasLtEmulationDescSetAttribute => set_emulation, cublasLtEmulationDescGetAttribute => get_emulation,
        cublasLtEmulationDescInit_internal => init_emulation,
        cublasLtMatmulDescInit_internal => init_desc, cublasLtMatrixLayoutInit_internal => init_layout,
        cublasLtMatmulPreferenceInit_internal => init_preference,
        cublasLtMatrixTransformDescInit_internal => init_transform,
    },
    lt::algorithm {
        cublasLtMatmulAlgoGetHeuristic => heuristic, cublasLtMatmulAlgoCheck => check_algorithm,
        cublasLtMatmulAlgoGetIds => ids, cublasLtMatmulAlgoInit => init, cublasLtMatmulAlgoConfigSetAttribute => set,
        cublasLtMatmulAlgoConfigGetAttribute => get, cublasLtMatmulAlgoCapGetAttribute => capability,
    },
    lt::matmul { cublasLtMatmul => matmul },
    lt::transform { cublasLtMatrixTransform => transform },
}
