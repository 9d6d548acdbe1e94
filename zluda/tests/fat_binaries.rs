//! Fat binaries of machine code for the very device that it reports, and PTX that is for later ones alone: the PTX runs. So does
//! the PTX of parts whose whole is linked machine code, and that in a cubin of ours. What has no PTX is refused, and the log says what it has instead.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use common::Entry;
use cuda_types::cuda::{
    CUcontext, CUdevice, CUdeviceptr, CUfunction, CUmodule, CUresult as R, CUstream,
};
use libloading::Library;
use std::cell::Cell;
use std::ffi::{c_char, c_uint, c_void};
use std::process::Command;
use std::ptr::null_mut;

const TEXT: &[u8] = b".version 9.0
.target sm_120a
.address_size 64
.visible .entry store(.param .u64 to) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    st.global.u32 [%rd1], 17;
    ret; }
";

/// A part that needs another.
const PART: &[u8] = b".version 9.0
.target sm_120
.address_size 64
.extern .func (.param .b32 result) number();
.visible .entry store(.param .u64 to) {
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [to];
    { .param .b32 result;
    call.uni (result), number;
    ld.param.b32 %r1, [result]; }
    st.global.u32 [%rd1], %r1;
    ret; }
";
const OTHER_PART: &[u8] = b".version 9.0
.target sm_120
.address_size 64
.visible .func (.param .b32 result) number() {
    st.param.b32 [result], 39;
    ret; }
";

/// As the driver's own; of version 2 with a list.
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    container: *const u8,
    linked: *const *const u8,
}

/// The numbers of kinds.
const PTX: u16 = 1;
const MACHINE_CODE: u16 = 2;
const NVVM: u16 = 8;
const TILE_IR: u16 = 128;

const TILES: &[u8] = b"\x7fTileIR\0\x0d\x01\0\0\0";

/// A container of plain entries: kind, architecture, contents.
fn container(entries: &[(u16, u32, &[u8])]) -> Vec<u8> {
    let entry = |&(kind, architecture, data): &(u16, u32, _)| Entry {
        kind,
        architecture,
        flags: 0x11,
        data,
        uncompressed: 0,
    };
    common::container(&entries.iter().map(entry).collect::<Vec<_>>())
}

/// The child: its log is what the other test reads.
#[test]
#[ignore = "the other test runs it, and reads its log"]
fn program() {
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(common::library_path()) }.expect("the library loads");
    let (mut context, mut pointer) = (null_mut(), 0);
    let module = Cell::new(null_mut());
    let ok = |result| assert_eq!(result, R::CUDA_SUCCESS);
    ok(call!(library, cuInit(0): (c_uint)));
    ok(call!(library, cuDevicePrimaryCtxRetain(&mut context, 0): (*mut CUcontext, CUdevice)));
    ok(call!(library, cuCtxSetCurrent(context): (CUcontext)));
    ok(call!(library, cuMemAlloc_v2(&mut pointer, 8): (*mut CUdeviceptr, usize)));
    let load = |image: *const c_void| call!(library, cuModuleLoadData(module.as_ptr(), image): (*mut CUmodule, *const c_void));
    let machine_code: (u16, u32, &[u8]) = (MACHINE_CODE, 80, b"\x7fELF");
    for image in [
        container(&[(TILE_IR, 100, TILES)]),
        container(&[(NVVM, 80, b"BC"), machine_code]),
        TILES.to_vec(),
    ] {
        assert_eq!(load(image.as_ptr().cast()), R::CUDA_ERROR_NO_BINARY_FOR_GPU);
    }
    let whole = container(&[machine_code]);
    let parts = [
        container(&[machine_code, (PTX, 120, PART)]),
        container(&[machine_code]),
        container(&[(PTX, 120, OTHER_PART)]),
    ];
    let list = [parts[0].as_ptr(), parts[1].as_ptr(), parts[2].as_ptr(), std::ptr::null()];
    let wrapper = Wrapper {
        magic: 0x4662_43b1,
        version: 2,
        container: whole.as_ptr(),
        linked: list.as_ptr(),
    };
    let one = container(&[machine_code, (TILE_IR, 100, TILES), (PTX, 120, TEXT)]);
    let cubin = [&cubin::head(TEXT.len(), 80)[..], TEXT].concat();
    for (image, wanted) in
        [(one.as_ptr().cast(), 17), ((&raw const wrapper).cast(), 39), (cubin.as_ptr().cast(), 17)]
    {
        ok(load(image));
        let mut function: CUfunction = null_mut();
        ok(call!(library, cuModuleGetFunction(&mut function, module.get(), c"store".as_ptr()):
            (*mut CUfunction, CUmodule, *const c_char)));
        let mut params = [(&raw mut pointer).cast::<c_void>()];
        ok(call!(library, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(),
            params.as_mut_ptr(), null_mut()): (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint,
            c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)));
        let mut value = 0u32;
        ok(call!(library, cuMemcpyDtoH_v2((&raw mut value).cast(), pointer, 4):
            (*mut c_void, CUdeviceptr, usize)));
        assert_eq!(value, wanted);
    }
}

#[test]
fn ptx_of_any_target_runs_and_what_else_there_is_is_named() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "program", "--ignored"])
        .env("ZLUDA_DEVICE", "cpu")
        .env("ZLUDA_CC", "8.0")
        .env("ZLUDA_CACHE_DIR", "off")
        .env_remove("ZLUDA_LOG")
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}\n{}", String::from_utf8_lossy(&output.stdout));
    for sentence in [
        "unsupported: a fat binary of CUDA Tile IR without PTX",
        "unsupported: a fat binary of machine code (SASS) and NVVM IR without PTX",
        "unsupported: CUDA Tile IR; only PTX can run here",
    ] {
        assert_eq!(log.matches(sentence).count(), 1, "{sentence}\n{log}");
    }
}
