//! Small programs, assembled in this process. What they have to leave is computed by hand from AMD's ISA manuals.

use llvm_zluda::{CodeGenOptLevel, Context, Module, TargetMachine};
use object::{Object, ObjectSection};

use super::Stop;
use super::group::Local;
use super::interpreter::{self, Pause};
use super::wave::Wave;
use crate::arch::Arch;
use crate::decode::{Named, Program, decode};

/// Machine code of a text, through LLVM's assembler.
fn assemble(gfx: &str, text: &str) -> Vec<u8> {
    let triple = "amdgcn-amd-amdhsa";
    let lines: String =
        text.lines().map(|line| format!("module asm \"{}\"\n", line.trim())).collect();
    let context = Context::new();
    let module = Module::parse(&context, "test", &lines).unwrap();
    let machine =
        TargetMachine::new(triple, gfx, "", CodeGenOptLevel::LLVMCodeGenLevelDefault).unwrap();
    module.set_triple(triple);
    module.set_data_layout(&machine.data_layout());
    let bytes = machine.emit_object(&module).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    file.section_by_name(".text").unwrap().data().unwrap().to_vec()
}

struct Bench {
    wave: Wave,
    local: Local,
    program: Program,
}

impl Bench {
    /// A wave with all lanes active, `v0` the lane's number, and 64 bytes of scratch memory a lane.
    fn new(gfx: &str, text: &str) -> Bench {
        let arch = Arch::parse(gfx).unwrap();
        let code = assemble(gfx, &format!("{text}\ns_endpgm"));
        let code: &'static [u8] = code.leak();
        let program = decode(&arch, code, code.as_ptr() as u64).unwrap();
        let mut wave = Wave::new(arch.lanes, program.registers.max(32), 0);
        wave.set_exec(if arch.lanes == 64 { u64::MAX } else { u32::MAX.into() });
        for lane in 0..arch.lanes {
            wave.set_lane32(0, lane, lane as u32);
        }
        wave.private_size = 64;
        wave.private = vec![0u128; 4 * arch.lanes].leak().as_ptr() as usize;
        Bench { wave, local: Local::new(1024), program }
    }

    fn run(&mut self) -> Result<(), Stop> {
        let mut at = 0;
        let pause = interpreter::run(&mut self.wave, &self.local, &self.program, 10_000, &mut at)?;
        assert_eq!(pause, Pause::End);
        Ok(())
    }

    fn row(&self, register: u16) -> Vec<u32> {
        (0..self.wave.lanes).map(|lane| self.wave.lane32(register, lane)).collect()
    }
}

/// Runs a program on every architecture; returns the wave.
fn run(gfx: &str, text: &str) -> Bench {
    let mut bench = Bench::new(gfx, text);
    bench.run().unwrap_or_else(|stop| panic!("{gfx}: {stop:?}"));
    bench
}

/// Asserts that `v1` holds the value of a rule in each lane.
fn expect(gfx: &str, text: &str, rule: impl Fn(usize) -> u32) {
    let bench = run(gfx, text);
    let wanted: Vec<u32> = (0..bench.wave.lanes).map(rule).collect();
    assert_eq!(bench.row(1), wanted, "{gfx}: {text}");
}

#[test]
fn lanes_that_are_not_active_keep_what_they_have() {
    for (gfx, exec) in [("gfx1100", "s_mov_b32 exec_lo, 0xf0"), ("gfx942", "s_mov_b64 exec, 0xf0")]
    {
        let text = format!("v_mov_b32 v1, 7\n{exec}\nv_add_u32_e64 v1, v0, 64");
        let text =
            if gfx == "gfx1100" { text.replace("v_add_u32_e64", "v_add_nc_u32_e64") } else { text };
        expect(gfx, &text, |lane| if (4..8).contains(&lane) { lane as u32 + 64 } else { 7 });
    }
}

