//! Checkpoints of processes. None is made here: every process that computes runs. All of this is asked without `cuInit`, of
//! other processes as a rule, as NVIDIA's own example of `cuda-checkpoint` does.

use crate::convert::{In, Out};
use crate::core::device::driver::check_initialized;
use cuda_types::cuda::{
    CUcheckpointCheckpointArgs, CUcheckpointLockArgs, CUcheckpointRestoreArgs,
    CUcheckpointUnlockArgs, CUerror, CUprocessState, CUres,
};
use std::ffi::c_int;

/// `OPERATING_SYSTEM` for processes that use no device, and `NOT_INITIALIZED` for this one until `cuInit`, as an H100's driver
/// says it.
fn check_process(process: c_int) -> CUres {
    match u32::try_from(process) {
        Ok(process) if process == std::process::id() => check_initialized(),
        Ok(process) if crate::os::computes(process) => Ok(()),
        _ => Err(CUerror::OPERATING_SYSTEM),
    }
}

pub(crate) fn cuCheckpointProcessGetState(process: c_int, state: Out<CUprocessState>) -> CUres {
    state.check()?;
    check_process(process)?;
    state.set(CUprocessState::CU_PROCESS_STATE_RUNNING)
}

pub(crate) fn cuCheckpointProcessGetRestoreThreadId(process: c_int, thread: Out<c_int>) -> CUres {
    thread.check()?;
    check_process(process)?;
    tracing::warn!("unsupported: no checkpoints are made");
    Err(CUerror::NOT_SUPPORTED)
}

pub(crate) fn cuCheckpointProcessLock(process: c_int, _args: In<CUcheckpointLockArgs>) -> CUres {
    check_process(process)?;
    tracing::warn!("unsupported: no checkpoints are made");
    Err(CUerror::NOT_SUPPORTED)
}

/// "If the process is not in the LOCKED state": it never is.
pub(crate) fn cuCheckpointProcessUnlock(
    process: c_int,
    _args: In<CUcheckpointUnlockArgs>,
) -> CUres {
    check_process(process)?;
    Err(CUerror::ILLEGAL_STATE)
}

pub(crate) fn cuCheckpointProcessCheckpoint(
    process: c_int,
    _args: In<CUcheckpointCheckpointArgs>,
) -> CUres {
    check_process(process)?;
    Err(CUerror::ILLEGAL_STATE)
}

pub(crate) fn cuCheckpointProcessRestore(
    process: c_int,
    _args: In<CUcheckpointRestoreArgs>,
) -> CUres {
    check_process(process)?;
    Err(CUerror::ILLEGAL_STATE)
}
