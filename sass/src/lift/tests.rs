use super::*;
use crate::text;

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
    // The kernel is there for those who ask for it, and cannot be compiled.
    let errors = ptx_parser::parse(&lifted.text).errors;
    assert!(
        matches!(errors.as_slice(), [error] if error.function.as_deref() == Some("k")),
        "{errors:?}"
    );
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
        ("CALL.REL.NOINC 0x0\nEXIT", "unsupported: functions that call themselves"),
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

#[test]
fn barriers_go_on_where_they_were_told_to() {
    let text = lifted(
        "BSSY B0, 0x50\n@P0 BRA 0x30\nMOV R2, 0x1\nBSYNC B0\nMOV R2, 0x2\nSTG.E [R4.64], R2\nEXIT",
    );
    // Nothing goes to the instruction behind, so that the place is the next one.
    assert!(text.contains("L0_30:\nL0_50:\n") && !text.contains("mov.b32 %r2, 0x2;"), "{text}");
}

/// Lanes that a mask names wait for each other, and then work together.
#[test]
fn checks_of_convergence_are_waits() {
    let text = lifted(
        "BRA.DIV ~URZ, 0x40\nSHFL.BFLY PT, R3, R2, 0x1, 0x1f\nSTG.E [R4.64], R3\nEXIT\nBRA 0x40",
    );
    let wait = text.find("bar.warp.sync 0xffffffff;").expect("a wait");
    let mask = text.find("activemask.b32 %t0;").expect("a mask");
    let shuffle = text.find("shfl.sync.bfly.b32 %t1|%q0, %r2, 0x1, 0x1f, %t0;").expect("a shuffle");
    assert!(wait < mask && mask < shuffle, "{text}");
}
