//! Calls: arguments and results against the parameters that they go to.

use ptx_parser::{Call, Function, FunctionKind, Operand, ScalarType, Span, StateSpace, Variable};

use super::bodies::{Body, Entity};
use crate::passes::layout_parameters::{align_of, size_of};

/// Adds errors for a call whose target is no function, or whose arguments and results do not fit what it may reach.
pub fn check<'m, 'a>(body: &mut Body<'m, 'a, '_>, call: &'m Call<'a>, span: Span) {
    let signatures: Vec<(&'m [Variable<'a>], &'m [Variable<'a>])> = match body.find(call.target) {
        Some(Entity::Function(function)) if function.kind == FunctionKind::Entry => {
            let span = body.place(call.target, span);
            return body
                .invalid(span, format!("`{}` is a kernel, which nobody calls", call.target));
        }
        Some(Entity::Function(function)) if call.prototype.is_none() => vec![signature(function)],
        Some(Entity::Function(_)) => {
            let message = format!("the call of `{}` has a prototype besides", call.target);
            return body.invalid(span, message);
        }
        Some(Entity::Variable(register)) if register.space == StateSpace::Reg => {
            match prototypes(body, call, span) {
                Some(signatures) => signatures,
                None => return,
            }
        }
        Some(Entity::Parameter(register, _)) if register.space == StateSpace::Reg => {
            match prototypes(body, call, span) {
                Some(signatures) => signatures,
                None => return,
            }
        }
        Some(_) => {
            let span = body.place(call.target, span);
            return body.invalid(span, format!("`{}` is no function", call.target));
        }
        None => {
            let span = body.place(call.target, span);
            return body.invalid(span, format!("there is no function `{}`", call.target));
        }
    };
    for (returns, parameters) in signatures {
        if returns.len() != call.returns.len() || parameters.len() != call.arguments.len() {
            let message = format!(
                "the call of `{}` has {} arguments and {} results instead of {} and {}",
                call.target,
                call.arguments.len(),
                call.returns.len(),
                parameters.len(),
                returns.len()
            );
            return body.invalid(span, message);
        }
        let formal = parameters.iter().chain(returns);
        for (actual, formal) in call.arguments.iter().chain(&call.returns).zip(formal) {
            argument(body, actual, formal, span);
            if is_narrow_register(formal) {
                let message = format!("the parameter `{}` is a narrow register", formal.name);
                body.invalid(span, message);
            }
        }
    }
}

/// Registers that NVIDIA's compiler does not pass: predicates, and integers of 8 and 16 bits.
fn is_narrow_register(parameter: &Variable<'_>) -> bool {
    let integer = !parameter.type_.is_float() && parameter.type_.bits() <= 16;
    let opaque = parameter.type_.bits() == 0 && parameter.type_ != ScalarType::Pred;
    parameter.space == StateSpace::Reg && parameter.vector.is_none() && integer && !opaque
}

fn signature<'m, 'a>(function: &'m Function<'a>) -> (&'m [Variable<'a>], &'m [Variable<'a>]) {
    (&function.returns, &function.parameters)
}

/// The results and parameters of the functions that a call through a register may reach; an error where the call does
/// not say them.
fn prototypes<'m, 'a>(
    body: &mut Body<'m, 'a, '_>,
    call: &Call<'a>,
    span: Span,
) -> Option<Vec<(&'m [Variable<'a>], &'m [Variable<'a>])>> {
    let Some(name) = call.prototype else {
        body.invalid(span, format!("the call through `{}` has no prototype", call.target));
        return None;
    };
    match body.find(name) {
        Some(Entity::Prototype(prototype)) => {
            Some(vec![(&prototype.returns, &prototype.parameters)])
        }
        Some(Entity::CallTargets(targets)) => Some(
            targets
                .iter()
                .filter_map(|target| match body.find(target) {
                    Some(Entity::Function(function)) => Some(signature(function)),
                    _ => None,
                })
                .collect(),
        ),
        // An array of functions.
        Some(Entity::Variable(variable)) if variable.space != StateSpace::Reg => None,
        _ => {
            let span = body.place(name, span);
            body.invalid(span, format!("there is no prototype `{name}`"));
            None
        }
    }
}

fn argument<'a>(
    body: &mut Body<'_, 'a, '_>,
    actual: &Operand<'a>,
    formal: &Variable<'a>,
    span: Span,
) {
    let name = match actual {
        Operand::Name(name) => *name,
        _ => return,
    };
    let place = body.place(name, span);
    let own = match body.find(name) {
        None => return body.known(name, span),
        Some(Entity::Parameter(variable, _)) if variable.space == StateSpace::Reg => variable,
        Some(Entity::Variable(variable))
            if matches!(variable.space, StateSpace::Reg | StateSpace::Param) =>
        {
            variable
        }
        Some(_) => return body.invalid(place, format!("`{name}` cannot be an argument")),
    };
    if !same_kind(own, formal) {
        body.invalid(
            place,
            format!("`{name}` has another type than the parameter `{}`", formal.name),
        );
    } else if own.space == StateSpace::Param
        && formal.space == StateSpace::Param
        && align_of(own) != align_of(formal)
    {
        let message = format!(
            "`{name}` is aligned at {} bytes, the parameter `{}` at {}",
            align_of(own),
            formal.name,
            align_of(formal)
        );
        body.invalid(place, message);
    }
}

/// Equal sizes, and for scalars no mixture of integers with floats.
fn same_kind(actual: &Variable<'_>, formal: &Variable<'_>) -> bool {
    let untyped = |t: ScalarType| {
        matches!(
            t,
            ScalarType::B8 | ScalarType::B16 | ScalarType::B32 | ScalarType::B64 | ScalarType::B128
        )
    };
    // Registers of a range are declared with it.
    let array = |v: &Variable<'_>| !v.dimensions.is_empty();
    if array(actual) || array(formal) {
        return array(actual) == array(formal) && size_of(actual) == size_of(formal);
    }
    size_of(actual) == size_of(formal)
        && (untyped(actual.type_)
            || untyped(formal.type_)
            || actual.type_.is_float() == formal.type_.is_float())
}
