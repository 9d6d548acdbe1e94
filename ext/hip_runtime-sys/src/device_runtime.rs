//! Launches by kernels: what a provider of this project asks of the driver, which knows modules and graphs and compiles
//! kernels.

use crate::{HipRuntime, hipFunction_t};

/// The results of the system's functions below `libcudadevrt`. NVIDIA names none of them: these are the ones that the
/// library has errors of CUDA for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Error {
    None = 0,
    /// `cudaErrorInvalidValue`
    InvalidValue = 1,
    /// `cudaErrorInvalidDevice`
    InvalidDevice = 3,
    /// `cudaErrorMemoryAllocation`
    OutOfMemory = 4,
    /// `cudaErrorLaunchOutOfResources`
    OutOfResources = 6,
    /// `cudaErrorInvalidConfiguration`
    InvalidConfiguration = 7,
    /// `cudaErrorLaunchPendingCountExceeded`
    TooManyPending = 12,
    /// `cudaErrorUnsupportedLimit`
    UnsupportedLimit = 13,
    /// `cudaErrorUnknown`, as for every number that the library does not know.
    Unknown = 999,
}

/// A launch by a kernel.
#[derive(Debug)]
#[repr(C)]
pub struct Child {
    /// The number that stands for the kernel's address.
    pub function: u64,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Room for [`PARAMETER_BYTES`].
    pub parameters: *mut u8,
    /// Blocks of a cluster, zeros where there are none. Given by the driver, as is what follows.
    pub cluster: [u32; 3],
    pub code: hipFunction_t,
}

/// Room for the parameters of a launch: the most that CUDA has, and the hidden ones.
pub const PARAMETER_BYTES: usize = 32_764 + 36;

/// The kinds of question that a kernel asks, each with the words that go with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Question {
    /// A `CUfunction_attribute` and the number of a kernel.
    FunctionAttribute,
    /// A `CUdevice_attribute` and a device.
    DeviceAttribute,
    /// A `CUlimit`.
    Limit,
    /// The number of a kernel, threads in a block, bytes of dynamic shared memory.
    Occupancy,
}

/// The things that a kernel asks of graphs, each with the words that go with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum GraphRequest {
    /// To launch the executable graph of a handle; a `cudaStream_t` says how.
    Launch,
    /// The handle of the graph that the kernel runs in; no words.
    Current,
    /// To change the parameters of a node's kernel: the node, an offset, the address of bytes, their number.
    Parameter,
    /// To switch a node on or off: the node, and 0 for off.
    Enabled,
    /// To change the grid of a node's kernel: the node, and three sizes.
    Grid,
}

impl GraphRequest {
    /// By number.
    pub const ALL: [GraphRequest; 5] = {
        use GraphRequest::*;
        [Launch, Current, Parameter, Enabled, Grid]
    };
}

/// The driver's functions. `segment` is that of the variables of the module whose code asks.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DeviceRuntime {
    /// Checks a launch, finds its code, and writes the hidden parameters. Returns an [`Error`].
    pub prepare: unsafe extern "C" fn(segment: u64, child: *mut Child) -> u32,
    /// Answers a [`Question`] of three words. Returns an [`Error`].
    pub ask: unsafe extern "C" fn(
        segment: u64,
        question: u32,
        words: *const [u64; 3],
        answer: *mut u64,
    ) -> u32,
    /// Does what a [`GraphRequest`] of four words asks for. `launch` is the number that the kernel was
    /// [launched](HipRuntime::set_graph_launch) with. Returns an [`Error`].
    pub graph: unsafe extern "C" fn(
        launch: u64,
        request: u32,
        words: *const [u64; 4],
        answer: *mut u64,
    ) -> u32,
}

/// The name of the function that the provider exports for the driver: `unsafe extern "C" fn(*const DeviceRuntime)`, with
/// functions that stay.
pub const SETTER: &str = "zluda_set_device_runtime";
pub type Setter = unsafe extern "C" fn(*const DeviceRuntime);

/// The name of the function that providers export for [`HipRuntime::set_graph_launch`], and its type.
pub const SET_GRAPH_LAUNCH: &str = "zluda_set_graph_launch";
pub type SetGraphLaunch = unsafe extern "C" fn(launch: u64);

impl HipRuntime {
    /// Sets a number that is that of all kernels which this thread launches from now on: the driver's for a launch of a
    /// graph, 0 for none. Providers whose kernels launch no graphs need no numbers.
    pub fn set_graph_launch(&self, launch: u64) {
        // SAFETY: this project's providers export the name with this type, and nobody else does.
        if let Some(set) = unsafe { self.own_function::<SetGraphLaunch>(SET_GRAPH_LAUNCH) } {
            // SAFETY: has no preconditions.
            unsafe { set(launch) };
        }
    }
}
