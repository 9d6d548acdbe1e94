//! From one thread's function to the function of a warp.
//!
//! [`emit_function`] walks the levels of a function ([`control`]) and makes each instruction
//! for 32 lanes ([`values`], [`arithmetic`], [`memory`], [`wide`], [`atomics`], [`warp`], [`calls`]).

mod arithmetic;
mod atomics;
mod calls;
mod comparisons;
mod control;
mod environment;
mod lane_by_lane;
mod lanes;
mod masked_load;
mod masks;
mod matrix;
mod memory;
mod returning;
pub(crate) mod row_reads;
mod values;
mod warp;
mod warp_splitting;
mod wide;

use llvm_zluda::{Block, Builder, Context, Module, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Error, Options};
use simt::Blocks;
use simt::analysis::cfg::Cfg;
use simt::analysis::divergence::Divergence;
use simt::analysis::flow::Flow;
use simt::analysis::level::Levels;
use simt::analysis::shape::ShapeRules;
use simt::analysis::spinning;
use simt::analysis::warp_splitting::WarpSplits;

pub(crate) use calls::{Overload, declare, lanewise_intrinsic};
use control::OpenLevel;
use environment::Environment;
pub(crate) use environment::{Rows, mark_context};
use lanes::Slot;
pub(crate) use lanes::{LANES, Lanes};
use matrix::MatrixRows;
pub(crate) use memory::{FAR, MIDDLE};
pub(crate) use returning::may_return;
pub(crate) use values::rebuild;

/// A function of per-thread IR and the warp function that takes its place.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'c> {
    pub thread: Value<'c>,
    pub warp: Value<'c>,
}

/// The state that all functions of a module share.
pub(crate) struct Unit<'m, 'c> {
    pub module: &'m Module<'c>,
    pub options: &'m Options,
    /// Device functions by their per-thread form.
    pub functions: &'m FxHashMap<Value<'c>, Value<'c>>,
    /// Those in which lanes may part.
    pub splitting: &'m FxHashSet<Value<'c>>,
}

pub(crate) struct Emitter<'m, 'c> {
    unit: &'m Unit<'m, 'c>,
    module: &'m Module<'c>,
    cx: &'c Context,
    b: Builder<'c>,
    /// Stands at the end of the first block, which holds the stack variables.
    slots_builder: Builder<'c>,
    function: Value<'c>,
    is_kernel: bool,
    cfg: Cfg<'c>,
    levels: Levels,
    divergence: Divergence<'c>,
    /// The places where lanes may part, if they do.
    splits: Option<WarpSplits>,
    environment: Environment<'c>,
    values: FxHashMap<Value<'c>, Lanes<'c>>,
    phi_slots: FxHashMap<Value<'c>, Slot<'c>>,
    /// Blocks whose phis some edge has stored to.
    phis_stored: FxHashSet<usize>,
    /// The mask of each partial node, by level and node.
    mask_slots: FxHashMap<(usize, usize), Value<'c>>,
    result_slot: Option<Slot<'c>>,
    result_stored: bool,
    open: Vec<OpenLevel<'c>>,
    /// The lanes that run the code being made, as `<32 x i1>`.
    mask: Value<'c>,
    /// The code being made is a copy for the case that all lanes come to it.
    whole_copy: bool,
    /// The code being made seldom runs with all lanes, up to this node of the outermost level.
    partial_until: usize,
    /// The loop that is being made for the rounds in which all lanes take part.
    whole_loop: Option<usize>,
    /// Per-thread instructions of copies for whole warps.
    whole_copies_size: u32,
    /// Per-thread instructions of loops that were copied for such rounds.
    whole_rounds_size: usize,
    /// Some lane is known to be active.
    mask_not_empty: bool,
    /// The kernel has to run on coroutines.
    waits: bool,
    /// Warps return where they wait.
    returns: bool,
    /// Memory for the fragments of matrix operations.
    matrix_rows: MatrixRows<'c>,
    /// Memory for what lanes do one after the other.
    lane_places: FxHashMap<(usize, Type<'c>), Value<'c>>,
    /// Memory for what lanes bring to a rendezvous.
    rendezvous_rows: Option<Value<'c>>,
}

/// The purpose of a warp's function.
#[derive(Clone, Copy)]
pub(crate) struct Body {
    pub is_kernel: bool,
    pub rows: Rows,
    pub lanes: Entering,
    /// Warps return where they wait, as far as the function lets them.
    pub may_return: bool,
}

/// The lanes that come to a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entering {
    All,
    Any,
    /// Seldom all of them.
    Some,
}

