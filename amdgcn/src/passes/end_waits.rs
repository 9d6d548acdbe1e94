//! Loops that wait for other threads look now and then whether there is an error: who has trapped does not come any
//! more, and CUDA ends the whole grid with it.
//!
//! Input: loops that go on by what other threads may write. Output: the same with a call of [`LOOK`] in each round.
//! Why here: before the device library is linked, whose own loops wait for nobody who could trap. Kernels whose threads have
//! ways of their own look in the one loop that they are.

use llvm_zluda::{Module, Opcode, Value};
use simt::analysis::cfg::Cfg;
use simt::analysis::spinning;

use crate::intrinsics::OWN;

/// The function that gets the number of each round (library/waiting.c).
pub const LOOK: &str = "amd.end_waiting";

/// Lets all loops that wait look, but those of `except`. In what has loops of several entries none is found.
pub fn run<'c>(module: &Module<'c>, except: Option<Value<'c>>) {
    for function in module.functions() {
        if function.is_declaration() || Some(function) == except {
            continue;
        }
        let Ok(cfg) = Cfg::as_it_is(function) else { continue };
        for number in (0..cfg.loops.len()).filter(|&number| spinning::waits(&cfg, number)) {
            look_at(module, &cfg, number);
        }
    }
}

fn look_at<'c>(module: &Module<'c>, cfg: &Cfg<'c>, number: usize) {
    let context = module.context();
    let word = context.i32();
    let found = &cfg.loops[number];
    let header = cfg.blocks[found.header];
    let mut instructions = header.instructions().into_iter();
    let Some(first) = instructions.find(|it| it.opcode() != Opcode::LLVMPHI) else { return };
    let look = OWN.declare(module, LOOK, 1);
    let builder = context.builder();
    builder.position_at_start(header);
    let round = builder.phi(word);
    builder.position_before(first);
    let next = builder.add(round, word.const_int(1));
    builder.call(look, &[next]);
    for &from in &cfg.predecessors[found.header] {
        let count = if found.contains[from] { next } else { word.zero() };
        round.add_incoming(&[(count, cfg.blocks[from])]);
    }
}
