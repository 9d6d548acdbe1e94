//! Memory for the barriers of cooperative launches.

use crate::core::context::Current;
use crate::core::stream::own_memory;
use cuda_types::cuda::CUres;

/// Cooperative launches that may run at the same time.
const WORKSPACES: usize = 1024;
/// Bytes; a cache line, so that barriers do not disturb each other.
const WORKSPACE: usize = 64;

/// The workspace of one more cooperative launch in a context. Launches take turns: a barrier leaves its words ready for
/// the next one.
pub(super) fn next(current: &Current) -> CUres<u64> {
    let mut workspaces = current.context.workspaces.lock();
    if workspaces.0 == 0 {
        let size = WORKSPACES * WORKSPACE;
        workspaces.0 = own_memory::allocate(current, size, &vec![0; size])?;
    }
    let (base, next) = *workspaces;
    workspaces.1 = (next + 1) % WORKSPACES;
    Ok(base + (next * WORKSPACE) as u64)
}
