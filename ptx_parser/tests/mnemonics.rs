//! The mnemonics of a corpus of real programs: `data/mnemonics.txt` holds all that occur in 553 PTX files
//! of compilers, libraries and applications.

use ptx_parser::{ErrorKind, parse};

#[test]
fn every_mnemonic_in_use_is_known() {
    let mut count = 0;
    let mut unknown = Vec::new();
    for mnemonic in include_str!("data/mnemonics.txt").lines() {
        let module = format!(".version 9.0\n.target sm_90\n.func f() {{ {mnemonic}; }}");
        // Without operands most are invalid, but none is unsupported.
        unknown.extend(
            parse(&module)
                .errors
                .iter()
                .filter(|e| e.kind == ErrorKind::Unsupported)
                .map(|e| e.render(&module)),
        );
        count += 1;
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    assert!(count > 700, "{count}");
}
