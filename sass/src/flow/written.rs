//! Which registers instructions write.

use crate::instruction::{File, Instruction, Operand};

/// Instructions whose result is one register, or two where it is wide.
const NARROW: [&str; 36] = [
    "MOV",
    "UMOV",
    "IMAD",
    "IADD3",
    "LEA",
    "LOP3",
    "SHF",
    "SEL",
    "FSEL",
    "PRMT",
    "S2R",
    "IABS",
    "IMNMX",
    "POPC",
    "BREV",
    "FLO",
    "FADD",
    "FMUL",
    "FFMA",
    "HADD2",
    "HMUL2",
    "HFMA2",
    "MUFU",
    "P2R",
    "DIVISION",
    "ROOT",
    "RECIPROCAL",
    "SHFL",
    "VOTE",
    "MATCH",
    "VIADD",
    "VIMNMX",
    "VIADDMNMX",
    "I2FP",
    "F2IP",
    "F2FP",
];

/// Those whose result is two registers at most.
const PAIRS: [&str; 4] = ["DADD", "DMUL", "DFMA", "CS2R"];

/// Those that convert: to two registers where one of the types has 64 bits, at most.
const CONVERSIONS: [&str; 3] = ["I2F", "F2I", "F2F"];
const OF_64_BITS: [&str; 3] = ["F64", "S64", "U64"];

/// Those whose modifiers say how wide the result is.
const LOADS: [&str; 5] = ["LD", "LDG", "LDS", "LDL", "LDC"];

/// Those that only read registers.
const READERS: [&str; 19] = [
    "ST", "STG", "STS", "STL", "RED", "ISETP", "FCHK", "FSETP", "DSETP", "HSETP2", "PLOP3", "BAR",
    "WARPSYNC", "SUST", "SURED", "REDG", "STSM", "STAS", "REDAS",
];

/// Those that leave two registers at each of the first two that they name.
const TWICE: [&str; 5] = ["TEX", "TLD", "TLD4", "TXD", "TXQ"];

/// The registers that an instruction may write: the first that it names, with three more where it may be wide; of
/// textures two at each of two places.
pub(crate) fn written(i: &Instruction) -> Vec<(File, u8)> {
    let mut named = i.operands.iter().filter_map(|operand| match operand {
        Operand::Register(register) => Some((register.file, register.number)),
        _ => None,
    });
    if TWICE.contains(&i.opcode) {
        let pairs =
            named.take(2).map(|(file, first)| [first, first.saturating_add(1)].map(|n| (file, n)));
        return pairs.flatten().collect();
    }
    // A warp group's product leaves up to 128 registers.
    if i.opcode.ends_with("GMMA") {
        let all =
            |(file, first): (File, u8)| (first..first.saturating_add(128)).map(move |n| (file, n));
        return named.next().into_iter().flat_map(all).collect();
    }
    let first = named.next();
    let is_load = LOADS.contains(&i.opcode);
    let count = match () {
        () if READERS.contains(&i.opcode) => 0,
        () if NARROW.contains(&i.opcode) => 1 + u8::from(i.has("WIDE")),
        () if PAIRS.contains(&i.opcode) => 2,
        () if CONVERSIONS.contains(&i.opcode) => {
            1 + u8::from(OF_64_BITS.iter().any(|modifier| i.has(modifier)))
        }
        () if is_load && i.has("64") => 2,
        () if is_load && !i.has("128") => 1,
        () => 4,
    };
    let all = |(file, first): (File, u8)| {
        (0..count).map(move |index| (file, first.saturating_add(index)))
    };
    first.into_iter().flat_map(all).collect()
}
