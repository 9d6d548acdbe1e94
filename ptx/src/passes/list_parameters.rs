//! Input: the tree of a module.
//! Output: kernels of versions before 1.4, which declare their parameters in their bodies, have them in their lists.
//! Why here: after the checks, which see what is written, and before all else, which knows lists only.

use ptx_parser::{Directive, FunctionKind, Module, StateSpace, Statement};

/// The first version with lists of kernel parameters.
const LISTS: (u16, u16) = (1, 4);

/// Moves parameters from the bodies of kernels to their lists, where the module's version is before 1.4.
pub fn run(module: &mut Module<'_>) {
    if module.version >= LISTS {
        return;
    }
    for directive in &mut module.directives {
        let Directive::Function(function) = directive else { continue };
        if function.kind != FunctionKind::Entry {
            continue;
        }
        let Some(body) = &mut function.body else { continue };
        body.retain(|statement| match statement {
            Statement::Variable(variable) if variable.space == StateSpace::Param => {
                function.parameters.push(variable.clone());
                false
            }
            _ => true,
        });
    }
}
