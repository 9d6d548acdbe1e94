//! Passes of recurrent networks as version 8 has them beside those of version 9, which do the work.

use super::made::Made;
use super::rnn_descriptor::Description;
use super::rnn_sequences::Sequences;
use super::rnn_weights::{Shape, filter};
use crate::convert::{Out, check};
use crate::engine;
use cuda_types::cudnn8::*;
use std::ffi::{c_int, c_void};

/// A tensor of states with the place that it describes.
type Of<P> = (cudnnTensorDescriptor_t, P);
/// A place and its size in bytes.
type Space = (*mut c_void, usize);

const NO_STATES: (cudnnTensorDescriptor_t, *const c_void) =
    (std::ptr::null_mut(), std::ptr::null());

/// The descriptor of states: all that a call has are alike, and what has a place has one.
fn states(all: &[Of<*const c_void>]) -> CudnnResult<cudnnTensorDescriptor_t> {
    check(all.iter().all(|(descriptor, place)| place.is_null() || !descriptor.is_null()))?;
    let mut given = all.iter().map(|(descriptor, _)| *descriptor).filter(|one| !one.is_null());
    let Some(first) = given.next() else { return Ok(std::ptr::null_mut()) };
    let shape = Shape::of(first)?;
    for other in given {
        check(Shape::of(other)? == shape)?;
    }
    Ok(first)
}

/// What a pass has, whichever direction it goes.
struct Pass {
    handle: cudnnHandle_t,
    network: Made<cudnnRNNStruct>,
    is_lstm: bool,
    x: Sequences,
    y: Sequences,
}

impl Pass {
    fn new(
        handle: cudnnHandle_t,
        descriptor: cudnnRNNDescriptor_t,
        x: Sequences,
        y: Sequences,
    ) -> CudnnResult<Self> {
        x.check_like(&y, false)?;
        let description = Description::of(descriptor)?;
        let network = description.made(x.ty, x.width)?;
        let is_lstm = description.cell == cudnnRNNMode_t::CUDNN_LSTM;
        Ok(Pass { handle, network, is_lstm, x, y })
    }

    /// # Safety
    /// Both places are null or have a tensor for each step.
    unsafe fn of_steps(
        handle: cudnnHandle_t,
        descriptor: cudnnRNNDescriptor_t,
        steps: c_int,
        x: *const cudnnTensorDescriptor_t,
        y: *const cudnnTensorDescriptor_t,
    ) -> CudnnResult<Self> {
        // SAFETY: the caller says so.
        let (x, y) = unsafe { (Sequences::of_steps(steps, x)?, Sequences::of_steps(steps, y)?) };
        Pass::new(handle, descriptor, x, y)
    }

    fn described(
        handle: cudnnHandle_t,
        descriptor: cudnnRNNDescriptor_t,
        x: cudnnRNNDataDescriptor_t,
        y: cudnnRNNDataDescriptor_t,
    ) -> CudnnResult<Self> {
        let (x, y) = (Sequences::described(x)?, Sequences::described(y)?);
        let needs_padding = x.needs_padding() || y.needs_padding();
        check(!needs_padding || Description::of(descriptor)?.is_padded())?;
        Pass::new(handle, descriptor, x, y)
    }

    /// The states of cells, of which other networks have none.
    fn of_cells<const N: usize>(
        &self,
        all: [Of<*const c_void>; N],
    ) -> CudnnResult<(cudnnTensorDescriptor_t, [*const c_void; N])> {
        let all = if self.is_lstm { all } else { [NO_STATES; N] };
        Ok((states(&all)?, all.map(|(_, place)| place)))
    }

    /// The bytes of the weights, which have the type of the sequences.
    fn weights(&self, descriptor: cudnnFilterDescriptor_t) -> CudnnResult<usize> {
        let (ty, bytes) = filter(descriptor)?;
        check(ty == self.x.ty)?;
        Ok(bytes)
    }

