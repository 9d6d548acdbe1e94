//! Where the threads of a warp wait for each other that have to keep step.
//!
//! GPUs before Volta execute a warp's instructions for all of its threads at once. Programs for them count on that: threads
//! of a warp exchange values in memory without a barrier, or, as GCC's OpenMP does outside of SIMD regions, all of them
//! compute the same with the same variables, so that `n += 4` adds 4. So whoever would write what others of the warp may
//! still have to read, or read what they may still have to write, waits for those who can come to the same place.
//!
//! They wait before every load, for which all of them have one access there: what lies at an address is read once, and is the
//! same for all who read it together, whatever other blocks write meanwhile. Else threads that all ask the same would part.
//!
//! Places have numbers. A thread that waits lets those go first whose number is lower: places within a loop are before those
//! behind it, both ways of a branch before their join, and those of functions before those of their callers. This is the order
//! in which parted threads meet again as soon as they can.

use llvm_zluda::{Block, Module, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use simt::analysis::cfg::Cfg;
use simt::analysis::level::{Levels, Node, level_of};
use simt::intrinsics::{self, Participants};

use super::synchronizes;
use super::whole::OWN;

/// The accesses of a module before which threads wait, and where they ask who is active, with their numbers, those of accesses
/// that synchronize odd.
pub fn places<'c>(module: &Module<'c>) -> FxHashMap<Value<'c>, u32> {
    let mut places = FxHashMap::default();
    for function in callees_first(module) {
        let waits = waits(function);
        for block in in_order(function) {
            for instruction in block.instructions() {
                if waits.contains(&instruction) || asks(instruction) {
                    let order = u32::try_from(places.len()).unwrap_or(u32::MAX) << 1;
                    let number = order | u32::from(synchronizes(instruction));
                    places.insert(instruction, number);
                }
            }
        }
    }
    places
}

/// The functions that have bodies, each behind those that it calls; of those that call each other, any order.
fn callees_first<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let callees = |function: Value<'c>| -> Vec<Value<'c>> {
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        let calls = instructions.filter(|it| it.opcode() == Opcode::LLVMCall);
        let called = calls.map(|call| call.callee());
        called.filter(|callee| callee.is_function() && !callee.is_declaration()).collect()
    };
    let mut seen = FxHashSet::default();
    let mut order = Vec::new();
    for root in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        if !seen.insert(root) {
            continue;
        }
        let mut stack = vec![(root, callees(root))];
        while let Some((function, left)) = stack.last_mut() {
            match left.pop() {
                Some(callee) if seen.insert(callee) => stack.push((callee, callees(callee))),
                Some(_) => {}
                None => {
                    order.push(*function);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// The blocks of a function such that loops are without gaps, and joins behind what they join. Where a cycle has several
/// entries, as they stand.
fn in_order<'c>(function: Value<'c>) -> Vec<Block<'c>> {
    let Ok(cfg) = Cfg::as_it_is(function) else { return function.blocks() };
    let levels = Levels::new(&cfg);
    let mut order = Vec::new();
    let nodes = |of: Option<usize>| levels.levels[level_of(of)].nodes.iter().rev().copied();
    let mut stack: Vec<Node> = nodes(None).collect();
    while let Some(node) = stack.pop() {
        match node {
            Node::Block(block) => order.push(cfg.blocks[block]),
            Node::Loop(number) => stack.extend(nodes(Some(number))),
        }
    }
    order
}

/// The accesses before which a thread has to wait.
fn waits<'c>(function: Value<'c>) -> FxHashSet<Value<'c>> {
    let blocks = function.blocks();
    // Whether a thread may have accessed memory since it last waited for those of its warp.
    let mut at_begin: FxHashMap<Block<'c>, bool> = FxHashMap::default();
    at_begin.insert(function.entry_block(), true);
    let mut found = FxHashSet::default();
    let mut work: Vec<Block<'c>> = blocks.iter().rev().copied().collect();
    while let Some(block) = work.pop() {
        let mut has_accessed = at_begin.get(&block).copied().unwrap_or_default();
        for instruction in block.instructions() {
            if step(instruction, &mut has_accessed) {
                found.insert(instruction);
            }
        }
        for next in block.successors() {
            let there = at_begin.entry(next).or_default();
            if has_accessed && !*there {
                *there = true;
                work.push(next);
            }
        }
    }
    found
}

/// Whether a thread has to wait before this: before every load, and before what writes unless it is the first access.
fn step(instruction: Value<'_>, has_accessed: &mut bool) -> bool {
    match instruction.opcode() {
        Opcode::LLVMLoad if is_seen(instruction, 0) => {
            *has_accessed = true;
            true
        }
        Opcode::LLVMStore if is_seen(instruction, 1) => std::mem::replace(has_accessed, true),
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => std::mem::replace(has_accessed, true),
        Opcode::LLVMCall => {
            after_call(instruction, has_accessed);
            false
        }
        _ => false,
    }
}

fn after_call(call: Value<'_>, has_accessed: &mut bool) {
    match intrinsics::called(call) {
        Some(intrinsic) if intrinsic.participants == Participants::Block => *has_accessed = false,
        None if !call.callee().is_function() || !call.callee().is_declaration() => {
            *has_accessed = true;
        }
        // Intrinsics, LLVM's too.
        _ => {}
    }
}

fn is_seen(access: Value<'_>, pointer: u32) -> bool {
    !OWN.contains(&access.operand(pointer).ty().address_space())
}

/// Whether it asks for the active threads.
fn asks(instruction: Value<'_>) -> bool {
    instruction.opcode() == Opcode::LLVMCall
        && intrinsics::called(instruction).is_some_and(|intrinsic| intrinsic.names == "activemask")
}
