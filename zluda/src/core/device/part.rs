//! Parts of devices: multiprocessors, as they are divided among green contexts.

use super::Device;
use super::driver::driver;
use cuda_types::cuda::{
    CUdevResource, CUdevResource_st__bindgen_ty_1 as Union, CUdevResourceDesc, CUdevResourceType,
    CUdevSmResource, CUerror, CUres,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

/// The sizes that parts of a device have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grain {
    /// The least number of multiprocessors.
    pub(crate) least: u32,
    /// What their number is a multiple of, but where a part is all there are.
    pub(crate) multiple: u32,
}

impl Grain {
    /// Any number of multiprocessors.
    pub(crate) const ONE: Grain = Grain { least: 1, multiple: 1 };

    /// That of an NVIDIA device of this major compute capability: "On Compute Architecture 6.X: The minimum count is 2 SMs
    /// and must be a multiple of 2. 7.X: 2 SMs and must be a multiple of 2. 8.X: 4 SMs and must be a multiple of 2. 9.0+: 8
    /// SMs and must be a multiple of 8." Two, as an H100 has it, where the blocks of a cluster need not run on the part
    /// together.
    pub(crate) fn of_capability(major: u32, together: bool) -> Grain {
        let (least, multiple) = match (major, together) {
            (0..=7, _) | (_, false) => (2, 2),
            (8, true) => (4, 2),
            (_, true) => (8, 8),
        };
        Grain { least, multiple }
    }

    /// The least size that is at least `wanted`, in a device of `all` multiprocessors; none where that is more than all.
    fn size(self, wanted: u32, all: u32) -> Option<u32> {
        let size = wanted.max(self.least).checked_next_multiple_of(self.multiple).unwrap_or(all);
        (wanted <= all).then_some(size.min(all))
    }
}

/// Some multiprocessors of a device, whichever they are: a resource of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The ordinal of the device.
    device: i32,
    count: u32,
    /// It came from a split, which nothing that did is given to again.
    is_split: bool,
}

/// What all resources have that the driver made, in the words of theirs that only the driver reads: this one, the device,
/// the number of multiprocessors, and whether they came from a split.
const MARK: u32 = 0x5043_4b5a;

const WORDS: usize = size_of::<[u8; 92]>() / 4;

impl Part {
    /// All multiprocessors of a device.
    pub(crate) fn all_of(device: &Device) -> Part {
        let count = device.properties.multiprocessors as u32;
        Part { device: device.ordinal, count, is_split: false }
    }

    /// The part that a resource is. `INVALID_RESOURCE_TYPE` for what is no multiprocessors, and
    /// `INVALID_RESOURCE_CONFIGURATION` for what the driver has not made.
    pub(crate) fn of_resource(resource: &CUdevResource) -> CUres<Part> {
        if resource.type_ != CUdevResourceType::CU_DEV_RESOURCE_TYPE_SM {
            return Err(CUerror::INVALID_RESOURCE_TYPE);
        }
        let word = |i: usize| {
            resource._internal_padding[4 * i..][..4]
                .iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u32::from(*byte))
        };
        // SAFETY: all bits are numbers.
        let told = unsafe { resource.__bindgen_anon_1.sm.smCount };
        let invalid = CUerror::INVALID_RESOURCE_CONFIGURATION;
        let (device, count) = (word(1) as i32, word(2));
        let all = Part::all_of(driver()?.device(device).map_err(|_| invalid)?).count;
        if word(0) != MARK || count != told || count == 0 || count > all {
            return Err(invalid);
        }
        Ok(Part { device, count, is_split: word(3) != 0 })
    }

    /// The part as a resource; one that came from a split tells no sizes, as on an H100.
    pub(crate) fn resource(&self) -> CUres<CUdevResource> {
        let grain = match self.is_split {
            true => Grain { least: 0, multiple: 0 },
            false => self.device()?.backend.grain(true),
        };
        let mut words = [0; WORDS];
        words[..4].copy_from_slice(&[MARK, self.device as u32, self.count, self.is_split.into()]);
        let mut padding = [0; 4 * WORDS];
        for (bytes, word) in padding.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&u32::to_le_bytes(word));
        }
        let mut resource = CUdevResource {
            type_: CUdevResourceType::CU_DEV_RESOURCE_TYPE_SM,
            _internal_padding: padding,
            // Newer versions of CUDA have more members.
            __bindgen_anon_1: Union { _oversize: [0; 48] },
        };
        resource.__bindgen_anon_1.sm = CUdevSmResource {
            smCount: self.count,
            minSmPartitionSize: grain.least,
            smCoscheduledAlignment: grain.multiple,
        };
        Ok(resource)
    }

    /// Divides what is no part of a split into equal groups of at least `wanted` multiprocessors, at most `most` groups.
    /// `INVALID_RESOURCE_CONFIGURATION` where there are not so many.
    pub(crate) fn split(&self, most: u32, wanted: u32, together: bool) -> CUres<Split> {
        let invalid = CUerror::INVALID_RESOURCE_CONFIGURATION;
        if self.is_split {
            return Err(invalid);
        }
        let grain = self.device()?.backend.grain(together);
        let size = grain.size(wanted, self.count).ok_or(invalid)?;
        Ok(Split { whole: *self, size, groups: most.min(self.count / size) })
    }

    fn device(&self) -> CUres<&'static Device> {
        driver()?.device(self.device)
    }
}

