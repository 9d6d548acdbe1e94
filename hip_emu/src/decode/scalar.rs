//! Scalar instructions: arithmetic, branches, jumps, state of the wave, scalar loads.

use super::Code;
use super::memory::ScalarLoad;
use super::operand::{OperandSource, Registers, registers, registers_of, sgpr, source};
use super::text::{Error, Text, integer};
use crate::arch::Arch;
use crate::isa::{self, Kind, ScalarOperation};

/// An operation on scalar registers.
#[derive(Debug)]
pub struct Scalar {
    pub operation: &'static ScalarOperation,
    pub sources: [OperandSource; 3],
    pub result: u8,
}

/// `s_and_saveexec_b32`: EXEC goes to `result`, and is combined with `source`; or, for `wrexec`, the
/// combination goes to both.
#[derive(Debug)]
pub struct SaveExec {
    pub combine: fn(source: u64, exec: u64) -> u64,
    pub source: OperandSource,
    pub result: u8,
    pub wide: bool,
    pub writes_new: bool,
}

/// A jump within the code, in words from the next instruction.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    pub condition: Condition,
    pub distance: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    Always,
    Scc(bool),
    VccZero(bool),
    ExecZero(bool),
}

/// The address of code in registers.
#[derive(Clone, Copy, Debug)]
pub enum Jump {
    /// Stores the address of the next instruction.
    Get(u8),
    Set(u8),
    /// Stores the address of the next instruction, and goes to that in the second register.
    Swap(u8, u8),
    /// Stores the address of the next instruction, and goes this many words from there.
    Call(u8, i32),
}

/// The state of a wave.
#[derive(Clone, Copy, Debug)]
pub enum Status {
    /// Reads bits `offset..offset + size` of a hardware register.
    Get {
        result: u8,
        register: Hardware,
        offset: u32,
        size: u32,
    },
    Set {
        source: OperandSource,
        register: Hardware,
        offset: u32,
        size: u32,
    },
    Round(u32),
    Denormals(u32),
    /// `s_movrels`, `s_movreld`: a scalar register whose number M0 adds to.
    MoveRelative {
        result: u8,
        source: OperandSource,
        wide: bool,
        moves_source: bool,
    },
    /// `s_set_gpr_idx_on`: vector registers are indexed by this from now on.
    IndexOn(OperandSource, u32),
    IndexOff,
    IndexSet(OperandSource),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hardware {
    Mode,
    /// Reads as what a wave of a healthy process sees; writes do nothing.
    Constant(u32),
    Cycles,
    CyclesHigh,
    /// The number of the multiprocessor and of the wave there.
    Id,
    FlatScratchLow,
    FlatScratchHigh,
}

/// Clocks that count into two registers, or one.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub result: u8,
    pub wide: bool,
    /// 100 MHz, always; else what a core counts.
    pub real: bool,
}

