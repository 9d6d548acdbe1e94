//! Stack frames of functions: the descriptor gives their size, and large ones are touched when they are entered.

mod support;

use spmd::{Blocks, KernelKind, compile_assembly};
use support::{address, compile_for, options, parse};

/// Bytes of the array of one thread.
const BYTES: u32 = 4 * 3000;

/// Each thread writes to a place in an array of its own, and reads from another one.
fn kernel() -> String {
    "define void @frames() #0 {
  %own = alloca [3000 x i32], align 4, addrspace(5)
  %p = call ptr addrspace(4) @zluda.params()
  %out.base = load i64, ptr addrspace(4) %p
  %read.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %read = load i32, ptr addrspace(4) %read.p
  %tid = call i32 @zluda.tid.x()
  %slot = getelementptr [3000 x i32], ptr addrspace(5) %own, i32 0, i32 %tid
  store i32 %tid, ptr addrspace(5) %slot
  %at = xor i32 %tid, %read
  %other = getelementptr [3000 x i32], ptr addrspace(5) %own, i32 0, i32 %at
  %value = load i32, ptr addrspace(5) %other
  %wide = zext i32 %tid to i64
  %bytes = shl i64 %wide, 2
  %a = add i64 %out.base, %bytes
  %q = inttoptr i64 %a to ptr addrspace(1)
  store i32 %value, ptr addrspace(1) %q
  ret void
}
"
    .to_owned()
}

#[test]
fn descriptors_know_the_frames() {
    let large = compile_for("frames", &kernel(), Blocks::WholeWarps);
    let bytes = large.descriptor.local_size;
    assert!((BYTES..BYTES + 64).contains(&bytes), "{bytes}");
    let saxpy = compile_for("saxpy", include_str!("kernels/saxpy.ll"), Blocks::WholeWarps);
    assert!(saxpy.descriptor.local_size < 64, "{}", saxpy.descriptor.local_size);

    let mut out = [0u32; 64];
    large.launch([1, 1, 1], [64, 1, 1], &[address(&mut out), 0]);
    assert_eq!(out, std::array::from_fn(|index| index as u32));
}

/// Numbers of a thread that are alive at once: more than there are registers.
const ALIVE: usize = 64;

#[test]
fn descriptors_know_what_registers_do_not_hold() {
    let mut text = "define void @spills() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %base = load i64, ptr addrspace(4) %p
  %tid = call i32 @zluda.tid.x()
  %wide = zext i32 %tid to i64
  %bytes = mul i64 %wide, 512
  %a = add i64 %base, %bytes
  %q = inttoptr i64 %a to ptr addrspace(1)
"
    .to_owned();
    for index in 0..ALIVE {
        text += &format!(
            "%p{index} = getelementptr i64, ptr addrspace(1) %q, i64 {index}
             %v{index} = load volatile i64, ptr addrspace(1) %p{index}\n"
        );
    }
    for index in 0..ALIVE {
        let other = ALIVE - 1 - index;
        text += &format!("store volatile i64 %v{index}, ptr addrspace(1) %p{other}\n");
    }
    text += "ret void\n}\n";
    let spills = compile_for("spills", &text, Blocks::WholeWarps);
    let bytes = spills.descriptor.local_size as usize;
    // All but what 32 registers of at most 64 bytes hold.
    assert!((8 * ALIVE - 64..16 * ALIVE).contains(&bytes), "{bytes}");
    let mut numbers: Vec<u64> = (0..32 * ALIVE as u64).collect();
    let wanted: Vec<u64> =
        numbers.chunks(ALIVE).flat_map(|own| own.iter().rev().copied()).collect();
    spills.launch([1, 1, 1], [32, 1, 1], &[address(&mut numbers[..])]);
    assert_eq!(numbers, wanted);
}

/// LLVM touches a frame from a page on after each of these steps; only large ones have them.
#[test]
fn large_frames_are_touched() {
    let touches = |name: &str, text: &str, kind: KernelKind| {
        let context = llvm_zluda::Context::new();
        let module = parse(&context, name, text);
        let assembly = compile_assembly(module, kind, &options(Blocks::WholeWarps));
        let assembly = assembly.expect("a kernel");
        let steps = assembly.matches("65536, %rsp").count();
        (steps, assembly)
    };
    let (steps, assembly) = touches("frames", &kernel(), KernelKind::Vector);
    assert!(steps > 0, "{assembly}");
    for (name, text, kind) in [
        ("frames", kernel(), KernelKind::Reference),
        ("saxpy", include_str!("kernels/saxpy.ll").to_owned(), KernelKind::Vector),
    ] {
        let (steps, assembly) = touches(name, &text, kind);
        assert_eq!(steps, 0, "{assembly}");
    }
}
