//! Launching as CUDA 1 to 3 had it: the function keeps its shape and its parameters.

use std::ffi::c_void;
use std::ptr::null_mut;

use super::Case;
use crate::Answers;
use crate::setup::*;
use cuda_types::cuda::*;
use differential::api::Api;

/// The kernel that stores its second parameter where its first one points to, and cleared memory.
fn store(api: &Api) -> (CUfunction, CUdeviceptr) {
    let module = module(api);
    let memory = allocate(api, 64);
    must(api.cuMemsetD8_v2(memory, 0, 64));
    (kernel(api, module, c"store"), memory)
}

fn set_pointer(api: &Api, function: CUfunction, offset: i32, mut pointer: CUdeviceptr) -> i64 {
    api.cuParamSetv(function, offset, (&raw mut pointer).cast(), 8)
}

/// Sets everything but the value.
fn prepare(api: &Api) -> (CUfunction, CUdeviceptr) {
    let (function, memory) = store(api);
    must(api.cuFuncSetBlockShape(function, 1, 1, 1));
    must(api.cuParamSetSize(function, 12));
    must(set_pointer(api, function, 0, memory));
    (function, memory)
}

/// The result of the work, and the first word of memory.
fn end(api: &Api, memory: CUdeviceptr) -> Answers {
    let mut word = 0_u32;
    vec![
        api.cuCtxSynchronize(),
        api.cuMemcpyDtoH_v2((&raw mut word).cast(), memory, 4),
        word.into(),
    ]
}

