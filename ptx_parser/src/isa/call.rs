//! `call`, which no table of instructions describes.

use crate::operand::Operand;

/// `call{.uni} (returns), target, (arguments), prototype;`
#[derive(Clone, Debug, PartialEq)]
pub struct Call<'a> {
    pub uni: bool,
    pub returns: Vec<Operand<'a>>,
    /// A function, or a register that holds a function's address.
    pub target: &'a str,
    pub arguments: Vec<Operand<'a>>,
    /// The label of a `.callprototype` or `.calltargets`, or the name of an array of functions: an
    /// indirect call.
    pub prototype: Option<&'a str>,
}
