//! Accesses at addresses that are no multiples of their sizes.

use crate::case::Case;

/// Types with their registers and sizes.
const TYPES: &[(&str, &str, u64)] = &[
    ("b16", "%h0", 2),
    ("b32", "%r0", 4),
    ("b64", "%d0", 8),
    ("b128", "%q0", 16),
    ("v2.b8", "{%h0, %h1}", 2),
    ("v4.b8", "{%h0, %h1, %h2, %h3}", 4),
    ("v2.b16", "{%h0, %h1}", 4),
    ("v4.b16", "{%h0, %h1, %h2, %h3}", 8),
    ("v2.b32", "{%r0, %r1}", 8),
    ("v4.b32", "{%r0, %r1, %r2, %r3}", 16),
    ("v2.b64", "{%d0, %d1}", 16),
];

/// The place of an access: its space in the instruction and the address that the offset is added to.
const SPACES: &[(&str, &str, &str)] = &[
    ("global", ".global", "mov.b64 %a, area;"),
    ("shared", ".shared", "mov.b64 %a, tile;"),
    ("local", ".local", "mov.b64 %a, own;"),
    ("const", ".const", "mov.b64 %a, bank;"),
    ("param", ".param", "mov.b64 %a, block;"),
    ("generic_global", "", "cvta.global.u64 %a, area;"),
    ("generic_shared", "", "mov.b64 %a, tile; cvta.shared.u64 %a, %a;"),
    ("generic_local", "", "mov.b64 %a, own; cvta.local.u64 %a, %a;"),
];

/// Forms with an operand beside the address, by the spaces that have them.
const ATOMICS: &[(&str, &str, u64)] = &[
    ("atom.add.u32", "%r0, [%a], %r1", 4),
    ("atom.add.u64", "%d0, [%a], %d1", 8),
    ("atom.cas.b16", "%h0, [%a], %h1, %h2", 2),
    ("atom.cas.b32", "%r0, [%a], %r1, %r2", 4),
    ("atom.cas.b64", "%d0, [%a], %d1, %d1", 8),
    ("atom.exch.b128", "%q0, [%a], %q0", 16),
    ("atom.exch.b32", "%r0, [%a], %r1", 4),
    ("atom.add.f32", "%r0, [%a], %r1", 4),
    ("atom.add.noftz.f16x2", "%r0, [%a], %r1", 4),
    ("atom.add.noftz.f16", "%h0, [%a], %h1", 2),
    ("red.add.u32", "[%a], %r1", 4),
    ("red.add.u64", "[%a], %d1", 8),
    ("red.add.f64", "[%a], %d1", 8),
];

/// Offsets that a size does not divide.
fn offsets(size: u64, vector: bool) -> Vec<u64> {
    match size {
        4 if !vector => vec![1, 2],
        _ => vec![size / 2],
    }
}

fn access(name: String, address: &str, offset: u64, instruction: String) -> Case {
    Case::new(name, offset, format!("    {address} add.u64 %a, %a, %o;\n    {instruction};"))
}

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (space, suffix, address) in SPACES {
        for (kind, register, size) in TYPES {
            // Variables of a kernel's parameters are no place for these.
            if *size == 16 && *kind == "b128" && *space == "param" {
                continue;
            }
            for offset in offsets(*size, kind.starts_with('v')) {
                cases.push(access(
                    format!("ld.{space}.{kind}+{offset}"),
                    address,
                    offset,
                    // The value is used, so that the access stays.
                    format!(
                        "ld{suffix}.{kind} {register}, [%a]; st.global.{kind} [%out+16], {register}"
                    ),
                ));
                if !matches!(*space, "const" | "param") {
                    cases.push(access(
                        format!("st.{space}.{kind}+{offset}"),
                        address,
                        offset,
                        format!("st{suffix}.{kind} [%a], {register}"),
                    ));
                }
            }
        }
        if matches!(*space, "global" | "shared" | "generic_global" | "generic_shared") {
            for (form, operands, size) in ATOMICS {
                let (name, rest) = form.split_at(form.find('.').unwrap_or(0));
                cases.push(access(
                    format!("{form}.{space}+{}", size / 2),
                    address,
                    size / 2,
                    format!("{name}{suffix}{rest} {operands}"),
                ));
            }
        }
    }
    for (kind, register, size) in [("b32", "%r0", 4), ("v2.b32", "{%r0, %r1}", 8)] {
        for semantics in [".volatile", ".relaxed.gpu", ".acquire.gpu"] {
            for (space, suffix, address) in &SPACES[..2] {
                let name = format!("ld{semantics}.{space}.{kind}+{}", size / 2);
                let instruction = format!("ld{semantics}{suffix}.{kind} {register}, [%a]");
                cases.push(access(name, address, size / 2, format!("{instruction}; {}", keep())));
            }
        }
        let name = format!("ld.global.nc.{kind}+{}", size / 2);
        let instruction = format!("ld.global.nc.{kind} {register}, [%a]");
        cases.push(access(name, SPACES[0].2, size / 2, format!("{instruction}; {}", keep())));
    }
    cases.extend(others());
    cases
}

