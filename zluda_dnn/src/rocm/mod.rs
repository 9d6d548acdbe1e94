//! Layers on AMD GPUs, by MIOpen.
//!
//! - [`functions`]: the functions and numbers of MIOpen that are used. [`descriptors`]: its descriptors.
//! - [`convolution`]: convolutions, with what stands behind them. [`norm`]: normalisations of batches. [`pooling`],
//!   [`activation`], [`softmax`]: each by itself.
//! - [`placed`]: tensors as most functions take them. [`memory`]: memory to work in.

mod activation;
mod convolution;
mod descriptors;
mod functions;
mod memory;
mod norm;
mod placed;
mod pooling;
mod softmax;

use convolution::Plan;
use cuda_types::cuda::{CUerror, CUstream};
use functions::*;
use hip_runtime_sys::hipStream_t;
use neural::Layer;
use neural::activation::ActivationLayer;
use neural::convolution::{BiasLayer, ConvolutionLayer};
use neural::norm::NormLayer;
use neural::pooling::PoolingLayer;
use neural::softmax::SoftmaxLayer;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::ptr::null_mut;
use std::sync::{Arc, LazyLock};
use zluda_api::driver::Driver;
use zluda_api::rocm::{self, OpenError, RocmLibrary, Source};

/// MIOpen has one file name in all versions of ROCm: the system's is that of the HIP library beside it. That of ROCm 5 has not been
/// compared.
const SOURCE: Source = Source {
    name: "MIOpen",
    files: &[("libamdhip64.so.7", &["libMIOpen.so.1"]), ("libamdhip64.so.6", &["libMIOpen.so.1"])],
};

/// Why MIOpen does not compute something.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{0}")]
    Missing(String),
    #[error("MIOpen has no {0}")]
    Unsupported(&'static str),
    #[error("{0} gave {1}")]
    Status(&'static str, u32),
    #[error("the driver: {0}")]
    Driver(CUerror),
}

impl Refusal {
    /// Of a function's status, where 0 is good.
    fn check(function: &'static str, status: u32) -> Result<(), Refusal> {
        if status == miopenStatusSuccess { Ok(()) } else { Err(Refusal::Status(function, status)) }
    }
}

/// The library, opened with the first layer; what is wrong with it is logged then.
fn functions() -> Option<&'static Functions> {
    static FUNCTIONS: LazyLock<Result<Functions, OpenError>> = LazyLock::new(|| {
        let functions = RocmLibrary::functions(&SOURCE, Functions::new);
        functions.inspect_err(|error| tracing::error!("cuDNN on AMD GPUs: {error}"))
    });
    FUNCTIONS.as_ref().ok()
}

/// A handle of MIOpen, for the device that was the thread's when it was made, and what it has planned.
pub(crate) struct Miopen {
    functions: &'static Functions,
    /// Locked while the handle has the stream of a call.
    handle: Mutex<Owned>,
    plans: Mutex<HashMap<convolution::Key, Result<Arc<Plan>, Refusal>>>,
    /// The refusals that stand in the log.
    told: Mutex<HashSet<String>>,
}

struct Owned(miopenHandle_t);

// SAFETY: MIOpen's handles may be used on any thread, one at a time.
unsafe impl Send for Owned {}

impl Miopen {
    /// Makes a handle; nothing where MIOpen is not there, which is logged.
    pub(crate) fn new() -> Option<Arc<Miopen>> {
        let functions = functions()?;
        let mut handle = null_mut();
        // SAFETY: the place lives during the call.
        let status = unsafe { (functions.miopenCreate)(&mut handle) };
        if let Err(error) = Refusal::check("miopenCreate", status) {
            tracing::error!("cuDNN on AMD GPUs: {error}");
            return None;
        }
        let handle = Mutex::new(Owned(handle));
        Some(Arc::new(Miopen {
            functions,
            handle,
            plans: Mutex::default(),
            told: Mutex::default(),
        }))
    }

