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
