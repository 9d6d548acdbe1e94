//! Whether the operands of an instruction are of the types and kinds that it takes, as ptxas sees it.

use super::spec::Parts;
use super::{Instruction, OperandRef};
use crate::modifier::{Modifier, ScalarType, VectorSize};
use crate::operand::Operand;

/// What a name stands for, as far as types go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A register; a vector of them with a size.
    Register(ScalarType, Option<VectorSize>),
    /// Anything else: a variable, a function. Its address is meant.
    Address,
}

/// Instructions whose registers may be wider than their type.
const WIDE: &[&str] = &["Ld", "Ldu", "St", "Cvt", "CvtPack", "Suld", "Sust", "Sured"];

/// Instructions that read the addresses of variables.
const ADDRESSES: &[&str] = &["Mov", "Cvta", "Isspacep", "Mapa", "Getctarank", "Istypep", "Alloca"];

/// Instructions whose vectors are as long as their modifier says.
const VECTORS: &[&str] =
    &["Ld", "Ldu", "St", "Atom", "Red", "StAsync", "MultimemLdReduce", "MultimemSt", "MultimemRed"];

/// Instructions that pack and unpack, or whose vectors have rules of their own.
const FREE: &[&str] = &[
    "Mov",
    "Cvt",
    "Tex",
    "Tld4",
    "Suld",
    "Sust",
    "Sured",
    "Ldmatrix",
    "Stmatrix",
    "ClusterlaunchcontrolQueryCancel",
];

/// Operands that hold the registers of a matrix.
const FRAGMENTS: &[(&str, &[&str])] = &[
    ("Mma", &["d", "a", "b", "c"]),
    ("MmaSp", &["d", "a", "b", "c"]),
    ("WmmaMma", &["d", "a", "b", "c"]),
    ("WmmaLoad", &["r"]),
    ("WmmaStore", &["r"]),
    ("WgmmaMmaAsync", &["d", "a"]),
    ("WgmmaMmaAsyncSp", &["d", "a"]),
    ("Ldmatrix", &["r"]),
    ("Stmatrix", &["r"]),
];

/// The types of operands that have the same in all instructions of their names.
const NAMED_TYPES: &[(&str, ScalarType)] = &[
    ("a_desc", ScalarType::B64),
    ("b_desc", ScalarType::B64),
    ("s_desc", ScalarType::B64),
    ("scale_d", ScalarType::Pred),
    ("enable_input_d", ScalarType::Pred),
    ("idesc", ScalarType::B32),
    ("sp_meta", ScalarType::B32),
    ("scale_a_data", ScalarType::B32),
    ("scale_b_data", ScalarType::B32),
];

/// Instructions without a vector size that take one register in braces too.
const ALONE: &[&str] = &["Ld", "Ldu", "St"];

/// Instructions whose operands ptxas does not look at closely.
const LOOSE: &[&str] = &["Movmatrix", "Createpolicy"];

impl<'a> Instruction<'a> {
    /// The first operand that is of a wrong type or kind. `named` says what a name stands for; what it does
    /// not know is not judged.
    pub fn wrong_operand(&self, named: impl Fn(&str) -> Option<Named>) -> Option<String> {
        let parts = self.parts().filter(|p| !LOOSE.contains(&p.spec.name))?;
        let check = Check { size: vector_size(&parts), name: parts.spec.name, named: &named };
        for (spec, operand) in parts.spec.operands.iter().zip(parts.operands) {
            let Some(OperandRef::Operand(operand)) = operand else { continue };
            let named = || NAMED_TYPES.iter().find(|(name, _)| *name == spec.name).map(|t| t.1);
            let type_ = spec.type_(&parts.codes).or_else(named);
            let wrong = check.operand(operand, type_, spec.write, spec.name);
            if let Some(wrong) = wrong {
                return Some(format!("operand `{}`: {wrong}", spec.name));
            }
        }
        None
    }
}

/// The number of elements that the mnemonic names.
fn vector_size(parts: &Parts<'_, '_>) -> Option<usize> {
    let field = parts.spec.fields.iter().position(|f| f.words == VectorSize::WORDS)?;
    VectorSize::from_code(parts.codes[field]).map(elements)
}

fn elements(size: VectorSize) -> usize {
    match size {
        VectorSize::V2 => 2,
        VectorSize::V4 => 4,
        VectorSize::V8 => 8,
    }
}

struct Check<'n> {
    /// The instruction's struct.
    name: &'static str,
    size: Option<usize>,
    named: &'n dyn Fn(&str) -> Option<Named>,
}

