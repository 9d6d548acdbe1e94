//! Resources of devices and contexts: multiprocessors.

use crate::convert::{In, Out};
use crate::core::context::green::Green;
use crate::core::context::place::Place;
use crate::core::device::driver::driver;
use crate::core::device::part::{Description, Part};
use cuda_types::cuda::{
    CUcontext, CUdevResource, CUdevResourceDesc, CUdevResourceType, CUdevSmResourceSplit_flags,
    CUdevice, CUerror, CUres,
};
use std::ffi::c_uint;
use std::sync::Arc;

/// Groups of a device, and resources of a description: programs have as many as a device has multiprocessors.
const MOST: usize = 1 << 16;

pub(crate) fn cuDeviceGetDevResource(
    device: CUdevice,
    resource: Out<CUdevResource>,
    kind: CUdevResourceType,
) -> CUres {
    resource.check()?;
    get(&Part::all_of(driver()?.device(device)?), resource, kind)
}

/// All of the device's, but for those of a green context.
pub(crate) fn cuCtxGetDevResource(
    context: CUcontext,
    resource: Out<CUdevResource>,
    kind: CUdevResourceType,
) -> CUres {
    resource.check()?;
    if context.is_null() {
        return Err(CUerror::INVALID_CONTEXT);
    }
    let current = Place::from_handle(context)?.enter()?;
    get(&current.place().part()?, resource, kind)
}

pub(crate) fn cuGreenCtxGetDevResource(
    green: Arc<Green>,
    resource: Out<CUdevResource>,
    kind: CUdevResourceType,
) -> CUres {
    resource.check()?;
    get(&green.enter()?.place().part()?, resource, kind)
}

fn get(part: &Part, resource: Out<CUdevResource>, kind: CUdevResourceType) -> CUres {
    if kind != CUdevResourceType::CU_DEV_RESOURCE_TYPE_SM {
        return Err(CUerror::INVALID_RESOURCE_TYPE);
    }
    resource.set(part.resource()?)
}

/// What remains where nothing does.
fn nothing() -> CUdevResource {
    // SAFETY: numbers, of which zeros are such a resource.
    unsafe { std::mem::zeroed() }
}

pub(crate) fn cuDevSmResourceSplitByCount(
    result: Out<CUdevResource>,
    groups: *mut c_uint,
    input: In<CUdevResource>,
    remaining: Out<CUdevResource>,
    flags: c_uint,
    least: c_uint,
) -> CUres {
    let most = In::of(groups.cast_const()).get()?;
    let whole = input.get()?;
    // An H100 refuses both flags at once, and no unknown ones.
    let alone = CUdevSmResourceSplit_flags::CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING.0;
    let large = CUdevSmResourceSplit_flags::CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE.0;
    if flags & alone != 0 && flags & large != 0 || most == 0 && !result.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    // "If result is NULL, the API simulates a split and provides the amount of groups that would be created in nbGroups."
    let most = if result.is_null() { c_uint::MAX } else { most };
    let split = Part::of_resource(&whole)?.split(most, least, flags & alone == 0)?;
    if !result.is_null() {
        let parts: Vec<_> = split.parts().map(|part| part.resource()).collect::<CUres<_>>()?;
        result.set_all(parts, split.groups as usize);
        remaining.set_if_wanted(match split.rest() {
            Some(rest) => rest.resource()?,
            None => nothing(),
        });
    }
    Out::of(groups).set(split.groups)
}

pub(crate) fn cuDevResourceGenerateDesc(
    description: Out<CUdevResourceDesc>,
    resources: In<CUdevResource>,
    count: c_uint,
) -> CUres {
    description.check()?;
    let resources = resources.array(count as usize, MOST)?;
    let parts: Vec<_> = resources.iter().map(Part::of_resource).collect::<CUres<_>>()?;
    description.set(Description::new(&parts)?.handle()?)
}
