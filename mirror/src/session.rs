//! Work that runs, and the memory that it has found so far.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, available_parallelism};

use crate::chunk::{Chunk, PAGE};
use crate::fault::{self, Handler, MOST_THREADS, Slot};
use crate::{Device, Failure, Work};

/// Bytes of the first chunk of a row, while there are few, and the most of a chunk.
const LEAST: usize = 64 << 10;
const MOST: usize = 16 << 20;

/// Each time that there are so many more chunks the least is twice as large: a process has only so many mappings.
const MANY: usize = 1 << 10;

/// Room on a thread's stack besides what a part needs: the frames around it, and the handler's with all registers.
const ROOM: usize = 64 << 10;

/// See [`crate::run`].
pub(crate) fn run<D: Device>(device: &D, work: Work<'_>) -> Result<(), Failure<D::Error>> {
    static ONE: Mutex<()> = Mutex::new(());
    // Nothing is wrong after a panic.
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _handler = Handler::install();
    let mut session = Session { device, chunks: Vec::new(), failure: None };
    session.serve(&work);
    session.end()
}

/// What the threads have in common.
struct Shared<'a> {
    work: &'a Work<'a>,
    /// The next part.
    next: AtomicU64,
    /// No other part is to begin.
    is_stopped: AtomicBool,
    /// A part has said so.
    has_failed: AtomicBool,
    /// Threads that work.
    running: AtomicUsize,
}

impl Shared<'_> {
    /// Runs parts until there are no more.
    fn work(&self, slot: &Slot) {
        faults::own_thread();
        while !self.is_stopped.load(Ordering::Relaxed) {
            let part = self.next.fetch_add(1, Ordering::Relaxed);
            if part >= self.work.parts {
                break;
            }
            let mut goes_on = false;
            if !slot.run(|| goes_on = (self.work.part)(part)) {
                // The answer has said why.
                break;
            }
            if !goes_on {
                self.has_failed.store(true, Ordering::Relaxed);
                self.is_stopped.store(true, Ordering::Relaxed);
            }
        }
        self.running.fetch_sub(1, Ordering::Release);
        fault::tell();
    }
}

/// The calling thread's side.
struct Session<'a, D: Device> {
    device: &'a D,
    /// By their addresses.
    chunks: Vec<Chunk>,
    /// The first that went wrong.
    failure: Option<Failure<D::Error>>,
}

impl<D: Device> Session<'_, D> {
    /// Runs all parts, and gives them the memory that they access.
    fn serve(&mut self, work: &Work<'_>) {
        let threads = available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        let threads = threads.min(usize::try_from(work.parts).unwrap_or(MOST_THREADS));
        let slots = fault::slots(threads);
        let shared = &Shared {
            work,
            next: AtomicU64::new(0),
            is_stopped: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            running: AtomicUsize::new(0),
        };
        thread::scope(|scope| {
            for slot in slots {
                shared.running.fetch_add(1, Ordering::Relaxed);
                let thread = thread::Builder::new()
                    .name("library work".to_owned())
                    .stack_size(work.stack.saturating_add(ROOM));
                if thread.spawn_scoped(scope, move || shared.work(slot)).is_err() {
                    // Others do what this one would.
                    if shared.running.fetch_sub(1, Ordering::Relaxed) == 1 {
                        let is_done = shared.next.load(Ordering::Relaxed) >= work.parts;
                        self.failure = (!is_done).then_some(Failure::OutOfMemory);
                    }
                    break;
                }
            }
            loop {
                let news = fault::news();
                for slot in slots {
                    if let Some(address) = slot.question() {
                        let answer = match &self.failure {
                            None => self.provide(address),
                            Some(_) => Err(Failure::Part),
                        };
                        let is_there = answer.is_ok();
                        if let Err(failure) = answer {
                            shared.is_stopped.store(true, Ordering::Relaxed);
                            self.failure.get_or_insert(failure);
                        }
                        slot.answer(is_there);
                    }
                }
                if shared.running.load(Ordering::Acquire) == 0 {
                    break;
                }
                fault::wait_for_news(news);
            }
        });
        if shared.has_failed.load(Ordering::Relaxed) {
            self.failure.get_or_insert(Failure::Part);
        }
    }

    /// Makes the memory at an address there.
    fn provide(&mut self, address: usize) -> Result<(), Failure<D::Error>> {
        let after = self.chunks.partition_point(|chunk| chunk.addresses.start <= address);
        let before = after.checked_sub(1).map(|index| &self.chunks[index].addresses);
        if before.is_some_and(|before| before.contains(&address)) {
            // Another thread has asked for it.
            return Ok(());
        }
        let page = address - address % PAGE;
        let addresses = match self.device.allocation(address) {
            Some(allocation) => self.around(page, after, allocation),
            // A device finds what lies in a page beside its allocations, too.
            None => page..page + PAGE,
        };
        let chunk = self.open(page, addresses)?;
        if chunk.is_empty() {
            return Err(Failure::NoMemory { address });
        }
        self.chunks.insert(after, chunk);
        Ok(())
    }

    /// What is fetched for a page of an allocation: in a row more and more at a time. The chunk becomes the one of this index.
    fn around(&self, page: usize, index: usize, allocation: Range<usize>) -> Range<usize> {
        let before = index.checked_sub(1).map(|index| &self.chunks[index].addresses);
        let first = (LEAST << (self.chunks.len() / MANY).min(8)).min(MOST);
        let size = match before {
            Some(before) if before.end == page => (before.len() * 2).clamp(first, MOST),
            _ => first,
        };
        let least = before.map_or(0, |before| before.end);
        let most = self.chunks.get(index).map_or(usize::MAX, |chunk| chunk.addresses.start);
        let start = (page - page % first).max(allocation.start / PAGE * PAGE).max(least);
        let end = start.max(page).saturating_add(size);
        start..end.min(allocation.end.next_multiple_of(PAGE)).min(most)
    }

    /// Opens a chunk, or if not all of it is there the page in it that is needed.
    fn open(&self, page: usize, addresses: Range<usize>) -> Result<Chunk, Failure<D::Error>> {
        let is_more = addresses.len() > PAGE;
        match Chunk::open(self.device, addresses) {
            Err(Failure::Device(_)) if is_more => Chunk::open(self.device, page..page + PAGE),
            opened => opened,
        }
    }

    /// Copies back what the parts have changed, or if something went wrong nothing.
    fn end(self) -> Result<(), Failure<D::Error>> {
        match self.failure {
            Some(failure) => Err(failure),
            None => self.chunks.into_iter().try_for_each(|chunk| chunk.close(self.device)),
        }
    }
}
