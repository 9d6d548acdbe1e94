//! Streams that may be captured: work goes into the stream, or becomes a node of the graph that it is captured to.

use super::{Recorder, is_any, recorder, refuse_captured};
use crate::core::device::launch::{LaunchConfig, Params};
use crate::core::graph::Node;
use crate::core::graph::work::{Copy, FillOf, HostCall, Launch, Work};
use crate::core::launch::launch;
use crate::core::memory::Rules;
use crate::core::module::function::Function;
use crate::core::stream::task::Task;
use crate::core::stream::{self, StreamArg, Target};
use crate::core::transfer::copy::{self, BoxCopy, CopyAddress, Wait};
use crate::core::transfer::fill::Fill;
use cuda_types::cuda::{CUerror, CUhostFn, CUres, CUstream, CUstreamCallback};
use hip_runtime_sys::OwnedTask;
use std::ffi::c_void;
use std::sync::Arc;

/// A stream that a program puts work into.
pub(crate) struct WorkTarget {
    pub(crate) stream: Target,
    /// The capture that work goes into instead, while the stream is captured.
    pub(crate) recorder: Option<Recorder>,
}

impl StreamArg {
    /// Enters the stream's context, for work that a capture takes instead of the stream.
    ///
    /// `STREAM_CAPTURE_INVALIDATED`, and `STREAM_CAPTURE_IMPLICIT` for the legacy stream while streams are captured
    /// that it waits for.
    // As `enter`.
    #[inline(always)]
    pub(crate) fn enter_to_work(&self) -> CUres<WorkTarget> {
        let stream = self.enter()?;
        let recorder = if is_any() { recorder(self, &stream.current.context)? } else { None };
        Ok(WorkTarget { stream, recorder })
    }

    /// Enters the stream's context, for what cannot be asked of a captured stream: `STREAM_CAPTURE_UNSUPPORTED`.
    pub(crate) fn enter_uncaptured(&self) -> CUres<Target> {
        let target = self.enter()?;
        if is_any() {
            refuse_captured(self, &target.current.context)?;
        }
        Ok(target)
    }
}

impl WorkTarget {
    /// Whether a capture takes the work.
    pub(crate) fn is_captured(&self) -> bool {
        self.recorder.is_some()
    }

    /// The stream; `STREAM_CAPTURE_UNSUPPORTED` for what a capture does not take.
    pub(crate) fn uncaptured(&self) -> CUres<&Target> {
        match &self.recorder {
            None => Ok(&self.stream),
            Some(recorder) => Err(recorder.refuse(CUerror::STREAM_CAPTURE_UNSUPPORTED)),
        }
    }

    /// Adds a callback.
    pub(crate) fn add_callback(
        &self,
        handle: CUstream,
        callback: CUstreamCallback,
        data: *mut c_void,
    ) -> CUres {
        // An H100 does not capture callbacks.
        stream::add_callback(self.uncaptured()?, handle, callback, data)
    }

    /// Adds a host function.
    pub(crate) fn add_host_function(&self, function: CUhostFn, data: *mut c_void) -> CUres {
        match &self.recorder {
            Some(_) if function.is_none() => Err(CUerror::INVALID_VALUE),
            Some(recorder) => recorder.add(Work::Host(HostCall { function, data })),
            None => stream::launch_host_function(&self.stream, function, data),
        }
    }

    /// Adds a task of a library, which is released if it is not taken; `INVALID_VALUE` for one without parts.
    pub(crate) fn add_task(&self, task: OwnedTask) -> CUres {
        let task = Task::new(task, &self.stream.current.context)?;
        match &self.recorder {
            Some(recorder) => recorder.add(Work::Task(task)),
            None => task.put(&self.stream),
        }
    }

    /// Adds a launch of a kernel; returns its node where a capture takes it.
    pub(crate) fn launch(
        &self,
        function: &Arc<Function>,
        config: &LaunchConfig,
        params: Params,
    ) -> CUres<Option<Arc<Node>>> {
        let Some(recorder) = &self.recorder else {
            return launch(&self.stream, function, config, params).map(|()| None);
        };
        if function.data.context.device != self.stream.current.context.device {
            return Err(CUerror::INVALID_HANDLE);
        }
        let launch = Launch::new(function.clone(), *config, params)?;
        let work = Work::Kernel(Box::new(launch));
        recorder.add_kernel(work, config.programmatic).map(Some)
    }

    /// A configuration that a kernel cannot be launched with ends the capture of a stream: of wrong arguments, an H100
    /// does so for these.
    pub(crate) fn check_captured_config(
        &self,
        function: &Function,
        config: &LaunchConfig,
    ) -> CUres {
        match &self.recorder {
            Some(recorder) => config.check(function).map_err(|error| recorder.refuse(error)),
            None => Ok(()),
        }
    }

    /// Adds a copy of `size` bytes.
    pub(crate) fn copy(
        &self,
        to: CopyAddress,
        from: CopyAddress,
        size: usize,
        wait: Wait,
    ) -> CUres {
        match &self.recorder {
            Some(_) => BoxCopy::bytes(to, from, size)?.run(self, wait),
            None => copy::put(&self.stream, to, from, size, wait),
        }
    }
}

impl BoxCopy {
    /// Copies in a stream, or adds the copy to the capture of it. `INVALID_VALUE` if the boxes cannot be accessed;
    /// `STREAM_CAPTURE_UNSUPPORTED` for copies in captured streams that are to be waited for.
    pub(crate) fn run(&self, target: &WorkTarget, wait: Wait) -> CUres {
        if wait == Wait::Yes {
            target.uncaptured()?;
        }
        let Some(recorder) = &target.recorder else { return self.put(&target.stream, wait) };
        if self.is_empty() {
            return Ok(());
        }
        self.check(Rules::Later)?;
        recorder.add(Work::Copy(Box::new(Copy {
            description: self.description(),
            copy: self.clone(),
            context: target.stream.current.context.clone(),
            deferred: None,
        })))
    }
}

impl Fill {
    /// Fills `height` rows of `width` elements, `pitch` bytes apart, in a stream, or adds the fill to the capture of
    /// it.
    ///
    /// `INVALID_VALUE` where an address is not a multiple of the element, or, now, the range is no memory of the device.
    pub(crate) fn run(
        self,
        target: &WorkTarget,
        address: u64,
        pitch: usize,
        width: usize,
        height: usize,
    ) -> CUres {
        let Some(recorder) = &target.recorder else {
            return self.put(&target.stream, address, pitch, width, height);
        };
        // An H100 looks for the memory when the graph is launched.
        self.check_shape(address, pitch, width, height)?;
        if width == 0 || height == 0 {
            return Ok(());
        }
        let context = target.stream.current.context.clone();
        let fill = FillOf { fill: self, address, pitch, width, height, context };
        recorder.add(Work::Fill(Box::new(fill)))
    }
}
