//! Calls in per-thread IR that know the place of their instruction, as the metadata `!zluda.span`.

use llvm_zluda::{Context, Value};
use ptx_parser::Span;

const SPAN: &str = "zluda.span";

/// Keeps the place of the instruction that a call is made for as metadata of the call.
pub fn set<'c>(call: Value<'c>, context: &'c Context, span: Span) {
    call.add_number_metadata(context, SPAN, u64::from(span.start) << 32 | u64::from(span.end));
}

/// The place of the instruction that a call was made for.
pub fn of<'c>(call: Value<'c>, context: &'c Context) -> Option<Span> {
    let packed = call.number_metadata(context, SPAN)?;
    Some(Span { start: (packed >> 32) as u32, end: packed as u32 })
}
