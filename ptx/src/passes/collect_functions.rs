//! Input: the symbols, the summaries, the functions' numbers, and a kernel.
//! Output: the functions and the module-scope shared variables that the kernel reaches.
//! Why here: one kernel with what it reaches is the unit of compilation; lowering starts from it.

use ptx_parser::{FunctionKind, Module, StateSpace};
use rustc_hash::FxHashSet;

use super::index_symbols::{Symbol, Symbols, function as function_at, variable};
use super::layout_parameters::{align_of, size_of};
use super::number_functions::Numbers;
use super::summarize_functions::Summaries;

/// All as indices into the directives, in the order of the module.
#[derive(Debug, Default)]
pub struct Reached {
    /// The kernel itself is not among them. Declarations without a body are.
    pub functions: Vec<usize>,
    pub shared: Vec<usize>,
    /// Some function that is reached calls through a register.
    pub calls_indirectly: bool,
    /// Addresses of `.local` variables go through registers of 32 bits.
    pub narrow_local_addresses: bool,
    /// Functions that may come back to themselves may end the thread.
    pub exits_from_recursion: bool,
    /// Bytes of static shared memory, the functions' own variables included.
    pub static_shared: u64,
    /// Bytes of `.local` variables of all functions.
    pub local_size: u64,
}

/// All that the kernel, an index into the directives, reaches.
pub fn run(
    module: &Module<'_>,
    symbols: &Symbols<'_>,
    summaries: &Summaries<'_>,
    numbers: &Numbers,
    kernel: usize,
) -> Reached {
    let mut reached = Reached::default();
    let mut seen = vec![false; module.directives.len()];
    let mut work = vec![kernel];
    let mut own_shared = Vec::new();
    if let Some(slot) = seen.get_mut(kernel) {
        *slot = true;
    }
    while let Some(function) = work.pop() {
        if function != kernel {
            reached.functions.push(function);
        }
        let Some(summary) = summaries.get(function) else { continue };
        // As NVIDIA's assembler rounds a function's frame.
        reached.local_size += summary.local_size.next_multiple_of(summary.local_align.max(8));
        reached.narrow_local_addresses |= summary.narrow_local_addresses;
        own_shared.extend(&summary.shared);
        let mut visit = |symbol: Symbol| {
            let (Symbol::Function(index) | Symbol::Variable(index)) = symbol;
            if std::mem::replace(&mut seen[index], true) {
                return;
            }
            match symbol {
                Symbol::Function(index) => work.push(index),
                Symbol::Variable(index) => {
                    let shared = [StateSpace::Shared, StateSpace::SharedCta];
                    if variable(module, index).is_some_and(|v| shared.contains(&v.space)) {
                        reached.shared.push(index);
                    }
                }
            }
        };
        summary.calls.iter().filter_map(|name| symbols.get(name)).for_each(&mut visit);
        summary
            .addresses
            .iter()
            .filter_map(|name| symbols.get(name))
            .filter(|symbol| matches!(symbol, Symbol::Variable(_)))
            .for_each(&mut visit);
        if summary.calls_indirectly {
            reached.calls_indirectly = true;
            let callable = |&&index: &&usize| {
                function_at(module, index).is_some_and(|f| f.kind != FunctionKind::Entry)
            };
            let callable = numbers.functions.iter().filter(callable);
            callable.for_each(|&index| visit(Symbol::Function(index)));
        }
    }
    reached.exits_from_recursion = exits_from_recursion(&reached, symbols, summaries, numbers);
    reached.functions.sort_unstable();
    reached.shared.sort_unstable();
    let module_scope = reached
        .shared
        .iter()
        .filter_map(|&i| variable(module, i))
        .map(|v| (size_of(v), align_of(v)));
    for (size, align) in module_scope.chain(own_shared) {
        reached.static_shared = reached.static_shared.next_multiple_of(align) + size;
    }
    reached
}

/// Whether `exit` stands in or below functions that call each other in circles.
fn exits_from_recursion(
    reached: &Reached,
    symbols: &Symbols<'_>,
    summaries: &Summaries<'_>,
    numbers: &Numbers,
) -> bool {
    let summary = |function: &usize| summaries.get(*function);
    let mut exiting: FxHashSet<usize> = reached
        .functions
        .iter()
        .copied()
        .filter(|function| summary(function).is_some_and(|summary| summary.exits))
        .collect();
    let calls_one_of = |function: usize, callees: &FxHashSet<usize>| {
        let Some(summary) = summaries.get(function) else { return false };
        let by_name = summary.calls.iter().filter_map(|name| symbols.get(name));
        by_name
            .into_iter()
            .any(|symbol| matches!(symbol, Symbol::Function(index) if callees.contains(&index)))
            || (summary.calls_indirectly
                && numbers.functions.iter().any(|index| callees.contains(index)))
    };
    // Those that call them, until there are no more.
    let mut before = 0;
    while exiting.len() != before {
        before = exiting.len();
        for &function in &reached.functions {
            if !exiting.contains(&function) && calls_one_of(function, &exiting) {
                exiting.insert(function);
            }
        }
    }
    // Without those that call none of the others, until there are no more, circles remain.
    before = usize::MAX;
    while exiting.len() != before {
        before = exiting.len();
        let callers: FxHashSet<usize> =
            exiting.iter().copied().filter(|&function| calls_one_of(function, &exiting)).collect();
        exiting = callers;
    }
    !exiting.is_empty()
}
