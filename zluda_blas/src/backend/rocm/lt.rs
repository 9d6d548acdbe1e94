//! hipBLASLt, on AMD GPUs: products with epilogues and scales. Its algorithm is its own choice.

use super::argument::{Kept, Scalar};
use super::library::{Blas, HipHandle};
use super::lt_functions::*;
use super::numbers::{self, Enumeration, error};
use crate::device::{convert, driver};
use crate::settings::Settings;
use cuda_types::cublas::*;
use parking_lot::Mutex;
use std::ffi::c_void;
use std::sync::LazyLock;
use zluda_api::rocm::{self, OpenError, RocmLibrary, Source};

/// hipBLASLt from ROCm 7 on: those before it differ in functions and numbers. Debian has that of ROCm 7 for HIP 6 too.
const SOURCE: Source = Source {
    name: "hipBLASLt",
    files: &[
        ("libamdhip64.so.7", &["libhipblaslt.so.1"]),
        ("libamdhip64.so.6", &["libhipblaslt.so.1"]),
        ("libamdhip64.so.5", &[]),
    ],
};

fn functions() -> CublasResult<&'static Functions> {
    static FUNCTIONS: LazyLock<Result<Functions, OpenError>> = LazyLock::new(|| {
        let functions = RocmLibrary::functions(&SOURCE, Functions::new);
        functions.inspect_err(|error| tracing::error!("cublasLtMatmul on AMD GPUs: {error}"))
    });
    FUNCTIONS.as_ref().map_err(|_| cublasError::NOT_SUPPORTED)
}

/// A handle of hipBLASLt, for the device that was the thread's when it was made.
pub(crate) struct Lt {
    functions: &'static Functions,
    handle: Mutex<Address>,
}

/// A handle or an object of hipBLASLt.
struct Address(HipHandle);

// SAFETY: hipBLASLt's objects may be used on any thread, one at a time.
unsafe impl Send for Address {}

impl Lt {
    /// Makes a handle for the thread's device. `NOT_SUPPORTED` where hipBLASLt is not there.
    pub(crate) fn new() -> CublasResult<Lt> {
        let functions = functions()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the place lives during the call.
        error(unsafe { (functions.hipblasLtCreate)(&mut handle) })?;
        Ok(Lt { functions, handle: Mutex::new(Address(handle)) })
    }
}

impl Drop for Lt {
    fn drop(&mut self) {
        // SAFETY: the handle is hipBLASLt's, and nobody else has it.
        let status = unsafe { (self.functions.hipblasLtDestroy)(self.handle.get_mut().0) };
        if let Err(error) = error(status) {
            tracing::debug!("hipblasLtDestroy: {error}");
        }
    }
}

/// A matrix in columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Matrix {
    pub(crate) ty: cudaDataType,
    pub(crate) rows: u64,
    pub(crate) columns: u64,
    pub(crate) leading: i64,
    pub(crate) count: i32,
    /// Elements from one of a batch to the next.
    pub(crate) stride: i64,
}

/// An attribute of a product: hipBLASLt's number, and the bytes of the value.
pub(crate) type Attribute = (u32, [u8; 8], usize);

/// An attribute of 32 bits.
pub(crate) fn number(attribute: u32, value: u32) -> Attribute {
    (attribute, u64::from(value).to_le_bytes(), size_of::<u32>())
}

pub(crate) const EPILOGUE: u32 = HIPBLASLT_MATMUL_DESC_EPILOGUE;

/// Attributes of 64 bits: bias, what an epilogue keeps, its distance of columns and of matrices, the factors of A, B, C and D, and
/// where the greatest element of D goes.
pub(crate) const WIDE: [u32; 9] = [
    HIPBLASLT_MATMUL_DESC_BIAS_POINTER,
    HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
    HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD,
    HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE,
    HIPBLASLT_MATMUL_DESC_A_SCALE_POINTER,
    HIPBLASLT_MATMUL_DESC_B_SCALE_POINTER,
    HIPBLASLT_MATMUL_DESC_C_SCALE_POINTER,
    HIPBLASLT_MATMUL_DESC_D_SCALE_POINTER,
    HIPBLASLT_MATMUL_DESC_AMAX_D_POINTER,
];

/// Attributes that are types: of the bias, and of what an epilogue keeps.
pub(crate) const TYPES: [u32; 2] =
    [HIPBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE];

/// A product and its operands.
pub(crate) struct Product {
    pub(crate) operations: [cublasOperation_t; 2],
    pub(crate) compute: cublasComputeType_t,
    pub(crate) scale: cudaDataType,
    pub(crate) attributes: Vec<Attribute>,
    /// A, B, C and D, before their operations, and where they are.
    pub(crate) matrices: [Matrix; 4],
    pub(crate) places: [*const c_void; 4],
}

