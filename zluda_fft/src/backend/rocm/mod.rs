//! Transforms on AMD GPUs, by hipFFT.
//!
//! - [`functions`]: the functions and numbers of hipFFT that are used.
//! - [`layout`]: shapes as hipFFT takes them.

mod functions;
mod layout;

use super::device::{driver, setup};
use cuda_types::cuda::CUstream;
use cuda_types::cufft::{CUFFT_FORWARD, CUFFT_INVERSE, CufftResult, cufftError};
use fourier::{Descriptor, Direction, Element, Kind};
use functions::*;
use hip_runtime_sys::hipStream_t;
use layout::Arguments;
use parking_lot::Mutex;
use std::ffi::{c_int, c_longlong};
use std::ptr::with_exposed_provenance_mut as at;
use std::sync::{Arc, LazyLock};
use zluda_api::rocm::{self, OpenError, RocmLibrary, Source};

/// hipFFT has one file name in all versions of ROCm: the system's is that of the HIP library beside it.
const SOURCE: Source = Source {
    name: "hipFFT",
    files: &[
        ("libamdhip64.so.7", &["libhipfft.so.0"]),
        ("libamdhip64.so.6", &["libhipfft.so.0"]),
        ("libamdhip64.so.5", &["libhipfft.so.0"]),
    ],
};

/// The library, opened with the first plan; what is wrong with it is logged then.
fn functions() -> CufftResult<&'static Functions> {
    static FUNCTIONS: LazyLock<Result<Functions, OpenError>> = LazyLock::new(|| {
        let functions = RocmLibrary::functions(&SOURCE, Functions::new);
        functions.inspect_err(|error| tracing::error!("cuFFT on AMD GPUs: {error}"))
    });
    FUNCTIONS.as_ref().map_err(|_| cufftError::SETUP_FAILED)
}

/// A transform of an AMD GPU's memory.
pub(crate) struct Plan {
    descriptor: Descriptor,
    plan: Arc<HipPlan>,
}

struct HipPlan {
    functions: &'static Functions,
    /// Locked while the plan has the stream of a call.
    handle: Mutex<Owned>,
}

struct Owned(hipfftHandle);

// SAFETY: hipFFT's plans may be used on any thread, one at a time.
unsafe impl Send for Owned {}

impl Plan {
    /// Plans a transform for the device of the current context.
    pub(crate) fn new(descriptor: Descriptor) -> CufftResult<Plan> {
        let ty = hip_type(descriptor.kind, descriptor.element)?;
        let functions = functions()?;
        // Asking for a stream makes its device that of the thread, as hipFFT wants it.
        driver()?.stream(std::ptr::null_mut()).map_err(setup)?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the place lives during the call.
        error(unsafe { (functions.hipfftCreate)(&mut handle) })?;
        let plan = Arc::new(HipPlan { functions, handle: Mutex::new(Owned(handle)) });
        let rank = descriptor.lengths.len() as c_int;
        let mut size = 0;
        /// Null for no gaps.
        fn place<T>(lengths: &mut [T]) -> *mut T {
            if lengths.is_empty() { std::ptr::null_mut() } else { lengths.as_mut_ptr() }
        }
        // Versions differ in how they take numbers of 64 bits, so they get them where they have to.
        let status = if let Some(mut a) = Arguments::<c_int>::of(&descriptor) {
            // SAFETY: the handle is a new plan; the arrays have its rank and live during the call.
            unsafe {
                (functions.hipfftMakePlanMany)(
                    handle,
                    rank,
                    place(&mut a.lengths),
                    place(&mut a.input.lengths),
                    a.input.stride,
                    a.input.distance,
                    place(&mut a.output.lengths),
                    a.output.stride,
                    a.output.distance,
                    ty,
                    a.batch,
                    &mut size,
                )
            }
        } else {
            let a = Arguments::<c_longlong>::of(&descriptor);
            let mut a = a.ok_or(cufftError::INVALID_SIZE)?;
            // SAFETY: as above.
            unsafe {
                (functions.hipfftMakePlanMany64)(
                    handle,
                    rank,
                    place(&mut a.lengths),
                    place(&mut a.input.lengths),
                    a.input.stride,
                    a.input.distance,
                    place(&mut a.output.lengths),
                    a.output.stride,
                    a.output.distance,
                    ty,
                    a.batch,
                    &mut size,
                )
            }
        };
        error(status)?;
        tracing::debug!("hipFFT's plan has {size} bytes of memory to work in");
        Ok(Plan { descriptor, plan })
    }

    pub(crate) fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// Puts a transform into a stream.
    pub(crate) fn exec(
        &self,
        stream: CUstream,
        direction: Direction,
        input: usize,
        output: usize,
    ) -> CufftResult {
        let driver = driver()?;
        driver.current_context().map_err(setup)?;
        let (plan, kind, element) =
            (self.plan.clone(), self.descriptor.kind, self.descriptor.element);
        let sign = match direction {
            Direction::Forward => CUFFT_FORWARD,
            Direction::Inverse => CUFFT_INVERSE as c_int,
        };
        rocm::call(driver, stream, "a transform", move |stream| {
            plan.exec(stream, (kind, element), sign, input, output)
        })
        .map_err(|error| {
            tracing::debug!("{error}");
            cufftError::EXEC_FAILED
        })?
    }
}

