//! Code generation of several functions at once.
//!
//! Input: a module that code is generated from. Output: one or more objects, which are linked to one. LLVM's code
//! generator takes most of the time of a compilation and one function after the other; a kernel that has many long
//! ones is taken apart into groups of them, each in an LLVM context of its own on a thread of its own.
//! Why here: all passes that look at more than one function are over. What is made depends on the module alone, not
//! on the processors of the machine.

use std::panic::resume_unwind;
use std::thread;

use llvm_zluda::{Context, Linkage, Module, TargetMachine, Value};

use crate::Error;
use crate::passes::outline_functions::{is_part, size};

/// Groups smaller than this, in estimated instructions, are not worth the time to set them up.
const LEAST: u64 = 400;
/// More groups than this share what all of them do: reading the module, setting up the code generator.
const MOST: u64 = 8;
/// Functions of this size, in estimated instructions, are long.
const LONG: u64 = 1000;
/// Bytes of stack, which LLVM's recursions want more of than threads usually have.
const STACK: usize = 8 << 20;

/// The objects of a module's code. `another_machine` makes a code generator for each further thread.
pub fn emit_objects(
    module: Module<'_>,
    machine: &TargetMachine,
    another_machine: &(dyn Fn() -> Result<TargetMachine, Error> + Sync),
) -> Result<Vec<Vec<u8>>, Error> {
    let groups = groups(&module);
    let Some((first, others)) = groups.split_first().filter(|(_, others)| !others.is_empty())
    else {
        return Ok(vec![machine.emit_object(&module)?]);
    };
    for function in module.functions() {
        if function.linkage() == Linkage::LLVMInternalLinkage {
            function.set_linkage(Linkage::LLVMExternalLinkage);
            function.set_hidden();
        }
    }
    let bitcode = module.bitcode();
    let emit_group = |group: &[String]| -> Result<Vec<u8>, Error> {
        let context = Context::new();
        let module = Module::read_bitcode_copy(&context, "group", &bitcode).map_err(Error::Bug)?;
        keep_only(&module, group, false)?;
        Ok(another_machine()?.emit_object(&module)?)
    };
    thread::scope(|scope| {
        let threads: Vec<_> = others
            .iter()
            .map(|group| {
                let thread = thread::Builder::new().stack_size(STACK);
                (group, thread.spawn_scoped(scope, || emit_group(group)).ok())
            })
            .collect();
        keep_only(&module, first, true)?;
        let mut objects = vec![machine.emit_object(&module)?];
        for (group, thread) in threads {
            objects.push(match thread {
                Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic))?,
                // The process may have no more threads.
                None => emit_group(group)?,
            });
        }
        Ok(objects)
    })
}

/// The names of the functions of each group.
fn groups(module: &Module<'_>) -> Vec<Vec<String>> {
    let shareable = |variable: &Value<'_>| {
        variable.is_global_constant() || variable.linkage() != Linkage::LLVMInternalLinkage
    };
    let mut functions: Vec<_> = module
        .functions()
        .into_iter()
        .filter(|function| !function.is_declaration())
        .map(|function| (size(function), function.name()))
        .collect();
    functions.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    let total: u64 = functions.iter().map(|(size, _)| size).sum();
    let longest = functions.first().map_or(0, |(size, _)| *size);
    // No thread is done before that of the longest function; an eighth more makes no group.
    let count = (total - total / 8).div_ceil(longest.max(LEAST)).min(total / LEAST).clamp(1, MOST);
    if !module.globals().iter().all(shareable) {
        return vec![Vec::new()];
    }
    let mut groups = vec![(0, Vec::new()); count as usize];
    for (size, name) in functions {
        if let Some((sum, names)) = groups.iter_mut().min_by_key(|(sum, _)| *sum) {
            *sum += size;
            names.push(name);
        }
    }
    groups.into_iter().map(|(_, names)| names).collect()
}

/// Whether a function is so long that most of its values live on the stack, or was before it was cut.
pub fn is_long(module: &Module<'_>) -> bool {
    let functions = module.functions();
    functions
        .into_iter()
        .any(|function| !function.is_declaration() && (is_part(function) || size(function) >= LONG))
}

/// Makes declarations of all functions but these, and deletes what is in every group or in the first one only.
fn keep_only(module: &Module<'_>, group: &[String], is_first: bool) -> Result<(), Error> {
    for function in module.functions() {
        if !function.is_declaration() && !group.contains(&function.name()) {
            function.delete_body();
        }
    }
    // Before that nothing seems to use a variable.
    module.read_bodies().map_err(Error::Bug)?;
    for variable in module.globals() {
        let is_copied = variable.linkage() == Linkage::LLVMInternalLinkage
            || variable.linkage() == Linkage::LLVMPrivateLinkage;
        if (is_copied || !is_first) && !variable.has_uses() {
            variable.delete_global();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module of functions with so many additions each.
    fn with_functions<'c>(context: &'c Context, lengths: &[usize]) -> Module<'c> {
        let module = context.module("m");
        let i32_type = context.i32();
        let table = module.add_global("table", i32_type, 0, Linkage::LLVMInternalLinkage);
        table.set_initializer(i32_type.const_int(1));
        table.set_global_constant(true);
        for (number, &length) in lengths.iter().enumerate() {
            let ty = context.function_type(i32_type, &[i32_type]);
            let function = module.add_function(&format!("f{number}"), ty);
            function.set_linkage(Linkage::LLVMInternalLinkage);
            let b = context.builder();
            b.position_at_end(module.append_block(function, ""));
            let mut value = b.load(i32_type, table, 4);
            for _ in 2..length {
                value = b.add(value, function.parameter(0));
            }
            b.ret(value);
        }
        module
    }

    fn names(lengths: &[usize]) -> Vec<Vec<String>> {
        groups(&with_functions(&Context::new(), lengths))
    }

    #[test]
    fn long_functions_are_apart_from_others() {
        assert_eq!(names(&[300, 100, 50]).len(), 1, "short ones stay together");
        assert_eq!(names(&[10, 3000]).len(), 1, "as does one long one with its own");
        assert_eq!(names(&[700, 10, 1500, 600]), [vec!["f2"], vec!["f0", "f3", "f1"]]);
    }

    #[test]
    fn objects_of_groups_link_to_one() {
        let context = Context::new();
        let module = with_functions(&context, &[1000, 1000]);
        let b = context.builder();
        let ty = context.function_type(context.i32(), &[]);
        let both = module.add_function("both", ty);
        b.position_at_end(module.append_block(both, ""));
        let one = context.i32().const_int(1);
        let [first, second] =
            ["f0", "f1"].map(|name| b.call(module.function(name).unwrap(), &[one]));
        b.ret(b.add(first, second));
        module.set_triple(crate::TRIPLE);
        let level = llvm_zluda::CodeGenOptLevel::LLVMCodeGenLevelDefault;
        let machine = || Ok(TargetMachine::new(crate::TRIPLE, "x86-64-v2", "", level)?);
        module.set_data_layout(&machine().unwrap().data_layout());
        let objects = emit_objects(module, &machine().unwrap(), &machine).unwrap();
        assert_eq!(objects.len(), 2);
        let linked = llvm_zluda::link_elf(&objects, &["--no-undefined"]).unwrap();
        let has = |name: &[u8]| linked.windows(name.len()).any(|window| window == name);
        assert!(has(b"\0both\0"));
        assert!(llvm_zluda::link_elf(&objects[..1], &["--no-undefined"]).is_err());
    }
}
