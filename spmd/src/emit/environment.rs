//! [`Environment`]: what the prologue of a warp function reads from the block's context.

use std::mem::offset_of;

use cpu_abi::BlockContext;
use llvm_zluda::{Builder, IntPredicate, Module, Type, Value};

use super::{LANES, Lanes};

pub(super) struct Environment<'c> {
    pub block: Value<'c>,
    pub warp: Value<'c>,
    /// A [`cpu_abi::Group`].
    pub group: Value<'c>,
    pub params: Value<'c>,
    pub shared: Value<'c>,
    pub runtime: Value<'c>,
    pub tid: [Lanes<'c>; 3],
}

/// The engine keeps parameters in words of 8 bytes.
const PARAMS_ALIGNMENT: u64 = 8;

/// Calls the function whose address lies at `offset` of the runtime's table.
pub(super) fn call_runtime<'c>(
    b: &Builder<'c>,
    table: Value<'c>,
    offset: usize,
    result: Type<'c>,
    arguments: &[Value<'c>],
) -> Value<'c> {
    let types: Vec<_> = arguments.iter().map(|argument| argument.ty()).collect();
    let function = field(b, table, offset, b.context().ptr(0), 8);
    b.call_pointer(b.context().function_type(result, &types), function, arguments)
}

/// Loads a field that does not change while the block runs.
pub(super) fn field<'c>(
    b: &Builder<'c>,
    base: Value<'c>,
    offset: usize,
    ty: Type<'c>,
    align: u32,
) -> Value<'c> {
    let pointer = b.byte_offset(base, b.context().i64().const_int(offset as u64));
    let load = b.load(ty, pointer, align);
    load.add_empty_metadata(b.context(), "invariant.load");
    load
}

impl<'c> Environment<'c> {
    /// `param_size` is that of the parameter buffer, where it is known: LLVM then reads parameters before
    /// loops.
    pub fn new(
        module: &Module<'c>,
        b: &Builder<'c>,
        function: Value<'c>,
        rows: Rows,
        param_size: Option<u64>,
    ) -> Self {
        let cx = b.context();
        let block = function.parameter(0);
        let warp = function.parameter(1);
        let pointer = |offset| field(b, block, offset, cx.ptr(0), 8);
        let word = |offset| field(b, block, offset, cx.i32(), 4);
        let ntid: Vec<_> =
            (0..3).map(|axis| word(offset_of!(BlockContext, ntid) + 4 * axis)).collect();
        let first = b.shl(warp, cx.i32().const_int(5));
        let tid = match rows {
            Rows::Whole => row_tid(module, b, function, first, &ntid),
            Rows::Halves => half_row_tid(b, warp, &ntid),
            Rows::Any => any_tid(b, first, &ntid),
        };
        let params = pointer(offset_of!(BlockContext, params));
        if let Some(size @ 1..) = param_size {
            params.add_number_metadata(cx, "dereferenceable", size);
            params.add_number_metadata(cx, "align", PARAMS_ALIGNMENT);
        }
        mark_context(module, function);
        Self {
            block,
            warp,
            group: function.parameter(3),
            params,
            shared: pointer(offset_of!(BlockContext, shared)),
            runtime: pointer(offset_of!(BlockContext, runtime)),
            tid,
        }
    }
}

/// The context of a block, a function's first parameter, can be read at any time, and no kernel writes it.
pub(crate) fn mark_context<'c>(module: &Module<'c>, function: Value<'c>) {
    module.add_parameter_attribute(function, 0, "noalias", 0);
    module.add_parameter_attribute(function, 0, "nonnull", 0);
    module.add_parameter_attribute(function, 0, "readonly", 0);
    let size = size_of::<BlockContext>() as u64;
    module.add_parameter_attribute(function, 0, "dereferenceable", size);
    module.add_parameter_attribute(function, 0, "align", align_of::<BlockContext>() as u64);
}

/// The layout of a block's rows in warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// A warp never spans two rows.
    Whole,
    /// A warp is two rows of 16 threads in one plane.
    Halves,
    Any,
}

