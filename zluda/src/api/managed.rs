//! Hints about managed memory: they are checked and kept, and have no other effect, since host and device use it as one.

use crate::convert::{In, Out};
use crate::core::capture;
use crate::core::device::driver::driver;
use crate::core::memory::hints::Place;
use crate::core::memory::{self, Allocation};
use crate::core::stream::StreamArg;
use cuda_types::cuda::{
    CU_DEVICE_CPU, CU_DEVICE_INVALID, CUdevice, CUdeviceptr, CUerror, CUmem_advise,
    CUmem_range_attribute as A, CUmemLocation, CUmemLocationType, CUres,
};
use std::ffi::{c_uint, c_ulonglong, c_void};
use std::ops::Range;
use std::sync::Arc;

/// As many ranges as anybody would list.
const MOST: usize = 1 << 24;

/// There are fewer attributes than this, and fewer devices. A program that asks for more has passed a wrong count.
const MOST_ATTRIBUTES: usize = 256;

/// The managed allocation that holds a range, and the range in it.
fn find(pointer: CUdeviceptr, size: usize) -> CUres<(Arc<Allocation>, Range<usize>)> {
    if size == 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    let allocation = memory::find(pointer).ok_or(CUerror::INVALID_VALUE)?;
    if !allocation.is_managed_at(pointer) {
        return Err(CUerror::INVALID_VALUE);
    }
    memory::check_range(pointer, size)?;
    let start = (pointer - allocation.base) as usize;
    Ok((allocation, start..start + size))
}

fn check_device(device: CUdevice) -> CUres {
    if device == CU_DEVICE_CPU { Ok(()) } else { driver()?.device(device).map(drop) }
}

