//! Loads, stores and atomic operations.

use hip_host::executor::{is_known_of_host, place};
use hip_host::pieces;
use zluda_common::config::config;
use zluda_common::program_memory;

use super::buffer::Buffer;
use super::group::Local;
use super::wave::{Lanes, PRIVATE_APERTURE, SHARED_APERTURE, Wave};
use super::{Stop, atomic};
use crate::decode::memory::{
    Action, Address, Format, LdsExchange, Memory, Part, ScalarLoad, Space,
};
use crate::decode::operand::OperandSource;

/// Runs an instruction in all active lanes.
pub fn run(wave: &mut Wave, local: &Local, memory: &Memory) -> Result<(), Stop> {
    let active = Lanes(wave.exec() & wave.all_lanes());
    let base = Base::of(wave, memory);
    if let (Some(buffer), false) = (base.buffer, base.is_private) {
        return active.into_iter().try_for_each(|lane| buffer.access(wave, memory, lane));
    }
    let offset = memory.address.offset;
    let place = |wave: &Wave, lane, offset, bytes| {
        outside_is_none(base.address(wave, local, memory, lane, offset, bytes))
    };
    match memory.action {
        Action::Load { result, format } => {
            let words = u16::from(format.bytes).div_ceil(4);
            // A result may overwrite the address of its own lane only.
            for lane in active {
                let first = place(wave, lane, offset, format.bytes)?;
                let second = memory.address.second;
                let second = second.map(|offset| place(wave, lane, offset, format.bytes));
                load_or_zero(wave, first, lane, result, format);
                if let Some(second) = second {
                    load_or_zero(wave, second?, lane, result + words, format);
                }
            }
        }
        Action::Store { data, second, format } => {
            for lane in active {
                if let Some(place) = place(wave, lane, offset, format.bytes)? {
                    store(wave, place, lane, data, format);
                }
                if let Some(offset) = memory.address.second
                    && let Some(place) = place(wave, lane, offset, format.bytes)?
                {
                    store(wave, place, lane, second, format);
                }
            }
        }
        Action::Atomic { operation, data, second, result } => {
            let bytes = if operation.wide { 8 } else { 4 };
            for lane in active {
                let place = place(wave, lane, offset, bytes)?;
                atomic::in_lane(wave, operation, place, lane, [data, second], result)?;
            }
        }
    }
    Ok(())
}

/// What lies outside of LDS is a mistake of this project's compiler. To a card it is 0, and no place to stores, on which ROCm's
/// libraries rely.
#[inline(always)]
fn outside_is_none(place: Result<usize, Stop>) -> Result<Option<usize>, Stop> {
    match place {
        Ok(place) => Ok(Some(place)),
        Err(Stop::BadLds(_)) if config().emulated_gpu.is_some() => Ok(None),
        Err(stop) => Err(stop),
    }
}

#[inline(always)]
fn load_or_zero(wave: &mut Wave, place: Option<usize>, lane: usize, result: u16, format: Format) {
    match place {
        Some(place) => load(wave, place, lane, result, format),
        None if format.bytes <= 4 => put(wave, lane, result, format, 0),
        None => (0..u16::from(format.bytes) / 4)
            .for_each(|word| wave.set_lane32(result + word, lane, 0)),
    }
}

/// The size by which the resource of scratch memory is known.
pub const PRIVATE_BUFFER_SIZE: u32 = u32::MAX;

/// The part of an address that all lanes have in common.
struct Base {
    value: u64,
    buffer: Option<Buffer>,
    /// The buffer is the wave's scratch memory.
    is_private: bool,
}

impl Base {
    fn of(wave: &Wave, memory: &Memory) -> Base {
        let Address { base, .. } = memory.address;
        let mut buffer = None;
        let value = match (memory.space, base) {
            (Space::Global, Some(register)) => wave.scalar64(register),
            (Space::Scratch, Some(register)) => wave.scalar32(register).into(),
            (Space::Buffer, Some(register)) => {
                let resource = Buffer::of(wave, register);
                buffer = Some(resource);
                resource.address
            }
            _ => 0,
        };
        let is_private = buffer.is_some_and(|buffer| {
            buffer.address == wave.private as u64 && buffer.size == PRIVATE_BUFFER_SIZE.into()
        });
        Base { value, buffer, is_private }
    }

