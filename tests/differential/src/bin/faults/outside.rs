//! Accesses outside of what a kernel has.

use crate::case::Case;

/// A text for names: powers of two, and what is near them.
fn text(offset: u64) -> String {
    match offset as i64 {
        offset if offset.unsigned_abs() > 1 << 40 => format!("0x{offset:x}"),
        offset => offset.to_string(),
    }
}

const SHARED: &[u64] = &[
    1024,
    1536,
    2048,
    49152,
    101_376,
    232_448,
    233_472,
    262_144,
    1 << 20,
    (1 << 24) - 4,
    1 << 24,
    1 << 30,
    0xffff_fffc,
    -4_i64 as u64,
    -1024_i64 as u64,
    -2048_i64 as u64,
    1 << 32,
    1 << 40,
];
const LOCAL: &[u64] = &[
    256,
    512,
    1024,
    4096,
    65536,
    524_288,
    1 << 20,
    (1 << 24) - 4,
    1 << 24,
    1 << 30,
    -4_i64 as u64,
    -4096_i64 as u64,
    -65536_i64 as u64,
];
const CONST: &[u64] =
    &[256, 4096, 65280, 65536, 1 << 20, 1 << 32, -4_i64 as u64, -65536_i64 as u64];
const PARAM: &[u64] = &[64, 4096, 65536, 1 << 30, -65536_i64 as u64];
const ADDRESSES: &[u64] = &[
    0,
    4,
    0x10000,
    1 << 32,
    1 << 47,
    1 << 48,
    1 << 49,
    1 << 56,
    1 << 57,
    1 << 63,
    u64::MAX - 3,
    0xffff_8000_0000_0000,
];

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &offset in SHARED {
        let at = "mov.b64 %a, tile; add.u64 %a, %a, %o;";
        let name = text(offset);
        cases.push(Case::new(
            format!("ld.shared+{name}"),
            offset,
            format!("{at} ld.volatile.shared.b32 %r0, [%a]; mov.b32 %r0, 1;"),
        ));
        cases.push(Case::new(
            format!("st.shared+{name}"),
            offset,
            format!("{at} st.shared.b32 [%a], %r0;"),
        ));
    }
    for offset in [2048, 1 << 20, 1 << 24] {
        let at = "mov.b64 %a, tile; add.u64 %a, %a, %o;";
        let name = text(offset);
        cases.push(Case::new(
            format!("atom.shared+{name}"),
            offset,
            format!("{at} atom.shared.add.u32 %r1, [%a], %r0;"),
        ));
        cases.push(Case::new(
            format!("ld.shared.cvta+{name}"),
            offset,
            format!("{at} cvta.shared.u64 %a, %a; ld.volatile.b32 %r1, [%a];"),
        ));
        let at = "mov.b64 %a, tile; cvta.shared.u64 %a, %a; add.u64 %a, %a, %o;";
        cases.push(Case::new(
            format!("ld.generic.shared+{name}"),
            offset,
            format!("{at} ld.volatile.b32 %r1, [%a];"),
        ));
        cases.push(Case::new(
            format!("st.generic.shared+{name}"),
            offset,
            format!("{at} st.b32 [%a], %r1;"),
        ));
    }
    // 1024 bytes are there, and 256 besides.
    for offset in [256, 1024, 2048, 65536, 1 << 20] {
        let at = "mov.b64 %a, dynamic; add.u64 %a, %a, %o;";
        let name = text(offset);
        cases.push(
            Case::new(
                format!("st.dynamic.256+{name}"),
                offset,
                format!(
                    "{at} mov.b64 %d2, tile; st.shared.b32 [%d2], %r0; st.shared.b32 [%a], %r0;"
                ),
            )
            .shared(256),
        );
        cases.push(Case::new(
            format!("st.dynamic.0+{name}"),
            offset,
            format!("{at} mov.b64 %d2, tile; st.shared.b32 [%d2], %r0; st.shared.b32 [%a], %r0;"),
        ));
        cases.push(Case::new(
            format!("st.dynamic.alone.0+{name}"),
            offset,
            format!("{at} st.shared.b32 [%a], %r0;"),
        ));
    }
    for &offset in LOCAL {
        let at = "mov.b64 %a, own; st.local.b32 [%a], %r0; add.u64 %a, %a, %o;";
        let name = text(offset);
        cases.push(Case::new(
            format!("ld.local+{name}"),
            offset,
            format!("{at} ld.local.b32 %r1, [%a]; st.global.b32 [%out+8], %r1;"),
        ));
        cases.push(Case::new(
            format!("st.local+{name}"),
            offset,
            format!(
                "{at} st.local.b32 [%a], %r0; ld.local.b32 %r1, [own]; st.global.b32 [%out+8], %r1;"
            ),
        ));
    }
    for &offset in CONST {
        let body = "mov.b64 %a, bank; add.u64 %a, %a, %o; ld.const.b32 %r0, [%a]; st.global.b32 [%out+8], %r0; mov.b32 %r0, 1;";
        cases.push(Case::new(format!("ld.const+{}", text(offset)), offset, body));
    }
    for &offset in PARAM {
        let body = "mov.b64 %a, block; add.u64 %a, %a, %o; ld.param.b32 %r0, [%a]; st.global.b32 [%out+8], %r0; mov.b32 %r0, 1;";
        cases.push(Case::new(format!("ld.param+{}", text(offset)), offset, body));
    }
    for &offset in ADDRESSES {
        let name = format!("{offset:#x}");
        cases.push(Case::new(
            format!("ld.global={name}"),
            offset,
            "ld.volatile.global.b32 %r1, [%o];",
        ));
        if matches!(offset, 0 | 0x8000_0000_0000_0000) {
            cases.push(Case::new(
                format!("ld.generic={name}"),
                offset,
                "ld.volatile.b32 %r1, [%o];",
            ));
        }
        cases.push(Case::new(format!("st.global={name}"), offset, "st.global.b32 [%o], %r1;"));
    }
    for offset in [0, 1 << 63] {
        let name = format!("{offset:#x}");
        for (form, body) in [
            ("atom.global", "atom.global.add.u32 %r1, [%o], %r0;"),
            ("red.global", "red.global.add.u32 [%o], %r0;"),
            ("ld.nc", "ld.global.nc.b32 %r1, [%o]; st.global.b32 [%out+8], %r1;"),
            ("ld.v4", "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%o]; st.global.b32 [%out+8], %r1;"),
            ("prefetch", "prefetch.global.L2 [%o];"),
            ("prefetchu", "prefetchu.L1 [%o];"),
            ("discard", "discard.global.L2 [%o], 128;"),
            (
                "cp.async",
                "mov.b64 %d2, tile; cp.async.ca.shared.global [%d2], [%o], 4; cp.async.wait_all;",
            ),
            ("isspacep", "isspacep.global %p0, %o; selp.b32 %r0, 1, 0, %p0;"),
            ("inactive", "setp.eq.u32 %p0, %lane, 9; @%p0 ld.volatile.global.b32 %r1, [%o];"),
        ] {
            cases.push(Case::new(format!("{form}={name}"), offset, body));
        }
    }
    cases.push(Case::new(
        "st.const.generic",
        0,
        "mov.b64 %a, bank; cvta.const.u64 %a, %a; st.b32 [%a], %r0;",
    ));
    cases.push(Case::new(
        "st.const.generic.global",
        0,
        "mov.b64 %a, bank; cvta.const.u64 %a, %a; st.global.b32 [%a], %r0;",
    ));
    cases.push(
        Case::new("ld.text", 0, "mov.b64 %a, callee; ld.volatile.global.b32 %r1, [%a];")
            .module(CALLEE),
    );
    cases.push(
        Case::new("st.text", 0, "mov.b64 %a, callee; st.global.b32 [%a], %r1;").module(CALLEE),
    );
    // More than misaligned: which fault comes first.
    cases.push(Case::new("ld.global=0x2", 2, "ld.volatile.global.b32 %r1, [%o];"));
    cases.push(Case::new(
        "ld.global=0x8000000000000002",
        (1 << 63) + 2,
        "ld.volatile.global.b32 %r1, [%o];",
    ));
    cases.push(Case::new(
        "ld.shared+1048578",
        (1 << 20) + 2,
        "mov.b64 %a, tile; add.u64 %a, %a, %o; ld.volatile.shared.b32 %r0, [%a];",
    ));
    cases
}

pub const CALLEE: &str = ".func callee() { ret; }";