fn check_location(location: CUmemLocation) -> CUres {
    match location.type_ {
        CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE => check_device(location.id),
        CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST
        | CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA
        | CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => Ok(()),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

fn check_advice(advice: CUmem_advise) -> CUres {
    match advice.0 {
        1..=6 => Ok(()),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

/// The advices for which the number of the device counts.
fn needs_device(advice: CUmem_advise) -> bool {
    matches!(
        advice,
        CUmem_advise::CU_MEM_ADVISE_SET_PREFERRED_LOCATION
            | CUmem_advise::CU_MEM_ADVISE_SET_ACCESSED_BY
            | CUmem_advise::CU_MEM_ADVISE_UNSET_ACCESSED_BY
    )
}

fn advise(pointer: CUdeviceptr, size: usize, advice: CUmem_advise, place: Place) -> CUres {
    let (allocation, bytes) = find(pointer, size)?;
    allocation.hints.lock().advise(&bytes, advice, place);
    Ok(())
}

pub(crate) fn cuMemAdvise(
    pointer: CUdeviceptr,
    size: usize,
    advice: CUmem_advise,
    device: CUdevice,
) -> CUres {
    capture::check_unsafe_call()?;
    check_advice(advice)?;
    if needs_device(advice) {
        check_device(device)?;
    }
    advise(pointer, size, advice, Place::of_device(device))
}

pub(crate) fn cuMemAdvise_v2(
    pointer: CUdeviceptr,
    size: usize,
    advice: CUmem_advise,
    location: CUmemLocation,
) -> CUres {
    capture::check_unsafe_call()?;
    check_advice(advice)?;
    // An H100 wants some place for every advice, and calls devices that are none an invalid value here.
    let is_location = match location.type_ {
        CUmemLocationType::CU_MEM_LOCATION_TYPE_INVALID => false,
        _ => !needs_device(advice) || check_location(location).is_ok(),
    };
    if !is_location {
        return Err(CUerror::INVALID_VALUE);
    }
    // Of who accesses memory: "All other location types are invalid."
    let is_place_of_access = matches!(
        location.type_,
        CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE
            | CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST
    );
    if matches!(
        advice,
        CUmem_advise::CU_MEM_ADVISE_SET_ACCESSED_BY | CUmem_advise::CU_MEM_ADVISE_UNSET_ACCESSED_BY
    ) && !is_place_of_access
    {
        return Err(CUerror::INVALID_VALUE);
    }
    self::advise(pointer, size, advice, Place::new(location))
}

fn prefetch(pointer: CUdeviceptr, size: usize, place: Place) -> CUres {
    let (allocation, bytes) = find(pointer, size)?;
    allocation.hints.lock().prefetch(&bytes, place);
    Ok(())
}

pub(crate) fn cuMemPrefetchAsync(
    pointer: CUdeviceptr,
    size: usize,
    device: CUdevice,
    stream: StreamArg,
) -> CUres {
    check_device(device)?;
    stream.enter_uncaptured()?;
    prefetch(pointer, size, Place::of_device(device))
}

pub(crate) fn cuMemPrefetchAsync_v2(
    pointer: CUdeviceptr,
    size: usize,
    location: CUmemLocation,
    flags: c_uint,
    stream: StreamArg,
) -> CUres {
    if flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    check_location(location)?;
    stream.enter_uncaptured()?;
    prefetch(pointer, size, Place::new(location))
}

/// The ranges of a batch, all of which are managed memory. "hStream: ... Must not be legacy NULL stream."
fn ranges(
    pointers: In<CUdeviceptr>,
    sizes: In<usize>,
    count: usize,
    flags: c_ulonglong,
    stream: &StreamArg,
) -> CUres<Vec<(CUdeviceptr, usize)>> {
    // "flags: Flags reserved for future use. Must be zero."
    if count == 0 || flags != 0 || matches!(stream, StreamArg::Legacy) {
        return Err(CUerror::INVALID_VALUE);
    }
    stream.enter_uncaptured()?;
    let (pointers, sizes) = (pointers.array(count, MOST)?, sizes.array(count, MOST)?);
    let ranges: Vec<_> = pointers.into_iter().zip(sizes).collect();
    ranges.iter().try_for_each(|(pointer, size)| find(*pointer, *size).map(drop))?;
    Ok(ranges)
}

/// The place that each range goes to. "The first entry in prefetchLocIdxs must always be 0. Also, each entry must be greater
/// than the previous entry and the last entry should be less than count." An H100 takes an entry that is equal to the
/// previous one: the place of that one then goes on.
fn places(
    locations: In<CUmemLocation>,
    firsts: In<usize>,
    locations_count: usize,
    count: usize,
) -> CUres<Vec<Place>> {
    let most = count.min(MOST);
    let locations = locations.array(locations_count, most)?;
    let firsts = firsts.array(locations_count, most)?;
    let ascend = firsts.windows(2).all(|pair| pair[0] <= pair[1]);
    let inside = firsts.first() == Some(&0) && firsts.last().is_some_and(|last| *last < count);
    if count > MOST || !ascend || !inside {
        return Err(CUerror::INVALID_VALUE);
    }
    locations.iter().try_for_each(|location| check_location(*location))?;
    let mut next = 0;
    Ok((0..count)
        .map(|range| {
            if firsts.get(next + 1) == Some(&range) && range != 0 {
                next += 1;
            }
            Place::new(locations[next])
        })
        .collect())
}

pub(crate) fn cuMemPrefetchBatchAsync(
    pointers: In<CUdeviceptr>,
    sizes: In<usize>,
    count: usize,
    locations: In<CUmemLocation>,
    firsts: In<usize>,
    locations_count: usize,
    flags: c_ulonglong,
    stream: StreamArg,
) -> CUres {
    let ranges = ranges(pointers, sizes, count, flags, &stream)?;
    let places = places(locations, firsts, locations_count, count)?;
    let mut all = ranges.into_iter().zip(places);
    all.try_for_each(|((pointer, size), place)| prefetch(pointer, size, place))
}

/// What lies in discarded memory is not determined, so that it may stay.
pub(crate) fn cuMemDiscardBatchAsync(
    pointers: In<CUdeviceptr>,
    sizes: In<usize>,
    count: usize,
    flags: c_ulonglong,
    stream: StreamArg,
) -> CUres {
    ranges(pointers, sizes, count, flags, &stream).map(drop)
}

pub(crate) fn cuMemDiscardAndPrefetchBatchAsync(
    pointers: In<CUdeviceptr>,
    sizes: In<usize>,
    count: usize,
    locations: In<CUmemLocation>,
    firsts: In<usize>,
    locations_count: usize,
    flags: c_ulonglong,
    stream: StreamArg,
) -> CUres {
    cuMemPrefetchBatchAsync(
        pointers,
        sizes,
        count,
        locations,
        firsts,
        locations_count,
        flags,
        stream,
    )
}

/// The words of an attribute of a range, of which the program has room for some.
fn attribute(
    attribute: A,
    data_size: usize,
    allocation: &Allocation,
    bytes: &Range<usize>,
) -> CUres<Vec<i32>> {
    let hints = allocation.hints.lock();
    let words = match attribute {
        A::CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY => vec![hints.read_mostly(bytes).into()],
        A::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION => vec![hints.preferred(bytes).device()],
        A::CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION => {
            vec![hints.last_prefetch(bytes).device()]
        }
        A::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE => vec![hints.preferred(bytes).kind()],
        A::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID => vec![hints.preferred(bytes).id()],
        A::CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE => {
            vec![hints.last_prefetch(bytes).kind()]
        }
        A::CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID => {
            vec![hints.last_prefetch(bytes).id()]
        }
        // "dataSize must be a non-zero multiple of 4."
        A::CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY if data_size != 0 && data_size.is_multiple_of(4) => {
            return Ok(hints.accessed_by(bytes));
        }
        _ => return Err(CUerror::INVALID_VALUE),
    };
    // "dataSize must be 4"
    if data_size == 4 { Ok(words) } else { Err(CUerror::INVALID_VALUE) }
}

pub(crate) fn cuMemRangeGetAttribute(
    data: Out<c_void>,
    data_size: usize,
    attribute: A,
    pointer: CUdeviceptr,
    size: usize,
) -> CUres {
    data.check()?;
    let (allocation, bytes) = find(pointer, size)?;
    let words = self::attribute(attribute, data_size, &allocation, &bytes)?;
    // "CU_DEVICE_INVALID will be returned in all the extra space provided."
    let rest = std::iter::repeat(CU_DEVICE_INVALID);
    data.cast::<i32>().set_all(words.into_iter().chain(rest), data_size / 4);
    Ok(())
}

pub(crate) fn cuMemRangeGetAttributes(
    data: In<*mut c_void>,
    data_sizes: In<usize>,
    attributes: In<A>,
    count: usize,
    pointer: CUdeviceptr,
    size: usize,
) -> CUres {
    if count == 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    let data = data.array(count, MOST_ATTRIBUTES)?;
    let data_sizes = data_sizes.array(count, MOST_ATTRIBUTES)?;
    let attributes = attributes.array(count, MOST_ATTRIBUTES)?;
    for ((place, data_size), attribute) in data.into_iter().zip(data_sizes).zip(attributes) {
        cuMemRangeGetAttribute(Out::of(place), data_size, attribute, pointer, size)?;
    }
    Ok(())
}
