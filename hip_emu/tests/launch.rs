//! Launches through HIP: code objects of kernels.s, assembled and linked in this process.

// A test: it stops by panicking.
#![allow(clippy::unwrap_used)]

use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::sync::LazyLock;

use hip_runtime_sys::*;
use llvm_zluda::{CodeGenOptLevel, Context, Module, TargetMachine, link_elf};
use zluda_hip_emu::api::*;

const KERNELS: [&str; 5] = ["told", "places", "meets", "faults", "unknown"];

/// The arguments of every kernel, as metadata has them.
fn metadata(kernel: &str) -> String {
    let argument = |offset: u32, size: u32, kind: &str| {
        format!("      - {{ .offset: {offset}, .size: {size}, .value_kind: {kind} }}\n")
    };
    format!(
        "  - .name: {kernel}\n    .symbol: {kernel}.kd\n    .kernarg_segment_size: 272\n    \
         .kernarg_segment_align: 8\n    .group_segment_fixed_size: 256\n    \
         .private_segment_fixed_size: 0\n    .wavefront_size: 32\n    .sgpr_count: 16\n    \
         .vgpr_count: 8\n    .max_flat_workgroup_size: 256\n    .args:\n{}{}{}{}{}",
        argument(0, 8, "global_buffer"),
        argument(8, 4, "by_value"),
        argument(16, 4, "hidden_block_count_x"),
        argument(28, 2, "hidden_group_size_x"),
        argument(136, 4, "hidden_dynamic_lds_size"),
    )
}

/// The code object.
static OBJECT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let kernels: String = KERNELS.map(metadata).concat();
    let text = include_str!("kernels.s").replace("KERNELS\n", &kernels);
    let lines: String = text
        .lines()
        .map(|line| line.split(';').next().unwrap_or_default())
        .map(|line| format!("module asm \"{}\"\n", line.replace('"', "\\22")))
        .collect();
    let triple = "amdgcn-amd-amdhsa";
    let context = Context::new();
    let module = Module::parse(&context, "kernels", &lines).unwrap();
    let level = CodeGenOptLevel::LLVMCodeGenLevelDefault;
    let machine = TargetMachine::new(triple, "gfx1100", "", level).unwrap();
    module.set_triple(triple);
    module.set_data_layout(&machine.data_layout());
    module.add_flag("amdhsa_code_object_version", 500);
    link_elf(&[machine.emit_object(&module).unwrap()], &["--no-undefined"]).unwrap()
});

fn ok(error: hipError_t) {
    assert_eq!(error, hipError_t::hipSuccess);
}

fn load(bytes: &[u8]) -> Result<hipModule_t, hipError_t> {
    let mut module = null_mut();
    // SAFETY: the image is as long as its headers say, or the loader finds out.
    match unsafe { hipModuleLoadData(&mut module, bytes.as_ptr().cast()) } {
        hipError_t::hipSuccess => Ok(module),
        error => Err(error),
    }
}

/// Launches a kernel with a buffer of `words`, and returns what it leaves there.
fn launch(
    kernel: &str,
    groups: u32,
    block: [u32; 3],
    words: usize,
) -> Result<Vec<u32>, hipError_t> {
    let mut result = vec![0u32; words];
    // SAFETY: valid pointers and lengths.
    unsafe {
        let mut buffer = null_mut();
        ok(hipMalloc(&mut buffer, words * 4));
        ok(hipMemset(buffer, 0, words * 4));
        launch_with(kernel, groups, block, buffer)?;
        ok(hipMemcpyDtoH(result.as_mut_ptr().cast(), buffer, words * 4));
        ok(hipFree(buffer));
    }
    Ok(result)
}

