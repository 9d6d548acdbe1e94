//! The wrappers make IR, optimise it, generate code for both targets and link it.

mod common;

use common::{HOST, host_machine};
use llvm_zluda::*;

#[test]
fn memory_effects_print_as_meant() {
    let context = Context::new();
    let module = context.module("m");
    let ty = context.function_type(context.i32(), &[]);
    let none = module.add_function("none", ty);
    let read = module.add_function("read", ty);
    module.set_memory_effects(none, MemoryEffects::None);
    module.set_memory_effects(read, MemoryEffects::Read);
    let text = module.print();
    assert!(text.contains("memory(none)"), "{text}");
    assert!(text.contains("memory(read)"), "{text}");
}

/// Constants are compared by identity, so one that repeats an element has to be the same however it is made.
#[test]
fn a_constant_that_repeats_an_element_has_one_form() {
    let context = Context::new();
    let b = context.builder();
    let (i32_type, f32_type) = (context.i32(), context.f32());
    for element in [
        i32_type.const_int(7),
        i32_type.zero(),
        context.i1().const_int(1),
        f32_type.const_float(1.5),
        f32_type.const_float(0.0),
        f32_type.const_float(-0.0),
        context.half().const_float_bits(0x7e01),
    ] {
        let vector = b.splat(element, 8);
        assert_eq!(vector, b.const_vector(&[element; 8]));
        let inserted = b.insert_element(vector, element, i32_type.const_int(3));
        assert_eq!(vector, inserted, "{element:?}");
        assert_eq!(vector.repeated_element(), Some(element));
    }
    let differ = b.const_vector(&[0.0, -0.0].map(|element| f32_type.const_float(element)));
    assert_eq!(differ.repeated_element(), None);
}

fn add_function<'c>(context: &'c Context, module: &Module<'c>) {
    let i32_type = context.i32();
    let function =
        module.add_function("add", context.function_type(i32_type, &[i32_type, i32_type]));
    let builder = context.builder();
    builder.position_at_end(module.append_block(function, "entry"));
    let slot = builder.alloca(i32_type);
    builder.store(builder.add(function.parameter(0), function.parameter(1)), slot, 4);
    builder.ret(builder.load(i32_type, slot, 4));
}

#[test]
fn passes_code_and_link_for_the_host() {
    let context = Context::new();
    let module = context.module("m");
    let machine = host_machine();
    module.set_triple(HOST);
    module.set_data_layout(&machine.data_layout());
    add_function(&context, &module);
    module.verify().unwrap();
    run_passes(&module, "function(sroa,instcombine)", Some(&machine), true).unwrap();
    assert!(!module.print().contains("alloca"));
    assert!(run_passes(&module, "no-such-pass", None, false).is_err());
    let object = machine.emit_object(&module).unwrap();
    let linked = link_elf(std::slice::from_ref(&object), &["--no-undefined"]).unwrap();
    assert_eq!(&linked[..4], b"\x7fELF");
    assert!(link_elf(&[b"garbage".to_vec()], &[]).is_err());
    assert!(link_elf(&[object], &[]).is_ok(), "lld runs again after an error");
}

/// lld resets all options that LLVM knows whenever it begins.
#[test]
fn options_outlast_a_link() {
    let context = Context::new();
    let machine = TargetMachine::new(
        "x86_64-unknown-linux-gnu",
        "x86-64-v3",
        "",
        CodeGenOptLevel::LLVMCodeGenLevelDefault,
    )
    .unwrap();
    let sums = "
        define i32 @sums(ptr %p, i32 %n) {
        entry:
          br label %loop
        loop:
          %i = phi i32 [ 0, %entry ], [ %next, %loop ]
          %sum = atomicrmw add ptr %p, i32 %i seq_cst
          %next = add i32 %i, 1
          %more = icmp ult i32 %next, %n
          br i1 %more, label %loop, label %end
        end:
          ret i32 %sum
        }";
    let assembly = || {
        let module = Module::parse(&context, "sums", sums).unwrap();
        module.set_data_layout(&machine.data_layout());
        machine.emit_assembly(&module).unwrap()
    };
    let before = assembly();
    assert!(before.contains(".p2align\t5"), "{before}");
    link_elf(&[machine.emit_object(&Module::parse(&context, "sums", sums).unwrap()).unwrap()], &[])
        .unwrap();
    assert_eq!(before, assembly());
}

#[test]
fn code_for_an_amd_gpu() {
    let context = Context::new();
    let module = context.module("m");
    let machine = TargetMachine::new(
        "amdgcn-amd-amdhsa",
        "gfx1100",
        "",
        CodeGenOptLevel::LLVMCodeGenLevelDefault,
    )
    .unwrap();
    module.set_triple("amdgcn-amd-amdhsa");
    module.set_data_layout(&machine.data_layout());
    module.add_flag("amdhsa_code_object_version", 500);
    add_function(&context, &module);
    // Allocas of this target stand in address space 5; the function above made one there.
    module.verify().unwrap();
    let object = machine.emit_object(&module).unwrap();
    let linked = link_elf(&[object], &["--no-undefined"]).unwrap();
    // EI_ABIVERSION 3 is code object version 5.
    assert_eq!(linked[8], 3);
}

/// Machines are used again, by users that want other things of them.
#[test]
fn code_does_not_depend_on_what_a_machine_did_before() {
    let context = Context::new();
    for (triple, cpu) in
        [("amdgcn-amd-amdhsa", "gfx1031"), ("x86_64-unknown-linux-gnu", "x86-64-v4")]
    {
        let code = |comments: bool| {
            let level = CodeGenOptLevel::LLVMCodeGenLevelDefault;
            let machine = TargetMachine::new(triple, cpu, "", level).unwrap();
            if comments {
                machine.comment_assembly();
            }
            let module = context.module("m");
            module.set_triple(triple);
            module.set_data_layout(&machine.data_layout());
            add_function(&context, &module);
            machine.emit_assembly(&module).unwrap()
        };
        let plain = code(false);
        assert!(code(true).len() > plain.len());
        assert_eq!(code(false), plain);
    }
}

#[test]
fn garbage_text_is_an_error() {
    let context = Context::new();
    assert!(Module::parse(&context, "x", "define void @f() { nonsense }").is_err());
    assert!(Module::parse(&context, "x", "a\0b").is_err());
    let module = Module::parse(
        &context,
        "x",
        "define i32 @f(i32 %a) {\n %b = add nsw i32 %a, 1\n ret i32 %b\n}",
    )
    .unwrap();
    let function = module.function("f").unwrap();
    let add = function.entry_block().instructions()[0];
    assert_eq!(add.opcode(), Opcode::LLVMAdd);
    assert!(add.has_nsw());
    assert_eq!(add.operand(1).as_const_int(), Some(1));
}
