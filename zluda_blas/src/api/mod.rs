//! The functions by what they are about: each validates as the manual says, converts, and puts its work into the handle's
//! stream.

pub(crate) mod context;
pub(crate) mod copies;
pub(crate) mod grouped;
pub(crate) mod level1;
pub(crate) mod level2;
pub(crate) mod level3;
pub(crate) mod lt;
pub(crate) mod mixed;
pub(crate) mod product;
pub(crate) mod solvers;
pub(crate) mod typed;
pub(crate) mod xt;
