//! The pseudo code's operators and functions.

use crate::value::{Format, Rounding, Type, Value};

pub fn unary(operator: &str, value: Value) -> Result<Value, String> {
    Ok(match (operator, value.format()) {
        ("+", _) => value,
        ("!", _) => Value::flag(!value.is_true()),
        ("-", Some(format)) => Value::new(value.of, value.bits ^ 1 << (format.width() - 1)),
        ("-", None) => {
            let of = promoted(value.of);
            Value::new(of, value.integer().wrapping_neg() as u128)
        }
        ("~", None) => Value::new(value.of, !value.bits),
        _ => return Err(format!("{operator} of {value:?}")),
    })
}

/// Integers are computed with at least 32 bits.
fn promoted(of: Type) -> Type {
    match of {
        Type::Signed(width) => Type::Signed(width.max(32)),
        Type::Float(_) => of,
        _ => Type::Unsigned(of.width().max(32)),
    }
}

fn common(left: Type, right: Type) -> Type {
    let (left, right) = (promoted(left), promoted(right));
    let width = left.width().max(right.width());
    match (left, right) {
        (Type::Signed(_), Type::Signed(_)) => Type::Signed(width),
        _ => Type::Unsigned(width),
    }
}

pub fn binary(
    operator: &str,
    left: Value,
    right: Value,
    rounding: Rounding,
) -> Result<Value, String> {
    let is_float = left.format().is_some() || right.format().is_some();
    match operator {
        "&&" | "||" => return Ok(Value::flag(right.is_true())),
        "==" | "!=" | "<>" | "<" | ">" | "<=" | ">=" if is_float => {
            let (left, right) = (left.wide(), right.wide());
            return Ok(Value::flag(match operator {
                "==" => left == right,
                "!=" => left != right,
                "<>" => left.partial_cmp(&right).is_some_and(std::cmp::Ordering::is_ne),
                "<" => left < right,
                ">" => left > right,
                "<=" => left <= right,
                _ => left >= right,
            }));
        }
        "==" | "!=" | "<>" | "<" | ">" | "<=" | ">=" => {
            let (left, right) = (left.integer(), right.integer());
            return Ok(Value::flag(match operator {
                "==" => left == right,
                "!=" | "<>" => left != right,
                "<" => left < right,
                ">" => left > right,
                "<=" => left <= right,
                _ => left >= right,
            }));
        }
        "<<" | ">>" => {
            let (of, by) = (promoted(left.of), right.integer() as u32);
            let (bits, integer) = (left.integer() as u128, left.integer());
            let shifted = match operator {
                "<<" => bits.checked_shl(by).unwrap_or(0),
                _ => (integer >> by.min(127)) as u128,
            };
            return Ok(Value::new(of, shifted));
        }
        _ => {}
    }
    if is_float {
        let format = wider(left, right);
        let (left, right) = (left.wide(), right.wide());
        let zero = zero_of_sum(rounding);
        let result = match operator {
            "+" if format == Format::F64 => left + right,
            "-" if format == Format::F64 => left - right,
            "+" => sum(left, right, zero),
            "-" => sum(left, -right, zero),
            "*" => left * right,
            "/" => left / right,
            "**" => left.powf(right),
            _ => return Err(format!("{operator} of floats")),
        };
        return Ok(Value::rounded(format, result, rounding));
    }
    let of = common(left.of, right.of);
    let (left, right) = (left.integer(), right.integer());
    let result = match operator {
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "&" => left & right,
        "|" => left | right,
        "^" => left ^ right,
        _ => return Err(format!("{operator} of integers")),
    };
    Ok(Value::new(of, result as u128))
}

/// The sign of a sum of opposite numbers.
fn zero_of_sum(rounding: Rounding) -> f64 {
    if rounding == Rounding::Down { -0.0 } else { 0.0 }
}

/// A sum that narrower formats round as they would round the exact one: of two neighbours that which is odd.
fn sum(left: f64, right: f64, zero: f64) -> f64 {
    let near = left + right;
    if near == 0.0 && (left != 0.0 || left.is_sign_negative() != right.is_sign_negative()) {
        return zero;
    }
    let (large, small) = if left.abs() > right.abs() { (left, right) } else { (right, left) };
    let error = small - (near - large);
    if !near.is_finite() || error == 0.0 || near.to_bits() & 1 == 1 {
        return near;
    }
    if error > 0.0 { near.next_up() } else { near.next_down() }
}

fn wider(left: Value, right: Value) -> Format {
    match (left.format(), right.format()) {
        (Some(left), Some(right)) => {
            if right.width() > left.width() {
                right
            } else {
                left
            }
        }
        (Some(format), None) | (None, Some(format)) => format,
        (None, None) => Format::F64,
    }
}

fn format_of(value: Value) -> Format {
    value.format().unwrap_or(Format::F64)
}

fn magnitude(value: Value) -> u64 {
    value.bits as u64 & !(1 << (format_of(value).width() - 1))
}

pub fn is_subnormal(value: Value) -> bool {
    let magnitude = magnitude(value);
    magnitude != 0 && magnitude >> format_of(value).fraction() == 0
}

fn is_signalling(value: Value) -> bool {
    value.wide().is_nan() && value.bits >> (format_of(value).fraction() - 1) & 1 == 0
}

