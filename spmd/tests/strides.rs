//! Accesses whose addresses differ by a stride from lane to lane go by one address, whatever the stride is, and however
//! the program writes the index.

mod support;

use spmd::{Blocks, KernelKind};
use support::{address, compile_with, options_for, parse};

const COUNT: usize = 96;

/// `if (i < limit) out[stride * i] = data[stride * i]` in words, where `index` makes `%at` of 64 bits, four times `%tid`.
fn kernel(index: &str, stride: u64) -> String {
    format!(
        "define void @copy() #0 {{
  %p = call ptr addrspace(4) @zluda.params()
  %data = load i64, ptr addrspace(4) %p
  %out.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %out = load i64, ptr addrspace(4) %out.p
  %limit.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %limit = load i32, ptr addrspace(4) %limit.p
  %tid = call i32 @zluda.tid.x()
  %inside = icmp ult i32 %tid, %limit
  br i1 %inside, label %copy, label %done
copy:
  {index}
  %off = mul i64 %at, {stride}
  %from = add i64 %data, %off
  %from.ptr = inttoptr i64 %from to ptr addrspace(1)
  %value = load i32, ptr addrspace(1) %from.ptr
  %to = add i64 %out, %off
  %to.ptr = inttoptr i64 %to to ptr addrspace(1)
  store i32 %value, ptr addrspace(1) %to.ptr
  br label %done
done:
  ret void
}}"
    )
}

const INDICES: [&str; 3] = [
    "%i = zext i32 %tid to i64
  %at = mul i64 %i, 4",
    "%i = sext i32 %tid to i64
  %at = shl i64 %i, 2",
    "%i = zext i32 %tid to i64
  %high = or i64 %i, -4294967296
  %up = shl i64 %high, 32
  %at = ashr i64 %up, 30",
];

#[test]
fn addresses_are_no_vectors() {
    for level in ["x86-64-v2", "x86-64-v3", "x86-64-v4"] {
        for index in INDICES {
            for stride in [1, 2, 3] {
                let context = llvm_zluda::Context::new();
                let module = parse(&context, "copy", &kernel(index, stride));
                let options = options_for(Some(level), Blocks::WholeWarps);
                let lowered = spmd::lower(module, KernelKind::Vector, &options)
                    .expect("the kernel is supported");
                let text = lowered.print();
                for sums in ["inttoptr <32 x i64>", "ext <32 x i32>"] {
                    assert!(!text.contains(sums), "{level}, {index}, {stride}: {text}");
                }
            }
        }
    }
}

#[test]
fn what_is_inside_is_copied() {
    for level in [None, Some("x86-64-v2")] {
        for index in INDICES {
            for (stride, limit) in [(1, COUNT), (2, COUNT), (3, 77), (1, 33), (2, 0), (5, 95)] {
                let mut data: Vec<u32> = (1..=COUNT as u32 * stride).collect();
                let mut out = vec![0u32; data.len()];
                let kernel = compile_with(
                    "copy",
                    &kernel(index, u64::from(stride)),
                    &options_for(level, Blocks::WholeWarps),
                );
                let words = [address(&mut data), address(&mut out), limit as u64];
                kernel.launch([1, 1, 1], [COUNT as u32, 1, 1], &words);
                for (place, value) in out.iter().enumerate() {
                    let (thread, rest) = (place / stride as usize, place % stride as usize);
                    let copied = rest == 0 && thread < limit;
                    let expected = if copied { data[place] } else { 0 };
                    assert_eq!(*value, expected, "{level:?}, {index}, {stride}, {place}");
                }
            }
        }
    }
}
