//! The launch of a graph that kernels are part of, which HIP has no function for.

use hip_runtime_sys::device_runtime::{SET_GRAPH_LAUNCH, SetGraphLaunch};

use crate::work::op;

/// See [`hip_runtime_sys::HipRuntime::set_graph_launch`].
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zluda_set_graph_launch(launch: u64) {
    op::set_graph_launch(launch);
}

const _: SetGraphLaunch = zluda_set_graph_launch;

/// The function above.
pub(super) const NAMES: &[&str] = &[SET_GRAPH_LAUNCH];
