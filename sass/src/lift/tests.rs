mod division;
mod roots;
mod sm90;
mod sums;

use super::*;
use crate::decode::Encoding;
use crate::text;
use std::collections::BTreeMap;

/// Whatever is changed in a listing, its PTX has no such word.
fn none_has(word: &str, listing: &str, changes: &[(&str, &str)], lifted: impl Fn(&str) -> String) {
    for (from, to) in changes {
        let changed = listing.replace(from, to);
        assert_ne!(changed, listing, "{from}");
        let text = lifted(&changed);
        assert!(!text.contains(word), "{to}: {text}");
    }
}

/// A module of one kernel `k`, of nvdisasm's text.
fn image(listing: &str) -> Image {
    let instructions = text::parse_all(listing).expect("a listing").into_iter().map(Ok).collect();
    let parameter = |index: u32| Parameter { offset: 8 * index, size: 8 };
    Image {
        code: vec![Code { name: ".text.k".to_owned(), instructions, ..Code::default() }],
        kernels: vec![Kernel {
            name: "k".to_owned(),
            parameters: (0..2).map(parameter).collect(),
            shared: 64,
            stack: 32,
            ..Kernel::default()
        }],
        ..Image::default()
    }
}

/// The PTX of a listing, which the parser takes.
fn lifted(listing: &str) -> String {
    let lifted = lift(&image(listing));
    assert_eq!(lifted.failures, []);
    let parsed = ptx_parser::parse(&lifted.text);
    assert_eq!(parsed.errors, [], "{}", lifted.text);
    // The printer's text is the same module.
    let printed = parsed.module.to_string();
    assert_eq!(ptx_parser::parse(&printed).errors, [], "{printed}");
    lifted.text
}

fn failure(listing: &str) -> String {
    let lifted = lift(&image(listing));
    let [(name, error)] = lifted.failures.as_slice() else { panic!("{}", lifted.text) };
    assert_eq!(name, "k");
    // The kernel is there for those who ask for it, and says why it does nothing.
    assert_eq!(ptx_parser::parse(&lifted.text).errors, []);
    let pragma = format!(".pragma \"cannot be lifted: {error}\";");
    assert!(lifted.text.contains(&pragma), "{}", lifted.text);
    error.to_string()
}

#[test]
fn parameters_are_those_of_the_kernel() {
    let text = lifted("IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x16c]\nSTG.E [R2.64+0x10], R4\nEXIT");
    assert!(
        text.contains(".entry k(.param .align 8 .b8 p0[8], .param .align 8 .b8 p1[8])"),
        "{text}"
    );
    assert!(text.contains("ld.param.b32 %t0, [p1+4];"), "{text}");
    assert!(text.contains("st.global.b32 [%d0+16], %r4;"), "{text}");
}

#[test]
fn what_cannot_be_lifted_says_where_it_stands() {
    for (listing, wanted) in [
        (
            "NOP\nFROB R1, R2\nEXIT",
            ".text.k+0x10 `FROB R1, R2`: unsupported: an opcode that is not known",
        ),
        (
            "FADD.NEW R1, R2, R3\nEXIT",
            ".text.k+0x0 `FADD.NEW R1, R2, R3`: unsupported: modifier `NEW`",
        ),
        (
            "MUFU.SIN R1, R2\nEXIT",
            "`MUFU.SIN R1, R2`: unsupported: an angle that is not multiplied just before",
        ),
        ("MOV R1, c[0x0][0x60]\nEXIT", "unsupported: c[0][0x60]"),
        ("MOV R1, c[0x2][0x60]\nEXIT", "invalid: c[2][0x60] lies outside of the bank"),
        ("BSYNC B0\nEXIT", "`BSYNC B0`: unsupported: a barrier that is not known"),
        ("NOP\nNOP", ".text.k+0x20 ``: invalid: control goes where there is no instruction"),
        ("CALL.REL.NOINC 0x0\nEXIT", "unsupported: a function that calls itself"),
    ] {
        let error = failure(listing);
        assert!(error.contains(wanted), "{error}");
    }
}

/// An unknown instruction is nothing to kernels that do not reach it.
#[test]
fn what_is_not_reached_need_not_be_known() {
    let mut image = image("EXIT\nNOP\nBRA 0x20");
    image.code[0].instructions[1] = Err("unknown".to_owned());
    assert_eq!(lift(&image).failures, []);
}

#[test]
fn angles_are_found_again() {
    let text =
        lifted("FMUL.RZ R2, R4, 0.15915493667125701904\nMUFU.COS R2, R2\nSTG.E [R6.64], R2\nEXIT");
    assert!(
        text.contains("mov.b32 %t0, %r4;") && text.contains("cos.approx.f32 %r2, %t0;"),
        "{text}"
    );
}

/// The guard is the one from before the instruction, although that writes it.
#[test]
fn guards_are_read_before_they_are_written() {
    let text = lifted("@P0 IADD3 R2, P0, R2, R3, RZ\nSTG.E [R6.64], R2\nEXIT");
    let kept = text.find("mov.pred %q1, %p0;").expect("a copy of the guard");
    let written = text.find("@%q1 mov.pred %p0, %q0;").expect("the carry");
    assert!(kept < written && text.contains("@%q1 mov.b32 %r2,"), "{text}");
}

/// Both calls have their copies, and come back to where they are.
#[test]
fn functions_are_copied_to_their_calls() {
    let text = lifted(
        "MOV R8, 0x20\nCALL.REL.NOINC 0x60\nMOV R8, 0x40\nCALL.REL.NOINC 0x60\nSTG.E [R4.64], R2\nEXIT\n\
         IADD3 R2, R2, 0x1, RZ\nRET.REL.NODEC R8 0x0",
    );
    assert_eq!(text.matches("add.s32 %r2, %r2, 0x1;").count(), 2, "{text}");
    for back in ["bra L0_20;", "bra L0_40;"] {
        assert_eq!(text.matches(back).count(), 1, "{text}");
    }
    assert!(
        text.contains("setp.ne.u32 %q0, %r8, 32;") && text.contains("setp.ne.u32 %q1, %r8, 64;"),
        "{text}"
    );
}

/// What a relocation says is called is a function wherever it lies, and comes back to the address that it gets when code is
/// loaded, which is none of the section's.
#[test]
fn functions_are_called_by_relocations() {
    let listing = "MOV R8, 0x7700\nCALL.ABS.NOINC 0x0\nSTG.E [R4.64], R2\nEXIT\n\
                   IADD3 R2, R2, 0x1, RZ\nRET.ABS.NODEC R8 0x0";
    let mut image = image(listing);
    image.code[0].calls.insert(0x10, Place { code: 0, address: 0x40 });
    let lifted = lift(&image);
    assert_eq!(lifted.failures, []);
    assert!(lifted.text.contains("add.s32 %r2, %r2, 0x1;"), "{}", lifted.text);
    assert!(!lifted.text.contains("trap"), "{}", lifted.text);
    image.code[0].calls.clear();
    assert_eq!(lift(&image).failures.len(), 1);
}

#[test]
fn fences_keep_their_scope_or_a_larger_one() {
    let text = lifted("MEMBAR.SC.CTA\nMEMBAR.ALL.GPU\nMEMBAR.SC.SYS\nMEMBAR.SC.VC\nERRBAR\nEXIT");
    let fences: Vec<&str> = text.lines().map(str::trim).filter(|l| l.contains("fence")).collect();
    let wanted = ["fence.sc.cta;", "fence.acq_rel.gpu;", "fence.sc.sys;", "fence.sc.sys;"];
    assert_eq!(fences, wanted);
}

