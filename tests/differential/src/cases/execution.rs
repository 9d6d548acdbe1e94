//! Launches, function attributes, occupancy, faults.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::Case;
use crate::setup::*;

const fn attribute(number: u32) -> CUfunction_attribute {
    CUfunction_attribute(number as _)
}

/// Kernels by what they need of each kind of memory.
const SIZES: &str = "
.version 7.8
.target TARGET
.address_size 64
.const .align 4 .b8 small_bank[4] = {1, 2, 3, 4};
.const .align 16 .b8 large_bank[1000];
.const .align 8 .b8 last_bank[20];
.global .align 4 .b8 variable[64];
.extern .shared .align 16 .b8 more[];
.visible .entry none() { ret; }
.visible .entry constant(.param .u64 out)
{
    .reg .b32 %r; .reg .b64 %d;
    ld.param.u64 %d, [out];
    ld.const.b32 %r, [large_bank+4];
    st.global.b32 [%d], %r;
    ret;
}
.visible .entry part(.param .u64 out)
{
    .reg .b32 %r; .reg .b64 %d;
    ld.param.u64 %d, [out];
    ld.const.b32 %r, [small_bank];
    st.global.b32 [%d], %r;
    ret;
}
.visible .entry immediate(.param .u64 out)
{
    .reg .f64 %f, %g; .reg .b64 %d;
    ld.param.u64 %d, [out];
    ld.global.f64 %f, [%d];
    fma.rn.f64 %f, %f, 0d3ff123456789abcd, 0d4012345678912345;
    st.global.f64 [%d], %f;
    ret;
}
.visible .entry both(.param .u64 out)
{
    .reg .b32 %r<3>; .reg .b64 %d;
    ld.param.u64 %d, [out];
    ld.const.b32 %r0, [small_bank];
    ld.const.b32 %r1, [last_bank+8];
    add.u32 %r0, %r0, %r1;
    st.global.b32 [%d], %r0;
    ret;
}
.visible .entry local(.param .u64 out)
{
    .local .align 16 .b8 own[400];
    .reg .b32 %r; .reg .b64 %d<3>;
    ld.param.u64 %d0, [out];
    ld.global.b64 %d1, [%d0];
    mov.b64 %d2, own;
    add.u64 %d1, %d1, %d2;
    mov.b32 %r, 5;
    st.local.b32 [%d1], %r;
    ld.local.b32 %r, [%d2+4];
    st.global.b32 [%d0], %r;
    ret;
}
.visible .entry small(.param .u64 out)
{
    .local .align 4 .b8 own[4];
    .local .align 1 .b8 more_own[3];
    .reg .b32 %r; .reg .b64 %d<3>;
    ld.param.u64 %d0, [out];
    ld.global.b64 %d1, [%d0];
    mov.b64 %d2, own;
    add.u64 %d2, %d1, %d2;
    mov.b32 %r, 5;
    st.local.b32 [%d2], %r;
    mov.b64 %d2, more_own;
    add.u64 %d2, %d1, %d2;
    st.local.b8 [%d2], %r;
    ld.local.b32 %r, [own];
    st.global.b32 [%d0], %r;
    ld.local.s8 %r, [more_own+1];
    st.global.b32 [%d0+4], %r;
    ret;
}
.visible .entry unused(.param .u64 out)
{
    .local .align 16 .b8 own[400];
    ret;
}
.func (.param .b32 result) callee(.param .b64 at)
{
    .local .align 16 .b8 own[100];
    .reg .b32 %r; .reg .b64 %d<3>;
    ld.param.u64 %d1, [at];
    mov.b64 %d2, own;
    add.u64 %d2, %d1, %d2;
    mov.b32 %r, 5;
    st.local.b32 [%d2], %r;
    ld.local.b32 %r, [own+4];
    st.param.b32 [result], %r;
    ret;
}
.visible .entry called(.param .u64 out)
{
    .reg .b32 %r; .reg .b64 %d<3>;
    ld.param.u64 %d0, [out];
    ld.global.b64 %d1, [%d0];
    {
        .param .b64 in; .param .b32 back;
        st.param.b64 [in], %d1;
        call (back), callee, (in);
        ld.param.b32 %r, [back];
    }
    st.global.b32 [%d0], %r;
    ret;
}
.visible .entry large(.param .u64 out)
{
    .local .align 16 .b8 own[70000];
    .reg .b32 %r; .reg .b64 %d<3>;
    ld.param.u64 %d0, [out];
    ld.global.b64 %d1, [%d0];
    mov.b64 %d2, own;
    add.u64 %d2, %d1, %d2;
    mov.b32 %r, 5;
    st.local.b32 [%d2], %r;
    ld.local.b32 %r, [own+4];
    st.global.b32 [%d0], %r;
    ret;
}
.visible .entry shared()
{
    .shared .align 16 .b8 buffer[1000];
    .shared .align 4 .b8 unused_buffer[100];
    .reg .b32 %r<2>;
    mov.u32 %r1, 1;
    st.shared.u32 [buffer], %r1;
    ret;
}
.visible .entry dynamic()
{
    .reg .b32 %r<2>;
    mov.u32 %r1, 1;
    st.shared.u32 [more], %r1;
    ret;
}
.visible .entry limited() .maxntid 64, 2, 1 { ret; }
.visible .entry least() .minnctapersm 4 .maxntid 512, 1, 1 { ret; }
.visible .entry needed() .reqntid 96, 1, 1 { ret; }
.visible .entry parameters(.param .align 16 .b8 block[3000]) { ret; }
\0";

