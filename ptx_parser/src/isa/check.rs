//! Whether the operands of an instruction are of the types and kinds that it takes, as ptxas sees it.

use super::spec::{Constants, OperandSpec, Parts, SpaceRule};
use super::vector::{self, Registers};
use super::{Instruction, OperandRef};
use crate::modifier::{Modifier, ScalarType, StateSpace, VectorSize};
use crate::operand::{Address, Immediate, Operand};

/// The meaning of a name, as far as types go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A register; a vector of them with a size.
    Register(ScalarType, Option<VectorSize>),
    /// A variable. Its address is meant.
    Variable(StateSpace),
    Function,
    Label,
    /// A list of branch targets.
    Targets,
}

/// Instructions whose registers may be wider than their type.
const WIDE: &[&str] =
    &["Ld", "Ldu", "St", "MultimemStAsync", "Cvt", "CvtPack", "Suld", "Sust", "Sured"];

/// Operands that may be the addresses of variables.
const ADDRESSES: &[(&str, &str)] =
    &[("Mov", "a"), ("Cvta", "a"), ("Mapa", "a"), ("Getctarank", "a")];

/// Operands that have rules of their own.
const FREE: &[(&str, &str)] = &[
    ("Tex", "c"),
    ("Tex", "e"),
    ("Tex", "d_pdx"),
    ("Tex", "d_pdy"),
    ("Tld4", "c"),
    ("Tld4", "e"),
    ("Suld", "b"),
    ("Sust", "b"),
    ("Sured", "b"),
];

/// Operands of 32 bits that ptxas does not look at closely: whether predicates and vectors are taken too.
const LOOSE: &[(&str, &str, bool, bool)] = &[
    ("Movmatrix", "d", true, false),
    ("Movmatrix", "a", true, false),
    ("Mma", "scale_a_data", true, true),
    ("Mma", "scale_b_data", true, true),
    ("MmaSp", "scale_a_data", true, true),
    ("MmaSp", "scale_b_data", true, true),
    ("MmaSp", "e", true, true),
    ("WgmmaMmaAsyncSp", "sp_meta", true, true),
    ("Tcgen05Ld", "redval", true, true),
    ("Createpolicy", "fraction", false, true),
];

/// Scalars that ptxas takes vectors for.
const VECTORS_TOO: &[(&str, &str)] = &[
    ("MbarrierArrive", "count"),
    ("MbarrierArriveDrop", "count"),
    ("StAsync", "b"),
    ("Suld", "d"),
];

/// Scalars that may be one register in braces.
const ALONE: &[(&str, &str)] = &[("Ld", "d"), ("Ldu", "d"), ("St", "b")];

/// Operands that are no constants, though their types have some.
const REGISTERS_ONLY: &[(&str, &str)] = &[("Stackrestore", "a"), ("Tcgen05Commit", "cta_mask")];

/// Integers of 32 or 64 bits.
const BOTH_WIDTHS: &[(&str, &str)] = &[("Isspacep", "a"), ("StBulk", "size")];

/// Addresses that ptxas takes without brackets, and in registers of all kinds.
const ANY_BASE: &[(&str, &str)] = &[
    ("CpAsyncBulk", "mbar"),
    ("CpReduceAsyncBulk", "mbar"),
    ("CpAsyncBulkTensor", "dst_mem"),
    ("CpAsyncBulkTensor", "mbar"),
    ("CpAsyncBulkTensor", "src_mem"),
    ("CpReduceAsyncBulkTensor", "src_mem"),
];

/// Integers that may be predicates.
const PREDICATES_TOO: &[(&str, &str)] = &[("CpAsync", "src_size")];

fn among(list: &[(&str, &str)], instruction: &str, operand: &str) -> bool {
    list.iter().any(|(i, o)| *i == instruction && *o == operand)
}

