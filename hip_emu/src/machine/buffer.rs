//! Accesses through buffers: what lies outside of one is 0 to loads, and no place to stores. AMD's manuals, "Memory Buffer
//! Addressing", "Range checking".

use super::memory::{self, host, load, put, store};
use super::wave::Wave;
use super::{Stop, atomic};
use crate::decode::memory::{Action, Memory, ScalarLoad};
use crate::decode::operand::OperandSource;

/// A buffer's resource.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    pub address: u64,
    /// Bytes from one record to the next; 0 for bytes without records.
    pub stride: u64,
    /// Records, or bytes.
    pub size: u64,
}

/// A lane's place in a buffer.
struct Place {
    address: u64,
    /// Bytes that the buffer has from there on.
    room: u64,
}

impl Buffer {
    /// The resource in four scalar registers.
    pub fn of(wave: &Wave, register: u8) -> Buffer {
        let words = wave.scalar64(register);
        Buffer {
            address: words & 0xffff_ffff_ffff,
            stride: words >> 48 & 0x3fff,
            size: wave.scalar32(register + 2).into(),
        }
    }

    fn place(&self, wave: &Wave, memory: &Memory, lane: usize) -> Place {
        let crate::decode::memory::Address { lane: register, offset, offen, idxen, .. } =
            memory.address;
        let own = register.map_or(0, |register| wave.lane32(register, lane).into());
        let (index, own) = match (idxen, offen, register) {
            (true, true, Some(register)) => (own, wave.lane32(register + 1, lane).into()),
            (true, false, _) => (own, 0),
            _ => (0, own),
        };
        let common = match memory.address.soffset {
            OperandSource::Vector(_) => 0,
            place => wave.uniform(place, false),
        };
        let within = (index * self.stride).wrapping_add(own).wrapping_add(offset as u64);
        let within = within.wrapping_add(common);
        let room = match self.stride {
            0 => self.size.saturating_sub(within),
            _ if index < self.size => u64::MAX,
            _ => 0,
        };
        Place { address: self.address.wrapping_add(within), room }
    }

    /// Runs an instruction in an active lane.
    pub fn access(&self, wave: &mut Wave, memory: &Memory, lane: usize) -> Result<(), Stop> {
        let Place { address, room } = self.place(wave, memory, lane);
        match memory.action {
            Action::Load { result, format } if room >= format.bytes.into() => {
                load(wave, host(wave, address)?, lane, result, format);
            }
            Action::Load { result, format } if format.bytes < 4 => {
                put(wave, lane, result, format, 0)
            }
            Action::Load { result, format } => {
                for word in 0..u16::from(format.bytes) / 4 {
                    let value = match 4 * u64::from(word) + 4 <= room {
                        true => memory::read(host(wave, address + 4 * u64::from(word))?),
                        false => 0,
                    };
                    wave.set_lane32(result + word, lane, value);
                }
            }
            Action::Store { data, format, .. } if room >= format.bytes.into() => {
                store(wave, host(wave, address)?, lane, data, format);
            }
            Action::Store { data, format, .. } => {
                for word in 0..u16::from(format.bytes) / 4 {
                    if 4 * u64::from(word) + 4 <= room {
                        let place = host(wave, address + 4 * u64::from(word))?;
                        memory::write(place, wave.lane32(data + word, lane));
                    }
                }
            }
            Action::Atomic { operation, data, second, result } => {
                let inside = room >= if operation.wide { 8 } else { 4 };
                let place = if inside { Some(host(wave, address)?) } else { None };
                atomic::in_lane(wave, operation, place, lane, [data, second], result)?;
            }
        }
        Ok(())
    }

    /// A scalar load of some words, of which those outside are 0. Nothing where all of it lies inside.
    pub fn load_scalar(
        &self,
        wave: &mut Wave,
        load: &ScalarLoad,
        offset: u64,
    ) -> Option<Result<(), Stop>> {
        let bytes = u64::from(load.bytes) * u64::from(load.count);
        // Scalar loads count in bytes always.
        let size = self.size * self.stride.max(1);
        if offset.checked_add(bytes).is_some_and(|end| end <= size) {
            return None;
        }
        for word in 0..load.count {
            let at = offset.wrapping_add(4 * u64::from(word));
            let value = match load.bytes == 4 && at.saturating_add(4) <= size {
                true => match host(wave, self.address.wrapping_add(at)) {
                    Ok(place) => memory::read(place & !3),
                    Err(stop) => return Some(Err(stop)),
                },
                false => 0,
            };
            wave.set_scalar32(load.result + word, value);
        }
        Some(Ok(()))
    }
}
