//! Analyses of a function before code is made: its loops, its levels, and which values and branches are the same for
//! all lanes.

pub mod block_order;
pub mod cfg;
pub mod depth;
pub mod divergence;
mod extensions;
pub mod flow;
pub mod form;
pub mod level;
pub mod lockstep;
pub mod polling;
pub mod shape;
pub mod spinning;
pub mod subnormals;
pub mod warp_splitting;