#[test]
fn barriers_go_on_where_they_were_told_to() {
    let text = lifted(
        "BSSY B0, 0x50\n@P0 BRA 0x30\nMOV R2, 0x1\nBSYNC B0\nMOV R2, 0x2\nSTG.E [R4.64], R2\nEXIT",
    );
    // Nothing goes to the instruction behind, so that the place is the next one.
    assert!(text.contains("L0_30:\nL0_50:\n") && !text.contains("mov.b32 %r2, 0x2;"), "{text}");
}

/// Two sides of a branch that meet in a shuffle: nobody goes the way of lanes that are together, as they are not, and what
/// stands there may count on that. Each side has its own waits, and the numbers of waits are equal.
#[test]
fn checks_of_convergence_go_where_lanes_wait() {
    let text = lifted(
        "@P0 BRA 0x60\nBRA.DIV ~URZ, 0xc0\nSHFL.BFLY PT, R3, R2, 0x1, 0x1f\nSHFL.BFLY PT, R3, R2, 0x2, 0x1f\n\
         STG.E [R4.64], R3\nEXIT\nBRA.CONV UR6, 0xb0\nWARPSYNC R7\nSHFL.BFLY PT, R3, R2, 0x1, 0x1f\n\
         STG.E [R4.64+0x4], R3\nEXIT\nBRA 0xb0\nWARPSYNC R7\nSHFL.BFLY PT, R3, R2, 0x1, 0x1f\nBRA 0x40",
    );
    assert_eq!(text.matches("bar.warp.sync %r7;").count(), 2, "{text}");
    assert_eq!(text.matches("shfl.sync.bfly.b32").count(), 2, "{text}");
    assert!(!text.contains(", 0x2, 0x1f") && !text.contains("activemask"), "{text}");
}

/// A register that stands there twice holds the barrier and the threads, as in what is called where lanes may not be together.
#[test]
fn a_register_holds_a_barrier_and_its_threads() {
    for listing in ["BAR.RED.POPC.DEFER_BLOCKING R8, R8, !P0\nEXIT", "BAR.SYNC R8, R8\nEXIT"] {
        let text = lifted(listing);
        assert!(
            text.contains("and.b32 %t0, %r8, 15;") && text.contains("shr.u32 %t1, %r8, 16;"),
            "{text}"
        );
    }
}

/// Where masks may differ between lanes, each waits by its own one, and nobody goes the way of those that are together.
#[test]
fn lanes_whose_masks_differ_wait_by_their_own() {
    let text = lifted(
        "R2UR P0, URZ, R7\n@!P0 BRA.CONV UR6, 0x50\nWARPSYNC R7\nVOTE.ANY R2, PT, PT\nEXIT\nVOTE.ANY R2, PT, PT\nEXIT",
    );
    assert!(!text.contains("bra ") && !text.contains("activemask"), "{text}");
    assert_eq!(text.matches("bar.warp.sync %r7;").count(), 1, "{text}");
}

/// A call of what is no function is a jump: nothing comes back from it.
#[test]
fn calls_of_other_places_are_jumps() {
    let listing = "IADD3 R2, R2, -0x1, RZ\nISETP.GE.AND P0, PT, R2, 0x1, PT\n@P0 CALL.REL.NOINC 0x0\n\
                   MOV R8, 0x50\nCALL.REL.NOINC 0x60\nEXIT\nIADD3 R3, R3, 0x1, RZ\nRET.REL.NODEC R8 0x0";
    let mut image = image(listing);
    image.code[0].functions = [0x60].into();
    let lifted = lift(&image);
    assert_eq!(lifted.failures, []);
    assert!(lifted.text.contains("@%p0 bra L0_0;"), "{}", lifted.text);
    assert_eq!(lifted.text.matches("add.s32 %r2, %r2, 0xffffffff;").count(), 1, "{}", lifted.text);
    // The kernel may be a function among others.
    image.code[0].functions = [0, 0x60].into();
    let error = lift(&image).failures.pop().expect("a failure").1;
    assert!(error.to_string().contains("a function that calls itself"), "{error}");
}

/// Bank 0 is one memory for machine code, and has a parameter for each range here.
#[test]
fn parameters_by_registers_are_those_that_the_sum_lies_in() {
    let text = lifted("LDC.64 R2, c[0x0][R2+0x158]\nSTG.E.64 [R6.64], R2\nEXIT");
    let at = text.find("add.s32 %t0, %r2, -8;").expect("an offset");
    for wanted in [
        "sub.s32 %t1, %t0, 0;\n    setp.lt.u32 %q0, %t1, 8;",
        "mov.b64 %d1, p0;\n    add.s64 %d2, %d1, %d0;\n    @%q0 ld.param.v2.b32 {%r2, %r3}, [%d2];",
        "sub.s32 %t2, %t0, 8;\n    setp.lt.u32 %q1, %t2, 8;",
        "mov.b64 %d4, p1;\n    add.s64 %d5, %d4, %d3;\n    @%q1 ld.param.v2.b32 {%r2, %r3}, [%d5];",
    ] {
        assert!(text.find(wanted).is_some_and(|found| found > at), "{wanted} in {text}");
    }
}

/// Where masks may differ between threads, each waits by its own on the way aside.
#[test]
fn masks_of_each_thread_go_aside() {
    let text = lifted(
        "REDUX.OR UR4, R2\nR2UR P1, URZ, R2\n@!P1 BRA.DIV UR4, 0x50\nVOTE.ANY R3, PT, P0\nEXIT\n\
         WARPSYNC R2\nVOTE.ANY R3, PT, P0\nLOP3.LUT R3, R3, R2, RZ, 0xc0, !PT\nEXIT",
    );
    assert!(text.contains("setp.ne.u32 %p1, 0, 0;\n    @!%p1 bra L0_50;"), "{text}");
    assert!(text.contains("L0_50:\n    bar.warp.sync %r2;"), "{text}");
}

/// Barriers that BMOV keeps in registers are those that they were, whatever is done to the barrier's number between.
#[test]
fn barriers_in_registers_go_on_where_they_were_told_to() {
    let text = lifted(
        "BSSY B1, 0x90\nBMOV.32.CLEAR R8, B1\nBSSY B1, 0x60\n@P0 BRA 0x50\nMOV R2, 0x1\nBSYNC B1\n\
         IMAD.MOV.U32 R9, RZ, RZ, R8\nBMOV.32 B0, R9\nBSYNC B0\nSTG.E [R4.64], R2\nEXIT",
    );
    assert!(text.contains("L0_50:\nL0_60:\n"), "{text}");
    assert!(text.contains("mov.b32 %r9, %r8;\nL0_90:\n"), "{text}");
    // What instructions leave in other registers and places is nothing to it.
    let end = |between: &str| 0x40 + 0x10 * between.lines().count();
    let code = |between: &str| {
        let end = end(between);
        format!(
            "BSSY B1, {end:#x}\nBMOV.32.CLEAR R8, B1\n{between}\nBMOV.32 B0, R8\nBSYNC B0\nEXIT"
        )
    };
    let spilled = |between: &str| format!("STL [R1+0x4], R8\n{between}\nLDL.LU R8, [R1+0x4]");
    let others = ["IMAD.WIDE.U32 R6, R2, R3, R4", "I2F.U32.RP R7, R2", "I2F.F64.U32 R6, R2"];
    let stores = ["STL [R1+0x8], R2", "STL.64 [R6], R2", "MOV R8, 0x1"].map(spilled);
    for between in others.into_iter().chain(stores.iter().map(String::as_str)) {
        let label = format!("L0_{:x}:\n", end(between));
        assert!(lifted(&code(between)).contains(&label), "{between}");
    }
    let own = ["MOV R8, 0x1", "IMAD.WIDE.U32 R8, R2, R3, R4"];
    let stores = [
        "STL [R1+0x4], R2",
        "STL.128 [R1], R4",
        "STL.U8 [R1+0x5], R2",
        "IADD3 R1, R1, 0x8, RZ",
        "@P0 STL [R1+0x4], R8",
    ]
    .map(spilled);
    for between in own.into_iter().chain(stores.iter().map(String::as_str)) {
        let error = failure(&code(between));
        let wanted = "`BSYNC B0`: unsupported: a barrier that is not known";
        assert!(error.contains(wanted), "{between}: {error}");
    }
}

