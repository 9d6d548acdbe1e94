//! Launches as CUDA 1 to 3 had them: "Execution Control [DEPRECATED]".

use crate::convert::In;
use crate::core::capture;
use crate::core::launch::launch;
use crate::core::module::function::FunctionArg;
use crate::core::module::reference::TextureReference;
use crate::core::stream::StreamArg;
use cuda_types::cuda::{CUerror, CUres};
use std::ffi::{c_float, c_int, c_uint, c_void};
use std::sync::Arc;

pub(crate) fn cuFuncSetBlockShape(
    FunctionArg(function): FunctionArg,
    x: c_int,
    y: c_int,
    z: c_int,
) -> CUres {
    // Negative sizes are large ones, which no block has.
    function.kept().set_block(&function, [x as u32, y as u32, z as u32])
}

pub(crate) fn cuFuncSetSharedSize(FunctionArg(function): FunctionArg, bytes: c_uint) -> CUres {
    function.kept().set_shared(&function, bytes)
}

pub(crate) fn cuParamSetSize(FunctionArg(function): FunctionArg, size: c_uint) -> CUres {
    function.kept().set_size(size)
}

pub(crate) fn cuParamSeti(
    FunctionArg(function): FunctionArg,
    offset: c_int,
    value: c_uint,
) -> CUres {
    function.kept().set_bytes(offset, &value.to_ne_bytes())
}

pub(crate) fn cuParamSetf(
    FunctionArg(function): FunctionArg,
    offset: c_int,
    value: c_float,
) -> CUres {
    function.kept().set_bytes(offset, &value.to_ne_bytes())
}

pub(crate) fn cuParamSetv(
    FunctionArg(function): FunctionArg,
    offset: c_int,
    value: In<c_void>,
    size: c_uint,
) -> CUres {
    let value = value.cast::<u8>();
    value.optional().ok_or(CUerror::INVALID_VALUE)?;
    let bytes = value.array(size as usize, c_int::MAX as usize)?;
    function.kept().set_bytes(offset, &bytes)
}

/// A kernel finds its textures by itself; an H100 refuses all references that are not of the function's module.
pub(crate) fn cuParamSetTexRef(
    FunctionArg(function): FunctionArg,
    unit: c_int,
    reference: Arc<TextureReference>,
) -> CUres {
    /// `CU_PARAM_TR_DEFAULT`
    const DEFAULT: c_int = -1;
    if unit == DEFAULT && reference.is_of(&function.data) {
        Ok(())
    } else {
        Err(CUerror::INVALID_VALUE)
    }
}

pub(crate) fn cuLaunch(function: FunctionArg) -> CUres {
    run(&function, [1, 1], &StreamArg::Legacy)
}

pub(crate) fn cuLaunchGrid(function: FunctionArg, width: c_int, height: c_int) -> CUres {
    cuLaunchGridAsync(function, width, height, StreamArg::Legacy)
}

pub(crate) fn cuLaunchGridAsync(
    function: FunctionArg,
    width: c_int,
    height: c_int,
    stream: StreamArg,
) -> CUres {
    run(&function, [width as u32, height as u32], &stream)
}

/// These launches are older than captures, which take none of them: an H100 calls them unsafe while anything is captured.
fn run(FunctionArg(function): &FunctionArg, grid: [u32; 2], stream: &StreamArg) -> CUres {
    capture::check_unsafe_call()?;
    let target = stream.enter_uncaptured()?;
    let (config, params) = function.kept().launch(function, grid)?;
    launch(&target, function, &config, params)
}
