//! The number of a warp in the grid, and what is made of it, is the same for all lanes of the warp: where blocks have
//! whole warps, however the program writes it.

mod support;

use spmd::{Blocks, KernelKind};
use support::{address, compile_with, options_for, parse};

/// `out[i] = data[i / 32] + i % 32`, where `number` makes `%off`, four times `i / 32`, of `%i`.
fn kernel(number: &str) -> String {
    format!(
        "define void @rows() #0 {{
  %p = call ptr addrspace(4) @zluda.params()
  %data = load ptr addrspace(1), ptr addrspace(4) %p
  %out.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %out = load ptr addrspace(1), ptr addrspace(4) %out.p
  %tid = call i32 @zluda.tid.x()
  %ntid = call i32 @zluda.ntid.x()
  %ctaid = call i32 @zluda.ctaid.x()
  %before = mul i32 %ctaid, %ntid
  %i = add i32 %before, %tid
  {number}
  %wide = zext i32 %off to i64
  %from = getelementptr i8, ptr addrspace(1) %data, i64 %wide
  %value = load i32, ptr addrspace(1) %from
  %lane = and i32 %i, 31
  %sum = add i32 %value, %lane
  %at = zext i32 %i to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %at
  store i32 %sum, ptr addrspace(1) %to
  ret void
}}"
    )
}

const NUMBERS: [&str; 4] = [
    "%row = lshr i32 %i, 5
  %off = shl i32 %row, 2",
    "%some = lshr i32 %i, 3
  %off = and i32 %some, 536870908",
    "%some = ashr i32 %i, 2
  %row = and i32 %some, -8
  %off = lshr i32 %row, 1",
    "%first = and i32 %i, -32
  %off = lshr i32 %first, 3",
];

#[test]
fn a_row_is_read_once() {
    for number in NUMBERS {
        for (blocks, once) in [(Blocks::WholeWarps, true), (Blocks::RowWarps, false)] {
            let context = llvm_zluda::Context::new();
            let module = parse(&context, "rows", &kernel(number));
            let options = options_for(Some("x86-64-v4"), blocks);
            let lowered =
                spmd::lower(module, KernelKind::Vector, &options).expect("the kernel is supported");
            let text = lowered.print();
            assert_eq!(!text.contains("call <32 x i32> @llvm.masked.gather"), once, "{text}");
        }
    }
}

#[test]
fn rows_are_those_of_threads() {
    for level in [None, Some("x86-64-v2"), Some("x86-64-v3")] {
        for blocks in [Blocks::Any, Blocks::RowWarps, Blocks::WholeWarps] {
            for number in NUMBERS {
                let kernel = compile_with("rows", &kernel(number), &options_for(level, blocks));
                // Warps of blocks of 48 threads begin in the middle of a row.
                for block in [48, 64, 7, 96, 32] {
                    if blocks == Blocks::WholeWarps && block % 32 != 0 {
                        continue;
                    }
                    let threads = 5 * block as usize;
                    let mut data: Vec<u32> = (0..threads as u32).map(|i| i * 1000 + 7).collect();
                    let mut out = vec![0u32; threads];
                    kernel.launch(
                        [5, 1, 1],
                        [block, 1, 1],
                        &[address(&mut data), address(&mut out)],
                    );
                    for (i, value) in out.iter().enumerate() {
                        let expected = data[i / 32] + i as u32 % 32;
                        assert_eq!(*value, expected, "{level:?}, {blocks:?}, {block}, thread {i}");
                    }
                }
            }
        }
    }
}
