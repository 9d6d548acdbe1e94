//! Hostile input gives errors: no panic, no hang, no overflow of the stack.

use ptx_parser::{Module, parse};
use splitmix::Random;

const FILES: [&str; 3] = [
    include_str!("data/vector_add.ptx"),
    include_str!("data/kernels.ptx"),
    include_str!("data/corners.ptx"),
];

/// Parses, prints, renders and drops; the tree's text parses too.
fn exercise(source: &str) {
    let parsed = parse(source);
    for error in parsed.errors.iter().take(20) {
        assert!(error.kind != ptx_parser::ErrorKind::Bug, "{}", error.render(source));
        assert!(!error.render(source).is_empty());
    }
    let module: Module = parsed.module;
    let text = module.to_string();
    if parsed.errors.is_empty() {
        let again = parse(&text);
        assert_eq!(again.errors, [], "{text}");
        assert_eq!(again.module, module);
    } else {
        parse(&text);
    }
}

fn kernel(body: &str) -> String {
    format!(".version 9.0\n.target sm_90\n.entry k() {{ {body} }}")
}

#[test]
fn deep_nesting() {
    for depth in [50, 99, 1_000, 100_000] {
        let many = |text: &str| text.repeat(depth);
        for source in [
            kernel(&format!("{} ret; {}", many("{"), many("}"))),
            kernel(&many("{")),
            kernel(&many("}")),
            kernel(&many("{ ret; ")),
            kernel(&many("{ foo; @p { ")),
            kernel(&many("{ mov.b32 {a, ; ")),
            kernel(&many(".pragma { ")),
            kernel(&format!("mov.u32 %r1, {}1{};", many("("), many(")"))),
            kernel(&format!("mov.u32 %r1, {}1;", many("-"))),
            kernel(&format!("mov.u32 %r1, {}1;", many("~"))),
            kernel(&format!("mov.u32 %r1, {}1;", many("1?2:"))),
            kernel(&format!("mov.u32 %r1, {}1;", many("1+"))),
            kernel(&format!("mov.u32 %r1, {}1;", many("1||1&&"))),
            kernel(&format!("mov.u32 %r1, {}1;", many("(.s64)"))),
            kernel(&format!("mov.b64 {}%r1{}, 1;", many("{"), many("}"))),
            kernel(&format!("ld.u32 %r1, {}1{};", many("["), many("]"))),
            kernel(&format!("add{} %r1, %r2, %r3;", many(".u32"))),
            kernel(&format!("add.u32 {} %r3;", many("%r1,"))),
            kernel(&format!(".global .u32 x{};", many("[1]"))),
            format!(".version 9.0\n.global .u32 x = {}1{};", many("{"), many("}")),
            format!(".version 9.0\n.global .u32 x = {}1;", many("a=")),
            format!(".version 9.0\n.section .debug_x {}", many("{")),
            format!(".version 9.0\n.func {}", many("(")),
        ] {
            exercise(&source);
        }
    }
}

#[test]
fn huge_numbers() {
    for number in [
        "99999999999999999999999999999999999999",
        "0xFFFFFFFFFFFFFFFFF",
        "0b111111111111111111111111111111111111111111111111111111111111111111111",
        "07777777777777777777777777777777",
        "1e999999999",
        "1e-999999999",
        "0f",
        "0d",
        "0x",
        "0b",
        "0fGGGGGGGG",
        "1.2.3",
        "1..2",
        "1e",
        "1e+",
        "-9223372036854775808",
        "-9223372036854775808/-1",
        "-9223372036854775808 % -1",
        "(.s64)0x8000000000000000/-1",
        "1<<99999",
        "1>>-1",
        "-1>>64",
    ] {
        for body in [
            format!("mov.b64 %rd1, {number};"),
            format!("ld.u32 %r1, [a+{number}];"),
            format!("ld.u32 %r1, [{number}];"),
            format!(".reg .b32 %r<{number}>;"),
            format!(".local .b32 a[{number}][{number}];"),
            format!(".local .align {number} .b32 a;"),
            format!(".local .b32 a[4]; mov.u64 %rd1, a[{number}];"),
            format!(".loc {number} {number} {number}"),
        ] {
            exercise(&kernel(&body));
        }
        exercise(&format!(".version {number}\n.target sm_{number}\n.address_size {number}"));
        exercise(&format!(".version 9.0\n.file {number} \"x\"\n.global .f32 x = {number};"));
        exercise(&format!(".version 9.0\n.entry k() .maxntid {number}, {number} {{ ret; }}"));
    }
}

#[test]
fn every_prefix() {
    for file in &FILES[..1] {
        for end in 0..=file.len() {
            exercise(&file[..end]);
        }
    }
    for file in &FILES[1..] {
        for end in (0..=file.len()).step_by(97) {
            exercise(&file[..end]);
        }
    }
}

/// Valid files with a few bytes, words or lines changed, moved or gone. `PTX_MUTATIONS` sets how many.
#[test]
fn mutations() {
    let count = std::env::var("PTX_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(800);
    let mut random = Random::new(1);
    const WORDS: [&str; 24] = [
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ";",
        ",",
        ":",
        "::",
        ".",
        "@",
        "!",
        "|",
        "_",
        "-",
        "0x",
        "\"",
        "/*",
        "//",
        "\0",
        "\u{1F600}",
        ".reg",
        "call",
    ];
    for _ in 0..count {
        let file = FILES[random.below(FILES.len())];
        // A window of a file: short inputs find more in the same time.
        let start = random.below(file.len());
        let end = (start + random.below(3000)).min(file.len());
        let header = ".version 9.0\n.target sm_90\n.entry k() {\n";
        let mut text: Vec<u8> = [
            if random.below(2) == 0 { header } else { "" }.as_bytes(),
            &file.as_bytes()[start..end],
        ]
        .concat();
        for _ in 0..1 + random.below(6) {
            let at = random.below(text.len());
            match random.below(6) {
                0 if !text.is_empty() => text[at] = random.below(128) as u8,
                1 if !text.is_empty() => {
                    text.remove(at);
                }
                2 => {
                    let to = (at + random.below(40)).min(text.len());
                    text.drain(at..to);
                }
                3 => {
                    let to = (at + random.below(40)).min(text.len());
                    let part = text[at..to].to_vec();
                    let target = random.below(text.len());
                    text.splice(target..target, part);
                }
                _ => {
                    let word = WORDS[random.below(WORDS.len())];
                    text.splice(at..at, word.bytes());
                }
            }
        }
        exercise(&String::from_utf8_lossy(&text));
    }
}
