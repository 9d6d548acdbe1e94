//! Branches by comparisons of an index that grows with the lanes, which scalars decide for whole warps.

mod support;

use spmd::{Blocks, Options};
use support::{address, compile_with, options_for};

type Compares = fn(u32, u32) -> bool;

const PREDICATES: [(&str, Compares); 10] = [
    ("eq", |a, b| a == b),
    ("ne", |a, b| a != b),
    ("ult", |a, b| a < b),
    ("ule", |a, b| a <= b),
    ("ugt", |a, b| a > b),
    ("uge", |a, b| a >= b),
    ("slt", |a, b| (a as i32) < b as i32),
    ("sle", |a, b| a as i32 <= b as i32),
    ("sgt", |a, b| a as i32 > b as i32),
    ("sge", |a, b| a as i32 >= b as i32),
];

const THREADS: u32 = 96;

/// For each predicate, with the index on either side, the threads that pass add 1 to a word of theirs three times.
fn kernel(stride: u32) -> String {
    let mut text = format!(
        "define void @compares() #0 {{
  %p = call ptr addrspace(4) @zluda.params()
  %out = load i64, ptr addrspace(4) %p
  %first.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %first = load i32, ptr addrspace(4) %first.p
  %limit.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %limit = load i32, ptr addrspace(4) %limit.p
  %tid = call i32 @zluda.tid.x()
  %scaled = mul i32 %tid, {stride}
  %index = add i32 %scaled, %first
  %wide = zext i32 %tid to i64
  %bytes = shl i64 %wide, 2
  %own = add i64 %out, %bytes
  br label %b0
"
    );
    let sides = ["%index, %limit", "%limit, %index"];
    let all = PREDICATES.iter().flat_map(|(name, _)| sides.map(|sides| (name, sides)));
    for (number, (name, sides)) in all.enumerate() {
        let next = number + 1;
        let row = number as u32 * THREADS * 4;
        text += &format!(
            "b{number}:
  %c{number} = icmp {name} i32 {sides}
  br i1 %c{number}, label %y{number}, label %b{next}
y{number}:
  %a{number} = add i64 %own, {row}
  %q{number} = inttoptr i64 %a{number} to ptr addrspace(1)
  br label %l{number}
l{number}:
  %i{number} = phi i32 [ 0, %y{number} ], [ %n{number}, %l{number} ]
  %o{number} = load volatile i32, ptr addrspace(1) %q{number}
  %s{number} = add i32 %o{number}, 1
  store volatile i32 %s{number}, ptr addrspace(1) %q{number}
  %n{number} = add i32 %i{number}, 1
  %m{number} = icmp ult i32 %n{number}, 3
  br i1 %m{number}, label %l{number}, label %b{next}
"
        );
    }
    text + &format!("b{}:\n  ret void\n}}\n", 2 * PREDICATES.len())
}

fn check(stride: u32, options: &Options) {
    let kernel = compile_with("compares", &kernel(stride), options);
    let middle = i32::MIN as u32;
    for first in [0, 1, 1000, middle - 40, middle, u32::MAX - 70, 0u32.wrapping_sub(stride * 33)] {
        let near =
            [0, 1, 31, 32, 33, 63, 64, 95, 96, 97].map(|lane| first.wrapping_add(lane * stride));
        for limit in
            near.into_iter().chain([first.wrapping_sub(1), 0, u32::MAX, middle, middle - 1])
        {
            let mut out = vec![0u32; 2 * PREDICATES.len() * THREADS as usize];
            let params = [address(&mut out), first.into(), limit.into()];
            kernel.launch([1, 1, 1], [THREADS, 1, 1], &params);
            let mut rows = out.chunks(THREADS as usize);
            for (name, compares) in PREDICATES {
                for swapped in [false, true] {
                    let of_thread = |thread: u32| {
                        let index = (thread * stride).wrapping_add(first);
                        let passes =
                            if swapped { compares(limit, index) } else { compares(index, limit) };
                        3 * u32::from(passes)
                    };
                    let expected: Vec<_> = (0..THREADS).map(of_thread).collect();
                    let what = format!("{name}, {swapped}, {first} + {stride} * lane, {limit}");
                    assert_eq!(rows.next(), Some(expected.as_slice()), "{what}");
                }
            }
        }
    }
}

#[test]
fn all_lanes_that_pass_and_no_others() {
    for blocks in [Blocks::RowWarps, Blocks::WholeWarps] {
        for stride in [1, 4, 33] {
            check(stride, &options_for(None, blocks));
        }
    }
}
