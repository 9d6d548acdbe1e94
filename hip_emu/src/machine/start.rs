//! The state that a wave begins with: the registers that the dispatcher fills.

use super::launch::Launch;
use super::memory::PRIVATE_BUFFER_SIZE;
use super::mode::ModeRegister;
use super::wave::{State, Wave};
use crate::decode::operand::sgpr;

/// Sets a wave up for its workgroup's place in the grid.
pub fn begin(wave: &mut Wave, launch: &Launch, place: [u32; 3]) {
    let kernel = &launch.kernel;
    let descriptor = &kernel.descriptor;
    let arch = &kernel.code.arch;
    let block = launch.request.block_at(place);
    let threads = block.iter().product::<u32>() as usize;
    let first = wave.number as usize * wave.lanes;
    let lanes = threads.saturating_sub(first).min(wave.lanes);
    // The last block may have fewer waves.
    wave.state = if lanes == 0 { State::Ended } else { State::Running };
    wave.pc = kernel.entry;
    wave.scc = false;
    wave.signalled = false;
    wave.index_uses = 0;
    wave.told = launch.told();
    wave.scalar[usize::from(sgpr::NULL)] = 0;
    wave.set_scalar64(sgpr::EXEC, 0);
    wave.set_exec(if lanes == 64 { u64::MAX } else { (1 << lanes) - 1 });
    wave.allocated = descriptor.allocated(arch);
    wave.mode = ModeRegister::new(descriptor.mode(arch));
    let mut next = 0;
    let mut give = |wave: &mut Wave, words: &[u32]| {
        for word in words {
            wave.set_scalar32(next, *word);
            next += 1;
        }
    };
    let halves = |value: u64| [value as u32, (value >> 32) as u32];
    let private = wave.private as u64;
    if descriptor.wants_private_buffer() {
        // The resource of scratch memory.
        let [low, high] = halves(private);
        give(wave, &[low, high, PRIVATE_BUFFER_SIZE, 0]);
    }
    if descriptor.wants_dispatch() {
        give(wave, &halves(launch.packet_address()));
    }
    if descriptor.wants_queue() {
        give(wave, &halves(launch.queue_address()));
    }
    if descriptor.wants_arguments() {
        give(wave, &halves(launch.arguments_address()));
    }
    if descriptor.wants_dispatch_id() {
        give(wave, &halves(launch.request.grid_id));
    }
    if descriptor.wants_flat_scratch() {
        give(wave, &halves(private));
    }
    if descriptor.wants_private_size() {
        give(wave, &[wave.private_size as u32]);
    }
    for word in descriptor.preloaded() {
        give(wave, &[launch.argument_word(word)]);
    }
    let mut next = descriptor.user_registers();
    let mut give = |wave: &mut Wave, wanted: bool, word: u32| {
        if wanted {
            wave.set_scalar32(next, word);
            next += 1;
        }
    };
    if arch.has_architected_groups() {
        wave.set_scalar32(sgpr::TTMP + 9, place[0]);
        wave.set_scalar32(sgpr::TTMP + 7, place[1] & 0xffff | place[2] << 16);
    } else {
        for (axis, number) in place.into_iter().enumerate() {
            give(wave, descriptor.wants_group(axis), number);
        }
        give(wave, descriptor.wants_group_info(), 0);
        give(wave, descriptor.wants_private_offset() && !arch.has_architected_scratch(), 0);
    }
    let [x, y, _] = block.map(|size| size as usize);
    for lane in 0..lanes {
        let thread = first + lane;
        let item = [thread % x, thread / x % y, thread / x / y].map(|number| number as u32);
        if arch.packs_work_items() {
            let axes = descriptor.work_item_axes();
            let part = |axis: usize| if axis < axes { item[axis] } else { 0 };
            wave.set_lane32(0, lane, part(0) | part(1) << 10 | part(2) << 20);
        } else {
            for (axis, number) in item.into_iter().enumerate().take(descriptor.work_item_axes()) {
                wave.set_lane32(axis as u16, lane, number);
            }
        }
    }
}
