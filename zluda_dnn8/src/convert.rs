//! Arguments from C.

use cuda_types::cudnn8::{CudnnResult, cudnnError};

zluda_api::conversions!(cudnnError);

/// `BAD_PARAM` where it is not so.
pub(crate) fn check(is: bool) -> CudnnResult {
    if is { Ok(()) } else { Err(cudnnError::BAD_PARAM) }
}
