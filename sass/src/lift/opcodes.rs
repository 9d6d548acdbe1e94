//! Which function lifts which instruction.

use super::emit::unsupported;
use super::error::Reason;
use super::machine::{Lifted, Machine};
use super::operand::Operands;
use super::slow::{DIVISION, RECIPROCAL, ROOT};
use super::{
    arrive, barrier, bulk, convert, float, group, half, integer, matrix, memory, surface, texture,
    warp,
};
use crate::instruction::Instruction;

type Lifter = fn(&mut Machine, Operands) -> Lifted;

fn nothing(_: &mut Machine, _: Operands) -> Lifted {
    Ok(())
}

/// Modifiers that need not be known.
const ANY: &str = "*";

/// Opcodes by name, with the modifiers whose meaning is known; those of the uniform datapath have a `U` before and mean the same.
const OPCODES: &[(&str, Lifter, &str)] = &[
    ("IADD3", integer::iadd3, "64 X"),
    ("IMAD", integer::imad, "HI IADD MOV SHL U32 WIDE X"),
    ("LEA", integer::lea, "HI SX32 X"),
    ("IABS", integer::iabs, ""),
    ("IMNMX", integer::imnmx, "U32"),
    ("VIMNMX", integer::imnmx, "RELU S16x2 U16x2 U32"),
    ("VIMNMX3", integer::vimnmx3, "RELU S16x2 U16x2 U32"),
    ("VIADD", integer::viadd, "16x2"),
    ("VIADDMNMX", integer::viaddmnmx, "RELU S16x2 U16x2 U32"),
    ("SEL", integer::sel, ""),
    ("FSEL", integer::sel, ""),
    ("MOV", integer::mov, ""),
    ("SHF", integer::shf, "HI L R S32 S64 U32 U64 W"),
    ("LOP3", integer::lop3, "LUT PAND"),
    ("PLOP3", integer::plop3, "LUT"),
    ("ISETP", integer::isetp, "LT EQ LE GT NE GE T F AND OR XOR EX U32"),
    ("PRMT", integer::prmt, "IDX B4E ECL ECR F4E RC16 RC8"),
    ("POPC", integer::popc, ""),
    ("BREV", integer::popc, ""),
    ("FLO", integer::flo, "SH U32"),
    ("BMSK", integer::bmsk, "W"),
    ("SGXT", integer::sgxt, "U32 W"),
    ("VABSDIFF", integer::vabsdiff, "U32"),
    ("VABSDIFF4", integer::vabsdiff, "ACC U8"),
    ("IDP", integer::idp, "2A 4A HI LO S16 S8 U16 U8"),
    ("R2P", integer::r2p, ""),
    ("P2R", integer::p2r, "B0 B1 B2 B3"),
    ("I2I", integer::i2i, "S16 S32 S8 SAT U16 U8"),
    ("I2IP", integer::i2ip, "S16 S2 S32 S4 S8 SAT U16 U2 U4 U8"),
    ("FADD", float::arithmetic, "FTZ RM RP RZ SAT"),
    ("FMUL", float::arithmetic, "FTZ RM RP RZ SAT D8 D4 D2 M2 M4 M8"),
    ("FFMA", float::arithmetic, "FTZ RM RP RZ SAT"),
    ("FSETP", float::fsetp, "FTZ LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T F AND OR XOR"),
    (
        "FSET",
        float::fset,
        "FTZ BF LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T F AND OR XOR",
    ),
    ("FMNMX", float::fmnmx, "FTZ NAN XORSIGN"),
    ("FCHK", float::fchk, ""),
    (DIVISION, float::division, "FTZ"),
    (ROOT, float::root, "FTZ"),
    (RECIPROCAL, float::reciprocal, "FTZ"),
    ("MUFU", float::mufu, "BF16 COS EX2 F16 LG2 RCP RCP64H RSQ RSQ64H SIN SQRT TANH"),
    ("DADD", float::double_arithmetic, "RM RP RZ"),
    ("DMUL", float::double_arithmetic, "RM RP RZ"),
    ("DFMA", float::double_arithmetic, "RM RP RZ"),
    (
        "DSETP",
        float::dsetp,
        "MAX MIN LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T F AND OR XOR",
    ),
    ("HADD2", half::arithmetic, "F32 FTZ SAT BF16_V2"),
    ("HMUL2", half::arithmetic, "FTZ SAT BF16_V2"),
    ("HFMA2", half::arithmetic, "BF16_V2 FTZ MMA OOB RELU SAT"),
    ("HMNMX2", half::minmax, "BF16_V2 FTZ NAN XORSIGN"),
    (
        "HSETP2",
        half::hsetp2,
        "FTZ BF16_V2 H_AND LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T F AND OR XOR",
    ),
    (
        "HSET2",
        half::hset2,
        "BF FTZ BF16_V2 LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T F AND OR XOR",
    ),
    ("F2F", convert::f2f, "BF16 F16 F32 F64 FTZ RM RP RZ"),
    ("FRND", convert::f2f, "BF16 CEIL F16 F64 FLOOR FTZ TRUNC"),
    ("F2I", convert::f2i, "BF16 CEIL F16 F64 FLOOR FTZ NTZ S16 S64 S8 TRUNC U16 U32 U64 U8"),
    ("I2F", convert::i2f, "BF16 F16 F64 RM RP RZ S16 S64 S8 U16 U32 U64 U8"),
    ("I2FP", convert::i2f, "F32 RZ S32 U32"),
    ("F2IP", convert::f2ip, "F32 NTZ S8 TRUNC U8"),
    (
        "F2FP",
        convert::f2fp,
        "BF16 E4M3 E5M2 F16 F32 MERGE_C PACK_AB PACK_AB_MERGE_C PACK_B RELU RZ SATFINITE TF32 UNPACK_B UNPACK_B_MERGE_C",
    ),
    (
        "LD",
        memory::load,
        "E 64 128 U8 S8 U16 S16 STRONG CTA SM GPU SYS MMIO EF EL EU LU NA LTC64B LTC128B LTC256B",
    ),
    (
        "LDG",
        memory::load,
        "E 64 128 U8 S8 U16 S16 CONSTANT STRONG CTA SM GPU SYS MMIO EF EL EU LU NA LTC64B LTC128B LTC256B",
    ),
    ("LDS", memory::load, "U 64 128 U8 S8 U16 S16"),
    ("LDL", memory::load, "64 128 U8 S8 U16 S16 LU"),
    ("LDC", memory::load_constant, "64 U8 S8 U16 S16"),
    ("ST", memory::store, "E 64 128 U8 S8 U16 S16 STRONG CTA SM GPU SYS MMIO EF EL NA"),
    ("STG", memory::store, "E 64 128 U8 S8 U16 S16 STRONG CTA SM GPU SYS MMIO EF EL NA"),
    ("STS", memory::store, "64 128 U8 S8 U16 S16"),
    ("STL", memory::store, "64 128 U8 S8 U16 S16"),
    (
        "ATOM",
        memory::atomic,
        "E 64 128 ADD AND BF16x2 CAS CTA DEC EXCH F16x2 F32 F64 FTZ GPU INC MAX MIN OR RN S32 S64 SM STRONG SYS XOR",
    ),
    (
        "ATOMG",
        memory::atomic,
        "E 64 128 ADD AND BF16x2 BF16x4 BF16x8 CAS CTA DEC EXCH F16x2 F16x4 F16x8 F32 F32x2 F32x4 F64 FTZ GPU INC MAX MIN OR RN S32 S64 SM STRONG SYS XOR",
    ),
    (
        "ATOMS",
        memory::atomic,
        "32 64 128 ADD AND CAS CAST DEC EXCH INC MAX MIN OR POPC S32 SPIN XOR ARRIVE",
    ),
    (
        "RED",
        memory::reduction,
        "E 64 ADD AND CTA DEC F16x2 F32 F64 FTZ GPU INC MAX MIN OR RN S32 S64 SM STRONG SYS XOR",
    ),
    (
        "REDG",
        memory::reduction,
        "E 64 ADD AND BF16x2 BF16x4 BF16x8 CTA DEC F16x2 F16x4 F16x8 F32 F32x2 F32x4 F64 FTZ GPU INC MAX MIN OR RN S32 S64 SM STRONG SYS XOR",
    ),
    ("MEMBAR", memory::membar, "ALL CTA GPU SC SYS VC"),
    ("ARRIVES", arrive::copies, "64 LDGSTSBAR ARVCNT TRANSCNT"),
    (
        "SYNCS",
        barrier::syncs,
        "64 A0T1 A0TR A0TX A1T0 ARRIVE ART0 CCTL EXCH IV OPTOUT PHASECHK RED TMASK TRANS64 TRYWAIT",
    ),
    ("UBLKCP", bulk::copy, "G S"),
    ("UBLKRED", bulk::copy, "ADD AND BF16 DEC F16 F32 F64 G INC MAX MIN OR RN S S32 S64 U64 XOR"),
    ("UBLKPF", nothing, ANY),
    ("STAS", bulk::store, "64 128"),
    ("REDAS", bulk::reduce, "64 ADD AND DEC INC MAX MIN OR S32 XOR"),
    ("UTMALDG", bulk::tensor, "1D 2D 3D 4D 5D MULTICAST"),
    ("UTMASTG", bulk::tensor, "1D 2D 3D 4D 5D"),
    ("UTMAREDG", bulk::tensor, "1D 2D 3D 4D 5D ADD MIN MAX INC DEC AND OR XOR"),
    ("UTMACMDFLUSH", bulk::wait, ""),
    ("UTMACCTL", nothing, "IV PF"),
    ("UTMAPF", nothing, ANY),
    ("LDGSTS", memory::copy, "128 64 BYPASS CONSTANT E LTC128B LTC256B LTC64B ZFILL"),
    ("QSPC", memory::qspc, "D E G L S"),
    ("SHFL", warp::shfl, "BFLY DOWN IDX UP"),
    ("VOTE", warp::vote, "ALL ANY EQ"),
    ("MATCH", warp::match_, "ALL ANY U64"),
    ("REDUX", warp::redux, "MAX MIN OR S32 SUM XOR"),
    ("UCGABAR_ARV", warp::arrive_in_cluster, ""),
    ("UCGABAR_WAIT", warp::wait_in_cluster, ""),
    ("ACQBULK", warp::wait_for_grids, ""),
    ("PREEXIT", warp::let_grids_begin, ""),
    ("USETMAXREG", warp::set_most_registers, "CTAPOOL DEALLOC TRY_ALLOC"),
    // What a block no longer needs of shared memory others may have: it keeps it.
    ("USETSHMSZ", nothing, "FLUSH"),
    ("ELECT", warp::elect, ""),
    ("FENCE", nothing, "VIEW ASYNC S G"),
    ("WARPSYNC", warp::warpsync, "ALL COLLECTIVE EXCLUSIVE"),
    ("BAR", warp::bar, "AND OR DEFER_BLOCKING POPC RED SYNC ARV"),
    ("B2R", warp::b2r, "RESULT"),
    ("S2R", warp::special, ""),
    ("S2UR", warp::special, ""),
    ("CS2R", warp::special, "32"),
    ("R2UR", warp::r2ur, "OR"),
    ("LEPC", warp::lepc, ""),
    ("HMMA", matrix::mma, "16816 16832 1684 1688 BF16 F16 F32 SP TF32"),
    ("IMMA", matrix::mma, "168128 16816 16832 16864 8816 8832 S4 S8 SAT SP U4 U8"),
    ("QMMA", matrix::mma, "16816 16832 16864 E4M3 E5M2 F16 F32 SP"),
    ("BMMA", matrix::mma, "168128 168256 88128 AND POPC XOR"),
    ("DMMA", matrix::mma, "884 8x8x4 16x8x4 16x8x8 16x8x16 RM RP RZ"),
    ("HGMMA", group::mma, ANY),
    ("IGMMA", group::mma, ANY),
    ("QGMMA", group::mma, ANY),
    ("BGMMA", group::mma, ANY),
    ("WARPGROUP", group::order, "ARRIVE DEPBAR LE"),
    ("LDSM", matrix::ldsm, "16 2 4 M88 MT88"),
    ("STSM", matrix::stsm, "16 2 4 M88 MT88"),
    ("MOVM", matrix::movm, "16 MT88"),
    ("TEX", texture::sample, "SCR B F16 RN LL LZ AOFFI DC EF EL EU LU NA NODEP"),
    ("TLD", texture::fetch, "SCR B F16 RN LL LZ CL AOFFI EF EL EU LU NA NODEP"),
    ("TLD4", texture::gather, "SCR B R G A AOFFI DC EF EL EU LU NA NODEP"),
    ("TXD", texture::slopes, "B F16 RN AOFFI EF EL EU LU NA NODEP"),
    ("TXQ", texture::query, "B NODEP"),
    (
        "SULD",
        surface::load,
        "D BA 1D 1D_ARRAY 2D 2D_ARRAY 3D U8 S8 U16 S16 64 128 STRONG CTA SM GPU SYS CONSTANT IGN TRAP EF EL EU LU NA",
    ),
    (
        "SUST",
        surface::store,
        "D P BA 1D 1D_ARRAY 2D 2D_ARRAY 3D U8 S8 U16 S16 64 128 STRONG CTA SM GPU SYS IGN TRAP EF EL EU LU NA",
    ),
    (
        "SURED",
        surface::reduction,
        "D BA 1D 2D 3D ADD MIN MAX AND OR S32 U64 S64 SD32 SD64 STRONG CTA SM GPU SYS IGN TRAP EF EL EU LU NA",
    ),
    // What orders, hints and waits only: everything here happens in the order of the program.
    ("NOP", warp::nop, ""),
    ("YIELD", nothing, ANY),
    ("DEPBAR", nothing, ANY),
    ("LDGDEPBAR", nothing, ANY),
    ("ERRBAR", nothing, ANY),
    ("CGAERRBAR", nothing, ANY),
    ("ENDCOLLECTIVE", nothing, ANY),
    ("CCTL", nothing, ANY),
    ("CCTLL", nothing, ANY),
    ("NANOSLEEP", nothing, ANY),
    ("PMTRIG", nothing, ANY),
    ("BSSY", nothing, ANY),
    ("BREAK", nothing, ANY),
    ("BMOV", nothing, ANY),
];

/// Opcodes whose name with `U` before is not the same for the uniform datapath.
const UNIFORM: [(&str, &str); 3] = [("VOTEU", "VOTE"), ("UP2UR", "P2R"), ("UR2UP", "R2P")];

/// The function that lifts an instruction.
pub(super) fn lifter(i: &Instruction) -> Result<Lifter, Reason> {
    let find = |name: &str| OPCODES.iter().find(|(known, ..)| *known == name);
    let uniform = UNIFORM.iter().find(|(name, _)| *name == i.opcode).map(|(_, name)| *name);
    let found = find(i.opcode).or_else(|| find(uniform.or_else(|| i.opcode.strip_prefix('U'))?));
    let Some((_, lifter, modifiers)) = found else {
        return unsupported("an opcode that is not known");
    };
    let is_known =
        |modifier: &str| *modifiers == ANY || modifiers.split(' ').any(|known| known == modifier);
    match i.modifiers.iter().find(|modifier| !is_known(modifier)) {
        None => Ok(*lifter),
        Some(modifier) => unsupported(format!("modifier `{modifier}`")),
    }
}
