//! The library's contexts: how work gets into their streams.

use crate::convert::FromC;
use crate::rocm::Miopen;
use cuda_types::cuda::{
    CUcontext, CUerror, CUgraph, CUres, CUstream, CUstream_flags, CUstreamCaptureMode,
};
use cuda_types::cudnn::{CudnnResult, cudnnContext, cudnnError, cudnnHandle_t};
use neural::{Layer, Stage, Work};
use parking_lot::Mutex;
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_api::driver::{Driver, Failures, ProviderKind};
use zluda_common::handle::{HandleTable, Kind};

/// A context.
pub(crate) struct Handle {
    context: CUcontext,
    stream: Mutex<CUstream>,
    /// MIOpen, from the first layer on that it may compute; nothing where the device is no AMD GPU.
    miopen: OnceLock<Option<Arc<Miopen>>>,
}

// SAFETY: the driver's context and stream are numbers.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

static HANDLES: LazyLock<HandleTable<Handle>> = LazyLock::new(|| HandleTable::new(Kind::CUDNN));

impl FromC<*mut cudnnContext> for Arc<Handle> {
    unsafe fn from_c(handle: cudnnHandle_t) -> CudnnResult<Self> {
        HANDLES.get(handle as u64).ok_or(cudnnError::BAD_PARAM)
    }
}

const FAILURES: Failures<cudnnError> = Failures {
    no_driver: cudnnError::NOT_INITIALIZED,
    foreign_driver: cudnnError::NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER,
    out_of_memory: cudnnError::INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED,
    no_device: cudnnError::NOT_INITIALIZED,
    not_supported: cudnnError::NOT_SUPPORTED,
    other: cudnnError::EXECUTION_FAILED_CUDA_DRIVER,
};

/// The driver, which is opened at the first call.
fn driver() -> CudnnResult<&'static Driver> {
    FAILURES.driver()
}

/// The driver's error as cuDNN tells it.
fn convert(error: CUerror) -> cudnnError {
    FAILURES.call(error)
}

impl Handle {
    /// Makes a handle for the current device.
    pub(crate) fn create() -> CudnnResult<u64> {
        let driver = driver()?;
        let context = driver.current_context().map_err(convert)?;
        let handle = Arc::new(Handle {
            context,
            stream: Mutex::new(std::ptr::null_mut()),
            miopen: OnceLock::new(),
        });
        HANDLES.insert(handle).ok_or(cudnnError::INTERNAL_ERROR_HOST_ALLOCATION_FAILED)
    }

    /// Ends a handle. What it has put into streams goes on.
    pub(crate) fn destroy(handle: u64) -> CudnnResult {
        HANDLES.remove(handle).map(drop).ok_or(cudnnError::BAD_PARAM)
    }

    pub(crate) fn stream(&self) -> CUstream {
        *self.stream.lock()
    }

    pub(crate) fn set_stream(&self, stream: CUstream) {
        *self.stream.lock() = stream;
    }

    /// Puts a stage into the handle's stream.
    pub(crate) fn run(&self, stage: Stage) -> CudnnResult {
        self.run_all(vec![stage])
    }

    /// Puts stages into a stream: MIOpen's layers, or else the parts of the stages, for the processor.
    fn put_all(&self, driver: &Driver, stream: CUstream, work: Work) -> CUres {
        let mut work = work.into_iter();
        while let Some(stage) = work.next() {
            if stage.parts == 0 {
                continue;
            }
            driver.enter(self.context)?;
            match &stage.layer {
                Some(layer) if self.does_miopen(driver, stream, layer)? => {
                    (1..layer.stages).for_each(|_| drop(work.next()));
                }
                _ => {
                    let place = (self.context, stream);
                    zluda_api::driver::run(driver, place, stage.parts, stage.run)?;
                }
            }
        }
        Ok(())
    }

    /// Puts a layer into a stream, if MIOpen computes it.
    fn does_miopen(&self, driver: &Driver, stream: CUstream, layer: &Layer) -> CUres<bool> {
        let Some(miopen) = self.miopen(driver)? else { return Ok(false) };
        let refused = miopen.put(driver, stream, layer);
        Ok(refused.inspect_err(|refusal| miopen.tell(refusal)).is_ok())
    }

    /// MIOpen, on an AMD GPU that has it.
    fn miopen(&self, driver: &Driver) -> CUres<Option<&Arc<Miopen>>> {
        if self.miopen.get().is_none() {
            let is_amd = driver.current_provider()? == ProviderKind::Rocm;
            let miopen = if is_amd { Miopen::new() } else { None };
            // Another thread may have been quicker.
            let _ = self.miopen.set(miopen);
        }
        Ok(self.miopen.get().and_then(Option::as_ref))
    }

    /// Puts stages into the handle's stream, one after the other.
    pub(crate) fn run_all(&self, work: Work) -> CudnnResult {
        self.put_all(driver()?, self.stream(), work).map_err(convert)
    }

    /// Puts stages into a graph, one after the other, as nodes; where `replaced` is so, instead of those that it has.
    pub(crate) fn put_into(&self, graph: CUgraph, work: Work, replaced: bool) -> CudnnResult {
        let driver = driver()?;
        driver.enter(self.context).map_err(convert)?;
        if replaced {
            clear(driver, graph).map_err(graph_error)?;
        }
        // Nodes are what a stream of its own is given while it is captured.
        let mut stream = std::ptr::null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING.0;
        // SAFETY: the place lives during the call.
        unsafe { driver.cuStreamCreate(&mut stream, flags) }.map_err(convert)?;
        let (no_nodes, no_edges) = (std::ptr::null(), std::ptr::null());
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: there are no nodes before them; the driver looks at whether there is such a graph.
        let begun = unsafe {
            driver.cuStreamBeginCaptureToGraph(stream, graph, no_nodes, no_edges, 0, mode)
        };
        let put = begun.map_err(graph_error).and_then(|()| {
            let put = self.put_all(driver, stream, work);
            let mut captured = std::ptr::null_mut();
            // SAFETY: the place lives during the call.
            let ended = unsafe { driver.cuStreamEndCapture(stream, &mut captured) };
            put.and(ended).map_err(convert)
        });
        // SAFETY: the stream is this function's.
        let gone = unsafe { driver.cuStreamDestroy_v2(stream) };
        put.and(gone.map_err(convert))
    }
}

/// What a graph that is not one, or that cannot be changed, is told as.
fn graph_error(error: CUerror) -> cudnnError {
    match error {
        CUerror::INVALID_VALUE | CUerror::INVALID_HANDLE => cudnnError::BAD_PARAM,
        error => convert(error),
    }
}

/// Takes all nodes out of a graph.
fn clear(driver: &Driver, graph: CUgraph) -> CUres {
    let mut count = 0;
    // SAFETY: without room for nodes their number is told.
    unsafe { driver.cuGraphGetNodes(graph, std::ptr::null_mut(), &mut count) }?;
    let mut nodes = vec![std::ptr::null_mut(); count];
    // SAFETY: there is room for as many.
    unsafe { driver.cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count) }?;
    nodes.truncate(count);
    // SAFETY: the nodes are the graph's.
    nodes.into_iter().try_for_each(|node| unsafe { driver.cuGraphDestroyNode(node) })
}
