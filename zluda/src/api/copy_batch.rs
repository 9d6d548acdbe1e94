//! Many copies by one call.

use crate::convert::{In, Out};
use crate::core::capture::WorkTarget;
use crate::core::stream::{StreamArg, Target, launch_own_function};
use crate::core::transfer::copy::{self, CopyAddress, Wait};
use cuda_types::cuda::{
    CUdeviceptr, CUerror, CUmemcpyAttributes, CUmemcpyFlags, CUmemcpySrcAccessOrder, CUres,
};
use std::sync::Arc;

/// As many copies as anybody would list.
const MOST: usize = 1 << 24;

/// One copy of a batch.
struct Entry {
    to: CUdeviceptr,
    from: CUdeviceptr,
    size: usize,
    order: CUmemcpySrcAccessOrder,
}

pub(crate) fn cuMemcpyBatchAsync_v2(
    to: In<CUdeviceptr>,
    from: In<CUdeviceptr>,
    sizes: In<usize>,
    count: usize,
    attributes: In<CUmemcpyAttributes>,
    firsts: In<usize>,
    attributes_count: usize,
    stream: StreamArg,
) -> CUres {
    cuMemcpyBatchAsync(
        to,
        from,
        sizes,
        count,
        attributes,
        firsts,
        attributes_count,
        Out::none(),
        stream,
    )
}

/// "failIdx: Pointer to a location to return the index of the copy where a failure was encountered. The value will be
/// SIZE_MAX if the error doesn't pertain to any specific copy."
pub(crate) fn cuMemcpyBatchAsync(
    to: In<CUdeviceptr>,
    from: In<CUdeviceptr>,
    sizes: In<usize>,
    count: usize,
    attributes: In<CUmemcpyAttributes>,
    firsts: In<usize>,
    attributes_count: usize,
    failed: Out<usize>,
    stream: StreamArg,
) -> CUres {
    // "Must not be legacy NULL stream."
    if matches!(stream, StreamArg::Legacy) {
        return Err(CUerror::INVALID_VALUE);
    }
    failed.set_if_wanted(usize::MAX);
    if count == 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    let WorkTarget { stream, recorder: None } = stream.enter_to_work()? else {
        // An H100's driver refuses a captured stream so, and the capture goes on.
        return Err(CUerror::STREAM_CAPTURE_UNSUPPORTED);
    };
    let orders = orders(attributes, firsts, attributes_count, count)?;
    let (to, from) = (to.array(count, MOST)?, from.array(count, MOST)?);
    let sizes = sizes.array(count, MOST)?;
    if let Some(at) = sizes.iter().position(|size| *size == 0) {
        failed.set_if_wanted(at);
        return Err(CUerror::INVALID_VALUE);
    }
    let places = to.into_iter().zip(from).zip(sizes).zip(orders);
    for (at, (((to, from), size), order)) in places.enumerate() {
        Entry { to, from, size, order }.run(&stream).inspect_err(|_| failed.set_if_wanted(at))?;
    }
    Ok(())
}

/// The order of accesses to each copy's source. "The first entry in attrsIdxs must always be 0. Also, each entry must be
/// greater than the previous entry and the last entry should be less than count."
fn orders(
    attributes: In<CUmemcpyAttributes>,
    firsts: In<usize>,
    attributes_count: usize,
    count: usize,
) -> CUres<Vec<CUmemcpySrcAccessOrder>> {
    let most = count.min(MOST);
    let attributes = attributes.array(attributes_count, most)?;
    let firsts = firsts.array(attributes_count, most)?;
    let ascend = firsts.windows(2).all(|pair| pair[0] < pair[1]);
    let inside = firsts.first() == Some(&0) && firsts.last().is_some_and(|last| *last < count);
    if count > MOST || !ascend || !inside || !attributes.iter().all(is_valid) {
        return Err(CUerror::INVALID_VALUE);
    }
    let ends = firsts[1..].iter().copied().chain([count]);
    let ranges = firsts.iter().zip(ends).zip(&attributes);
    Ok(ranges
        .flat_map(|((first, end), attributes)| {
            std::iter::repeat_n(attributes.srcAccessOrder, end - first)
        })
        .collect())
}

/// Locations are hints for memory that has no fixed one, and are ignored elsewhere.
fn is_valid(attributes: &CUmemcpyAttributes) -> bool {
    let known = [
        CUmemcpySrcAccessOrder::CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
        CUmemcpySrcAccessOrder::CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL,
        CUmemcpySrcAccessOrder::CU_MEMCPY_SRC_ACCESS_ORDER_ANY,
    ];
    let flags = CUmemcpyFlags::CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE.0;
    known.contains(&attributes.srcAccessOrder) && attributes.flags & !flags == 0
}

impl Entry {
    fn run(&self, target: &Target) -> CUres {
        let during = CUmemcpySrcAccessOrder::CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
        let (to, from) = (CopyAddress::Unified(self.to), CopyAddress::Unified(self.from));
        if self.order != during {
            return copy::put(target, to, from, self.size, Wait::No);
        }
        if !from.is_unknown() {
            return copy::put(target, to, from, self.size, Wait::Yes);
        }
        // What the program forgets after the call is read now; the stream may wait for what the program does then.
        from.check_now(self.size)?;
        let mut bytes = Vec::<u8>::new();
        bytes.try_reserve_exact(self.size).map_err(|_| CUerror::OUT_OF_MEMORY)?;
        // SAFETY: the source was checked as far as it is known, the program answers for the rest; there is room.
        unsafe {
            std::ptr::copy_nonoverlapping(self.from as *const u8, bytes.as_mut_ptr(), self.size);
        }
        copy::put(target, to, CopyAddress::Host(bytes.as_ptr() as u64), self.size, Wait::No)?;
        let bytes = Arc::new(bytes);
        let kept = Arc::clone(&bytes);
        // Where nothing can end them behind the copy, they end here.
        launch_own_function(target, move || drop(kept)).or_else(|_| target.synchronize())
    }
}
