//! The grammar of AMD's pseudo code, as far as arithmetic uses it.

use std::rc::Rc;

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Name(String),
    /// A literal's digits, without its suffix.
    Integer {
        value: u128,
        width: Option<u32>,
        suffix: String,
    },
    Float {
        value: f64,
        width: u32,
    },
    /// `32'U`: a width and a letter.
    Type(u32, String),
    Symbol(&'static str),
}

const SYMBOLS: [&str; 39] = [
    "**", "+=", "-=", "+:", "&&", "||", "==", "!=", "<>", "<=", ">=", "<<", ">>", "+", "-", "*",
    "/", "&", "|", "^", "~", "!", "<", ">", "=", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{",
    "}", "%", "@", "#",
];

pub fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let lines: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let text = lines.join("\n");
    let mut rest = text.trim_start();
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (token, length) = if first.is_ascii_digit() {
            number(rest)?
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end =
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            (Token::Name(rest[..end].to_owned()), end)
        } else {
            let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
            let symbol = symbol.ok_or_else(|| format!("unknown character {first:?}"))?;
            (Token::Symbol(symbol), symbol.len())
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// A literal or a type, both of which may begin with a width.
fn number(text: &str) -> Result<(Token, usize), String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (width, start) = match text[digits..].strip_prefix('\'') {
        Some(_) => (Some(text[..digits].parse().map_err(|_| "bad width")?), digits + 1),
        None => (None, 0),
    };
    let body = &text[start..];
    if let (Some(width), true) = (width, body.starts_with(|c: char| c.is_ascii_alphabetic())) {
        let end = body.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(body.len());
        return Ok((Token::Type(width, body[..end].to_owned()), start + end));
    }
    let (radix, prefix) = if body.starts_with("0x") { (16, 2) } else { (10, 0) };
    let is_digit = |c: char| c.is_digit(radix);
    let end = body[prefix..].find(|c: char| !is_digit(c)).map_or(body.len(), |end| end + prefix);
    let fraction = &body[end..];
    if radix == 10
        && fraction.starts_with('.')
        && fraction[1..].starts_with(|c: char| c.is_ascii_digit())
    {
        let more = fraction[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len() - 1);
        let end = end + 1 + more;
        let value = body[..end].parse().map_err(|_| "bad float")?;
        let single = body[end..].starts_with('F');
        let width = width.unwrap_or(if single { 32 } else { 64 });
        return Ok((Token::Float { value, width }, start + end + usize::from(single)));
    }
    let value = u128::from_str_radix(&body[prefix..end], radix)
        .map_err(|_| format!("bad number {body:.20}"))?;
    let suffix = body[end..].find(|c: char| !"UL".contains(c)).unwrap_or(body.len() - end);
    Ok((
        Token::Integer { value, width, suffix: body[end..end + suffix].to_owned() },
        start + end + suffix,
    ))
}

#[derive(Clone, Debug)]
pub enum Expression {
    Name(String),
    Integer {
        value: u128,
        width: Option<u32>,
        suffix: String,
    },
    Float {
        value: f64,
        width: u32,
    },
    /// `.u32`
    Field(Box<Expression>, String),
    /// `[i]`
    Element(Box<Expression>, Box<Expression>),
    /// `[high : low]`
    Slice(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `[low +: width]`
    Part(Box<Expression>, Box<Expression>, Box<Expression>),
    Call(String, Vec<Expression>),
    /// `32'U(x)`
    Cast(u32, String, Box<Expression>),
    Unary(&'static str, Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    Concatenation(Vec<Expression>),
}

#[derive(Clone, Debug)]
pub enum Statement {
    /// To all of the targets; with `+=` and `-=` resolved.
    Assign(Vec<Expression>, Expression),
    If(Vec<(Option<Expression>, Vec<Statement>)>),
    For(String, Expression, Expression, Vec<Statement>),
    Break,
    Return(Expression),
    Declare(String, u32, String, Option<usize>),
    Define(String, Rc<Lambda>),
    Evaluate(Expression),
}

#[derive(Debug)]
pub struct Lambda {
    pub parameters: Vec<String>,
    pub body: Vec<Statement>,
}

pub fn parse(text: &str) -> Result<Vec<Statement>, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0 };
    let statements = parser.statements(&[])?;
    match parser.tokens.get(parser.at) {
        None => Ok(statements),
        Some(token) => Err(format!("unexpected {token:?}")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

/// Operators from the loosest to the tightest.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!=", "<>"],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser {
    fn peek_name(&self) -> Option<&str> {
        match self.tokens.get(self.at) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Symbol(found)) if *found == symbol)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<(), String> {
        if self.take(symbol) {
            return Ok(());
        }
        Err(format!("expected {symbol:?}, not {:?}", self.tokens.get(self.at)))
    }

    fn name(&mut self) -> Result<String, String> {
        let name = self.peek_name().map(str::to_owned);
        self.at += 1;
        name.ok_or_else(|| format!("expected a name, not {:?}", self.tokens.get(self.at - 1)))
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), String> {
        let found = self.name()?;
        if found == keyword { Ok(()) } else { Err(format!("expected {keyword}, not {found}")) }
    }

    /// Up to one of the keywords, or a closing parenthesis, or the end.
    fn statements(&mut self, ends: &[&str]) -> Result<Vec<Statement>, String> {
        let mut statements = Vec::new();
        loop {
            while self.take(";") {}
            let at_end = self.at == self.tokens.len() || self.is(")");
            if at_end || self.peek_name().is_some_and(|name| ends.contains(&name)) {
                return Ok(statements);
            }
            statements.push(self.statement()?);
        }
    }

    fn statement(&mut self) -> Result<Statement, String> {
        match self.peek_name() {
            Some("if") => self.conditional(),
            Some("for") => {
                self.at += 1;
                let variable = self.name()?;
                self.keyword("in")?;
                let first = self.expression()?;
                self.expect(":")?;
                let last = self.expression()?;
                self.keyword("do")?;
                let body = self.statements(&["endfor"])?;
                self.keyword("endfor")?;
                Ok(Statement::For(variable, first, last, body))
            }
            Some("break") => {
                self.at += 1;
                Ok(Statement::Break)
            }
            Some("return") => {
                self.at += 1;
                Ok(Statement::Return(self.expression()?))
            }
            Some("declare") => self.declaration(),
            _ => self.assignment(),
        }
    }

    fn conditional(&mut self) -> Result<Statement, String> {
        let mut branches = Vec::new();
        loop {
            let condition = match self.name()?.as_str() {
                "if" | "elsif" => {
                    let condition = self.expression()?;
                    self.keyword("then")?;
                    Some(condition)
                }
                "else" => None,
                "endif" => return Ok(Statement::If(branches)),
                other => return Err(format!("unexpected {other}")),
            };
            branches.push((condition, self.statements(&["elsif", "else", "endif"])?));
        }
    }

    fn declaration(&mut self) -> Result<Statement, String> {
        self.at += 1;
        let name = self.name()?;
        self.expect(":")?;
        let Some(Token::Type(width, letter)) = self.tokens.get(self.at).cloned() else {
            return Err("expected a type".into());
        };
        self.at += 1;
        let length = if self.take("[") {
            let Some(Token::Integer { value, .. }) = self.tokens.get(self.at) else {
                return Err("expected a length".into());
            };
            let length = *value as usize;
            self.at += 1;
            self.expect("]")?;
            Some(length)
        } else {
            None
        };
        Ok(Statement::Declare(name, width, letter, length))
    }

    fn assignment(&mut self) -> Result<Statement, String> {
        let target = self.expression()?;
        if self.take("=") {
            if self.peek_name() == Some("lambda") {
                let Expression::Name(name) = target else {
                    return Err("a lambda without a name".into());
                };
                return Ok(Statement::Define(name, Rc::new(self.lambda()?)));
            }
            let mut targets = vec![target];
            let mut value = self.expression()?;
            while self.take("=") {
                targets.push(std::mem::replace(&mut value, self.expression()?));
            }
            return Ok(Statement::Assign(targets, value));
        }
        for (assign, operator) in [("+=", "+"), ("-=", "-")] {
            if self.take(assign) {
                let value =
                    Expression::Binary(operator, target.clone().into(), self.expression()?.into());
                return Ok(Statement::Assign(vec![target], value));
            }
        }
        Ok(Statement::Evaluate(target))
    }

    fn lambda(&mut self) -> Result<Lambda, String> {
        self.at += 1;
        self.expect("(")?;
        let mut parameters = vec![self.name()?];
        while self.take(",") {
            parameters.push(self.name()?);
        }
        self.expect(")")?;
        self.expect("(")?;
        let body = match self.peek_name() {
            Some("if" | "declare" | "for") => self.statements(&[])?,
            _ => vec![Statement::Return(self.expression()?)],
        };
        self.expect(")")?;
        Ok(Lambda { parameters, body })
    }

    fn expression(&mut self) -> Result<Expression, String> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.expect(":")?;
        Ok(Expression::Choice(condition.into(), yes.into(), self.expression()?.into()))
    }

    fn binary(&mut self, level: usize) -> Result<Expression, String> {
        let Some(operators) = LEVELS.get(level) else { return self.power() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.is(operator)) {
            self.at += 1;
            left = Expression::Binary(operator, left.into(), self.binary(level + 1)?.into());
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Expression, String> {
        let base = self.unary()?;
        if self.take("**") {
            return Ok(Expression::Binary("**", base.into(), self.unary()?.into()));
        }
        Ok(base)
    }

    fn unary(&mut self) -> Result<Expression, String> {
        for operator in ["!", "~", "-", "+"] {
            if self.take(operator) {
                return Ok(Expression::Unary(operator, self.unary()?.into()));
            }
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Result<Expression, String> {
        let mut value = self.primary()?;
        loop {
            if self.take(".") {
                value = Expression::Field(value.into(), self.name()?);
            } else if self.take("[") {
                let first = Box::new(self.expression()?);
                value = if self.take(":") {
                    Expression::Slice(value.into(), first, self.expression()?.into())
                } else if self.take("+:") {
                    Expression::Part(value.into(), first, self.expression()?.into())
                } else {
                    Expression::Element(value.into(), first)
                };
                self.expect("]")?;
            } else {
                return Ok(value);
            }
        }
    }

    fn list(&mut self, end: &str) -> Result<Vec<Expression>, String> {
        let mut all = Vec::new();
        while !self.take(end) {
            all.push(self.expression()?);
            if !self.is(end) {
                self.expect(",")?;
            }
        }
        Ok(all)
    }

    fn primary(&mut self) -> Result<Expression, String> {
        let token = self.tokens.get(self.at).cloned().ok_or("unexpected end")?;
        self.at += 1;
        match token {
            Token::Integer { value, width, suffix } => {
                Ok(Expression::Integer { value, width, suffix })
            }
            Token::Float { value, width } => Ok(Expression::Float { value, width }),
            Token::Type(width, letter) => {
                self.expect("(")?;
                let value = self.expression()?;
                self.expect(")")?;
                Ok(Expression::Cast(width, letter, value.into()))
            }
            Token::Name(name) if self.take("(") => Ok(Expression::Call(name, self.list(")")?)),
            Token::Name(name) => Ok(Expression::Name(name)),
            Token::Symbol("(") => {
                let value = self.expression()?;
                self.expect(")")?;
                Ok(value)
            }
            Token::Symbol("{") => Ok(Expression::Concatenation(self.list("}")?)),
            Token::Symbol(symbol) => Err(format!("unexpected {symbol:?}")),
        }
    }
}
