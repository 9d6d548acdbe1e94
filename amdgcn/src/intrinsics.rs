//! The table of the functions that this target has besides per-thread IR's intrinsics: in its prelude, in its device
//! library, and between passes. Nobody else knows of them.

use simt::intrinsics::Effects::{self, *};
use simt::intrinsics::Participants::{self, Block, Cluster, Present};
use simt::intrinsics::Uniformity::{self, Arguments};
use simt::intrinsics::{Intrinsic, Private};

const THREAD: Participants = Participants::Thread;
const EACH: Uniformity = Uniformity::Thread;
const SAME_IN_BLOCK: Uniformity = Uniformity::Block;
const SAME_IN_WARP: Uniformity = Uniformity::Warp;

/// Functions of AMD GPUs.
pub const OWN: Private = Private(ROWS);

const fn row(
    names: &'static str,
    signature: &'static str,
    effects: Effects,
    participants: Participants,
    uniformity: Uniformity,
    meaning: &'static str,
) -> Intrinsic {
    Intrinsic::new(names, signature, effects, participants, uniformity, meaning)
}

#[rustfmt::skip]
static ROWS: &[Intrinsic] = &[
    // Lanes of a wave, and of the warp of theirs that a wave of 64 has two of.
    row("amd.{lane,wave_lane}", "i32 ()", Pure, THREAD, EACH,
        "the number of the lane in its warp, in its wave"),
    row("amd.first_lane", "i32 ()", Pure, THREAD, SAME_IN_WARP,
        "the number in the wave of the warp's first lane"),
    row("amd.linear_tid", "i32 ()", Pure, THREAD, EACH,
        "the number of the thread in its block"),
    row("amd.ballot", "i32 (i1)", Momentary, Present, SAME_IN_WARP,
        "the lanes of the warp that are here and say so"),
    row("amd.wave_ballot", "i64 (i1)", Momentary, Present, SAME_IN_WARP,
        "the same of the wave"),
    row("amd.wave_mask", "i64 ()", Momentary, Present, SAME_IN_WARP,
        "the lanes of the wave that are here"),
    row("amd.own_half", "i32 (i64 lanes)", Pure, THREAD, EACH,
        "of lanes of the wave those of the warp"),
    row("amd.read_lane", "i32 (i32 value, i32 lane)", Pure, Present, EACH,
        "what a lane of the warp has"),
    row("amd.shfl", "{i32, i1} (i32 value, i32 lane, i32 source, i1 inside)", Pure, Present, EACH,
        "what all of `shfl` have in common"),
    row("amd.shfl.max", "i32 (i32 lane, i32 c)", Pure, THREAD, EACH,
        "the last lane of the lane's segment"),
    row("amd.hidden", "i32 (i32)", Momentary, Present, EACH,
        "its argument; LLVM may neither know that nor move it"),

    // Blocks, and what the launch says.
    row("amd.{block_count,block_size}", "i32 (i64 offset)", Pure, THREAD, SAME_IN_BLOCK,
        "a word of the implicit arguments"),
    row("amd.services", "ptr addrspace(1) ()", AccessesMemory, THREAD, SAME_IN_BLOCK,
        "`amd_abi::services`; null where the launch has none"),
    row("amd.cluster_launch", "ptr addrspace(4) ()", Pure, THREAD, SAME_IN_BLOCK,
        "`amd_abi::cluster_launch`"),
    row("amd.cluster.blocks", "i32 ()", Pure, THREAD, SAME_IN_BLOCK,
        "blocks of the cluster"),

    // Addresses.
    row("amd.shared_place", "ptr (i32 address)", Pure, THREAD, Arguments,
        "the memory at an address in shared memory"),
    row("amd.own_address", "i32 (i32 offset)", Pure, THREAD, SAME_IN_BLOCK,
        "the address of an offset in the block's shared memory"),
    row("amd.cluster.place", "i64 (i64 place, i32 rank)", Pure, THREAD, Arguments,
        "the same place of another block's shared memory"),
    row("amd.window.own", "i32 ()", Pure, THREAD, SAME_IN_BLOCK,
        "the address of the block's window"),
    row("amd.window.address", "i32 (ptr)", Pure, THREAD, Arguments,
        "the address in shared memory of a place in a window"),
    row("amd.window.place", "ptr addrspace(1) (i32 address)", Pure, THREAD, Arguments,
        "the place in a window of an address in shared memory"),

    // Barriers in memory, and those of clusters.
    row("amd.barrier.{begin,leave}", "void ()", OrdersMemory, Block, EACH,
        "called where threads begin and end"),
    row("amd.barrier.is_over", "i32 (i64 ticket)", OrdersMemory, THREAD, EACH,
        "whether the phase of `barrier.come` is over"),
    row("amd.barrier.result", "i64 (i64 ticket)", AccessesMemory, THREAD, EACH,
        "how many predicates were true in that phase, and in the high half how many were not"),
    row("amd.cluster.{begin,arrive,leave}", "void ()", OrdersMemory, Cluster, EACH,
        "where threads begin, arrive and end"),
    row("amd.software.*", "*", OrdersMemory, Block, EACH,
        "stands in for the barrier of the rest of its name"),
    row("amd.in_cluster.amd.*", "...", AccessesMemory, THREAD, EACH,
        "stands in for the function of the rest of its name in launches in clusters"),
    row("amd.in_cluster.*", "*", AccessesMemory, THREAD, EACH,
        "the same of intrinsics"),

    // The end.
    row("amd.end_waiting", "void (i32 round)", World, Present, EACH,
        "in loops that wait: ends the wave if the grid has an error"),
    row("amd.set_error", "void (i32 error)", World, THREAD, EACH,
        "the launch's error, if it has none yet"),
    row("amd.stop", "void (i32 error)", EndsGrid, THREAD, EACH,
        "the same, and the end of the wave"),
    row("amd.record_begin", "i32 (ptr record, i64 bytes)", World, THREAD, EACH,
        "room in the ring that the host reads"),

    // Operations that are numbers.
    row("matrix.*", "...", AccessesMemory, Present, EACH,
        "`matrix` whose operation is a part of the name"),
    row("texture.*", "...", AccessesMemory, THREAD, EACH,
        "`texture` whose operation is a part of the name"),
    row("amd.matrix.{load,store,transpose,multiply,doubles,quad_pairs,warp_group,tile,rdna3,rdna4,cdna2,cdna3}",
        "void (i64 operation, ptr in, ptr out)", AccessesMemory, Present, EACH,
        "the code of all operations of a kind"),
    row("amd.texture.{look_up,query,is_type,surface}",
        "void (i64 operation, ptr in, ptr out)", AccessesMemory, THREAD, EACH,
        "the same of textures"),
    row("amd.texture.sample", "...", AccessesMemory, THREAD, EACH,
        "all look-ups as one function, of the operation and 20 words"),
    row("texture_part.{texel,border,block,average,slope,cube_slope,number,srgb}", "...", AccessesMemory, THREAD, EACH,
        "parts of look-ups"),

    // Accesses of 128 bits.
    row("amd.wide.load", "<2 x i64> (ptr)", AccessesMemory, Present, EACH,
        ""),
    row("amd.wide.store", "void (ptr, <2 x i64> value)", AccessesMemory, Present, EACH,
        ""),
    row("amd.wide.exchange", "<2 x i64> (ptr, <2 x i64> value)", AccessesMemory, Present, EACH,
        ""),
    row("amd.wide.compare", "<2 x i64> (ptr, <2 x i64> compare, <2 x i64> value)", AccessesMemory, Present, EACH,
        ""),

    // Arithmetic.
    row("amd.{turns,sin,cos}", "float (float)", Pure, THREAD, Arguments,
        "what approximations have in common"),
    row("amd.div.approx.f32", "float (float, float)", Pure, THREAD, Arguments,
        "the same"),
    row("amd.div.far", "float (float, float, float quotient)", Pure, THREAD, Arguments,
        "the quotient where the divisor is far from 1"),
    row("amd.{high_word,high_result}", "double (double)", Pure, THREAD, Arguments,
        "the high word, as approximations of `.f64` take and give it"),
];

