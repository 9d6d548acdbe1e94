//! Arithmetic of sparse matrices on this machine's processor, without types of CUDA's.
//!
//! Matrices are places in memory ([`Matrix`], [`Dense`]) whose types of numbers and indices are known when a program runs. What
//! is large is done in parts that know nothing of each other: who calls decides which thread runs which. Nothing here starts
//! a thread.
//!
//! - [`number`]: what is stored and what is computed with. [`place`]: addresses, indices, dense matrices.
//! - [`matrix`]: sparse matrices in all formats.
//! - [`product`]: products with dense matrices and vectors. [`sampled`]: products of dense ones where a sparse one has elements.
//! - [`multiply`]: products and sums of sparse matrices. [`triangular`] and [`band`]: systems of equations;
//!   [`incomplete`]: decompositions.
//! - [`copies`]: conversions between formats, transposing, sorting. [`lines`]: the elements of any format by rows.
//! - [`compress`]: leaving out what is small. [`vectors`]: sparse vectors.

pub mod band;
pub mod compress;
pub mod copies;
pub mod incomplete;
pub mod lines;
pub mod matrix;
pub mod multiply;
pub mod number;
pub mod place;
pub mod product;
mod room;
pub mod sampled;
pub mod triangular;
pub mod vectors;

pub use matrix::{Layout, Matrix};
pub use number::{Factor, Type, Types};
pub use place::{Address, Dense, Indices, Width};
