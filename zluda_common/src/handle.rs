//! Tables of handles: numbers that look like pointers and are checked without being followed.
//!
//! A handle is an address in a range where no allocator puts anything, 16-aligned, below 2^47:
//!
//! | bits | what |
//! |---|---|
//! | 45, 46 | 1, 0 |
//! | 40 to 44 | the kind of object: a stream is no event |
//! | 24 to 39 | the generation of the slot |
//! | 4 to 23 | the slot |
//! | 0 to 3 | 0 |
//!
//! A slot whose generations are used up is never used again, so a stale handle stays stale for ever.
//! A look-up takes a read lock on its own slot alone and never waits for other handles.

use parking_lot::{Mutex, RwLock};
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

const PREFIX: u64 = 0b01;
const PREFIX_SHIFT: u32 = 45;
const KIND_SHIFT: u32 = 40;
const KIND_BITS: u32 = PREFIX_SHIFT - KIND_SHIFT;
const GENERATION_SHIFT: u32 = 24;
const INDEX_SHIFT: u32 = 4;
const INDEX_BITS: u32 = GENERATION_SHIFT - INDEX_SHIFT;

/// The first segment holds this many slots, each further one twice as many as the one before.
const FIRST_SEGMENT: u32 = 64;
const SEGMENTS: usize = (INDEX_BITS - FIRST_SEGMENT.trailing_zeros() + 1) as usize;

/// The number of objects of a kind that can live at once.
pub const CAPACITY: u32 = 1 << INDEX_BITS;

/// The objects of one kind that programs hold handles to.
#[derive(Debug)]
pub struct HandleTable<T> {
    kind: u8,
    segments: [OnceLock<Box<[Slot<T>]>>; SEGMENTS],
    free: Mutex<FreeSlots>,
}

type Slot<T> = RwLock<SlotState<T>>;

#[derive(Debug)]
struct SlotState<T> {
    /// That of the object in the slot, or of the next one.
    generation: u16,
    object: Option<Arc<T>>,
}

/// Slots are used in the order in which they became free, so that generations last long.
#[derive(Debug)]
struct FreeSlots {
    reusable: VecDeque<u32>,
    /// All slots from here on have never been used.
    unused: u32,
    live: u32,
}

impl<T> HandleTable<T> {
    /// A table whose handles no table of another `kind` (below 32) accepts.
    pub const fn new(kind: u8) -> Self {
        assert!((kind as u32) < 1 << KIND_BITS);
        Self {
            kind,
            segments: [const { OnceLock::new() }; SEGMENTS],
            free: Mutex::new(FreeSlots { reusable: VecDeque::new(), unused: 0, live: 0 }),
        }
    }

    /// Adds an object. `None`: [`CAPACITY`] objects live already.
    pub fn insert(&self, object: Arc<T>) -> Option<u64> {
        self.insert_with(|_| object)
    }

    /// Adds the object that `make` returns for its future handle.
    pub fn insert_with(&self, make: impl FnOnce(u64) -> Arc<T>) -> Option<u64> {
        let index = {
            let mut free = self.free.lock();
            let index = match free.reusable.pop_front() {
                Some(index) => index,
                None if free.unused < CAPACITY => {
                    free.unused += 1;
                    free.unused - 1
                }
                None => return None,
            };
            free.live += 1;
            index
        };
        let (segment, offset) = position(index);
        let slots = self.segments[segment].get_or_init(|| {
            (0..segment_length(segment))
                .map(|_| RwLock::new(SlotState { generation: 0, object: None }))
                .collect()
        });
        let handle = self.encode(index, slots[offset].read().generation);
        let object = make(handle);
        slots[offset].write().object = Some(object);
        Some(handle)
    }

    /// The object, if `handle` came from this table and has not been removed.
    pub fn get(&self, handle: u64) -> Option<Arc<T>> {
        let (index, generation) = self.decode(handle)?;
        let (segment, offset) = position(index);
        let slot = self.segments[segment].get()?[offset].read();
        if slot.generation == generation { slot.object.clone() } else { None }
    }

    /// Ends the handle and returns its object, if there was one.
    pub fn remove(&self, handle: u64) -> Option<Arc<T>> {
        let (index, generation) = self.decode(handle)?;
        let (segment, offset) = position(index);
        let (object, reusable) = {
            let mut slot = self.segments[segment].get()?[offset].write();
            if slot.generation != generation {
                return None;
            }
            let object = slot.object.take()?;
            // The last generation has nothing after it: the slot retires.
            let next = slot.generation.checked_add(1);
            slot.generation = next.unwrap_or(slot.generation);
            (object, next.is_some())
        };
        let mut free = self.free.lock();
        free.live -= 1;
        if reusable {
            free.reusable.push_back(index);
        }
        Some(object)
    }

    /// All handles and objects of this moment.
    pub fn all(&self) -> Vec<(u64, Arc<T>)> {
        let used = self.free.lock().unused;
        (0..used)
            .filter_map(|index| {
                let (segment, offset) = position(index);
                let slot = self.segments[segment].get()?[offset].read();
                slot.object.clone().map(|object| (self.encode(index, slot.generation), object))
            })
            .collect()
    }

    /// The number of objects that live.
    pub fn len(&self) -> usize {
        self.free.lock().live as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn encode(&self, index: u32, generation: u16) -> u64 {
        PREFIX << PREFIX_SHIFT
            | u64::from(self.kind) << KIND_SHIFT
            | u64::from(generation) << GENERATION_SHIFT
            | u64::from(index) << INDEX_SHIFT
    }

    fn decode(&self, handle: u64) -> Option<(u32, u16)> {
        let index = (handle >> INDEX_SHIFT) as u32 & (CAPACITY - 1);
        let generation = (handle >> GENERATION_SHIFT) as u16;
        (self.encode(index, generation) == handle).then_some((index, generation))
    }
}

/// The segment of a slot, and its place there.
fn position(index: u32) -> (usize, usize) {
    let shifted = index + FIRST_SEGMENT;
    let power = shifted.ilog2();
    let segment = power - FIRST_SEGMENT.ilog2();
    (segment as usize, (shifted - (1 << power)) as usize)
}

fn segment_length(segment: usize) -> u32 {
    FIRST_SEGMENT << segment
}

#[cfg(test)]
mod tests;
