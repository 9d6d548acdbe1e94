//! The words of an mbarrier, which fill 64 bits.

/// Arrivals that the current phase waits for still.
pub const PENDING_SHIFT: u32 = 0;
/// Arrivals that phases to come wait for.
pub const EXPECTED_SHIFT: u32 = 20;
/// Bytes that are expected and not complete, in two's complement.
pub const TX_SHIFT: u32 = 40;
pub const COUNT_BITS: u32 = 20;
pub const TX_BITS: u32 = 21;
/// The parity of the current phase.
pub const PARITY_SHIFT: u32 = 63;
