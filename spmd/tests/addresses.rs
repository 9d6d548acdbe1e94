//! Gathers whose addresses are uniform terms and one 32-bit index read what they should, in the form that x86
//! has an instruction for; others keep their 64-bit addresses.

mod support;

use spmd::{Blocks, KernelKind, Options};
use support::{address, compile_with, options_for, parse};

/// `out[i] = data[index[i] - 3]`, with an index of 32 bits that is extended so, or of 64.
fn kernel(extend: Option<&str>) -> String {
    let bits = if extend.is_some() { 32 } else { 64 };
    let (widen, wide) = match extend {
        Some(extend) => (format!("%wide = {extend} i32 %index to i64"), "%wide"),
        None => (String::new(), "%index"),
    };
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
    for (extend, narrow) in [(Some("sext"), true), (Some("zext"), true), (None, false)] {
        let context = llvm_zluda::Context::new();
        let module = parse(&context, "permute", &kernel(extend));
        let options = options_for(Some("x86-64-v3"), Blocks::WholeWarps);
        let lowered =
            spmd::lower(module, KernelKind::Vector, &options).expect("the kernel is supported");
        let text = lowered.print();
        let scaled = text.contains("getelementptr i32, ptr %") && text.contains("sext <32 x i32>");
        assert_eq!(scaled, narrow, "{extend:?}: {text}");
        assert_eq!(text.contains("inttoptr <32 x i64>"), !narrow, "{extend:?}: {text}");
    }
}

#[test]
fn gathers_read_what_indices_say() {
    const COUNT: usize = 64;
    let mut data: Vec<u32> = (0..COUNT as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    // From before and behind the address that the kernel starts from.
    let mut narrow: Vec<i32> = (0..COUNT as i32).map(|i| (i * 37) % COUNT as i32 - 29).collect();
    let mut wide: Vec<i64> = narrow.iter().copied().map(i64::from).collect();
    // Around the middle of unsigned numbers.
    const MIDDLE: u32 = 1 << 31;
    let mut unsigned: Vec<u32> =
        narrow.iter().map(|&index| MIDDLE.wrapping_add_signed(index)).collect();
    let start = address(&mut data) + 4 * 32;
    let before = start.wrapping_sub(4 * u64::from(MIDDLE));
    let cases = [
        (Some("sext"), address(&mut narrow), start),
        (Some("zext"), address(&mut unsigned), before),
        (None, address(&mut wide), start),
    ];
    for (extend, indices, start) in cases {
        let mut out = vec![0u32; COUNT];
        let options = Options { verify: true, ..Options::host(Blocks::WholeWarps) };
        let kernel = compile_with("permute", &kernel(extend), &options);
        kernel.launch([1, 1, 1], [COUNT as u32, 1, 1], &[start, indices, address(&mut out)]);
        for (i, value) in out.iter().enumerate() {
            let from = (i * 37) % COUNT;
            assert_eq!(*value, data[from], "{extend:?}, element {i}");
        }
    }
}

/// Fills `a[12]` of each thread, then `out[i] = a[index[i] + 3 + far - far]`, with the same `far` for all threads,
/// which is added in 64 bits, as bytes, and taken away in 32.
const LOCAL: &str = "define void @pick() #0 {
  %a = alloca [12 x i32], align 4, addrspace(5)
  %p = call ptr addrspace(4) @zluda.params()
  %far.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %far = load i32, ptr addrspace(4) %far.p
  %far.off.p = getelementptr i8, ptr addrspace(4) %p, i64 24
  %far.off = load i64, ptr addrspace(4) %far.off.p
  %index.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %indices = load i64, ptr addrspace(4) %index.p
  %out.p = load i64, ptr addrspace(4) %p
  %tid = call i32 @zluda.tid.x()
  %i = zext i32 %tid to i64
  %i.off = shl i64 %i, 2
  %a.int = ptrtoint ptr addrspace(5) %a to i64
  br label %fill
fill:
  %k = phi i32 [ 0, %0 ], [ %k.next, %fill ]
  %k.wide = zext i32 %k to i64
  %k.off = shl i64 %k.wide, 2
  %k.at = add i64 %a.int, %k.off
  %k.ptr = inttoptr i64 %k.at to ptr addrspace(5)
  %scaled = mul i32 %tid, 100
  %element = add i32 %scaled, %k
  store i32 %element, ptr addrspace(5) %k.ptr
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, 12
  br i1 %more, label %fill, label %pick
pick:
  %i.at = add i64 %indices, %i.off
  %i.ptr = inttoptr i64 %i.at to ptr addrspace(1)
  %index = load i32, ptr addrspace(1) %i.ptr
  %less = sub i32 %index, %far
  %wide = sext i32 %less to i64
  %off = shl i64 %wide, 2
  %back = add i64 %off, %far.off
  %near = add i64 %back, 12
  %at = add i64 %a.int, %near
  %ptr = inttoptr i64 %at to ptr addrspace(5)
  %value = load i32, ptr addrspace(5) %ptr
  %o.at = add i64 %out.p, %i.off
  %o.ptr = inttoptr i64 %o.at to ptr addrspace(1)
  store i32 %value, ptr addrspace(1) %o.ptr
  ret void
}";

