//! How a handle is made of its kind, slot and generation.

use super::kind::{Kind, MEMBER_BITS};

/// The width of handles.
pub trait Width {
    /// The bits of the number of a slot.
    const INDEX_BITS: u32;
    /// The last generation of a slot.
    const LAST_GENERATION: u16;

    /// The handle to a slot in a generation.
    fn encode(kind: Kind, index: u32, generation: u16) -> u64;

    /// The slot and the generation of what may be a handle.
    fn split(handle: u64) -> (u32, u16);
}

/// Handles that look like pointers.
#[derive(Clone, Copy, Debug)]
pub struct Pointer;

const PREFIX: u64 = 1 << 45;
const FAMILY_SHIFT: u32 = 40;
const GENERATION_SHIFT: u32 = MEMBER_BITS + Pointer::INDEX_BITS;

impl Width for Pointer {
    const INDEX_BITS: u32 = 20;
    const LAST_GENERATION: u16 = u16::MAX;

    fn encode(kind: Kind, index: u32, generation: u16) -> u64 {
        PREFIX
            | kind.family() << FAMILY_SHIFT
            | u64::from(generation) << GENERATION_SHIFT
            | u64::from(index) << MEMBER_BITS
            | kind.member()
    }

    fn split(handle: u64) -> (u32, u16) {
        let index = (handle >> MEMBER_BITS) as u32 & ((1 << Self::INDEX_BITS) - 1);
        (index, (handle >> GENERATION_SHIFT) as u16)
    }
}

/// Handles of 32 bits, positive.
#[derive(Clone, Copy, Debug)]
pub struct Integer;

const INTEGER_PREFIX: u64 = 1 << 30;

impl Width for Integer {
    const INDEX_BITS: u32 = 16;
    const LAST_GENERATION: u16 = (1 << 12) - 1;

    fn encode(_: Kind, index: u32, generation: u16) -> u64 {
        INTEGER_PREFIX | u64::from(generation) << Self::INDEX_BITS | u64::from(index)
    }

    fn split(handle: u64) -> (u32, u16) {
        let index = handle as u32 & ((1 << Self::INDEX_BITS) - 1);
        (index, (handle >> Self::INDEX_BITS) as u16 & Self::LAST_GENERATION)
    }
}
