//! cuSOLVER, NVIDIA's library of decompositions, for the devices that the driver runs programs on. Stubs of NVIDIA's names
//! lead here.
//!
//! This file is the list of exports; names that are not in it answer "not supported". What they do stands in [`api`]:
//! functions of all types of numbers are one there. Nothing needs a workspace: programs are told the least size that they
//! can ask memory of.

mod api;
mod arguments;
mod backend;
mod convert;
mod descriptor;
mod export;
mod handle;
mod number;

#[allow(unused_imports)]
use cuda_types::cusolver::*;

cuda_macros::export_api! {
    cusolver;
    context {
        cusolverDnCreate => create, cusolverDnDestroy => destroy, cusolverGetVersion => version,
        cusolverGetProperty => property, cusolverDnSetStream => set_stream, cusolverDnGetStream => get_stream,
        cusolverSpCreate => create_sparse, cusolverSpDestroy => destroy_sparse,
        cusolverSpSetStream => set_stream_sparse, cusolverSpGetStream => get_stream_sparse,
        cusolverDnSetDeterministicMode => set_deterministic, cusolverDnGetDeterministicMode => get_deterministic,
        cusolverDnSetMathMode => set_math, cusolverDnGetMathMode => get_math,
        cusolverDnCreateParams => create_params, cusolverDnDestroyParams => destroy_params,
        cusolverDnSetAdvOptions => set_options,
    },
    lu {
        cusolverDn[S D C Z]getrf_bufferSize => getrf_buffer, cusolverDn[S D C Z]getrf => getrf,
        cusolverDn[S D C Z]getrs => getrs, cusolverDn[S D C Z]laswp => laswp,
        cusolverDnXgetrf_bufferSize => xgetrf_buffer, cusolverDnXgetrf => xgetrf, cusolverDnXgetrs => xgetrs,
    },
    cholesky {
        cusolverDn[S D C Z]potrf_bufferSize => buffer, cusolverDn[S D C Z]potri_bufferSize => buffer,
        cusolverDn[S D C Z]lauum_bufferSize => buffer, cusolverDn[S D C Z]potrf => potrf,
        cusolverDn[S D C Z]potri => potri, cusolverDn[S D C Z]lauum => lauum, cusolverDn[S D C Z]potrs => potrs,
        cusolverDn[S D C Z]potrfBatched => potrf_batched, cusolverDn[S D C Z]potrsBatched => potrs_batched,
        cusolverDnXpotrf_bufferSize => xpotrf_buffer, cusolverDnXpotrf => xpotrf, cusolverDnXpotrs => xpotrs,
        cusolverDnXtrtri_bufferSize => xtrtri_buffer, cusolverDnXtrtri => xtrtri,
    },
    qr {
        cusolverDn[S D C Z]geqrf_bufferSize => geqrf_buffer, cusolverDn[S D C Z]geqrf => geqrf,
        cusolverDn[Sor Dor Cun Zun]gqr_bufferSize => orgqr_buffer, cusolverDn[Sor Dor Cun Zun]gqr => orgqr,
        cusolverDn[Sor Dor Cun Zun]mqr_bufferSize => ormqr_buffer, cusolverDn[Sor Dor Cun Zun]mqr => ormqr,
        cusolverDnXgeqrf_bufferSize => xgeqrf_buffer, cusolverDnXgeqrf => xgeqrf,
        cusolverDnXlarft_bufferSize => xlarft_buffer, cusolverDnXlarft => xlarft,
    },
    symmetric {
        cusolverDn[S D C Z]sytrf_bufferSize => sytrf_buffer, cusolverDn[S D C Z]sytrf => sytrf,
        cusolverDn[S D C Z]sytri_bufferSize => sytri_buffer, cusolverDn[S D C Z]sytri => sytri,
        cusolverDnXsytrf_bufferSize => xsytrf_buffer, cusolverDnXsytrf => xsytrf,
        cusolverDnXhetrf_bufferSize => xhetrf_buffer, cusolverDnXhetrf => xhetrf,
        cusolverDnXsytrs_bufferSize => xsytrs_buffer, cusolverDnXsytrs => xsytrs,
        cusolverDnXhetrs_bufferSize => xhetrs_buffer, cusolverDnXhetrs => xhetrs,
    },
    condensed {
        cusolverDn[Ssy Dsy Che Zhe]trd_bufferSize => sytrd_buffer, cusolverDn[Ssy Dsy Che Zhe]trd => sytrd,
        cusolverDn[Sor Dor Cun Zun]gtr_bufferSize => orgtr_buffer, cusolverDn[Sor Dor Cun Zun]gtr => orgtr,
        cusolverDn[Sor Dor Cun Zun]mtr_bufferSize => ormtr_buffer, cusolverDn[Sor Dor Cun Zun]mtr => ormtr,
        cusolverDn[S D C Z]gebrd_bufferSize => gebrd_buffer, cusolverDn[S D C Z]gebrd => gebrd,
        cusolverDn[Sor Dor Cun Zun]gbr_bufferSize => orgbr_buffer, cusolverDn[Sor Dor Cun Zun]gbr => orgbr,
    },
    svd {
        cusolverDn[S D C Z]gesvd_bufferSize => gesvd_buffer, cusolverDn[S D C Z]gesvd => gesvd,
        cusolverDn[S D C Z]gesvdj_bufferSize => gesvdj_buffer, cusolverDn[S D C Z]gesvdj => gesvdj,
        cusolverDn[S D C Z]gesvdjBatched_bufferSize => gesvdj_batched_buffer,
        cusolverDn[S D C Z]gesvdjBatched => gesvdj_batched,
        cusolverDn[S D C Z]gesvdaStridedBatched_bufferSize => gesvda_buffer,
        cusolverDn[S D C Z]gesvdaStridedBatched => gesvda,
        cusolverDnXgesvd_bufferSize => xgesvd_buffer, cusolverDnXgesvd => xgesvd,
        cusolverDnXgesvdp_bufferSize => xgesvdp_buffer, cusolverDnXgesvdp => xgesvdp,
        cusolverDnXgesvdr_bufferSize => xgesvdr_buffer, cusolverDnXgesvdr => xgesvdr,
    },
    jacobi::gesvdj {
        cusolverDnCreateGesvdjInfo => create, cusolverDnDestroyGesvdjInfo => destroy,
        cusolverDnXgesvdjSetTolerance => set_tolerance, cusolverDnXgesvdjSetMaxSweeps => set_most_sweeps,
        cusolverDnXgesvdjSetSortEig => set_sorted, cusolverDnXgesvdjGetResidual => residual,
        cusolverDnXgesvdjGetSweeps => sweeps,
    },
    jacobi::syevj {
        cusolverDnCreateSyevjInfo => create, cusolverDnDestroySyevjInfo => destroy,
        cusolverDnXsyevjSetTolerance => set_tolerance, cusolverDnXsyevjSetMaxSweeps => set_most_sweeps,
        cusolverDnXsyevjSetSortEig => set_sorted, cusolverDnXsyevjGetResidual => residual,
        cusolverDnXsyevjGetSweeps => sweeps,
    },
    eigen {
        cusolverDn[Ssy Dsy Che Zhe]evd_bufferSize => syevd_buffer, cusolverDn[Ssy Dsy Che Zhe]evd => syevd,
        cusolverDn[Ssy Dsy Che Zhe]evdx_bufferSize => syevdx_buffer, cusolverDn[Ssy Dsy Che Zhe]evdx => syevdx,
        cusolverDn[Ssy Dsy Che Zhe]evj_bufferSize => syevj_buffer, cusolverDn[Ssy Dsy Che Zhe]evj => syevj,
        cusolverDn[Ssy Dsy Che Zhe]evjBatched_bufferSize => syevj_batched_buffer,
        cusolverDn[Ssy Dsy Che Zhe]evjBatched => syevj_batched,
        cusolverDn[Ssy Dsy Che Zhe]gvd_bufferSize => sygvd_buffer, cusolverDn[Ssy Dsy Che Zhe]gvd => sygvd,
        cusolverDn[Ssy Dsy Che Zhe]gvdx_bufferSize => sygvdx_buffer, cusolverDn[Ssy Dsy Che Zhe]gvdx => sygvdx,
        cusolverDn[Ssy Dsy Che Zhe]gvj_bufferSize => sygvj_buffer, cusolverDn[Ssy Dsy Che Zhe]gvj => sygvj,
        cusolverDnXsyevd_bufferSize => xsyevd_buffer, cusolverDnXsyevd => xsyevd,
        cusolverDnXsyevBatched_bufferSize => xsyev_batched_buffer, cusolverDnXsyevBatched => xsyev_batched,
        cusolverDnXsyevdx_bufferSize => xsyevdx_buffer, cusolverDnXsyevdx => xsyevdx,
        cusolverDnXsygvd_bufferSize => xsygvd_buffer, cusolverDnXsygvd => xsygvd,
    },
    refined {
        cusolverDn[ZZ ZC ZK ZE ZY CC CK CE CY DD DS DH DB DX SS SH SB SX]gesv_bufferSize => gesv_buffer,
        cusolverDn[ZZ ZC ZK ZE ZY CC CK CE CY DD DS DH DB DX SS SH SB SX]gesv => gesv,
        cusolverDn[ZZ ZC ZK ZE ZY CC CK CE CY DD DS DH DB DX SS SH SB SX]gels_bufferSize => gels_buffer,
        cusolverDn[ZZ ZC ZK ZE ZY CC CK CE CY DD DS DH DB DX SS SH SB SX]gels => gels,
        cusolverDnIRSParamsCreate => create_params, cusolverDnIRSParamsDestroy => destroy_params,
        cusolverDnIRSParamsSetRefinementSolver => set_refinement,
        cusolverDnIRSParamsSetSolverMainPrecision => set_precision,
        cusolverDnIRSParamsSetSolverLowestPrecision => set_lowest_precision,
        cusolverDnIRSParamsSetSolverPrecisions => set_precisions, cusolverDnIRSParamsSetTol => set_tolerance,
        cusolverDnIRSParamsSetTolInner => set_tolerance, cusolverDnIRSParamsSetMaxIters => set_most_iterations,
        cusolverDnIRSParamsSetMaxItersInner => set_most_inner_iterations,
        cusolverDnIRSParamsGetMaxIters => get_most_iterations, cusolverDnIRSParamsEnableFallback => set_fallback,
        cusolverDnIRSParamsDisableFallback => set_fallback,
        cusolverDnIRSInfosCreate => create_infos, cusolverDnIRSInfosDestroy => destroy_infos,
        cusolverDnIRSInfosGetNiters => iterations, cusolverDnIRSInfosGetOuterNiters => iterations,
        cusolverDnIRSXgesv_bufferSize => xgesv_buffer, cusolverDnIRSXgesv => xgesv,
        cusolverDnIRSXgels_bufferSize => xgels_buffer, cusolverDnIRSXgels => xgels,
    },
    sparse {
        cusolverSp[S D C Z]csrlsvqr => solve_lu, cusolverSp[S D C Z]csrlsvqrHost => solve_lu_host,
        cusolverSp[S D C Z]csrlsvluHost => solve_lu_host, cusolverSp[S D C Z]csrlsvchol => solve_cholesky,
        cusolverSp[S D C Z]csrlsvcholHost => solve_cholesky_host,
        cusolverSp[S D C Z]csreigvsi => nearest_eigenvalue, cusolverSp[S D C Z]csreigvsiHost => nearest_eigenvalue_host,
        cusolverSpCreateCsrqrInfo => create_batch, cusolverSpDestroyCsrqrInfo => destroy_batch,
        cusolverSpXcsrqrAnalysisBatched => analyse_batch,
        cusolverSp[S D C Z]csrqrBufferInfoBatched => buffer_of_batch,
        cusolverSp[S D C Z]csrqrsvBatched => solve_batch,
    },
    ordering {
        cusolverSpXcsrsymrcmHost => symrcm, cusolverSpXcsrsymmdqHost => least_degree,
        cusolverSpXcsrsymamdHost => least_degree, cusolverSpXcsrmetisndHost => metisnd,
        cusolverSp[S D C Z]csrzfdHost => zfd, cusolverSpXcsrperm_bufferSizeHost => perm_buffer,
        cusolverSpXcsrpermHost => perm, cusolverSpXcsrissymHost => is_symmetric,
    },
    general { cusolverDnXgeev_bufferSize => xgeev_buffer, cusolverDnXgeev => xgeev },
}
