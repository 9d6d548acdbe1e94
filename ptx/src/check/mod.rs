//! The rules of the language beyond its syntax: names, declarations, calls, initial values. What breaks one
//! is invalid PTX, and its module is none, as for NVIDIA's driver.
//!
//! The rules are those of ptxas, found by trying (tests/differential/modules); where its manual says less, ptxas
//! counts. A module of a version newer than [`NEWEST`] may break rules that are no more.
//!
//! - `header`: version and target; `features`: what they have.
//! - `declarations`: which names a module may declare how often, and what has to be defined.
//! - `functions`: parameters and directives of kernels and functions.
//! - `variables`: state spaces, sizes, initial values.
//! - `bodies`: scopes, labels, operands; `calls`: arguments against parameters.

mod bodies;
mod calls;
mod declarations;
mod features;
mod functions;
mod header;
mod variables;

use ptx_parser::{Directive, Error, Module, NEWEST};

/// The extent of a module: the symbols that it has to define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything that it uses.
    Whole,
    /// Those that other modules do not have.
    Part,
}

/// The errors of the parser, and where those leave whole bodies the errors against the rules here, in the
/// order of the text. `source` is what the tree was made from.
pub fn errors(
    module: &Module<'_>,
    mut syntax: Vec<Error>,
    source: &str,
    extent: Extent,
) -> Vec<Error> {
    // A directive that could not be read declares nothing: what misses it is no error of its own.
    if syntax.iter().all(|error| error.function.is_some()) {
        syntax.extend(run(module, source, extent));
        syntax.sort_by_key(|error| error.span.start);
    }
    syntax
}

/// All errors against the rules here.
fn run(module: &Module<'_>, source: &str, extent: Extent) -> Vec<Error> {
    if module.version > NEWEST {
        return Vec::new();
    }
    let mut errors = Vec::new();
    header::check(module, source, &mut errors);
    features::check(module, &mut errors);
    declarations::check(module, source, extent, &mut errors);
    for directive in &module.directives {
        match directive {
            Directive::Variable(variable) => variables::check_global(module, variable, &mut errors),
            Directive::Function(function) => functions::check(module, function, &mut errors),
            _ => {}
        }
    }
    variables::check_constants(module, &mut errors);
    bodies::check(module, source, &mut errors);
    errors
}
