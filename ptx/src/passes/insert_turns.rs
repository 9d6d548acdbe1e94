//! Input: per-thread IR.
//! Output: the same, with `zluda.preempt` before stores and atomics that would take away what other warps have still to read.
//! Why here: addresses are still sums of variables and `%tid`, and loads and stores stand where the program has them.
//!
//! Programs lack a barrier between what all warps read, such as the result of a reduction, and the next use of the same
//! shared memory. That is a race, which every GPU decides alike: warps that leave a barrier together have read long
//! before one of them comes to its next store. On a CPU a warp runs until it waits, and would store before the others
//! have read. So before such a store it lets the others have a turn, once after each barrier.
//!
//! Memory that all warps read is recognised by an address without their number: a variable, a constant, a parameter, a lane's
//! number. Atomics say that others access what they do: so they count only where all have read the very place that they change, such as
//! a counter. So it is with global memory, of which it counts alone what all read as a kernel begins, at a parameter, and what
//! changes that very place: the first thread of cuDSS's `supernode_offsets_ker` does so when it ends. Loops over shared memory are left alone: those that read it in turn with barriers (tiles, triangular
//! systems) are right, and would pay for it.

use llvm_zluda::{Block, Module, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use simt::intrinsics::{self, Effects, Participants, Uniformity};
use simt::space::{CONSTANT, GENERIC, GLOBAL, SHARED};

/// Puts `zluda.preempt` before stores to shared memory that other warps may have still to read.
pub fn run(module: &Module<'_>) {
    let stores: Vec<Value<'_>> =
        module.functions().into_iter().flat_map(stores_after_reads).collect();
    if stores.is_empty() {
        return;
    }
    let preempt = intrinsics::declare(module, "preempt", 0);
    let builder = module.context().builder();
    for store in stores {
        builder.position_before(store);
        builder.call(preempt, &[]);
    }
}

/// What all warps may have read since the last barrier.
#[derive(Clone, Default)]
struct Read<'c> {
    /// The variables, and where; nothing stands for what is not known.
    shared: FxHashSet<(Option<Value<'c>>, Option<i64>)>,
    global: FxHashSet<AtParameter>,
}

/// A place in global memory that parameters say: where they are, and how many bytes behind.
type AtParameter = (Vec<i64>, i64);

impl Read<'_> {
    fn clear(&mut self) {
        self.shared.clear();
        self.global.clear();
    }

    fn len(&self) -> usize {
        self.shared.len() + self.global.len()
    }
}

fn stores_after_reads<'c>(function: Value<'c>) -> Vec<Value<'c>> {
    let blocks = function.blocks();
    let Some(entry) = blocks.first() else { return Vec::new() };
    let begins_with_read =
        || entry.instructions().into_iter().any(|it| read_at_begin(it).is_some());
    if !blocks.iter().flat_map(|block| block.instructions()).any(is_barrier) && !begins_with_read()
    {
        return Vec::new();
    }
    let mut at_begin: FxHashMap<Block<'c>, Read<'c>> = FxHashMap::default();
    let mut found = FxHashSet::default();
    let mut work: Vec<Block<'c>> = blocks.iter().rev().copied().collect();
    while let Some(block) = work.pop() {
        let mut read = at_begin.get(&block).cloned().unwrap_or_default();
        for instruction in block.instructions() {
            if block == *entry {
                read.global.extend(read_at_begin(instruction));
            }
            step(instruction, &mut read, &mut found);
        }
        for next in block.successors() {
            let there = at_begin.entry(next).or_default();
            let known = there.len();
            there.shared.extend(&read.shared);
            there.global.extend(read.global.iter().cloned());
            if there.len() > known && !work.contains(&next) {
                work.push(next);
            }
        }
    }
    let instructions = blocks.iter().flat_map(|block| block.instructions());
    instructions.filter(|instruction| found.contains(instruction)).collect()
}

