//! Variables of modules: parts of the segment of all variables. Some are managed, where the host and the device use memory as
//! one.

use super::{Allocation, Kind};
use parking_lot::RwLock;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
struct Variable {
    size: u64,
    is_managed: bool,
}

/// The variables, by their addresses.
static VARIABLES: RwLock<BTreeMap<u64, Variable>> = RwLock::new(BTreeMap::new());

/// A module has a variable.
pub(crate) fn add(start: u64, size: u64, is_managed: bool) {
    VARIABLES.write().insert(start, Variable { size, is_managed });
}

/// The variables of a segment have gone.
pub(crate) fn remove_all(start: u64, size: usize) {
    let mut variables = VARIABLES.write();
    let mut rest = variables.split_off(&start);
    variables.append(&mut rest.split_off(&(start + size as u64)));
}

fn at(address: u64) -> Option<(u64, Variable)> {
    let variables = VARIABLES.read();
    let (start, variable) = variables.range(..=address).next_back()?;
    (address - start < variable.size).then_some((*start, *variable))
}

impl Allocation {
    /// Whether it is managed memory, at this address: of a module's variables some may be.
    pub(crate) fn is_managed_at(&self, address: u64) -> bool {
        self.is_managed() || self.is_managed_variable(address)
    }

    /// Whether a managed variable of a module is at this address.
    pub(crate) fn is_managed_variable(&self, address: u64) -> bool {
        self.kind == Kind::Module && at(address).is_some_and(|(_, variable)| variable.is_managed)
    }

    /// The first address and the bytes of the variable of a module at this address.
    pub(crate) fn variable(&self, address: u64) -> Option<(u64, usize)> {
        let found = (self.kind == Kind::Module).then(|| at(address)).flatten();
        found.map(|(start, variable)| (start, variable.size as usize))
    }
}
