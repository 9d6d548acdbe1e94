//! Memory instructions: loads, stores and atomic operations of every address space.

use super::Code;
use super::operand::{OperandSource, Registers, Source, registers, source};
use super::scalar::scalar_result;
use super::text::{Error, Text};
use crate::arch::{Arch, Generation};
use crate::isa::Kind;

/// An instruction that accesses memory in each active lane.
#[derive(Debug)]
pub struct Memory {
    pub space: Space,
    pub address: Address,
    pub action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Global,
    /// Global, LDS or scratch, by the address.
    Flat,
    Scratch,
    Lds,
    Buffer,
}

/// The address of a lane's access, as the instruction has it.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    /// The register of the lane's own part.
    pub lane: Option<u16>,
    /// Whether that has 64 bits.
    pub wide: bool,
    /// The first of the scalar registers of the part that is the same for all lanes; a buffer's resource.
    pub base: Option<u8>,
    pub offset: i64,
    /// Of a second access of the same instruction.
    pub second: Option<i64>,
    /// A buffer's scalar offset.
    pub soffset: OperandSource,
    /// The lane's part is an offset; an index; both, the index first.
    pub offen: bool,
    pub idxen: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum Action {
    Load {
        result: u16,
        format: Format,
    },
    Store {
        data: u16,
        second: u16,
        format: Format,
    },
    /// `second` is the other source of those that have two.
    Atomic {
        operation: Atomic,
        data: u16,
        second: u16,
        result: Option<u16>,
    },
}

/// The form of a value in memory and in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bytes in memory.
    pub bytes: u8,
    pub signed: bool,
    pub part: Part,
}

/// The part of the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    Low,
    High,
}

/// An atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atomic {
    pub what: What,
    /// 8 bytes instead of 4.
    pub wide: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Add,
    Sub,
    /// Register minus memory.
    SubReverse,
    /// Not below zero.
    SubClamped,
    /// Only where the result is not below zero.
    SubConditional,
    MinSigned,
    MinUnsigned,
    MaxSigned,
    MaxUnsigned,
    And,
    Or,
    Xor,
    Increment,
    Decrement,
    Swap,
    /// The new value, and what is expected.
    CompareSwap,
    /// The expected value, and the new one.
    CompareStore,
    /// Bits to clear, and bits to set.
    MaskOr,
    AddFloat,
    MinFloat,
    MaxFloat,
    AddHalves,
    AddBf16s,
}

/// Values that go from lane to lane through the LDS unit.
#[derive(Clone, Copy, Debug)]
pub enum LdsExchange {
    /// `ds_bpermute_b32`: from the lane that the address names; `inactive`: those are sources too.
    Pull { result: u16, address: u16, data: u16, offset: u32, inactive: bool },
    /// `ds_permute_b32`: to the lane that the address names.
    Push { result: u16, address: u16, data: u16, offset: u32 },
    /// `ds_swizzle_b32`, with the pattern of its code.
    Swizzle { result: u16, data: u16, pattern: u32 },
    /// `ds_append`, `ds_consume`: as many as there are active lanes.
    Append { result: u16, offset: u32, consumes: bool },
}

/// A load into scalar registers.
#[derive(Clone, Copy, Debug)]
pub struct ScalarLoad {
    pub result: u8,
    /// 32-bit registers.
    pub count: u8,
    /// 4, or fewer for one value that is extended.
    pub bytes: u8,
    pub signed: bool,
    pub base: u8,
    pub is_buffer: bool,
    pub register: Option<u8>,
    pub offset: i64,
}

