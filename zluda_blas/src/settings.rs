//! The settings of a handle.

use cuda_types::cublas::*;
use cuda_types::cuda::CUstream;

/// The settings of a handle.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) stream: CUstream,
    pub(crate) pointer_mode: cublasPointerMode_t,
    pub(crate) math_mode: cublasMath_t,
    pub(crate) atomics_mode: cublasAtomicsMode_t,
    pub(crate) multiprocessors: i32,
    pub(crate) emulation: cublasEmulationStrategy_t,
    pub(crate) special_values: cudaEmulationSpecialValuesSupport,
    pub(crate) mantissa_control: cudaEmulationMantissaControl,
    pub(crate) most_mantissa_bits: i32,
    pub(crate) mantissa_bit_offset: i32,
    /// Where programs want to find the bits that were used, as an address.
    pub(crate) mantissa_bit_count: usize,
}

impl Settings {
    /// Whether numbers and results lie on the device.
    pub(crate) fn on_device(&self) -> bool {
        self.pointer_mode == cublasPointerMode_t::CUBLAS_POINTER_MODE_DEVICE
    }
}
