//! The statements of a body.

use super::variable::declared_space;
use super::{Parser, Result};
use crate::error::Error;
use crate::lexer::TokenKind;
use crate::span::Span;
use crate::tree::{Guard, GuardedInstruction, Linkage, Loc, Statement, Unknown};

impl<'a> Parser<'a> {
    /// Statements up to the `}` that ends them, or the end of the text.
    pub(super) fn body(&mut self) -> Vec<Statement<'a>> {
        let mut statements = Vec::new();
        while self.token.kind != TokenKind::End && !self.at("}") {
            let start = self.token.start;
            let depth = self.depth;
            if let Err(error) = self.statement(&mut statements) {
                self.depth = depth;
                self.skip_statement(start);
                if self.previous_end <= start {
                    // A `}` ends the block; nothing else is left standing.
                    self.previous_end = start;
                }
                let unknown = self.unknown(start, error);
                statements.push(unknown);
            }
        }
        statements
    }

    fn unknown(&mut self, start: usize, error: Error) -> Statement<'a> {
        let error = match self.function {
            Some(function) => error.in_function(function),
            None => error,
        };
        self.errors.push(error.clone());
        let span = self.since(start);
        let text = span.text(self.source());
        let mnemonic = mnemonic(text);
        Statement::Unknown(Box::new(Unknown { mnemonic, text, span, error }))
    }

    fn statement(&mut self, statements: &mut Vec<Statement<'a>>) -> Result<()> {
        let start = self.token.start;
        match self.token.kind {
            TokenKind::Name => {
                if self.lexer.next_is(b':') {
                    return self.label(start, statements);
                }
                let instruction = self.instruction()?;
                let span = self.statement_span(start);
                statements.push(Statement::Instruction(GuardedInstruction {
                    guard: None,
                    instruction,
                    span,
                }));
            }
            TokenKind::Symbol if self.at("@") => {
                self.next();
                let not = self.eat("!");
                let predicate = self.name()?;
                let guard = Some(Guard { predicate, not });
                let instruction = self.instruction()?;
                let span = self.statement_span(start);
                statements.push(Statement::Instruction(GuardedInstruction {
                    guard,
                    instruction,
                    span,
                }));
            }
            TokenKind::Symbol if self.at("{") => {
                self.next();
                let body = self.nested(|parser| Ok(parser.body()))?;
                // Where the `}` is missing, so is that of the function, which reports it.
                self.eat("}");
                statements.push(Statement::Block(body));
            }
            TokenKind::Dot => self.body_directive(statements)?,
            _ => return Err(self.expected("a statement")),
        }
        Ok(())
    }

    /// The span of an instruction, without its `;`.
    fn statement_span(&self, start: usize) -> Span {
        Span::new(start, self.previous_end.saturating_sub(1).max(start))
    }

    fn label(&mut self, start: usize, statements: &mut Vec<Statement<'a>>) -> Result<()> {
        let name = self.name()?;
        let span = self.since(start);
        self.expect(":")?;
        match self.dot() {
            Some("callprototype") => {
                let prototype = self.prototype(name, start)?;
                statements.push(Statement::Prototype(prototype));
            }
            Some("calltargets") => {
                let targets = self.targets()?;
                statements.push(Statement::CallTargets { name, targets, span });
            }
            Some("branchtargets") => {
                let targets = self.targets()?;
                statements.push(Statement::BranchTargets { name, targets, span });
            }
            _ => statements.push(Statement::Label { name, span }),
        }
        Ok(())
    }

    fn targets(&mut self) -> Result<Vec<&'a str>> {
        self.next();
        self.list(";", Self::name)
    }

    fn body_directive(&mut self, statements: &mut Vec<Statement<'a>>) -> Result<()> {
        let word = self.dot().unwrap_or_default();
        if declared_space(word).is_some() {
            let variables = self.variables(Linkage::Internal)?;
            statements.extend(variables.into_iter().map(Statement::Variable));
            return Ok(());
        }
        match word {
            "loc" => {
                let loc = self.loc()?;
                statements.push(Statement::Loc(loc));
            }
            "pragma" => {
                let texts = self.pragma()?;
                statements.push(Statement::Pragma(texts));
            }
            _ => {
                return Err(
                    self.unknown_word(self.token.span(), format!("unknown directive `.{word}`"))
                );
            }
        }
        Ok(())
    }

    /// `.loc 1 12 5`, and `, function_name label, inlined_at 1 20 3` that may follow.
    pub(super) fn loc(&mut self) -> Result<Loc> {
        self.next();
        let number = |parser: &mut Self| -> Result<u32> {
            if parser.token.kind != TokenKind::Number {
                return Err(parser.expected("a number"));
            }
            let token = parser.next();
            token.text.parse().map_err(|_| {
                Error::invalid(token.span(), format!("`{}` is out of range", token.text))
            })
        };
        let loc = Loc { file: number(self)?, line: number(self)?, column: number(self)? };
        while self.eat(",") {
            match self.name()? {
                "function_name" => {
                    self.name()?;
                    if self.eat("+") {
                        self.integer()?;
                    }
                }
                "inlined_at" => {
                    for _ in 0..3 {
                        number(self)?;
                    }
                }
                _ => return Err(self.expected("`function_name` or `inlined_at`")),
            }
        }
        Ok(loc)
    }
}

/// The opcode and the modifiers that a statement begins with, behind its guard.
fn mnemonic(statement: &str) -> &str {
    let mut rest = statement;
    if let Some(guarded) = rest.strip_prefix('@') {
        rest = guarded.trim_start_matches(|c: char| !c.is_whitespace()).trim_start();
    }
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':')))
        .unwrap_or(rest.len());
    &rest[..end]
}
