//! Code between two barriers that several warps go through side by side, beside the same code warp after warp.

mod support;

use spmd::{Blocks, KernelKind, Options};
use support::{address, compile_with, levels, options_for, parse};

/// The most rounds of a thread, and the rows of a tile.
const ROUNDS: usize = 7;
const ROWS: usize = 8;
/// Threads of a row: of a warp, of half a warp, or of two warps, whose parts of the tile's rows are not the same.
const WIDTHS: [(Blocks, usize); 3] =
    [(Blocks::WholeWarps, 32), (Blocks::HalfWarpRows, 16), (Blocks::WholeWarps, 64)];

/// A product by tiles: in each round the rows of a tile get new values, which all threads multiply by numbers of their row. A
/// warp goes as many rounds as it wants. `between` is what else there is between the barriers.
fn kernel(width: usize, between: &str) -> String {
    let lines = |line: &dyn Fn(usize) -> String| (0..ROWS).map(line).collect::<String>();
    let fill = lines(&|row| {
        format!(
            "  %new.{row}.at = getelementptr i32, ptr addrspace(1) %data.row, i32 {0}
  %new.{row} = load i32, ptr addrspace(1) %new.{row}.at
  %to.{row} = getelementptr i32, ptr addrspace(3) %column, i32 {0}
  store i32 %new.{row}, ptr addrspace(3) %to.{row}\n",
            row * width
        )
    });
    let multiply = lines(&|row| {
        let before = match row {
            0 => "%sum".to_owned(),
            _ => format!("%sum.{}", row - 1),
        };
        format!(
            "  %from.{row} = getelementptr i32, ptr addrspace(3) %column, i32 {0}
  %is.{row} = load i32, ptr addrspace(3) %from.{row}
  %factor.{row}.at = getelementptr i32, ptr addrspace(1) %factors.own, i32 {row}
  %factor.{row} = load i32, ptr addrspace(1) %factor.{row}.at
  %product.{row} = mul i32 %is.{row}, %factor.{row}
  %sum.{row} = add i32 {before}, %product.{row}\n",
            row * width
        )
    });
    let last = ROWS - 1;
    format!(
        "@tile = internal addrspace(3) global [512 x i32] poison, align 4

define void @tiles() #0 {{
  %p = call ptr addrspace(4) @zluda.params()
  %data = load ptr addrspace(1), ptr addrspace(4) %p
  %factors.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %factors = load ptr addrspace(1), ptr addrspace(4) %factors.p
  %limits.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %limits = load ptr addrspace(1), ptr addrspace(4) %limits.p
  %out.p = getelementptr i8, ptr addrspace(4) %p, i64 24
  %out = load ptr addrspace(1), ptr addrspace(4) %out.p
  %x = call i32 @zluda.tid.x()
  %y = call i32 @zluda.tid.y()
  %rows = mul i32 %y, {width}
  %thread = add i32 %rows, %x
  %warp = call i32 @zluda.warpid()
  %limit.at = getelementptr i32, ptr addrspace(1) %limits, i32 %warp
  %limit = load i32, ptr addrspace(1) %limit.at
  %column = getelementptr i32, ptr addrspace(3) @tile, i32 %x
  %data.column = getelementptr i32, ptr addrspace(1) %data, i32 %x
  %first = mul i32 %y, {ROWS}
  %factors.own = getelementptr i32, ptr addrspace(1) %factors, i32 %first
  %out.at = getelementptr i32, ptr addrspace(1) %out, i32 %thread
  br label %round
round:
  %i = phi i32 [ 0, %0 ], [ %next, %round ]
  %sum = phi i32 [ 1, %0 ], [ %sum.{last}, %round ]
  %rows.before = mul i32 %i, {tile}
  %data.row = getelementptr i32, ptr addrspace(1) %data.column, i32 %rows.before
{fill}  call void @zluda.barrier.sync(i32 0, i32 0)
{multiply}  {between}
  call void @zluda.barrier.sync(i32 0, i32 0)
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %limit
  br i1 %again, label %round, label %end
end:
  store i32 %sum.{last}, ptr addrspace(1) %out.at
  ret void
}}",
        tile = ROWS * width
    )
}

/// How many rounds a warp wants.
type Limit = fn(usize) -> usize;
const LIMITS: [(&str, Limit); 4] = [
    ("all", |_| ROUNDS),
    ("each its own", |warp| warp * 5 % ROUNDS + 1),
    ("the second pair less", |warp| if matches!(warp, 2 | 3) { 2 } else { ROUNDS }),
    ("each fourth less", |warp| if warp % 4 == 3 { 3 } else { 6 }),
];

fn check(options: &Options, width: usize) {
    let kernel = compile_with("tiles", &kernel(width, ""), options);
    assert_ne!(kernel.descriptor.flags & cpu_abi::FLAG_RETURNS, 0);
    for warps in [1, 2, 3, 4, 5, 7, 8, 13, 32] {
        let rows = warps * 32 / width;
        if rows * width != warps * 32 {
            continue;
        }
        for (name, limit) in LIMITS {
            let hash = |i: usize| (i as u32 ^ 77).wrapping_mul(2_654_435_761) >> 5;
            let mut data: Vec<u32> = (0..ROUNDS * ROWS * width).map(hash).collect();
            let mut factors: Vec<u32> = (0..rows * ROWS).map(|i| hash(i + 1000)).collect();
            let mut limits: Vec<u32> = (0..warps).map(|warp| limit(warp) as u32).collect();
            let mut out = vec![0u32; rows * width];
            let params =
                [&mut data, &mut factors, &mut limits, &mut out].map(|words| address(words));
            kernel.launch([1, 1, 1], [width as u32, rows as u32, 1], &params);
            let of_thread = |thread: usize| {
                let (row, column) = (thread / width, thread % width);
                (0..limit(thread / 32) * ROWS)
                    .map(|i| data[i * width + column].wrapping_mul(factors[row * ROWS + i % ROWS]))
                    .fold(1, u32::wrapping_add)
            };
            let expected: Vec<u32> = (0..rows * width).map(of_thread).collect();
            assert_eq!(out, expected, "{warps} warps of rows of {width}, {name}, {}", options.jams);
        }
    }
}

#[test]
fn each_warp_gets_its_own() {
    for level in levels() {
        for (blocks, width) in WIDTHS {
            for jams in [true, false] {
                check(&Options { jams, ..options_for(level, blocks) }, width);
            }
        }
    }
}

/// Whether warps of a kernel go side by side.
fn goes_side_by_side(width: usize, between: &str, options: &Options) -> bool {
    let context = llvm_zluda::Context::new();
    let module = parse(&context, "tiles", &kernel(width, between));
    let lowered = spmd::lower(module, KernelKind::Vector, options).expect("it is supported");
    lowered.print().contains("side.by.side:")
}

#[test]
fn warps_go_side_by_side_where_they_read_alike() {
    let store = "%each = getelementptr i32, ptr addrspace(1) %out.at, i32 %i
  store i32 %sum.0, ptr addrspace(1) %each";
    let atomic = "%was = atomicrmw add ptr addrspace(1) %out.at, i32 1 monotonic";
    for level in ["x86-64-v3", "x86-64-v4"] {
        for (blocks, width) in WIDTHS {
            let options = options_for(Some(level), blocks);
            assert!(goes_side_by_side(width, "", &options), "{level} {width}");
            for between in [store, atomic] {
                assert!(!goes_side_by_side(width, between, &options), "{level} {width} {between}");
            }
            let alone = Options { jams: false, ..options };
            assert!(!goes_side_by_side(width, "", &alone), "{level} {width}");
        }
    }
}
