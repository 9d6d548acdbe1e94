//! Writes the PTX of one kernel: names of registers, temporaries, and lines with or without the instruction's guard.

use super::error::Reason;
use crate::instruction::{File, Predicate, Register};
use std::collections::{BTreeSet, HashMap};
use std::fmt::{Display, Write};

/// The text of a body that grows, and what it has to declare.
#[derive(Default)]
pub(super) struct Emitter {
    pub(super) text: String,
    /// `@%p0 ` before what the instruction leaves; empty where it is for all threads.
    guard: String,
    /// Registers of the machine that are read or written, by their names.
    pub(super) registers: BTreeSet<String>,
    pub(super) predicates: BTreeSet<String>,
    /// How many temporaries there are, by kind.
    temporaries: [u32; 4],
    /// Registers and temporaries that have a half of a temporary of 64 bits, since the last label.
    halves: HashMap<String, (String, Part)>,
    /// Registers of `halves` that this instruction wrote.
    fresh_halves: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Low,
    High,
}

/// Temporaries by their declared types.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Predicate,
    B16,
    B32,
    B64,
}

impl Kind {
    const ALL: [(Self, &str, &str); 4] = [
        (Self::Predicate, "pred", "%q"),
        (Self::B16, "b16", "%h"),
        (Self::B32, "b32", "%t"),
        (Self::B64, "b64", "%d"),
    ];
}

/// A predicate as an operand of PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Constant(bool),
    /// A name, and whether its opposite is meant.
    Register(String, bool),
}

impl Truth {
    pub(super) fn not(self) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(!value),
            Self::Register(name, not) => Self::Register(name, !not),
        }
    }
}

/// The name of a register, of all that are not always zero.
fn name_of(file: File, number: u8) -> Option<String> {
    match (file, number) {
        (File::General, Register::RZ) | (File::Uniform, Register::URZ) => None,
        (File::General, n) => Some(format!("%r{n}")),
        (File::Uniform, n) => Some(format!("%u{n}")),
    }
}

impl Emitter {
    /// A new temporary.
    pub(super) fn temporary(&mut self, kind: Kind) -> String {
        let count = &mut self.temporaries[kind as usize];
        let name = format!("{}{count}", Kind::ALL[kind as usize].2);
        *count += 1;
        name
    }

    /// A line for all threads, whatever the guard.
    pub(super) fn line(&mut self, line: impl Display) {
        let line = line.to_string();
        let end = if line.ends_with('}') && line.starts_with('{') { "" } else { ";" };
        let _ = writeln!(self.text, "    {line}{end}");
    }

    /// A line for the threads for which the guard holds.
    pub(super) fn guarded(&mut self, line: impl Display) {
        let _ = writeln!(self.text, "    {}{line};", self.guard);
    }

    pub(super) fn label(&mut self, name: impl Display) {
        self.forget();
        let _ = writeln!(self.text, "{name}:");
    }

    /// A temporary with the result of an operation.
    pub(super) fn make(&mut self, kind: Kind, operation: &str, operands: &[&str]) -> String {
        let result = self.temporary(kind);
        self.line(format_args!("{operation} {result}, {}", operands.join(", ")));
        result
    }

    pub(super) fn b16(&mut self, operation: &str, operands: &[&str]) -> String {
        self.make(Kind::B16, operation, operands)
    }

    pub(super) fn b32(&mut self, operation: &str, operands: &[&str]) -> String {
        self.make(Kind::B32, operation, operands)
    }

    pub(super) fn b64(&mut self, operation: &str, operands: &[&str]) -> String {
        self.make(Kind::B64, operation, operands)
    }

    pub(super) fn flag(&mut self, operation: &str, operands: &[&str]) -> String {
        self.make(Kind::Predicate, operation, operands)
    }

    /// The two halves of a number of 64 bits.
    pub(super) fn halves(&mut self, wide: &str) -> (String, String) {
        let (low, high) = (self.temporary(Kind::B32), self.temporary(Kind::B32));
        self.line(format_args!("mov.b64 {{{low}, {high}}}, {wide}"));
        self.note_half(&low, wide, Part::Low);
        self.note_half(&high, wide, Part::High);
        (low, high)
    }

    /// A copy of a register, which may be overwritten.
    pub(super) fn copy(&mut self, value: &str) -> String {
        let copy = self.b32("mov.b32", &[value]);
        if let Some(half) = self.halves.get(value).cloned() {
            self.halves.insert(copy.clone(), half);
        }
        copy
    }

