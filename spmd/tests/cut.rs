//! Parts of a long kernel are functions of their own; what they have in common goes through memory.

mod support;

use spmd::{Blocks, KernelKind, Options};
use support::{address, compile_with, options_for, parse};

const THREADS: u32 = 77;
/// Reads of a round, each with some arithmetic.
const READS: u32 = 220;
const ROUNDS: u32 = 3;

/// Code that reads a kernel's parameters, by type and name, and makes two numbers that differ by thread.
fn beginning(parameters: &[(&str, &str)]) -> String {
    let mut text = "  %p = call ptr addrspace(4) @zluda.params()\n".to_owned();
    for (index, (ty, name)) in parameters.iter().enumerate() {
        text += &format!(
            "  %{name}.p = getelementptr i8, ptr addrspace(4) %p, i64 {}
  %{name} = load {ty}, ptr addrspace(4) %{name}.p\n",
            8 * index
        );
    }
    text + "  %tid = call i32 @zluda.tid.x()\n  %early = mul i32 %tid, 40503\n"
}

/// In each round a block with many reads: of values from before the loop, flags, a variable of the thread, a number that
/// all lanes share, and sums of three types that the next round goes on with.
fn kernel() -> String {
    let mut text = "define void @long() #0 {
  %own = alloca [4 x i32], align 4, addrspace(5)
"
    .to_owned();
    text += &beginning(&[("i64", "data"), ("i64", "sums"), ("i64", "doubles"), ("i32", "factor")]);
    text += "  %wide = zext i32 %tid to i64
  %bytes = shl i64 %wide, 2
  %start = add i64 %data, %bytes
  br label %round
round:
  %r = phi i32 [ 0, %0 ], [ %r.next, %round ]
  %s0 = phi i32 [ 1, %0 ], [ %last, %round ]
  %d = phi double [ 0.0, %0 ], [ %d.next, %round ]
  %sign = and i32 %s0, 1
  %odd = icmp eq i32 %sign, 1
";
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
    let lowered =
        spmd::lower(module, KernelKind::Vector, &options_for(Some("x86-64-v3"), Blocks::Any))
            .expect("the kernel is supported");
    let text = lowered.print();
    let sections = text.matches("define internal void @spmd.part.").count();
    assert!(sections > 1, "{text}");
    assert_eq!(text.matches("call void @spmd.part.").count(), sections, "{text}");
    // Numbers that lanes share are not stored as vectors.
    assert!(!text.contains("store <32 x i32> %factor"), "{text}");
}

const LOOPS: u32 = 48;
/// So many that the function is cut again, and that what all regions are handed is more than a stack should hold.
const MANY_LOOPS: u32 = 300;
/// Numbers from before the loops that these take in turn.
const EARLY: u32 = 24;
const TIMES: u32 = 3;

/// In each round many small loops, of which some are for odd numbers only: no block is long. What loops give goes on to the
/// next ones, and to the next round.
fn kernel_of_many_blocks(loops: u32) -> String {
    let mut text = "define void @many() #0 {\n".to_owned();
    text += &beginning(&[("i64", "sums"), ("i32", "times")]);
    text += "  %wide = zext i32 %tid to i64\n  %early.wide = zext i32 %early to i64\n";
    for number in 0..EARLY {
        text += &format!("  %early{number} = xor i64 %early.wide, {number}\n");
    }
    text += "  br label %round
round:
  %r = phi i32 [ 0, %0 ], [ %r.next, %latch ]
  %s0 = phi i64 [ %wide, %0 ], [ %last, %latch ]
  br label %begin0\n";
    for number in 0..loops {
        let next = number + 1;
        text += &format!(
            "begin{number}:
  %odd{number} = and i64 %s{number}, 1
  %is{number} = icmp eq i64 %odd{number}, 1
  br i1 %is{number}, label %loop{number}, label %begin{next}.phi
loop{number}:
  %i{number} = phi i32 [ 0, %begin{number} ], [ %i{number}.next, %loop{number} ]
  %t{number} = phi i64 [ %s{number}, %begin{number} ], [ %x{number}, %loop{number} ]
  %a{number} = mul i64 %t{number}, {}
  %b{number} = xor i64 %a{number}, %early{}
  %c{number} = lshr i64 %b{number}, 7
  %d{number} = add i64 %b{number}, %c{number}
  %i{number}.wide = zext i32 %i{number} to i64
  %x{number} = add i64 %d{number}, %i{number}.wide
  %i{number}.next = add i32 %i{number}, 1
  %more{number} = icmp ult i32 %i{number}.next, %times
  br i1 %more{number}, label %loop{number}, label %begin{next}.phi
begin{next}.phi:
  %s{next} = phi i64 [ %s{number}, %begin{number} ], [ %x{number}, %loop{number} ]
  br label %begin{next}\n",
            multiplier(number),
            number % EARLY
        );
    }
    text += &format!(
        "begin{loops}:
  %last = add i64 %s{loops}, 12345
  br label %latch
latch:
  %r.next = add i32 %r, 1
  %again = icmp ult i32 %r.next, {ROUNDS}
  br i1 %again, label %round, label %done
done:
  %bytes = shl i64 %wide, 3
  %to = add i64 %sums, %bytes
  %to.p = inttoptr i64 %to to ptr addrspace(1)
  store i64 %last, ptr addrspace(1) %to.p
  ret void
}}"
    );
    text
}

