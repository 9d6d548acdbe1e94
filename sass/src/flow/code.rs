//! Sections of code.

use crate::instruction::Instruction;
use std::collections::{BTreeMap, BTreeSet};

/// A section of code.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub name: String,
    /// Those at 0, 16, 32 and so on. What cannot be decoded has the reason.
    pub instructions: Vec<Result<Instruction, String>>,
    /// What calls by their addresses go to, where relocations say it.
    pub calls: BTreeMap<u64, Place>,
    /// Where functions begin; nothing is known of them where there are none. A call of any other place is a jump.
    pub functions: BTreeSet<u64>,
    /// Where indirect branches go, by their addresses.
    pub indirect: BTreeMap<u64, Vec<u64>>,
}

/// An instruction: a section's number, and an offset in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub code: usize,
    pub address: u64,
}
