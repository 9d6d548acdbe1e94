//! Gives the parameters of functions that modules share, and what calls of them pass, the largest alignment that a
//! module asks for: NVIDIA's linker takes declarations that differ in nothing else.

use ptx_parser::{Function, Instruction, Linkage, Operand, StateSpace, Statement, Variable};
use rustc_hash::FxHashMap;

use super::symbols::Table;
use crate::passes::layout_parameters::align_of;

/// Alignments by the names of `.param` variables.
type Wanted<'a> = FxHashMap<&'a str, u64>;

/// Raises the alignments of a function's parameters, and of the arguments in its body, to those in the table.
pub(super) fn run(function: &mut Function<'_>, table: &Table) {
    if function.linkage != Linkage::Internal
        && let Some(shared) = table.symbols.get(function.name)
    {
        let parameters = function.returns.iter_mut().chain(&mut function.parameters);
        parameters.zip(&shared.aligns).for_each(|(parameter, wanted)| align(parameter, *wanted));
    }
    if let Some(body) = &mut function.body {
        let wanted = arguments(body, table);
        function.parameters.iter_mut().for_each(|parameter| take(parameter, &wanted));
    }
}

/// Aligns what the calls in these statements pass, where it is declared in them; what is not is handed on.
fn arguments<'a>(statements: &mut [Statement<'a>], table: &Table) -> Wanted<'a> {
    let mut wanted = Wanted::default();
    for statement in statements.iter_mut() {
        match statement {
            Statement::Block(inner) => {
                for (name, bytes) in arguments(inner, table) {
                    want(&mut wanted, name, bytes);
                }
            }
            Statement::Instruction(guarded) => {
                let Instruction::Call(call) = &guarded.instruction else { continue };
                let Some(shared) = table.symbols.get(call.target) else { continue };
                let operands = call.returns.iter().chain(&call.arguments);
                for (operand, bytes) in operands.zip(&shared.aligns) {
                    if let Operand::Name(name) = operand {
                        want(&mut wanted, name, *bytes);
                    }
                }
            }
            _ => {}
        }
    }
    for statement in statements {
        if let Statement::Variable(variable) = statement {
            take(variable, &wanted);
            wanted.remove(variable.name);
        }
    }
    wanted
}

fn want<'a>(wanted: &mut Wanted<'a>, name: &'a str, bytes: u64) {
    let known = wanted.entry(name).or_default();
    *known = bytes.max(*known);
}

fn take(variable: &mut Variable<'_>, wanted: &Wanted<'_>) {
    if let Some(bytes) = wanted.get(variable.name) {
        align(variable, *bytes);
    }
}

/// Registers have no alignment.
fn align(variable: &mut Variable<'_>, wanted: u64) {
    if variable.space == StateSpace::Param && wanted > align_of(variable) {
        variable.align = u32::try_from(wanted).ok();
    }
}