    /// # Safety
    /// As the manual says.
    unsafe fn forward(
        &self,
        mode: cudnnForwardMode_t,
        (x, y): (*const c_void, *mut c_void),
        (hx, hy): (Of<*const c_void>, Of<*mut c_void>),
        (cx, cy): (Of<*const c_void>, Of<*mut c_void>),
        (w, weights): (cudnnFilterDescriptor_t, *const c_void),
        workspace: Space,
        reserve: Space,
    ) -> CudnnResult {
        let h = states(&[hx, (hy.0, hy.1.cast_const())])?;
        let (c, [cx, cy]) = self.of_cells([cx, (cy.0, cy.1.cast_const())])?;
        // SAFETY: the caller says so.
        unsafe {
            engine::cudnnRNNForward(
                self.handle,
                self.network.get(),
                mode,
                std::ptr::null(),
                self.x.get(),
                x,
                self.y.get(),
                y,
                h,
                hx.1,
                hy.1,
                c,
                cx,
                cy.cast_mut(),
                self.weights(w)?,
                weights,
                workspace.1,
                workspace.0,
                reserve.1,
                reserve.0,
            )
        }
    }

    /// # Safety
    /// As the manual says.
    unsafe fn backward_data(
        &self,
        (y, dy, dx): (*const c_void, *const c_void, *mut c_void),
        (hx, dhy, dhx): (Of<*const c_void>, Of<*const c_void>, Of<*mut c_void>),
        (cx, dcy, dcx): (Of<*const c_void>, Of<*const c_void>, Of<*mut c_void>),
        (w, weights): (cudnnFilterDescriptor_t, *const c_void),
        workspace: Space,
        reserve: Space,
    ) -> CudnnResult {
        let h = states(&[hx, dhy, (dhx.0, dhx.1.cast_const())])?;
        let (c, [cx, dcy, dcx]) = self.of_cells([cx, dcy, (dcx.0, dcx.1.cast_const())])?;
        // SAFETY: the caller says so.
        unsafe {
            engine::cudnnRNNBackwardData_v8(
                self.handle,
                self.network.get(),
                std::ptr::null(),
                self.y.get(),
                y,
                dy,
                self.x.get(),
                dx,
                h,
                hx.1,
                dhy.1,
                dhx.1,
                c,
                cx,
                dcy,
                dcx.cast_mut(),
                self.weights(w)?,
                weights,
                workspace.1,
                workspace.0,
                reserve.1,
                reserve.0,
            )
        }
    }

    /// # Safety
    /// As the manual says.
    unsafe fn backward_weights(
        &self,
        (x, y): (*const c_void, *const c_void),
        hx: Of<*const c_void>,
        (dw, weights): (cudnnFilterDescriptor_t, *mut c_void),
        workspace: Space,
        reserve: Space,
    ) -> CudnnResult {
        // SAFETY: the caller says so.
        unsafe {
            engine::cudnnRNNBackwardWeights_v8(
                self.handle,
                self.network.get(),
                cudnnWgradMode_t::CUDNN_WGRAD_MODE_ADD,
                std::ptr::null(),
                self.x.get(),
                x,
                states(&[hx])?,
                hx.1,
                self.y.get(),
                y,
                self.weights(dw)?,
                weights,
                workspace.1,
                workspace.0,
                reserve.1,
                reserve.0,
            )
        }
    }
}

/// The sizes of the memory that a pass works in, and of what training keeps.
///
/// # Safety
/// The place is null or has a tensor for each step.
unsafe fn sizes(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    steps: c_int,
    x: *const cudnnTensorDescriptor_t,
) -> CudnnResult<(usize, usize)> {
    // SAFETY: the caller says so.
    let x = unsafe { Sequences::of_steps(steps, x) }?;
    let network = Description::of(descriptor)?.made(x.ty, x.width)?;
    let (mut workspace, mut reserve) = (0, 0);
    // SAFETY: the places live during the call.
    unsafe {
        engine::cudnnGetRNNTempSpaceSizes(
            handle,
            network.get(),
            cudnnForwardMode_t::CUDNN_FWD_MODE_TRAINING,
            x.get(),
            &mut workspace,
            &mut reserve,
        )
    }?;
    Ok((workspace, reserve))
}

