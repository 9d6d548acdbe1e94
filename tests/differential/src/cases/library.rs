//! Kernels of libraries: names, attributes, lists, and functions that are loaded when they are used.

use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::NamedCase;
use crate::setup::*;
use differential::api::Api;

fn kernel_of(api: &Api, library: CUlibrary, name: &std::ffi::CStr) -> CUkernel {
    let mut kernel = null_mut();
    must(api.cuLibraryGetKernel(&mut kernel, library, name.as_ptr()));
    kernel
}

/// A text's length and its sum, or -1 for null.
fn text(sheet: &mut crate::Sheet, name: &str, text: *const std::ffi::c_char) {
    if text.is_null() {
        return sheet.put(name, -1);
    }
    // SAFETY: the driver's string.
    let bytes = unsafe { std::ffi::CStr::from_ptr(text) }.to_bytes();
    sheet.put(name, bytes.iter().map(|byte| i64::from(*byte)).sum::<i64>());
}

pub const CASES: &[NamedCase] = &[
    ("library_kernel/name", |api, sheet| {
        context(api);
        let library = library(api);
        let (kernel, mut name, mut owner) =
            (kernel_of(api, library, c"store"), null_mut::<i8>().cast_const().cast(), null_mut());
        sheet.put("get", api.cuKernelGetName(&mut name, kernel));
        text(sheet, "name", name);
        sheet.put("null", api.cuKernelGetName(&mut name, null_mut()));
        sheet.put("library", api.cuKernelGetLibrary(&mut owner, kernel));
        sheet.put("same", i64::from(owner == library));
        sheet.put("library_of_null", api.cuKernelGetLibrary(&mut owner, null_mut()));
        sheet.put("library_into_null", api.cuKernelGetLibrary(null_mut(), kernel));
    }),
    ("library_kernel/attributes", |api, sheet| {
        context(api);
        let library = library(api);
        let (kernel, mut value) = (kernel_of(api, library, c"limited"), -1);
        for number in [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16] {
            let attribute = CUfunction_attribute(number);
            let result = api.cuKernelGetAttribute(&mut value, attribute, kernel, 0);
            sheet.put(&format!("get_{number}"), result);
            // Constant memory, registers and code are NVIDIA's own.
            if matches!(number, 0 | 1 | 3 | 8 | 9 | 10 | 11 | 14 | 15) {
                sheet.put(&format!("is_{number}"), value);
            }
        }
        sheet.put(
            "device",
            api.cuKernelGetAttribute(&mut value, CUfunction_attribute(0), kernel, 7),
        );
        sheet.put(
            "into_null",
            api.cuKernelGetAttribute(null_mut(), CUfunction_attribute(0), kernel, 0),
        );
        sheet.put(
            "null",
            api.cuKernelGetAttribute(&mut value, CUfunction_attribute(0), null_mut(), 0),
        );
    }),
    ("library_kernel/set_attributes", |api, sheet| {
        context(api);
        let library = library(api);
        let (kernel, mut value) = (kernel_of(api, library, c"shared_memory"), -1);
        for (number, wanted) in [
            (8, 1024),
            (8, 64 << 10),
            (8, 1 << 30),
            (8, -1),
            (9, 50),
            (9, 101),
            (9, -1),
            (0, 5),
            (11, 2),
            (14, 1),
            (99, 0),
        ] {
            let attribute = CUfunction_attribute(number);
            let result = api.cuKernelSetAttribute(attribute, wanted, kernel, 0);
            sheet.put(&format!("set_{number}_{wanted}"), result);
            if number != 99 {
                must(api.cuKernelGetAttribute(&mut value, attribute, kernel, 0));
                sheet.put(&format!("is_{number}_{wanted}"), value);
            }
        }
        sheet.put("device", api.cuKernelSetAttribute(CUfunction_attribute(8), 1024, kernel, 7));
        sheet.put("null", api.cuKernelSetAttribute(CUfunction_attribute(8), 1024, null_mut(), 0));
    }),
    ("library_kernel/cache_config", |api, sheet| {
        context(api);
        let library = library(api);
        let kernel = kernel_of(api, library, c"store");
        for config in [0, 1, 2, 3, 4, 99] {
            sheet.put(
                &config.to_string(),
                api.cuKernelSetCacheConfig(kernel, CUfunc_cache(config), 0),
            );
        }
        sheet.put("device", api.cuKernelSetCacheConfig(kernel, CUfunc_cache(1), 7));
        sheet.put("null", api.cuKernelSetCacheConfig(null_mut(), CUfunc_cache(1), 0));
    }),
    ("library_kernel/enumerate", |api, sheet| {
        context(api);
        let (library, mut count) = (library(api), 0);
        sheet.put("count", api.cuLibraryGetKernelCount(&mut count, library));
        sheet.put("kernels", count);
        let mut kernels = [null_mut(); 8];
        sheet.put("all", api.cuLibraryEnumerateKernels(kernels.as_mut_ptr(), count, library));
        sheet.put("found", kernels.iter().filter(|kernel| !kernel.is_null()).count() as i64);
        kernels = [null_mut(); 8];
        sheet.put("two", api.cuLibraryEnumerateKernels(kernels.as_mut_ptr(), 2, library));
        sheet.put("two_found", kernels.iter().filter(|kernel| !kernel.is_null()).count() as i64);
        kernels = [null_mut(); 8];
        sheet.put("more", api.cuLibraryEnumerateKernels(kernels.as_mut_ptr(), 8, library));
        sheet.put("more_found", kernels.iter().filter(|kernel| !kernel.is_null()).count() as i64);
        sheet.put("none", api.cuLibraryEnumerateKernels(kernels.as_mut_ptr(), 0, library));
        sheet.put("into_null", api.cuLibraryEnumerateKernels(null_mut(), 2, library));
        sheet.put("null", api.cuLibraryEnumerateKernels(kernels.as_mut_ptr(), 2, null_mut()));
    }),
    ("library_kernel/managed", |api, sheet| {
        context(api);
        let (library, mut pointer, mut bytes) = (library(api), 0, 0);
        sheet.put(
            "plain",
            api.cuLibraryGetManaged(&mut pointer, &mut bytes, library, c"counter".as_ptr()),
        );
        sheet.put(
            "missing",
            api.cuLibraryGetManaged(&mut pointer, &mut bytes, library, c"none".as_ptr()),
        );
        sheet.put(
            "null",
            api.cuLibraryGetManaged(&mut pointer, &mut bytes, null_mut(), c"counter".as_ptr()),
        );
        let mut function = null_mut();
        sheet.put(
            "unified",
            api.cuLibraryGetUnifiedFunction(&mut function, library, c"store".as_ptr()),
        );
        sheet.put(
            "unified_null",
            api.cuLibraryGetUnifiedFunction(&mut function, null_mut(), c"store".as_ptr()),
        );
        sheet.put(
            "unified_into_null",
            api.cuLibraryGetUnifiedFunction(null_mut(), library, c"store".as_ptr()),
        );
    }),
    ("library_kernel/load", |api, sheet| {
        context(api);
        let mut library = null_mut();
        let none = null_mut;
        sheet.put(
            "into_null",
            api.cuLibraryLoadData(
                null_mut(),
                PTX.as_ptr().cast(),
                none(),
                null_mut(),
                0,
                null_mut(),
                null_mut(),
                0,
            ),
        );
        sheet.put(
            "null_code",
            api.cuLibraryLoadData(
                &mut library,
                std::ptr::null(),
                none(),
                null_mut(),
                0,
                null_mut(),
                null_mut(),
                0,
            ),
        );
        sheet.put(
            "null_options",
            api.cuLibraryLoadData(
                &mut library,
                PTX.as_ptr().cast(),
                none(),
                null_mut(),
                1,
                null_mut(),
                null_mut(),
                0,
            ),
        );
        let path = std::env::temp_dir().join(format!("zluda-{}.ptx", std::process::id()));
        std::fs::write(&path, PTX.trim_end_matches('\0')).unwrap();
        let path_text = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        sheet.put(
            "file",
            api.cuLibraryLoadFromFile(
                &mut library,
                path_text.as_ptr(),
                none(),
                null_mut(),
                0,
                null_mut(),
                null_mut(),
                0,
            ),
        );
        sheet.put("unload", api.cuLibraryUnload(library));
        sheet.put(
            "missing",
            api.cuLibraryLoadFromFile(
                &mut library,
                c"/none/there".as_ptr(),
                none(),
                null_mut(),
                0,
                null_mut(),
                null_mut(),
                0,
            ),
        );
        std::fs::remove_file(path).unwrap();
    }),
    ("module_function/loading", |api, sheet| {
        let module = module(api);
        let (function, mut state) = (kernel(api, module, c"store"), CUfunctionLoadingState_enum(9));
        sheet.put("state", api.cuFuncIsLoaded(&mut state, function));
        sheet.put("load", api.cuFuncLoad(function));
        sheet.put("state_again", api.cuFuncIsLoaded(&mut state, function));
        sheet.put("is", state.0);
        sheet.put("null", api.cuFuncIsLoaded(&mut state, null_mut()));
        sheet.put("load_null", api.cuFuncLoad(null_mut()));
        sheet.put("into_null", api.cuFuncIsLoaded(null_mut(), function));
    }),
    ("module_function/enumerate", |api, sheet| {
        let (module, mut count) = (module(api), 0);
        sheet.put("count", api.cuModuleGetFunctionCount(&mut count, module));
        sheet.put("functions", count);
        let mut functions = [null_mut(); 8];
        sheet.put("all", api.cuModuleEnumerateFunctions(functions.as_mut_ptr(), count, module));
        sheet.put("found", functions.iter().filter(|function| !function.is_null()).count() as i64);
        functions = [null_mut(); 8];
        sheet.put("more", api.cuModuleEnumerateFunctions(functions.as_mut_ptr(), 8, module));
        sheet.put(
            "more_found",
            functions.iter().filter(|function| !function.is_null()).count() as i64,
        );
        sheet.put("none", api.cuModuleEnumerateFunctions(functions.as_mut_ptr(), 0, module));
        sheet.put("into_null", api.cuModuleEnumerateFunctions(null_mut(), 2, module));
        sheet.put("null", api.cuModuleEnumerateFunctions(functions.as_mut_ptr(), 2, null_mut()));
    }),
    ("module_function/shared_configs", |api, sheet| {
        let module = module(api);
        let function = kernel(api, module, c"store");
        for config in [0, 1, 2, 3, 99] {
            let config = CUsharedconfig(config);
            sheet.put(
                &format!("function_{}", config.0),
                api.cuFuncSetSharedMemConfig(function, config),
            );
            sheet.put(&format!("context_{}", config.0), api.cuCtxSetSharedMemConfig(config));
        }
        let mut told = CUsharedconfig(9);
        sheet.put("get", api.cuCtxGetSharedMemConfig(&mut told));
        sheet.put("is", told.0);
        sheet.put("into_null", api.cuCtxGetSharedMemConfig(null_mut()));
        sheet.put("null", api.cuFuncSetSharedMemConfig(null_mut(), CUsharedconfig(1)));
    }),
    ("module_function/fat_binary", |api, sheet| {
        context(api);
        let mut module = null_mut();
        sheet.put("text", api.cuModuleLoadFatBinary(&mut module, PTX.as_ptr().cast()));
        sheet.put("into_null", api.cuModuleLoadFatBinary(null_mut(), PTX.as_ptr().cast()));
        sheet.put("null", api.cuModuleLoadFatBinary(&mut module, std::ptr::null()));
    }),
    ("link_old/names", |api, sheet| {
        context(api);
        let (mut state, mut image, mut size) = (null_mut(), null_mut(), 0);
        sheet.put("create", api.cuLinkCreate(0, null_mut(), null_mut(), &mut state));
        let bytes = PTX.len();
        sheet.put(
            "data",
            api.cuLinkAddData(
                state,
                CUjitInputType(1),
                PTX.as_ptr().cast_mut().cast(),
                bytes,
                c"text".as_ptr(),
                0,
                null_mut(),
                null_mut(),
            ),
        );
        sheet.put(
            "file",
            api.cuLinkAddFile(
                state,
                CUjitInputType(1),
                c"/none/there".as_ptr(),
                0,
                null_mut(),
                null_mut(),
            ),
        );
        sheet.put(
            "file_2",
            api.cuLinkAddFile_v2(
                state,
                CUjitInputType(1),
                c"/none/there".as_ptr(),
                0,
                null_mut(),
                null_mut(),
            ),
        );
        sheet.put("complete", api.cuLinkComplete(state, &mut image, &mut size));
        sheet.put("destroy", api.cuLinkDestroy(state));
        sheet.put("create_into_null", api.cuLinkCreate(0, null_mut(), null_mut(), null_mut()));
    }),
    ("link/ptx_versions", |api, sheet| {
        context(api);
        for (first, second) in [(80, 80), (75, 80), (80, 75), (90, 50), (53, 90)] {
            let module = linked_for(api, [first, second]);
            for (name, which) in [(c"k0", "first"), (c"k1", "second")] {
                let (mut function, mut version) = (null_mut(), 0);
                must(api.cuModuleGetFunction(&mut function, module, name.as_ptr()));
                let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_PTX_VERSION;
                must(api.cuFuncGetAttribute(&mut version, attribute, function));
                sheet.put(&format!("{which}_of_{first}_{second}"), version);
            }
        }
    }),
];

/// A module that is linked of texts for these architectures, each with a kernel.
fn linked_for(api: &Api, architectures: [u32; 2]) -> CUmodule {
    let (mut state, mut image, mut module) = (null_mut(), null_mut(), null_mut());
    must(api.cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state));
    for (number, architecture) in architectures.into_iter().enumerate() {
        let text = format!(
            ".version 8.0\n.target sm_{architecture}\n.address_size 64\n\
             .visible .entry k{number}() {{ ret; }}\n\0"
        );
        must(api.cuLinkAddData_v2(
            state,
            CUjitInputType(1),
            text.as_ptr().cast_mut().cast(),
            text.len(),
            c"text".as_ptr(),
            0,
            null_mut(),
            null_mut(),
        ));
    }
    must(api.cuLinkComplete(state, &mut image, &mut 0));
    must(api.cuModuleLoadData(&mut module, image));
    must(api.cuLinkDestroy(state));
    module
}
