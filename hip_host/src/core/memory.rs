//! Memory of the device, which is memory of this process: device and host addresses are the same, unless the executor wants
//! them [apart](super::apart). Then a range begins at an address of the device, and its backing at a place.
//!
//! Large allocations are mappings of their own between inaccessible pages, so that kernels which run past
//! an end fault as they would on a device. Small ones share such mappings.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hip_runtime_sys::hipError_t;
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use rustc_hash::FxHashMap;
use zluda_common::config::{MOST_DEVICES, config};

use super::apart;
use super::context::{Context, current};
use super::device::{self, Device};
use crate::os::backing_file::{Growing, Piece};
use crate::os::shared_table::{Bytes, SharedMemory};
use crate::os::{machine, memory as os};
use crate::ranges::FreeRanges;
use crate::work::op::Op;

/// The kind of memory that a range is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `hipMalloc`
    Device,
    /// `hipMallocManaged`
    Managed,
    /// An array, which programs have no addresses of.
    Array,
    /// `hipHostMalloc`
    Host,
    /// The program's own, made known by `hipHostRegister`.
    Registered,
    /// A variable of a module.
    Variable,
    /// Address space that memory is mapped to, see [`super::virtual_memory`].
    Reserved,
    /// Device memory of another process, of a pool of its, or of another interface.
    Imported,
    /// The same without a pool: it is closed, not freed.
    Opened,
}

impl Kind {
    /// Whether work of any device may use it.
    pub fn is_of_all_devices(self) -> bool {
        matches!(self, Kind::Host | Kind::Managed | Kind::Registered)
    }

    /// Whether only the device finds it at its address.
    fn is_apart(self) -> bool {
        !self.is_of_all_devices()
    }

    /// Whether it counts against the limit of the device's memory.
    fn counts(self) -> bool {
        !matches!(self, Kind::Host | Kind::Imported | Kind::Opened)
    }
}

/// A range that pointers are looked up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub start: usize,
    /// As the program asked for, in bytes.
    pub size: usize,
    pub kind: Kind,
    /// The context that it was made in.
    pub context: &'static Context,
    /// The flags that it was made with.
    pub flags: u32,
    /// Unique in the process.
    pub id: u64,
    /// The pool that it was taken from, as a handle; 0: none.
    pub pool: usize,
    backing: Backing,
}

/// The mapping that the bytes of a range come from, by places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backing {
    /// A mapping of its own, guards included.
    Mapping { start: usize, size: usize },
    /// Part of a shared mapping: bytes taken.
    Shared { size: usize },
    /// Not ours.
    Foreign,
}

/// The greatest size that is not a mapping of its own.
const SMALL: usize = 64 << 10;
/// The alignment of small allocations, which is that of textures of memory.
const GRAIN: usize = 512;
/// Bytes of the mappings that small allocations share.
const CHUNK: usize = 2 << 20;
const PAGE: usize = 4 << 10;
const HUGE_PAGE: usize = 2 << 20;

pub struct Memory {
    state: Mutex<State>,
    claims: RwLock<()>,
    /// Operations that give memory back.
    leaving: Mutex<Vec<Arc<Op>>>,
    /// Bytes that a device may have.
    limit: usize,
}

#[derive(Default)]
struct State {
    ranges: BTreeMap<usize, Range>,
    /// The shared mappings, by the place of the first usable byte.
    chunks: BTreeMap<usize, Chunk>,
    /// The parts of files that ranges lie in which are no private memory, by the range's number.
    pieces: FxHashMap<u64, Piece>,
    /// The ranges that other processes can open, by number.
    shared: FxHashMap<u64, SharedMemory>,
    /// Bytes that count against the limit, of each device. Where they have one memory, all count as the first one's.
    used: [usize; MOST_DEVICES],
    next_id: u64,
}

