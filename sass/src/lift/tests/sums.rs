//! Sums of 64 bits that ptxas took apart.

use super::*;

fn whole(listing: &str) -> String {
    lifted(&format!("{listing}LDG.E R9, [R2.64]\nEXIT\n"))
}

#[test]
fn halves_with_a_carry_are_one_sum() {
    for (listing, expected) in [
        // A base and what has its sign in another register.
        (
            "SHF.R.S32.HI R6, RZ, 0x1f, R0\nIADD3 R2, P0, R0, R4, RZ\nIADD3.X R3, R6, R5, RZ, P0, !PT\n",
            &["cvt.s64.s32", "add.s64"][..],
        ),
        // The register is overwritten by the sum itself.
        (
            "SHF.R.S32.HI R6, RZ, 0x1f, R2\nIADD3 R2, P0, R2, R4, RZ\nMOV R0, R1\nIADD3.X R3, R6, R5, RZ, P0, !PT\n",
            &["cvt.s64.s32"],
        ),
        (
            "LEA R2, P0, R0, R4, 0x2\nLEA.HI.X.SX32 R3, R0, R5, 0x2, P0\n",
            &["cvt.s64.s32", "shl.b64"],
        ),
        ("IADD3 R2, P0, R0, R4, RZ\nLEA.HI.X.SX32 R3, R0, R5, 0x1, P0\n", &["cvt.s64.s32"]),
        ("IADD3 R2, P0, R0, R4, RZ\nIMAD.X R3, RZ, RZ, R5, P0\n", &["cvt.u64.u32"]),
        ("IADD3 R2, P0, R4, -R0, RZ\nIADD3.X R3, R5, ~R1, RZ, P0, !PT\n", &["sub.s64"]),
        (
            "IADD3 R2, P0, R4, -0x10, RZ\nIADD3.X R3, R5, -0x1, RZ, P0, !PT\n",
            &["0xfffffffffffffff0"],
        ),
        (
            "IADD3 R2, P0, P1, R4, R0, R8\nIADD3.X R3, R5, R1, R9, P0, P1\n",
            &["{%t0, %r5}", "{%t1, %r1}", "{%t2, %r9}"],
        ),
    ] {
        let text = whole(listing);
        assert!(is_joined(&text), "{listing}: {text}");
        assert!(expected.iter().all(|word| text.contains(word)), "{listing}: {text}");
    }
}

/// Whether the upper half of the address is none of a sum with a carry.
fn is_joined(text: &str) -> bool {
    !text.contains("add.s32 %r3, ")
}

#[test]
fn what_is_no_sum_of_64_bits_stays() {
    for listing in [
        // Another carry, one that is overwritten, or one of some threads.
        "IADD3 R2, P0, R0, R4, RZ\nIADD3.X R3, R6, R5, RZ, P1, !PT\n",
        "IADD3 R2, P0, R0, R4, RZ\nISETP.NE.AND P0, PT, R8, RZ, PT\nIADD3.X R3, R6, R5, RZ, P0, !PT\n",
        "IADD3 R2, P0, R0, R4, RZ\nIADD3.X R3, R6, R5, RZ, !P0, !PT\n",
        "@P2 IADD3 R2, P0, R0, R4, RZ\nIADD3.X R3, R6, R5, RZ, P0, !PT\n",
        "IADD3 R2, P0, R0, R4, RZ\n@P2 IADD3.X R3, R6, R5, RZ, P0, !PT\n",
        // A carry that does not say how often it overflows.
        "IADD3 R2, P0, R0, R4, R8\nIADD3.X R3, R6, R5, RZ, P0, !PT\n",
        "IADD3 R2, P0, R4, -R0, RZ\nIADD3.X R3, R5, R1, RZ, P0, !PT\n",
        // Other shifts, or what was shifted is another number since.
        "LEA R2, P0, R0, R4, 0x2\nLEA.HI.X.SX32 R3, R0, R5, 0x3, P0\n",
        "LEA R2, P0, R0, R4, 0x2\nMOV R0, R8\nLEA.HI.X.SX32 R3, R0, R5, 0x2, P0\n",
    ] {
        let text = whole(listing);
        assert!(!is_joined(&text), "{listing}: {text}");
    }
}

/// The lower half is not what it was, so that the sum does not go there again.
#[test]
fn what_was_overwritten_stays_so() {
    let text = whole("IADD3 R2, P0, R0, R4, RZ\nMOV R2, R8\nIADD3.X R3, R6, R5, RZ, P0, !PT\n");
    let last = text.lines().rev().find(|line| line.contains(" %r2, ")).expect("R2");
    assert!(last.contains("mov.b32 %r2, %r8"), "{text}");
}