pub(crate) unsafe fn workspace_size(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    steps: c_int,
    x: *const cudnnTensorDescriptor_t,
    bytes: Out<usize>,
) -> CudnnResult {
    bytes.check()?;
    // SAFETY: the caller passes what the API asks for.
    bytes.set(unsafe { sizes(handle, descriptor, steps, x) }?.0)
}

pub(crate) unsafe fn reserve_size(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    steps: c_int,
    x: *const cudnnTensorDescriptor_t,
    bytes: Out<usize>,
) -> CudnnResult {
    bytes.check()?;
    // SAFETY: the caller passes what the API asks for.
    bytes.set(unsafe { sizes(handle, descriptor, steps, x) }?.1)
}

pub(crate) unsafe fn infer(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    steps: c_int,
    x_state: *const cudnnTensorDescriptor_t,
    x: *const c_void,
    hx_state: cudnnTensorDescriptor_t,
    hx: *const c_void,
    cx_state: cudnnTensorDescriptor_t,
    cx: *const c_void,
    w_state: cudnnFilterDescriptor_t,
    w: *const c_void,
    y_state: *const cudnnTensorDescriptor_t,
    y: *mut c_void,
    hy_state: cudnnTensorDescriptor_t,
    hy: *mut c_void,
    cy_state: cudnnTensorDescriptor_t,
    cy: *mut c_void,
    workspace: *mut c_void,
    workspace_bytes: usize,
) -> CudnnResult {
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        let pass = Pass::of_steps(handle, descriptor, steps, x_state, y_state)?;
        pass.forward(
            cudnnForwardMode_t::CUDNN_FWD_MODE_INFERENCE,
            (x, y),
            ((hx_state, hx), (hy_state, hy)),
            ((cx_state, cx), (cy_state, cy)),
            (w_state, w),
            (workspace, workspace_bytes),
            (std::ptr::null_mut(), 0),
        )
    }
}

pub(crate) unsafe fn train(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    steps: c_int,
    x_state: *const cudnnTensorDescriptor_t,
    x: *const c_void,
    hx_state: cudnnTensorDescriptor_t,
    hx: *const c_void,
    cx_state: cudnnTensorDescriptor_t,
    cx: *const c_void,
    w_state: cudnnFilterDescriptor_t,
    w: *const c_void,
    y_state: *const cudnnTensorDescriptor_t,
    y: *mut c_void,
    hy_state: cudnnTensorDescriptor_t,
    hy: *mut c_void,
    cy_state: cudnnTensorDescriptor_t,
    cy: *mut c_void,
    workspace: *mut c_void,
    workspace_bytes: usize,
    reserve: *mut c_void,
    reserve_bytes: usize,
) -> CudnnResult {
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        let pass = Pass::of_steps(handle, descriptor, steps, x_state, y_state)?;
        pass.forward(
            cudnnForwardMode_t::CUDNN_FWD_MODE_TRAINING,
            (x, y),
            ((hx_state, hx), (hy_state, hy)),
            ((cx_state, cx), (cy_state, cy)),
            (w_state, w),
            (workspace, workspace_bytes),
            (reserve, reserve_bytes),
        )
    }
}

pub(crate) unsafe fn backward_data(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    steps: c_int,
    y_state: *const cudnnTensorDescriptor_t,
    y: *const c_void,
    dy_state: *const cudnnTensorDescriptor_t,
    dy: *const c_void,
    dhy_state: cudnnTensorDescriptor_t,
    dhy: *const c_void,
    dcy_state: cudnnTensorDescriptor_t,
    dcy: *const c_void,
    w_state: cudnnFilterDescriptor_t,
    w: *const c_void,
    hx_state: cudnnTensorDescriptor_t,
    hx: *const c_void,
    cx_state: cudnnTensorDescriptor_t,
    cx: *const c_void,
    dx_state: *const cudnnTensorDescriptor_t,
    dx: *mut c_void,
    dhx_state: cudnnTensorDescriptor_t,
    dhx: *mut c_void,
    dcx_state: cudnnTensorDescriptor_t,
    dcx: *mut c_void,
    workspace: *mut c_void,
    workspace_bytes: usize,
    reserve: *mut c_void,
    reserve_bytes: usize,
) -> CudnnResult {
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        let pass = Pass::of_steps(handle, descriptor, steps, dx_state, y_state)?;
        pass.y.check_like(&Sequences::of_steps(steps, dy_state)?, true)?;
        pass.backward_data(
            (y, dy, dx),
            ((hx_state, hx), (dhy_state, dhy), (dhx_state, dhx)),
            ((cx_state, cx), (dcy_state, dcy), (dcx_state, dcx)),
            (w_state, w),
            (workspace, workspace_bytes),
            (reserve, reserve_bytes),
        )
    }
}

