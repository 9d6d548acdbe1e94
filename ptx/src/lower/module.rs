//! A module of per-thread IR: the kernel, the functions that it reaches, and shared variables.

use llvm_zluda::{Context, Linkage as LlvmLinkage, Module, Type, Value};
use ptx_parser::{Error, Function, Linkage};
use rustc_hash::FxHashMap;
use simt::space;

use super::function::FunctionLowering;
use super::signature::Signature;
use crate::info::KernelInfo;
use crate::passes::collect_functions::Reached;
use crate::passes::index_symbols::{Symbols, function, variable};
use crate::passes::layout_globals::Globals;
use crate::passes::layout_parameters::{align_of, size_of};
use crate::passes::number_functions::Numbers;

/// A kernel and all that it reaches, which are lowered together.
#[derive(Clone, Copy)]
pub struct Unit<'u, 'a> {
    pub tree: &'u ptx_parser::Module<'a>,
    pub symbols: &'u Symbols<'a>,
    pub numbers: &'u Numbers,
    pub globals: &'u Globals,
    pub reached: &'u Reached,
    /// The kernel, as an index into the directives.
    pub kernel: usize,
    pub info: &'u KernelInfo,
    /// The module's text, where the alignment of accesses is checked.
    pub checked: Option<&'u str>,
}

/// The module in the making.
pub struct ModuleLowering<'u, 'c, 'a> {
    pub context: &'c Context,
    pub llvm: Module<'c>,
    pub unit: Unit<'u, 'a>,
    /// The functions that are reached, by their index in the directives.
    pub functions: FxHashMap<usize, (Value<'c>, Signature)>,
    /// Shared variables at module scope, by their index in the directives.
    pub shared: FxHashMap<usize, Value<'c>>,
    /// The first byte of shared memory that no variable names, where it is accessed.
    unnamed_shared: Option<Value<'c>>,
    /// The dispatchers of indirect calls that are made already, each with the functions that it may reach.
    pub dispatchers: Vec<(Signature, Vec<usize>, Value<'c>)>,
    /// The code is for an AMD GPU: pointers to local and shared memory have 32 bits.
    pub is_amdgcn: bool,
}

/// Makes the module. `prepare` sets its triple and data layout.
pub fn lower<'c>(
    context: &'c Context,
    unit: Unit<'_, '_>,
    prepare: impl FnOnce(&Module<'c>),
) -> Result<Module<'c>, Vec<Error>> {
    let llvm = context.module(&unit.info.name);
    prepare(&llvm);
    let is_amdgcn = llvm.data_layout().contains("p5:32");
    let mut module = ModuleLowering {
        context,
        llvm,
        unit,
        functions: FxHashMap::default(),
        shared: FxHashMap::default(),
        unnamed_shared: None,
        dispatchers: Vec::new(),
        is_amdgcn,
    };
    for &index in &unit.reached.shared {
        if let Some(variable) = variable(unit.tree, index) {
            let global = module.shared_variable(variable);
            module.shared.insert(index, global);
        }
    }
    let mut errors = Vec::new();
    for &index in &unit.reached.functions {
        if let Some(function) = function(unit.tree, index).filter(|f| f.body.is_some()) {
            match Signature::new(&function.returns, &function.parameters) {
                Ok(signature) => {
                    let value =
                        module.llvm.add_function(function.name, module.function_type(&signature));
                    value.set_linkage(LlvmLinkage::LLVMInternalLinkage);
                    module.llvm.add_attribute(value, "nounwind");
                    module.functions.insert(index, (value, signature));
                }
                Err(error) => errors.push(error.in_function(function.name)),
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    for &index in std::iter::once(&unit.kernel).chain(&unit.reached.functions) {
        if let Some(function) = function(unit.tree, index).filter(|f| f.body.is_some())
            && let Err(error) = module.body(index, function)
        {
            errors.push(error.in_function(function.name));
        }
    }
    if errors.is_empty() { Ok(module.llvm) } else { Err(errors) }
}

impl<'u, 'c, 'a> ModuleLowering<'u, 'c, 'a> {
    fn body(&mut self, index: usize, function: &'u Function<'a>) -> Result<(), Error> {
        let is_kernel = index == self.unit.kernel;
        let (value, signature) = if is_kernel {
            let ty = self.context.function_type(self.context.void(), &[]);
            let value = self.llvm.add_function(function.name, ty);
            self.llvm.add_attribute(value, "nounwind");
            let info = self.unit.info;
            let say = |name: &str, fact: &str| {
                self.llvm.add_string_attribute(value, name, fact);
            };
            say("zluda-kernel", "");
            say("zluda-param-size", &info.total_param_size.to_string());
            say("zluda-max-threads", &info.max_threads.to_string());
            say("zluda-static-shared", &info.static_shared.to_string());
            if info.cluster.is_some() || info.explicit_cluster {
                say("zluda-explicit-cluster", "");
            }
            (value, None)
        } else {
            match self.functions.get(&index) {
                Some((value, signature)) => (*value, Some(signature.clone())),
                None => {
                    return Err(Error::bug(
                        function.span,
                        "a function was not declared before its body",
                    ));
                }
            }
        };
        FunctionLowering::new(self, function, value, signature).lower()
    }

    /// The LLVM type of a function. Where `exit` is told through memory ([`super::exit`]), the last parameter
    /// says where.
    pub fn function_type(&self, signature: &Signature) -> Type<'c> {
        let mut parameters = signature.parameter_types(self.context);
        parameters.extend(self.exit_parameter());
        self.context.function_type(signature.return_type(self.context), &parameters)
    }

    /// A shared variable of the module or of a function.
    pub fn shared_variable(&self, variable: &ptx_parser::Variable<'a>) -> Value<'c> {
        let external = variable.linkage == Linkage::Extern;
        let size = if external { 0 } else { size_of(variable) };
        let ty = self.context.i8().array(size);
        let linkage = if external {
            LlvmLinkage::LLVMExternalLinkage
        } else {
            LlvmLinkage::LLVMInternalLinkage
        };
        let global = self.llvm.add_global(variable.name, ty, space::SHARED, linkage);
        global.set_alignment(align_of(variable).min(1 << 20) as u32);
        if !external {
            global.set_initializer(ty.poison());
        }
        global
    }

    /// The first byte of the shared memory of a kernel that names no shared variable. It has none but what the
    /// launch asks for, and accesses it by addresses that count from 0, as those of Halide do.
    pub fn unnamed_shared(&mut self) -> Option<Value<'c>> {
        let reached = self.unit.reached;
        if !reached.shared.is_empty() || reached.static_shared != 0 {
            return None;
        }
        let first = self.unnamed_shared.unwrap_or_else(|| {
            let ty = self.context.i8().array(0);
            let linkage = LlvmLinkage::LLVMExternalLinkage;
            let global = self.llvm.add_global("unnamed shared", ty, space::SHARED, linkage);
            global.set_alignment(16);
            global
        });
        self.unnamed_shared = Some(first);
        Some(first)
    }
}
