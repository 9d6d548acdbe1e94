//! The instruction tables. To add an instruction, write its lines from the PTX manual into the file
//! of its family; a new family is one more name below.

mod call;
pub(crate) mod check;
mod describe;
pub(crate) mod fit;
pub(crate) mod spec;
#[cfg(test)]
mod tests;
pub(crate) mod vector;
mod visit;

pub use check::Named;
pub use describe::{OperandSyntax, Syntax, WordSyntax, syntax};
pub use spec::OperandRef;

/// The names that the code of `isa!` needs.
mod prelude {
    pub(super) use super::Instruction;
    pub(super) use super::spec::*;
    pub(super) use crate::modifier::*;
    pub(super) use crate::operand::{Address, Operand};
    pub(super) use ptx_parser_macros::isa;
}

pub use call::Call;
use spec::{Parts, Spec};

ptx_parser_macros::instruction_set! {
    arithmetic,
    float,
    bits,
    logic,
    data,
    atomic,
    warp,
    control,
    matrix,
    async_copy,
    texture,
    address,
    video,
    wgmma,
    tensor,
    tcgen05,
    fabric,
}
