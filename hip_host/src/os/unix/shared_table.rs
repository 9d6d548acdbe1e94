//! How other processes find the memory and the events of this one: a table in a file, which they open through `/proc`.
//!
//! A handle of a program is bytes, which come to other processes in any way: it names this process, the number that the
//! file has here, and a place in the table. Whatever is wrong with it is found out: the file has a name and seals, the
//! table a random number, and each place a number that is never used again.
//!
//! A recording of an event is a ticket. Whoever records takes the next one, and marks it when the work before it has
//! ended; all others look at the marks, and sleep on them.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hip_runtime_sys::hipError_t;
use parking_lot::Mutex;

use super::backing_file::{self, FIXED, Piece};
use super::futex;

const FILE: &CStr = c"zluda-shared-table";
/// As many allocations, and as many events, can be shared at the same time.
const PLACES: usize = 1 << 14;
/// The tickets of an event whose marks are told apart.
const MARKS: usize = 30;
/// What handles of memory and of events begin with.
const OF_MEMORY: u64 = u64::from_le_bytes(*b"zludamem");
const OF_EVENT: u64 = u64::from_le_bytes(*b"zludaevt");
/// Those who wait for another process look so often whether it still is there.
const LOOK: Duration = Duration::from_millis(100);

const OUT_OF_MEMORY: hipError_t = hipError_t::hipErrorOutOfMemory;
const INVALID: hipError_t = hipError_t::hipErrorInvalidValue;
/// A process cannot open what is its own.
const OWN: hipError_t = hipError_t::hipErrorInvalidContext;

#[repr(C)]
struct Table {
    nonce: [AtomicU64; 2],
    /// The process whose table it is: its threads have numbers that lead to it, too.
    process: AtomicU64,
    memories: [Memory; PLACES],
    events: [Event; PLACES],
}

/// Memory that is shared; `id` is 0 where none is.
#[repr(C)]
struct Memory {
    id: AtomicU64,
    offset: AtomicU64,
    size: AtomicU64,
    fd: AtomicI32,
}

/// An event that is shared; `id` is 0 where none is.
#[repr(C)]
struct Event {
    id: AtomicU64,
    /// The last ticket; 0 before the event is recorded.
    issued: AtomicU32,
    /// The last ticket of each remainder whose work has ended.
    ended: [AtomicU32; MARKS],
    /// The last tickets, each above the process that has taken it.
    takers: [AtomicU64; MARKS],
}

/// A table in this process's memory.
struct Mapped(*const Table);

// SAFETY: all parts of a table are atomic.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl Mapped {
    fn new(file: &File) -> Result<Mapped, hipError_t> {
        let (access, size) = (libc::PROT_READ | libc::PROT_WRITE, size_of::<Table>());
        let (fd, flags) = (file.as_raw_fd(), libc::MAP_SHARED | libc::MAP_NORESERVE);
        // SAFETY: a fresh mapping.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), size, access, flags, fd, 0) };
        if start == libc::MAP_FAILED { Err(OUT_OF_MEMORY) } else { Ok(Mapped(start.cast())) }
    }

    fn get(&self) -> &Table {
        // SAFETY: mapped until it is dropped; the file is as long and stays so; zeros are a table.
        unsafe { &*self.0 }
    }

    fn nonce(&self) -> [u64; 2] {
        self.get().nonce.each_ref().map(|half| half.load(Ordering::Relaxed))
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: mapped above, and nobody has a reference.
        unsafe { libc::munmap(self.0.cast_mut().cast(), size_of::<Table>()) };
    }
}

/// This process's table.
struct Own {
    file: File,
    mapped: Arc<Mapped>,
    next_id: AtomicU64,
    memories: Mutex<Free>,
    events: Mutex<Free>,
}

/// The places that nothing is at.
#[derive(Default)]
struct Free {
    /// Places before `next` that are free again.
    again: BTreeSet<usize>,
    next: usize,
}

impl Free {
    fn take(&mut self) -> Result<usize, hipError_t> {
        if let Some(place) = self.again.pop_first() {
            return Ok(place);
        }
        if self.next == PLACES {
            tracing::error!("{PLACES} allocations or events are shared, and no more can be");
            return Err(OUT_OF_MEMORY);
        }
        self.next += 1;
        Ok(self.next - 1)
    }
}

fn own() -> Result<&'static Own, hipError_t> {
    static TABLE: OnceLock<Result<Own, hipError_t>> = OnceLock::new();
    TABLE.get_or_init(make).as_ref().map_err(|error| *error)
}

fn make() -> Result<Own, hipError_t> {
    let file = backing_file::create(FILE, size_of::<Table>(), FIXED)?;
    let mapped = Mapped::new(&file)?;
    for (half, random) in mapped.get().nonce.iter().zip(random()?) {
        half.store(random, Ordering::Relaxed);
    }
    mapped.get().process.store(std::process::id().into(), Ordering::Relaxed);
    Ok(Own {
        file,
        mapped: Arc::new(mapped),
        next_id: AtomicU64::new(1),
        memories: Mutex::default(),
        events: Mutex::default(),
    })
}

