//! The driver itself: the meaning of the API's objects, on top of the HIP function table.

pub(crate) mod backends;
pub(crate) mod capture;
pub(crate) mod compile;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod graph;
pub(crate) mod launch;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod stream;
pub(crate) mod texture;
pub(crate) mod tools;
pub(crate) mod transfer;

use backends::{amd::Amd, cpu::Cpu};
use context::peer;
use cuda_types::cuda::CUres;
use device::driver::{self, Backends};
use module::{library, reference};
use stream::{event, of_context};
use texture::array;

/// The objects that end with a context: the users of something before it.
const ENDINGS: [fn(u64); 11] = [
    capture::end_context,
    library::end_context,
    module::end_context,
    event::end_context,
    of_context::end_context,
    stream::end_context,
    reference::end_context,
    texture::end_context,
    array::end_context,
    memory::end_context,
    peer::end_context,
];

/// Opens the provider, once.
pub(crate) fn initialize() -> CUres {
    context::end_with(&ENDINGS);
    driver::initialize(Backends { amd: &Amd, cpu: &Cpu })
}
