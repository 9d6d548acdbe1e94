//! Tables of handles: numbers that look like pointers and are checked without being followed.
//!
//! A handle is an address in a range where no allocator puts anything, 16-aligned, below 2^47:
//!
//! | bits | what |
//! |---|---|
//! | 45, 46 | 1, 0 |
//! | 40 to 44 | the family of the [`Kind`] of object: a stream is no event |
//! | 24 to 39 | the generation of the slot |
//! | 4 to 23 | the slot |
//! | 0 to 3 | the kind's place in its family |
//!
//! Where an API has handles of 32 bits ([`Integer`]), the slot takes 16 bits, the generation 12 above them, and bit 30 is 1:
//! such a handle is a positive `int`, which no small number is taken for.
//!
//! A slot whose generations are used up is never used again, so a stale handle stays stale for ever.
//! A look-up takes a read lock on its own slot alone and never waits for other handles.

use parking_lot::{Mutex, RwLock};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

mod kind;
mod width;

pub use kind::Kind;
pub use width::{Integer, Pointer, Width};

/// Whether a word looks like a handle of a table with [`Pointer`]s, of any kind, alive or not.
pub fn is_handle(word: u64) -> bool {
    word >> 45 == 1
}

/// The first segment holds this many slots, each further one twice as many as the one before.
const FIRST_SEGMENT: u32 = 64;
const SEGMENTS: usize = (Pointer::INDEX_BITS - FIRST_SEGMENT.trailing_zeros() + 1) as usize;

/// The objects of one kind that programs hold handles to, which are as wide as `W` says.
#[derive(Debug)]
pub struct HandleTable<T, W = Pointer> {
    kind: Kind,
    width: PhantomData<W>,
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

impl<T, W: Width> HandleTable<T, W> {
    /// The number of objects that can live at once.
    pub const CAPACITY: u32 = 1 << W::INDEX_BITS;

    /// A table whose handles no table of another kind accepts. Handles of 32 bits do not tell kinds apart.
    pub const fn new(kind: Kind) -> Self {
        Self {
            kind,
            width: PhantomData,
            segments: [const { OnceLock::new() }; SEGMENTS],
            free: Mutex::new(FreeSlots { reusable: VecDeque::new(), unused: 0, live: 0 }),
        }
    }

    /// Adds an object. `None`: [`Self::CAPACITY`] objects live already.
    pub fn insert(&self, object: Arc<T>) -> Option<u64> {
        self.insert_with(|_| object)
    }

    /// Adds the object that `make` returns for its future handle.
    pub fn insert_with(&self, make: impl FnOnce(u64) -> Arc<T>) -> Option<u64> {
        let index = {
            let mut free = self.free.lock();
            let index = match free.reusable.pop_front() {
                Some(index) => index,
                None if free.unused < Self::CAPACITY => {
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
            let next = slot.generation.checked_add(1).filter(|next| *next <= W::LAST_GENERATION);
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
        W::encode(self.kind, index, generation)
    }

    fn decode(&self, handle: u64) -> Option<(u32, u16)> {
        let (index, generation) = W::split(handle);
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
