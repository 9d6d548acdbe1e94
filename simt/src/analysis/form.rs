//! The form in which functions are analysed.
//!
//! Input: per-thread IR.
//! Output: the same without switches and vectors, with loops that have one entry, a preheader and exits of their own.
//! Why: analyses need not know more.

use llvm_zluda::{Module, run_passes};

use super::cfg::Cfg;
use super::extensions;
use crate::Error;

/// No switches; vectors of one thread fall apart.
const PLAIN: &str = "function(scalarizer,lower-switch)";
/// One entry for every loop. Blocks of their own for all edges come first: LLVM 22 loses what a phi gets over an
/// edge from a block that has a second edge into the same cycle.
const ONE_ENTRY: &str = "function(break-crit-edges,fix-irreducible)";
/// Loops with a preheader, one latch and exits of their own, and no value of a loop used outside but by phis.
const LOOPS: &str = "function(loop-simplify,lcssa)";

/// Brings all functions into the form that the analyses ask for.
pub fn run(module: &Module<'_>, verify: bool) -> Result<(), Error> {
    run_passes(module, PLAIN, None, verify)?;
    extensions::write_out(module);
    let functions = module.functions();
    let mut bodies = functions.iter().filter(|function| !function.is_declaration());
    if bodies.any(|&body| Cfg::as_it_is(body).is_err()) {
        run_passes(module, ONE_ENTRY, None, verify)?;
    }
    Ok(run_passes(module, LOOPS, None, verify)?)
}
