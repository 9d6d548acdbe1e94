//! Which function lifts which instruction.

use super::machine::{Lifted, Machine};
use super::operand::Operands;
use super::{convert, float, half, integer, matrix, memory, warp};

type Lifter = fn(&mut Machine, Operands) -> Lifted;

fn nothing(_: &mut Machine, _: Operands) -> Lifted {
    Ok(())
}

/// Opcodes by name; those of the uniform datapath have a `U` before and mean the same.
const OPCODES: &[(&str, Lifter)] = &[
    ("IADD3", integer::iadd3),
    ("IMAD", integer::imad),
    ("LEA", integer::lea),
    ("IABS", integer::iabs),
    ("IMNMX", integer::imnmx),
    ("SEL", integer::sel),
    ("FSEL", integer::sel),
    ("MOV", integer::mov),
    ("SHF", integer::shf),
    ("LOP3", integer::lop3),
    ("PLOP3", integer::plop3),
    ("ISETP", integer::isetp),
    ("PRMT", integer::prmt),
    ("POPC", integer::popc),
    ("BREV", integer::popc),
    ("FLO", integer::flo),
    ("BMSK", integer::bmsk),
    ("SGXT", integer::sgxt),
    ("VABSDIFF", integer::vabsdiff),
    ("VABSDIFF4", integer::vabsdiff),
    ("IDP", integer::idp),
    ("R2P", integer::r2p),
    ("P2R", integer::p2r),
    ("I2I", integer::i2i),
    ("I2IP", integer::i2ip),
    ("FADD", float::arithmetic),
    ("FMUL", float::arithmetic),
    ("FFMA", float::arithmetic),
    ("FSETP", float::fsetp),
    ("FSET", float::fset),
    ("FMNMX", float::fmnmx),
    ("FCHK", float::fchk),
    ("MUFU", float::mufu),
    ("DADD", float::double_arithmetic),
    ("DMUL", float::double_arithmetic),
    ("DFMA", float::double_arithmetic),
    ("DSETP", float::dsetp),
    ("HADD2", half::arithmetic),
    ("HMUL2", half::arithmetic),
    ("HFMA2", half::arithmetic),
    ("HMNMX2", half::minmax),
    ("HSETP2", half::hsetp2),
    ("HSET2", half::hset2),
    ("F2F", convert::f2f),
    ("FRND", convert::f2f),
    ("F2I", convert::f2i),
    ("I2F", convert::i2f),
    ("F2FP", convert::f2fp),
    ("LD", memory::load),
    ("LDG", memory::load),
    ("LDS", memory::load),
    ("LDL", memory::load),
    ("LDC", memory::load_constant),
    ("ST", memory::store),
    ("STG", memory::store),
    ("STS", memory::store),
    ("STL", memory::store),
    ("ATOM", memory::atomic),
    ("ATOMG", memory::atomic),
    ("ATOMS", memory::atomic),
    ("RED", memory::reduction),
    ("MEMBAR", memory::membar),
    ("LDGSTS", memory::copy),
    ("QSPC", memory::qspc),
    ("SHFL", warp::shfl),
    ("VOTE", warp::vote),
    ("MATCH", warp::match_),
    ("REDUX", warp::redux),
    ("WARPSYNC", warp::warpsync),
    ("BAR", warp::bar),
    ("B2R", warp::b2r),
    ("S2R", warp::special),
    ("S2UR", warp::special),
    ("CS2R", warp::special),
    ("R2UR", warp::r2ur),
    ("LEPC", warp::lepc),
    ("HMMA", matrix::mma),
    ("IMMA", matrix::mma),
    ("BMMA", matrix::mma),
    ("DMMA", matrix::mma),
    ("LDSM", matrix::ldsm),
    ("MOVM", matrix::movm),
    // What orders, hints and waits only: everything here happens in the order of the program.
    ("NOP", nothing),
    ("YIELD", nothing),
    ("DEPBAR", nothing),
    ("LDGDEPBAR", nothing),
    ("ERRBAR", nothing),
    ("CCTL", nothing),
    ("CCTLL", nothing),
    ("NANOSLEEP", nothing),
    ("PMTRIG", nothing),
    ("BSSY", nothing),
    ("BREAK", nothing),
];

/// Opcodes whose name with `U` before is not the same for the uniform datapath.
const UNIFORM: [(&str, &str); 2] = [("VOTEU", "VOTE"), ("UMOV", "MOV")];

pub(super) fn lifter(opcode: &str) -> Option<Lifter> {
    let find = |name: &str| OPCODES.iter().find(|(known, _)| *known == name).map(|(_, lifter)| *lifter);
    let uniform = UNIFORM.iter().find(|(name, _)| *name == opcode).map(|(_, name)| *name);
    find(opcode).or_else(|| find(uniform.or_else(|| opcode.strip_prefix('U'))?))
}