/// Decodes an instruction of the scalar unit. Fails for what the emulator does not know.
pub fn parse(arch: &Arch, text: &Text<'_>) -> Result<Code, Error> {
    let name = text.mnemonic;
    if let Some(operation) = isa::scalar(name) {
        return arithmetic(text, operation);
    }
    let condition = match name {
        "s_branch" => Some(Condition::Always),
        "s_cbranch_scc0" => Some(Condition::Scc(false)),
        "s_cbranch_scc1" => Some(Condition::Scc(true)),
        "s_cbranch_vccz" => Some(Condition::VccZero(true)),
        "s_cbranch_vccnz" => Some(Condition::VccZero(false)),
        "s_cbranch_execz" => Some(Condition::ExecZero(true)),
        "s_cbranch_execnz" => Some(Condition::ExecZero(false)),
        _ => None,
    };
    if let Some(condition) = condition {
        text.expect(1)?;
        let distance = signed_word(text.operand(0)?)?;
        return Ok(Code::Branch(Branch { condition, distance }));
    }
    if let Some((combine, wide, writes_new)) = save_exec(name) {
        text.expect(2)?;
        let kind = if wide { Kind::B64 } else { Kind::B32 };
        let result = scalar_result(text.operand(0)?, kind)?;
        let source = source(text.operand(1)?, kind, false)?.place;
        if matches!(source, OperandSource::Vector(_)) {
            return Err("a source that is a vector register".to_owned());
        }
        return Ok(Code::SaveExec(Box::new(SaveExec {
            combine,
            source,
            result,
            wide,
            writes_new,
        })));
    }
    let wide = |index| scalar_result(text.operand(index)?, Kind::B64);
    let jump = |jump| Ok(Code::Jump(Box::new(jump)));
    match name {
        "s_endpgm" | "s_endpgm_saved" => Ok(Code::End),
        "s_barrier" => Ok(Code::Barrier),
        "s_barrier_signal" if text.operand(0)? == "-1" => Ok(Code::BarrierSignal),
        "s_barrier_wait" if matches!(text.operand(0)?, "-1" | "0xffff") => Ok(Code::BarrierWait),
        "s_trap" => Ok(Code::Trap(integer(text.operand(0)?).unwrap_or(0) as u32)),
        "s_getpc_b64" => jump(Jump::Get(wide(0)?)),
        "s_setpc_b64" => jump(Jump::Set(wide(0)?)),
        "s_swappc_b64" => jump(Jump::Swap(wide(0)?, wide(1)?)),
        "s_call_b64" => jump(Jump::Call(wide(0)?, signed_word(text.operand(1)?)?)),
        "s_memtime" => Ok(Code::Clock(Clock { result: wide(0)?, wide: true, real: false })),
        "s_memrealtime" => Ok(Code::Clock(Clock { result: wide(0)?, wide: true, real: true })),
        "s_sendmsg_rtn_b64" if text.operand(1)? == "sendmsg(MSG_RTN_GET_REALTIME)" => {
            Ok(Code::Clock(Clock { result: wide(0)?, wide: true, real: true }))
        }
        "s_sendmsg" if text.operand(0)? == "sendmsg(MSG_DEALLOC_VGPRS)" => Ok(Code::Nothing),
        "s_sleep" | "s_sleep_var" => Ok(Code::Yield),
        "s_waitcnt"
        | "s_waitcnt_vscnt"
        | "s_waitcnt_vmcnt"
        | "s_waitcnt_expcnt"
        | "s_waitcnt_lgkmcnt"
        | "s_waitcnt_depctr"
        | "s_wait_loadcnt"
        | "s_wait_storecnt"
        | "s_wait_samplecnt"
        | "s_wait_bvhcnt"
        | "s_wait_expcnt"
        | "s_wait_dscnt"
        | "s_wait_kmcnt"
        | "s_wait_loadcnt_dscnt"
        | "s_wait_storecnt_dscnt"
        | "s_wait_alu"
        | "s_wait_idle"
        | "s_wait_event"
        | "s_delay_alu"
        | "s_clause"
        | "s_nop"
        | "s_setprio"
        | "s_inst_prefetch"
        | "s_set_inst_prefetch_distance"
        | "s_icache_inv"
        | "s_wakeup"
        | "s_version"
        | "s_singleuse_vdst"
        | "s_ttracedata"
        | "s_ttracedata_imm"
        | "s_dcache_wb"
        | "s_dcache_wb_vol"
        | "s_prefetch_inst"
        | "s_prefetch_inst_pc_rel"
        | "s_prefetch_data"
        | "s_prefetch_data_pc_rel"
        | "s_incperflevel"
        | "s_decperflevel" => Ok(Code::Nothing),
        "s_dcache_inv" | "s_dcache_inv_vol" | "s_gl1_inv" => Ok(Code::Fence),
        _ if name.starts_with("s_load_") || name.starts_with("s_buffer_load_") => {
            ScalarLoad::parse(arch, text).map(|load| Code::ScalarLoad(Box::new(load)))
        }
        _ => status(arch, text).map(|status| Code::Status(Box::new(status))),
    }
}