/// Launches a kernel with a buffer, and waits for it. After an error the device is as in the beginning.
fn launch_with(
    kernel: &str,
    groups: u32,
    block: [u32; 3],
    buffer: *mut c_void,
) -> Result<(), hipError_t> {
    let name = CString::new(kernel).unwrap();
    // SAFETY: valid pointers and lengths.
    unsafe {
        let module = load(&OBJECT)?;
        let mut function = null_mut();
        ok(hipModuleGetFunction(&mut function, module, name.as_ptr()));
        let mut arguments = [buffer as u64, 77];
        let mut size = 12usize;
        let mut extra = [
            HIP_LAUNCH_PARAM_BUFFER_POINTER,
            arguments.as_mut_ptr().cast::<c_void>(),
            HIP_LAUNCH_PARAM_BUFFER_SIZE,
            (&raw mut size).cast(),
            HIP_LAUNCH_PARAM_END,
        ];
        let [x, y, z] = block;
        let extra = extra.as_mut_ptr();
        ok(hipModuleLaunchKernel(
            function,
            groups,
            1,
            1,
            x,
            y,
            z,
            40,
            null_mut(),
            null_mut(),
            extra,
        ));
        match hipDeviceSynchronize() {
            hipError_t::hipSuccess => {}
            error => {
                ok(hipDeviceReset());
                return Err(error);
            }
        }
        ok(hipModuleUnload(module));
    }
    Ok(())
}

/// One test, because the device and its errors belong to the whole process.
#[test]
fn kernels_run() {
    assert!(zluda_hip_emu::emulate("gfx1100"));
    // SAFETY: numbers and text.
    let mut properties: hipDeviceProp_tR0600 = unsafe { std::mem::zeroed() };
    // SAFETY: a valid pointer.
    ok(unsafe { hipGetDevicePropertiesR0600(&mut properties, 0) });
    let arch: String =
        properties.gcnArchName.iter().take_while(|c| **c != 0).map(|c| *c as u8 as char).collect();
    assert_eq!((arch.as_str(), properties.sharedMemPerBlock), ("gfx1100", 64 << 10));

    // The number of the program, groups, work items along x, bytes of dynamic LDS.
    assert_eq!(launch("told", 3, [8, 1, 1], 4), Ok(vec![77, 3, 8, 40]));

    let places = launch("places", 2, [4, 2, 1], 64).unwrap();
    let item = |x: u32, y: u32, group: u32| x | y << 10 | group << 30;
    assert_eq!(places[..8], [0, 1, 2, 3, 4, 5, 6, 7].map(|i| item(i % 4, i / 4, 0)));
    assert_eq!(places[32..40], [0, 1, 2, 3, 4, 5, 6, 7].map(|i| item(i % 4, i / 4, 1)));

    let met = launch("meets", 1, [64, 1, 1], 64).unwrap();
    assert_eq!(met, (0..64).map(|i| i ^ 32).collect::<Vec<_>>());

    // After each, the device is as in the beginning.
    assert_eq!(launch("faults", 1, [1, 1, 1], 4), Err(hipError_t::hipErrorIllegalAddress));
    assert_eq!(launch("unknown", 1, [1, 1, 1], 4), Err(hipError_t::hipErrorLaunchFailure));
    assert_eq!(launch("told", 1, [1, 1, 1], 4), Ok(vec![77, 1, 1, 40]));

    // Kernels find no memory of the host's that HIP does not know.
    let mut words = vec![0u32; 4];
    let buffer = words.as_mut_ptr().cast::<c_void>();
    let result = launch_with("told", 1, [1, 1, 1], buffer);
    assert_eq!(result, Err(hipError_t::hipErrorIllegalAddress));
    // SAFETY: the memory outlives its use.
    unsafe {
        ok(hipHostRegister(buffer, 16, 0));
        assert_eq!(launch_with("told", 1, [1, 1, 1], buffer), Ok(()));
        ok(hipHostUnregister(buffer));
    }
    assert_eq!(words, [77, 1, 1, 40]);

    registered_kernels_run();
    the_last_group_may_be_smaller();
    spoilt_objects_are_refused_or_load();
}

