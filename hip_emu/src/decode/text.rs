//! The text of an instruction, taken apart: mnemonic, operands, modifiers.

use std::cell::RefCell;

/// The part of an instruction's text that the emulator does not know.
pub type Error = String;

/// `v_add_f32_e64 v0, |v1|, -v2 clamp mul:4`
#[derive(Debug)]
pub struct Text<'a> {
    /// Without the suffix of its encoding.
    pub mnemonic: &'a str,
    /// `_dpp`, `_sdwa`
    pub encoding: &'a str,
    pub operands: Vec<&'a str>,
    /// Those that nobody has asked for yet.
    modifiers: RefCell<Vec<&'a str>>,
}

impl<'a> Text<'a> {
    /// Takes an instruction's text apart: mnemonic, operands, modifiers.
    pub fn new(text: &'a str) -> Text<'a> {
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut operands = split(rest.trim(), |c| c == ',');
        let mut modifiers = Vec::new();
        if let Some(last) = operands.pop() {
            let mut words = split(last, char::is_whitespace);
            words.retain(|word| !word.is_empty());
            if !words.is_empty() {
                operands.push(words.remove(0));
            }
            modifiers = words;
        }
        let (mnemonic, encoding) = match name {
            _ if name.ends_with("_e64_dpp") => name.split_at(name.len() - 8),
            _ if name.ends_with("_e32") || name.ends_with("_e64") => name.split_at(name.len() - 4),
            _ if name.ends_with("_dpp") => name.split_at(name.len() - 4),
            _ if name.ends_with("_sdwa") => name.split_at(name.len() - 5),
            _ => (name, ""),
        };
        Text { mnemonic, encoding, operands, modifiers: RefCell::new(modifiers) }
    }

    /// Whether a word stands among the modifiers, which is known from now on.
    pub fn has(&self, word: &str) -> bool {
        self.take(|modifier| modifier == word).is_some()
    }

    /// The word behind `name:`.
    pub fn value(&self, name: &str) -> Option<&'a str> {
        let value = |word: &'a str| word.strip_prefix(name)?.strip_prefix(':');
        self.take(|word| value(word).is_some()).and_then(value)
    }

    /// The number after `name:`, 0 where it is missing.
    pub fn number(&self, name: &str) -> Result<i64, Error> {
        self.value(name).map_or(Ok(0), |text| {
            integer(text).ok_or_else(|| format!("`{name}:{text}` is no number"))
        })
    }

    /// The bits of `name:[1,0,1]`, the first the lowest; `default` where it is missing.
    pub fn bits(&self, name: &str, default: u32) -> Result<u32, Error> {
        let Some(text) = self.value(name) else { return Ok(default) };
        let list = list(text).ok_or_else(|| format!("`{name}:{text}` is no list"))?;
        Ok(list.iter().enumerate().fold(0, |bits, (place, bit)| bits | bit << place))
    }

    /// Something was not asked for: then the instruction does something that is not emulated.
    pub fn finish(&self) -> Result<(), Error> {
        match self.modifiers.borrow().first() {
            None => Ok(()),
            Some(word) => Err(format!("modifier `{word}`")),
        }
    }

    /// The operand of this number; an error if there are fewer.
    pub fn operand(&self, index: usize) -> Result<&'a str, Error> {
        self.operands.get(index).copied().ok_or_else(|| format!("operand {index} is missing"))
    }

    /// As many operands as are expected.
    pub fn expect(&self, count: usize) -> Result<(), Error> {
        if self.operands.len() == count {
            return Ok(());
        }
        Err(format!("{} operands instead of {count}", self.operands.len()))
    }

    fn take(&self, wanted: impl Fn(&'a str) -> bool) -> Option<&'a str> {
        let mut modifiers = self.modifiers.borrow_mut();
        let place = modifiers.iter().position(|word| wanted(word))?;
        Some(modifiers.remove(place))
    }
}

/// Numbers in brackets: `[0,1,2]`.
pub fn list(text: &str) -> Option<Vec<u32>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    inner.split(',').map(|part| part.trim().parse().ok()).collect()
}

/// A whole number: `12`, `-3`, `0x1f`, `-0x8`.
pub fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { (value as i64).wrapping_neg() } else { value as i64 })
}

/// Parts between separators that stand outside of brackets and quotation marks, trimmed.
fn split(text: &str, separator: impl Fn(char) -> bool) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0, 0);
    if text.is_empty() {
        return parts;
    }
    for (place, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ if depth == 0 && separator(c) => {
                parts.push(text[begin..place].trim());
                begin = place + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[begin..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_apart() {
        let text = Text::new("v_pk_fma_f16 v0, -v1, s[2:3], hwreg(A, 1) op_sel:[0,1,0] clamp");
        assert_eq!(text.mnemonic, "v_pk_fma_f16");
        assert_eq!(text.operands, ["v0", "-v1", "s[2:3]", "hwreg(A, 1)"]);
        assert_eq!(text.bits("op_sel", 0), Ok(2));
        assert_eq!(text.bits("op_sel_hi", 7), Ok(7));
        assert_eq!(text.finish(), Err("modifier `clamp`".to_owned()));
        assert!(text.has("clamp") && !text.has("clamp"));
        assert_eq!(text.finish(), Ok(()));

        let text = Text::new("v_add_nc_u32_e64_dpp v0, v1, v2 row_shr:3");
        assert_eq!((text.mnemonic, text.encoding), ("v_add_nc_u32", "_e64_dpp"));
        assert_eq!(text.number("row_shr"), Ok(3));
        assert_eq!(Text::new("s_endpgm").operands, [""; 0]);
        assert_eq!([integer("-0x8"), integer("64"), integer("x")], [Some(-8), Some(64), None]);
    }
}
