//! Statuses: version 9 has other numbers, and more of them.

use cuda_types::cudnn::cudnnStatus_t as Nine;
use cuda_types::cudnn8::{CudnnResult, cudnnError};

/// The statuses of version 9 that are more than their thousand says.
const SPECIFIC: &[(Nine, cudnnError)] = &[
    (Nine::CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH, cudnnError::VERSION_MISMATCH),
    (Nine::CUDNN_STATUS_SERIALIZATION_VERSION_MISMATCH, cudnnError::VERSION_MISMATCH),
    (Nine::CUDNN_STATUS_DEPRECATED, cudnnError::NOT_SUPPORTED),
    (Nine::CUDNN_STATUS_LICENSE_ERROR, cudnnError::LICENSE_ERROR),
    (Nine::CUDNN_STATUS_RUNTIME_IN_PROGRESS, cudnnError::RUNTIME_IN_PROGRESS),
    (Nine::CUDNN_STATUS_RUNTIME_FP_OVERFLOW, cudnnError::RUNTIME_FP_OVERFLOW),
    (Nine::CUDNN_STATUS_INVALID_VALUE, cudnnError::INVALID_VALUE),
    (Nine::CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH, cudnnError::ARCH_MISMATCH),
    (
        Nine::CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING,
        cudnnError::RUNTIME_PREREQUISITE_MISSING,
    ),
    (Nine::CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, cudnnError::ALLOC_FAILED),
    (Nine::CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, cudnnError::ALLOC_FAILED),
    (Nine::CUDNN_STATUS_INTERNAL_ERROR_TEXTURE_CREATION_FAILED, cudnnError::MAPPING_ERROR),
];

/// What a status of version 9 is in version 8.
pub(crate) fn of_nine(status: Nine) -> CudnnResult {
    if status == Nine::CUDNN_STATUS_SUCCESS {
        return Ok(());
    }
    let specific = SPECIFIC.iter().find(|(nine, _)| *nine == status).map(|(_, error)| *error);
    Err(specific.unwrap_or(match status.0 / 1000 {
        1 => cudnnError::NOT_INITIALIZED,
        2 => cudnnError::BAD_PARAM,
        3 => cudnnError::NOT_SUPPORTED,
        5 => cudnnError::EXECUTION_FAILED,
        _ => cudnnError::INTERNAL_ERROR,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_types::{cudnn, cudnn8};

    #[test]
    fn a_status_of_both_versions_stays_what_it_is() {
        for (status, name) in cudnn8::RESULT_NAMES {
            let (nine, _) = cudnn::RESULT_NAMES.iter().find(|(_, other)| other == name).unwrap();
            assert_eq!(of_nine(*nine).err().map_or(0, |error| error.0.get()), status.0, "{name:?}");
        }
    }

    #[test]
    fn every_failure_of_version_9_is_one_of_version_8() {
        for (status, name) in cudnn::RESULT_NAMES {
            let is_success = *status == Nine::CUDNN_STATUS_SUCCESS;
            assert!(of_nine(*status).err().map_or(is_success, |e| e.name().is_some()), "{name:?}");
        }
        for other in [1, 999, 2999, 6000, u32::MAX] {
            assert!(of_nine(cudnn::cudnnStatus_t(other)).is_err(), "{other}");
        }
    }
}
