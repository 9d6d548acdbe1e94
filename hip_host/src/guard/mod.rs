//! Code on stacks of its own, whose faults end it instead of the process.

pub mod attempt;
pub mod fault;
pub mod guarded;
pub mod sanitizer;
pub mod stack;
