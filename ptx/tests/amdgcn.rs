//! The code that the AMD target makes of modules, and its errors for those that it cannot compile. Its code runs in the
//! file tests, on emulated GPUs.

// Tests may.
#![allow(clippy::expect_used)]

use ptx::{Approximations, Blocks, GPUS, Matrices, Options, Program, Stage, Target};

const HEADER: &str = ".version 8.8\n.target sm_100a\n.address_size 64\n";

fn program(text: &str) -> Program {
    Program::parse(&format!("{HEADER}{text}")).expect("good PTX")
}

fn target(name: &str) -> Target {
    Target::parse(name).expect("a target")
}

/// The error's text.
fn refused(text: &str, gpu: &str) -> String {
    let error = program(text).compile("k", &target(gpu), &Options::default());
    error.expect_err("not for this GPU").to_string()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn too_much_shared_memory_is_told_at_the_kernel() {
    let text = ".visible .entry k() {\n.shared .align 4 .b8 s[66000];\n.reg .b32 %r<2>;\n\
                ld.shared.u32 %r1, [s];\nst.shared.u32 [s+65000], %r1;\nret;\n}";
    let error = refused(text, "gfx1100");
    assert!(error.contains("66000 bytes of shared memory"), "{error}");
    assert!(error.contains("65536"), "{error}");
    assert!(error.contains("line 4"), "{error}");
    // CDNA 4 has more.
    let compiled = program(text).compile("k", &target("gfx950"), &Options::default());
    assert!(compiled.is_ok());
}

#[test]
fn names_of_kernels_are_those_of_ptx() {
    let names = ["$k", "_0", "%k", "memcpy", "lock", "main", "a$b_1"];
    let text: String = names.map(|name| format!(".visible .entry {name}() {{ ret; }}\n")).concat();
    let names = names.map(str::to_owned);
    let joined = program(&text).compile_together(&names, &target("gfx942"), &Options::default());
    let joined = joined.expect("a code object");
    assert!(joined.failures.is_empty(), "{:?}", joined.failures);
    for name in names {
        assert!(holds(&joined.object, &format!("\0{name}.kd\0")), "{name}");
    }
}

#[test]
fn a_kernel_that_fails_leaves_the_others() {
    let text = ".visible .entry good() { ret; }\n.visible .entry bad() {\n\
                .shared .align 4 .b8 s[66000]; .reg .b32 %r<2>; ld.shared.u32 %r1, [s]; st.shared.u32 [s], %r1; ret; }";
    let names = ["good", "bad"].map(str::to_owned);
    let joined = program(text).compile_together(&names, &target("gfx1030"), &Options::default());
    let joined = joined.expect("a code object");
    assert!(holds(&joined.object, "good.kd") && !holds(&joined.object, "bad.kd"));
    assert_eq!(joined.failures.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["bad"]);
}

/// Recursion has no depth that a compiler could know.
#[test]
fn stacks_without_bounds_are_in_the_metadata() {
    let call = |argument: &str, result: &str| {
        format!(
            "{{ .param .b32 a; .param .b32 b; st.param.b32 [a], {argument};\n\
             call (b), f, (a);\nld.param.b32 {result}, [b]; }}\n"
        )
    };
    let text = format!(
        ".func (.param .b32 r) f(.param .b32 n) {{\n.reg .b32 %r<6>; .reg .pred %p;\n\
         ld.param.u32 %r1, [n];\nmov.u32 %r5, 1;\nsetp.lt.u32 %p, %r1, 2;\n@%p bra done;\n\
         sub.u32 %r2, %r1, 1;\nshr.u32 %r3, %r1, 1;\n{}{}\
         mad.lo.u32 %r5, %r4, %r4, %r5;\ndone: st.param.b32 [r], %r5;\nret;\n}}\n\
         .visible .entry k(.param .u64 p) {{\n.reg .b64 %rd<2>; .reg .b32 %r<3>;\n\
         ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\n{}\
         st.global.u32 [%rd1], %r2;\nret;\n}}",
        call("%r2", "%r4"),
        call("%r3", "%r5"),
        call("%r1", "%r2")
    );
    let program = program(&text);
    let assembly = program.emit("k", &target("gfx1100"), &Options::default(), Stage::Asm);
    let assembly = String::from_utf8(assembly.expect("assembly")).expect("text");
    assert!(assembly.contains(".uses_dynamic_stack: true"), "{assembly}");
}

/// Functions that the build has compiled are neither compiled again nor taken for something unknown.
#[test]
fn functions_that_are_code_already_are_linked_and_counted() {
    let text = ".extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);\n\
                .visible .entry k(.param .u64 p) {\n.reg .b64 %rd<2>; .reg .b32 %r<2>;\n\
                ld.param.u64 %rd1, [p];\n{ .param .b32 r; .param .b64 f; .param .b64 a;\n\
                st.param.b64 [f], %rd1; st.param.b64 [a], 0;\ncall (r), vprintf, (f, a);\n\
                ld.param.b32 %r1, [r]; }\nst.global.u32 [%rd1], %r1;\nret;\n}";
    let (program, without) = (program(text), program(".visible .entry k() { ret; }"));
    for gpu in GPUS {
        let name = gpu.name;
        let assembly = program.emit("k", &target(name), &Options::default(), Stage::Asm);
        let assembly = String::from_utf8(assembly.expect("assembly")).expect("text");
        assert!(!assembly.contains("read_conversion"), "{name}: {assembly}");
        assert!(assembly.contains(".uses_dynamic_stack: false"), "{name}: {assembly}");
        assert!(!assembly.contains(".private_segment_fixed_size: 0\n"), "{name}: {assembly}");
        let bytes = |program: &Program| {
            let object = program.compile("k", &target(name), &Options::default());
            object.expect("a code object").len()
        };
        // A stub in the function's place would be short, and all functions would be long.
        let more = bytes(&program) - bytes(&without);
        assert!((4_000..20_000).contains(&more), "{name}: {more} bytes");
    }
}

#[test]
fn every_gpu_is_a_target() {
    for gpu in GPUS {
        assert!(Target::parse(gpu.name).is_ok(), "{}", gpu.name);
    }
    let error = Target::parse("gfx1").expect_err("no GPU").to_string();
    assert!(error.contains("`gfx1`") && error.contains("gfx1201"), "{error}");
}

/// No operation of shared memory is left to LDS, which other blocks do not see.
#[test]
fn shared_memory_of_clusters_is_global() {
    let text = ".visible .entry k(.param .u64 p) {\n.reg .b64 %rd<5>; .reg .b32 %r<9>; .reg .pred %p;\n\
                .shared .align 8 .b8 s[64];\nld.param.u64 %rd1, [p];\nmov.u32 %r1, s;\n\
                ld.shared.u32 %r2, [s+8];\nmapa.shared::cluster.u32 %r3, %r1, 1;\n\
                atom.shared::cluster.add.u32 %r4, [%r3], %r2;\n\
                mbarrier.arrive.shared::cta.b64 %rd2, [%r1];\n\
                cvta.shared.u64 %rd3, s;\nisspacep.shared %p, %rd3;\n@%p st.u32 [%rd3], %r2;\n\
                st.shared.u32 [%r1+4], %r4;\nst.global.u64 [%rd1], %rd2;\nret;\n}";
    let program = program(text);
    for gpu in GPUS {
        let target = |clusters| Target::Amdgcn {
            gfx: gpu.name.to_owned(),
            blocks: Blocks::Any,
            matrices: Matrices::Exact,
            approximations: Approximations::Fast,
            clusters,
        };
        let lds_operations = |clusters| {
            let assembly = program.emit("k", &target(clusters), &Options::default(), Stage::Asm);
            let text = String::from_utf8(assembly.expect("assembly")).expect("text");
            text.lines().filter(|line| line.trim_start().starts_with("ds_")).count()
        };
        assert!(lds_operations(false) >= 5, "{}", gpu.name);
        assert_eq!(lds_operations(true), 0, "{}", gpu.name);
    }
}

fn product(gfx: &str, matrices: Matrices, types: &str, k: u32) -> String {
    let short = k == 16 && types.starts_with("s32");
    let (a, b) =
        if short { ("{%r0, %r1}", "{%r0}") } else { ("{%r0, %r1, %r2, %r3}", "{%r0, %r1}") };
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .entry k(.param .u64 p) {{ .reg .b32 %r<10>; .reg .f32 %f<4>; .reg .b64 %p;\n\
         ld.param.u64 %p, [p]; ld.global.v4.u32 {{%r0, %r1, %r2, %r3}}, [%p];\n\
         mma.sync.aligned.m16n8k{k}.row.col.{types} {{%r4, %r5, %r6, %r7}}, {a},\n\
         {b}, {{%r0, %r1, %r2, %r3}};\n\
         st.global.v4.u32 [%p], {{%r4, %r5, %r6, %r7}}; ret; }}"
    );
    let program = Program::parse(&text).expect("PTX");
    let gfx = gfx.to_owned();
    let (blocks, approximations) = (Blocks::Any, Approximations::Fast);
    let target = Target::Amdgcn { gfx, blocks, matrices, approximations, clusters: false };
    let code = program.emit("k", &target, &Options::default(), Stage::Asm);
    String::from_utf8(code.expect("code")).expect("text")
}