/// Decodes an access of memory by the lanes; `word` is the first of its encoding. Fails for what the emulator does not
/// know.
pub fn parse(arch: &Arch, text: &Text<'_>, word: u32) -> Result<Code, Error> {
    let name = text.mnemonic;
    let is_fence = ["buffer_gl0_inv", "buffer_gl1_inv", "buffer_inv", "buffer_wbl2"]
        .contains(&name)
        || ["buffer_wbinvl1", "buffer_wbinvl1_vol", "global_inv", "global_wb", "global_wbinv"]
            .contains(&name)
        || name == "buffer_invl2";
    if is_fence {
        return Ok(Code::Fence);
    }
    let (space, rest) = name.split_once('_').unwrap_or((name, ""));
    // Caches are not emulated.
    for word in ["slc", "dlc", "nt", "sc1", "scc"] {
        text.has(word);
    }
    let temporal = text.value("th").unwrap_or_default();
    text.value("scope");
    let returns = match space {
        "ds" => rest.contains("_rtn") || matches!(rest, "storexchg_b32" | "storexchg_b64"),
        _ => [text.has("glc"), text.has("sc0"), temporal.contains("ATOMIC_RETURN")].contains(&true),
    };
    match space {
        "ds" => lds(arch, text, rest, word),
        _ => {
            let space = match space {
                "global" => Space::Global,
                "flat" => Space::Flat,
                "scratch" => Space::Scratch,
                _ => Space::Buffer,
            };
            outside(text, space, rest, returns)
        }
    }
}

fn outside(text: &Text<'_>, space: Space, rest: &str, returns: bool) -> Result<Code, Error> {
    let mut operands = text.operands.iter().copied();
    let mut next = || operands.next().ok_or("too few operands");
    let (verb, what) = rest.split_once('_').unwrap_or((rest, ""));
    // A load's result, or an atomic operation's, comes first; then the address; then data, which of buffers
    // comes first.
    let unknown = || "mnemonic".to_owned();
    let mut first = None;
    let is_load = verb == "load";
    if is_load || (verb == "atomic" && returns) || space == Space::Buffer {
        first = Some(next()?);
    }
    let address = next()?;
    let mut data = None;
    if !is_load && space != Space::Buffer {
        data = Some(next()?);
    }
    let mut place = Address {
        lane: None,
        wide: false,
        base: None,
        offset: text.number("offset")?,
        second: None,
        soffset: OperandSource::Constant(0),
        offen: text.has("offen"),
        idxen: text.has("idxen"),
    };
    if address != "off" {
        match registers(address) {
            Some(Registers::Vector { first, count: count @ (1 | 2) }) => {
                (place.lane, place.wide) = (Some(first), count == 2);
            }
            _ => return Err(format!("address `{address}`")),
        }
    }
    match space {
        Space::Global | Space::Scratch => {
            let base = next()?;
            let count = if space == Space::Global { 2 } else { 1 };
            if base != "off" {
                match registers(base) {
                    Some(Registers::Scalar { first, count: given }) if given == count => {
                        place.base = Some(first);
                    }
                    _ => return Err(format!("address `{base}`")),
                }
            }
        }
        Space::Buffer => {
            match registers(next()?) {
                Some(Registers::Scalar { first, count: 4 }) => place.base = Some(first),
                _ => return Err("a buffer's resource".to_owned()),
            }
            let Source { place: soffset, .. } = source(next()?, Kind::B32, false)?;
            place.soffset = soffset;
        }
        Space::Flat | Space::Lds => {}
    }
    if next().is_ok() {
        return Err("too many operands".to_owned());
    }
    let wide = space == Space::Global && place.lane.is_some() && place.base.is_none();
    if (wide || space == Space::Flat) && !place.wide {
        return Err("an address of 32 bits".to_owned());
    }
    let vector = |text: Option<&str>, words: u16| match text.and_then(registers) {
        Some(Registers::Vector { first, count }) if count == words => Ok(first),
        _ => Err(format!("data `{}`", text.unwrap_or_default())),
    };
    let words = |format: Format| u16::from(format.bytes).div_ceil(4);
    let action = match verb {
        "load" => {
            let format = Format::of_load(what).ok_or_else(unknown)?;
            Action::Load { result: vector(first, words(format))?, format }
        }
        "store" => {
            let format = Format::of_store(what).ok_or_else(unknown)?;
            let data = vector(data.or(first), words(format))?;
            Action::Store { data, second: data, format }
        }
        "atomic" => {
            let operation = Atomic::parse(what).ok_or_else(unknown)?;
            let words = 1 + u16::from(operation.wide);
            let given = words * (1 + u16::from(operation.what == What::CompareSwap));
            let (source, result) = match space {
                Space::Buffer => (first, first.filter(|_| returns)),
                _ => (data, first),
            };
            let data = vector(source, given)?;
            let result = match result {
                Some(_) if space == Space::Buffer => Some(data),
                Some(text) => Some(vector(Some(text), words)?),
                None => None,
            };
            Action::Atomic { operation, data, second: data + words, result }
        }
        _ => return Err(unknown()),
    };
    Ok(Code::Memory(Box::new(Memory { space, address: place, action })))
}

