//! Lowering: the tree of a kernel and what it reaches to per-thread LLVM IR (docs/dev/per_thread_ir.md).
//!
//! Start with [`module::lower`]. `function` walks a body, `operand` reads and writes registers, and
//! each family of instructions has a file of its own; `instruction` names the lowering of each.

mod address;
mod alignment;
mod approximate;
mod atomic;
mod bits;
mod bulk;
pub mod call;
mod carry;
mod carryless;
mod cluster;
mod compare;
mod control;
mod convert;
pub mod device_runtime;
mod directed_double;
mod exit;
mod float;
mod function;
mod instruction;
mod integer;
mod intrinsic;
mod matrix;
mod matrix_memory;
mod mbarrier;
mod memory;
mod minifloat;
mod minmax;
pub mod module;
mod multimem;
mod narrow_float;
mod operand;
mod packed;
mod rounding;
mod scaled_convert;
mod signature;
mod special_register;
mod stack;
mod stochastic;
mod tensor;
mod texture;
mod video;
mod warp;
mod warp_group;

/// The result of lowering: a value, or nothing. A method named after an instruction adds the instruction's IR at the
/// builder's position; it fails where operands break PTX's rules, and where the instruction is not supported.
type Lowered<T = ()> = Result<T, ptx_parser::Error>;
