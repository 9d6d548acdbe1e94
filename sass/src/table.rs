//! The table of an architecture's instructions, as data that [`decode`](crate::decode) interprets.
//!
//! A table is a text with one line for each form of an instruction, in the syntax that nvdisasm prints; what varies stands with
//! the bits that it comes from:
//!
//! ```text
//! 0c:28ac ISETP{76-78:$int}{73:U32|-}{74-75:$bool}{72:EX} P81, P84, R24, S:s, !P87, EX?!P68
//! ```
//!
//! | part | meaning |
//! |---|---|
//! | `0c:28ac` | the lowest 8 bits of the opcode, and the digits above them, one for each form of the sources |
//! | `{76-78:A\|B\|-}` | a modifier by the value of bits 76 to 78; `-` is none, `!` or what is missing is no instruction |
//! | `{72:EX}` | short for `{72:-\|EX}` |
//! | `{75-77,84:10=A\|17=B}` | bits of several places, the lowest first; values with their numbers |
//! | `.LUT` | a modifier that is always there; such may stand in alternatives too: `{73-74:-\|F32.FTZ}` |
//! | `R24`, `U16`, `P81`, `UP81` | registers and predicates by their lowest bit |
//! | `Q64`, `UQ87` | predicates whose numbers are inverted |
//! | `!P87` | with a bit 3 places up for the opposite |
//! | `S`, `B`, `C`; `US`, `UB`, `UC` | sources, see below; behind a colon the type of immediates: `s`, `u`, `e`, `f`, `d`, `h` |
//! | `-`, `\|`, `~`, `^` in front | minus, absolute value, complement; `^` is minus, and complement where `.X` is printed; a number of a bit may follow |
//! | `.h` behind | which half of a register is meant |
//! | `.ROW`, `{73:-\|H1}` behind | what is printed behind a register |
//! | `?` in front | left out where it is `PT`, `RZ` or 0; `?15:` where it is 15 |
//! | `EX?` in front | only where that modifier is printed |
//! | `i72-79`, `s40-63` | an integer, without or with sign |
//! | `c38`, `c38+R24`, `c38+U24`, `x24`, `x24+R64` | a place in a constant bank, from bit 38 on; `x` is one that a uniform register describes |
//! | `[U32][R24.64+s40-63]`, `[U64+1][R24.64]` | an address with a descriptor, in that uniform register or in the next one |
//! | `[R24.64+U32+s40-63]` | an address; a `?` behind a register's suffix leaves RZ out beside a uniform register |
//! | `D40` | a descriptor alone, in that uniform register |
//! | `G24{61:tnspA}{63:negB}` | descriptors of matrices by their first uniform register, with modifiers that are bits |
//! | `L34-81`, `A34-80` | the target of a branch in words, relative to the next instruction or from the beginning |
//! | `I34-81` | the same number as it is |
//! | `b16`, `n44-46`, `m32-37`, `SR72` | barriers, scoreboards, a set of them, special registers |
//! | `{61-63:1D\|2D}` alone | a word by its bits |
//! | `PR`, `UPR` | all predicates |
//! | `@72=1` at the end | bits that decide between lines, or without which it is no instruction |
//! | `let $name = text` | an abbreviation |
//!
//! The digit above the opcode, halved, says where sources are: 1: B is register 32, C register 64; 2 (immediate), 3 (constant),
//! 7 (uniform register): C lies in bits 32 to 63, B is register 64; 4 (immediate), 5 (constant), 6 (uniform register): B lies
//! there. `S` is what lies there, whatever it is. Signs are bits 72 and 73 for a register at 24, 63 and 62 for what lies at 32,
//! 75 and 74 for a register at 64. Bit 91 is set where a uniform register is a source, and nowhere else unless a line says so.

use std::collections::BTreeMap;

/// Places of bits, the lowest of the value first.
pub(crate) type Bits = Vec<u8>;

/// What a field chooses from: names by value; none where the value is no instruction.
#[derive(Debug)]
pub(crate) struct Choice {
    pub bits: Bits,
    pub names: BTreeMap<u64, Vec<&'static str>>,
}

