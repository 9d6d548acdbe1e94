//! Machine code for sm_80, which ptxas makes of PTX in the test: it is loaded as a cubin and in fat binaries, gives what its PTX
//! gives, and is preferred, or of no use, as `ZLUDA_SASS` says.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stderr)]

#[macro_use]
mod common;

use common::Entry;
use cuda_types::cuda::{
    CUcontext, CUdevice, CUdeviceptr, CUfunction, CUfunction_attribute, CUfunctionLoadingState,
    CUmodule, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// `out[i] = a[i] + b[i]` for i < n.
const ADD: &str = ".visible .entry add(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) {
    .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .pred %p;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [n]; setp.ge.u32 %p, %r4, %r5; @%p ret;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [a]; ld.param.u64 %d3, [b];
    mul.wide.u32 %d4, %r4, 4; add.s64 %d1, %d1, %d4; add.s64 %d2, %d2, %d4; add.s64 %d3, %d3, %d4;
    ld.global.f32 %f1, [%d2]; ld.global.f32 %f2, [%d3]; add.f32 %f3, %f1, %f2; st.global.f32 [%d1], %f3; ret; }
";

/// The sum of `a` over a block of 128 threads, by shuffles and shared memory.
const SUM: &str = ".visible .entry sum(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) {
    .reg .b64 %d<8>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .pred %p; .shared .align 4 .b8 partial[16];
    mov.u32 %r1, %tid.x; ld.param.u64 %d1, [a]; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; ld.global.f32 %f1, [%d1];
    shfl.sync.bfly.b32 %f2, %f1, 16, 31, -1; add.f32 %f1, %f1, %f2; shfl.sync.bfly.b32 %f2, %f1, 8, 31, -1; add.f32 %f1, %f1, %f2;
    shfl.sync.bfly.b32 %f2, %f1, 4, 31, -1; add.f32 %f1, %f1, %f2; shfl.sync.bfly.b32 %f2, %f1, 2, 31, -1; add.f32 %f1, %f1, %f2;
    shfl.sync.bfly.b32 %f2, %f1, 1, 31, -1; add.f32 %f1, %f1, %f2;
    and.b32 %r2, %r1, 31; setp.ne.u32 %p, %r2, 0; shr.u32 %r3, %r1, 5; shl.b32 %r3, %r3, 2; mov.u32 %r4, partial; add.s32 %r3, %r3, %r4;
    @!%p st.shared.f32 [%r3], %f1; bar.sync 0;
    ld.shared.v4.f32 {%f3, %f4, %f5, %f6}, [partial]; add.f32 %f3, %f3, %f4; add.f32 %f5, %f5, %f6; add.f32 %f3, %f3, %f5;
    ld.param.u64 %d3, [out]; setp.ne.u32 %p, %r1, 0; @!%p st.global.f32 [%d3], %f3; ret; }
";

/// Divides until nothing is left, in as many rounds as the thread's number says, and then as floats.
const DIVIDE: &str = ".visible .entry divide(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) {
    .reg .b64 %d<8>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .pred %p;
    mov.u32 %r1, %tid.x; add.s32 %r2, %r1, 2; mov.u32 %r3, 123456789; mov.u32 %r4, 0;
    loop: div.u32 %r5, %r3, %r2; rem.u32 %r6, %r3, %r2; add.s32 %r4, %r4, %r6; mov.u32 %r3, %r5; setp.ne.u32 %p, %r3, 0; @%p bra loop;
    cvt.rn.f32.u32 %f1, %r4; cvt.rn.f32.u32 %f2, %r2; div.rn.f32 %f3, %f1, %f2;
    ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; st.global.f32 [%d1], %f3; ret; }
";

/// Prints from one thread, whose buffer is in local memory.
const PRINT: &str = ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.global .align 1 .b8 format[18] = {109, 97, 99, 104, 105, 110, 101, 32, 99, 111, 100, 101, 32, 37, 100, 10, 0};
.visible .entry print(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) {
    .local .align 8 .b8 values[8]; .reg .b64 %d<8>; .reg .b32 %r<4>; .reg .pred %p;
    mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 0; @%p ret;
    ld.param.u32 %r2, [n]; mov.u64 %d1, values; cvta.local.u64 %d2, %d1; st.local.u32 [%d1], %r2;
    mov.u64 %d3, format; cvta.global.u64 %d3, %d3;
    { .param .b64 x; .param .b64 y; .param .b32 r; st.param.b64 [x], %d3; st.param.b64 [y], %d2; call.uni (r), vprintf, (x, y); }
    ret; }
