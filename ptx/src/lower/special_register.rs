//! The special registers, in which a thread reads facts about itself.

use llvm_zluda::Value;
use ptx_parser::{Component, SpecialRegister};

use super::Lowered;
use super::function::FunctionLowering;

/// The bytes of each block's shared memory that the driver of an H100 keeps for itself, and those of them in use.
const RESERVED_SMEM: u32 = 1024;
const RESERVED_SMEM_USED: u32 = 0x120;
/// Shared memory is given out in multiples of this.
const SMEM_UNIT: u32 = 128;

/// Threads of a block along its third axis, at most.
const MOST_LAYERS: u32 = 64;

const AXES: [Component; 3] = [Component::X, Component::Y, Component::Z];

impl<'c> FunctionLowering<'_, '_, 'c, '_> {
    /// The value of a special register.
    pub fn special_register(&mut self, register: SpecialRegister) -> Lowered<Value<'c>> {
        use SpecialRegister::*;
        Ok(match register {
            Tid(component) => {
                let place = self.three("tid", component)?;
                self.limit_place(place, component);
                place
            }
            Ntid(component) => match self.required_size(component) {
                Some(size) => self.i32(size),
                None => self.three("ntid", component)?,
            },
            Ctaid(component) => self.three("ctaid", component)?,
            Nctaid(component) => self.three("nctaid", component)?,
            ClusterNctaid(Some(Component::W)) => self.i32(0),
            ClusterNctaid(component) => self.cluster_size(component)?,
            Clusterid(component) => {
                let place = self.three("ctaid", component)?;
                self.builder.udiv(place, self.cluster_size(component)?)
            }
            Nclusterid(component) => {
                let size = self.three("nctaid", component)?;
                self.builder.udiv(size, self.cluster_size(component)?)
            }
            ClusterCtaid(component) => self.cluster_place(component)?,
            ClusterCtarank => {
                let [x, y, z] = AXES.map(|axis| self.cluster_place(Some(axis)));
                let [width, height] = [AXES[0], AXES[1]].map(|axis| self.cluster_size(Some(axis)));
                let rows = self.builder.add(self.builder.mul(z?, height?), y?);
                self.builder.add(self.builder.mul(rows, width?), x?)
            }
            ClusterNctarank => self.word("cluster_nctarank"),
            IsExplicitCluster => {
                let word = self.word("is_explicit_cluster");
                self.ne(word, self.i32(0))
            }
            Laneid => self.word("laneid"),
            Warpid => self.word("warpid"),
            Nwarpid => self.word("nwarpid"),
            Smid => self.word("smid"),
            Nsmid => self.word("nsmid"),
            DynamicSmemSize => self.word("dynamic_smem_size"),
            TotalSmemSize => {
                let bytes = self.builder.add(self.shared_bytes(), self.i32(SMEM_UNIT - 1));
                self.builder.and(bytes, self.i32(!(SMEM_UNIT - 1)))
            }
            AggrSmemSize => self.builder.add(self.shared_bytes(), self.i32(RESERVED_SMEM)),
            Gridid => self.zluda("gridid", &[]),
            Clock64 => self.clock("clock64"),
            Clock => self.low(self.clock("clock64")),
            ClockHi => self.high(self.clock("clock64")),
            Globaltimer => self.clock("globaltimer"),
            GlobaltimerLo => self.low(self.clock("globaltimer")),
            GlobaltimerHi => self.high(self.clock("globaltimer")),
            LanemaskEq => self.lane_bit(),
            LanemaskLt => self.builder.sub(self.lane_bit(), self.i32(1)),
            LanemaskLe => {
                let below = self.builder.sub(self.lane_bit(), self.i32(1));
                self.builder.or(below, self.lane_bit())
            }
            LanemaskGe => self.builder.neg(self.lane_bit()),
            LanemaskGt => {
                let from = self.builder.neg(self.lane_bit());
                self.builder.xor(from, self.lane_bit())
            }
            // The halves of an address: docs/dev/per_thread_ir.md, hidden parameters.
            Envreg(1) => self.grid_workspace(4),
            Envreg(2) => self.grid_workspace(0),
            // The driver of a real GPU sets these; nothing sets them here.
            Envreg(_) | ReservedSmemOffset(_) | ReservedSmemOffsetBegin | Pm(_) => self.i32(0),
            ReservedSmemOffsetEnd => self.i32(RESERVED_SMEM_USED),
            ReservedSmemOffsetCap => self.i32(RESERVED_SMEM),
            Pm64(_) => self.i64(0),
            // Kernels of AMD GPUs launch no graphs.
            CurrentGraphExec if self.module.is_amdgcn => self.i64(0),
            CurrentGraphExec => self.lane("graph.current", &[])?,
        })
    }

    /// The size of blocks along an axis, where launches of other sizes are refused.
    fn required_size(&self, component: Option<Component>) -> Option<u32> {
        let axis = AXES.iter().position(|axis| Some(*axis) == component)?;
        self.module.unit.info.reqntid.map(|sizes| sizes[axis])
    }

    /// Tells LLVM how large a thread's place in its block is at most: compilers mask it by sizes that they know, and
    /// addresses that LLVM finds no masks in are rows of memory.
    fn limit_place(&self, place: Value<'c>, component: Option<Component>) {
        if !place.is_instruction() {
            return;
        }
        let most = self.module.unit.info.max_threads;
        let most = if component == Some(Component::Z) { most.min(MOST_LAYERS) } else { most };
        let end = self.required_size(component).unwrap_or(most);
        self.module.llvm.limit_result(place.callee(), end.max(1));
    }

    /// Static and dynamic shared memory of the block, whether code uses it or not.
    fn shared_bytes(&self) -> Value<'c> {
        let own = self.i32(self.module.unit.info.static_shared);
        self.builder.add(own, self.word("dynamic_smem_size"))
    }

    /// Blocks in a cluster along an axis; there is 1 along the fourth.
    fn cluster_size(&self, component: Option<Component>) -> Lowered<Value<'c>> {
        match component {
            Some(Component::W) => Ok(self.i32(1)),
            _ => self.three("cluster_nctaid", component),
        }
    }

    /// The block's place in its cluster along an axis.
    fn cluster_place(&self, component: Option<Component>) -> Lowered<Value<'c>> {
        let place = self.three("ctaid", component)?;
        Ok(self.builder.urem(place, self.cluster_size(component)?))
    }

    fn three(&self, name: &str, component: Option<Component>) -> Lowered<Value<'c>> {
        match component {
            Some(Component::W) => Ok(self.i32(0)),
            Some(component) => Ok(self.word(&format!("{name}.{}", component.word()))),
            None => Err(self.invalid(format!("`%{name}` is a vector, which `mov.v4` moves"))),
        }
    }

    fn word(&self, name: &str) -> Value<'c> {
        self.zluda(name, &[])
    }

    fn clock(&self, name: &str) -> Value<'c> {
        self.zluda(name, &[])
    }

    fn low(&self, value: Value<'c>) -> Value<'c> {
        self.builder.trunc(value, self.context.i32())
    }

    fn high(&self, value: Value<'c>) -> Value<'c> {
        self.low(self.builder.lshr(value, self.i64(32)))
    }

    fn lane_bit(&self) -> Value<'c> {
        self.builder.shl(self.i32(1), self.word("laneid"))
    }
}
