//! The order of all passes, here and nowhere else.

use llvm_zluda::{Context, Module, timed};
use ptx_parser::{
    Directive, Error, ErrorKind, FunctionDirective, FunctionKind, Linkage, StateSpace,
};
use simt::intrinsics::Private;
use simt::parameters;
use simt::passes::{Pass, Runner};

use crate::architecture;
use crate::check::{self, Extent};
use crate::diagnostics::Diagnostics;
use crate::info::{KernelError, KernelInfo, ParamInfo};
use crate::lower::device_runtime;
use crate::lower::module::Unit;
use crate::options::{Options, Stage};
use crate::passes::canonicalize_nans;
use crate::passes::collect_functions::{self, Reached};
use crate::passes::fuse_products;
use crate::passes::index_symbols::{self, Symbol, Symbols};
use crate::passes::inline_exits;
use crate::passes::layout_globals::{self, Globals};
use crate::passes::layout_parameters::{self, align_of, size_of};
use crate::passes::list_parameters;
use crate::passes::number_functions::{self, Numbers};
use crate::passes::remove_flushes;
use crate::passes::summarize_functions;
use crate::passes::{insert_preemptions, insert_turns, watch_shared};
use crate::processors::on_all_processors;
use crate::program::Joined;
use crate::target::{self, Machine, Target};

/// The names of the passes over PTX, in their order. Most are files of `passes`.
const PASSES: &[&str] = &[
    "parse",
    "list_parameters",
    "fuse_products",
    "index_symbols",
    "summarize_functions",
    "number_functions",
    "layout_globals",
    "collect_functions",
    "layout_parameters",
    "lower",
];

/// The passes over the per-thread IR of all targets.
const PER_THREAD: &[Pass<State, simt::Error>] = &[
    Pass::own("inline_exits", |module, state| Ok(inline_exits::run(module, &state.kernel)?)),
    // Registers become values, and what never runs goes away.
    Pass::llvm("clean", "function(sroa,early-cse,simplifycfg),globaldce"),
    Pass::own("watch_shared", |module, state| {
        if state.was_machine_code {
            watch_shared::run(module);
        }
        Ok(())
    }),
    Pass::own("remove_flushes", |module, _| {
        remove_flushes::run(module);
        Ok(())
    }),
    Pass::own("canonicalize_nans", |module, _| {
        canonicalize_nans::run(module);
        Ok(())
    }),
    Pass::own("insert_turns", |module, state| {
        if state.runs_warps_in_turn {
            insert_turns::run(module);
        }
        Ok(())
    }),
    Pass::own("insert_preemptions", |module, state| {
        if state.preempts {
            insert_preemptions::run(module);
        }
        Ok(())
    }),
];

/// The state of the passes over per-thread IR, besides the kernel's module.
struct State {
    /// The kernel's name.
    kernel: String,
    /// It does not say which accesses to shared memory are volatile.
    was_machine_code: bool,
    /// A warp runs until it waits before another one does.
    runs_warps_in_turn: bool,
    /// Threads may be left before each access that others can see.
    preempts: bool,
}

/// The names that `ZLUDA_DEBUG=print=<pass>` and `stop-after=<pass>` take. Several targets may have a pass of one name.
pub fn pass_names() -> impl Iterator<Item = &'static str> {
    let own = PASSES.iter().copied().chain(PER_THREAD.iter().map(|pass| pass.name));
    own.chain(spmd::pass_names()).chain(amdgcn::pass_names())
}

/// Threads in a block of CUDA, at most.
const MAX_THREADS: u32 = 1024;

/// The results of the passes over the whole module.
pub struct Analysis<'a> {
    pub tree: ptx_parser::Module<'a>,
    pub symbols: Symbols<'a>,
    pub numbers: Numbers,
    pub globals: Globals,
    pub kernels: Vec<KernelInfo>,
    /// For each of `kernels`: its index in the directives, and what it reaches.
    reached: Vec<(usize, Reached)>,
}

