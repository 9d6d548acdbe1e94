//! Bindings to the HIP runtime, looked up at run time: nothing of HIP is linked.
//!
//! - [`generated`]: types, constants and the list of functions (`hip_functions!`), from HIP's headers.
//! - [`HipRuntime`]: the table of a provider's functions, one method each.
//! - [`Launch`] and the methods beside it: what differs between versions of ROCm.
//! - [`device_runtime`]: launches by kernels, for the provider of ours that has them.
//! - [`StreamTask`]: work of libraries above the driver, for providers of ours.
//! - [`LimitStream`]: streams of a part of a device, likewise.
//! - [`HandleFaults`]: when handlers of signals are there, likewise.
//! - [`Sequence`]: kernels that a stream gets all at once, likewise.
//! - [`Provider`]: which library provides HIP, and how it is opened.

#[allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    dead_code,
    unsafe_op_in_unsafe_fn,
    clippy::all,
    clippy::undocumented_unsafe_blocks
)]
#[rustfmt::skip]
mod generated;
mod constants;
pub mod device_runtime;
mod fault_handlers;
mod part;
mod pool_location;
mod priority;
mod provider;
mod sequence;
mod table;
mod task;
mod versions;

pub use constants::*;
pub use fault_handlers::{HANDLE_FAULTS, HandleFaults};
pub use generated::*;
pub use part::{LIMIT_STREAM, LimitStream};
pub use pool_location::{POOL_LOCATION, PoolLocation};
pub use priority::{SET_STREAM_PRIORITY, SetStreamPriority};
pub use provider::{OpenError, Provider};
pub use sequence::{
    CREATE_SEQUENCE, CreateSequence, DESTROY_SEQUENCE, DestroySequence, LAUNCH_SEQUENCE,
    LaunchSequence, Sequence, SequenceKernel,
};
pub use table::{HipRuntime, signatures};
pub use task::{ENQUEUE_TASK, EnqueueTask, OwnedTask, StreamTask};
pub use versions::Launch;
