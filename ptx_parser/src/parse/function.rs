//! Kernels, functions and prototypes.

use super::{Parser, Result};
use crate::error::Error;
use crate::lexer::TokenKind;
use crate::tree::{Function, FunctionDirective, FunctionKind, Linkage, Prototype};

/// The names of `.language`, by their codes. Those that are reserved have none that a program could write.
const LANGUAGES: [&str; 11] = [
    "unknown",
    "",
    "",
    "ptx",
    "nvvm",
    "cuda c++",
    "cuda c++ tile",
    "tile ir",
    "python-cutile",
    "fortran",
    "optix",
];

impl<'a> Parser<'a> {
    /// From `.entry` or `.func` to the end of the body or the `;`.
    pub(super) fn function_directive(
        &mut self,
        start: usize,
        linkage: Linkage,
    ) -> Result<Function<'a>> {
        let kind = if self.at_dot("entry") { FunctionKind::Entry } else { FunctionKind::Func };
        self.next();
        let mut attributes = Vec::new();
        let mut directives = Vec::new();
        if self.eat_dot("attribute") {
            attributes = self.attributes()?;
        }
        // `.noreturn` may also stand here.
        self.function_directives(&mut directives)?;
        let returns = if self.at("(") { self.parameters()? } else { Vec::new() };
        let name = self.name()?;
        let span = self.since(start);
        self.function = Some(name);
        let parameters = if self.at("(") { self.parameters()? } else { Vec::new() };
        self.function_directives(&mut directives)?;
        let body = if self.at("{") {
            let open = self.next().span();
            let body = self.body();
            if !self.eat("}") {
                // What follows in the module is lost as well.
                self.function = None;
                self.report(Error::invalid(open, "`{` without `}`"));
            }
            Some(body)
        } else {
            self.expect(";")?;
            None
        };
        Ok(Function {
            linkage,
            kind,
            name,
            returns,
            parameters,
            attributes,
            directives,
            body,
            span,
        })
    }

    /// `.callprototype` to its `;`, behind the label.
    pub(super) fn prototype(&mut self, name: &'a str, start: usize) -> Result<Prototype<'a>> {
        self.next();
        let returns = if self.at("(") { self.parameters()? } else { Vec::new() };
        // `_` or a name that means nothing.
        self.name()?;
        let parameters = if self.at("(") { self.parameters()? } else { Vec::new() };
        let mut directives = Vec::new();
        self.function_directives(&mut directives)?;
        self.expect(";")?;
        Ok(Prototype { name, returns, parameters, directives, span: self.since(start) })
    }

    fn function_directives(&mut self, directives: &mut Vec<FunctionDirective<'a>>) -> Result<()> {
        while let Some(word) = self.dot() {
            if word == "pragma" {
                directives.push(FunctionDirective::Pragma(self.pragma()?));
                continue;
            }
            let token = self.next();
            directives.push(match word {
                "maxntid" => FunctionDirective::Maxntid(self.extent()?),
                "reqntid" => FunctionDirective::Reqntid(self.extent()?),
                "minnctapersm" => FunctionDirective::Minnctapersm(self.count()?),
                "maxnctapersm" => FunctionDirective::Maxnctapersm(self.count()?),
                "maxnreg" => FunctionDirective::Maxnreg(self.count()?),
                "noreturn" => FunctionDirective::Noreturn,
                "explicitcluster" => FunctionDirective::Explicitcluster,
                "reqnctapercluster" => FunctionDirective::Reqnctapercluster(self.extent()?),
                "maxclusterrank" => FunctionDirective::Maxclusterrank(self.count()?),
                "blocksareclusters" => FunctionDirective::Blocksareclusters,
                "abi_preserve" => FunctionDirective::AbiPreserve(self.count()?),
                "abi_preserve_control" => FunctionDirective::AbiPreserveControl(self.count()?),
                "language" => FunctionDirective::Language(self.languages()?),
                _ => {
                    return Err(
                        self.unknown_word(token.span(), format!("unknown directive `.{word}`"))
                    );
                }
            });
        }
        Ok(())
    }

    /// Names, of which case does not matter, or codes.
    fn languages(&mut self) -> Result<Vec<u8>> {
        let mut codes = Vec::new();
        loop {
            let token = self.token;
            let code = if token.kind == TokenKind::Text {
                let name = self.text()?;
                LANGUAGES.iter().position(|known| known.eq_ignore_ascii_case(name))
            } else {
                usize::try_from(self.count::<u32>()?).ok().filter(|code| *code < LANGUAGES.len())
            };
            let code = code.and_then(|code| u8::try_from(code).ok());
            codes.push(
                code.ok_or_else(|| Error::invalid(token.span(), "there is no such language"))?,
            );
            if !self.eat(",") {
                return Ok(codes);
            }
        }
    }

    /// One to three counts; those left out are 1.
    fn extent(&mut self) -> Result<[u32; 3]> {
        let mut extent = [self.count()?, 1, 1];
        for size in &mut extent[1..] {
            if !self.eat(",") {
                break;
            }
            *size = self.count()?;
        }
        Ok(extent)
    }
}
