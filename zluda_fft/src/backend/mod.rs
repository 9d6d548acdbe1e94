//! Who transforms: this machine's processor, for its own devices and for what hipFFT does not do or where it is not there; AMD
//! GPUs by hipFFT.

mod cpu;
mod device;
mod rocm;

use cuda_types::cuda::CUstream;
use cuda_types::cufft::CufftResult;
use fourier::{Descriptor, Direction};
use zluda_api::driver::ProviderKind;

/// A transform for a kind of device.
pub(crate) enum Plan {
    Host(cpu::Plan),
    Rocm(rocm::Plan),
}

impl Plan {
    /// Plans a transform for the device of the current context.
    pub(crate) fn new(descriptor: Descriptor) -> CufftResult<Plan> {
        if device::current()? == ProviderKind::Rocm {
            match rocm::Plan::new(descriptor.clone()) {
                Ok(plan) => return Ok(Plan::Rocm(plan)),
                Err(error) => tracing::warn!(
                    "cuFFT: {error} of hipFFT; the processor transforms for the AMD GPU, which is slow"
                ),
            }
        }
        Ok(Plan::Host(cpu::Plan::new(descriptor)?))
    }

    /// The lengths, the elements and the layout of the transform.
    pub(crate) fn descriptor(&self) -> &Descriptor {
        match self {
            Plan::Host(plan) => plan.descriptor(),
            Plan::Rocm(plan) => plan.descriptor(),
        }
    }

    /// Puts a transform of what lies at an address into a stream.
    pub(crate) fn exec(
        &self,
        stream: CUstream,
        direction: Direction,
        input: usize,
        output: usize,
    ) -> CufftResult {
        match self {
            Plan::Host(plan) => plan.exec(stream, direction, input, output),
            Plan::Rocm(plan) => plan.exec(stream, direction, input, output),
        }
    }
}
