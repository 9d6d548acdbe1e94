//! Vector instructions: sources with their modifiers, the operation in each active lane, results.

use super::output;
use super::wave::{Lanes, SCRATCH_ROWS, Wave};
use crate::decode::operand::{Half, OperandSource, Source, registers_of};
use crate::decode::vector::{
    Control, Cross, Dpp, Part, Select, Unused, Vector, is_packed, is_pair,
};
use crate::isa::{Action, Kind, Number};

/// The way in which a source is read in each lane.
#[derive(Clone, Copy)]
struct Reader {
    /// The first lane's place in the registers.
    row: usize,
    is_uniform: bool,
    uniform: u64,
    is_wide: bool,
    shift: u32,
    mask: u64,
    /// The bits that modifiers keep, and those that they flip.
    keep: u64,
    flip: u64,
}

impl Reader {
    const NOTHING: Reader = Reader {
        row: 0,
        is_uniform: true,
        uniform: 0,
        is_wide: false,
        shift: 0,
        mask: u64::MAX,
        keep: u64::MAX,
        flip: 0,
    };

    #[inline(always)]
    fn read(&self, vector: &[u32], lanes: usize, lane: usize) -> u64 {
        if self.is_uniform {
            return self.uniform;
        }
        let at = self.row + lane;
        let mut value = u64::from(vector[at]);
        if self.is_wide {
            value |= u64::from(vector[at + lanes]) << 32;
        }
        (value >> self.shift & self.mask & self.keep) ^ self.flip
    }
}

/// The destination of the result in each lane.
#[derive(Clone, Copy)]
struct Writer {
    row: usize,
    is_wide: bool,
    part: Option<Part>,
}

impl Writer {
    #[inline(always)]
    fn write(&self, vector: &mut [u32], lanes: usize, lane: usize, value: u64) {
        let at = self.row + lane;
        match self.part {
            None => {
                vector[at] = value as u32;
                if self.is_wide {
                    vector[at + lanes] = (value >> 32) as u32;
                }
            }
            Some(part) => vector[at] = merge(part, vector[at], value as u32),
        }
    }
}

/// Puts a result into its part of a register.
fn merge(part: Part, old: u32, value: u32) -> u32 {
    match part {
        Part::LowClear => value & 0xffff,
        Part::Low => old & 0xffff_0000 | value & 0xffff,
        Part::High => old & 0xffff | value << 16,
        Part::Selected(select, unused) => {
            let (shift, width) = match select {
                Select::Dword => return value,
                Select::Byte(place) => (u32::from(place) * 8, 8),
                Select::Word(place) => (u32::from(place) * 16, 16),
            };
            let ones = (1 << width) - 1;
            let placed = (value & ones) << shift;
            match unused {
                Unused::Zero => placed,
                Unused::Keep => old & !(ones << shift) | placed,
                Unused::Sign => {
                    let signed = ((value << (32 - width)) as i32 >> (32 - width)) as u32;
                    signed << shift
                }
            }
        }
    }
}

/// Runs an instruction in all active lanes.
pub fn run(wave: &mut Wave, vector: &Vector) {
    let row = vector.result.map(|register| destination_row(wave, register));
    run_into(wave, vector, row);
}

/// Runs two instructions, both of which read their sources first.
pub fn run_dual(wave: &mut Wave, [x, y]: &[Vector; 2]) {
    let between = wave.row(wave.scratch_row + 8);
    run_into(wave, x, Some(between));
    run_into(wave, y, y.result.map(|register| wave.row(register.into())));
    if let Some(register) = x.result {
        let row = wave.row(register.into());
        for lane in Lanes(wave.exec() & wave.all_lanes()) {
            wave.vector[row + lane] = wave.vector[between + lane];
        }
    }
}

fn destination_row(wave: &Wave, register: u16) -> usize {
    let moved = if wave.index_uses & 8 != 0 { wave.index as usize } else { 0 };
    // An index beyond the registers writes to none that is used.
    let register = usize::from(register) + moved;
    wave.row(if register < wave.registers() { register } else { wave.scratch_row + 8 })
}