pub(crate) unsafe fn backward_weights(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    steps: c_int,
    x_state: *const cudnnTensorDescriptor_t,
    x: *const c_void,
    hx_state: cudnnTensorDescriptor_t,
    hx: *const c_void,
    y_state: *const cudnnTensorDescriptor_t,
    y: *const c_void,
    workspace: *const c_void,
    workspace_bytes: usize,
    dw_state: cudnnFilterDescriptor_t,
    dw: *mut c_void,
    reserve: *const c_void,
    reserve_bytes: usize,
) -> CudnnResult {
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        let pass = Pass::of_steps(handle, descriptor, steps, x_state, y_state)?;
        pass.backward_weights(
            (x, y),
            (hx_state, hx),
            (dw_state, dw),
            (workspace.cast_mut(), workspace_bytes),
            (reserve.cast_mut(), reserve_bytes),
        )
    }
}

/// What is reserved for attention is left out.
fn no_attention(descriptors: &[cudnnRNNDataDescriptor_t], places: &[*const c_void]) -> CudnnResult {
    let none =
        descriptors.iter().all(|one| one.is_null()) && places.iter().all(|one| one.is_null());
    if none { Ok(()) } else { Err(cudnnError::NOT_SUPPORTED) }
}

pub(crate) unsafe fn infer_ex(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    x_state: cudnnRNNDataDescriptor_t,
    x: *const c_void,
    hx_state: cudnnTensorDescriptor_t,
    hx: *const c_void,
    cx_state: cudnnTensorDescriptor_t,
    cx: *const c_void,
    w_state: cudnnFilterDescriptor_t,
    w: *const c_void,
    y_state: cudnnRNNDataDescriptor_t,
    y: *mut c_void,
    hy_state: cudnnTensorDescriptor_t,
    hy: *mut c_void,
    cy_state: cudnnTensorDescriptor_t,
    cy: *mut c_void,
    keys_state: cudnnRNNDataDescriptor_t,
    keys: *const c_void,
    c_state: cudnnRNNDataDescriptor_t,
    c: *mut c_void,
    i_state: cudnnRNNDataDescriptor_t,
    i: *mut c_void,
    q_state: cudnnRNNDataDescriptor_t,
    queries: *mut c_void,
    workspace: *mut c_void,
    workspace_bytes: usize,
) -> CudnnResult {
    no_attention(&[keys_state, c_state, i_state, q_state], &[keys, c, i, queries])?;
    let pass = Pass::described(handle, descriptor, x_state, y_state)?;
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        pass.forward(
            cudnnForwardMode_t::CUDNN_FWD_MODE_INFERENCE,
            (x, y),
            ((hx_state, hx), (hy_state, hy)),
            ((cx_state, cx), (cy_state, cy)),
            (w_state, w),
            (workspace, workspace_bytes),
            (std::ptr::null_mut(), 0),
        )
    }
}