    /// The host's address of a lane's access to `bytes` bytes.
    #[inline(always)]
    fn address(
        &self,
        wave: &Wave,
        local: &Local,
        memory: &Memory,
        lane: usize,
        offset: i64,
        bytes: u8,
    ) -> Result<usize, Stop> {
        let Address { lane: register, wide, soffset, .. } = memory.address;
        let own = match register {
            None => 0,
            Some(register) if wide && memory.space != Space::Buffer => wave.lane64(register, lane),
            Some(register) => wave.lane32(register, lane).into(),
        };
        let address = self.value.wrapping_add(own).wrapping_add(offset as u64);
        match memory.space {
            Space::Global => host(wave, address),
            Space::Scratch => private(wave, address as u32, lane, bytes),
            Space::Lds => local.address(address as u32, bytes),
            Space::Flat => match (address >> 32) as u32 {
                SHARED_APERTURE => local.address(address as u32, bytes),
                PRIVATE_APERTURE => private(wave, address as u32, lane, bytes),
                _ => host(wave, address),
            },
            Space::Buffer => {
                let soffset = match soffset {
                    OperandSource::Vector(_) => 0,
                    place => wave.uniform(place, false),
                };
                // Scratch memory: the scalar offset counts the bytes of all lanes.
                let offset = own.wrapping_add(offset as u64);
                let offset = offset.wrapping_add(soffset / wave.lanes as u64);
                private(wave, offset as u32, lane, bytes)
            }
        }
    }
}

/// Where what is at an address lies in the host's memory; null and its page are none, nor is memory of the host that HIP does
/// not know, but for what the dispatcher has there.
#[inline(always)]
pub(super) fn host(wave: &Wave, address: u64) -> Result<usize, Stop> {
    let place = place(address as usize);
    if place != address as usize || wave.is_told(address) {
        return Ok(place);
    }
    if address < 4096 || !is_known_of_host(place) {
        return Err(Stop::BadAddress(address));
    }
    Ok(place)
}

/// The host's address of a lane's scratch memory.
fn private(wave: &Wave, offset: u32, lane: usize, bytes: u8) -> Result<usize, Stop> {
    let at = offset as usize;
    if at + usize::from(bytes) > wave.private_size {
        return Err(Stop::BadAddress(u64::from(PRIVATE_APERTURE) << 32 | u64::from(offset)));
    }
    Ok(wave.private + lane * wave.private_size + at)
}

/// Reads a value of the host's memory.
///
/// A read of memory that is not there ends the interpreter: it runs where faults are caught.
#[inline(always)]
pub(super) fn read<T: Copy>(address: usize) -> T {
    // SAFETY: the types are plain numbers; as above.
    unsafe { program_memory::read(address) }
}

#[inline(always)]
pub(super) fn write<T: Copy>(address: usize, value: T) {
    // SAFETY: as for `read`.
    unsafe { program_memory::write(address, value) }
}

#[inline(always)]
pub(super) fn load(wave: &mut Wave, address: usize, lane: usize, result: u16, format: Format) {
    let value = match (format.bytes, format.signed) {
        (1, false) => read::<u8>(address).into(),
        (1, true) => i32::from(read::<i8>(address)) as u32,
        (2, false) => read::<u16>(address).into(),
        (2, true) => i32::from(read::<i16>(address)) as u32,
        (4, _) => read::<u32>(address),
        // In one piece, as long as it is aligned.
        (8, _) => return wave.set_lane64(result, lane, read(address)),
        (16, _) => {
            // SAFETY: as in `read`.
            let words = unsafe { pieces::read(address) };
            for (word, value) in words.into_iter().enumerate() {
                wave.set_lane32(result + word as u16, lane, value);
            }
            return;
        }
        (_, _) => {
            let words: [u32; 3] = std::array::from_fn(|word| read(address + 4 * word));
            for (word, value) in words.into_iter().enumerate() {
                wave.set_lane32(result + word as u16, lane, value);
            }
            return;
        }
    };
    put(wave, lane, result, format, value);
}

/// Leaves a value of 32 bits at most in its part of a register.
#[inline(always)]
pub(super) fn put(wave: &mut Wave, lane: usize, result: u16, format: Format, value: u32) {
    let value = match format.part {
        Part::Whole => value,
        Part::Low => wave.lane32(result, lane) & 0xffff_0000 | value & 0xffff,
        Part::High => wave.lane32(result, lane) & 0xffff | value << 16,
    };
    wave.set_lane32(result, lane, value);
}

#[inline(always)]
pub(super) fn store(wave: &Wave, address: usize, lane: usize, data: u16, format: Format) {
    let mut value = wave.lane32(data, lane);
    if format.part == Part::High {
        value >>= 16;
    }
    match format.bytes {
        1 => write(address, value as u8),
        2 => write(address, value as u16),
        4 => write(address, value),
        8 => write(address, wave.lane64(data, lane)),
        16 => {
            let words = std::array::from_fn(|word| wave.lane32(data + word as u16, lane));
            // SAFETY: as in `read`.
            unsafe { pieces::write(address, words) };
        }
        bytes => {
            for word in 0..u16::from(bytes) / 4 {
                write(address + 4 * usize::from(word), wave.lane32(data + word, lane));
            }
        }
    }
}