";

/// Leaves `n` by a variable that is aligned to 256 bytes, and what is wrong about its address.
const ALIGNED: &str = ".visible .entry aligned(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) {
    .local .align 256 .b8 values[40]; .local .align 8 .b8 more[24]; .reg .b64 %d<8>; .reg .b32 %r<4>; .reg .f32 %f<4>; .shared .align 4 .b8 words[40];
    mov.u64 %d1, values; cvta.local.u64 %d2, %d1; mov.u64 %d3, more; cvta.local.u64 %d3, %d3;
    ld.param.u32 %r1, [n]; st.local.u32 [%d1+4], %r1; st.volatile.shared.u32 [words+36], %r1; st.u64 [%d3], %d2; ld.u64 %d4, [%d3];
    and.b64 %d4, %d4, 255; cvt.rn.f32.u64 %f1, %d4; ld.u32 %r2, [%d2+4]; cvt.rn.f32.u32 %f2, %r2;
    ld.param.u64 %d5, [out]; mov.u32 %r3, %tid.x; mul.wide.u32 %d6, %r3, 4; add.s64 %d5, %d5, %d6;
    add.f32 %f2, %f2, %f1; st.global.f32 [%d5], %f2; ret; }
";

/// Two kernels with a variable between two others: one has a value, one has none.
const SHARE: &str = ".visible .global .align 4 .f32 start = 0f40E00000;
.visible .global .align 4 .f32 counter;
.visible .global .align 8 .b64 end = 5;
.visible .entry bump(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) {
    .reg .b32 %r; .reg .f32 %f<3>; .reg .pred %p;
    mov.u32 %r, %tid.x; setp.ne.u32 %p, %r, 0; @%p ret;
    ld.global.f32 %f1, [counter]; ld.global.f32 %f2, [start]; add.f32 %f1, %f1, %f2; st.global.f32 [counter], %f1; ret; }
.visible .entry show(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) {
    .reg .b32 %r; .reg .b64 %d; .reg .f32 %f; .reg .pred %p;
    mov.u32 %r, %tid.x; setp.ne.u32 %p, %r, 0; @%p ret;
    ld.global.f32 %f, [counter]; ld.param.u64 %d, [out]; st.global.f32 [%d], %f; ret; }
";

/// A function that calls itself, and two that are called by their addresses in a table; and a variable in another one's value.
const CALLS: &str = ".func (.param .b32 r) fibonacci(.param .b32 n);
.func (.param .b32 r) fibonacci(.param .b32 n) {
    .reg .b32 %r<6>; .reg .pred %p;
    ld.param.b32 %r1, [n]; setp.lt.s32 %p, %r1, 2; @%p bra small; add.s32 %r2, %r1, -1; add.s32 %r3, %r1, -2;
    { .param .b32 x; .param .b32 y; st.param.b32 [x], %r2; call (y), fibonacci, (x); ld.param.b32 %r4, [y]; }
    { .param .b32 x; .param .b32 y; st.param.b32 [x], %r3; call (y), fibonacci, (x); ld.param.b32 %r5, [y]; }
    add.s32 %r1, %r4, %r5;
    small: st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) twice(.param .b32 n) { .reg .b32 %r; ld.param.b32 %r, [n]; shl.b32 %r, %r, 1; st.param.b32 [r], %r; ret; }
