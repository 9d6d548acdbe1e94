//! Integers of widths that no memory has, as clamps and LLVM's passes make them: in stretches of arithmetic that run a few lanes
//! at a time, and in divisions, which go lane by lane.

mod support;

use spmd::Blocks;
use support::{address, compile_with, options_for};

/// Turns of the arithmetic that [`turned`] does on one lane.
const TURNS: u64 = 10;

fn factor(turn: u64) -> u64 {
    0x9e37_79b9_7f4a_7c15_u64.rotate_left(7 * turn as u32) | 1
}

/// `out[2 i]` and `out[2 i + 1]`: what is left of `x[i]` after some turns, and after as many more. The store between
/// them parts the arithmetic in two stretches, of which one hands its value on.
fn kernel(width: u32) -> String {
    let mut text = "define void @widths() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %x.base = load i64, ptr addrspace(4) %p
  %out.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %out.base = load i64, ptr addrspace(4) %out.p
  %i = call i32 @zluda.tid.x()
  %wide = zext i32 %i to i64
  %lane = and i64 %wide, 31
  %x.o = shl i64 %wide, 3
  %x.a = add i64 %x.base, %x.o
  %x.q = inttoptr i64 %x.a to ptr addrspace(1)
  %x = load i64, ptr addrspace(1) %x.q
  %out.o = shl i64 %wide, 4
  %out.a = add i64 %out.base, %out.o
  %out.q = inttoptr i64 %out.a to ptr addrspace(1)
  %out.r = getelementptr i8, ptr addrspace(1) %out.q, i64 8
  %v0 = trunc i64 %x to iW\n"
        .to_owned();
    for turn in 0..2 * TURNS {
        let (factor, next) = (factor(turn), turn + 1);
        text += &format!(
            "  %m{turn} = mul iW %v{turn}, {}
  %c{turn} = mul i64 %lane, {factor}
  %l{turn} = trunc i64 %c{turn} to iW
  %s{turn} = call iW @llvm.smax.iW(iW %m{turn}, iW %l{turn})
  %h{turn} = lshr iW %s{turn}, 1
  %v{next} = xor iW %h{turn}, %m{turn}\n",
            factor & ((1 << width) - 1)
        );
        if next == TURNS {
            text += &format!(
                "  %o = or iW %l0, 1
  %q = udiv iW %v{next}, %o
  %z = zext iW %q to i64
  store i64 %z, ptr addrspace(1) %out.q\n"
            );
        }
    }
    text += &format!(
        "  %last = zext iW %v{} to i64
  store i64 %last, ptr addrspace(1) %out.r
  ret void
}}
declare iW @llvm.smax.iW(iW, iW)\n",
        2 * TURNS
    );
    text.replace("iW", &format!("i{width}"))
}

/// The two values that the kernel stores for one lane, computed here.
fn turned(width: u32, x: u64, lane: u64) -> [u64; 2] {
    let mask = (1 << width) - 1;
    let signed = |value: u64| (value << (64 - width)) as i64;
    let mut value = x & mask;
    let mut left = [0; 2];
    for turn in 0..2 * TURNS {
        let product = value.wrapping_mul(factor(turn)) & mask;
        let of_lane = lane.wrapping_mul(factor(turn)) & mask;
        let larger = if signed(product) > signed(of_lane) { product } else { of_lane };
        value = (larger >> 1) ^ product;
        if turn + 1 == TURNS {
            left[0] = value / (lane.wrapping_mul(factor(0)) & mask | 1);
        }
    }
    left[1] = value;
    left
}

#[test]
fn integers_of_widths_that_no_memory_has() {
    for width in [3, 17, 24, 33, 48, 63] {
        let text = kernel(width);
        for level in [None, Some("x86-64-v2")] {
            let kernel = compile_with("widths", &text, &options_for(level, Blocks::WholeWarps));
            let mut x: [u64; 64] = std::array::from_fn(|i| factor(i as u64).wrapping_mul(77));
            let mut out = [[0_u64; 2]; 64];
            kernel.launch([1, 1, 1], [64, 1, 1], &[address(&mut x), address(&mut out)]);
            let expected: [_; 64] = std::array::from_fn(|i| turned(width, x[i], i as u64 & 31));
            assert_eq!(out, expected, "i{width}, {level:?}");
        }
    }
}