/// Once per module.
pub fn analyze(text: &str) -> Result<Analysis<'_>, Diagnostics> {
    let parse = ptx_parser::parse(text);
    let mut tree = parse.module;
    let errors = check::errors(&tree, parse.errors, text, Extent::Whole);
    // What is not known yet costs the functions that have it; what is wrong costs the module.
    if errors.iter().any(|error| error.kind != ErrorKind::Unsupported || error.function.is_none()) {
        return Err(Diagnostics::new(errors, text));
    }
    let local = errors;
    timed("list_parameters", || list_parameters::run(&mut tree));
    timed("fuse_products", || fuse_products::run(&mut tree));
    let symbols = timed("index_symbols", || index_symbols::run(&tree));
    let summaries = timed("summarize_functions", || summarize_functions::run(&tree, &symbols));
    let numbers = timed("number_functions", || number_functions::run(&tree, &symbols, &summaries));
    let globals = timed("layout_globals", || layout_globals::run(&tree, &symbols, &numbers))
        .map_err(|errors| Diagnostics::new(errors, text))?;
    let (const_size, dynamic_align) = (const_size(&tree), dynamic_align(&tree));
    let mut kernels = Vec::new();
    let mut all_reached = Vec::new();
    for (index, directive) in tree.directives.iter().enumerate() {
        if let Directive::Function(function) = directive
            && function.kind == FunctionKind::Entry
            && symbols.get(function.name) == Some(Symbol::Function(index))
            && function.body.is_some()
        {
            let reached = timed("collect_functions", || {
                collect_functions::run(&tree, &symbols, &summaries, &numbers, index)
            });
            let mut info = describe(function, &reached);
            info.architecture = architecture::of(&tree);
            info.const_size = const_size;
            // Dynamic shared memory begins at a multiple of 16 at least, whatever its declaration says.
            let least = if reaches_dynamic(&reached, &tree) { 16 } else { 1 };
            info.static_shared = info.static_shared.next_multiple_of(dynamic_align.max(least));
            let of_machine_code = lifted(function, "address ").and_then(|text| text.parse().ok());
            info.address = of_machine_code.or_else(|| numbers.address(index)).unwrap_or(0);
            info.launches_graphs = launches_graphs(&reached, &tree);
            info.error = error_of(function, &reached, &tree, &local, text);
            kernels.push(info);
            all_reached.push((index, reached));
        }
    }
    Ok(Analysis { tree, symbols, numbers, globals, kernels, reached: all_reached })
}

/// Bytes of the `.const` variables, one behind the other.
fn const_size(tree: &ptx_parser::Module<'_>) -> u32 {
    let mut size = 0_u64;
    for variable in variables(tree, StateSpace::Const) {
        size = size.next_multiple_of(align_of(variable)).saturating_add(size_of(variable));
    }
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// The greatest alignment of dynamic shared memory, which begins behind the static one.
fn dynamic_align(tree: &ptx_parser::Module<'_>) -> u32 {
    let dynamic = variables(tree, StateSpace::Shared).filter(|v| v.linkage == Linkage::Extern);
    dynamic.map(|variable| align_of(variable).min(1024) as u32).max().unwrap_or(1)
}

/// Whether a kernel names dynamic shared memory.
fn reaches_dynamic(reached: &Reached, tree: &ptx_parser::Module<'_>) -> bool {
    reached.shared.iter().any(|&index| {
        matches!(&tree.directives[index], Directive::Variable(v) if v.linkage == Linkage::Extern)
    })
}

/// The variables of the module in a state space, those of functions apart.
fn variables<'t, 'a>(
    tree: &'t ptx_parser::Module<'a>,
    space: StateSpace,
) -> impl Iterator<Item = &'t ptx_parser::Variable<'a>> {
    tree.directives.iter().filter_map(move |directive| match directive {
        Directive::Variable(variable) if variable.space == space => Some(variable),
        _ => None,
    })
}

/// The names of all functions that a kernel reaches.
fn names<'a>(reached: &Reached, tree: &ptx_parser::Module<'a>) -> impl Iterator<Item = &'a str> {
    reached.functions.iter().filter_map(|&index| match tree.directives.get(index) {
        Some(Directive::Function(function)) => Some(function.name),
        _ => None,
    })
}

fn launches_graphs(reached: &Reached, tree: &ptx_parser::Module<'_>) -> bool {
    names(reached, tree).any(device_runtime::launches_graphs)
}