.func (.param .b32 r) square(.param .b32 n) { .reg .b32 %r; ld.param.b32 %r, [n]; mul.lo.s32 %r, %r, %r; st.param.b32 [r], %r; ret; }
.global .align 8 .u64 table[3] = {twice, square, fibonacci};
.global .align 4 .u32 numbers[4] = {5, 6, 7, 8};
.global .align 8 .u64 number = generic(numbers)+8;
.visible .entry calls(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) {
    .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .f32 %f<4>;
    mov.u32 %r1, %tid.x; rem.u32 %r2, %r1, 3; rem.u32 %r3, %r1, 13; mul.wide.u32 %d1, %r2, 8; mov.u64 %d2, table; add.s64 %d2, %d2, %d1;
    ld.global.u64 %d3, [%d2]; prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
    { .param .b32 x; .param .b32 y; st.param.b32 [x], %r3; call (y), %d3, (x), prototype; ld.param.b32 %r4, [y]; }
    { .param .b32 x; .param .b32 y; st.param.b32 [x], %r3; call (y), fibonacci, (x); ld.param.b32 %r5, [y]; }
    ld.global.u64 %d5, [number]; ld.u32 %r6, [%d5]; mad.lo.s32 %r4, %r4, %r6, %r5;
    cvt.rn.f32.s32 %f1, %r4; ld.param.u64 %d6, [out]; mul.wide.u32 %d7, %r1, 4; add.s64 %d6, %d6, %d7; st.global.f32 [%d6], %f1; ret; }
";

/// Lanes that meet from both ways of a branch, and threads that meet at a barrier in shared memory, twice.
const MEETINGS: &str = ".visible .entry meetings(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) {
    .reg .b64 %d<8>; .reg .b32 %r<16>; .reg .f32 %f<4>; .reg .pred %p<4>; .shared .align 8 .b64 barrier; .shared .align 4 .b32 values[128];
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; xor.b32 %r3, %r2, 31; mul.lo.u32 %r4, %r1, 3; setp.ne.u32 %p2, %r1, 0;
    @!%p2 mbarrier.init.shared.b64 [barrier], 128; bar.sync 0;
    setp.lt.u32 %p1, %r2, 11; @%p1 bra few;
    shfl.sync.idx.b32 %r5, %r4, %r3, 31, -1; add.u32 %r5, %r5, 1000; bra met;
    few: shfl.sync.idx.b32 %r5, %r4, %r3, 31, -1; add.u32 %r5, %r5, 2000;
    met: mul.wide.u32 %d1, %r1, 4; cvt.u32.u64 %r6, %d1; mov.u32 %r7, values; add.u32 %r6, %r6, %r7; mov.u32 %r8, 0;
    round: st.shared.u32 [%r6], %r5; mbarrier.arrive.shared.b64 %d2, [barrier];
    wait: mbarrier.test_wait.shared.b64 %p3, [barrier], %d2; @!%p3 bra wait;
    add.u32 %r9, %r1, 37; and.b32 %r9, %r9, 127; shl.b32 %r9, %r9, 2; add.u32 %r9, %r9, %r7; ld.shared.u32 %r5, [%r9];
    mbarrier.arrive.shared.b64 %d2, [barrier];
    again: mbarrier.test_wait.shared.b64 %p3, [barrier], %d2; @!%p3 bra again;
    add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 3; @%p3 bra round;
    cvt.rn.f32.u32 %f1, %r5; ld.param.u64 %d3, [out]; add.s64 %d3, %d3, %d1; st.global.f32 [%d3], %f1; ret; }
";

/// `a` for the first `n` threads, 7 for others.
const SOME: &str = ".visible .entry some(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) {
    .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .f32 %f; .reg .pred %p;
    mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; setp.lt.u32 %p, %r1, %r2; mul.wide.u32 %d1, %r1, 4;
    ld.param.u64 %d2, [a]; add.s64 %d2, %d2, %d1; mov.f32 %f, 0f40E00000; @%p ld.global.f32 %f, [%d2];
    ld.param.u64 %d3, [out]; add.s64 %d3, %d3, %d1; st.global.f32 [%d3], %f; ret; }
";

/// Gives the one load of global memory in a cubin a last operand that never holds: ptxas has no PTX for that form, which
/// libraries written in machine code use.
fn with_a_load_that_is_left_out(cubin: &[u8]) -> Vec<u8> {
    let mut code = cubin.to_vec();
    let is_load = |code: &[u8]| u16::from_le_bytes([code[0], code[1]]) & 0xfff == 0x981;
    let mut loads = (0..code.len() - 15).step_by(16).filter(|&at| is_load(&code[at..]));
    let (Some(load), None) = (loads.next(), loads.next()) else { panic!("one load") };
    code[load + 8] |= 8;
    code
}

