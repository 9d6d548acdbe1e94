//! The variant of a kernel for launches in clusters, which hardware does not have.
//!
//! Its shared memory is global: a window for each block, side by side for a cluster (`amd_abi::cluster_launch`). An
//! address in shared memory, of 32 bits, is an offset from the window of the cluster's first block, so that all
//! blocks of a cluster have the same ones. Workgroups see it through caches of their own: operations that are
//! ordered within a workgroup are within the whole device here.
//!
//! Input: accesses to shared memory, and calls of intrinsics of clusters. Output: accesses to memory of the device, and the
//! device library's functions for clusters in the places of the intrinsics.
//! Why here: [`add_barrier`] makes threads known to the cluster's barrier, before lanes get ways of their own. [`run`] comes
//! after that, because what lanes wait for is found by the address space of shared memory, and before the device
//! library is linked, which has LDS of its own.

use llvm_zluda::{Builder, Linkage, Module, Opcode, Type, Value};
use simt::space;

use super::lower_barriers;
use crate::intrinsics::OWN;
use crate::{Error, library};

/// The prefix of the device library's functions that stand in for `zluda.<name>` in clusters.
const IN_CLUSTER: &str = "zluda.amd.in_cluster.";

/// The files of the device library that are for clusters, each by a function of it.
const FILES: [&str; 3] = [
    "zluda.amd.in_cluster.mapa",
    "zluda.amd.in_cluster.cluster.wait",
    "zluda.amd.in_cluster.lane.mbarrier.arrive",
];

/// Threads arrive at the barrier one by one, and nobody waits for those that have exited.
pub fn add_barrier<'c>(module: &Module<'c>, kernel: Value<'c>) {
    let is_used = |name| module.function(name).is_some_and(|function| function.has_uses());
    if !is_used("zluda.cluster.arrive") && !is_used("zluda.cluster.wait") {
        return;
    }
    if let Some(arrive) = module.function("zluda.cluster.arrive") {
        arrive.set_name("zluda.amd.cluster.arrive");
    }
    let names = ["amd.cluster.begin", "amd.cluster.leave"];
    lower_barriers::begin_and_leave(module, kernel, names);
}

/// Makes shared memory global, and links what intrinsics mean in a cluster.
pub fn run(module: &Module<'_>, static_shared: u32) -> Result<(), Error> {
    let windows = Windows { module, static_shared, b: module.context().builder() };
    windows.replace_variables()?;
    for function in module.functions() {
        for block in function.blocks() {
            block.instructions().into_iter().for_each(|instruction| windows.rewrite(instruction));
        }
    }
    for file in FILES {
        library::add_whole_file(module, file)?;
    }
    for function in module.functions() {
        let name = function.name();
        if let Some(rest) = name.strip_prefix(IN_CLUSTER) {
            take_place(module, function, &format!("zluda.{rest}"));
        }
    }
    Ok(())
}

/// Gives a function the name of an intrinsic, and its calls.
fn take_place<'c>(module: &Module<'c>, function: Value<'c>, name: &str) {
    if let Some(intrinsic) = module.function(name) {
        intrinsic.replace_all_uses_with(function);
        intrinsic.delete_global();
    }
    function.set_name(name);
    // Small ones become part of the kernel; it stays until the rest of the library has been linked.
    function.set_linkage(Linkage::LLVMLinkOnceODRLinkage);
}

struct Windows<'m, 'c> {
    module: &'m Module<'c>,
    /// Bytes of declared shared memory that launches count.
    static_shared: u32,
    b: Builder<'c>,
}

