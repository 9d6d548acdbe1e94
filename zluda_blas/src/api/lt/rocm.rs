//! Products that objects describe, on AMD GPUs: plain ones by hipBLAS, others by hipBLASLt where it is installed.

use super::attributes::{Desc, desc};
use super::problem::{Placed, Problem};
use crate::backend::rocm::Blas;
use crate::backend::rocm::lt::{self, Attribute, Matrix, Product, number};
use crate::backend::rocm::mixed::{Batch, Products};
use crate::handle::Handle;
use crate::settings::Settings;
use cuda_types::cublas::*;
use std::ffi::c_void;
use std::sync::Arc;

/// The arguments of a call besides the description.
pub(super) struct Arguments {
    /// A, B, C and D.
    pub(super) places: [*const c_void; 4],
    /// Alpha and beta.
    pub(super) factors: [*const c_void; 2],
    pub(super) workspace: (*mut c_void, usize),
    pub(super) stream: cudaStream_t,
}

/// A matrix as the libraries take it: in columns, with the operation that gives it.
struct Operand {
    operation: cublasOperation_t,
    matrix: Matrix,
    place: *const c_void,
}

impl Operand {
    /// `None` for a conjugate that is not transposed, for a batch by addresses, and for complex numbers in planes.
    fn of(placed: &Placed, conj: bool, place: *const c_void) -> Option<Operand> {
        use cublasOperation_t as O;
        if placed.by_addresses || placed.plane != 0 {
            return None;
        }
        let (operation, leading) = match (placed.row, placed.column, conj) {
            (1, distance, false) => (O::CUBLAS_OP_N, distance),
            (distance, 1, false) => (O::CUBLAS_OP_T, distance),
            (distance, 1, true) => (O::CUBLAS_OP_C, distance),
            _ => return None,
        };
        let (rows, columns) = match operation {
            O::CUBLAS_OP_N => (placed.rows, placed.columns),
            _ => (placed.columns, placed.rows),
        };
        let matrix = Matrix {
            ty: placed.ty,
            rows: rows as u64,
            columns: columns as u64,
            leading: leading as i64,
            count: placed.count as i32,
            // One that is for all stays where it is.
            stride: if placed.count == 1 { 0 } else { placed.stride },
        };
        Some(Operand { operation, matrix, place })
    }
}

/// The transpose.
fn turn(placed: &Placed) -> Placed {
    let Placed { rows, columns, row, column, .. } = *placed;
    Placed { rows: columns, columns: rows, row: column, column: row, ..*placed }
}

fn refuse(what: &str) -> cublasError {
    tracing::debug!("the libraries of AMD GPUs have no cublasLtMatmul with {what}");
    cublasError::NOT_SUPPORTED
}

/// Whether a factor on the host is zero, as programs pass it that have no C.
///
/// # Safety
/// It can be read.
unsafe fn is_zero(factor: *const c_void, scale: cudaDataType) -> bool {
    let bytes = lt::factor_size(scale);
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(factor.cast::<u8>(), bytes) }.iter().all(|byte| *byte == 0)
}

