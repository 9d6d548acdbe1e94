//! Constants and constant expressions, evaluated as they are read.

use super::{Parser, Result};
use crate::error::Error;
use crate::lexer::TokenKind;
use crate::operand::Immediate;
use crate::span::Span;

/// The strength with which a binary operator binds, the weakest 1; none for what is no operator.
fn strength(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

impl Parser<'_> {
    /// Whether a constant begins here.
    pub(super) fn at_constant(&self) -> bool {
        match self.token.kind {
            TokenKind::Number => true,
            TokenKind::Name => self.token.text == "WARP_SZ",
            TokenKind::Symbol => matches!(self.token.text, "(" | "-" | "+" | "~" | "!"),
            TokenKind::Dot => self.token.text[1..].starts_with(|c: char| c.is_ascii_digit()),
            _ => false,
        }
    }

    /// A constant expression.
    pub(super) fn constant(&mut self) -> Result<Immediate> {
        self.nested(|parser| {
            let condition = parser.binary(0)?;
            if !parser.eat("?") {
                return Ok(condition);
            }
            let yes = parser.constant()?;
            parser.expect(":")?;
            let no = parser.constant()?;
            Ok(if truth(condition) { yes } else { no })
        })
    }

    /// A constant expression whose value is an integer.
    pub(super) fn integer(&mut self) -> Result<i64> {
        let start = self.token.start;
        let value = self.constant()?;
        match value.integer_bits() {
            Some(bits) => Ok(bits as i64),
            None => Err(Error::invalid(self.since(start), "expected an integer")),
        }
    }

    /// A constant expression that fits `T`, such as an alignment or a count.
    pub(super) fn count<T: TryFrom<i64>>(&mut self) -> Result<T> {
        let start = self.token.start;
        let value = self.integer()?;
        T::try_from(value)
            .map_err(|_| Error::invalid(self.since(start), format!("{value} is out of range")))
    }

    /// A number alone, where a `>` may follow.
    pub(super) fn plain_count(&mut self) -> Result<u32> {
        let token = self.token;
        let count = match self.unary()?.integer() {
            Some(value) => u32::try_from(value).ok(),
            None => None,
        };
        count.ok_or_else(|| {
            Error::invalid(token.span(), format!("`{}` is out of range", token.text))
        })
    }

    /// Operators that bind more tightly than `weakest`.
    fn binary(&mut self, weakest: u8) -> Result<Immediate> {
        let start = self.token.start;
        let mut left = self.unary()?;
        while self.token.kind == TokenKind::Symbol
            && let Some(strength) = strength(self.token.text)
            && strength > weakest
        {
            let operator = self.next().text;
            let right = self.nested(|p| p.binary(strength))?;
            left = apply(operator, left, right).ok_or_else(|| {
                Error::invalid(self.since(start), format!("`{operator}` cannot be computed"))
            })?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Immediate> {
        let start = self.token.start;
        if self.token.kind == TokenKind::Symbol {
            match self.token.text {
                "(" => return self.parenthesis(),
                operator @ ("-" | "+" | "~" | "!") => {
                    self.next();
                    let value = self.nested(Self::unary)?;
                    return negate(operator, value).ok_or_else(|| {
                        Error::invalid(self.since(start), format!("`{operator}` needs an integer"))
                    });
                }
                _ => {}
            }
        }
        if self.token.kind == TokenKind::Name && self.token.text == "WARP_SZ" {
            self.next();
            return Ok(Immediate::S64(32));
        }
        if self.token.kind == TokenKind::Number {
            let token = self.next();
            return number(token.text, token.span());
        }
        // `.5`
        if let Some(word) = self.dot()
            && word.starts_with(|c: char| c.is_ascii_digit())
            && let Ok(value) = self.token.text.parse::<f64>()
        {
            self.next();
            return Ok(Immediate::F64(value.to_bits()));
        }
        Err(self.expected("a constant"))
    }

    /// `(1 + 2)`, or a cast: `(.s64) 3`.
    fn parenthesis(&mut self) -> Result<Immediate> {
        self.expect("(")?;
        let cast = match self.dot() {
            Some("s64") => Some(true),
            Some("u64") => Some(false),
            _ => None,
        };
        let Some(signed) = cast else {
            let value = self.constant()?;
            self.expect(")")?;
            return Ok(value);
        };
        self.next();
        self.expect(")")?;
        let start = self.token.start;
        let value = self.nested(Self::unary)?;
        let bits = value
            .integer_bits()
            .ok_or_else(|| Error::invalid(self.since(start), "only integers can be cast"))?;
        Ok(if signed { Immediate::S64(bits as i64) } else { Immediate::U64(bits) })
    }
}

fn truth(value: Immediate) -> bool {
    match value {
        Immediate::S64(v) => v != 0,
        Immediate::U64(v) => v != 0,
        Immediate::F32(bits) => f32::from_bits(bits) != 0.0,
        Immediate::F64(bits) => f64::from_bits(bits) != 0.0,
    }
}

fn negate(operator: &str, value: Immediate) -> Option<Immediate> {
    use Immediate::*;
    Some(match (operator, value) {
        ("+", v) => v,
        ("-", S64(v)) => S64(v.wrapping_neg()),
        ("-", U64(v)) => U64(v.wrapping_neg()),
        ("-", F32(bits)) => F32(bits ^ (1 << 31)),
        ("-", F64(bits)) => F64(bits ^ (1 << 63)),
        ("~", S64(v)) => S64(!v),
        ("~", U64(v)) => U64(!v),
        ("!", v) => S64((!truth(v)).into()),
        _ => return None,
    })
}

fn apply(operator: &str, left: Immediate, right: Immediate) -> Option<Immediate> {
    use Immediate::*;
    if let (Some(a), Some(b)) = (float(left), float(right)) {
        let number = |v: f64| Some(F64(v.to_bits()));
        let test = |v: bool| Some(S64(v.into()));
        return match operator {
            "+" => number(a + b),
            "-" => number(a - b),
            "*" => number(a * b),
            "/" => number(a / b),
            "<" => test(a < b),
            ">" => test(a > b),
            "<=" => test(a <= b),
            ">=" => test(a >= b),
            "==" => test(a == b),
            "!=" => test(a != b),
            _ => None,
        };
    }
    let (a, b) = (left.integer_bits()?, right.integer_bits()?);
    let signed = matches!((left, right), (S64(_), S64(_)));
    let (sa, sb) = (a as i64, b as i64);
    // A shift takes its sign from the left side alone.
    let shift_signed = matches!(left, S64(_));
    let amount = u32::try_from(b).unwrap_or(64);
    let test = |v: bool| Some(S64(v.into()));
    let same = |bits: u64| Some(if signed { S64(bits as i64) } else { U64(bits) });
    match operator {
        "+" => same(a.wrapping_add(b)),
        "-" => same(a.wrapping_sub(b)),
        "*" => same(a.wrapping_mul(b)),
        "/" if b == 0 => None,
        "/" if signed => Some(S64(sa.wrapping_div(sb))),
        "/" => Some(U64(a / b)),
        "%" if b == 0 => None,
        "%" if signed => Some(S64(sa.wrapping_rem(sb))),
        "%" => Some(U64(a % b)),
        "&" => same(a & b),
        "|" => same(a | b),
        "^" => same(a ^ b),
        "<<" if shift_signed => Some(S64(a.checked_shl(amount).unwrap_or(0) as i64)),
        "<<" => Some(U64(a.checked_shl(amount).unwrap_or(0))),
        ">>" if shift_signed => Some(S64(sa >> amount.min(63))),
        ">>" => Some(U64(a.checked_shr(amount).unwrap_or(0))),
        "<" => test(if signed { sa < sb } else { a < b }),
        ">" => test(if signed { sa > sb } else { a > b }),
        "<=" => test(if signed { sa <= sb } else { a <= b }),
        ">=" => test(if signed { sa >= sb } else { a >= b }),
        "==" => test(a == b),
        "!=" => test(a != b),
        "&&" => test(a != 0 && b != 0),
        "||" => test(a != 0 || b != 0),
        _ => None,
    }
}

fn float(value: Immediate) -> Option<f64> {
    match value {
        Immediate::F64(bits) => Some(f64::from_bits(bits)),
        Immediate::F32(bits) => Some(f32::from_bits(bits).into()),
        _ => None,
    }
}

/// The value of a number's text.
pub(super) fn number(text: &str, span: Span) -> Result<Immediate> {
    let bad = || {
        Error::invalid(
            span,
            format!("`{}` is no number", text.chars().take(60).collect::<String>()),
        )
    };
    let bytes = text.as_bytes();
    let hex = |digits: &str, length: usize| -> Result<u64> {
        if digits.len() != length || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(bad());
        }
        u64::from_str_radix(digits, 16).map_err(|_| bad())
    };
    match bytes {
        [b'0', b'f' | b'F', ..] => return Ok(Immediate::F32(hex(&text[2..], 8)? as u32)),
        [b'0', b'd' | b'D', ..] => return Ok(Immediate::F64(hex(&text[2..], 16)?)),
        _ => {}
    }
    let decimal =
        bytes.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if decimal && !bytes.iter().all(u8::is_ascii_digit) {
        return text.parse::<f64>().map(|v| Immediate::F64(v.to_bits())).map_err(|_| bad());
    }
    let (digits, unsigned) = match text.strip_suffix(['U', 'u']) {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let value = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => u64::from_str_radix(&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => u64::from_str_radix(&digits[2..], 2),
        [b'0', _, ..] => u64::from_str_radix(&digits[1..], 8),
        _ => digits.parse(),
    };
    let value = value.map_err(|_| bad())?;
    Ok(match i64::try_from(value) {
        Ok(value) if !unsigned => Immediate::S64(value),
        _ => Immediate::U64(value),
    })
}