#[cfg(test)]
mod tests {
    use amdgcn_library::{FILES, PRELUDE32, PRELUDE64, READY_MADE};
    use llvm_zluda::{Context, Module};
    use simt::intrinsics::verify_definitions;

    use super::*;

    fn check(name: &str, bitcode: &'static [u8]) {
        let context = Context::new();
        let module = Module::read_bitcode(&context, name, bitcode).expect("bitcode");
        assert_eq!(verify_definitions(&module, OWN), Ok(()), "{name}");
    }

    /// `ZLUDA_BLESS=1` writes it.
    #[test]
    fn the_header_is_that_of_the_table() {
        const HEADER: &str = "library/intrinsics_amd.h";
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(HEADER);
        let wanted = format!(
            "// The functions of amdgcn/src/intrinsics.rs: `ZLUDA_BLESS=1 cargo test -p amdgcn` writes this file.\n\n\
             #pragma once\n\n{}",
            simt::intrinsics::c_header(ROWS)
        );
        if std::env::var_os("ZLUDA_BLESS").is_some() {
            std::fs::write(&path, wanted).expect(HEADER);
        } else {
            let found = std::fs::read_to_string(&path).expect(HEADER);
            assert!(found == wanted, "`ZLUDA_BLESS=1 cargo test -p amdgcn` writes {HEADER}");
        }
    }

    /// The declarations and the definitions in the library's C files and headers.
    #[test]
    fn the_library_is_as_the_tables_have_it() {
        for (number, file) in FILES.iter().enumerate() {
            check(&format!("file {number}"), file.bitcode);
        }
        check("prelude of 32 lanes", PRELUDE32.bitcode);
        check("prelude of 64 lanes", PRELUDE64.bitcode);
        for family in READY_MADE {
            check(family.processor, family.stubs);
        }
    }
}