fn ptxas() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    Some(root.join("target/toolkit/cuda-13.5/nvidia/cu13/bin/ptxas")).filter(|path| path.exists())
}

/// The machine code of a module, and what ptxas says of it.
fn assembled(ptxas: &Path, text: &str) -> (Vec<u8>, String) {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = ["a.ptx", "a.cubin"].map(|name| folder.path().join(name));
    std::fs::write(&from, text).unwrap();
    let output =
        Command::new(ptxas).args(["-v", "-arch=sm_80", "-o"]).args([&to, &from]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    (std::fs::read(to).unwrap(), said)
}

/// The registers of a kernel, as ptxas says them when it is asked to be verbose.
fn registers(said: &str, kernel: &str) -> c_int {
    let (_, rest) = said.split_once(&format!("entry function '{kernel}'")).unwrap();
    let (_, rest) = rest.split_once("Used ").unwrap();
    rest.split_once(" registers").unwrap().0.parse().unwrap()
}

/// A container of one entry of machine code and one of PTX.
fn container(cubin: &[u8], ptx: Option<&[u8]>) -> Vec<u8> {
    let packed = zstd::encode_all(cubin, 3).unwrap();
    let entry = |kind, flags, data, uncompressed| Entry {
        kind,
        architecture: 80,
        flags,
        data,
        uncompressed,
    };
    let code = entry(2, 0x8011, &packed[..], cubin.len());
    let entries = [Some(code), ptx.map(|ptx| entry(1, 0x11, ptx, 0))];
    common::container(&entries.into_iter().flatten().collect::<Vec<_>>())
}

/// A container of PTX alone.
fn ptx_container(ptx: &[u8]) -> Vec<u8> {
    common::container(&[Entry {
        kind: 1,
        architecture: 80,
        flags: 0x11,
        data: ptx,
        uncompressed: 0,
    }])
}

const THREADS: usize = 128;

struct Device {
    library: Library,
    out: CUdeviceptr,
    inputs: [CUdeviceptr; 2],
}

impl Device {
    fn open() -> Self {
        // SAFETY: the library has no initialisers of its own.
        let library = unsafe { Library::new(common::library_path()) }.expect("the library loads");
        let ok = |result| assert_eq!(result, R::CUDA_SUCCESS);
        let mut context = null_mut();
        ok(call!(library, cuInit(0): (c_uint)));
        ok(call!(library, cuDevicePrimaryCtxRetain(&mut context, 0): (*mut CUcontext, CUdevice)));
        ok(call!(library, cuCtxSetCurrent(context): (CUcontext)));
        let pointers = std::array::from_fn(|_| {
            let mut pointer = 0;
            ok(call!(library, cuMemAlloc_v2(&mut pointer, 4 * THREADS): (*mut CUdeviceptr, usize)));
            pointer
        });
        let [out, a, b] = pointers;
        for (pointer, factor) in [(a, 0.5), (b, 3.0)] {
            let values: Vec<f32> = (0..THREADS).map(|index| index as f32 * factor).collect();
            ok(call!(library, cuMemcpyHtoD_v2(pointer, values.as_ptr().cast(), 4 * THREADS):
                (CUdeviceptr, *const c_void, usize)));
        }
        Self { library, out, inputs: [a, b] }
    }

    /// What a kernel's attribute is.
    fn attribute(&self, image: &[u8], name: &CStr, attribute: CUfunction_attribute) -> c_int {
        let library = &self.library;
        let ok = |result| assert_eq!(result, R::CUDA_SUCCESS);
        let (mut module, mut function, mut value) = (null_mut(), null_mut(), 0);
        ok(
            call!(library, cuModuleLoadData(&mut module, image.as_ptr().cast()): (*mut CUmodule, *const c_void)),
        );
        ok(call!(library, cuModuleGetFunction(&mut function, module, name.as_ptr()):
            (*mut CUfunction, CUmodule, *const std::ffi::c_char)));
        ok(call!(library, cuFuncGetAttribute(&mut value, attribute, function):
            (*mut c_int, CUfunction_attribute, CUfunction)));
        ok(call!(library, cuModuleUnload(module): (CUmodule)));
        value
    }

    /// What the first floats are after a launch, or what loading says.
    fn run(&self, image: &[u8], name: &CStr) -> Result<Vec<f32>, R> {
        self.run_all(image, &[name])
    }

    /// The same after launches of several kernels of one module.
    fn run_all(&self, image: &[u8], names: &[&CStr]) -> Result<Vec<f32>, R> {
        let library = &self.library;
        let ok = |result| if result == R::CUDA_SUCCESS { Ok(()) } else { Err(result) };
        let mut module = null_mut();
        ok(
            call!(library, cuModuleLoadData(&mut module, image.as_ptr().cast()): (*mut CUmodule, *const c_void)),
        )?;
        ok(call!(library, cuMemsetD32_v2(self.out, 0, THREADS): (CUdeviceptr, c_uint, usize)))?;
        names.iter().try_for_each(|name| self.launch(module, name))?;
        let mut values = vec![0f32; THREADS];
        ok(call!(library, cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), self.out, 4 * THREADS):
            (*mut c_void, CUdeviceptr, usize)))?;
        ok(call!(library, cuModuleUnload(module): (CUmodule)))?;
        Ok(values)
    }

    fn launch(&self, module: CUmodule, name: &CStr) -> Result<(), R> {
        let library = &self.library;
        let ok = |result| if result == R::CUDA_SUCCESS { Ok(()) } else { Err(result) };
        let mut function = null_mut();
        ok(call!(library, cuModuleGetFunction(&mut function, module, name.as_ptr()):
            (*mut CUfunction, CUmodule, *const std::ffi::c_char)))?;
        // CUB takes the sizes of blocks that it was compiled with for this architecture.
        let mut version = 0;
        ok(
            call!(library, cuFuncGetAttribute(&mut version, CUfunction_attribute::CU_FUNC_ATTRIBUTE_PTX_VERSION, function):
            (*mut c_int, CUfunction_attribute, CUfunction)),
        )?;
        assert_eq!(version, 80);
        let (mut out, [mut a, mut b], mut n) = (self.out, self.inputs, 100u32);
        let mut parameters: [*mut c_void; 4] =
            [(&raw mut out).cast(), (&raw mut a).cast(), (&raw mut b).cast(), (&raw mut n).cast()];
        ok(
            call!(library, cuLaunchKernel(function, 1, 1, 1, THREADS as c_uint, 1, 1, 0, null_mut(), parameters.as_mut_ptr(), null_mut()):
            (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)),
        )
    }
}