fn multiplier(number: u32) -> u32 {
    number * 2 + 3
}

/// What the threads of that kernel sum up.
fn sums_of_many_blocks(loops: u32) -> Vec<u64> {
    let sum_of = |thread: u32| {
        let early = u64::from(thread.wrapping_mul(40503));
        let mut sum = u64::from(thread);
        for _ in 0..ROUNDS {
            for number in 0..loops {
                if sum & 1 == 1 {
                    for turn in 0..TIMES {
                        let mixed = sum.wrapping_mul(multiplier(number).into())
                            ^ early
                            ^ u64::from(number % EARLY);
                        sum = mixed.wrapping_add(mixed >> 7).wrapping_add(turn.into());
                    }
                }
            }
            sum = sum.wrapping_add(12345);
        }
        sum
    };
    (0..THREADS).map(sum_of).collect()
}

fn compute_what_the_blocks_do(loops: u32, level: Option<&str>) {
    let text = kernel_of_many_blocks(loops);
    let options = Options { verify: loops == LOOPS, ..options_for(level, Blocks::Any) };
    let kernel = compile_with("many", &text, &options);
    let mut got = vec![0u64; THREADS as usize];
    kernel.launch([1, 1, 1], [THREADS, 1, 1], &[address(&mut got), TIMES.into()]);
    assert_eq!(got, sums_of_many_blocks(loops), "{level:?}");
}

#[test]
fn regions_compute_what_the_blocks_do() {
    for level in [None, Some("x86-64-v2")] {
        compute_what_the_blocks_do(LOOPS, level);
    }
}

#[test]
fn regions_of_a_huge_function_compute_what_its_blocks_do() {
    compute_what_the_blocks_do(MANY_LOOPS, None);
}

/// The number of blocks of each function, and whether it is a part of another one.
fn blocks_of_functions(loops: u32) -> Vec<(bool, usize)> {
    let context = llvm_zluda::Context::new();
    let module = parse(&context, "many", &kernel_of_many_blocks(loops));
    let options = options_for(Some("x86-64-v3"), Blocks::Any);
    // The check of each pass takes longer than all passes.
    let options = Options { verify: false, ..options };
    let lowered =
        spmd::lower(module, KernelKind::Vector, &options).expect("the kernel is supported");
    let functions = lowered.functions().into_iter();
    functions
        .filter(|function| !function.is_declaration())
        .map(|it| (it.name().starts_with("spmd.part."), it.blocks().len()))
        .collect()
}

#[test]
fn many_blocks_are_cut() {
    let blocks = blocks_of_functions(LOOPS);
    let parts: Vec<_> = blocks.iter().filter(|(is_part, _)| *is_part).collect();
    assert!(parts.len() > 1 && parts.iter().all(|(_, count)| *count > 5), "{blocks:?}");
}

/// One thread generates code for all that is left.
#[test]
fn nothing_long_is_left_of_a_huge_function() {
    let blocks = blocks_of_functions(MANY_LOOPS);
    let longest = blocks.iter().map(|(_, count)| *count).max();
    assert!(longest < Some(MANY_LOOPS as usize / 2), "{blocks:?}");
}