/// A number that no other process has.
pub fn random() -> Result<[u64; 2], hipError_t> {
    let mut number = [0u64; 2];
    // SAFETY: has room for as many bytes.
    let got = unsafe { libc::getrandom(number.as_mut_ptr().cast(), size_of_val(&number), 0) };
    if got == size_of_val(&number) as isize { Ok(number) } else { Err(OUT_OF_MEMORY) }
}

/// The bytes of a handle.
pub type Bytes = [u8; 64];

/// A handle as the numbers in it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Name {
    of: u64,
    nonce: [u64; 2],
    process: u64,
    fd: u64,
    place: u64,
    id: u64,
    rest: u64,
}

impl Name {
    fn of_own(of: u64, place: usize, id: u64) -> Result<Name, hipError_t> {
        let own = own()?;
        Ok(Name {
            of,
            nonce: own.mapped.nonce(),
            process: own.mapped.get().process.load(Ordering::Relaxed),
            fd: own.file.as_raw_fd() as u64,
            place: place as u64,
            id,
            rest: 0,
        })
    }

    fn bytes(&self) -> Bytes {
        let Name { of, nonce: [low, high], process, fd, place, id, rest } = *self;
        let mut bytes = [0; 64];
        let words = [of, low, high, process, fd, place, id, rest];
        for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    fn read(bytes: &Bytes) -> Name {
        let mut words = [0; 8];
        for (word, from) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*from);
        }
        let [of, low, high, process, fd, place, id, rest] = words;
        Name { of, nonce: [low, high], process, fd, place, id, rest }
    }

    /// The table of the process that has made the handle; `OWN` if it is this one.
    fn open(&self, of: u64) -> Result<(u32, Mapped), hipError_t> {
        let place = usize::try_from(self.place).map_err(|_| INVALID)?;
        if self.of != of || self.rest != 0 || self.id == 0 || place >= PLACES {
            return Err(INVALID);
        }
        if own().is_ok_and(|own| own.mapped.nonce() == self.nonce) {
            return Err(OWN);
        }
        let process = u32::try_from(self.process).map_err(|_| INVALID)?;
        let fd = i32::try_from(self.fd).map_err(|_| INVALID)?;
        let file = backing_file::of_process(process, fd)?;
        if backing_file::check(&file, FILE)? != size_of::<Table>() {
            return Err(INVALID);
        }
        let table = Mapped::new(&file)?;
        let is_of = table.get().process.load(Ordering::Relaxed) == self.process;
        if is_of && table.nonce() == self.nonce { Ok((process, table)) } else { Err(INVALID) }
    }
}

/// A place in the table for memory, which is shared as long as the value lives.
pub struct SharedMemory {
    place: usize,
    id: u64,
}

impl SharedMemory {
    /// Shares `size` bytes that lie `offset` bytes from the beginning of a file of this process.
    pub fn new(fd: i32, offset: usize, size: usize) -> Result<SharedMemory, hipError_t> {
        let own = own()?;
        let place = own.memories.lock().take()?;
        let id = own.next_id.fetch_add(1, Ordering::Relaxed);
        let memory = &own.mapped.get().memories[place];
        memory.offset.store(offset as u64, Ordering::Relaxed);
        memory.size.store(size as u64, Ordering::Relaxed);
        memory.fd.store(fd, Ordering::Relaxed);
        memory.id.store(id, Ordering::SeqCst);
        Ok(SharedMemory { place, id })
    }

    /// The handle for programs.
    pub fn handle(&self) -> Result<Bytes, hipError_t> {
        Ok(Name::of_own(OF_MEMORY, self.place, self.id)?.bytes())
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        let Ok(own) = own() else { return };
        own.mapped.get().memories[self.place].id.store(0, Ordering::SeqCst);
        own.memories.lock().again.insert(self.place);
    }
}

/// The memory of a handle of another process: the file, the place of its first byte there, and its size. `INVALID` if
/// it is not shared any more.
pub fn open_memory(handle: &Bytes) -> Result<(Piece, usize, usize), hipError_t> {
    let name = Name::read(handle);
    let (process, table) = name.open(OF_MEMORY)?;
    let memory = &table.get().memories[name.place as usize];
    let is_there = || memory.id.load(Ordering::SeqCst) == name.id;
    if !is_there() {
        return Err(INVALID);
    }
    let offset = usize::try_from(memory.offset.load(Ordering::Relaxed)).map_err(|_| INVALID)?;
    let size = usize::try_from(memory.size.load(Ordering::Relaxed)).map_err(|_| INVALID)?;
    let file = backing_file::of_process(process, memory.fd.load(Ordering::Relaxed))?;
    let piece = Piece::of_file(file)?;
    let end = offset.checked_add(size).filter(|end| size != 0 && *end <= piece.size);
    // The number may have been given to another file meanwhile.
    if end.is_some() && is_there() { Ok((piece, offset, size)) } else { Err(INVALID) }
}

