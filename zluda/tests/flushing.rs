//! `.ftz`: kernels that flush by the processor's state and kernels that may not, in turn, against products and sums that the host
//! rounds itself.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{CUdeviceptr, CUfunction, CUmodule, CUresult as R, CUstream};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_uint, c_void};
use std::ptr::null_mut;

const THREADS: usize = 256;
/// What each thread reads: `a`, `b`, `c`.
const OPERANDS: usize = 3;
/// What it leaves: `a * b + c`, `a * b`, `c * 1`, `c - b`, and the sum of `c` and `b` by `red`, which flushes in global memory in any
/// kernel.
const RESULTS: usize = 5;

/// A kernel of what all share, with `extra` in the middle, and `ftz` as the suffix of its operations.
fn kernel(name: &str, ftz: &str, extra: &str) -> String {
    format!(
        ".visible .entry {name}(.param .u64 operands, .param .u64 results)
        {{
            .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<7>; .reg .f32 %f<8>; .reg .f64 %fd<3>;
            .shared .align 4 .f32 tile[{THREADS}];
            ld.param.u64 %rd1, [operands];
            ld.param.u64 %rd2, [results];
            mov.u32 %r1, %tid.x;
            mad.wide.u32 %rd3, %r1, {}, %rd1;
            mad.wide.u32 %rd4, %r1, {}, %rd2;
            ld.global.f32 %f1, [%rd3];
            ld.global.f32 %f2, [%rd3+4];
            ld.global.f32 %f3, [%rd3+8];
            {extra}
            fma.rn{ftz}.f32 %f4, %f1, %f2, %f3;
            mul.rn{ftz}.f32 %f5, %f1, %f2;
            mul.rn{ftz}.f32 %f6, %f3, 0f3f800000;
            sub.rn{ftz}.f32 %f7, %f3, %f2;
            st.global.f32 [%rd4], %f4;
            st.global.f32 [%rd4+4], %f5;
            st.global.f32 [%rd4+8], %f6;
            st.global.f32 [%rd4+12], %f7;
            st.global.f32 [%rd4+16], %f3;
            red.global.add.f32 [%rd4+16], %f2;
            ret;
        }}\n",
        4 * OPERANDS,
        4 * RESULTS
    )
}

/// In `mixed` a double that may be subnormal keeps the state from being set. In `waits` warps come and go in between: each goes
/// through a barrier as often as a word says.
fn text() -> CString {
    let double = "cvt.f64.f32 %fd1, %f3; mul.f64 %fd2, %fd1, 0d0000000000000001;
        cvt.rzi.s32.f64 %r2, %fd2; setp.eq.s32 %p, %r2, 7; @%p st.global.u32 [%rd4], %r2;";
    let barriers = "
            mov.u32 %r2, 0;
            mov.u32 %r4, tile;
            mad.lo.u32 %r4, %r1, 4, %r4;
        again:
            st.shared.f32 [%r4], %f2;
            bar.sync 0;
            ld.volatile.shared.f32 %f2, [%r4];
            bar.sync 0;
            add.u32 %r2, %r2, 1;
            ld.global.u32 %r3, [%rd1+0];
            shr.u32 %r3, %r3, 30;
            add.u32 %r3, %r3, 2;
            setp.lt.u32 %p, %r2, %r3;
            @%p bra again;";
    let kernels = [
        kernel("flushes", ".ftz", ""),
        kernel("mixed", ".ftz", double),
        kernel("keeps", "", ""),
        kernel("waits", ".ftz", barriers),
    ];
    let head = ".version 7.0\n.target sm_75\n.address_size 64\n";
    CString::new(format!("{head}{}", kernels.concat())).unwrap()
}

fn flushed(value: f32) -> f32 {
    if value.is_subnormal() { 0f32.copysign(value) } else { value }
}

/// What a sum that is exact in double becomes with `.ftz`: zero, if it is below the normal numbers once it has 24 bits.
fn rounded(exact: f64) -> f32 {
    let least = f64::from(f32::MIN_POSITIVE);
    // Half of the last of 24 bits below it: a tie becomes the even one, which is the normal number.
    let limit = least - least * 2f64.powi(-25);
    if exact.abs() < limit { 0f32.copysign(exact as f32) } else { exact as f32 }
}

/// Operands with products and sums around the least normal number, of 24 bits that are ones, zeros, or anything.
fn operands() -> Vec<[f32; OPERANDS]> {
    let mut random = splitmix::Random::new(7);
    let mut float = |exponent: u32| {
        let fraction = match random.below(4) {
            0 => 0,
            1 => 0x7f_ffff - random.below(3) as u32,
            2 => 1 + random.below(3) as u32,
            _ => random.below(1 << 23) as u32,
        };
        let sign = (random.below(2) as u32) << 31;
        f32::from_bits(sign | exponent << 23 | fraction)
    };
    // `a * b` has 48 bits from 2^-173 on, and `c` lies below 2^-122, so that doubles hold the sum.
    let mut all: Vec<_> = (0..THREADS as u32)
        .map(|index| [float(126 + index % 2), float(1 + index / 2 % 2), float(index / 4 % 4)])
        .collect();
    // The product is a tie below the least normal number, which keeps it.
    all[0] = [1.0 - f32::EPSILON / 2.0, f32::from_bits(0x0080_0001), 0.0];
    all
}

