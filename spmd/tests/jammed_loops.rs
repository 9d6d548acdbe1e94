//! Loops that several warps go through together, beside the same ones warp after warp.

mod support;

use spmd::{Blocks, KernelKind, Options};
use support::{address, compile_with, levels, options_for, parse};

/// Columns of a matrix: each thread goes down its own as far as it wants, and leaves a hash of it. `more` says whether it
/// goes on, `inside` what a round does besides, and `before` what comes before the loop.
fn kernel(before: &str, inside: &str, more: &str) -> String {
    format!(
        "define void @columns() #0 {{
  %p = call ptr addrspace(4) @zluda.params()
  %data = load i64, ptr addrspace(4) %p
  %out.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %out = load i64, ptr addrspace(4) %out.p
  %limits.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %limits = load i64, ptr addrspace(4) %limits.p
  %pitch.p = getelementptr i8, ptr addrspace(4) %p, i64 24
  %pitch = load i64, ptr addrspace(4) %pitch.p
  %sums.p = getelementptr i8, ptr addrspace(4) %p, i64 32
  %sums = load i64, ptr addrspace(4) %sums.p
  %tid = call i32 @zluda.tid.x()
  %tid.64 = zext i32 %tid to i64
  %off = mul i64 %tid.64, 4
  %limit.at = add i64 %limits, %off
  %limit.ptr = inttoptr i64 %limit.at to ptr addrspace(1)
  %limit = load i32, ptr addrspace(1) %limit.ptr
  %first = add i64 %data, %off
  %first.sum = add i64 %sums, %off
  {before}
  %some = icmp ne i32 %limit, 0
  br i1 %some, label %loop, label %done
loop:
  %row = phi i32 [ 0, %0 ], [ %row.next, %loop ]
  %hash = phi i32 [ 7, %0 ], [ %hash.next, %loop ]
  %at = phi i64 [ %first, %0 ], [ %at.next, %loop ]
  %at.sum = phi i64 [ %first.sum, %0 ], [ %at.sum.next, %loop ]
  %ptr = inttoptr i64 %at to ptr addrspace(1)
  %value = load i32, ptr addrspace(1) %ptr
  %mixed = mul i32 %hash, 31
  %hash.next = add i32 %mixed, %value
  {inside}
  %at.next = add i64 %at, %pitch
  %at.sum.next = add i64 %at.sum, %pitch
  %row.next = add i32 %row, 1
  {more}
  br i1 %more, label %loop, label %done
done:
  %result = phi i32 [ 1, %0 ], [ %hash.next, %loop ]
  %rounds = phi i32 [ 0, %0 ], [ %row.next, %loop ]
  %both = add i32 %result, %rounds
  %out.at = add i64 %out, %off
  %out.ptr = inttoptr i64 %out.at to ptr addrspace(1)
  store i32 %both, ptr addrspace(1) %out.ptr
  ret void
}}"
    )
}

const ROWS: usize = 40;
const BARRIER: &str = "call void @zluda.barrier.sync(i32 0, i32 0)";
const KEEP: &str = "%sum.ptr = inttoptr i64 %at.sum to ptr addrspace(1)
  store i32 %hash.next, ptr addrspace(1) %sum.ptr";
/// The thread's own limit.
const OWN: &str = "%more = icmp ult i32 %row.next, %limit";
/// As many rounds for all, which the compiler knows.
const ALL: &str = "%more = icmp ne i32 %row.next, 40";
/// Until a value tells.
const FOUND: &str = "%bits = and i32 %value, 63
  %goes = icmp ne i32 %bits, 5
  %inside = icmp ult i32 %row.next, 40
  %more = and i1 %goes, %inside";

/// What the threads leave, and the sums on their way.
fn expected(data: &[u32], limits: &[u32], threads: usize, more: &str) -> (Vec<u32>, Vec<u32>) {
    let mut sums = vec![0; data.len()];
    let of_thread = |thread: usize| {
        if limits[thread] == 0 {
            return 1;
        }
        let (mut hash, mut row) = (7u32, 0);
        loop {
            let value = data[row * threads + thread];
            hash = hash.wrapping_mul(31).wrapping_add(value);
            sums[row * threads + thread] = hash;
            row += 1;
            let goes_on = match more {
                OWN => row < limits[thread] as usize,
                FOUND => value & 63 != 5 && row < ROWS,
                _ => row < ROWS,
            };
            if !goes_on {
                return hash.wrapping_add(row as u32);
            }
        }
    };
    ((0..threads).map(of_thread).collect(), sums)
}

