//! Hints about the use of managed memory: nothing follows them, but programs may ask for what they have said.
//!
//! They are kept for pages, as parts of an allocation in which all pages have the same hints.

use cuda_types::cuda::{
    CU_DEVICE_CPU, CU_DEVICE_INVALID, CUdevice, CUmem_advise as Advice, CUmemLocation,
    CUmemLocationType as Type,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// "The start address and end address of the memory range will be rounded down and rounded up respectively to be aligned to
/// CPU page size before the advice is applied."
const PAGE: usize = 4 << 10;

/// A place of memory: a device, the host, or a part of its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    kind: u32,
    id: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Hint {
    read_mostly: bool,
    preferred: Option<Place>,
    accessed_by: BTreeSet<CUdevice>,
    last_prefetch: Option<Place>,
}

/// The hints of one allocation: each part, by its first page, reaches to the next one. None: nothing was said.
#[derive(Debug, Default)]
pub(crate) struct Hints(BTreeMap<usize, Hint>);

impl Place {
    /// The place of a location; the number of a device alone counts for devices, and of a node for nodes.
    pub(crate) fn new(location: CUmemLocation) -> Place {
        let (kind, id) = match location.type_ {
            // Which node a processor is close to makes no difference here.
            Type::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => {
                (Type::CU_MEM_LOCATION_TYPE_HOST_NUMA, 0)
            }
            Type::CU_MEM_LOCATION_TYPE_DEVICE | Type::CU_MEM_LOCATION_TYPE_HOST_NUMA => {
                (location.type_, location.id)
            }
            kind => (kind, 0),
        };
        Place { kind: kind.0, id }
    }

    /// The place that a device's number means, where the host has one too.
    pub(crate) fn of_device(device: CUdevice) -> Place {
        let type_ = match device {
            CU_DEVICE_CPU => Type::CU_MEM_LOCATION_TYPE_HOST,
            _ => Type::CU_MEM_LOCATION_TYPE_DEVICE,
        };
        Place::new(CUmemLocation { type_, id: device })
    }

    /// The number of the device, which the host has too; none of parts of the host's memory.
    fn device(self) -> CUdevice {
        match Type(self.kind) {
            Type::CU_MEM_LOCATION_TYPE_DEVICE => self.id,
            Type::CU_MEM_LOCATION_TYPE_HOST => CU_DEVICE_CPU,
            _ => CU_DEVICE_INVALID,
        }
    }
}

/// The pages that have some byte of a range of bytes, which is not empty.
fn pages(bytes: &Range<usize>) -> Range<usize> {
    bytes.start / PAGE..bytes.end.div_ceil(PAGE)
}

impl Hints {
    /// Begins a part at a page, where a part goes on by now.
    fn split(&mut self, page: usize) {
        let hint = self.0.range(..=page).next_back().map(|(_, hint)| hint.clone());
        self.0.entry(page).or_insert(hint.unwrap_or_default());
    }

    /// Changes the hints for a range of bytes.
    fn change(&mut self, bytes: &Range<usize>, change: impl Fn(&mut Hint)) {
        let pages = pages(bytes);
        self.split(pages.start);
        self.split(pages.end);
        self.0.range_mut(pages).for_each(|(_, hint)| change(hint));
        // Neighbours that are alike are one part.
        let mut last = Hint::default();
        self.0.retain(|_, hint| {
            let differs = *hint != last;
            last = hint.clone();
            differs
        });
    }

    /// Takes an advice about a range of bytes.
    pub(crate) fn advise(&mut self, bytes: &Range<usize>, advice: Advice, place: Place) {
        self.change(bytes, |hint| match advice {
            Advice::CU_MEM_ADVISE_SET_READ_MOSTLY => hint.read_mostly = true,
            Advice::CU_MEM_ADVISE_UNSET_READ_MOSTLY => hint.read_mostly = false,
            Advice::CU_MEM_ADVISE_SET_PREFERRED_LOCATION => hint.preferred = Some(place),
            Advice::CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION => hint.preferred = None,
            Advice::CU_MEM_ADVISE_SET_ACCESSED_BY => _ = hint.accessed_by.insert(place.device()),
            _ => _ = hint.accessed_by.remove(&place.device()),
        });
    }

    /// A program wants a range of bytes to be in a place.
    pub(crate) fn prefetch(&mut self, bytes: &Range<usize>, place: Place) {
        self.change(bytes, |hint| hint.last_prefetch = Some(place));
    }

    /// The hints of each part of a range of bytes.
    fn of(&self, bytes: &Range<usize>) -> Vec<Hint> {
        let pages = pages(bytes);
        let first = self.0.range(..=pages.start).next_back().map(|(_, hint)| hint.clone());
        let others = self.0.range(pages.start + 1..pages.end.max(pages.start + 1));
        std::iter::once(first.unwrap_or_default())
            .chain(others.map(|(_, hint)| hint.clone()))
            .collect()
    }

    /// "1 if all pages in the given memory range have read-duplication enabled"
    pub(crate) fn read_mostly(&self, bytes: &Range<usize>) -> bool {
        self.of(bytes).iter().all(|hint| hint.read_mostly)
    }

    /// The devices that have been said to access the whole range, the host last.
    pub(crate) fn accessed_by(&self, bytes: &Range<usize>) -> Vec<CUdevice> {
        let parts = self.of(bytes).into_iter().map(|hint| hint.accessed_by);
        let all = parts.reduce(|all, part| &all & &part).unwrap_or_default();
        let (host, mut devices): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|device| *device == CU_DEVICE_CPU);
        devices.extend(host);
        devices
    }

    /// The place that the whole range is to be in best.
    pub(crate) fn preferred(&self, bytes: &Range<usize>) -> Answer {
        Answer::common(self.of(bytes).iter().map(|hint| hint.preferred))
    }

    /// The place that the whole range was asked to be in last.
    pub(crate) fn last_prefetch(&self, bytes: &Range<usize>) -> Answer {
        Answer::common(self.of(bytes).iter().map(|hint| hint.last_prefetch))
    }
}

