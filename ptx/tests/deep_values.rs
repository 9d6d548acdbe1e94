//! Values that are computed of the value before in two ways, many times: a pass that looks at what a value is computed of,
//! and does not remember what it has seen, never comes to an end.

use ptx::{Blocks, Executor, Options, Program, Stage, Target};

const DEPTH: usize = 64;

/// A kernel with registers of each type, in which `%r1` differs between threads; `steps` stand there many times.
fn kernel(before: &str, steps: &str, after: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n
        .visible .entry k(.param .u64 to)\n{{
            .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<4>; .reg .f64 %d<4>;
            .shared .align 16 .b8 shared[4096]; .local .align 16 .b8 local[1024];
            ld.param.u64 %rd1, [to]; mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; setp.lt.u32 %p1, %r1, 7;
            cvt.rn.f32.u32 %f1, %r1; cvt.rn.f64.u32 %d1, %r1; mov.u32 %r4, shared; mov.u32 %r5, 0;
            {before}\n{}\n{after}
            ret;
        }}",
        [steps; DEPTH].join("\n")
    )
}

#[test]
fn code_is_made_however_deep_values_are() {
    const NUMBER: &str = "mul.lo.u32 %r2, %r1, %r1; add.u32 %r1, %r1, %r2;";
    const WIDE: &str = "mul.lo.u64 %rd3, %rd2, %rd2; xor.b64 %rd2, %rd2, %rd3;";
    let steps = [
        ("", NUMBER, "st.global.u32 [%rd1], %r1;"),
        // Addresses of each space, in shared memory the same for all warps, before a barrier and behind it.
        (
            "mov.u32 %r1, %laneid;",
            NUMBER,
            "and.b32 %r1, %r1, 1020; add.u32 %r1, %r1, %r4; bar.sync 0; ld.shared.u32 %r3, [%r1]; st.shared.u32 [%r1], %r3;",
        ),
        (
            "mov.u32 %r1, local;",
            NUMBER,
            "ld.local.u32 %r3, [%r1]; st.local.u32 [%r1], %r3; st.global.u32 [%rd1], %r3;",
        ),
        ("", WIDE, "add.u64 %rd2, %rd2, %rd1; ld.u32 %r1, [%rd2]; st.global.u32 [%rd2+4], %r1;"),
        (
            "",
            WIDE,
            "shl.b64 %rd2, %rd2, 2; add.u64 %rd2, %rd2, %rd1; atom.global.add.u32 %r1, [%rd2], 1;",
        ),
        (
            "",
            "ld.shared.u32 %r2, [%r4]; mul.lo.u32 %r2, %r2, %r4; add.u32 %r4, %r4, %r2;",
            "st.global.u32 [%rd1], %r4;",
        ),
        // Conditions, and values that they choose.
        (
            "",
            "setp.lt.u32 %p2, %r1, 9; xor.pred %p3, %p1, %p2; and.pred %p1, %p1, %p3; selp.u32 %r1, %r1, 3, %p1;",
            "@%p1 st.global.u32 [%rd1], %r1;",
        ),
        (
            "",
            "setp.lt.u32 %p2, %r1, 9; @%p2 add.u32 %r1, %r1, %r1; @!%p2 mul.lo.u32 %r1, %r1, %r1;",
            "@%p1 bra E; st.global.u32 [%rd1], %r1;\nE:",
        ),
        // Numbers of other types.
        ("", "fma.rn.f32 %f2, %f1, %f1, %f1; add.f32 %f1, %f1, %f2;", "st.global.f32 [%rd1], %f1;"),
        ("", "mul.f64 %d2, %d1, %d1; add.f64 %d1, %d1, %d2;", "st.global.f64 [%rd1], %d1;"),
        (
            "mov.b32 {%h1, %h2}, %r1;",
            "mul.lo.u16 %h2, %h1, %h1; add.u16 %h1, %h1, %h2;",
            "st.global.u16 [%rd1], %h1;",
        ),
        // Loops that end by such a number.
        (
            "L:",
            NUMBER,
            "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r1; @%p1 bra L; st.global.u32 [%rd1], %r5;",
        ),
        (
            "L: bar.sync 0;",
            NUMBER,
            "st.shared.u32 [shared], %r1; ld.shared.u32 %r3, [shared+8]; setp.ne.u32 %p1, %r3, %r1; @%p1 bra L;",
        ),
        // The warp takes part.
        (
            "",
            "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; mul.lo.u32 %r2, %r2, %r1; add.u32 %r1, %r1, %r2;",
            "st.global.u32 [%rd1], %r1;",
        ),
    ];
    for (before, step, after) in steps {
        for target in cpus().into_iter().chain(Target::parse("gfx1100")) {
            compile(&target, before, step, after);
        }
    }
}

/// Not for AMD GPUs: there LLVM itself does not come to an end (`TargetLowering::isGAPlusOffset`).
#[test]
fn code_is_made_however_often_an_address_is_in_a_sum() {
    const AFTER: &str =
        "ld.shared.u32 %r3, [%r4]; st.shared.u32 [%r4], %r1; st.global.u32 [%rd1], %r3;";
    for target in cpus() {
        compile(&target, "", "add.u32 %r4, %r4, %r4;", AFTER);
    }
}

fn cpus() -> [Target; 2] {
    [Executor::Vector, Executor::Reference]
        .map(|executor| Target::cpu(Some("x86-64-v3"), Blocks::Any, executor))
}

/// As PTX, and as PTX of machine code.
fn compile(target: &Target, before: &str, step: &str, after: &str) {
    let text = kernel(before, step, after);
    for text in [text.replacen(")\n{", ")\n.pragma \"local 0\";\n{", 1), text] {
        let program = Program::parse(&text).expect(step);
        program.emit("k", target, &Options::default(), Stage::Asm).expect(step);
    }
}
