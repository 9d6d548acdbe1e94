//! Gives every function two leading parameters, the block and the thread, and passes them on in calls.

use std::collections::HashMap;

use llvm_zluda::{Builder, Module, Opcode, Value};

/// The parameters that lowered functions begin with.
pub const CONTEXT_PARAMETERS: u32 = 2;

/// Replaces all functions of the module that have bodies; returns what became of `kernel`.
pub fn add_context_parameters<'c>(module: &Module<'c>, kernel: Value<'c>) -> Value<'c> {
    let context = module.context();
    let old: Vec<_> =
        module.functions().into_iter().filter(|function| !function.is_declaration()).collect();
    let mut replacements = HashMap::new();
    for &function in &old {
        let ty = function.value_type();
        let mut parameters = vec![context.ptr(0); CONTEXT_PARAMETERS as usize];
        parameters.extend(ty.parameters());
        let name = function.name();
        function.set_name("");
        let new = module.add_function(&name, context.function_type(ty.result(), &parameters));
        module.add_attribute(new, "nounwind");
        replacements.insert(function, new);
    }
    let builder = context.builder();
    for &function in &old {
        copy_body(module, &builder, function, replacements[&function], &replacements);
    }
    for &function in &old {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if !instruction.ty().is_void() {
                    instruction.replace_all_uses_with(instruction.ty().poison());
                }
                instruction.erase();
            }
        }
    }
    for &function in &old {
        function.delete_global();
    }
    replacements[&kernel]
}

fn copy_body<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    old: Value<'c>,
    new: Value<'c>,
    functions: &HashMap<Value<'c>, Value<'c>>,
) {
    let mut values: HashMap<Value<'c>, Value<'c>> = HashMap::new();
    for (index, parameter) in old.parameters().into_iter().enumerate() {
        values.insert(parameter, new.parameter(index as u32 + CONTEXT_PARAMETERS));
    }
    let blocks: HashMap<_, _> = old
        .blocks()
        .into_iter()
        .map(|block| (block, module.append_block(new, &block.name())))
        .collect();
    // Every instruction is copied with its old operands first, since loops use values before their copies.
    let mut copies = Vec::new();
    let mut phis = Vec::new();
    for block in old.blocks() {
        builder.position_at_end(blocks[&block]);
        for instruction in block.instructions() {
            let copy = if instruction.opcode() == Opcode::LLVMPHI {
                let phi = builder.phi(instruction.ty());
                phis.push((instruction, phi));
                phi
            } else if let Some(&callee) =
                called(instruction).and_then(|callee| functions.get(&callee))
            {
                let mut arguments: Vec<_> =
                    (0..CONTEXT_PARAMETERS).map(|index| new.parameter(index)).collect();
                arguments.extend(instruction.arguments());
                let call = builder.call(callee, &arguments);
                copies.push(call);
                call
            } else {
                let copy = instruction.clone_instruction();
                builder.insert(copy);
                for index in 0..if copy.is_terminator() { copy.successor_count() } else { 0 } {
                    copy.set_successor(index, blocks[&copy.successor(index)]);
                }
                copies.push(copy);
                copy
            };
            values.insert(instruction, copy);
        }
    }
    for copy in copies {
        for index in 0..copy.operand_count() {
            if let Some(&value) = values.get(&copy.operand(index)) {
                copy.set_operand(index, value);
            }
        }
    }
    for (old, new) in phis {
        let incoming: Vec<_> = old
            .incoming()
            .into_iter()
            .map(|(value, block)| (values.get(&value).copied().unwrap_or(value), blocks[&block]))
            .collect();
        new.add_incoming(&incoming);
    }
}

fn called(instruction: Value<'_>) -> Option<Value<'_>> {
    (instruction.opcode() == Opcode::LLVMCall).then(|| instruction.callee())
}