#[test]
fn masks_have_a_bit_a_lane() {
    let bench = run("gfx1100", "v_cmp_gt_u32_e64 s4, 5, v0\nv_cndmask_b32_e64 v1, 1, 2, s4");
    assert_eq!(bench.wave.scalar32(4), 0x1f);
    assert_eq!(bench.row(1)[4..6], [2, 1]);
    let bench = run("gfx942", "v_cmp_lt_u32_e64 s[4:5], 60, v0");
    assert_eq!(bench.wave.scalar64(4), 0xe000_0000_0000_0000);
    // Those that are not active have none.
    let bench = run("gfx1100", "s_mov_b32 exec_lo, 6\nv_cmp_eq_u32_e32 vcc_lo, v0, v0");
    assert_eq!(bench.wave.scalar32(106), 6);
    // `v_cmpx` of GFX9 writes both.
    let bench = run("gfx942", "v_cmpx_lt_u32_e64 s[4:5], 61, v0");
    assert_eq!((bench.wave.exec(), bench.wave.scalar64(4)), (3 << 62, 3 << 62));
}

#[test]
fn exec_is_saved_and_combined() {
    let text = "s_mov_b32 exec_lo, 0xff\ns_mov_b32 s2, 0x3c\ns_and_saveexec_b32 s3, s2";
    let bench = run("gfx1100", text);
    assert_eq!((bench.wave.scalar32(3), bench.wave.exec(), bench.wave.scc), (0xff, 0x3c, true));
    let text = "s_mov_b64 s[2:3], 0\ns_and_saveexec_b64 s[4:5], s[2:3]";
    let bench = run("gfx942", text);
    assert_eq!((bench.wave.scalar64(4), bench.wave.exec(), bench.wave.scc), (u64::MAX, 0, false));
}

#[test]
fn code_jumps_calls_and_returns() {
    let text = "s_getpc_b64 s[2:3]
        s_add_u32 s2, s2, 20
        s_addc_u32 s3, s3, 0
        s_swappc_b64 s[30:31], s[2:3]
        s_movk_i32 s4, 0x11
        s_branch 2
        s_movk_i32 s5, 0x22
        s_setpc_b64 s[30:31]
        s_nop 0";
    for gfx in ["gfx1100", "gfx942"] {
        let bench = run(gfx, text);
        assert_eq!((bench.wave.scalar32(4), bench.wave.scalar32(5)), (0x11, 0x22));
    }
    let text = "s_mov_b32 s0, 10\ns_mov_b32 s1, 0
        s_add_u32 s1, s1, s0\ns_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 -4";
    assert_eq!(run("gfx1100", text).wave.scalar32(1), 55);
}

#[test]
fn sources_come_from_other_lanes() {
    let of = |control: &str| format!("v_mov_b32 v1, 99\ns_nop 1\nv_mov_b32_dpp v1, v0 {control}");
    let all = "row_mask:0xf bank_mask:0xf";
    let dpp = |gfx: &str, control: &str, rule: &dyn Fn(usize) -> u32| {
        expect(gfx, &of(&format!("{control} {all}")), rule);
    };
    for gfx in ["gfx1100", "gfx942"] {
        dpp(gfx, "quad_perm:[3,2,1,0]", &|lane| (lane ^ 3) as u32);
        dpp(gfx, "row_shl:1", &|lane| if lane % 16 == 15 { 99 } else { lane as u32 + 1 });
        dpp(gfx, "row_shr:2", &|lane| if lane % 16 < 2 { 99 } else { lane as u32 - 2 });
        dpp(gfx, "row_ror:4", &|lane| (lane & !15 | (lane + 12) & 15) as u32);
        dpp(gfx, "row_mirror", &|lane| (lane ^ 15) as u32);
        dpp(gfx, "row_half_mirror", &|lane| (lane ^ 7) as u32);
    }
    dpp("gfx1100", "row_share:5", &|lane| (lane & 16) as u32 + 5);
    dpp("gfx1100", "row_xmask:6", &|lane| (lane ^ 6) as u32);
    dpp("gfx942", "row_newbcast:5", &|lane| (lane & 48) as u32 + 5);
    dpp("gfx942", "row_bcast:15", &|lane| if lane < 16 { 99 } else { (lane & 48) as u32 - 1 });
    dpp("gfx942", "row_bcast:31", &|lane| if lane < 32 { 99 } else { 31 });
    expect("gfx1100", &of("dpp8:[7,6,5,4,3,2,1,0]"), |lane| (lane ^ 7) as u32);
    // Zero instead of nothing; rows and banks that are left out.
    expect("gfx1100", &of("row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1"), |lane| {
        if lane % 16 == 15 { 0 } else { lane as u32 + 1 }
    });
    expect("gfx1100", &of("row_share:0 row_mask:0x2 bank_mask:0x1"), |lane| {
        if (16..20).contains(&lane) { 16 } else { 99 }
    });
    // What is not active is no source, unless it is asked for.
    let of = |control: &str| {
        format!("v_mov_b32 v1, 99\ns_mov_b32 exec_lo, 0xe\nv_mov_b32_dpp v1, v0 {control} {all}")
    };
    let active = |lane: usize| (1..4).contains(&lane);
    expect("gfx1100", &of("row_share:0"), |_| 99);
    expect("gfx1100", &of("row_share:2"), |lane| if active(lane) { 2 } else { 99 });
    expect(
        "gfx1100",
        &format!("{} fi:1", of("row_share:5")),
        |lane| if active(lane) { 5 } else { 99 },
    );
}

