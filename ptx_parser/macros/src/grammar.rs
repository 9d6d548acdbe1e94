//! Reads the manual's syntax of an instruction.

use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Ident, LitStr, Token};

/// The content of one `isa!`.
pub struct Family {
    pub instructions: Vec<Declaration>,
}

/// `/// doc  Name = "forms";`
pub struct Declaration {
    pub docs: Vec<Attribute>,
    pub name: Ident,
    pub blocks: Vec<Block>,
    /// Names of the destination operands, where the default does not hold.
    pub writes: Option<Vec<String>>,
    /// Types of operands, where the default does not hold.
    pub types: Vec<OperandType>,
    pub constants: Vec<Constants>,
    pub spaces: Vec<Space>,
    /// Fields that belong to the name, so that nothing stands before them.
    pub name_fields: Vec<String>,
    /// Words that mean nothing.
    pub ignored: Vec<String>,
    pub rules: Vec<Rule>,
}

/// `imm-scale-a imm-scale-b = -1 | 1`, `size? = 16../16` or `cp-size = 16 for .cg` in `constants`.
#[derive(Clone)]
pub struct Constants {
    pub operands: Vec<String>,
    /// `?`: a register will do too.
    pub registers: bool,
    /// First, last, step.
    pub ranges: Vec<(i64, i64, i64)>,
    /// The conditions, all of which have to hold.
    pub when: Vec<Term>,
}

/// `src-mem = src` or `mbar = .shared` in `spaces`.
#[derive(Clone)]
pub struct Space {
    pub operands: Vec<String>,
    /// A field or a `.literal` state space.
    pub space: String,
}

/// `needs 7.8 sm_90 for .bf16 | .bf16x2;`, `gone 6.4 sm_70;` or `never .v8 & .b8 | .b16;`
#[derive(Clone, Default)]
pub struct Rule {
    pub never: bool,
    /// The version and the target are those that no longer have it.
    pub gone: bool,
    pub version: Option<(u16, u16)>,
    /// `sm_90`, `sm_100f`...: one of them.
    pub targets: Vec<String>,
    /// All have to hold.
    pub when: Vec<Term>,
}

/// `!.a | .b`: neither; `.a | .b`: one of them.
#[derive(Clone)]
pub struct Term {
    pub not: bool,
    pub any: Vec<Atom>,
}

#[derive(Clone)]
pub enum Atom {
    /// `.word`, wherever it stands.
    Word(String),
    /// `atype.word`
    Field(String, String),
    /// `a`, `a:vector`: the operand is there, and is what the second says.
    Operand(String, Option<String>),
}

/// `a b = atype or type_ or .b32` in `types`.
#[derive(Clone)]
pub struct OperandType {
    /// Operands; none for all that no other entry names.
    pub operands: Vec<String>,
    /// Fields or `.literal` types, of which the first that is there holds; `wide` doubles `type_`.
    pub choices: Vec<String>,
}

/// Forms, and the groups that hold for them.
#[derive(Default)]
pub struct Block {
    pub forms: Vec<Form>,
    pub groups: Vec<Alternatives>,
}

/// `.name@field: Type = { .word, ... };`
#[derive(Clone)]
pub struct Alternatives {
    pub name: String,
    pub field: Option<String>,
    pub type_: Option<String>,
    pub words: Vec<String>,
}

/// `opcode.mods operands;`
#[derive(Clone)]
pub struct Form {
    pub opcode: String,
    pub modifiers: Vec<Modifier>,
    pub operands: Vec<Operand>,
}

#[derive(Clone)]
pub struct Modifier {
    /// The word or the name of a group, without the dot.
    pub name: String,
    pub field: Option<String>,
    pub optional: bool,
}

#[derive(Clone, Default)]
pub struct Operand {
    /// One name; several for `[a, b]`.
    pub names: Vec<String>,
    pub bracket: bool,
    /// `<a>`: must be a vector.
    pub vector: bool,
    pub optional: bool,
    /// `{!}a`
    pub not: bool,
    /// `{-}a`
    pub minus: bool,
    /// `a|p`, `a{|p}`: the name and whether it may be left out.
    pub pair: Option<(String, bool)>,
    /// `a{.sel}`
    pub suffix: Option<Modifier>,
}

