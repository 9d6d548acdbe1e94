//! [`Flow`]: how control goes through a function, for the warp and for its lanes.

use llvm_zluda::{Module, Value};
use rustc_hash::FxHashSet;

use super::cfg::Cfg;
use super::divergence::Divergence;
use super::level::Levels;
use super::shape::ShapeRules;
use super::{spinning, warp_splitting};
use crate::Error;

/// The loops of a function, their levels, and where lanes part.
pub struct Flow<'c> {
    pub cfg: Cfg<'c>,
    pub levels: Levels,
    pub divergence: Divergence<'c>,
}

impl<'c> Flow<'c> {
    /// Loops that wait are widened where lanes do not leave them together ([`spinning`]), for which the function may
    /// change.
    pub fn new(
        module: &Module<'c>,
        function: Value<'c>,
        rules: &ShapeRules<'_, 'c>,
        is_kernel: bool,
    ) -> Result<Self, Error> {
        let mut wide = FxHashSet::default();
        loop {
            let mut cfg = Cfg::as_it_is(function)?;
            spinning::take_in_what_follows(&mut cfg, module, &wide);
            let levels = Levels::new(&cfg);
            let divergence = Divergence::new(&cfg, &levels, rules);
            // Lanes of one loop may come one by one to another only after the first is widened.
            let apart = warp_splitting::waits_apart(&cfg, &levels, &divergence, is_kernel);
            let before = wide.len();
            wide.extend(apart);
            if wide.len() == before {
                return Ok(Self { cfg, levels, divergence });
            }
        }
    }
}
