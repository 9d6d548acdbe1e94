//! Text to tree: recursive descent by hand for the directives, the tables of `isa` for instructions.
//!
//! An error costs one statement: it is recorded, the statement becomes [`Statement::Unknown`], and
//! parsing goes on behind its `;`. At module scope it costs one directive.
//!
//! [`Statement::Unknown`]: crate::tree::Statement::Unknown

mod constant;
mod directive;
mod function;
mod instruction;
mod operand;
mod rule;
mod statement;
mod variable;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::span::Span;
use crate::tree::Module;
use instruction::Selection;
use rule::Environment;
pub use rule::NEWEST;

/// The result of [`parse`].
#[derive(Clone, Debug, PartialEq)]
pub struct Parse<'a> {
    /// All that could be read.
    pub module: Module<'a>,
    /// All errors in the order of the text. Those with a `function` cost that function only.
    pub errors: Vec<Error>,
}

/// Parses a module. Zero bytes at the end, as in PTX that is kept as a C string, are ignored.
pub fn parse(source: &str) -> Parse<'_> {
    let source = source.trim_end_matches('\0');
    Parser::new(source).module()
}

type Result<T> = std::result::Result<T, Error>;

/// The depth to which blocks, vectors, lists and parentheses may nest.
const MAX_DEPTH: u32 = 100;

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The token at hand.
    token: Token<'a>,
    previous_end: usize,
    errors: Vec<Error>,
    function: Option<&'a str>,
    depth: u32,
    /// Bytes of an element of the arrays declared so far, for `a[1]`: first those of the module, then those
    /// of the function at hand.
    arrays: [FxHashMap<&'a str, u32>; 2],
    environment: Environment,
    /// The forms that a mnemonic with these modifiers may be.
    selections: FxHashMap<&'a str, Rc<[Selection]>>,
}

impl<'a> Parser<'a> {
    fn new(source: &'a str) -> Self {
        let mut lexer = Lexer::new(source);
        let token = lexer.next();
        Parser {
            lexer,
            token,
            previous_end: 0,
            errors: Vec::new(),
            function: None,
            depth: 0,
            arrays: Default::default(),
            environment: Environment::default(),
            selections: FxHashMap::default(),
        }
    }

    /// Takes the token at hand.
    fn next(&mut self) -> Token<'a> {
        let token = self.token;
        self.previous_end = token.end();
        self.token = self.lexer.next();
        token
    }

    /// The token after the one at hand.
    fn peek(&self) -> Token<'a> {
        self.lexer.clone().next()
    }

    fn seek(&mut self, position: usize) {
        self.lexer.seek(position);
        self.token = self.lexer.next();
    }

    fn at(&self, symbol: &str) -> bool {
        self.token.is(symbol)
    }

    fn at_dot(&self, word: &str) -> bool {
        self.token.kind == TokenKind::Dot && &self.token.text[1..] == word
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.at(symbol);
        if found {
            self.next();
        }
        found
    }

    fn eat_dot(&mut self, word: &str) -> bool {
        let found = self.at_dot(word);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    fn name(&mut self) -> Result<&'a str> {
        if self.token.kind == TokenKind::Name {
            Ok(self.next().text)
        } else {
            Err(self.expected("a name"))
        }
    }

    /// `"text"`, without its quotes.
    fn text(&mut self) -> Result<&'a str> {
        if self.token.kind == TokenKind::Text {
            let text = self.next().text;
            Ok(&text[1..text.len() - 1])
        } else {
            Err(self.expected("a text in quotes"))
        }
    }

    /// The word of a `.word` at hand.
    fn dot(&self) -> Option<&'a str> {
        (self.token.kind == TokenKind::Dot).then(|| &self.token.text[1..])
    }

    fn expected(&self, what: &str) -> Error {
        let found = match self.token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            TokenKind::Bad if self.token.text.starts_with('"') => {
                "a text without an end".to_owned()
            }
            TokenKind::Bad if self.token.text.starts_with("/*") => {
                "a comment without an end".to_owned()
            }
            _ => format!("`{}`", self.token.text.chars().take(60).collect::<String>()),
        };
        Error::invalid(self.token.span(), format!("expected {what}, found {found}"))
    }

    /// The error for a word that no table has.
    fn unknown_word(&self, span: Span, message: String) -> Error {
        match self.environment.is_known() {
            true => Error::invalid(span, message),
            false => Error::unsupported(span, message),
        }
    }

    fn source(&self) -> &'a str {
        self.lexer.source()
    }

    /// From `start` to the end of the token before the one at hand.
    fn since(&self, start: usize) -> Span {
        Span::new(start, self.previous_end.max(start))
    }

    fn report(&mut self, error: Error) {
        let error = match self.function {
            Some(function) if error.function.is_none() => error.in_function(function),
            _ => error,
        };
        self.errors.push(error);
    }

    /// Runs `inner` one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Error::unsupported(
                self.token.span(),
                format!("nested deeper than {MAX_DEPTH} levels"),
            ));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Goes to the token behind the statement that begins at `start`: behind its `;`, or before the
    /// `}` that ends the block around it.
    fn skip_statement(&mut self, start: usize) {
        self.seek(start);
        // A directive may have a body; an instruction with a `{` may lack its `}`.
        let directive = self.token.kind == TokenKind::Dot;
        let mut braces = 0usize;
        loop {
            match self.token.kind {
                TokenKind::End => return,
                TokenKind::Symbol => match self.token.text {
                    ";" if braces == 0 || !directive => {
                        self.next();
                        return;
                    }
                    "{" => braces += 1,
                    "}" if braces == 0 => return,
                    "}" => {
                        braces -= 1;
                        if directive && braces == 0 {
                            self.next();
                            return;
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
            self.next();
        }
    }

    /// Goes behind the `}` of the `{` at hand.
    fn skip_braces(&mut self) -> Result<()> {
        let open = self.token.span();
        let mut braces = 0usize;
        loop {
            match self.token.kind {
                TokenKind::End => return Err(Error::invalid(open, "`{` without `}`")),
                TokenKind::Symbol if self.token.text == "{" => braces += 1,
                TokenKind::Symbol if self.token.text == "}" => braces -= 1,
                _ => {}
            }
            self.next();
            if braces == 0 {
                return Ok(());
            }
        }
    }

    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.eat(",") {
                self.expect(close)?;
                return Ok(items);
            }
        }
    }
}
