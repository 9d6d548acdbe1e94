//! Work of the host on the memory of a device that keeps it elsewhere.

#![cfg(target_os = "linux")]

use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use mirror::{Device, Failure, Work, run};

const PAGE: usize = 4 << 10;
const STACK: usize = 256 << 10;

/// A device with some memory at addresses where the host finds nothing.
struct Card {
    start: usize,
    /// Offsets, in order.
    allocations: Vec<Range<usize>>,
    memory: Mutex<Vec<u8>>,
    /// Offsets from which nothing can be read.
    hole: Range<usize>,
    /// Copies to the device, and bytes of all.
    writes: AtomicUsize,
    written: AtomicUsize,
}

impl Card {
    /// A device with `size` bytes; where `is_reserved` the addresses are mapped, without access.
    fn new(size: usize, allocations: Vec<Range<usize>>, is_reserved: bool) -> Card {
        // No system puts anything there by itself.
        static NEXT: AtomicUsize = AtomicUsize::new(0x3000_0000_0000);
        let start = NEXT.fetch_add(size.next_multiple_of(PAGE) + PAGE, Ordering::Relaxed);
        if is_reserved {
            map(start, size, libc::PROT_NONE);
        }
        let memory = Mutex::new((0..size).map(|index| (index % 251) as u8).collect());
        let (writes, written) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Card { start, allocations, memory, hole: 0..0, writes, written }
    }

    /// One allocation of all.
    fn whole(size: usize) -> Card {
        Card::of_one(size, true)
    }

    fn of_one(size: usize, is_reserved: bool) -> Card {
        Card::new(size, std::iter::once(0..size).collect(), is_reserved)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.memory.lock().expect("no panic while it is locked")
    }

    fn word(&self, index: usize) -> u64 {
        let memory = self.lock();
        u64::from_ne_bytes(std::array::from_fn(|byte| memory[index * 8 + byte]))
    }

    fn set_word(&self, index: usize, value: u64) {
        self.lock()[index * 8..][..8].copy_from_slice(&value.to_ne_bytes());
    }

    /// The pointer that the host uses for a word.
    fn pointer(&self, index: usize) -> *mut u64 {
        (self.start + index * 8) as *mut u64
    }

    fn run(&self, parts: u64, part: impl Fn(u64) -> bool + Sync) -> Result<(), Failure<usize>> {
        run(self, Work { parts, stack: STACK, part: &part })
    }
}

impl Device for Card {
    /// The offset that could not be copied.
    type Error = usize;

    fn allocation(&self, address: usize) -> Option<Range<usize>> {
        let offset = address.checked_sub(self.start)?;
        let found = self.allocations.iter().find(|allocation| allocation.contains(&offset))?;
        Some(self.start + found.start..self.start + found.end)
    }

    fn read(&self, from: usize, to: &mut [u8]) -> Result<(), usize> {
        let range = from - self.start..from - self.start + to.len();
        if range.start < self.hole.end && self.hole.start < range.end {
            return Err(range.start);
        }
        to.copy_from_slice(&self.lock()[range]);
        Ok(())
    }

    fn write(&self, pieces: &[(usize, &[u8])]) -> Result<(), usize> {
        for (address, bytes) in pieces {
            self.writes.fetch_add(1, Ordering::Relaxed);
            self.written.fetch_add(bytes.len(), Ordering::Relaxed);
            self.lock()[address - self.start..][..bytes.len()].copy_from_slice(bytes);
        }
        Ok(())
    }
}

/// Maps memory to an address.
fn map(address: usize, size: usize, protection: libc::c_int) {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // SAFETY: a card's addresses.
    let mapped = unsafe { libc::mmap(address as *mut _, size, protection, flags, -1, 0) };
    assert_eq!(mapped.addr(), address);
}

/// The permissions of the mapping that holds an address, as `/proc/self/maps` tells them.
fn permissions(address: usize) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("a list of mappings");
    let holds = |line: &str| {
        let (start, end) = line.split_once(' ').and_then(|line| line.0.split_once('-'))?;
        let number = |text| usize::from_str_radix(text, 16).expect("an address");
        Some((number(start)..number(end)).contains(&address))
    };
    let line = maps.lines().find(|line| holds(line) == Some(true))?;
    line.split(' ').nth(1).map(str::to_owned)
}

