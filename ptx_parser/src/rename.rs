//! Names at module scope replaced in the text of a module.

use crate::lexer::{Lexer, TokenKind};

/// The text with every name replaced for which `new_name` has another. Names that a statement begins with
/// are opcodes and stay, unless a `:` follows.
///
/// A name is replaced wherever it stands, so that what declares it in an inner scope and what uses it there
/// still agree. Texts, comments and modifiers are left alone.
pub fn rename(source: &str, new_name: impl Fn(&str) -> Option<String>) -> String {
    let mut renamed = String::with_capacity(source.len() + 64);
    let mut copied = 0;
    let mut lexer = Lexer::new(source);
    // The next token begins a statement; its first word was an opcode, or it has an initialiser: its braces
    // hold a list.
    let (mut begins, mut list) = (true, false);
    // Behind `@p` and `@!p` comes the opcode.
    let mut guarded = false;
    loop {
        let token = lexer.next();
        match token.kind {
            TokenKind::End => break,
            TokenKind::Name if begins && !guarded && !lexer.next_is(b':') => {
                (begins, list) = (false, true);
            }
            TokenKind::Name => {
                if let Some(name) = new_name(token.text) {
                    renamed.push_str(&source[copied..token.start]);
                    renamed.push_str(&name);
                    copied = token.end();
                }
                begins = guarded;
                guarded = false;
            }
            TokenKind::Symbol => {
                match token.text {
                    ";" => (begins, list) = (true, false),
                    "{" | "}" | ":" => begins = !list,
                    "=" => (begins, list) = (false, true),
                    "@" | "!" => {}
                    _ => begins = false,
                }
                guarded = token.text == "@" || (token.text == "!" && guarded);
            }
            _ => begins = false,
        }
    }
    renamed.push_str(&source[copied..]);
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(source: &str) -> String {
        rename(source, |name| (name == "add").then(|| "sub".to_owned()))
    }

    #[test]
    fn names_change_and_opcodes_stay() {
        for (source, expected) in [
            (".func add() { add.u32 a, add, 1; }", ".func sub() { add.u32 a, sub, 1; }"),
            ("@p add.u32 a, b, c;", "@p add.u32 a, b, c;"),
            ("@add add.u32 add, b, c;", "@sub add.u32 sub, b, c;"),
            (
                "@!add add.u32 a, b, c; bra add; add: add;",
                "@!sub add.u32 a, b, c; bra sub; sub: add;",
            ),
            (
                "ld.v2.u32 {add, b}, [add]; { add.u32 a, b, c; }",
                "ld.v2.u32 {sub, b}, [sub]; { add.u32 a, b, c; }",
            ),
            (".func f .noreturn { add.u32 a, b, c; }", ".func f .noreturn { add.u32 a, b, c; }"),
            ("call (r), add, (a);", "call (r), sub, (a);"),
            (
                ".global .u64 x[] = {add, add+4, generic(add)}, add = {0};",
                ".global .u64 x[] = {sub, sub+4, generic(sub)}, sub = {0};",
            ),
            (
                "// add\n.pragma \"add\"; /* add */ ld.add [add]",
                "// add\n.pragma \"add\"; /* add */ ld.add [sub]",
            ),
        ] {
            assert_eq!(renamed(source), expected);
        }
    }
}
