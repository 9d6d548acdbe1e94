//! Intrinsics that one target has besides.

use llvm_zluda::{Module, Value};

use super::declare::declare_as;
use super::{Intrinsic, PREFIX, named, pattern};

/// The table of a target's own functions. They are no intrinsics to analyses.
#[derive(Clone, Copy, Debug)]
pub struct Private(pub &'static [Intrinsic]);

impl Private {
    /// The table of a target that has none.
    pub const NONE: Self = Self(&[]);

    /// The function of a name, which is without [`PREFIX`].
    pub fn named(self, name: &str) -> Option<&'static Intrinsic> {
        self.0.iter().find(|row| pattern::stands_for(row.names, name))
    }

    /// The target's function or the intrinsic `name`, without [`PREFIX`], with as many parameters, as a function of the
    /// module.
    pub fn declare<'c>(self, module: &Module<'c>, name: &str, arguments: usize) -> Value<'c> {
        let row = || self.named(name).or_else(|| named(name));
        let declared = module.function(&format!("{PREFIX}{name}"));
        declared.unwrap_or_else(|| declare_as(module, row(), name, arguments))
    }
}
