//! Addresses and memory apart from each other: reservations of addresses, memory without an address, and what maps the
//! one to the other.
//!
//! A reservation is a mapping of its own that cannot be accessed; memory is a [`Piece`] of a file, which takes the place
//! of a part of it. To the rest of this library a reservation is one range of device memory: who accesses what is not
//! mapped there faults.

use std::collections::BTreeMap;
use std::sync::Arc;

use hip_runtime_sys::hipError_t;
use parking_lot::Mutex;

use super::apart::{self, place};
use super::device::Device;
use super::memory::Kind;
use super::tables::tables;
use crate::os::backing_file::{Piece, of_descriptor};
use crate::os::memory;
use zluda_common::config::MOST_DEVICES;

/// The unit of sizes and addresses: the size of large pages, as on an H100.
pub const GRANULARITY: usize = 2 << 20;

const INVALID: hipError_t = hipError_t::hipErrorInvalidValue;
const OUT_OF_MEMORY: hipError_t = hipError_t::hipErrorOutOfMemory;

/// Memory without an address: it is there as long as a handle or a mapping has it.
pub struct Physical {
    pub piece: Piece,
    /// The device that it is memory of, which it counts against; none for memory of other processes, which counts there.
    device: Option<&'static Device>,
}

impl Physical {
    /// New memory; other processes can get it if it `is_shareable`.
    pub fn new(
        device: &'static Device,
        size: usize,
        is_shareable: bool,
    ) -> Result<Physical, hipError_t> {
        let memory = &tables().memory;
        memory.count(device, size)?;
        let piece = if is_shareable { Piece::of_own(size) } else { Piece::of_common(size) };
        match piece {
            Ok(piece) => Ok(Physical { piece, device: Some(device) }),
            Err(error) => {
                memory.discount(device, size);
                Err(error)
            }
        }
    }

    /// Memory that this process or another has made.
    pub fn import(fd: i32) -> Result<Physical, hipError_t> {
        Ok(Physical { piece: Piece::of_file(of_descriptor(fd)?)?, device: None })
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        if let Some(device) = self.device {
            tables().memory.discount(device, self.piece.size);
        }
    }
}

/// What lies in a part of a reservation.
struct Mapping {
    size: usize,
    memory: Arc<Physical>,
    /// [`memory::READ`] and [`memory::WRITE`], for each device.
    access: [i32; MOST_DEVICES],
}

#[derive(Default)]
pub struct VirtualMemory(Mutex<State>);

#[derive(Default)]
struct State {
    /// Sizes of reservations, by first address.
    reservations: BTreeMap<usize, usize>,
    mappings: BTreeMap<usize, Mapping>,
}

impl State {
    /// The reservation that holds a whole range.
    fn is_reserved(&self, start: usize, size: usize) -> bool {
        let Some(end) = start.checked_add(size) else { return false };
        self.reservations.range(..=start).next_back().is_some_and(|(first, all)| end <= first + all)
    }

    /// Whether any mapping has a byte of a range.
    fn has_mapping(&self, start: usize, size: usize) -> bool {
        let last = self.mappings.range(..start + size).next_back();
        last.is_some_and(|(first, mapping)| first + mapping.size > start)
    }

    /// The first addresses of the mappings that together are exactly this range; `INVALID` if there are none.
    fn exactly(&self, start: usize, size: usize) -> Result<Vec<usize>, hipError_t> {
        let end = start.checked_add(size).filter(|_| size != 0).ok_or(INVALID)?;
        let (mut next, mut starts) = (start, Vec::new());
        while next < end {
            let mapping = self.mappings.get(&next).ok_or(INVALID)?;
            starts.push(next);
            next += mapping.size;
        }
        if next == end { Ok(starts) } else { Err(INVALID) }
    }
}

