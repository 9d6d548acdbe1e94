//! Long blocks of a kernel are functions of their own; what they have in common goes through memory.

mod support;

use spmd::{Blocks, Form, KernelKind};
use support::{address, compile_with, options_for, parse};

const THREADS: u32 = 77;
/// Reads of a round, each with some arithmetic.
const READS: u32 = 220;
const ROUNDS: u32 = 3;

/// In each round a block with many reads: of values from before the loop, flags, a variable of the thread, a number that
/// all lanes share, and sums of three types that the next round goes on with.
fn kernel() -> String {
    let mut text = "define void @long() #0 {
  %own = alloca [4 x i32], align 4, addrspace(5)
  %p = call ptr addrspace(4) @zluda.params()
  %data = load i64, ptr addrspace(4) %p
  %sums.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %sums = load i64, ptr addrspace(4) %sums.p
  %doubles.p = getelementptr i8, ptr addrspace(4) %p, i64 16
  %doubles = load i64, ptr addrspace(4) %doubles.p
  %factor.p = getelementptr i8, ptr addrspace(4) %p, i64 24
  %factor = load i32, ptr addrspace(4) %factor.p
  %tid = call i32 @zluda.tid.x()
  %early = mul i32 %tid, 40503
  %wide = zext i32 %tid to i64
  %bytes = shl i64 %wide, 2
  %start = add i64 %data, %bytes
  br label %round
round:
  %r = phi i32 [ 0, %0 ], [ %r.next, %round ]
  %s0 = phi i32 [ 1, %0 ], [ %last, %round ]
  %d = phi double [ 0.0, %0 ], [ %d.next, %round ]
  %sign = and i32 %s0, 1
  %odd = icmp eq i32 %sign, 1
"
    .to_owned();
    for read in 0..READS {
        let next = read + 1;
        text += &format!(
            "  %a{read} = add i64 %start, {}
  %p{read} = inttoptr i64 %a{read} to ptr addrspace(1)
  %x{read} = load i32, ptr addrspace(1) %p{read}
  %m{read} = mul i32 %s{read}, %factor
  %s{next} = add i32 %m{read}, %x{read}\n",
            read * THREADS * 4
        );
    }
    text += &format!(
        "  %at = and i32 %s{READS}, 3
  %slot = getelementptr [4 x i32], ptr addrspace(5) %own, i32 0, i32 %at
  store i32 %early, ptr addrspace(5) %slot
  %kept = load i32, ptr addrspace(5) %slot
  %changed = xor i32 %s{READS}, %kept
  %last = select i1 %odd, i32 %changed, i32 %s{READS}
  %real = uitofp i32 %last to double
  %d.next = fadd double %d, %real
  %r.next = add i32 %r, 1
  %more = icmp ult i32 %r.next, {ROUNDS}
  br i1 %more, label %round, label %done
done:
  %to = add i64 %sums, %bytes
  %to.p = inttoptr i64 %to to ptr addrspace(1)
  store i32 %last, ptr addrspace(1) %to.p
  %bytes.d = shl i64 %wide, 3
  %to.d = add i64 %doubles, %bytes.d
  %to.dp = inttoptr i64 %to.d to ptr addrspace(1)
  store double %d.next, ptr addrspace(1) %to.dp
  ret void
}}"
    );
    text
}

#[test]
fn sections_compute_what_the_block_does() {
    const FACTOR: u32 = 2_654_435_761;
    let mut data: Vec<u32> = (0..READS * THREADS).map(|i| i.wrapping_mul(2_246_822_519)).collect();
    let (sums, doubles): (Vec<_>, Vec<_>) = (0..THREADS)
        .map(|thread| {
            let (mut sum, mut double) = (1u32, 0f64);
            for _ in 0..ROUNDS {
                let odd = sum & 1 == 1;
                for read in 0..READS {
                    let value = data[(thread + read * THREADS) as usize];
                    sum = sum.wrapping_mul(FACTOR).wrapping_add(value);
                }
                sum = if odd { sum ^ thread.wrapping_mul(40503) } else { sum };
                double += f64::from(sum);
            }
            (sum, double)
        })
        .unzip();
    for level in [None, Some("x86-64-v2")] {
        let kernel = compile_with("long", &kernel(), &options_for(level, Blocks::Any));
        let mut got = (vec![0u32; THREADS as usize], vec![0f64; THREADS as usize]);
        let outputs = [address(&mut got.0), address(&mut got.1)];
        let params = [address(&mut data), outputs[0], outputs[1], FACTOR.into()];
        kernel.launch([1, 1, 1], [THREADS, 1, 1], &params);
        assert_eq!(got.0, sums, "{level:?}");
        assert_eq!(got.1, doubles, "{level:?}");
    }
}

#[test]
fn long_blocks_are_cut() {
    let context = llvm_zluda::Context::new();
    let module = parse(&context, "long", &kernel());
    let lowered = spmd::lower(
        module,
        KernelKind::Vector,
        &options_for(Some("x86-64-v3"), Blocks::Any),
        Form::Lowered,
    )
    .expect("the kernel is supported");
    let text = lowered.print();
    let sections = text.matches("define internal void @spmd.section.").count();
    assert!(sections > 1, "{text}");
    assert_eq!(text.matches("call void @spmd.section.").count(), sections, "{text}");
    // Numbers that lanes share are not stored as vectors.
    assert!(!text.contains("store <32 x i32> %factor"), "{text}");
}
