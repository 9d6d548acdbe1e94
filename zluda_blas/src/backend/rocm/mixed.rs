//! Products of several types. ROCm 5 has enumerations of its own for the types of elements and sums; from ROCm 6 on they are
//! HIP's and cuBLAS's, in functions whose names end in `_v2` until ROCm 7.

use super::argument::Scalar;
use super::library::{Blas, Generation, HipHandle};
use super::numbers::{self, Enumeration, HIPBLAS_GEMM_DEFAULT};
use crate::settings::Settings;
use cuda_types::cublas::*;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// A product, or those of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Products {
    pub(crate) operations: [cublasOperation_t; 2],
    /// m, n and k.
    pub(crate) sizes: [i64; 3],
    pub(crate) alpha: *const c_void,
    pub(crate) beta: *const c_void,
    /// A, B and C, or arrays of them.
    pub(crate) matrices: [*const c_void; 3],
    pub(crate) types: [cudaDataType; 3],
    pub(crate) leading: [i64; 3],
    pub(crate) batch: Batch,
    pub(crate) compute: cublasComputeType_t,
}

/// How many there are, and where.
#[derive(Clone, Copy)]
pub(crate) enum Batch {
    One,
    Array { count: i64 },
    Strided { count: i64, strides: [i64; 3] },
}

/// Defines types of functions whose sizes have any width, and their signatures.
macro_rules! prototypes {
    (@type op $int:ident) => { u32 };
    (@type data $int:ident) => { u32 };
    (@type compute $int:ident) => { u32 };
    (@type algo $int:ident) => { u32 };
    (@type size $int:ident) => { $int };
    (@type stride $int:ident) => { i64 };
    (@type place $int:ident) => { *const c_void };
    (@type array $int:ident) => { *const c_void };
    (@name op) => { "hipblasOperation_t" };
    (@name data) => { "hipDataType" };
    (@name compute) => { "hipblasComputeType_t" };
    (@name algo) => { "hipblasGemmAlgo_t" };
    (@name size) => { "int" };
    (@name stride) => { "int64" };
    (@name place) => { "void*" };
    (@name array) => { "void**" };
    ($($function:ident as $type:ident($($argument:ident: $kind:ident),*);)*) => {
        $(type $type<Int> =
            unsafe extern "C" fn(HipHandle $(, prototypes!(@type $kind Int))*) -> u32;)*

        #[cfg(test)]
        pub(crate) fn signatures() -> Vec<String> {
            let all = [$((
                stringify!($function),
                &[$((prototypes!(@name $kind), stringify!($argument))),*][..],
            )),*];
            let line = |name: &str, parameters: &[(&str, &str)], suffix: &str, int: &str| {
                let kind = |kind: &str| if kind == "int" { int.to_owned() } else { kind.to_owned() };
                let parameters: Vec<String> =
                    parameters.iter().map(|(ty, name)| format!("{} {name}", kind(ty))).collect();
                format!("{name}{suffix}({})", parameters.join(", "))
            };
            let lines = all.iter().flat_map(|(name, parameters)| {
                [line(name, parameters, "", "int"), line(name, parameters, "_64", "int64")]
            });
            lines.collect()
        }
    };
}

prototypes! {
    hipblasGemmEx as GemmEx(transa: op, transb: op, m: size, n: size, k: size, alpha: place, A: place, Atype: data,
        lda: size, B: place, Btype: data, ldb: size, beta: place, C: place, Ctype: data, ldc: size, computeType: compute,
        algo: algo);
    hipblasGemmBatchedEx as GemmBatchedEx(transa: op, transb: op, m: size, n: size, k: size, alpha: place, A: array,
        Atype: data, lda: size, B: array, Btype: data, ldb: size, beta: place, C: array, Ctype: data, ldc: size,
        batchCount: size, computeType: compute, algo: algo);
    hipblasGemmStridedBatchedEx as GemmStridedBatchedEx(transa: op, transb: op, m: size, n: size, k: size, alpha: place,
        A: place, Atype: data, lda: size, strideA: stride, B: place, Btype: data, ldb: size, strideB: stride,
        beta: place, C: place, Ctype: data, ldc: size, strideC: stride, batchCount: size, computeType: compute,
        algo: algo);
}

/// Products whose sizes have the width of an argument.
struct Sized<Int> {
    sizes: [Int; 3],
    leading: [Int; 3],
    count: Int,
}

impl<Int: TryFrom<i64>> Sized<Int> {
    fn of(products: &Products) -> Option<Self> {
        let of = |sizes: [i64; 3]| {
            let [a, b, c] = sizes.map(|size| Int::try_from(size).ok());
            Some([a?, b?, c?])
        };
        let count = match products.batch {
            Batch::One => 1,
            Batch::Array { count } | Batch::Strided { count, .. } => count,
        };
        Some(Sized {
            sizes: of(products.sizes)?,
            leading: of(products.leading)?,
            count: Int::try_from(count).ok()?,
        })
    }
}

/// The arguments of a call that are the same in all widths.
struct Prepared {
    operations: [u32; 2],
    types: [u32; 3],
    compute: u32,
    alpha: Scalar,
    beta: Scalar,
    matrices: [usize; 3],
    batch: Batch,
}

/// Bytes of a factor: of the type that sums have, complex where the elements are.
fn scalar_size(compute: cublasComputeType_t, element: cudaDataType) -> usize {
    use cublasComputeType_t as C;
    use cudaDataType_t as D;
    let size = match compute {
        C::CUBLAS_COMPUTE_16F | C::CUBLAS_COMPUTE_16F_PEDANTIC => 2,
        C::CUBLAS_COMPUTE_64F
        | C::CUBLAS_COMPUTE_64F_PEDANTIC
        | C::CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT => 8,
        _ => 4,
    };
    if matches!(element, D::CUDA_C_32F | D::CUDA_C_64F) { 2 * size } else { size }
}

