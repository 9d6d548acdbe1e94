//! A round in which the [entry](crate::entry) calls the warps of a block: what they and it tell each other.

use llvm_zluda::{Builder, Linkage, Module, Value};

/// The function that stands for waiting, until [`return_at_barriers`](crate::passes::return_at_barriers). It has no body; who
/// calls it goes on when all warps of the block have called it or ended, or have had a turn.
pub const WAIT: &str = "wait.for.warps";

/// The variable that holds the size of a warp's frame, which is known behind that pass.
const FRAME_SIZE: &str = "frame.size";

/// What the entry and the warps tell each other, in words of 8 bytes. `u32` but for the last one.
#[derive(Clone, Copy)]
#[repr(u64)]
pub enum Word {
    /// Bits of the warps that have ended.
    Ended,
    /// Bits of those that do not wait, but let others have a turn.
    Yielding,
    /// `barrier.red`: the threads that brought true, whether some warp's did, and whether some did not; of the barrier that
    /// warps come to, and of the one that they came from.
    Trues,
    AnyTrue,
    AnyFalse,
    TruesBefore,
    AnyTrueBefore,
    AnyFalseBefore,
    /// Bits of the warps that the one that is called may go on with ([`crate::passes::chain_warps`]), and of those that nobody
    /// has called behind the call.
    Next,
    /// The frames of all warps, one after the other.
    Frames,
}

/// The number of words.
pub const WORDS: u64 = Word::Frames as u64 + 1;

/// The results of a barrier, and where warps find them behind it.
pub const RESULTS: [(Word, Word); 3] = [
    (Word::Trues, Word::TruesBefore),
    (Word::AnyTrue, Word::AnyTrueBefore),
    (Word::AnyFalse, Word::AnyFalseBefore),
];

/// The address of a word.
pub fn word_place<'c>(b: &Builder<'c>, round: Value<'c>, word: Word) -> Value<'c> {
    b.byte_offset(round, b.context().i64().const_int(8 * word as u64))
}

/// Reads a word.
pub fn word<'c>(b: &Builder<'c>, round: Value<'c>, word: Word) -> Value<'c> {
    b.load(b.context().i32(), word_place(b, round, word), 8)
}

/// Writes a word.
pub fn set_word<'c>(b: &Builder<'c>, round: Value<'c>, word: Word, value: Value<'c>) {
    b.store(value, word_place(b, round, word), 8);
}

/// The frame of a warp.
pub fn frame<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    round: Value<'c>,
    warp: Value<'c>,
) -> Value<'c> {
    let frames = b.load(b.context().ptr(0), word_place(b, round, Word::Frames), 8);
    frame_of(b, frames, b.load(b.context().i64(), frame_size(module), 8), warp)
}

/// The frame of a warp among frames of a size.
pub fn frame_of<'c>(
    b: &Builder<'c>,
    frames: Value<'c>,
    size: Value<'c>,
    warp: Value<'c>,
) -> Value<'c> {
    b.byte_offset(frames, b.mul(size, b.zext(warp, b.context().i64())))
}

/// Adds a warp's bit to a word.
pub fn add_warp<'c>(b: &Builder<'c>, round: Value<'c>, to: Word, warp: Value<'c>) {
    let bit = b.shl(b.context().i32().const_int(1), warp);
    set_word(b, round, to, b.or(word(b, round, to), bit));
}

/// The function that stands for waiting.
pub fn declare_wait<'c>(module: &Module<'c>) -> Value<'c> {
    let cx = module.context();
    let wait = module.declare_function(WAIT, cx.function_type(cx.void(), &[]));
    module.add_attribute(wait, "nounwind");
    wait
}

/// Whether a call waits for the other warps of the block.
pub fn is_wait(call: Value<'_>) -> bool {
    call.callee().is_function() && call.called_name() == WAIT
}

/// Waits for the other warps of the block.
pub fn wait<'c>(module: &Module<'c>, b: &Builder<'c>) {
    b.call(declare_wait(module), &[]);
}

/// Lets the other warps have a turn.
pub fn give_turn<'c>(module: &Module<'c>, b: &Builder<'c>, round: Value<'c>, warp: Value<'c>) {
    add_warp(b, round, Word::Yielding, warp);
    wait(module, b);
}

/// The variable that holds the size of a warp's frame in bytes.
pub fn frame_size<'c>(module: &Module<'c>) -> Value<'c> {
    if let Some(size) = module.global(FRAME_SIZE) {
        return size;
    }
    let ty = module.context().i64();
    let size = module.add_global(FRAME_SIZE, ty, 0, Linkage::LLVMInternalLinkage);
    size.set_initializer(ty.const_int(0));
    size
}

/// Says how large the frame of a warp is.
pub fn set_frame_size(module: &Module<'_>, bytes: u64) {
    let size = frame_size(module);
    size.set_initializer(module.context().i64().const_int(bytes));
    size.set_global_constant(true);
}
