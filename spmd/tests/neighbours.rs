//! Words side by side that each lane accesses one after the other, as items of a thread or fields of a structure: whatever the
//! compiler makes of them does what the accesses do one by one.

mod support;

use splitmix::Random;
use spmd::{Blocks, KernelKind};
use std::fmt::Write;
use support::{address, compile_with, options_for, parse};

const LEVELS: [&str; 3] = ["x86-64-v2", "x86-64-v3", "x86-64-v4"];
const LANES: u64 = 32;
/// The word that lane 0 accesses at number 0.
const BEGIN: i64 = 512;

/// What all lanes do, one after the other, with the words of a lane.
#[derive(Clone, Copy, Debug)]
enum Operation {
    /// Adds a word to the sum, which is doubled before.
    Load(i64),
    /// Stores the sum and a number.
    Store(i64, u32),
    /// As `Load`, by an address of which the compiler does not know that it is the same.
    LoadElsewhere(i64),
}

/// `%tid`'s words are `stride` words apart in memory. Two parameters are the same address.
fn kernel(stride: i64, operations: &[Operation]) -> String {
    let mut text = format!(
        "define void @words() #0 {{
  %p = call ptr addrspace(4) @zluda.params()
  %a = load i64, ptr addrspace(4) %p
  %b.p = getelementptr i8, ptr addrspace(4) %p, i64 8
  %b = load i64, ptr addrspace(4) %b.p
  %tid = call i32 @zluda.tid.x()
  %lane = zext i32 %tid to i64
  %off = mul i64 %lane, {}
  %own = add i64 %a, %off
  %other = add i64 %b, %off
  %sum.0 = add i32 %tid, 7",
        4 * stride
    );
    for (number, operation) in operations.iter().enumerate() {
        let next = number + 1;
        let (base, word) = match *operation {
            Operation::Load(word) | Operation::Store(word, _) => ("own", BEGIN + word),
            Operation::LoadElsewhere(word) => ("other", BEGIN + word),
        };
        let _ = write!(
            text,
            "
  %at.{number} = add i64 %{base}, {}
  %ptr.{number} = inttoptr i64 %at.{number} to ptr addrspace(1)",
            4 * word
        );
        let _ = match operation {
            Operation::Store(_, constant) => write!(
                text,
                "
  %sum.{next} = add i32 %sum.{number}, {constant}
  store i32 %sum.{next}, ptr addrspace(1) %ptr.{number}"
            ),
            _ => write!(
                text,
                "
  %value.{number} = load i32, ptr addrspace(1) %ptr.{number}
  %twice.{number} = shl i32 %sum.{number}, 1
  %sum.{next} = add i32 %twice.{number}, %value.{number}"
            ),
        };
    }
    text + "\n  ret void\n}"
}

/// The same in Rust. No lane stores what another one accesses.
fn expected(stride: i64, operations: &[Operation], memory: &mut [u32]) {
    let mut sums: Vec<u32> = (7..7 + LANES as u32).collect();
    for operation in operations {
        for (lane, sum) in (0..).zip(&mut sums) {
            let place = |word: i64| (BEGIN + lane * stride + word) as usize;
            match *operation {
                Operation::Load(word) | Operation::LoadElsewhere(word) => {
                    *sum = sum.wrapping_mul(2).wrapping_add(memory[place(word)]);
                }
                Operation::Store(word, constant) => {
                    *sum = sum.wrapping_add(constant);
                    memory[place(word)] = *sum;
                }
            }
        }
    }
}

fn check(level: Option<&str>, stride: i64, operations: &[Operation]) {
    let options = options_for(level, Blocks::WholeWarps);
    let kernel = compile_with("words", &kernel(stride, operations), &options);
    let mut memory: Vec<u32> =
        (0..2 * BEGIN as u32).map(|word| word.wrapping_mul(0x9e37)).collect();
    let mut right = memory.clone();
    let data = address(&mut memory);
    kernel.launch([1, 1, 1], [LANES as u32, 1, 1], &[data, data]);
    expected(stride, operations, &mut right);
    assert_eq!(memory, right, "{level:?}, stride {stride}: {operations:?}");
}

#[test]
fn items_of_a_thread() {
    for level in [None, Some("x86-64-v2")] {
        for stride in [4i64, 5, 15, -15] {
            for count in [2, 3, 4, 5, 7, 15].into_iter().filter(|&count| count <= stride.abs()) {
                let loads = (0..count).map(Operation::Load);
                let stores = (0..count).map(|word| Operation::Store(word, 1 << word));
                let operations: Vec<_> = loads.chain(stores).collect();
                check(level, stride, &operations);
                let backwards: Vec<_> = operations.iter().rev().copied().collect();
                check(level, stride, &backwards);
            }
        }
    }
}

#[test]
fn any_order() {
    let mut random = Random::new(20);
    for round in 0..60 {
        let stride: i64 = random.pick(&[1, 2, 3, 4, 6, 9, -3, -8]).unwrap_or(1);
        let stores = random.below(3);
        // What lanes share they only read.
        let words = if stores == 0 { 7 } else { stride.unsigned_abs() as usize };
        let operations: Vec<_> = (0..4 + random.below(20))
            .map(|_| {
                let word = random.below(words) as i64;
                match random.below(4) {
                    0 => Operation::LoadElsewhere(word),
                    kind if kind <= stores => Operation::Store(word, random.bits() as u32),
                    _ => Operation::Load(word),
                }
            })
            .collect();
        check([None, Some("x86-64-v2")][round % 2], stride, &operations);
    }
}

/// Fifteen items of a thread take no access for each lane and item.
#[test]
fn items_are_transposed() {
    for level in LEVELS {
        let loads = (0..15).map(Operation::Load);
        let operations: Vec<_> =
            loads.chain((0..16).map(|word| Operation::Store(word, 1))).collect();
        let context = llvm_zluda::Context::new();
        let module = parse(&context, "words", &kernel(16, &operations));
        let options = options_for(Some(level), Blocks::WholeWarps);
        let lowered =
            spmd::lower(module, KernelKind::Vector, &options).expect("the kernel is supported");
        let text = lowered.print();
        let accesses = |line: &&str| {
            line.contains("call ") && (line.contains("gather") || line.contains("scatter"))
        };
        assert_eq!(text.lines().filter(accesses).count(), 0, "{level}: {text}");
    }
}
