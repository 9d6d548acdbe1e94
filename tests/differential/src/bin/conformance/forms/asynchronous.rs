//! mbarriers, each of one thread's own, and copies that PTX calls asynchronous. Those from block to block are
//! illegal where blocks are not in clusters.

use crate::form::{Form, Type};

const FAMILY: &str = "async";
const VERSION: &str = "8.0";
const I32: Type = Type::Int(32);
const I64: Type = Type::Int(64);

/// An mbarrier for each thread of the block, at `[%i6]`, that waits for one arrival.
const BARRIER: &str = ".shared .align 8 .b8 barriers[512]; mov.u32 %i6, barriers; mad.lo.u32 %i6, %i2, 8, %i6; \
                       mbarrier.init.shared.b64 [%i6], 1; fence.mbarrier_init.release.cluster; fence.proxy.async;";
/// Waits for the first phase of that mbarrier.
const WAIT: &str = "again: mbarrier.try_wait.parity.shared::cta.b64 %q, [%i6], 0; @!%q bra again;";

fn form(name: String, body: &str, result: Type, operands: &[Type]) -> Form {
    Form::new(FAMILY, body, result, operands).named(name).version(VERSION)
}

pub fn forms() -> Vec<Form> {
    [mbarriers(), small_copies(), bulk_copies(), reductions(), tracked_stores()].concat()
}

fn mbarriers() -> Vec<Form> {
    let mut forms = Vec::new();
    // The pending count before the operation and after it.
    let init = "and.b32 %i6, %a, 15; add.u32 %i6, %i6, 5; mbarrier.init.shared.b64 [%s], %i6; and.b32 %i7, %b, 3; add.u32 %i7, %i7, 1;";
    let after = "mbarrier.pending_count.b64 %d, %t2; mbarrier.arrive.shared.b64 %t3, [%s]; mbarrier.pending_count.b64 %x, %t3;";
    for operation in [
        "mbarrier.arrive.shared.b64 %t2, [%s];",
        "mbarrier.arrive.shared::cta.b64 %t2, [%s], %i7;",
        "mbarrier.arrive.release.cta.shared::cta.b64 %t2, [%s];",
        "mbarrier.arrive.release.cluster.shared::cta.b64 %t2, [%s], %i7;",
        "mbarrier.arrive.noComplete.shared.b64 %t2, [%s], %i7;",
        "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %t2, [%s], %i7;",
        "mbarrier.arrive.expect_tx.shared.b64 %t2, [%s], 0;",
        "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %t2, [%s], %i7;",
        "mbarrier.arrive_drop.shared.b64 %t2, [%s];",
        "mbarrier.arrive_drop.release.cta.shared::cta.b64 %t2, [%s], %i7;",
        "mbarrier.arrive_drop.noComplete.shared.b64 %t2, [%s], %i7;",
        "mbarrier.arrive_drop.expect_tx.shared.b64 %t2, [%s], 0;",
    ] {
        let name = operation.replace(" %t2, [%s]", "").replace("%i7", "count").replace(';', "");
        forms.push(
            form(name, &format!("{init} {operation} {after}"), I32, &[I32, I32])
                .second(I32)
                .version("8.3"),
        );
    }
    // A phase and the next one, of which the second expects fewer after a thread has dropped out.
    forms.push(
        form(
            "mbarrier phases".to_owned(),
            "mbarrier.init.shared.b64 [%s], 2; mbarrier.arrive.shared.b64 %t2, [%s]; mbarrier.arrive_drop.shared.b64 %t3, [%s]; \
             mbarrier.arrive.shared.b64 %t4, [%s]; mbarrier.pending_count.b64 %d, %t4; mbarrier.arrive.shared.b64 %t5, [%s]; \
             mbarrier.pending_count.b64 %x, %t5; mad.lo.u32 %d, %d, 1000, %x; mov.u32 %x, 0; \
             mbarrier.test_wait.shared.b64 %q, [%s], %t4; @%q add.u32 %x, %x, 1; mbarrier.test_wait.shared.b64 %q, [%s], %t5; @%q add.u32 %x, %x, 2; \
             mbarrier.test_wait.parity.shared.b64 %q, [%s], 0; @%q add.u32 %x, %x, 4; mbarrier.test_wait.parity.shared.b64 %q, [%s], 1; @%q add.u32 %x, %x, 8;",
            I32,
            &[I32],
        )
        .second(I32),
    );
    for wait in [
        "test_wait.parity.shared.b64 %q, [%s], PARITY",
        "test_wait.parity.acquire.cta.shared::cta.b64 %q, [%s], PARITY",
        "test_wait.parity.acquire.cluster.shared::cta.b64 %q, [%s], PARITY",
        "try_wait.parity.shared.b64 %q, [%s], PARITY",
        "try_wait.parity.shared.b64 %q, [%s], PARITY, 20",
        "try_wait.parity.acquire.cta.shared::cta.b64 %q, [%s], PARITY, 20",
        "try_wait.parity.acquire.cluster.shared::cta.b64 %q, [%s], PARITY",
        "test_wait.shared.b64 %q, [%s], %t2",
        "test_wait.acquire.cta.shared::cta.b64 %q, [%s], %t2",
        "try_wait.shared.b64 %q, [%s], %t2",
        "try_wait.acquire.cluster.shared::cta.b64 %q, [%s], %t2, 20",
    ] {
        // A bit for each number of arrivals from none to four, of a barrier that waits for two; with tokens
        // from before the last one.
        let mut body = "mbarrier.init.shared.b64 [%s], 2; and.b32 %i7, %a, 1;".to_owned();
        for step in 0..5 {
            if step > 0 || wait.contains("%t2") {
                body += " mbarrier.arrive.shared.b64 %t2, [%s];";
            }
            for parity in 0..2 {
                let asked = wait.replace("PARITY", if parity == 0 { "%i7" } else { "0" });
                body += &format!(
                    " mbarrier.{asked}; @%q add.u32 %d, %d, {};",
                    1 << (2 * step + parity)
                );
            }
        }
        forms.push(form(format!("mbarrier.{}", wait.replace(" %q, [%s]", "")), &body, I32, &[I32]));
    }
    // Bytes: expected first, and completed first.
    for scope in ["cta", "cluster"] {
        for space in ["shared::cta", "shared::cluster"] {
            let (expect, complete) = (
                format!("mbarrier.expect_tx.relaxed.{scope}.{space}.b64 [%s], %i7;"),
                format!("mbarrier.complete_tx.relaxed.{scope}.{space}.b64 [%s], %i7;"),
            );
            let look = |bit: u32| {
                format!(
                    "mbarrier.test_wait.parity.shared.b64 %q, [%s], 0; @%q add.u32 %d, %d, {bit};"
                )
            };
            let begin =
                "mbarrier.init.shared.b64 [%s], 1; and.b32 %i7, %a, 0xffff; add.u32 %i7, %i7, 1;";
            let arrive = "mbarrier.arrive.shared.b64 %t2, [%s];";
            forms.push(form(
                format!("mbarrier.expect_tx.{scope}.{space}"),
                &format!(
                    "{begin} {expect} {} {arrive} {} {complete} {}",
                    look(1),
                    look(2),
                    look(4)
                ),
                I32,
                &[I32],
            ));
            forms.push(form(
                format!("mbarrier.complete_tx.{scope}.{space}"),
                &format!(
                    "{begin} {complete} {} {expect} {} {arrive} {}",
                    look(1),
                    look(2),
                    look(4)
                ),
                I32,
                &[I32],
            ));
        }
    }
    forms
}

