//! Arithmetic of dense matrices and vectors on this machine's processor, without types of CUDA's.
//!
//! Matrices are places in memory with a step from row to row and one from column to column ([`Matrix`]), so that
//! transposing costs nothing. What is large is done in parts that know nothing of each other: who calls decides which
//! thread runs which. Nothing here starts a thread.
//!
//! - [`scalar`]: the numbers that are computed with. [`element`]: those that are stored alone.
//! - [`matrix`]: places in memory.
//! - [`product`]: products, in tiles. [`packed`]: products of what is computed while it is read; [`mixed`]: of types that are
//!   stored alone.
//! - [`vector`]: vectors. [`banded`]: matrices times vectors, of which a part is stored.
//! - [`triangular`]: systems of equations. [`lu`], [`cholesky`], [`qr`], [`symmetric`]: decompositions.
//! - [`householder`]: products of reflectors. [`condensed`]: what they make of a matrix: three diagonals or two.
//! - [`pointer`]: addresses that programs pass.

pub mod banded;
pub mod cholesky;
pub mod condensed;
pub mod element;
pub mod householder;
pub mod lu;
pub mod matrix;
pub mod mixed;
pub mod packed;
pub mod pointer;
pub mod product;
pub mod qr;
pub mod scalar;
pub mod symmetric;
pub mod triangular;
pub mod vector;

pub use matrix::Matrix;
pub use num_complex::Complex;
pub use scalar::{Real, Scalar};
