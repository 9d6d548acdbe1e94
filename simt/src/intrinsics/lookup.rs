//! The row of a name.

use std::sync::LazyLock;

use llvm_zluda::{Opcode, Value};
use rustc_hash::FxHashMap;

use super::{Intrinsic, PREFIX, ROWS, pattern};

static BY_NAME: LazyLock<FxHashMap<String, &'static Intrinsic>> = LazyLock::new(|| {
    let names = |row: &'static Intrinsic| {
        pattern::expand(row.names).into_iter().map(move |name| (name, row))
    };
    ROWS.iter().filter(|row| !pattern::is_open(row.names)).flat_map(names).collect()
});

/// The intrinsic of a name, which is without [`PREFIX`].
pub fn named(name: &str) -> Option<&'static Intrinsic> {
    let mut open = ROWS.iter().filter(|row| pattern::is_open(row.names));
    BY_NAME.get(name).copied().or_else(|| open.find(|row| pattern::fits(row.names, name)))
}

/// The intrinsic that an instruction calls.
pub fn called(instruction: Value<'_>) -> Option<&'static Intrinsic> {
    if !matches!(instruction.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke) {
        return None;
    }
    named(instruction.called_name().strip_prefix(PREFIX)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_row() {
        let names: Vec<_> = ROWS.iter().flat_map(|row| pattern::expand(row.names)).collect();
        let mut once = names.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), names.len());
    }

    #[test]
    fn names_are_found() {
        assert_eq!(named("matrix.4.10").map(|row| row.names), Some("matrix.#.#"));
        assert_eq!(named("matrix.memory.4.1").map(|row| row.names), Some("matrix.memory.#.#"));
        assert_eq!(named("lane.mbarrier.arrive").map(|row| row.names), Some("lane.*"));
        assert_eq!(named("shfl.up").map(|row| row.is_rendezvous()), Some(true));
        assert_eq!(named("shfl.sideways"), None);
    }
}
