//! Locks that note the order in which they are taken, in place of `parking_lot`'s.

use crate::order::{Ticket, Way, after, before, release};
use lock_api::{RawMutex as _, RawRwLock as _};
use std::any::type_name;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

/// A raw lock of `parking_lot` with its ticket.
pub struct Watched<R> {
    ticket: Ticket,
    lock: R,
}

impl<R> Watched<R> {
    const fn new(made: &'static Location<'static>, name: fn() -> &'static str, lock: R) -> Self {
        Watched { ticket: Ticket::new(Some(made), name), lock }
    }
}

pub type RawMutex = Watched<unwatched::RawMutex>;
pub type RawRwLock = Watched<unwatched::RawRwLock>;

// SAFETY: the lock is that of `parking_lot`.
unsafe impl lock_api::RawMutex for RawMutex {
    #[allow(clippy::declare_interior_mutable_const, reason = "the trait has it so")]
    const INIT: RawMutex =
        Watched { ticket: Ticket::new(None, || "something"), lock: unwatched::RawMutex::INIT };
    type GuardMarker = lock_api::GuardNoSend;

    #[track_caller]
    fn lock(&self) {
        before(&self.ticket, Way::Alone);
        self.lock.lock();
        after(&self.ticket, Way::Alone);
    }

    #[track_caller]
    fn try_lock(&self) -> bool {
        let is_locked = self.lock.try_lock();
        if is_locked {
            after(&self.ticket, Way::Alone);
        }
        is_locked
    }

    unsafe fn unlock(&self) {
        release(&self.ticket);
        // SAFETY: the caller holds the lock.
        unsafe { self.lock.unlock() }
    }

    fn is_locked(&self) -> bool {
        self.lock.is_locked()
    }
}

// SAFETY: the lock is that of `parking_lot`.
unsafe impl lock_api::RawRwLock for RawRwLock {
    #[allow(clippy::declare_interior_mutable_const, reason = "the trait has it so")]
    const INIT: RawRwLock =
        Watched { ticket: Ticket::new(None, || "something"), lock: unwatched::RawRwLock::INIT };
    type GuardMarker = lock_api::GuardNoSend;

    #[track_caller]
    fn lock_shared(&self) {
        before(&self.ticket, Way::Shared);
        self.lock.lock_shared();
        after(&self.ticket, Way::Shared);
    }

    #[track_caller]
    fn try_lock_shared(&self) -> bool {
        let is_locked = self.lock.try_lock_shared();
        if is_locked {
            after(&self.ticket, Way::Shared);
        }
        is_locked
    }

    unsafe fn unlock_shared(&self) {
        release(&self.ticket);
        // SAFETY: the caller holds the lock.
        unsafe { self.lock.unlock_shared() }
    }

    #[track_caller]
    fn lock_exclusive(&self) {
        before(&self.ticket, Way::Alone);
        self.lock.lock_exclusive();
        after(&self.ticket, Way::Alone);
    }

    #[track_caller]
    fn try_lock_exclusive(&self) -> bool {
        let is_locked = self.lock.try_lock_exclusive();
        if is_locked {
            after(&self.ticket, Way::Alone);
        }
        is_locked
    }

    unsafe fn unlock_exclusive(&self) {
        release(&self.ticket);
        // SAFETY: the caller holds the lock.
        unsafe { self.lock.unlock_exclusive() }
    }

    fn is_locked(&self) -> bool {
        self.lock.is_locked()
    }
}

// SAFETY: the lock is that of `parking_lot`.
unsafe impl lock_api::RawRwLockRecursive for RawRwLock {
    #[track_caller]
    fn lock_shared_recursive(&self) {
        before(&self.ticket, Way::SharedAgain);
        self.lock.lock_shared_recursive();
        after(&self.ticket, Way::SharedAgain);
    }

    #[track_caller]
    fn try_lock_shared_recursive(&self) -> bool {
        let is_locked = self.lock.try_lock_shared_recursive();
        if is_locked {
            after(&self.ticket, Way::SharedAgain);
        }
        is_locked
    }
}