impl HipPlan {
    fn exec(
        &self,
        stream: hipStream_t,
        (kind, element): (Kind, Element),
        sign: c_int,
        input: usize,
        output: usize,
    ) -> CufftResult {
        let (f, plan) = (self.functions, self.handle.lock());
        let plan = plan.0;
        // SAFETY: the plan is hipFFT's, of this type, and the stream the provider's; the program answers for its memory.
        let status = unsafe {
            error((f.hipfftSetStream)(plan, stream))?;
            match (kind, element) {
                (Kind::Complex, Element::F32) => {
                    (f.hipfftExecC2C)(plan, at(input), at(output), sign)
                }
                (Kind::RealToComplex, Element::F32) => {
                    (f.hipfftExecR2C)(plan, at(input), at(output))
                }
                (Kind::ComplexToReal, Element::F32) => {
                    (f.hipfftExecC2R)(plan, at(input), at(output))
                }
                (Kind::Complex, Element::F64) => {
                    (f.hipfftExecZ2Z)(plan, at(input), at(output), sign)
                }
                (Kind::RealToComplex, Element::F64) => {
                    (f.hipfftExecD2Z)(plan, at(input), at(output))
                }
                (Kind::ComplexToReal, Element::F64) => {
                    (f.hipfftExecZ2D)(plan, at(input), at(output))
                }
                (_, Element::F16 | Element::BF16) => HIPFFT_NOT_SUPPORTED,
            }
        };
        error(status)
    }
}

impl Drop for HipPlan {
    fn drop(&mut self) {
        // SAFETY: the plan is hipFFT's, and nobody else has it.
        let status = unsafe { (self.functions.hipfftDestroy)(self.handle.get_mut().0) };
        if let Err(error) = error(status) {
            tracing::debug!("hipfftDestroy: {error}");
        }
    }
}

/// hipFFT's number of a type. It has half precision only behind interfaces of its own.
fn hip_type(kind: Kind, element: Element) -> CufftResult<hipfftType> {
    Ok(match (kind, element) {
        (Kind::Complex, Element::F32) => HIPFFT_C2C,
        (Kind::RealToComplex, Element::F32) => HIPFFT_R2C,
        (Kind::ComplexToReal, Element::F32) => HIPFFT_C2R,
        (Kind::Complex, Element::F64) => HIPFFT_Z2Z,
        (Kind::RealToComplex, Element::F64) => HIPFFT_D2Z,
        (Kind::ComplexToReal, Element::F64) => HIPFFT_Z2D,
        (_, Element::F16 | Element::BF16) => {
            tracing::warn!("unsupported: transforms in half precision on AMD GPUs");
            return Err(cufftError::NOT_SUPPORTED);
        }
    })
}

/// The error of a result of hipFFT.
fn error(result: hipfftResult) -> CufftResult {
    let error = match result {
        HIPFFT_SUCCESS => return Ok(()),
        HIPFFT_INVALID_PLAN => cufftError::INVALID_PLAN,
        HIPFFT_ALLOC_FAILED => cufftError::ALLOC_FAILED,
        HIPFFT_INVALID_TYPE => cufftError::INVALID_TYPE,
        HIPFFT_INVALID_VALUE => cufftError::INVALID_VALUE,
        HIPFFT_EXEC_FAILED => cufftError::EXEC_FAILED,
        HIPFFT_SETUP_FAILED => cufftError::SETUP_FAILED,
        HIPFFT_INVALID_SIZE => cufftError::INVALID_SIZE,
        HIPFFT_UNALIGNED_DATA => cufftError::UNALIGNED_DATA,
        HIPFFT_INVALID_DEVICE => cufftError::INVALID_DEVICE,
        HIPFFT_NO_WORKSPACE => cufftError::NO_WORKSPACE,
        HIPFFT_NOT_IMPLEMENTED | HIPFFT_NOT_SUPPORTED => cufftError::NOT_SUPPORTED,
        _ => cufftError::INTERNAL_ERROR,
    };
    tracing::debug!("hipFFT gave {result}");
    Err(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    // hipFFT's numbers of types and results are cuFFT's.
    #[test]
    fn types_and_results_are_cuffts() {
        use cuda_types::cufft::cufftType as T;
        let types = [
            (Kind::Complex, Element::F32, T::CUFFT_C2C),
            (Kind::RealToComplex, Element::F32, T::CUFFT_R2C),
            (Kind::ComplexToReal, Element::F32, T::CUFFT_C2R),
            (Kind::Complex, Element::F64, T::CUFFT_Z2Z),
            (Kind::RealToComplex, Element::F64, T::CUFFT_D2Z),
            (Kind::ComplexToReal, Element::F64, T::CUFFT_Z2D),
        ];
        for (kind, element, ty) in types {
            assert_eq!(hip_type(kind, element), Ok(ty.0));
        }
        assert_eq!(hip_type(Kind::Complex, Element::F16), Err(cufftError::NOT_SUPPORTED));
        assert_eq!(error(0), Ok(()));
        for result in [1, 2, 3, 4, 6, 7, 8, 11, 13, 16] {
            assert_eq!(error(result).unwrap_err().0.get(), result);
        }
        assert_eq!(error(14), Err(cufftError::NOT_SUPPORTED));
        assert_eq!(error(999), Err(cufftError::INTERNAL_ERROR));
    }
}
