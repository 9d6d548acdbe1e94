//! A product by its description and layouts, checked.

use super::attributes::{Desc, Layout, desc, layout};
use super::epilogue::Epilogue;
use crate::api::mixed::{Scale, format};
use crate::number::*;
use cuda_types::cublas::*;
use dense::banded::Turned;
use dense::mixed::Format;

const NOT_SUPPORTED: cublasError = cublasError::NOT_SUPPORTED;

/// A matrix of a batch, as it lies in memory.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) ty: cudaDataType,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Elements from row to row, and from column to column.
    pub(super) row: isize,
    pub(super) column: isize,
    pub(super) count: usize,
    pub(super) stride: i64,
    /// In place of a distance, the addresses of all lie where the matrix would.
    pub(super) by_addresses: bool,
    /// How many bytes the imaginary parts lie behind the real ones; 0 where they lie beside them.
    pub(super) plane: isize,
}

impl Placed {
    fn of(object: &Layout) -> CublasResult<Placed> {
        let number = |attribute| object.0.number(attribute);
        let order = cublasLtOrder_t(number(layout::ORDER) as _);
        let (rows, columns) = (number(layout::ROWS) as usize, number(layout::COLUMNS) as usize);
        let distance = number(layout::LEADING) as i64;
        let (row, column, least) = match order {
            cublasLtOrder_t::CUBLASLT_ORDER_COL => (1, distance as isize, rows),
            cublasLtOrder_t::CUBLASLT_ORDER_ROW => (distance as isize, 1, columns),
            _ => return Err(NOT_SUPPORTED),
        };
        leading(distance, least)?;
        let mode = cublasLtBatchMode_t(number(layout::BATCH_MODE) as _);
        let by_addresses = mode == cublasLtBatchMode_t::CUBLASLT_BATCH_MODE_POINTER_ARRAY;
        let is_known = by_addresses || mode == cublasLtBatchMode_t::CUBLASLT_BATCH_MODE_STRIDED;
        if !is_known {
            return Err(NOT_SUPPORTED);
        }
        Ok(Placed {
            ty: cudaDataType_t(number(layout::TYPE) as _),
            rows,
            columns,
            row,
            column,
            count: size(i64::from(number(layout::COUNT) as i32))?,
            stride: number(layout::STRIDE) as i64,
            by_addresses,
            plane: number(layout::PLANE) as isize,
        })
    }

    /// As an operation gives it.
    fn turned(self, turned: Turned) -> Placed {
        match turned.transposed {
            true => Placed {
                rows: self.columns,
                columns: self.rows,
                row: self.column,
                column: self.row,
                ..self
            },
            false => self,
        }
    }
}

/// The kernels that compute the elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    F32,
    F64,
    C32,
    C64,
    /// Elements are widened; the formats of A, B, C and D.
    Mixed([Format; 4], Scale),
    /// Complex numbers whose real and imaginary parts lie apart; the formats of these of A, B, C and D.
    Planar([Format; 4]),
}

/// A product.
#[derive(Clone, Copy)]
pub(super) struct Problem {
    pub(super) kind: Kind,
    pub(super) a: Placed,
    pub(super) b: Placed,
    pub(super) c: Placed,
    pub(super) d: Placed,
    pub(super) conj: [bool; 2],
    pub(super) on_device: bool,
    pub(super) epilogue: Epilogue,
    /// Where the factors of A, B, C and D lie; null for 1.
    pub(super) scales: [Pointer<f32>; 4],
    /// Where the greatest size of D is to go, or null.
    pub(super) largest: Pointer<f32>,
}

impl Problem {
    /// The product, where it is one of those that there are.
    pub(super) fn check(description: &Desc, [a, b, c, d]: [&Layout; 4]) -> CublasResult<Problem> {
        let number = |attribute| description.0.number(attribute);
        let turn = |attribute| operation(cublasOperation_t(number(attribute) as _));
        let (op_a, op_b) = (turn(desc::OP_A)?, turn(desc::OP_B)?);
        let (a, b) = (Placed::of(a)?.turned(op_a), Placed::of(b)?.turned(op_b));
        let (c, d) = (Placed::of(c)?, Placed::of(d)?);
        check(a.rows == d.rows && b.columns == d.columns && a.columns == b.rows)?;
        check(c.rows == d.rows && c.columns == d.columns)?;
        check([a, b, c].iter().all(|matrix| matrix.count == d.count || matrix.count == 1))?;
        let on_device = match number(desc::POINTER_MODE) {
            0 => false,
            1 => true,
            _ => return Err(NOT_SUPPORTED),
        };
        // Factors of blocks of elements are for GPUs that this is none of.
        if turn(desc::OP_C)?.transposed
            || desc::SCALE_MODES.into_iter().any(|mode| number(mode) != 0)
        {
            return Err(NOT_SUPPORTED);
        }
        let compute = cublasComputeType_t(number(desc::COMPUTE) as _);
        let scale = cudaDataType_t(number(desc::SCALE) as _);
        let types = [a.ty, b.ty, c.ty, d.ty];
        let kind = match [a, b, c, d].iter().filter(|matrix| matrix.plane != 0).count() {
            0 => kind(compute, scale, types)?,
            4 => planar(compute, scale, types)?,
            _ => return Err(NOT_SUPPORTED),
        };
        let epilogue =
            Epilogue::of(description, &d, matches!(kind, Kind::F32 | Kind::F64 | Kind::Mixed(..)))?;
        let place = |attribute| Pointer::of(description.0.address(attribute).cast_const().cast());
        Ok(Problem {
            kind,
            a,
            b,
            c,
            d,
            conj: [op_a.conj, op_b.conj],
            on_device,
            epilogue,
            scales: desc::SCALES.map(place),
            largest: place(desc::LARGEST),
        })
    }
}

