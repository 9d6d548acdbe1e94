//! The meaning of instructions, on plain values.
//!
//! An operation is known by its mnemonic as LLVM prints it, without the suffix of its encoding (`_e32`, `_e64`,
//! `_dpp`, `_sdwa`). The machine reads its sources, applies their modifiers (`neg`, `abs`, `op_sel`, `sext`),
//! calls it for each active lane, and applies `omod` and `clamp` to the result. All values are bits in the low
//! end of a `u64`; what lies above a kind's width is zero, in and out.
//!
//! Where a result is of integers, `clamp` means an operation of its own: [`saturating`]. On GFX942 the formats of
//! eight bits differ from those of later targets: the machine asks for their conversions with `_fnuz` after the
//! mnemonic.
//!
//! Start reading in `table`, whose macros are the tables' grammar, and `lookup`, which lists the tables.

mod compare;
mod convert_table;
mod divide;
mod float;
mod float_table;
mod integer;
mod lookup;
pub mod matrix;
mod packed;
mod scalar;
mod scalar_float;
mod small_float;
mod special;
mod table;
#[cfg(test)]
mod testing;
mod value;

pub use lookup::{saturating, scalar, vector};

/// The width of a value, and its type, by which modifiers and inline constants have their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No value.
    None,
    B16,
    B32,
    B64,
    F16,
    Bf16,
    F32,
    F64,
    /// Two integers of 16 bits.
    P16,
    /// Two halves.
    PF16,
    /// Two `bf16`.
    PBf16,
    /// Two floats, in two registers.
    PF32,
    /// Two integers of 32 bits, in two registers.
    P32,
}

impl Kind {
    /// Whether output modifiers may multiply results.
    pub fn may_be_multiplied(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }
}

/// The rounding of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Round {
    #[default]
    NearestEven,
    Up,
    Down,
    Zero,
}

/// The MODE register of a wave, as far as results depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    pub round_f32: Round,
    /// Of `f64` and `f16`.
    pub round_f64: Round,
    /// Subnormal `f32` operands count as zeros.
    pub flush_in_f32: bool,
    /// Subnormal `f32` results become zeros.
    pub flush_out_f32: bool,
    /// The same of `f64` and `f16`.
    pub flush_in_f64: bool,
    pub flush_out_f64: bool,
    /// Clamping makes NaN zero.
    pub dx10_clamp: bool,
    /// Signalling NaNs are made quiet; minimum and maximum as in IEEE 754-2008. Not on GFX12.
    pub ieee: bool,
}

/// An operation of one lane.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    pub name: &'static str,
    pub sources: &'static [Kind],
    pub result: Kind,
    /// The destination is the last source: `v_fmac_f32`, `v_dot2c_f32_f16`.
    pub reads_destination: bool,
    pub action: Action,
}

/// The function of an operation, for one lane.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    Value(fn(&Mode, [u64; 3]) -> u64),
    /// `v_cmp`, `v_cmpx`, `v_cmp_class`: the lane's bit of a mask.
    Test(fn(&Mode, [u64; 3]) -> bool),
    /// Reads the lane's bit of a mask, VCC or a third source: `v_cndmask_b32`, `v_div_fmas_f32`.
    WithFlag(fn(&Mode, [u64; 3], bool) -> u64),
    /// Writes the lane's bit of a mask too: `v_add_co_u32`, `v_div_scale_f32`, `v_mad_u64_u32`.
    AndFlag(fn(&Mode, [u64; 3]) -> (u64, bool)),
    /// Reads one and writes one: `v_add_co_ci_u32`, `v_addc_co_u32`.
    WithAndFlag(fn(&Mode, [u64; 3], bool) -> (u64, bool)),
    /// Takes a number that is no register.
    WithNumber(Number, fn(&Mode, [u64; 3], u32) -> u64),
}

/// The number that an operation takes beside its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// The lane's number in its wave: `v_mbcnt_lo_u32_b32`.
    Lane,
    /// The bits of `neg_lo`, which say here that a source is signed: `v_dot4_i32_iu8`.
    Signs,
    /// The truth table of `bitop3`.
    Table,
    /// `byte_sel`; 0 where SDWA picks the byte.
    Byte,
    /// `op_sel` in bits 0 to 2, `op_sel_hi` in 3 to 5, `neg` (or `neg_lo`) in 6 to 8 and `abs` (or `neg_hi`) in
    /// 9 to 11: `v_fma_mix_f32`, whose sources come as they are in their registers.
    Mix,
}

/// An operation of a wave's scalar unit that touches nothing but its operands and SCC.
#[derive(Clone, Copy, Debug)]
pub struct ScalarOperation {
    pub name: &'static str,
    /// `B32` or `B64`; floats of the scalar unit are `F32` and `F16`.
    pub sources: &'static [Kind],
    /// [`Kind::None`] of comparisons.
    pub result: Kind,
    /// The destination is the last source: `s_fmac_f32`, `s_cmov_b32`, `s_bitset0_b32`.
    pub reads_destination: bool,
    /// From mode, sources and SCC: the result, and SCC afterwards.
    pub run: fn(&Mode, [u64; 3], bool) -> (u64, bool),
}
