//! cuBLASXt: products and equations of matrices that lie on the host. The devices that there are here share the host's
//! memory, so that the functions of [`super::product`] and [`super::level3`] do it; a call returns when its result is there.

use super::level2::Factor;
use super::{level3, product};
use crate::convert::{FromC, Out};
use crate::device::{convert, driver};
use crate::handle::Handle;
use crate::number::*;
use cuda_types::cublas::*;
use parking_lot::Mutex;
use std::ffi::c_int;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

/// The edge of the blocks that NVIDIA's library cuts matrices into, where a program sets none.
const BLOCK: c_int = 4096;

/// A context of cuBLASXt.
pub(crate) struct Xt {
    settings: Mutex<Settings>,
}

#[derive(Clone)]
struct Settings {
    /// That of the first device which was chosen.
    handle: Option<Arc<Handle>>,
    block: c_int,
    pinning: cublasXtPinnedMemMode_t,
}

static HANDLES: LazyLock<HandleTable<Xt>> = LazyLock::new(|| HandleTable::new(Kind::CUBLASXT));

impl FromC<cublasXtHandle_t> for Arc<Xt> {
    unsafe fn from_c(handle: cublasXtHandle_t) -> CublasResult<Self> {
        HANDLES.get(handle as u64).ok_or(cublasError::NOT_INITIALIZED)
    }
}

impl Xt {
    /// The context of the chosen device.
    fn handle(&self) -> CublasResult<Arc<Handle>> {
        self.settings.lock().handle.clone().ok_or(cublasError::NOT_INITIALIZED)
    }
}

pub(crate) fn create(handle: Out<cublasXtHandle_t>) -> CublasResult {
    handle.check()?;
    let pinning = cublasXtPinnedMemMode_t::CUBLASXT_PINNING_DISABLED;
    let settings = Mutex::new(Settings { handle: None, block: BLOCK, pinning });
    let number = HANDLES.insert(Arc::new(Xt { settings })).ok_or(cublasError::ALLOC_FAILED)?;
    handle.set(std::ptr::without_provenance_mut(number as usize))
}

pub(crate) fn destroy(handle: cublasXtHandle_t) -> CublasResult {
    HANDLES.remove(handle as u64).map(drop).ok_or(cublasError::NOT_INITIALIZED)
}

/// All devices are this machine: the first computes.
pub(crate) unsafe fn select(xt: Arc<Xt>, count: c_int, devices: *mut c_int) -> CublasResult {
    check(count > 0 && !devices.is_null())?;
    let mut there = 0;
    // SAFETY: the place lives during the call.
    unsafe { driver()?.cuDeviceGetCount(&mut there) }.map_err(convert)?;
    for i in 0..count as usize {
        // SAFETY: the caller passes what the API asks for.
        let device = unsafe { devices.add(i).read() };
        check((0..there).contains(&device))?;
    }
    xt.settings.lock().handle = Some(Handle::make()?.here("cuBLASXt"));
    Ok(())
}

/// No device here is one of several on a board.
pub(crate) fn boards(boards: Out<c_int>) -> CublasResult {
    boards.set(1)
}

pub(crate) fn set_block(xt: Arc<Xt>, block: c_int) -> CublasResult {
    check(block > 0)?;
    xt.settings.lock().block = block;
    Ok(())
}

pub(crate) fn get_block(xt: Arc<Xt>, block: Out<c_int>) -> CublasResult {
    block.set(xt.settings.lock().block)
}

pub(crate) fn set_pinning(xt: Arc<Xt>, mode: cublasXtPinnedMemMode_t) -> CublasResult {
    check(mode.0 <= 1)?;
    xt.settings.lock().pinning = mode;
    Ok(())
}

pub(crate) fn get_pinning(xt: Arc<Xt>, mode: Out<cublasXtPinnedMemMode_t>) -> CublasResult {
    mode.set(xt.settings.lock().pinning)
}

/// An argument as the functions for one device take it.
trait Argument: Copy {
    type Plain;
    fn plain(self) -> CublasResult<Self::Plain>;
}

impl Argument for usize {
    type Plain = i64;
    fn plain(self) -> CublasResult<i64> {
        i64::try_from(self).map_err(|_| INVALID)
    }
}

