//! What ptxas makes of operations of binary32 that are right by a few instructions but for exponents near the ends, for which it calls a
//! function: `division` and `roots` put such operations together again.

use crate::flow::Code;
use crate::instruction::{File, Immediate, Instruction, Operand, Signs};
use std::collections::{BTreeMap, BTreeSet};

/// `DIVISION R4, a, b`, and `DIVISION.FTZ`.
pub(super) const DIVISION: &str = "DIVISION";
/// `ROOT R4, a`, and `ROOT.FTZ`.
pub(super) const ROOT: &str = "ROOT";
/// `RECIPROCAL R4, a`, and `RECIPROCAL.FTZ`.
pub(super) const RECIPROCAL: &str = "RECIPROCAL";

/// What the names of the functions that are called have in them, and what the whole is then.
const CALLED: [(&str, &str, &[&str]); 6] = [
    ("_div_rn_noftz_f32_slowpath", DIVISION, &[]),
    ("_div_rn_ftz_f32_slowpath", DIVISION, &["FTZ"]),
    ("_sqrt_rn_f32_slowpath", ROOT, &[]),
    ("_sqrt_rn_ftz_f32_slowpath", ROOT, &["FTZ"]),
    ("_rcp_rn_f32_slowpath", RECIPROCAL, &[]),
    ("_rcp_rn_ftz_f32_slowpath", RECIPROCAL, &["FTZ"]),
];

/// How far behind the branch the call lies at most.
const ARGUMENTS: usize = 8;

pub(super) fn get(code: &Code, at: usize) -> Option<&Instruction> {
    code.instructions.get(at)?.as_ref().ok()
}

/// The addresses to which threads come from elsewhere.
pub(super) fn entered(code: &Code) -> BTreeSet<u64> {
    let mut entered: BTreeSet<u64> = code.functions.clone();
    entered.extend(code.indirect.values().flatten());
    for instruction in code.instructions.iter().flatten() {
        entered.extend(instruction.operands.iter().filter_map(|operand| match operand {
            Operand::Label(address) => Some(*address),
            _ => None,
        }));
    }
    entered
}

/// The signs of what is computed of, as far as this looks: general registers and constants.
fn signs(operand: &Operand) -> Option<Signs> {
    match operand {
        Operand::Register(register) if register.file == File::General && !register.is_zero() => {
            Some(register.signs)
        }
        Operand::Constant(constant) if constant.register.is_none() => Some(constant.signs),
        Operand::Immediate(Immediate::F32(_)) => Some(Signs::default()),
        _ => None,
    }
}

pub(super) fn negated(operand: &Operand) -> Option<Operand> {
    let mut operand = operand.clone();
    match &mut operand {
        Operand::Register(register) => register.signs.negated ^= true,
        Operand::Constant(constant) => constant.signs.negated ^= true,
        Operand::Immediate(Immediate::F32(bits)) => *bits ^= 1 << 31,
        _ => return None,
    }
    Some(operand)
}

pub(super) fn is_register(operand: &Operand, number: u8) -> bool {
    matches!(operand, Operand::Register(register) if register.file == File::General && register.number == number)
}

/// Whether an operand is one of those, as it is.
pub(super) fn is_plain(operand: &Operand) -> bool {
    signs(operand).is_some_and(|signs| signs == Signs::default())
}

/// Whether threads may go elsewhere than to the next instruction, or meet others.
pub(super) fn leaves(i: &Instruction) -> bool {
    matches!(
        i.opcode,
        "BRA"
            | "BRX"
            | "BRXU"
            | "JMP"
            | "JMX"
            | "JMXU"
            | "CALL"
            | "RET"
            | "EXIT"
            | "KILL"
            | "BSYNC"
            | "BREAK"
            | "WARPSYNC"
            | "BPT"
    )
}

/// What the whole is whose function is called behind a branch, before anything else is gone to: its opcode and modifiers.
pub(super) fn called(
    code: &Code,
    branch: usize,
    functions: &BTreeMap<u64, &str>,
) -> Option<(&'static str, &'static [&'static str])> {
    let mut behind = (branch + 1..=branch + ARGUMENTS).map_while(|number| get(code, number));
    let call = behind.find(|i| leaves(i)).filter(|i| i.opcode == "CALL" && i.has("REL"))?;
    let Some(Operand::Label(target)) = call.operands.last() else { return None };
    let name = functions.get(target)?;
    let (_, opcode, modifiers) = CALLED.iter().find(|(part, ..)| name.contains(part))?;
    Some((opcode, modifiers))
}
