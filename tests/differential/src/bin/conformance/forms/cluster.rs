//! Clusters of four blocks: who is who, and the shared memory of others.

use crate::form::{Form, Type};

const FAMILY: &str = "cluster";
const BLOCKS: u32 = 4;
const I32: Type = Type::Int(32);

fn form(name: &str, body: &str, operands: &[Type]) -> Form {
    Form::new(FAMILY, body, I32, operands).named(name).second(I32).cluster(BLOCKS)
}

/// The next block's rank, in `%i6`.
const NEXT: &str = "mov.u32 %i6, %cluster_ctarank; add.u32 %i6, %i6, 1; and.b32 %i6, %i6, 3;";

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for register in [
        "clusterid.x",
        "clusterid.y",
        "nclusterid.x",
        "nclusterid.z",
        "cluster_ctaid.x",
        "cluster_ctaid.z",
        "cluster_nctaid.x",
        "cluster_nctaid.y",
        "cluster_ctarank",
        "cluster_nctarank",
        "ctaid.x",
        "nctaid.x",
    ] {
        forms.push(form(&format!("%{register}"), &format!("mov.u32 %d, %{register};"), &[I32]));
    }
    for blocks in [0, 1, 2, 8] {
        forms.push(
            form(
                &format!("%is_explicit_cluster, {blocks}"),
                "mov.pred %q, %is_explicit_cluster; selp.u32 %d, 1, 0, %q; mov.u32 %x, %cluster_nctarank;",
                &[I32],
            )
            .cluster(blocks),
        );
    }
    // Every pair of arrivals and waits, around a read of the neighbour's memory.
    for (arrive, wait) in [
        ("arrive", "wait"),
        ("arrive.aligned", "wait.aligned"),
        ("arrive.release", "wait.acquire"),
        ("arrive.release.aligned", "wait.acquire.aligned"),
        ("arrive.relaxed", "wait.acquire"),
    ] {
        let fence = if arrive.contains("relaxed") { "fence.acq_rel.cluster;" } else { "" };
        forms.push(form(
            &format!("barrier.cluster.{arrive}"),
            &format!(
                "st.shared.u32 [%s], %a; {fence} barrier.cluster.{arrive}; barrier.cluster.{wait}; {NEXT} mapa.shared::cluster.u32 %i7, %s, %i6; \
                 ld.shared::cluster.u32 %d, [%i7]; getctarank.shared::cluster.u32 %x, %i7; barrier.cluster.arrive; barrier.cluster.wait;"
            ),
            &[I32],
        ));
    }
    // Generic addresses.
    forms.push(form(
        "mapa.u64",
        &format!(
            "st.shared.u32 [%s], %a; barrier.cluster.arrive; barrier.cluster.wait; {NEXT} cvt.u64.u32 %t2, %s; cvta.shared.u64 %t2, %t2; mapa.u64 %t3, %t2, %i6; \
             ld.u32 %d, [%t3]; getctarank.u64 %x, %t3; isspacep.shared::cluster %q, %t3; @%q add.u32 %x, %x, 10; isspacep.shared::cta %q, %t3; @%q add.u32 %x, %x, 100; \
             isspacep.global %q, %t3; @%q add.u32 %x, %x, 1000; isspacep.shared::cta %q, %t2; @%q add.u32 %x, %x, 10000; isspacep.shared::cluster %q, %t2; @%q add.u32 %x, %x, 100000; \
             isspacep.shared %q, %t2; @%q add.u32 %x, %x, 1000000; barrier.cluster.arrive; barrier.cluster.wait;"
        ),
        &[I32],
    ));
    forms.push(form(
        "cvta.to.shared::cluster",
        &format!(
            "st.shared.u32 [%s], %a; barrier.cluster.arrive; barrier.cluster.wait; {NEXT} mapa.shared::cluster.u32 %i7, %s, %i6; cvt.u64.u32 %t2, %i7; \
             cvta.shared::cluster.u64 %t3, %t2; ld.u32 %d, [%t3]; cvta.to.shared::cluster.u64 %t4, %t3; cvt.u32.u64 %i5, %t4; ld.shared::cluster.u32 %x, [%i5]; \
             barrier.cluster.arrive; barrier.cluster.wait;"
        ),
        &[I32],
    ));
    // Stores and atomics to a neighbour.
    let around = |operation: &str| {
        format!(
            "st.shared.u32 [%s], %a; barrier.cluster.arrive; barrier.cluster.wait; {NEXT} mapa.shared::cluster.u32 %i7, %s, %i6; {operation} \
             barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %x, [%s];"
        )
    };
    for store in ["st", "st.relaxed.cluster", "st.release.cluster", "st.volatile"] {
        let operation = format!("{store}.shared::cluster.u32 [%i7], %b;");
        forms.push(form(&format!("{store}.shared::cluster"), &around(&operation), &[I32, I32]));
    }
    for (operation, ty) in [
        ("add", "u32"),
        ("min", "s32"),
        ("min", "u32"),
        ("max", "s32"),
        ("max", "u32"),
        ("inc", "u32"),
        ("dec", "u32"),
        ("and", "b32"),
        ("or", "b32"),
        ("xor", "b32"),
        ("exch", "b32"),
    ] {
        let atom = format!("atom.relaxed.cluster.shared::cluster.{operation}.{ty} %d, [%i7], %b;");
        let name = format!("atom.shared::cluster.{operation}.{ty}");
        forms.push(form(&name, &around(&atom), &[I32, I32]));
        if operation != "exch" {
            let red = format!("red.shared::cluster.{operation}.{ty} [%i7], %b;");
            let name = format!("red.shared::cluster.{operation}.{ty}");
            forms.push(form(&name, &around(&red), &[I32, I32]));
        }
    }
    forms.push(form(
        "atom.shared::cluster.cas.b32",
        &around("atom.acq_rel.cluster.shared::cluster.cas.b32 %d, [%i7], %a, %b;"),
        &[I32, I32],
    ));
    // A neighbour's mbarrier: remote arrivals and bytes, and stores that it tracks.
    let barrier = ".shared .align 8 .b8 barriers[512]; mov.u32 %i5, barriers; mad.lo.u32 %i5, %i2, 8, %i5; mbarrier.init.shared.b64 [%i5], 2; \
                   fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;";
    let wait = "mbarrier.arrive.shared.b64 %t2, [%i5]; again: mbarrier.try_wait.acquire.cluster.shared::cta.b64 %q, [%i5], %t2; @!%q bra again; \
                ld.shared.u32 %d, [%s]; barrier.cluster.arrive; barrier.cluster.wait;";
    for (name, arrive) in [
        ("mbarrier.arrive", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%i4];"),
        (
            "mbarrier.arrive count",
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%i4], 1;",
        ),
        (
            "mbarrier.arrive.expect_tx",
            "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%i4], 16; mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%i4], 16;",
        ),
        (
            "mbarrier.arrive_drop",
            "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%i4];",
        ),
    ] {
        forms.push(form(
            &format!("{name}.shared::cluster"),
            &format!(
                "{barrier} {NEXT} mapa.shared::cluster.u32 %i7, %s, %i6; mapa.shared::cluster.u32 %i4, %i5, %i6; st.shared::cluster.u32 [%i7], %a; {arrive} {wait}"
            ),
            &[I32],
        ));
    }
    forms.push(
        form(
            "st.async to a neighbour",
            &format!(
                "{barrier} {NEXT} mapa.shared::cluster.u32 %i7, %s, %i6; mapa.shared::cluster.u32 %i4, %i5, %i6; \
                 mbarrier.arrive.expect_tx.shared.b64 _, [%i5], 4; st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%i7], %a, [%i4]; {wait}"
            ),
            &[I32],
        )
        .version("8.1"),
    );
    forms
}