/// The errors in a kernel and in all that it reaches.
fn error_of(
    kernel: &ptx_parser::Function<'_>,
    reached: &Reached,
    tree: &ptx_parser::Module<'_>,
    errors: &[Error],
    text: &str,
) -> Option<KernelError> {
    if let Some(reason) = refusal(kernel) {
        let text = format!("its machine code cannot be lifted: {reason}");
        return Some(KernelError { invalid: false, text });
    }
    if errors.is_empty() {
        return None;
    }
    let names: Vec<&str> = std::iter::once(kernel.name).chain(names(reached, tree)).collect();
    let own: Vec<Error> = errors
        .iter()
        .filter(|error| error.function.as_deref().is_some_and(|name| names.contains(&name)))
        .cloned()
        .collect();
    if own.is_empty() {
        return None;
    }
    let diagnostics = Diagnostics::new(own, text);
    let invalid = diagnostics.kind() == ErrorKind::Invalid;
    Some(KernelError { invalid, text: diagnostics.to_string() })
}

/// Why there is no PTX of machine code, as its lifting has left it.
fn refusal<'a>(kernel: &ptx_parser::Function<'a>) -> Option<&'a str> {
    lifted(kernel, "cannot be lifted: ")
}

/// Begins a pragma with the bytes of local memory.
const LOCAL: &str = "local ";

/// What lifting machine code has left in a pragma of the kernel, behind these words.
fn lifted<'a>(kernel: &ptx_parser::Function<'a>, words: &str) -> Option<&'a str> {
    let pragmas = kernel.directives.iter().filter_map(|directive| match directive {
        FunctionDirective::Pragma(texts) => Some(texts),
        _ => None,
    });
    pragmas.flatten().find_map(|text| text.strip_prefix(words))
}

/// Begins a pragma with the offsets of all parameters, where alignments do not give them.
const OFFSETS: &str = "offsets ";

/// The parameters of a kernel, and the size of all.
fn placed_parameters(kernel: &ptx_parser::Function<'_>) -> (Vec<ParamInfo>, u32) {
    let (laid_out, size) = layout_parameters::run(&kernel.parameters);
    let mut params = laid_out.clone();
    let Some(offsets) = lifted(kernel, OFFSETS) else { return (laid_out, size) };
    let mut end = 0u32;
    let mut offsets = offsets.split(' ').map(|offset| offset.parse::<u32>().ok());
    for parameter in &mut params {
        let offset = offsets.next().flatten().filter(|offset| (end..MOST_OFFSET).contains(offset));
        let Some(offset) = offset else { return (laid_out, size) };
        parameter.offset = offset;
        end = offset.saturating_add(parameter.size);
    }
    (params, end)
}

/// No parameter lies behind it: bank 0 has 64 KiB.
const MOST_OFFSET: u32 = 1 << 16;

fn describe(kernel: &ptx_parser::Function<'_>, reached: &Reached) -> KernelInfo {
    let (params, param_size) = timed("layout_parameters", || placed_parameters(kernel));
    let hidden_offset = parameters::hidden_offset(param_size);
    let mut info = KernelInfo {
        name: kernel.name.to_owned(),
        params,
        param_size,
        hidden_offset,
        total_param_size: hidden_offset.saturating_add(parameters::HIDDEN_BYTES),
        static_shared: u32::try_from(reached.static_shared).unwrap_or(u32::MAX),
        local_size: lifted(kernel, LOCAL)
            .and_then(|size| size.parse().ok())
            .unwrap_or_else(|| u32::try_from(reached.local_size).unwrap_or(u32::MAX)),
        max_threads: MAX_THREADS,
        registers: lifted(kernel, "registers ").and_then(|count| count.parse().ok()),
        machine_code_shared: lifted(kernel, "shared ").and_then(|size| size.parse().ok()),
        visible: matches!(kernel.linkage, Linkage::Visible | Linkage::Weak),
        ..KernelInfo::default()
    };
    for directive in &kernel.directives {
        match directive {
            FunctionDirective::Maxntid(size) => info.maxntid = Some(*size),
            FunctionDirective::Reqntid(size) => info.reqntid = Some(*size),
            FunctionDirective::Minnctapersm(count) => info.min_blocks = Some(*count),
            FunctionDirective::Reqnctapercluster(size) => info.cluster = Some(*size),
            FunctionDirective::Explicitcluster => info.explicit_cluster = true,
            FunctionDirective::Maxclusterrank(count) => info.max_cluster_blocks = Some(*count),
            FunctionDirective::Blocksareclusters => info.grid_of_clusters = true,
            _ => {}
        }
    }
    if let Some([x, y, z]) = info.reqntid.or(info.maxntid) {
        let threads = u64::from(x.max(1)) * u64::from(y.max(1)) * u64::from(z.max(1));
        info.max_threads = u32::try_from(threads).unwrap_or(MAX_THREADS).min(MAX_THREADS);
    }
    info
}

