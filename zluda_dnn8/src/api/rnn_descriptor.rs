//! Networks as version 6 described them, in descriptors of version 8: the width of inputs and the type of numbers come with
//! each call. What a program sets piece by piece is kept by the engine's descriptor, in which those two are placeholders.

use super::made::Made;
use crate::convert::{Out, check};
use crate::engine;
use cuda_types::cudnn8::*;
use std::ffi::{c_int, c_uint};

/// What a descriptor says.
#[derive(Clone)]
pub(super) struct Description {
    algorithm: cudnnRNNAlgo_t,
    pub(super) cell: cudnnRNNMode_t,
    bias: cudnnRNNBiasMode_t,
    direction: cudnnDirectionMode_t,
    input_mode: cudnnRNNInputMode_t,
    ty: cudnnDataType_t,
    compute: cudnnDataType_t,
    math: cudnnMathType_t,
    input: i32,
    hidden: i32,
    projected: i32,
    layers: i32,
    dropout: cudnnDropoutDescriptor_t,
    flags: u32,
    clip: (cudnnRNNClipMode_t, cudnnNanPropagation_t, f64, f64),
}

impl Description {
    /// Of a descriptor that is not set.
    const NONE: Description = Description {
        algorithm: cudnnRNNAlgo_t::CUDNN_RNN_ALGO_STANDARD,
        cell: cudnnRNNMode_t::CUDNN_RNN_RELU,
        bias: cudnnRNNBiasMode_t::CUDNN_RNN_DOUBLE_BIAS,
        direction: cudnnDirectionMode_t::CUDNN_UNIDIRECTIONAL,
        input_mode: cudnnRNNInputMode_t::CUDNN_LINEAR_INPUT,
        ty: cudnnDataType_t::CUDNN_DATA_FLOAT,
        compute: cudnnDataType_t::CUDNN_DATA_FLOAT,
        math: cudnnMathType_t::CUDNN_DEFAULT_MATH,
        input: 0,
        hidden: 0,
        projected: 0,
        layers: 0,
        dropout: std::ptr::null_mut(),
        flags: 0,
        clip: (
            cudnnRNNClipMode_t::CUDNN_RNN_CLIP_NONE,
            cudnnNanPropagation_t::CUDNN_NOT_PROPAGATE_NAN,
            0.0,
            0.0,
        ),
    };

    fn is_set(&self) -> bool {
        self.layers > 0
    }

    /// `BAD_PARAM` where there is no such descriptor; one that is not set says nothing.
    pub(super) fn of(descriptor: cudnnRNNDescriptor_t) -> CudnnResult<Self> {
        let mut found = Self::NONE;
        let (mode, nan, least, most) = &mut found.clip;
        // SAFETY: the places live during the call.
        unsafe { engine::cudnnRNNGetClip_v8(descriptor, mode, nan, least, most) }?;
        // SAFETY: likewise.
        let set = unsafe {
            engine::cudnnGetRNNDescriptor_v8(
                descriptor,
                &mut found.algorithm,
                &mut found.cell,
                &mut found.bias,
                &mut found.direction,
                &mut found.input_mode,
                &mut found.ty,
                &mut found.compute,
                &mut found.math,
                &mut found.input,
                &mut found.hidden,
                &mut found.projected,
                &mut found.layers,
                &mut found.dropout,
                &mut found.flags,
            )
        };
        Ok(if set.is_ok() { found } else { Self::NONE })
    }

    fn put(&self, descriptor: cudnnRNNDescriptor_t) -> CudnnResult {
        let (mode, nan, least, most) = self.clip;
        // SAFETY: the engine checks the handles.
        unsafe {
            engine::cudnnSetRNNDescriptor_v8(
                descriptor,
                self.algorithm,
                self.cell,
                self.bias,
                self.direction,
                self.input_mode,
                self.ty,
                self.compute,
                self.math,
                self.input,
                self.hidden,
                self.projected,
                self.layers,
                self.dropout,
                self.flags,
            )?;
            engine::cudnnRNNSetClip_v8(descriptor, mode, nan, least, most)
        }
    }

    /// A descriptor of the network for inputs of a type and a width.
    pub(super) fn made(
        &self,
        ty: cudnnDataType_t,
        input: c_int,
    ) -> CudnnResult<Made<cudnnRNNStruct>> {
        check(self.is_set())?;
        let made = Made::new()?;
        Description { ty, input, ..self.clone() }.put(made.get())?;
        Ok(made)
    }

    /// Whether sequences may lie in memory with what pads them.
    pub(super) fn is_padded(&self) -> bool {
        self.flags & CUDNN_RNN_PADDED_IO_ENABLED != 0
    }
}

/// `BAD_PARAM` where there is no such handle of the library.
pub(super) fn check_handle(handle: cudnnHandle_t) -> CudnnResult {
    let mut stream = std::ptr::null_mut();
    // SAFETY: the place lives during the call.
    unsafe { engine::cudnnGetStream(handle, &mut stream) }
}

/// Sets a part. In a descriptor that is not set nothing stays of it: setting one sets all parts.
fn change(
    descriptor: cudnnRNNDescriptor_t,
    set: impl FnOnce(&mut Description) -> CudnnResult,
) -> CudnnResult {
    let mut description = Description::of(descriptor)?;
    if !description.is_set() {
        return set(&mut description);
    }
    set(&mut description)?;
    description.put(descriptor)
}