/// An event that processes share.
pub struct SharedEvent {
    table: Arc<Mapped>,
    place: usize,
    id: u64,
    is_own: bool,
}

/// One recording of a shared event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticket(u32);

impl SharedEvent {
    /// An event of this process that others can open.
    pub fn new() -> Result<SharedEvent, hipError_t> {
        let own = own()?;
        let place = own.events.lock().take()?;
        let id = own.next_id.fetch_add(1, Ordering::Relaxed);
        let event = &own.mapped.get().events[place];
        event.issued.store(0, Ordering::Relaxed);
        event.ended.iter().for_each(|mark| mark.store(0, Ordering::Relaxed));
        event.id.store(id, Ordering::SeqCst);
        Ok(SharedEvent { table: own.mapped.clone(), place, id, is_own: true })
    }

    /// The event of a handle; `hipErrorMapFailed` for one that is none, or is no more.
    pub fn open(handle: &Bytes) -> Result<SharedEvent, hipError_t> {
        let name = Name::read(handle);
        let opened = name.open(OF_EVENT).map_err(|error| match error {
            INVALID => hipError_t::hipErrorMapFailed,
            error => error,
        });
        let (_, table) = opened?;
        let place = name.place as usize;
        let event = SharedEvent { table: Arc::new(table), place, id: name.id, is_own: false };
        if event.is_there() { Ok(event) } else { Err(hipError_t::hipErrorMapFailed) }
    }

    /// The handle for programs; `hipErrorInvalidHandle` for an event of another process.
    pub fn handle(&self) -> Result<Bytes, hipError_t> {
        if !self.is_own {
            return Err(hipError_t::hipErrorInvalidHandle);
        }
        Ok(Name::of_own(OF_EVENT, self.place, self.id)?.bytes())
    }

    fn event(&self) -> &Event {
        &self.table.get().events[self.place]
    }

    fn is_there(&self) -> bool {
        self.event().id.load(Ordering::SeqCst) == self.id
    }

    /// Begins a recording.
    pub fn issue(&self) -> Ticket {
        let event = self.event();
        let ticket = event.issued.fetch_add(1, Ordering::SeqCst).wrapping_add(1);
        let taker = u64::from(ticket) << 32 | u64::from(std::process::id());
        event.takers[ticket as usize % MARKS].store(taker, Ordering::SeqCst);
        Ticket(ticket)
    }

    /// The last recording of any process; none before the first one.
    pub fn last(&self) -> Option<Ticket> {
        let ticket = self.event().issued.load(Ordering::SeqCst);
        (ticket != 0 && self.is_there()).then_some(Ticket(ticket))
    }

    /// The work before a recording of this process has ended.
    pub fn end(&self, Ticket(ticket): Ticket) {
        if !self.is_there() {
            return;
        }
        let mark = &self.event().ended[ticket as usize % MARKS];
        let later = |known: u32| is_before(known, ticket).then_some(ticket);
        let _ = mark.fetch_update(Ordering::SeqCst, Ordering::SeqCst, later);
        futex::wake_all_shared(mark);
    }

    /// Whether the work before a recording has ended, or never will: an event that is destroyed waits for nothing.
    fn has_ended_there(&self, Ticket(ticket): Ticket) -> bool {
        let mark = self.event().ended[ticket as usize % MARKS].load(Ordering::SeqCst);
        !is_before(mark, ticket) || !self.is_there()
    }

    /// As above; the work of a process that has died has ended.
    pub fn has_ended(&self, ticket: Ticket) -> bool {
        if self.has_ended_there(ticket) {
            return true;
        }
        let taken = self.event().takers[ticket.0 as usize % MARKS].load(Ordering::SeqCst);
        // Whoever took the ticket may not have said so yet.
        let (of, taker) = ((taken >> 32) as u32, taken as u32);
        of == ticket.0 && taker != std::process::id() && !is_alive(taker)
    }

    /// Waits for the end of the work before a recording.
    pub fn wait(&self, ticket: Ticket) {
        let mark = &self.event().ended[ticket.0 as usize % MARKS];
        loop {
            let seen = mark.load(Ordering::SeqCst);
            if self.has_ended(ticket) {
                return;
            }
            futex::wait_shared(mark, seen, LOOK);
        }
    }
}

impl Drop for SharedEvent {
    fn drop(&mut self) {
        if !self.is_own {
            return;
        }
        let Ok(own) = own() else { return };
        let event = self.event();
        event.id.store(0, Ordering::SeqCst);
        event.ended.iter().for_each(futex::wake_all_shared);
        own.events.lock().again.insert(self.place);
    }
}

/// Whether a ticket comes before another. They begin anew after 2^32.
fn is_before(earlier: u32, later: u32) -> bool {
    (earlier.wrapping_sub(later) as i32) < 0
}

/// Whether a process runs: one that has ended stays known until its parent asks for it.
fn is_alive(process: u32) -> bool {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
    // The name in parentheses may have any.
    let state = text.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    !matches!(state, Some('Z' | 'X' | 'x'))
}
