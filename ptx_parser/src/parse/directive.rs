//! The module and its directives.

use super::rule::Environment;
use super::variable::declared_space;
use super::{Parse, Parser, Result};
use crate::error::Error;
use crate::lexer::TokenKind;
use crate::tree::{Directive, Linkage, Module, Target};

impl<'a> Parser<'a> {
    /// Reads a whole module. What cannot be read is an error, and is skipped.
    pub(super) fn module(mut self) -> Parse<'a> {
        let mut module = Module {
            version: (0, 0),
            target: Target::default(),
            address_size: 64,
            directives: Vec::new(),
        };
        if !self.at_dot("version") {
            self.report(Error::invalid(self.token.span(), "a module begins with `.version`"));
        }
        let mut behind_version = None;
        while self.token.kind != TokenKind::End {
            let start = self.token.start;
            self.function = None;
            self.arrays[1].clear();
            self.depth = 0;
            if let Err(error) = self.directive(&mut module) {
                self.report(error);
                self.skip_directive(start);
            }
            behind_version.get_or_insert(self.token.span());
        }
        if module.target.words.is_empty() && module.version != (0, 0) {
            let span = behind_version.unwrap_or(self.token.span());
            self.report(Error::invalid(span, "a module has a `.target`"));
        }
        Parse { module, errors: self.errors }
    }

    /// Goes behind the directive that begins at `start`: its `;` or its body, but at least one token.
    fn skip_directive(&mut self, start: usize) {
        self.seek(start);
        self.next();
        while self.token.kind != TokenKind::End {
            let body = self.at("{");
            let next_directive = matches!(
                self.dot(),
                Some(
                    "version"
                        | "entry"
                        | "func"
                        | "visible"
                        | "extern"
                        | "weak"
                        | "common"
                        | "target"
                        | "file"
                )
            ) && self.at_line_start();
            if next_directive || self.eat(";") {
                return;
            }
            if body {
                // Without an end, everything behind it is lost.
                if self.skip_braces().is_err() || !(self.at(";") || self.at(",")) {
                    return;
                }
            } else {
                self.next();
            }
        }
    }

    /// Whether the token at hand is the first of its line.
    fn at_line_start(&self) -> bool {
        self.source()
            .get(self.previous_end..self.token.start)
            .is_some_and(|blank| blank.contains('\n'))
    }

    fn directive(&mut self, module: &mut Module<'a>) -> Result<()> {
        let start = self.token.start;
        if self.token.kind == TokenKind::Name && self.peek().is(":") {
            let name = self.name()?;
            self.next();
            if !self.at_dot("callprototype") {
                return Err(self.expected("`.callprototype`"));
            }
            let prototype = self.prototype(name, start)?;
            module.directives.push(Directive::Prototype(prototype));
            return Ok(());
        }
        let linkage = match self.dot() {
            Some("visible") => Linkage::Visible,
            Some("extern") => Linkage::Extern,
            Some("weak") => Linkage::Weak,
            Some("common") => Linkage::Common,
            _ => Linkage::Internal,
        };
        if linkage != Linkage::Internal {
            self.next();
        }
        let Some(word) = self.dot() else {
            return Err(self.expected("a directive"));
        };
        match word {
            "entry" | "func" => {
                self.environment = Environment::new(module);
                let function = self.function_directive(start, linkage)?;
                module.directives.push(Directive::Function(function));
            }
            _ if declared_space(word).is_some() => {
                let variables = self.variables(linkage)?;
                module.directives.extend(variables.into_iter().map(Directive::Variable));
            }
            _ if linkage != Linkage::Internal => {
                return Err(self.expected("a variable or function"));
            }
            "version" | "target" | "address_size" if !module.directives.is_empty() => {
                return Err(Error::invalid(
                    self.token.span(),
                    format!("`.{word}` stands before all other directives"),
                ));
            }
            "version" if module.version != (0, 0) => {
                return Err(Error::invalid(self.token.span(), "a module has one `.version`"));
            }
            "version" => {
                self.next();
                module.version = self.version()?;
            }
            "target" => {
                self.next();
                loop {
                    module.target.words.push(self.name()?);
                    if !self.eat(",") {
                        break;
                    }
                }
            }
            "address_size" => {
                self.next();
                let at = self.token.span();
                let size = self.count()?;
                if module.version != (0, 0) && module.version < (2, 3) {
                    return Err(Error::invalid(at, "`.address_size` needs version 2.3 or later"));
                }
                if !matches!(size, 32 | 64) {
                    return Err(Error::invalid(
                        at,
                        format!("an address size of {size} is neither 32 nor 64"),
                    ));
                }
                module.address_size = size;
            }
            "file" => {
                self.next();
                let index = self.count()?;
                let name = self.text()?;
                for _ in 0..2 {
                    if self.eat(",") {
                        self.integer()?;
                    }
                }
                module.directives.push(Directive::File { index, name });
            }
            "section" => {
                self.next();
                let name = match self.dot() {
                    Some(_) => self.next().text,
                    None => self.name()?,
                };
                if !self.at("{") {
                    return Err(self.expected("`{`"));
                }
                self.skip_braces()?;
                module.directives.push(Directive::Section { name });
            }
            "pragma" => {
                let texts = self.pragma()?;
                module.directives.push(Directive::Pragma(texts));
            }
            "alias" => {
                self.next();
                let name = self.name()?;
                self.expect(",")?;
                let aliasee = self.name()?;
                self.expect(";")?;
                module.directives.push(Directive::Alias { name, aliasee, span: self.since(start) });
            }
            "loc" => {
                self.loc()?;
            }
            _ => {
                self.environment = Environment::new(module);
                return Err(
                    self.unknown_word(self.token.span(), format!("unknown directive `.{word}`"))
                );
            }
        }
        Ok(())
    }

    fn version(&mut self) -> Result<(u16, u16)> {
        let text = if self.token.kind == TokenKind::Number { self.token.text } else { "" };
        let version = text
            .split_once('.')
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        match version {
            Some(version) => {
                self.next();
                Ok(version)
            }
            None => Err(self.expected("a version like 9.0")),
        }
    }

    /// `.pragma "a", "b";`
    pub(super) fn pragma(&mut self) -> Result<Vec<&'a str>> {
        self.next();
        let mut texts = vec![self.text()?];
        while self.eat(",") {
            texts.push(self.text()?);
        }
        self.expect(";")?;
        Ok(texts)
    }
}
