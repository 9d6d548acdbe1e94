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
use std::collections::HashMap;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

type Place = &'static Location<'static>;

/// Numbers of classes, by where their locks are made and the types of what these hold.
type Classes = HashMap<(Option<Place>, &'static str), u64>;

/// What is to be told of a lock.
#[derive(Clone, Copy)]
struct Origin {
    made: Option<Place>,
    name: fn() -> &'static str,
}

/// What a lock is known by; it may move before it is locked first.
pub struct Ticket {
    origin: Origin,
    /// Both are numbers from 1 on, given when the lock is locked first.
    class: AtomicU64,
    number: AtomicU64,
    /// It was held together with another of its class, so that [`NUMBERS`] has it.
    has_order: AtomicBool,
}

impl Ticket {
    /// Of a lock of a value whose type `name` tells, made at a place.
    pub const fn new(made: Option<Place>, name: fn() -> &'static str) -> Ticket {
        Ticket {
            origin: Origin { made, name },
            class: AtomicU64::new(0),
            number: AtomicU64::new(0),
            has_order: AtomicBool::new(false),
        }
    }

    /// The lock's number and that of its class.
    #[inline]
    fn numbers(&self) -> (u64, u64) {
        // Whoever sees the class sees the number.
        match self.class.load(Ordering::Acquire) {
            0 => self.register(),
            class => (self.number.load(Ordering::Relaxed), class),
        }
    }

    #[cold]
    fn register(&self) -> (u64, u64) {
        static KNOWN: Mutex<Option<Classes>> = Mutex::new(None);
        static LAST: AtomicU64 = AtomicU64::new(0);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if self.number.load(Ordering::Relaxed) == 0 {
            self.number.store(LAST.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        let known = known.get_or_insert_default();
        let next = known.len() as u64 + 1;
        let class = *known.entry((self.origin.made, (self.origin.name)())).or_insert(next);
        self.class.store(class, Ordering::Release);
        (self.number.load(Ordering::Relaxed), class)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if *self.has_order.get_mut() {
            let mut graph = NUMBERS.lock().unwrap_or_else(PoisonError::into_inner);
            graph.get_or_insert_default().remove(*self.number.get_mut());
        }
    }
}

impl fmt::Display for Origin {
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
    origin: Origin,
    place: Place,
    /// As in [`Ticket`], to which it goes with the lock's release.
    has_order: bool,
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, locked at {}", self.origin, self.place)
    }
}

thread_local! {
    static HELD: RefCell<Vec<Held>> = const { RefCell::new(Vec::new()) };
}

static CLASSES: Mutex<Option<Graph<String>>> = Mutex::new(None);
static NUMBERS: Mutex<Option<Graph<String>>> = Mutex::new(None);

/// Classes whose order [`SEEN`] has; those beyond are looked up in the graph each time.
const MOST: u64 = 1024;

/// Pairs of classes that the graph has, a bit for each: what holds a lock while it takes another reads one word.
static SEEN: [AtomicU64; (MOST * MOST / 64) as usize] =
    [const { AtomicU64::new(0) }; (MOST * MOST / 64) as usize];

/// The word and the bit of a pair.
fn seen(from: u64, to: u64) -> Option<(&'static AtomicU64, u64)> {
    let at = (from < MOST && to < MOST).then_some(from * MOST + to)?;
    Some((&SEEN[(at / 64) as usize], 1 << (at % 64)))
}

/// The calling thread is about to wait for a lock. Ends the process if it may wait for ever.
#[track_caller]
#[inline]
pub fn before(ticket: &Ticket, way: Way) {
    let place = Location::caller();
    // A thread that is about to end has no notes any more.
    let checked = HELD.try_with(|held| match &mut held.borrow_mut()[..] {
        [] => Ok(()),
        held => check(held, ticket, way, place),
    });
    if let Ok(Err(problem)) = checked {
        end(&problem);
    }
}

/// The calling thread has a lock.
#[track_caller]
#[inline]
pub fn after(ticket: &Ticket, way: Way) {
    let (number, class) = ticket.numbers();
    let (origin, place) = (ticket.origin, Location::caller());
    let held = Held { number, class, way, origin, place, has_order: false };
    let _ = HELD.try_with(|all| all.borrow_mut().push(held));
}

/// The calling thread has a lock no longer.
#[inline]
pub fn release(ticket: &Ticket) {
    let (number, _) = ticket.numbers();
    let _ = HELD.try_with(|held| {
        let mut held = held.borrow_mut();
        let at = held.iter().rposition(|held| held.number == number);
        if at.is_some_and(|at| held.remove(at).has_order) {
            ticket.has_order.store(true, Ordering::Relaxed);
        }
    });
}

fn check(held: &mut [Held], ticket: &Ticket, way: Way, place: Place) -> Result<(), String> {
    let (number, class) = ticket.numbers();
    for held in held {
        if held.number == number {
            if way == Way::SharedAgain && held.way != Way::Alone {
                continue;
            }
            return Err(format!("{held}, is locked again at {place}"));
        }
        let seen = seen(held.class, class);
        let (graph, from, to) = if held.class == class {
            ticket.has_order.store(true, Ordering::Relaxed);
            held.has_order = true;
            (&NUMBERS, held.number, number)
        } else if seen.is_some_and(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0) {
            continue;
        } else {
            (&CLASSES, held.class, class)
        };
        let mut graph = graph.lock().unwrap_or_else(PoisonError::into_inner);
        let graph = graph.get_or_insert_default();
        if graph.has(from, to) {
            continue;
        }
        let what =
            format!("{} is locked at {place} while a thread holds\n    {held}", ticket.origin);
        if let Some(others) = graph.add(from, to, what.clone()) {
            let others: Vec<_> = others.into_iter().map(String::as_str).collect();
            return Err(format!("{what}\n  but also\n  {}", others.join("\n  ")));
        }
        if let (true, Some((word, bit))) = (held.class != class, seen) {
            word.fetch_or(bit, Ordering::Relaxed);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes locks one behind the other.
    fn lock(tickets: &[&Ticket]) {
        for ticket in tickets {
            before(ticket, Way::Alone);
            after(ticket, Way::Alone);
        }
        tickets.iter().for_each(|ticket| release(ticket));
    }

    #[test]
    fn locks_that_are_gone_leave_no_order_behind() {
        let make = || Ticket::new(None, || "a lock of this test");
        let (first, last) = (make(), make());
        for _ in 0..3 {
            let (begins, between, ends) = (make(), make(), make());
            lock(&[&first, &between, &last]);
            lock(&[&begins, &last]);
            lock(&[&first, &ends]);
        }
        // From the first to the last, which are there still.
        let graph = NUMBERS.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(graph.as_ref().map(Graph::len), Some(1));
        drop(graph);
    }
}
