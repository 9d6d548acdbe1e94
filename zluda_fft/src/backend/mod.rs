//! Who transforms: this machine's processor, for the devices whose memory is this machine's; AMD GPUs by hipFFT.

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
        match device::current()? {
            ProviderKind::Cpu | ProviderKind::Emulated => {
                Ok(Plan::Host(cpu::Plan::new(descriptor)?))
            }
            ProviderKind::Rocm => Ok(Plan::Rocm(rocm::Plan::new(descriptor)?)),
        }
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
