//! Rules of the linker beyond those that tests/differential compares with NVIDIA's.

#![allow(clippy::panic, clippy::unwrap_used)]

use super::*;

const HEAD: &str = ".version 8.0\n.target sm_75\n.address_size 64\n";

fn link(bodies: &[&str]) -> Result<String, LinkError> {
    let mut linker = Linker::new();
    for (number, body) in bodies.iter().enumerate() {
        linker.add(&format!("{number}.ptx"), &format!("{HEAD}{body}"))?;
    }
    linker.complete()
}

fn linked(bodies: &[&str]) -> String {
    let text = link(bodies).unwrap_or_else(|error| panic!("{error}"));
    let again = ptx_parser::parse(&text);
    assert_eq!(again.errors, [], "{text}");
    text
}

#[test]
fn the_newest_version_and_target_count() {
    let mut linker = Linker::new();
    linker.add("a", ".version 6.0\n.target sm_50, debug\n.address_size 64\n").unwrap();
    linker.add("b", ".version 8.1\n.target sm_90a\n.address_size 64\n").unwrap();
    let text = linker.complete().unwrap();
    let head = ".version 8.1\n.target sm_90a, debug\n.address_size 64\n";
    assert_eq!(text, format!("{head}.pragma \"compiled_for sm_50\";\n"));
}

#[test]
fn what_the_system_defines_does_not_make_a_module_older() {
    let text = linked(&[
        ".extern .func (.param .b64 h) __cuda_syscall_CGS_get_intrinsic_handle(.param .b32 s);
         .entry k() { .param .b64 h; .param .b32 s; st.param.b32 [s], 1;
           call (h), __cuda_syscall_CGS_get_intrinsic_handle, (s); ret; }",
    ]);
    assert!(text.contains(".target sm_75") && !text.contains("compiled_for"), "{text}");
    let analysis = crate::pipeline::analyze(&text).unwrap();
    assert_eq!(analysis.kernels[0].architecture, 75);
}

#[test]
fn own_names_are_renamed_where_they_clash() {
    let own = ".global .u32 x; .entry k() { { .reg .pred x; @x bra l; } l: ret; }";
    let text = linked(&[own, ".visible .global .u32 x = 5;", own]);
    assert!(text.contains(".global .u32 x$0;") && text.contains(".global .u32 x$2;"), "{text}");
    assert!(text.contains(".visible .global .u32 x = 5;"), "{text}");
    assert!(text.contains("@x$2 bra l;"), "{text}");
    assert!(text.contains(".entry k()") && text.contains(".entry k$2()"), "{text}");
}

#[test]
fn a_new_name_is_new() {
    let text = linked(&[".global .u32 x; .global .u32 x$1;", ".global .u32 x;"]);
    assert!(text.contains("x$1;") && text.contains("x$1$;"), "{text}");
}

#[test]
fn parameters_take_the_largest_alignment() {
    let text = linked(&[
        ".extern .func (.param .b32 r) f(.param .align 4 .b8 a[8]);
         .entry k() { .param .b32 r; { .param .align 4 .b8 a[8]; call (r), f, (a); } ret; }",
        ".visible .func (.param .align 8 .b32 r) f(.param .align 16 .b8 a[8]) { ret; }",
        ".extern .func (.param .b32 r) f(.param .align 32 .b8 a[8]);
         .entry l() { .param .b32 r; .param .align 32 .b8 a[8]; call (r), f, (a); ret; }",
    ]);
    assert_eq!(text.matches(".param .align 32 .b8 a[8]").count(), 4, "{text}");
    assert_eq!(text.matches(".param .align 8 .b32 r").count(), 4, "{text}");
    let analysis = crate::pipeline::analyze(&text).map(drop);
    assert_eq!(analysis.map_err(|errors| errors.to_string()), Ok(()), "{text}");
}

