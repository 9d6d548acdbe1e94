//! Runs the pseudo code, on values.

use crate::functions;
use crate::syntax::{Expression, Lambda, Statement};
use crate::value::{Format, Rounding, Type, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// A variable.
#[derive(Clone, Debug)]
pub enum Slot {
    Value(Value),
    Array(Vec<Value>),
    Lambda(Rc<Lambda>),
}

/// Finds the pseudo code of another operation, which may be called by name.
pub type Operations<'a> = &'a dyn Fn(&str) -> Option<Rc<Vec<Statement>>>;

pub struct Evaluation<'a> {
    pub variables: HashMap<String, Slot>,
    pub rounding: Rounding,
    operations: Operations<'a>,
    result: Option<Value>,
}

/// The way in which a run of statements ends.
enum Flow {
    Next,
    Break,
    Return,
}

type Outcome<T> = Result<T, String>;

const RAW: Type = Type::Bits(128);

impl<'a> Evaluation<'a> {
    pub fn new(operations: Operations<'a>) -> Evaluation<'a> {
        Evaluation {
            variables: HashMap::new(),
            rounding: Rounding::NearestEven,
            operations,
            result: None,
        }
    }

    pub fn set(&mut self, name: &str, value: Value) {
        self.variables.insert(name.to_owned(), Slot::Value(value));
    }

    pub fn get(&self, name: &str) -> Option<Value> {
        match self.variables.get(name) {
            Some(Slot::Value(value)) => Some(*value),
            _ => None,
        }
    }

    pub fn run(&mut self, statements: &[Statement]) -> Outcome<()> {
        self.statements(statements).map(|_| ())
    }

    fn statements(&mut self, statements: &[Statement]) -> Outcome<Flow> {
        for statement in statements {
            match self.statement(statement)? {
                Flow::Next => {}
                stop => return Ok(stop),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Statement) -> Outcome<Flow> {
        match statement {
            Statement::Assign(targets, value) => {
                let value = self.value(value)?;
                for target in targets {
                    self.assign(target, value)?;
                }
            }
            Statement::If(branches) => {
                for (condition, body) in branches {
                    let taken = match condition {
                        Some(condition) => self.value(condition)?.is_true(),
                        None => true,
                    };
                    if taken {
                        return self.statements(body);
                    }
                }
            }
            Statement::For(variable, first, last, body) => {
                let (first, last) = (self.value(first)?, self.value(last)?);
                for i in first.integer()..=last.integer() {
                    self.set(variable, Value::new(first.of, i as u128));
                    match self.statements(body)? {
                        Flow::Next => {}
                        Flow::Break => break,
                        Flow::Return => return Ok(Flow::Return),
                    }
                }
            }
            Statement::Break => return Ok(Flow::Break),
            Statement::Return(value) => {
                self.result = Some(self.value(value)?);
                return Ok(Flow::Return);
            }
            // The sources as an array are declared, but not given, in the text.
            Statement::Declare(name, ..) if name == "S" => {
                let sources =
                    ["S0", "S1", "S2"].map(|name| self.get(name).unwrap_or(Value::new(RAW, 0)));
                self.variables.insert(name.clone(), Slot::Array(sources.to_vec()));
            }
            Statement::Declare(name, width, letter, length) => {
                let of = Type::lettered(*width, letter).ok_or("unknown type")?;
                let zero = Value::new(of, 0);
                let slot = match length {
                    Some(length) => Slot::Array(vec![zero; *length]),
                    None => Slot::Value(zero),
                };
                self.variables.insert(name.clone(), slot);
            }
            Statement::Define(name, lambda) => {
                self.variables.insert(name.clone(), Slot::Lambda(lambda.clone()));
            }
            Statement::Evaluate(value) => {
                self.value(value)?;
            }
        }
        Ok(Flow::Next)
    }

    /// The variable of `VGPR[lane][SRC0.u32]`.
    fn register(base: &Expression, index: &Expression) -> Option<&'static str> {
        let Expression::Element(file, _) = base else { return None };
        let Expression::Name(file) = &**file else { return None };
        let Expression::Field(index, _) = index else { return None };
        let Expression::Name(index) = &**index else { return None };
        match (file.as_str(), index.as_str()) {
            ("VGPR", "SRC0") => Some("S0"),
            ("VGPR", "VDST") => Some("D0"),
            _ => None,
        }
    }

    fn assign(&mut self, target: &Expression, value: Value) -> Outcome<()> {
        match target {
            Expression::Name(name) => {
                let declared = match self.variables.get(name) {
                    Some(Slot::Value(old)) if name != "tmp" => Some(old.of),
                    _ => None,
                };
                let value = match (declared, value.of) {
                    (Some(of @ Type::Float(_)), Type::Float(_)) => value.cast(of),
                    (Some(of), _) if of.width() == 128 => Value::new(of, value.bits),
                    _ => value,
                };
                self.set(&name.replace("ROUND_MODE", "rounding"), value);
                if name == "ROUND_MODE" {
                    self.rounding =
                        if value.is_true() { Rounding::Zero } else { Rounding::NearestEven };
                }
                Ok(())
            }
            Expression::Field(of, name) => {
                let Some(view) = Type::named(name) else { return self.assign(of, value) };
                let value = value.cast(view);
                self.assign_bits(of, 0, view.width(), value.bits, view)
            }
            Expression::Concatenation(parts) => {
                let mut bits = value.bits;
                for part in parts.iter().rev() {
                    let Expression::Field(_, name) = part else {
                        return Err("a part without a type".into());
                    };
                    let view = Type::named(name).ok_or("unknown type")?;
                    self.assign(part, Value::new(Type::Bits(view.width()), bits))?;
                    bits = bits.checked_shr(view.width()).unwrap_or(0);
                }
                Ok(())
            }
            _ => {
                let (root, low, width) = self.place(target)?;
                self.assign_bits(root, low, width, value.bits, Type::Bits(width))
            }
        }
    }

    /// The variable, and which of its bits.
    fn place<'e>(&mut self, target: &'e Expression) -> Outcome<(&'e Expression, u32, u32)> {
        match target {
            Expression::Slice(of, high, low) => {
                let (high, low) =
                    (self.value(high)?.integer() as u32, self.value(low)?.integer() as u32);
                let (root, base, _) = self.place(of)?;
                Ok((root, base + low, high + 1 - low))
            }
            Expression::Element(of, index)
                if Self::register(of, index).is_none() && !self.is_array(of) =>
            {
                let index = self.value(index)?.integer() as u32;
                let (root, base, _) = self.place(of)?;
                Ok((root, base + index, 1))
            }
            Expression::Field(of, name) if Type::named(name).is_some() => self.place(of),
            _ => Ok((target, 0, 128)),
        }
    }

    fn is_array(&self, name: &Expression) -> bool {
        matches!(name, Expression::Name(name) if matches!(self.variables.get(name), Some(Slot::Array(_))))
    }

    fn assign_bits(
        &mut self,
        target: &Expression,
        low: u32,
        width: u32,
        bits: u128,
        view: Type,
    ) -> Outcome<()> {
        let name = match target {
            Expression::Name(name) if name == "D" => "D0",
            Expression::Name(name) => name,
            Expression::Element(of, index) if Self::register(of, index).is_some() => {
                Self::register(of, index).unwrap_or_default()
            }
            Expression::Element(of, index) => {
                let index = self.value(index)?.integer() as usize;
                let Expression::Name(name) = &**of else { return Err("no variable".into()) };
                let Some(Slot::Array(values)) = self.variables.get_mut(name) else {
                    return Err("no array".into());
                };
                let element = values.get_mut(index).ok_or("beyond an array")?;
                *element = Value::new(element.of, bits << low);
                return Ok(());
            }
            _ => {
                let (root, base, _) = self.place(target)?;
                return self.assign_bits(root, base + low, width, bits, view);
            }
        };
        let old = self.get(name);
        // The first assignment through a view of all bits gives a variable its type.
        let of = match old {
            Some(old) => old.of,
            None if low == 0 && view.width() > 32 && !matches!(view, Type::Bits(_)) => view,
            None => RAW,
        };
        let mask = if width >= 128 { u128::MAX } else { ((1 << width) - 1) << low };
        let kept = old.map_or(0, |old| old.bits) & !mask;
        self.set(name, Value::new(of, kept | bits << low & mask));
        Ok(())
    }

    pub fn value(&mut self, expression: &Expression) -> Outcome<Value> {
        match expression {
            Expression::Name(name) => self.variable(name),
            Expression::Integer { value, width, suffix } => {
                let of = match (width, suffix.as_str()) {
                    (Some(width), "U") => Type::Unsigned(*width),
                    (Some(width), _) => Type::Bits(*width),
                    (None, "U") => Type::Unsigned(32),
                    (None, "ULL") => Type::Unsigned(64),
                    (None, "LL") => Type::Signed(64),
                    (None, _) if *value < 1 << 31 => Type::Signed(32),
                    _ => Type::Signed(64),
                };
                Ok(Value::new(of, *value))
            }
            Expression::Float { value, width } => {
                let of = Type::lettered(*width, "F").ok_or("unknown type")?;
                let Type::Float(format) = of else { return Err("no float".into()) };
                Ok(Value::float(format, *value))
            }
            Expression::Field(of, name) => self.field(of, name),
            Expression::Element(of, index) => {
                if let Some(name) = Self::register(of, index) {
                    return self.variable(name);
                }
                let index = self.value(index)?.integer();
                if let Expression::Name(name) = &**of
                    && let Some(Slot::Array(values)) = self.variables.get(name)
                {
                    return values
                        .get(index as usize)
                        .copied()
                        .ok_or_else(|| "beyond an array".into());
                }
                let value = self.value(of)?;
                Ok(Value::new(Type::Unsigned(1), value.bits.checked_shr(index as u32).unwrap_or(0)))
            }
            Expression::Slice(of, high, low) => {
                let value = self.value(of)?;
                let (high, low) =
                    (self.value(high)?.integer() as u32, self.value(low)?.integer() as u32);
                Ok(if high < low {
                    let width = low + 1 - high;
                    let reversed = (value.bits >> high).reverse_bits() >> (128 - width);
                    Value::new(Type::Unsigned(width), reversed)
                } else {
                    Value::new(Type::Unsigned(high + 1 - low), value.bits >> low)
                })
            }
            Expression::Part(of, low, width) => {
                let value = self.value(of)?;
                let (low, width) =
                    (self.value(low)?.integer() as u32, self.value(width)?.integer() as u32);
                Ok(Value::new(Type::Unsigned(width), value.bits >> low))
            }
            Expression::Call(name, arguments) => self.call(name, arguments),
            Expression::Cast(width, letter, value) => {
                let of = Type::lettered(*width, letter).ok_or("unknown type")?;
                Ok(self.value(value)?.cast(of))
            }
            Expression::Unary(operator, value) => {
                let value = self.value(value)?;
                functions::unary(operator, value)
            }
            Expression::Binary(operator, left, right) => self.binary(operator, left, right),
            Expression::Choice(condition, yes, no) => {
                let chosen = if self.value(condition)?.is_true() { yes } else { no };
                self.value(chosen)
            }
            Expression::Concatenation(parts) => {
                let (mut bits, mut width) = (0, 0);
                for part in parts {
                    let part = self.value(part)?;
                    bits = bits << part.of.width() | part.bits;
                    width += part.of.width();
                }
                Ok(Value::new(Type::Bits(width), bits))
            }
        }
    }

    fn variable(&self, name: &str) -> Outcome<Value> {
        if let Some(value) = self.get(if name == "ROUND_MODE" { "rounding" } else { name }) {
            return Ok(value);
        }
        match name {
            "INF" => Ok(Value::float(Format::F64, f64::INFINITY)),
            "PI" => Ok(Value::float(Format::F64, std::f64::consts::PI)),
            "MAX_FLOAT_F32" => Ok(Value::float(Format::F32, f32::MAX.into())),
            "UNDERFLOW_F32" => Ok(Value::float(Format::F32, 0.0)),
            "UNDERFLOW_F64" => Ok(Value::float(Format::F64, 0.0)),
            "OVERFLOW_F32" => Ok(Value::float(Format::F32, f64::INFINITY)),
            "OVERFLOW_F64" => Ok(Value::float(Format::F64, f64::INFINITY)),
            "ROUND_MODE" | "ROUND_NEAREST_EVEN" => Ok(Value::flag(false)),
            "ROUND_TOWARD_ZERO" => Ok(Value::flag(true)),
            _ => Err(format!("unknown variable {name}")),
        }
    }

    fn field(&mut self, of: &Expression, name: &str) -> Outcome<Value> {
        if let Expression::Name(root) = of {
            let named = format!("{root}.{name}");
            if let Some(value) = self.get(&named) {
                return Ok(value);
            }
            let format = Type::named(name).and_then(|of| Value::new(of, 0).format());
            match (root.as_str(), format) {
                ("INF", Some(format)) => return Ok(Value::float(format, f64::INFINITY)),
                ("NAN", Some(format)) => return Ok(Value::float(format, f64::NAN)),
                _ => {}
            }
        }
        let view = Type::named(name).ok_or_else(|| format!("unknown field {name}"))?;
        let value = self.value(of)?;
        Ok(match (value.of, view) {
            (Type::Float(from), Type::Float(to)) if from != to => value.cast(view),
            (Type::Signed(_), Type::Signed(_)) => value.cast(view),
            _ => Value::new(view, value.bits),
        })
    }

    fn binary(
        &mut self,
        operator: &'static str,
        left: &Expression,
        right: &Expression,
    ) -> Outcome<Value> {
        // The name stands for all subnormal numbers.
        if let ("==", Expression::Field(name, _)) = (operator, right)
            && matches!(&**name, Expression::Name(name) if name == "DENORM")
        {
            let left = self.value(left)?;
            return Ok(Value::flag(functions::is_subnormal(left)));
        }
        // A zero with a sign is that zero.
        if let ("==", Expression::Unary(sign, zero)) = (operator, right)
            && matches!(**zero, Expression::Float { value: 0.0, .. })
        {
            let left = self.value(left)?.wide();
            return Ok(Value::flag(left == 0.0 && left.is_sign_negative() == (*sign == "-")));
        }
        // A power of two scales, however large it is.
        let scale = match right {
            Expression::Cast(_, letter, power) if letter == "F" => power,
            _ => right,
        };
        if let ("*", Expression::Binary("**", base, power)) = (operator, scale)
            && self.value(base)?.wide() == 2.0
        {
            let (value, power) = (self.value(left)?, self.value(power)?.integer());
            return Ok(functions::scale(value, power, self.rounding));
        }
        let left = self.value(left)?;
        if operator == "&&" && !left.is_true() || operator == "||" && left.is_true() {
            return Ok(Value::flag(left.is_true()));
        }
        let right = self.value(right)?;
        functions::binary(operator, left, right, self.rounding)
    }

    fn call(&mut self, name: &str, arguments: &[Expression]) -> Outcome<Value> {
        let values =
            arguments.iter().map(|argument| self.value(argument)).collect::<Outcome<Vec<_>>>()?;
        if let Some(Slot::Lambda(lambda)) = self.variables.get(name).cloned() {
            let kept = self.variables.clone();
            for (parameter, value) in lambda.parameters.iter().zip(&values) {
                self.set(parameter, *value);
            }
            self.statements(&lambda.body)?;
            self.variables = kept;
            return self.result.take().ok_or_else(|| "no value is returned".into());
        }
        if name.starts_with("v_") {
            let Some(body) = (self.operations)(name) else {
                return conversion(name, &values)
                    .ok_or_else(|| format!("unknown operation {name}"));
            };
            let mut inner = Evaluation::new(self.operations);
            for (index, value) in values.iter().enumerate() {
                inner.set(&format!("S{index}"), Value::new(RAW, value.bits));
            }
            if let Some(ieee) = self.get("WAVE_MODE.IEEE") {
                inner.set("WAVE_MODE.IEEE", ieee);
            }
            inner.rounding = self.rounding;
            inner.run(&body)?;
            let result = inner.get("D0").ok_or_else(|| "no result".to_owned())?;
            let of = name.rsplit('_').next().and_then(Type::named).unwrap_or(RAW);
            // A sum of bytes is wider than its operands.
            let of = if name.ends_with("sad_u8") { Type::Unsigned(32) } else { of };
            return Ok(Value::new(of, result.bits));
        }
        functions::call(name, &values, self.rounding)
            .ok_or_else(|| format!("unknown function {name}"))
    }
}

/// `v_cvt_i16_f32`, which is the same as `f32_to_i16` and no instruction.
fn conversion(name: &str, values: &[Value]) -> Option<Value> {
    let (to, from) = name.strip_prefix("v_cvt_")?.split_once('_')?;
    functions::call(&format!("{from}_to_{to}"), values, Rounding::NearestEven)
}
