//! Arithmetic of neural networks on this machine's processor, without types of CUDA's.
//!
//! [`Tensor`]s are places in memory with a step for each dimension, so that a layer is written once for all layouts and
//! types of elements. What is asked for comes back as [`work`]: stages of parts that know nothing of each other. Nothing
//! here starts a thread.
//!
//! - [`format`]: the types of elements. [`tensor`]: places in memory, and ways through them. [`window`]: windows that move.
//! - [`elementwise`], [`pointwise`], [`activation`], [`dropout`]: element by element. [`reduction`]: over dimensions.
//! - [`convolution`], [`pooling`], [`matmul`]. [`softmax`], [`attention`], [`norm`], [`lrn`],
//!   [`rnn`], [`ctc`], [`spatial`].

pub mod activation;
pub mod attention;
pub mod convolution;
pub mod ctc;
pub mod dropout;
pub mod elementwise;
pub mod format;
pub mod lrn;
pub mod matmul;
pub mod norm;
pub mod paged;
pub mod pointwise;
pub mod pooling;
pub mod ragged;
pub mod random;
pub mod reduction;
pub mod rnn;
pub mod softmax;
pub mod spatial;
pub mod tensor;
pub mod window;
pub mod work;

pub use format::Format;
pub use tensor::{Layout, Scale, Tensor};
pub use work::{Layer, Stage, Work};