/// The type of the factors, which stands for the precision of sums in ROCm 5.
fn old_compute_type(compute: cublasComputeType_t, element: cudaDataType) -> CublasResult<u32> {
    use cublasComputeType_t as C;
    use cudaDataType_t as D;
    numbers::old_data_type(match (compute, scalar_size(compute, element)) {
        (C::CUBLAS_COMPUTE_32I | C::CUBLAS_COMPUTE_32I_PEDANTIC, _) => D::CUDA_R_32I,
        (_, 2) => D::CUDA_R_16F,
        (_, 4) => D::CUDA_R_32F,
        (_, 16) => D::CUDA_C_64F,
        _ if element == D::CUDA_C_32F => D::CUDA_C_32F,
        _ => D::CUDA_R_64F,
    })
}

impl Products {
    /// Puts the products, which have been checked, into the stream of these settings.
    ///
    /// # Safety
    /// Factors on the host can be read.
    pub(crate) unsafe fn enqueue(self, settings: &Settings, blas: &Arc<Blas>) -> CublasResult {
        let old = blas.generation() == Generation::First;
        let [op_a, op_b] = self.operations.map(Enumeration::number);
        let data_type = if old { numbers::old_data_type } else { numbers::data_type };
        let [a, b, c] = self.types.map(data_type);
        let compute = match old {
            true => old_compute_type(self.compute, self.types[0]),
            false => numbers::compute_type(self.compute),
        };
        let bytes = scalar_size(self.compute, self.types[0]);
        let on_device = settings.on_device();
        // SAFETY: the caller says so.
        let (alpha, beta) = unsafe {
            (Scalar::of(on_device, self.alpha, bytes)?, Scalar::of(on_device, self.beta, bytes)?)
        };
        let prepared = Prepared {
            operations: [op_a?, op_b?],
            types: [a?, b?, c?],
            compute: compute?,
            alpha,
            beta,
            matrices: self.matrices.map(|place| place.expose_provenance()),
            batch: self.batch,
        };
        match Sized::<c_int>::of(&self) {
            Some(sized) => prepared.enqueue(settings, blas, sized, ""),
            None => {
                let sized = Sized::<i64>::of(&self).ok_or(cublasError::INVALID_VALUE)?;
                prepared.enqueue(settings, blas, sized, "_64")
            }
        }
    }
}

impl Prepared {
    fn enqueue<Int: Copy + Send + Sync + 'static>(
        self,
        settings: &Settings,
        blas: &Arc<Blas>,
        sized: Sized<Int>,
        width: &str,
    ) -> CublasResult {
        let version = if blas.generation() == Generation::Second { "_v2" } else { "" };
        let name = match self.batch {
            Batch::One => "hipblasGemmEx",
            Batch::Array { .. } => "hipblasGemmBatchedEx",
            Batch::Strided { .. } => "hipblasGemmStridedBatchedEx",
        };
        let symbol = format!("{name}{version}{width}");
        // SAFETY: an address, which is called below as what it is.
        let Some(address) = (unsafe { blas.library().get::<*const ()>(&symbol) }) else {
            tracing::warn!("unsupported: {} has no {symbol}", blas.library().file);
            return Err(cublasError::NOT_SUPPORTED);
        };
        let address = address.expose_provenance();
        blas.enqueue(settings, name, move |hip| {
            // SAFETY: the symbol is the function of this name and width, which has this type; the program answers for what
            // addresses lead to.
            let status =
                unsafe { self.call(hip, std::ptr::with_exposed_provenance(address), &sized) };
            numbers::error(status)
        })
    }

    /// # Safety
    /// The address is that of the function for the batch with sizes of type `Int`.
    unsafe fn call<Int: Copy>(
        &self,
        hip: HipHandle,
        address: *const (),
        sized: &Sized<Int>,
    ) -> u32 {
        use super::argument::Kept;
        let ([op_a, op_b], [type_a, type_b, type_c]) = (self.operations, self.types);
        let [a, b, c] = self.matrices.map(std::ptr::with_exposed_provenance::<c_void>);
        let (alpha, beta, algo) = (self.alpha.hip(), self.beta.hip(), HIPBLAS_GEMM_DEFAULT);
        let ([m, n, k], [lda, ldb, ldc]) = (sized.sizes, sized.leading);
        let (count, compute) = (sized.count, self.compute);
        // SAFETY: the caller says so.
        unsafe {
            match self.batch {
                Batch::One => {
                    let function: GemmEx<Int> = std::mem::transmute(address);
                    function(
                        hip, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c,
                        type_c, ldc, compute, algo,
                    )
                }
                Batch::Array { .. } => {
                    let function: GemmBatchedEx<Int> = std::mem::transmute(address);
                    function(
                        hip, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c,
                        type_c, ldc, count, compute, algo,
                    )
                }
                Batch::Strided { strides: [step_a, step_b, step_c], .. } => {
                    let function: GemmStridedBatchedEx<Int> = std::mem::transmute(address);
                    function(
                        hip, op_a, op_b, m, n, k, alpha, a, type_a, lda, step_a, b, type_b, ldb,
                        step_b, beta, c, type_c, ldc, step_c, count, compute, algo,
                    )
                }
            }
        }
    }
}
