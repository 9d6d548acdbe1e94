//! Arithmetic on bytes that is done in 16 bits gives what it gives in 32.

mod support;

use splitmix::Random;
use spmd::{Blocks, KernelKind};
use support::{address, compile_with, options_for, parse};

const THREADS: usize = 64;
const RESULTS: usize = 6;

/// Each thread stores words that it makes of three bytes.
const KERNEL: &str = "define void @bytes() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %data = load ptr addrspace(1), ptr addrspace(4) %p
  %out.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %out = load ptr addrspace(1), ptr addrspace(4) %out.p
  %tid = call i32 @zluda.tid.x()
  %i = zext i32 %tid to i64
  %at.a = getelementptr i8, ptr addrspace(1) %data, i64 %i
  %at.b = getelementptr i8, ptr addrspace(1) %at.a, i64 64
  %at.c = getelementptr i8, ptr addrspace(1) %at.a, i64 128
  %byte.a = load i8, ptr addrspace(1) %at.a
  %byte.b = load i8, ptr addrspace(1) %at.b
  %byte.c = load i8, ptr addrspace(1) %at.c
  %a = zext i8 %byte.a to i32
  %b = zext i8 %byte.b to i32
  %c = zext i8 %byte.c to i32
  %s = sext i8 %byte.a to i32

  %a77 = mul i32 %a, 77
  %b150 = mul i32 %b, 150
  %c29 = mul i32 %c, 29
  %ab.grey = add i32 %a77, %b150
  %abc.grey = add i32 %ab.grey, %c29
  %grey = lshr i32 %abc.grey, 8
  %grey.byte = trunc i32 %grey to i8
  %r0 = zext i8 %grey.byte to i32

  %difference = sub i32 %s, %b
  %double = shl i32 %difference, 1
  %is.less = icmp ult i32 %a, %c
  %chosen = select i1 %is.less, i32 %double, i32 %s
  %r1 = add i32 %chosen, 100

  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  %even = and i32 %abc, -2
  %signed = sub i32 %even, %a
  %signed.more = sub i32 %signed, %c
  %is.2 = icmp slt i32 %signed.more, -7
  %r2 = zext i1 %is.2 to i32

  %ba = sub i32 %b, %a
  %ba3 = mul i32 %ba, 3
  %c5 = add i32 %c, -5
  %c10 = shl i32 %c5, 1
  %cc = sub i32 %c10, %b
  %is.3 = icmp ult i32 %ba3, %cc
  %r3 = zext i1 %is.3 to i32

  %a257 = mul i32 %a, 257
  %b256 = mul i32 %b, 256
  %b255 = or i32 %b256, 255
  %c4 = xor i32 %b255, 3
  %is.4 = icmp sgt i32 %a257, %c4
  %r4 = zext i1 %is.4 to i32

  %product = mul i32 %a, %b
  %more = add i32 %product, %c
  %even.more = add i32 %more, %b
  %most = add i32 %even.more, %a
  %is.5 = icmp ult i32 %most, 1000
  %r5 = zext i1 %is.5 to i32

  %first = getelementptr [6 x i32], ptr addrspace(1) %out, i64 %i
  store i32 %r0, ptr addrspace(1) %first
  %p1 = getelementptr i32, ptr addrspace(1) %first, i64 1
  store i32 %r1, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %first, i64 2
  store i32 %r2, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %first, i64 3
  store i32 %r3, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %first, i64 4
  store i32 %r4, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %first, i64 5
  store i32 %r5, ptr addrspace(1) %p5
  ret void
}";

fn expected(bytes: [u8; 3]) -> [u32; RESULTS] {
    let [a, b, c] = bytes.map(i32::from);
    let s = i32::from(bytes[0] as i8);
    let chosen = if a < c { (s - b) * 2 } else { s };
    let signed = ((a + b + c) & !1) - a - c;
    let less = (((b - a) * 3) as u32) < (((c - 5) * 2 - b) as u32);
    [
        ((77 * a + 150 * b + 29 * c) >> 8) as u32,
        (chosen + 100) as u32,
        u32::from(signed < -7),
        u32::from(less),
        u32::from(a * 257 > (b * 256 + 255) ^ 3),
        u32::from(a * b + a + b + c < 1000),
    ]
}

#[test]
fn values_are_the_same() {
    let mut random = Random::new(1);
    for level in [None, Some("x86-64-v2")] {
        let kernel = compile_with("bytes", KERNEL, &options_for(level, Blocks::WholeWarps));
        for round in 0..2000 {
            let mut byte = || match round % 2 {
                0 => [0, 1, 2, 4, 7, 127, 128, 254, 255][random.below(9)],
                _ => random.below(256) as u8,
            };
            let mut data: Vec<u8> = (0..3 * THREADS).map(|_| byte()).collect();
            let mut out = vec![[0u32; RESULTS]; THREADS];
            let words = [address(&mut data), address(&mut out)];
            kernel.launch([1, 1, 1], [THREADS as u32, 1, 1], &words);
            for (thread, out) in out.iter().enumerate() {
                let bytes = [0, 1, 2].map(|row| data[row * THREADS + thread]);
                assert_eq!(*out, expected(bytes), "{level:?}, {bytes:?}");
            }
        }
    }
}

/// So that the test above is one of what it says it is.
#[test]
fn products_are_of_16_bits() {
    for level in ["x86-64-v2", "x86-64-v3", "x86-64-v4"] {
        let context = llvm_zluda::Context::new();
        let module = parse(&context, "bytes", KERNEL);
        let options = options_for(Some(level), Blocks::WholeWarps);
        let lowered =
            spmd::lower(module, KernelKind::Vector, &options).expect("the kernel is supported");
        let text = lowered.print();
        let count = |word: &str| text.matches(word).count();
        assert_ne!(count(" x i16> "), 0, "{level}: {text}");
        for product in ["splat (i16 77)", "splat (i16 150)"] {
            assert_ne!(count(product), 0, "{level}, {product}: {text}");
        }
    }
}
