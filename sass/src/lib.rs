//! Machine code of NVIDIA's GPUs (SASS) as data.
//!
//! Start reading at [`instruction`]: an [`Instruction`] is what one line of nvdisasm says, without loss. [`text`] reads such
//! lines.

pub mod cubin;
pub mod decode;
pub mod flow;
pub mod instruction;
pub mod lift;
mod special;
mod table;
pub mod text;

pub use instruction::{
    Address, Bank, Constant, File, Immediate, Instruction, Operand, Predicate, Register, Signs,
};