/// A product's objects, which are destroyed with it.
struct Objects {
    functions: &'static Functions,
    description: HipHandle,
    layouts: [HipHandle; 4],
}

impl Objects {
    fn new(functions: &'static Functions, product: &Product) -> CublasResult<Objects> {
        let null = std::ptr::null_mut();
        let mut objects = Objects { functions, description: null, layouts: [null; 4] };
        let compute = numbers::compute_type(product.compute)?;
        let [op_a, op_b] = product.operations.map(Enumeration::number);
        let scale = data_type(product.scale)?;
        // SAFETY: the places live during the calls; attributes have the sizes that hipBLASLt's manual says.
        unsafe {
            let place = &mut objects.description;
            error((functions.hipblasLtMatmulDescCreate)(place, compute, scale))?;
            objects.set(HIPBLASLT_MATMUL_DESC_TRANSA, &op_a?.to_ne_bytes())?;
            objects.set(HIPBLASLT_MATMUL_DESC_TRANSB, &op_b?.to_ne_bytes())?;
            for (attribute, value, size) in &product.attributes {
                objects.set(*attribute, &value[..*size])?;
            }
            for (place, matrix) in objects.layouts.iter_mut().zip(&product.matrices) {
                let ty = data_type(matrix.ty)?;
                let (rows, columns, leading) = (matrix.rows, matrix.columns, matrix.leading);
                let create = functions.hipblasLtMatrixLayoutCreate;
                error(create(place, ty, rows, columns, leading))?;
                let set = functions.hipblasLtMatrixLayoutSetAttribute;
                let (count, stride) = (matrix.count, matrix.stride);
                let attribute = HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT;
                error(set(*place, attribute, (&raw const count).cast(), size_of_val(&count)))?;
                let attribute = HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET;
                error(set(*place, attribute, (&raw const stride).cast(), size_of_val(&stride)))?;
            }
        }
        Ok(objects)
    }

    /// # Safety
    /// The attribute has this size.
    unsafe fn set(&self, attribute: u32, value: &[u8]) -> CublasResult {
        let set = self.functions.hipblasLtMatmulDescSetAttribute;
        // SAFETY: the caller says so; the value lives during the call.
        error(unsafe { set(self.description, attribute, value.as_ptr().cast(), value.len()) })
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        let functions = self.functions;
        // SAFETY: what is not null is hipBLASLt's, and nobody else has it.
        unsafe {
            for layout in self.layouts.into_iter().filter(|layout| !layout.is_null()) {
                (functions.hipblasLtMatrixLayoutDestroy)(layout);
            }
            if !self.description.is_null() {
                (functions.hipblasLtMatmulDescDestroy)(self.description);
            }
        }
    }
}

/// The type of elements: those of hipBLAS, and numbers of 8 bits.
pub(crate) fn data_type(ty: cudaDataType) -> CublasResult<u32> {
    match ty {
        cudaDataType_t::CUDA_R_8F_E4M3 => Ok(HIP_R_8F_E4M3),
        cudaDataType_t::CUDA_R_8F_E5M2 => Ok(HIP_R_8F_E5M2),
        ty => numbers::data_type(ty),
    }
}

/// hipBLASLt's number of an epilogue. Those of ReLU that keep something keep a bit of each element in cuBLASLt, and the element in
/// hipBLASLt.
pub(crate) fn epilogue(epilogue: cublasLtEpilogue_t) -> CublasResult<u32> {
    use cublasLtEpilogue_t as E;
    Ok(match epilogue {
        E::CUBLASLT_EPILOGUE_DEFAULT => HIPBLASLT_EPILOGUE_DEFAULT,
        E::CUBLASLT_EPILOGUE_RELU => HIPBLASLT_EPILOGUE_RELU,
        E::CUBLASLT_EPILOGUE_BIAS => HIPBLASLT_EPILOGUE_BIAS,
        E::CUBLASLT_EPILOGUE_RELU_BIAS => HIPBLASLT_EPILOGUE_RELU_BIAS,
        E::CUBLASLT_EPILOGUE_GELU => HIPBLASLT_EPILOGUE_GELU,
        E::CUBLASLT_EPILOGUE_GELU_BIAS => HIPBLASLT_EPILOGUE_GELU_BIAS,
        E::CUBLASLT_EPILOGUE_GELU_AUX => HIPBLASLT_EPILOGUE_GELU_AUX,
        E::CUBLASLT_EPILOGUE_GELU_AUX_BIAS => HIPBLASLT_EPILOGUE_GELU_AUX_BIAS,
        E::CUBLASLT_EPILOGUE_DGELU => HIPBLASLT_EPILOGUE_DGELU,
        E::CUBLASLT_EPILOGUE_DGELU_BGRAD => HIPBLASLT_EPILOGUE_DGELU_BGRAD,
        E::CUBLASLT_EPILOGUE_BGRADA => HIPBLASLT_EPILOGUE_BGRADA,
        E::CUBLASLT_EPILOGUE_BGRADB => HIPBLASLT_EPILOGUE_BGRADB,
        _ => return Err(cublasError::NOT_SUPPORTED),
    })
}