#[derive(Debug)]
pub(crate) enum Modifier {
    Always(&'static str),
    Choice(Choice),
}

/// The types of immediate sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Literal {
    Signed,
    Unsigned,
    /// In the lower half.
    F16,
    F32,
    F64,
    /// Two halves.
    Halves,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    B,
    C,
    S,
}

#[derive(Debug)]
pub(crate) enum Suffix {
    None,
    Half,
    Fixed(&'static str),
    Choice(Choice),
}

#[derive(Debug)]
pub(crate) enum Kind {
    Register {
        uniform: bool,
        bit: u8,
    },
    Predicate {
        uniform: bool,
        bit: u8,
        inverted: bool,
    },
    Predicates {
        uniform: bool,
    },
    Source {
        uniform: bool,
        source: Source,
        literal: Literal,
    },
    Unsigned(Bits),
    Signed(Bits),
    Constant {
        bit: u8,
        register: Option<(bool, u8)>,
    },
    Bindless {
        bank: u8,
        register: Option<u8>,
    },
    Address {
        descriptor: Option<Descriptor>,
        base: Option<Box<Base>>,
        uniform: Option<u8>,
        offset: Bits,
    },
    /// A descriptor alone.
    Descriptor(u8),
    /// Of descriptors, by the bit of the register, with the modifiers and their bits.
    Matrices {
        bit: u8,
        modifiers: Vec<(&'static str, u8)>,
    },
    Label(Bits),
    Absolute(Bits),
    Relative(Bits),
    Barrier(u8),
    Scoreboard(Bits),
    Scoreboards(Bits),
    Special(u8),
    Word(Choice),
}

/// The uniform register of a descriptor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descriptor {
    pub bit: u8,
    /// It is the one after that which the bits name.
    pub is_next: bool,
}

/// The register of an address.
#[derive(Debug)]
pub(crate) struct Base {
    pub uniform: bool,
    pub bit: u8,
    pub suffix: Suffix,
    /// Left out beside a uniform register where it is RZ, whatever its suffix.
    pub is_dropped: bool,
}

/// A sign in front, and its bit where that is not the usual one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sign {
    pub character: char,
    pub bit: Option<u8>,
}

#[derive(Debug)]
pub(crate) struct Field {
    /// Printed only beside this modifier.
    pub beside: Option<&'static str>,
    /// Left out where the operand's bits are these; PT, RZ and 0 where there is no number.
    pub left_out: Option<Option<u64>>,
    pub signs: Vec<Sign>,
    pub kind: Kind,
    pub suffix: Suffix,
}

/// A line, for one digit.
#[derive(Debug)]
pub(crate) struct Form {
    pub name: &'static str,
    /// The digit, halved.
    pub sources: u8,
    pub modifiers: Vec<Modifier>,
    pub operands: Vec<Field>,
    pub fixed: Vec<(u8, bool)>,
}

/// The forms by the lowest 12 bits of an instruction.
pub(crate) type Table = BTreeMap<u16, Vec<std::sync::Arc<Form>>>;