fn step<'c>(instruction: Value<'c>, read: &mut Read<'c>, found: &mut FxHashSet<Value<'c>>) {
    match instruction.opcode() {
        Opcode::LLVMCall if is_barrier(instruction) => read.clear(),
        Opcode::LLVMLoad if is_plain(instruction, 0) && is_of_all_warps(instruction.operand(0)) => {
            read.shared.insert(place(instruction.operand(0)));
        }
        Opcode::LLVMStore if is_plain(instruction, 1) => {
            let (to, _) = place(instruction.operand(1));
            let may_be = |read: Option<_>| read.is_none() || to.is_none() || read == to;
            if read.shared.iter().any(|(read, _)| may_be(*read)) {
                found.insert(instruction);
                read.clear();
            }
        }
        Opcode::LLVMStore if !read.global.is_empty() => {
            let to = at_parameter(instruction.operand(1));
            if to.is_some_and(|to| read.global.contains(&to)) {
                found.insert(instruction);
                read.clear();
            }
        }
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg if is_shared(instruction.operand(0)) => {
            let to = place(instruction.operand(0));
            if to.0.is_some() && to.1.is_some() && read.shared.contains(&to) {
                found.insert(instruction);
                read.clear();
            }
        }
        _ => {}
    }
}

fn is_barrier(instruction: Value<'_>) -> bool {
    let called = intrinsics::called(instruction);
    called.is_some_and(|intrinsic| intrinsic.participants == Participants::Block)
}

/// Whether it accesses shared memory, without saying that others do so too.
fn is_plain(access: Value<'_>, pointer: u32) -> bool {
    is_shared(access.operand(pointer)) && !access.is_volatile() && !access.is_atomic()
}

fn is_shared(pointer: Value<'_>) -> bool {
    pointer.ty().address_space() == SHARED
}

/// Whether warps compute the same address, lane by lane.
fn is_of_all_warps(address: Value<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![address];
    while let Some(value) = stack.pop() {
        if value.is_constant() || !seen.insert(value) {
            continue;
        }
        if value.is_argument() && is_constant_memory(value) {
            continue;
        }
        if !value.is_instruction() {
            return false;
        }
        match value.opcode() {
            Opcode::LLVMLoad if is_constant_memory(value.operand(0)) => {
                stack.push(value.operand(0));
            }
            Opcode::LLVMCall if is_call_of_all_warps(value) => {}
            Opcode::LLVMAnd if is_of_lane(value) => {}
            Opcode::LLVMCall
            | Opcode::LLVMPHI
            | Opcode::LLVMLoad
            | Opcode::LLVMAtomicRMW
            | Opcode::LLVMAtomicCmpXchg => return false,
            _ => stack.extend(value.operands()),
        }
    }
    true
}

/// Whether a pointer is one to parameters or constants, which are the same for all.
fn is_constant_memory(pointer: Value<'_>) -> bool {
    pointer.ty().is_pointer() && pointer.ty().address_space() == CONSTANT
}

fn is_call_of_all_warps(call: Value<'_>) -> bool {
    intrinsics::called(call).is_some_and(|intrinsic| {
        intrinsic.names == "laneid"
            || (intrinsic.effects == Effects::Pure && intrinsic.uniformity == Uniformity::Block)
    })
}

/// `tid & 31`, which is the same in all warps; compilers write `(tid << 2) & 124` too.
fn is_of_lane(and: Value<'_>) -> bool {
    let Some(mask) = and.operand(1).as_const_int() else { return false };
    let mut shift = 0_u64;
    let mut value = and.operand(0);
    while value.is_instruction()
        && value.opcode() == Opcode::LLVMShl
        && let Some(by) = value.operand(1).as_const_int()
    {
        shift = by.saturating_add(shift);
        value = value.operand(0);
    }
    mask.checked_shr(u32::try_from(shift).unwrap_or(u32::MAX)).unwrap_or(0)
        < u64::from(simt_abi::WARP_SIZE)
}

