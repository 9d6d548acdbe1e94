//! PTX around matrix instructions: fragments from the operands' columns, and results of many registers.

use crate::form::{Form, Type};

/// Registers of a fragment, `name0`, `name1`, ..., taken from a column of operands.
#[derive(Clone, Copy)]
pub struct Fragment {
    pub name: &'static str,
    pub column: usize,
    pub registers: usize,
    /// 32 or 64.
    pub bits: u32,
}

impl Fragment {
    /// A fragment in this many registers of 32 bits.
    pub fn new(name: &'static str, column: usize, registers: usize) -> Self {
        Self { name, column, registers, bits: 32 }
    }

    /// A fragment in this many registers of 64 bits.
    pub fn wide(name: &'static str, column: usize, registers: usize) -> Self {
        Self { name, column, registers, bits: 64 }
    }

    /// `{%A0, %A1}`
    pub fn list(&self) -> String {
        let names: Vec<String> =
            (0..self.registers).map(|r| format!("%{}{r}", self.name)).collect();
        format!("{{{}}}", names.join(", "))
    }

    /// The declaration of its registers.
    pub fn declare(&self) -> String {
        format!(".reg .b{} %{}<{}>; ", self.bits, self.name, self.registers)
    }

    /// Loads the registers: a thread's own word of the column, and those of other threads of its warp.
    pub fn load(&self) -> String {
        let mut text = self.declare();
        text.push_str(&format!(
            "{{ .reg .b64 %base, %at; .reg .b32 %n; ld.param.u64 %base, [p{}]; cvta.to.global.u64 %base, %base; ",
            self.column
        ));
        for r in 0..self.registers {
            let (other, offset) = if self.bits == 32 { (r / 2, 4 * (r % 2)) } else { (r, 0) };
            text.push_str(&format!(
                "xor.b32 %n, %i3, {}; mad.wide.u32 %at, %n, 8, %base; ld.global.b{} %{}{r}, [%at+{offset}]; ",
                other % 32, self.bits, self.name
            ));
        }
        text.push_str("} ");
        text
    }

    /// The number of forms that it takes to see all registers.
    pub fn parts(&self) -> usize {
        (self.registers * self.bits as usize).div_ceil(128)
    }

    /// Moves one part of the registers to the outputs.
    pub fn store(&self, part: usize) -> String {
        if self.bits == 64 {
            let register = |r: usize, to: &str| {
                if r < self.registers {
                    format!("mov.b64 {to}, %{}{r}; ", self.name)
                } else {
                    String::new()
                }
            };
            return register(2 * part, "%d") + &register(2 * part + 1, "%x");
        }
        let name = |r: usize| {
            if r < self.registers { format!("%{}{r}", self.name) } else { "%i5".to_owned() }
        };
        let first = 4 * part;
        format!(
            "mov.b64 %d, {{{}, {}}}; mov.b64 %x, {{{}, {}}}; ",
            name(first),
            name(first + 1),
            name(first + 2),
            name(first + 3)
        )
    }
}

/// A form for each part of `result` that `parts` names, with everything that `body` needs before it.
pub fn forms_of(
    family: &'static str,
    name: &str,
    body: &str,
    result: Fragment,
    operands: &[Type],
    parts: impl IntoIterator<Item = usize>,
) -> Vec<Form> {
    parts
        .into_iter()
        .map(|part| {
            let suffix = if part == 0 { String::new() } else { format!("#{part}") };
            let body = format!("{body} {}", result.store(part));
            Form::new(family, &body, Type::Int(64), operands)
                .second(Type::Int(64))
                .named(format!("{name}{suffix}"))
        })
        .collect()
}