pub const CASES: &[Case] = &[
    ("launch/dimensions", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        let launch = |grid: [u32; 3], block: [u32; 3], shared: u32| {
            api.cuLaunchKernel(
                nothing,
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                shared,
                null_mut(),
                null_mut(),
                null_mut(),
            )
        };
        vec![
            launch([1, 1, 1], [1, 1, 1], 0),
            launch([0, 1, 1], [1, 1, 1], 0),
            launch([1, 1, 1], [0, 1, 1], 0),
            launch([1, 1, 1], [1024, 1, 1], 0),
            launch([1, 1, 1], [1025, 1, 1], 0),
            launch([1, 1, 1], [32, 32, 2], 0),
            launch([1, 1, 1], [1, 1, 64], 0),
            launch([1, 1, 1], [1, 1, 65], 0),
            launch([1, 65536, 1], [1, 1, 1], 0),
            launch([1, 1, 65536], [1, 1, 1], 0),
            launch([1, 1, 1], [1, 1, 1], 49152),
            launch([1, 1, 1], [1, 1, 1], 49153),
            launch([1, 1, 1], [1, 1, 1], u32::MAX),
        ]
    }),
    ("launch/max_threads", |api| {
        let module = module(api);
        let limited = kernel(api, module, c"limited");
        let mut pointer = 0_u64;
        let mut parameters = [(&raw mut pointer).cast::<c_void>()];
        vec![launch(api, limited, 64, &mut parameters), launch(api, limited, 65, &mut parameters)]
    }),
    ("launch/handles", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        vec![
            launch(api, null_mut(), 1, &mut []),
            api.cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, 2 as CUstream, null_mut(), null_mut()),
        ]
    }),
    ("launch/foreign_function", |api| {
        context(api);
        vec![launch(api, foreign(), 1, &mut [])]
    }),
    ("launch/foreign_stream", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        vec![api.cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, foreign(), null_mut(), null_mut())]
    }),
    ("launch/no_parameters", |api| {
        let module = module(api);
        let store = kernel(api, module, c"store");
        vec![launch(api, store, 1, &mut [])]
    }),
    ("launch/parameters", |api| {
        let module = module(api);
        let store = kernel(api, module, c"store");
        let mut pointer = allocate(api, 4);
        let mut value = 42_u32;
        let mut back = 0_u32;
        let mut parameters = [(&raw mut pointer).cast::<c_void>(), (&raw mut value).cast()];
        vec![
            launch(api, store, 1, &mut parameters),
            api.cuMemcpyDtoH_v2((&raw mut back).cast(), pointer, 4),
            back as i64,
        ]
    }),
    ("launch/extra", |api| {
        let module = module(api);
        let store = kernel(api, module, c"store");
        let pointer = allocate(api, 4);
        let mut back = 0_u32;
        let mut buffer = [pointer, 43];
        let run = |size: usize, buffer: *mut c_void, with_end: bool| {
            let mut size = size;
            let mut extra: [*mut c_void; 5] = [
                std::ptr::dangling_mut::<c_void>(),
                buffer,
                2 as *mut c_void,
                (&raw mut size).cast(),
                if with_end { null_mut() } else { 99 as *mut c_void },
            ];
            api.cuLaunchKernel(
                store,
                1,
                1,
                1,
                1,
                1,
                1,
                0,
                null_mut(),
                null_mut(),
                extra.as_mut_ptr(),
            )
        };
        let buffer: *mut c_void = buffer.as_mut_ptr().cast();
        let mut answers = vec![
            run(12, buffer, true),
            api.cuMemcpyDtoH_v2((&raw mut back).cast(), pointer, 4),
            back as i64,
        ];
        answers.extend([run(16, buffer, true), run(8, buffer, true), run(0, buffer, true)]);
        answers
    }),
    ("launch/both_kinds_of_parameters", |api| {
        let module = module(api);
        let store = kernel(api, module, c"store");
        let mut pointer = allocate(api, 4);
        let mut value = 42_u32;
        let mut parameters = [(&raw mut pointer).cast::<c_void>(), (&raw mut value).cast()];
        let mut extra = [null_mut::<c_void>()];
        vec![api.cuLaunchKernel(
            store,
            1,
            1,
            1,
            1,
            1,
            1,
            0,
            null_mut(),
            parameters.as_mut_ptr(),
            extra.as_mut_ptr(),
        )]
    }),
    ("launch/illegal_address_sticks", |api| {
        let module = module(api);
        let store = kernel(api, module, c"store");
        let mut pointer = 0_u64;
        let mut value = 42_u32;
        let mut other = 0;
        let good = allocate(api, 4);
        let mut parameters = [(&raw mut pointer).cast::<c_void>(), (&raw mut value).cast()];
        let mut answers = vec![launch(api, store, 1, &mut parameters), api.cuCtxSynchronize()];
        answers.extend([
            api.cuCtxSynchronize(),
            api.cuMemAlloc_v2(&mut other, 4),
            api.cuMemFree_v2(good),
        ]);
        answers.extend([
            api.cuStreamQuery(null_mut()),
            api.cuMemcpyDtoH_v2((&raw mut value).cast(), good, 4),
        ]);
        answers
    }),
    ("launch/trap_sticks", |api| {
        let module = module(api);
        let trap = kernel(api, module, c"trap_now");
        let mut other = 0;
        let answers =
            vec![launch(api, trap, 1, &mut []), api.cuCtxSynchronize(), api.cuCtxSynchronize()];
        [answers, vec![api.cuMemAlloc_v2(&mut other, 4), launch(api, trap, 1, &mut [])]].concat()
    }),
    ("launch/fault_then_reset", |api| {
        let module = module(api);
        let trap = kernel(api, module, c"trap_now");
        let mut other = 0;
        vec![
            launch(api, trap, 1, &mut []),
            api.cuCtxSynchronize(),
            api.cuDevicePrimaryCtxReset_v2(0),
            api.cuMemAlloc_v2(&mut other, 4),
        ]
    }),
    ("launch/cooperative", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        let run = |grid: u32| {
            api.cuLaunchCooperativeKernel(nothing, grid, 1, 1, 32, 1, 1, 0, null_mut(), null_mut())
        };
        vec![run(1), run(0), run(2_000_000)]
    }),
    ("launch/ex", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        // SAFETY: a plain structure.
        let mut config: CUlaunchConfig = unsafe { std::mem::zeroed() };
        config.gridDimX = 1;
        config.gridDimY = 1;
        config.gridDimZ = 1;
        config.blockDimX = 1;
        config.blockDimY = 1;
        config.blockDimZ = 1;
        let mut answers = vec![api.cuLaunchKernelEx(&config, nothing, null_mut(), null_mut())];
        answers.push(api.cuLaunchKernelEx(std::ptr::null(), nothing, null_mut(), null_mut()));
        config.numAttrs = 1;
        answers.push(api.cuLaunchKernelEx(&config, nothing, null_mut(), null_mut()));
        config.numAttrs = 0;
        config.blockDimX = 0;
        answers.push(api.cuLaunchKernelEx(&config, nothing, null_mut(), null_mut()));
        answers
    }),
    ("function/attributes", |api| {
        let module = module(api);
        let limited = kernel(api, module, c"limited");
        let shared = kernel(api, module, c"shared_memory");
        let mut value = -1;
        let mut get = |number: u32, function: CUfunction| {
            [api.cuFuncGetAttribute(&mut value, attribute(number), function), value as i64]
        };
        let mut answers = Vec::new();
        answers.extend(get(0, limited));
        answers.extend(get(0, shared).into_iter().take(1));
        answers.extend(get(1, shared));
        answers.extend(get(2, shared));
        answers.extend(get(3, shared));
        answers.extend(get(8, shared));
        answers.push(get(999, shared)[0]);
        answers.push(api.cuFuncGetAttribute(null_mut(), attribute(0), shared));
        answers.push(api.cuFuncGetAttribute(&mut value, attribute(0), null_mut()));
        answers
    }),
    ("function/ptx_version", |api| {
        context(api);
        let mut answers = Vec::new();
        for (version, target) in [
            ("6.3", "sm_75"),
            ("7.0", "sm_75"),
            ("7.0", "sm_80"),
            ("7.8", "sm_86"),
            ("8.0", "sm_90"),
            ("8.0", "sm_90a"),
        ] {
            let text = format!(
                ".version {version}\n.target {target}\n.address_size 64\n.visible .entry nothing() {{ ret; }}\0"
            );
            let (mut module, mut value) = (null_mut(), -1);
            must(api.cuModuleLoadData(&mut module, text.as_ptr().cast()));
            let nothing = kernel(api, module, c"nothing");
            // PTX_VERSION, which is that of the target.
            answers.push(api.cuFuncGetAttribute(&mut value, attribute(5), nothing));
            answers.push(value as i64);
        }
        answers
    }),
    ("function/sizes", |api| {
        context(api);
        let mut answers = Vec::new();
        for target in ["sm_75", "sm_90"] {
            let text = SIZES.replace("TARGET", target);
            let mut module = null_mut();
            must(api.cuModuleLoadData(&mut module, text.as_ptr().cast()));
            for name in [
                c"none",
                c"constant",
                c"part",
                c"immediate",
                c"both",
                c"local",
                c"small",
                c"unused",
                c"called",
                c"large",
                c"shared",
                c"dynamic",
                c"limited",
                c"least",
                c"needed",
                c"parameters",
            ] {
                let function = kernel(api, module, name);
                // Threads, shared, constant and local memory, PTX, dynamic shared memory, carveout.
                for number in [0, 1, 2, 3, 5, 8, 9] {
                    let mut value = -1;
                    must(api.cuFuncGetAttribute(&mut value, attribute(number), function));
                    answers.push(value as i64);
                }
            }
        }
        answers
    }),
    ("function/more_attributes", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        let mut answers = Vec::new();
        for number in 7..18 {
            let mut value = -77;
            answers.push(api.cuFuncGetAttribute(&mut value, attribute(number), nothing));
            answers.push(value as i64);
        }
        answers
    }),
    ("function/set_attribute", |api| {
        let module = module(api);
        let shared = kernel(api, module, c"shared_memory");
        let set =
            |number: u32, value: i32| api.cuFuncSetAttribute(shared, attribute(number), value);
        let run = |bytes: u32| {
            api.cuLaunchKernel(shared, 1, 1, 1, 1, 1, 1, bytes, null_mut(), null_mut(), null_mut())
        };
        vec![
            run(48 * 1024),
            set(8, 64 * 1024),
            run(64 * 1024),
            set(8, -1),
            set(8, 10_000_000),
            set(0, 5),
            set(9, 50),
            set(9, 101),
            set(999, 1),
        ]
    }),
    ("function/cache_config", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        vec![
            api.cuFuncSetCacheConfig(nothing, CUfunc_cache(2)),
            api.cuFuncSetCacheConfig(nothing, CUfunc_cache(9)),
            api.cuFuncSetCacheConfig(null_mut(), CUfunc_cache(2)),
        ]
    }),
    ("function/module_and_name", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        let mut owner = null_mut();
        let mut name = std::ptr::null();
        let mut answers = vec![api.cuFuncGetModule(&mut owner, nothing), (owner == module) as i64];
        answers.push(api.cuFuncGetName(&mut name, nothing));
        // SAFETY: the driver returned a name.
        answers.push(unsafe { std::ffi::CStr::from_ptr(name) }.to_bytes().len() as i64);
        answers.push(api.cuFuncGetModule(null_mut(), nothing));
        answers.push(api.cuFuncGetName(null_mut(), nothing));
        answers
    }),
    ("function/parameters", |api| {
        let module = module(api);
        let store = kernel(api, module, c"store");
        let (mut offset, mut size) = (99, 99);
        let mut answers = Vec::new();
        for index in 0..3 {
            answers.push(api.cuFuncGetParamInfo(store, index, &mut offset, &mut size));
            answers.extend([offset as i64, size as i64]);
        }
        answers.push(api.cuFuncGetParamInfo(store, 0, null_mut(), &mut size));
        answers.push(api.cuFuncGetParamInfo(store, 0, &mut offset, null_mut()));
        answers
    }),
    ("function/kernel_parameters_without_context", |api| {
        context(api);
        let (library, mut kernel) = (library(api), null_mut());
        must(api.cuLibraryGetKernel(&mut kernel, library, c"store".as_ptr()));
        let (mut offset, mut size) = (9, 9);
        let mut ask = |index, size| api.cuKernelGetParamInfo(kernel, index, &mut offset, size);
        must(api.cuCtxSetCurrent(null_mut()));
        let mut answers = vec![ask(0, &mut size), ask(9, &mut size), ask(0, null_mut())];
        answers.push(api.cuKernelGetParamInfo(kernel, 0, null_mut(), &mut size));
        answers
    }),
    ("occupancy/blocks", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        let mut blocks = -1;
        let mut ask = |function: CUfunction, threads: i32, shared: usize| {
            let code = api.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                function,
                threads,
                shared,
            );
            [code, (blocks > 0) as i64]
        };
        let mut answers = Vec::new();
        answers.extend(ask(nothing, 128, 0));
        answers.extend(ask(nothing, 1024, 0));
        answers.push(ask(nothing, 0, 0)[0]);
        answers.push(ask(nothing, -1, 0)[0]);
        answers.push(ask(null_mut(), 128, 0)[0]);
        answers.push(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(null_mut(), nothing, 128, 0));
        answers
    }),
    ("occupancy/potential", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        let (mut grid, mut block) = (0, 0);
        vec![
            api.cuOccupancyMaxPotentialBlockSize(&mut grid, &mut block, nothing, None, 0, 0),
            (grid > 0) as i64,
            block as i64,
            api.cuOccupancyMaxPotentialBlockSize(&mut grid, &mut block, nothing, None, 0, 128),
            block as i64,
        ]
    }),
];