#[test]
fn parts_find_the_memory_and_change_it() {
    for is_reserved in [true, false] {
        const WORDS: usize = 5 << 20;
        let card = Card::of_one(WORDS * 8, is_reserved);
        let before: Vec<u64> = (0..WORDS).map(|index| card.word(index)).collect();
        let action = faults::action_of(libc::SIGSEGV).sa_sigaction;
        const PARTS: usize = 7;
        let ran = card.run(PARTS as u64, |part| {
            // Each changes every seventh word.
            for index in (part as usize..WORDS).step_by(PARTS) {
                let pointer = card.pointer(index);
                // SAFETY: the device's memory.
                unsafe { *pointer = (*pointer).wrapping_mul(3) + 1 };
            }
            true
        });
        assert_eq!(ran, Ok(()));
        for (index, before) in before.iter().enumerate() {
            assert_eq!(card.word(index), before.wrapping_mul(3) + 1, "{index}");
        }
        // All is as it was.
        let expected = is_reserved.then(|| "---p".to_owned());
        for address in [card.start, card.start + 17 * PAGE, card.start + WORDS * 8 - 1] {
            assert_eq!(permissions(address), expected);
        }
        assert_eq!(faults::action_of(libc::SIGSEGV).sa_sigaction, action);
    }
}

#[test]
fn only_what_has_changed_is_copied_back() {
    const WORDS: usize = 1 << 20;
    let card = Card::whole(WORDS * 8);
    let ran = card.run(1, |_| {
        let mut sum = 0u64;
        for index in 0..WORDS {
            // SAFETY: the device's memory.
            sum = sum.wrapping_add(unsafe { *card.pointer(index) });
        }
        // SAFETY: as above.
        unsafe {
            *card.pointer(1000) = sum;
            *card.pointer(1001) = !sum;
            *card.pointer(500_000) = sum;
        }
        // Meanwhile another stream changes what lies beside.
        card.set_word(1002, 7);
        card.set_word(999, 8);
        true
    });
    assert_eq!(ran, Ok(()));
    let sum = card.word(1000);
    assert_eq!((card.word(1001), card.word(500_000)), (!sum, sum));
    assert_eq!((card.word(999), card.word(1002)), (8, 7));
    assert_eq!((card.writes.into_inner(), card.written.into_inner()), (2, 24));
}

#[test]
fn many_changes_leave_what_others_have_changed() {
    const WORDS: usize = 1 << 16;
    let card = Card::whole(WORDS * 8);
    let before: Vec<u64> = (0..WORDS).map(|index| card.word(index)).collect();
    let ran = card.run(1, |_| {
        for index in (0..WORDS).step_by(2) {
            // SAFETY: the device's memory.
            unsafe { *card.pointer(index) ^= 1 };
        }
        card.set_word(1, 7);
        true
    });
    assert_eq!(ran, Ok(()));
    for (index, before) in before.into_iter().enumerate() {
        let expected = match index {
            1 => 7,
            _ if index.is_multiple_of(2) => before ^ 1,
            _ => before,
        };
        assert_eq!(card.word(index), expected, "{index}");
    }
    assert!(card.writes.into_inner() < 100);
}

#[test]
fn allocations_share_pages() {
    // The second begins in the first's last page, and the third ends where the next page does.
    let ends = [0..PAGE + 256, PAGE + 512..PAGE + 1000, PAGE + 1024..2 * PAGE];
    let card = Card::new(16 * PAGE, ends.to_vec(), false);
    let words = [0, (PAGE + 512) / 8, (PAGE + 1024) / 8, 2 * PAGE / 8 - 1];
    let before = words.map(|word| card.word(word));
    let ran = card.run(words.len() as u64, |part| {
        // SAFETY: the device's memory.
        unsafe { *card.pointer(words[part as usize]) += 1 };
        true
    });
    assert_eq!(ran, Ok(()));
    assert_eq!(words.map(|word| card.word(word)), before.map(|word| word + 1));
    // What is between them is there, and nobody's.
    let ran = card.run(1, |_| {
        // SAFETY: the device's pages.
        unsafe { *card.pointer((PAGE + 256) / 8) += 1 };
        true
    });
    assert_eq!((ran, card.writes.into_inner()), (Ok(()), words.len()));
}