impl Parse for Family {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut instructions = Vec::new();
        while !input.is_empty() {
            let docs = input.call(Attribute::parse_outer)?;
            let mut names: Vec<Ident> = vec![input.parse()?];
            while input.parse::<Option<Token![,]>>()?.is_some() {
                names.push(input.parse()?);
            }
            input.parse::<Token![=]>()?;
            let text: LitStr = input.parse()?;
            input.parse::<Token![;]>()?;
            for name in names {
                let forms = text
                    .value()
                    .replace("opcode.", &format!("{}.", name.to_string().to_lowercase()));
                let declared =
                    read(&forms).map_err(|e| Error::new(text.span(), format!("{name}: {e}")))?;
                let Declared {
                    blocks,
                    writes,
                    types,
                    constants,
                    spaces,
                    name_fields,
                    ignored,
                    rules,
                } = declared;
                instructions.push(Declaration {
                    docs: docs.clone(),
                    name,
                    blocks,
                    writes,
                    types,
                    constants,
                    spaces,
                    name_fields,
                    ignored,
                    rules,
                });
            }
        }
        Ok(Family { instructions })
    }
}

/// An error of the table of this instruction.
pub fn error(at: &Ident, text: String) -> Error {
    Error::new(Span::call_site(), format!("{at}: {text}"))
}

#[derive(Default)]
struct Declared {
    blocks: Vec<Block>,
    writes: Option<Vec<String>>,
    types: Vec<OperandType>,
    constants: Vec<Constants>,
    spaces: Vec<Space>,
    name_fields: Vec<String>,
    ignored: Vec<String>,
    rules: Vec<Rule>,
}

fn read(text: &str) -> Result<Declared, String> {
    let mut plain = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        if line.trim().starts_with("---") {
            plain.push('#');
        } else {
            plain.push_str(line);
        }
        plain.push('\n');
    }
    let mut declared = Declared::default();
    for part in plain.split('#') {
        let mut block = Block::default();
        for statement in part.split(';').map(str::trim).filter(|s| !s.is_empty()) {
            let result = if let Some(names) = statement.strip_prefix("writes") {
                let names = names.trim_start_matches([' ', '=']).split(',').map(str::trim);
                declared.writes =
                    Some(names.filter(|n| !n.is_empty()).map(str::to_owned).collect());
                Ok(())
            } else if let Some(entries) = statement.strip_prefix("types ") {
                entries.split(',').try_for_each(|e| operand_type(e).map(|t| declared.types.push(t)))
            } else if let Some(entries) = statement.strip_prefix("constants ") {
                let mut entries = entries.split(',');
                entries.try_for_each(|e| constants(e).map(|c| declared.constants.push(c)))
            } else if let Some(fields) = statement.strip_prefix("name ") {
                declared.name_fields.extend(fields.split(',').map(|f| f.trim().to_owned()));
                Ok(())
            } else if let Some(words) = statement.strip_prefix("ignored ") {
                let words = words.split_whitespace().map(|w| w.trim_start_matches('.').to_owned());
                declared.ignored.extend(words);
                Ok(())
            } else if let Some(entries) = statement.strip_prefix("spaces ") {
                entries.split(',').try_for_each(|e| space(e).map(|s| declared.spaces.push(s)))
            } else if let Some(rule) = statement.strip_prefix("gone ") {
                needs(rule).map(|r| declared.rules.push(Rule { gone: true, ..r }))
            } else if let Some(rule) = statement.strip_prefix("needs ") {
                needs(rule).map(|r| declared.rules.push(r))
            } else if let Some(rule) = statement.strip_prefix("never ") {
                terms(rule)
                    .map(|when| declared.rules.push(Rule { never: true, when, ..Rule::default() }))
            } else if statement.starts_with('.') {
                Reader::new(statement).groups(&mut block.groups)
            } else {
                Reader::new(statement).form().map(|f| block.forms.push(f))
            };
            result.map_err(|e| format!("{e} in `{statement}`"))?;
        }
        declared.blocks.push(block);
    }
    Ok(declared)
}

fn operand_type(entry: &str) -> Result<OperandType, String> {
    let (operands, choices) = entry.split_once('=').ok_or("expected `=`")?;
    let operands = operands.split_whitespace().filter(|o| *o != "*").map(str::to_owned).collect();
    let choices =
        choices.split(" or ").map(|c| c.trim().to_owned()).filter(|c| !c.is_empty()).collect();
    Ok(OperandType { operands, choices })
}

