//! Clusters of blocks: their barrier, and the shared memory of other blocks.

use llvm_zluda::Value;
use ptx_parser::ClusterBarrierOp;
use ptx_parser::isa::{
    BarrierCluster, ClusterlaunchcontrolQueryCancel, ClusterlaunchcontrolTryCancel, Getctarank,
    Mapa,
};
use ptx_parser::{Operand, ScalarType, StateSpace};
use simt::space;

use super::Lowered;
use super::function::FunctionLowering;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn barrier_cluster(&mut self, i: &BarrierCluster) -> Lowered {
        let name = match i.op {
            ClusterBarrierOp::Arrive => "cluster.arrive",
            ClusterBarrierOp::Wait => "cluster.wait",
        };
        self.zluda(name, &[]);
        Ok(())
    }

    pub fn mapa(&mut self, i: &Mapa<'a>) -> Lowered {
        let address = self.read(&i.a, i.type_)?;
        let address = self.shared_address(address, i.space);
        let rank = self.read_u32(&i.b)?;
        let there = self.zluda("mapa", &[address, rank]);
        let there = match i.space {
            Some(_) => there,
            None => self.cast_address(there, space::SHARED, space::GENERIC),
        };
        let there = self.builder.trunc(there, self.ty(i.type_));
        self.write(&i.d, there)
    }

    pub fn getctarank(&mut self, i: &Getctarank<'a>) -> Lowered {
        let address = self.read(&i.a, i.type_)?;
        let address = self.shared_address(address, i.space);
        let rank = self.zluda("getctarank", &[address]);
        self.write(&i.d, rank)
    }

    /// An address in shared memory as `i64`, of one that is generic unless the instruction has a state space.
    fn shared_address(&self, address: Value<'c>, space: Option<StateSpace>) -> Value<'c> {
        let wide = self.builder.zext(address, self.context.i64());
        match space {
            Some(_) => wide,
            None => self.cast_address(wide, space::GENERIC, space::SHARED),
        }
    }

    fn cast_address(&self, address: Value<'c>, from: u32, to: u32) -> Value<'c> {
        let pointer = self.builder.int_to_ptr(address, self.context.ptr(from));
        let pointer = self.builder.addr_space_cast(pointer, self.context.ptr(to));
        self.builder.ptr_to_int(pointer, self.context.i64())
    }

    /// No cluster is ever given up: every one runs in its turn. The answer that says so is all zeros.
    pub fn try_cancel(&mut self, i: &ClusterlaunchcontrolTryCancel<'a>) -> Lowered {
        let answer = self.local(16, 16);
        self.builder.store(self.context.int(128).zero(), answer, 16);
        let answer = self.builder.addr_space_cast(answer, self.generic_pointer());
        let answer = self.builder.ptr_to_int(answer, self.context.i64());
        let space = Some(StateSpace::Shared).filter(|_| i.space.is_some());
        let [place, barrier] = [self.pointer(&i.addr, space, 0)?, self.pointer(&i.mbar, space, 0)?]
            .map(|pointer| self.builder.ptr_to_int(pointer, self.context.i64()));
        let bytes = self.i64(16);
        if i.multicast_cluster_all {
            let everyone = self.i64(u64::from(u32::MAX));
            self.lane("copy.multicast", &[place, answer, bytes, barrier, everyone])?;
        } else {
            self.lane("copy", &[place, answer, bytes])?;
            self.lane("mbarrier.complete_tx", &[barrier, bytes])?;
        }
        Ok(())
    }

    pub fn query_cancel(&mut self, i: &ClusterlaunchcontrolQueryCancel<'a>) -> Lowered {
        let answer = self.read(&i.try_cancel_response, ScalarType::B128)?;
        if i.type_ == ScalarType::Pred {
            let canceled = self.builder.trunc(answer, self.context.i1());
            return self.write(&i.d, canceled);
        }
        // Nobody was cancelled, so that places have no meaning.
        let zero = self.i32(0);
        match &i.d {
            Operand::Vector(elements) => {
                elements.iter().try_for_each(|element| self.write(element, zero))
            }
            d => self.write(d, zero),
        }
    }
}
