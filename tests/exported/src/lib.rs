//! A built library as tests see it.
//!
//! - [`file`]: where cargo and `./x build` put it.
//! - [`names`]: what it exports.
//! - [`calls`]: its functions, called with words for arguments.
//! - [`networks`]: wrong calls of both versions of cuDNN.

// A test stops by panicking.
#![allow(clippy::panic)]

pub mod calls;
pub mod file;
pub mod names;
pub mod networks;

#[doc(hidden)]
pub use cuda_macros;