/// Threads of which others have returned from a function are still those that its barriers were set for.
#[test]
fn barriers_of_a_function_stay_where_some_return_early() {
    let text = lifted(
        "MOV R8, 0x20\nCALL.REL.NOINC 0x40\nSTG.E [R4.64], R2\nEXIT\n\
         BSSY B3, 0x90\n@P2 BREAK B3\n@P2 RET.REL.NODEC R8 0x0\nIADD3 R2, R2, 0x1, RZ\nBSYNC B3\n\
         RET.REL.NODEC R8 0x0",
    );
    assert!(text.contains("add.s32 %r2, %r2, 0x1;\nL1_90:\n"), "{text}");
}

/// A number that the loader fills in is half the address of a variable.
#[test]
fn halves_of_addresses_are_those_of_variables() {
    let mut image = image("UMOV UR4, 0x0\nMOV R3, 0x0\nSTG.E [R6.64+UR4], R3\nEXIT");
    image.variables.push(Variable {
        symbol: "$str".to_owned(),
        name: "$str".to_owned(),
        size: 4,
        ..Variable::default()
    });
    let half = |is_upper| Half { of: Named { symbol: "$str".to_owned(), addend: 4 }, is_upper };
    image.halves.insert(Place { code: 0, address: 0 }, half(false));
    image.halves.insert(Place { code: 0, address: 16 }, half(true));
    let lifted = lift(&image);
    assert_eq!(lifted.failures, []);
    assert_eq!(ptx_parser::parse(&lifted.text).errors, [], "{}", lifted.text);
    for wanted in [
        "mov.b64 %d0, $str;\n    add.s64 %d1, %d0, 4;\n    cvt.u32.u64 %t0, %d1;\n    mov.b32 %u4, %t0;",
        "add.s64 %d3, %d2, 4;\n    mov.b64 {%t1, %t2}, %d3;\n    mov.b32 %r3, %t2;",
    ] {
        assert!(lifted.text.contains(wanted), "{wanted} in {}", lifted.text);
    }
}

#[test]
fn scaled_products_are_rounded_once() {
    let text = lifted("FMUL.D2.FTZ R2, R3, R4\nSTG.E [R6.64], R2\nEXIT");
    for wanted in ["cvt.ftz.f64.f32 %d0, %r3;", "mul.rn.f64 %d3, %d2, 0d3FE0000000000000;"] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
    assert!(text.contains("cvt.rn.ftz.f32.f64 %r2, %d3;"), "{text}");
}

#[test]
fn atomics_say_that_they_are_done() {
    let text = lifted("@P0 ATOM.E.ADD.F16x2.RN.STRONG.GPU P0, RZ, [R2.64], R4\n@P0 EXIT\nEXIT");
    let (kept, set) = (text.find("mov.pred %q0, %p0;"), text.find("@%q0 setp.eq.u32 %p0, 0, 0;"));
    assert!(kept.is_some() && kept < set, "{text}");
}

/// Where a system's function is to come back to is the address of an instruction, which nothing asks for.
#[test]
fn functions_of_the_system_are_called_by_their_names() {
    let mut image = image(
        "MOV R4, 0x8\nMOV R20, 0x30\nMOV R21, 0x0\nCALL.ABS.NOINC 0x0\nSTG.E.64 [R6.64], R4\nEXIT",
    );
    image.functions.insert("k".to_owned(), Place { code: 0, address: 0 });
    for (address, is_upper) in [(0x10, false), (0x20, true)] {
        let of = Named { symbol: "k".to_owned(), addend: 0x40 };
        image.halves.insert(Place { code: 0, address }, Half { of, is_upper });
    }
    image.system_calls.insert(Place { code: 0, address: 0x30 }, "malloc".to_owned());
    let lifted = lift(&image);
    assert_eq!(lifted.failures, []);
    assert_eq!(ptx_parser::parse(&lifted.text).errors, [], "{}", lifted.text);
    assert!(lifted.text.contains("call (r), malloc, (a0);"), "{}", lifted.text);
    image.system_calls.insert(Place { code: 0, address: 0x30 }, "frobnicate".to_owned());
    let error = lift(&image).failures.pop().expect("a failure").1;
    assert!(error.to_string().contains("a call of `frobnicate`"), "{error}");
}

/// Of structures of three words each is in the next register, also behind a number of 64 bits.
#[test]
fn structures_are_given_to_functions_of_the_system() {
    let mut image = image("CALL.ABS.NOINC 0x0\nSTG.E [R6.64], R4\nEXIT");
    let set_grid = "cudaGraphKernelNodeSetGridDim";
    image.system_calls.insert(Place { code: 0, address: 0 }, set_grid.to_owned());
    let lifted = lift(&image);
    assert_eq!(lifted.failures, []);
    assert_eq!(ptx_parser::parse(&lifted.text).errors, [], "{}", lifted.text);
    for wanted in [
        ".func (.param .b32 r) cudaGraphKernelNodeSetGridDim(.param .b64 a0, .param .align 4 .b8 a1[12]);",
        "st.param.b32 [a1], %r6; st.param.b32 [a1+4], %r7; st.param.b32 [a1+8], %r8;",
        "call (r), cudaGraphKernelNodeSetGridDim, (a0, a1);",
    ] {
        assert!(lifted.text.contains(wanted), "{wanted} in {}", lifted.text);
    }
}

/// Loads as narrow as their modifiers say leave the registers behind alone.
#[test]
fn loads_forget_no_more_than_they_write() {
    let listing = |load: &str| {
        format!("BSSY B1, 0x40\nBMOV.32.CLEAR R8, B1\n{load}\nBMOV.32 B0, R8\nBSYNC B0\nEXIT")
    };
    lifted(&listing("LDS.U8 R7, [R2]"));
    lifted(&listing("LDS.64 R6, [R2]"));
    lifted(&listing("STS.U8 [R2], R7"));
    lifted(&listing("ISETP.NE.AND P0, PT, R7, RZ, PT"));
    failure(&listing("LDS.64 R8, [R2]"));
    failure(&listing("LDS.128 R8, [R2]"));
}

/// Lanes that are together wait for each other's accesses to memory where WARPSYNC was left out.
#[test]
fn nothing_is_a_wait_of_those_that_are_together() {
    let text = lifted("STS [R2], R3\nNOP\nLDS R4, [R5]\nSTG.E [R6.64], R4\nEXIT");
    let store = text.find("st.shared.b32").expect("a store");
    let wait = text.find("activemask.b32 %t1;\n    bar.warp.sync %t1;").expect("a wait");
    let load = text.find("ld.shared.b32").expect("a load");
    assert!(store < wait && wait < load, "{text}");
}

/// What other threads may look at meanwhile is never read or written by halves.
#[test]
fn strong_accesses_are_of_64_bits() {
    let text = lifted(
        "LD.E.64.STRONG.GPU R2, [R6.64]\nLD.E.128.STRONG.GPU R8, [R6.64]\nST.E.64.STRONG.GPU [R6.64+0x8], R2\nEXIT",
    );
    for wanted in [
        "ld.relaxed.gpu.b64 %d1, [%d0];\n    mov.b64 {%r2, %r3}, %d1;",
        "ld.relaxed.gpu.v2.b64 {%d2, %d3}, [%d0];\n    mov.b64 {%r8, %r9}, %d2;\n    mov.b64 {%r10, %r11}, %d3;",
        "st.relaxed.gpu.b64 [%d0+8], %d1;",
    ] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
}

