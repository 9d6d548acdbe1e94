//! What sm_90 has otherwise than sm_80.

use super::*;

/// The PTX of a listing for sm_90, which the parser takes.
fn lifted(listing: &str) -> String {
    let mut image = image(listing);
    image.encoding = Encoding::Sm90;
    lifted_image(&image)
}

fn has_all(listing: &str, expected: &[&str]) {
    let text = lifted(listing);
    for expected in expected {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

/// The first KiB is the system's, and addresses say which block of the cluster they are of.
#[test]
fn shared_memory_begins_behind_the_systems() {
    let text =
        lifted("S2R R3, SR_CgaCtaId\nMOV R2, 0x400\nLEA R2, R3, R2, 0x18\nSTS [R2+0x4], R3\nEXIT");
    assert!(text.contains("sub.s32 %shared, %shared, 1024;"), "{text}");
    assert!(!text.contains("%cluster_ctarank"), "{text}");
    // A kernel that meets the others of its cluster may reach their memory, but not by an access that is of its own.
    has_all(
        "S2R R3, SR_CgaCtaId\nLEA R2, R3, R2, 0x18\nSTS [R2], R3\nUCGABAR_ARV\nUCGABAR_WAIT\nEXIT",
        &[
            "%cluster_ctarank;",
            ", 16777215;",
            "barrier.cluster.arrive.relaxed;",
            "barrier.cluster.wait;",
        ],
    );
}

/// Immediates are whole numbers here, and not the upper half of one, as for doubles: descriptors of products go on by 2.
#[test]
fn numbers_are_added_to_two_registers() {
    has_all("UIADD3.64 UR20, UR16, 0x2, URZ\nSTG.E [R2.64], R4\nEXIT", &[", 2;", "add.s64"]);
    let text = lifted("UIADD3.64 UR20, UR16, 0x2, URZ\nEXIT");
    assert!(!text.contains("0x200000000"), "{text}");
}

/// ptxas puts a generic address together of SR_SWINHI and an address of shared memory.
#[test]
fn generic_addresses_of_shared_memory_are_told_by_their_upper_half() {
    has_all(
        "S2R R3, SR_SWINHI\nMOV R2, 0x400\nLD.E R4, desc[UR4][R2.64+0x10]\nATOM.E.ADD.STRONG.GPU PT, R5, desc[UR4][R2.64], R4\n\
         QSPC.E.S P0, RZ, [R2]\nEXIT",
        &["setp.eq.u32 ", ", 4294942721;", "cvta.shared.u64 ", "selp.b64 ", "isspacep.shared "],
    );
    // A kernel that makes none does without.
    let text = lifted("LD.E R4, desc[UR4][R2.64+0x10]\nEXIT");
    assert!(!text.contains("cvta.shared"), "{text}");
}

#[test]
fn parameters_and_sizes_lie_elsewhere() {
    has_all(
        "MOV R2, c[0x0][0x210]\nMOV R3, c[0x0][0x218]\nMOV R4, c[0x0][0x48]\nULDC.64 UR4, c[0x0][0x208]\n\
         STG.E desc[UR4][R2.64], R4\nEXIT",
        &["[p0+0]", "[p1+0]", "%envreg2;", "st.global.b32 "],
    );
}

#[test]
fn integers_have_instructions_of_their_own() {
    has_all(
        "VIADD R2, R2, 0xfffffffe\nVIMNMX.U32 R3, R2, 0x7, PT\nVIADDMNMX R4, R2, -R3, RZ, !PT\nVIMNMX.S16x2.RELU R5, R2, R3, PT\n\
         VIADD.16x2 R6, R2, R3\nI2FP.F32.U32.RZ R7, R6\nSTG.E.64 desc[UR4][R2.64], R4\nSTG.E.128 desc[UR4][R2.64], R4\nEXIT",
        &["add.s32 ", "min.u32 ", "max.s32 ", "min.relu.s16x2 ", "add.u16x2 ", "cvt.rz.f32.u32 "],
    );
}

/// FlashMLA copies a row from each lane so; the others of a warp do not do what one has put together for.
#[test]
fn lanes_that_take_turns_all_do_what_a_warp_does_once() {
    let in_turn = lifted(
        "@P3 R2UR P0, UR5, R2\n@P3 R2UR P0, UR6, R4\n@P3 R2UR P0, UR7, R5\nUBLKCP.G.S [UR6], [UR5], UR4\nEXIT",
    );
    assert!(in_turn.contains("%others") && !in_turn.contains("%lanemask_eq"), "{in_turn}");
    has_all(
        "@P3 R2UR UR5, R2\n@P3 R2UR UR6, R4\n@P3 R2UR UR7, R5\nUBLKCP.G.S [UR6], [UR5], UR4\nEXIT",
        &["%others", "%lanemask_eq"],
    );
}

/// What a warp does once is done by the thread that was chosen.
#[test]
fn copies_of_a_warp_are_those_of_the_elected_thread() {
    let text = lifted(
        "PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0\n@P0 ELECT P1, URZ, PT\n@P1 R2UR UR10, R9\n@P1 PLOP3.LUT P0, PT, P1, PT, PT, 0x8, 0x0\n\
         UBLKCP.S.G [UR10], [UR6], UR4\n@P0 BRA.U.ANY 0x10\nEXIT",
    );
    let copy = text.lines().find(|line| line.contains("cp.async.bulk.shared::cluster")).unwrap();
    assert!(copy.trim_start().starts_with('@'), "{text}");
    assert!(text.contains("mov.pred %others, "), "{text}");
    assert!(text.contains("setp.ne.u32 %others, 0, 0;"), "{text}");
}

#[test]
fn barriers_in_shared_memory_are_those_of_ptx() {
    has_all(
        "SYNCS.EXCH.64 URZ, [UR6], UR4\nSYNCS.ARRIVE.TRANS64.A1T0 R2, [R4+URZ], RZ\nSYNCS.ARRIVE.TRANS64 RZ, [R4+URZ], R5\n\
         SYNCS.ARRIVE.TRANS64.RED.A0TR RZ, [R4+URZ], R5\nSYNCS.ARRIVE.TRANS64.OPTOUT.ART0 RZ, [R4+URZ], R5\n\
         SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R4+URZ], R3\n@P0 STG.E.64 desc[UR4][R6.64], R2\nSYNCS.CCTL.IV [R4+URZ]\nEXIT",
        &[
            "mbarrier.init.shared.b64 ",
            "mbarrier.arrive.release.cta.shared::cta.b64 ",
            "mbarrier.pending_count.b64 ",
            "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 ",
            "mbarrier.expect_tx.relaxed.cluster.shared::cta.b64 ",
            "mbarrier.arrive_drop.release.cta.shared::cta.b64 ",
            "mbarrier.try_wait.parity.shared.b64 ",
            "mbarrier.inval.shared.b64 ",
        ],
    );
}

/// Boxes of tensors, whose coordinates lie behind the address and the barrier.
#[test]
fn tensors_are_copied_by_their_maps() {
    has_all(
        "UTMALDG.2D [UR4], [UR8]\nUTMALDG.3D.MULTICAST [UR4], [UR8], UR10, desc[UR12]\nUTMASTG.1D [UR4], [UR8]\n\
         UTMAREDG.2D.ADD [UR4], [UR8]\nUTMACMDFLUSH\nEXIT",
        &[
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [",
            "{%u6, %u7}], [",
            "bytes.multicast::cluster [",
            "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [",
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [",
            "{%u5, %u6}], [",
        ],
    );
}

/// Metadata of all four threads of a row is brought to the two that `wgmma` takes it from.
#[test]
fn sparse_products_gather_metadata() {
    let product = "HGMMA.SP.REGOFFSET.64x8x32.F32 R24, gdesc[UR4], R24, R28, 0x1, gsb0\nEXIT";
    has_all(
        product,
        &[
            "shr.u32 %t10, %r28, 16;",
            "shfl.sync.idx.b32 %t14, %t10, 0, 0x1c1f, -1;",
            "shfl.sync.idx.b32 %t38, %t10, 3, 0x1c1f, -1;",
            "shl.b32 %t44, %t43, 24;",
            "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%r24, %r25, %r26, %r27}, ",
            ", %t45, 0, ",
        ],
    );
    has_all(
        "QGMMA.SP.REGOFFSET.64x8x64.F32.E4M3.E4M3 R24, gdesc[UR4], R24, R28, gsb0\nEXIT",
        &[
            "and.b32 %t12, %t11, 3;",
            "shfl.sync.idx.b32 %t29, %t10, 3, 0x1c1f, -1;",
            "shl.b32 %t32, %t31, 24;",
            "wgmma.mma_async.sp.sync.aligned.m64n8k64.f32.e4m3.e4m3 {%r24, %r25, %r26, %r27}, ",
        ],
    );
}

/// As on an H200: what is above is the lower half of the third operand, or its upper half where that is named.
#[test]
fn narrow_numbers_are_merged_with_others() {
    has_all(
        "F2IP.S8.F32.NTZ R4, R5, R6, R7.H1\nF2IP.S8.F32.NTZ R8, R9, R10, R4\n\
         F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R11, R12, R13, R8.H1\nSTG.E desc[UR4][R2.64], R11\nEXIT",
        &[
            "cvt.rni.s8.f32 %t0, %r6;",
            "cvt.rni.s8.f32 %t3, %r5;",
            "shl.b32 %t6, %t5, 8;",
            "or.b32 %t7, %t2, %t6;",
            "and.b32 %t8, %r7, 0xffff0000;",
            "or.b32 %r4, %t7, %t8;",
            "shl.b32 %t17, %r4, 16;",
            "and.b32 %t19, %r8, 0xffff0000;",
            "or.b32 %r11, %t18, %t19;",
        ],
    );
}

#[test]
fn warp_groups_multiply() {
    has_all(
        "USETMAXREG.TRY_ALLOC.CTAPOOL UP1, 0xe8\nUSETSHMSZ 0x3980\nUSETSHMSZ.FLUSH\nWARPGROUP.ARRIVE\nHGMMA.64x8x16.F32 R24, gdesc[UR4].negA.tnspB, R24, gsb0\nWARPGROUP.DEPBAR.LE gsb0, 0x0\n\
         IGMMA.64x8x32.U8.S8 R24, R28, gdesc[UR4], RZ, !UPT, gsb0\nQGMMA.64x8x32.F16.E5M2.E4M3 R24, -R28, gdesc[UR4], R24, UP1\n\
         STG.E desc[UR4][R2.64], R24\nEXIT",
        &[
            "wgmma.fence.sync.aligned;",
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r24, %r25, %r26, %r27}, ",
            ", -1, 1, 0, 1;",
            "wgmma.wait_group.sync.aligned 0;",
            "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {%r24, ",
            "wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e4m3 {%r24, %r25}, {",
            ", -1, 1;",
        ],
    );
}

/// A collective operation is one that the lanes of a mask do together.
#[test]
fn collective_operations_wait_for_their_lanes() {
    has_all(
        "WARPSYNC.COLLECTIVE R4, 0x30\nSHFL.IDX P0, R2, R3, R5, R6\nENDCOLLECTIVE\nSTG.E desc[UR4][R2.64], R2\nEXIT",
        &["bar.warp.sync %r4;", "shfl.sync.idx.b32 "],
    );
}