#[test]
fn files_keep_their_lines() {
    let module = ".file 1 \"a.cu\"\n.entry k() { .loc 1 5 0\n { .loc 1 6 0\n } ret; }";
    let other = ".file 1 \"b.cu\"\n.entry l() { .loc 1 7 0\n ret; }";
    let text = linked(&[module, other]);
    for wanted in [".file 1 \"a.cu\"", ".file 2 \"b.cu\"", ".loc 1 6 0", ".loc 2 7 0"] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
}

#[test]
fn what_is_not_known_yet_is_kept() {
    let own = ".global .u32 x; .entry k() { add.u33 x, 5; ret; }";
    let text = link(&[".visible .global .u32 x;", own]).unwrap();
    assert!(text.contains("add.u33 x$1, 5;"), "{text}");
}

#[test]
fn dynamic_shared_memory_takes_the_largest_alignment() {
    let text = linked(&[
        ".extern .shared .b8 s[]; .entry k() { ret; }",
        ".extern .shared .align 16 .b8 s[]; .entry l() { ret; }",
    ]);
    assert!(text.contains(".extern .shared .align 16 .b8 s[];"), "{text}");
    assert_eq!(text.matches("s[]").count(), 1, "{text}");
}

#[test]
fn what_failed_stays_failed() {
    let mut linker = Linker::new();
    let text = format!("{HEAD}.visible .func f() {{ ret; }}");
    linker.add("a", &text).unwrap();
    assert!(matches!(linker.add("b", &text), Err(LinkError::Symbols(m)) if m.len() == 1));
    assert!(linker.add("c", HEAD).is_err());
    assert!(linker.complete().is_err());
}

#[test]
fn functions_of_the_system_are_left_undefined() {
    for name in ["cudaGraphSetConditional", "cudaGraphKernelNodeSetEnabled"] {
        let declared = format!(".extern .func {name}(.param .b64 a, .param .b32 b);");
        let body = format!(
            "{{ .param .b64 p; .param .b32 q; st.param.b64 [p], 64; st.param.b32 [q], 1;
            call.uni {name}, (p, q); ret; }}"
        );
        let text = linked(&[&declared, &format!("{declared} .entry k() {body}")]);
        assert_eq!(text.matches(&format!(".func {name}")).count(), 1, "{text}");
        assert!(!text.contains(&format!(".visible .func {name}")), "{text}");
    }
}

#[test]
fn the_barrier_of_grids_comes_when_it_is_wanted() {
    let declared =
        ".extern .func (.param .b32 s) __cuda_syscall_CGS_sync(.param .b64 h, .param .b32 f);";
    let body = "{ .param .b64 h; .param .b32 f, s; st.param.b64 [h], 0; st.param.b32 [f], 0;
        call.uni (s), __cuda_syscall_CGS_sync, (h, f); ret; }";
    let text = linked(&[&format!("{declared} .entry k() {body}")]);
    assert!(text.contains(".visible .func (.param .b32 status) __cuda_syscall_CGS_sync"), "{text}");
    assert!(!linked(&[".entry k() { ret; }"]).contains("__cuda_syscall"));
}

/// Lifted machine code declares the functions, and gets them behind its text.
#[test]
fn the_barrier_of_grids_can_follow_its_declarations() {
    let text = format!(
        ".version 9.1\n.target sm_90a\n.address_size 64\n\
         .visible .func (.param .b64 handle) __cuda_syscall_CGS_get_intrinsic_handle(.param .b32 scope);\n\
         .visible .func (.param .b32 status) __cuda_syscall_CGS_sync(.param .b64 handle, .param .b32 flags);\n\
         .visible .entry k() {{ .param .b64 h; .param .b32 s, f; st.param.b32 [s], 1;\n\
         call.uni (h), __cuda_syscall_CGS_get_intrinsic_handle, (s); st.param.b32 [f], 0;\n\
         call.uni (s), __cuda_syscall_CGS_sync, (h, f); ret; }}\n{}",
        crate::grid_barrier()
    );
    let program = crate::Program::parse(&text).unwrap();
    assert_eq!(program.kernels().iter().map(|kernel| &kernel.error).collect::<Vec<_>>(), [&None]);
}
