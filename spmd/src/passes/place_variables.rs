//! Gives the `.shared` variables of a module their places in the block's shared memory.
//!
//! Input: per-thread IR whose shared variables are globals in address space 3.
//! Output: the same IR without them; each use became `zluda.cpu.shared` (the block's shared memory, a
//! `ptr addrspace(3)`) plus an offset.
//! Why here: both lowerings want addresses that they can compute with, and constant expressions gone.

use std::cell::RefCell;

use llvm_zluda::{Builder, Module, Opcode, Value};
use rustc_hash::FxHashMap;
use simt::intrinsics;

use crate::Error;

/// Dynamic shared memory begins at the next multiple of this after the static variables, or of a larger alignment that it is
/// declared with.
const DYNAMIC_ALIGNMENT: u64 = 16;

const SHARED_SPACE: u32 = 3;

/// Replaces the variables; returns the bytes of static shared memory, up to where the dynamic one begins.
pub fn run(module: &Module<'_>) -> Result<u32, Error> {
    let mut places = Vec::new();
    let mut dynamic = Vec::new();
    let mut end = 0_u64;
    for global in module.globals() {
        if global.ty().address_space() != SHARED_SPACE {
            continue;
        }
        if global.is_declaration() {
            dynamic.push(global);
            continue;
        }
        let place = end.next_multiple_of(global.alignment().max(1) as u64);
        end = place + module.size_of(global.value_type());
        places.push((global, place));
    }
    if let Some(alignment) = dynamic.iter().map(|global| u64::from(global.alignment())).max() {
        end = end.next_multiple_of(alignment.max(DYNAMIC_ALIGNMENT));
    }
    places.extend(dynamic.into_iter().map(|global| (global, end)));
    if places.is_empty() {
        return Ok(0);
    }
    rewrite(module, &places)?;
    for (global, _) in places {
        if !global.has_uses() {
            global.delete_global();
        }
    }
    u32::try_from(end).map_err(|_| Error::Unsupported("shared memory of 4 GiB".into()))
}

fn rewrite<'c>(module: &Module<'c>, places: &[(Value<'c>, u64)]) -> Result<(), Error> {
    let base = intrinsics::declare(module, "cpu.shared", 0);
    let builder = module.context().builder();
    let rewriter = Rewriter { builder, base, places, mentions: RefCell::default() };
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                rewriter.instruction(instruction)?;
            }
        }
    }
    Ok(())
}

struct Rewriter<'a, 'c> {
    builder: Builder<'c>,
    base: Value<'c>,
    places: &'a [(Value<'c>, u64)],
    /// Which constants are known to have a shared variable in them, or none. They may be built of one another so often that
    /// each is looked at once only.
    mentions: RefCell<FxHashMap<Value<'c>, bool>>,
}

impl<'c> Rewriter<'_, 'c> {
    fn instruction(&self, instruction: Value<'c>) -> Result<(), Error> {
        let phi = instruction.opcode() == Opcode::LLVMPHI;
        for index in 0..instruction.operand_count() {
            let operand = instruction.operand(index);
            if !operand.is_constant() || !self.mentions_shared(operand) {
                continue;
            }
            if phi && let Some(same) = instruction.earlier_from_same_block(index) {
                instruction.set_operand(index, same);
                continue;
            }
            match (
                phi,
                phi.then(|| instruction.incoming()[index as usize].1.terminator()).flatten(),
            ) {
                (true, Some(terminator)) => self.builder.position_before(terminator),
                _ => self.builder.position_before(instruction),
            }
            let value = self.materialize(operand, &mut FxHashMap::default())?;
            instruction.set_operand(index, value);
        }
        Ok(())
    }

    fn place(&self, value: Value<'c>) -> Option<u64> {
        self.places.iter().find(|(global, _)| *global == value).map(|&(_, place)| place)
    }

    fn mentions_shared(&self, value: Value<'c>) -> bool {
        if let Some(&mentions) = self.mentions.borrow().get(&value) {
            return mentions;
        }
        let mentions = self.place(value).is_some()
            || (value.is_constant_expression()
                && value.operands().into_iter().any(|operand| self.mentions_shared(operand)));
        self.mentions.borrow_mut().insert(value, mentions);
        mentions
    }

    /// The constant as instructions at the builder's position, where those of `made` stand already.
    fn materialize(
        &self,
        value: Value<'c>,
        made: &mut FxHashMap<Value<'c>, Value<'c>>,
    ) -> Result<Value<'c>, Error> {
        let builder = &self.builder;
        if let Some(&same) = made.get(&value) {
            return Ok(same);
        }
        if let Some(place) = self.place(value) {
            let base = builder.call(self.base, &[]);
            return Ok(builder.byte_offset(base, builder.context().i64().const_int(place)));
        }
        if !self.mentions_shared(value) {
            return Ok(value);
        }
        let operands = value
            .operands()
            .into_iter()
            .map(|operand| self.materialize(operand, made))
            .collect::<Result<Vec<_>, _>>()?;
        let ty = value.ty();
        let instruction = match value.opcode() {
            Opcode::LLVMPtrToInt | Opcode::LLVMPtrToAddr => builder.ptr_to_int(operands[0], ty),
            Opcode::LLVMIntToPtr => builder.int_to_ptr(operands[0], ty),
            Opcode::LLVMBitCast => builder.bitcast(operands[0], ty),
            Opcode::LLVMAddrSpaceCast => builder.addr_space_cast(operands[0], ty),
            Opcode::LLVMTrunc => builder.trunc(operands[0], ty),
            Opcode::LLVMAdd => builder.add(operands[0], operands[1]),
            Opcode::LLVMSub => builder.sub(operands[0], operands[1]),
            Opcode::LLVMXor => builder.xor(operands[0], operands[1]),
            Opcode::LLVMGetElementPtr => {
                builder.gep(value.gep_source_type(), operands[0], &operands[1..])
            }
            other => {
                return Err(Error::Bug(format!(
                    "a constant expression with {other:?} over shared memory"
                )));
            }
        };
        made.insert(value, instruction);
        Ok(instruction)
    }
}
