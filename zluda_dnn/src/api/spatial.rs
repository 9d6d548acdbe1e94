//! Spatial transformers.

use crate::convert::{INVALID, In, check, factors, format, is_type, length, size, supported};
use crate::descriptor::{Change, SpatialState, TensorState};
use crate::handle::Handle;
use cuda_types::cudnn::*;
use neural::{Format, Layout, Tensor, spatial};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

pub(crate) fn set(
    descriptor: Change<SpatialState>,
    sampler: cudnnSamplerType_t,
    ty: cudnnDataType_t,
    count: c_int,
    dims: In<c_int>,
) -> CudnnResult {
    check(sampler == cudnnSamplerType_t::CUDNN_SAMPLER_BILINEAR && is_type(ty))?;
    let kind = format(ty).ok_or(cudnnError::NOT_SUPPORTED)?;
    supported(matches!(kind, Format::F32 | Format::F64 | Format::F16 | Format::Bf16))?;
    // Images have two dimensions; the values of others are those of their channels.
    let count = size(count)?;
    supported(count <= 8)?;
    check(count >= 3)?;
    let dims: Vec<usize> =
        dims.array(count, count)?.into_iter().map(length).collect::<CudnnResult<_>>()?;
    *descriptor.lock() = SpatialState { format: Some(kind), dims };
    Ok(())
}

impl SpatialState {
    /// A tensor without gaps for each image: places of the results, or the matrices that make them.
    fn packed(&self, inner: &[usize], first: *const c_void) -> CudnnResult<Tensor> {
        check(!first.is_null())?;
        let format = self.format.ok_or(INVALID)?;
        // Of images with more than two dimensions.
        supported(self.dims.len() == 4)?;
        let dims: Vec<usize> = [&[self.dims[0]], inner].concat();
        Ok(Layout::packed(format, &dims).at(first.cast()))
    }

    fn grid(&self, first: *const c_void) -> CudnnResult<Tensor> {
        check(self.format.is_some())?;
        supported(self.dims.len() == 4)?;
        self.packed(&[self.dims[2], self.dims[3], 2], first)
    }

    /// Images of the results' number and channels.
    fn images(&self, state: &TensorState, first: *const c_void) -> CudnnResult<Tensor> {
        let images = state.at(first)?;
        check(Some(images.format) == self.format && images.dims.len() == 4)?;
        check(images.dims[..2] == self.dims[..2])?;
        Ok(images)
    }

    fn results(&self, state: &TensorState, first: *const c_void) -> CudnnResult<Tensor> {
        let results = self.images(state, first)?;
        check(results.dims == self.dims)?;
        Ok(results)
    }
}

pub(crate) fn grid_forward(
    handle: Arc<Handle>,
    state: SpatialState,
    theta: *const c_void,
    grid: *mut c_void,
) -> CudnnResult {
    let grid = state.grid(grid)?;
    handle.run(spatial::grid(state.packed(&[2, 3], theta)?, grid))
}

pub(crate) fn grid_backward(
    handle: Arc<Handle>,
    state: SpatialState,
    dgrid: *const c_void,
    dtheta: *mut c_void,
) -> CudnnResult {
    let dgrid = state.grid(dgrid)?;
    handle.run(spatial::grid_backward(dgrid, state.packed(&[2, 3], dtheta)?))
}

pub(crate) unsafe fn sampler_forward(
    handle: Arc<Handle>,
    state: SpatialState,
    alpha: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    grid: *const c_void,
    beta: *const c_void,
    y_state: TensorState,
    y: *mut c_void,
) -> CudnnResult {
    let grid = state.grid(grid)?;
    let (x, y) = (state.images(&x_state, x)?, state.results(&y_state, y)?);
    // SAFETY: the caller says so.
    let scale = unsafe { factors(alpha, beta, x_state.is_double()) }?;
    handle.run(spatial::sample(x, grid, y, scale))
}

pub(crate) unsafe fn sampler_backward(
    handle: Arc<Handle>,
    state: SpatialState,
    alpha: *const c_void,
    x_state: TensorState,
    x: *const c_void,
    beta: *const c_void,
    dx_state: TensorState,
    dx: *mut c_void,
    grid_alpha: *const c_void,
    dy_state: TensorState,
    dy: *const c_void,
    grid: *const c_void,
    grid_beta: *const c_void,
    dgrid: *mut c_void,
) -> CudnnResult {
    let (grid, dgrid) = (state.grid(grid)?, state.grid(dgrid)?);
    let (x, dx) = (state.images(&x_state, x)?, state.images(&dx_state, dx)?);
    let dy = state.results(&dy_state, dy)?;
    check(x.dims == dx.dims)?;
    let is_double = x_state.is_double();
    // SAFETY: the caller says so.
    let (scale, grid_scale) =
        unsafe { (factors(alpha, beta, is_double)?, factors(grid_alpha, grid_beta, is_double)?) };
    let image = spatial::sample_backward_image(dy.clone(), grid.clone(), dx, scale);
    let grid = spatial::sample_backward_grid(x, dy, grid, dgrid, grid_scale);
    handle.run_all(vec![image, grid])
}