    /// Notes that a name has half of a temporary, which is written once.
    fn note_half(&mut self, name: &str, wide: &str, half: Part) {
        if wide.starts_with(Kind::ALL[Kind::B64 as usize].2) {
            self.halves.insert(name.to_owned(), (wide.to_owned(), half));
        }
    }

    /// Notes what a register gets, in the threads for which the guard holds.
    pub(super) fn written(&mut self, register: &str, value: Option<(&str, Part)>) {
        self.halves.remove(register);
        if let Some((value, half)) = value
            && self.guard.is_empty()
        {
            self.note_half(register, value, half);
            self.fresh_halves.push(register.to_owned());
        }
    }

    /// Notes that a register gets what another name has.
    pub(super) fn moved(&mut self, register: &str, value: &str) {
        match self.halves.get(value).cloned() {
            Some((wide, half)) => self.written(register, Some((&wide, half))),
            None => self.written(register, None),
        }
    }

    /// Ends an instruction that wrote registers.
    pub(super) fn end(&mut self, written: Vec<(File, u8)>) {
        for (file, number) in written {
            if let Some(name) = name_of(file, number)
                && !self.fresh_halves.contains(&name)
            {
                self.halves.remove(&name);
            }
        }
        self.fresh_halves.clear();
    }

    /// Nothing is known of registers here.
    pub(super) fn forget(&mut self) {
        self.halves.clear();
        self.fresh_halves.clear();
    }

    pub(super) fn low(&mut self, wide: &str) -> String {
        self.b32("cvt.u32.u64", &[wide])
    }

    pub(super) fn high(&mut self, wide: &str) -> String {
        self.halves(wide).1
    }

    pub(super) fn joined(&mut self, low: &str, high: &str) -> String {
        if low == "0" && high == "0" {
            return self.b64("mov.b64", &["0"]);
        }
        if let (Some((wide, Part::Low)), Some((same, Part::High))) =
            (self.halves.get(low), self.halves.get(high))
            && wide == same
        {
            return wide.clone();
        }
        let [low, high] = [low, high].map(|half| self.in_register(half));
        let result = self.temporary(Kind::B64);
        self.line(format_args!("mov.b64 {result}, {{{low}, {high}}}"));
        self.note_half(&low, &result, Part::Low);
        self.note_half(&high, &result, Part::High);
        result
    }

    /// Vectors take registers only.
    pub(super) fn in_register(&mut self, value: &str) -> String {
        if value.starts_with('%') { value.to_owned() } else { self.b32("mov.b32", &[value]) }
    }

    /// The halves of a word of two 16-bit values.
    pub(super) fn words(&mut self, packed: &str) -> (String, String) {
        let packed = self.in_register(packed);
        let (low, high) = (self.temporary(Kind::B16), self.temporary(Kind::B16));
        self.line(format_args!("mov.b32 {{{low}, {high}}}, {packed}"));
        (low, high)
    }

    /// The name of a register, declared; none of one that reads as zero.
    pub(super) fn register(&mut self, file: File, number: u8) -> Option<String> {
        let name = name_of(file, number)?;
        self.registers.insert(name.clone());
        Some(name)
    }

    pub(super) fn truth(&mut self, predicate: Predicate) -> Truth {
        match self.predicate(predicate.file, predicate.number) {
            None => Truth::Constant(!predicate.negated),
            Some(name) => Truth::Register(name, predicate.negated),
        }
    }

    /// The name of a predicate, declared; none of one that is always true.
    pub(super) fn predicate(&mut self, file: File, number: u8) -> Option<String> {
        if number == Predicate::PT {
            return None;
        }
        let name = match file {
            File::General => format!("%p{number}"),
            File::Uniform => format!("%up{number}"),
        };
        self.predicates.insert(name.clone());
        Some(name)
    }

    /// Begins an instruction: what follows is for threads with this guard, as it is now. False where it is for none.
    pub(super) fn begin(&mut self, guard: Predicate) -> bool {
        match self.truth(guard) {
            Truth::Constant(always) => {
                self.guard.clear();
                always
            }
            Truth::Register(name, not) => {
                self.guard = format!("@{}{name} ", if not { "!" } else { "" });
                true
            }
        }
    }

