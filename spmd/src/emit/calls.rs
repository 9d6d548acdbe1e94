//! Calls: of device functions, of LLVM's intrinsics, of ours, and of the runtime.

use std::mem::offset_of;

use cpu_abi::{BarrierReduction, BlockContext, LaneOperation, Runtime, TEXTURE_RESULTS};
use llvm_zluda::{IntPredicate, Type, Value};
use simt::{Approximations, math, shortcuts};

use super::environment::{Environment, call_runtime, field};
use super::lane_by_lane::Lane;
use super::lanes::parts;
use super::row_reads::are_in_one_page;
use super::{Emitter, LANES, Lanes};
use crate::{Error, local_memory, shortcut_vectors};

/// Block context, warp, mask and group come before the arguments of a warp function.
pub(super) const HIDDEN_ARGUMENTS: u32 = 4;

/// Declares the warp function of a per-thread function.
pub(crate) fn declare<'c>(
    module: &llvm_zluda::Module<'c>,
    thread: Value<'c>,
) -> Result<Value<'c>, Error> {
    let cx = module.context();
    let ty = thread.value_type();
    let vector = |ty: Type<'c>| {
        if parts(ty).is_some() {
            return Err(Error::Unsupported(format!(
                "a parameter or result with parts of `{}`",
                thread.name()
            )));
        }
        Ok(if ty.is_pointer() { cx.ptr(0).vector(LANES) } else { ty.vector(LANES) })
    };
    let mut parameters = vec![cx.ptr(0), cx.i32(), cx.i32(), cx.ptr(0)];
    for parameter in ty.parameters() {
        parameters.push(vector(parameter)?);
    }
    let result = if ty.result().is_void() { cx.void() } else { vector(ty.result())? };
    Ok(module
        .add_function(&format!("{}.warp", thread.name()), cx.function_type(result, &parameters)))
}

/// LLVM's intrinsics that work on each lane apart. The overloads are result type, or as named.
pub(crate) enum Overload {
    Result,
    ResultAndFirst,
    First,
}

/// The name without types, and the overloads, of an LLVM intrinsic that works on each lane apart; none for other
/// functions.
pub(crate) fn lanewise_intrinsic(name: &str) -> Option<(&'static str, Overload)> {
    const BY_RESULT: &[&str] = &[
        "fma",
        "fmuladd",
        "sqrt",
        "fabs",
        "minnum",
        "maxnum",
        "minimum",
        "maximum",
        "minimumnum",
        "maximumnum",
        "copysign",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "nearbyint",
        "roundeven",
        "round",
        "canonicalize",
        "ctpop",
        "ctlz",
        "cttz",
        "bitreverse",
        "bswap",
        "fshl",
        "fshr",
        "smin",
        "smax",
        "umin",
        "umax",
        "abs",
        "sadd.sat",
        "uadd.sat",
        "ssub.sat",
        "usub.sat",
    ];
    const BY_FIRST: &[&str] = &[
        "sadd.with.overflow",
        "uadd.with.overflow",
        "ssub.with.overflow",
        "usub.with.overflow",
        "smul.with.overflow",
        "umul.with.overflow",
        "is.fpclass",
    ];
    const BY_BOTH: &[&str] = &["fptosi.sat", "fptoui.sat", "scmp", "ucmp"];
    let rest = name.strip_prefix("llvm.")?;
    let of = |list: &[&'static str]| {
        list.iter().copied().find(|base| {
            rest.strip_prefix(base).is_some_and(|suffix| {
                suffix
                    .strip_prefix('.')
                    .is_some_and(|types| types.starts_with(['i', 'f', 'b', 'v']))
            })
        })
    };
    of(BY_FIRST)
        .map(|base| (base, Overload::First))
        .or_else(|| of(BY_BOTH).map(|base| (base, Overload::ResultAndFirst)))
        .or_else(|| of(BY_RESULT).map(|base| (base, Overload::Result)))
}