#[test]
fn rows_are_permuted() {
    let lanes = "s_mov_b32 s2, 0x76543210\ns_mov_b32 s3, 0xfedcba98";
    expect("gfx1100", &format!("{lanes}\nv_permlanex16_b32 v1, v0, s2, s3"), |lane| {
        (lane ^ 16) as u32
    });
    expect("gfx1100", &format!("{lanes}\nv_permlane16_b32 v1, v0, s3, s2"), |lane| {
        (lane ^ 8) as u32
    });
}

#[test]
fn lanes_and_scalars_are_exchanged() {
    let text = "s_mov_b32 exec_lo, 0xfff0\nv_readfirstlane_b32 s2, v0\nv_readlane_b32 s3, v0, 31
        v_mov_b32 v1, 0\nv_writelane_b32 v1, s3, 2";
    let bench = run("gfx1100", text);
    assert_eq!((bench.wave.scalar32(2), bench.wave.scalar32(3), bench.row(1)[2]), (4, 31, 31));
}

#[test]
fn the_lds_unit_moves_values_between_lanes() {
    let address = "v_lshlrev_b32 v2, 2, v0\nv_xor_b32 v2, 4, v2";
    for gfx in ["gfx1100", "gfx942"] {
        expect(gfx, &format!("{address}\nds_bpermute_b32 v1, v2, v0"), |lane| (lane ^ 1) as u32);
        expect(gfx, &format!("{address}\nds_permute_b32 v1, v2, v0"), |lane| (lane ^ 1) as u32);
        expect(gfx, "ds_swizzle_b32 v1, v0 offset:swizzle(QUAD_PERM,1,0,3,2)", |lane| {
            (lane ^ 1) as u32
        });
        expect(gfx, "ds_swizzle_b32 v1, v0 offset:swizzle(SWAP,16)", |lane| (lane ^ 16) as u32);
        expect(gfx, "ds_swizzle_b32 v1, v0 offset:swizzle(BROADCAST,8,3)", |lane| {
            (lane & !7) as u32 + 3
        });
        expect(gfx, "ds_swizzle_b32 v1, v0 offset:swizzle(REVERSE,8)", |lane| (lane ^ 7) as u32);
    }
    // Lanes that are not active give zero.
    expect(
        "gfx1100",
        "v_mov_b32 v1, 9\nv_mov_b32 v2, 0\ns_mov_b32 exec_lo, 2\nds_bpermute_b32 v1, v2, v0",
        |lane| {
            if lane == 1 { 0 } else { 9 }
        },
    );
}

#[test]
fn lds_holds_what_is_stored() {
    let store = "v_lshlrev_b32 v2, 3, v0\nv_mov_b32 v3, 5\nds_store_2addr_b32 v2, v0, v3 offset1:1";
    expect("gfx1100", &format!("{store}\nds_load_b64 v[1:2], v2"), |lane| lane as u32);
    expect("gfx1100", &format!("{store}\nds_load_b32 v1, v2 offset:4"), |_| 5);
    expect("gfx1100", &format!("{store}\nds_load_u8 v1, v2 offset:4"), |_| 5);
    // Generic addresses reach it too.
    let generic = "s_mov_b64 s[2:3], src_shared_base\nv_mov_b32 v3, s3\nflat_load_b32 v1, v[2:3]";
    expect("gfx1100", &format!("{store}\n{generic}"), |lane| lane as u32);
    let mut bench = Bench::new("gfx1100", "v_mov_b32 v2, 0x400\nds_load_b32 v1, v2");
    assert_eq!(bench.run(), Err(Stop::BadLds(0x400)));
}

