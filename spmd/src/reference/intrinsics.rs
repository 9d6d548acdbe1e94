//! The intrinsics of per-thread IR for one thread.

use std::mem::offset_of;

use cpu_abi::{
    BarrierReduction, BlockContext, LARGEST_LOAD, LaneOperation, Runtime, ShuffleKind,
    TEXTURE_RESULTS, ThreadContext, WarpOperation,
};
use llvm_zluda::{Block, Builder, IntPredicate, Module, Type, Value};

use crate::{Error, local_memory};

/// Lowers the calls of one function, whose first parameters are the block and the thread.
pub struct Lowering<'a, 'c> {
    module: &'a Module<'c>,
    builder: Builder<'c>,
    block: Value<'c>,
    thread: Value<'c>,
    /// Holds the stack variables.
    entry: Block<'c>,
}

impl<'a, 'c> Lowering<'a, 'c> {
    /// For a function whose first two parameters are pointers to the block's context and the thread's.
    pub fn new(module: &'a Module<'c>, function: Value<'c>) -> Self {
        let builder = module.context().builder();
        Self {
            module,
            builder,
            block: function.parameter(0),
            thread: function.parameter(1),
            entry: function.entry_block(),
        }
    }

    /// Lets other threads run before an access that may wait for them.
    pub fn yield_before(&mut self, instruction: Value<'c>) {
        self.builder.position_before(instruction);
        let no_time = self.i32().const_int(0);
        let warp = self.warp();
        self.runtime(offset_of!(Runtime, yield_now), self.void(), &[self.block, warp, no_time]);
    }

    /// Waits before an access for the threads of the warp that can come here: who they are is nothing to the thread.
    pub fn keep_step_before(&mut self, instruction: Value<'c>, place: u32) {
        self.builder.position_before(instruction);
        let words = [
            self.thread,
            self.i32().const_int(WarpOperation::ActiveMask as u64),
            self.i64().const_int(place.into()),
            self.i32().all_ones(),
        ];
        self.runtime(offset_of!(Runtime, warp_operation), self.i64(), &words);
    }

    /// The same before a load, which then reads what the first of these threads found at its address.
    pub fn load_together(&mut self, load: Value<'c>, place: u32) {
        let size = self.module.store_size_of(load.ty());
        if size > LARGEST_LOAD as u64 {
            return self.keep_step_before(load, place);
        }
        self.builder.position_before(load);
        let (address, generic) = (load.operand(0), self.builder.context().ptr(0));
        let words = [
            self.thread,
            self.i32().const_int(place.into()),
            self.builder.addr_space_cast(address, generic),
            self.i32().const_int(size),
        ];
        let found = self.runtime(offset_of!(Runtime, load_together), generic, &words);
        load.set_operand(0, self.builder.addr_space_cast(found, address.ty()));
    }

    /// Replaces the call of an intrinsic; leaves other calls alone.
    pub fn call(&mut self, call: Value<'c>) -> Result<(), Error> {
        let full = call.called_name();
        let Some(name) = full.strip_prefix("zluda.") else { return Ok(()) };
        if call.callee().is_function() && !call.callee().is_declaration() {
            return Ok(());
        }
        self.builder.position_before(call);
        let arguments = call.arguments();
        let result = self.intrinsic(name, call.ty(), &arguments)?;
        if let Some(result) = result {
            call.replace_all_uses_with(result);
        }
        call.erase();
        Ok(())
    }