/// Reads a table. An error names its line.
pub(crate) fn parse(texts: &[&'static str]) -> Result<Table, String> {
    let lines = texts.iter().flat_map(|text| text.lines()).map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (definitions, forms): (Vec<&str>, Vec<&str>) =
        lines.partition(|line| line.starts_with("let "));
    let mut names = BTreeMap::new();
    for definition in definitions {
        let (name, value) = definition
            .strip_prefix("let $")
            .and_then(|rest| rest.split_once(" = "))
            .ok_or_else(|| format!("cannot read: {definition}"))?;
        names.entry(name.trim()).or_insert(value.trim());
    }
    let mut table = Table::new();
    for line in forms {
        let expanded = expand(line, &names, DEPTH).ok_or_else(|| format!("a name in: {line}"))?;
        // One text for each line of a table that lives as long as the process.
        let expanded: &'static str = Box::leak(expanded.into_boxed_str());
        add(&mut table, expanded).ok_or_else(|| format!("cannot read: {expanded}"))?;
    }
    Ok(table)
}

/// How deep names stand for texts with names.
const DEPTH: usize = 4;

/// A text with what its names stand for. None where one stands for nothing, or for itself.
fn expand(text: &str, names: &BTreeMap<&str, &str>, depth: usize) -> Option<String> {
    let mut parts = text.split('$');
    let mut all = parts.next()?.to_owned();
    for part in parts {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = part.find(|c| !is_of_name(c)).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        all.push_str(&expand(names.get(name)?, names, depth.checked_sub(1)?)?);
        all.push_str(rest);
    }
    Some(all)
}

fn add(table: &mut Table, line: &'static str) -> Option<()> {
    let (opcode, rest) = line.split_once(' ')?;
    let (low, digits) = opcode.split_once(':')?;
    let low = u16::from_str_radix(low, 16).ok()?;
    for digit in digits.chars() {
        let digit = digit.to_digit(16)? as u16;
        let form = form(rest.trim(), (digit >> 1) as u8)?;
        table.entry(digit << 8 | low).or_default().push(form.into());
    }
    Some(())
}

fn form(text: &'static str, sources: u8) -> Option<Form> {
    let mut fixed = Vec::new();
    let (text, bits) = text.split_once('@').unwrap_or((text, ""));
    for bit in bits.split_whitespace() {
        let (bit, value) = bit.trim_start_matches('@').split_once('=')?;
        fixed.push((bit.parse().ok()?, value == "1"));
    }
    let text = text.trim();
    let (head, operands) = text.split_once(' ').unwrap_or((text, ""));
    let end = head.find(['.', '{']).unwrap_or(head.len());
    let (name, mut rest) = head.split_at(end);
    let mut modifiers = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('{') {
            let (inside, after) = after.split_once('}')?;
            modifiers.push(Modifier::Choice(choice(inside)?));
            rest = after;
        } else {
            let after = rest.strip_prefix('.')?;
            let end = after.find(['.', '{']).unwrap_or(after.len());
            let (name, after) = after.split_at(end);
            modifiers.push(Modifier::Always(name));
            rest = after;
        }
    }
    let operands: Option<Vec<_>> = words(operands).into_iter().map(place).collect();
    let operands = operands?;
    // Bit 91 where nothing else is said.
    let has_source = operands.iter().any(|place| matches!(place.kind, Kind::Source { .. }));
    let may_be_bindless = has_source && matches!(sources, 3 | 5);
    if !may_be_bindless && fixed.iter().all(|(bit, _)| *bit != 91) {
        fixed.push((91, has_source && matches!(sources, 6 | 7)));
    }
    fixed.retain(|(bit, _)| *bit < 128);
    Some(Form { name, sources, modifiers, operands, fixed })
}