fn arithmetic(text: &Text<'_>, operation: &'static ScalarOperation) -> Result<Code, Error> {
    let mut operands = text.operands.iter().copied();
    let mut next = || operands.next().ok_or("too few operands");
    let mut result = sgpr::NULL;
    if operation.result != Kind::None {
        result = scalar_result(next()?, operation.result)?;
    }
    let given = operation.sources.len() - usize::from(operation.reads_destination);
    let signed = text.mnemonic.contains("_i64");
    let mut sources = [OperandSource::Constant(0); 3];
    for (place, kind) in operation.sources[..given].iter().enumerate() {
        let name = next()?;
        let source = source(name, *kind, signed)?;
        let is_vector = matches!(source.place, OperandSource::Vector(_));
        if is_vector || source.negated || source.absolute || source.half.is_some() {
            return Err(format!("operand `{name}`"));
        }
        sources[place] = source.place;
    }
    if operation.reads_destination {
        sources[given] = OperandSource::Scalar(result);
    }
    if next().is_ok() {
        return Err("too many operands".to_owned());
    }
    Ok(Code::Scalar(Box::new(Scalar { operation, sources, result })))
}

/// The scalar register that takes a result of this kind.
pub fn scalar_result(text: &str, kind: Kind) -> Result<u8, Error> {
    match registers(text) {
        Some(Registers::Scalar { first: sgpr::NULL, .. }) => Ok(sgpr::NULL),
        Some(Registers::Scalar { first, count }) if u16::from(count) == registers_of(kind) => {
            Ok(first)
        }
        _ => Err(format!("operand `{text}`")),
    }
}

/// A distance of 16 bits, which the text may show without its sign.
fn signed_word(text: &str) -> Result<i32, Error> {
    let value = integer(text).ok_or_else(|| format!("distance `{text}`"))?;
    Ok(i32::from(value as i16))
}

type Combination = (fn(u64, u64) -> u64, bool, bool);

fn save_exec(name: &str) -> Option<Combination> {
    let (name, wide) = match (name.strip_suffix("_b64"), name.strip_suffix("_b32")) {
        (Some(name), _) => (name, true),
        (_, Some(name)) => (name, false),
        _ => return None,
    };
    let (name, writes_new) = match (name.strip_suffix("_saveexec"), name.strip_suffix("_wrexec")) {
        (Some(name), _) => (name, false),
        (_, Some(name)) => (name, true),
        _ => return None,
    };
    let combine: fn(u64, u64) -> u64 = match name {
        "s_and" => |source, exec| source & exec,
        "s_or" => |source, exec| source | exec,
        "s_xor" => |source, exec| source ^ exec,
        "s_nand" => |source, exec| !(source & exec),
        "s_nor" => |source, exec| !(source | exec),
        "s_xnor" => |source, exec| !(source ^ exec),
        "s_andn1" | "s_and_not0" => |source, exec| !source & exec,
        "s_orn1" | "s_or_not0" => |source, exec| !source | exec,
        "s_andn2" | "s_and_not1" => |source, exec| source & !exec,
        "s_orn2" | "s_or_not1" => |source, exec| source | !exec,
        _ => return None,
    };
    Some((combine, wide, writes_new))
}

