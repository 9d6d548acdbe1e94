//! The functions by what they are about: each validates as the manual says, converts, and puts its work into the handle's
//! stream.

#![allow(clippy::too_many_arguments)]

pub(crate) mod bands;
pub(crate) mod blocks;
pub(crate) mod context;
pub(crate) mod conversions;
pub(crate) mod dense_matrix;
pub(crate) mod incomplete;
pub(crate) mod mat_descr;
pub(crate) mod product;
pub(crate) mod rows;
pub(crate) mod sddmm;
pub(crate) mod sorts;
pub(crate) mod sparse_matrix;
pub(crate) mod sparse_vectors;
pub(crate) mod spgemm;
pub(crate) mod sums;
pub(crate) mod triangular;
pub(crate) mod vectors;