    /// Makes the guard a copy, for instructions that write several results of which one is their guard.
    pub(super) fn keep_guard(&mut self) {
        if let Some(name) = self.guard.strip_prefix('@').map(str::trim) {
            let (not, name) = name.strip_prefix('!').map_or(("", name), |name| ("!", name));
            let (not, name) = (not.to_owned(), name.to_owned());
            let copy = self.flag("mov.pred", &[&name]);
            self.guard = format!("@{not}{copy} ");
        }
    }

    /// The guard as a value, which does not change.
    pub(super) fn guard_truth(&mut self) -> Truth {
        self.keep_guard();
        match self.guard.trim().strip_prefix('@') {
            None => Truth::Constant(true),
            Some(name) => match name.strip_prefix('!') {
                Some(name) => Truth::Register(name.to_owned(), true),
                None => Truth::Register(name.to_owned(), false),
            },
        }
    }

    /// What follows is for threads for which this is true.
    pub(super) fn guard_by(&mut self, truth: &Truth) {
        let name = self.truth_register(truth);
        self.guard = format!("@{name} ");
    }

    pub(super) fn guard(&self) -> &str {
        &self.guard
    }

    /// A predicate in a register, as some operands want it.
    pub(super) fn truth_register(&mut self, truth: &Truth) -> String {
        match truth {
            Truth::Register(name, false) => name.clone(),
            Truth::Register(name, true) => self.flag("not.pred", &[name]),
            Truth::Constant(value) => {
                let operation = if *value { "setp.eq.u32" } else { "setp.ne.u32" };
                self.flag(operation, &["0", "0"])
            }
        }
    }

    /// 1 for true.
    pub(super) fn truth_word(&mut self, truth: &Truth) -> String {
        match truth {
            Truth::Register(name, false) => self.b32("selp.b32", &["1", "0", name]),
            Truth::Register(name, true) => self.b32("selp.b32", &["0", "1", name]),
            Truth::Constant(value) => u32::from(*value).to_string(),
        }
    }

    pub(super) fn join(&mut self, operation: &str, a: &Truth, b: &Truth) -> Truth {
        let short = match (operation, a, b) {
            ("and", Truth::Constant(true), other) | ("and", other, Truth::Constant(true)) => {
                Some(other.clone())
            }
            ("or", Truth::Constant(false), other) | ("or", other, Truth::Constant(false)) => {
                Some(other.clone())
            }
            ("and", Truth::Constant(false), _) | ("and", _, Truth::Constant(false)) => {
                Some(Truth::Constant(false))
            }
            ("or", Truth::Constant(true), _) | ("or", _, Truth::Constant(true)) => {
                Some(Truth::Constant(true))
            }
            ("xor", Truth::Constant(value), other) | ("xor", other, Truth::Constant(value)) => {
                Some(if *value { other.clone().not() } else { other.clone() })
            }
            _ => None,
        };
        short.unwrap_or_else(|| {
            let [a, b] = [a, b].map(|truth| self.truth_register(truth));
            Truth::Register(self.flag(&format!("{operation}.pred"), &[&a, &b]), false)
        })
    }

    /// `truth ? a : b`
    pub(super) fn select(&mut self, truth: &Truth, a: &str, b: &str) -> String {
        match truth {
            Truth::Constant(true) => a.to_owned(),
            Truth::Constant(false) => b.to_owned(),
            Truth::Register(name, false) => self.b32("selp.b32", &[a, b, name]),
            Truth::Register(name, true) => self.b32("selp.b32", &[b, a, name]),
        }
    }

    /// The declarations of all that was used. Registers of the machine are zero at first, which is as good as any other value.
    pub(super) fn declarations(&self) -> String {
        let mut text = String::new();
        for (kind, type_, prefix) in Kind::ALL {
            let count = self.temporaries[kind as usize];
            if count > 0 {
                let _ = writeln!(text, "    .reg .{type_} {prefix}<{count}>;");
            }
        }
        for name in &self.registers {
            let _ = writeln!(text, "    .reg .b32 {name};");
        }
        for name in &self.predicates {
            let _ = writeln!(text, "    .reg .pred {name};");
        }
        for name in &self.registers {
            let _ = writeln!(text, "    mov.b32 {name}, 0;");
        }
        for name in &self.predicates {
            let _ = writeln!(text, "    setp.ne.u32 {name}, 0, 0;");
        }
        text
    }
}

/// What an instruction of this kind does not have here.
pub(super) fn unsupported<T>(what: impl Into<String>) -> Result<T, Reason> {
    Err(Reason::Unsupported(what.into()))
}