/// A mapping that small allocations share.
struct Chunk {
    backing: Backing,
    free: FreeRanges,
    /// No free range is larger: who wants more need not look at them.
    most: usize,
    /// Whether the memory is the device's alone.
    is_apart: bool,
    /// Allocations in it.
    live: usize,
    /// Bytes that were shared, and that nothing is put into again.
    spent: usize,
    /// The file that it lies in since the first of its allocations was shared.
    piece: Option<Piece>,
}

/// How often ranges have gone.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// A number that is another one once ranges have gone.
pub fn changes() -> u64 {
    CHANGES.load(Ordering::Relaxed)
}

/// Memory that was found stays.
pub type Claim<'a> = RwLockReadGuard<'a, ()>;

impl Default for Memory {
    fn default() -> Self {
        Memory::with_limit(device::share(limit()))
    }
}

impl Memory {
    fn with_limit(limit: usize) -> Memory {
        let (state, leaving) = (Mutex::default(), Mutex::default());
        Memory { state, claims: RwLock::default(), leaving, limit }
    }

    /// Bytes that all allocations of a device's memory together may have.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes of a device that are in use.
    pub fn used(&self, device: &Device) -> usize {
        self.state.lock().used[place(device)]
    }

    /// Makes a range of `size` bytes, which is not 0.
    pub fn allocate(
        &self,
        kind: Kind,
        size: usize,
        flags: u32,
        pool: usize,
    ) -> Result<Range, hipError_t> {
        const ERROR: hipError_t = hipError_t::hipErrorOutOfMemory;
        let context = current();
        let mut state = self.state.lock();
        let taken = if size <= SMALL {
            size.next_multiple_of(GRAIN)
        } else {
            size.checked_next_multiple_of(PAGE).ok_or(ERROR)?
        };
        if kind.counts() {
            state.count(context.device, taken, self.limit)?;
        }
        let result = if size <= SMALL {
            state.take_small(taken, kind.is_apart())
        } else {
            map(taken, within_reach(kind, taken), kind.is_apart())
        };
        let Some((place, backing)) = result else {
            if kind.counts() {
                state.discount(context.device, taken);
            }
            return Err(ERROR);
        };
        let id = state.new_id();
        let start = apart::address(place);
        let range = Range { start, size, kind, context, flags, id, pool, backing };
        state.ranges.insert(start, range);
        Ok(range)
    }

    /// Makes a range in a pool's file.
    pub fn allocate_in(
        &self,
        file: &Arc<Growing>,
        kind: Kind,
        size: usize,
        pool: usize,
    ) -> Result<Range, hipError_t> {
        let taken = size.checked_next_multiple_of(PAGE).ok_or(hipError_t::hipErrorOutOfMemory)?;
        let mut state = self.state.lock();
        let device = current().device;
        if kind.counts() {
            state.count(device, taken, self.limit)?;
        }
        let made =
            file.take(taken).and_then(|piece| state.insert_piece(piece, 0, size, kind, pool));
        if made.is_err() && kind.counts() {
            state.discount(device, taken);
        }
        made
    }

    /// Makes a range of another process's memory: `size` bytes, `offset` bytes from the beginning of a piece. It is of
    /// an imported pool, or, with 0, of none.
    pub fn import(
        &self,
        piece: Piece,
        offset: usize,
        size: usize,
        kind: Kind,
        pool: usize,
    ) -> Result<Range, hipError_t> {
        self.state.lock().insert_piece(piece, offset, size, kind, pool)
    }

    /// Makes a range of a part of a piece, which goes when the program frees it.
    pub fn map(&self, piece: Piece, offset: usize, size: usize) -> Result<Range, hipError_t> {
        self.state.lock().insert_piece(piece, offset, size, Kind::Imported, 0)
    }

    /// The place of a range in the file that it lies in alone.
    pub fn offset_of(&self, range: &Range) -> Option<usize> {
        self.state.lock().pieces.get(&range.id).map(|piece| piece.offset)
    }

