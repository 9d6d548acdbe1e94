//! Operations on words of memory in the order of a stream: waiting for a value, and writing one.

use super::Target;
use crate::core::memory::virtual_memory::check_writable;
use crate::core::memory::{self, Kind, Rules, check_range_by};
use cuda_types::cuda::{
    CUerror, CUres, CUstreamBatchMemOpParams, CUstreamBatchMemOpType as T,
    CUstreamMemoryBarrier_flags as B, CUstreamWaitValue_flags as W, CUstreamWriteValue_flags,
};
use std::ffi::c_void;

/// One operation, whose numbers are valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Wait {
        word: Word,
        flags: u32,
    },
    Write {
        word: Word,
    },
    /// What a stream does is in order anyway.
    Barrier,
}

/// The place of a word, and the value that is written or waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    address: u64,
    value: u64,
    /// It has 64 bits, not 32.
    is_wide: bool,
}

impl Word {
    /// `INVALID_VALUE` for addresses that are not aligned, or no memory of the device.
    fn check(&self, rules: Rules) -> CUres {
        let size = if self.is_wide { 8 } else { 4 };
        if !self.address.is_multiple_of(size) {
            return Err(CUerror::INVALID_VALUE);
        }
        check_range_by(rules, self.address, size as usize)
    }
}

impl Operation {
    /// An operation that waits until a word is as `flags` say.
    pub(crate) fn wait(address: u64, value: u64, is_wide: bool, flags: u32) -> CUres<Operation> {
        let word = Word { address, value, is_wide };
        word.check(Rules::Later)?;
        // "CU_STREAM_WAIT_VALUE_FLUSH ... Support for this operation is restricted to selected platforms and can be
        // queried with CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES."
        if flags & W::CU_STREAM_WAIT_VALUE_FLUSH.0 != 0 {
            return Err(CUerror::NOT_SUPPORTED);
        }
        if flags > W::CU_STREAM_WAIT_VALUE_NOR.0 {
            return Err(CUerror::INVALID_VALUE);
        }
        Ok(Operation::Wait { word, flags })
    }

    /// An operation that writes a word.
    pub(crate) fn write(address: u64, value: u64, is_wide: bool, flags: u32) -> CUres<Operation> {
        let word = Word { address, value, is_wide };
        word.check(Rules::Later)?;
        // An H100 refuses the other flag, NO_MEMORY_BARRIER, and managed memory.
        let is_managed = memory::find(address).is_some_and(|found| found.kind == Kind::Managed);
        if flags != CUstreamWriteValue_flags::CU_STREAM_WRITE_VALUE_DEFAULT.0 || is_managed {
            return Err(CUerror::INVALID_VALUE);
        }
        Ok(Operation::Write { word })
    }

    /// The operation that an element of a batch describes.
    pub(crate) fn of(params: &CUstreamBatchMemOpParams) -> CUres<Operation> {
        // SAFETY: all members begin with the operation, which says which one there is; all are plain numbers.
        unsafe {
            let (wait, write) = (params.waitValue, params.writeValue);
            let (to_wait, to_write) = (&wait.__bindgen_anon_1, &write.__bindgen_anon_1);
            match params.operation {
                T::CU_STREAM_MEM_OP_WAIT_VALUE_32 => {
                    Operation::wait(wait.address, to_wait.value.into(), false, wait.flags)
                }
                T::CU_STREAM_MEM_OP_WAIT_VALUE_64 => {
                    Operation::wait(wait.address, to_wait.value64, true, wait.flags)
                }
                T::CU_STREAM_MEM_OP_WRITE_VALUE_32 => {
                    Operation::write(write.address, to_write.value.into(), false, write.flags)
                }
                T::CU_STREAM_MEM_OP_WRITE_VALUE_64 => {
                    Operation::write(write.address, to_write.value64, true, write.flags)
                }
                T::CU_STREAM_MEM_OP_BARRIER => match params.memoryBarrier.flags {
                    flags if flags <= B::CU_STREAM_MEMORY_BARRIER_TYPE_GPU.0 => {
                        Ok(Operation::Barrier)
                    }
                    _ => Err(CUerror::INVALID_VALUE),
                },
                T::CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES => Err(CUerror::NOT_SUPPORTED),
                _ => Err(CUerror::INVALID_VALUE),
            }
        }
    }

    /// Puts the operation into a stream: the host does not wait.
    pub(crate) fn put(&self, target: &Target) -> CUres {
        let (hip, stream) = (&target.current.driver.hip, target.hip);
        // CUDA's flags have HIP's values.
        let error = match *self {
            Operation::Barrier => return Ok(()),
            Operation::Wait { word, flags } => {
                word.check(Rules::Now)?;
                let at = word.address as *mut c_void;
                // SAFETY: the word and the stream have been checked.
                unsafe {
                    match word.is_wide {
                        true => hip.hipStreamWaitValue64(stream, at, word.value, flags, u64::MAX),
                        false => {
                            hip.hipStreamWaitValue32(stream, at, word.value as u32, flags, u32::MAX)
                        }
                    }
                }
            }
            Operation::Write { word } => {
                word.check(Rules::Now)?;
                check_writable(word.address, 4)?;
                let at = word.address as *mut c_void;
                // SAFETY: as above.
                unsafe {
                    match word.is_wide {
                        true => hip.hipStreamWriteValue64(stream, at, word.value, 0),
                        false => hip.hipStreamWriteValue32(stream, at, word.value as u32, 0),
                    }
                }
            }
        };
        target.current.check(error)
    }
}
