//! Launches by kernels: the operations of [`LaneOperation`] that begin with `Launch`.

use std::sync::OnceLock;

use cpu_abi::{BlockContext, LaneOperation};
use hip_host::core::launch::{LaunchConfig, Ready};
use hip_host::core::request::Params;
use hip_host::core::tables::tables;
use hip_host::work::job::Job;
use hip_runtime_sys::device_runtime::{Child, DeviceRuntime, Error, PARAMETER_BYTES, Question};
use hip_runtime_sys::hipError_t;
use smallvec::smallvec;

use super::block::Block;
use super::family::{ChildStream, Family, ROOM_ALIGNMENT};

/// `cudaStreamNonBlocking` and `cudaEventDisableTiming`: an H100 takes no other events.
const NON_BLOCKING: u64 = 1;
const DISABLE_TIMING: u64 = 2;
/// `CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT`, which on an H100 counts what comes after a grid alone.
const PENDING_LAUNCH_COUNT: u64 = 4;

static RUNTIME: OnceLock<DeviceRuntime> = OnceLock::new();

/// The driver's functions; none where there is no driver above.
pub(super) fn runtime() -> Option<&'static DeviceRuntime> {
    RUNTIME.get()
}

/// Takes the driver's functions; the first ones stay.
pub fn set_runtime(runtime: DeviceRuntime) {
    let _ = RUNTIME.set(runtime);
}

/// # Safety
/// The addresses among the arguments are valid, or the caller is a kernel.
pub unsafe fn run(context: &BlockContext, operation: LaneOperation, arguments: &[u64]) -> u64 {
    use LaneOperation::*;
    // SAFETY: a kernel passes the context that it was called with.
    let block = unsafe { Block::of(context) };
    let mut answer = None;
    let result = block.on_thread_stack(|| {
        let Some(family) = block.job().op.family::<Family>() else {
            return Error::Unknown as u64;
        };
        let number = number(context);
        match (operation, arguments) {
            (LaunchBuffer, &[function, gx, gy, gz, bx, by, bz, shared]) => {
                return family.buffer(child(function, [gx, gy, gz], [bx, by, bz], shared));
            }
            (LaunchRoom, &[alignment, bytes]) => {
                let fits = alignment <= ROOM_ALIGNMENT && bytes <= PARAMETER_BYTES as u64;
                return if fits { family.buffer(child(0, [0; 3], [0; 3], 0)) } else { 0 };
            }
            (LaunchDescribe, &[buffer, function, gx, gy, gz, bx, by, bz, shared]) => {
                let child = child(function, [gx, gy, gz], [bx, by, bz], shared);
                return family.describe(buffer, child);
            }
            (LaunchLastError, &[thread]) => return family.last_error((number, thread)).into(),
            (LaunchSetLastError, &[thread, error]) => {
                family.set_last_error((number, thread), error as u32);
                // The library returns what this does as the result of the call that failed.
                return error;
            }
            (LaunchDevice, &[segment, buffer, stream]) => {
                launch(block, family, segment, buffer, stream)
            }
            (LaunchStream, &[_place, flags]) if flags <= NON_BLOCKING => {
                answer = Some(Answer::Long(family.new_stream()));
                Ok(())
            }
            (LaunchEndStream, &[stream]) => family.end_stream(stream),
            (LaunchWait, &[stream, event, _flags]) => {
                family.stream(stream, number).and_then(|stream| family.wait(stream, event))
            }
            (LaunchEvent, &[_place, DISABLE_TIMING]) => {
                answer = Some(Answer::Long(family.new_event()));
                Ok(())
            }
            (LaunchRecord, &[event, stream]) => {
                family.stream(stream, number).and_then(|stream| family.record(event, stream))
            }
            (LaunchEndEvent, &[event]) => family.end_event(event),
            (LaunchFunctionAttribute, &[segment, _place, attribute, function]) => {
                ask(segment, Question::FunctionAttribute, [attribute, function, 0])
                    .map(|value| answer = Some(Answer::Word(value as u32)))
            }
            (LaunchDeviceAttribute, &[segment, _place, attribute, device]) => {
                ask(segment, Question::DeviceAttribute, [attribute, device, 0])
                    .map(|value| answer = Some(Answer::Word(value as u32)))
            }
            (LaunchLimit, &[segment, _place, limit]) => {
                ask(segment, Question::Limit, [limit, 0, 0])
                    .map(|value| answer = Some(Answer::Long(value)))
            }
            (LaunchOccupancy, &[segment, _place, function, threads, shared]) => {
                ask(segment, Question::Occupancy, [function, threads, shared])
                    .map(|value| answer = Some(Answer::Word(value as u32)))
            }
            _ => Err(Error::InvalidValue),
        }
        .map_or_else(|error| error as u64, |()| 0)
    });
    // Where the place is bad, the kernel faults, on its own stack.
    let has_segment =
        !matches!(operation, LaneOperation::LaunchStream | LaneOperation::LaunchEvent);
    let place = arguments.get(usize::from(has_segment)).copied().unwrap_or(0);
    // SAFETY: the caller's promise.
    unsafe {
        match answer {
            None => {}
            Some(Answer::Word(value)) => (place as *mut u32).write_unaligned(value),
            Some(Answer::Long(value)) => (place as *mut u64).write_unaligned(value),
        }
    }
    result
}

