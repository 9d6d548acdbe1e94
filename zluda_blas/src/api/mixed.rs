//! Products of matrices whose elements have any of several types.

use crate::api::level3;
use crate::api::product::{GemmDims, products};
use crate::backend::rocm::mixed::{Batch as Count, Products};
use crate::handle::Handle;
use crate::number::*;
use cuda_types::cublas::*;
use dense::banded::Turned;
use dense::mixed::{Format, Operand, multiply, multiply_bytes};
use dense::product::{Tile, Tiles};
use std::ffi::{c_longlong, c_void};
use std::sync::Arc;
use zluda_api::driver::threads;

/// How the factors of a product are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    F16,
    F32,
    I32,
}

impl Scale {
    /// The factor, which is exact in a double.
    pub(crate) fn get(self, value: Value<[u8; 4]>) -> f64 {
        let bytes = match value {
            Value::Host(bytes) => bytes,
            Value::Device(place) => {
                let mut bytes = [0; 4];
                let size = if self == Scale::F16 { 2 } else { 4 };
                // SAFETY: the program says that it can be read; where not, the work ends as a kernel does.
                unsafe { std::ptr::copy_nonoverlapping(place.cast(), bytes.as_mut_ptr(), size) };
                bytes
            }
        };
        match self {
            // SAFETY: two bytes of four.
            Scale::F16 => unsafe { Format::F16.load(bytes.as_ptr()) }.into(),
            Scale::F32 => f32::from_le_bytes(bytes).into(),
            Scale::I32 => i32::from_le_bytes(bytes).into(),
        }
    }

    /// A factor behind a pointer of the handle's mode.
    pub(crate) unsafe fn value(
        self,
        on_device: bool,
        place: *const c_void,
    ) -> CublasResult<Value<[u8; 4]>> {
        check(!place.is_null())?;
        if on_device {
            return Ok(Value::Device(place.cast()));
        }
        let mut bytes = [0; 4];
        let size = if self == Scale::F16 { 2 } else { 4 };
        // SAFETY: the caller passes what the API asks for.
        unsafe { std::ptr::copy_nonoverlapping(place.cast(), bytes.as_mut_ptr(), size) };
        Ok(Value::Host(bytes))
    }
}

/// The kernels that compute a product.
pub(crate) enum Engine {
    /// All types are that of one number.
    F32,
    F64,
    C32,
    C64,
    /// Elements are widened.
    Mixed {
        a: Format,
        b: Format,
        c: Format,
        scale: Scale,
    },
}

pub(crate) fn format(ty: cudaDataType) -> CublasResult<Format> {
    use cudaDataType_t as D;
    Ok(match ty {
        D::CUDA_R_16F => Format::F16,
        D::CUDA_R_16BF => Format::Bf16,
        D::CUDA_R_32F => Format::F32,
        D::CUDA_R_8I => Format::I8,
        D::CUDA_R_32I => Format::I32,
        D::CUDA_R_8F_E4M3 => Format::E4m3,
        D::CUDA_R_8F_E5M2 => Format::E5m2,
        _ => return Err(cublasError::NOT_SUPPORTED),
    })
}

