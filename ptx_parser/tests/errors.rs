//! Errors are named and located, and cost no more than they must.

use ptx_parser::*;

/// The errors of a kernel `k` with the given body, as `kind line:column message`, line 1 being the body's
/// first.
fn errors(body: &str) -> Vec<String> {
    let source = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {{\n{body}\n}}\n.entry other() {{ ret; }}"
    );
    let parse = parse(&source);
    let functions: Vec<_> = parse
        .module
        .directives
        .iter()
        .map(|d| matches!(d, Directive::Function(f) if f.body.is_some()))
        .collect();
    assert_eq!(functions, [true, true], "both kernels stand");
    parse
        .errors
        .iter()
        .map(|e| {
            assert_eq!(e.function.as_deref(), Some("k"));
            let (line, column) = line_column(&source, e.span.start);
            format!("{} {}:{} {}", e.kind.name(), line - 4, column, e.message)
        })
        .collect()
}

#[test]
fn instructions() {
    let cases = [
        ("frobnicate.u32 %r1;", "invalid 1:1 unknown instruction `frobnicate`"),
        (
            "  add.u33 %r1, %r2, %r3;",
            "unsupported 1:3 no form of `add` is `add.u33`: `.u33` does not fit",
        ),
        (
            "add.rn.u32 %r1, %r2, %r3;",
            "unsupported 1:1 no form of `add` is `add.rn.u32`: `.u32` does not fit",
        ),
        (
            "shl %r1, %r2, 1;",
            "unsupported 1:1 no form of `shl` is `shl`: one of `.b16`, `.b32`, `.b64` is missing",
        ),
        (
            "sin.f32 %f1, %f2;",
            "invalid 1:1 `sin.f32`: a form without `.approx` is gone from PTX ISA .version 1.4 on",
        ),
        (
            "add.ftz.ftz.f32 %f1, %f1, %f1;",
            "unsupported 1:1 no form of `add` is `add.ftz.ftz.f32`: `.ftz` does not fit",
        ),
        ("add.u32 %r1, %r2;", "invalid 1:1 2 operands instead of 3 in `add.u32`"),
        ("add.u32 %r1, %r2, 3, 4;", "invalid 1:22 too many operands in `add.u32`"),
        ("ld.u32 %r1, %r2;", "invalid 1:13 expected an address in brackets in `ld.u32`"),
        ("add.u32 %r1, [%r2], 3;", "invalid 1:14 brackets are not allowed in `add.u32`"),
        ("add.u32 %r1|%p1, %r2, 3;", "invalid 1:9 `|` is not allowed in `add.u32`"),
        ("add.u32 %r1, !%r2, 3;", "invalid 1:14 `!` is not allowed in `add.u32`"),
        ("and.pred %p1, !%p2, !%p3; mov.pred %p1, !%p2; selp.b32 %r1, 1, 2, !%p1;", ""),
        ("mov.pred !%p1, %p2;", "invalid 1:10 `!` is not allowed in `mov.pred`"),
        ("mov.f32 %f1, .5e+3; mov.f32 %f1, -.5;\n#line 7 \"x.cu\"\n# 7 \"x.cu\"", ""),
        ("#define X", "invalid 1:1 expected a statement, found `#`"),
        ("add.u32 %r1, -%r2, 3;", "invalid 1:14 `-` is not allowed in `add.u32`"),
        ("add.u32 %r1, %r2.b0, 3;", "invalid 1:14 a selector that does not fit in `add.u32`"),
        ("ld.u32 %r1, [%r2+-4];", ""),
        ("ld.u32 %r1, [%r2-4];", "invalid 1:17 expected `]`, found `-`"),
        ("ld.u32 %r1, [%r2, 3];", "invalid 1:13 wrong number of operands in brackets in `ld.u32`"),
        ("ld.u32 %r1, [1.5];", "invalid 1:14 expected an address"),
        ("ld.u32 %r1, a[1];", "invalid 1:14 `a` is no array with such an element"),
        ("mov.u32 %r1, 5/0;", "invalid 1:14 `/` cannot be computed"),
        ("mov.u32 %r1, ~1.5;", "invalid 1:14 `~` needs an integer"),
        ("mov.u32 %r1, 08;", "invalid 1:14 `08` is no number"),
        ("mov.u32 %r1, 0f3F80;", "invalid 1:14 `0f3F80` is no number"),
        ("mov.u32 %r1, 99999999999999999999;", "invalid 1:14 `99999999999999999999` is no number"),
        ("mov.u32 %r1 %r2;", "invalid 1:13 expected `,` or `;`, found `%r2`"),
        ("mov.u32 %r1, ;", "invalid 1:14 expected an operand, found `;`"),
        ("mov.u32 %r1, \u{e9};", "invalid 1:14 expected an operand, found `\u{e9}`"),
        ("this is not PTX;", "invalid 1:1 unknown instruction `this`"),
        (".reg .u32 5;", "invalid 1:11 expected a name, found `5`"),
        (".reg .u33 a;", "invalid 1:6 expected a type, found `.u33`"),
        (".reg a;", "invalid 1:6 expected a type, found `a`"),
        (".local .align 3 .u32 a;", "invalid 1:15 an alignment of 3 is no power of two"),
        (".local .u32 a[-1];", "invalid 1:15 -1 is out of range"),
        (".frob;", "invalid 1:1 unknown directive `.frob`"),
        (".func inner() { ret; }", "invalid 1:1 unknown directive `.func`"),
        (";", "invalid 1:1 expected a statement, found `;`"),
        ("call.now f;", "unsupported 1:1 no form of `call` has `.now`"),
    ];
    for (body, expected) in cases {
        let expected = if expected.is_empty() { vec![] } else { vec![expected.to_owned()] };
        assert_eq!(errors(body), expected, "{body}");
    }
}

