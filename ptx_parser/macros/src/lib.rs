//! The instruction tables of `ptx_parser`, written in the syntax of the PTX manual.
//!
//! `isa!` stands in each `ptx_parser/src/isa/<family>.rs`; `instruction_set!` stands once, in
//! `isa/mod.rs`, and makes the enum of all instructions from the same tables. `grammar` reads the
//! manual's syntax, `resolve` looks its words up, `merge` makes one struct of all forms of an
//! instruction, `generate` writes it.

mod generate;
mod grammar;
mod merge;
mod resolve;

use proc_macro::TokenStream;

/// Declares the instructions of one family.
///
/// ```text
/// isa! {
///     /// Addition.
///     Add = r"
///         add.type       d, a, b;
///         add{.sat}.s32  d, a, b;
///         .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
///         ---
///         add{.rnd}{.ftz}{.sat}.f32  d, a, b;
///         .rnd: Rounding = { .rn, .rz, .rm, .rp };
///     ";
/// }
/// ```
///
/// Beyond the manual's own syntax:
/// - `---` ends a block; a `.name = { ... }` holds for the forms of its block.
/// - `.name: Type = { ... }` names the enum of `crate::modifier` that holds the words. Groups of
///   scalar types need none; a group of one word without a type is a flag.
/// - `.name@field` and `.literal@field` store a group or a literal under another field's name. A
///   literal scalar type without `@` goes to the field `type_`; other literals become flags, or
///   nothing where every form has them.
/// - `{ * }` is all words of the type, and `.m64n[8..256/8]k16` the words with 8, 16, ... 256.
/// - `A, B = r"opcode.type d;"` declares `a.type d;` and `b.type d;` alike.
/// - `<a>` is an operand that must be a vector.
/// - A `{.level::cache_hint}` and a `{, cache-policy}` of one form come together or not at all.
/// - `writes = d, p;` names the destinations; without it they are `d`, `p` and `q` outside of `[]`.
/// - `types d = dtype, a b = atype or type_, c = .pred, * = ;` gives the types of operands: the first field
///   that is there, a fixed type, `wide` for a `type` that `.wide` doubles, or nothing where it is not
///   known; `*` is all others. Without an entry it is `type`, or the one literal type; `.pred` behind `|`;
///   and what operands of some names have everywhere, such as `.u64` for `cache-policy`.
/// - `constants n = 0.., imm-scale = -1 | 1, size? = 16../16;` names the operands that are constants, and the values
///   that they may have: one, or first, last and step of a range. With `?` a register will do too. Of
///   several entries for an operand the first holds whose `for`, as in `needs`, does.
/// - `spaces src-mem = src, mbar = .shared;` says which field or literal is the state space of the variables that
///   an address may name. Without an entry it is `space` or `ss`.
/// - `name mode;` names choices and literals, or their fields, that belong to the name, as the literals that a form begins with do: they stand
///   first and in order, where other modifiers may stand anywhere.
/// - `ignored .tf32 .u4;` names words of other instructions that ptxas takes here too, and that mean nothing.
/// - `gone 6.4 sm_70 for !.sync;` is what neither this PTX version nor a later one has for this target and later ones,
///   or up to a second one.
/// - `needs 7.8 sm_90 for .bf16 | .bf16x2;` gives the PTX version and the targets that a form with one of
///   these words needs; several targets are alternatives. `never .v8 & .b8 | .b16;` names words that do not go
///   together. `&` binds less than `|`, and `!` before an alternative negates all of it. `atype.f32` is a word
///   of one field, `c` an operand that is there, `c:vector` one of that kind (`sink`, `vector`, `immediate`).
#[proc_macro]
pub fn isa(input: TokenStream) -> TokenStream {
    let family = syn::parse_macro_input!(input as grammar::Family);
    generate::family(&family).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// Makes the modules of the families, the enum `Instruction` and the list of all tables.
#[proc_macro]
pub fn instruction_set(input: TokenStream) -> TokenStream {
    let set = syn::parse_macro_input!(input as generate::Set);
    generate::set(&set).unwrap_or_else(|e| e.to_compile_error()).into()
}