#[test]
fn matrix_instructions_do_what_they_may() {
    let (exact, fast) = (Matrices::Exact, Matrices::Fast);
    for gfx in ["gfx1100", "gfx1201", "gfx11-generic"] {
        let has = |matrices, types, k, instruction: &str| {
            product(gfx, matrices, types, k).contains(instruction)
        };
        assert!(has(exact, "s32.s8.u8.s32", 32, "v_wmma_i32_16x16x16_iu8"), "{gfx}");
        let saturating = "satfinite.s32.s8.s8.s32";
        assert!(has(exact, saturating, 32, "v_wmma_i32_16x16x16_iu8"), "{gfx}");
        assert!(!has(exact, "f32.f16.f16.f32", 16, "v_wmma"), "{gfx}");
        assert!(has(fast, "f32.f16.f16.f32", 16, "v_wmma_f32_16x16x16_f16"), "{gfx}");
        assert!(has(fast, "f32.bf16.bf16.f32", 16, "v_wmma_f32_16x16x16_bf16"), "{gfx}");
    }
    for gfx in ["gfx90a", "gfx942", "gfx950"] {
        let has = |matrices, types, instruction: &str| {
            product(gfx, matrices, types, 16).contains(instruction)
        };
        assert!(has(exact, "s32.s8.s8.s32", "v_mfma_i32_16x16x"), "{gfx}");
        assert!(!has(exact, "s32.s8.u8.s32", "v_mfma"), "{gfx}");
        assert!(!has(exact, "f32.bf16.bf16.f32", "v_mfma"), "{gfx}");
        assert!(has(fast, "f32.f16.f16.f32", "v_mfma_f32_16x16x16"), "{gfx}");
        assert!(has(fast, "f32.bf16.bf16.f32", "v_mfma_f32_16x16x16"), "{gfx}");
    }
    let saturating = product("gfx942", exact, "satfinite.s32.s8.s8.s32", 32);
    assert!(saturating.contains("v_mfma_i32_16x16x32_i8"));
    assert!(!product("gfx1030", fast, "f32.f16.f16.f32", 16).contains("v_wmma"));
}
