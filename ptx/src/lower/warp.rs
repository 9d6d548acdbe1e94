//! Exchange between the threads of a warp.

use llvm_zluda::{RealPredicate, Value};
use ptx_parser::isa::{Activemask, BarWarpSync, ElectSync, MatchSync, ReduxSync, Shfl, Vote};
use ptx_parser::{AtomicOp, MatchMode, Operand, ScalarType, ShuffleMode, VoteMode};

use super::Lowered;
use super::function::{FunctionLowering, word};

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    /// The mask of members; forms without `.sync` mean the threads that run together now.
    fn members(&mut self, membermask: Option<&Operand<'a>>) -> Lowered<Value<'c>> {
        match membermask {
            Some(mask) => self.read_u32(mask),
            None => Ok(self.active_mask()),
        }
    }

    fn active_mask(&self) -> Value<'c> {
        // The place in the text tells instructions apart, also where LLVM makes copies of them.
        self.zluda("activemask", &[self.i32(self.span.start)])
    }

    pub fn shfl(&mut self, i: &Shfl<'a>) -> Lowered {
        let a = self.read(&i.a, ScalarType::B32)?;
        let b = self.read_u32(&i.b)?;
        let c = self.read_u32(&i.c)?;
        let members = self.members(i.membermask.as_ref())?;
        let name = match i.mode {
            ShuffleMode::Up => "shfl.up",
            ShuffleMode::Down => "shfl.down",
            ShuffleMode::Bfly => "shfl.bfly",
            ShuffleMode::Idx => "shfl.idx",
        };
        let both = self.zluda(name, &[a, b, c, members]);
        let value = self.builder.extract_value(both, 0);
        self.write(&i.d, value)?;
        match &i.p {
            Some(p) => {
                let inside = self.builder.extract_value(both, 1);
                self.write(p, inside)
            }
            None => Ok(()),
        }
    }

    pub fn vote(&mut self, i: &Vote<'a>) -> Lowered {
        let a = self.read(&i.a, ScalarType::Pred)?;
        let members = self.members(i.membermask.as_ref())?;
        let name = match i.mode {
            VoteMode::All => "vote.all",
            VoteMode::Any => "vote.any",
            VoteMode::Uni => "vote.uni",
            VoteMode::Ballot => "vote.ballot",
        };
        let value = self.zluda(name, &[a, members]);
        self.write(&i.d, value)
    }

    pub fn match_sync(&mut self, i: &MatchSync<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        let members = self.read_u32(&i.membermask)?;
        let width = word(i.type_);
        match i.mode {
            MatchMode::Any => {
                let name = format!("match.any.{width}");
                let mask = self.zluda(&name, &[a, members]);
                self.write(&i.d, mask)
            }
            MatchMode::All => {
                let name = format!("match.all.{width}");
                let both = self.zluda(&name, &[a, members]);
                self.write(&i.d, self.builder.extract_value(both, 0))?;
                match &i.p {
                    Some(p) => self.write(p, self.builder.extract_value(both, 1)),
                    None => Ok(()),
                }
            }
        }
    }

    pub fn redux_sync(&mut self, i: &ReduxSync<'a>) -> Lowered {
        let name = match (i.op, i.type_.is_signed()) {
            _ if i.type_ == ScalarType::F32 => return self.redux_float(i),
            (AtomicOp::Add, _) => "redux.add",
            (AtomicOp::And, _) => "redux.and",
            (AtomicOp::Or, _) => "redux.or",
            (AtomicOp::Xor, _) => "redux.xor",
            (AtomicOp::Min, true) => "redux.min.s",
            (AtomicOp::Max, true) => "redux.max.s",
            (AtomicOp::Min, false) => "redux.min.u",
            (AtomicOp::Max, false) => "redux.max.u",
            (other, _) => return Err(self.invalid(format!("`.{}` is no reduction", word(other)))),
        };
        let a = self.read(&i.src, i.type_)?;
        let members = self.read_u32(&i.membermask)?;
        let value = self.zluda(name, &[a, members]);
        self.write(&i.dst, value)
    }

    /// Floats as integers that have their order. NaN is the last choice, or the first one with `.NaN`.
    fn redux_float(&mut self, i: &ReduxSync<'a>) -> Lowered {
        let max = i.op == AtomicOp::Max;
        let a = self.read(&i.src, i.type_)?;
        let members = self.read_u32(&i.membermask)?;
        let value = if i.abs { self.llvm("llvm.fabs", a.ty(), &[a]) } else { a };
        let ordered = |bits: Value<'c>| {
            let negative = self.builder.ashr(bits, self.i32(31));
            self.builder.xor(bits, self.builder.and(negative, self.i32(0x7fff_ffff)))
        };
        let nan = self.builder.fcmp(RealPredicate::LLVMRealUNO, a, a);
        let extreme = self.i32(if i.nan == max { 0x7fff_ffff } else { 0x8000_0000 });
        let key = self.builder.select(nan, extreme, ordered(self.bits_of(value)));
        let name = if max { "redux.max.s" } else { "redux.min.s" };
        let found = self.zluda(name, &[key, members]);
        let result = self.builder.bitcast(ordered(found), a.ty());
        self.write(&i.dst, self.canonical(result, i.type_))
    }

    pub fn activemask(&mut self, i: &Activemask<'a>) -> Lowered {
        let mask = self.active_mask();
        self.write(&i.d, mask)
    }

    pub fn elect_sync(&mut self, i: &ElectSync<'a>) -> Lowered {
        let members = self.read_u32(&i.membermask)?;
        let both = self.zluda("elect", &[members]);
        self.write(&i.d, self.builder.extract_value(both, 0))?;
        self.write(&i.p, self.builder.extract_value(both, 1))
    }

    pub fn bar_warp_sync(&mut self, i: &BarWarpSync<'a>) -> Lowered {
        let members = self.read_u32(&i.membermask)?;
        self.zluda("bar.warp.sync", &[members]);
        Ok(())
    }
}
