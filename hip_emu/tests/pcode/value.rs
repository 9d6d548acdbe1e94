//! Values of the pseudo code: bits with a type. Written apart from the crate's own arithmetic, which it is held
//! against, and for clarity, not for speed.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    F16,
    Bf16,
    F32,
    F64,
    Fp8,
    Bf8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    NearestEven,
    Zero,
    Up,
    Down,
}

impl Format {
    pub fn width(self) -> u32 {
        match self {
            Format::Fp8 | Format::Bf8 => 8,
            Format::F16 | Format::Bf16 => 16,
            Format::F32 => 32,
            Format::F64 => 64,
        }
    }

    pub fn fraction(self) -> u32 {
        match self {
            Format::Fp8 => 3,
            Format::Bf8 => 2,
            Format::F16 => 10,
            Format::Bf16 => 7,
            Format::F32 => 23,
            Format::F64 => 52,
        }
    }

    pub fn bias(self) -> i32 {
        (1 << (self.width() - self.fraction() - 2)) - 1
    }

    fn exponent_mask(self) -> u64 {
        (1 << (self.width() - self.fraction() - 1)) - 1
    }

    /// `f64` that has this value; a NaN keeps its bits.
    pub fn decode(self, bits: u64) -> f64 {
        let sign = if bits >> (self.width() - 1) & 1 == 1 { -1.0 } else { 1.0 };
        let fraction = bits & ((1 << self.fraction()) - 1);
        let exponent = bits >> self.fraction() & self.exponent_mask();
        if self == Format::F64 {
            f64::from_bits(bits)
        } else if self == Format::Fp8 && bits & 0x7f == 0x7f {
            f64::NAN
        } else if exponent == self.exponent_mask() && self != Format::Fp8 {
            let sign = if sign < 0.0 { 1 << 63 } else { 0 };
            f64::from_bits(sign | f64::INFINITY.to_bits() | fraction << (52 - self.fraction()))
        } else if exponent == 0 {
            sign * fraction as f64 * 2.0_f64.powi(1 - self.bias() - self.fraction() as i32)
        } else {
            let unit = 2.0_f64.powi(exponent as i32 - self.bias() - self.fraction() as i32);
            sign * (fraction | 1 << self.fraction()) as f64 * unit
        }
    }

    /// The nearest value; a NaN keeps what bits fit.
    pub fn encode(self, value: f64, rounding: Rounding) -> u64 {
        let sign = u64::from(value.is_sign_negative()) << (self.width() - 1);
        if self == Format::F64 {
            return value.to_bits();
        }
        let infinity = self.exponent_mask() << self.fraction();
        if value.is_nan() {
            let payload = (value.to_bits() & ((1 << 52) - 1)) >> (52 - self.fraction());
            let payload = if self.width() == 8 || payload == 0 {
                (1 << self.fraction()) - 1
            } else {
                payload
            };
            return sign | infinity | payload;
        }
        let magnitude = value.abs();
        if magnitude == 0.0 {
            return sign;
        }
        let largest = if self == Format::Fp8 { infinity + 6 } else { infinity - 1 };
        let away = match rounding {
            Rounding::NearestEven => true,
            Rounding::Zero => false,
            Rounding::Up => value > 0.0,
            Rounding::Down => value < 0.0,
        };
        let overflow = match self {
            _ if !away => largest,
            Format::Fp8 => infinity | 7,
            _ => infinity,
        };
        if magnitude.is_infinite() {
            return sign | if self == Format::Fp8 { overflow } else { infinity };
        }
        // A multiple of the unit in the last place.
        let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
        let unit = exponent.max(1 - self.bias()) - self.fraction() as i32;
        let scaled = magnitude * 2.0_f64.powi(-unit);
        let rounded = match rounding {
            Rounding::NearestEven => scaled.round_ties_even(),
            _ if away => scaled.ceil(),
            _ => scaled.trunc(),
        };
        let bits =
            ((exponent.max(1 - self.bias()) + self.bias() - 1).max(0) as u64) << self.fraction();
        let bits = bits + rounded as u64;
        sign | if bits > largest { overflow } else { bits }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Bits(u32),
    Unsigned(u32),
    Signed(u32),
    Float(Format),
}

impl Type {
    pub fn width(self) -> u32 {
        match self {
            Type::Bits(width) | Type::Unsigned(width) | Type::Signed(width) => width,
            Type::Float(format) => format.width(),
        }
    }

    /// `u32`, `i64`, `b16`, `f32`, `bf16`, `fp8`.
    pub fn named(name: &str) -> Option<Type> {
        Some(match name {
            "f16" => Type::Float(Format::F16),
            "bf16" => Type::Float(Format::Bf16),
            "f32" => Type::Float(Format::F32),
            "f64" => Type::Float(Format::F64),
            "fp8" => Type::Float(Format::Fp8),
            "bf8" => Type::Float(Format::Bf8),
            _ => {
                let width = name.get(1..)?.parse().ok()?;
                match name.get(..1)? {
                    "u" => Type::Unsigned(width),
                    "i" => Type::Signed(width),
                    "b" => Type::Bits(width),
                    _ => return None,
                }
            }
        })
    }

    /// `32'U` and the like.
    pub fn lettered(width: u32, letter: &str) -> Option<Type> {
        Some(match (letter, width) {
            (_, 129..) => return None,
            ("U", _) => Type::Unsigned(width),
            ("I", _) => Type::Signed(width),
            ("B", _) => Type::Bits(width),
            ("F", 16) => Type::Float(Format::F16),
            ("F", 32) => Type::Float(Format::F32),
            ("F", 64) => Type::Float(Format::F64),
            ("BF", 16) => Type::Float(Format::Bf16),
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub bits: u128,
    pub of: Type,
}

impl Value {
    pub fn new(of: Type, bits: u128) -> Value {
        let width = of.width();
        Value { of, bits: if width >= 128 { bits } else { bits & ((1 << width) - 1) } }
    }

    pub fn flag(value: bool) -> Value {
        Value::new(Type::Unsigned(1), value.into())
    }

    pub fn signed(value: i64) -> Value {
        Value::new(Type::Signed(32), value as u128)
    }

    pub fn float(format: Format, value: f64) -> Value {
        Value::rounded(format, value, Rounding::NearestEven)
    }

    pub fn rounded(format: Format, value: f64, rounding: Rounding) -> Value {
        Value::new(Type::Float(format), format.encode(value, rounding).into())
    }

    pub fn is_true(self) -> bool {
        self.bits != 0
    }

    pub fn format(self) -> Option<Format> {
        match self.of {
            Type::Float(format) => Some(format),
            _ => None,
        }
    }

    /// The integer.
    pub fn integer(self) -> i128 {
        match self.of {
            Type::Signed(width) if width < 128 => {
                (self.bits << (128 - width)) as i128 >> (128 - width)
            }
            _ => self.bits as i128,
        }
    }

    /// The float.
    pub fn wide(self) -> f64 {
        match self.of {
            Type::Float(format) => format.decode(self.bits as u64),
            _ => self.integer() as f64,
        }
    }

    /// The same number in another type; integers give their bits to floats.
    pub fn cast(self, of: Type) -> Value {
        match (self.of, of) {
            (Type::Float(_), Type::Float(format)) => Value::float(format, self.wide()),
            (Type::Float(_), _) | (_, Type::Float(_)) => Value::new(of, self.bits),
            _ => Value::new(of, self.integer() as u128),
        }
    }
}