/// The kernels for a product of elements of these types: the table of `cublasGemmEx` in the manual.
fn engine(compute: cublasComputeType_t, [a, b, c]: [cudaDataType; 3]) -> CublasResult<Engine> {
    use Format as F;
    use cublasComputeType_t as C;
    use cudaDataType_t as D;
    let mixed = |scale| -> CublasResult<Engine> {
        Ok(Engine::Mixed { a: format(a)?, b: format(b)?, c: format(c)?, scale })
    };
    let engine = match compute {
        C::CUBLAS_COMPUTE_16F | C::CUBLAS_COMPUTE_16F_PEDANTIC => mixed(Scale::F16)?,
        C::CUBLAS_COMPUTE_32I | C::CUBLAS_COMPUTE_32I_PEDANTIC => mixed(Scale::I32)?,
        C::CUBLAS_COMPUTE_64F
        | C::CUBLAS_COMPUTE_64F_PEDANTIC
        | C::CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT => match [a, b, c] {
            [D::CUDA_R_64F, D::CUDA_R_64F, D::CUDA_R_64F] => Engine::F64,
            [D::CUDA_C_64F, D::CUDA_C_64F, D::CUDA_C_64F] => Engine::C64,
            _ => return Err(cublasError::NOT_SUPPORTED),
        },
        C::CUBLAS_COMPUTE_32F
        | C::CUBLAS_COMPUTE_32F_PEDANTIC
        | C::CUBLAS_COMPUTE_32F_FAST_16F
        | C::CUBLAS_COMPUTE_32F_FAST_16BF
        | C::CUBLAS_COMPUTE_32F_FAST_TF32
        | C::CUBLAS_COMPUTE_32F_EMULATED_16BFX9 => match [a, b, c] {
            [D::CUDA_R_32F, D::CUDA_R_32F, D::CUDA_R_32F] => Engine::F32,
            [D::CUDA_C_32F, D::CUDA_C_32F, D::CUDA_C_32F] => Engine::C32,
            _ => mixed(Scale::F32)?,
        },
        _ => return Err(cublasError::NOT_SUPPORTED),
    };
    if let Engine::Mixed { a, b, c, scale } = engine {
        let known = matches!(
            (scale, a, b, c),
            (Scale::F16, F::F16, F::F16, F::F16)
                | (Scale::I32, F::I8, F::I8, F::I32)
                | (Scale::F32, F::I8, F::I8, F::F32)
                | (Scale::F32, F::F16, F::F16, F::F16 | F::F32)
                | (Scale::F32, F::Bf16, F::Bf16, F::Bf16 | F::F32)
        );
        if !known {
            return Err(cublasError::NOT_SUPPORTED);
        }
    }
    Ok(engine)
}

/// A matrix as an operation gives it.
pub(crate) fn operand(first: *const u8, format: Format, leading: isize, turned: Turned) -> Operand {
    let (row, column) = if turned.transposed { (leading, 1) } else { (1, leading) };
    Operand { first, format, row, column }
}

/// `alpha sum + beta old`, rounded once, for each element of a tile.
///
/// # Safety
/// C is memory that nobody else has.
unsafe fn finish(
    (c, tile): (Operand, Tile),
    (alpha, beta): (f64, f64),
    sum: impl Fn(usize) -> f64,
) {
    let value = |i, j| if alpha == 0.0 { 0.0 } else { alpha * sum(j * tile.rows + i) };
    if c.format == Format::I32 {
        for (j, i) in (0..tile.columns).flat_map(|j| (0..tile.rows).map(move |i| (j, i))) {
            let place = c.place(tile.row + i, tile.column + j).cast_mut().cast::<i32>();
            // SAFETY: the caller says so.
            unsafe {
                let old = if beta == 0.0 { 0.0 } else { beta * f64::from(place.read_unaligned()) };
                place.write_unaligned((value(i, j) + old) as i64 as i32);
            }
        }
        return;
    }
    let mut line = vec![0f32; tile.rows];
    for j in 0..tile.columns {
        let (row, column) = (tile.row, tile.column + j);
        // SAFETY: the caller says so.
        unsafe {
            if beta != 0.0 {
                c.load_column(row, column, &mut line);
            }
            for (i, element) in line.iter_mut().enumerate() {
                let old = if beta == 0.0 { 0.0 } else { beta * f64::from(*element) };
                *element = (value(i, j) + old) as f32;
            }
            c.store_column(row, column, &line);
        }
    }
}

/// Elements of each matrix of a batch.
pub(crate) struct Batches {
    pub(crate) a: Batch<u8>,
    pub(crate) b: Batch<u8>,
    pub(crate) c: Batch<u8>,
    pub(crate) count: usize,
}

