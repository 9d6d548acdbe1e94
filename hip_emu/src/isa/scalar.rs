//! Operations of the scalar unit.

use super::ScalarOperation;

/// The operation of this mnemonic.
pub fn scalar(_mnemonic: &str) -> Option<&'static ScalarOperation> {
    None
}
