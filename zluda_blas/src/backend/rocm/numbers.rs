//! cuBLAS's enumerators as hipBLAS has them, and statuses back. `./x test hip` holds the numbers against hipBLAS's headers.

// The names are hipBLAS's.
#![allow(non_upper_case_globals)]

use crate::backend::{INVALID, Number};
use cuda_types::cublas::*;

/// The numbers of an enumeration.
macro_rules! enumerators {
    ($($type:ident: $($name:ident = $value:literal)*;)*) => {
        $($(pub(crate) const $name: u32 = $value;)*)*
    };
}

enumerators! {
    hipblasStatus_t: HIPBLAS_STATUS_SUCCESS = 0 HIPBLAS_STATUS_NOT_INITIALIZED = 1 HIPBLAS_STATUS_ALLOC_FAILED = 2
        HIPBLAS_STATUS_INVALID_VALUE = 3 HIPBLAS_STATUS_MAPPING_ERROR = 4 HIPBLAS_STATUS_EXECUTION_FAILED = 5
        HIPBLAS_STATUS_NOT_SUPPORTED = 7 HIPBLAS_STATUS_ARCH_MISMATCH = 8 HIPBLAS_STATUS_HANDLE_IS_NULLPTR = 9
        HIPBLAS_STATUS_INVALID_ENUM = 10;
    hipblasPointerMode_t: HIPBLAS_POINTER_MODE_HOST = 0 HIPBLAS_POINTER_MODE_DEVICE = 1;
    hipblasAtomicsMode_t: HIPBLAS_ATOMICS_NOT_ALLOWED = 0 HIPBLAS_ATOMICS_ALLOWED = 1;
    hipblasOperation_t: HIPBLAS_OP_N = 111 HIPBLAS_OP_T = 112 HIPBLAS_OP_C = 113;
    hipblasFillMode_t: HIPBLAS_FILL_MODE_UPPER = 121 HIPBLAS_FILL_MODE_LOWER = 122;
    hipblasDiagType_t: HIPBLAS_DIAG_NON_UNIT = 131 HIPBLAS_DIAG_UNIT = 132;
    hipblasSideMode_t: HIPBLAS_SIDE_LEFT = 141 HIPBLAS_SIDE_RIGHT = 142;
    hipblasGemmAlgo_t: HIPBLAS_GEMM_DEFAULT = 160;
    hipblasDatatype_t: HIPBLAS_R_16F = 150 HIPBLAS_R_32F = 151 HIPBLAS_R_64F = 152 HIPBLAS_C_32F = 154
        HIPBLAS_C_64F = 155 HIPBLAS_R_8I = 160 HIPBLAS_R_32I = 162 HIPBLAS_R_16B = 168;
    hipDataType: HIP_R_32F = 0 HIP_R_64F = 1 HIP_R_16F = 2 HIP_R_8I = 3 HIP_C_32F = 4 HIP_C_64F = 5 HIP_R_32I = 10
        HIP_R_16BF = 14;
    hipblasComputeType_t: HIPBLAS_COMPUTE_16F = 0 HIPBLAS_COMPUTE_16F_PEDANTIC = 1 HIPBLAS_COMPUTE_32F = 2
        HIPBLAS_COMPUTE_32F_PEDANTIC = 3 HIPBLAS_COMPUTE_32F_FAST_16F = 4 HIPBLAS_COMPUTE_32F_FAST_16BF = 5
        HIPBLAS_COMPUTE_32F_FAST_TF32 = 6 HIPBLAS_COMPUTE_64F = 7 HIPBLAS_COMPUTE_64F_PEDANTIC = 8
        HIPBLAS_COMPUTE_32I = 9 HIPBLAS_COMPUTE_32I_PEDANTIC = 10;
}

