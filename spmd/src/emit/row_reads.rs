//! Rows of memory that are read as a whole for a part of the lanes, by processors without masks for their elements.

use llvm_zluda::{Builder, IntPredicate, Value};

use super::LANES;

/// The smallest pages of x86: memory is there, or is not, for the whole of one.
const PAGE: u64 = 4096;

/// An `i1`: whether 32 elements of `size` bytes from `base` on can be read when one of them can, for they lie in one page.
/// `active` has the lanes' bits where there may be none, for which nothing can be read.
pub(crate) fn may_read<'c>(
    b: &Builder<'c>,
    base: Value<'c>,
    size: u64,
    active: Option<Value<'c>>,
) -> Value<'c> {
    let i64_type = b.context().i64();
    let address = b.ptr_to_int(base, i64_type);
    let in_page = b.and(address, i64_type.const_int(PAGE - 1));
    let last = i64_type.const_int(PAGE - u64::from(LANES) * size);
    let in_one_page = b.icmp(IntPredicate::LLVMIntULE, in_page, last);
    let Some(active) = active else { return in_one_page };
    let any = b.icmp(IntPredicate::LLVMIntNE, active, active.ty().zero());
    b.and(any, in_one_page)
}