/// Splits at commas outside of braces.
fn words(text: &'static str) -> Vec<&'static str> {
    let mut depth = 0i32;
    let outside = |c: char| {
        depth += i32::from(matches!(c, '{' | '[')) - i32::from(matches!(c, '}' | ']'));
        c == ',' && depth == 0
    };
    text.split(outside).map(str::trim).filter(|word| !word.is_empty()).collect()
}

/// `76-78`, `72,75-76`
fn bits(text: &str) -> Option<Bits> {
    let mut all = Bits::new();
    for part in text.split([',', '+']) {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        all.extend(low.parse::<u8>().ok()?..=high.parse().ok()?);
    }
    Some(all)
}

fn choice(text: &'static str) -> Option<Choice> {
    let (places, alternatives) = text.split_once(':')?;
    let bits = bits(places)?;
    let mut names = BTreeMap::new();
    let mut next = if alternatives.contains(['|', '=']) {
        0
    } else {
        names.insert(0, Vec::new());
        1
    };
    for alternative in alternatives.split('|') {
        let (value, name) = match alternative.split_once('=') {
            Some((value, name)) => (value.parse().ok()?, name),
            None => (next, alternative),
        };
        next = value + 1;
        match name {
            "!" => continue,
            "-" => names.insert(value, Vec::new()),
            name => names.insert(value, name.split('.').collect()),
        };
    }
    Some(Choice { bits, names })
}

/// A choice of names that may hold dots.
fn word(text: &'static str) -> Option<Choice> {
    let mut choice = choice(text)?;
    let whole = text
        .split(':')
        .nth(1)?
        .split('|')
        .map(|word| word.split_once('=').map_or(word, |(_, name)| name));
    for names in choice.names.values_mut().filter(|names| names.len() > 1) {
        *names = vec![whole.clone().find(|word| word.split('.').eq(names.iter().copied()))?];
    }
    Some(choice)
}

fn suffix(text: &'static str) -> Option<Suffix> {
    Some(match text {
        "" => Suffix::None,
        ".h" => Suffix::Half,
        _ if text.starts_with('{') => {
            Suffix::Choice(choice(text.strip_prefix('{')?.strip_suffix('}')?)?)
        }
        _ => Suffix::Fixed(text.strip_prefix('.')?),
    })
}

fn place(text: &'static str) -> Option<Field> {
    let mut rest = text;
    let (mut beside, mut left_out) = (None, None);
    if let Some(after) = rest.strip_prefix('?') {
        let number =
            after.split_once(':').and_then(|(number, after)| Some((number.parse().ok()?, after)));
        (left_out, rest) = match number {
            Some((number, after)) => (Some(Some(number)), after),
            None => (Some(None), after),
        };
    } else if !rest.starts_with('[')
        && let Some((modifier, after)) = rest.split_once('?')
    {
        (beside, rest) = (Some(modifier), after);
        if let Some(after) = rest.strip_prefix('?') {
            (left_out, rest) = (Some(None), after);
        }
    }
    let mut signs = Vec::new();
    while let Some(character) = rest.chars().next().filter(|c| "-|~^!".contains(*c)) {
        rest = &rest[1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        let bit = if digits > 0 { Some(rest[..digits].parse().ok()?) } else { None };
        rest = &rest[digits..];
        signs.push(Sign { character, bit });
    }
    if rest.starts_with('[') {
        return Some(Field { beside, left_out, signs, kind: address(rest)?, suffix: Suffix::None });
    }
    if let Some(inside) = rest.strip_prefix('{') {
        let kind = Kind::Word(word(inside.strip_suffix('}')?)?);
        return Some(Field { beside, left_out, signs, kind, suffix: Suffix::None });
    }
    let end = rest.find(['.', '{']).unwrap_or(rest.len());
    let (word, behind) = rest.split_at(end);
    if let Some(bit) = word.strip_prefix('G') {
        let modifiers = behind.split(['{', '}']).filter(|text| !text.is_empty());
        let modifier = |text: &'static str| {
            let (bit, name) = text.split_once(':')?;
            Some((name, bit.parse().ok()?))
        };
        let kind = Kind::Matrices {
            bit: bit.parse().ok()?,
            modifiers: modifiers.map(modifier).collect::<Option<_>>()?,
        };
        return Some(Field { beside, left_out, signs, kind, suffix: Suffix::None });
    }
    Some(Field { beside, left_out, signs, kind: kind(word)?, suffix: suffix(behind)? })
}

/// `R24`, `U16`: whether it is uniform, and its bit.
fn register(word: &str) -> Option<(bool, u8)> {
    let uniform = word.starts_with('U');
    Some((uniform, word.strip_prefix(['R', 'U'])?.parse().ok()?))
}

fn kind(word: &'static str) -> Option<Kind> {
    if let Some((uniform, bit)) = register(word) {
        return Some(Kind::Register { uniform, bit });
    }
    let (name, literal) = word.split_once(':').unwrap_or((word, "s"));
    let uniform = name.len() > 1 && name.starts_with('U');
    let source = match name.strip_prefix('U').unwrap_or(name) {
        "B" => Some(Source::B),
        "C" => Some(Source::C),
        "S" => Some(Source::S),
        _ => None,
    };
    if let Some(source) = source {
        let literal = match literal {
            "s" => Literal::Signed,
            "u" => Literal::Unsigned,
            "e" => Literal::F16,
            "f" => Literal::F32,
            "d" => Literal::F64,
            "h" => Literal::Halves,
            _ => return None,
        };
        return Some(Kind::Source { uniform, source, literal });
    }
    if let Some(bit) = word.strip_prefix("SR") {
        return Some(Kind::Special(bit.parse().ok()?));
    }
    let predicate = |bit: &str, uniform, inverted| {
        Some(Kind::Predicate { uniform, bit: bit.parse().ok()?, inverted })
    };
    match word {
        "PR" => return Some(Kind::Predicates { uniform: false }),
        "UPR" => return Some(Kind::Predicates { uniform: true }),
        _ => {}
    }
    if let Some(bit) = word.strip_prefix("UQ") {
        return predicate(bit, true, true);
    }
    if let Some(bit) = word.strip_prefix("UP") {
        return predicate(bit, true, false);
    }
    if let Some(rest) = word.strip_prefix('x') {
        let (bank, index) =
            rest.split_once('+').map_or((rest, None), |(bank, index)| (bank, Some(index)));
        let register = match index {
            Some(index) => Some(register(index)?.1),
            None => None,
        };
        return Some(Kind::Bindless { bank: bank.parse().ok()?, register });
    }
    let mut letters = word.chars();
    let first = letters.next()?;
    let rest = letters.as_str();
    Some(match first {
        'P' => return predicate(rest, false, false),
        'Q' => return predicate(rest, false, true),
        'D' => Kind::Descriptor(rest.parse().ok()?),
        'i' => Kind::Unsigned(bits(rest)?),
        's' => Kind::Signed(bits(rest)?),
        'L' => Kind::Label(bits(rest)?),
        'A' => Kind::Absolute(bits(rest)?),
        'I' => Kind::Relative(bits(rest)?),
        'b' => Kind::Barrier(rest.parse().ok()?),
        'n' => Kind::Scoreboard(bits(rest)?),
        'm' => Kind::Scoreboards(bits(rest)?),
        'c' => {
            let (bit, index) =
                rest.split_once('+').map_or((rest, None), |(bit, index)| (bit, Some(index)));
            let index = match index {
                Some(index) => Some(register(index)?),
                None => None,
            };
            Kind::Constant { bit: bit.parse().ok()?, register: index }
        }
        _ => return None,
    })
}

/// `[R24.64?+U32+s40-63]`, `[U64+1][R24.64+s40-63]`
fn address(text: &'static str) -> Option<Kind> {
    let inside = text.strip_prefix('[')?.strip_suffix(']')?;
    let (descriptor, inside) = match inside.split_once("][") {
        Some((text, inside)) => {
            let (text, is_next) =
                text.strip_suffix("+1").map_or((text, false), |text| (text, true));
            (Some(Descriptor { bit: register(text)?.1, is_next }), inside)
        }
        None => (None, inside),
    };
    let (mut base, mut uniform, mut offset) = (None, None, Bits::new());
    for term in inside.split('+') {
        if let Some(places) = term.strip_prefix('s') {
            offset = bits(places)?;
        } else if let Some(bit) = term.strip_prefix('U').filter(|_| base.is_some()) {
            uniform = Some(bit.parse().ok()?);
        } else {
            let (term, is_dropped) =
                term.strip_suffix('?').map_or((term, false), |term| (term, true));
            let end = term.find(['.', '{']).unwrap_or(term.len());
            let (word, behind) = term.split_at(end);
            let (is_uniform, bit) = register(word)?;
            base = Some(Box::new(Base {
                uniform: is_uniform,
                bit,
                suffix: suffix(behind)?,
                is_dropped,
            }));
        }
    }
    Some(Kind::Address { descriptor, base, uniform, offset })
}
