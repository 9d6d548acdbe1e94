//! Operations of lanes.

use super::Operation;

/// The operation of this mnemonic.
pub fn vector(_mnemonic: &str) -> Option<&'static Operation> {
    None
}