/// Those that are the same.
macro_rules! same {
    ($([$($number:ident)?] $ty:ty;)*) => {$(
        impl$(<$number>)? Argument for $ty {
            type Plain = Self;
            fn plain(self) -> CublasResult<Self> {
                Ok(self)
            }
        }
    )*};
}

same! {
    [N] *const N;
    [N] *mut N;
    [] cublasOperation_t;
    [] cublasFillMode_t;
    [] cublasSideMode_t;
    [] cublasDiagType_t;
}

/// Defines the functions by those for one device.
macro_rules! routines {
    ($($module:ident::$name:ident<N, $($factor:ident)?>($($argument:ident: $ty:ty),*);)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $name<N $(, $factor)?>(xt: Arc<Xt>, $($argument: $ty),*) -> CublasResult
        where
            N: Number + Factor<N>,
            $($factor: Factor<N>,)?
        {
            let handle = xt.handle()?;
            // SAFETY: the caller passes what the API asks for.
            unsafe { $module::$name::<N $(, $factor)?>(handle.clone(), $($argument.plain()?),*) }?;
            handle.wait()
        }
    )*};
}

routines! {
    product::gemm<N,>(
        op_a: cublasOperation_t, op_b: cublasOperation_t, m: usize, n: usize, k: usize, alpha: *const N, a: *const N,
        lda: usize, b: *const N, ldb: usize, beta: *const N, c: *mut N, ldc: usize
    );
    level3::symm<N,>(
        side: cublasSideMode_t, fill: cublasFillMode_t, m: usize, n: usize, alpha: *const N, a: *const N, lda: usize,
        b: *const N, ldb: usize, beta: *const N, c: *mut N, ldc: usize
    );
    level3::hemm<N,>(
        side: cublasSideMode_t, fill: cublasFillMode_t, m: usize, n: usize, alpha: *const N, a: *const N, lda: usize,
        b: *const N, ldb: usize, beta: *const N, c: *mut N, ldc: usize
    );
    level3::syrk<N, F>(
        fill: cublasFillMode_t, op: cublasOperation_t, n: usize, k: usize, alpha: *const F, a: *const N, lda: usize,
        beta: *const F, c: *mut N, ldc: usize
    );
    level3::herk<N, F>(
        fill: cublasFillMode_t, op: cublasOperation_t, n: usize, k: usize, alpha: *const F, a: *const N, lda: usize,
        beta: *const F, c: *mut N, ldc: usize
    );
    level3::syr2k<N, F>(
        fill: cublasFillMode_t, op: cublasOperation_t, n: usize, k: usize, alpha: *const N, a: *const N, lda: usize,
        b: *const N, ldb: usize, beta: *const F, c: *mut N, ldc: usize
    );
    level3::her2k<N, F>(
        fill: cublasFillMode_t, op: cublasOperation_t, n: usize, k: usize, alpha: *const N, a: *const N, lda: usize,
        b: *const N, ldb: usize, beta: *const F, c: *mut N, ldc: usize
    );
    level3::syrkx<N, F>(
        fill: cublasFillMode_t, op: cublasOperation_t, n: usize, k: usize, alpha: *const N, a: *const N, lda: usize,
        b: *const N, ldb: usize, beta: *const F, c: *mut N, ldc: usize
    );
    level3::herkx<N, F>(
        fill: cublasFillMode_t, op: cublasOperation_t, n: usize, k: usize, alpha: *const N, a: *const N, lda: usize,
        b: *const N, ldb: usize, beta: *const F, c: *mut N, ldc: usize
    );
    level3::trsm<N,>(
        side: cublasSideMode_t, fill: cublasFillMode_t, op: cublasOperation_t, diag: cublasDiagType_t, m: usize,
        n: usize, alpha: *const N, a: *const N, lda: usize, b: *mut N, ldb: usize
    );
    level3::trmm<N,>(
        side: cublasSideMode_t, fill: cublasFillMode_t, op: cublasOperation_t, diag: cublasDiagType_t, m: usize,
        n: usize, alpha: *const N, a: *const N, lda: usize, b: *const N, ldb: usize, c: *mut N, ldc: usize
    );
}
