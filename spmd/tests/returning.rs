//! Kernels whose warps return at barriers, beside the same ones with a coroutine for each warp.

mod support;

use spmd::{Blocks, Options};
use support::{address, compile_with, levels, options_for};

const TEXT: &str = include_str!("kernels/returning.ll");

/// The words that each thread leaves.
fn expected(values: &[u32], threads: usize, part: usize, rounds: u32) -> Vec<[u32; 8]> {
    let part = part.min(threads);
    let mut sums = values[..part].to_vec();
    let mut odd = 0;
    for _ in 0..rounds {
        sums = (0..part).map(|i| sums[i].wrapping_add(sums[(i + 1) % part])).collect();
        odd += sums.iter().filter(|sum| *sum & 1 == 1).count() as u32;
    }
    let answers = 1 | if part > 2 { 2 } else { 0 };
    let of_thread = |thread: usize| {
        if thread >= part {
            return [0; 8];
        }
        let half = thread as u32 / 2;
        let changed = values[thread].wrapping_add(if rounds > 1 { half } else { 0 });
        let kept = if thread.is_multiple_of(4) { changed } else { 7 };
        [sums[thread], odd, answers, kept, changed, half, 0, 0]
    };
    (0..threads).map(of_thread).collect()
}

fn check(options: &Options) {
    let kernel = compile_with("returning", TEXT, options);
    let flags = kernel.descriptor.flags & (cpu_abi::FLAG_RETURNS | cpu_abi::FLAG_WAITS);
    assert_eq!(flags, if options.returns { cpu_abi::FLAG_RETURNS } else { cpu_abi::FLAG_WAITS });
    assert_eq!(kernel.descriptor.frame_size > 0, options.returns);
    for (threads, part, rounds) in [
        (32, 32, 3),
        (96, 96, 1),
        (96, 40, 5),
        (70, 70, 4),
        (100, 97, 2),
        (1024, 1000, 3),
        (64, 2, 2),
    ] {
        if options.blocks == Blocks::WholeWarps && threads % 32 != 0 {
            continue;
        }
        let mut values: Vec<u32> =
            (0..threads as u32).map(|i| (i * i).wrapping_mul(2654435).wrapping_add(77)).collect();
        let mut results = vec![[0u32; 8]; threads];
        let params = [address(&mut values), address(&mut results), rounds.into(), part as u64];
        kernel.launch([1, 1, 1], [threads as u32, 1, 1], &params);
        let expected = expected(&values, threads, part, rounds);
        assert_eq!(results, expected, "{:?}, {threads} threads, {rounds} rounds", options.blocks);
    }
}

#[test]
fn warps_go_on_where_they_waited() {
    for level in levels() {
        for blocks in [Blocks::Any, Blocks::RowWarps, Blocks::WholeWarps] {
            for returns in [true, false] {
                check(&Options { returns, ..options_for(level, blocks) });
            }
        }
    }
}

/// What is in the way of returning, in one kernel each.
#[test]
fn others_have_coroutines() {
    let flags = |wait: &str| {
        let text = format!("define void @waits() #0 {{ {wait} ret void }}");
        let options = options_for(None, Blocks::RowWarps);
        compile_with("waits", &text, &options).descriptor.flags
    };
    let barrier = "call void @zluda.barrier.sync(i32 0, i32 0)";
    assert_ne!(flags(barrier) & cpu_abi::FLAG_RETURNS, 0);
    for wait in [
        "call void @zluda.barrier.sync(i32 1, i32 0)",
        "call void @zluda.barrier.sync(i32 0, i32 64)",
        &format!("{barrier} %l = call i1 @zluda.isspacep.local(ptr null)"),
    ] {
        assert_eq!(flags(wait) & cpu_abi::FLAG_RETURNS, 0, "{wait}");
    }
}