/// Once per kernel and target.
pub fn compile(
    text: &str,
    analysis: &Analysis<'_>,
    kernel: &str,
    target: &Target,
    options: &Options,
    stage: Stage,
) -> Result<Vec<u8>, Diagnostics> {
    if stage == Stage::Ast {
        return Ok(analysis.tree.to_string().into_bytes());
    }
    if !llvm_zluda::IS_THERE {
        let message = "this build has no compiler".to_owned();
        return Err(Diagnostics::unsupported(kernel, message));
    }
    // Nobody reads the names of what becomes an object.
    let context = if stage == Stage::Obj { Context::without_names() } else { Context::new() };
    let machine = target.machine(kernel, options)?;
    let (module, info) = per_thread(text, analysis, kernel, &machine, options, &context)?;
    if stage == Stage::Ir {
        return Ok(module.print().into_bytes());
    }
    machine.finish(module, text, info, options, stage)
}

/// Several kernels as one object, for targets that have that: each on a thread of its own, as far as there are processors.
pub fn compile_together(
    text: &str,
    analysis: &Analysis<'_>,
    kernels: &[String],
    target: &Target,
    options: &Options,
) -> Result<Joined, Diagnostics> {
    let outcomes = on_all_processors(kernels, |kernel| {
        let context = Context::without_names();
        let machine = target.machine(kernel, options)?;
        let (module, info) = per_thread(text, analysis, kernel, &machine, options, &context)?;
        machine.relocatable(module, text, info)
    });
    let (mut objects, mut failures) = (Vec::new(), Vec::new());
    for (kernel, outcome) in kernels.iter().zip(outcomes) {
        match outcome {
            Ok(object) => objects.push(object),
            Err(diagnostics) => failures.push((kernel.clone(), diagnostics)),
        }
    }
    let object = match objects.len() {
        0 => Vec::new(),
        _ => target::link(objects)?,
    };
    Ok(Joined { object, failures })
}

/// The per-thread IR of a kernel, and what is known of it.
fn per_thread<'i, 'c>(
    text: &str,
    analysis: &'i Analysis<'_>,
    kernel: &str,
    machine: &Machine,
    options: &Options,
    context: &'c Context,
) -> Result<(Module<'c>, &'i KernelInfo), Diagnostics> {
    let Some(position) = analysis.kernels.iter().position(|info| info.name == kernel) else {
        let error = Error::invalid(
            ptx_parser::Span::default(),
            format!("the module has no kernel `{kernel}`"),
        );
        return Err(Diagnostics::new(vec![error], text));
    };
    let info = &analysis.kernels[position];
    let (index, reached) = &analysis.reached[position];
    watch_analysis(text, analysis, info, reached, options)?;
    let unit = Unit {
        tree: &analysis.tree,
        symbols: &analysis.symbols,
        numbers: &analysis.numbers,
        globals: &analysis.globals,
        reached,
        kernel: *index,
        info,
        checked: options.check_alignment.then_some(text),
    };
    if let Some(most) = machine.shared_memory().filter(|most| info.static_shared > *most) {
        let span = match analysis.tree.directives.get(*index) {
            Some(Directive::Function(function)) => function.span,
            _ => ptx_parser::Span::default(),
        };
        let message = format!(
            "{} bytes of shared memory, of which a block on this GPU has {most}",
            info.static_shared
        );
        let error = Error::unsupported(span, message).in_function(kernel);
        return Err(Diagnostics::new(vec![error], text));
    }
    let lower = || crate::lower::module::lower(context, unit, |module| machine.prepare(module));
    let module = timed(format_args!("lower {kernel}"), lower)
        .map_err(|errors| Diagnostics::new(errors, text))?;
    let runner = runner(options);
    let mut state = State {
        kernel: kernel.to_owned(),
        was_machine_code: match analysis.tree.directives.get(*index) {
            // Lifting says it of all kernels.
            Some(Directive::Function(function)) => lifted(function, LOCAL).is_some(),
            _ => false,
        },
        runs_warps_in_turn: machine.runs_warps_in_turn(),
        preempts: options.preempt,
    };
    let module = runner
        .after("lower", &module)
        .and_then(|()| runner.run(PER_THREAD, module, &mut state))
        .map_err(|error| Diagnostics::of_pass(kernel, error))?;
    Ok((module, info))
}

