//! Variables: state spaces, sizes, and initial values.

use ptx_parser::{
    Attribute, Directive, Error, Immediate, Initializer, Linkage, Module, ScalarType, StateSpace,
    Variable,
};
use rustc_hash::FxHashMap;

use crate::architecture;
use crate::passes::layout_parameters::{lanes, size_of};

/// Bytes of `.const` variables of a module.
const MOST_CONSTANTS: u64 = 64 << 10;

/// A variable at module scope.
pub fn check_global(module: &Module<'_>, variable: &Variable<'_>, errors: &mut Vec<Error>) {
    check(variable, errors);
    let name = variable.name;
    let mut invalid = |message: String| errors.push(Error::invalid(variable.span, message));
    if variable.space == StateSpace::Param {
        invalid(format!("the parameter `{name}` stands outside of functions"));
    }
    if variable.space == StateSpace::Tex && module.version >= (1, 5) {
        invalid(format!("`{name}` is in the state space of textures, which version 1.5 has not"));
    }
    if variable.linkage == Linkage::Common && variable.space != StateSpace::Global {
        invalid(format!("`{name}` is `.common` and not `.global`"));
    }
    if variable.linkage == Linkage::Extern && variable.initializer.is_some() {
        invalid(format!("`{name}` is defined in another module, and has an initial value here"));
    }
}

/// Any variable.
pub fn check(variable: &Variable<'_>, errors: &mut Vec<Error>) {
    let name = variable.name;
    let mut invalid = |message: String| errors.push(Error::invalid(variable.span, message));
    if variable.type_ == ScalarType::Pred && variable.space != StateSpace::Reg {
        invalid(format!("the predicate `{name}` is no register"));
    }
    let unsized_behind = variable.dimensions.iter().skip(1).any(|size| *size == 0);
    if unsized_behind {
        invalid(format!("only the first dimension of `{name}` may be without a size"));
    } else if variable.dimensions.first() == Some(&0) && variable.linkage != Linkage::Extern {
        invalid(format!("the array `{name}` has no size"));
    }
    if variable.attributes.contains(&Attribute::Managed) && variable.space != StateSpace::Global {
        invalid(format!("`{name}` is `.managed` and not `.global`"));
    }
    let Some(initializer) = &variable.initializer else { return };
    if !matches!(variable.space, StateSpace::Global | StateSpace::Const) {
        return invalid(format!("variables like `{name}` have no initial value"));
    }
    if variable.type_ == ScalarType::F16 {
        return invalid(format!("`{name}` is a `.f16`, which have no initial value"));
    }
    if let Some(problem) = problem(variable, initializer) {
        invalid(format!("the initial value of `{name}`: {problem}"));
    }
}

/// The mistake in an initial value, as an error says it; none if it is good.
fn problem(variable: &Variable<'_>, initializer: &Initializer<'_>) -> Option<&'static str> {
    let mut sizes = variable.dimensions.clone();
    sizes.extend(variable.vector.map(lanes));
    shape(variable.type_, &sizes, initializer)
}

const MISMATCH: &str = "it does not fit the type";

fn shape(type_: ScalarType, sizes: &[u64], initializer: &Initializer<'_>) -> Option<&'static str> {
    match (initializer, sizes) {
        // Opaque words have lists of properties.
        (Initializer::Property(..), _) | (Initializer::List(_), []) if type_.bits() == 0 => None,
        (Initializer::List(items), [size, inner @ ..]) => {
            if items.len() as u64 > *size {
                return Some("it has more elements than the variable");
            }
            items.iter().find_map(|item| shape(type_, inner, item))
        }
        (Initializer::List(_), []) | (_, [_, ..]) => Some(MISMATCH),
        (Initializer::Immediate(value), []) => {
            let float = matches!(value, Immediate::F32(_) | Immediate::F64(_));
            let bits = matches!(
                type_,
                ScalarType::B8 | ScalarType::B16 | ScalarType::B32 | ScalarType::B64
            );
            (float != type_.is_float() && !bits).then_some(MISMATCH)
        }
        (Initializer::Symbol { .. }, []) => type_.is_float().then_some(MISMATCH),
        (Initializer::Property(..), []) => Some(MISMATCH),
    }
}

/// Addresses in initial values, and the size of all constants.
pub fn check_constants(module: &Module<'_>, errors: &mut Vec<Error>) {
    let mut known: FxHashMap<&str, Option<StateSpace>> = FxHashMap::default();
    let mut constants = 0u64;
    // Machine code has a bank of constants for each kernel, and its module has them all.
    let is_lifted = architecture::is_stated(module);
    for directive in &module.directives {
        match directive {
            Directive::Function(function) => {
                known.insert(function.name, None);
            }
            Directive::Variable(variable) => {
                if variable.space == StateSpace::Const && !is_lifted {
                    constants = constants.saturating_add(size_of(variable));
                    if constants > MOST_CONSTANTS {
                        let message = format!("constants of more than {MOST_CONSTANTS} bytes");
                        errors.push(Error::invalid(variable.span, message));
                        constants = 0;
                    }
                }
                // A variable may hold its own address.
                known.insert(variable.name, Some(variable.space));
                if let Some(initializer) = &variable.initializer {
                    addresses(variable, initializer, &known, errors);
                }
            }
            _ => {}
        }
    }
}

fn addresses(
    variable: &Variable<'_>,
    initializer: &Initializer<'_>,
    known: &FxHashMap<&str, Option<StateSpace>>,
    errors: &mut Vec<Error>,
) {
    match initializer {
        Initializer::List(items) => {
            items.iter().for_each(|item| addresses(variable, item, known, errors));
        }
        Initializer::Symbol { address, .. } => {
            let Some(name) = address.base else { return };
            let message = match known.get(name) {
                None => format!(
                    "`{}` holds the address of `{name}`, which is not declared",
                    variable.name
                ),
                Some(Some(space)) if !matches!(space, StateSpace::Global | StateSpace::Const) => {
                    format!("`{name}` has no address that `{}` could hold", variable.name)
                }
                Some(_) => return,
            };
            errors.push(Error::invalid(variable.span, message));
        }
        Initializer::Immediate(_) | Initializer::Property(..) => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::check::{Extent, errors};

    #[test]
    fn constants_of_ptx_are_64_kib_and_those_of_machine_code_of_each_kernel() {
        let banks = ".const .align 16 .b8 a[40000];\n.const .align 16 .b8 b[40000];\n";
        for (pragma, are_too_many) in [("", true), (".pragma \"compiled_for sm_80\";\n", false)] {
            let text = format!(".version 9.0\n.target sm_90a\n.address_size 64\n{pragma}{banks}");
            let parse = ptx_parser::parse(&text);
            let found = errors(&parse.module, parse.errors, &text, Extent::Whole);
            let says = found.iter().any(|error| error.to_string().contains("constants of more"));
            assert_eq!(says, are_too_many, "{found:?}");
        }
    }
}