/// `value * 2^power`, rounded once.
pub fn scale(value: Value, power: i128, rounding: Rounding) -> Value {
    let format = format_of(value);
    let wide = value.wide();
    if wide == 0.0 || !wide.is_finite() {
        return value;
    }
    // First to where `f64` is exact.
    let exponent = wide.abs().log2().floor() as i128 + power.clamp(-5000, 5000);
    let power = power.clamp(-5000, 5000) as i32;
    if exponent < -1100 {
        let small = if format == Format::F64 { 0.0 } else { f64::MIN_POSITIVE };
        return Value::rounded(format, small.copysign(wide), rounding);
    }
    if exponent > 1025 {
        let large = if format == Format::F64 { f64::INFINITY } else { f64::MAX };
        return Value::rounded(format, large.copysign(wide), rounding);
    }
    let last = if exponent < -1000 { -100 } else { 0 };
    let mut rest = power - last;
    let mut result = wide;
    while rest != 0 {
        let step = rest.clamp(-500, 500);
        result *= 2.0_f64.powi(step);
        rest -= step;
    }
    Value::rounded(format, result * 2.0_f64.powi(last), rounding)
}

/// Products of formats narrower than `f64` are exact in it.
fn fma(a: Value, b: Value, c: Value, rounding: Rounding) -> Value {
    let (x, y, z) = (a.wide(), b.wide(), c.wide());
    match format_of(a) {
        Format::F64 => Value::float(Format::F64, x.mul_add(y, z)),
        format => Value::rounded(format, sum(x * y, z, zero_of_sum(rounding)), rounding),
    }
}

fn saturated(value: f64, low: i64, high: i64) -> Value {
    let truncated = value.trunc().clamp(low as f64, high as f64) as i64;
    Value::new(if low < 0 { Type::Signed(64) } else { Type::Unsigned(64) }, truncated as u128)
}

/// `f32_to_i32`, `u8_to_u32` and the like.
fn conversion(from: Type, to: Type, value: Value, rounding: Rounding) -> Option<Value> {
    let value = Value::new(from, value.bits);
    Some(match (from, to) {
        (Type::Float(_), Type::Float(format)) => {
            Value::new(to, format.encode(value.wide(), rounding).into())
        }
        (Type::Float(_), Type::Signed(width)) => {
            saturated(value.wide(), -(1 << (width - 1)), (1 << (width - 1)) - 1).cast(to)
        }
        (Type::Float(_), Type::Unsigned(width)) => {
            saturated(value.wide(), 0, (1 << width) - 1).cast(to)
        }
        (_, Type::Float(format)) => Value::rounded(format, value.integer() as f64, rounding),
        (_, Type::Signed(width)) if width < from.width() => Value::new(
            to,
            value.integer().clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1) as u128,
        ),
        (_, Type::Unsigned(width)) if width < from.width() => {
            Value::new(to, value.integer().clamp(0, (1 << width) - 1) as u128)
        }
        _ => value.cast(to),
    })
}

pub fn call(name: &str, arguments: &[Value], rounding: Rounding) -> Option<Value> {
    let first = arguments.first().copied()?;
    if let Some((from, to)) = name.split_once("_to_") {
        let from = Type::named(from)?;
        return match to {
            "snorm" => {
                let norm = (Value::new(from, first.bits).wide().clamp(-1.0, 1.0) * 32767.0)
                    .round_ties_even();
                Some(Value::new(Type::Signed(16), norm as i16 as u128))
            }
            "unorm" => {
                let norm = (Value::new(from, first.bits).wide().clamp(0.0, 1.0) * 65535.0)
                    .round_ties_even();
                Some(Value::new(Type::Unsigned(16), norm as u16 as u128))
            }
            _ => conversion(from, Type::named(to)?, first, rounding),
        };
    }
    let wide = first.wide();
    let same = |value: f64| Value::float(format_of(first), value);
    Some(match name {
        "isNAN" => Value::flag(wide.is_nan()),
        "isSignalNAN" => Value::flag(is_signalling(first)),
        "isQuietNAN" => Value::flag(wide.is_nan() && !is_signalling(first)),
        "cvtToQuietNAN" => {
            Value::new(first.of, first.bits | 1 << (format_of(first).fraction() - 1))
        }
        "abs" => Value::new(first.of, magnitude(first).into()),
        "sign" => Value::flag(first.bits >> (first.of.width() - 1) & 1 == 1),
        "exponent" => Value::signed((magnitude(first) >> format_of(first).fraction()) as i64),
        "mantissa" => {
            let mut magnitude = wide.abs();
            while magnitude >= 1.0 && magnitude.is_finite() {
                magnitude /= 2.0;
            }
            while magnitude < 0.5 && magnitude != 0.0 {
                magnitude *= 2.0;
            }
            same(magnitude.copysign(wide))
        }
        "fma" => fma(first, *arguments.get(1)?, *arguments.get(2)?, rounding),
        "ldexp" => scale(first, arguments.get(1)?.integer(), rounding),
        "signext" => Value::new(Type::Signed(64), first.integer() as u128),
        "signext_from_bit" => match arguments.get(1)?.integer() {
            0 => Value::new(first.of, 0),
            bits if bits >= first.of.width().into() => first,
            bits => Value::new(
                first.of,
                Value::new(Type::Signed(bits as u32), first.bits).integer() as u128,
            ),
        },
        "floor" => same(wide.floor()),
        "trunc" => same(wide.trunc()),
        "fract" => same(wide - wide.floor()),
        "isEven" => Value::flag(wide % 2.0 == 0.0),
        "sqrt" => same(wide.sqrt()),
        "log2" => same(wide.log2()),
        "pow" => same(wide.powf(arguments.get(1)?.wide())),
        "sin" => same(wide.sin()),
        "cos" => same(wide.cos()),
        _ => return None,
    })
}
