//! Blocks that run several in a call, with atomics whose sums they leave to each other.

mod support;

use cpu_abi::FLAG_BLOCK_RUNS;
use spmd::Blocks;
use support::{address, compile_with, options_for};

/// Each thread adds its number in the grid to the word of its block, and keeps where it ran. Words are `words_of` blocks'.
fn kernel(words_of: u32) -> String {
    format!(
        "define void @sum() #0 {{
  %p = call ptr addrspace(4) @zluda.params()
  %words = load ptr addrspace(1), ptr addrspace(4) %p
  %p1 = getelementptr i8, ptr addrspace(4) %p, i64 8
  %places = load ptr addrspace(1), ptr addrspace(4) %p1
  %tid = call i32 @zluda.tid.x()
  %ntid = call i32 @zluda.ntid.x()
  %x = call i32 @zluda.ctaid.x()
  %y = call i32 @zluda.ctaid.y()
  %width = call i32 @zluda.nctaid.x()
  %before = mul i32 %y, %width
  %block = add i32 %before, %x
  %first = mul i32 %block, %ntid
  %number = add i32 %first, %tid
  %index = zext i32 %number to i64
  %to = getelementptr i32, ptr addrspace(1) %places, i64 %index
  store i32 %block, ptr addrspace(1) %to
  %which = udiv i32 %block, {words_of}
  %which.64 = zext i32 %which to i64
  %word = getelementptr i32, ptr addrspace(1) %words, i64 %which.64
  %old = atomicrmw add ptr addrspace(1) %word, i32 %number syncscope(\"agent\") monotonic, align 4
  ret void
}}"
    )
}

#[test]
fn sums_of_blocks_reach_their_words() {
    let grid = [7, 3, 1];
    let blocks = grid[0] * grid[1];
    for cpu in [None, Some("x86-64-v2"), Some("x86-64-v3")] {
        for kind in [Blocks::WholeWarps, Blocks::Any] {
            for words_of in [1, 2, 5, blocks] {
                let kernel = compile_with("sum", &kernel(words_of), &options_for(cpu, kind));
                assert_ne!(kernel.descriptor.flags & FLAG_BLOCK_RUNS, 0);
                for threads in [32, 96, 256] {
                    let count = (blocks * threads) as usize;
                    let (mut words, mut places) = (vec![0u32; blocks as usize], vec![0u32; count]);
                    kernel.launch(
                        grid,
                        [threads, 1, 1],
                        &[address(&mut words), address(&mut places)],
                    );
                    let mut expected = vec![0u32; blocks as usize];
                    for number in 0..blocks * threads {
                        assert_eq!(places[number as usize], number / threads);
                        expected[(number / threads / words_of) as usize] += number;
                    }
                    assert_eq!(words, expected, "{cpu:?} {kind:?} {words_of} {threads}");
                }
            }
        }
    }
}
