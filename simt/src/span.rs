//! Calls in per-thread IR that know the place of their instruction in the PTX, as the metadata `!zluda.span`.

use std::ops::Range;

use llvm_zluda::{Context, Value};

const SPAN: &str = "zluda.span";

/// Keeps the place of the instruction that a call is made for, bytes of the text, as metadata of the call.
pub fn set<'c>(call: Value<'c>, context: &'c Context, span: Range<u32>) {
    call.add_number_metadata(context, SPAN, u64::from(span.start) << 32 | u64::from(span.end));
}

/// The place of the instruction that a call was made for, bytes of the text.
pub fn of<'c>(call: Value<'c>, context: &'c Context) -> Option<Range<u32>> {
    let packed = call.number_metadata(context, SPAN)?;
    Some((packed >> 32) as u32..packed as u32)
}
