//! Loops that wait: lanes part where one may leave before another, and not where all of them leave together.

mod support;

use simt::analysis::lockstep::{Waves, kernel_parts};
use spmd::Blocks;
use support::parse;

/// Warp 0 waits for words that others set, and goes on until one of them is 2, as the look-back of a scan. `seen` makes
/// `%ready` of `%set`, and `found` makes `%last` of `%is.two`. Behind the loops some lanes store, and all come to a barrier.
fn kernel(seen: &str, found: &str) -> String {
    format!(
        "define void @look_back() #0 {{
entry:
  %p = call ptr addrspace(4) @zluda.params()
  %words = load i64, ptr addrspace(4) %p
  %tid = call i32 @zluda.tid.x()
  %lane = zext i32 %tid to i64
  %off = mul i64 %lane, 4
  %begin = add i64 %words, %off
  %warp = lshr i32 %tid, 5
  %is.first = icmp eq i32 %warp, 0
  br i1 %is.first, label %look, label %join
look:
  %place = phi i64 [ %begin, %entry ], [ %before, %back ]
  %ptr = inttoptr i64 %place to ptr addrspace(1)
  br label %wait
wait:
  %word = load volatile i32, ptr addrspace(1) %ptr
  %set = icmp ne i32 %word, 0
  %ready = {seen}
  br i1 %ready, label %ask, label %wait
ask:
  %is.two = icmp eq i32 %word, 2
  %last = {found}
  br i1 %last, label %end, label %back
back:
  %before = add i64 %place, -128
  br label %look
end:
  %is.zero = icmp eq i32 %tid, 0
  br i1 %is.zero, label %tell, label %told
tell:
  store i32 %word, ptr addrspace(1) %ptr
  br label %told
told:
  %is.small = icmp ult i32 %word, 7
  br i1 %is.small, label %tell.more, label %join
tell.more:
  store i32 %tid, ptr addrspace(1) %ptr
  br label %join
join:
  call void @zluda.barrier.sync(i32 0, i32 0)
  ret void
}}"
    )
}

const ALL_SET: &str = "call i1 @zluda.vote.all(i1 %set, i32 -1)";
const ANY_TWO: &str = "call i1 @zluda.vote.any(i1 %is.two, i32 -1)";

fn parts(seen: &str, found: &str) -> bool {
    let context = llvm_zluda::Context::new();
    let module = parse(&context, "look_back", &kernel(seen, found));
    kernel_parts(&module, Blocks::WholeWarps, Waves::OneWarp).expect("the kernel is supported")
}

#[test]
fn lanes_that_vote_stay_together() {
    assert!(!parts(ALL_SET, ANY_TWO));
}

#[test]
fn lanes_that_leave_one_by_one_part() {
    for (seen, found) in [
        (ALL_SET, "and i1 %is.two, true"),
        ("and i1 %set, true", ANY_TWO),
        // Not all of them vote.
        (ALL_SET, "call i1 @zluda.vote.any(i1 %is.two, i32 %tid)"),
    ] {
        assert!(parts(seen, found), "{seen}, {found}");
    }
}