/// Puts a product into a stream.
///
/// # Safety
/// Factors on the host can be read.
pub(super) unsafe fn matmul(
    handle: &Handle,
    blas: &Arc<Blas>,
    problem: &Problem,
    description: &Desc,
    arguments: &Arguments,
) -> CublasResult {
    let get = |attribute| description.0.number(attribute);
    let compute = cublasComputeType_t(get(desc::COMPUTE) as _);
    let scale = cudaDataType_t(get(desc::SCALE) as _);
    let ([a, b, c, d], [conj_a, conj_b]) = (arguments.places, problem.conj);
    // Rows of D are columns of its transpose, which is the product of the transposes in the other order.
    let straight = problem.d.row == 1;
    let (left, right, sum, result) = match straight {
        true => (
            Operand::of(&problem.a, conj_a, a),
            Operand::of(&problem.b, conj_b, b),
            Operand::of(&problem.c, false, c),
            Operand::of(&problem.d, false, d),
        ),
        false => (
            Operand::of(&turn(&problem.b), conj_b, b),
            Operand::of(&turn(&problem.a), conj_a, a),
            Operand::of(&turn(&problem.c), false, c),
            Operand::of(&turn(&problem.d), false, d),
        ),
    };
    let (Some(left), Some(right), Some(sum), Some(result)) = (left, right, sum, result) else {
        return Err(refuse("a conjugate that is not transposed"));
    };
    // SAFETY: the caller says so.
    let no_c = !problem.on_device && unsafe { is_zero(arguments.factors[1], scale) };
    let in_place = sum.place == result.place && sum.matrix == result.matrix;
    if sum.operation != cublasOperation_t::CUBLAS_OP_N && !no_c {
        return Err(refuse("C in another order than D"));
    }
    let scales = problem.scales.iter().chain([&problem.largest]);
    let has_scales = scales.into_iter().any(|place| !place.at(0).is_null());
    // hipBLAS has no sums of integers that a float scales.
    let is_integer = matches!(
        compute,
        cublasComputeType_t::CUBLAS_COMPUTE_32I | cublasComputeType_t::CUBLAS_COMPUTE_32I_PEDANTIC
    );
    let is_small = [left.matrix.ty, right.matrix.ty]
        .iter()
        .any(|ty| matches!(*ty, cudaDataType_t::CUDA_R_8F_E4M3 | cudaDataType_t::CUDA_R_8F_E5M2));
    let has_float_factor = is_integer && scale == cudaDataType_t::CUDA_R_32F;
    let is_more = !problem.epilogue.is_plain() || has_scales || is_small || has_float_factor;
    let pointer_mode = match problem.on_device {
        true => cublasPointerMode_t::CUBLAS_POINTER_MODE_DEVICE,
        false => cublasPointerMode_t::CUBLAS_POINTER_MODE_HOST,
    };
    let stream = arguments.stream.cast();
    let settings = Settings { stream, pointer_mode, ..handle.settings() };
    if is_more || !(no_c || in_place) {
        if !straight && !problem.epilogue.is_plain() {
            return Err(refuse("an epilogue of a matrix in rows"));
        }
        let attributes = attributes(description, straight, problem.d.count)?;
        let sum = if no_c { &result } else { &sum };
        let product = Product {
            operations: [left.operation, right.operation],
            compute,
            scale,
            attributes,
            matrices: [left.matrix, right.matrix, sum.matrix, result.matrix],
            places: [left.place, right.place, sum.place, result.place],
        };
        // SAFETY: the caller says so.
        return unsafe {
            blas.enqueue_lt(&settings, &product, arguments.factors, arguments.workspace)
        };
    }
    let [alpha, beta] = arguments.factors;
    let matrices = [left.matrix, right.matrix, result.matrix];
    let batch = match result.matrix.count {
        1 => Batch::One,
        count => {
            Batch::Strided { count: count.into(), strides: matrices.map(|matrix| matrix.stride) }
        }
    };
    let depth = match left.operation {
        cublasOperation_t::CUBLAS_OP_N => left.matrix.columns,
        _ => left.matrix.rows,
    };
    let products = Products {
        operations: [left.operation, right.operation],
        sizes: [result.matrix.rows as i64, result.matrix.columns as i64, depth as i64],
        alpha,
        beta,
        matrices: [left.place, right.place, result.place],
        types: matrices.map(|matrix| matrix.ty),
        leading: matrices.map(|matrix| matrix.leading),
        batch,
        compute,
    };
    // SAFETY: the caller says so.
    unsafe { products.enqueue(&settings, blas) }
}

/// The attributes of a description that hipBLASLt has too, as far as they are set.
fn attributes(description: &Desc, straight: bool, count: usize) -> CublasResult<Vec<Attribute>> {
    let get = |attribute| description.0.number(attribute);
    let epilogue = cublasLtEpilogue_t(get(desc::EPILOGUE) as _);
    let epilogue = lt::epilogue(epilogue).map_err(|_| refuse("this epilogue"))?;
    if get(desc::BIAS_STRIDE) != 0 && count > 1 {
        return Err(refuse("a bias for each matrix of a batch"));
    }
    let mut attributes = vec![number(lt::EPILOGUE, epilogue)];
    let [a, b, c, d] = desc::SCALES;
    let (a, b) = if straight { (a, b) } else { (b, a) };
    let wide =
        [desc::BIAS, desc::AUX, desc::AUX_LEADING, desc::AUX_STRIDE, a, b, c, d, desc::LARGEST];
    for (theirs, ours) in lt::WIDE.into_iter().zip(wide).filter(|(_, ours)| get(*ours) != 0) {
        attributes.push((theirs, get(ours).to_ne_bytes(), size_of::<u64>()));
    }
    for (theirs, ours) in lt::TYPES.into_iter().zip([desc::BIAS_TYPE, desc::AUX_TYPE]) {
        // All bits are set where the type is that of D.
        let ty = get(ours) as u32;
        if ty != u32::MAX {
            attributes.push(number(theirs, lt::data_type(cudaDataType_t(ty as _))?));
        }
    }
    Ok(attributes)
}