/// As clang makes the host's code: an image for several GPUs, a stub that is only an address, and arguments by themselves.
fn registered_kernels_run() {
    static STUB: u8 = 0;
    let target = "hipv4-amdgcn-amd-amdhsa--gfx1100";
    let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    for number in [1, 4096, OBJECT.len() as u64, target.len() as u64] {
        bundle.extend(number.to_le_bytes());
    }
    bundle.extend(target.as_bytes());
    bundle.resize(4096, 0);
    bundle.extend(&*OBJECT);
    let words = [u64::from(u32::from_be_bytes(*b"HIPF")) | 1 << 32, bundle.as_ptr() as u64, 0];
    let three = |x, y| dim3 { x, y, z: 1 };
    let (mut grid, mut block, mut shared, mut stream) = (three(0, 0), three(0, 0), 0, null_mut());
    let (stub, mut result) = ((&raw const STUB).cast::<c_void>(), [0u32; 4]);
    // SAFETY: the image and the arguments outlive their use.
    unsafe {
        assert!(__hipRegisterFatBinary([0u64; 3].as_ptr().cast()).is_null());
        let image = __hipRegisterFatBinary(words.as_ptr().cast());
        let (name, none) = (c"told".as_ptr(), null_mut());
        __hipRegisterFunction(
            image,
            stub,
            name.cast_mut(),
            name,
            0,
            none,
            none,
            none,
            none,
            null_mut(),
        );
        let empty = hipError_t::hipErrorMissingConfiguration;
        let pop = __hipPopCallConfiguration;
        assert_eq!(pop(&mut grid, &mut block, &mut shared, &mut stream), empty);
        ok(__hipPushCallConfiguration(three(3, 1), three(8, 2), 40, null_mut()));
        ok(pop(&mut grid, &mut block, &mut shared, &mut stream));
        let mut buffer = null_mut();
        ok(hipMalloc(&mut buffer, 16));
        let mut number = 91u32;
        let mut arguments = [(&raw mut buffer).cast::<c_void>(), (&raw mut number).cast()];
        ok(hipLaunchKernel(stub, grid, block, arguments.as_mut_ptr(), shared, stream));
        ok(hipMemcpyDtoH(result.as_mut_ptr().cast(), buffer, 16));
        assert_eq!(result, [91, 3, 8, 40]);
        __hipUnregisterFatBinary(image);
        let unknown = hipError_t::hipErrorInvalidDeviceFunction;
        assert_eq!(hipLaunchKernel(stub, grid, block, arguments.as_mut_ptr(), 0, stream), unknown);
        ok(hipFree(buffer));
    }
}

/// Grids in threads, which need not be whole groups.
fn the_last_group_may_be_smaller() {
    let mut result = [u32::MAX; 64];
    // SAFETY: valid pointers and lengths.
    unsafe {
        let (module, mut function, mut buffer) = (load(&OBJECT).unwrap(), null_mut(), null_mut());
        ok(hipModuleGetFunction(&mut function, module, c"places".as_ptr()));
        ok(hipMalloc(&mut buffer, 256));
        ok(hipMemset(buffer, 0xff, 256));
        let mut number = 0u32;
        let mut arguments = [(&raw mut buffer).cast::<c_void>(), (&raw mut number).cast()];
        let launch = |x, threads| {
            let (none, params) = (null_mut(), arguments.as_mut_ptr());
            let (no_extra, no_event) = (null_mut(), null_mut());
            hipExtModuleLaunchKernel(
                function, x, 2, 1, threads, 2, 1, 0, none, params, no_extra, no_event, no_event, 0,
            )
        };
        let mut launch = launch;
        ok(launch(6, 4));
        assert_eq!(launch(6, 0), hipError_t::hipErrorInvalidValue);
        ok(hipMemcpyDtoH(result.as_mut_ptr().cast(), buffer, 256));
        ok(hipFree(buffer));
        ok(hipModuleUnload(module));
    }
    let item = |x: u32, y: u32, group: u32| x | y << 10 | group << 30;
    assert_eq!(result[..8], [0, 1, 2, 3, 4, 5, 6, 7].map(|i| item(i % 4, i / 4, 0)));
    // The second group has two columns.
    let last = [item(0, 0, 1), item(1, 0, 1), u32::MAX, u32::MAX, item(0, 1, 1), item(1, 1, 1)];
    assert_eq!(result[32..38], last);
    assert_eq!(result[38..], [u32::MAX; 26]);
}

/// Bytes of the headers, tables and metadata changed.
fn spoilt_objects_are_refused_or_load() {
    let good = &*OBJECT;
    let mut refused = 0;
    for at in
        (0..good.len().min(0x700)).step_by(9).chain((good.len() - 0x500..good.len()).step_by(5))
    {
        for value in [0xff, good[at] ^ 0x80, good[at].wrapping_add(1)] {
            let mut bad = good.clone();
            bad[at] = value;
            match load(&bad) {
                // SAFETY: just loaded.
                Ok(module) => ok(unsafe { hipModuleUnload(module) }),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 50, "{refused} were refused");
}
