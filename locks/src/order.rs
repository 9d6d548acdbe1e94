//! The order in which threads take locks.
//!
//! Locks of one *class* hold values of one type and are made at one place of the source. Where a thread waits for a lock
//! while it holds another, all locks of the two classes have that order, whichever they are; among locks of one class each
//! has its own. Two threads that follow the same order never wait for each other; an order that leads back to where it
//! began is therefore an error, whether or not two threads ever come in each other's way.
//!
//! To wait for a lock that the thread itself holds is an error, too; shared locks included, as whoever waits for the lock
//! alone comes first.

use crate::graph::Graph;
use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

type Place = &'static Location<'static>;

/// Numbers of classes, by where their locks are made and the types of what these hold.
type Classes = HashMap<(Option<Place>, &'static str), u64>;

/// What a lock is known by; it may move before it is locked first.
pub struct Ticket {
    made: Option<Place>,
    name: fn() -> &'static str,
    /// Numbers from 1 on, given when the lock is locked first.
    class: AtomicU64,
    number: AtomicU64,
}

impl Ticket {
    /// Of a lock of a value whose type `name` tells, made at a place.
    pub const fn new(made: Option<Place>, name: fn() -> &'static str) -> Ticket {
        Ticket { made, name, class: AtomicU64::new(0), number: AtomicU64::new(0) }
    }

    fn number(&self) -> u64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = self.number.load(Ordering::Relaxed);
        if number != 0 {
            return number;
        }
        let own = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        match self.number.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => own,
            Err(other) => other,
        }
    }

    fn class(&self) -> u64 {
        static KNOWN: Mutex<Option<Classes>> = Mutex::new(None);
        let class = self.class.load(Ordering::Relaxed);
        if class != 0 {
            return class;
        }
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        let next = known.len() as u64 + 1;
        let class = *known.entry((self.made, (self.name)())).or_insert(next);
        self.class.store(class, Ordering::Relaxed);
        class
    }
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.made {
            Some(place) => write!(f, "the lock of {} made at {place}", (self.name)()),
            None => write!(f, "a lock of {}", (self.name)()),
        }
    }
}

/// The ways to hold a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Alone,
    Shared,
    /// Shared, and before those who wait for it alone.
    SharedAgain,
}

struct Held {
    number: u64,
    class: u64,
    way: Way,
    what: String,
}

thread_local! {
    static HELD: RefCell<Vec<Held>> = const { RefCell::new(Vec::new()) };
    /// The orders of classes that this thread has told of.
    static TOLD: RefCell<HashSet<(u64, u64)>> = RefCell::default();
}

static CLASSES: Mutex<Option<Graph<String>>> = Mutex::new(None);
static NUMBERS: Mutex<Option<Graph<String>>> = Mutex::new(None);

/// The calling thread is about to wait for a lock. Ends the process if it may wait for ever.
#[track_caller]
pub fn before(ticket: &Ticket, way: Way) {
    let place = Location::caller();
    // A thread that is about to end has no notes any more.
    let checked = HELD.try_with(|held| check(&held.borrow(), ticket, way, place));
    if let Ok(Err(problem)) = checked {
        end(&problem);
    }
}

/// The calling thread has a lock.
#[track_caller]
pub fn after(ticket: &Ticket, way: Way) {
    let what = format!("{ticket}, locked at {}", Location::caller());
    let held = Held { number: ticket.number(), class: ticket.class(), way, what };
    let _ = HELD.try_with(|all| all.borrow_mut().push(held));
}

/// The calling thread has a lock no longer.
pub fn release(ticket: &Ticket) {
    let number = ticket.number();
    let _ = HELD.try_with(|held| {
        let mut held = held.borrow_mut();
        if let Some(at) = held.iter().rposition(|held| held.number == number) {
            held.remove(at);
        }
    });
}

fn check(held: &[Held], ticket: &Ticket, way: Way, place: Place) -> Result<(), String> {
    let (number, class) = (ticket.number(), ticket.class());
    for held in held {
        if held.number == number {
            if way == Way::SharedAgain && held.way != Way::Alone {
                continue;
            }
            return Err(format!("{}, is locked again at {place}", held.what));
        }
        let (graph, from, to) = if held.class == class {
            (&NUMBERS, held.number, number)
        } else if TOLD.try_with(|told| told.borrow_mut().insert((held.class, class))) == Ok(false) {
            continue;
        } else {
            (&CLASSES, held.class, class)
        };
        let mut graph = graph.lock().unwrap_or_else(PoisonError::into_inner);
        let what = format!("{ticket} is locked at {place} while a thread holds\n    {}", held.what);
        if let Some(others) = graph.get_or_insert_default().add(from, to, what.clone()) {
            let others: Vec<_> = others.into_iter().map(String::as_str).collect();
            return Err(format!("{what}\n  but also\n  {}", others.join("\n  ")));
        }
    }
    Ok(())
}

/// Ends the process, or lets it go on with `LOCK_ORDER=tell`, for who wants to know all at once.
#[allow(clippy::print_stderr, reason = "there is nobody who would take an error")]
fn end(problem: &str) {
    eprintln!("lock order: {problem}\n{}", Backtrace::force_capture());
    if std::env::var_os("LOCK_ORDER").is_none_or(|value| value != "tell") {
        std::process::abort();
    }
}
