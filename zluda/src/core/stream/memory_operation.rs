//! Operations on words of memory in the order of a stream: waiting for a value, and writing one.

use super::Target;
use crate::core::memory::virtual_memory::check_writable;
use crate::core::memory::{self, Kind, check_range};
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
    fn size(&self) -> u64 {
        if self.is_wide { 8 } else { 4 }
    }

    /// `INVALID_VALUE` for addresses that are not aligned: all that a node, and so a capture, looks at.
    fn new(address: u64, value: u64, is_wide: bool) -> CUres<Word> {
        let word = Word { address, value, is_wide };
        match address.is_multiple_of(word.size()) {
            true => Ok(word),
            false => Err(CUerror::INVALID_VALUE),
        }
    }

    /// `INVALID_VALUE` for what is no memory of the device, and for the kinds of memory that an H100 refuses.
    fn check(&self) -> CUres {
        check_range(self.address, self.size() as usize)?;
        match memory::find(self.address).map(|found| found.kind) {
            Some(Kind::Managed | Kind::Pool(_) | Kind::Graph(_)) => Err(CUerror::INVALID_VALUE),
            _ => Ok(()),
        }
    }
}

impl Operation {
    /// An operation that waits until a word is as `flags` say.
    pub(crate) fn wait(address: u64, value: u64, is_wide: bool, flags: u32) -> CUres<Operation> {
        let word = Word::new(address, value, is_wide)?;
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
        let word = Word::new(address, value, is_wide)?;
        // An H100 refuses the other flag, NO_MEMORY_BARRIER.
        if flags != CUstreamWriteValue_flags::CU_STREAM_WRITE_VALUE_DEFAULT.0 {
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

    /// Whether its memory is there, and may be used so.
    pub(crate) fn check(&self) -> CUres {
        match self {
            Operation::Barrier => Ok(()),
            Operation::Wait { word, .. } => word.check(),
            Operation::Write { word } => {
                word.check()?;
                check_writable(word.address, 4)
            }
        }
    }

    /// Puts the operation, which has been checked, into a stream: the host does not wait.
    pub(crate) fn put(&self, target: &Target) -> CUres {
        let (hip, stream) = (&target.current.driver.hip, target.hip);
        // CUDA's flags have HIP's values.
        let error = match *self {
            Operation::Barrier => return Ok(()),
            Operation::Wait { word, flags } => {
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
