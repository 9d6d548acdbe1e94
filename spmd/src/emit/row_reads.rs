//! Rows of memory that are read as a whole for a part of the lanes, by processors without masks for their elements.

use llvm_zluda::{Builder, IntPredicate, Value};

use super::{LANES, Lanes};

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
    let address = b.ptr_to_int(base, b.context().i64());
    let in_one_page = is_in_one_page(b, address, u64::from(LANES) * size);
    let Some(active) = active else { return in_one_page };
    let any = b.icmp(IntPredicate::LLVMIntNE, active, active.ty().zero());
    b.and(any, in_one_page)
}

/// An `i1`: whether so many bytes from the lanes' addresses on, which are numbers, lie in one page. No, where that is not
/// easy to say.
pub(super) fn are_in_one_page<'c>(
    b: &Builder<'c>,
    addresses: &Lanes<'c>,
    bytes: Option<u64>,
) -> Value<'c> {
    let first_and_further = match addresses {
        Lanes::Uniform(address) => Some((*address, 0)),
        Lanes::Strided { base, stride, .. } => {
            let further = u64::try_from(*stride).ok();
            further.map(|further| (*base, further * u64::from(LANES - 1)))
        }
        _ => None,
    };
    let reach = |(first, further)| Some((first, bytes?.checked_add(further)?));
    match first_and_further.and_then(reach) {
        Some((first, bytes)) if bytes <= PAGE => is_in_one_page(b, first, bytes),
        _ => b.context().i1().zero(),
    }
}

fn is_in_one_page<'c>(b: &Builder<'c>, address: Value<'c>, bytes: u64) -> Value<'c> {
    let i64_type = b.context().i64();
    let in_page = b.and(address, i64_type.const_int(PAGE - 1));
    b.icmp(IntPredicate::LLVMIntULE, in_page, i64_type.const_int(PAGE - bytes))
}