/// What the stack's pointer is rounded to, the frame has to begin at: ptxas 13.5 rounds so for `.local .align 64`.
#[test]
fn frames_are_aligned_as_the_stack_pointer_is_rounded() {
    let listing = "IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]\nIADD3 R1, R1, -0x40, RZ\n\
                   LOP3.LUT R1, R1, 0xffffffc0, RZ, 0xc0, !PT\nIADD3 R2, P0, R1, c[0x0][0x20], RZ\n\
                   STL [R1], R2\nEXIT";
    let text = lifted(listing);
    assert!(text.contains(".local .align 64 .b8 __frame[64];"), "{text}");
    // Masks that are no alignment, and other registers, change nothing.
    for other in [
        listing.replace("0xffffffc0", "0xffffff0c"),
        listing.replace("LOP3.LUT R1,", "LOP3.LUT R9,"),
    ] {
        let text = lifted(&other);
        assert!(text.contains(".local .align 16 .b8 __frame[32];"), "{text}");
    }
    // The address of a variable that is never accessed is that of the first byte.
    let text = lifted("MOV R4, c[0x0][0x20]\nMOV R5, c[0x0][0x24]\nSTG.E.64 [R2.64], R4\nEXIT");
    assert!(text.contains(".local .align 256 .b8 __frame["), "{text}");
}

/// Where the stack's pointer is moved by numbers, once, a place beside it is one of the frame.
#[test]
fn places_beside_the_stack_pointer_are_known() {
    let move_it = "IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]\nIADD3 R1, R1, -0x18, RZ";
    let round = "LOP3.LUT R1, R1, 0xfffffff0, RZ, 0xc0, !PT";
    let access = "STL.64 [R1+0x8], R2\nEXIT";
    for (code, is_known) in [
        (format!("{move_it}\n{access}"), true),
        (format!("{move_it}\n@P0 BRA 0x30\nMOV R2, R4\n{access}"), true),
        (format!("{move_it}\n{round}\n{access}"), false),
        (format!("{move_it}\n@P0 BRA 0x10\n{access}"), false),
        (format!("{move_it}\n@P0 IADD3 R1, R1, -0x4, RZ\n{access}"), false),
        (format!("{move_it}\nSTL [R1+0x18], R2\nIADD3 R1, R1, -0x4, RZ\n{access}"), false),
        (format!("{move_it}\n{}", access.replace("0x8", "0x1000")), false),
    ] {
        let text = lifted(&code);
        assert_eq!(text.contains("st.local.v2.b32 [__frame+16], "), is_known, "{code}: {text}");
    }
}

/// The number is 0xffff9000, the section's number and the place in it, as code has it that launches the kernel.
#[test]
fn kernels_that_are_launched_say_their_address() {
    let mut image = image("MOV R4, 0x0\nMOV R5, 0x0\nSTG.E.64 [R2.64], R4\nEXIT");
    image.functions.insert("k".to_owned(), Place { code: 0, address: 0 });
    for (address, is_upper) in [(0, false), (0x10, true)] {
        let of = Named { symbol: "k".to_owned(), addend: 0 };
        image.halves.insert(Place { code: 0, address }, Half { of, is_upper });
    }
    assert!(!lifted_image(&image).contains(".pragma \"address"));
    image.kernels[0].is_launched = true;
    let text = lifted_image(&image);
    assert!(text.contains(".pragma \"address 18446620928407240704\";"), "{text}");
    assert!(head(&image).contains(".pragma \"address 18446620928407240704\";"));
    assert!(text.contains("mov.b64 %d0, 18446620928407240704;"), "{text}");
}

/// `cuFuncGetAttribute` answers with the registers of the machine code.
#[test]
fn kernels_say_how_many_registers_their_code_takes() {
    let mut image = image("EXIT");
    assert!(!lift(&image).text.contains("registers"));
    image.kernels[0].registers = 57;
    let text = lift(&image).text;
    assert!(text.contains(".pragma \"registers 57\";\n{"), "{text}");
    assert_eq!(ptx_parser::parse(&text).errors, []);
}

/// ptxas ends kernels so that it does not optimise.
#[test]
fn barriers_of_memory_at_the_end_are_those_of_the_system() {
    let text = lifted("STG.E [R2.64], R4\nMEMBAR.SC.VC\nERRBAR\nEXIT");
    assert!(text.contains("fence.sc.sys;"), "{text}");
}

/// The conversion `cvt.sat.f32.f16`, as ptxas makes it for sm_75.
#[test]
fn sums_of_halves_in_binary32_saturate() {
    let text = lifted("HADD2.F32.SAT R7, R4.H0_H0, -RZ.H0_H0\nSTG.E [R2.64], R7\nEXIT");
    assert!(text.contains("add.rn.sat.f32 "), "{text}");
}

/// The conversion `cvt.rz.f16.f32`, as ptxas makes it for sm_75.
#[test]
fn sources_of_halves_may_be_of_binary32() {
    let text = lifted("HADD2 R3, R4.F32, -RZ.H0_H0\nSTG.E [R2.64], R3\nEXIT");
    assert!(text.contains("cvt.rz.f16x2.f32 "), "{text}");
}

/// sm_75 says a scope of every access, and has the graph elsewhere.
#[test]
fn accesses_of_sm_75_are_strong_where_they_say_so() {
    let mut image = image(
        "LDG.E.SYS R0, [R2]\nLDG.E.64.CONSTANT.SYS R4, [R2]\nLD.E.STRONG.CTA R6, [R2]\nLDS.U.64 R8, [R10.X8]\n\
         STG.E.STRONG.SYS [R2], R6\nRED.E.ADD.STRONG.GPU [R2], R5\nMOV R12, c[0x0][0x120]\nSTG.E.SYS [R2], R12\nEXIT",
    );
    image.encoding = Encoding::Sm75;
    let lifted = lift(&image);
    assert_eq!(lifted.failures, []);
    for expected in [
        "ld.global.b32 ",
        "ld.global.nc.v2.b32 ",
        "ld.relaxed.cta.b32 ",
        "ld.shared.v2.b32 ",
        "st.relaxed.sys.global.b32 ",
        "red.relaxed.gpu.global.add.u32 ",
        "%current_graph_exec;",
    ] {
        assert!(lifted.text.contains(expected), "{expected}: {}", lifted.text);
    }
    image.encoding = Encoding::Sm80;
    assert!(lift(&image).failures[0].1.to_string().contains("c[0][0x120]"));
}

/// ptxas counts from c[0x0][0x40] where the generic address of a parameter is wanted.
#[test]
fn parameters_have_addresses() {
    let mut image = image("ULDC.64 UR4, c[0x0][0x40]\nUIADD3 UR6, UP0, UR4, 0x160, URZ\nEXIT");
    let text = lift(&image).text;
    assert!(text.contains("cvta.param.u64 %d1, %d0;\n    sub.s64 %d2, %d1, 352;"), "{text}");
    assert_eq!(ptx_parser::parse(&text).errors, []);
    image.kernels[0].parameters.clear();
    assert!(lift(&image).failures[0].1.to_string().contains("where there is none"));
}

/// nvcc 12.8 puts a structure that is aligned to 64 bytes at 0xb0, where its place in bank 0 is a multiple of that.
#[test]
fn parameters_that_alignments_do_not_place_say_where_they_lie() {
    let mut image = image("EXIT\n");
    image.kernels[0].parameters =
        vec![Parameter { offset: 0, size: 120 }, Parameter { offset: 0xb0, size: 384 }];
    let text = lift(&image).text;
    assert!(text.contains(".pragma \"offsets 0 176\";"), "{text}");
    assert!(text.contains(".param .align 16 .b8 p1[384]"), "{text}");
    assert!(!lifted("EXIT\n").contains("offsets"));
}