#[test]
fn atomic_operations_come_one_after_the_other() {
    // Each of 64 lanes adds 1: the old values are 0 to 63 in the order of lanes.
    let text = "v_mov_b32 v2, 0\nv_mov_b32 v3, 1\nds_add_rtn_u32 v1, v2, v3";
    expect("gfx942", text, |lane| lane as u32);
    // The operands of compare-and-store have changed places.
    let old = "v_mov_b32 v2, 0\nv_mov_b32 v3, 0\nv_mov_b32 v4, 8\nds_cmpst_rtn_b32 v1, v2, v3, v4";
    expect("gfx942", old, |lane| if lane == 0 { 0 } else { 8 });
    let new =
        "v_mov_b32 v2, 0\nv_mov_b32 v3, 0\nv_mov_b32 v4, 8\nds_cmpstore_rtn_b32 v1, v2, v4, v3";
    expect("gfx1100", new, |lane| if lane == 0 { 0 } else { 8 });
}

#[test]
fn global_memory_is_the_hosts() {
    let memory: &'static mut [u32] = vec![0; 64].leak();
    let address = memory.as_ptr() as u64;
    let text = "v_lshlrev_b32 v2, 2, v0\nglobal_store_b32 v2, v0, s[2:3]
        global_load_u16 v1, v2, s[2:3] offset:-4
        v_mov_b32 v3, 1\nv_mov_b32 v4, 0\nglobal_atomic_add_u32 v4, v3, s[2:3] offset:252";
    let mut bench = Bench::new("gfx1100", text);
    bench.wave.set_scalar64(2, address);
    bench.wave.set_exec(0xffff_fffe);
    bench.run().unwrap();
    assert_eq!(bench.row(1)[2..5], [1, 2, 3]);
    assert_eq!((memory[31], memory[63]), (31, 31));
    let text = "v_mov_b32 v2, 0\nglobal_load_b32 v1, v2, s[2:3]";
    assert_eq!(Bench::new("gfx1100", text).run(), Err(Stop::BadAddress(0)));
}

#[test]
fn scratch_memory_is_a_lanes_own() {
    let text = "s_mov_b32 s2, 8\nscratch_store_b32 off, v0, s2 offset:4
        v_mov_b32 v2, 12\nscratch_load_b32 v1, v2, off";
    expect("gfx1100", text, |lane| lane as u32);
    let generic = "s_mov_b64 s[2:3], src_private_base\nv_mov_b32 v3, s3\nv_mov_b32 v2, 12";
    let text = format!(
        "v_mov_b32 v5, 12\nscratch_store_dword v5, v0, off\n{generic}\nflat_load_dword v1, v[2:3]"
    );
    expect("gfx942", &text, |lane| lane as u32);
    let mut bench = Bench::new("gfx1100", "scratch_load_b32 v1, off, off offset:64");
    assert_eq!(bench.run(), Err(Stop::BadAddress(0x0002_0000_0000_0040)));
}

#[test]
fn a_buffer_of_all_lanes_is_scratch_memory_too() {
    // The scalar offset counts the bytes of 32 lanes.
    let text = "s_movk_i32 s6, 0x80\nbuffer_store_dword v0, off, s[0:3], s6 offset:4
        v_mov_b32 v2, 8\nbuffer_load_dword v1, v2, s[0:3], 0 offen";
    let mut bench = Bench::new("gfx1030", text);
    bench.wave.set_scalar64(0, bench.wave.private as u64);
    bench.wave.set_scalar64(2, super::memory::PRIVATE_BUFFER_SIZE.into());
    bench.run().unwrap();
    assert_eq!(bench.row(1), (0..32).collect::<Vec<_>>());
}

#[test]
fn what_lies_outside_of_a_buffer_is_zero() {
    // Word by word from the seventh on, of 32 bytes; the scalar offset counts.
    let text = "s_mov_b32 s6, 4\nv_lshlrev_b32 v2, 2, v0
        buffer_load_b128 v[4:7], v2, s[0:3], s6 offen offset:16
        v_mov_b32 v3, 7\nbuffer_store_b64 v[2:3], v2, s[0:3], 0 offen offset:28
        buffer_atomic_add_u32 v2, v2, s[0:3], 0 offen offset:32 glc";
    let mut bench = Bench::new("gfx1100", text);
    let memory: &'static mut [u32] = (100..164).collect::<Vec<_>>().leak();
    bench.wave.told[0] = (memory.as_ptr() as u64, 256);
    bench.wave.set_scalar64(0, memory.as_ptr() as u64);
    bench.wave.set_scalar64(2, 0x3100_4000_0000_0020);
    bench.run().unwrap();
    let lane = |number| [4, 5, 6, 7].map(|register| bench.wave.lane32(register, number));
    assert_eq!([lane(0), lane(2)], [[105, 106, 107, 0], [107, 0, 0, 0]]);
    assert_eq!([lane(3), lane(31)], [[0; 4]; 2]);
    // The first word of lane 0's store is inside, and nothing else.
    assert_eq!(memory[6..10], [106, 0, 108, 109]);
    assert_eq!(bench.row(2), [0; 32]);
}

