//! Functions: kernels of modules.

use crate::convert::{FromC, Out};
use crate::core::module::function::FunctionArg;
use cuda_types::cuda::{
    CUerror, CUfunc_cache, CUfunction, CUfunction_attribute, CUfunctionLoadingState, CUmodule,
    CUres, CUsharedconfig,
};
use std::ffi::{c_char, c_int};
use std::ptr::null;

pub(crate) fn cuFuncGetAttribute(
    value: Out<c_int>,
    attribute: CUfunction_attribute,
    FunctionArg(function): FunctionArg,
) -> CUres {
    value.check()?;
    value.set(function.settings.get(&function.info, attribute)?)
}

pub(crate) fn cuFuncSetAttribute(
    FunctionArg(function): FunctionArg,
    attribute: CUfunction_attribute,
    value: c_int,
) -> CUres {
    function.settings.set(function.data.context.device()?, &function.info, attribute, value)
}

pub(crate) fn cuFuncSetCacheConfig(
    FunctionArg(function): FunctionArg,
    config: CUfunc_cache,
) -> CUres {
    function.data.context.check_usable()?;
    if config.0 > CUfunc_cache::CU_FUNC_CACHE_PREFER_EQUAL.0 {
        return Err(CUerror::INVALID_VALUE);
    }
    *function.settings.cache_config.lock() = config;
    Ok(())
}

pub(crate) fn cuFuncSetSharedMemConfig(_function: FunctionArg, config: CUsharedconfig) -> CUres {
    if config.0 > 2 { Err(CUerror::INVALID_VALUE) } else { Ok(()) }
}

pub(crate) fn cuFuncGetModule(module: Out<CUmodule>, FunctionArg(function): FunctionArg) -> CUres {
    module.set(function.module())
}

/// "If the function handle is NULL, name is set to NULL": cuda.bindings' tests expect an error beside it.
pub(crate) fn cuFuncGetName(name: Out<*const c_char>, function: CUfunction) -> CUres {
    if function.is_null() {
        return name.set(null()).and(Err(CUerror::INVALID_VALUE));
    }
    // SAFETY: handles may be anything.
    let FunctionArg(function) = unsafe { FunctionArg::from_c(function) }?;
    // Functions live as long as their module, which the text belongs to.
    name.set(function.name.as_ptr())
}

pub(crate) fn cuFuncGetParamInfo(
    FunctionArg(function): FunctionArg,
    index: usize,
    offset: Out<usize>,
    size: Out<usize>,
) -> CUres {
    offset.check()?;
    let param = function.info.params.get(index).ok_or(CUerror::INVALID_VALUE)?;
    offset.set(param.offset as usize)?;
    size.set_if_wanted(param.size as usize);
    Ok(())
}

pub(crate) fn cuFuncIsLoaded(
    state: Out<CUfunctionLoadingState>,
    FunctionArg(function): FunctionArg,
) -> CUres {
    state.set(match function.is_loaded() {
        true => CUfunctionLoadingState::CU_FUNCTION_LOADING_STATE_LOADED,
        false => CUfunctionLoadingState::CU_FUNCTION_LOADING_STATE_UNLOADED,
    })
}

pub(crate) fn cuFuncLoad(FunctionArg(function): FunctionArg) -> CUres {
    function.loaded().map(drop)
}