#[test]
fn all_errors_are_reported() {
    let found = errors(
        "foo.u32 %r1;\nadd.u32 %r1, %r2, 3;\n@%p bar.u32 1;\n{ baz; ret; }\nmov.u32 {%r1, , %r2;\nret;",
    );
    assert_eq!(
        found,
        [
            "invalid 1:1 unknown instruction `foo`",
            "unsupported 3:5 no form of `bar` is `bar.u32`: `.warp` is missing",
            "invalid 4:3 unknown instruction `baz`",
            "invalid 5:15 expected an operand, found `,`",
        ]
    );
}

#[test]
fn unknown_statements_are_kept() {
    let source = ".version 9.0\n.target sm_90\n.entry k() { @!%p foo.bar::x.u32 %r1, 3; ret; }";
    let parse = parse(source);
    let [Directive::Function(function)] = &parse.module.directives[..] else { panic!("a kernel") };
    let [Statement::Unknown(unknown), Statement::Instruction(_)] =
        function.body.as_deref().unwrap()
    else {
        panic!("an unknown statement and `ret`")
    };
    assert_eq!(unknown.mnemonic, "foo.bar::x.u32");
    assert_eq!(unknown.text, "@!%p foo.bar::x.u32 %r1, 3;");
    assert_eq!(unknown.span.text(source), unknown.text);
    assert_eq!(parse.errors, std::slice::from_ref(&unknown.error));
}

#[test]
fn rendering() {
    let source = ".version 9.0\n.target sm_90\n.entry k() {\n\tadd.u32\t%r1, [%r2], 3;\n}";
    assert_eq!(
        parse(source).errors[0].render(source),
        "error[invalid]: brackets are not allowed in `add.u32`\n  \
         --> function `k`, line 4, column 15\n   |\n 4 | \tadd.u32\t%r1, [%r2], 3;\n   | \t       \t     ^^^^^\n"
    );
    // A place behind the end of the text.
    let source = ".version 9.0\n.target sm_90\n.entry k() {";
    let rendered: Vec<_> = parse(source).errors.iter().map(|e| e.render(source)).collect();
    assert_eq!(
        rendered,
        [
            "error[invalid]: `{` without `}`\n  --> line 3, column 12\n   |\n 3 | .entry k() {\n   |            ^\n"
        ]
    );
}