// SAFETY: hipBLASLt's objects may be used on any thread; a call that uses them has the lock of its handle.
unsafe impl Send for Objects {}
// SAFETY: as above.
unsafe impl Sync for Objects {}

/// Bytes of a factor.
pub(crate) fn factor_size(scale: cudaDataType) -> usize {
    use cudaDataType_t as D;
    match scale {
        D::CUDA_R_16F => 2,
        D::CUDA_R_64F | D::CUDA_C_32F => 8,
        D::CUDA_C_64F => 16,
        _ => 4,
    }
}

impl Blas {
    /// Puts a product, which has been checked, into the stream of these settings.
    ///
    /// # Safety
    /// Factors on the host can be read.
    pub(crate) unsafe fn enqueue_lt(
        &self,
        settings: &Settings,
        product: &Product,
        [alpha, beta]: [*const c_void; 2],
        (workspace, size): (*mut c_void, usize),
    ) -> CublasResult {
        self.enter()?;
        let driver = driver()?;
        // Asking for a stream makes its device that of the thread, as hipBLASLt wants it.
        driver.stream(settings.stream).map_err(convert)?;
        let lt = self.lt()?;
        let objects = Objects::new(lt.functions, product)?;
        let on_device = settings.on_device();
        let mode = match on_device {
            true => HIPBLASLT_POINTER_MODE_DEVICE,
            false => HIPBLASLT_POINTER_MODE_HOST,
        };
        let bytes = factor_size(product.scale);
        // SAFETY: the attribute has this size; the caller says the rest.
        let (alpha, beta) = unsafe {
            objects.set(HIPBLASLT_MATMUL_DESC_POINTER_MODE, &mode.to_ne_bytes())?;
            (Scalar::of(on_device, alpha, bytes)?, Scalar::of(on_device, beta, bytes)?)
        };
        let places = product.places.map(|place| place.expose_provenance());
        let workspace = workspace.expose_provenance();
        rocm::call(driver, settings.stream, "hipblasLtMatmul", move |stream| {
            let [a, b, c, d] = places.map(std::ptr::with_exposed_provenance_mut::<c_void>);
            let objects = &objects;
            let [of_a, of_b, of_c, of_d] = objects.layouts;
            let workspace = std::ptr::with_exposed_provenance_mut(workspace);
            let (description, any) = (objects.description, std::ptr::null());
            let handle = lt.handle.lock();
            let matmul = lt.functions.hipblasLtMatmul;
            // SAFETY: the objects are hipBLASLt's, and the stream one of the provider's; the program answers for its memory.
            error(unsafe {
                matmul(
                    handle.0,
                    description,
                    alpha.hip(),
                    a,
                    of_a,
                    b,
                    of_b,
                    beta.hip(),
                    c,
                    of_c,
                    d,
                    of_d,
                    any,
                    workspace,
                    size,
                    stream.cast(),
                )
            })
        })
        .map_err(convert)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epilogues_that_mean_the_same_have_the_same_numbers() {
        use cublasLtEpilogue_t as E;
        let all = [1, 2, 4, 6, 32, 36, 160, 164, 192, 208, 256, 512];
        assert!(all.into_iter().all(|number| epilogue(E(number)) == Ok(number)));
        // Masks of bits, and no epilogue.
        for number in [130, 134, 136, 152, 3, 0] {
            assert_eq!(epilogue(E(number)), Err(cublasError::NOT_SUPPORTED));
        }
    }

    #[test]
    fn numbers_of_eight_bits_are_types_here_alone() {
        use cudaDataType_t as D;
        assert_eq!(data_type(D::CUDA_R_8F_E4M3), Ok(D::CUDA_R_8F_E4M3.0));
        assert_eq!(data_type(D::CUDA_R_8F_E5M2), Ok(D::CUDA_R_8F_E5M2.0));
        assert_eq!(data_type(D::CUDA_R_32F), numbers::data_type(D::CUDA_R_32F));
        assert_eq!(data_type(D::CUDA_R_4I), Err(cublasError::NOT_SUPPORTED));
    }
}