/// Loads scalar registers.
pub fn load_scalar(wave: &mut Wave, load: &ScalarLoad) -> Result<(), Stop> {
    let register = load.register.map_or(0, |register| u64::from(wave.scalar32(register)));
    let words = wave.scalar64(load.base);
    let offset = register.wrapping_add(load.offset as u64);
    let mut address = words;
    if load.is_buffer {
        let buffer = Buffer::of(wave, load.base);
        if let Some(done) = buffer.load_scalar(wave, load, offset) {
            return done;
        }
        address = buffer.address;
    }
    address = address.wrapping_add(offset);
    let place = host(wave, address)?;
    match (load.bytes, load.signed) {
        (1, false) => wave.set_scalar32(load.result, read::<u8>(place).into()),
        (1, true) => {
            wave.set_scalar32(load.result, i32::from(read::<i8>(place)) as u32);
        }
        (2, false) => wave.set_scalar32(load.result, read::<u16>(place).into()),
        (2, true) => {
            wave.set_scalar32(load.result, i32::from(read::<i16>(place)) as u32);
        }
        _ => {
            let place = place & !3;
            // The result may hold the address.
            let mut word = 0;
            while word < load.count {
                let place = place + 4 * usize::from(word);
                let (values, count) = match load.count - word {
                    1 => ([read(place), 0, 0, 0], 1),
                    2 | 3 => {
                        let both: u64 = read(place);
                        ([both as u32, (both >> 32) as u32, 0, 0], 2)
                    }
                    // SAFETY: as in `read`.
                    _ => (unsafe { pieces::read(place) }, 4),
                };
                for value in &values[..count] {
                    wave.set_scalar32(load.result + word, *value);
                    word += 1;
                }
            }
        }
    }
    Ok(())
}

/// Moves values between lanes, as the LDS unit does.
pub fn exchange(wave: &mut Wave, local: &Local, exchange: &LdsExchange) -> Result<(), Stop> {
    let exec = wave.exec() & wave.all_lanes();
    let lanes = wave.lanes;
    let mut values = [0; 64];
    let result = match *exchange {
        LdsExchange::Pull { result, address, data, offset, inactive } => {
            for lane in Lanes(exec) {
                let from = wave.lane32(address, lane).wrapping_add(offset) as usize / 4 % lanes;
                if inactive || exec >> from & 1 != 0 {
                    values[lane] = wave.lane32(data, from);
                }
            }
            result
        }
        LdsExchange::Push { result, address, data, offset } => {
            for lane in Lanes(exec) {
                let to = wave.lane32(address, lane).wrapping_add(offset) as usize / 4 % lanes;
                values[to] = wave.lane32(data, lane);
            }
            result
        }
        LdsExchange::Swizzle { result, data, pattern } => {
            for lane in Lanes(exec) {
                let from = swizzled(pattern, lane);
                if exec >> from & 1 != 0 {
                    values[lane] = wave.lane32(data, from);
                }
            }
            result
        }
        LdsExchange::Append { result, offset, consumes } => {
            let base = wave.scalar32(crate::decode::operand::sgpr::M0) & 0xffff;
            let address = local.address(base.wrapping_add(offset), 4)?;
            let count = exec.count_ones();
            let old: u32 = read(address);
            let new = if consumes { old.wrapping_sub(count) } else { old.wrapping_add(count) };
            write(address, new);
            values = [old; 64];
            result
        }
    };
    for lane in Lanes(exec) {
        wave.set_lane32(result, lane, values[lane]);
    }
    Ok(())
}

/// The lane that `ds_swizzle_b32` takes a lane's value from.
fn swizzled(pattern: u32, lane: usize) -> usize {
    let (group, place) = (lane & !31, lane & 31);
    let field = |shift: u32| (pattern >> shift) as usize & 31;
    match pattern >> 13 {
        // Four lanes permuted.
        4..=5 => lane & !3 | (pattern >> (2 * (lane & 3))) as usize & 3,
        // Rotated within the bits that the mask leaves.
        6 => {
            let (keep, by) = (field(0), field(5));
            let moved = if pattern >> 10 & 1 == 0 { place + by } else { place + 32 - by };
            group | place & keep | moved & 31 & !keep
        }
        _ => group | ((place & field(0) | field(5)) ^ field(10)),
    }
}