    fn intrinsic(
        &self,
        name: &str,
        ty: Type<'c>,
        arguments: &[Value<'c>],
    ) -> Result<Option<Value<'c>>, Error> {
        let b = &self.builder;
        let zero = self.i32().const_int(0);
        if let Some(result) = self.identity(name, ty) {
            return Ok(Some(result));
        }
        if let Some(result) = self.warp_operation(name, arguments) {
            return Ok(result);
        }
        if name.starts_with("matrix.") {
            return Ok(self.matrix(ty, arguments));
        }
        Ok(match name {
            "clock64" => Some(b.intrinsic(self.module, "llvm.readcyclecounter", &[], &[])),
            "globaltimer" => {
                Some(self.runtime(offset_of!(Runtime, global_timer), ty, &[self.block]))
            }
            "barrier.sync" | "barrier.arrive" => {
                let function = match name {
                    "barrier.sync" => offset_of!(Runtime, barrier_sync),
                    _ => offset_of!(Runtime, barrier_arrive),
                };
                self.runtime(
                    function,
                    ty,
                    &[self.block, self.warp(), self.mask(), arguments[0], arguments[1]],
                );
                None
            }
            "barrier.red.popc" | "barrier.red.and" | "barrier.red.or" => {
                let reduction = match name {
                    "barrier.red.popc" => BarrierReduction::Popc,
                    "barrier.red.and" => BarrierReduction::And,
                    _ => BarrierReduction::Or,
                };
                let reduction = self.i32().const_int(reduction as u64);
                let predicates = b.select(arguments[2], self.mask(), zero);
                let words = [
                    self.block,
                    self.warp(),
                    self.mask(),
                    arguments[0],
                    arguments[1],
                    reduction,
                    predicates,
                ];
                let result = self.runtime(offset_of!(Runtime, barrier_reduce), self.i32(), &words);
                Some(if ty.bits() == 1 {
                    b.icmp(IntPredicate::LLVMIntNE, result, zero)
                } else {
                    result
                })
            }
            "nanosleep" => {
                self.runtime(
                    offset_of!(Runtime, yield_now),
                    ty,
                    &[self.block, self.warp(), arguments[0]],
                );
                None
            }
            "preempt" => {
                self.runtime(offset_of!(Runtime, preempt), ty, &[self.block]);
                None
            }
            "vprintf" => Some(self.runtime(
                offset_of!(Runtime, vprintf),
                ty,
                &[self.block, arguments[0], arguments[1]],
            )),
            "malloc" => Some(self.runtime(
                offset_of!(Runtime, malloc),
                ty,
                &[self.block, arguments[0], arguments[1]],
            )),
            "free" => {
                self.runtime(offset_of!(Runtime, free), ty, &[self.block, arguments[0]]);
                None
            }
            "assertfail" => {
                let mut words = vec![self.block, self.warp(), self.lane(), self.mask()];
                words.extend(arguments);
                self.runtime(offset_of!(Runtime, assert_fail), ty, &words);
                None
            }
            "trap" => {
                self.runtime(
                    offset_of!(Runtime, trap),
                    ty,
                    &[self.block, self.warp(), self.mask()],
                );
                None
            }
            "cluster.arrive" | "cluster.wait" => {
                let waits = self.i32().const_int(u64::from(name == "cluster.wait"));
                let words = [self.block, self.warp(), self.mask(), waits];
                self.runtime(offset_of!(Runtime, cluster_barrier), ty, &words);
                None
            }
            _ if name.starts_with("lane.") => Some(self.lane_operation(name, arguments)?),
            _ if name.starts_with("texture.") => Some(self.texture(ty, arguments)),
            _ => match name.strip_prefix("isspacep.") {
                Some(space) => Some(self.is_in_space(space, arguments[0])),
                None => return Err(Error::Unsupported(format!("the intrinsic zluda.{name}"))),
            },
        })
    }

