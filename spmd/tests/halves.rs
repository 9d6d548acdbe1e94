//! Products of halves that are added before they are rounded, by the processor's own instructions: every result is that of
//! exact arithmetic, subnormal operands and results among them.

mod support;

use rustc_apfloat::Float;
use rustc_apfloat::ieee::Half;
use splitmix::Random;
use spmd::Blocks;
use support::{address, compile_for};

/// The function has another body, so that a call of it would be wrong.
const KERNEL: &str = "define internal half @half.fma(half %a, half %b, half %c) alwaysinline {
  ret half 0.0
}
define void @add() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %data = load i64, ptr addrspace(4) %p
  %tid = call i32 @zluda.tid.x()
  %lane = zext i32 %tid to i64
  %off = mul i64 %lane, 8
  %at = add i64 %data, %off
  %ptr = inttoptr i64 %at to ptr addrspace(1)
  %pointer_b = getelementptr i8, ptr addrspace(1) %ptr, i64 2
  %pointer_c = getelementptr i8, ptr addrspace(1) %ptr, i64 4
  %a = load half, ptr addrspace(1) %ptr
  %b = load half, ptr addrspace(1) %pointer_b
  %c = load half, ptr addrspace(1) %pointer_c
  %sum = call half @half.fma(half %a, half %b, half %c)
  %pointer_d = getelementptr i8, ptr addrspace(1) %ptr, i64 6
  store half %sum, ptr addrspace(1) %pointer_d
  ret void
}";

#[test]
fn sums_of_products_are_rounded_once() {
    if !is_x86_feature_detected!("avx512fp16") {
        return;
    }
    const COUNT: usize = 1024;
    let kernel = compile_for("add", KERNEL, Blocks::WholeWarps);
    let mut random = Random::new(7);
    for _ in 0..500 {
        let mut data: Vec<[u16; 4]> = (0..COUNT)
            .map(|number| {
                let [a, b, any] = [(); 3].map(|()| random.bits() as u16);
                // What the product nearly cancels, or what it is half a step of, comes seldom by chance.
                let product = (half(a) * half(b)).value;
                let near = (product.to_bits() as u16 ^ 0x8000).wrapping_add(random.below(3) as u16);
                [a, b, [any, near][number % 2], 0]
            })
            .collect();
        let words = [address(&mut data)];
        kernel.launch([1, 1, 1], [COUNT as u32, 1, 1], &words);
        for [a, b, c, sum] in data {
            let right = half(a).mul_add(half(b), half(c)).value;
            let is_right = half(sum).bitwise_eq(right) || half(sum).is_nan() && right.is_nan();
            assert!(is_right, "{a:#x} * {b:#x} + {c:#x} = {:#x}, not {sum:#x}", right.to_bits());
        }
    }
}

fn half(bits: u16) -> Half {
    Half::from_bits(bits.into())
}