/// How many rows a thread of a block wants.
type Limit = fn(usize) -> u32;

const LIMITS: [(&str, Limit); 6] = [
    ("all", |_| ROWS as u32),
    ("few", |thread| (thread % 4) as u32),
    ("by warps", |thread| (thread / 32 * 7 % (ROWS - 3)) as u32 + 3),
    ("by threads", |thread| (thread * 13 % (ROWS + 1)) as u32),
    ("some warps none", |thread| if thread / 32 % 3 == 1 { 0 } else { 30 }),
    ("the last less", |thread| 30 - (thread % 32 / 31 * 9) as u32),
];

fn check(text: &str, options: &Options, keeps: bool, more: &str) {
    let kernel = compile_with("columns", text, options);
    for threads in [32, 64, 96, 128, 160, 288, 1024] {
        for (name, limit) in LIMITS {
            let mut data: Vec<u32> = (0..(ROWS * threads) as u32)
                .map(|i| (i ^ (i >> 3)).wrapping_mul(2_654_435_761) >> 7)
                .collect();
            let mut limits: Vec<u32> = (0..threads).map(limit).collect();
            let (mut out, mut sums) = (vec![0u32; threads], vec![0u32; ROWS * threads]);
            let params = [
                address(&mut data),
                address(&mut out),
                address(&mut limits),
                4 * threads as u64,
                address(&mut sums),
            ];
            kernel.launch([1, 1, 1], [threads as u32, 1, 1], &params);
            let (expected_out, expected_sums) = expected(&data, &limits, threads, more);
            let what = format!("{threads} threads, {name}, jams: {}", options.jams);
            assert_eq!(out, expected_out, "{what}");
            if keeps {
                assert_eq!(sums, expected_sums, "{what}");
            }
        }
    }
}

#[test]
fn each_warp_gets_its_own() {
    for (before, inside, more) in [
        ("", "", OWN),
        (BARRIER, KEEP, OWN),
        ("", "", ALL),
        (BARRIER, "", FOUND),
        ("", KEEP, FOUND),
    ] {
        let text = kernel(before, inside, more);
        for level in levels() {
            for jams in [true, false] {
                let options = Options { jams, ..options_for(level, Blocks::WholeWarps) };
                check(&text, &options, !inside.is_empty(), more);
            }
        }
    }
}

/// How many loops for several warps the code of a kernel has.
fn jams(text: &str, level: &str) -> usize {
    let context = llvm_zluda::Context::new();
    let module = parse(&context, "columns", text);
    let options = options_for(Some(level), Blocks::WholeWarps);
    let lowered = spmd::lower(module, KernelKind::Vector, &options).expect("it is supported");
    lowered.functions().iter().filter(|it| it.name().contains(".together")).count()
}

#[test]
fn warps_go_together_where_rows_are_far_apart() {
    for level in ["x86-64-v3", "x86-64-v4"] {
        for (before, inside, more) in [("", "", OWN), (BARRIER, KEEP, FOUND), ("", "", ALL)] {
            assert!(jams(&kernel(before, inside, more), level) > 0, "{level} {more}");
        }
        // So do those of which some threads take no part, where masks take no vector registers.
        let masked = jams(&kernel("", "", ALL), level) - 1;
        assert_eq!(masked, usize::from(level == "x86-64-v4"), "{level}");
        let near = kernel("", "", OWN).replace("%at, %pitch", "%at, 128");
        let short = kernel("", "", ALL).replace("%row.next, 40", "%row.next, 6");
        let told = kernel("", "", OWN).replace("%value = load i32", "%value = load volatile i32");
        let once = kernel("%zero = icmp eq i64 %pitch, 0", "", "%more = and i1 %zero, %zero");
        for text in [near, short, told, once] {
            assert_eq!(jams(&text, level), 0, "{level} {text}");
        }
    }
}