#[test]
fn threads_read_their_own_arrays() {
    let options = Options { verify: true, ..Options::host(Blocks::WholeWarps) };
    let context = llvm_zluda::Context::new();
    let module = parse(&context, "pick", LOCAL);
    let for_avx2 =
        Options { cpu: "x86-64-v3".to_owned(), features: String::new(), ..options.clone() };
    let lowered =
        spmd::lower(module, KernelKind::Vector, &for_avx2).expect("the kernel is supported");
    let text = lowered.print();
    assert!(!text.contains("inttoptr <32 x i64>"), "{text}");
    let kernel = compile_with("pick", LOCAL, &options);
    let mut indices: Vec<i32> = (0..64).map(|i| (i * 5) % 12 - 3).collect();
    for far in [0_i32, 7, -5_000_000, 0x4000_0000] {
        let mut out = vec![0u32; 64];
        let bytes = (i64::from(far) * 4) as u64;
        let parameters = [address(&mut out), far as u64, address(&mut indices), bytes];
        kernel.launch([1, 1, 1], [64, 1, 1], &parameters);
        for (i, value) in out.iter().enumerate() {
            assert_eq!(*value as usize, 100 * i + (i * 5) % 12, "thread {i}, far {far:x}");
        }
    }
}

#[test]
fn words_side_by_side_differ_by_their_base() {
    let kernel = "define void @pairs() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %out = load i64, ptr addrspace(4) %p
  %tid = call i32 @zluda.tid.x()
  %i = zext i32 %tid to i64
  %o.off = mul i64 %i, 4
  %o.at = add i64 %out, %o.off
  %o.ptr = inttoptr i64 %o.at to ptr addrspace(1)
  %address = load i32, ptr addrspace(1) %o.ptr
  %wide = zext i32 %address to i64
  %pair = inttoptr i64 %wide to ptr addrspace(3)
  %first = load i32, ptr addrspace(3) %pair
  %next = add i64 %wide, 4
  %next.ptr = inttoptr i64 %next to ptr addrspace(3)
  %second = load i32, ptr addrspace(3) %next.ptr
  %sum = add i32 %first, %second
  store i32 %sum, ptr addrspace(1) %o.ptr
  ret void
}";
    let context = llvm_zluda::Context::new();
    let module = parse(&context, "pairs", kernel);
    let options = options_for(Some("x86-64-v3"), Blocks::WholeWarps);
    let lowered =
        spmd::lower(module, KernelKind::Vector, &options).expect("the kernel is supported");
    let text = lowered.print();
    let middle = 1u64 << 31;
    for base in [middle, middle + 4] {
        assert!(text.contains(&format!("ptr inttoptr (i64 {base} to ptr), <32 x i64>")), "{text}");
    }
}