    /// Puts a layer into a stream of the current context.
    pub(crate) fn put(
        self: &Arc<Self>,
        driver: &Driver,
        stream: CUstream,
        layer: &Layer,
    ) -> Result<(), Refusal> {
        let f = self.functions;
        let what = &*layer.what;
        if let Some(layer) = what.downcast_ref::<ConvolutionLayer>() {
            let run = self.convolution(layer)?;
            let outcome = self.call(driver, stream, "a convolution", move |handle, stream| {
                run.run(f, handle, stream)
            });
            // It would not do so the next time either.
            return outcome.inspect_err(|refusal| match refusal {
                Refusal::Driver(_) => {}
                refusal => self.refuse(layer, refusal),
            });
        }
        if let Some(layer) = what.downcast_ref::<NormLayer>() {
            let run = norm::Run::new(f, layer)?;
            return self
                .call(driver, stream, "a normalisation", move |handle, _| run.run(f, handle));
        }
        if let Some(BiasLayer { dy, db, scale }) = what.downcast_ref() {
            let run = self.backward_bias(dy, db, *scale)?;
            return self.call(driver, stream, "the gradient of a bias", move |handle, _| {
                run.run(f, handle)
            });
        }
        if let Some(layer) = what.downcast_ref::<PoolingLayer>() {
            let run = pooling::Run::new(f, layer)?;
            return self
                .call(driver, stream, "pooling", move |handle, stream| run.run(f, handle, stream));
        }
        if let Some(layer) = what.downcast_ref::<ActivationLayer>() {
            let run = activation::Run::new(f, layer)?;
            return self.call(driver, stream, "an activation", move |handle, _| run.run(f, handle));
        }
        if let Some(layer) = what.downcast_ref::<SoftmaxLayer>() {
            let run = softmax::Run::new(f, layer)?;
            return self.call(driver, stream, "a softmax", move |handle, _| run.run(f, handle));
        }
        Err(Refusal::Unsupported("such layer"))
    }

    /// Puts a call of MIOpen into a stream, with the handle and the provider's stream.
    fn call(
        self: &Arc<Self>,
        driver: &Driver,
        stream: CUstream,
        name: &'static str,
        run: impl Fn(miopenHandle_t, hipStream_t) -> Result<(), Refusal> + Send + Sync + 'static,
    ) -> Result<(), Refusal> {
        let miopen = self.clone();
        rocm::call(driver, stream, name, move |stream| {
            miopen.run(stream, |handle| run(handle, stream))
        })
        .map_err(Refusal::Driver)?
    }

    /// Asks for no convolution like this one again.
    fn refuse(&self, layer: &ConvolutionLayer, refusal: &Refusal) {
        self.plans.lock().insert(convolution::key(layer), Err(refusal.clone()));
    }

    /// Logs a refusal, the first time.
    pub(crate) fn tell(&self, refusal: &Refusal) {
        if self.told.lock().insert(refusal.to_string()) {
            tracing::warn!(
                "cuDNN: {refusal}; the processor computes for the AMD GPU, which is slow"
            );
        }
    }

    /// Calls a function with the handle set for a stream.
    fn run(
        &self,
        stream: hipStream_t,
        call: impl FnOnce(miopenHandle_t) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let handle = self.handle.lock();
        // SAFETY: the handle is MIOpen's, and the stream one of the provider's.
        let status = unsafe { (self.functions.miopenSetStream)(handle.0, stream) };
        Refusal::check("miopenSetStream", status)?;
        call(handle.0)
    }
}

impl Drop for Miopen {
    fn drop(&mut self) {
        // SAFETY: the handle is MIOpen's, and nobody else has it.
        let status = unsafe { (self.functions.miopenDestroy)(self.handle.get_mut().0) };
        if let Err(error) = Refusal::check("miopenDestroy", status) {
            tracing::debug!("{error}");
        }
    }
}