fn status(arch: &Arch, text: &Text<'_>) -> Result<Status, Error> {
    let number = |index| -> Result<u32, Error> {
        let text = text.operand(index)?;
        integer(text).map(|value| value as u32).ok_or_else(|| format!("operand `{text}`"))
    };
    let place = |index| Ok::<_, Error>(source(text.operand(index)?, Kind::B32, false)?.place);
    Ok(match text.mnemonic {
        "s_getreg_b32" => {
            let (register, offset, size) = hardware(arch, text.operand(1)?)?;
            let result = scalar_result(text.operand(0)?, Kind::B32)?;
            Status::Get { result, register, offset, size }
        }
        "s_setreg_b32" | "s_setreg_imm32_b32" => {
            let (register, offset, size) = hardware(arch, text.operand(0)?)?;
            Status::Set { source: place(1)?, register, offset, size }
        }
        "s_round_mode" => Status::Round(number(0)?),
        "s_denorm_mode" => Status::Denormals(number(0)?),
        "s_set_gpr_idx_on" => Status::IndexOn(place(0)?, index_uses(text.operand(1)?)?),
        "s_set_gpr_idx_off" => Status::IndexOff,
        "s_set_gpr_idx_idx" => Status::IndexSet(place(0)?),
        "s_movrels_b32" | "s_movrels_b64" | "s_movreld_b32" | "s_movreld_b64" => {
            let wide = text.mnemonic.ends_with("b64");
            let kind = if wide { Kind::B64 } else { Kind::B32 };
            let result = scalar_result(text.operand(0)?, kind)?;
            let source = source(text.operand(1)?, kind, false)?.place;
            let moves_source = text.mnemonic.starts_with("s_movrels");
            Status::MoveRelative { result, source, wide, moves_source }
        }
        _ => return Err("mnemonic".to_owned()),
    })
}

/// `gpr_idx(SRC0,DST)`: which operands are indexed, a bit each for three sources and the destination.
fn index_uses(text: &str) -> Result<u32, Error> {
    let inner = text.strip_prefix("gpr_idx(").and_then(|rest| rest.strip_suffix(')'));
    let Some(inner) = inner else {
        return integer(text).map(|bits| bits as u32).ok_or_else(|| format!("operand `{text}`"));
    };
    inner.split(',').map(str::trim).filter(|word| !word.is_empty()).try_fold(0, |bits, word| {
        let bit = ["SRC0", "SRC1", "SRC2", "DST"].iter().position(|name| *name == word);
        bit.map(|bit| bits | 1 << bit).ok_or_else(|| format!("operand `{text}`"))
    })
}

/// `hwreg(HW_REG_MODE, 0, 4)`: the register, the first bit, and how many.
fn hardware(arch: &Arch, text: &str) -> Result<(Hardware, u32, u32), Error> {
    let unknown = || format!("hardware register `{text}`");
    let inner = text.strip_prefix("hwreg(").and_then(|rest| rest.strip_suffix(')'));
    let mut parts = inner.ok_or_else(unknown)?.split(',').map(str::trim);
    let register = match parts.next().unwrap_or_default() {
        "HW_REG_MODE" | "HW_REG_WAVE_MODE" => Hardware::Mode,
        "HW_REG_SHADER_CYCLES" | "HW_REG_SHADER_CYCLES_LO" => Hardware::Cycles,
        "HW_REG_SHADER_CYCLES_HI" => Hardware::CyclesHigh,
        "HW_REG_HW_ID" | "HW_REG_HW_ID1" | "HW_REG_HW_ID2" | "HW_REG_WAVE_HW_ID1"
        | "HW_REG_WAVE_HW_ID2" => Hardware::Id,
        "HW_REG_XCC_ID" | "HW_REG_TRAPSTS" | "HW_REG_WAVE_SCHED_MODE" | "HW_REG_SCHED_MODE" => {
            Hardware::Constant(0)
        }
        "HW_REG_FLAT_SCR_LO" | "HW_REG_FLAT_SCRATCH_LO" => Hardware::FlatScratchLow,
        "HW_REG_FLAT_SCR_HI" | "HW_REG_FLAT_SCRATCH_HI" => Hardware::FlatScratchHigh,
        _ => return Err(format!("{} on {}", unknown(), arch.name)),
    };
    let mut number = |missing| match parts.next() {
        None => Ok(missing),
        Some(text) => text.parse().map_err(|_| unknown()),
    };
    let (offset, size) = (number(0)?, number(32)?);
    if offset > 31 || size == 0 || offset + size > 32 {
        return Err(unknown());
    }
    Ok((register, offset, size))
}