impl Check<'_> {
    fn operand(
        &self,
        operand: &Operand<'_>,
        type_: Option<ScalarType>,
        write: bool,
        name: &str,
    ) -> Option<String> {
        let fragment = FRAGMENTS.iter().any(|(i, names)| *i == self.name && names.contains(&name));
        match operand {
            Operand::Vector(_) if fragment => return None,
            Operand::Vector(_) | Operand::Immediate(_) if name.starts_with("imm_") => {
                let vector = matches!(operand, Operand::Vector(_));
                return vector.then(|| "expected a constant".to_owned());
            }
            Operand::Name(register) if fragment || name.starts_with("imm_") => {
                return match (self.named)(register)? {
                    Named::Register(_, Some(_)) if fragment => None,
                    _ if fragment => Some("expected a vector".to_owned()),
                    _ => Some("expected a constant".to_owned()),
                };
            }
            Operand::Immediate(_) if fragment => return Some("expected a vector".to_owned()),
            _ => {}
        }
        if let Operand::Vector(items) = operand {
            return self.vector(items, type_?, write, name);
        }
        let whole = self.size.filter(|_| VECTORS.contains(&self.name) && name != "cache_policy");
        if let (Some(size), Operand::Name(register)) = (whole, operand)
            && type_.is_some()
            && name != "c"
            && self.name != "StAsync"
            && let Some(Named::Register(_, held)) = (self.named)(register)
            && held.map(elements) != Some(size)
        {
            return Some(format!("expected a vector of {size}"));
        }
        self.scalar(operand, type_, write)
    }

    fn vector(
        &self,
        items: &[Operand<'_>],
        type_: ScalarType,
        write: bool,
        name: &str,
    ) -> Option<String> {
        // Of bfloat16 ptxas sees no more than the width.
        let unchecked = matches!(type_, ScalarType::Bf16 | ScalarType::Bf16x2);
        if unchecked && self.size.is_none() || FREE.contains(&self.name) {
            return None;
        }
        match self.size {
            Some(size) if VECTORS.contains(&self.name) && name != "cache_policy" => {
                if items.len() != size {
                    return Some(format!("a vector of {} instead of {size}", items.len()));
                }
                items.iter().find_map(|item| self.scalar(item, Some(type_), write))
            }
            _ if type_.bits() >= 128 => None,
            // One register in braces is that register, for loads and stores.
            None if ALONE.contains(&self.name) && items.len() == 1 => {
                items.iter().find_map(|item| self.scalar(item, Some(type_), write))
            }
            _ => Some("a vector is not allowed".to_owned()),
        }
    }

    fn scalar(
        &self,
        operand: &Operand<'_>,
        type_: Option<ScalarType>,
        write: bool,
    ) -> Option<String> {
        match operand {
            Operand::Immediate(_) if write && self.scalar_video() => None,
            Operand::Immediate(_) if write => Some("a result needs a register".to_owned()),
            Operand::Immediate(value) => {
                let type_ = type_?;
                if self.name.starts_with('V') && self.name.ends_with(['2', '4']) {
                    Some("a constant instead of a register".to_owned())
                } else if value.bits(type_).is_none() {
                    Some(format!("the constant is no `{type_}`"))
                } else {
                    None
                }
            }
            Operand::Special(register) if self.name != "Mov" => {
                Some(format!("`{register}` is read by `mov` only"))
            }
            Operand::Name(name) | Operand::Not(name) | Operand::Minus(name) => {
                match (self.named)(name)? {
                    Named::Register(held, None) => self.register(name, held, type_?),
                    Named::Register(_, Some(_)) => None,
                    Named::Address if write => Some("a result needs a register".to_owned()),
                    Named::Address if ADDRESSES.contains(&self.name) => None,
                    Named::Address => {
                        type_.map(|_| format!("the address of `{name}` instead of a value"))
                    }
                }
            }
            _ => None,
        }
    }

    /// `vadd` and its kin, which have lost their meaning to ptxas.
    fn scalar_video(&self) -> bool {
        self.name.starts_with('V') && self.name != "Vote" && !self.name.ends_with(['2', '4'])
    }

    fn register(&self, name: &str, held: ScalarType, type_: ScalarType) -> Option<String> {
        let wide = WIDE.contains(&self.name);
        let fits = if held == ScalarType::Pred || type_ == ScalarType::Pred {
            held == type_
        } else {
            width_fits(held, type_, wide) && kind_fits(held, type_)
        };
        (!fits).then(|| format!("`{name}` of type `{held}` instead of `{type_}`"))
    }
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
    let bfloat = matches!(type_, ScalarType::Bf16 | ScalarType::Bf16x2);
    bfloat || bits(held) || bits(type_) || held == type_ || integer(held) && integer(type_)
}
