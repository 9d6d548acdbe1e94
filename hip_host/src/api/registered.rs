//! What the host's code of programs and of ROCm's libraries calls, as clang makes it of HIP's `<<<>>>`: kernels known by the
//! address of a function on the host. LLVM's "HIP Support", section "Host Code Compilation".
//!
//! The driver calls none of these. They are here so that ROCm's libraries run on an emulated GPU.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, LazyLock};

use hip_runtime_sys::{dim3, hipError_t, hipFunction_t, hipMemcpyKind, hipStream_t};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::launch::{Wanted, find, launch};
use super::{INVALID, Result, always, healthy, hip_api, hipMemcpy, put};
use crate::core::context::current;
use crate::core::launch::LaunchConfig;
use crate::core::module::{Kernel, Module};
use crate::core::stream;

/// `__hipRegisterFatBinary`'s argument: clang's `__CudaFatbinWrapper`.
#[repr(C)]
pub struct FatBinaryWrapper {
    magic: u32,
    version: u32,
    binary: *const c_void,
    unused: *const c_void,
}

/// `HIPF`
const MAGIC: u32 = 0x4849_5046;

/// What was registered, by numbers and names; loaded with the first launch in a context, which is known by its address.
#[derive(Default)]
struct Registered {
    /// Addresses of images by their handles.
    images: FxHashMap<usize, usize>,
    last_image: usize,
    /// The image and the name of a kernel or a variable, by the address of the function or the variable on the host.
    symbols: FxHashMap<usize, (usize, CString)>,
    modules: FxHashMap<(usize, usize), Arc<Module>>,
    kernels: FxHashMap<(usize, usize), Arc<Kernel>>,
}

static REGISTERED: LazyLock<Mutex<Registered>> = LazyLock::new(Mutex::default);

impl Registered {
    /// The module and the name of what is known by an address on the host.
    fn find(&mut self, symbol: usize, unknown: hipError_t) -> Result<(Arc<Module>, String)> {
        let context = std::ptr::from_ref(current()).addr();
        let (handle, name) = self.symbols.get(&symbol).ok_or(unknown)?;
        let image = *self.images.get(handle).ok_or(unknown)?;
        let module = match self.modules.get(&(*handle, context)) {
            Some(module) => module.clone(),
            None => {
                let image = std::ptr::with_exposed_provenance(image);
                // SAFETY: the library that has registered the image has not taken it back.
                let module = Arc::new(unsafe { Module::load(image, usize::MAX) }?);
                self.modules.insert((*handle, context), module.clone());
                module
            }
        };
        Ok((module, name.to_string_lossy().into_owned()))
    }

    fn kernel(&mut self, function: usize) -> Result<Arc<Kernel>> {
        let key = (function, std::ptr::from_ref(current()).addr());
        if let Some(kernel) = self.kernels.get(&key) {
            return Ok(kernel.clone());
        }
        let (module, name) = self.find(function, hipError_t::hipErrorInvalidDeviceFunction)?;
        let kernel = Arc::new(module.kernel(&name)?);
        self.kernels.insert(key, kernel.clone());
        Ok(kernel)
    }
}

/// What another function of HIP has answered.
fn known(error: hipError_t) -> Result {
    if error == hipError_t::hipSuccess { Ok(()) } else { Err(error) }
}

/// The arguments of `<<<>>>` on their way to the stub that launches.
#[derive(Clone, Copy)]
struct Configuration {
    grid: dim3,
    block: dim3,
    shared: usize,
    stream: hipStream_t,
}

thread_local! {
    static CONFIGURATIONS: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// Makes an image known. Its handle is a number, at an address that nobody follows.
///
/// # Safety
/// The wrapper is null or clang's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipRegisterFatBinary(
    wrapper: *const FatBinaryWrapper,
) -> *mut *mut c_void {
    // SAFETY: the caller's promise.
    let Some(wrapper) = (unsafe { wrapper.as_ref() }) else { return null_mut() };
    if wrapper.magic != MAGIC || wrapper.version != 1 || wrapper.binary.is_null() {
        tracing::error!("a fat binary of another form than HIP's");
        return null_mut();
    }
    let mut registered = REGISTERED.lock();
    registered.last_image += 1;
    let handle = registered.last_image;
    registered.images.insert(handle, wrapper.binary.expose_provenance());
    std::ptr::without_provenance_mut(handle)
}