/// The error of a status of hipBLAS.
pub(crate) fn error(status: u32) -> CublasResult {
    Err(match status {
        HIPBLAS_STATUS_SUCCESS => return Ok(()),
        HIPBLAS_STATUS_NOT_INITIALIZED | HIPBLAS_STATUS_HANDLE_IS_NULLPTR => {
            cublasError::NOT_INITIALIZED
        }
        HIPBLAS_STATUS_ALLOC_FAILED => cublasError::ALLOC_FAILED,
        HIPBLAS_STATUS_INVALID_VALUE | HIPBLAS_STATUS_INVALID_ENUM => cublasError::INVALID_VALUE,
        HIPBLAS_STATUS_MAPPING_ERROR => cublasError::MAPPING_ERROR,
        HIPBLAS_STATUS_EXECUTION_FAILED => cublasError::EXECUTION_FAILED,
        HIPBLAS_STATUS_NOT_SUPPORTED => cublasError::NOT_SUPPORTED,
        HIPBLAS_STATUS_ARCH_MISMATCH => cublasError::ARCH_MISMATCH,
        _ => cublasError::INTERNAL_ERROR,
    })
}

/// An enumeration that both libraries have.
pub(crate) trait Enumeration: Copy {
    /// hipBLAS's name of it.
    #[cfg(test)]
    const NAME: &'static str;

    fn number(self) -> Number;
}

macro_rules! enumerations {
    ($($type:ident as $hip:ident: $($ours:ident => $theirs:ident)*;)*) => {$(
        impl Enumeration for $type {
            #[cfg(test)]
            const NAME: &'static str = stringify!($hip);

            fn number(self) -> Number {
                match self {
                    $($type::$ours => Ok($theirs),)*
                    _ => INVALID,
                }
            }
        }
    )*};
}

enumerations! {
    cublasOperation_t as hipblasOperation_t: CUBLAS_OP_N => HIPBLAS_OP_N CUBLAS_OP_T => HIPBLAS_OP_T
        CUBLAS_OP_C => HIPBLAS_OP_C;
    cublasFillMode_t as hipblasFillMode_t: CUBLAS_FILL_MODE_UPPER => HIPBLAS_FILL_MODE_UPPER
        CUBLAS_FILL_MODE_LOWER => HIPBLAS_FILL_MODE_LOWER;
    cublasDiagType_t as hipblasDiagType_t: CUBLAS_DIAG_NON_UNIT => HIPBLAS_DIAG_NON_UNIT
        CUBLAS_DIAG_UNIT => HIPBLAS_DIAG_UNIT;
    cublasSideMode_t as hipblasSideMode_t: CUBLAS_SIDE_LEFT => HIPBLAS_SIDE_LEFT
        CUBLAS_SIDE_RIGHT => HIPBLAS_SIDE_RIGHT;
}

/// The type of elements, for the functions from ROCm 6 on.
pub(crate) fn data_type(ty: cudaDataType) -> Number {
    use cudaDataType_t as D;
    Ok(match ty {
        D::CUDA_R_32F => HIP_R_32F,
        D::CUDA_R_64F => HIP_R_64F,
        D::CUDA_R_16F => HIP_R_16F,
        D::CUDA_R_16BF => HIP_R_16BF,
        D::CUDA_R_8I => HIP_R_8I,
        D::CUDA_R_32I => HIP_R_32I,
        D::CUDA_C_32F => HIP_C_32F,
        D::CUDA_C_64F => HIP_C_64F,
        _ => return Err(cublasError::NOT_SUPPORTED),
    })
}

/// The same for those of ROCm 5.
pub(crate) fn old_data_type(ty: cudaDataType) -> Number {
    use cudaDataType_t as D;
    Ok(match ty {
        D::CUDA_R_32F => HIPBLAS_R_32F,
        D::CUDA_R_64F => HIPBLAS_R_64F,
        D::CUDA_R_16F => HIPBLAS_R_16F,
        D::CUDA_R_16BF => HIPBLAS_R_16B,
        D::CUDA_R_8I => HIPBLAS_R_8I,
        D::CUDA_R_32I => HIPBLAS_R_32I,
        D::CUDA_C_32F => HIPBLAS_C_32F,
        D::CUDA_C_64F => HIPBLAS_C_64F,
        _ => return Err(cublasError::NOT_SUPPORTED),
    })
}

