//! Modules, libraries, kernels, the linker.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use crate::setup::*;
use differential::api::Api;

fn load(api: &Api, text: &str) -> i64 {
    let text = std::ffi::CString::new(text).unwrap();
    let mut module = null_mut();
    api.cuModuleLoadData(&mut module, text.as_ptr().cast())
}

const HEAD: &str = ".version 7.0\n.target sm_75\n.address_size 64\n";

pub const CASES: &[Case] = &[
    ("module/load", |api| {
        context(api);
        let mut module = null_mut();
        vec![
            api.cuModuleLoadData(null_mut(), PTX.as_ptr().cast()),
            api.cuModuleLoadData(&mut module, null()),
            api.cuModuleLoadData(&mut module, PTX.as_ptr().cast()),
            api.cuModuleUnload(module),
        ]
    }),
    ("module/bad_text", |api| {
        context(api);
        vec![
            load(api, ""),
            load(api, "hello"),
            load(api, HEAD),
            load(api, &format!("{HEAD}.visible .entry k() {{ nonsense.u32 %r1; ret; }}")),
            load(api, &format!("{HEAD}.visible .entry k() {{ mov.u32 %r1, 1; ret; }}")),
            load(api, &format!("{HEAD}.visible .entry k() {{ ret; ")),
            load(api, &format!("{HEAD}.visible .entry k() {{ bra missing; }}")),
            load(api, ".version 99.0\n.target sm_75\n.address_size 64\n"),
            load(api, ".target sm_75\n"),
            load(
                api,
                ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { .reg .f32 %f<2>; add.u32 %f1, %f1, 1; ret; }",
            ),
        ]
    }),
    ("module/bad_images", |api| {
        context(api);
        let mut module = null_mut();
        let mut image = |bytes: &[u8]| {
            let mut padded = bytes.to_vec();
            padded.resize(4096, 0);
            api.cuModuleLoadData(&mut module, padded.as_ptr().cast())
        };
        vec![
            image(b"\x7fELF"),
            image(b"\x7fELF\x02\x01\x01"),
            image(&0xBA55_ED50_u32.to_le_bytes()),
            image(&[0x50, 0xED, 0x55, 0xBA, 1, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ]
    }),
    ("module/unload", |api| {
        context(api);
        vec![api.cuModuleUnload(null_mut())]
    }),
    ("module/unload_twice", |api| {
        let module = module(api);
        must(api.cuModuleUnload(module));
        vec![api.cuModuleUnload(module)]
    }),
    ("module/unload_without_context", |api| {
        let module = module(api);
        let mut context = null_mut();
        must(api.cuCtxPopCurrent_v2(&mut context));
        let unloaded = api.cuModuleUnload(module);
        must(api.cuCtxPushCurrent_v2(context));
        vec![unloaded, api.cuModuleUnload(module)]
    }),
    ("module/foreign", |api| {
        context(api);
        let mut function = null_mut();
        vec![api.cuModuleGetFunction(&mut function, foreign(), c"store".as_ptr())]
    }),
    ("module/get_function", |api| {
        let module = module(api);
        let mut function = null_mut();
        vec![
            api.cuModuleGetFunction(null_mut(), module, c"store".as_ptr()),
            api.cuModuleGetFunction(&mut function, null_mut(), c"store".as_ptr()),
            api.cuModuleGetFunction(&mut function, module, null()),
            api.cuModuleGetFunction(&mut function, module, c"".as_ptr()),
            api.cuModuleGetFunction(&mut function, module, c"missing".as_ptr()),
            api.cuModuleGetFunction(&mut function, module, c"counter".as_ptr()),
            api.cuModuleGetFunction(&mut function, module, c"store".as_ptr()),
        ]
    }),
    ("module/get_global", |api| {
        let module = module(api);
        let (mut pointer, mut bytes) = (0, 0);
        let mut value = 0_u32;
        vec![
            api.cuModuleGetGlobal_v2(&mut pointer, &mut bytes, module, c"table".as_ptr()),
            bytes as i64,
            api.cuModuleGetGlobal_v2(&mut pointer, &mut bytes, module, c"counter".as_ptr()),
            bytes as i64,
            api.cuMemcpyDtoH_v2((&raw mut value).cast(), pointer, 4),
            value as i64,
            api.cuModuleGetGlobal_v2(null_mut(), &mut bytes, module, c"counter".as_ptr()),
            api.cuModuleGetGlobal_v2(&mut pointer, null_mut(), module, c"counter".as_ptr()),
            api.cuModuleGetGlobal_v2(null_mut(), null_mut(), module, c"counter".as_ptr()),
            api.cuModuleGetGlobal_v2(&mut pointer, &mut bytes, module, c"missing".as_ptr()),
            api.cuModuleGetGlobal_v2(&mut pointer, &mut bytes, module, null()),
            api.cuModuleGetGlobal_v2(&mut pointer, &mut bytes, module, c"store".as_ptr()),
        ]
    }),
    ("module/function_count", |api| {
        let module = module(api);
        let mut count = 0;
        vec![
            api.cuModuleGetFunctionCount(&mut count, module),
            count as i64,
            api.cuModuleGetFunctionCount(null_mut(), module),
            api.cuModuleGetFunctionCount(&mut count, null_mut()),
        ]
    }),
    ("module/file", |api| {
        context(api);
        let mut module = null_mut();
        vec![
            api.cuModuleLoad(&mut module, c"/nonexistent/file.ptx".as_ptr()),
            api.cuModuleLoad(&mut module, null()),
            api.cuModuleLoad(null_mut(), c"/nonexistent/file.ptx".as_ptr()),
            api.cuModuleLoad(&mut module, c"/proc/self/cmdline".as_ptr()),
        ]
    }),
    ("module/jit_log", |api| {
        context(api);
        let mut module = null_mut();
        let mut log = [0_u8; 4096];
        let mut options = [CUjit_option(5), CUjit_option(6)];
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), 4096_usize as *mut c_void];
        let text = format!("{HEAD}.visible .entry k() {{\n  nonsense.u32 %r1;\n ret; }}\0");
        vec![
            api.cuModuleLoadDataEx(
                &mut module,
                text.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            ),
            (log[0] != 0) as i64,
            api.cuModuleLoadDataEx(&mut module, PTX.as_ptr().cast(), 2, null_mut(), null_mut()),
            api.cuModuleLoadDataEx(&mut module, PTX.as_ptr().cast(), 0, null_mut(), null_mut()),
        ]
    }),
    ("module/loading_mode", |api| {
        let mut mode = CUmoduleLoadingMode(0);
        must(api.cuInit(0));
        vec![
            api.cuModuleGetLoadingMode(null_mut()),
            api.cuModuleGetLoadingMode(&mut mode),
            mode.0 as i64,
        ]
    }),
    ("library/load", |api| {
        context(api);
        let mut library = null_mut();
        let mut kernel = null_mut();
        let mut count = 0;
        let load = |library, code| load_library(api, library, code);
        let mut answers = vec![
            load(null_mut(), PTX.as_ptr().cast()),
            load(&mut library, null()),
            load(&mut library, PTX.as_ptr().cast()),
            api.cuLibraryGetKernelCount(&mut count, library),
            count as i64,
            api.cuLibraryGetKernel(&mut kernel, library, c"missing".as_ptr()),
            api.cuLibraryGetKernel(&mut kernel, library, c"store".as_ptr()),
            api.cuLibraryGetKernel(null_mut(), library, c"store".as_ptr()),
            api.cuLibraryGetKernel(&mut kernel, library, null()),
            api.cuLibraryGetKernel(&mut kernel, null_mut(), c"store".as_ptr()),
        ];
        let (mut pointer, mut bytes) = (0, 0);
        answers.push(api.cuLibraryGetGlobal(
            &mut pointer,
            &mut bytes,
            library,
            c"counter".as_ptr(),
        ));
        answers.push(bytes as i64);
        answers.push(api.cuLibraryGetGlobal(
            &mut pointer,
            &mut bytes,
            library,
            c"missing".as_ptr(),
        ));
        answers.push(api.cuLibraryUnload(library));
        answers.push(api.cuLibraryUnload(null_mut()));
        answers
    }),
    ("library/bad", |api| {
        context(api);
        let mut library = null_mut();
        vec![load_library(api, &mut library, c"hello".as_ptr().cast())]
    }),
    ("library/unload_twice", |api| {
        context(api);
        let library = library(api);
        must(api.cuLibraryUnload(library));
        vec![api.cuLibraryUnload(library)]
    }),
    ("link/states", |api| {
        context(api);
        let mut state = null_mut();
        let mut image = null_mut();
        let mut size = 0;
        let mut answers = vec![api.cuLinkCreate_v2(0, null_mut(), null_mut(), null_mut())];
        answers.push(api.cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state));
        let ptx = CUjitInputType(1);
        let add = |state: CUlinkState, data: *mut c_void, bytes: usize| {
            api.cuLinkAddData_v2(
                state,
                ptx,
                data,
                bytes,
                c"a.ptx".as_ptr(),
                0,
                null_mut(),
                null_mut(),
            )
        };
        answers.push(add(state, PTX.as_ptr() as *mut c_void, PTX.len()));
        answers.push(add(state, null_mut(), 5));
        answers.push(add(null_mut(), PTX.as_ptr() as *mut c_void, PTX.len()));
        answers.push(api.cuLinkComplete(state, &mut image, &mut size));
        answers.push((size > 0) as i64);
        let mut module = null_mut();
        answers.push(api.cuModuleLoadData(&mut module, image));
        answers.push(api.cuLinkDestroy(state));
        let mut function = null_mut();
        answers.push(api.cuModuleGetFunction(&mut function, module, c"store".as_ptr()));
        answers
    }),
    ("link/bad_text", |api| {
        context(api);
        let mut state = null_mut();
        must(api.cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state));
        let text = b"hello\0";
        vec![api.cuLinkAddData_v2(
            state,
            CUjitInputType(1),
            text.as_ptr() as *mut c_void,
            text.len(),
            c"a.ptx".as_ptr(),
            0,
            null_mut(),
            null_mut(),
        )]
    }),
];
