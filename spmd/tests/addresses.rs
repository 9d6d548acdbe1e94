//! Gathers whose addresses are uniform terms and one 32-bit index read what they should, in the form that x86
//! has an instruction for; others keep their 64-bit addresses.

mod support;

use spmd::{Blocks, Form, KernelKind, Options};
use support::{address, compile_with, parse};

/// `out[i] = data[index[i] - 3]`, with an index of 32 bits, or of 64.
fn kernel(bits: u32) -> String {
    let (widen, wide) =
        if bits == 32 { ("%wide = sext i32 %index to i64", "%wide") } else { ("", "%index") };
    format!(
        "define void @permute() #0 {{
  %p = call ptr addrspace(4) @zluda.params()
  %data = load i64, ptr addrspace(4) %p
  %index.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %indices = load i64, ptr addrspace(4) %index.p
  %out.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %out = load i64, ptr addrspace(4) %out.p
  %tid = call i32 @zluda.tid.x()
  %i = zext i32 %tid to i64
  %i.off = mul i64 %i, {stride}
  %i.at = add i64 %indices, %i.off
  %i.ptr = inttoptr i64 %i.at to ptr addrspace(1)
  %index = load i{bits}, ptr addrspace(1) %i.ptr
  {widen}
  %off = shl i64 {wide}, 2
  %back = add i64 %off, -12
  %at = add i64 %data, %back
  %ptr = inttoptr i64 %at to ptr addrspace(1)
  %value = load i32, ptr addrspace(1) %ptr
  %o.off = mul i64 %i, 4
  %o.at = add i64 %out, %o.off
  %o.ptr = inttoptr i64 %o.at to ptr addrspace(1)
  store i32 %value, ptr addrspace(1) %o.ptr
  ret void
}}",
        stride = bits / 8
    )
}

#[test]
fn indices_of_32_bits_stay_narrow() {
    for (bits, narrow) in [(32, true), (64, false)] {
        let context = llvm_zluda::Context::new();
        let module = parse(&context, "permute", &kernel(bits));
        let host = Options { verify: true, ..Options::host(Blocks::WholeWarps) };
        let options = Options { cpu: "x86-64-v3".to_owned(), features: String::new(), ..host };
        let lowered = spmd::lower(&module, KernelKind::Vector, &options, Form::Lowered)
            .expect("the kernel is supported");
        let text = lowered.print();
        let scaled = text.contains("getelementptr i32, ptr %");
        assert_eq!(scaled, narrow, "{bits}: {text}");
        assert_eq!(text.contains("inttoptr <32 x i64>"), !narrow, "{bits}: {text}");
    }
}

#[test]
fn gathers_read_what_indices_say() {
    const COUNT: usize = 64;
    let mut data: Vec<u32> = (0..COUNT as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    // From before and behind the address that the kernel starts from.
    let mut narrow: Vec<i32> = (0..COUNT as i32).map(|i| (i * 37) % COUNT as i32 - 29).collect();
    let mut wide: Vec<i64> = narrow.iter().copied().map(i64::from).collect();
    let start = address(&mut data) + 4 * 32;
    for bits in [32, 64] {
        let indices = if bits == 32 { address(&mut narrow) } else { address(&mut wide) };
        let mut out = vec![0u32; COUNT];
        let options = Options { verify: true, ..Options::host(Blocks::WholeWarps) };
        let kernel = compile_with("permute", &kernel(bits), &options);
        kernel.launch([1, 1, 1], [COUNT as u32, 1, 1], &[start, indices, address(&mut out)]);
        for (i, value) in out.iter().enumerate() {
            let from = (i * 37) % COUNT;
            assert_eq!(*value, data[from], "{bits} bits, element {i}");
        }
    }
}