/// The kernels for complex numbers in planes, of halves that are computed with in single precision.
fn planar(
    compute: cublasComputeType_t,
    scale: cudaDataType,
    types: [cudaDataType; 4],
) -> CublasResult<Kind> {
    use cudaDataType_t as D;
    let part = |ty| match ty {
        D::CUDA_C_16F => Ok(Format::F16),
        D::CUDA_C_16BF => Ok(Format::Bf16),
        D::CUDA_C_32F => Ok(Format::F32),
        _ => Err(NOT_SUPPORTED),
    };
    let [a, b, c, d] = [part(types[0])?, part(types[1])?, part(types[2])?, part(types[3])?];
    let is_single = matches!(
        compute,
        cublasComputeType_t::CUBLAS_COMPUTE_32F | cublasComputeType_t::CUBLAS_COMPUTE_32F_PEDANTIC
    );
    let is_known = is_single && scale == D::CUDA_C_32F && a == b && a != Format::F32;
    if !is_known || c != d || (d != a && d != Format::F32) {
        return Err(NOT_SUPPORTED);
    }
    Ok(Kind::Planar([a, b, c, d]))
}

/// The kernels for products of these types: the tables of `cublasLtMatmul` in the manual.
fn kind(
    compute: cublasComputeType_t,
    scale: cudaDataType,
    types: [cudaDataType; 4],
) -> CublasResult<Kind> {
    use Format as F;
    use cublasComputeType_t as C;
    use cudaDataType_t as D;
    let all = |ty: D| types == [ty; 4] && scale == ty;
    let is_single = matches!(
        compute,
        C::CUBLAS_COMPUTE_32F
            | C::CUBLAS_COMPUTE_32F_PEDANTIC
            | C::CUBLAS_COMPUTE_32F_FAST_16F
            | C::CUBLAS_COMPUTE_32F_FAST_16BF
            | C::CUBLAS_COMPUTE_32F_FAST_TF32
            | C::CUBLAS_COMPUTE_32F_EMULATED_16BFX9
    );
    let is_double = matches!(
        compute,
        C::CUBLAS_COMPUTE_64F
            | C::CUBLAS_COMPUTE_64F_PEDANTIC
            | C::CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT
    );
    if is_single && all(D::CUDA_R_32F) {
        return Ok(Kind::F32);
    }
    if is_single && all(D::CUDA_C_32F) {
        return Ok(Kind::C32);
    }
    if is_double && all(D::CUDA_R_64F) {
        return Ok(Kind::F64);
    }
    if is_double && all(D::CUDA_C_64F) {
        return Ok(Kind::C64);
    }
    let [a, b, c, d] = types;
    let formats = [format(a)?, format(b)?, format(c)?, format(d)?];
    let is_half = matches!(compute, C::CUBLAS_COMPUTE_16F | C::CUBLAS_COMPUTE_16F_PEDANTIC);
    let is_int = matches!(compute, C::CUBLAS_COMPUTE_32I | C::CUBLAS_COMPUTE_32I_PEDANTIC);
    let small = |format| matches!(format, F::E4m3 | F::E5m2);
    let scale = match (formats, scale) {
        ([F::F16, F::F16, F::F16, F::F16], D::CUDA_R_16F) if is_half => Scale::F16,
        ([F::I8, F::I8, F::I32, F::I32], D::CUDA_R_32I) if is_int => Scale::I32,
        ([F::I8, F::I8, F::I8, F::I8], D::CUDA_R_32F) if is_int => Scale::F32,
        ([F::I8, F::I8, F::F32, F::F32], D::CUDA_R_32F) if is_single => Scale::F32,
        ([F::F16, F::F16, c, d], D::CUDA_R_32F)
            if is_single && c == d && matches!(d, F::F16 | F::F32) =>
        {
            Scale::F32
        }
        ([F::Bf16, F::Bf16, c, d], D::CUDA_R_32F)
            if is_single && c == d && matches!(d, F::Bf16 | F::F32) =>
        {
            Scale::F32
        }
        ([a, b, c, d], D::CUDA_R_32F)
            if is_single
                && small(a)
                && small(b)
                && !(a == F::E5m2 && b == F::E5m2)
                && matches!(c, F::F16 | F::Bf16 | F::F32)
                && (d == c || small(d) && c != F::F32) =>
        {
            Scale::F32
        }
        _ => return Err(NOT_SUPPORTED),
    };
    Ok(Kind::Mixed(formats, scale))
}
