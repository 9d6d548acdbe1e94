//! Whether any context is alive: without one no kernel runs, and the process has the handlers of signals that it had before
//! the first.

use crate::core::device::driver::Driver;
use parking_lot::Mutex;

/// The number of contexts that are alive, or becoming so. Held while handlers change.
static ALIVE: Mutex<usize> = Mutex::new(0);

/// A context is going to be alive.
pub(super) fn begin(driver: &Driver) {
    let mut alive = ALIVE.lock();
    if *alive == 0 {
        driver.hip.handle_faults(true);
    }
    *alive += 1;
}

/// A context is alive no more, and its work has ended.
pub(super) fn end(driver: &Driver) {
    let mut alive = ALIVE.lock();
    *alive = alive.saturating_sub(1);
    if *alive == 0 {
        driver.hip.handle_faults(false);
    }
}