impl<'c> Windows<'_, 'c> {
    fn call(&self, name: &str, arguments: &[Value<'c>]) -> Value<'c> {
        self.b.call(OWN.declare(self.module, name, arguments.len()), arguments)
    }

    fn i32(&self) -> Type<'c> {
        self.module.context().i32()
    }

    fn shared(&self) -> Type<'c> {
        self.module.context().ptr(space::SHARED)
    }

    /// The offset of each variable in its window, in bytes: in their order, dynamic memory behind the others. Fails if
    /// they need more shared memory than was counted.
    fn offsets(&self) -> Result<Vec<(Value<'c>, u64)>, Error> {
        let globals = self.module.globals().into_iter();
        let (arrays, variables): (Vec<_>, Vec<_>) = globals
            .filter(|global| global.ty().address_space() == space::SHARED)
            .partition(|global| global.is_declaration());
        let smallest = u64::from(amd_abi::cluster_launch::SMALLEST_WINDOW);
        let alignment = |variable: &Value<'c>| u64::from(variable.alignment()).clamp(1, smallest);
        let mut end = 0u64;
        let mut offsets = Vec::new();
        for variable in variables {
            let offset = end.next_multiple_of(alignment(&variable));
            end = offset + self.module.size_of(variable.value_type());
            offsets.push((variable, offset));
        }
        if end > u64::from(self.static_shared).next_multiple_of(smallest) {
            let message = format!("{end} bytes of shared memory, more than were counted");
            return Err(Error::Bug(message));
        }
        let dynamic = arrays.iter().map(alignment).fold(16, u64::max);
        let end = end.next_multiple_of(dynamic);
        offsets.extend(arrays.into_iter().map(|array| (array, end)));
        Ok(offsets)
    }

    /// Variables become places in the own window.
    fn replace_variables(&self) -> Result<(), Error> {
        let offsets = self.offsets()?;
        if offsets.is_empty() {
            return Ok(());
        }
        for function in self.module.functions() {
            for block in function.blocks() {
                for instruction in block.instructions() {
                    self.replace_operands(instruction, &offsets);
                }
            }
        }
        for (variable, _) in offsets {
            if !variable.has_uses() {
                variable.delete_global();
            }
        }
        Ok(())
    }

    fn replace_operands(&self, instruction: Value<'c>, offsets: &[(Value<'c>, u64)]) {
        if instruction.opcode() == Opcode::LLVMPHI {
            for (index, (value, from)) in instruction.incoming().into_iter().enumerate() {
                if reaches(value, offsets)
                    && let Some(end) = from.terminator()
                {
                    self.b.position_before(end);
                    // Edges from one block have one value.
                    let value = instruction
                        .earlier_from_same_block(index as u32)
                        .unwrap_or_else(|| self.computed(value, offsets));
                    instruction.set_operand(index as u32, value);
                }
            }
            return;
        }
        for (index, value) in instruction.operands().into_iter().enumerate() {
            if reaches(value, offsets) {
                self.b.position_before(instruction);
                instruction.set_operand(index as u32, self.computed(value, offsets));
            }
        }
    }

    /// A constant that has the address of a variable in it, as instructions.
    fn computed(&self, constant: Value<'c>, offsets: &[(Value<'c>, u64)]) -> Value<'c> {
        if let Some((_, offset)) = offsets.iter().find(|(variable, _)| *variable == constant) {
            let own = self.call("amd.window.own", &[]);
            let address = self.b.add(own, self.i32().const_int(*offset));
            return self.b.int_to_ptr(address, self.shared());
        }
        if !reaches(constant, offsets) {
            return constant;
        }
        let operands: Vec<_> =
            constant.operands().into_iter().map(|it| self.computed(it, offsets)).collect();
        let (b, ty) = (&self.b, constant.ty());
        match (constant.opcode(), &operands[..]) {
            (Opcode::LLVMGetElementPtr, [base, indices @ ..]) => {
                b.gep(constant.gep_source_type(), *base, indices)
            }
            (Opcode::LLVMPtrToInt, [pointer]) => b.ptr_to_int(*pointer, ty),
            (Opcode::LLVMIntToPtr, [address]) => b.int_to_ptr(*address, ty),
            (Opcode::LLVMAddrSpaceCast, [pointer]) => b.addr_space_cast(*pointer, ty),
            (Opcode::LLVMTrunc, [value]) => b.trunc(*value, ty),
            (Opcode::LLVMAdd, [x, y]) => b.add(*x, *y),
            (Opcode::LLVMSub, [x, y]) => b.sub(*x, *y),
            (Opcode::LLVMXor, [x, y]) => b.xor(*x, *y),
            // LLVM has no other constants of addresses; what stays keeps its variable, which is seen.
            _ => constant,
        }
    }

    /// Accesses and casts.
    fn rewrite(&self, instruction: Value<'c>) {
        let opcode = instruction.opcode();
        let is_shared = |value: Value<'c>| {
            value.ty().is_pointer() && value.ty().address_space() == space::SHARED
        };
        match opcode {
            Opcode::LLVMLoad
            | Opcode::LLVMStore
            | Opcode::LLVMAtomicRMW
            | Opcode::LLVMAtomicCmpXchg => {
                let index = u32::from(opcode == Opcode::LLVMStore);
                if is_shared(instruction.operand(index)) {
                    self.b.position_before(instruction);
                    instruction.set_operand(index, self.place(instruction.operand(index)));
                }
                self.widen(instruction);
            }
            Opcode::LLVMFence => self.widen(instruction),
            Opcode::LLVMAddrSpaceCast if is_shared(instruction.operand(0)) => {
                self.b.position_before(instruction);
                let place = self.place(instruction.operand(0));
                let generic = self.b.addr_space_cast(place, instruction.ty());
                instruction.replace_all_uses_with(generic);
                instruction.erase();
            }
            Opcode::LLVMAddrSpaceCast if is_shared(instruction) => {
                self.b.position_before(instruction);
                let generic = instruction.operand(0);
                let address = self.call("amd.window.address", &[generic]);
                instruction.replace_all_uses_with(self.b.int_to_ptr(address, self.shared()));
                instruction.erase();
            }
            _ => {}
        }
    }

    /// The memory at an address in shared memory.
    fn place(&self, pointer: Value<'c>) -> Value<'c> {
        let address = self.b.ptr_to_int(pointer, self.i32());
        self.call("amd.window.place", &[address])
    }

    /// Widens the scope of an atomic access or a fence from the workgroup to the device.
    fn widen(&self, instruction: Value<'c>) {
        let context = self.module.context();
        if instruction.is_atomic() && instruction.sync_scope() == context.sync_scope("workgroup") {
            instruction.set_sync_scope(context.sync_scope("agent"));
        }
    }
}

/// Whether a constant has the address of one of some variables in it.
fn reaches(value: Value<'_>, variables: &[(Value<'_>, u64)]) -> bool {
    if value.is_global_variable() {
        return variables.iter().any(|(variable, _)| *variable == value);
    }
    value.is_constant_expression() && value.operands().into_iter().any(|it| reaches(it, variables))
}