/// Whether an operand may be a negated predicate besides what its type says.
pub(crate) fn takes_predicate(instruction: &str, operand: &str) -> bool {
    let loose = LOOSE.iter().any(|(i, o, p, _)| *i == instruction && *o == operand && *p)
        && (instruction, operand) != ("Movmatrix", "d");
    loose || operand == "disable_output_lane" || (instruction, operand) == ("MmaSp", "a")
}

impl<'a> Instruction<'a> {
    /// The first operand that is of a wrong type or kind. `named` says what a name stands for; what it does
    /// not know is not judged.
    pub fn wrong_operand(&self, named: impl Fn(&str) -> Option<Named>) -> Option<String> {
        let parts = self.parts()?;
        for (spec, operand) in parts.spec.operands.iter().zip(parts.operands) {
            let check = Check { parts: &parts, operand: spec, named: &named };
            let wrong = match operand {
                Some(OperandRef::Operand(operand)) => check.operand(operand),
                Some(OperandRef::Address(address)) => check.address(address),
                None => None,
            };
            if let Some(wrong) = wrong {
                return Some(format!("operand `{}`: {wrong}", spec.name));
            }
        }
        None
    }
}

struct Check<'n, 'a> {
    parts: &'n Parts<'n, 'a>,
    operand: &'static OperandSpec,
    named: &'n dyn Fn(&str) -> Option<Named>,
}

