//! The handler of faults, and how a thread that faults asks for memory.
//!
//! All that the handler touches is static: it may run in a thread that is nobody's of ours, at any moment.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use faults::{Place, Previous, action_of, futex};

/// Threads that work at a time, at most.
pub(crate) const MOST_THREADS: usize = 256;

static SLOTS: [Slot; MOST_THREADS] = [const { Slot::new() }; MOST_THREADS];

/// Advanced with every question and every end of a thread.
static NEWS: AtomicU32 = AtomicU32::new(0);

static PREVIOUS: Previous = Previous::new();

/// A thread that works.
pub(crate) struct Slot {
    /// The thread, as `pthread_self` says; 0: none.
    thread: AtomicUsize,
    place: Place,
    state: AtomicU32,
    /// What is asked for.
    address: AtomicUsize,
}

// SAFETY: only the thread that a slot names uses its place.
unsafe impl Sync for Slot {}

const IDLE: u32 = 0;
const ASKS: u32 = 1;
const GRANTED: u32 = 2;
const REFUSED: u32 = 3;

impl Slot {
    const fn new() -> Slot {
        Slot {
            thread: AtomicUsize::new(0),
            place: Place::new(),
            state: AtomicU32::new(IDLE),
            address: AtomicUsize::new(0),
        }
    }

    /// Runs `body` on the calling thread, and returns whether it came to its end: it is given up where it accesses memory
    /// and is refused. What it owns is leaked then.
    pub(crate) fn run(&self, body: impl FnOnce()) -> bool {
        self.thread.store(this_thread(), Ordering::Relaxed);
        // SAFETY: `body` is given up where it accesses memory, and what that leaves behind is said above.
        let has_ended = unsafe { self.place.run(body) };
        self.thread.store(0, Ordering::Relaxed);
        has_ended
    }

    /// Asks for memory at an address. Whether it is there now.
    fn ask(&self, address: usize) -> bool {
        self.address.store(address, Ordering::Relaxed);
        self.state.store(ASKS, Ordering::Release);
        tell();
        loop {
            match self.state.load(Ordering::Acquire) {
                ASKS => futex::wait(&self.state, ASKS),
                answer => {
                    self.state.store(IDLE, Ordering::Relaxed);
                    return answer == GRANTED;
                }
            }
        }
    }

    /// The address that the thread asks for.
    pub(crate) fn question(&self) -> Option<usize> {
        (self.state.load(Ordering::Acquire) == ASKS).then(|| self.address.load(Ordering::Relaxed))
    }

    /// Answers the question: whether memory is there now.
    pub(crate) fn answer(&self, is_there: bool) {
        self.state.store(if is_there { GRANTED } else { REFUSED }, Ordering::Release);
        futex::wake(&self.state, 1);
    }
}

/// The slots of so many threads.
pub(crate) fn slots(threads: usize) -> &'static [Slot] {
    &SLOTS[..threads.min(MOST_THREADS)]
}

fn this_thread() -> usize {
    // SAFETY: has no preconditions.
    unsafe { libc::pthread_self() as usize }
}

/// Says that there is something new.
pub(crate) fn tell() {
    NEWS.fetch_add(1, Ordering::Release);
    futex::wake(&NEWS, 1);
}

/// How much there was that was new.
pub(crate) fn news() -> u32 {
    NEWS.load(Ordering::Acquire)
}

/// Sleeps until there is more. May return early.
pub(crate) fn wait_for_news(since: u32) {
    futex::wait(&NEWS, since);
}

/// The handler, while this is there.
pub(crate) struct Handler(());

impl Handler {
    /// Installs it. There is one at a time.
    pub(crate) fn install() -> Handler {
        if !is_ours() {
            PREVIOUS.keep(libc::SIGSEGV);
            // SAFETY: the handler waits for words of memory, and calls what was there before.
            unsafe { faults::install(libc::SIGSEGV, handle) };
        }
        Handler(())
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        // What others have installed meanwhile may call ours, which stays then, and hands on what it gets.
        if let Some(previous) = PREVIOUS.get()
            && is_ours()
        {
            // SAFETY: it was there before.
            unsafe { libc::sigaction(libc::SIGSEGV, previous, std::ptr::null_mut()) };
        }
    }
}

fn is_ours() -> bool {
    action_of(libc::SIGSEGV).sa_sigaction == handle as *const () as usize
}

extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system passes valid pointers.
    let (context_ref, code, address) = unsafe {
        (&mut *context.cast::<libc::ucontext_t>(), (*info).si_code, (*info).si_addr() as usize)
    };
    // Codes above 0 come from the processor; others were sent by somebody.
    if code > 0 {
        let this = this_thread();
        let slot = SLOTS.iter().find(|slot| slot.thread.load(Ordering::Relaxed) == this);
        if let Some(slot) = slot.filter(|slot| slot.place.is_running()) {
            // SAFETY: the thread's own.
            let errno = unsafe { *libc::__errno_location() };
            let is_there = slot.ask(address);
            // SAFETY: as above.
            unsafe { *libc::__errno_location() = errno };
            if is_there {
                return;
            }
            if let Some(resumption) = slot.place.give_up() {
                let registers = &mut context_ref.uc_mcontext.gregs;
                registers[libc::REG_RSP as usize] = resumption.stack as i64;
                registers[libc::REG_RIP as usize] = resumption.instruction as i64;
                return;
            }
        }
    }
    // SAFETY: the system's pointers.
    unsafe { PREVIOUS.forward(signal, info, context) };
}