fn lds(arch: &Arch, text: &Text<'_>, rest: &str, word: u32) -> Result<Code, Error> {
    let vector = |index: usize, words: u16| match registers(text.operand(index)?) {
        Some(Registers::Vector { first, count }) if count == words => Ok(first),
        _ => Err(format!("operand `{}`", text.operand(index)?)),
    };
    let exchange = |exchange| Ok(Code::LdsExchange(Box::new(exchange)));
    let offset = || text.number("offset");
    match rest {
        "nop" => return Ok(Code::Nothing),
        "bpermute_b32" | "bpermute_fi_b32" => {
            let (result, address, data) = (vector(0, 1)?, vector(1, 1)?, vector(2, 1)?);
            let (offset, inactive) = (offset()? as u32, rest == "bpermute_fi_b32");
            return exchange(LdsExchange::Pull { result, address, data, offset, inactive });
        }
        "permute_b32" => {
            let (result, address, data) = (vector(0, 1)?, vector(1, 1)?, vector(2, 1)?);
            let offset = offset()? as u32;
            return exchange(LdsExchange::Push { result, address, data, offset });
        }
        "swizzle_b32" => {
            // The text spells the pattern out; the code has it as a number.
            text.value("offset");
            let (result, data) = (vector(0, 1)?, vector(1, 1)?);
            return exchange(LdsExchange::Swizzle { result, data, pattern: word & 0xffff });
        }
        "append" | "consume" => {
            let (result, offset) = (vector(0, 1)?, offset()? as u32);
            return exchange(LdsExchange::Append { result, offset, consumes: rest == "consume" });
        }
        _ => {}
    }
    let mut address = Address {
        lane: None,
        wide: false,
        base: None,
        offset: 0,
        second: None,
        soffset: OperandSource::Constant(0),
        offen: false,
        idxen: false,
    };
    // gfx9's names first.
    let renamed = rest
        .replace("read2st64_", "load_2addr_stride64_")
        .replace("write2st64_", "store_2addr_stride64_")
        .replace("read2_", "load_2addr_")
        .replace("write2_", "store_2addr_")
        .replace("read_", "load_")
        .replace("write_", "store_");
    let (verb, what) = renamed.split_once('_').unwrap_or((&renamed, ""));
    let unknown = || "mnemonic".to_owned();
    let (twice, stride, what) = match what.strip_prefix("2addr_") {
        None => (false, 0, what),
        Some(rest) => match rest.strip_prefix("stride64_") {
            None => (true, 1, rest),
            Some(rest) => (true, 64, rest),
        },
    };
    let action = match verb {
        "load" | "store" => {
            let is_load = verb == "load";
            let format = if is_load { Format::of_load(what) } else { Format::of_store(what) };
            let format = format.ok_or_else(unknown)?;
            let words = u16::from(format.bytes).div_ceil(4);
            if twice {
                let step = i64::from(format.bytes) * stride;
                address.offset = text.number("offset0")? * step;
                address.second = Some(text.number("offset1")? * step);
            } else {
                address.offset = offset()?;
            }
            if is_load {
                text.expect(2)?;
                address.lane = Some(vector(1, 1)?);
                Action::Load { result: vector(0, words * (1 + u16::from(twice)))?, format }
            } else {
                text.expect(2 + usize::from(twice))?;
                address.lane = Some(vector(0, 1)?);
                let data = vector(1, words)?;
                let second = if twice { vector(2, words)? } else { data };
                Action::Store { data, second, format }
            }
        }
        _ => {
            address.offset = offset()?;
            let returns = renamed.contains("_rtn_") || verb == "storexchg";
            let name = renamed.replace("_rtn_", "_");
            let mut operation = Atomic::parse(&name).ok_or_else(unknown)?;
            let two = match operation.what {
                What::CompareStore | What::CompareSwap => {
                    // The operands changed places when the name did.
                    let is_old = arch.generation <= Generation::Gfx10;
                    operation.what = if is_old { What::CompareStore } else { What::CompareSwap };
                    true
                }
                What::MaskOr => true,
                _ => false,
            };
            let words = 1 + u16::from(operation.wide);
            let mut index = 0;
            let mut take = |words| {
                index += 1;
                vector(index - 1, words)
            };
            let result = if returns { Some(take(words)?) } else { None };
            address.lane = Some(take(1)?);
            let data = take(words)?;
            let second = if two { take(words)? } else { data };
            text.expect(index)?;
            Action::Atomic { operation, data, second, result }
        }
    };
    Ok(Code::Memory(Box::new(Memory { space: Space::Lds, address, action })))
}

