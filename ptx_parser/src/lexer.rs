//! Tokens, cut from the source without copies.

use crate::span::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// `foo`, `%r1`, `$L__BB0_1`
    Name,
    /// `.u32`, `.shared::cta`, `.16x64b`
    Dot,
    /// `12`, `0x1F`, `0f3F800000`, `1.5e3`: every text that begins with a digit; and `.5e+3`.
    Number,
    /// `"text"`, quotes included.
    Text,
    /// One character, or two of `<< >> == != <= >= && ||`.
    Symbol,
    /// Text that no token begins with, or a text or comment without an end.
    Bad,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    pub start: usize,
}

impl Token<'_> {
    /// The byte behind its last, in the source.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub fn span(&self) -> Span {
        Span::new(self.start, self.end())
    }

    /// Whether it is this symbol.
    pub fn is(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == symbol
    }
}

#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    source: &'a str,
    position: usize,
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of a text.
    pub fn new(source: &'a str) -> Self {
        Lexer { source, position: 0 }
    }

    pub fn source(&self) -> &'a str {
        self.source
    }

    /// Whether the next token begins with `byte`; comments before it hide it.
    pub fn next_is(&self, byte: u8) -> bool {
        let rest = self.source.as_bytes().get(self.position..).unwrap_or_default();
        rest.iter().find(|b| !b.is_ascii_whitespace()) == Some(&byte)
    }

    /// Goes on from `position`, which is the start or the end of a token.
    pub fn seek(&mut self, position: usize) {
        self.position = position;
    }

    fn byte(&self, position: usize) -> u8 {
        self.source.as_bytes().get(position).copied().unwrap_or(0)
    }

    fn words_end(&self, mut end: usize) -> usize {
        while is_word(self.byte(end)) {
            end += 1;
        }
        end
    }

    /// The end of `a`, `a::b`, `a::b::c` from `end`.
    fn path_end(&self, end: usize) -> usize {
        let mut end = self.words_end(end);
        while self.byte(end) == b':' && self.byte(end + 1) == b':' && is_word(self.byte(end + 2)) {
            end = self.words_end(end + 2);
        }
        end
    }

    fn number_end(&self, start: usize) -> usize {
        let mut end = self.words_end(start);
        let exponent = |end: usize| {
            matches!(self.byte(end - 1), b'e' | b'E') && matches!(self.byte(end), b'+' | b'-')
        };
        let digits = self.source.as_bytes()[start..end]
            .iter()
            .all(|b| b.is_ascii_digit() || matches!(b, b'e' | b'E'));
        if !digits {
            return end;
        }
        if self.byte(end) == b'.' {
            end = self.words_end(end + 1);
        }
        if exponent(end) && self.byte(end + 1).is_ascii_digit() {
            end = self.words_end(end + 1);
        }
        end
    }

    /// Skips blanks and comments. A comment without an end gives its start.
    fn skip_blanks(&mut self) -> Result<(), usize> {
        loop {
            match self.byte(self.position) {
                b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C => self.position += 1,
                b'/' if self.byte(self.position + 1) == b'/' => self.skip_line(),
                b'/' if self.byte(self.position + 1) == b'*' => {
                    let rest = &self.source[self.position + 2..];
                    match rest.find("*/") {
                        Some(end) => self.position += end + 4,
                        None => return Err(self.position),
                    }
                }
                // `#line 5 "x.cu"`, `# 5 "x.cu"`: what a preprocessor leaves behind.
                b'#' if self.at_line_marker() => self.skip_line(),
                // Debug data, as PTX before version 2.0 has it: a line of an assembler each.
                b'@' if self.source[self.position..].starts_with("@@DWARF") => self.skip_line(),
                _ => return Ok(()),
            }
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.source.as_bytes()[self.position..];
        self.position += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
    }

    fn at_line_marker(&self) -> bool {
        let rest = self.source[self.position + 1..].trim_start_matches([' ', '\t']);
        rest.starts_with("line") || rest.starts_with(|c: char| c.is_ascii_digit())
    }

    /// The next token, behind blanks and comments; at the end of the text, always [`TokenKind::End`].
    pub fn next(&mut self) -> Token<'a> {
        let unclosed = self.skip_blanks().is_err();
        let start = self.position;
        let (kind, end) = if unclosed {
            (TokenKind::Bad, self.source.len())
        } else if start >= self.source.len() {
            (TokenKind::End, start)
        } else {
            self.token_end(start)
        };
        self.position = end;
        Token { kind, text: self.source.get(start..end).unwrap_or_default(), start }
    }

    fn token_end(&self, start: usize) -> (TokenKind, usize) {
        let first = self.byte(start);
        let second = self.byte(start + 1);
        match first {
            b'0'..=b'9' => (TokenKind::Number, self.number_end(start)),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => (TokenKind::Name, self.words_end(start)),
            b'%' if is_word(second) => (TokenKind::Name, self.words_end(start + 1)),
            b'.' if second.is_ascii_digit()
                && self.number_end(start + 1) > self.path_end(start + 1) =>
            {
                // `.5e+3`; a `.5` is like a modifier until it is used.
                (TokenKind::Number, self.number_end(start + 1))
            }
            b'.' if is_word(second) => (TokenKind::Dot, self.path_end(start + 1)),
            b'"' => match self.source.as_bytes()[start + 1..]
                .iter()
                .position(|b| matches!(b, b'"' | b'\n'))
            {
                Some(length) if self.byte(start + 1 + length) == b'"' => {
                    (TokenKind::Text, start + length + 2)
                }
                Some(length) => (TokenKind::Bad, start + 1 + length),
                None => (TokenKind::Bad, self.source.len()),
            },
            b'<' | b'>' if second == first || second == b'=' => (TokenKind::Symbol, start + 2),
            b'&' | b'|' if second == first => (TokenKind::Symbol, start + 2),
            b'=' | b'!' if second == b'=' => (TokenKind::Symbol, start + 2),
            b'.' | b',' | b';' | b':' | b'{' | b'}' | b'[' | b']' | b'(' | b')' | b'<' | b'>'
            | b'@' | b'!' | b'|' | b'&' | b'^' | b'~' | b'+' | b'-' | b'*' | b'/' | b'%' | b'?'
            | b'=' => (TokenKind::Symbol, start + 1),
            _ => {
                let length = self.source[start..].chars().next().map_or(1, char::len_utf8);
                (TokenKind::Bad, start + length)
            }
        }
    }
}
