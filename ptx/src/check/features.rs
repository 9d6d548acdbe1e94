//! Directives that versions of PTX brought and took away, and the targets that have them.
//!
//! The versions and targets that instructions need stand in their tables.

use ptx_parser::{
    Directive, Error, Function, FunctionDirective, FunctionKind, Linkage, Module, ScalarType, Span,
    StateSpace, Statement, Variable,
};

/// A construct that a module may have from a version and a target on.
struct Feature {
    name: &'static str,
    version: (u16, u16),
    target: u32,
}

const fn since(name: &'static str, version: (u16, u16), target: u32) -> Feature {
    Feature { name, version, target }
}

const KERNEL_PARAMETERS: Feature = since("a list of kernel parameters", (1, 4), 0);
const KERNEL_PROTOTYPE: Feature = since("a kernel without a body", (3, 0), 0);
const POINTER: Feature = since("`.ptr`", (2, 2), 0);
const OPAQUE: Feature = since("an opaque type", (1, 5), 0);
const WIDE: Feature = since("`.b128`", (8, 3), 0);
const UNSIZED: Feature = since("a parameter without a size", (6, 0), 30);
const WEAK: Feature = since("`.weak`", (3, 1), 0);
const COMMON: Feature = since("`.common`", (5, 0), 0);
const PRAGMA: Feature = since("`.pragma`", (2, 0), 0);
const PROTOTYPE: Feature = since("`.callprototype`", (2, 1), 20);
const TARGETS_OF_CALLS: Feature = since("`.calltargets`", (2, 1), 20);
const TARGETS_OF_BRANCHES: Feature = since("`.branchtargets`", (6, 0), 30);

fn of_directive(directive: &FunctionDirective<'_>) -> Option<Feature> {
    use FunctionDirective::*;
    Some(match directive {
        Maxntid(_) => since("`.maxntid`", (1, 3), 0),
        Maxnreg(_) => since("`.maxnreg`", (1, 3), 0),
        Reqntid(_) => since("`.reqntid`", (2, 1), 0),
        Minnctapersm(_) => since("`.minnctapersm`", (2, 0), 0),
        Noreturn => since("`.noreturn`", (6, 4), 30),
        Pragma(_) => PRAGMA,
        _ => return None,
    })
}

struct Check<'m, 'a, 'e> {
    module: &'m Module<'a>,
    errors: &'e mut Vec<Error>,
    function: Option<&'a str>,
}

/// Adds an error for each directive that the module's version or target does not have.
pub fn check(module: &Module<'_>, errors: &mut Vec<Error>) {
    let mut check = Check { module, errors, function: None };
    for directive in &module.directives {
        check.function = None;
        match directive {
            Directive::Variable(variable) => check.variable(variable),
            Directive::Function(function) => check.function(function),
            Directive::Pragma(_) => check.needs(&PRAGMA, Span::default()),
            Directive::Prototype(prototype) => check.needs(&PROTOTYPE, prototype.span),
            _ => {}
        }
    }
}

impl<'m, 'a> Check<'m, 'a, '_> {
    fn invalid(&mut self, span: Span, message: String) {
        let error = Error::invalid(span, message);
        self.errors.push(match self.function {
            Some(function) => error.in_function(function),
            None => error,
        });
    }

    fn needs(&mut self, feature: &Feature, span: Span) {
        let Feature { name, version: (major, minor), target } = *feature;
        if self.module.target.sm().is_some_and(|sm| sm < target) {
            self.invalid(span, format!("{name} needs .target sm_{target} or higher"));
        } else if self.module.version < (major, minor) {
            self.invalid(span, format!("{name} needs PTX ISA .version {major}.{minor} or later"));
        }
    }

    fn linkage(&mut self, linkage: Linkage, span: Span) {
        match linkage {
            Linkage::Weak => self.needs(&WEAK, span),
            Linkage::Common => self.needs(&COMMON, span),
            _ => {}
        }
    }

    fn variable(&mut self, variable: &Variable<'a>) {
        self.linkage(variable.linkage, variable.span);
        if variable.type_ == ScalarType::B128 {
            self.needs(&WIDE, variable.span);
        }
        // NVIDIA's compiler lets arrays pass.
        let opaque = variable.type_.bits() == 0 && variable.dimensions.is_empty();
        if opaque && variable.type_ != ScalarType::Pred {
            self.needs(&OPAQUE, variable.span);
        }
        if variable.pointer.is_some() {
            self.needs(&POINTER, variable.span);
        }
    }

    fn function(&mut self, function: &'m Function<'a>) {
        self.function = Some(function.name);
        self.linkage(function.linkage, function.span);
        let kernel = function.kind == FunctionKind::Entry;
        if kernel && !function.parameters.is_empty() {
            self.needs(&KERNEL_PARAMETERS, function.span);
        }
        if kernel && function.body.is_none() {
            self.needs(&KERNEL_PROTOTYPE, function.span);
        }
        for directive in &function.directives {
            if let Some(feature) = of_directive(directive) {
                self.needs(&feature, function.span);
            }
            if matches!(directive, FunctionDirective::Maxnctapersm(_))
                && self.module.version >= (2, 1)
            {
                let message = "`.maxnctapersm` is gone from PTX ISA .version 2.1 on";
                self.invalid(function.span, message.to_owned());
            }
        }
        let parameters = function.returns.iter().chain(&function.parameters);
        parameters.clone().for_each(|parameter| self.variable(parameter));
        for parameter in parameters {
            if parameter.dimensions.first() == Some(&0) {
                self.needs(&UNSIZED, parameter.span);
            }
            if !kernel
                && parameter.space == StateSpace::Param
                && self.module.target.sm().is_some_and(|sm| sm < 20)
            {
                let message = format!("the parameter `{}` is no register", parameter.name);
                self.invalid(parameter.span, message);
            }
        }
        self.statements(function.body.as_deref().unwrap_or_default(), kernel);
    }

    /// `outermost` are the statements of a kernel, not those of a block in it.
    fn statements(&mut self, statements: &'m [Statement<'a>], outermost: bool) {
        for statement in statements {
            match statement {
                Statement::Block(inner) => self.statements(inner, false),
                Statement::Variable(variable) => {
                    self.variable(variable);
                    let of_kernel = outermost && variable.space == StateSpace::Param;
                    if of_kernel && matches!(self.module.version, (1, 4..=5)) {
                        let message =
                            format!("the parameter `{}` stands in no list", variable.name);
                        self.invalid(variable.span, message);
                    }
                }
                Statement::Prototype(prototype) => self.needs(&PROTOTYPE, prototype.span),
                Statement::CallTargets { span, .. } => self.needs(&TARGETS_OF_CALLS, *span),
                Statement::BranchTargets { span, .. } => self.needs(&TARGETS_OF_BRANCHES, *span),
                Statement::Pragma(_) => self.needs(&PRAGMA, Span::default()),
                _ => {}
            }
        }
    }
}
