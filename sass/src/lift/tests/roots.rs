//! Square roots and reciprocals that ptxas took apart.

use super::*;

const ROOT: &str = "MUFU.RSQ R7, R4\nIADD3 R3, R4, -0xd000000, RZ\nISETP.GT.U32.AND P0, PT, R3, 0x727fffff, PT\n@!P0 BRA 0x80\n\
    MOV R9, 0x60\nCALL.REL.NOINC 0xf0\nMOV R5, R0\nBRA 0xc0\nFMUL.FTZ R5, R4, R7\nFMUL.FTZ R7, R7, 0.5\n\
    FFMA R4, -R5, R5, R4\nFFMA R5, R4, R7, R5\nSTG.E [R12.64], R5\nEXIT\nEXIT\nFADD R0, R4, R4\nRET.REL.NODEC R8 0x0\n";

const RECIPROCAL: &str = "IADD3 R3, R4, 0x1800000, RZ\nLOP3.LUT R3, R3, 0x7f800000, RZ, 0xc0, !PT\nISETP.GT.U32.AND P0, PT, R3, 0x1ffffff, PT\n\
    @P0 BRA 0x80\nMOV R9, 0x60\nCALL.REL.NOINC 0xf0\nMOV R5, R0\nBRA 0xc0\nMUFU.RCP R5, R4\nFFMA R3, R4, R5, -1\n\
    FADD.FTZ R3, -R3, -RZ\nFFMA R5, R5, R3, R5\nSTG.E [R12.64], R5\nEXIT\nEXIT\nFADD R0, R4, R4\nRET.REL.NODEC R8 0x0\n";

/// The PTX of a listing whose roots are put together, with a name for the function at 0xf0.
fn rooted(listing: &str, name: &str) -> String {
    let mut image = image(listing);
    let entered = super::super::slow::entered(&image.code[0]);
    super::super::roots::put_together(
        &mut image.code[0],
        &entered,
        &BTreeMap::from([(0xf0, name)]),
    );
    lift(&image).text
}

const OF_ROOT: &str = "$__internal_1_$__cuda_sm20_sqrt_rn_f32_slowpath";
const OF_RECIPROCAL: &str = "$__internal_0_$__cuda_sm20_rcp_rn_f32_slowpath";

#[test]
fn roots_and_reciprocals_are_one_instruction() {
    for (listing, name, expected) in [
        (ROOT, OF_ROOT, "sqrt.rn.f32 %r5, %r4"),
        (ROOT, "$__cuda_sm20_sqrt_rn_ftz_f32_slowpath", "sqrt.rn.ftz.f32 %r5, %r4"),
        (RECIPROCAL, OF_RECIPROCAL, "rcp.rn.f32 %r5, %r4"),
        (RECIPROCAL, "$__cuda_sm20_rcp_rn_ftz_f32_slowpath", "rcp.rn.ftz.f32 %r5, %r4"),
    ] {
        let text = rooted(listing, name);
        assert!(text.contains(expected), "{text}");
        // The slow way is gone, and so is the rest of the fast one.
        assert!(!text.contains("add.rn.f32 ") && !text.contains("fma.rn"), "{text}");
        let other = rooted(listing, "other");
        assert!(!other.contains("sqrt.rn") && !other.contains("rcp.rn"), "{other}");
    }
}

#[test]
fn what_is_not_quite_a_root_stays() {
    let changes = [
        ("MUFU.RSQ R7, R4", "MUFU.RSQ R7, R8"),
        ("MUFU.RSQ R7, R4", "MUFU.RCP R7, R4"),
        ("IADD3 R3, R4, -0xd000000, RZ", "IADD3 R4, R4, -0xd000000, RZ"),
        ("IADD3 R3, R4, -0xd000000, RZ", "IADD3 R7, R4, -0xd000000, RZ"),
        ("FMUL.FTZ R7, R7, 0.5", "FMUL.FTZ R7, R7, 2"),
        ("FMUL.FTZ R7, R7, 0.5", "FMUL.FTZ R5, R7, 0.5"),
        ("FFMA R4, -R5, R5, R4", "FFMA R4, R5, R5, R4"),
        ("FFMA R5, R4, R7, R5", "FFMA.RZ R5, R4, R7, R5"),
        ("FFMA R5, R4, R7, R5", "@P1 FFMA R5, R4, R7, R5"),
        // Somebody comes to the middle.
        ("EXIT\nEXIT", "@P1 BRA 0x90\nEXIT"),
    ];
    none_has("sqrt.rn", ROOT, &changes, |listing| rooted(listing, OF_ROOT));
    let changes = [
        ("MUFU.RCP R5, R4", "MUFU.RCP R5, R8"),
        ("FFMA R3, R4, R5, -1", "FFMA R3, R4, R5, 1"),
        ("FADD.FTZ R3, -R3, -RZ", "FADD.FTZ R3, R3, -RZ"),
        ("FFMA R5, R5, R3, R5", "FFMA R5, R5, R3, R4"),
        ("FADD.FTZ R3, -R3, -RZ", "FADD.FTZ R5, -R3, -RZ"),
    ];
    none_has("rcp.rn", RECIPROCAL, &changes, |listing| rooted(listing, OF_RECIPROCAL));
}
