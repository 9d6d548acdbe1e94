//! The sizes of work areas: none is needed, so what is asked for is checked, and the answer is 0.

use super::descriptor::{Embedding, many, packed};
use crate::convert::{In, Out, Type};
use crate::plans::PlanObject;
use cuda_types::cufft::{CufftResult, cudaDataType};
use fourier::Descriptor;
use std::ffi::{c_int, c_longlong};
use std::sync::Arc;

fn answer(size: Out<usize>, descriptor: CufftResult<Descriptor>) -> CufftResult {
    size.check()?;
    descriptor?;
    size.set(0)
}

pub(crate) fn cufftEstimate1d(nx: c_int, ty: Type, batch: c_int, size: Out<usize>) -> CufftResult {
    answer(size, packed(&[nx], ty, batch))
}

pub(crate) fn cufftEstimate2d(nx: c_int, ny: c_int, ty: Type, size: Out<usize>) -> CufftResult {
    answer(size, packed(&[nx, ny], ty, 1))
}

pub(crate) fn cufftEstimate3d(
    nx: c_int,
    ny: c_int,
    nz: c_int,
    ty: Type,
    size: Out<usize>,
) -> CufftResult {
    answer(size, packed(&[nx, ny, nz], ty, 1))
}

pub(crate) fn cufftEstimateMany(
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
    answer(size, many(rank, n, input, output, ty, batch))
}

pub(crate) fn cufftGetSize1d(
    _: Arc<PlanObject>,
    nx: c_int,
    ty: Type,
    batch: c_int,
    size: Out<usize>,
) -> CufftResult {
    cufftEstimate1d(nx, ty, batch, size)
}

pub(crate) fn cufftGetSize2d(
    _: Arc<PlanObject>,
    nx: c_int,
    ny: c_int,
    ty: Type,
    size: Out<usize>,
) -> CufftResult {
    cufftEstimate2d(nx, ny, ty, size)
}

pub(crate) fn cufftGetSize3d(
    _: Arc<PlanObject>,
    nx: c_int,
    ny: c_int,
    nz: c_int,
    ty: Type,
    size: Out<usize>,
) -> CufftResult {
    cufftEstimate3d(nx, ny, nz, ty, size)
}

pub(crate) fn cufftGetSizeMany(
    _: Arc<PlanObject>,
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
    cufftEstimateMany(rank, n, inembed, istride, idist, onembed, ostride, odist, ty, batch, size)
}

pub(crate) fn cufftGetSizeMany64(
    _: Arc<PlanObject>,
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
    answer(size, many(rank, n, input, output, ty, batch))
}

pub(crate) fn cufftXtGetSizeMany(
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
    cufftGetSizeMany64(
        plan, rank, n, inembed, istride, idist, onembed, ostride, odist, ty, batch, size,
    )
}

/// The size that a plan needs, once it is made.
pub(crate) fn cufftGetSize(plan: Arc<PlanObject>, size: Out<usize>) -> CufftResult {
    size.check()?;
    plan.made()?;
    size.set(0)
}