pub(crate) unsafe fn train_ex(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    x_state: cudnnRNNDataDescriptor_t,
    x: *const c_void,
    hx_state: cudnnTensorDescriptor_t,
    hx: *const c_void,
    cx_state: cudnnTensorDescriptor_t,
    cx: *const c_void,
    w_state: cudnnFilterDescriptor_t,
    w: *const c_void,
    y_state: cudnnRNNDataDescriptor_t,
    y: *mut c_void,
    hy_state: cudnnTensorDescriptor_t,
    hy: *mut c_void,
    cy_state: cudnnTensorDescriptor_t,
    cy: *mut c_void,
    keys_state: cudnnRNNDataDescriptor_t,
    keys: *const c_void,
    c_state: cudnnRNNDataDescriptor_t,
    c: *mut c_void,
    i_state: cudnnRNNDataDescriptor_t,
    i: *mut c_void,
    q_state: cudnnRNNDataDescriptor_t,
    queries: *mut c_void,
    workspace: *mut c_void,
    workspace_bytes: usize,
    reserve: *mut c_void,
    reserve_bytes: usize,
) -> CudnnResult {
    no_attention(&[keys_state, c_state, i_state, q_state], &[keys, c, i, queries])?;
    let pass = Pass::described(handle, descriptor, x_state, y_state)?;
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        pass.forward(
            cudnnForwardMode_t::CUDNN_FWD_MODE_TRAINING,
            (x, y),
            ((hx_state, hx), (hy_state, hy)),
            ((cx_state, cx), (cy_state, cy)),
            (w_state, w),
            (workspace, workspace_bytes),
            (reserve, reserve_bytes),
        )
    }
}

pub(crate) unsafe fn backward_data_ex(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    y_state: cudnnRNNDataDescriptor_t,
    y: *const c_void,
    dy_state: cudnnRNNDataDescriptor_t,
    dy: *const c_void,
    c_state: cudnnRNNDataDescriptor_t,
    c: *const c_void,
    dhy_state: cudnnTensorDescriptor_t,
    dhy: *const c_void,
    dcy_state: cudnnTensorDescriptor_t,
    dcy: *const c_void,
    w_state: cudnnFilterDescriptor_t,
    w: *const c_void,
    hx_state: cudnnTensorDescriptor_t,
    hx: *const c_void,
    cx_state: cudnnTensorDescriptor_t,
    cx: *const c_void,
    dx_state: cudnnRNNDataDescriptor_t,
    dx: *mut c_void,
    dhx_state: cudnnTensorDescriptor_t,
    dhx: *mut c_void,
    dcx_state: cudnnTensorDescriptor_t,
    dcx: *mut c_void,
    keys_state: cudnnRNNDataDescriptor_t,
    keys: *mut c_void,
    workspace: *mut c_void,
    workspace_bytes: usize,
    reserve: *mut c_void,
    reserve_bytes: usize,
) -> CudnnResult {
    no_attention(&[c_state, keys_state], &[c, keys])?;
    let pass = Pass::described(handle, descriptor, dx_state, y_state)?;
    pass.y.check_like(&Sequences::described(dy_state)?, true)?;
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        pass.backward_data(
            (y, dy, dx),
            ((hx_state, hx), (dhy_state, dhy), (dhx_state, dhx)),
            ((cx_state, cx), (dcy_state, dcy), (dcx_state, dcx)),
            (w_state, w),
            (workspace, workspace_bytes),
            (reserve, reserve_bytes),
        )
    }
}

pub(crate) unsafe fn backward_weights_ex(
    handle: cudnnHandle_t,
    descriptor: cudnnRNNDescriptor_t,
    x_state: cudnnRNNDataDescriptor_t,
    x: *const c_void,
    hx_state: cudnnTensorDescriptor_t,
    hx: *const c_void,
    y_state: cudnnRNNDataDescriptor_t,
    y: *const c_void,
    workspace: *mut c_void,
    workspace_bytes: usize,
    dw_state: cudnnFilterDescriptor_t,
    dw: *mut c_void,
    reserve: *mut c_void,
    reserve_bytes: usize,
) -> CudnnResult {
    let pass = Pass::described(handle, descriptor, x_state, y_state)?;
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        pass.backward_weights(
            (x, y),
            (hx_state, hx),
            (dw_state, dw),
            (workspace, workspace_bytes),
            (reserve, reserve_bytes),
        )
    }
}
