//! Data movement beyond plain loads and stores: cache operators, 128 bits, vectors of atomics, the stack.

use crate::form::{Form, Type};

const FAMILY: &str = "data";
const I32: Type = Type::Int(32);
const I64: Type = Type::Int(64);

fn form(name: impl Into<String>, body: &str, result: Type, operands: &[Type]) -> Form {
    Form::new(FAMILY, body, result, operands).named(name).second(result).version("8.4")
}

pub fn forms() -> Vec<Form> {
    [caches(), wide(), vectors_of_atomics(), stack_and_control()].concat()
}

fn caches() -> Vec<Form> {
    let mut forms = Vec::new();
    for load in [
        "ld.global.ca",
        "ld.global.cg",
        "ld.global.cs",
        "ld.global.lu",
        "ld.global.cv",
        "ld.ca",
        "ld.global.nc",
        "ld.global.cg.nc",
        "ld.global.L1::evict_last",
        "ld.global.L1::no_allocate",
        "ld.global.L1::evict_first.L2::128B",
        "ld.global.nc.L1::evict_unchanged.L2::64B",
        "ldu.global",
        "ldu",
        "ld.weak.global",
        "ld.relaxed.sys.global",
        "ld.acquire.cluster.global",
        "ld.mmio.relaxed.sys.global",
        "ld.relaxed.cta",
    ] {
        for ty in ["u32", "b64"] {
            let bits = &ty[1..];
            let body = format!("st.global.b{bits} [%g], %a; membar.gl; {load}.{ty} %d, [%g];");
            let of = if ty == "u32" { I32 } else { I64 };
            forms.push(form(format!("{load}.{ty}"), &body, of, &[of]));
        }
    }
    for store in [
        "st.global.wb",
        "st.global.cg",
        "st.global.cs",
        "st.global.wt",
        "st.wt",
        "st.global.L1::evict_last",
        "st.global.L1::no_allocate",
        "st.weak.global",
        "st.relaxed.sys.global",
        "st.release.cluster.global",
        "st.mmio.relaxed.sys.global",
        "st.volatile",
    ] {
        let body = format!("{store}.u32 [%g], %a; ld.global.u32 %d, [%g];");
        forms.push(form(format!("{store}.u32"), &body, I32, &[I32]));
    }
    for (name, policy) in [
        ("fractional", "createpolicy.fractional.L2::evict_last.b64 %t2, 0.5;"),
        ("fractional two", "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %t2;"),
        (
            "range",
            "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %t2, [%g], 64, 128;",
        ),
    ] {
        forms.push(form(
            format!("createpolicy {name}"),
            &format!(
                "st.global.u32 [%g], 0; {policy} st.global.L2::cache_hint.u32 [%g], %a, %t2; atom.global.add.L2::cache_hint.u32 %x, [%g], %b, %t2; \
                 red.global.xor.L2::cache_hint.b32 [%g], %b, %t2; ld.global.L2::cache_hint.u32 %d, [%g], %t2;"
            ),
            I32,
            &[I32, I32],
        ));
    }
    for hint in [
        "prefetch.global.L1 [%g];",
        "prefetch.global.L2 [%g];",
        "prefetch.global.L2::evict_last [%g];",
        "prefetch.global.L2::evict_normal [%g];",
        "prefetch.L2 [%g];",
        "prefetchu.L1 [%g];",
        "pmevent 3;",
        "pmevent.mask 5;",
        "nanosleep.u32 20;",
        "griddepcontrol.wait;",
        "griddepcontrol.launch_dependents;",
        "fence.proxy.alias;",
        "fence.proxy.async;",
        "fence.proxy.async.global;",
        "fence.proxy.async.shared::cta;",
        "membar.cta;",
        "membar.sys;",
        "fence.sc.cluster;",
    ] {
        forms.push(form(
            hint,
            &format!("st.global.u32 [%g], %a; {hint} ld.global.u32 %d, [%g];"),
            I32,
            &[I32],
        ));
    }
    forms
}

