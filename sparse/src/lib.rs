//! Arithmetic of sparse matrices on this machine's processor, without types of CUDA's.
//!
//! Matrices are places in memory ([`Matrix`], [`Dense`]) whose types of numbers and indices are known when a program runs. What
//! is large is done in parts that know nothing of each other: who calls decides which thread runs which. Nothing here starts
//! a thread.
//!
//! - [`number`]: what is stored and what is computed with. [`place`]: addresses, indices, dense matrices.
//! - [`matrix`]: sparse matrices in all formats.
//! - [`product`]: products with dense matrices and vectors.

pub mod matrix;
pub mod number;
pub mod place;
pub mod product;

pub use matrix::{Layout, Matrix};
pub use number::{Factor, Type, Types};
pub use place::{Address, Dense, Indices, Width};