impl VirtualMemory {
    /// Takes `size` bytes of address space, whole pages, at a multiple of `align`, a power of two; at `hint` if that is
    /// free.
    pub fn reserve(&self, size: usize, align: usize, hint: usize) -> Result<usize, hipError_t> {
        let align = align.max(GRANULARITY);
        let found = at_hint(size, align, hint).or_else(|| apart::reserve(size, align));
        let start = apart::address(found.ok_or(OUT_OF_MEMORY)?);
        tables()
            .memory
            .register(start, size, Kind::Reserved, 0)
            .inspect_err(|_| apart::release(place(start), size))?;
        self.0.lock().reservations.insert(start, size);
        Ok(start)
    }

    /// Gives a whole reservation back, in which nothing is mapped.
    pub fn free(&self, start: usize, size: usize) -> Result<(), hipError_t> {
        let mut state = self.0.lock();
        if state.reservations.get(&start) != Some(&size) || state.has_mapping(start, size) {
            return Err(INVALID);
        }
        state.reservations.remove(&start);
        tables().memory.detach(start, |kind| kind == Kind::Reserved);
        apart::release(place(start), size);
        Ok(())
    }

    /// Puts the beginning of memory into a part of a reservation, where it cannot be accessed yet.
    pub fn map(
        &self,
        start: usize,
        size: usize,
        physical: Arc<Physical>,
    ) -> Result<(), hipError_t> {
        let mut state = self.0.lock();
        if !state.is_reserved(start, size)
            || state.has_mapping(start, size)
            || size == 0
            || size > physical.piece.size
        {
            return Err(INVALID);
        }
        if !memory::map_file(place(start), size, memory::NONE, &physical.piece, 0) {
            return Err(OUT_OF_MEMORY);
        }
        let access = [memory::NONE; MOST_DEVICES];
        state.mappings.insert(start, Mapping { size, memory: physical, access });
        Ok(())
    }

    /// Makes mappings, which together are exactly this range, parts of the reservation again. No work uses them any more.
    pub fn unmap(&self, start: usize, size: usize) -> Result<(), hipError_t> {
        let mut state = self.0.lock();
        let starts = state.exactly(start, size)?;
        if !memory::unmap_file(place(start), size) {
            return Err(OUT_OF_MEMORY);
        }
        for start in starts {
            state.mappings.remove(&start);
        }
        Ok(())
    }

    /// Lets a device access mappings, which together are exactly this range, so from now on. The processor does what any
    /// device may.
    pub fn set_access(
        &self,
        device: &Device,
        start: usize,
        size: usize,
        access: i32,
    ) -> Result<(), hipError_t> {
        let mut state = self.0.lock();
        for start in state.exactly(start, size)? {
            let Some(mapping) = state.mappings.get_mut(&start) else { continue };
            mapping.access[device.ordinal] = access;
            let all = mapping.access.iter().fold(memory::NONE, |all, access| all | access);
            if !memory::protect(place(start), mapping.size, all) {
                return Err(OUT_OF_MEMORY);
            }
        }
        Ok(())
    }

    /// Whether a device could then access all in mappings, which together are exactly this range, that it can now.
    pub fn is_widened(
        &self,
        device: &Device,
        start: usize,
        size: usize,
        access: i32,
    ) -> Result<bool, hipError_t> {
        let state = self.0.lock();
        let starts = state.exactly(start, size)?;
        let mut mappings = starts.iter().filter_map(|start| state.mappings.get(start));
        Ok(mappings.all(|mapping| mapping.access[device.ordinal] & !access == 0))
    }

    /// How a device can access the mapping that holds an address, and its memory.
    pub fn find(&self, device: &Device, address: usize) -> Option<(i32, Arc<Physical>)> {
        let state = self.0.lock();
        let (start, mapping) = state.mappings.range(..=address).next_back()?;
        let access = mapping.access[device.ordinal];
        (address - start < mapping.size).then(|| (access, mapping.memory.clone()))
    }
}

/// The place of address space where the program would like it to be, if it is free there.
fn at_hint(size: usize, align: usize, hint: usize) -> Option<usize> {
    if hint == 0 || !hint.is_multiple_of(align) {
        return None;
    }
    apart::reserve_at(hint, size)
}
