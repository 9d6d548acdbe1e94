//! The size of a cluster, and addresses in its shared memory, as arithmetic.
//!
//! Input: calls of `zluda.cluster_nctarank`, `zluda.mapa`, `zluda.getctarank` and `zluda.isspacep.shared.cluster`.
//! Output: arithmetic on `zluda.cluster_nctaid` and the address of the first block's shared memory,
//! `zluda.cpu.cluster_shared`.
//! Why here: one meaning for both lowerings, before the passes that simplify it.

use cpu_abi::CLUSTER_SHARED_STRIDE;
use llvm_zluda::{Builder, IntPredicate, Module, Type, Value};
use simt::intrinsics;

const STRIDE_BITS: u64 = CLUSTER_SHARED_STRIDE.trailing_zeros() as u64;

/// Replaces the calls.
pub fn run(module: &Module<'_>) {
    replace(module, "zluda.cluster_nctarank", |s, _| s.blocks());
    replace(module, "zluda.mapa", |s, call| {
        let (address, rank) = (call.operand(0), call.operand(1));
        let first = s.first();
        let inside = s.b.and(s.b.sub(address, first), s.number(CLUSTER_SHARED_STRIDE - 1));
        let block = s.b.shl(s.b.zext(rank, s.i64()), s.number(STRIDE_BITS));
        s.b.add(s.b.add(first, block), inside)
    });
    replace(module, "zluda.getctarank", |s, call| {
        let place = s.b.sub(call.operand(0), s.first());
        s.b.trunc(s.b.lshr(place, s.number(STRIDE_BITS)), s.b.context().i32())
    });
    replace(module, "zluda.isspacep.shared.cluster", |s, call| {
        let address = s.b.ptr_to_int(call.operand(0), s.i64());
        let place = s.b.lshr(s.b.sub(address, s.first()), s.number(STRIDE_BITS));
        s.b.icmp(IntPredicate::LLVMIntULT, place, s.b.zext(s.blocks(), s.i64()))
    });
}

fn replace<'c>(
    module: &Module<'c>,
    name: &str,
    expansion: impl Fn(&Expander<'_, 'c>, Value<'c>) -> Value<'c>,
) {
    let Some(function) = module.function(name).filter(|function| function.is_declaration()) else {
        return;
    };
    for call in function.users() {
        let b = module.context().builder();
        b.position_before(call);
        let value = expansion(&Expander { b, module }, call);
        call.replace_all_uses_with(value);
        call.erase();
    }
    function.delete_global();
}

struct Expander<'m, 'c> {
    b: Builder<'c>,
    module: &'m Module<'c>,
}

impl<'c> Expander<'_, 'c> {
    fn i64(&self) -> Type<'c> {
        self.b.context().i64()
    }

    fn number(&self, value: u64) -> Value<'c> {
        self.i64().const_int(value)
    }

    fn first(&self) -> Value<'c> {
        self.call("cpu.cluster_shared")
    }

    /// Blocks in the cluster.
    fn blocks(&self) -> Value<'c> {
        let [x, y, z] = ["x", "y", "z"].map(|axis| self.call(&format!("cluster_nctaid.{axis}")));
        self.b.mul(self.b.mul(x, y), z)
    }

    /// Calls an intrinsic without arguments.
    fn call(&self, name: &str) -> Value<'c> {
        self.b.call(intrinsics::declare(self.module, name, 0), &[])
    }
}