/// What [`DIVIDE`] leaves for a thread.
fn divided(thread: u32) -> f32 {
    let (by, mut rest, mut sum) = (thread + 2, 123_456_789u32, 0u32);
    while rest != 0 {
        sum += rest % by;
        rest /= by;
    }
    sum as f32 / by as f32
}

/// What [`CALLS`] leaves for a thread.
fn called(thread: u32) -> f32 {
    let fibonacci = |n: u32| (0..n).fold((0, 1), |(last, next), _| (next, last + next)).0;
    let n = thread % 13;
    let by_table = [2 * n, n * n, fibonacci(n)][thread as usize % 3];
    (by_table * 7 + fibonacci(n)) as f32
}

/// What [`MEETINGS`] leaves for a thread: what the thread 111 further has of the other end of its warp.
fn met(thread: u32) -> f32 {
    let other = (thread + 3 * 37) % 128;
    (3 * (other ^ 31) + if other % 32 < 11 { 2000 } else { 1000 }) as f32
}

/// The child: each setting is read once in a process.
#[test]
#[ignore = "the other tests run it, with a setting"]
fn program() {
    let Some(ptxas) = ptxas() else { return };
    let device = Device::open();
    let added: Vec<f32> =
        (0..THREADS).map(|i| if i < 100 { i as f32 * 3.5 } else { 0.0 }).collect();
    let (cubin, said) = assembled(
        &ptxas,
        &format!("{HEAD}{ADD}{SUM}{DIVIDE}{PRINT}{ALIGNED}{SHARE}{CALLS}{MEETINGS}"),
    );
    // PTX that gives something else tells which of both was taken.
    let other =
        format!("{HEAD}{}\0", ADD.replace("add.f32 %f3, %f1, %f2", "sub.f32 %f3, %f2, %f1"));
    let subtracted: Vec<f32> =
        (0..THREADS).map(|i| if i < 100 { i as f32 * 2.5 } else { 0.0 }).collect();
    let both = container(&cubin, Some(other.as_bytes()));
    let setting = std::env::var("ZLUDA_SASS").unwrap_or_default();
    let preferred = if setting == "prefer" { &added } else { &subtracted };
    assert_eq!(device.run(&both, c"add").as_ref(), Ok(preferred));
    let images = [cubin.clone(), container(&cubin, None)];
    if setting == "off" {
        for image in &images {
            assert_eq!(device.run(image, c"add"), Err(R::CUDA_ERROR_NO_BINARY_FOR_GPU));
        }
        return;
    }
    // What nvcc linked of parts of which one has PTX: a link of that one would miss the others.
    let [of_all, of_other] = [container(&cubin, None), ptx_container(other.as_bytes())];
    let parts = [of_all.as_ptr(), of_other.as_ptr(), std::ptr::null()];
    let pointers = [of_all.as_ptr() as u64, parts.as_ptr() as u64].map(u64::to_le_bytes);
    let head = [0x4662_43b1_u32, 2].map(u32::to_le_bytes);
    let linked = [head.as_flattened(), pointers.as_flattened()].concat();
    for kernel in [c"add", c"sum"] {
        assert_eq!(device.run(&linked, kernel), device.run(&images[0], kernel), "{kernel:?}");
    }
    assert_eq!(device.run(&linked, c"add").as_ref(), Ok(&added));
    for image in &images {
        assert_eq!(device.run(image, c"add").as_ref(), Ok(&added));
        let sum = device.run(image, c"sum").unwrap();
        assert_eq!(sum[0], (0..THREADS).map(|i| i as f32 * 0.5).sum::<f32>());
        let quotients: Vec<f32> = (0..THREADS as u32).map(divided).collect();
        assert_eq!(device.run(image, c"divide"), Ok(quotients));
        assert!(device.run(image, c"print").is_ok());
        for kernel in [c"add", c"sum", c"divide"] {
            let count =
                device.attribute(image, kernel, CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS);
            assert_eq!(count, registers(&said, kernel.to_str().unwrap()), "{kernel:?}");
        }
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
        assert_eq!(device.attribute(image, c"aligned", attribute), 40);
        // 100 and the lowest bits of the address, which are none.
        assert_eq!(device.run(image, c"aligned"), Ok(vec![100.0; THREADS]));
        for (kernel, expected) in [(c"calls", called as fn(u32) -> f32), (c"meetings", met)] {
            let expected: Vec<f32> = (0..THREADS as u32).map(expected).collect();
            assert_eq!(device.run(image, kernel), Ok(expected), "{kernel:?}");
        }
        // Threads whose load is left out get zeros; those that go past it keep what they had.
        let (some, _) = assembled(&ptxas, &format!("{HEAD}{SOME}"));
        for (image, factor) in [(with_a_load_that_is_left_out(&some), 0.0), (some, 0.5)] {
            let expected = (0..THREADS).map(|i| if i < 100 { i as f32 * factor } else { 7.0 });
            assert_eq!(device.run(&image, c"some"), Ok(expected.collect()));
        }
        // Kernels are lifted apart, and have their variables together.
        let shown = device.run_all(image, &[c"bump", c"bump", c"show"]).unwrap();
        assert_eq!(shown[0], 14.0);
    }
    one_that_cannot_be_lifted(&device, &ptxas);
}