/// The variable that an address is a part of, if one alone stands in the sum, and how many bytes behind its begin if nothing else but
/// numbers does.
fn place(address: Value<'_>) -> (Option<Value<'_>>, Option<i64>) {
    let (mut found, mut seen) = (FxHashSet::default(), FxHashSet::default());
    let mut bytes = Some(0_i64);
    let mut stack = vec![address];
    while let Some(value) = stack.pop() {
        if let Some(number) = value.as_const_signed() {
            bytes = bytes.and_then(|bytes| bytes.checked_add(number));
            continue;
        }
        if !seen.insert(value) {
            continue;
        }
        if value.is_global_variable() {
            found.insert(value);
        } else if value.is_constant_expression() || is_sum(value) {
            stack.extend(value.operands());
        } else {
            bytes = None;
        }
    }
    (if found.len() == 1 { found.into_iter().next() } else { None }, bytes)
}

/// The place that a load reads, where a parameter says it.
fn read_at_begin(load: Value<'_>) -> Option<AtParameter> {
    let is_it = load.opcode() == Opcode::LLVMLoad
        && !load.is_volatile()
        && !load.is_atomic()
        && [GENERIC, GLOBAL].contains(&load.operand(0).ty().address_space());
    is_it.then(|| at_parameter(load.operand(0)))?
}

/// The place that an address says, of which nothing is added up but parameters and numbers.
fn at_parameter(address: Value<'_>) -> Option<AtParameter> {
    let (mut parameters, mut bytes) = (Vec::new(), 0_i64);
    let mut stack = vec![address];
    while let Some(value) = stack.pop() {
        if let Some(number) = value.as_const_signed() {
            bytes = bytes.checked_add(number)?;
        } else if let Some(parameter) = parameter(value) {
            parameters.push(parameter);
        } else if is_sum(value)
            || is(value, Opcode::LLVMShl)
            || is(value, Opcode::LLVMAddrSpaceCast)
        {
            stack.extend(value.operands());
        } else {
            return None;
        }
    }
    parameters.sort_unstable();
    (!parameters.is_empty()).then_some((parameters, bytes))
}

/// Where the parameter is that a value is.
fn parameter(load: Value<'_>) -> Option<i64> {
    if !is(load, Opcode::LLVMLoad) || !is_constant_memory(load.operand(0)) {
        return None;
    }
    let (mut pointer, mut bytes) = (load.operand(0), 0);
    while is(pointer, Opcode::LLVMGetElementPtr) && pointer.operand_count() == 2 {
        bytes += pointer.operand(1).as_const_signed()?;
        pointer = pointer.operand(0);
    }
    let is_first = pointer.is_argument()
        || is(pointer, Opcode::LLVMCall)
            && intrinsics::called(pointer).is_some_and(|called| called.names == "params");
    is_first.then_some(bytes)
}

fn is(value: Value<'_>, opcode: Opcode) -> bool {
    value.is_instruction() && value.opcode() == opcode
}

fn is_sum(value: Value<'_>) -> bool {
    value.is_instruction()
        && matches!(
            value.opcode(),
            Opcode::LLVMAdd
                | Opcode::LLVMOr
                | Opcode::LLVMZExt
                | Opcode::LLVMSExt
                | Opcode::LLVMTrunc
                | Opcode::LLVMIntToPtr
                | Opcode::LLVMPtrToInt
                | Opcode::LLVMGetElementPtr
        )
}

#[cfg(test)]
mod tests {
    use crate::{Executor, Target};
    use crate::{Options, Program, Stage};
    use simt::Blocks;