/// Puts products of a batch into the handle's stream.
unsafe fn run(
    handle: &Handle,
    dims: GemmDims,
    engine: Engine,
    batch: Batches,
    (alpha, beta): (*const c_void, *const c_void),
) -> CublasResult {
    /// Products of one type.
    unsafe fn plain<N: Number>(
        handle: &Handle,
        dims: GemmDims,
        batch: Batches,
        (alpha, beta): (*const c_void, *const c_void),
    ) -> CublasResult {
        // SAFETY: the caller passes what the API asks for.
        let factors = unsafe { (Value::of(handle, alpha)?, Value::of(handle, beta)?) };
        let matrices = [batch.a.cast(), batch.b.cast(), batch.c.cast()];
        products::<N>(handle, dims, matrices, factors, batch.count)
    }
    let factors = (alpha, beta);
    // SAFETY: the caller passes what the API asks for.
    let (formats, scale) = unsafe {
        match engine {
            Engine::F32 => return plain::<f32>(handle, dims, batch, factors),
            Engine::F64 => return plain::<f64>(handle, dims, batch, factors),
            Engine::C32 => return plain::<cuComplex>(handle, dims, batch, factors),
            Engine::C64 => return plain::<cuDoubleComplex>(handle, dims, batch, factors),
            Engine::Mixed { a, b, c, scale } => ([a, b, c], scale),
        }
    };
    let on_device = handle.on_device();
    // SAFETY: the caller passes what the API asks for.
    let (alpha, beta) = unsafe { (scale.value(on_device, alpha)?, scale.value(on_device, beta)?) };
    if dims.is_empty() || batch.count == 0 {
        return Ok(());
    }
    let Batches { a, b, c, count } = batch;
    let tiles = Tiles::of_product(dims.m, dims.n, dims.k, threads().div_ceil(count));
    handle.run(count * tiles.count(), move |part| {
        let (item, tile) = (part / tiles.count(), tiles.tile(part % tiles.count()));
        if tile.rows == 0 || tile.columns == 0 {
            return;
        }
        let as_it_is = Turned { transposed: false, conj: false };
        let factors = (scale.get(alpha), scale.get(beta));
        let depth = if factors.0 == 0.0 { 0 } else { dims.k };
        // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
        unsafe {
            let a = operand(a.at(item), formats[0], dims.lda, dims.a);
            let b = operand(b.at(item), formats[1], dims.ldb, dims.b);
            let c = operand(c.at(item), formats[2], dims.ldc, as_it_is);
            if formats[0] == Format::I8 {
                let sums = multiply_bytes(&a, &b, depth, tile);
                finish((c, tile), factors, |i| sums[i].into());
            } else {
                multiply(&a, &b, depth, tile, |sums| {
                    finish((c, tile), factors, |i| sums[i].into())
                });
            }
        }
    })
}