fn wide() -> Vec<Form> {
    let mut forms = Vec::new();
    for (space, at) in [("global", "%g"), ("shared", "%s")] {
        let plain = format!("st.{space}.b64 [{at}], %a; st.{space}.b64 [{at}+8], %b;");
        let read = format!("ld.{space}.b64 %d, [{at}]; ld.{space}.b64 %x, [{at}+8];");
        for order in ["", ".relaxed.gpu", ".acquire.cta", ".volatile"] {
            if order == ".volatile" {
                continue;
            }
            forms.push(form(
                format!("ld{order}.{space}.b128"),
                &format!(".reg .b128 %w; {plain} ld{order}.{space}.b128 %w, [{at}]; mov.b128 {{%x, %d}}, %w;"),
                I64,
                &[I64, I64],
            ));
        }
        for order in ["", ".relaxed.gpu", ".release.cta"] {
            forms.push(form(
                format!("st{order}.{space}.b128"),
                &format!(".reg .b128 %w; mov.b128 %w, {{%a, %b}}; st{order}.{space}.b128 [{at}], %w; {read}"),
                I64,
                &[I64, I64],
            ));
        }
        forms.push(form(
            format!("atom.{space}.exch.b128"),
            &format!(
                ".reg .b128 %w, %v; {plain} mov.b128 %w, {{%b, %a}}; atom.relaxed.gpu.{space}.exch.b128 %v, [{at}], %w; mov.b128 {{%t2, %t3}}, %v; \
                 {read} xor.b64 %d, %d, %t2; sub.u64 %x, %x, %t3;"
            ),
            I64,
            &[I64, I64],
        ));
        for expected in ["%a, %b", "%b, %a"] {
            forms.push(form(
                format!("atom.{space}.cas.b128 {expected}"),
                &format!(
                    ".reg .b128 %w, %v, %u; {plain} mov.b128 %w, {{{expected}}}; mov.b128 %u, {{7, 9}}; atom.relaxed.gpu.{space}.cas.b128 %v, [{at}], %w, %u; \
                     mov.b128 {{%t2, %t3}}, %v; {read} xor.b64 %d, %d, %t2; sub.u64 %x, %x, %t3;"
                ),
                I64,
                &[I64, I64],
            ));
        }
    }
    forms
}

fn vectors_of_atomics() -> Vec<Form> {
    let mut forms = Vec::new();
    for (operation, vector, count, ty, of) in [
        ("add", "v2", 2, "f32", Type::F32),
        ("add", "v4", 4, "f32", Type::F32),
        ("add.noftz", "v2", 2, "f16x2", Type::F16x2),
        ("add.noftz", "v4", 4, "f16x2", Type::F16x2),
        ("min.noftz", "v4", 4, "f16x2", Type::F16x2),
        ("max.noftz", "v2", 2, "f16x2", Type::F16x2),
        ("add.noftz", "v2", 2, "bf16x2", Type::Bf16x2),
        ("min.noftz", "v2", 2, "bf16x2", Type::Bf16x2),
        ("max.noftz", "v4", 4, "bf16x2", Type::Bf16x2),
        ("add.noftz", "v2", 2, "f16", Type::F16),
        ("add.noftz", "v4", 4, "f16", Type::F16),
        ("min.noftz", "v8", 8, "f16", Type::F16),
        ("add.noftz", "v4", 4, "bf16", Type::Bf16),
        ("max.noftz", "v8", 8, "bf16", Type::Bf16),
    ] {
        let bits = of.bits();
        let step = bits / 8;
        let list = |even: &str, odd: &str| {
            (0..count).map(|i| if i % 2 == 0 { even } else { odd }).collect::<Vec<_>>().join(", ")
        };
        let fill: String = (0..count)
            .map(|i| {
                format!(
                    "st.global.b{bits} [%g+{}], {}; ",
                    i * step,
                    if i % 2 == 0 { "%a" } else { "%b" }
                )
            })
            .collect();
        let last = (count - 1) * step;
        let olds = (0..count).map(|i| format!("%v{i}")).collect::<Vec<_>>().join(", ");
        forms.push(form(
            format!("atom.global.{operation}.{vector}.{ty}"),
            &format!(
                ".reg .b{bits} %v<8>; {fill} atom.global.{operation}.{vector}.{ty} {{{olds}}}, [%g], {{{}}}; ld.global.b{bits} %d, [%g]; mov.b{bits} %x, %v{};",
                list("%c", "%e"),
                count - 1
            ),
            of,
            &[of; 4],
        ));
        forms.push(form(
            format!("red.global.{operation}.{vector}.{ty}"),
            &format!(
                "{fill} red.global.{operation}.{vector}.{ty} [%g], {{{}}}; ld.global.b{bits} %d, [%g]; ld.global.b{bits} %x, [%g+{last}];",
                list("%c", "%e")
            ),
            of,
            &[of; 4],
        ));
    }
    forms
}

