//! A case's calls.

use std::ffi::{CString, c_void};
use std::fmt::Write;
use std::ptr::null_mut;

use cuda_types::cuda::*;
use differential::api::Api;

use crate::case::{Case, Question};
use crate::options::Options;

/// Words of the buffer that kernels write to.
const WORDS: usize = 8;

/// The primary context of device 0, current.
pub fn set_up(api: &Api) {
    let mut context = null_mut();
    assert_eq!(api.cuInit(0), 0);
    assert_eq!(api.cuDevicePrimaryCtxRetain(&mut context, 0), 0);
    assert_eq!(api.cuCtxSetCurrent(context), 0);
}

/// The library's answers, a line each.
pub fn answers(api: &Api, case: &Case) -> String {
    let mut options = Options::new(&case.settings);
    let mut text = String::new();
    let mut module = null_mut();
    if case.linked {
        link(api, case, &mut options, &mut module, &mut text);
    } else {
        let source = c_string(case.inputs.first().map_or("", |(_, text)| text));
        let code = api.cuModuleLoadDataEx(
            &mut module,
            source.as_ptr().cast(),
            options.count(),
            options.keys.as_mut_ptr(),
            options.values.as_mut_ptr(),
        );
        let _ = writeln!(text, "load {code}");
    }
    text.push_str(&options.print());
    if !module.is_null() {
        for question in &case.questions {
            match question {
                Question::Global(name) => global(api, module, name, &mut text),
                Question::Run(name) => run(api, module, name, &mut text),
            }
        }
        let _ = api.cuModuleUnload(module);
    }
    text
}

fn link(api: &Api, case: &Case, options: &mut Options, module: &mut CUmodule, text: &mut String) {
    let mut state = null_mut();
    let code = api.cuLinkCreate_v2(
        options.count(),
        options.keys.as_mut_ptr(),
        options.values.as_mut_ptr(),
        &mut state,
    );
    let _ = writeln!(text, "create {code}");
    if code != 0 {
        return;
    }
    for (name, input) in &case.inputs {
        let name = name.as_deref().unwrap_or_default();
        let source = c_string(input);
        let c_name = c_string(name);
        let code = api.cuLinkAddData_v2(
            state,
            CUjitInputType::CU_JIT_INPUT_PTX,
            source.as_ptr() as *mut c_void,
            source.as_bytes_with_nul().len(),
            if name == "-" { std::ptr::null() } else { c_name.as_ptr() },
            0,
            null_mut(),
            null_mut(),
        );
        let _ = writeln!(text, "add {name} {code}");
    }
    for (kind, path) in &case.files {
        let c_path = c_string(path);
        let kind = CUjitInputType(*kind);
        let code = api.cuLinkAddFile_v2(state, kind, c_path.as_ptr(), 0, null_mut(), null_mut());
        let _ = writeln!(text, "add {path} {code}");
    }
    let (mut image, mut size) = (null_mut(), 0);
    let code = api.cuLinkComplete(state, &mut image, &mut size);
    let _ = writeln!(text, "complete {code}");
    if code == 0 {
        let _ = writeln!(text, "load {}", api.cuModuleLoadData(module, image));
    }
    let _ = writeln!(text, "destroy {}", api.cuLinkDestroy(state));
}

fn global(api: &Api, module: CUmodule, name: &str, text: &mut String) {
    let (mut pointer, mut size) = (0, 0);
    let code = api.cuModuleGetGlobal_v2(&mut pointer, &mut size, module, c_string(name).as_ptr());
    let _ = write!(text, "global {name} {code}");
    if code == 0 {
        let mut bytes = vec![0_u8; size.min(64)];
        let code = api.cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), pointer, bytes.len());
        let _ = write!(text, " {size} {code} ");
        bytes.iter().for_each(|byte| {
            let _ = write!(text, "{byte:02x}");
        });
    }
    text.push('\n');
}

fn run(api: &Api, module: CUmodule, name: &str, text: &mut String) {
    let mut function = null_mut();
    let code = api.cuModuleGetFunction(&mut function, module, c_string(name).as_ptr());
    let _ = write!(text, "run {name} {code}");
    if code == 0 {
        let mut pointer = 0;
        let mut words = [0_u32; WORDS];
        assert_eq!(api.cuMemAlloc_v2(&mut pointer, size_of_val(&words)), 0);
        assert_eq!(api.cuMemsetD32_v2(pointer, 0, WORDS), 0);
        let mut parameters: [*mut c_void; 1] = [(&raw mut pointer).cast()];
        let code = api.cuLaunchKernel(
            function,
            1,
            1,
            1,
            1,
            1,
            1,
            64,
            null_mut(),
            parameters.as_mut_ptr(),
            null_mut(),
        );
        let copied = api.cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), pointer, size_of_val(&words));
        let _ = write!(text, " {code} {copied}");
        for word in words {
            let _ = write!(text, " {word}");
        }
        let _ = api.cuMemFree_v2(pointer);
    }
    text.push('\n');
}

fn c_string(text: &str) -> CString {
    CString::new(text).unwrap()
}
