//! Launches as CUDA 1 to 3 had them: a function keeps the shape of its blocks and its parameters until it is launched.

use crate::core::device::launch::{LaunchConfig, Params};
use crate::core::module::function::Function;
use cuda_types::cuda::{CUerror, CUres};
use parking_lot::Mutex;

/// The room for parameters, in bytes: what an H100's driver takes for the newest kernels too.
const MOST_BYTES: usize = 32764;

/// What a function keeps: nothing was set, so that it is launched with one thread and parameters of zeros.
#[derive(Debug)]
pub(crate) struct Kept(Mutex<State>);

#[derive(Debug)]
struct State {
    block: [u32; 3],
    /// Dynamic shared memory, in bytes.
    shared: u32,
    /// How many bytes of `bytes` a launch passes. "The size of the kernel's parameters"
    size: usize,
    bytes: Vec<u8>,
}

impl Default for Kept {
    fn default() -> Self {
        Kept(Mutex::new(State { block: [1; 3], shared: 0, size: 0, bytes: Vec::new() }))
    }
}

impl Kept {
    /// `INVALID_VALUE` for blocks that the kernel cannot have.
    pub(crate) fn set_block(&self, function: &Function, block: [u32; 3]) -> CUres {
        LaunchConfig::new([1; 3], block, 0).check(function)?;
        self.0.lock().block = block;
        Ok(())
    }

    /// `INVALID_VALUE` for more dynamic shared memory than a block can have.
    pub(crate) fn set_shared(&self, function: &Function, bytes: u32) -> CUres {
        if bytes > function.settings.max_dynamic_shared(&function.info) {
            return Err(CUerror::INVALID_VALUE);
        }
        self.0.lock().shared = bytes;
        Ok(())
    }

    /// Sizes are rounded up to words, and the largest ones to 0, as an H100's driver does it.
    pub(crate) fn set_size(&self, size: u32) -> CUres {
        let size = (size.wrapping_add(3) & !3) as usize;
        if size > MOST_BYTES {
            return Err(CUerror::INVALID_VALUE);
        }
        self.0.lock().size = size;
        Ok(())
    }

    /// Keeps bytes of parameters, whatever the size.
    pub(crate) fn set_bytes(&self, offset: i32, given: &[u8]) -> CUres {
        let start = usize::try_from(offset).map_err(|_| CUerror::INVALID_VALUE)?;
        let end = start.saturating_add(given.len());
        if end > MOST_BYTES {
            return Err(CUerror::INVALID_VALUE);
        }
        let bytes = &mut self.0.lock().bytes;
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[start..end].copy_from_slice(given);
        Ok(())
    }

    /// "When the kernel f is launched via cuLaunchKernel(), the previous block shape, shared size and parameter info
    /// associated with f is overwritten."
    pub(crate) fn overwrite(&self, function: &Function, config: &LaunchConfig, params: &Params) {
        let size = function.info.param_size as usize;
        let bytes = params.iter().flat_map(|part| part.to_ne_bytes()).take(size).collect();
        *self.0.lock() = State { block: config.block, shared: config.shared, size, bytes };
    }

    /// The launch of a grid. `LAUNCH_OUT_OF_RESOURCES` for more parameters than the kernel has; what is not set is 0.
    pub(crate) fn launch(
        &self,
        function: &Function,
        grid: [u32; 2],
    ) -> CUres<(LaunchConfig, Params)> {
        let state = self.0.lock();
        let info = &function.info;
        if state.size > info.param_size as usize {
            return Err(CUerror::LAUNCH_OUT_OF_RESOURCES);
        }
        let mut bytes = state.bytes[..state.size.min(state.bytes.len())].to_vec();
        let room = info.total_param_size.max(info.param_size) as usize;
        bytes.resize(room.next_multiple_of(size_of::<u128>()).max(size_of::<u128>()), 0);
        let (words, _) = bytes.as_chunks();
        let params = words.iter().map(|word| u128::from_ne_bytes(*word)).collect();
        Ok((LaunchConfig::new([grid[0], grid[1], 1], state.block, state.shared), params))
    }
}
