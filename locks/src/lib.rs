//! The locks of all crates: those of the crate `parking_lot`, under whose name the workspace has this one.
//!
//! With `--cfg lock_order` (`./x sanitize address`) they are [`watched`]: each notes the order in which threads take them,
//! and a process ends where two orders contradict each other, though no thread may ever have waited for another.
//!
//! | file | what |
//! |---|---|
//! | `watched.rs` | the types, with the part of `parking_lot`'s interface that the crates use |
//! | `order.rs` | what a thread holds, and what was locked while what was held |
//! | `graph.rs` | edges, and the cycle that a new one closes |

#[cfg(not(lock_order))]
pub use unwatched::*;

#[cfg(any(test, lock_order))]
mod graph;
#[cfg(any(test, lock_order))]
mod order;
#[cfg(any(test, lock_order))]
#[cfg_attr(
    not(lock_order),
    expect(dead_code, reason = "what the tests of this crate need no part of")
)]
mod watched;

#[cfg(lock_order)]
pub use watched::*;
