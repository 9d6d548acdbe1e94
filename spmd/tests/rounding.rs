//! `fma.rm` of `expf`, in the way in which it is made below AVX-512: every result is what exact arithmetic says.

mod support;

use splitmix::Random;
use spmd::Blocks;
use support::{address, compile_with, options_for};

/// The function has another body, so that a call of it would be wrong.
fn kernel(factor: f32, addend: f32) -> String {
    let constant = |value: f32| format!("0x{:016X}", f64::from(value).to_bits());
    format!(
        "define internal float @directed.fma.rm(float %a, float %b, float %c) alwaysinline {{
  ret float 0.0
}}
define void @round() #0 {{
  %p = call ptr addrspace(4) @zluda.params()
  %data = load i64, ptr addrspace(4) %p
  %tid = call i32 @zluda.tid.x()
  %lane = zext i32 %tid to i64
  %off = mul i64 %lane, 4
  %at = add i64 %data, %off
  %ptr = inttoptr i64 %at to ptr addrspace(1)
  %x = load float, ptr addrspace(1) %ptr
  %above = fcmp ogt float %x, 0.0
  %positive = select i1 %above, float %x, float 0.0
  %below = fcmp olt float %positive, 1.0
  %a = select i1 %below, float %positive, float 1.0
  %whole = call float @directed.fma.rm(float %a, float {}, float {})
  store float %whole, ptr addrspace(1) %ptr
  ret void
}}",
        constant(factor),
        constant(addend)
    )
}

#[test]
fn sums_are_rounded_down() {
    const COUNT: usize = 1024;
    let mut random = Random::new(3);
    let whole = 8_388_608.0f32;
    for (factor, addend) in [(252.0, 12_582_913.0), (1.0, whole), (0.1, whole), (whole, whole)] {
        let options = options_for(Some("x86-64-v3"), Blocks::WholeWarps);
        let kernel = compile_with("round", &kernel(factor, addend), &options);
        for _ in 0..200 {
            let mut data: Vec<f32> = (0..COUNT)
                .map(|number| {
                    // Any float; or one near a place where the sum becomes another one.
                    let any = f32::from_bits(random.bits() as u32);
                    let step = (random.below(1 << 20) as f32 / factor).min(1.0);
                    let near = f32::from_bits(
                        step.to_bits().wrapping_add(random.below(5) as u32).wrapping_sub(2),
                    );
                    [
                        any,
                        any.abs().min(1.0),
                        near,
                        f32::from_bits(0x3f80_0000 - random.below(1 << 23) as u32),
                    ][number % 4]
                })
                .collect();
            let inputs = data.clone();
            let words = [address(&mut data)];
            kernel.launch([1, 1, 1], [COUNT as u32, 1, 1], &words);
            for (input, output) in inputs.into_iter().zip(data) {
                let a = if input > 0.0 { input.min(1.0) } else { 0.0 };
                // The product has 48 bits.
                let right = (f64::from(a) * f64::from(factor)).floor() + f64::from(addend);
                assert_eq!(f64::from(output), right, "{input:e} * {factor} + {addend}");
            }
        }
    }
}
