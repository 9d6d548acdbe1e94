//! PTX text to a typed tree, and back.
//!
//! ```text
//! let text = ".version 9.0\n.target sm_80\n.address_size 64\n\
//!             .visible .entry k() { .reg .b32 %r<3>; add.s32 %r1, %r2, 4; ret; }";
//! let parse = ptx_parser::parse(text);
//! assert!(parse.errors.is_empty());
//! ```
//!
//! # Where to start
//!
//! - [`parse`] gives a [`Parse`]: the [`Module`] and all errors. An error inside a function costs that
//!   function only: there the body holds a [`Statement::Unknown`] with the same [`Error`]. Errors at
//!   module scope have no `function`. Words that no table has are invalid up to version [`NEWEST`].
//! - [`tree`]: [`Module`] > [`Directive`] > [`Function`] > [`Statement`] > [`Instruction`].
//! - [`isa`]: the [`Instruction`] enum, one variant and one struct for each instruction of the PTX
//!   manual, made from the tables in `isa/<family>.rs`. Match on it exhaustively. Its fields:
//!   - a modifier that is a choice is an enum of [`modifier`], or `Option` of it where some form leaves
//!     it out. Types are [`ScalarType`], in the field `type_` (`dtype`, `atype`... where the manual says so);
//!   - a modifier that is there or not is a `bool`;
//!   - words that all forms share (`.sync`, `.aligned`) and a type that never changes have no field;
//!   - an operand is an [`Operand`], or an [`Address`] for `[a]`; `Option` where some form lacks it.
//!     `[a, b]` is two operands. `d|p` is the operands `d` and `p`.
//!   - names are the manual's in snake case: `.CmpOp` is `cmp_op`, `.level::cache_hint` is
//!     `level_cache_hint`, `cache-policy` is `cache_policy`, `scale-A-tmem` is `scale_a_tmem`.
//!   - `call` is [`Call`], by hand.
//! - Names are slices of the source and are not resolved: an [`Operand::Name`] is a register, variable,
//!   parameter, function or label by the scopes of the place where it stands. [`Variable::range`] declares
//!   `%r0` to `%r99` at once. [`Span::of`] gives the place of any name.
//! - Every predicate that is read may be an [`Operand::Not`], as for ptxas.
//! - Special registers are [`Operand::Special`]; constants are evaluated, see [`Immediate::bits`].
//! - [`Instruction::operands`] visits all operands with their [`Access`], `typed_operands` with their types
//!   too, [`Instruction::names`] the names in them.
//! - Trees compare with `==` without regard to places.
//!
//! [`Error::render`] makes the text for users. `Display` of the tree prints PTX.

pub mod error;
pub mod isa;
mod lexer;
pub mod modifier;
pub mod operand;
mod parse;
mod print;
mod rename;
pub mod span;
pub mod special_register;
pub mod tree;

pub use error::{Error, ErrorKind};
pub use isa::{Call, Instruction, OperandRef};
pub use modifier::*;
pub use operand::{Access, Address, Component, Immediate, Operand};
pub use parse::{NEWEST, Parse, parse};
pub use rename::rename;
pub use span::{Lines, Span, line_column};
pub use special_register::SpecialRegister;
pub use tree::*;