/// ptxas counts from c[0x0][0x50] where the generic address of a constant is wanted.
#[test]
fn constants_have_generic_addresses() {
    let mut image = image(
        "IMAD.MOV.U32 R4, RZ, RZ, c[0x0][0x50]\nIMAD.MOV.U32 R5, RZ, RZ, c[0x0][0x54]\nSTG.E.64 [R2.64], R4\nEXIT",
    );
    // Where there are none, an address that nothing has.
    let text = lift(&image).text;
    assert!(text.contains("mov.b64 %d0, 0xffffa00000000000;"), "{text}");
    let variable = |name: &str, offset, size| Variable {
        symbol: name.to_owned(),
        name: name.to_owned(),
        is_constant: true,
        offset,
        size,
        align: 2,
        ..Variable::default()
    };
    image.variables = vec![variable("first", 0, 6), variable("second", 6, 3)];
    let text = lift(&image).text;
    assert!(text.contains("mov.b64 %d0, first+0;\n    cvta.const.u64 %d1, %d0;"), "{text}");
    assert_eq!(ptx_parser::parse(&text).errors, []);
}

#[test]
fn the_barrier_of_a_grid_is_left_to_whoever_takes_the_text() {
    let mut image = image(
        "MOV R4, 0x1\nCALL.ABS.NOINC 0x0\nMOV R6, 0x0\nCALL.ABS.NOINC 0x0\nSTG.E [R2.64], R4\nEXIT",
    );
    for (address, name) in [(0x10, "get_intrinsic_handle"), (0x30, "sync")] {
        let name = format!("__cuda_syscall_CGS_{name}");
        image.system_calls.insert(Place { code: 0, address }, name);
    }
    let lifted = lift(&image);
    assert_eq!(lifted.failures, []);
    assert!(lifted.wants_grid_barrier);
    for wanted in [
        "call (r), __cuda_syscall_CGS_get_intrinsic_handle, (a0); ld.param.b64",
        "call (r), __cuda_syscall_CGS_sync, (a0, a1); ld.param.b32",
    ] {
        assert!(lifted.text.contains(wanted), "{}", lifted.text);
    }
}

/// `cuFuncGetAttribute` answers with what the machine code says, which is less than what its PTX takes.
#[test]
fn kernels_say_how_much_shared_memory_their_code_takes() {
    let mut image = image("LDS R2, [R3]\nSTG.E [R4.64], R2\nEXIT");
    assert!(!lift(&image).text.contains("pragma \"shared"));
    image.kernels[0].shared = 40;
    let text = lift(&image).text;
    assert!(
        text.contains(".pragma \"shared 40\";\n{") && text.contains("__declared[48]"),
        "{text}"
    );
}

/// numba's kernels call what frees an object by an address in memory, which none of them has where nothing needs it.
#[test]
fn calls_by_addresses_that_no_function_has_end_the_grid() {
    let listing = "MOV R20, 0x20\n@P0 CALL.REL.NOINC R10 0x0\nSTG.E [R4.64], R2\nEXIT";
    let text = lifted(listing);
    assert!(text.contains("@%p0 trap;\n"), "{text}");
}

/// The PTX of an image, which the parser takes.
fn lifted_image(image: &Image) -> String {
    let lifted = lift(image);
    assert_eq!(lifted.failures, []);
    assert_eq!(ptx_parser::parse(&lifted.text).errors, [], "{}", lifted.text);
    lifted.text
}

/// A kernel that calls `CALL`, and a function at 0x40 that adds one and calls itself.
const CALLER: &str = "MOV R20, 0x20\nCALL\nSTG.E [R2.64], R4\nEXIT\n\
    @!P1 RET.REL.NODEC R20 0x0\nIADD3 R1, R1, -0x18, RZ\nSTL [R1], R20\nMOV R20, 0x90\nCALL.REL.NOINC 0x40\n\
    LDL R20, [R1]\nIADD3 R1, R1, 0x18, RZ\nRET.REL.NODEC R20 0x0";

