//! Plans: new ones, and what they transform.

use super::descriptor::{Embedding, many, packed};
use crate::backend::Plan;
use crate::convert::{In, Out, Type};
use crate::plans::{self, PlanObject};
use cuda_types::cufft::{CufftResult, cudaDataType, cufftError, cufftHandle};
use fourier::Descriptor;
use std::ffi::{c_int, c_longlong};
use std::sync::Arc;

pub(crate) fn cufftCreate(handle: Out<cufftHandle>) -> CufftResult {
    handle.check()?;
    handle.set(plans::create()?)
}

pub(crate) fn cufftDestroy(handle: cufftHandle) -> CufftResult {
    plans::destroy(handle)
}

/// Makes a plan, once. No work area is needed on any device.
fn make(plan: &PlanObject, size: Out<usize>, descriptor: CufftResult<Descriptor>) -> CufftResult {
    size.check()?;
    if plan.with(|state| state.made.is_some()) {
        return Err(cufftError::INVALID_PLAN);
    }
    let made = Arc::new(Plan::new(descriptor?)?);
    plan.with(|state| state.made = Some(made));
    size.set(0)
}

/// A new plan that is made.
fn create(handle: Out<cufftHandle>, descriptor: CufftResult<Descriptor>) -> CufftResult {
    handle.check()?;
    let made = Arc::new(Plan::new(descriptor?)?);
    let number = plans::create()?;
    // SAFETY: nothing is followed.
    let plan: Arc<PlanObject> = unsafe { crate::convert::FromC::from_c(number) }?;
    plan.with(|state| state.made = Some(made));
    handle.set(number)
}

pub(crate) fn cufftPlan1d(
    handle: Out<cufftHandle>,
    nx: c_int,
    ty: Type,
    batch: c_int,
) -> CufftResult {
    create(handle, packed(&[nx], ty, batch))
}

pub(crate) fn cufftPlan2d(handle: Out<cufftHandle>, nx: c_int, ny: c_int, ty: Type) -> CufftResult {
    create(handle, packed(&[nx, ny], ty, 1))
}

pub(crate) fn cufftPlan3d(
    handle: Out<cufftHandle>,
    nx: c_int,
    ny: c_int,
    nz: c_int,
    ty: Type,
) -> CufftResult {
    create(handle, packed(&[nx, ny, nz], ty, 1))
}

pub(crate) fn cufftPlanMany(
    handle: Out<cufftHandle>,
    rank: c_int,
    n: In<c_int>,
    inembed: In<c_int>,
    istride: c_int,
    idist: c_int,
    onembed: In<c_int>,
    ostride: c_int,
    odist: c_int,
    ty: Type,
    batch: c_int,
) -> CufftResult {
    let input = Embedding { lengths: inembed, stride: istride, distance: idist };
    let output = Embedding { lengths: onembed, stride: ostride, distance: odist };
    create(handle, many(rank, n, input, output, ty, batch))
}

pub(crate) fn cufftMakePlan1d(
    plan: Arc<PlanObject>,
    nx: c_int,
    ty: Type,
    batch: c_int,
    size: Out<usize>,
) -> CufftResult {
    make(&plan, size, packed(&[nx], ty, batch))
}

pub(crate) fn cufftMakePlan2d(
    plan: Arc<PlanObject>,
    nx: c_int,
    ny: c_int,
    ty: Type,
    size: Out<usize>,
) -> CufftResult {
    make(&plan, size, packed(&[nx, ny], ty, 1))
}

pub(crate) fn cufftMakePlan3d(
    plan: Arc<PlanObject>,
    nx: c_int,
    ny: c_int,
    nz: c_int,
    ty: Type,
    size: Out<usize>,
) -> CufftResult {
    make(&plan, size, packed(&[nx, ny, nz], ty, 1))
}

pub(crate) fn cufftMakePlanMany(
    plan: Arc<PlanObject>,
    rank: c_int,
    n: In<c_int>,
    inembed: In<c_int>,
    istride: c_int,
    idist: c_int,
    onembed: In<c_int>,
    ostride: c_int,
    odist: c_int,
    ty: Type,
    batch: c_int,
    size: Out<usize>,
) -> CufftResult {
    let input = Embedding { lengths: inembed, stride: istride, distance: idist };
    let output = Embedding { lengths: onembed, stride: ostride, distance: odist };
    make(&plan, size, many(rank, n, input, output, ty, batch))
}

pub(crate) fn cufftMakePlanMany64(
    plan: Arc<PlanObject>,
    rank: c_int,
    n: In<c_longlong>,
    inembed: In<c_longlong>,
    istride: c_longlong,
    idist: c_longlong,
    onembed: In<c_longlong>,
    ostride: c_longlong,
    odist: c_longlong,
    ty: Type,
    batch: c_longlong,
    size: Out<usize>,
) -> CufftResult {
    let input = Embedding { lengths: inembed, stride: istride, distance: idist };
    let output = Embedding { lengths: onembed, stride: ostride, distance: odist };
    make(&plan, size, many(rank, n, input, output, ty, batch))
}

pub(crate) fn cufftXtMakePlanMany(
    plan: Arc<PlanObject>,
    rank: c_int,
    n: In<c_longlong>,
    inembed: In<c_longlong>,
    istride: c_longlong,
    idist: c_longlong,
    input_type: cudaDataType,
    onembed: In<c_longlong>,
    ostride: c_longlong,
    odist: c_longlong,
    output_type: cudaDataType,
    batch: c_longlong,
    size: Out<usize>,
    execution_type: cudaDataType,
) -> CufftResult {
    let ty = Type::of(input_type, output_type, execution_type)?;
    cufftMakePlanMany64(
        plan, rank, n, inembed, istride, idist, onembed, ostride, odist, ty, batch, size,
    )
}
