//! hipBLAS, on AMD GPUs.
//!
//! - [`library`]: where it is found, and the functions of its handles.
//! - [`numbers`]: cuBLAS's enumerators as hipBLAS has them, and statuses back.
//! - [`argument`]: what an argument is until the call is made, which may be long after where a stream is captured.
//! - [`call`]: a call, and the function that it goes to.
//! - [`mixed`]: products of several types, which hipBLAS's versions have in two forms.
//! - [`lt`](mod@lt): products with epilogues and scales, by hipBLASLt.
//! - [`lt_functions`]: what is called of hipBLASLt.

pub(crate) mod argument;
pub(crate) mod call;
mod library;
pub(crate) mod lt;
mod lt_functions;
pub(crate) mod mixed;
pub(crate) mod numbers;

pub(crate) use library::{Blas, HipHandle};