fn constants(entry: &str) -> Result<Constants, String> {
    let (operands, ranges) = entry.split_once('=').ok_or("expected `=`")?;
    let (ranges, when) = match ranges.split_once(" for ") {
        Some((ranges, when)) => (ranges, terms(when)?),
        None => (ranges, Vec::new()),
    };
    let registers = operands.contains('?');
    let operands = operands
        .split(|c: char| c == '?' || c.is_whitespace())
        .filter(|o| !o.is_empty())
        .map(str::to_owned);
    let number = |n: &str, none: i64| match n.trim() {
        "" => Ok(none),
        n => n.parse::<i64>().map_err(|_| format!("`{n}` is no number")),
    };
    let range = |range: &str| {
        let (range, step) = range.split_once('/').unwrap_or((range, "1"));
        let (first, last) = range.split_once("..").unwrap_or((range, range));
        Ok((number(first, i64::MIN)?, number(last, i64::MAX)?, number(step, 1)?.max(1)))
    };
    Ok(Constants {
        operands: operands.collect(),
        registers,
        ranges: ranges.split('|').map(range).collect::<Result<_, String>>()?,
        when,
    })
}

fn space(entry: &str) -> Result<Space, String> {
    let (operands, space) = entry.split_once('=').ok_or("expected `=`")?;
    let operands = operands.split_whitespace().map(str::to_owned).collect();
    Ok(Space { operands, space: space.trim().to_owned() })
}

/// `7.8 sm_90 for .bf16`; any part may be missing.
fn needs(text: &str) -> Result<Rule, String> {
    let (what, when) = match text.split_once(" for ") {
        Some((what, when)) => (what, terms(when)?),
        None => (text, Vec::new()),
    };
    let mut rule = Rule { when, ..Rule::default() };
    for word in what.split_whitespace() {
        if word.starts_with("sm_") {
            rule.targets.push(word.to_owned());
        } else {
            let number = |n: &str| n.parse().map_err(|_| format!("`{word}` is no version"));
            let (major, minor) = word.split_once('.').ok_or("expected a version or a target")?;
            rule.version = Some((number(major)?, number(minor)?));
        }
    }
    Ok(rule)
}

fn terms(text: &str) -> Result<Vec<Term>, String> {
    text.split('&')
        .map(|term| {
            let term = term.trim();
            let (not, words) = match term.strip_prefix('!') {
                Some(words) => (true, words),
                None => (false, term),
            };
            let any = words.split('|').map(|word| atom(word.trim())).collect::<Result<_, _>>()?;
            Ok(Term { not, any })
        })
        .collect()
}

