//! The seam to what loads modules and runs kernels, which makes itself known before the first call of HIP.
//!
//! Memory, streams, events, arrays and the threads that run jobs are the same for all.

pub use crate::core::apart::{Loaded, address as address_of, is_known_of_host, place};
pub use crate::core::executor::{
    Code, Executor, KernelCode, KernelFacts, Limits, Variable, register, set_default,
};
pub use crate::core::image::Image;
pub use crate::core::request::{Params, Request};
pub use crate::guard::fault::Fault;
pub use crate::guard::guarded::Guarded;
pub use crate::os::copied::Copied;
pub use crate::work::blocks::Order;
pub use crate::work::job::{Job, Taken, Task};
use crate::work::pool;

/// A number of threads that run jobs, and by default of multiprocessors.
pub fn multiprocessors() -> u32 {
    pool::cores()
}