#[test]
fn two_operations_at_once_read_before_either_writes() {
    let text = "v_mov_b32 v1, 1.0\nv_mov_b32 v2, 2.0
        v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, v1";
    let bench = run("gfx1100", text);
    assert_eq!((bench.row(1)[7], bench.row(2)[7]), (0x4000_0000, 0x3f80_0000));
}

#[test]
fn halves_are_picked_and_negated() {
    // 1.0 and 2.0, plus 4.0 and 0.5 in reverse.
    let values = "v_mov_b32 v2, 0x40003c00\nv_mov_b32 v3, 0x38004400";
    let text = format!("{values}\nv_pk_add_f16 v1, v2, v3 op_sel:[0,1] op_sel_hi:[1,0]");
    expect("gfx1100", &text, |_| 0x4600_3e00);
    // 1.0 - 4.0, 2.0 + 0.5.
    let text = format!("{values}\nv_pk_add_f16 v1, v2, v3 neg_lo:[0,1]");
    expect("gfx942", &text, |_| 0x4100_c200);
    // The upper half of a source to the upper half of a result.
    let text = format!("{values}\nv_mov_b32 v1, -1\nv_mov_b16 v1.h, v2.h");
    expect("gfx1100", &text, |_| 0x4000_ffff);
}

#[test]
fn parts_of_registers_are_selected() {
    let values = "v_mov_b32 v2, 0x11228344\nv_mov_b32 v3, 1\nv_mov_b32 v1, -1";
    let sdwa = |rest: &str| format!("{values}\nv_add_u32_sdwa v1, {rest}");
    let pad = sdwa("v2, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:DWORD");
    expect("gfx942", &pad, |_| 0x0084_0000);
    let keep = sdwa(
        "sext(v2), v3 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:DWORD",
    );
    expect("gfx942", &keep, |_| 0xffff_ff84);
}

#[test]
fn output_modifiers_follow_the_operation() {
    let text = "v_mov_b32 v2, 0x40400000\nv_mul_f32_e64 v1, v2, -v2 mul:2";
    expect("gfx1100", text, |_| (-18f32).to_bits());
    let text = "v_mov_b32 v2, 0x40400000\nv_mul_f32_e64 v1, |v2|, v2 clamp";
    expect("gfx942", text, |_| 1f32.to_bits());
    let text = "v_mov_b32 v2, -2\nv_add_nc_u32_e64 v1, v2, 5 clamp";
    expect("gfx1100", text, |_| u32::MAX);
}

#[test]
fn what_is_not_known_is_an_error() {
    let mut bench = Bench::new("gfx1100", "s_sethalt 1");
    match bench.run() {
        Err(Stop::Unknown(why)) => assert!(why.contains("s_sethalt"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(Bench::new("gfx1100", "s_trap 2").run(), Err(Stop::Trap(2)));
}

#[test]
fn registers_beyond_the_kernels_are_an_error() {
    let allocated = Named { vector: 8, accumulation: 4, scalar: 16 };
    let outcome = |gfx, text| {
        let mut bench = Bench::new(gfx, text);
        bench.wave.allocated = allocated;
        bench.run()
    };
    for gfx in ["gfx90a", "gfx942"] {
        assert_eq!(outcome(gfx, "v_mov_b32 v7, s15\nv_accvgpr_write_b32 a3, v7"), Ok(()));
        for text in [
            "v_mov_b32 v8, 0",
            "v_add_f64 v[8:9], v[0:1], v[0:1]",
            "v_accvgpr_write_b32 a4, v0",
            "s_mov_b64 s[16:17], vcc",
            "global_load_dwordx2 v[8:9], v[0:1], off",
        ] {
            assert_eq!(outcome(gfx, text), Err(Stop::BadRegister), "{gfx}: {text}");
        }
    }
}
