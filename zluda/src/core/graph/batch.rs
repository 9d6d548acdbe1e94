//! Nodes that do several operations on words of memory.

use crate::core::context::Context;
use crate::core::stream::Target;
use crate::core::stream::memory_operation::Operation;
use cuda_types::cuda::{CUDA_BATCH_MEM_OP_NODE_PARAMS, CUerror, CUres, CUstreamBatchMemOpParams};
use std::sync::Arc;

/// "count: ... Must be less than 256"
pub(crate) const MOST: usize = 255;

#[derive(Clone)]
pub(crate) struct Batch {
    pub(crate) context: Arc<Context>,
    /// As the program has described them, which nodes tell.
    described: Vec<CUstreamBatchMemOpParams>,
    operations: Vec<Operation>,
}

impl std::fmt::Debug for Batch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batch").field("operations", &self.operations).finish_non_exhaustive()
    }
}

impl Batch {
    /// `INVALID_VALUE` for operations that are none; their memory has to be there when they are put into a stream.
    pub(crate) fn new(
        context: Arc<Context>,
        described: Vec<CUstreamBatchMemOpParams>,
        flags: u32,
    ) -> CUres<Batch> {
        // "flags: Reserved for future expansion; must be 0."
        if flags != 0 {
            return Err(CUerror::INVALID_VALUE);
        }
        let operations = described.iter().map(Operation::of).collect::<CUres<_>>()?;
        Ok(Batch { context, described, operations })
    }

    /// The batch as a node tells it; the array stays as long as the batch.
    pub(crate) fn params(&mut self) -> CUDA_BATCH_MEM_OP_NODE_PARAMS {
        CUDA_BATCH_MEM_OP_NODE_PARAMS {
            ctx: self.context.handle(),
            count: self.described.len() as u32,
            paramArray: self.described.as_mut_ptr(),
            flags: 0,
        }
    }

    /// How many operations there are.
    pub(crate) fn count(&self) -> usize {
        self.operations.len()
    }

    /// Puts the operations into a stream, one after the other, or none of them.
    pub(crate) fn put(&self, target: &Target) -> CUres {
        self.operations.iter().try_for_each(Operation::check)?;
        self.operations.iter().try_for_each(|operation| operation.put(target))
    }
}