fn run_into(wave: &mut Wave, vector: &Vector, row: Option<usize>) {
    let operation = vector.operation;
    let lanes = wave.lanes;
    let exec = wave.exec() & wave.all_lanes();
    let mut active = exec;
    let mut readers = [Reader::NOTHING; 3];
    for (slot, kind) in operation.sources.iter().enumerate() {
        readers[slot] = prepare(wave, vector, slot, *kind);
    }
    if let Some(cross) = &vector.cross {
        match cross {
            Cross::Dpp(dpp) => {
                let (reader, enabled) = apply_dpp(wave, dpp, readers[0], exec);
                readers[0] = reader;
                active &= enabled;
            }
            Cross::Sdwa(selects) => {
                for (slot, select) in selects.iter().enumerate().take(operation.sources.len()) {
                    if *select != Select::Dword || vector.sources[slot].signed {
                        let kind = operation.sources[slot];
                        readers[slot] = apply_sdwa(wave, vector, slot, *select, kind);
                    }
                }
            }
        }
    }
    let part = match operation.result {
        Kind::B16 | Kind::F16 | Kind::Bf16 => Some(vector.part),
        _ => match vector.part {
            part @ Part::Selected(..) => Some(part),
            _ => None,
        },
    };
    let is_wide = registers_of(operation.result) == 2;
    let writer = Writer { row: row.unwrap_or(wave.row(wave.scratch_row + 8)), is_wide, part };
    let mode = wave.mode.mode;
    let flags = wave.mask(vector.flag_in);
    let registers = &mut wave.vector[..];
    let [a, b, c] = &readers;
    let read = |registers: &[u32], lane: usize| {
        [
            a.read(registers, lanes, lane),
            b.read(registers, lanes, lane),
            c.read(registers, lanes, lane),
        ]
    };
    let changes = vector.clamp || vector.factor != 1.0;
    let finish = |value: u64| {
        if changes {
            output::apply(&mode, operation.result, vector.factor, vector.clamp, value)
        } else {
            value
        }
    };
    let mut mask = 0;
    match operation.action {
        Action::Value(run) => {
            for lane in Lanes(active) {
                let value = finish(run(&mode, read(registers, lane)));
                writer.write(registers, lanes, lane, value);
            }
            return;
        }
        Action::WithFlag(run) => {
            for lane in Lanes(active) {
                let flag = flags >> lane & 1 != 0;
                let value = finish(run(&mode, read(registers, lane), flag));
                writer.write(registers, lanes, lane, value);
            }
            return;
        }
        Action::WithNumber(what, run) => {
            for lane in Lanes(active) {
                let number = if what == Number::Lane { lane as u32 } else { vector.number };
                let value = finish(run(&mode, read(registers, lane), number));
                writer.write(registers, lanes, lane, value);
            }
            return;
        }
        Action::Test(run) => {
            for lane in Lanes(active) {
                mask |= u64::from(run(&mode, read(registers, lane))) << lane;
            }
        }
        Action::AndFlag(run) => {
            for lane in Lanes(active) {
                let (value, flag) = run(&mode, read(registers, lane));
                writer.write(registers, lanes, lane, finish(value));
                mask |= u64::from(flag) << lane;
            }
        }
        Action::WithAndFlag(run) => {
            for lane in Lanes(active) {
                let flag = flags >> lane & 1 != 0;
                let (value, flag) = run(&mode, read(registers, lane), flag);
                writer.write(registers, lanes, lane, finish(value));
                mask |= u64::from(flag) << lane;
            }
        }
    }
    wave.set_mask(vector.flag_out, mask);
    if vector.also_exec {
        wave.set_exec(mask);
    }
}

/// The reader of a source, without SDWA and DPP.
fn prepare(wave: &mut Wave, vector: &Vector, slot: usize, kind: Kind) -> Reader {
    let source = &vector.sources[slot];
    let is_wide = registers_of(kind) == 2;
    let (keep, flip) = modifiers(source, kind);
    let is_half = matches!(kind, Kind::B16 | Kind::F16 | Kind::Bf16);
    let shift = if is_half && source.half == Some(Half::High) { 16 } else { 0 };
    let mask = if is_half { 0xffff } else { u64::MAX };
    let mut reader =
        Reader { row: 0, is_uniform: false, uniform: 0, is_wide, shift, mask, keep, flip };
    match source.place {
        OperandSource::Vector(register) => {
            let moved = if wave.index_uses >> slot & 1 != 0 { wave.index as usize } else { 0 };
            let register = usize::from(register) + moved;
            let last = register + usize::from(is_wide);
            // Beyond the registers, what an index names is not defined.
            let register =
                if last < wave.registers() + SCRATCH_ROWS { register } else { wave.scratch_row };
            reader.row = wave.row(register);
        }
        place => {
            let mut value = wave.uniform(place, is_wide);
            if !matches!(place, OperandSource::Constant(_)) {
                value >>= shift;
            }
            reader.is_uniform = true;
            reader.uniform = (value & mask & keep) ^ flip;
        }
    }
    if is_packed(kind) || is_pair(kind) {
        pick_halves(wave, vector, slot, kind, &mut reader);
    }
    reader
}

/// The bits that modifiers keep and flip.
fn modifiers(source: &Source, kind: Kind) -> (u64, u64) {
    let sign = match kind {
        Kind::B16 | Kind::F16 | Kind::Bf16 => 1 << 15,
        Kind::B64 | Kind::F64 => 1 << 63,
        _ => 1 << 31,
    };
    let keep = if source.absolute { !sign } else { u64::MAX };
    (keep, if source.negated { sign } else { 0 })
}

