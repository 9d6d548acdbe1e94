//! The objects behind handles.

use crate::backend::Plan;
use crate::convert::FromC;
use cuda_types::cuda::CUstream;
use cuda_types::cufft::{CUFFT_PLAN_NULL, CufftResult, cufftError, cufftHandle};
use parking_lot::Mutex;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Integer, Kind};

/// A plan, which does nothing before it is made.
#[derive(Default)]
pub(crate) struct PlanObject(Mutex<State>);

pub(crate) struct State {
    /// In which transforms run.
    pub(crate) stream: CUstream,
    /// The transform, once the plan is made.
    pub(crate) made: Option<Arc<Plan>>,
    pub(crate) properties: Properties,
}

/// The properties that were set, in the order of `api::property`.
#[derive(Default)]
pub(crate) struct Properties(pub(crate) [bool; 3]);

impl Default for State {
    fn default() -> Self {
        State { stream: std::ptr::null_mut(), made: None, properties: Properties::default() }
    }
}

// SAFETY: a stream is a number, which nothing follows.
unsafe impl Send for State {}

static HANDLES: LazyLock<HandleTable<PlanObject, Integer>> =
    LazyLock::new(|| HandleTable::new(Kind::CUFFT_PLAN));

/// A new plan.
pub(crate) fn create() -> CufftResult<cufftHandle> {
    zluda_common::log::init();
    let handle = HANDLES.insert(Arc::default()).ok_or(cufftError::ALLOC_FAILED)?;
    cufftHandle::try_from(handle).map_err(|_| cufftError::INTERNAL_ERROR)
}

/// Ends a plan. What it has put into streams goes on.
pub(crate) fn destroy(handle: cufftHandle) -> CufftResult {
    if handle == CUFFT_PLAN_NULL {
        return Ok(());
    }
    let number = u64::try_from(handle).map_err(|_| cufftError::INVALID_PLAN)?;
    HANDLES.remove(number).map(drop).ok_or(cufftError::INVALID_PLAN)
}

impl FromC<cufftHandle> for Arc<PlanObject> {
    unsafe fn from_c(handle: cufftHandle) -> CufftResult<Self> {
        let number = u64::try_from(handle).map_err(|_| cufftError::INVALID_PLAN)?;
        HANDLES.get(number).ok_or(cufftError::INVALID_PLAN)
    }
}

impl PlanObject {
    /// Its state, for a moment.
    pub(crate) fn with<T>(&self, run: impl FnOnce(&mut State) -> T) -> T {
        run(&mut self.0.lock())
    }

    /// The stream and what is transformed there; `INVALID_PLAN` before it is made.
    pub(crate) fn made(&self) -> CufftResult<(CUstream, Arc<Plan>)> {
        let state = self.0.lock();
        let made = state.made.clone().ok_or(cufftError::INVALID_PLAN)?;
        Ok((state.stream, made))
    }
}
