//! Threads that run kernels are stopped for a moment anywhere in the code, when there is to be chaos: between
//! two accesses that software takes for one, say. A thread sends them a signal, whose handler sleeps.

use std::ptr::null_mut;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hip_host::guard::fault;
use hip_host::work::chaos::{self, About, Dice};
use parking_lot::Mutex;

/// Threads that run kernels, as the system numbers them.
static EXPOSED: Mutex<Vec<libc::pid_t>> = Mutex::new(Vec::new());

/// Nanoseconds for the next handler.
static SLEEP: AtomicU64 = AtomicU64::new(0);

/// Signals that are on their way, or whose handlers sleep.
static SLEEPERS: AtomicU32 = AtomicU32::new(0);

/// Nobody waits longer for a handler.
const LONGEST: Duration = Duration::from_millis(100);

/// Most programs leave the last of the real-time signals alone.
fn signal() -> i32 {
    libc::SIGRTMAX() - 3
}

/// Runs `f`, which may be stopped anywhere if there is to be chaos.
pub fn exposed(f: impl FnOnce()) {
    if chaos::seed().is_none() {
        return f();
    }
    begin();
    // SAFETY: asks for the number of the calling thread; changes its mask, and sets it back below.
    unsafe {
        let own = libc::syscall(libc::SYS_gettid) as libc::pid_t;
        let (mut mask, mut before): (libc::sigset_t, libc::sigset_t) = std::mem::zeroed();
        libc::sigemptyset(&mut mask);
        libc::sigaddset(&mut mask, signal());
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &mask, &mut before);
        EXPOSED.lock().push(own);
        f();
        let mut threads = EXPOSED.lock();
        if let Some(place) = threads.iter().position(|thread| *thread == own) {
            threads.swap_remove(place);
        }
        drop(threads);
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut());
    }
}

fn begin() {
    static BEGIN: Once = Once::new();
    BEGIN.call_once(|| {
        // SAFETY: a handler that calls only what handlers may.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = stop_for_a_moment as *const () as usize;
            action.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(signal(), &action, null_mut());
        }
        let jolts = || {
            fault::own_thread();
            if let Some(dice) = chaos::dice(About::Jolts, &[]) {
                loop {
                    jolt(&dice);
                }
            }
        };
        let spawned = std::thread::Builder::new().name("zluda-jolts".to_owned()).spawn(jolts);
        if let Err(error) = spawned {
            tracing::error!("no thread for ZLUDA_CHAOS: {error}");
        }
    });
}

/// Stops somebody, and lets all go on at least as long as that took.
fn jolt(dice: &Dice) {
    let start = Instant::now();
    stop_somebody(dice);
    while SLEEPERS.load(Ordering::Relaxed) != 0 && start.elapsed() < LONGEST {
        std::thread::sleep(Duration::from_micros(20));
    }
    let most = [20, 100, 100, 400][dice.below(4) as usize];
    std::thread::sleep(start.elapsed() + Duration::from_micros(dice.below(most)));
}

fn stop_somebody(dice: &Dice) {
    let nanoseconds = [5_000, 50_000, 200_000, 1_000_000][dice.below(4) as usize];
    let threads = EXPOSED.lock();
    if threads.is_empty() {
        drop(threads);
        return std::thread::sleep(Duration::from_micros(200));
    }
    SLEEPERS.fetch_add(1, Ordering::Relaxed);
    SLEEP.store(dice.below(nanoseconds), Ordering::Relaxed);
    let thread = threads[dice.below(threads.len() as u64) as usize];
    // SAFETY: sends a signal to a thread that handles it, and lives as long as it is in the list.
    let sent = unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, signal()) };
    if sent != 0 {
        SLEEPERS.fetch_sub(1, Ordering::Relaxed);
    }
}

extern "C" fn stop_for_a_moment(_signal: i32) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: SLEEP.load(Ordering::Relaxed) as libc::c_long };
    // SAFETY: both may be called from handlers; `errno` stays as it was.
    unsafe {
        let errno = *libc::__errno_location();
        libc::nanosleep(&time, null_mut());
        *libc::__errno_location() = errno;
        SLEEPERS.fetch_sub(1, Ordering::Relaxed);
    }
}