/// The place that all pages of a range have, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer(Option<Place>);

impl Answer {
    fn common(mut places: impl Iterator<Item = Option<Place>>) -> Answer {
        let first = places.next().flatten();
        Answer(first.filter(|_| places.all(|place| place == first)))
    }

    /// As the number of a device: `CU_DEVICE_CPU` is the host, `CU_DEVICE_INVALID` no place, or a part of the host's memory.
    pub(crate) fn device(self) -> CUdevice {
        self.0.map_or(CU_DEVICE_INVALID, Place::device)
    }

    /// As a type of location.
    pub(crate) fn kind(self) -> i32 {
        self.0.map_or(Type::CU_MEM_LOCATION_TYPE_INVALID.0, |place| place.kind) as i32
    }

    /// The number that belongs to the type.
    pub(crate) fn id(self) -> i32 {
        self.0.map_or(CU_DEVICE_INVALID, |place| place.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: CUdevice = 0;

    #[test]
    fn advice_counts_for_whole_ranges() {
        let mut hints = Hints::default();
        let device = Place::of_device(FIRST);
        hints.advise(&(0..100), Advice::CU_MEM_ADVISE_SET_READ_MOSTLY, device);
        assert!(hints.read_mostly(&(0..PAGE)), "the page counts");
        assert!(!hints.read_mostly(&(0..PAGE + 1)));
        assert!(!hints.read_mostly(&(PAGE..2 * PAGE)));
        hints.advise(&(PAGE..3 * PAGE), Advice::CU_MEM_ADVISE_SET_READ_MOSTLY, device);
        assert!(hints.read_mostly(&(0..3 * PAGE)));
        hints.advise(&(PAGE..PAGE + 1), Advice::CU_MEM_ADVISE_UNSET_READ_MOSTLY, device);
        assert!(!hints.read_mostly(&(0..3 * PAGE)));
        assert!(hints.read_mostly(&(2 * PAGE..3 * PAGE)));
        hints.advise(&(0..3 * PAGE), Advice::CU_MEM_ADVISE_UNSET_READ_MOSTLY, device);
        assert!(hints.0.is_empty(), "{hints:?}");
    }

    #[test]
    fn places_are_told_in_each_form() {
        let mut hints = Hints::default();
        let all = 0..4 * PAGE;
        assert_eq!(hints.preferred(&all).device(), CU_DEVICE_INVALID);
        hints.advise(&all, Advice::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, Place::of_device(FIRST));
        let answer = hints.preferred(&all);
        assert_eq!((answer.device(), answer.kind(), answer.id()), (FIRST, 1, FIRST));
        let host = Place::of_device(CU_DEVICE_CPU);
        hints.advise(&(0..PAGE), Advice::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host);
        assert_eq!(hints.preferred(&all), Answer(None));
        let answer = hints.preferred(&(0..PAGE));
        assert_eq!((answer.device(), answer.kind()), (CU_DEVICE_CPU, 2));
        let node = CUmemLocation { type_: Type::CU_MEM_LOCATION_TYPE_HOST_NUMA, id: 3 };
        hints.prefetch(&all, Place::new(node));
        let answer = hints.last_prefetch(&all);
        assert_eq!((answer.device(), answer.kind(), answer.id()), (CU_DEVICE_INVALID, 3, 3));
    }

    #[test]
    fn devices_that_access_all_of_it() {
        let mut hints = Hints::default();
        let advise = |hints: &mut Hints, bytes: Range<usize>, advice, device| {
            hints.advise(&bytes, advice, Place::of_device(device));
        };
        let (set, unset) =
            (Advice::CU_MEM_ADVISE_SET_ACCESSED_BY, Advice::CU_MEM_ADVISE_UNSET_ACCESSED_BY);
        advise(&mut hints, 0..2 * PAGE, set, FIRST);
        advise(&mut hints, PAGE..2 * PAGE, set, CU_DEVICE_CPU);
        assert_eq!(hints.accessed_by(&(0..2 * PAGE)), [FIRST]);
        assert_eq!(hints.accessed_by(&(PAGE..2 * PAGE)), [FIRST, CU_DEVICE_CPU]);
        assert_eq!(hints.accessed_by(&(0..3 * PAGE)), []);
        advise(&mut hints, 0..PAGE, unset, FIRST);
        assert_eq!(hints.accessed_by(&(0..2 * PAGE)), []);
    }
}
