//! Operands, read before it is known which form they belong to.

use super::{Parser, Result};
use crate::error::Error;
use crate::lexer::TokenKind;
use crate::operand::{Address, Component, Index, Operand};
use crate::span::Span;
use crate::special_register::SpecialRegister;

/// An operand as it is written, all that stands between two commas.
pub(super) struct Item<'a> {
    pub kind: ItemKind<'a>,
    /// `p` of `d|p`.
    pub pair: Option<Operand<'a>>,
    /// `.word` behind the operand.
    pub suffix: Option<&'a str>,
    pub span: Span,
}

pub(super) enum ItemKind<'a> {
    Operand(Operand<'a>),
    /// `a[2]`: its address, or in loads and stores what is there.
    Element(Operand<'a>),
    /// `[a+8]`
    Address(Address<'a>),
    /// `[a, b]`
    List(Vec<Operand<'a>>),
}

/// The address that an operand means in brackets; none where it can mean none.
pub(super) fn address(operand: Operand<'_>) -> Option<Address<'_>> {
    match operand {
        Operand::Name(name) => Some(Address::new(Some(name), 0)),
        Operand::Offset(address) => Some(*address),
        Operand::Immediate(value) => Some(Address::new(None, value.integer_bits()? as i64)),
        _ => None,
    }
}

impl<'a> Parser<'a> {
    /// Reads all that stands between two commas. Fails where no operand begins, or one is not complete.
    pub(super) fn item(&mut self) -> Result<Item<'a>> {
        let start = self.token.start;
        let element = self.token.kind == TokenKind::Name && self.lexer.next_is(b'[');
        let kind = if self.eat("[") { self.bracket()? } else { ItemKind::Operand(self.operand()?) };
        let kind = match kind {
            ItemKind::Operand(operand) if element => ItemKind::Element(operand),
            kind => kind,
        };
        let suffix = match self.dot() {
            Some(word) => {
                self.next();
                Some(word)
            }
            None => None,
        };
        let pair = if self.eat("|") { Some(self.operand()?) } else { None };
        Ok(Item { kind, pair, suffix, span: self.since(start) })
    }

    fn bracket(&mut self) -> Result<ItemKind<'a>> {
        let start = self.token.start;
        let mut operands = self.list("]", Self::operand)?;
        if operands.len() > 1 {
            return Ok(ItemKind::List(operands));
        }
        operands
            .pop()
            .and_then(address)
            .map(ItemKind::Address)
            .ok_or_else(|| Error::invalid(self.since(start), "expected an address"))
    }

    /// Reads one operand that is not in brackets. Fails where none begins, or it is not complete.
    pub(super) fn operand(&mut self) -> Result<Operand<'a>> {
        if self.token.kind == TokenKind::Name && self.token.text != "WARP_SZ" {
            return self.named();
        }
        if self.token.kind == TokenKind::Symbol {
            let name_follows = |p: &Self| {
                let next = p.peek();
                next.kind == TokenKind::Name && next.text != "WARP_SZ"
            };
            match self.token.text {
                "{" => {
                    self.next();
                    let elements = self.nested(|p| p.list("}", Self::operand))?;
                    return Ok(Operand::Vector(elements.into()));
                }
                "!" if name_follows(self) => {
                    self.next();
                    return Ok(Operand::Not(self.name()?));
                }
                "-" if name_follows(self) => {
                    self.next();
                    return Ok(Operand::Minus(self.name()?));
                }
                _ => {}
            }
        }
        if self.at_constant() {
            return Ok(Operand::Immediate(self.constant()?));
        }
        Err(self.expected("an operand"))
    }

    /// A name, and what may follow it.
    fn named(&mut self) -> Result<Operand<'a>> {
        let name = self.next().text;
        if name == "_" {
            return Ok(Operand::Sink);
        }
        let component = self.dot().and_then(Component::from_word);
        if let Some(register) = SpecialRegister::from_name(name) {
            let element = component.and_then(|c| register.component(c));
            if element.is_some() {
                self.next();
            }
            return Ok(Operand::Special(element.unwrap_or(register)));
        }
        if let Some(component) = component {
            self.next();
            return Ok(Operand::Component(name, component));
        }
        if self.at("[") {
            return self.element(name);
        }
        if self.eat("+") {
            let offset = self.integer()?;
            return Ok(Operand::Offset(Box::new(Address::new(Some(name), offset))));
        }
        Ok(Operand::Name(name))
    }

    /// `a[1]`, `a[r]`, `a[r+1]`: the address of an element of an array that is declared above.
    fn element(&mut self, name: &'a str) -> Result<Operand<'a>> {
        let start = self.token.start;
        self.expect("[")?;
        let register = match self.token.kind {
            TokenKind::Name => Some(self.next().text),
            _ => None,
        };
        let index = match register {
            Some(_) if !self.eat("+") => 0,
            _ => self.integer()?,
        };
        self.expect("]")?;
        let size = self.arrays[1].get(name).or_else(|| self.arrays[0].get(name));
        if let (Some(register), Some(&size)) = (register, size) {
            let offset = index.wrapping_mul(size.into());
            let index = Some(Index { register, size });
            return Ok(Operand::Offset(Box::new(Address { base: Some(name), index, offset })));
        }
        match size.and_then(|size| index.checked_mul(i64::from(*size))) {
            Some(0) => Ok(Operand::Name(name)),
            Some(offset) => Ok(Operand::Offset(Box::new(Address::new(Some(name), offset)))),
            None => Err(Error::invalid(
                self.since(start),
                format!("`{name}` is no array with such an element"),
            )),
        }
    }
}
