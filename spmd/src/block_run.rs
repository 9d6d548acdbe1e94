//! The entry of a kernel whose blocks run several in a call.
//!
//! What the engine does between two blocks is a fifth of the time of blocks of 256 threads that do little. So the entry calls the
//! code of a block ([`crate::entry`]) for one after the other; that takes for given that its context stays as it is, so it is
//! never part of this loop. Atomics of all blocks of a run may be [one](crate::passes::join_atomics): the last argument of the
//! call is null, or says where they add up.

use std::mem::offset_of;

use cpu_abi::BlockContext;
use llvm_zluda::{Block, IntPredicate, Linkage, Module, Opcode, Value};

/// What the name of the entry ends with.
const SUFFIX: &str = ".blocks";

/// Makes the entry of the kernel `name` from the function that runs a block.
pub fn emit<'c>(module: &Module<'c>, name: &str, of_block: Value<'c>) -> Value<'c> {
    let cx = module.context();
    let i32_type = cx.i32();
    let ty = cx.function_type(cx.void(), &[cx.ptr(0), i32_type, i32_type]);
    let function = module.add_function(&format!("{name}{SUFFIX}"), ty);
    function.set_linkage(Linkage::LLVMInternalLinkage);
    let [start, next, done] =
        ["start", "next", "done"].map(|name| module.append_block(function, name));
    let [context, first, last] = [0, 1, 2].map(|index| function.parameter(index));
    let b = cx.builder();
    b.position_at_end(start);
    let place = |offset: usize| b.byte_offset(context, cx.i64().const_int(offset as u64));
    let count = b.load(i32_type, place(offset_of!(BlockContext, blocks)), 4);
    let x_place = place(offset_of!(BlockContext, ctaid));
    b.br(next);

    b.position_at_end(next);
    let number = b.phi(i32_type);
    let call = b.call(of_block, &[context, first, last, cx.ptr(0).zero()]);
    call.add_call_attribute(cx, "noinline");
    let x = b.load(i32_type, x_place, 4);
    let one = i32_type.const_int(1);
    let after = b.add(number, one);
    // The last one leaves its own number.
    let more = b.icmp(IntPredicate::LLVMIntULT, after, count);
    let x = b.add(x, b.zext(more, i32_type));
    b.store(x, x_place, 4);
    number.add_incoming(&[(i32_type.zero(), start), (after, next)]);
    b.cond_br(more, next, done);
    b.position_at_end(done);
    b.ret_void();
    function
}

/// An entry with runs, as a pass finds it.
pub struct BlockRun<'c> {
    pub entry: Value<'c>,
    /// The call of the function of a block.
    pub call: Value<'c>,
    /// Where all blocks of the run have ended.
    pub done: Block<'c>,
}

impl<'c> BlockRun<'c> {
    /// That which calls a function.
    pub fn of(module: &Module<'c>, of_block: Value<'c>) -> Option<Self> {
        let name = of_block.name();
        let entry = module.function(&format!("{}{SUFFIX}", name.strip_suffix(".block")?))?;
        let all = || entry.blocks().into_iter().flat_map(|block| block.instructions());
        let call = all().find(|it| it.opcode() == Opcode::LLVMCall && it.callee() == of_block)?;
        let end = all().find(|it| it.opcode() == Opcode::LLVMRet)?;
        Some(Self { entry, call, done: end.parent() })
    }
}
