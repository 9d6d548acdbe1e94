//! From machine code to PTX.
//!
//! - [`Module`]: a cubin, which gives an [`Image`] of all of it or of one kernel: what has to be known. [`lift`] gives the PTX, kernel by kernel: one that cannot
//!   be lifted costs only itself. [`head`] gives what is known of the module without looking at its code.
//! - `machine`: the kernel's constant banks and memories; `launch`: where bank 0 has what; `operand`: operands as values; `emit`: lines of PTX.
//! - `integer`, `float`, `half`, `convert`, `memory`, `arrive`, `barrier`, `bulk`, `warp`, `matrix`, `group`, `texture`, `surface`, `call`: what the instructions mean.
//! - `division`: divisions that ptxas took apart; `roots`: square roots and reciprocals; `slow`: what both look for; `sums`: sums of 64 bits.
//! - `apart`: functions that call themselves or are called by their addresses.
//! - `opcodes`: which function lifts which instruction. `kernel`: a kernel put together. `module`: a module's PTX.

mod apart;
mod arrive;
mod barrier;
mod bulk;
mod call;
mod convert;
mod division;
mod emit;
mod error;
mod float;
mod group;
mod half;
mod image;
mod integer;
mod kernel;
mod launch;
mod machine;
mod matrix;
mod memory;
mod module;
mod moves;
mod names;
mod of_cubin;
mod opcodes;
mod operand;
mod roots;
mod shifts;
mod slow;
mod stack;
mod sums;
mod surface;
#[cfg(test)]
mod tests;
mod texture;
mod warp;

pub use crate::flow::{Code, Place, Reason};
pub use error::Error;
pub use image::{Bank, Half, Image, Kernel, Named, Parameter, Reference, Variable};
pub use module::{Lifted, head, lift};
pub use of_cubin::{Module, Undefined};
