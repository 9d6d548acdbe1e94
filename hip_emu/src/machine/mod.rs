//! The machine: waves that run instructions.
//!
//! - [`group`]: a workgroup; [`wave`]: registers; [`start`]: what a wave begins with.
//! - [`interpreter`]: one instruction after the other.
//! - [`vector`], [`lane`], [`matrix`], [`memory`], [`buffer`], [`atomic`], [`status`]: what instructions do.

pub mod atomic;
mod buffer;
pub mod group;
pub mod interpreter;
pub mod lane;
pub mod launch;
pub mod matrix;
pub mod memory;
pub mod mode;
pub mod output;
pub mod start;
pub mod status;
#[cfg(test)]
mod tests;
pub mod vector;
pub mod wave;

/// The reasons for which a launch ends before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    BadAddress(u64),
    BadLds(u64),
    Misaligned(usize),
    /// Code where there is none.
    BadCode(u64),
    /// An instruction with registers that the kernel does not have, by its descriptor.
    BadRegister,
    /// `s_trap`
    Trap(u32),
    /// An instruction that the emulator does not know: why, and the text.
    Unknown(String),
}
