//! Variables, parameters, and initial values.

use super::{Parser, Result};
use crate::error::Error;
use crate::lexer::TokenKind;
use crate::modifier::{Modifier, ScalarType, StateSpace, VectorSize};
use crate::operand::Address;
use crate::tree::{Attribute, Initializer, Linkage, Pointer, Variable};

/// The properties that stand before the names of a declaration.
#[derive(Clone, Default)]
struct Head {
    align: Option<u32>,
    vector: Option<VectorSize>,
    type_: Option<ScalarType>,
    pointer: Option<Pointer>,
    attributes: Vec<Attribute>,
}

/// The state spaces that a declaration may name.
pub(super) fn declared_space(word: &str) -> Option<StateSpace> {
    match word {
        "reg" | "sreg" | "const" | "global" | "local" | "param" | "shared" | "tex" => {
            StateSpace::from_word(word)
        }
        _ => None,
    }
}

impl<'a> Parser<'a> {
    /// `.space ... name, name;`
    pub(super) fn variables(&mut self, linkage: Linkage) -> Result<Vec<Variable<'a>>> {
        let start = self.token.start;
        let (space, head) = self.head()?;
        let mut variables = vec![self.variable(start, linkage, space, &head)?];
        while self.eat(",") {
            let start = self.token.start;
            variables.push(self.variable(start, linkage, space, &head)?);
        }
        self.expect(";")?;
        Ok(variables)
    }

    /// `(.param ..., .param ...)`
    pub(super) fn parameters(&mut self) -> Result<Vec<Variable<'a>>> {
        self.expect("(")?;
        self.list(")", |parser| {
            let start = parser.token.start;
            let (space, head) = parser.head()?;
            parser.variable(start, Linkage::Internal, space, &head)
        })
    }

    fn head(&mut self) -> Result<(StateSpace, Head)> {
        let mut head = Head::default();
        if self.eat_dot("align") {
            head.align = Some(self.align()?);
        }
        let space =
            self.dot().and_then(declared_space).ok_or_else(|| self.expected("a state space"))?;
        self.next();
        if space == StateSpace::Const && self.eat("[") {
            // The number of a constant bank, from before PTX 2.2.
            self.integer()?;
            self.expect("]")?;
        }
        while let Some(word) = self.dot() {
            if word == "attribute" {
                self.next();
                head.attributes.extend(self.attributes()?);
            } else if word == "align" {
                self.next();
                let align = self.align()?;
                match &mut head.pointer {
                    Some(pointer) => pointer.align = Some(align),
                    None => head.align = Some(align),
                }
            } else if word == "ptr" {
                self.next();
                head.pointer = Some(Pointer { space: None, align: None });
            } else if let Some(vector) = VectorSize::from_word(word) {
                self.next();
                head.vector = Some(vector);
            } else if let Some(pointer) = &mut head.pointer
                && let Some(space) = declared_space(word)
            {
                pointer.space = Some(space);
                self.next();
            } else if head.type_.is_none()
                && let Some(type_) = ScalarType::from_word(word)
            {
                self.next();
                head.type_ = Some(type_);
            } else {
                return Err(self.expected("a type"));
            }
        }
        Ok((space, head))
    }

    fn align(&mut self) -> Result<u32> {
        let start = self.token.start;
        let align: u32 = self.count()?;
        if align.is_power_of_two() {
            Ok(align)
        } else {
            Err(Error::invalid(
                self.since(start),
                format!("an alignment of {align} is no power of two"),
            ))
        }
    }

    /// `(.managed, .unified(1, 2))`
    pub(super) fn attributes(&mut self) -> Result<Vec<Attribute>> {
        self.expect("(")?;
        self.list(")", |parser| match parser.dot() {
            Some("managed") => {
                parser.next();
                Ok(Attribute::Managed)
            }
            Some("unified") => {
                parser.next();
                parser.expect("(")?;
                let low = parser.integer()? as u64;
                parser.expect(",")?;
                let high = parser.integer()? as u64;
                parser.expect(")")?;
                Ok(Attribute::Unified(low, high))
            }
            _ => Err(parser.expected("an attribute")),
        })
    }

    /// A name and what follows it. `_` is the name of unnamed parameters.
    fn variable(
        &mut self,
        start: usize,
        linkage: Linkage,
        space: StateSpace,
        head: &Head,
    ) -> Result<Variable<'a>> {
        let type_ = head.type_.ok_or_else(|| self.expected("a type"))?;
        let name = self.name()?;
        let range = if self.eat("<") {
            let count = self.plain_count()?;
            self.expect(">")?;
            Some(count)
        } else {
            None
        };
        let mut dimensions = Vec::new();
        while self.eat("[") {
            if self.eat("]") {
                dimensions.push(0);
                continue;
            }
            dimensions.push(self.count()?);
            self.expect("]")?;
        }
        if !dimensions.is_empty() {
            let scope = usize::from(self.function.is_some());
            self.arrays[scope].insert(name, type_.size());
        }
        let initializer = if self.eat("=") { Some(self.initializer()?) } else { None };
        if let (Some(first @ 0), Some(Initializer::List(items))) =
            (dimensions.first_mut(), &initializer)
        {
            *first = items.len() as u64;
        }
        Ok(Variable {
            linkage,
            space,
            align: head.align,
            vector: head.vector,
            type_,
            name,
            range,
            dimensions,
            initializer,
            pointer: head.pointer,
            attributes: head.attributes.clone(),
            span: self.since(start),
        })
    }

    fn initializer(&mut self) -> Result<Initializer<'a>> {
        if self.eat("{") {
            return self.nested(|p| p.list("}", Self::initializer)).map(Initializer::List);
        }
        if self.token.kind == TokenKind::Number && self.peek().is("(") {
            let mask = self.next();
            let mask = super::constant::number(mask.text, mask.span())?;
            self.expect("(")?;
            let (address, generic) = self.symbol()?;
            self.expect(")")?;
            return Ok(Initializer::Symbol { address, generic, mask: mask.integer_bits() });
        }
        if self.token.kind == TokenKind::Name && self.token.text != "WARP_SZ" {
            if self.lexer.next_is(b'=') {
                let name = self.name()?;
                self.expect("=")?;
                let value = self.nested(Self::initializer)?;
                return Ok(Initializer::Property(name, Box::new(value)));
            }
            let (address, generic) = self.symbol()?;
            return Ok(Initializer::Symbol { address, generic, mask: None });
        }
        self.constant().map(Initializer::Immediate)
    }

    /// `name+8`, `generic(name)+8`
    fn symbol(&mut self) -> Result<(Address<'a>, bool)> {
        let mut name = self.name()?;
        let generic = name == "generic" && self.eat("(");
        let mut offset = 0;
        if generic {
            name = self.name()?;
            offset = self.offset()?;
            self.expect(")")?;
        }
        offset = self.offset()?.wrapping_add(offset);
        Ok((Address::new(Some(name), offset), generic))
    }

    /// `+8`, `-8`, or nothing.
    fn offset(&mut self) -> Result<i64> {
        if self.eat("+") {
            self.integer()
        } else if self.eat("-") {
            Ok(self.integer()?.wrapping_neg())
        } else {
            Ok(0)
        }
    }
}