impl Check<'_, '_> {
    fn name(&self) -> &'static str {
        self.parts.spec.name
    }

    fn among(&self, list: &[(&str, &str)]) -> bool {
        among(list, self.name(), self.operand.name)
    }

    fn type_(&self) -> Option<ScalarType> {
        self.operand.type_(&self.parts.codes)
    }

    fn operand(&self, operand: &Operand<'_>) -> Option<String> {
        if let Some(wrong) = self.jump(operand) {
            return wrong;
        }
        if let Some(constants) = self.parts.spec.constants(&self.parts.codes, self.operand) {
            match operand {
                Operand::Immediate(value) => return outside(constants, *value),
                _ if constants.registers => {}
                Operand::Name(name) if (self.named)(name).is_none() => return None,
                _ => return Some("expected a constant".to_owned()),
            }
        }
        if let Some(registers) =
            vector::registers(self.parts.spec, &self.parts.codes, self.operand.name)
        {
            return self.vector(operand, registers);
        }
        if self.among(&[("Sust", "c")]) {
            return self.stored(operand);
        }
        let loose =
            |(i, o, ..): &&(&str, &str, bool, bool)| *i == self.name() && *o == self.operand.name;
        if let Some((_, _, predicates, vectors)) = LOOSE.iter().find(loose) {
            return self.loose(operand, *predicates, *vectors);
        }
        match operand {
            Operand::Vector(items) if self.packs() => self.moved(items),
            Operand::Name(name)
                if self.among(&[("Mov", "d")]) && self.parts.word("vec").is_some() =>
            {
                match (self.named)(name)? {
                    Named::Register(_, Some(_)) => None,
                    _ => Some("expected a vector".to_owned()),
                }
            }
            Operand::Vector(items) => self.unsized_vector(items),
            _ => self.scalar(operand, self.type_()),
        }
    }

    fn packs(&self) -> bool {
        self.name() == "Mov" || self.type_() == Some(ScalarType::B128)
    }

    /// Checks the operand that a surface store writes, which may be wider than what is asked for.
    fn stored(&self, operand: &Operand<'_>) -> Option<String> {
        let type_ = self.type_()?;
        let Operand::Vector(items) = operand else { return self.scalar(operand, Some(type_)) };
        let sized = self.parts.word("vec").and_then(VectorSize::from_word);
        if sized.is_some_and(|size| size.elements() != items.len()) {
            return Some(format!("a vector of {}", items.len()));
        }
        let each = if sized.is_some() { type_.bits() } else { type_.bits() / items.len() as u32 };
        items.iter().find_map(|item| match item {
            Operand::Name(name) => match (self.named)(name)? {
                Named::Register(held, None) if held.bits() < each => {
                    Some(format!("`{name}` of type `{held}` instead of {each} bits"))
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// `mov` packs 2 or 4 registers to one of bits, or moves as many as its modifier says.
    fn moved(&self, items: &[Operand<'_>]) -> Option<String> {
        let type_ = self.type_()?;
        let whole = self.parts.word("vec").and_then(VectorSize::from_word);
        let (count, bits) = match whole {
            Some(size) => (size.elements(), type_.bits()),
            None if !type_.word().starts_with('b') => {
                return Some(format!("a vector is no `{type_}`"));
            }
            None => (items.len(), type_.bits() / (items.len() as u32).max(1)),
        };
        if items.len() != count || !matches!(count, 2 | 4) {
            return Some(format!("a vector of {} instead of {count}", items.len()));
        }
        items.iter().find_map(|item| match item {
            Operand::Name(name) => match (self.named)(name)? {
                Named::Register(held, None) if held.bits() == bits => None,
                Named::Register(held, None) => {
                    Some(format!("`{name}` of type `{held}` instead of {bits} bits"))
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// The verdict on a place to jump to; none where the operand is something else.
    fn jump(&self, operand: &Operand<'_>) -> Option<Option<String>> {
        let (expected, what) = match (self.name(), self.operand.name) {
            ("Bra", "tgt") => (Named::Label, "a label"),
            ("BrxIdx", "tlist") => (Named::Targets, "a list of branch targets"),
            _ => return None,
        };
        let fits = match operand {
            Operand::Name(name) => (self.named)(name).is_none_or(|n| n == expected),
            _ => false,
        };
        Some((!fits).then(|| format!("expected {what}")))
    }

    /// A vector of so many registers, in braces or as a name.
    fn vector(&self, operand: &Operand<'_>, registers: Registers) -> Option<String> {
        let Registers { type_, count } = registers;
        let expected = || Some(format!("expected a vector of {count}"));
        match operand {
            Operand::Vector(items) if items.len() != count => {
                Some(format!("a vector of {} instead of {count}", items.len()))
            }
            Operand::Vector(items) => items.iter().find_map(|item| self.scalar(item, Some(type_))),
            Operand::Name(_) | Operand::Not(_) if self.takes_any_register() => {
                self.loose(operand, true, false)
            }
            Operand::Name(name) => match (self.named)(name)? {
                Named::Register(_, Some(held)) if held.elements() == count => None,
                _ => expected(),
            },
            Operand::Sink => None,
            _ => expected(),
        }
    }

    /// Vectors for which ptxas takes any register of 32 bits.
    fn takes_any_register(&self) -> bool {
        let integers = || {
            let type_ = self.parts.word("atype").unwrap_or_default();
            matches!(type_, "s8" | "u8" | "s4" | "u4")
        };
        match (self.name(), self.operand.name) {
            ("MmaSp", "a") => integers(),
            (_, name) => name == "disable_output_lane",
        }
    }

    /// Checks an operand that is a vector, where the instruction gives no length.
    fn unsized_vector(&self, items: &[Operand<'_>]) -> Option<String> {
        let type_ = self.type_()?;
        // Of packed bfloat16 ptxas sees no more than the width.
        let unchecked = matches!(type_, ScalarType::Bf16 | ScalarType::Bf16x2);
        if self.among(FREE) {
            None
        } else if unchecked || self.among(VECTORS_TOO) || items.len() == 1 && self.among(ALONE) {
            items.iter().find_map(|item| self.scalar(item, Some(type_)))
        } else {
            Some("a vector is not allowed".to_owned())
        }
    }

    fn loose(&self, operand: &Operand<'_>, predicates: bool, vectors: bool) -> Option<String> {
        let wrong = || Some("expected a register of 32 bits".to_owned());
        match operand {
            Operand::Vector(items) if vectors => {
                items.iter().find_map(|item| self.loose(item, predicates, false))
            }
            Operand::Name(name) | Operand::Not(name) => match (self.named)(name)? {
                Named::Register(ScalarType::Pred, _) if predicates => None,
                Named::Register(held, _) if held.bits() == 32 => None,
                _ => wrong(),
            },
            Operand::Sink if self.operand.write => None,
            Operand::Immediate(Immediate::F32(_) | Immediate::F64(_)) if !predicates => None,
            _ => wrong(),
        }
    }

    fn scalar(&self, operand: &Operand<'_>, type_: Option<ScalarType>) -> Option<String> {
        let write = self.operand.write;
        match operand {
            Operand::Immediate(value) => self.constant(*value, type_),
            Operand::Special(register)
                if !matches!(self.name(), "Mov" | "Cvt") && !in_coordinates(self.operand.name) =>
            {
                Some(format!("`{register}` is read by `mov` only"))
            }
            Operand::Name(name) | Operand::Not(name) | Operand::Minus(name) => {
                match (self.named)(name)? {
                    Named::Register(held, None) => self.register(name, held, type_?),
                    Named::Register(_, Some(_)) => None,
                    Named::Label => Some(format!("the label `{name}` is no operand")),
                    Named::Variable(_) | Named::Function if write => {
                        Some("a result needs a register".to_owned())
                    }
                    Named::Variable(_) | Named::Function if self.takes_addresses() => None,
                    Named::Variable(_) | Named::Function => {
                        type_.map(|_| format!("the address of `{name}` instead of a value"))
                    }
                    Named::Targets => Some(format!("`{name}` is no operand")),
                }
            }
            _ => None,
        }
    }

    fn takes_addresses(&self) -> bool {
        let to = self.name() == "Cvta" && self.parts.spec.flag(&self.parts.codes, "to");
        self.among(ADDRESSES) && !to
    }

    fn constant(&self, value: Immediate, type_: Option<ScalarType>) -> Option<String> {
        let video = self.name().starts_with('V') && self.name() != "Vote";
        let lanes = video && self.name().ends_with(['2', '4']);
        let loose = video && !lanes || self.name() == "Createpolicy";
        if self.operand.write && !loose {
            return Some("a result needs a register".to_owned());
        }
        let type_ = type_?;
        if lanes || self.among(REGISTERS_ONLY) {
            Some("a constant instead of a register".to_owned())
        } else if !(has_constants(type_) || self.takes_integers() && value.integer().is_some()) {
            Some(format!("there are no constants of `{type_}`"))
        } else if type_ == ScalarType::Pred {
            value.integer().is_none().then(|| "the constant is no predicate".to_owned())
        } else if value.bits(type_).is_none() {
            Some(format!("the constant is no `{type_}`"))
        } else {
            None
        }
    }

    /// Types that have no constants, for which ptxas takes integers.
    fn takes_integers(&self) -> bool {
        let narrow = || self.parts.word("atype").or(self.parts.word("abtype"));
        match self.name() {
            "MultimemSt" => true,
            "Add" | "Sub" | "Fma" => narrow() == Some("bf16"),
            _ => false,
        }
    }

    fn register(&self, name: &str, held: ScalarType, type_: ScalarType) -> Option<String> {
        let wide = WIDE.contains(&self.name()) && may_be_wider(type_);
        let fits = if self.among(BOTH_WIDTHS) {
            matches!(held.bits(), 32 | 64) && kind_fits(held, ScalarType::U64)
        } else if held == ScalarType::Pred || type_ == ScalarType::Pred {
            held == type_ || held == ScalarType::Pred && self.among(PREDICATES_TOO)
        } else {
            width_fits(held, type_, wide) && kind_fits(held, type_)
        };
        (!fits).then(|| format!("`{name}` of type `{held}` instead of `{type_}`"))
    }

    /// An address: its variable is in the state space that the instruction says, its register holds addresses.
    fn address(&self, address: &Address<'_>) -> Option<String> {
        let base = address.base?;
        let tensor_memory = self.operand.name.ends_with("_tmem");
        match (self.named)(base)? {
            Named::Register(..) if self.among(ANY_BASE) => None,
            Named::Register(held, None) => {
                let wide = held.bits() == 64;
                let of_32 = tensor_memory || self.narrow();
                let of_64 = matches!(self.name(), "Txq" | "Suq");
                let fits = held.bits() == 32 && !of_64 || wide && !of_32;
                let fits =
                    fits && kind_fits(held, if wide { ScalarType::U64 } else { ScalarType::U32 });
                (!fits).then(|| format!("`{base}` of type `{held}` holds no address"))
            }
            Named::Variable(_) if address.offset != 0 && matches!(self.name(), "Txq" | "Suq") => {
                Some("expected a texture or a surface".to_owned())
            }
            Named::Variable(_) if tensor_memory => Some("expected a register".to_owned()),
            Named::Variable(space) => {
                let expected = self.space()?;
                (!in_space(space, expected)).then(|| {
                    format!("`{base}` is in `.{}`, not in `.{}`", space.word(), expected.word())
                })
            }
            Named::Label | Named::Targets => Some(format!("the label `{base}` is no address")),
            _ => None,
        }
    }

    /// Tensor memory has addresses of 32 bits.
    fn narrow(&self) -> bool {
        matches!(self.name(), "Tcgen05Ld" | "Tcgen05St") && self.operand.name == "taddr"
    }

    fn space(&self) -> Option<StateSpace> {
        match self.operand.space.as_ref()? {
            SpaceRule::Field(field) => StateSpace::from_code(self.parts.codes[*field]),
            SpaceRule::Fixed(word) => StateSpace::from_word(word),
        }
    }
}

fn in_coordinates(operand: &str) -> bool {
    operand == "tensor_coords"
}

fn in_space(variable: StateSpace, expected: StateSpace) -> bool {
    use StateSpace::*;
    match expected {
        Shared | SharedCta | SharedCluster => {
            matches!(variable, Shared | SharedCta | SharedCluster)
        }
        Param | ParamEntry | ParamFunc => matches!(variable, Param | ParamEntry | ParamFunc),
        expected => variable == expected,
    }
}

fn outside(constants: &Constants, value: Immediate) -> Option<String> {
    match value.integer() {
        Some(value) if constants.contain(value) => None,
        Some(value) => Some(format!("the constant {value} is not possible")),
        None => Some("expected an integer".to_owned()),
    }
}

/// Constants are integers, `.f32` and `.f64`.
fn has_constants(type_: ScalarType) -> bool {
    use ScalarType::*;
    match type_ {
        F32 | F64 | Pred => true,
        _ => {
            let (kind, bits) = type_.word().split_at(1);
            matches!(kind, "b" | "u" | "s") && bits.parse::<u32>().is_ok()
        }
    }
}

/// Narrow formats have registers of their own width, even in conversions.
fn may_be_wider(type_: ScalarType) -> bool {
    has_constants(type_) || matches!(type_, ScalarType::F16 | ScalarType::F16x2)
}

fn width_fits(held: ScalarType, type_: ScalarType, wide: bool) -> bool {
    // Types of 4 and 6 bits are kept in bytes.
    let bits = type_.bits().max(8);
    held.bits() == bits || wide && held.bits() > bits
}

/// Bits fit anything; integers fit integers, signed or not; floats fit their own type.
fn kind_fits(held: ScalarType, type_: ScalarType) -> bool {
    let bits = |t: ScalarType| t.word().starts_with('b') && !t.is_float();
    let integer =
        |t: ScalarType| t.word().starts_with(['u', 's']) && t.word()[1..].parse::<u32>().is_ok();
    bits(held) || bits(type_) || held == type_ || integer(held) && integer(type_)
}