pub const CASES: &[Case] = &[
    ("legacy_launch/launch", |api| {
        let (function, memory) = prepare(api);
        let mut answers = vec![api.cuParamSeti(function, 8, 42), api.cuLaunch(function)];
        answers.extend(end(api, memory));
        // Again, with one parameter changed.
        answers.extend([api.cuParamSeti(function, 8, 43), api.cuLaunchGrid(function, 3, 2)]);
        answers.extend(end(api, memory));
        answers.extend([
            api.cuParamSetf(function, 8, 1.0),
            api.cuLaunchGridAsync(function, 1, 1, stream(api)),
        ]);
        answers.extend(end(api, memory));
        answers
    }),
    ("legacy_launch/nothing_set", |api| {
        let (function, _) = store(api);
        vec![api.cuLaunch(function), api.cuCtxSynchronize()]
    }),
    ("legacy_launch/no_shape", |api| {
        let (function, memory) = store(api);
        must(api.cuParamSetSize(function, 12));
        must(set_pointer(api, function, 0, memory));
        must(api.cuParamSeti(function, 8, 42));
        let mut answers = vec![api.cuLaunch(function)];
        answers.extend(end(api, memory));
        answers
    }),
    ("legacy_launch/no_size", |api| {
        let (function, memory) = store(api);
        let mut answers = vec![
            api.cuFuncSetBlockShape(function, 1, 1, 1),
            set_pointer(api, function, 0, memory),
            api.cuParamSeti(function, 8, 42),
            api.cuLaunch(function),
        ];
        answers.extend(end(api, memory));
        answers
    }),
    ("legacy_launch/parameterless", |api| {
        let module = module(api);
        let function = kernel(api, module, c"nothing");
        vec![
            api.cuFuncSetBlockShape(function, 32, 2, 2),
            api.cuLaunch(function),
            api.cuParamSetSize(function, 0),
            api.cuParamSetSize(function, 8),
            api.cuLaunch(function),
            api.cuCtxSynchronize(),
        ]
    }),
    ("legacy_launch/shapes", |api| {
        let (function, _) = store(api);
        let mut answers = Vec::new();
        for [x, y, z] in [
            [1, 1, 1],
            [0, 1, 1],
            [1, 0, 1],
            [1, 1, 0],
            [-1, 1, 1],
            [1024, 1, 1],
            [1025, 1, 1],
            [32, 32, 2],
            [1, 1, 65],
            [1 << 20, 1, 1],
        ] {
            answers.push(api.cuFuncSetBlockShape(function, x, y, z));
        }
        answers.push(api.cuFuncSetBlockShape(null_mut(), 1, 1, 1));
        answers
    }),
    ("legacy_launch/shared_memory", |api| {
        let module = module(api);
        let function = kernel(api, module, c"nothing");
        let mut answers = Vec::new();
        for bytes in [0, 1, 1024, 48 << 10, (48 << 10) + 1, 1 << 20, u32::MAX] {
            answers.push(api.cuFuncSetSharedSize(function, bytes));
        }
        answers.push(api.cuFuncSetSharedSize(null_mut(), 0));
        must(api.cuFuncSetBlockShape(function, 1, 1, 1));
        answers.push(api.cuLaunch(function));
        answers.push(api.cuCtxSynchronize());
        answers
    }),
    ("legacy_launch/parameter_sizes", |api| {
        let (function, _) = store(api);
        [0, 4, 12, 13, 16, 4096, 4097, 5000, 32764, 32765, 1 << 20, u32::MAX]
            .map(|size| api.cuParamSetSize(function, size))
            .to_vec()
    }),
    ("legacy_launch/parameter_offsets", |api| {
        let (function, memory) = prepare(api);
        let mut word = 0_u32;
        let at: *mut c_void = (&raw mut word).cast();
        let mut answers = Vec::new();
        for offset in [8, 9, 12, 16, 2048] {
            answers.push(api.cuParamSeti(function, offset, 42));
            answers.push(api.cuParamSetf(function, offset, 1.0));
            answers.push(api.cuParamSetv(function, offset, at, 4));
        }
        answers
            .extend([api.cuParamSetv(function, 0, at, 0), set_pointer(api, function, 0, memory)]);
        answers
    }),
    ("legacy_launch/far_parameter_offsets", |api| {
        let (function, _) = prepare(api);
        [4092, 4096, 32764, 32768].map(|offset| api.cuParamSeti(function, offset, 42)).to_vec()
    }),
    ("legacy_launch/negative_parameter_offset", |api| {
        let (function, _) = prepare(api);
        vec![api.cuParamSeti(function, -1, 42)]
    }),
    ("legacy_launch/largest_parameter_offset", |api| {
        let (function, _) = prepare(api);
        vec![api.cuParamSeti(function, i32::MAX, 42)]
    }),
    ("legacy_launch/parameters_of_no_function", |api| {
        context(api);
        let mut word = 0_u32;
        vec![
            api.cuParamSeti(null_mut(), 0, 42),
            api.cuParamSetf(null_mut(), 0, 1.0),
            api.cuParamSetv(null_mut(), 0, (&raw mut word).cast(), 4),
            api.cuParamSetSize(null_mut(), 4),
        ]
    }),
    ("legacy_launch/null_parameter", |api| {
        let (function, _) = prepare(api);
        vec![api.cuParamSetv(function, 0, null_mut(), 4)]
    }),
    ("legacy_launch/grids", |api| {
        let (function, memory) = prepare(api);
        must(api.cuParamSeti(function, 8, 42));
        let mut answers = vec![
            api.cuLaunchGrid(function, 0, 1),
            api.cuLaunchGrid(function, 1, 0),
            api.cuLaunchGrid(function, -1, 1),
            api.cuLaunchGrid(function, 65536, 1),
            api.cuLaunchGrid(function, 1, 65535),
            api.cuLaunchGrid(function, 1, 65536),
            api.cuLaunch(null_mut()),
            api.cuLaunchGrid(null_mut(), 1, 1),
            api.cuLaunchGridAsync(null_mut(), 1, 1, null_mut()),
        ];
        answers.extend(end(api, memory));
        answers
    }),
    ("legacy_launch/with_the_new_one", |api| {
        // What is kept does not touch a launch that brings all.
        let (function, memory) = prepare(api);
        must(api.cuParamSeti(function, 8, 42));
        let mut other = memory + 4;
        let mut value = 7_u32;
        let mut parameters: [*mut c_void; 2] = [(&raw mut other).cast(), (&raw mut value).cast()];
        let mut answers = vec![launch(api, function, 1, &mut parameters), api.cuLaunch(function)];
        answers.extend(end(api, memory));
        answers.extend(end(api, memory + 4));
        // No parameters but those that were set.
        must(api.cuParamSeti(function, 8, 44));
        answers.push(launch(api, function, 1, &mut []));
        answers.extend(end(api, memory));
        answers
    }),
    ("legacy_launch/captured", |api| {
        let (function, memory) = prepare(api);
        must(api.cuParamSeti(function, 8, 42));
        let stream = stream(api);
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
        must(api.cuStreamBeginCapture_v2(stream, mode));
        let mut graph = null_mut();
        let mut answers = vec![
            api.cuParamSeti(function, 8, 43),
            api.cuLaunchGridAsync(function, 1, 1, stream),
            api.cuLaunchGrid(function, 1, 1),
            api.cuStreamEndCapture(stream, &mut graph),
        ];
        answers.extend(end(api, memory));
        answers
    }),
    ("legacy_launch/texture", |api| {
        let (function, _) = prepare(api);
        let mut reference = null_mut();
        must(api.cuTexRefCreate(&mut reference));
        vec![
            api.cuParamSetTexRef(function, -1, reference),
            api.cuParamSetTexRef(function, 0, reference),
            api.cuParamSetTexRef(null_mut(), -1, reference),
            api.cuParamSetTexRef(function, -1, null_mut()),
        ]
    }),
    ("legacy_launch/foreign", |api| {
        context(api);
        vec![api.cuLaunch(foreign())]
    }),
];
