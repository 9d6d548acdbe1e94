//! The launch engine: threads, jobs, blocks, and what kernels can call.
//!
//! Start reading at [`launch`]: a launch is a [`job`] that the [`pool`] runs; [`block`] runs one block.

pub mod arena;
pub mod asynchronous;
pub mod barrier;
pub mod block;
pub mod blocks;
pub mod chaos;
pub mod children;
pub mod cluster;
#[cfg(test)]
mod device_library;
pub mod dynamic_stack;
pub mod fault;
pub mod futex;
pub mod gathering;
pub mod groups;
pub mod guarded;
pub mod job;
pub mod jolt;
pub mod launch;
pub mod matrix;
pub mod pieces;
pub mod pool;
pub mod reduction;
pub mod reference;
pub mod request;
pub mod runtime;
pub mod stack;
pub mod tensor;
mod texture;