/// Makes what an image has under a name known by an address.
///
/// # Safety
/// The name is a string or null.
unsafe fn register(handle: *mut *mut c_void, symbol: *const c_void, name: *const c_char) {
    if name.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) }.to_owned();
    REGISTERED.lock().symbols.insert(symbol.addr(), (handle.addr(), name));
}

/// Makes a kernel of an image known by the address of its stub.
///
/// # Safety
/// The handle is one of [`__hipRegisterFatBinary`]; `name` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipRegisterFunction(
    handle: *mut *mut c_void,
    function: *const c_void,
    _device_function: *mut c_char,
    name: *const c_char,
    _thread_limit: u32,
    _thread: *mut c_void,
    _block: *mut c_void,
    _block_dim: *mut c_void,
    _grid_dim: *mut c_void,
    _wave_size: *mut c_int,
) {
    // SAFETY: the caller's promise.
    unsafe { register(handle, function, name) }
}

/// Makes a variable of an image known by the address of its shadow on the host.
///
/// # Safety
/// The handle is one of [`__hipRegisterFatBinary`]; `name` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipRegisterVar(
    handle: *mut *mut c_void,
    variable: *mut c_void,
    _device_variable: *mut c_char,
    name: *const c_char,
    _is_external: c_int,
    _size: usize,
    _is_constant: c_int,
    _is_global: c_int,
) {
    // SAFETY: the caller's promise.
    unsafe { register(handle, variable, name) }
}

/// Forgets an image and its kernels. Launches in flight keep their code.
///
/// # Safety
/// None: the handle may be anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipUnregisterFatBinary(handle: *mut *mut c_void) {
    let handle = handle.addr();
    let mut guard = REGISTERED.lock();
    let registered = &mut *guard;
    registered.images.remove(&handle);
    let symbols = &mut registered.symbols;
    registered
        .kernels
        .retain(|(function, _), _| symbols.get(function).is_none_or(|(image, _)| *image != handle));
    symbols.retain(|_, (image, _)| *image != handle);
    registered.modules.retain(|(image, _), _| *image != handle);
}

/// Keeps what stands between `<<<` and `>>>` for the stub.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipPushCallConfiguration(
    grid: dim3,
    block: dim3,
    shared: usize,
    stream: hipStream_t,
) -> hipError_t {
    let configuration = Configuration { grid, block, shared, stream };
    always(|| {
        CONFIGURATIONS
            .try_with(|all| all.borrow_mut().push(configuration))
            .map_err(|_| hipError_t::hipErrorUnknown)
    })
}

/// Gives it to the stub.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipPopCallConfiguration(
    grid: *mut dim3,
    block: *mut dim3,
    shared: *mut usize,
    stream: *mut hipStream_t,
) -> hipError_t {
    always(|| {
        let last = CONFIGURATIONS.try_with(|all| all.borrow_mut().pop()).ok().flatten();
        let last = last.ok_or(hipError_t::hipErrorMissingConfiguration)?;
        // SAFETY: the caller's promise.
        unsafe {
            put(grid, last.grid)?;
            put(block, last.block)?;
            put(shared, last.shared)?;
            put(stream, last.stream)
        }
    })
}

/// `hipExtModuleLaunchKernel` of `hip/hip_ext.h`, whose grid is in threads, so that the last blocks may have fewer. Flags are
/// hints.
///
/// # Safety
/// As for `hipModuleLaunchKernel`.
#[unsafe(no_mangle)]
#[allow(non_snake_case, clippy::too_many_arguments)]
pub unsafe extern "C" fn hipExtModuleLaunchKernel(
    f: hipFunction_t,
    globalWorkSizeX: u32,
    globalWorkSizeY: u32,
    globalWorkSizeZ: u32,
    localWorkSizeX: u32,
    localWorkSizeY: u32,
    localWorkSizeZ: u32,
    sharedMemBytes: usize,
    stream: hipStream_t,
    kernelParams: *mut *mut c_void,
    extra: *mut *mut c_void,
    startEvent: hip_runtime_sys::hipEvent_t,
    stopEvent: hip_runtime_sys::hipEvent_t,
    _flags: u32,
) -> hipError_t {
    let record = |event: hip_runtime_sys::hipEvent_t| match event.is_null() {
        true => Ok(()),
        // SAFETY: events and streams may be anything.
        false => known(unsafe { super::hipEventRecord(event, stream) }),
    };
    healthy(|| {
        let block = [localWorkSizeX, localWorkSizeY, localWorkSizeZ];
        let threads = [globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ];
        if block.contains(&0) {
            return Err(INVALID);
        }
        let grid = std::array::from_fn(|axis| threads[axis].div_ceil(block[axis]));
        let mut wanted = wanted(grid, block, sharedMemBytes, stream)?;
        wanted.config.remainder = std::array::from_fn(|axis| threads[axis] % block[axis]);
        record(startEvent)?;
        // SAFETY: the caller's promise.
        unsafe { launch(find(f)?, wanted, kernelParams, extra)? };
        record(stopEvent)
    })
}

