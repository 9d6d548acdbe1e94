//! Atomics on shared memory, whose lanes come one after the other without a lock, at places that bytes choose.

// A test stops by panicking.
#![allow(clippy::panic)]

mod support;

use splitmix::Random;
use spmd::Blocks;
use support::{address, compile_with, options_for};

const LEVELS: [Option<&str>; 2] = [None, Some("x86-64-v2")];
const THREADS: usize = 96;
const BINS: usize = 16;

/// Threads below a limit change the word that their byte chooses. Parameters: bytes, values, what was found, words before and
/// behind, limit, the value where it is `uniform`. What was found is stored if it `is_used`.
fn kernel(operation: &str, uniform: bool, is_used: bool) -> String {
    let value = if uniform { "%one" } else { "%own" };
    let keep = if is_used { "store i32 %old, ptr addrspace(1) %to" } else { "" };
    format!(
        "@words = internal addrspace(3) global [{BINS} x i32] poison, align 4
define void @change() #0 {{
  %p = call ptr addrspace(4) @zluda.params()
  %bytes = load ptr addrspace(1), ptr addrspace(4) %p
  %p1 = getelementptr i8, ptr addrspace(4) %p, i64 8
  %values = load ptr addrspace(1), ptr addrspace(4) %p1
  %p2 = getelementptr i8, ptr addrspace(4) %p, i64 16
  %found = load ptr addrspace(1), ptr addrspace(4) %p2
  %p3 = getelementptr i8, ptr addrspace(4) %p, i64 24
  %all = load ptr addrspace(1), ptr addrspace(4) %p3
  %p4 = getelementptr i8, ptr addrspace(4) %p, i64 32
  %limit = load i32, ptr addrspace(4) %p4
  %p5 = getelementptr i8, ptr addrspace(4) %p, i64 40
  %one = load i32, ptr addrspace(4) %p5
  %tid = call i32 @zluda.tid.x()
  %t = zext i32 %tid to i64
  %global = getelementptr i32, ptr addrspace(1) %all, i64 %t
  %near = getelementptr i32, ptr addrspace(3) @words, i32 %tid
  %few = icmp ult i32 %tid, {BINS}
  br i1 %few, label %begin, label %begun
begin:
  %before = load i32, ptr addrspace(1) %global
  store i32 %before, ptr addrspace(3) %near
  br label %begun
begun:
  call void @zluda.barrier.sync(i32 0, i32 0)
  %inside = icmp ult i32 %tid, %limit
  br i1 %inside, label %change, label %changed
change:
  %at = getelementptr i8, ptr addrspace(1) %bytes, i64 %t
  %byte = load i8, ptr addrspace(1) %at
  %from = getelementptr i32, ptr addrspace(1) %values, i64 %t
  %own = load i32, ptr addrspace(1) %from
  %wide = zext i8 %byte to i32
  %distance = mul i32 %wide, 4
  %place = add i32 ptrtoint (ptr addrspace(3) @words to i32), %distance
  %address = zext i32 %place to i64
  %word = inttoptr i64 %address to ptr addrspace(3)
  %old = atomicrmw {operation} ptr addrspace(3) %word, i32 {value} syncscope(\"agent\") monotonic, align 4
  %to = getelementptr i32, ptr addrspace(1) %found, i64 %t
  {keep}
  br label %changed
changed:
  call void @zluda.barrier.sync(i32 0, i32 0)
  br i1 %few, label %end, label %done
end:
  %after = load i32, ptr addrspace(3) %near
  store i32 %after, ptr addrspace(1) %global
  br label %done
done:
  ret void
}}
"
    )
}

/// What one change makes of a word.
type Change = fn(u32, u32) -> u32;

/// Operations whose order does not matter.
const OPERATIONS: [(&str, Change); 9] = [
    ("add", u32::wrapping_add),
    ("sub", u32::wrapping_sub),
    ("and", |a, b| a & b),
    ("or", |a, b| a | b),
    ("xor", |a, b| a ^ b),
    ("umax", u32::max),
    ("umin", u32::min),
    ("max", |a, b| (a as i32).max(b as i32) as u32),
    ("min", |a, b| (a as i32).min(b as i32) as u32),
];

/// A chain of changes leads from what a word was to what it is: each thread found what the one before it left.
fn check_chain(
    mut word: u32,
    after: u32,
    mut changes: Vec<(u32, u32)>,
    change: Change,
    what: &str,
) {
    while !changes.is_empty() {
        let next = changes.iter().position(|(old, _)| *old == word);
        let (_, value) = changes.swap_remove(next.unwrap_or_else(|| panic!("{what}: {word:#x}")));
        word = change(word, value);
    }
    assert_eq!(word, after, "{what}");
}

fn check(level: Option<&str>, (operation, change): (&str, Change), uniform: bool, is_used: bool) {
    let options = options_for(level, Blocks::WholeWarps);
    let kernel = compile_with("change", &kernel(operation, uniform, is_used), &options);
    let mut random = Random::new(5);
    for limit in [THREADS, 64, 45, 1, 0] {
        let mut bytes = vec![0u8; THREADS];
        bytes.fill_with(|| random.below(BINS) as u8);
        let mut values = vec![0u32; THREADS];
        values.fill_with(|| random.below(1 << 32) as u32);
        let one = random.below(1 << 32) as u32;
        let mut before = vec![0u32; BINS];
        before.fill_with(|| random.below(1 << 32) as u32);
        let (mut found, mut after) = (vec![0u32; THREADS], before.clone());
        let params = [
            address(&mut bytes),
            address(&mut values),
            address(&mut found),
            address(&mut after),
            limit as u64,
            one.into(),
        ];
        kernel.launch([1, 1, 1], [THREADS as u32, 1, 1], &params);
        let value = |thread: usize| if uniform { one } else { values[thread] };
        for word in 0..BINS {
            let threads = (0..limit).filter(|thread| usize::from(bytes[*thread]) == word);
            let what = format!("{level:?} {operation} {uniform} {is_used} {limit} word {word}");
            if is_used {
                let changes = threads.map(|thread| (found[thread], value(thread))).collect();
                check_chain(before[word], after[word], changes, change, &what);
            } else {
                let expected = threads.map(value).fold(before[word], change);
                assert_eq!(after[word], expected, "{what}");
            }
        }
    }
}

#[test]
fn words_become_what_the_threads_make_of_them() {
    for level in LEVELS {
        for operation in OPERATIONS {
            for uniform in [false, true] {
                check(level, operation, uniform, false);
            }
        }
    }
}

#[test]
fn threads_find_what_others_left() {
    for level in LEVELS {
        for uniform in [false, true] {
            check(level, OPERATIONS[0], uniform, true);
        }
    }
}