/// Puts products into the handle's stream, whoever computes them.
///
/// # Safety
/// Factors on the host can be read.
unsafe fn put(mut handle: Arc<Handle>, products: Products) -> CublasResult {
    let Products { operations, sizes: [m, n, k], leading, types, batch, compute, .. } = products;
    let dims = GemmDims::check((operations[0], operations[1]), (m, n, k), leading.into())?;
    let engine = engine(compute, types)?;
    if let Some(blas) = handle.rocm() {
        // SAFETY: the caller says so.
        let put = unsafe { products.enqueue(&handle.settings(), blas) };
        if put != Err(cublasError::NOT_SUPPORTED) {
            return put;
        }
        handle = handle.here("products of such types");
    }
    let matrices = products.matrices;
    // Strides are in elements; here they are of bytes, or of the numbers of an engine of one type.
    let bytes = |i: usize, stride: i64| match engine {
        Engine::Mixed { .. } => Ok(stride.wrapping_mul(format(types[i])?.size() as i64)),
        _ => Ok::<i64, cublasError>(stride),
    };
    let (places, count) = match batch {
        Count::One => (matrices.map(|first| Batch::strided(first, 0)), 1),
        Count::Array { count } => {
            (matrices.map(|array| Batch::array(array.cast::<*const c_void>())), size(count)?)
        }
        Count::Strided { count, strides: [a, b, c] } => {
            let strides = [bytes(0, a)?, bytes(1, b)?, bytes(2, c)?];
            let place = |i: usize| Batch::strided(matrices[i], strides[i]);
            ([place(0), place(1), place(2)], size(count)?)
        }
    };
    let [a, b, c] = places;
    let batch = Batches { a, b, c, count };
    // SAFETY: as above.
    unsafe { run(&handle, dims, engine, batch, (products.alpha, products.beta)) }
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemm_ex(
    handle: Arc<Handle>,
    op_a: cublasOperation_t,
    op_b: cublasOperation_t,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const c_void,
    a: *const c_void,
    type_a: cudaDataType,
    lda: i64,
    b: *const c_void,
    type_b: cudaDataType,
    ldb: i64,
    beta: *const c_void,
    c: *mut c_void,
    type_c: cudaDataType,
    ldc: i64,
    compute: cublasComputeType_t,
    _: cublasGemmAlgo_t,
) -> CublasResult {
    let products = Products {
        operations: [op_a, op_b],
        sizes: [m, n, k],
        alpha,
        beta,
        matrices: [a, b, c.cast_const()],
        types: [type_a, type_b, type_c],
        leading: [lda, ldb, ldc],
        batch: Count::One,
        compute,
    };
    // SAFETY: the caller passes what the API asks for.
    unsafe { put(handle, products) }
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemm_batched_ex(
    handle: Arc<Handle>,
    op_a: cublasOperation_t,
    op_b: cublasOperation_t,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const c_void,
    a: *const *const c_void,
    type_a: cudaDataType,
    lda: i64,
    b: *const *const c_void,
    type_b: cudaDataType,
    ldb: i64,
    beta: *const c_void,
    c: *const *mut c_void,
    type_c: cudaDataType,
    ldc: i64,
    count: i64,
    compute: cublasComputeType_t,
    _: cublasGemmAlgo_t,
) -> CublasResult {
    let products = Products {
        operations: [op_a, op_b],
        sizes: [m, n, k],
        alpha,
        beta,
        matrices: [a.cast(), b.cast(), c.cast()],
        types: [type_a, type_b, type_c],
        leading: [lda, ldb, ldc],
        batch: Count::Array { count },
        compute,
    };
    // SAFETY: the caller passes what the API asks for.
    unsafe { put(handle, products) }
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemm_strided_batched_ex(
    handle: Arc<Handle>,
    op_a: cublasOperation_t,
    op_b: cublasOperation_t,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const c_void,
    a: *const c_void,
    type_a: cudaDataType,
    lda: i64,
    stride_a: c_longlong,
    b: *const c_void,
    type_b: cudaDataType,
    ldb: i64,
    stride_b: c_longlong,
    beta: *const c_void,
    c: *mut c_void,
    type_c: cudaDataType,
    ldc: i64,
    stride_c: c_longlong,
    count: i64,
    compute: cublasComputeType_t,
    _: cublasGemmAlgo_t,
) -> CublasResult {
    let products = Products {
        operations: [op_a, op_b],
        sizes: [m, n, k],
        alpha,
        beta,
        matrices: [a, b, c.cast_const()],
        types: [type_a, type_b, type_c],
        leading: [lda, ldb, ldc],
        batch: Count::Strided { count, strides: [stride_a, stride_b, stride_c] },
        compute,
    };
    // SAFETY: the caller passes what the API asks for.
    unsafe { put(handle, products) }
}

/// `cublasSgemmEx` and `cublasCgemmEx`: the factors and sums are of 32 bits.
#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemm_single<N: Number>(
    handle: Arc<Handle>,
    op_a: cublasOperation_t,
    op_b: cublasOperation_t,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const N,
    a: *const c_void,
    type_a: cudaDataType,
    lda: i64,
    b: *const c_void,
    type_b: cudaDataType,
    ldb: i64,
    beta: *const N,
    c: *mut c_void,
    type_c: cudaDataType,
    ldc: i64,
) -> CublasResult {
    let compute = cublasComputeType_t::CUBLAS_COMPUTE_32F;
    let algorithm = cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT;
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        gemm_ex(
            handle,
            op_a,
            op_b,
            m,
            n,
            k,
            alpha.cast(),
            a,
            type_a,
            lda,
            b,
            type_b,
            ldb,
            beta.cast(),
            c,
            type_c,
            ldc,
            compute,
            algorithm,
        )
    }
}

/// The type of all operands of `cublasHgemm`, and of its sums.
const HALF: cudaDataType = cudaDataType_t::CUDA_R_16F;
const HALF_COMPUTE: cublasComputeType_t = cublasComputeType_t::CUBLAS_COMPUTE_16F;
const ALGORITHM: cublasGemmAlgo_t = cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT;

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemm_half(
    handle: Arc<Handle>,
    op_a: cublasOperation_t,
    op_b: cublasOperation_t,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const cublasHalf,
    a: *const cublasHalf,
    lda: i64,
    b: *const cublasHalf,
    ldb: i64,
    beta: *const cublasHalf,
    c: *mut cublasHalf,
    ldc: i64,
) -> CublasResult {
    let (alpha, beta, a, b, c) = (alpha.cast(), beta.cast(), a.cast(), b.cast(), c.cast());
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        gemm_ex(
            handle,
            op_a,
            op_b,
            m,
            n,
            k,
            alpha,
            a,
            HALF,
            lda,
            b,
            HALF,
            ldb,
            beta,
            c,
            HALF,
            ldc,
            HALF_COMPUTE,
            ALGORITHM,
        )
    }
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemm_batched_half(
    handle: Arc<Handle>,
    op_a: cublasOperation_t,
    op_b: cublasOperation_t,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const cublasHalf,
    a: *const *const cublasHalf,
    lda: i64,
    b: *const *const cublasHalf,
    ldb: i64,
    beta: *const cublasHalf,
    c: *const *mut cublasHalf,
    ldc: i64,
    count: i64,
) -> CublasResult {
    let (alpha, beta, a, b, c) = (alpha.cast(), beta.cast(), a.cast(), b.cast(), c.cast());
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        gemm_batched_ex(
            handle,
            op_a,
            op_b,
            m,
            n,
            k,
            alpha,
            a,
            HALF,
            lda,
            b,
            HALF,
            ldb,
            beta,
            c,
            HALF,
            ldc,
            count,
            HALF_COMPUTE,
            ALGORITHM,
        )
    }
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn gemm_strided_batched_half(
    handle: Arc<Handle>,
    op_a: cublasOperation_t,
    op_b: cublasOperation_t,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const cublasHalf,
    a: *const cublasHalf,
    lda: i64,
    stride_a: c_longlong,
    b: *const cublasHalf,
    ldb: i64,
    stride_b: c_longlong,
    beta: *const cublasHalf,
    c: *mut cublasHalf,
    ldc: i64,
    stride_c: c_longlong,
    count: i64,
) -> CublasResult {
    let (alpha, beta, a, b, c) = (alpha.cast(), beta.cast(), a.cast(), b.cast(), c.cast());
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        gemm_strided_batched_ex(
            handle,
            op_a,
            op_b,
            m,
            n,
            k,
            alpha,
            a,
            HALF,
            lda,
            stride_a,
            b,
            HALF,
            ldb,
            stride_b,
            beta,
            c,
            HALF,
            ldc,
            stride_c,
            count,
            HALF_COMPUTE,
            ALGORITHM,
        )
    }
}

/// Defines the updates of triangles in single precision whose operands may be narrower, which they are not here.
macro_rules! updates {
    ($($name:ident by $plain:ident, $factor:ty;)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $name(
            handle: Arc<Handle>,
            fill: cublasFillMode_t,
            op: cublasOperation_t,
            n: i64,
            k: i64,
            alpha: *const $factor,
            a: *const c_void,
            type_a: cudaDataType,
            lda: i64,
            beta: *const $factor,
            c: *mut c_void,
            type_c: cudaDataType,
            ldc: i64,
        ) -> CublasResult {
            let is_single = [type_a, type_c] == [cudaDataType_t::CUDA_C_32F; 2];
            if !is_single {
                tracing::warn!("unsupported: updates of triangles by bytes");
                return Err(cublasError::NOT_SUPPORTED);
            }
            let handle = handle.here("updates of triangles of chosen types");
            // SAFETY: the caller passes what the API asks for.
            unsafe {
                level3::$plain::<cuComplex, $factor>(
                    handle, fill, op, n, k, alpha, a.cast(), lda, beta, c.cast(), ldc,
                )
            }
        }
    )*};
}

updates! {
    syrk_ex by syrk, cuComplex;
    herk_ex by herk, f32;
}