/// The two values of a packed source, which come from either half and may be negated.
fn pick_halves(wave: &mut Wave, vector: &Vector, slot: usize, kind: Kind, reader: &mut Reader) {
    let bit = |bits: u32| bits >> slot & 1 != 0;
    let (low, high) = (bit(vector.op_sel), bit(vector.op_sel_hi));
    let (negate_low, negate_high) = (bit(vector.negated_lo), bit(vector.negated_hi));
    let is_signs = matches!(vector.operation.action, Action::WithNumber(Number::Signs, _));
    let width = if is_pair(kind) { 32 } else { 16 };
    let ones = (1u64 << width) - 1;
    let mut flip = 0;
    if !is_signs {
        flip = u64::from(negate_low) << (width - 1) | u64::from(negate_high) << (2 * width - 1);
    }
    if !low && high {
        if reader.is_uniform {
            reader.uniform ^= flip;
        }
        reader.flip ^= flip;
        return;
    }
    let pick = |value: u64| {
        let half = |upper: bool| if upper { value >> width & ones } else { value & ones };
        (half(low) | half(high) << width) ^ flip
    };
    if reader.is_uniform {
        reader.uniform = pick(reader.uniform);
        return;
    }
    let row = wave.row(wave.scratch_row + 2 * slot);
    let lanes = wave.lanes;
    for lane in 0..lanes {
        let value = pick(reader.read(&wave.vector, lanes, lane));
        wave.vector[row + lane] = value as u32;
        if width == 32 {
            wave.vector[row + lanes + lane] = (value >> 32) as u32;
        }
    }
    *reader = Reader { row, is_wide: width == 32, is_uniform: false, ..Reader::NOTHING };
}

/// Copies the first source from the lanes that are named. Returns how it is read now, and the lanes that do
/// something.
fn apply_dpp(wave: &mut Wave, dpp: &Dpp, reader: Reader, exec: u64) -> (Reader, u64) {
    let row = wave.row(wave.scratch_row);
    let lanes = wave.lanes;
    let mut values = [0; 64];
    let mut enabled = 0;
    for (lane, value) in values.iter_mut().enumerate().take(lanes) {
        if dpp.row_mask >> (lane / 16) & 1 == 0 || dpp.bank_mask >> (lane % 16 / 4) & 1 == 0 {
            continue;
        }
        let from = source_lane(dpp.control, lane, lanes)
            .filter(|from| dpp.inactive || exec >> from & 1 != 0);
        match from {
            Some(from) => *value = reader.read(&wave.vector, lanes, from),
            None if dpp.zero => {}
            None => continue,
        }
        enabled |= 1 << lane;
    }
    for (lane, value) in values.iter().enumerate().take(lanes) {
        wave.vector[row + lane] = *value as u32;
        wave.vector[row + lanes + lane] = (*value >> 32) as u32;
    }
    // Modifiers have been applied.
    let reader = Reader { row, is_wide: reader.is_wide, is_uniform: false, ..Reader::NOTHING };
    (reader, enabled)
}

/// The lane that a lane takes its source from.
fn source_lane(control: Control, lane: usize, lanes: usize) -> Option<usize> {
    let (row, place) = (lane & !15, lane & 15);
    let in_row = |place: Option<usize>| place.filter(|place| *place < 16).map(|place| row + place);
    match control {
        Control::QuadPerm(lanes) => Some(lane & !3 | usize::from(lanes[lane & 3])),
        Control::Dpp8(lanes) => Some(lane & !7 | usize::from(lanes[lane & 7])),
        Control::RowShl(distance) => in_row(Some(place + usize::from(distance))),
        Control::RowShr(distance) => in_row(place.checked_sub(distance.into())),
        Control::RowRor(distance) => Some(row + (place + 16 - usize::from(distance)) % 16),
        Control::RowMirror => Some(row + 15 - place),
        Control::RowHalfMirror => Some((lane & !7) + 7 - (lane & 7)),
        Control::RowShare(place) => Some(row + usize::from(place)),
        Control::RowXmask(mask) => Some(row + (place ^ usize::from(mask))),
        Control::RowBroadcast15 => row.checked_sub(1),
        Control::RowBroadcast31 => (lane >= 32).then_some(31),
        Control::WaveShl => Some(lane + 1).filter(|from| *from < lanes),
        Control::WaveShr => lane.checked_sub(1),
        Control::WaveRol => Some((lane + 1) % lanes),
        Control::WaveRor => Some((lane + lanes - 1) % lanes),
    }
}

/// The selected part of a source, extended; then modifiers count for that.
fn apply_sdwa(wave: &mut Wave, vector: &Vector, slot: usize, select: Select, kind: Kind) -> Reader {
    let source = &vector.sources[slot];
    let row = wave.row(wave.scratch_row + 2 * slot);
    let (shift, width) = match select {
        Select::Dword => (0, 32),
        Select::Byte(place) => (u32::from(place) * 8, 8),
        Select::Word(place) => (u32::from(place) * 16, 16),
    };
    for lane in 0..wave.lanes {
        let value = match source.place {
            OperandSource::Vector(register) => wave.lane32(register, lane),
            place => wave.uniform(place, false) as u32,
        };
        let value = value >> shift << (32 - width);
        let value = if source.signed {
            (value as i32 >> (32 - width)) as u32
        } else {
            value >> (32 - width)
        };
        wave.vector[row + lane] = value;
    }
    let (keep, flip) = modifiers(source, kind);
    let is_half = matches!(kind, Kind::B16 | Kind::F16 | Kind::Bf16);
    let mask = if is_half { 0xffff } else { u64::MAX };
    Reader { row, is_uniform: false, mask, keep, flip, ..Reader::NOTHING }
}