#[test]
fn functions_that_call_themselves_are_lifted_apart() {
    let text = lifted_image(&image(&CALLER.replace("CALL\n", "CALL.REL.NOINC 0x40\n")));
    assert_eq!(text.matches("call (out), __k_calls_0_40, (in);").count(), 2, "{text}");
    // The registers of the function, and the predicate: R1, R20, P1.
    assert!(text.contains(".param .align 8 .b8 taken[36])"), "{text}");
    for wanted in [
        // The stack has room for what the function takes of it.
        ", %r1, 24;",
        // Whoever is called comes back to where it was called.
        ", 32;",
        ", 144;",
        "st.local.b32 [",
        "cvta.to.local.u64 %frame, %frame;",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(text.contains("__frame[16416]"), "{text}");
}

/// Functions of PTX have no parameters of kernels: who calls one says where they are.
#[test]
fn functions_read_the_parameters_of_their_kernel() {
    let reading = CALLER.replace("CALL\n", "CALL.REL.NOINC 0x40\n").replace(
        "MOV R20, 0x90",
        "LDC R20, c[0x0][R4+0x160]\nMOV R20, c[0x0][0x164]\nMOV R20, 0xb0",
    );
    let text = lifted_image(&image(&reading));
    for wanted in [
        "cvta.param.u64 ",
        "ld.param.b64 %parameters, [taken+16];",
        "ld.b32 %t1, [%parameters+356];",
        "add.s64 %d4, %d3, %d2;",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert_eq!(text.matches("st.param.b64 [in+16], %d").count(), 1, "{text}");
    assert_eq!(text.matches("st.param.b64 [in+16], %parameters;").count(), 1, "{text}");
}

/// A function that rounds the stack's pointer down moves it by as much, and by nothing where it takes it back.
#[test]
fn functions_need_room_for_what_they_round() {
    let rounding = CALLER
        .replace("CALL\n", "CALL.REL.NOINC 0x40\n")
        .replace(
            "IADD3 R1, R1, -0x18, RZ",
            "IMAD.MOV.U32 R3, RZ, RZ, R1\nIADD3 R1, R1, -0x18, RZ\nLOP3.LUT R1, R1, 0xfffffff0, RZ, 0xc0, !PT",
        )
        .replace("IADD3 R1, R1, 0x18, RZ", "MOV R1, R3")
        .replace("0x90", "0xb0");
    let text = lifted_image(&image(&rounding));
    assert!(text.contains(", %r1, 40;"), "{text}");
}

#[test]
fn functions_are_called_by_their_places_in_bank_2() {
    let mut image = image(&CALLER.replace("CALL\n", "@P0 CALL.REL.NOINC R10 0x0\n"));
    for (name, address) in [("f", 0x40), ("g", 0x50), ("k", 0)] {
        image.functions.insert(name.to_owned(), Place { code: 0, address });
    }
    image.kernels_begin.insert(Place { code: 0, address: 0 });
    image.kernels[0].constants = [1u64, 0x40, 0].map(u64::to_le_bytes).concat();
    let text = lifted_image(&image);
    // Where a register says no function's place, the grid ends.
    assert!(text.contains("mov.u64 %d1, __k_calls_0_40;") && text.contains(" trap;"), "{text}");
    assert!(text.contains(", (in), prototype;") && !text.contains("__k_calls_0_50"), "{text}");
    // Where bank 2 has none, the number is the place.
    image.kernels[0].constants.clear();
    image.functions.insert("$__internal_0_$div".to_owned(), Place { code: 0, address: 0x60 });
    let text = lifted_image(&image);
    assert!(text.contains("__k_calls_0_50;") && !text.contains("__k_calls_0_60"), "{text}");
}

#[test]
fn functions_are_called_by_addresses_in_variables() {
    let mut image = image(&CALLER.replace("CALL\n", "CALL.ABS.NOINC R10\n"));
    let place = Place { code: 0, address: 0x40 };
    image.functions.insert("f".to_owned(), place);
    image.variables.push(Variable {
        symbol: "table".to_owned(),
        name: "table".to_owned(),
        size: 16,
        bytes: vec![0; 16],
        addresses: BTreeMap::from([(8, Named { symbol: "f".to_owned(), addend: 0 })]),
        is_managed: true,
        ..Variable::default()
    });
    let text = lifted_image(&image);
    // 0xffff9000_00000040, as calls compare it.
    let table = "table[16] = {0,0,0,0,0,0,0,0,64,0,0,0,0,144,255,255};";
    assert!(text.contains(table) && text.contains(".global .attribute(.managed)"), "{text}");
    assert!(text.contains(", 18446620928407240768;"), "{text}");
}

#[test]
fn lanes_that_met_in_several_places_take_part_together() {
    let text = lifted("WARPSYNC R6\nSHFL.IDX PT, R5, R2, R3, R5\n@P0 VOTE.ANY R7, PT, P1\nEXIT");
    assert!(text.contains("bar.warp.sync %r6;\n    mov.b32 %t0, %r6;"), "{text}");
    assert!(text.contains("%r2, %r3, %r5, %t0;"), "{text}");
    // Where a guard leaves some of them out, those that are together.
    assert_eq!(text.matches("activemask").count(), 1, "{text}");
    let text = lifted("WARPSYNC R6\nBRA 0x20\nVOTE.ANY R7, PT, P1\nEXIT");
    assert_eq!(text.matches("activemask").count(), 1, "{text}");
}

#[test]
fn arrivals_begin_the_next_phase_with_what_is_expected() {
    for listing in [
        "@P0 ATOMS.ARRIVE.64 R6, [R3+URZ+0x8]\nEXIT",
        "@P0 ARRIVES.LDGSTSBAR.64 [R3+URZ+0x8]\nEXIT",
    ] {
        let text = lifted(listing);
        assert!(text.contains("atom.acq_rel.cta.shared.cas.b64"), "{text}");
        assert!(text.contains("bra C1;") && text.contains("bra C1_again;"), "{text}");
        assert_eq!(text.contains("mov.b64 {%r6, %r7},"), listing.contains("R6"), "{text}");
    }
    // A loop that asks for the phase looks anew each time.
    let text = lifted("ATOMS.ARRIVE.64 RZ, [URZ]\nLDS R5, [R2]\nEXIT");
    assert!(text.contains("ld.acquire.cta.shared.b32 %r5"), "{text}");
    assert!(lifted("LDS R5, [R2]\nEXIT").contains("ld.shared.b32 %r5"));
}

#[test]
fn loads_give_zeros_to_threads_that_their_operand_leaves_out() {
    let text = lifted("@P1 LDG.E.64 R2, [R2.64], !P0\nEXIT");
    let lines = [
        "mov.pred %q0, %p1;",
        "not.pred %q1, %p0;",
        "and.pred %q2, %q0, %q1;",
        "and.pred %q3, %q0, %p0;",
        "@%q2 ld.global.v2.b32 {%r2, %r3}, [%d0];",
        "@%q3 mov.b32 %r2, 0;",
        "@%q3 mov.b32 %r3, 0;",
    ];
    assert!(text.contains(&lines.join("\n    ")), "{text}");
    assert_eq!(lifted("LDG.E R2, [R2.64]\nEXIT"), lifted("LDG.E R2, [R2.64], PT\nEXIT"));
}

#[test]
fn products_take_operands_with_a_minus() {
    let text =
        lifted("HMMA.1688.F32.TF32 R4, R8, -R12, R16\nHMMA.16816.F16 R4, -R8, R12, R16\nEXIT");
    for (flipped, signs) in [("%r12, 0x80000000;", 1), ("%r13, 0x80000000;", 1), ("0x80008000;", 4)]
    {
        let found = text.lines().filter(|line| line.contains("xor.b32") && line.contains(flipped));
        assert_eq!(found.count(), signs, "{text}");
    }
    let text = lifted("DMMA.884 R4, -R8, R12, -R16\nEXIT");
    for flipped in ["%r9, 0x80000000;", "%r17, 0x80000000;", "%r19, 0x80000000;"] {
        assert!(text.contains(flipped) && text.matches("xor.b32").count() == 3, "{text}");
    }
}

#[test]
fn asynchronous_copies_count_uniform_registers() {
    let text = lifted("LDGSTS.E [R5+UR4+0x80], [R2.64+0x80]\nEXIT");
    let sum = text.lines().find(|line| line.contains("%r5, %u4;")).expect("a sum");
    let sum = sum.split([' ', ',']).find(|word| word.starts_with("%t")).expect("its register");
    let place =
        text.lines().find(|line| line.contains(&format!("%shared, {sum};"))).expect("a place");
    let place = place.split([' ', ',']).find(|word| word.starts_with("%t")).expect("its register");
    assert!(text.contains(&format!("cp.async.ca.shared.global [{place}+128], ")), "{text}");
}

/// Accesses by the same register are so far from one place, until it is written.
#[test]
fn places_in_shared_memory_are_put_together_once() {
    let text = lifted(
        "LDS R4, [R2]\nSTS [R2+0x8], R4\n@P0 LDS R2, [R2+-0x4]\nLDS R5, [R2+0x8]\nSTS [R2+UR4], R5\nEXIT",
    );
    let places: Vec<_> =
        text.lines().filter(|line| line.contains("add.s32") && line.contains("%shared")).collect();
    let [first, second, _] = places[..] else { panic!("{text}") };
    let of =
        |line: &str| line.split([' ', ',']).find(|word| word.starts_with("%t")).map(str::to_owned);
    let (first, second) = (of(first).expect("a register"), of(second).expect("a register"));
    for wanted in [
        format!("%r4, [{first}];"),
        format!("[{first}+8], %r4;"),
        format!("%r2, [{first}+-4];"),
        format!("%r5, [{second}+8];"),
    ] {
        assert!(text.contains(&wanted), "{wanted}: {text}");
    }
}

/// A pair of registers is what it was made of or put together to, until one of them is written, or somebody else comes here.
#[test]
fn halves_are_put_together_once() {
    for (code, joins) in [
        ("LDG.E R4, [R2.64]\nLDG.E R5, [R2.64+0x8]", 1),
        ("IMAD.WIDE R2, R4, R5, R6\nLDG.E R5, [R2.64+0x8]", 1),
        ("LDG.E R4, [R2.64]\nMOV R3, R4\nLDG.E R5, [R2.64]", 2),
        ("LDG.E R4, [R2.64]\nLDG.E R2, [R2.64]\nLDG.E R5, [R2.64]", 2),
        ("@P0 IMAD.WIDE R2, R4, R5, R6\nLDG.E R5, [R2.64+0x8]", 2),
        ("LDG.E R4, [R2.64]\n@P0 BRA 0x0\nLDG.E R5, [R2.64]", 1),
        ("@P0 BRA 0x20\nLDG.E R4, [R2.64]\nLDG.E R5, [R2.64]", 2),
    ] {
        let text = lifted(&format!("{code}\nEXIT"));
        let found = text.lines().filter(|line| line.contains("mov.b64 %d") && line.contains(", {"));
        assert_eq!(found.count(), joins, "{code}: {text}");
    }
}

/// Both halves are those of one shift, whichever comes first, as long as what is shifted stays.
#[test]
fn shifts_of_64_bits_are_put_together() {
    for (code, taken) in [
        ("IMAD.SHL.U32 R4, R2, 0x4, RZ\nSHF.L.U64.HI R5, R2, 0x2, R3", 1),
        ("SHF.L.U64.HI R3, R2, 0x2, R3\nSHF.L.U32 R2, R2, 0x2, RZ", 1),
        ("IMAD.SHL.U32 R4, R2, 0x4, RZ\nMOV R2, R6\nSHF.L.U64.HI R5, R2, 0x2, R3", 0),
        ("IMAD.SHL.U32 R4, R2, 0x8, RZ\nSHF.L.U64.HI R5, R2, 0x2, R3", 0),
        ("@P0 IMAD.SHL.U32 R4, R2, 0x4, RZ\nSHF.L.U64.HI R5, R2, 0x2, R3", 0),
        ("SHF.L.U64.HI R2, R2, 0x2, R3\nSHF.L.U32 R4, R2, 0x2, RZ", 0),
    ] {
        let text = lifted(&format!("{code}\nEXIT"));
        let halves =
            text.lines().find_map(|line| line.trim().strip_prefix("mov.b64 {%t")).expect("halves");
        let low = halves.split(',').next().expect("one");
        assert_eq!(text.matches(&format!(", %t{low};")).count(), taken, "{code}: {text}");
    }
}

/// Code of several calls that a branch and the place before it make.
#[test]
fn returns_by_places_of_instructions_choose_among_them() {
    let listing =
        "LEPC R16\nBRA 0x60\nLEPC R16\nBRA 0x60\nSTG.E [R4.64], R2\nEXIT\nRET.ABS R16 0x20";
    let text = lifted(listing);
    for (from, to) in [(0, "L0_20"), (32, "L0_40")] {
        let equal = format!(", %r16, {from};");
        let flag = text.lines().find(|line| line.contains("setp.eq") && line.contains(&equal));
        let flag = flag.and_then(|line| line.split([' ', ',']).find(|word| word.starts_with('%')));
        assert!(text.contains(&format!("@{} bra {to};", flag.expect("a comparison"))), "{text}");
    }
    assert!(text.contains("trap;"), "{text}");
    let other = listing.replace("LEPC R16", "LEPC R18");
    assert!(failure(&other).contains("a return from no call"));
}

/// The declarations of variables, without the values.
fn variables_of(text: &str) -> Vec<(&str, bool)> {
    let is_variable = |line: &&str| line.contains(".global .align") || line.contains(".const ");
    let declarations = text.lines().filter(is_variable);
    declarations.map(|line| (line.split(" =").next().unwrap(), line.contains(" = "))).collect()
}

#[test]
fn heads_and_kernels_have_the_same_variables() {
    let file = crate::cubin::tests::file();
    let cubin = crate::cubin::Cubin::parse(&file).unwrap();
    let module = Module::new(cubin, Encoding::Sm80).expect("a module");
    let head = head(&module.without_code());
    let kernel = lift(&module.kernel("kernel").unwrap());
    assert!(kernel.failures.is_empty());
    // Those of the text, one of which has no value, and the table of a switch.
    let found = variables_of(&head);
    assert_eq!(found.iter().filter(|(_, has_value)| *has_value).count(), 4, "{found:?}");
    assert!(found.iter().any(|(text, _)| text.contains("__constants_of_kernel")));
    assert_eq!(variables_of(&kernel.text), found);
    assert_eq!(variables_of(&lift(&module.all()).text), found);
    assert!(module.kernel("$kernel$square").is_none());
    // The bytes are the head's alone.
    assert!(head.contains(" factor[4] = {0,0,0,64};"), "{head}");
    assert!(kernel.text.contains(" factor[4] = {0};"), "{}", kernel.text);
    // Kernels without their code have what a launch takes: the text's buffer for `vprintf`, and the shared memory.
    for text in [&head, &kernel.text] {
        for wanted in [".pragma \"local 8\";", ".shared .align 1024 .b8 __declared[256];"] {
            assert!(text.contains(wanted), "{text}");
        }
    }
}

/// A variable that begins with another one's address.
#[test]
fn what_is_not_there_is_named() {
    let file = crate::cubin::tests::file();
    let with_address = |change: fn(&mut crate::cubin::Symbol)| {
        let mut cubin = crate::cubin::Cubin::parse(&file).unwrap();
        let symbol = cubin.symbols.iter().position(|symbol| symbol.name == "zeros").unwrap();
        change(&mut cubin.symbols[symbol]);
        let kind = crate::cubin::Relocation::ABSOLUTE_64;
        let relocation = crate::cubin::Relocation { offset: 0, symbol, kind, addend: Some(4) };
        let values = cubin.sections.iter_mut().find(|section| section.name == ".nv.global.init");
        values.unwrap().relocations.push(relocation);
        Module::new(cubin, Encoding::Sm80)
    };
    let there = head(&with_address(|_| {}).expect("a module").without_code());
    assert!(there.contains("0xFF(generic(zeros)+4),0xFF00(generic(zeros)+4),"), "{there}");
    let error = with_address(|symbol| symbol.section = None).expect_err("no `zeros`");
    assert_eq!(error.to_string(), "Undefined reference to 'zeros' in 'text'");
}

/// What relocations of other kinds put into memory costs the kernels that may see it, and no others.
#[test]
fn relocations_of_unknown_kinds_are_named() {
    let file = crate::cubin::tests::file();
    let with = |section: &str, offset: u64, kind: u32| {
        let mut cubin = crate::cubin::Cubin::parse(&file).unwrap();
        let found = cubin.sections.iter_mut().find(|found| found.name == section).unwrap();
        found.relocations.retain(|relocation| relocation.offset != offset);
        let symbol = cubin.symbols.iter().position(|symbol| symbol.name == "zeros").unwrap();
        let relocation = crate::cubin::Relocation { offset, symbol, kind, addend: Some(0) };
        found.relocations.push(relocation);
        lift(&Module::new(cubin, Encoding::Sm80).expect("a module").all())
    };
    let reason = |lifted: &Lifted| match lifted.failures.as_slice() {
        [(_, error)] => error.reason.to_string(),
        other => panic!("{other:?}"),
    };
    // There is the address of `text`.
    let in_bank = with(".nv.constant4", 8, 0x17);
    assert_eq!(reason(&in_bank), "unsupported: a relocation of kind 0x17 in c[4][0x8]");
    let in_variable = with(".nv.global.init", 0, 0x17);
    assert_eq!(reason(&in_variable), "unsupported: a relocation of kind 0x17 in `text`");
    assert_eq!(with(".nv.constant4", 0x1000, 0x17).failures, [], "nobody looks there");
}

#[test]
fn relocations_of_unknown_kinds_are_found_behind_others() {
    let variable = |symbol: &str, needs: &[&str], unknown| Variable {
        symbol: symbol.to_owned(),
        name: symbol.to_owned(),
        size: 16,
        addresses: (0..)
            .step_by(8)
            .zip(needs)
            .map(|(at, need)| (at, Named { symbol: (*need).to_owned(), addend: 0 }))
            .collect(),
        unknown,
        ..Variable::default()
    };
    let mut image = image("MOV R4, c[0x4][0x0]\nMOV R5, c[0x4][0x4]\nEXIT");
    image.variables = vec![
        variable("table", &["table", "entry"], None),
        variable("entry", &["table"], Some(0x44)),
        variable("other", &[], None),
    ];
    let mut lifted_with = |symbol: &str| {
        image.addresses = [(0, Named { symbol: symbol.to_owned(), addend: 0 })].into();
        lift(&image).failures
    };
    assert_eq!(lifted_with("other"), []);
    for symbol in ["table", "entry"] {
        let failures = lifted_with(symbol);
        assert!(failures[0].1.to_string().contains("a relocation of kind 0x44 in `entry`"));
    }
}

/// Where ptxas put the operands of `tex`, `tld4` and `txq`, whose kernel has the texture as its second parameter.
#[test]
fn textures_are_looked_at_by_what_stands_in_a_row() {
    let level = "TEX.SCR.LL R8, R6, R2, R4, 0x0, 0x5a, 2D";
    for (listing, wanted) in [
        (level, "tex.level.2d.v4.u32.f32 {%r6, %r7, %r8, %r9}, [%d0, {%r2, %r3}], %r4;"),
        // Two words are one for each half.
        (
            "TLD.SCR.LZ R8, R6, R0, R7, 0x0, 0x5a, 2D",
            "tex.level.2d.v4.u32.s32 {%r6, %r7, %r8, %r9}, [%d0, {%r0, %r7}], %t2;",
        ),
        // Red and alpha are wanted.
        (
            "TEX.SCR.LL RZ, R6, R2, R4, 0x0, 0x5a, 2D, 0x9",
            "tex.level.2d.v4.u32.f32 {%r6, %t2, %t3, %r7}, [%d0, {%r2, %r3}], %r4;",
        ),
        (
            "TEX.SCR.F16.RN.LL R8, R6, R2, R4, 0x0, 0x5a, ARRAY_2D",
            "tex.level.a2d.v2.f16x2.f32 {%r6, %r8}, [%d0, {%r2, %r3, %r4, %r4}], %r5;",
        ),
        // A handle in a register, level, offsets and depth, which do not fit into halves.
        (
            "TEX.B.LL.AOFFI.DC R8, R6, R4, R8, ARRAY_2D",
            "tex.level.a2d.v4.u32.f32 {%r6, %r7, %r8, %r9}, [%d0, {%r4, %r5, %r6, %r6}], %r9, {%t1, %t2}, %r11;",
        ),
        (
            "TLD4.SCR.B R8, R6, R0, R7, 0x0, 0x5a, 2D",
            "tld4.b.2d.v4.u32.f32 {%r6, %r7, %r8, %r9}, [%d0, {%r0, %r7}];",
        ),
        (
            "TLD4.SCR.B.B.AOFFI R8, R6, R6, R2, 2D",
            "tld4.b.2d.v4.u32.f32 {%r6, %r7, %r8, %r9}, [%d0, {%r6, %r7}], {%t1, %t2};",
        ),
        // Steps along x and y take turns.
        (
            "TXD.B R12, R8, R8, R12, ARRAY_2D",
            "tex.grad.a2d.v4.u32.f32 {%r8, %r9, %r12, %r13}, [%d0, {%t1, %r9, %r10, %r10}], {%r12, %r14}, {%r13, %r15};",
        ),
        (
            "TXQ RZ, R5, R5, TEX_HEADER_DIMENSION, 0x0, 0x5a, 0x2",
            "txq.level.height.b32 %r5, [%d0], %t2;",
        ),
        ("TXQ.B RZ, R7, R6, TEX_HEADER_DIMENSION, 0x1", "txq.level.width.b32 %r7, [%d0], %t1;"),
        (
            "@P0 SULD.D.BA.2D_ARRAY.64.STRONG.SM.IGN R2, [R8], 0x0, 0x5a",
            "@%q0 suld.b.a2d.v2.b32.zero {%r2, %r3}, [%d0, {%r10, %r8, %r9, %r9}];",
        ),
        ("SUST.D.BA.1D.U8.STRONG.SM [R0], R7, R3", "sust.b.1d.b8.clamp [%d0, {%r0}], %r7;"),
        (
            "SUST.P.3D.STRONG.SM.TRAP [R4], R8, 0x0, 0x5a",
            "sust.p.3d.v4.b32.trap [%d0, {%r4, %r5, %r6, %r6}], {%r8, %r9, %r10, %r11};",
        ),
        (
            "SURED.D.BA.2D.MIN.S32.STRONG.SYS.IGN [R6], R0, 0x0, 0x5a",
            "sured.b.min.2d.s32.zero [%d0, {%r6, %r7}], %r0;",
        ),
        (
            "SURED.D.2D.OR.STRONG.SYS.IGN [R6], R0, 0x0, 0x5a",
            "sured.p.or.2d.b32.zero [%d0, {%r6, %r7}], %r0;",
        ),
    ] {
        let text = lifted(&format!("{listing}\nEXIT"));
        assert!(text.contains(wanted), "{listing}\n{text}");
    }
    // What is known of registers is forgotten at both places.
    let written = crate::flow::written(&text::parse(level).expect("an instruction"));
    assert_eq!(written.iter().map(|(_, number)| *number).collect::<Vec<_>>(), [8, 9, 6, 7]);
    for (listing, wanted) in [
        ("TEX.SCR R8, R6, R2, R4, 0x0, 0x5a, 2D", "a level that neighbours choose"),
        ("TEX.SCR.NDV R8, R6, R2, R4, 0x0, 0x5a, 3D", "modifier `NDV`"),
        ("TEX.SCR.LL R8, R6, R2, R4, 0x0, 0x20, 2D", "a texture in c[0][0x80]"),
        ("TEX.SCR.LL P0, R8, R6, R2, R4, 0x0, 0x5a, 2D", "whether texels were there"),
        ("SULD.D.2D.STRONG.SM.IGN R2, [R8], 0x0, 0x5a", "coordinates in texels"),
    ] {
        let error = failure(&format!("{listing}\nEXIT"));
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn textures_that_programs_bind_are_named() {
    let mut image = image("TEX.SCR.LL R8, R6, R2, R4, 0x0, 0x60, 2D\nEXIT");
    let reference = |name: &str, is_surface| Reference { name: name.to_owned(), is_surface };
    image.references = vec![reference("picture", false), reference("target", true)];
    image.kernels[0].handles = [(0x180, Some("picture".to_owned()))].into();
    let both = lift(&image);
    assert_eq!(both.failures, []);
    for text in [&both.text, &head(&image)] {
        assert_eq!(ptx_parser::parse(text).errors, []);
        assert!(text.contains(".visible .global .texref picture;"), "{text}");
        assert!(text.contains(".visible .global .surfref target;"), "{text}");
    }
    assert!(both.text.contains("[picture, {%r2, %r3}], %r4;"), "{}", both.text);
    image.kernels[0].handles = [(0x180, None)].into();
    let refused = lift(&image);
    let [(_, error)] = refused.failures.as_slice() else { panic!("{}", refused.text) };
    assert!(error.to_string().contains("a sampler apart from its texture"), "{error}");
}

#[test]
fn numbers_and_shifts_are_what_they_are() {
    for (listing, expected) in [
        ("HFMA2.MMA R0, -RZ, RZ, 0, 2.384185791015625e-07", "mov.b32 %r0, 4;"),
        ("HFMA2 R0, -RZ, RZ, 1, 0", &format!("mov.b32 %r0, {};", 0x3c00_0000)),
        ("SHF.L.W.U32.HI R5, R0, 0x1a, R2", "shf.l.wrap.b32 %r5, %r0, %r2, 0x1a;"),
        ("SHF.R.U32 R5, R0, R3, R2", "shf.r.clamp.b32 %r5, %r0, %r2, %r3;"),
        ("SHF.R.S32.HI R5, R0, R3, R2", "shr.s32 %r5, %r2, %r3;"),
        ("SHF.L.U32 R5, R0, R3, R2", "shl.b32 %r5, %r0, %r3;"),
        ("SHF.R.U64 R5, R0, R3, R2", "shr.u64 "),
    ] {
        let text = lifted(&format!("{listing}\nEXIT\n"));
        assert!(text.contains(expected), "{listing}: {text}");
    }
    // What is added, and bits of a half that is no number, need the sum.
    for listing in ["HFMA2.MMA R0, -RZ, R1, 1, 0", "HFMA2.MMA R0, -RZ, RZ, +QNAN , 0"] {
        let text = lifted(&format!("{listing}\nEXIT\n"));
        assert!(text.contains("fma.rn.f16x2"), "{listing}: {text}");
    }
}