impl Format {
    fn of_load(name: &str) -> Option<Format> {
        let format = |bytes, signed, part| Some(Format { bytes, signed, part });
        match name {
            "u8" | "ubyte" => format(1, false, Part::Whole),
            "i8" | "sbyte" => format(1, true, Part::Whole),
            "u16" | "ushort" => format(2, false, Part::Whole),
            "i16" | "sshort" => format(2, true, Part::Whole),
            "d16_u8" | "ubyte_d16" | "u8_d16" => format(1, false, Part::Low),
            "d16_i8" | "sbyte_d16" | "i8_d16" => format(1, true, Part::Low),
            "d16_b16" | "short_d16" | "u16_d16" => format(2, false, Part::Low),
            "d16_hi_u8" | "ubyte_d16_hi" | "u8_d16_hi" => format(1, false, Part::High),
            "d16_hi_i8" | "sbyte_d16_hi" | "i8_d16_hi" => format(1, true, Part::High),
            "d16_hi_b16" | "short_d16_hi" | "u16_d16_hi" => format(2, false, Part::High),
            _ => Format::words(name),
        }
    }

    fn of_store(name: &str) -> Option<Format> {
        let format = |bytes, part| Some(Format { bytes, signed: false, part });
        match name {
            "b8" | "byte" => format(1, Part::Whole),
            "b16" | "short" => format(2, Part::Whole),
            "d16_hi_b8" | "byte_d16_hi" | "b8_d16_hi" => format(1, Part::High),
            "d16_hi_b16" | "short_d16_hi" | "b16_d16_hi" => format(2, Part::High),
            _ => Format::words(name),
        }
    }

    fn words(name: &str) -> Option<Format> {
        let bytes = match name {
            "b32" | "dword" => 4,
            "b64" | "dwordx2" => 8,
            "b96" | "dwordx3" => 12,
            "b128" | "dwordx4" => 16,
            _ => return None,
        };
        Some(Format { bytes, signed: false, part: Part::Whole })
    }
}