/// Errors at module scope cost one directive.
#[test]
fn directives() {
    let source = ".version 9.0\n.target sm_90\n.global .u33 x;\n.entry a() { ret; }\nnonsense { ret; } \n\
                  .global .u32 y = {1, };\n.frob 1, 2;\n.entry b(.param .u32) { ret; }\n.entry c() .frob 3 { ret; }\n.entry d() { ret; }";
    let parse = parse(source);
    let names: Vec<_> = parse
        .module
        .directives
        .iter()
        .map(|d| match d {
            Directive::Function(f) => f.name,
            _ => "?",
        })
        .collect();
    assert_eq!(names, ["a", "d"]);
    let lines: Vec<_> = parse.errors.iter().map(|e| line_column(source, e.span.start).0).collect();
    assert_eq!(lines, [3, 5, 6, 7, 8, 9]);
}

#[test]
fn no_module() {
    for source in ["", "\0\0\0", "   \n", "// a comment", "/* */"] {
        let messages: Vec<_> = parse(source).errors.iter().map(|e| e.message.clone()).collect();
        assert_eq!(messages, ["a module begins with `.version`"], "{source:?}");
    }
    for source in [
        "\u{7f}ELF\u{2}\u{1}",
        "hello",
        "{",
        "}",
        ";",
        "/* ",
        "\"",
        ".version",
        ".version 9",
        ".version x.y",
    ] {
        let errors = parse(source).errors;
        assert!(
            !errors.is_empty() && errors.iter().all(|e| e.kind != ErrorKind::Bug),
            "{source:?}: {errors:?}"
        );
    }
}

/// The words of ptxas 13.0 for the same lines are beside them.
#[test]
fn versions_and_targets() {
    let error = |header: &str, instruction: &str| {
        let source = format!("{header}\n.address_size 64\n.func f() {{ {instruction} }}");
        parse(&source).errors.first().map(|e| format!("{}: {}", e.kind.name(), e.message))
    };
    let sum = "add.bf16 %h1, %h2, %h3;";
    // Feature 'add.bf16' requires .target sm_90 or higher
    assert_eq!(
        error(".version 7.8\n.target sm_80", sum).unwrap(),
        "invalid: `add.bf16`: `.bf16` needs .target sm_90 or higher"
    );
    assert_eq!(error(".version 7.8\n.target sm_90", sum), None);
    assert_eq!(error(".version 9.0\n.target sm_121a", sum), None);
    // Feature '256 bit wide load/store' requires PTX ISA .version 8.8 or later
    let load = "ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];";
    assert_eq!(
        error(".version 8.7\n.target sm_100", load).unwrap(),
        "invalid: `ld.global.v8.b32`: `.v8` and `.b32` together need PTX ISA .version 8.8 or later"
    );
    assert_eq!(error(".version 8.8\n.target sm_100", load), None);
    // Instruction 'wgmma.fence' not supported on .target 'sm_100a'
    let fence = "wgmma.fence.sync.aligned;";
    assert_eq!(
        error(".version 9.0\n.target sm_100a", fence).unwrap(),
        "invalid: `wgmma.fence.sync.aligned`: it needs .target sm_90a"
    );
    assert_eq!(error(".version 9.0\n.target sm_90a, debug", fence), None);
    // Families: 100 and 103, not 120.
    let wait = "tcgen05.wait::ld.sync.aligned;";
    for (target, taken) in
        [("sm_100", false), ("sm_100f", true), ("sm_103a", true), ("sm_120f", false)]
    {
        let header = format!(".version 9.0\n.target {target}");
        assert_eq!(error(&header, wait).is_none(), taken, "{target}");
    }
    // Without three operands it is older.
    assert_eq!(error(".version 7.0\n.target sm_75", "min.f32 %f1, %f2, %f3;"), None);
    assert!(error(".version 7.0\n.target sm_75", "min.f32 %f1, %f2, %f3, %f4;").is_some());
}

