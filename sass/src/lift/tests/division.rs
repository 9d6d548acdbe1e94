//! Divisions that ptxas took apart.

use super::*;

/// What ptxas makes of a division, with a call for what is near the ends of the range.
const DIVISION: &str = "MUFU.RCP R7, R2\nFMUL R5, R5, 3\nFCHK P0, R5, R2\nFFMA R6, -R2, R7, 1\nFFMA R6, R7, R6, R7\n\
    FFMA R7, R5, R6, RZ\nFFMA R4, -R2, R7, R5\nIADD3 R9, R9, 0x1, RZ\nFFMA R4, R6, R4, R7\n@!P0 BRA 0xf0\nMOV R7, R5\nMOV R11, 0xe0\n\
    MOV R8, R2\nCALL.REL.NOINC 0x110\nMOV R4, R7\nSTG.E [R12.64], R4\nEXIT\nFADD R7, R7, R8\nRET.REL.NODEC R10 0x0\n";

/// The PTX of a listing whose divisions are put together, with a name for the function at 0x110.
fn divided(listing: &str, name: &str) -> String {
    let mut image = image(listing);
    let entered = super::super::slow::entered(&image.code[0]);
    super::super::division::put_together(
        &mut image.code[0],
        &entered,
        &BTreeMap::from([(0x110, name)]),
    );
    lift(&image).text
}

const NOFTZ: &str = "$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath";

#[test]
fn divisions_are_one_instruction() {
    let text = divided(DIVISION, NOFTZ);
    assert!(text.contains("div.rn.f32 "), "{text}");
    // The way by the call is gone.
    assert!(!text.contains("add.rn.f32 "), "{text}");
    let flushed = divided(DIVISION, "$__internal_0_$__cuda_sm3x_div_rn_ftz_f32_slowpath");
    assert!(flushed.contains("div.rn.ftz.f32 "), "{flushed}");
    let other = divided(DIVISION, "other");
    assert!(!other.contains("div.rn"), "{other}");
}

#[test]
fn what_is_not_quite_a_division_stays() {
    let changes = [
        // Another number.
        ("FFMA R6, -R2, R7, 1", "FFMA R6, -R2, R7, 2"),
        ("FFMA R7, R5, R6, RZ", "FFMA R7, R9, R6, RZ"),
        ("FFMA R4, -R2, R7, R5", "FFMA R4, R2, R7, R5"),
        ("FFMA R4, R6, R4, R7", "FFMA.RZ R4, R6, R4, R7"),
        ("MUFU.RCP R7, R2", "MUFU.RCP R7, R9"),
        ("FCHK P0, R5, R2", "FCHK P0, R2, R5"),
        // What is divided changes on the way, or the quotient, or the condition.
        ("IADD3 R9, R9, 0x1, RZ", "IADD3 R5, R9, 0x1, RZ"),
        ("IADD3 R9, R9, 0x1, RZ", "IADD3 R2, R9, 0x1, RZ"),
        ("FFMA R7, R5, R6, RZ", "FFMA R7, R5, R6, RZ\nFMUL R5, R5, 3"),
        ("\n@!P0 BRA", "\nMOV R4, R9\n@!P0 BRA"),
        ("\n@!P0 BRA", "\nISETP.NE.AND P0, PT, R9, RZ, PT\n@!P0 BRA"),
        ("@!P0 BRA", "@P0 BRA"),
        // A part is not made by all threads, or somebody comes to the middle.
        ("FFMA R4, R6, R4, R7", "@P1 FFMA R4, R6, R4, R7"),
        ("STG.E [R12.64], R4", "@P2 BRA 0x50"),
        ("CALL.REL.NOINC 0x110", "MOV R7, R9"),
    ];
    none_has("div.rn", DIVISION, &changes, |listing| divided(listing, NOFTZ));
}

/// The same of a division by 7, whose reciprocal is known.
const BY_SEVEN: &str = "MOV R6, 0x3e124925\nHFMA2.MMA R2, -RZ, RZ, 2.4375, 0\nFFMA R2, R6, -R2, 1\nFCHK P0, R5, 7\n\
    FFMA R2, R2, R6, 0.14285714924335479736\nFFMA R7, R5, R2, RZ\nFFMA R4, R7, -7, R5\nFFMA R4, R2, R4, R7\n@!P0 BRA 0xc0\n\
    MOV R11, 0xb0\nCALL.REL.NOINC 0xe0\nMOV R4, R7\nSTG.E [R12.64], R4\nEXIT\nFADD R7, R7, R8\nRET.REL.NODEC R10 0x0\n";

#[test]
fn divisions_by_numbers_are_one_instruction() {
    let whole = |listing: &str| {
        let mut image = image(listing);
        let entered = super::super::slow::entered(&image.code[0]);
        let functions = BTreeMap::from([(0xe0, NOFTZ)]);
        super::super::division::put_together(&mut image.code[0], &entered, &functions);
        lift(&image).text
    };
    let text = whole(BY_SEVEN);
    assert!(text.contains("div.rn.f32 ") && !text.contains("add.rn.f32 "), "{text}");
    let changes = [
        // The reciprocal of something else.
        ("MOV R6, 0x3e124925", "MOV R6, 0x3e124a25"),
        ("MOV R6, 0x3e124925", "@P1 MOV R6, 0x3e124925"),
        ("1\nFCHK", "1\nMOV R6, R3\nFCHK"),
        ("0.14285714924335479736", "0.5"),
        // Another number.
        ("2.4375", "2.5"),
        ("FFMA R4, R7, -7, R5", "FFMA R4, R7, -8, R5"),
    ];
    none_has("div.rn", BY_SEVEN, &changes, whole);
}
