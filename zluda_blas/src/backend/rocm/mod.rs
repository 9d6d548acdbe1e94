//! hipBLAS, on AMD GPUs.
//!
//! - [`library`]: where it is found, and the functions of its handles.
//! - [`numbers`]: cuBLAS's enumerators as hipBLAS has them, and statuses back.
//! - [`argument`]: what an argument is until the call is made, which may be long after where a stream is captured.
//! - [`call`]: a call, and the function that it goes to.
//! - [`mixed`]: products of several types, which hipBLAS's versions have in two forms.
//! - [`lt`](mod@lt): products with epilogues and scales, by hipBLASLt.

pub(crate) mod argument;
pub(crate) mod call;
mod library;
pub(crate) mod lt;
pub(crate) mod mixed;
pub(crate) mod numbers;

pub(crate) use library::{Blas, HipHandle};