/// A sum that flushes, and a product of matrices of doubles, which are zeros, to which something is added.
const DOUBLES: &str = ".version 7.0\n.target sm_80\n.address_size 64
    .visible .entry doubles(.param .u64 operands, .param .u64 results)
    {
        .reg .b32 %r<2>; .reg .b64 %rd<5>; .reg .f32 %f<3>; .reg .f64 %fd<5>;
        ld.param.u64 %rd1, [operands];
        ld.param.u64 %rd2, [results];
        mov.u32 %r1, %tid.x;
        mad.wide.u32 %rd3, %r1, 8, %rd1;
        mad.wide.u32 %rd4, %r1, 16, %rd2;
        ld.global.f64 %fd1, [%rd3];
        ld.global.f32 %f1, [%rd3];
        add.rn.ftz.f32 %f2, %f1, %f1;
        mov.f64 %fd2, 0d0000000000000000;
        mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd3, %fd4}, {%fd2}, {%fd2}, {%fd1, %fd1};
        st.global.f64 [%rd4], %fd3;
        st.global.f32 [%rd4+8], %f2;
        ret;
    }";

fn load(library: &Library, text: &CStr, names: &[&CStr]) -> Vec<CUfunction> {
    let mut module: CUmodule = null_mut();
    let loaded = call!(library, cuModuleLoadData(&mut module, text.as_ptr().cast()):
        (*mut CUmodule, *const c_void));
    assert_eq!(loaded, R::CUDA_SUCCESS);
    let function = |name: &&CStr| {
        let mut function: CUfunction = null_mut();
        let found = call!(library, cuModuleGetFunction(&mut function, module, name.as_ptr()):
            (*mut CUfunction, CUmodule, *const c_char));
        assert_eq!(found, R::CUDA_SUCCESS);
        function
    };
    names.iter().map(function).collect()
}

#[test]
fn kernels_flush_what_says_so_and_nothing_else() {
    let library = common::driver();
    let ok = |result| assert_eq!(result, R::CUDA_SUCCESS);
    let operands = operands();
    let [mut from, mut to]: [CUdeviceptr; 2] = [0; 2];
    let bytes = size_of_val(operands.as_slice());
    ok(call!(library, cuMemAlloc_v2(&mut from, bytes): (*mut CUdeviceptr, usize)));
    ok(call!(library, cuMemAlloc_v2(&mut to, THREADS * RESULTS * 4): (*mut CUdeviceptr, usize)));
    ok(call!(library, cuMemcpyHtoD_v2(from, operands.as_ptr().cast(), bytes):
        (CUdeviceptr, *const c_void, usize)));
    let functions = load(&library, &text(), &[c"flushes", c"mixed", c"keeps", c"waits"]);
    let expected = |flushes: bool, &[a, b, c]: &[f32; OPERANDS]| {
        let flush = |value| if flushes { flushed(value) } else { value };
        let round = |exact: f64| if flushes { rounded(exact) } else { exact as f32 };
        let [x, y, z] = [a, b, c].map(|value| f64::from(flush(value)));
        let in_memory = rounded(f64::from(flushed(c)) + f64::from(flushed(b)));
        [round(x * y + z), round(x * y), flush(c), round(z - y), in_memory]
    };
    // One after the other, and again, so that each comes after each.
    for &index in [0, 1, 2, 3, 0, 2, 0, 3, 2, 1, 3, 1, 0].iter() {
        let mut params = [(&raw mut from).cast::<c_void>(), (&raw mut to).cast()];
        ok(call!(library, cuLaunchKernel(functions[index], 1, 1, 1, THREADS as c_uint, 1, 1, 0,
            null_mut(), params.as_mut_ptr(), null_mut()): (CUfunction, c_uint, c_uint, c_uint,
            c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)));
        let mut results = vec![[0f32; RESULTS]; THREADS];
        ok(call!(library, cuMemcpyDtoH_v2(results.as_mut_ptr().cast(), to, THREADS * RESULTS * 4):
            (*mut c_void, CUdeviceptr, usize)));
        for (operands, result) in operands.iter().zip(&results) {
            let bits = |values: [f32; RESULTS]| values.map(f32::to_bits);
            assert_eq!(
                bits(*result).map(|word| format!("{word:08x}")),
                bits(expected(index != 2, operands)).map(|word| format!("{word:08x}")),
                "kernel {index} of {operands:?}"
            );
        }
    }
}

#[test]
fn matrices_of_doubles_keep_subnormal_numbers() {
    let library = common::driver();
    let ok = |result| assert_eq!(result, R::CUDA_SUCCESS);
    // Their lower halves are floats of all sizes.
    let operands: Vec<u64> = (0..32).map(|lane| (lane + 1) << 20 | lane << 45).collect();
    let bytes = size_of_val(operands.as_slice());
    let [mut from, mut to]: [CUdeviceptr; 2] = [0; 2];
    ok(call!(library, cuMemAlloc_v2(&mut from, bytes): (*mut CUdeviceptr, usize)));
    ok(call!(library, cuMemAlloc_v2(&mut to, 2 * bytes): (*mut CUdeviceptr, usize)));
    ok(call!(library, cuMemcpyHtoD_v2(from, operands.as_ptr().cast(), bytes):
        (CUdeviceptr, *const c_void, usize)));
    let text = CString::new(DOUBLES).unwrap();
    let function = load(&library, &text, &[c"doubles"])[0];
    let mut params = [(&raw mut from).cast::<c_void>(), (&raw mut to).cast()];
    ok(call!(library, cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, null_mut(),
        params.as_mut_ptr(), null_mut()): (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint,
        c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)));
    let mut results = [[0u64; 2]; 32];
    ok(call!(library, cuMemcpyDtoH_v2(results.as_mut_ptr().cast(), to, 2 * bytes):
        (*mut c_void, CUdeviceptr, usize)));
    for (operand, [double, float]) in operands.iter().zip(results) {
        let lower = flushed(f32::from_bits(*operand as u32));
        let sum = flushed(lower + lower).to_bits();
        assert_eq!((double, float as u32), (*operand, sum), "of {operand:#x}");
    }
}
