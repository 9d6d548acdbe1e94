//! Variables of modules that are managed: parts of the segment of all variables, where the host and the device use memory as
//! one.

use super::{Allocation, Kind};
use parking_lot::RwLock;
use std::collections::BTreeMap;

/// The ends of the variables, by their starts.
static VARIABLES: RwLock<BTreeMap<u64, u64>> = RwLock::new(BTreeMap::new());

/// A module's variable is managed.
pub(crate) fn add(start: u64, size: u64) {
    VARIABLES.write().insert(start, start + size);
}

/// The variables of a segment have gone.
pub(crate) fn remove_all(start: u64, size: usize) {
    VARIABLES.write().retain(|at, _| !(start..start + size as u64).contains(at));
}

impl Allocation {
    /// Whether it is managed memory, at this address: of a module's variables some may be.
    pub(crate) fn is_managed_at(&self, address: u64) -> bool {
        self.is_managed() || self.is_managed_variable(address)
    }

    /// Whether a managed variable of a module is at this address.
    pub(crate) fn is_managed_variable(&self, address: u64) -> bool {
        let is_there = || {
            let variables = VARIABLES.read();
            variables.range(..=address).next_back().is_some_and(|(_, end)| address < *end)
        };
        self.kind == Kind::Module && is_there()
    }
}
