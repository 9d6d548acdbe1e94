//! The first steps of most cases: an initialised driver, a context, a module.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_types::cuda::*;

use differential::api::Api;

/// A small module: a store, a kernel with a limit on its block, one with static and dynamic shared
/// memory, faults of each kind, a variable.
pub const PTX: &str = concat!(
    r#"
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .global .align 8 .b8 table[24];
.visible .entry store(.param .u64 out, .param .u32 value)
{
    .reg .b32 %r<2>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [value];
    cvta.to.global.u64 %rd2, %rd1;
    st.global.u32 [%rd2], %r1;
    ret;
}
.visible .entry limited(.param .u64 out)
.maxntid 64, 1, 1
{
    ret;
}
.visible .entry shared_memory()
{
    .shared .align 16 .b8 buffer[1024];
    .reg .b32 %r<2>;
    mov.u32 %r1, 1;
    st.shared.u32 [buffer], %r1;
    ret;
}
.visible .entry trap_now()
{
    trap;
}
.visible .entry nothing()
{
    ret;
}
"#,
    "\0"
);

/// A file that takes everything.
pub const NOTHING: &std::ffi::CStr = if cfg!(windows) { c"NUL" } else { c"/dev/null" };

/// Panics if a call that a case only needs for its start has failed.
pub fn must(code: i64) {
    assert_eq!(code, 0, "setting up failed");
}

/// cuInit and the primary context of device 0, current.
pub fn context(api: &Api) -> CUcontext {
    must(api.cuInit(0));
    let mut context = null_mut();
    must(api.cuDevicePrimaryCtxRetain(&mut context, 0));
    must(api.cuCtxSetCurrent(context));
    context
}

/// A context, and the module [`PTX`] in it.
pub fn module(api: &Api) -> CUmodule {
    context(api);
    let mut module = null_mut();
    must(api.cuModuleLoadData(&mut module, PTX.as_ptr().cast()));
    module
}

/// A library without options.
pub fn load_library(api: &Api, library: *mut CUlibrary, code: *const c_void) -> i64 {
    api.cuLibraryLoadData(library, code, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0)
}

/// The module [`PTX`] as a library.
pub fn library(api: &Api) -> CUlibrary {
    let mut library = null_mut();
    must(load_library(api, &mut library, PTX.as_ptr().cast()));
    library
}

/// The kernel of this name.
pub fn kernel(api: &Api, module: CUmodule, name: &std::ffi::CStr) -> CUfunction {
    let mut function = null_mut();
    must(api.cuModuleGetFunction(&mut function, module, name.as_ptr()));
    function
}

/// New memory of this many bytes.
pub fn allocate(api: &Api, bytes: usize) -> CUdeviceptr {
    let mut pointer = 0;
    must(api.cuMemAlloc_v2(&mut pointer, bytes));
    pointer
}

/// A new stream that waits for the legacy one.
pub fn stream(api: &Api) -> CUstream {
    let mut stream = null_mut();
    must(api.cuStreamCreate(&mut stream, 0));
    stream
}

/// A new event.
pub fn event(api: &Api) -> CUevent {
    let mut event = null_mut();
    must(api.cuEventCreate(&mut event, 0));
    event
}

/// The shape of an array; sides are in elements.
pub fn shape(
    [width, height, depth]: [usize; 3],
    format: CUarray_format,
    channels: u32,
    flags: u32,
) -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: format,
        NumChannels: channels,
        Flags: flags,
    }
}

/// A new array.
pub fn array(api: &Api, shape: &CUDA_ARRAY3D_DESCRIPTOR) -> CUarray {
    let mut array = null_mut();
    must(api.cuArray3DCreate_v2(&mut array, shape));
    array
}

/// A new mipmapped array.
pub fn mipmapped(api: &Api, shape: &CUDA_ARRAY3D_DESCRIPTOR, levels: u32) -> CUmipmappedArray {
    let mut array = null_mut();
    must(api.cuMipmappedArrayCreate(&mut array, shape, levels));
    array
}

/// A launch of one block on the default stream.
pub fn launch(
    api: &Api,
    function: CUfunction,
    threads: u32,
    parameters: &mut [*mut c_void],
) -> i64 {
    let parameters = if parameters.is_empty() { null_mut() } else { parameters.as_mut_ptr() };
    api.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, null_mut(), parameters, null_mut())
}

/// A pointer that is no handle of anything, readable so that a driver that looks behind it survives.
pub fn foreign<T>() -> *mut T {
    static mut BYTES: [u64; 512] = [0; 512];
    (&raw mut BYTES).cast()
}

/// A plain structure of C's, all zeros.
pub fn zeroed<T>() -> T {
    // SAFETY: used for structures of numbers and pointers, of which all zeros is a value.
    unsafe { std::mem::zeroed() }
}

/// A pool of memory of device 0.
pub fn memory_pool(api: &Api) -> CUmemoryPool {
    // SAFETY: a plain structure, of which all zeros is a value.
    let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    let mut pool = null_mut();
    must(api.cuMemPoolCreate(&mut pool, &properties));
    pool
}