/// The passes over the whole module ran before anybody asked for a kernel: what they left is shown now.
fn watch_analysis(
    text: &str,
    analysis: &Analysis<'_>,
    info: &KernelInfo,
    reached: &Reached,
    options: &Options,
) -> Result<(), Diagnostics> {
    if options.watch.is_idle() {
        return Ok(());
    }
    let Analysis { tree, symbols, numbers, globals, .. } = analysis;
    let summaries = || format!("{:#?}", summarize_functions::run(tree, symbols));
    let show = |pass, show: &dyn Fn() -> String| {
        let shown = runner(options).show(pass, show);
        shown.map_err(|error| Diagnostics::of_pass(&info.name, error))
    };
    // The tree has changed since, the text has not.
    show("parse", &|| ptx_parser::parse(text).module.to_string())?;
    show("list_parameters", &|| {
        let mut tree = ptx_parser::parse(text).module;
        list_parameters::run(&mut tree);
        tree.to_string()
    })?;
    show("fuse_products", &|| tree.to_string())?;
    show("index_symbols", &|| format!("{symbols:#?}"))?;
    show("summarize_functions", &summaries)?;
    show("number_functions", &|| format!("{numbers:#?}"))?;
    show("layout_globals", &|| format!("{globals:#?}"))?;
    show("collect_functions", &|| format!("{reached:#?}"))?;
    show("layout_parameters", &|| format!("{info:#?}"))
}

fn runner(options: &Options) -> Runner<'_> {
    Runner {
        machine: None,
        private: Private::NONE,
        verify: options.verify || cfg!(debug_assertions),
        verify_each: false,
        watch: &options.watch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_that_cannot_be_lifted_says_why() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
                    .visible .entry a()\n.pragma \"cannot be lifted: .text.a+0x10 `X`\";\n{ trap; }\n\
                    .visible .entry b() { trap; }\n";
        let kernels = analyze(text).unwrap().kernels;
        let errors: Vec<_> = kernels.iter().map(|kernel| kernel.error.clone()).collect();
        let text = "its machine code cannot be lifted: .text.a+0x10 `X`".to_owned();
        assert_eq!(errors, [Some(KernelError { invalid: false, text }), None]);
    }

    #[test]
    fn machine_code_says_the_addresses_of_kernels() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
                    .visible .entry a()\n.pragma \"address 18446620928407240704\";\n{ ret; }\n\
                    .visible .entry b() { ret; }\n";
        let kernels = analyze(text).unwrap().kernels;
        let addresses: Vec<u64> = kernels.iter().map(|kernel| kernel.address).collect();
        assert_eq!(addresses, [0xffff_9000_0000_0000, 0]);
    }

    #[test]
    fn machine_code_says_where_parameters_lie() {
        let of = |offsets: &str| {
            let text = format!(
                ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry a(.param .align 8 .b8 p0[120], \
                 .param .align 16 .b8 p1[384])\n.pragma \"offsets {offsets}\";\n{{ ret; }}\n"
            );
            let kernel = &analyze(&text).unwrap().kernels[0];
            let offsets: Vec<u32> = kernel.params.iter().map(|param| param.offset).collect();
            (offsets, kernel.param_size)
        };
        assert_eq!(of("0 176"), (vec![0, 176], 560));
        // What makes no sense is as if it were not there.
        for wrong in ["0", "0 100", "0 x", "0 4000000000", "200 0", ""] {
            assert_eq!(of(wrong), (vec![0, 128], 512), "{wrong}");
        }
    }

    /// As an H100 counts in programs of several files, whose dynamic arrays have the alignments of their elements.
    #[test]
    fn dynamic_shared_memory_begins_at_multiples_of_16() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
                    .extern .shared .align 8 .b8 dynamic[];\n\
                    .visible .entry both()\n{\n.shared .b32 own;\n.reg .b32 a;\n\
                    ld.shared.b32 a, [own];\nst.shared.b32 [dynamic], a;\nret;\n}\n\
                    .visible .entry no_own() { st.shared.b32 [dynamic], 0; ret; }\n";
        let kernels = analyze(text).unwrap().kernels;
        let bytes: Vec<u32> = kernels.iter().map(|kernel| kernel.static_shared).collect();
        assert_eq!(bytes, [16, 0]);
    }

    #[test]
    fn llvm_has_the_passes_of_the_pipeline() {
        let options = Options::default();
        for pass in PER_THREAD {
            assert_eq!(runner(&options).knows(pass), Ok(()), "{}", pass.name);
        }
    }
}
