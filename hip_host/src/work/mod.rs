//! Operations in their order, and the threads that run them.
//!
//! Start reading at [`op`]: what an operation has to run in parts is a [`job`], whose [`blocks`] the threads of the
//! [`pool`] take.

pub mod blocks;
pub mod chaos;
pub mod failure;
pub mod host_thread;
pub mod job;
pub mod op;
pub mod pool;
pub mod ticks;