pub(crate) fn set(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    hidden: c_int,
    layers: c_int,
    dropout: cudnnDropoutDescriptor_t,
    input_mode: cudnnRNNInputMode_t,
    direction: cudnnDirectionMode_t,
    cell: cudnnRNNMode_t,
    algorithm: cudnnRNNAlgo_t,
    compute: cudnnDataType_t,
) -> CudnnResult {
    check_handle(handle)?;
    Description::of(descriptor)?;
    check(compute.0 <= cudnnDataType_t::CUDNN_DATA_FAST_FLOAT_FOR_FP8.0)?;
    if compute.0 > cudnnDataType_t::CUDNN_DATA_HALF.0 {
        return Err(cudnnError::NOT_SUPPORTED);
    }
    let description = Description {
        algorithm,
        cell,
        direction,
        input_mode,
        ty: compute,
        compute,
        input: hidden,
        hidden,
        projected: hidden,
        layers,
        dropout,
        ..Description::NONE
    };
    description.put(descriptor)
}

pub(crate) fn get(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    hidden: Out<c_int>,
    layers: Out<c_int>,
    dropout: Out<cudnnDropoutDescriptor_t>,
    input_mode: Out<cudnnRNNInputMode_t>,
    direction: Out<cudnnDirectionMode_t>,
    cell: Out<cudnnRNNMode_t>,
    algorithm: Out<cudnnRNNAlgo_t>,
    compute: Out<cudnnDataType_t>,
) -> CudnnResult {
    check_handle(handle)?;
    let found = Description::of(descriptor)?;
    hidden.set(found.hidden)?;
    layers.set(found.layers)?;
    dropout.set(found.dropout)?;
    input_mode.set(found.input_mode)?;
    direction.set(found.direction)?;
    cell.set(found.cell)?;
    algorithm.set(found.algorithm)?;
    compute.set(found.compute)
}

pub(crate) fn set_math(descriptor: cudnnRNNDescriptor_t, math: cudnnMathType_t) -> CudnnResult {
    check(math.0 <= cudnnMathType_t::CUDNN_FMA_MATH.0)?;
    change(descriptor, |description| {
        description.math = math;
        Ok(())
    })
}

pub(crate) fn get_math(
    descriptor: cudnnRNNDescriptor_t,
    math: Out<cudnnMathType_t>,
) -> CudnnResult {
    math.set(Description::of(descriptor)?.math)
}

pub(crate) fn set_bias(descriptor: cudnnRNNDescriptor_t, bias: cudnnRNNBiasMode_t) -> CudnnResult {
    check(bias.0 <= cudnnRNNBiasMode_t::CUDNN_RNN_SINGLE_REC_BIAS.0)?;
    change(descriptor, |description| {
        description.bias = bias;
        Ok(())
    })
}

pub(crate) fn get_bias(
    descriptor: cudnnRNNDescriptor_t,
    bias: Out<cudnnRNNBiasMode_t>,
) -> CudnnResult {
    bias.set(Description::of(descriptor)?.bias)
}

pub(crate) fn set_padding(descriptor: cudnnRNNDescriptor_t, mode: c_uint) -> CudnnResult {
    check(mode <= CUDNN_RNN_PADDED_IO_ENABLED)?;
    change(descriptor, |description| {
        description.flags = mode;
        Ok(())
    })
}

pub(crate) fn get_padding(descriptor: cudnnRNNDescriptor_t, mode: Out<c_uint>) -> CudnnResult {
    mode.set(Description::of(descriptor)?.flags)
}

/// There is no projection of outputs: NVIDIA's takes no notice of its width either.
pub(crate) fn set_projection(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    projected: c_int,
    _of_outputs: c_int,
) -> CudnnResult {
    check_handle(handle)?;
    change(descriptor, |description| {
        if projected > description.hidden {
            return Err(cudnnError::NOT_SUPPORTED);
        }
        description.projected = projected;
        Ok(())
    })
}

pub(crate) fn get_projection(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    projected: Out<c_int>,
    of_outputs: Out<c_int>,
) -> CudnnResult {
    check_handle(handle)?;
    let found = Description::of(descriptor)?;
    projected.check()?;
    of_outputs.set(0)?;
    projected.set(found.projected)
}

pub(crate) fn set_clip(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    mode: cudnnRNNClipMode_t,
    nan: cudnnNanPropagation_t,
    least: f64,
    most: f64,
) -> CudnnResult {
    check_handle(handle)?;
    // SAFETY: the engine checks the handle.
    unsafe { engine::cudnnRNNSetClip_v8(descriptor, mode, nan, least, most) }
}

pub(crate) unsafe fn get_clip(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    mode: *mut cudnnRNNClipMode_t,
    nan: *mut cudnnNanPropagation_t,
    least: *mut f64,
    most: *mut f64,
) -> CudnnResult {
    check_handle(handle)?;
    // SAFETY: the caller passes what the API asks for.
    unsafe { engine::cudnnRNNGetClip_v8(descriptor, mode, nan, least, most) }
}