/// A type of `parking_lot` around a lock of `lock_api`, whose functions it has by [`Deref`].
macro_rules! lock {
    ($name:ident, $inner:ty, $raw:expr $(, $more:expr)?) => {
        pub struct $name<T: ?Sized>($inner);

        impl<T> $name<T> {
            #[track_caller]
            pub const fn new(value: T) -> $name<T> {
                let raw = Watched::new(Location::caller(), type_name::<T>, $raw);
                $name(<$inner>::from_raw(raw, $($more,)? value))
            }

            pub fn into_inner(self) -> T {
                self.0.into_inner()
            }
        }

        impl<T: ?Sized> Deref for $name<T> {
            type Target = $inner;

            fn deref(&self) -> &$inner {
                &self.0
            }
        }

        impl<T: ?Sized> DerefMut for $name<T> {
            fn deref_mut(&mut self) -> &mut $inner {
                &mut self.0
            }
        }

        impl<T: Default> Default for $name<T> {
            #[track_caller]
            fn default() -> $name<T> {
                $name::new(T::default())
            }
        }

        impl<T> From<T> for $name<T> {
            #[track_caller]
            fn from(value: T) -> $name<T> {
                $name::new(value)
            }
        }

        impl<T: ?Sized + fmt::Debug> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

lock!(Mutex, lock_api::Mutex<RawMutex, T>, unwatched::RawMutex::INIT);
lock!(RwLock, lock_api::RwLock<RawRwLock, T>, unwatched::RawRwLock::INIT);
lock!(
    ReentrantMutex,
    lock_api::ReentrantMutex<RawMutex, unwatched::RawThreadId, T>,
    unwatched::RawMutex::INIT,
    unwatched::RawThreadId
);

pub type MutexGuard<'a, T> = lock_api::MutexGuard<'a, RawMutex, T>;
pub type RwLockReadGuard<'a, T> = lock_api::RwLockReadGuard<'a, RawRwLock, T>;
pub type RwLockWriteGuard<'a, T> = lock_api::RwLockWriteGuard<'a, RawRwLock, T>;
pub type ReentrantMutexGuard<'a, T> =
    lock_api::ReentrantMutexGuard<'a, RawMutex, unwatched::RawThreadId, T>;

/// That of `parking_lot` knows its own locks only.
#[derive(Default)]
pub struct Condvar {
    /// How often there was news.
    news: unwatched::Mutex<u64>,
    changed: unwatched::Condvar,
}

impl Condvar {
    pub const fn new() -> Condvar {
        Condvar { news: unwatched::Mutex::new(0), changed: unwatched::Condvar::new() }
    }

    /// Gives the lock back until there is news, and waits for it again.
    #[track_caller]
    pub fn wait<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>) {
        // What comes once the lock is free finds that somebody waits.
        let mut news = self.news.lock();
        MutexGuard::unlocked(guard, move || {
            let seen = *news;
            while *news == seen {
                self.changed.wait(&mut news);
            }
        });
    }

    pub fn notify_all(&self) {
        *self.news.lock() += 1;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Condvar, Mutex, ReentrantMutex, RwLock};
    use std::process::Command;

    /// Names the case of a child process.
    const CASE: &str = "LOCKS_TEST_CASE";

    /// A name, what is done, and what the process says of it where it ends.
    type Case = (&'static str, fn(), Option<&'static str>);

    const CASES: &[Case] = &[
        ("one order", one_order, None),
        ("two orders", two_orders, Some("the lock of u16 made at")),
        ("a round of three", round_of_three, Some("but also")),
        ("two of a class", two_of_a_class, Some("but also")),
        ("one twice", || drop((A.lock(), A.lock())), Some("is locked again")),
        ("shared twice", || drop((R.read(), R.read())), Some("is locked again")),
        ("shared again", || drop((R.read(), R.read_recursive())), None),
        ("shared while alone", || drop((R.write(), R.read_recursive())), Some("is locked again")),
        ("reentered", || drop((E.lock(), E.lock())), None),
        ("tried", || drop((A.lock(), A.try_lock(), R.read(), R.try_write())), None),
        ("other threads", other_threads, Some("but also")),
        ("waiting for news", waiting, None),
        ("waiting with a lock", waiting_with_a_lock, Some("but also")),
    ];

    static A: Mutex<u8> = Mutex::new(0);
    static B: Mutex<u16> = Mutex::new(0);
    static C: Mutex<u32> = Mutex::new(0);
    static R: RwLock<u8> = RwLock::new(0);
    static E: ReentrantMutex<u8> = ReentrantMutex::new(0);

    fn one_order() {
        for _ in 0..3 {
            let _guards = (A.lock(), R.read(), B.lock());
            drop(C.lock());
        }
        drop((B.lock(), C.lock()));
        drop((R.write(), C.lock()));
        // What is held no longer has no order.
        drop(C.lock());
        drop(A.lock());
        // Who does not wait has none, either.
        drop((C.lock(), A.try_lock().unwrap()));
    }

    fn two_orders() {
        drop((B.lock(), A.lock()));
        drop((A.lock(), B.lock()));
    }

    fn round_of_three() {
        drop((A.lock(), B.lock()));
        drop((B.lock(), C.lock()));
        drop((C.lock(), A.lock()));
    }

    fn two_of_a_class() {
        let locks: Vec<_> = (0..3).map(|_| Mutex::new('a')).collect();
        drop((locks[0].lock(), locks[1].lock()));
        drop((locks[1].lock(), locks[2].lock()));
        drop((locks[2].lock(), locks[0].lock()));
    }

    fn other_threads() {
        std::thread::spawn(|| drop((A.lock(), R.write()))).join().unwrap();
        std::thread::spawn(|| drop((R.read(), A.lock()))).join().unwrap();
    }

    /// Waits for another thread's news; what it holds then it has of `A`.
    fn waiting() {
        static NEWS: Condvar = Condvar::new();
        let mut value = A.lock();
        let other = std::thread::spawn(|| {
            for _ in 0..3 {
                *A.lock() += 1;
                NEWS.notify_all();
            }
        });
        while *value < 3 {
            NEWS.wait(&mut value);
        }
        drop(value);
        other.join().unwrap();
    }

    /// A lock that was taken behind the one that is given back comes before it then.
    fn waiting_with_a_lock() {
        static NEWS: Condvar = Condvar::new();
        let (mut first, _second) = (A.lock(), B.lock());
        let other = std::thread::spawn(|| {
            drop(A.lock());
            NEWS.notify_all();
        });
        NEWS.wait(&mut first);
        other.join().unwrap();
    }

    #[test]
    #[ignore = "the other test runs it, in a process for each case"]
    fn one_case() {
        let name = std::env::var(CASE).unwrap();
        CASES.iter().find(|case| case.0 == name).unwrap().1();
    }

    #[test]
    fn orders_that_contradict_each_other_end_the_process() {
        for (name, _, expected) in CASES {
            let output = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "watched::tests::one_case", "--ignored", "--nocapture"])
                .env(CASE, name)
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            let found = text.lines().any(|line| line.starts_with("lock order: "));
            assert_eq!(output.status.success(), expected.is_none(), "{name}: {text}");
            assert_eq!(found, expected.is_some(), "{name}: {text}");
            assert!(expected.is_none_or(|words| text.contains(words)), "{name}: {text}");
        }
    }
}