impl<'c> Emitter<'_, 'c> {
    /// `None` where the call gives nothing.
    pub(super) fn call(&mut self, call: Value<'c>) -> Result<Option<Lanes<'c>>, Error> {
        let callee = call.callee();
        if !callee.is_function() {
            return Err(Error::Bug("a call of a pointer".to_owned()));
        }
        if let Some(&warp) = self.unit.functions.get(&callee) {
            return self.call_function(call, warp);
        }
        let name = callee.name();
        if let Some(name) = name.strip_prefix("zluda.") {
            return self.our_intrinsic(name, call);
        }
        if name.starts_with("llvm.") {
            return self.llvm_intrinsic(&name, call);
        }
        Err(Error::Unsupported(format!("the external function `{name}`")))
    }

    fn call_function(
        &mut self,
        call: Value<'c>,
        warp: Value<'c>,
    ) -> Result<Option<Lanes<'c>>, Error> {
        let Environment { block, warp: number, group, .. } = self.environment;
        let mut arguments = vec![block, number, self.active_bits(), group];
        arguments.extend(self.vectors(&call.arguments()));
        let result = self.b.call(warp, &arguments);
        if self.unit.splitting.contains(&call.callee()) {
            self.go_on_without_those_who_left();
        }
        Ok((!call.ty().is_void()).then_some(Lanes::Vector(result)))
    }

    /// Makes the `ret` of a device function, whose result is a vector.
    pub(super) fn return_lanes(&mut self, lanes: &Lanes<'c>) {
        let vector = self.vector(lanes);
        self.b.ret(vector);
    }

    fn llvm_intrinsic(&mut self, name: &str, call: Value<'c>) -> Result<Option<Lanes<'c>>, Error> {
        const WITHOUT_MEANING: &[&str] = &[
            "llvm.lifetime",
            "llvm.assume",
            "llvm.dbg",
            "llvm.experimental.noalias",
            "llvm.invariant",
        ];
        if WITHOUT_MEANING.iter().any(|prefix| name.starts_with(prefix)) {
            return Ok(None);
        }
        let Some((base, overload)) = lanewise_intrinsic(name) else {
            return Err(Error::Unsupported(format!("the intrinsic `{name}`")));
        };
        let arguments: Vec<_> =
            call.arguments().into_iter().map(|argument| self.get(argument)).collect();
        self.lanewise_call(base, &overload, &arguments, call.ty(), call).map(Some)
    }

    fn lanewise_call(
        &mut self,
        base: &str,
        overload: &Overload,
        arguments: &[Lanes<'c>],
        ty: Type<'c>,
        call: Value<'c>,
    ) -> Result<Lanes<'c>, Error> {
        if ty.is_vector() {
            let mut results = Vec::new();
            for index in 0..ty.len() as usize {
                let of_part: Result<Vec<_>, _> = arguments
                    .iter()
                    .map(|argument| match argument {
                        Lanes::Composite(_) => super::values::part(argument, index),
                        scalar => Ok(scalar.clone()),
                    })
                    .collect();
                results.push(self.lanewise_call(base, overload, &of_part?, ty.element(), call)?);
            }
            return Ok(Lanes::Composite(results));
        }
        let name = format!("llvm.{base}");
        let uniform = arguments.iter().all(|argument| matches!(argument, Lanes::Uniform(_)));
        // Flags such as "zero is poison" stay scalars.
        let flag = match base {
            "ctlz" | "cttz" | "abs" | "is.fpclass" => Some(1),
            _ => None,
        };
        let values: Vec<_> = arguments
            .iter()
            .enumerate()
            .map(|(index, argument)| {
                if uniform || flag == Some(index) {
                    self.base(argument)
                } else {
                    self.vector(argument)
                }
            })
            .collect();
        if !uniform && matches!(base, "fptosi.sat" | "fptoui.sat") {
            return Ok(Lanes::Vector(self.saturate(base, values[0], ty)));
        }
        if !uniform && let Some(made) = self.round_halves(base, values[0]) {
            return Ok(Lanes::Vector(made));
        }
        let of_lanes = |ty: Type<'c>| if uniform { ty } else { ty.vector(LANES) };
        let overloads = match overload {
            Overload::Result => vec![of_lanes(ty)],
            Overload::First => vec![values[0].ty()],
            Overload::ResultAndFirst => vec![of_lanes(ty), values[0].ty()],
        };
        let made = self.b.intrinsic(self.module, &name, &overloads, &values);
        made.copy_flags_from(call);
        if ty.is_struct() {
            let fields = (0..ty.len() as u32).map(|index| {
                let field = self.b.extract_value(made, index);
                if uniform { Lanes::Uniform(field) } else { Lanes::Vector(field) }
            });
            return Ok(Lanes::Composite(fields.collect()));
        }
        Ok(if uniform { Lanes::Uniform(made) } else { Lanes::Vector(made) })
    }

    /// A function that [`crate::math`] gives its body later.
    fn approximation(&mut self, name: &str, argument: Value<'c>) -> Lanes<'c> {
        let argument = self.get(argument);
        let uniform = matches!(argument, Lanes::Uniform(_));
        let vector = self.vector(&argument);
        let result = self.b.call(math::vector(self.module, name), &[vector]);
        if uniform {
            return Lanes::Uniform(self.b.extract_element(result, self.cx.i32().const_int(0)));
        }
        Lanes::Vector(result)
    }

    /// Arithmetic that a pass makes instructions of.
    fn shortcut(&self, name: &str, arguments: &[Value<'c>]) -> Lanes<'c> {
        let arguments: Vec<_> = arguments.iter().map(|&argument| self.get(argument)).collect();
        let uniform: Option<Vec<_>> = arguments
            .iter()
            .map(|argument| if let Lanes::Uniform(value) = argument { Some(*value) } else { None })
            .collect();
        if let Some(scalars) = uniform.filter(|_| shortcut_vectors::has_scalars(name)) {
            let function = shortcut_vectors::vector(self.module, name, 1, scalars.len());
            return Lanes::Uniform(self.b.call(function, &scalars));
        }
        let vectors: Vec<_> = arguments.iter().map(|argument| self.vector(argument)).collect();
        let function = shortcut_vectors::vector(self.module, name, LANES, vectors.len());
        let result = self.b.call(function, &vectors);
        if arguments.iter().all(|argument| matches!(argument, Lanes::Uniform(_))) {
            return Lanes::Uniform(self.b.extract_element(result, self.cx.i32().const_int(0)));
        }
        Lanes::Vector(result)
    }

    fn cluster_shared(&self) -> Value<'c> {
        let offset = offset_of!(BlockContext, cluster_shared);
        field(&self.b, self.environment.block, offset, self.cx.i64(), 8)
    }

    /// Blocks in the cluster.
    fn cluster_blocks(&self) -> Value<'c> {
        let [x, y, z] = [0, 4, 8].map(|axis| {
            let offset = offset_of!(BlockContext, cluster) + axis;
            field(&self.b, self.environment.block, offset, self.cx.i32(), 4)
        });
        self.b.mul(self.b.mul(x, y), z)
    }

    fn context_word(&self, offset: usize) -> Lanes<'c> {
        Lanes::Uniform(field(&self.b, self.environment.block, offset, self.cx.i32(), 4))
    }

    fn our_intrinsic(&mut self, name: &str, call: Value<'c>) -> Result<Option<Lanes<'c>>, Error> {
        let arguments = call.arguments();
        let axis = |base: usize| match name.as_bytes().last() {
            Some(b'x') => base,
            Some(b'y') => base + 4,
            _ => base + 8,
        };
        let i32_type = self.cx.i32();
        let lanes = match name {
            _ if shortcuts::is_one(name) => self.shortcut(name, &arguments),
            "cpu.shared" => Lanes::Uniform(self.environment.shared),
            "cpu.in_page" => {
                let addresses = self.get(arguments[0]);
                let bytes = arguments[1].as_const_int();
                Lanes::Uniform(are_in_one_page(&self.b, &addresses, bytes))
            }
            "params" => Lanes::Uniform(self.environment.params),
            "tid.x" => self.environment.tid[0].clone(),
            "tid.y" => self.environment.tid[1].clone(),
            "tid.z" => self.environment.tid[2].clone(),
            "ntid.x" | "ntid.y" | "ntid.z" => {
                self.context_word(axis(offset_of!(BlockContext, ntid)))
            }
            "ctaid.x" | "ctaid.y" | "ctaid.z" => {
                self.context_word(axis(offset_of!(BlockContext, ctaid)))
            }
            "nctaid.x" | "nctaid.y" | "nctaid.z" => {
                self.context_word(axis(offset_of!(BlockContext, nctaid)))
            }
            "laneid" => Lanes::Strided { base: i32_type.const_int(0), stride: 1, vector: None },
            "warpid" => Lanes::Uniform(self.environment.warp),
            "nwarpid" => self.context_word(offset_of!(BlockContext, warps)),
            "smid" => self.context_word(offset_of!(BlockContext, smid)),
            "nsmid" => self.context_word(offset_of!(BlockContext, nsmid)),
            "gridid" => {
                let offset = offset_of!(BlockContext, grid_id);
                Lanes::Uniform(field(&self.b, self.environment.block, offset, self.cx.i64(), 8))
            }
            "cluster_nctaid.x" | "cluster_nctaid.y" | "cluster_nctaid.z" => {
                self.context_word(axis(offset_of!(BlockContext, cluster)))
            }
            "is_explicit_cluster" => self.context_word(offset_of!(BlockContext, explicit_cluster)),
            "cpu.cluster_shared" => Lanes::Uniform(self.cluster_shared()),
            "cluster.arrive" | "cluster.wait" => {
                let waits = self.cx.i32().const_int(u64::from(name == "cluster.wait"));
                self.part();
                let all =
                    [self.environment.block, self.environment.warp, self.active_bits(), waits];
                self.runtime(offset_of!(Runtime, cluster_barrier), self.cx.void(), &all);
                self.waits = true;
                return Ok(None);
            }
            "dynamic_smem_size" => self.context_word(offset_of!(BlockContext, dynamic_shared_size)),
            "clock64" => {
                Lanes::Uniform(self.b.intrinsic(self.module, "llvm.readcyclecounter", &[], &[]))
            }
            "globaltimer" => {
                let offset = offset_of!(Runtime, global_timer);
                Lanes::Uniform(self.runtime(offset, self.cx.i64(), &[self.environment.block]))
            }
            "activemask" => Lanes::Uniform(self.active_bits()),
            "bar.warp.sync" => {
                self.sync_warp(&arguments)?;
                return Ok(None);
            }
            "barrier.sync" if self.returns => {
                self.wait();
                return Ok(None);
            }
            "barrier.sync" | "barrier.arrive" => {
                let offset = match name {
                    "barrier.sync" => offset_of!(Runtime, barrier_sync),
                    _ => offset_of!(Runtime, barrier_arrive),
                };
                let (id, threads) = (self.uniform(arguments[0]), self.uniform(arguments[1]));
                self.part();
                let all = [
                    self.environment.block,
                    self.environment.warp,
                    self.active_bits(),
                    id,
                    threads,
                ];
                self.runtime(offset, self.cx.void(), &all);
                self.waits = true;
                return Ok(None);
            }
            "barrier.red.popc" | "barrier.red.and" | "barrier.red.or" => {
                self.barrier_reduce(name, &arguments)
            }
            "nanosleep" => {
                let lanes = self.get(arguments[0]);
                let duration = match lanes {
                    Lanes::Uniform(duration) => duration,
                    _ => self.reduce_active("umax", self.vector(&lanes), 0, self.mask),
                };
                self.yield_warp(duration);
                self.waits = true;
                return Ok(None);
            }
            "preempt" if self.returns => {
                self.give_turn();
                return Ok(None);
            }
            "preempt" => {
                let block = self.environment.block;
                self.runtime(offset_of!(Runtime, preempt), self.cx.void(), &[block]);
                self.waits = true;
                return Ok(None);
            }
            "vprintf" => {
                self.lane_calls(offset_of!(Runtime, vprintf), Some(i32_type), &arguments)?
            }
            "malloc" => {
                self.lane_calls(offset_of!(Runtime, malloc), Some(self.cx.ptr(0)), &arguments)?
            }
            "free" => {
                self.lane_calls(offset_of!(Runtime, free), None, &arguments)?;
                return Ok(None);
            }
            "assertfail" => {
                self.assert_fail(&arguments)?;
                return Ok(None);
            }
            "trap" => {
                let all = [self.environment.block, self.environment.warp, self.active_bits()];
                self.runtime(offset_of!(Runtime, trap), self.cx.void(), &all);
                return Ok(None);
            }
            _ if name.starts_with("texture.") => self.texture(&arguments)?,
            _ if name.starts_with("matrix.") => return self.matrix(call),
            "exit" if self.is_kernel => return Ok(None),
            "exit" => {
                return Err(Error::Unsupported(
                    "`exit` in a function that is not inlined".to_owned(),
                ));
            }
            _ if math::is_apart(name, Approximations::Exact) => {
                self.approximation(name, arguments[0])
            }
            _ if name.starts_with("lane.") => self.lane_operation(name, &arguments)?,
            _ => match name.strip_prefix("isspacep.") {
                Some(space) => self.is_in_space(space, arguments[0]),
                None => return self.warp_operation(name, &arguments).map(Some),
            },
        };
        Ok(Some(lanes))
    }

    /// `isspacep`: shared memory is the block's, local memory lies around this frame, the rest is global.
    fn is_in_space(&mut self, space: &str, pointer: Value<'c>) -> Lanes<'c> {
        let lanes = self.get(pointer);
        let uniform = matches!(lanes, Lanes::Uniform(_));
        let pointers = if uniform { self.base(&lanes) } else { self.vector(&lanes) };
        let b = &self.b;
        let i64_type = self.cx.i64();
        let ty = if uniform { i64_type } else { i64_type.vector(LANES) };
        let spread = |value: Value<'c>| if uniform { value } else { self.splat(value) };
        let addresses = b.ptr_to_int(pointers, ty);
        let within = |start: Value<'c>, size: Value<'c>| {
            b.icmp(IntPredicate::LLVMIntULT, b.sub(addresses, spread(start)), spread(size))
        };
        let shared = || {
            let offset = offset_of!(BlockContext, total_shared_size);
            let size = field(b, self.environment.block, offset, self.cx.i32(), 4);
            within(b.ptr_to_int(self.environment.shared, i64_type), b.zext(size, i64_type))
        };
        let local = || {
            let (start, size) = local_memory::range(b, self.module);
            within(start, size)
        };
        let answer = match space {
            "shared" => shared(),
            "local" => local(),
            "global" => {
                // Other blocks of the cluster count as shared memory too.
                let place = b.sub(addresses, spread(self.cluster_shared()));
                let bits = cpu_abi::CLUSTER_SHARED_STRIDE.trailing_zeros();
                let place = b.lshr(place, spread(i64_type.const_int(bits.into())));
                let blocks = b.zext(self.cluster_blocks(), i64_type);
                let shared = b.icmp(IntPredicate::LLVMIntULT, place, spread(blocks));
                b.not(b.or(shared, local()))
            }
            _ => spread(self.cx.i1().const_int(0)),
        };
        if uniform { Lanes::Uniform(answer) } else { Lanes::Vector(answer) }
    }

    /// An operand that all lanes have to agree on; where the analysis cannot see it, the first lane's.
    fn uniform(&self, value: Value<'c>) -> Value<'c> {
        match self.get(value) {
            Lanes::Uniform(value) => value,
            lanes => self.first_active(self.vector(&lanes)),
        }
    }

    fn barrier_reduce(&mut self, name: &str, arguments: &[Value<'c>]) -> Lanes<'c> {
        let kind = match name {
            "barrier.red.popc" => BarrierReduction::Popc,
            "barrier.red.and" => BarrierReduction::And,
            _ => BarrierReduction::Or,
        };
        let condition = self.get(arguments[2]);
        let condition = self.vector(&condition);
        if self.returns {
            return self.wait_and_reduce(name, condition);
        }
        self.part();
        let all = [
            self.environment.block,
            self.environment.warp,
            self.active_bits(),
            self.uniform(arguments[0]),
            self.uniform(arguments[1]),
            self.cx.i32().const_int(kind as u64),
            self.active_where(condition),
        ];
        let result = self.runtime(offset_of!(Runtime, barrier_reduce), self.cx.i32(), &all);
        self.waits = true;
        Lanes::Uniform(match kind {
            BarrierReduction::Popc => result,
            _ => self.b.trunc(result, self.cx.i1()),
        })
    }

    /// Lets other warps of the block run; `nanoseconds` is how long this one sleeps, or 0.
    pub(super) fn yield_warp(&mut self, nanoseconds: Value<'c>) {
        let all = [self.environment.block, self.environment.warp, nanoseconds];
        self.runtime(offset_of!(Runtime, yield_now), self.cx.void(), &all);
    }

    /// Calls the runtime function whose address lies at `offset` of the table.
    pub(super) fn runtime(
        &self,
        offset: usize,
        result: Type<'c>,
        arguments: &[Value<'c>],
    ) -> Value<'c> {
        call_runtime(&self.b, self.environment.runtime, offset, result, arguments)
    }

    /// A runtime call for each active lane; the block's context comes first.
    fn lane_calls(
        &mut self,
        offset: usize,
        result: Option<Type<'c>>,
        arguments: &[Value<'c>],
    ) -> Result<Lanes<'c>, Error> {
        let vectors = self.vectors(arguments);
        let void = self.cx.void();
        let body = |lane: &Lane<'_, 'c>| {
            let mut all = vec![lane.block];
            all.extend(lane.elements);
            let value = lane.runtime(offset, result.unwrap_or(void), &all);
            Ok(result.map(|_| value).into_iter().collect())
        };
        let name = format!("runtime{offset}");
        let made = self.lane_by_lane(&name, &[], &vectors, result.as_slice(), &body)?;
        Ok(match made.first() {
            Some(value) => Lanes::Vector(*value),
            None => Lanes::Composite(Vec::new()),
        })
    }

    /// A call of the runtime for each active lane, with its arguments in memory.
    fn lane_operation(&mut self, name: &str, arguments: &[Value<'c>]) -> Result<Lanes<'c>, Error> {
        let operation = name.strip_prefix("lane.").and_then(LaneOperation::from_word);
        let Some(operation) = operation.filter(|it| it.arguments().len() == arguments.len()) else {
            return Err(Error::Unsupported(format!("the intrinsic `zluda.{name}`")));
        };
        let i64_type = self.cx.i64();
        let words = self.lane_place(usize::MAX, i64_type.array(arguments.len() as u64));
        let number = self.cx.i32().const_int(operation as u64);
        let vectors = self.vectors(arguments);
        let made = self.lane_by_lane(
            "operation",
            &[number, words],
            &vectors,
            &[i64_type],
            &|lane: &Lane<'_, 'c>| {
                let [number, words] = [0, 1].map(|index| lane.uniform[index]);
                for (index, &word) in lane.elements.iter().enumerate() {
                    let place = lane.b.byte_offset(words, i64_type.const_int(8 * index as u64));
                    lane.b.store(word, place, 8);
                }
                let all = [lane.block, number, words];
                Ok(vec![lane.runtime(offset_of!(Runtime, lane_operation), i64_type, &all)])
            },
        )?;
        Ok(Lanes::Vector(made[0]))
    }

    /// A texture or surface instruction of the active lanes: the operands after the first one lie in
    /// rows of a buffer, and so do the results.
    fn texture(&mut self, arguments: &[Value<'c>]) -> Result<Lanes<'c>, Error> {
        let (b, cx) = (&self.b, self.cx);
        let row = cx.i32().vector(LANES);
        let rows = (arguments.len() - 1).max(TEXTURE_RESULTS);
        let row_size = u64::from(LANES) * 4;
        let buffer = self.stack(row.array(rows as u64), 64);
        let place =
            |index: usize| b.byte_offset(buffer, cx.i64().const_int(index as u64 * row_size));
        for (index, &argument) in arguments[1..].iter().enumerate() {
            let lanes = self.get(argument);
            b.store(self.vector(&lanes), place(index), 64);
        }
        let all = [
            self.environment.block,
            self.environment.warp,
            self.active_bits(),
            self.uniform(arguments[0]),
            cx.i32().const_int(LANES.into()),
            buffer,
        ];
        self.runtime(offset_of!(Runtime, texture), cx.void(), &all);
        let results =
            (0..TEXTURE_RESULTS).map(|index| Lanes::Vector(b.load(row, place(index), 64)));
        Ok(Lanes::Composite(results.collect()))
    }

    fn assert_fail(&mut self, arguments: &[Value<'c>]) -> Result<(), Error> {
        let vectors = self.vectors(arguments);
        let (i32_type, void) = (self.cx.i32(), self.cx.void());
        let uniform = [self.environment.warp, self.active_bits()];
        self.lane_by_lane("assert", &uniform, &vectors, &[], &|lane: &Lane<'_, 'c>| {
            let number = lane.b.trunc(lane.number, i32_type);
            let mut all = vec![lane.block, lane.uniform[0], number, lane.uniform[1]];
            all.extend(lane.elements);
            lane.runtime(offset_of!(Runtime, assert_fail), void, &all);
            Ok(Vec::new())
        })?;
        Ok(())
    }
}