fn stack_and_control() -> Vec<Form> {
    let jump = "and.b32 %i6, %a, 3; table: .branchtargets one, two, three, one; brx.idx %i6, table; \
                one: mov.u32 %d, 11; bra.uni done; two: add.u32 %d, %b, 22; bra.uni done; three: sub.u32 %d, %b, 33; done: mov.u32 %x, %d;";
    let mut forms = vec![
        form("brx.idx", jump, I32, &[I32, I32]),
        form(
            "alloca.u64",
            "alloca.u64 %t2, 16; st.local.u32 [%t2], %a; st.local.u32 [%t2+12], %b; ld.local.u32 %d, [%t2+12]; ld.local.u32 %x, [%t2];",
            I32,
            &[I32, I32],
        ),
        form(
            "alloca of a variable size",
            "and.b32 %i6, %a, 31; add.u32 %i6, %i6, 1; mul.wide.u32 %t3, %i6, 8; alloca.u64 %t2, %t3, 16; mov.u32 %i7, 0; \
             fill: mul.wide.u32 %t4, %i7, 8; add.u64 %t4, %t4, %t2; mul.lo.u32 %i5, %i7, %b; st.local.u32 [%t4], %i5; add.u32 %i7, %i7, 1; setp.lt.u32 %q, %i7, %i6; @%q bra fill; \
             and.b64 %t5, %t2, 15; cvt.u32.u64 %x, %t5; sum: sub.u32 %i7, %i7, 1; mul.wide.u32 %t4, %i7, 8; add.u64 %t4, %t4, %t2; ld.local.u32 %i5, [%t4]; \
             xor.b32 %d, %d, %i5; add.u32 %d, %d, 1; setp.ne.u32 %q, %i7, 0; @%q bra sum;",
            I32,
            &[I32, I32],
        ),
        form(
            "stacksave",
            "stacksave.u64 %t3; alloca.u64 %t2, 64; st.local.u32 [%t2], %a; ld.local.u32 %d, [%t2]; stackrestore.u64 %t3; alloca.u64 %t4, 64; \
             sub.u64 %t5, %t4, %t2; cvt.u32.u64 %x, %t5;",
            I32,
            &[I32],
        ),
    ];
    for register in [
        "laneid",
        "lanemask_eq",
        "lanemask_le",
        "lanemask_lt",
        "lanemask_ge",
        "lanemask_gt",
        "dynamic_smem_size",
        "total_smem_size",
        "aggr_smem_size",
        "tid.w",
        "ntid.w",
        "ctaid.w",
        "nctaid.w",
        "tid.x",
        "ntid.x",
        "ctaid.z",
        "nctaid.y",
        "envreg3",
        "reserved_smem_offset_begin",
        "reserved_smem_offset_end",
        "reserved_smem_offset_cap",
        "reserved_smem_offset_0",
        "reserved_smem_offset_1",
    ] {
        forms.push(form(format!("%{register}"), &format!("mov.u32 %d, %{register};"), I32, &[I32]));
    }
    for vector in ["tid", "ntid", "ctaid", "nctaid"] {
        forms.push(form(
            format!("mov.v4.u32 %{vector}"),
            &format!(
                ".reg .v4 .u32 %v; mov.v4.u32 %v, %{vector}; mov.u32 %d, %v.x; mov.u32 %x, %v.y;"
            ),
            I32,
            &[I32],
        ));
    }
    forms.push(form(
        "%current_graph_exec",
        "mov.u64 %t2, %current_graph_exec; cvt.u32.u64 %d, %t2; mov.u32 %i6, %clock; mov.u32 %i7, %clock; setp.eq.u32 %q, %i6, %i7; selp.u32 %x, 1, 0, %q;",
        I32,
        &[I32],
    ));
    forms.push(form(
        "%globaltimer",
        "mov.u64 %t2, %globaltimer; mov.u64 %t3, %globaltimer; setp.ge.u64 %q, %t3, %t2; selp.u32 %d, 1, 0, %q; \
         mov.u64 %t2, %clock64; mov.u64 %t3, %clock64; setp.gt.u64 %q, %t3, %t2; selp.u32 %x, 1, 0, %q;",
        I32,
        &[I32],
    ));
    for space in ["const", "global", "local", "shared", "shared::cta", "shared::cluster", "param"] {
        forms.push(form(
            format!("isspacep.{space}"),
            &format!(
                ".local .align 8 .b8 own[16]; mov.u64 %t2, own; cvta.local.u64 %t2, %t2; st.u32 [%t2], %a; isspacep.{space} %q, %t2; @%q add.u32 %d, %d, 1; \
                 cvta.global.u64 %t3, %g; isspacep.{space} %q, %t3; @%q add.u32 %d, %d, 2; cvt.u64.u32 %t4, %s; cvta.shared.u64 %t4, %t4; \
                 isspacep.{space} %q, %t4; @%q add.u32 %d, %d, 4; mov.u64 %t5, 0; isspacep.{space} %q, %t5; @%q add.u32 %d, %d, 8;"
            ),
            I32,
            &[I32],
        ));
    }
    forms
}