/// The facts about a function's code that its callers and the engine have to know.
pub(crate) struct Made {
    /// Some warp may wait for another one.
    pub waits: bool,
    /// Lanes of a warp may part.
    pub parts: bool,
    /// Warps return where they wait.
    pub returns: bool,
}

/// Fills `pair.warp`.
pub(crate) fn emit_function<'c>(
    unit: &Unit<'_, 'c>,
    pair: Pair<'c>,
    body: Body,
) -> Result<Made, Error> {
    let Body { is_kernel, rows, .. } = body;
    let module = unit.module;
    let cx = module.context();
    let rules = ShapeRules {
        module,
        row_warps: rows == Rows::Whole,
        whole_warps: unit.options.blocks == Blocks::WholeWarps,
        halves: rows == Rows::Halves,
        two_warps: false,
    };
    let Flow { cfg, levels, divergence } = Flow::new(module, pair.thread, &rules, is_kernel)?;
    let splits = WarpSplits::new(&cfg, &levels, &divergence, is_kernel, unit.splitting);
    let parts = splits.is_some();
    let waits =
        |number: usize| cfg.loops[number].spins || spinning::waits_at_barriers(&cfg, number);
    let returns = body.may_return && !parts && !(0..cfg.loops.len()).any(waits);

    let slots = module.append_block(pair.warp, "slots");
    let start = module.append_block(pair.warp, "start");
    let slots_builder = cx.builder();
    slots_builder.position_at_end(slots);
    let b = cx.builder();
    b.position_at_end(start);
    let lanes = cx.i1().vector(LANES);
    let mask = match body.lanes {
        Entering::All => lanes.all_ones(),
        Entering::Any | Entering::Some => b.bitcast(pair.warp.parameter(2), lanes),
    };
    let param_size =
        module.string_attribute(pair.thread, "zluda-param-size").and_then(|text| text.parse().ok());
    let environment = Environment::new(module, &b, pair.warp, rows, param_size);
    let mut emitter = Emitter {
        unit,
        module,
        cx,
        b,
        slots_builder,
        function: pair.warp,
        is_kernel,
        cfg,
        levels,
        divergence,
        splits,
        environment,
        values: FxHashMap::default(),
        phi_slots: FxHashMap::default(),
        phis_stored: FxHashSet::default(),
        mask_slots: FxHashMap::default(),
        result_slot: None,
        result_stored: false,
        open: Vec::new(),
        mask,
        whole_copy: false,
        partial_until: if body.lanes == Entering::Some { usize::MAX } else { 0 },
        whole_loop: None,
        whole_copies_size: 0,
        whole_rounds_size: 0,
        mask_not_empty: true,
        waits: false,
        returns,
        matrix_rows: MatrixRows::default(),
        lane_places: FxHashMap::default(),
        rendezvous_rows: None,
    };
    emitter.bind_arguments(pair);
    emitter.function_level(pair.thread)?;
    emitter.finish_rows();
    emitter.slots_builder.br(start);
    Ok(Made { waits: emitter.waits, parts, returns })
}

impl<'c> Emitter<'_, 'c> {
    fn block(&self, name: &str) -> Block<'c> {
        self.module.append_block(self.function, name)
    }

    /// A stack variable of the warp function.
    fn stack(&self, ty: Type<'c>, align: u32) -> Value<'c> {
        let slot = self.slots_builder.alloca(ty);
        slot.set_alignment(align);
        slot
    }
}