/// `hipGetStreamDeviceId`: the number of a stream's device; that of the current one for the default streams.
///
/// # Safety
/// None: the stream may be anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGetStreamDeviceId(stream: hipStream_t) -> c_int {
    stream::find(stream).map_or(-1, |stream| stream.context.device.ordinal as c_int)
}

/// The address of a part of a variable that is known by its shadow on the host.
fn part_of(symbol: *const c_void, offset: usize, size: usize) -> Result<*mut c_void> {
    let (module, name) =
        REGISTERED.lock().find(symbol.addr(), hipError_t::hipErrorInvalidSymbol)?;
    let (address, whole) = module.variable(&name)?;
    match offset.checked_add(size) {
        Some(end) if end <= whole => Ok((address + offset) as *mut c_void),
        _ => Err(INVALID),
    }
}

fn wanted(grid: [u32; 3], block: [u32; 3], shared: usize, stream: hipStream_t) -> Result<Wanted> {
    let shared = u32::try_from(shared).map_err(|_| INVALID)?;
    let config = LaunchConfig::new(grid, block, shared);
    Ok(Wanted { config, stream, priority: None })
}

hip_api! {
    healthy fn hipLaunchKernel(
        function_address: *const c_void, numBlocks: dim3, dimBlocks: dim3, args: *mut *mut c_void, sharedMemBytes: usize,
        stream: hipStream_t,
    ) {
        let kernel = REGISTERED.lock().kernel(function_address.addr())?;
        let sizes = |size: dim3| [size.x, size.y, size.z];
        let wanted = wanted(sizes(numBlocks), sizes(dimBlocks), sharedMemBytes, stream)?;
        // SAFETY: the program's array.
        unsafe { launch(kernel, wanted, args, null_mut()) }
    }

    healthy fn hipGetSymbolAddress(devPtr: *mut *mut c_void, symbol: *const c_void) {
        // SAFETY: the program's pointer.
        unsafe { put(devPtr, part_of(symbol, 0, 0)?) }
    }

    healthy fn hipMemcpyToSymbol(
        symbol: *const c_void, src: *const c_void, sizeBytes: usize, offset: usize, kind: hipMemcpyKind,
    ) {
        // SAFETY: the variable has as many bytes; the source is the program's.
        known(unsafe { hipMemcpy(part_of(symbol, offset, sizeBytes)?, src, sizeBytes, kind) })
    }

    healthy fn hipMemcpyFromSymbol(
        dst: *mut c_void, symbol: *const c_void, sizeBytes: usize, offset: usize, kind: hipMemcpyKind,
    ) {
        // SAFETY: the variable has as many bytes; the target is the program's.
        known(unsafe { hipMemcpy(dst, part_of(symbol, offset, sizeBytes)?, sizeBytes, kind) })
    }
}

/// Those above that HIP's header for programs does not declare so.
pub(super) const OWN_NAMES: &[&str] = &[
    "__hipRegisterFatBinary",
    "__hipRegisterFunction",
    "__hipRegisterVar",
    "__hipUnregisterFatBinary",
    "__hipPushCallConfiguration",
    "__hipPopCallConfiguration",
    "hipExtModuleLaunchKernel",
    "hipGetStreamDeviceId",
];

const _: hip_runtime_sys::signatures::hipGetStreamDeviceId = hipGetStreamDeviceId;