fn atom(text: &str) -> Result<Atom, String> {
    if let Some(word) = text.strip_prefix('.') {
        return Ok(Atom::Word(word.to_owned()));
    }
    if let Some((field, word)) = text.split_once('.') {
        return Ok(Atom::Field(field.to_owned(), word.to_owned()));
    }
    let (operand, kind) = match text.split_once(':') {
        Some((operand, kind)) => (operand, Some(kind.to_owned())),
        None => (text, None),
    };
    if operand.is_empty() || operand.contains(char::is_whitespace) {
        return Err(format!("expected a word or an operand, not `{text}`"));
    }
    Ok(Atom::Operand(operand.to_owned(), kind))
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn new(rest: &'a str) -> Self {
        Reader { rest }
    }

    fn eat(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        if self.eat(text) {
            Ok(())
        } else {
            Err(format!("expected `{text}` before `{}`", self.rest))
        }
    }

    fn peek(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.starts_with(text)
    }

    fn word(&mut self, also: &[char]) -> Result<&'a str, String> {
        self.rest = self.rest.trim_start();
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || also.contains(&c)))
            .unwrap_or(self.rest.len());
        if end == 0 {
            return Err(format!("expected a name before `{}`", self.rest));
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(word)
    }

    /// `name` with `::` inside; a single `:` ends it.
    fn dotted(&mut self) -> Result<String, String> {
        let mut name = self.word(&[])?.to_owned();
        while self.rest.starts_with("::") {
            self.rest = &self.rest[2..];
            name.push_str("::");
            name.push_str(self.word(&[])?);
        }
        Ok(name)
    }

    fn number(&mut self) -> Result<usize, String> {
        let word = self.word(&[])?;
        word.parse().map_err(|_| format!("`{word}` is no number"))
    }

    /// `m64n[8..256/8]k16`: the words with 8, 16, ... 256.
    fn range(&mut self) -> Result<Vec<String>, String> {
        let mut words = vec![String::new()];
        loop {
            if self.rest.starts_with('[') {
                self.expect("[")?;
                let first = self.number()?;
                self.expect("..")?;
                let last = self.number()?;
                self.expect("/")?;
                let step = self.number()?.max(1);
                self.expect("]")?;
                let append = |w: &String| {
                    (first..=last).step_by(step).map(|n| format!("{w}{n}")).collect::<Vec<_>>()
                };
                words = words.iter().flat_map(append).collect();
            } else if self.rest.starts_with("::")
                || self.rest.starts_with(|c: char| c.is_ascii_alphanumeric())
            {
                let separator = if self.eat("::") { "::" } else { "" };
                let part = self.word(&[])?;
                words.iter_mut().for_each(|w| w.push_str(&format!("{separator}{part}")));
            } else {
                return Ok(words);
            }
        }
    }

    fn field(&mut self) -> Result<Option<String>, String> {
        if self.eat("@") { Ok(Some(self.word(&[])?.to_owned())) } else { Ok(None) }
    }

    fn groups(&mut self, groups: &mut Vec<Alternatives>) -> Result<(), String> {
        let first = groups.len();
        while self.eat(".") {
            let name = self.dotted()?;
            let field = self.field()?;
            let type_ = if self.eat(":") { Some(self.word(&[])?.to_owned()) } else { None };
            self.expect("=")?;
            groups.push(Alternatives { name, field, type_, words: Vec::new() });
        }
        self.expect("{")?;
        let mut words = Vec::new();
        while !self.eat("}") {
            if !self.eat("*") {
                self.expect(".")?;
                words.extend(self.range()?);
            }
            self.eat(",");
        }
        if !self.rest.trim().is_empty() {
            return Err(format!("unexpected `{}`", self.rest));
        }
        // In `.a = .b: Type = { ... }` the type holds for both.
        let type_ = groups[first..].iter().find_map(|g| g.type_.clone());
        for group in &mut groups[first..] {
            group.words.clone_from(&words);
            group.type_ = group.type_.take().or_else(|| type_.clone());
        }
        Ok(())
    }

    fn form(&mut self) -> Result<Form, String> {
        let opcode = self.word(&[])?.to_owned();
        let mut modifiers = Vec::new();
        loop {
            if self.eat("{.") {
                let name = self.dotted()?;
                let field = self.field()?;
                self.expect("}")?;
                modifiers.push(Modifier { name, field, optional: true });
            } else if self.eat(".") {
                let name = self.dotted()?;
                let field = self.field()?;
                modifiers.push(Modifier { name, field, optional: false });
            } else {
                break;
            }
        }
        let mut operands = Vec::new();
        while !self.rest.trim().is_empty() {
            if self.eat("{,") {
                let mut operand = self.operand()?;
                self.expect("}")?;
                operand.optional = true;
                operands.push(operand);
            } else {
                self.eat(",");
                operands.push(self.operand()?);
            }
        }
        Ok(Form { opcode, modifiers, operands })
    }

    fn operand(&mut self) -> Result<Operand, String> {
        let mut operand = Operand::default();
        if self.eat("{!}") {
            operand.not = true;
        }
        if self.eat("{-}") {
            operand.minus = true;
        }
        if self.eat("[") {
            operand.bracket = true;
            loop {
                operand.names.push(self.word(&['-'])?.to_owned());
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("]")?;
        } else if self.eat("<") {
            operand.vector = true;
            operand.names.push(self.word(&['-'])?.to_owned());
            self.expect(">")?;
        } else {
            operand.names.push(self.word(&['-'])?.to_owned());
        }
        if self.eat("{.") {
            let name = self.dotted()?;
            let field = self.field()?;
            self.expect("}")?;
            operand.suffix = Some(Modifier { name, field, optional: true });
        } else if self.eat(".") {
            let name = self.dotted()?;
            let field = self.field()?;
            operand.suffix = Some(Modifier { name, field, optional: false });
        }
        if self.eat("{|") {
            operand.pair = Some((self.word(&['-'])?.to_owned(), true));
            self.expect("}")?;
        } else if self.peek("|") {
            self.expect("|")?;
            operand.pair = Some((self.word(&['-'])?.to_owned(), false));
        }
        Ok(operand)
    }
}
