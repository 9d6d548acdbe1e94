//! Long functions in which values and lanes of many branches meet: what clears their slots stands near the branches.

// Tests may.
#![allow(clippy::unwrap_used)]

mod support;

use llvm_zluda::{Context, Opcode};
use spmd::{Blocks, KernelKind};
use support::{options, parse};

/// Branches in a row, of which lanes take both sides; their values meet.
fn kernel(branches: u32) -> String {
    let mut text = "define void @branches() #0 {
  %p = call ptr addrspace(4) @zluda.params()
  %to = load i64, ptr addrspace(4) %p
  %x0 = call i32 @zluda.tid.x()
  br label %from0
from0:
"
    .to_owned();
    for branch in 0..branches {
        let next = branch + 1;
        text += &format!(
            "  %c{branch} = icmp ult i32 %x{branch}, {next}
  br i1 %c{branch}, label %yes{branch}, label %no{branch}
yes{branch}:
  %y{branch} = mul i32 %x{branch}, 3
  br label %from{next}
no{branch}:
  %n{branch} = xor i32 %x{branch}, 1000
  br label %from{next}
from{next}:
  %x{next} = phi i32 [ %y{branch}, %yes{branch} ], [ %n{branch}, %no{branch} ]\n"
        );
    }
    text + &format!(
        "  %at = inttoptr i64 %to to ptr addrspace(1)
  store i32 %x{branches}, ptr addrspace(1) %at
  ret void
}}"
    )
}

/// The most stores in one block of a warp's code, behind the vectoriser.
fn most_stores(branches: u32) -> usize {
    let context = Context::new();
    let module = parse(&context, "branches", &kernel(branches));
    let options = options(Blocks::WholeWarps);
    let module = spmd::run_pass("vectorize", module, KernelKind::Vector, &options).unwrap();
    let functions = module.functions();
    let blocks = functions.into_iter().flat_map(|function| function.blocks());
    let stores = blocks.map(|block| {
        let instructions = block.instructions();
        instructions.iter().filter(|it| it.opcode() == Opcode::LLVMStore).count()
    });
    stores.max().unwrap()
}

/// LLVM's `sroa` walks over all that a store to a slot dominates: were each cleared at the function's beginning, it would take the
/// square of the number of branches.
#[test]
fn no_block_clears_the_slots_of_the_whole_function() {
    let few = most_stores(4);
    assert!(few > 1, "{few}");
    assert_eq!(most_stores(64), few);
}