/// The precision of sums, from ROCm 6 on. What is emulated on NVIDIA's GPUs, AMD's do exactly.
pub(crate) fn compute_type(compute: cublasComputeType_t) -> Number {
    use cublasComputeType_t as C;
    Ok(match compute {
        C::CUBLAS_COMPUTE_16F => HIPBLAS_COMPUTE_16F,
        C::CUBLAS_COMPUTE_16F_PEDANTIC => HIPBLAS_COMPUTE_16F_PEDANTIC,
        C::CUBLAS_COMPUTE_32F | C::CUBLAS_COMPUTE_32F_EMULATED_16BFX9 => HIPBLAS_COMPUTE_32F,
        C::CUBLAS_COMPUTE_32F_PEDANTIC => HIPBLAS_COMPUTE_32F_PEDANTIC,
        C::CUBLAS_COMPUTE_32F_FAST_16F => HIPBLAS_COMPUTE_32F_FAST_16F,
        C::CUBLAS_COMPUTE_32F_FAST_16BF => HIPBLAS_COMPUTE_32F_FAST_16BF,
        C::CUBLAS_COMPUTE_32F_FAST_TF32 => HIPBLAS_COMPUTE_32F_FAST_TF32,
        C::CUBLAS_COMPUTE_64F | C::CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT => HIPBLAS_COMPUTE_64F,
        C::CUBLAS_COMPUTE_64F_PEDANTIC => HIPBLAS_COMPUTE_64F_PEDANTIC,
        C::CUBLAS_COMPUTE_32I => HIPBLAS_COMPUTE_32I,
        C::CUBLAS_COMPUTE_32I_PEDANTIC => HIPBLAS_COMPUTE_32I_PEDANTIC,
        _ => return Err(cublasError::NOT_SUPPORTED),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enumerators_are_numbers_and_others_are_refused() {
        use cublasFillMode_t as F;
        use cublasOperation_t as O;
        assert_eq!(O::CUBLAS_OP_C.number(), Ok(113));
        assert_eq!(F::CUBLAS_FILL_MODE_LOWER.number(), Ok(122));
        assert_eq!(F::CUBLAS_FILL_MODE_UPPER.number(), Ok(121));
        assert_eq!(cublasSideMode_t::CUBLAS_SIDE_RIGHT.number(), Ok(142));
        assert_eq!(cublasDiagType_t::CUBLAS_DIAG_UNIT.number(), Ok(132));
        assert_eq!(O::CUBLAS_OP_CONJG.number(), INVALID);
        assert_eq!(F::CUBLAS_FILL_MODE_FULL.number(), INVALID);
        assert_eq!(O(77).number(), INVALID);
    }

    #[test]
    fn types_of_both_generations() {
        use cudaDataType_t as D;
        // HIP's numbers of types are CUDA's, those of hipBLAS in ROCm 5 its own.
        let types = [
            (D::CUDA_R_16F, 150),
            (D::CUDA_R_32F, 151),
            (D::CUDA_R_64F, 152),
            (D::CUDA_C_32F, 154),
            (D::CUDA_C_64F, 155),
            (D::CUDA_R_8I, 160),
            (D::CUDA_R_32I, 162),
            (D::CUDA_R_16BF, 168),
        ];
        for (ty, old) in types {
            assert_eq!((data_type(ty), old_data_type(ty)), (Ok(ty.0), Ok(old)));
        }
        assert_eq!(data_type(D::CUDA_R_4I), Err(cublasError::NOT_SUPPORTED));
    }

    #[test]
    fn every_status_is_an_answer() {
        assert_eq!(error(0), Ok(()));
        assert_eq!(error(7), Err(cublasError::NOT_SUPPORTED));
        assert_eq!(error(9), Err(cublasError::NOT_INITIALIZED));
        assert_eq!(error(10), Err(cublasError::INVALID_VALUE));
        assert_eq!(error(12345), Err(cublasError::INTERNAL_ERROR));
    }
}