    /// The handle by which other processes find an allocation that holds this address, if it is shared already; INVALID for
    /// memory that cannot be.
    pub fn shared(&self, address: usize) -> Result<Option<Bytes>, hipError_t> {
        let range = self.find(address).filter(|range| range.is_shareable());
        let range = range.ok_or(hipError_t::hipErrorInvalidValue)?;
        self.state.lock().shared.get(&range.id).map(SharedMemory::handle).transpose()
    }

    /// Shares an allocation with other processes: it moves into a file, at the same address. Nothing accesses the
    /// memory meanwhile.
    pub fn share(&self, address: usize) -> Result<Bytes, hipError_t> {
        const INVALID: hipError_t = hipError_t::hipErrorInvalidValue;
        let range = self.find(address).filter(Range::is_shareable).ok_or(INVALID)?;
        let mut state = self.state.lock();
        let state = &mut *state;
        if state.ranges.get(&range.start) != Some(&range) {
            return Err(INVALID);
        }
        if let Some(shared) = state.shared.get(&range.id) {
            return shared.handle();
        }
        let shared = match range.backing {
            Backing::Foreign => return Err(INVALID),
            Backing::Mapping { .. } => {
                let piece =
                    move_into_file(apart::place(range.start), range.size.next_multiple_of(PAGE))?;
                let shared = SharedMemory::new(piece.fd(), 0, range.size)?;
                state.pieces.insert(range.id, piece);
                shared
            }
            Backing::Shared { .. } => {
                let place = apart::place(range.start);
                let chunk = state.chunks.range_mut(..=place).next_back();
                let (start, chunk) = chunk.ok_or(INVALID)?;
                let piece = match &mut chunk.piece {
                    Some(piece) => piece,
                    none => none.insert(move_into_file(*start, CHUNK)?),
                };
                SharedMemory::new(piece.fd(), place - start, range.size)?
            }
        };
        let handle = shared.handle()?;
        state.shared.insert(range.id, shared);
        Ok(handle)
    }

    /// Notes an operation that gives memory back.
    pub fn add_leaving(&self, op: Arc<Op>) {
        if op.has_ended() {
            return;
        }
        let mut leaving = self.leaving.lock();
        // Seldom enough for those that are many.
        if leaving.len().is_power_of_two() {
            leaving.retain(|earlier| !earlier.has_ended());
        }
        leaving.push(op);
    }

    /// Allocates by a function that has failed, again each time that memory has come back which was freed in a stream, until
    /// it succeeds. No other work is waited for: it may be this thread that lets it go on.
    pub fn allocate_again<T>(
        &self,
        mut error: hipError_t,
        allocate: impl Fn() -> Result<T, hipError_t>,
    ) -> Result<T, hipError_t> {
        let leaving = std::mem::take(&mut *self.leaving.lock());
        let mut leaving = leaving.into_iter();
        for op in leaving.by_ref() {
            op.wait();
            match allocate() {
                Ok(made) => {
                    leaving.for_each(|op| self.add_leaving(op));
                    return Ok(made);
                }
                Err(again) => error = again,
            }
        }
        Err(error)
    }

    /// Counts bytes that lie elsewhere against the limit.
    pub fn count(&self, device: &Device, size: usize) -> Result<(), hipError_t> {
        self.state.lock().count(device, size, self.limit)
    }

    /// Takes back what [`Memory::count`] has counted.
    pub fn discount(&self, device: &Device, size: usize) {
        self.state.lock().discount(device, size);
    }