/// The child: `ZLUDA_DEBUG` says where the texts go.
#[test]
#[ignore = "another test runs it, with a folder"]
fn two_of_many() {
    let Some(ptxas) = ptxas() else { return };
    let (cubin, said) = assembled(&ptxas, &format!("{HEAD}{ADD}{SUM}{DIVIDE}{PRINT}{SHARE}"));
    let device = Device::open();
    // What the file says of a kernel needs none of its code.
    let count = CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS;
    assert_eq!(device.attribute(&cubin, c"divide", count), registers(&said, "divide"));
    assert!(device.run_all(&cubin, &[c"sum", c"add"]).is_ok());
}

/// A kernel with an instruction that nobody knows costs nobody else, and says so when it is to be loaded or launched.
fn one_that_cannot_be_lifted(device: &Device, ptxas: &Path) {
    let (mut cubin, said) = assembled(ptxas, &format!("{HEAD}{DIVIDE}{SUM}"));
    // A load of global memory, which one of the kernels has.
    let at = cubin.windows(2).position(|two| two == [0x81, 0x79]).unwrap();
    cubin[at..at + 2].copy_from_slice(&[0xff, 0x7f]);
    let library = &device.library;
    let ok = |result| assert_eq!(result, R::CUDA_SUCCESS);
    let mut module = null_mut();
    ok(
        call!(library, cuModuleLoadData(&mut module, cubin.as_ptr().cast()): (*mut CUmodule, *const c_void)),
    );
    let refused = R::CUDA_ERROR_NOT_SUPPORTED;
    for (name, text, outcome, is_loaded) in
        [(c"sum", "sum", refused, 0), (c"divide", "divide", R::CUDA_SUCCESS, 1)]
    {
        let (mut function, mut value) = (null_mut(), 0);
        ok(call!(library, cuModuleGetFunction(&mut function, module, name.as_ptr()):
            (*mut CUfunction, CUmodule, *const std::ffi::c_char)));
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS;
        ok(call!(library, cuFuncGetAttribute(&mut value, attribute, function):
            (*mut c_int, CUfunction_attribute, CUfunction)));
        assert_eq!(value, registers(&said, text));
        let state = || {
            let mut state = CUfunctionLoadingState(7);
            ok(call!(library, cuFuncIsLoaded(&mut state, function):
                (*mut CUfunctionLoadingState, CUfunction)));
            state.0
        };
        assert_eq!(state(), 0);
        assert_eq!(call!(library, cuFuncLoad(function): (CUfunction)), outcome, "{name:?}");
        assert_eq!(state(), is_loaded);
        let launched = device.launch(module, name).err().unwrap_or(R::CUDA_SUCCESS);
        assert_eq!(launched, outcome, "{name:?}");
    }
    ok(call!(library, cuModuleUnload(module): (CUmodule)));
}

