//! Per-thread IR becomes loadable reference objects.

use llvm_zluda::{Context, Module};
use spmd::{DATA_LAYOUT, KernelKind, Options, TRIPLE, compile_object};

const KERNEL: &str = r#"
@tile = internal addrspace(3) global [64 x i32] poison, align 16
@dynamic = external addrspace(3) global [0 x i8], align 16
declare ptr addrspace(4) @zluda.params()
declare i32 @zluda.tid.x()
declare void @zluda.barrier.sync(i32, i32)
declare {i32, i1} @zluda.shfl.down(i32, i32, i32, i32)
declare float @zluda.ex2.approx.ftz.f32(float)
define internal float @twice(float %x) {
  %power = call float @zluda.ex2.approx.ftz.f32(float %x)
  %id = call i32 @zluda.tid.x()
  %odd = trunc i32 %id to i1
  br i1 %odd, label %again, label %done
again:
  %less = fsub float %x, 1.0
  %inner = call float @twice(float %less)
  br label %done
done:
  %result = phi float [%power, %0], [%inner, %again]
  ret float %result
}
define void @"odd name$"() #0 {
  %params = call ptr addrspace(4) @zluda.params()
  %out = load ptr addrspace(1), ptr addrspace(4) %params
  %id = call i32 @zluda.tid.x()
  %value = uitofp i32 %id to float
  %power = call float @twice(float %value)
  %bits = bitcast float %power to i32
  %slot = getelementptr i32, ptr addrspace(3) @tile, i32 %id
  store i32 %bits, ptr addrspace(3) %slot
  store i32 7, ptr addrspace(3) @dynamic
  store i32 5, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @tile, i64 8)
  call void @zluda.barrier.sync(i32 0, i32 0)
  %pair = call {i32, i1} @zluda.shfl.down(i32 %bits, i32 1, i32 31, i32 -1)
  %word = extractvalue {i32, i1} %pair, 0
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %id
  store i32 %word, ptr addrspace(1) %place
  ret void
}
attributes #0 = { "zluda-kernel" "zluda-param-size"="16" "zluda-max-threads"="128" }
"#;

#[test]
fn compiles_to_an_object_with_a_descriptor() {
    let context = Context::new();
    let module = Module::parse(&context, "kernel", KERNEL).unwrap();
    module.set_triple(TRIPLE);
    module.set_data_layout(DATA_LAYOUT);
    let object =
        compile_object(module, KernelKind::Reference, &Options::host(spmd::Blocks::RowWarps))
            .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.so");
    std::fs::write(&path, object).unwrap();
    // SAFETY: the object was just made; it has no initialisers.
    let library = unsafe { libloading::Library::new(&path) }.unwrap();
    // SAFETY: the symbol is a descriptor.
    let descriptor =
        unsafe { **library.get::<*const cpu_abi::KernelDescriptor>(b"odd name$.kd").unwrap() };
    assert_eq!(descriptor.magic, cpu_abi::MAGIC);
    assert_eq!(descriptor.kind, KernelKind::Reference as u32);
    assert_eq!(descriptor.param_size, 16);
    assert_eq!(descriptor.max_threads_per_block, 128);
    assert_eq!(descriptor.static_shared_size, 256);
    assert!(!descriptor.entry.is_null());
}
