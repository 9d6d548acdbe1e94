//! MessagePack, as far as metadata of code objects uses it.

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Nil,
    Bool(bool),
    Integer(i64),
    Text(String),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

/// Lists within lists, at most.
const DEEPEST: u32 = 32;

impl Value {
    /// Reads one value; `None` where the bytes are none that this reader knows.
    pub fn parse(bytes: &[u8]) -> Option<Value> {
        Reader { bytes }.value(DEEPEST)
    }

    /// The value of a key of a map.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Map(entries) => entries
                .iter()
                .find(|(name, _)| matches!(name, Value::Text(name) if name == key))
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// The elements of a list; none of anything else.
    pub fn list(&self) -> &[Value] {
        match self {
            Value::List(values) => values,
            _ => &[],
        }
    }

    /// The text, if this is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if this is one of 32 bits without a sign.
    pub fn number(&self) -> Option<u32> {
        match self {
            Value::Integer(value) => u32::try_from(*value).ok(),
            _ => None,
        }
    }

    /// Whether this is true, or 1.
    pub fn is_true(&self) -> bool {
        matches!(self, Value::Bool(true) | Value::Integer(1))
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    /// A number of `size` bytes, the highest first.
    fn number(&mut self, size: usize) -> Option<u64> {
        Some(self.take(size)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn text(&mut self, length: u64) -> Option<Value> {
        let bytes = self.take(usize::try_from(length).ok()?)?;
        Some(Value::Text(String::from_utf8_lossy(bytes).into_owned()))
    }

    fn list(&mut self, length: u64, depth: u32) -> Option<Value> {
        let mut values = Vec::new();
        for _ in 0..length {
            values.push(self.value(depth)?);
        }
        Some(Value::List(values))
    }

    fn map(&mut self, length: u64, depth: u32) -> Option<Value> {
        let mut entries = Vec::new();
        for _ in 0..length {
            entries.push((self.value(depth)?, self.value(depth)?));
        }
        Some(Value::Map(entries))
    }

    fn value(&mut self, depth: u32) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let first = self.take(1)?[0];
        let low = u64::from(first);
        match first {
            0x00..=0x7f => Some(Value::Integer(first.into())),
            0xe0..=0xff => Some(Value::Integer((first as i8).into())),
            0x80..=0x8f => self.map(low & 0xf, depth),
            0x90..=0x9f => self.list(low & 0xf, depth),
            0xa0..=0xbf => self.text(low & 0x1f),
            0xc0 => Some(Value::Nil),
            0xc2 | 0xc3 => Some(Value::Bool(first == 0xc3)),
            0xcc..=0xcf => Some(Value::Integer(self.number(1 << (first - 0xcc))? as i64)),
            0xd0..=0xd3 => {
                let size = 1 << (first - 0xd0);
                let shift = 64 - 8 * size as u32;
                Some(Value::Integer((self.number(size)? << shift) as i64 >> shift))
            }
            0xd9..=0xdb => {
                let length = self.number(1 << (first - 0xd9))?;
                self.text(length)
            }
            0xdc | 0xdd => {
                let length = self.number(2 << (first - 0xdc))?;
                self.list(length, depth)
            }
            0xde | 0xdf => {
                let length = self.number(2 << (first - 0xde))?;
                self.map(length, depth)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        // {"a": [1, -2, 300, true], "b": nil}, by the specification of the format.
        let bytes =
            [0x82, 0xa1, b'a', 0x94, 0x01, 0xfe, 0xcd, 0x01, 0x2c, 0xc3, 0xd9, 0x01, b'b', 0xc0];
        let value = Value::parse(&bytes).unwrap();
        let list = value.get("a").unwrap().list();
        assert_eq!(list[1], Value::Integer(-2));
        assert_eq!(list[2].number(), Some(300));
        assert!(list[3].is_true());
        assert_eq!(value.get("b"), Some(&Value::Nil));
        assert_eq!(Value::parse(&bytes[..5]), None);
        assert_eq!(Value::parse(&[0x91; 100]), None);
    }
}