/// A form, the version that brought it, a target that has it, and one that does not.
type NewerForm = (&'static str, (u16, u16), &'static str, Option<&'static str>);

/// As ptxas 13.5 says.
const NEWER_FORMS: &[NewerForm] = &[
    ("ld.volatile.local.u32 %r1, [lo];", (9, 1), "sm_75", None),
    ("cvt.rn.satfinite.e4m3x2.bf16x2 %h1, %r1;", (9, 1), "sm_100f", Some("sm_100")),
    ("cvt.rn.satfinite.s2f6x2.f32 %h1, %f1, %f2;", (9, 1), "sm_120a", Some("sm_120f")),
    ("membar.proxy.async;", (9, 1), "sm_90", Some("sm_89")),
    (
        "multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%rd1], %r1;",
        (9, 1),
        "sm_90",
        Some("sm_80"),
    ),
    ("add.u8x4 %r1, %r2, %r3;", (9, 2), "sm_120f", Some("sm_120")),
    ("add.sat.u32 %r1, %r2, %r3;", (9, 2), "sm_120f", Some("sm_100a")),
    ("cvt.rn.bf16x2.e4m3x2 %r1, %h1;", (9, 2), "sm_100f", Some("sm_100")),
    (
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b128 [%rd1], %q1, [%rd2];",
        (9, 2),
        "sm_90",
        Some("sm_80"),
    ),
    ("clmad.lo.u64 %rd1, %rd2, %rd3, %rd4;", (9, 3), "sm_80", Some("sm_75")),
    ("mbarrier.init.layout::v1.shared::cta.b64 [%rd0], %r0;", (9, 3), "sm_90", Some("sm_89")),
    ("multimem.st.async.release.sys.global.b32 [%rd1], %r1;", (9, 3), "sm_100", Some("sm_90")),
    ("fabric.submit;", (9, 3), "sm_100", Some("sm_90")),
    ("fence.proxy.alias.acquire.sys;", (9, 4), "sm_90", Some("sm_80")),
    ("atom.add.noftz.f32 %f1, [%rd1], %f2;", (9, 4), "sm_90", Some("sm_89")),
    ("sin.approx.ftz.2pi.f32 %f1, %f2;", (9, 5), "sm_75", None),
    ("fence.alias.sync_restrict::read.release.sys;", (9, 5), "sm_90", Some("sm_89")),
];

#[test]
fn forms_are_there_from_their_version_and_target_on() {
    let taken = |(major, minor): (u16, u16), target: &str, instruction: &str| {
        let header = format!(".version {major}.{minor}\n.target {target}\n.address_size 64");
        parse(&format!("{header}\n.func f() {{ {instruction} }}")).errors.is_empty()
    };
    for (instruction, since, target, without) in NEWER_FORMS {
        let before = (since.0, since.1 - 1);
        assert!(taken(*since, target, instruction), "{instruction}");
        assert!(taken((9, 5), target, instruction), "{instruction}");
        assert!(!taken(before, target, instruction), "{instruction}");
        assert!(!without.is_some_and(|t| taken((9, 5), t, instruction)), "{instruction}");
    }
    // What ptxas 13.0 takes and ptxas 13.5 refuses.
    for (instruction, target) in [
        ("fence.acquire.cta;", "sm_80"),
        ("red.async.mmio.release.gpu.add.u32 [%rd1], %r2;", "sm_100"),
        ("st.async.mmio.release.gpu.b64 [%rd1], %rd2;", "sm_100"),
        ("tcgen05.st.sync.16x256b.x1.b32 [%r1], {%r0, %r1, %r2, %r3};", "sm_100f"),
    ] {
        assert!(taken((9, 0), target, instruction), "{instruction}");
        assert!(!taken((9, 1), target, instruction), "{instruction}");
    }
    assert!(taken((9, 5), "sm_90", "fence.acquire.cta;"));
}

/// Types have an order, other modifiers have none.
#[test]
fn types_stand_in_order() {
    let source = ".version 9.0\n.target sm_90\n.func f() { set.eq.u16.f16 %h1, %h2, %h3; }";
    let text = parse(source).module.to_string();
    assert!(text.contains("set.eq.u16.f16"), "{text}");
}