#[test]
fn an_address_without_memory_ends_it_all() {
    let card = Card::new(16 * PAGE, vec![0..PAGE, 4 * PAGE..5 * PAGE], true);
    let (before, wrong) = (card.word(0), card.start + 8 * PAGE + 24);
    let ran = card.run(100, |part| {
        // SAFETY: the device's memory, and what is none.
        unsafe { *card.pointer(0) = 5 };
        if part == 3 {
            // SAFETY: what is no memory is what this is about.
            unsafe { (wrong as *mut u64).write_volatile(1) };
        }
        true
    });
    assert_eq!(ran, Err(Failure::NoMemory { address: wrong }));
    assert_eq!(card.word(0), before);
    // Nor does null.
    // SAFETY: as above.
    let ran =
        card.run(1, |_| unsafe { std::hint::black_box(null_mut::<u64>()).read_volatile() == 0 });
    assert_eq!(ran, Err(Failure::NoMemory { address: 0 }));
    // The next work is not concerned.
    // SAFETY: the device's memory.
    assert_eq!(card.run(1, |_| unsafe { *card.pointer(0) == before }), Ok(()));
}

#[test]
fn a_part_that_fails_changes_nothing() {
    let card = Card::whole(16 * PAGE);
    let before = card.word(3);
    let ran = card.run(20, |part| {
        // SAFETY: the device's memory.
        unsafe { *card.pointer(3) = part };
        part != 5
    });
    assert_eq!((ran, card.word(3)), (Err(Failure::Part), before));
}

#[test]
fn what_cannot_be_copied_is_said() {
    let mut card = Card::whole(16 * PAGE);
    card.hole = 3 * PAGE..4 * PAGE;
    let read = |index: usize| {
        // SAFETY: the device's memory.
        card.run(1, |_| unsafe { card.pointer(index).read_volatile() == card.word(index) })
    };
    // The other pages around can be.
    assert_eq!(read(2 * PAGE / 8), Ok(()));
    assert_eq!(read(4 * PAGE / 8), Ok(()));
    assert_eq!(read(3 * PAGE / 8), Err(Failure::Device(3 * PAGE)));
}

#[test]
fn several_mappings_come_back() {
    let card = Card::whole(16 * PAGE);
    map(card.start + 5 * PAGE, PAGE, libc::PROT_READ);
    // SAFETY: the card's reservation.
    assert_eq!(unsafe { libc::munmap((card.start + 9 * PAGE) as *mut _, PAGE) }, 0);
    let before: Vec<_> = (0..16).map(|page| permissions(card.start + page * PAGE)).collect();
    assert_eq!((before[5].as_deref(), &before[9]), (Some("r--p"), &None));
    let values: Vec<u64> = (0..16).map(|page| card.word(page * PAGE / 8)).collect();
    let ran = card.run(1, |_| {
        // SAFETY: the device's memory.
        (0..16).rev().for_each(|page| unsafe { *card.pointer(page * PAGE / 8) += 1 });
        true
    });
    assert_eq!(ran, Ok(()));
    let after: Vec<_> = (0..16).map(|page| permissions(card.start + page * PAGE)).collect();
    assert_eq!(before, after);
    for (page, value) in values.iter().enumerate() {
        assert_eq!(card.word(page * PAGE / 8), value + 1, "{page}");
    }
}

/// Whoever gives the work may have blocked all signals, and those that are sent to the program are not for the threads.
#[test]
fn threads_get_faults_and_no_other_signals() {
    let card = Card::whole(PAGE);
    // SAFETY: asks for and sets the mask of the calling thread.
    let mask = |how, signals: &[i32]| unsafe {
        let (mut mask, mut old): (libc::sigset_t, libc::sigset_t) = std::mem::zeroed();
        signals.iter().for_each(|signal| _ = libc::sigaddset(&mut mask, *signal));
        assert_eq!(libc::pthread_sigmask(how, &mask, &mut old), 0);
        [libc::SIGSEGV, libc::SIGALRM].map(|signal| libc::sigismember(&old, signal) == 1)
    };
    mask(libc::SIG_BLOCK, &[libc::SIGSEGV]);
    let ran = card.run(1, |_| {
        // SAFETY: the device's memory.
        unsafe { *card.pointer(0) = 1 };
        mask(libc::SIG_BLOCK, &[]) == [false, true]
    });
    assert_eq!(ran, Ok(()));
    assert_eq!(mask(libc::SIG_UNBLOCK, &[libc::SIGSEGV]), [true, false]);
}

#[test]
fn nothing_to_do_is_no_failure() {
    assert_eq!(Card::whole(PAGE).run(0, |_| false), Ok(()));
}