    /// As long as the result lives, whoever frees memory waits: what was found stays until work that uses it has begun.
    pub fn claim(&self) -> Claim<'_> {
        self.claims.read_recursive()
    }

    /// Waits until all have let go that found memory before it was detached.
    pub fn wait_for_claims(&self) {
        drop(self.claims.write());
    }

    /// The range that an address lies in.
    pub fn find(&self, address: usize) -> Option<Range> {
        let state = self.state.lock();
        let (_, range) = state.ranges.range(..=address).next_back()?;
        (address - range.start < range.size).then_some(*range)
    }

    /// The bytes that devices can access around an address in a range, or behind it in its last page: the first address, and how
    /// many.
    pub fn reach(&self, address: usize) -> Option<(usize, usize)> {
        let state = self.state.lock();
        let (_, range) = state.ranges.range(..=address).next_back()?;
        if let Backing::Shared { .. } = range.backing {
            let (chunk, _) = state.chunks.range(..=apart::place(range.start)).next_back()?;
            let start = apart::address(*chunk);
            return (address - start < CHUNK).then_some((start, CHUNK));
        }
        let start = range.start / PAGE * PAGE;
        let size = (range.start - start + range.size).checked_next_multiple_of(PAGE)?;
        let size = within_reach(range.kind, size);
        (address - start < size).then_some((start, size))
    }

    /// Takes a range out of the table, by its first address: pointers to it are foreign from now on. The
    /// memory stays until [`Memory::release`].
    pub fn detach(&self, start: usize, wanted: impl Fn(Kind) -> bool) -> Option<Range> {
        self.state.lock().detach(start, wanted)
    }

    /// Gives back the memory of a detached range.
    pub fn release(&self, range: Range) {
        self.state.lock().release(&range);
    }

    /// Both in one, of memory that nothing uses.
    pub fn free(&self, start: usize, wanted: impl Fn(Kind) -> bool) -> Option<Range> {
        let mut state = self.state.lock();
        let range = state.detach(start, wanted)?;
        state.release(&range);
        Some(range)
    }

    /// Makes memory known that is not ours.
    pub fn register(
        &self,
        start: usize,
        size: usize,
        kind: Kind,
        flags: u32,
    ) -> Result<(), hipError_t> {
        let mut state = self.state.lock();
        let end = start.checked_add(size).ok_or(hipError_t::hipErrorInvalidValue)?;
        if let Some((_, other)) = state.ranges.range(..end).next_back()
            && other.start + other.size > start
        {
            return Err(hipError_t::hipErrorHostMemoryAlreadyRegistered);
        }
        let id = state.new_id();
        state.ranges.insert(
            start,
            Range {
                start,
                size,
                kind,
                context: current(),
                flags,
                id,
                pool: 0,
                backing: Backing::Foreign,
            },
        );
        Ok(())
    }

    /// Frees everything of a device but what belongs to the program or to modules. Reserved addresses stay so.
    pub fn reset(&self, device: &Device) {
        let ranges: Vec<Range> = {
            let mut state = self.state.lock();
            let all = std::mem::take(&mut state.ranges);
            let (kept, freed): (BTreeMap<_, _>, BTreeMap<_, _>) =
                all.into_iter().partition(|(_, range)| {
                    range.kind == Kind::Reserved || !std::ptr::eq(range.context.device, device)
                });
            state.ranges = kept;
            CHANGES.fetch_add(1, Ordering::Relaxed);
            freed.into_values().collect()
        };
        self.wait_for_claims();
        for range in ranges {
            self.release(range);
        }
    }
}

impl State {
    fn count(&mut self, device: &Device, size: usize, limit: usize) -> Result<(), hipError_t> {
        let all = &mut self.used[place(device)];
        let used = all.checked_add(size).filter(|used| *used <= limit);
        *all = used.ok_or(hipError_t::hipErrorOutOfMemory)?;
        Ok(())
    }

    fn discount(&mut self, device: &Device, size: usize) {
        self.used[place(device)] -= size;
    }

    fn detach(&mut self, start: usize, wanted: impl Fn(Kind) -> bool) -> Option<Range> {
        let Entry::Occupied(found) = self.ranges.entry(start) else { return None };
        if !wanted(found.get().kind) {
            return None;
        }
        CHANGES.fetch_add(1, Ordering::Relaxed);
        Some(found.remove())
    }

