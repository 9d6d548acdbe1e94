//! Numbers of contexts and streams, as cuFFT and cuBLAS ask for them. NVIDIA's runtime of CUDA 13.5 asks for the table and
//! calls nothing of it. The size and the slots are those of an H100's driver.

use super::{SIZE, Table, UNKNOWN, unknown_slot};
use crate::api::{context, stream};
use crate::convert::{FromC, Out};
use crate::core::stream::StreamArg;
use crate::export::guard;
use cuda_types::cuda::{CU_STREAM_LEGACY, CUcontext, CUresult, CUstream};
use std::ffi::c_ulonglong;

pub(super) const ID: u128 = 0x21318c60971432488ca641ff7324c8f2;

pub(super) static TABLE: Table<93> = Table::sized(functions());

const fn functions() -> [*const (); 93] {
    let mut functions = [UNKNOWN; 93];
    functions[0] = SIZE;
    // PyTorch's use of NVRTC calls these.
    functions[1] = unknown_slot::<1> as *const ();
    functions[3] = unknown_slot::<3> as *const ();
    functions[6] = unknown_slot::<6> as *const ();
    functions[4] = context_id as *const ();
    functions[39] = stream_id as *const ();
    functions[51] = stream_of_handle as *const ();
    functions
}

/// The number of a context, as `cuCtxGetId` gives it; 0 for none.
unsafe extern "C" fn context_id(given: CUcontext, id: *mut c_ulonglong) -> CUresult {
    guard("IDENTITIES[4]", || match given.is_null() {
        true => Out::of(id).set(0),
        false => context::cuCtxGetId(given, Out::of(id)),
    })
}

/// The stream behind a handle, which only [`stream_id`] gets: the handle itself, and for the default
/// stream the one that is not null.
unsafe extern "C" fn stream_of_handle(
    _: CUcontext,
    handle: CUstream,
    to: *mut CUstream,
) -> CUresult {
    guard("IDENTITIES[51]", || {
        // SAFETY: a handle is checked, not followed.
        let _: StreamArg = unsafe { FromC::from_c(handle) }?;
        Out::of(to).set(if handle.is_null() { CU_STREAM_LEGACY } else { handle })
    })
}

/// The number of a stream, as `cuStreamGetId` gives it.
unsafe extern "C" fn stream_id(_: CUcontext, given: CUstream, id: *mut c_ulonglong) -> CUresult {
    guard("IDENTITIES[39]", || {
        // SAFETY: as above.
        stream::cuStreamGetId(unsafe { FromC::from_c(given) }?, Out::of(id))
    })
}
