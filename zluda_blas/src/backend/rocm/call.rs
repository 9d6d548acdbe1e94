//! A call, and the function of hipBLAS that it goes to.

use super::library::{Blas, Generation};
use crate::device::{convert, driver};
use crate::settings::Settings;
use cuda_types::cublas::*;
use std::sync::Arc;
use zluda_api::rocm::Function;

/// A call of a function of cuBLAS.
pub(crate) struct Call<'a> {
    pub(crate) name: &'static str,
    pub(crate) blas: &'a Arc<Blas>,
    pub(crate) settings: Settings,
}

impl Call<'_> {
    /// Whether the stream is captured.
    pub(crate) fn is_captured(&self) -> CublasResult<bool> {
        self.blas.enter()?;
        Ok(driver()?.stream(self.settings.stream).map_err(convert)?.is_captured)
    }
}

/// The function of hipBLAS that does what one of cuBLAS does.
pub(crate) fn hip_name(name: &str) -> String {
    let (name, wide) = match name.strip_suffix("_64") {
        Some(name) => (name, "_64"),
        None => (name, ""),
    };
    let name = name.strip_suffix("_v2").unwrap_or(name);
    // Three real products in place of four are a matter of speed.
    let name = name.replacen("cublas", "hipblas", 1).replacen("gemm3m", "gemm", 1);
    format!("{name}{wide}")
}

/// A function of hipBLAS, in one of its widths.
pub(crate) struct Found<Wide, Narrow> {
    wide: Function<Wide>,
    narrow: Function<Narrow>,
}

impl<Wide: Copy, Narrow: Copy> Found<Wide, Narrow> {
    pub(crate) const fn new() -> Self {
        Found { wide: Function::new(), narrow: Function::new() }
    }

    /// The function of the same width, or else that with sizes of 32 bits.
    pub(crate) fn get(&self, call: &Call<'_>) -> CublasResult<Result<Wide, Narrow>> {
        let (name, blas) = (hip_name(call.name), call.blas);
        if blas.generation() == Generation::First && name.ends_with("trmm") {
            tracing::warn!("unsupported: {name} of ROCm 5, which has no third matrix");
            return Err(cublasError::NOT_SUPPORTED);
        }
        // SAFETY: the types are those of these functions.
        let found = unsafe {
            match name.strip_suffix("_64").filter(|_| !blas.library().has(&name)) {
                Some(narrow) => self.narrow.get(blas.library(), narrow).map(Err),
                None => self.wide.get(blas.library(), &name).map(Ok),
            }
        };
        found.ok_or(cublasError::NOT_SUPPORTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hipblas() {
        assert_eq!(hip_name("cublasSgemm_v2_64"), "hipblasSgemm_64");
        assert_eq!(hip_name("cublasIzamax_v2"), "hipblasIzamax");
        assert_eq!(hip_name("cublasCgemm3mStridedBatched"), "hipblasCgemmStridedBatched");
        assert_eq!(hip_name("cublasZdgmm"), "hipblasZdgmm");
    }
}
