//! The linker: several modules become one, which is PTX again.
//!
//! - [`Linker`]: what a driver uses. Start reading there.
//! - `symbols`: what a module declares and defines, and the rules by which modules fit together.
//! - `undefined`: which symbols are wanted and not there.
//! - `join`: the text of all modules as one.
//! - `align_parameters`: modules may ask for other alignments of a function's parameters.
//! - `system.ptx`: what the system defines, as far as it is PTX.

mod align_parameters;
mod join;
mod symbols;
#[cfg(test)]
mod tests;
mod undefined;

use ptx_parser::{Error, ErrorKind, Span};

use crate::check::{self, Extent};
use crate::diagnostics::Diagnostics;
use symbols::{Module, Table};

/// The first version of PTX whose modules NVIDIA's driver links.
const OLDEST: (u16, u16) = (3, 1);

/// The declarations of functions that no module has to define because the system does.
const SYSTEM: &str = include_str!("system.ptx");

/// Modules that become one.
#[derive(Debug, Default)]
pub struct Linker {
    inputs: Vec<Input>,
    table: Table,
    /// The modules that are added when they are wanted.
    offered: Vec<Input>,
    /// Modules do not fit together: nothing can be linked any more.
    failed: bool,
}

#[derive(Debug)]
pub(crate) struct Input {
    /// For messages.
    name: String,
    text: String,
    module: Module,
}

/// Why modules cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// A module breaks the language's rules; it is left out, and the others may be linked.
    #[error("{0}")]
    Text(Diagnostics),
    /// Modules that do not fit together, a message each.
    #[error("{}", .0.join("\n"))]
    Symbols(Vec<String>),
}

/// The functions of the barrier of a grid, as a part of a module that declares them: `__cuda_syscall_CGS_get_intrinsic_handle`
/// and `__cuda_syscall_CGS_sync`.
pub fn grid_barrier() -> &'static str {
    SYSTEM.split_once(".address_size 64").map_or(SYSTEM, |(_, functions)| functions)
}

impl Linker {
    /// A linker without modules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a module. `name` is what messages call it.
    pub fn add(&mut self, name: &str, text: &str) -> Result<(), LinkError> {
        let text = text.trim_end_matches('\0');
        let parse = ptx_parser::parse(text);
        let mut errors = check::errors(&parse.module, parse.errors, text, Extent::Part);
        if parse.module.version < OLDEST {
            let message = format!("modules to link need version {}.{}", OLDEST.0, OLDEST.1);
            errors.push(Error::invalid(Span::default(), message));
        }
        let wrong = |kind| kind != ErrorKind::Unsupported;
        if errors.iter().any(|error| wrong(error.kind) || error.function.is_none()) {
            return Err(LinkError::Text(Diagnostics::new(errors, text)));
        }
        if self.failed {
            return Err(LinkError::Symbols(Vec::new()));
        }
        let module = Module::of(&parse.module);
        let errors = self.table.merge(self.inputs.len(), name, &module, &self.inputs);
        self.inputs.push(Input { name: name.to_owned(), text: text.to_owned(), module });
        if errors.is_empty() {
            return Ok(());
        }
        self.failed = true;
        Err(LinkError::Symbols(errors))
    }

    /// Offers a module, as archives do: it is added at the end, if it has a kernel, or a definition that is
    /// missing by then.
    pub fn offer(&mut self, name: &str, text: &str) {
        let text = text.trim_end_matches('\0');
        let module = Module::of(&ptx_parser::parse(text).module);
        self.offered.push(Input { name: name.to_owned(), text: text.to_owned(), module });
    }

    /// All modules as one. None at all are an empty module.
    pub fn complete(&mut self) -> Result<String, LinkError> {
        self.offer("system", SYSTEM);
        // What is wanted may want others.
        let wanted = |input: &Input, table: &Table| {
            input.module.symbols.iter().any(|s| s.is_launched() || table.lacks(s))
        };
        while let Some(found) = self.offered.iter().position(|i| wanted(i, &self.table)) {
            let Input { name, text, .. } = self.offered.remove(found);
            self.add(&name, &text)?;
        }
        if self.failed {
            return Err(LinkError::Symbols(Vec::new()));
        }
        let undefined = undefined::find(&self.inputs, &self.table);
        if !undefined.is_empty() {
            return Err(LinkError::Symbols(undefined));
        }
        Ok(join::join(&self.inputs, &self.table))
    }
}