fn child(function: u64, grid: [u64; 3], block: [u64; 3], shared: u64) -> Child {
    Child {
        function,
        grid: grid.map(|size| size as u32),
        block: block.map(|size| size as u32),
        shared: shared as u32,
        parameters: std::ptr::null_mut(),
        cluster: [0; 3],
        code: std::ptr::null_mut(),
    }
}

/// A value that is written to the kernel's memory.
enum Answer {
    Word(u32),
    Long(u64),
}

/// The number of a block in its grid.
fn number(context: &BlockContext) -> u64 {
    let [x, y, z] = context.ctaid.map(u64::from);
    let [width, height, _] = context.nctaid.map(u64::from);
    (z * height + y) * width + x
}

fn ask(segment: u64, question: Question, words: [u64; 3]) -> Result<u64, Error> {
    let runtime = RUNTIME.get().ok_or(Error::Unknown)?;
    let mut answer = 0;
    // SAFETY: the driver's function; words and answer outlive the call.
    match unsafe { (runtime.ask)(segment, question as u32, &words, &mut answer) } {
        0 => Ok(answer),
        error => Err(known(error)),
    }
}

fn known(error: u32) -> Error {
    use Error::*;
    let all = [
        InvalidValue,
        InvalidDevice,
        OutOfMemory,
        OutOfResources,
        InvalidConfiguration,
        TooManyPending,
        UnsupportedLimit,
    ];
    all.into_iter().find(|known| *known as u32 == error).unwrap_or(Unknown)
}

fn launch(
    block: &Block,
    family: &Family,
    segment: u64,
    buffer: u64,
    stream: u64,
) -> Result<(), Error> {
    let mut buffer = family.take_buffer(buffer)?;
    let place = family.place(stream, number(block.context()))?;
    let runtime = RUNTIME.get().ok_or(Error::Unknown)?;
    // SAFETY: the driver's function; the buffer is as large as it says.
    let error = unsafe { (runtime.prepare)(segment, &mut buffer.child) };
    if error != 0 {
        return Err(known(error));
    }
    let Child { grid, block: threads, shared, parameters, cluster, code, .. } = buffer.child;
    let failed = |error: hipError_t| match error {
        hipError_t::hipErrorInvalidValue => Error::InvalidConfiguration,
        hipError_t::hipErrorLaunchOutOfResources => Error::OutOfResources,
        hipError_t::hipErrorOutOfMemory => Error::OutOfMemory,
        _ => Error::Unknown,
    };
    let kernel =
        tables().kernels.get(code as hip_runtime_sys::hipFunction_t).ok_or(Error::InvalidValue)?;
    let cluster = (cluster != [0; 3]).then_some(cluster);
    let config = LaunchConfig { cluster, ..LaunchConfig::new(grid, threads, shared) };
    config.check(&kernel).map_err(failed)?;
    let bytes = kernel.facts.param_size as usize;
    let mut params: Params = smallvec![0; bytes.div_ceil(16)];
    if bytes > PARAMETER_BYTES {
        return Err(Error::InvalidValue);
    }
    // SAFETY: both have room for as many bytes.
    unsafe { std::ptr::copy_nonoverlapping(parameters, params.as_mut_ptr().cast::<u8>(), bytes) };
    let Job { op, priority, most_threads, .. } = block.job();
    let ready = Ready::new(block.launch().context, kernel, config, params).map_err(failed)?;
    let work = ready.work(*priority, *most_threads);
    match place {
        ChildStream::In(stream) => family.launch(op, Some(stream), work),
        ChildStream::FireAndForget => family.launch(op, None, work),
        ChildStream::Tail => {
            let most = ask(segment, Question::Limit, [PENDING_LAUNCH_COUNT, 0, 0])?;
            return family.launch_tail(work, most as usize);
        }
    }
    Ok(())
}
