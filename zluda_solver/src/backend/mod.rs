//! Sparse systems of equations, without types of CUDA's.

pub(crate) mod cholesky;
pub(crate) mod lu;
pub(crate) mod matrix;
pub(crate) mod ordering;