    fn release(&mut self, range: &Range) {
        // From now on no process can open it.
        let was_shared = !self.shared.is_empty() && self.shared.remove(&range.id).is_some();
        let taken = match range.backing {
            Backing::Foreign => return,
            Backing::Shared { size } => {
                self.give_small(apart::place(range.start), size, was_shared);
                size
            }
            backing @ Backing::Mapping { .. } => {
                unmap(backing);
                range.size.next_multiple_of(PAGE)
            }
        };
        if !self.pieces.is_empty() {
            self.pieces.remove(&range.id);
        }
        if range.kind.counts() {
            self.discount(range.context.device, taken);
        }
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn take_small(&mut self, size: usize, is_apart: bool) -> Option<(usize, Backing)> {
        let may_have = |chunk: &&mut Chunk| chunk.is_apart == is_apart && size <= chunk.most;
        for chunk in self.chunks.values_mut().filter(may_have) {
            if let Some(start) = chunk.free.take(size) {
                chunk.live += 1;
                return Some((start, Backing::Shared { size }));
            }
            chunk.most = size - GRAIN;
        }
        let (start, backing) = map(CHUNK, CHUNK, is_apart)?;
        let mut free = FreeRanges::new(start, CHUNK);
        let taken = free.take(size)?;
        let chunk = Chunk { backing, free, most: CHUNK, is_apart, live: 1, spent: 0, piece: None };
        self.chunks.insert(start, chunk);
        Some((taken, Backing::Shared { size }))
    }

    /// Takes a small allocation back. The place of one that `was_shared` is not used again: other processes may still
    /// have it.
    fn give_small(&mut self, start: usize, size: usize, was_shared: bool) {
        let Some((first, chunk)) = self.chunks.range_mut(..=start).next_back() else {
            return;
        };
        chunk.live -= 1;
        if was_shared {
            chunk.spent += size;
        } else {
            chunk.most = chunk.most.max(chunk.free.give(start, size));
        }
        if chunk.live != 0 {
            return;
        }
        let (first, is_spent, is_apart) = (*first, chunk.spent > CHUNK / 2, chunk.is_apart);
        // One empty chunk is kept for the next allocation, unless little is left of it.
        let is_another = |(other, chunk): (&usize, &Chunk)| {
            *other != first && chunk.live == 0 && chunk.is_apart == is_apart
        };
        if (is_spent || self.chunks.iter().any(is_another))
            && let Some(chunk) = self.chunks.remove(&first)
        {
            unmap(chunk.backing);
        }
    }

    /// Maps a part of a piece and makes it a range.
    fn insert_piece(
        &mut self,
        piece: Piece,
        offset: usize,
        size: usize,
        kind: Kind,
        pool: usize,
    ) -> Result<Range, hipError_t> {
        const ERROR: hipError_t = hipError_t::hipErrorOutOfMemory;
        let (page, within) = (offset / PAGE * PAGE, offset % PAGE);
        let length = (within + size).checked_next_multiple_of(PAGE).ok_or(ERROR)?;
        let (first, backing) = map_file(&piece, page, length, kind.is_apart()).ok_or(ERROR)?;
        let id = self.new_id();
        let context = current();
        let start = apart::address(first + within);
        let range = Range { start, size, kind, context, flags: 0, id, pool, backing };
        self.ranges.insert(range.start, range);
        self.pieces.insert(id, piece);
        Ok(range)
    }
}

impl Range {
    /// Whether other processes can get it: what `hipMalloc` has made.
    pub fn is_shareable(&self) -> bool {
        self.kind == Kind::Device && self.pool == 0
    }
}

/// Bytes that are copied before the memory they were copied from goes.
const MOVED_AT_ONCE: usize = 64 << 20;

/// Makes private memory, whole pages, a part of a file. What is in it stays; nothing accesses it meanwhile.
fn move_into_file(start: usize, size: usize) -> Result<Piece, hipError_t> {
    let piece = Piece::of_own(size)?;
    for first in (0..size).step_by(MOVED_AT_ONCE) {
        let length = MOVED_AT_ONCE.min(size - first);
        for block in (first..first + length).step_by(HUGE_PAGE) {
            let length = HUGE_PAGE.min(first + length - block);
            // SAFETY: memory of this process, which nobody writes now.
            let bytes = unsafe { std::slice::from_raw_parts((start + block) as *const u8, length) };
            // Files are made of zeros.
            if bytes.iter().any(|byte| *byte != 0) {
                piece.write(bytes, block)?;
            }
        }
        map_at(start + first, length, &piece, first)?;
    }
    Ok(piece)
}

/// Puts a part of a file, whole pages, in the place of what is mapped at an address.
fn map_at(start: usize, size: usize, piece: &Piece, offset: usize) -> Result<(), hipError_t> {
    if os::map_file(start, size, os::READ | os::WRITE, piece, offset) {
        Ok(())
    } else {
        Err(hipError_t::hipErrorOutOfMemory)
    }
}

/// A part of a piece between guards, as [`map`] does.
fn map_file(piece: &Piece, offset: usize, size: usize, is_apart: bool) -> Option<(usize, Backing)> {
    let (first, backing) = reserve(size, alignment(size), is_apart)?;
    if map_at(first, size, piece, offset).is_err() {
        unmap(backing);
        return None;
    }
    Some((first, backing))
}

fn unmap(backing: Backing) {
    if let Backing::Mapping { start, size } = backing {
        apart::release(start, size);
    }
}

/// The bytes that kernels can access from the first of `size` bytes on, whole pages. NVIDIA's driver gives memory out in
/// pages of 2 MiB, and programs that go a little beyond an allocation's end work there.
fn within_reach(kind: Kind, size: usize) -> usize {
    let is_exact = config().check.bounds || !matches!(kind, Kind::Device | Kind::Managed);
    if is_exact { size } else { size.checked_next_multiple_of(HUGE_PAGE).unwrap_or(size) }
}

/// A mapping of `size` bytes, whole pages, and what is behind them up to `reach`, between guards: its first byte, and all
/// of it.
fn map(size: usize, reach: usize, is_apart: bool) -> Option<(usize, Backing)> {
    let (first, backing) = reserve(reach, alignment(size), is_apart)?;
    if !os::commit(first, reach) {
        unmap(backing);
        return None;
    }
    if size >= HUGE_PAGE {
        os::prefer_large_pages(first, size);
    }
    Some((first, backing))
}

fn alignment(size: usize) -> usize {
    if size >= HUGE_PAGE { HUGE_PAGE } else { PAGE }
}

/// Address space for `size` bytes, whole pages, between guards: the first byte, and all of it.
fn reserve(size: usize, align: usize, is_apart: bool) -> Option<(usize, Backing)> {
    let whole = size.checked_add(align + PAGE)?;
    let start = if is_apart { apart::reserve(whole, PAGE)? } else { os::reserve(whole)? };
    // At least a page before and a page after.
    let first = (start + PAGE).next_multiple_of(align).min(start + whole - PAGE - size);
    Some((first, Backing::Mapping { start, size: whole }))
}

/// The place of a device among the sums of what is used: where devices are not divided, they have one memory.
fn place(device: &Device) -> usize {
    if config().devices.are_divided { device.ordinal } else { 0 }
}

/// `ZLUDA_MEMORY`, or three quarters of the memory that the machine, or the tightest of its groups, leaves this process.
fn limit() -> usize {
    if let Some(bytes) = config().memory {
        return usize::try_from(bytes).unwrap_or(usize::MAX);
    }
    machine::memory() / 4 * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(limit: usize) -> Memory {
        Memory::with_limit(limit)
    }

    #[test]
    fn device_memory_reaches_to_a_multiple_of_two_mebibytes() {
        let memory = memory(1 << 30);
        for (size, reach) in [(SMALL + 1, HUGE_PAGE), (HUGE_PAGE + 8, 2 * HUGE_PAGE)] {
            let range = memory.allocate(Kind::Device, size, 0, 0).unwrap();
            // SAFETY: what this is about: a fault would end the test.
            unsafe { ((range.start + reach - 1) as *mut u8).write_volatile(1) };
            assert_eq!(memory.find(range.start + size), None);
            memory.release(memory.detach(range.start, |_| true).unwrap());
        }
        assert_eq!(within_reach(Kind::Host, SMALL + PAGE), SMALL + PAGE);
        assert_eq!(within_reach(Kind::Device, usize::MAX - PAGE + 1), usize::MAX - PAGE + 1);
    }

    #[test]
    fn addresses_are_found_exactly() {
        let memory = memory(1 << 30);
        for size in [1, 100, 256, 5000, 65536, 65537, 3 << 20] {
            let range = memory.allocate(Kind::Device, size, 0, 0).unwrap();
            assert_eq!(range.start % 256, 0);
            assert_eq!(memory.find(range.start), Some(range));
            assert_eq!(memory.find(range.start + size - 1), Some(range));
            assert_ne!(memory.find(range.start + size), Some(range));
            assert_ne!(memory.find(range.start - 1), Some(range));
        }
    }

    #[test]
    fn the_limit_holds_and_freed_memory_counts_again() {
        let memory = memory(1 << 20);
        let a = memory.allocate(Kind::Device, 600 << 10, 0, 0).unwrap();
        assert_eq!(
            memory.allocate(Kind::Managed, 600 << 10, 0, 0),
            Err(hipError_t::hipErrorOutOfMemory)
        );
        assert_eq!(
            memory.allocate(Kind::Device, usize::MAX - 5, 0, 0),
            Err(hipError_t::hipErrorOutOfMemory)
        );
        let a = memory.detach(a.start, |_| true).unwrap();
        memory.release(a);
        assert_eq!(memory.used(current().device), 0);
        assert!(memory.allocate(Kind::Managed, 600 << 10, 0, 0).is_ok());
    }

    #[test]
    fn small_ranges_are_used_again() {
        let memory = memory(1 << 30);
        let ranges: Vec<_> =
            (0..20_000).map(|_| memory.allocate(Kind::Device, 300, 0, 0).unwrap()).collect();
        assert_eq!(memory.used(current().device), 20_000 * 512);
        for range in &ranges {
            assert_eq!(memory.detach(range.start, |_| true), Some(*range));
            memory.release(*range);
            assert_eq!(memory.detach(range.start, |_| true), None);
        }
        assert_eq!(memory.used(current().device), 0);
        assert!(memory.state.lock().chunks.len() <= 1);
    }

    #[test]
    fn full_mappings_are_used_again_when_there_is_room() {
        let memory = memory(1 << 30);
        let allocate = |size| memory.allocate(Kind::Device, size, 0, 0).unwrap();
        let full: Vec<_> = (0..3 * CHUNK / SMALL).map(|_| allocate(SMALL)).collect();
        let most = || {
            let state = memory.state.lock();
            let place = apart::place(full[0].start);
            state.chunks.range(..=place).next_back().map(|(_, chunk)| chunk.most)
        };
        assert!(most() < Some(SMALL));
        // Neighbours are one place again.
        for range in [&full[3], &full[1], &full[2]] {
            assert_eq!(memory.free(range.start, |_| true), Some(*range));
        }
        assert_eq!(most(), Some(3 * SMALL));
        assert_eq!([SMALL, SMALL].map(|size| allocate(size).start), [1, 2].map(|i| full[i].start));
        assert_eq!(allocate(GRAIN).start, full[3].start);
    }

    #[test]
    fn registered_ranges_must_not_overlap() {
        let memory = memory(1 << 20);
        memory.register(0x1000, 0x1000, Kind::Registered, 0).unwrap();
        for (start, size) in [(0x1000, 1), (0x1fff, 1), (0x800, 0x801), (0, 0x10000)] {
            let error = memory.register(start, size, Kind::Registered, 0);
            assert_eq!(error, Err(hipError_t::hipErrorHostMemoryAlreadyRegistered));
        }
        memory.register(0x2000, 1, Kind::Registered, 0).unwrap();
        memory.register(0xfff, 1, Kind::Registered, 0).unwrap();
    }
}