fn half_row_tid<'c>(b: &Builder<'c>, warp: Value<'c>, ntid: &[Value<'c>]) -> [Lanes<'c>; 3] {
    let word = |value| b.context().i32().const_int(value);
    let row = b.shl(warp, word(1));
    let y = b.urem(row, ntid[1]);
    let z = b.udiv(row, ntid[1]);
    [
        Lanes::Halves { bases: [word(0); 2], stride: 1, vector: None },
        Lanes::Halves { bases: [y, b.add(y, word(1))], stride: 0, vector: None },
        Lanes::Uniform(z),
    ]
}

/// Rows are whole warps, or there is one row. Warps of the first row, the only one in most launches, do
/// without divisions, and so do those of rows of one warp, and of the first plane: each division is a tenth of what a warp takes
/// that adds a few rows.
fn row_tid<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    function: Value<'c>,
    first: Value<'c>,
    ntid: &[Value<'c>],
) -> [Lanes<'c>; 3] {
    let i32_type = b.context().i32();
    let names = ["later.row", "long.row", "row.known", "later.plane", "known"];
    let [later, long, row_known, later_plane, known] =
        names.map(|name| module.append_block(function, name));
    let before = b.block();
    let zero = i32_type.const_int(0);
    let phi = |incoming: &[_]| {
        let phi = b.phi(i32_type);
        phi.add_incoming(incoming);
        phi
    };
    let in_first = b.icmp(IntPredicate::LLVMIntULT, first, ntid[0]);
    b.cond_br(in_first, known, later);

    b.position_at_end(later);
    let warp = function.parameter(1);
    let is_one_warp = b.icmp(IntPredicate::LLVMIntEQ, ntid[0], i32_type.const_int(LANES.into()));
    b.cond_br(is_one_warp, row_known, long);

    b.position_at_end(long);
    let quotient = b.udiv(first, ntid[0]);
    // A multiple of 32 by the rule above, which LLVM cannot see.
    let rest = b.and(b.sub(first, b.mul(quotient, ntid[0])), i32_type.const_int(!31));
    b.br(row_known);

    b.position_at_end(row_known);
    let row = phi(&[(warp, later), (quotient, long)]);
    let later_x = phi(&[(zero, later), (rest, long)]);
    let in_first_plane = b.icmp(IntPredicate::LLVMIntULT, row, ntid[1]);
    b.cond_br(in_first_plane, known, later_plane);

    b.position_at_end(later_plane);
    let plane = b.udiv(row, ntid[1]);
    let later_y = b.sub(row, b.mul(plane, ntid[1]));
    b.br(known);

    b.position_at_end(known);
    let x = phi(&[(first, before), (later_x, row_known), (later_x, later_plane)]);
    let y = phi(&[(zero, before), (row, row_known), (later_y, later_plane)]);
    let z = phi(&[(zero, before), (zero, row_known), (plane, later_plane)]);
    [Lanes::Strided { base: x, stride: 1, vector: None }, Lanes::Uniform(y), Lanes::Uniform(z)]
}

/// Lanes may lie in any row. All numbers are at most 1024 but for idle lanes of the last warp, and single
/// precision divides those exactly.
fn any_tid<'c>(b: &Builder<'c>, first: Value<'c>, ntid: &[Value<'c>]) -> [Lanes<'c>; 3] {
    let cx = b.context();
    let ints = cx.i32().vector(LANES);
    let floats = cx.f32().vector(LANES);
    let lanes: Vec<_> = (0..LANES as u64).map(|lane| cx.i32().const_int(lane)).collect();
    let linear = b.add(b.splat(first, LANES), b.const_vector(&lanes));
    let divide = |value: Value<'c>, by: Value<'c>| {
        let by = b.splat(by, LANES);
        let quotient = b.fdiv(b.sitofp(value, floats), b.sitofp(by, floats));
        let quotient = b.fptosi(quotient, ints);
        (quotient, b.sub(value, b.mul(quotient, by)))
    };
    let (row, x) = divide(linear, ntid[0]);
    let (z, y) = divide(row, ntid[1]);
    [Lanes::Vector(x), Lanes::Vector(y), Lanes::Vector(z)]
}
