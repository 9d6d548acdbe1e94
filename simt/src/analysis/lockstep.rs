//! For targets whose hardware keeps the lanes of a wave together: whether a kernel lets them do so.

use llvm_zluda::{Block, Module, Value};

use super::cfg::Cfg;
use super::flow::Flow;
use super::form;
use super::shape::ShapeRules;
use super::warp_splitting::{self, WarpSplits};
use crate::{Blocks, Error, find_kernel};

/// The warps of a wave, which run in lockstep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waves {
    OneWarp,
    TwoWarps,
}

/// The names of the functions in which lanes work together, or wait for others; the kernel is none of them.
pub fn functions_that_split(module: &Module<'_>) -> Result<Vec<String>, Error> {
    if module.functions().iter().filter(|function| !function.is_declaration()).count() < 2 {
        return Ok(Vec::new());
    }
    let module = module.duplicate();
    form::run(&module, false)?;
    let kernel = find_kernel(&module)?;
    let bodies: Vec<_> =
        module.functions().into_iter().filter(|function| !function.is_declaration()).collect();
    let splitting = warp_splitting::functions(&bodies, kernel.function)?;
    Ok(splitting.into_iter().map(|function| function.name()).collect())
}

/// Whether lanes of a wave may wait for others that are elsewhere in the kernel. What functions do that are not
/// inlined does not count.
pub fn kernel_parts(module: &Module<'_>, blocks: Blocks, waves: Waves) -> Result<bool, Error> {
    if cannot_part(find_kernel(module)?.function) {
        return Ok(false);
    }
    let module = module.duplicate();
    form::run(&module, false)?;
    let kernel = find_kernel(&module)?.function;
    let two_warps = waves == Waves::TwoWarps;
    let row_warps = matches!(blocks, Blocks::RowWarps | Blocks::WholeWarps) && !two_warps;
    let whole_warps = blocks == Blocks::WholeWarps && !two_warps;
    let rules = ShapeRules { module: &module, row_warps, whole_warps, halves: false, two_warps };
    let Flow { cfg, levels, divergence } = Flow::new(&module, kernel, &rules, true)?;
    Ok(WarpSplits::new(&cfg, &levels, &divergence, true, &Default::default()).is_some())
}

/// Whether it is plain at once that lanes do not wait: nothing comes twice, and where lanes meet, all of them come.
fn cannot_part(kernel: Value<'_>) -> bool {
    Cfg::as_it_is(kernel).is_ok_and(|cfg| {
        let meets =
            |block: &Block<'_>| block.instructions().into_iter().any(warp_splitting::is_rendezvous);
        cfg.loops.is_empty() && !cfg.blocks.iter().skip(1).any(meets)
    })
}