    /// A texture or surface instruction: operands after the first one, and results, lie in a buffer.
    fn texture(&self, ty: Type<'c>, arguments: &[Value<'c>]) -> Value<'c> {
        let b = &self.builder;
        let words = (arguments.len() - 1).max(TEXTURE_RESULTS);
        let buffer = {
            let entry = b.context().builder();
            entry.position_at_start(b.block().function().entry_block());
            entry.alloca(self.i32().array(words as u64))
        };
        let place = |index: usize| b.byte_offset(buffer, self.i64().const_int(4 * index as u64));
        for (index, &argument) in arguments[1..].iter().enumerate() {
            b.store(argument, place(index), 4);
        }
        let one = self.i32().const_int(1);
        let all = [self.block, self.warp(), self.mask(), arguments[0], one, buffer];
        self.runtime(offset_of!(Runtime, texture), self.void(), &all);
        (0..TEXTURE_RESULTS).fold(ty.poison(), |results, index| {
            let word = b.load(self.i32(), place(index), 4);
            b.insert_value(results, word, index as u32)
        })
    }

    /// The special registers that say who and where the thread is.
    fn identity(&self, name: &str, ty: Type<'c>) -> Option<Value<'c>> {
        let axis = |name: &str, prefix: &str| {
            let index =
                ["x", "y", "z"].iter().position(|axis| name.strip_prefix(prefix) == Some(axis))?;
            Some(index * size_of::<u32>())
        };
        let block = |field: usize| self.block_field(field, ty);
        let thread = |field: usize| self.thread_field(field, ty);
        Some(match name {
            "params" => block(offset_of!(BlockContext, params)),
            "cpu.shared" => block(offset_of!(BlockContext, shared)),
            "laneid" => thread(offset_of!(ThreadContext, lane)),
            "warpid" => thread(offset_of!(ThreadContext, warp)),
            "nwarpid" => block(offset_of!(BlockContext, warps)),
            "smid" => block(offset_of!(BlockContext, smid)),
            "nsmid" => block(offset_of!(BlockContext, nsmid)),
            "gridid" => block(offset_of!(BlockContext, grid_id)),
            "is_explicit_cluster" => block(offset_of!(BlockContext, explicit_cluster)),
            "cpu.cluster_shared" => block(offset_of!(BlockContext, cluster_shared)),
            "dynamic_smem_size" => block(offset_of!(BlockContext, dynamic_shared_size)),
            _ => {
                if let Some(offset) = axis(name, "tid.") {
                    thread(offset_of!(ThreadContext, tid) + offset)
                } else if let Some(offset) = axis(name, "ntid.") {
                    block(offset_of!(BlockContext, ntid) + offset)
                } else if let Some(offset) = axis(name, "ctaid.") {
                    block(offset_of!(BlockContext, ctaid) + offset)
                } else if let Some(offset) = axis(name, "cluster_nctaid.") {
                    block(offset_of!(BlockContext, cluster) + offset)
                } else {
                    block(offset_of!(BlockContext, nctaid) + axis(name, "nctaid.")?)
                }
            }
        })
    }

    /// Operations of a warp: waits in the runtime. The outer option says whether `name` is one.
    fn warp_operation(&self, name: &str, arguments: &[Value<'c>]) -> Option<Option<Value<'c>>> {
        use WarpOperation::*;
        let b = &self.builder;
        let shuffle = name.strip_prefix("shfl.").and_then(ShuffleKind::from_word);
        if let Some(kind) = shuffle {
            let mut words = vec![self.thread, self.i32().const_int(kind as u64)];
            words.extend(arguments);
            let packed = self.runtime(offset_of!(Runtime, shuffle), self.i64(), &words);
            return Some(Some(self.word_and_predicate(packed)));
        }
        let operation = WarpOperation::from_word(name)?;
        let answer = match operation {
            Sync => Answer::None,
            VoteAll | VoteAny | VoteUni => Answer::Predicate,
            MatchAll32 | MatchAll64 | Elect => Answer::Both,
            _ => Answer::Word,
        };
        let none = self.i64().const_int(0);
        let (value, mask) = match *arguments {
            [] => (none, self.i32().all_ones()),
            [place] if operation == ActiveMask => {
                (b.zext(place, self.i64()), self.i32().all_ones())
            }
            [mask] => (none, mask),
            [value, mask, ..] => (b.zext(value, self.i64()), mask),
        };
        let kind = self.i32().const_int(operation as u64);
        let packed = self.runtime(
            offset_of!(Runtime, warp_operation),
            self.i64(),
            &[self.thread, kind, value, mask],
        );
        Some(match answer {
            Answer::None => None,
            Answer::Word => Some(b.trunc(packed, self.i32())),
            Answer::Predicate => Some(b.icmp(
                IntPredicate::LLVMIntNE,
                b.trunc(packed, self.i32()),
                self.i32().const_int(0),
            )),
            Answer::Both => Some(self.word_and_predicate(packed)),
        })
    }

    /// Matrix operations: the words of the fragments go to memory, and the results come from there.
    fn matrix(&self, ty: Type<'c>, arguments: &[Value<'c>]) -> Option<Value<'c>> {
        let b = &self.builder;
        let (operation, inputs) = arguments.split_first()?;
        let outputs = if ty.is_void() { 0 } else { ty.len() as usize };
        let array = self.i32().array(inputs.len().max(outputs) as u64);
        let start = b.context().builder();
        start.position_at_start(self.entry);
        let words = start.alloca(array);
        let word = |index: usize| b.byte_offset(words, self.i64().const_int(4 * index as u64));
        for (index, &input) in inputs.iter().enumerate() {
            b.store(input, word(index), 4);
        }
        self.runtime(
            offset_of!(Runtime, matrix_of_thread),
            self.void(),
            &[self.thread, *operation, words],
        );
        (outputs > 0).then(|| {
            (0..outputs).fold(ty.poison(), |whole, index| {
                b.insert_value(whole, b.load(self.i32(), word(index), 4), index as u32)
            })
        })
    }

    /// `{i32, i1}` from a word and a predicate in bit 32.
    fn word_and_predicate(&self, packed: Value<'c>) -> Value<'c> {
        let b = &self.builder;
        let context = b.context();
        let high = b.lshr(packed, self.i64().const_int(32));
        let pair = context.structure(&[self.i32(), context.i1()], false).poison();
        let pair = b.insert_value(pair, b.trunc(packed, self.i32()), 0);
        b.insert_value(pair, b.trunc(high, context.i1()), 1)
    }

    /// A call of the runtime, with arguments in memory.
    fn lane_operation(&self, name: &str, arguments: &[Value<'c>]) -> Result<Value<'c>, Error> {
        let operation = name.strip_prefix("lane.").and_then(LaneOperation::from_word);
        let Some(operation) = operation.filter(|it| it.arguments().len() == arguments.len()) else {
            return Err(Error::Unsupported(format!("the intrinsic zluda.{name}")));
        };
        let b = &self.builder;
        let function = b.block().function();
        let here = b.context().builder();
        if let Some(first) =
            function.blocks().first().and_then(|entry| entry.instructions().first().copied())
        {
            here.position_before(first);
        }
        let words = here.alloca(self.i64().array(arguments.len() as u64));
        for (index, &argument) in arguments.iter().enumerate() {
            b.store(argument, b.byte_offset(words, self.i64().const_int(8 * index as u64)), 8);
        }
        let words = b.addr_space_cast(words, b.context().ptr(0));
        let number = self.i32().const_int(operation as u64);
        let all = [self.block, number, words];
        Ok(self.runtime(offset_of!(Runtime, lane_operation), self.i64(), &all))
    }

    /// Shared memory is the block's, local memory lies around this frame, everything else is global.
    fn is_in_space(&self, space: &str, pointer: Value<'c>) -> Value<'c> {
        let b = &self.builder;
        let address = b.ptr_to_int(pointer, self.i64());
        let below = |start: Value<'c>, size: Value<'c>| {
            b.icmp(IntPredicate::LLVMIntULT, b.sub(address, start), size)
        };
        let shared = || {
            let base = self.block_field(offset_of!(BlockContext, shared), self.i64());
            let size = self.block_field(offset_of!(BlockContext, total_shared_size), self.i32());
            below(base, b.zext(size, self.i64()))
        };
        let local = || {
            let (start, size) = local_memory::range(b, self.module);
            below(start, size)
        };
        match space {
            "shared" => shared(),
            "local" => local(),
            "global" => {
                // Other blocks of the cluster count as shared memory too.
                let first = self.block_field(offset_of!(BlockContext, cluster_shared), self.i64());
                let [x, y, z] = [0, 4, 8].map(|axis| {
                    self.block_field(offset_of!(BlockContext, cluster) + axis, self.i32())
                });
                let blocks = b.zext(b.mul(b.mul(x, y), z), self.i64());
                let stride = self.i64().const_int(cpu_abi::CLUSTER_SHARED_STRIDE);
                b.not(b.or(below(first, b.mul(blocks, stride)), local()))
            }
            _ => b.context().i1().const_int(0),
        }
    }

    // ---- pieces

    fn void(&self) -> Type<'c> {
        self.builder.context().void()
    }

    fn i32(&self) -> Type<'c> {
        self.builder.context().i32()
    }

    fn i64(&self) -> Type<'c> {
        self.builder.context().i64()
    }

    /// A field that never changes while the code runs.
    fn field(&self, structure: Value<'c>, offset: usize, ty: Type<'c>) -> Value<'c> {
        let b = &self.builder;
        let pointer = b.byte_offset(structure, self.i64().const_int(offset as u64));
        let alignment = if ty.is_pointer() || ty.bits() == 64 { 8 } else { 4 };
        let load = b.load(ty, pointer, alignment);
        load.add_empty_metadata(b.context(), "invariant.load");
        load
    }

    fn block_field(&self, offset: usize, ty: Type<'c>) -> Value<'c> {
        self.field(self.block, offset, ty)
    }

    fn thread_field(&self, offset: usize, ty: Type<'c>) -> Value<'c> {
        self.field(self.thread, offset, ty)
    }

    fn warp(&self) -> Value<'c> {
        self.thread_field(offset_of!(ThreadContext, warp), self.i32())
    }

    fn lane(&self) -> Value<'c> {
        self.thread_field(offset_of!(ThreadContext, lane), self.i32())
    }

    /// The mask of this one lane.
    fn mask(&self) -> Value<'c> {
        self.builder.shl(self.i32().const_int(1), self.lane())
    }

    /// Calls the runtime function at `offset` of the table.
    fn runtime(&self, offset: usize, result: Type<'c>, arguments: &[Value<'c>]) -> Value<'c> {
        let b = &self.builder;
        let pointer = b.context().ptr(0);
        let table = self.block_field(offset_of!(BlockContext, runtime), pointer);
        let function = self.field(table, offset, pointer);
        let types: Vec<_> = arguments.iter().map(|argument| argument.ty()).collect();
        b.call_pointer(b.context().function_type(result, &types), function, arguments)
    }
}

/// The parts of a warp operation's answer that the intrinsic returns.
enum Answer {
    None,
    Word,
    Predicate,
    Both,
}