    /// The places of turns, as what stands around them: the lines of a kernel with one array.
    fn turns(body: &str) -> usize {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
             .reg .b64 %p, %w; .reg .b32 %r<9>; .reg .pred %q; .shared .b32 a[64]; .shared .b32 b[64];\n\
             mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31; shl.b32 %r2, %r1, 2; mov.u32 %r3, a;\n\
             add.s32 %r4, %r3, %r2; shl.b32 %r5, %r0, 2; add.s32 %r5, %r3, %r5;\n{body}\n\
             ld.param.u64 %p, [p]; st.global.u32 [%p], %r6; ret;\n}}"
        );
        let program = Program::parse(&text).expect("the text is right");
        let target = Target::cpu(Some("x86-64-v2"), Blocks::Any, Executor::Vector);
        let ir = program.emit("k", &target, &Options::default(), Stage::Ir).expect("it compiles");
        String::from_utf8_lossy(&ir).matches("call void @zluda.preempt()").count()
    }

    #[test]
    fn others_read_first_what_all_read() {
        let all = "bar.sync 0; ld.shared.u32 %r6, [a];";
        let lane = "bar.sync 0; ld.shared.u32 %r6, [%r4];";
        let shifted = "bar.sync 0; shl.b32 %r7, %r0, 2; and.b32 %r7, %r7, 124; add.s32 %r7, %r3, %r7;\
            ld.shared.u32 %r6, [%r7];";
        let own = "bar.sync 0; ld.shared.u32 %r6, [%r5];";
        let parameter =
            "bar.sync 0; ld.param.u32 %r7, [p]; add.s32 %r7, %r3, %r7; ld.shared.u32 %r6, [%r7];";
        let store = "st.shared.u32 [%r5], %r6;";
        assert_eq!(turns(&format!("{all} {store}")), 1);
        assert_eq!(turns(&format!("{lane} {store}")), 1);
        assert_eq!(turns(&format!("{shifted} {store}")), 1);
        assert_eq!(turns(&format!("{parameter} {store}")), 1);
        assert_eq!(turns(&format!("{all} {store} {store}")), 1, "once after each barrier");
        assert_eq!(turns(&format!("{all} bar.sync 0; {store}")), 0, "a barrier does it");
        assert_eq!(turns(&format!("{own} {store}")), 0, "another warp reads something else");
        assert_eq!(turns(&format!("{all} st.shared.u32 [b], %r6;")), 0, "another variable");
        assert_eq!(turns(&format!("ld.shared.u32 %r6, [a]; {store}")), 0, "no barrier");
        let add = |place| format!("atom.shared.add.u32 %r7, [{place}], 1;");
        assert_eq!(turns(&format!("{all} {}", add("a"))), 1);
        assert_eq!(turns(&format!("{all} {}", add("a+4"))), 0, "another counter");
        assert_eq!(turns(&format!("{lane} {}", add("%r4"))), 0, "not known to be the same");
    }

    #[test]
    fn others_read_first_what_the_first_thread_changes() {
        let read = "ld.param.u64 %p, [p]; ld.global.u32 %r6, [%p+4];";
        let first = "setp.ne.u32 %q, %r0, 0; @%q exit; add.u32 %r6, %r6, 1;";
        let store = "ld.param.u64 %p, [p]; st.global.u32 [%p+4], %r6;";
        assert_eq!(turns(&format!("{read} {first} {store}")), 1);
        assert_eq!(turns(&format!("{read} {first} bar.sync 0; {store}")), 0, "a barrier does it");
        assert_eq!(turns(&format!("{first} {read} {store}")), 0, "one thread alone reads");
        let other = store.replace("+4", "+8");
        assert_eq!(turns(&format!("{read} {first} {other}")), 0, "another place");
        let own = "ld.param.u64 %p, [p]; cvt.u64.u32 %w, %r5; add.u64 %p, %p, %w;";
        let (read, store) = (
            read.replace("ld.param.u64 %p, [p];", own),
            store.replace("ld.param.u64 %p, [p];", own),
        );
        assert_eq!(turns(&format!("{read} {first} {store}")), 0, "each thread has its own");
    }

    #[test]
    fn reads_count_on_all_ways_to_a_store() {
        let text = "bar.sync 0; setp.eq.u32 %q, %r0, 0; @%q bra L; ld.shared.u32 %r6, [a];\n\
            L: st.shared.u32 [%r5], %r0;";
        assert_eq!(turns(text), 1);
    }
}