/// A part that has been divided.
pub(crate) struct Split {
    whole: Part,
    size: u32,
    pub(crate) groups: u32,
}

impl Split {
    /// Equal groups.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part> {
        (0..self.groups).map(|_| Part { count: self.size, is_split: true, ..self.whole })
    }

    /// What no group has, if there is any.
    pub(crate) fn rest(&self) -> Option<Part> {
        let count = self.whole.count - self.groups * self.size;
        (count != 0).then_some(Part { count, is_split: true, ..self.whole })
    }
}

/// The multiprocessors that a green context is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Description {
    /// The ordinal of the device.
    pub(crate) device: i32,
    /// The number of multiprocessors.
    pub(crate) count: u32,
}

/// Nothing ends a description: there is one handle for all that are equal.
static DESCRIPTIONS: LazyLock<HandleTable<Description>> =
    LazyLock::new(|| HandleTable::new(Kind::RESOURCE_DESCRIPTION));
static HANDLES: Mutex<BTreeMap<Description, u64>> = Mutex::new(BTreeMap::new());

impl Description {
    /// All of these parts together, at most `all`, which is what the device has; `INVALID_VALUE` for none. An H100 counts
    /// what is there twice twice.
    fn of(parts: &[Part], all: u32) -> CUres<Description> {
        let device = parts.first().ok_or(CUerror::INVALID_VALUE)?.device;
        // "If multiple resources are provided in resources, the device they came from must be the same, otherwise
        // CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION is returned."
        if parts.iter().any(|part| part.device != device) {
            return Err(CUerror::INVALID_RESOURCE_CONFIGURATION);
        }
        let count = parts.iter().fold(0, |sum: u32, part| sum.saturating_add(part.count));
        Ok(Description { device, count: count.min(all) })
    }

    /// As above.
    pub(crate) fn new(parts: &[Part]) -> CUres<Description> {
        let device = parts.first().ok_or(CUerror::INVALID_VALUE)?.device()?;
        Description::of(parts, Part::all_of(device).count)
    }

    /// The whole device.
    pub(crate) fn all_of(device: &Device) -> Description {
        Description { device: device.ordinal, count: Part::all_of(device).count }
    }

    /// The description with this handle; `INVALID_VALUE` if there is none.
    pub(crate) fn from_handle(handle: CUdevResourceDesc) -> CUres<Description> {
        DESCRIPTIONS.get(handle as u64).map(|found| *found).ok_or(CUerror::INVALID_VALUE)
    }

    /// The program's handle.
    pub(crate) fn handle(self) -> CUres<CUdevResourceDesc> {
        let mut handles = HANDLES.lock();
        if let Some(handle) = handles.get(&self) {
            return Ok(*handle as CUdevResourceDesc);
        }
        let handle = DESCRIPTIONS.insert(Arc::new(self)).ok_or(CUerror::OUT_OF_MEMORY)?;
        handles.insert(self, handle);
        Ok(handle as CUdevResourceDesc)
    }

    /// The multiprocessors as one resource, which may be split.
    pub(crate) fn part(&self) -> Part {
        Part { device: self.device, count: self.count, is_split: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers of an H100 with 132 multiprocessors.
    #[test]
    fn groups_are_as_large_as_on_an_h100() {
        let together = [
            (0, Some(8)),
            (1, Some(8)),
            (8, Some(8)),
            (9, Some(16)),
            (20, Some(24)),
            (64, Some(64)),
            (100, Some(104)),
            (132, Some(132)),
            (133, None),
            (u32::MAX, None),
        ];
        let alone = [
            (0, Some(2)),
            (4, Some(4)),
            (7, Some(8)),
            (9, Some(10)),
            (132, Some(132)),
            (133, None),
        ];
        for (sizes, is_together) in [(&together[..], true), (&alone[..], false)] {
            for (wanted, size) in sizes {
                let grain = Grain::of_capability(9, is_together);
                assert_eq!(grain.size(*wanted, 132), *size, "{wanted}, {is_together}");
            }
        }
    }

    #[test]
    fn groups_and_the_rest_are_the_whole() {
        let whole = Part { device: 0, count: 132, is_split: false };
        let split = Split { whole, size: 16, groups: 3 };
        let rest = split.rest().unwrap();
        assert_eq!((rest.count, rest.is_split), (84, true));
        let parts: Vec<_> = split.parts().chain([rest]).collect();
        let count = |parts: &[Part]| Description::of(parts, 132).unwrap().count;
        assert_eq!(count(&parts), 132);
        assert!(Split { whole, size: 132, groups: 1 }.rest().is_none());
        // What an H100 says of parts that are the same, and of a part and the whole.
        assert_eq!([count(&[parts[0]; 2]), count(&[whole, parts[0]])], [32, 132]);
        let elsewhere = Part { device: 1, ..parts[0] };
        let error = CUerror::INVALID_RESOURCE_CONFIGURATION;
        assert_eq!(Description::of(&[parts[0], elsewhere], 132), Err(error));
    }
}
