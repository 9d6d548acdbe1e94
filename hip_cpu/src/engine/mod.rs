//! The launch engine: blocks, warps, and what kernels can call.
//!
//! Start reading at [`launch`]: a launch is the task of a job that hip_host's threads run; [`block`] runs one block.

pub mod arena;
pub mod asynchronous;
pub mod barrier;
pub mod block;
pub mod children;
pub mod cluster;
#[cfg(test)]
#[cfg(unix)]
mod device_library;
pub mod dynamic_stack;
pub mod family;
mod fma;
pub mod graphs;
pub mod groups;
mod half;
pub mod in_step;
pub mod launch;
pub mod matrix;
mod matrix_instruction;
pub mod reference;
pub mod rendezvous;
pub mod runtime;
mod texture;
mod texture_instruction;