fn small_copies() -> Vec<Form> {
    let mut forms = Vec::new();
    let begin = "st.global.b64 [%g], %a; st.global.b64 [%g+8], %b; st.shared.b64 [%s], -1; st.shared.b64 [%s+8], -1;";
    let end = "ld.shared.b64 %d, [%s]; ld.shared.b64 %x, [%s+8];";
    let waits = "cp.async.wait_all;";
    for (operator, size) in [("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)] {
        for hint in ["", ".L2::64B", ".L2::128B", ".L2::256B"] {
            let copy = format!("cp.async.{operator}.shared.global{hint} [%s], [%g], {size}");
            let name = format!("cp.async.{operator}{hint} {size}");
            forms.push(
                form(name, &format!("{begin} {copy}; {waits} {end}"), I64, &[I64, I64]).second(I64),
            );
        }
        let copy = format!("cp.async.{operator}.shared::cta.global [%s], [%g], {size}");
        // Some bytes, the rest zeros; and none where a predicate says so.
        forms.push(
            form(
                format!("cp.async.{operator} {size} src-size"),
                &format!(
                    "{begin} and.b32 %i6, %c, 31; min.u32 %i6, %i6, {size}; {copy}, %i6; cp.async.commit_group; cp.async.wait_group 0; {end}"
                ),
                I64,
                &[I64, I64, I32],
            )
            .second(I64),
        );
        for not in ["", "!"] {
            forms.push(
                form(
                    format!("cp.async.{operator} {size} {not}ignore-src"),
                    &format!("{begin} setp.ne.u32 %q, %c, 0; {copy}, {not}%q; {waits} {end}"),
                    I64,
                    &[I64, I64, Type::Flag],
                )
                .second(I64)
                .version("8.3"),
            );
        }
    }
    for noinc in ["", ".noinc"] {
        let own = if noinc.is_empty() { "mbarrier.arrive.shared.b64 %t2, [%i6];" } else { "" };
        forms.push(
            form(
                format!("cp.async.mbarrier.arrive{noinc}"),
                &format!(
                    "{BARRIER} {begin} cp.async.ca.shared.global [%s], [%g], 16; cp.async.mbarrier.arrive{noinc}.shared.b64 [%i6]; {own} {WAIT} {end}"
                ),
                I64,
                &[I64, I64],
            )
            .second(I64),
        );
    }
    forms
}

fn bulk_copies() -> Vec<Form> {
    let group = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    let shared = "st.shared.b64 [%s], %a; st.shared.b64 [%s+8], %b; fence.proxy.async;";
    let expect = "mbarrier.arrive.expect_tx.shared.b64 %t2, [%i6], 16;";
    let mut forms = vec![
        form(
            "cp.async.bulk.global.shared::cta".to_owned(),
            &format!(
                "{shared} cp.async.bulk.global.shared::cta.bulk_group [%g], [%s], 16; {group} ld.global.b64 %d, [%g]; ld.global.b64 %x, [%g+8];"
            ),
            I64,
            &[I64, I64],
        )
        .second(I64),
        form(
            "cp.async.bulk.shared::cluster.global".to_owned(),
            &format!(
                "{BARRIER} st.global.b64 [%g], %a; st.global.b64 [%g+8], %b; fence.proxy.async; {expect} \
                 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%g], 16, [%i6]; {WAIT} ld.shared.b64 %d, [%s]; ld.shared.b64 %x, [%s+8];"
            ),
            I64,
            &[I64, I64],
        )
        .second(I64),
        form(
            "cp.async.bulk.prefetch".to_owned(),
            "st.global.b64 [%g], %a; cp.async.bulk.prefetch.L2.global [%g], 16; ld.global.b64 %d, [%g];",
            I64,
            &[I64],
        ),
    ];
    // To the neighbour's scratch memory.
    forms.push(
        form(
            "cp.async.bulk.shared::cluster.shared::cta".to_owned(),
            &format!(
                "{BARRIER} {shared} bar.sync 0; xor.b32 %i5, %i2, 1; sub.u32 %i5, %i5, %i2; mad.lo.s32 %i7, %i5, 16, %s; .shared .align 16 .b8 there[1024]; \
                 mov.u32 %i4, there; mad.lo.u32 %i4, %i2, 16, %i4; {expect} \
                 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%i4], [%i7], 16, [%i6]; {WAIT} ld.shared.b64 %d, [%i4]; ld.shared.b64 %x, [%i4+8];"
            ),
            I64,
            &[I64, I64],
        )
        .second(I64)
        .cluster(2),
    );
    forms
}

fn reductions() -> Vec<Form> {
    let mut forms = Vec::new();
    let global: &[(&str, &[&str])] = &[
        ("and", &["b32", "b64"]),
        ("or", &["b32", "b64"]),
        ("xor", &["b32", "b64"]),
        ("add", &["u32", "s32", "u64", "f32", "f64", "noftz.f16", "noftz.bf16"]),
        ("inc", &["u32"]),
        ("dec", &["u32"]),
        ("min", &["u32", "s32", "u64", "s64", "f16", "bf16"]),
        ("max", &["u32", "s32", "u64", "s64", "f16", "bf16"]),
    ];
    // What is there in %a and %b, what comes in %c and %e.
    for (operation, types) in global {
        for ty in *types {
            let of = match *ty {
                "f32" => Type::F32,
                "f64" => Type::F64,
                "noftz.f16" | "f16" => Type::F16x2,
                "noftz.bf16" | "bf16" => Type::Bf16x2,
                _ => I64,
            };
            let bits = of.bits();
            let step = bits / 8;
            let pairs = |space: &str, at: &str, names: [&str; 2]| {
                let repeat: String = (0..16 / step / 2)
                    .map(|i| {
                        format!(
                            "st.{space}.b{bits} [{at}+{}], {}; st.{space}.b{bits} [{at}+{}], {}; ",
                            2 * i * step,
                            names[0],
                            (2 * i + 1) * step,
                            names[1]
                        )
                    })
                    .collect();
                repeat
            };
            forms.push(
                form(
                    format!("cp.reduce.async.bulk.global.{operation}.{ty}"),
                    &format!(
                        "{} {} fence.proxy.async; cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation}.{ty} [%g], [%s], 16; \
                         cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ld.global.b{bits} %d, [%g]; ld.global.b{bits} %x, [%g+{step}];",
                        pairs("global", "%g", ["%a", "%b"]),
                        pairs("shared", "%s", ["%c", "%e"]),
                    ),
                    of,
                    &[of; 4],
                )
                .second(of),
            );
        }
    }
    let cluster: &[(&str, &[&str])] = &[
        ("and", &["b32"]),
        ("or", &["b32"]),
        ("xor", &["b32"]),
        ("add", &["u32", "s32", "u64"]),
        ("inc", &["u32"]),
        ("dec", &["u32"]),
        ("min", &["u32", "s32"]),
        ("max", &["u32", "s32"]),
    ];
    for (operation, types) in cluster {
        for ty in *types {
            forms.push(
                form(
                    format!("cp.reduce.async.bulk.shared::cluster.{operation}.{ty}"),
                    &format!(
                        "{BARRIER} .shared .align 16 .b8 there[1024]; mov.u32 %i4, there; mad.lo.u32 %i4, %i2, 16, %i4; \
                         st.shared.b64 [%i4], %a; st.shared.b64 [%i4+8], %b; st.shared.b64 [%s], %c; st.shared.b64 [%s+8], %e; fence.proxy.async; \
                         mbarrier.arrive.expect_tx.shared.b64 %t2, [%i6], 16; \
                         cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{operation}.{ty} [%i4], [%s], 16, [%i6]; {WAIT} \
                         ld.shared.b64 %d, [%i4]; ld.shared.b64 %x, [%i4+8];"
                    ),
                    I64,
                    &[I64; 4],
                )
                .second(I64)
                .cluster(2),
            );
        }
    }
    forms
}

fn tracked_stores() -> Vec<Form> {
    let mut forms = Vec::new();
    let map = "mov.u32 %i5, %cluster_ctarank; mapa.shared::cluster.u32 %i4, %s, %i5; mapa.shared::cluster.u32 %i7, %i6, %i5;";
    for (vector, ty, bytes, value) in [
        ("", "b32", 4, "%i5"),
        ("", "b64", 8, "%a"),
        (".v2", "b32", 8, "{%i5, %i3}"),
        (".v2", "b64", 16, "{%a, %b}"),
        (".v2", "u64", 16, "{%b, %a}"),
        (".v4", "b32", 16, "{%i5, %i3, %i5, %i5}"),
        (".v4", "f32", 16, "{%i5, %i3, %i5, %i5}"),
    ] {
        forms.push(
            form(
                format!("st.async{vector}.{ty}"),
                &format!(
                    "{BARRIER} st.shared.b64 [%s], -1; st.shared.b64 [%s+8], -1; {map} cvt.u32.u64 %i5, %a; mbarrier.arrive.expect_tx.shared.b64 %t2, [%i6], {bytes}; \
                     st.async.weak.shared::cluster.mbarrier::complete_tx::bytes{vector}.{ty} [%i4], {value}, [%i7]; {WAIT} ld.shared.b64 %d, [%s]; ld.shared.b64 %x, [%s+8];"
                ),
                I64,
                &[I64, I64],
            )
            .second(I64)
            .version("8.1")
            .cluster(2),
        );
    }
    for (operation, ty) in [
        ("inc", "u32"),
        ("dec", "u32"),
        ("min", "u32"),
        ("min", "s32"),
        ("max", "u32"),
        ("max", "s32"),
        ("and", "b32"),
        ("or", "b32"),
        ("xor", "b32"),
        ("add", "u32"),
        ("add", "s32"),
        ("add", "u64"),
    ] {
        let of = if ty == "u64" { I64 } else { I32 };
        let (bits, bytes) = (of.bits(), of.bits() / 8);
        forms.push(
            form(
                format!("red.async.{operation}.{ty}"),
                &format!(
                    "{BARRIER} st.shared.b{bits} [%s], %a; {map} mbarrier.arrive.expect_tx.shared.b64 %t2, [%i6], {bytes}; \
                     red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{operation}.{ty} [%i4], %b, [%i7]; {WAIT} ld.shared.b{bits} %d, [%s];"
                ),
                of,
                &[of, of],
            )
            .version("8.1")
            .cluster(2),
        );
    }
    forms
}