impl Atomic {
    /// `add_u32`, `smax_x2`, `cmpswap_b64`, `pk_add_f16`
    fn parse(name: &str) -> Option<Atomic> {
        let (name, wide) = match name.strip_suffix("_x2") {
            Some(name) => (name, true),
            None => (name, name.ends_with("64")),
        };
        use What::*;
        let what = match name {
            "add_f32" | "add_f64" => AddFloat,
            "min_f32" | "min_f64" | "min_num_f32" | "min_num_f64" | "fmin" => MinFloat,
            "max_f32" | "max_f64" | "max_num_f32" | "max_num_f64" | "fmax" => MaxFloat,
            "pk_add_f16" => AddHalves,
            "pk_add_bf16" => AddBf16s,
            "smin" | "min_i32" | "min_i64" => MinSigned,
            "umin" | "min_u32" | "min_u64" => MinUnsigned,
            "smax" | "max_i32" | "max_i64" => MaxSigned,
            "umax" | "max_u32" | "max_u64" => MaxUnsigned,
            "add" | "add_u32" | "add_u64" => Add,
            "sub" | "sub_u32" | "sub_u64" => Sub,
            "rsub_u32" | "rsub_u64" => SubReverse,
            "csub" | "csub_u32" | "sub_clamp_u32" => SubClamped,
            "cond_sub_u32" => SubConditional,
            "and" | "and_b32" | "and_b64" => And,
            "or" | "or_b32" | "or_b64" => Or,
            "xor" | "xor_b32" | "xor_b64" => Xor,
            "inc" | "inc_u32" | "inc_u64" => Increment,
            "dec" | "dec_u32" | "dec_u64" => Decrement,
            "swap" | "swap_b32" | "swap_b64" | "wrxchg_b32" | "wrxchg_b64" => Swap,
            "storexchg_b32" | "storexchg_b64" => Swap,
            "cmpswap" | "cmpswap_b32" | "cmpswap_b64" => CompareSwap,
            "cmpst_b32" | "cmpst_b64" | "cmpstore_b32" | "cmpstore_b64" => CompareStore,
            "mskor_b32" | "mskor_b64" => MaskOr,
            _ => return None,
        };
        Some(Atomic { what, wide })
    }
}

impl ScalarLoad {
    /// Decodes `s_load` or `s_buffer_load`. Fails for what the emulator does not know.
    pub fn parse(_arch: &Arch, text: &Text<'_>) -> Result<ScalarLoad, Error> {
        let (is_buffer, what) = match text.mnemonic.strip_prefix("s_buffer_load_") {
            Some(what) => (true, what),
            None => (false, text.mnemonic.strip_prefix("s_load_").unwrap_or_default()),
        };
        let (count, bytes, signed) = match what {
            "b32" | "dword" => (1, 4, false),
            "b64" | "dwordx2" => (2, 4, false),
            "b96" => (3, 4, false),
            "b128" | "dwordx4" => (4, 4, false),
            "b256" | "dwordx8" => (8, 4, false),
            "b512" | "dwordx16" => (16, 4, false),
            "u8" => (1, 1, false),
            "i8" => (1, 1, true),
            "u16" => (1, 2, false),
            "i16" => (1, 2, true),
            _ => return Err("mnemonic".to_owned()),
        };
        for word in ["glc", "dlc", "nv"] {
            text.has(word);
        }
        for name in ["th", "scope"] {
            text.value(name);
        }
        text.expect(3)?;
        let result = match registers(text.operand(0)?) {
            Some(Registers::Scalar { first, count: given }) if given == count => first,
            _ => return Err(format!("operand `{}`", text.operand(0)?)),
        };
        let base = if is_buffer {
            match registers(text.operand(1)?) {
                Some(Registers::Scalar { first, count: 4 }) => first,
                _ => return Err(format!("operand `{}`", text.operand(1)?)),
            }
        } else {
            scalar_result(text.operand(1)?, Kind::B64)?
        };
        let mut offset = text.number("offset")?;
        let mut register = None;
        let given = text.operand(2)?;
        match registers(given) {
            Some(Registers::Scalar { first, count: 1 }) => register = Some(first),
            Some(_) => return Err(format!("operand `{given}`")),
            None => {
                offset +=
                    super::text::integer(given).ok_or_else(|| format!("operand `{given}`"))?;
            }
        }
        Ok(ScalarLoad { result, count, bytes, signed, base, is_buffer, register, offset })
    }
}