/// Uses what was loaded.
fn keep() -> &'static str {
    "st.global.b32 [%out+8], %r0; st.global.b32 [%out+12], %r1"
}

/// Copies, matrices, barriers in memory; addresses that some lanes have.
fn others() -> Vec<Case> {
    let global = |offset, body: &str| ("mov.b64 %a, area;", offset, body.to_owned());
    let shared = |offset, body: &str| ("mov.b64 %a, tile;", offset, body.to_owned());
    let barrier = "mov.b64 %d2, tile; mbarrier.init.shared.b64 [%d2], 1";
    let table = [
        (
            "cp.async.4.from+2",
            global(
                2,
                "mov.b64 %d2, tile; cp.async.ca.shared.global [%d2], [%a], 4; cp.async.wait_all",
            ),
        ),
        (
            "cp.async.8.from+4",
            global(
                4,
                "mov.b64 %d2, tile; cp.async.ca.shared.global [%d2], [%a], 8; cp.async.wait_all",
            ),
        ),
        (
            "cp.async.16.from+8",
            global(
                8,
                "mov.b64 %d2, tile; cp.async.cg.shared.global [%d2], [%a], 16; cp.async.wait_all",
            ),
        ),
        (
            "cp.async.4.to+2",
            shared(
                2,
                "mov.b64 %d2, area; cp.async.ca.shared.global [%a], [%d2], 4; cp.async.wait_all",
            ),
        ),
        (
            "cp.async.16.to+8",
            shared(
                8,
                "mov.b64 %d2, area; cp.async.cg.shared.global [%a], [%d2], 16; cp.async.wait_all",
            ),
        ),
        ("mbarrier.init+4", shared(4, "mbarrier.init.shared.b64 [%a], 1")),
        ("mbarrier.arrive+4", shared(4, "mbarrier.arrive.shared.b64 %d0, [%a]")),
        (
            "mbarrier.test_wait+4",
            shared(4, "mbarrier.test_wait.shared.b64 %p0, [%a], %d0; selp.b32 %r0, 1, 0, %p0"),
        ),
        (
            "bulk.from+8",
            global(
                8,
                &format!(
                    "{barrier}; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d2+64], [%a], 16, [%d2]"
                ),
            ),
        ),
        (
            "bulk.to+8",
            shared(
                8,
                &format!(
                    "{barrier}; mov.b64 %d3, area; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%a+64], [%d3], 16, [%d2]"
                ),
            ),
        ),
        (
            "bulk.size+8",
            global(
                8,
                &format!(
                    "{barrier}; mov.b64 %d3, area; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d2+64], [%d3], %w, [%d2]"
                ),
            ),
        ),
        (
            "bulk.store.from+8",
            shared(
                8,
                "mov.b64 %d3, area; cp.async.bulk.global.shared::cta.bulk_group [%d3], [%a], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0",
            ),
        ),
        ("discard+4", global(4, "discard.global.L2 [%a], 128")),
        ("prefetch+1", global(1, "prefetch.global.L2 [%a]")),
        ("red.v2.f32+4", global(4, "red.global.add.v2.f32 [%a], {%r0, %r1}")),
        ("red.v4.f32+8", global(8, "red.global.add.v4.f32 [%a], {%r0, %r1, %r2, %r3}")),
        ("atom.v2.f32+4", global(4, "atom.global.add.v2.f32 {%r0, %r1}, [%a], {%r0, %r1}")),
    ];
    let mut cases: Vec<Case> = table
        .into_iter()
        .map(|(name, (address, offset, body))| access(name.to_owned(), address, offset, body))
        .collect();
    let warp = [
        ("ldmatrix+8", shared(8, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a]")),
        (
            "ldmatrix.lane_9+8",
            shared(
                8,
                "setp.ne.u32 %p0, %lane, 9; @%p0 mov.b64 %a, tile; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a]",
            ),
        ),
        ("stmatrix+8", shared(8, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a], {%r0}")),
        (
            "wmma.load+2",
            global(
                2,
                "mov.b32 %r8, 16; .reg .b32 %m<8>; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7}, [%a], %r8",
            ),
        ),
        (
            "lane_7+2",
            global(
                2,
                "setp.ne.u32 %p0, %lane, 7; @%p0 mov.b64 %a, area; ld.volatile.global.b32 %r0, [%a]",
            ),
        ),
        (
            "lane_7.shared+2",
            shared(2, "setp.ne.u32 %p0, %lane, 7; @%p0 mov.b64 %a, tile; st.shared.b32 [%a], %r0"),
        ),
        ("inactive+2", global(2, "setp.eq.u32 %p0, %w, 0; @%p0 ld.volatile.global.b32 %r0, [%a]")),
        (
            "stride_6",
            global(
                6,
                "mul.lo.u32 %r8, %lane, 6; cvt.u64.u32 %d8, %r8; mov.b64 %a, area; add.u64 %a, %a, %d8; ld.volatile.global.b32 %r0, [%a]",
            ),
        ),
    ];
    cases.extend(warp.into_iter().map(|(name, (address, offset, body))| {
        access(name.to_owned(), address, offset, body).threads(32)
    }));
    cases
}