/// Runs [`program`], and gives what it printed.
fn child(setting: &str) -> String {
    child_named("program", &[("ZLUDA_SASS", setting)])
}

fn child_named(name: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", name, "--ignored", "--nocapture"])
        .envs(variables.iter().copied())
        .env("ZLUDA_DEVICE", "cpu");
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn machine_code_runs_where_there_is_no_ptx() {
    let text = child("");
    if ptxas().is_some() {
        assert_eq!(text.matches("machine code 100\n").count(), 2, "{text}");
    } else {
        eprintln!("there is no ptxas (./x toolkit)");
    }
}

#[test]
fn machine_code_can_come_before_ptx() {
    child("prefer");
}

#[test]
fn machine_code_can_be_off() {
    child("off");
}

#[test]
fn kernels_are_lifted_when_they_are_asked_for() {
    if ptxas().is_none() {
        return eprintln!("there is no ptxas (./x toolkit)");
    }
    let folder = tempfile::tempdir().unwrap();
    child_named("two_of_many", &[("ZLUDA_DEBUG", &format!("ptx={}", folder.path().display()))]);
    let mut lifted: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .flat_map(|text| {
            let entries = text.lines().filter(|line| line.contains(".entry"));
            entries
                .map(|line| line.split(['(', ' ']).nth(2).unwrap().to_owned())
                .collect::<Vec<_>>()
        })
        .collect();
    lifted.sort();
    assert_eq!(lifted, ["add", "sum"]);
}
