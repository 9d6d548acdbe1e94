//! What kernels ask of graphs: to be launched, and to have nodes changed. The driver has them; it is told which launch of
//! a graph the kernel is part of.

use cpu_abi::{BlockContext, LaneOperation};
use hip_runtime_sys::device_runtime::{Error, GraphRequest};

use super::block::Block;
use super::children::runtime;

/// The most bytes of parameters that a kernel has.
const PARAMETER_BYTES: u64 = 32_764;

/// `cudaGraphKernelNodeUpdate`. What it is about is told by `field`, a `cudaGraphKernelNodeField`.
#[repr(C)]
struct Update {
    node: u64,
    field: u32,
    data: UpdateData,
}

#[repr(C)]
union UpdateData {
    grid: [u32; 3],
    parameter: Parameter,
    is_enabled: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Parameter {
    value: u64,
    offset: u64,
    bytes: u64,
}

/// # Safety
/// The addresses among the arguments are valid, or the caller is a kernel.
pub unsafe fn run(context: &BlockContext, operation: LaneOperation, arguments: &[u64]) -> u64 {
    use LaneOperation::*;
    // SAFETY: a kernel passes the context that it was called with.
    let block = unsafe { Block::of(context) };
    let request = |request, words| ask(block, request, words);
    match (operation, arguments) {
        (GraphLaunch, &[graph, stream]) => {
            request(GraphRequest::Launch, [graph, stream, 0, 0]).map_or_else(code, |_| 0)
        }
        (GraphCurrent, &[]) => request(GraphRequest::Current, [0; 4]).unwrap_or(0),
        (NodeParameter, &[node, offset, value, bytes]) => {
            // SAFETY: the caller's promise.
            unsafe { set_parameter(block, node, Parameter { value, offset, bytes }) }
                .map_or_else(code, |()| 0)
        }
        (NodeEnabled, &[node, enabled]) => {
            request(GraphRequest::Enabled, [node, enabled, 0, 0]).map_or_else(code, |_| 0)
        }
        (NodeGrid, &[node, x, y, z]) => {
            request(GraphRequest::Grid, [node, x, y, z]).map_or_else(code, |_| 0)
        }
        (NodeUpdates, &[updates, count]) => (0..count)
            // SAFETY: the caller's promise; alignment is not asked for.
            .map(|index| unsafe { (updates as *const Update).add(index as usize).read_unaligned() })
            // SAFETY: the caller's promise.
            .try_for_each(|update| unsafe { apply(block, &update) })
            .map_or_else(code, |()| 0),
        _ => code(Error::InvalidValue),
    }
}

fn code(error: Error) -> u64 {
    error as u64
}

/// # Safety
/// As for [`run`].
unsafe fn apply(block: &Block, update: &Update) -> Result<(), Error> {
    // SAFETY: the field says which member there is; all of them are plain data.
    unsafe {
        match update.field {
            1 => {
                let [x, y, z] = update.data.grid.map(u64::from);
                ask(block, GraphRequest::Grid, [update.node, x, y, z]).map(drop)
            }
            2 => set_parameter(block, update.node, update.data.parameter),
            3 => {
                let enabled = u64::from(update.data.is_enabled);
                ask(block, GraphRequest::Enabled, [update.node, enabled, 0, 0]).map(drop)
            }
            _ => Err(Error::InvalidValue),
        }
    }
}

/// Reads the bytes before the driver is asked: where their address is bad, the kernel faults, on its own stack.
///
/// # Safety
/// As for [`run`].
unsafe fn set_parameter(block: &Block, node: u64, parameter: Parameter) -> Result<(), Error> {
    let Parameter { value, offset, bytes } = parameter;
    if bytes > PARAMETER_BYTES {
        return Err(Error::InvalidValue);
    }
    let mut copy = vec![0_u8; bytes as usize];
    // SAFETY: the caller's promise; there is room for as many.
    unsafe { std::ptr::copy_nonoverlapping(value as *const u8, copy.as_mut_ptr(), copy.len()) };
    let words = [node, offset, copy.as_ptr() as u64, bytes];
    ask(block, GraphRequest::Parameter, words).map(drop)
}

/// Asks the driver, which needs more of a stack than kernels have.
fn ask(block: &Block, request: GraphRequest, words: [u64; 4]) -> Result<u64, Error> {
    block.on_thread_stack(|| {
        let runtime = runtime().ok_or(Error::InvalidValue)?;
        let (launch, mut answer) = (block.job().op.graph_launch, 0);
        // SAFETY: the driver's function; words and answer outlive the call.
        match unsafe { (runtime.graph)(launch, request as u32, &words, &mut answer) } {
            0 => Ok(answer),
            _ => Err(Error::InvalidValue),
        }
    })
}
