//! Shuffles, votes, matches and reductions over whole and partial warps.

use crate::form::{Form, Type};

const FAMILY: &str = "warp";

/// `mask`: the lanes that take part; the others jump around the instruction.
fn masked(name: String, instruction: &str, mask: u32, result: Type, operands: &[Type]) -> Form {
    let body = format!(
        "shr.u32 %i6, {mask:#x}, %lane; and.b32 %i6, %i6, 1; setp.eq.u32 %p, %i6, 0; @%p bra around; {instruction} around:"
    );
    Form::new(FAMILY, &body, result, operands)
        .second(Type::Int(32))
        .named(format!("{name}:{mask:#x}"))
}

const MASKS: [u32; 4] = [u32::MAX, 0xffff, 0x5555_5555, 0x8000_0001];

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    let i32 = Type::Int(32);
    for mask in MASKS {
        for mode in ["up", "down", "bfly", "idx"] {
            for (b, c) in [
                (1, 31),
                (1, 0),
                (5, 31),
                (16, 31),
                (3, 0x1807),
                (2, 0x1003),
                (31, 31),
                (40, 31),
                (4, 0x0f1f),
            ] {
                // Reading a lane that is not there is undefined: partial masks only shuffle within themselves.
                if mask != u32::MAX
                    && !(mask == 0xffff && c & 0x1f00 != 0 && mode == "bfly" && b < 16)
                {
                    continue;
                }
                forms.push(masked(
                    format!("shfl.sync.{mode}.b32 {b},{c:#x}"),
                    &format!("shfl.sync.{mode}.b32 %d|%q, %a, {b}, {c}, {mask:#x}; selp.u32 %x, 1, 0, %q;"),
                    mask,
                    i32,
                    &[i32],
                ));
            }
        }
        if mask == u32::MAX {
            forms.push(masked(
                "shfl.sync.idx.b32 varying".into(),
                "and.b32 %b, %b, 31; shfl.sync.idx.b32 %d|%q, %a, %b, 31, 0xffffffff; selp.u32 %x, 1, 0, %q;",
                mask,
                i32,
                &[i32, i32],
            ));
        }
        for mode in ["all", "any", "uni"] {
            forms.push(masked(
                format!("vote.sync.{mode}.pred"),
                &format!("setp.ne.u32 %q, %a, 0; vote.sync.{mode}.pred %q, %q, {mask:#x}; selp.u32 %d, 1, 0, %q;"),
                mask,
                i32,
                &[Type::Flag],
            ));
        }
        forms.push(masked(
            "vote.sync.ballot.b32".into(),
            &format!("setp.lt.s32 %q, %a, 9; vote.sync.ballot.b32 %d, %q, {mask:#x};"),
            mask,
            i32,
            &[i32],
        ));
        for bits in [32, 64] {
            let ty = Type::Int(bits);
            forms.push(masked(
                format!("match.any.sync.b{bits}"),
                &format!("match.any.sync.b{bits} %d, %a, {mask:#x};"),
                mask,
                i32,
                &[ty],
            ));
            forms.push(masked(
                format!("match.all.sync.b{bits}"),
                &format!("match.all.sync.b{bits} %d|%q, %a, {mask:#x}; selp.u32 %x, 1, 0, %q;"),
                mask,
                i32,
                &[ty],
            ));
        }
        forms.push(masked(
            "match.any.sync.b32 few".into(),
            &format!("match.any.sync.b32 %d, %a, {mask:#x};"),
            mask,
            i32,
            &[Type::Flag],
        ));
        for operation in [
            "add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32",
            "xor.b32",
        ] {
            forms.push(masked(
                format!("redux.sync.{operation}"),
                &format!("redux.sync.{operation} %d, %a, {mask:#x};"),
                mask,
                i32,
                &[i32],
            ));
        }
        forms.push(masked(
            "elect.sync".into(),
            &format!("elect.sync %d|%q, {mask:#x}; selp.u32 %x, 1, 0, %q;"),
            mask,
            i32,
            &[i32],
        ));
        forms.push(masked(
            "bar.warp.sync".into(),
            &format!("st.shared.u32 [%s], %a; bar.warp.sync {mask:#x}; ld.shared.u32 %d, [%s];"),
            mask,
            i32,
            &[i32],
        ));
        forms.push(masked("activemask.b32".into(), "activemask.b32 %d;", mask, i32, &[i32]));
    }
    for register in [
        "lanemask_eq",
        "lanemask_le",
        "lanemask_lt",
        "lanemask_ge",
        "lanemask_gt",
        "laneid",
        "nctaid.x",
        "ntid.x",
        "tid.x",
        "ctaid.x",
        "tid.y",
        "ntid.z",
    ] {
        forms.push(
            Form::new(FAMILY, &format!("mov.u32 %d, %{register};"), i32, &[i32])
                .named(format!("mov.u32 %{register}")),
        );
    }
    forms.push(
        Form::new(
            FAMILY,
            "setp.ne.u32 %q, %a, 0; barrier.sync 0; barrier.red.popc.u32 %d, 0, %q; barrier.red.and.pred %p, 0, %q; selp.u32 %x, 1, 0, %p;",
            i32,
            &[Type::Flag],
        )
        .second(i32)
        .named("barrier.red"),
    );
    forms.push(
        Form::new(
            FAMILY,
            "st.shared.u32 [%s], %a; bar.sync 0; mov.u32 %i6, memory; xor.b32 %i7, %i2, 33; mad.lo.u32 %i6, %i7, 16, %i6; ld.shared.u32 %d, [%i6]; bar.sync 1, 64;",
            i32,
            &[i32],
        )
        .named("bar.sync"),
    );
    forms
}
