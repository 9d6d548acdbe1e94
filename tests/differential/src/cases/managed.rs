//! Variables of modules that are managed, and what is known of their memory.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::NamedCase;
use crate::Sheet;
use crate::setup::*;
use differential::api::Api;

const PTX: &str = concat!(
    r#"
.version 7.0
.target sm_75
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 managed_word = 7;
.visible .global .align 4 .u32 plain_word = 8;
.visible .entry increment()
{
    .reg .b32 %r<2>;
    ld.global.u32 %r1, [managed_word];
    add.u32 %r1, %r1, 1;
    st.global.u32 [managed_word], %r1;
    ret;
}
"#,
    "\0"
);

fn load(api: &Api) -> CUmodule {
    let mut module = null_mut();
    must(api.cuModuleLoadData(&mut module, PTX.as_ptr().cast()));
    module
}

fn variable(api: &Api, module: CUmodule, name: &std::ffi::CStr) -> CUdeviceptr {
    let (mut pointer, mut bytes) = (0, 0);
    must(api.cuModuleGetGlobal_v2(&mut pointer, &mut bytes, module, name.as_ptr()));
    pointer
}

fn describe(api: &Api, sheet: &mut Sheet, name: &str, pointer: CUdeviceptr) {
    for (what, number, is_pointer) in [
        ("memory_type", 2, false),
        ("device_pointer", 3, true),
        ("host_pointer", 4, true),
        ("is_managed", 8, false),
        ("device", 9, false),
        ("mapped", 13, false),
    ] {
        let mut value = 0_u64;
        let result = api.cuPointerGetAttribute(
            (&raw mut value).cast(),
            CUpointer_attribute(number),
            pointer,
        );
        sheet.put(&format!("{name}_{what}"), result);
        let value =
            if is_pointer { i64::from(value == pointer) } else { i64::from(value as u32 as i32) };
        sheet.put(&format!("{name}_{what}_is"), value);
    }
}

pub const CASES: &[NamedCase] = &[
    ("managed/variable", |api, sheet| {
        context(api);
        let module = load(api);
        describe(api, sheet, "managed", variable(api, module, c"managed_word"));
        describe(api, sheet, "plain", variable(api, module, c"plain_word"));
    }),
    ("managed/host_access", |api, sheet| {
        context(api);
        let module = load(api);
        let word = variable(api, module, c"managed_word") as *mut u32;
        // SAFETY: managed memory.
        sheet.put("first", unsafe { word.read_volatile() });
        let function = kernel(api, module, c"increment");
        must(launch(api, function, 1, &mut []));
        must(api.cuCtxSynchronize());
        // SAFETY: as above.
        sheet.put("incremented", unsafe { word.read_volatile() });
        // SAFETY: as above.
        unsafe { word.write_volatile(40) };
        must(launch(api, function, 1, &mut []));
        must(api.cuCtxSynchronize());
        // SAFETY: as above.
        sheet.put("again", unsafe { word.read_volatile() });
    }),
    ("managed/other_context", |api, sheet| {
        // One memory for all contexts of a module's program? Each load has its own.
        context(api);
        let first = variable(api, load(api), c"managed_word");
        let second = variable(api, load(api), c"managed_word");
        sheet.put("same", i64::from(first == second));
    }),
    ("managed/library", |api, sheet| {
        context(api);
        let (mut library, mut pointer, mut bytes) = (null_mut(), 0, 0);
        must(load_library(api, &mut library, PTX.as_ptr().cast()));
        sheet.put(
            "managed",
            api.cuLibraryGetManaged(&mut pointer, &mut bytes, library, c"managed_word".as_ptr()),
        );
        sheet.put("bytes", bytes as i64);
        let mut global = 0;
        sheet.put(
            "global",
            api.cuLibraryGetGlobal(&mut global, &mut bytes, library, c"managed_word".as_ptr()),
        );
        sheet.put("same", i64::from(global == pointer));
        sheet.put(
            "plain",
            api.cuLibraryGetManaged(&mut pointer, &mut bytes, library, c"plain_word".as_ptr()),
        );
        describe(api, sheet, "word", global);
    }),
    ("managed/advice_of_variable", |api, sheet| {
        context(api);
        let word = variable(api, load(api), c"managed_word");
        sheet.put("read_mostly", api.cuMemAdvise(word, 4, CUmem_advise(1), 0));
        sheet.put("preferred", api.cuMemAdvise(word, 4, CUmem_advise(3), 0));
        let mut mostly = -1_i32;
        sheet.put(
            "get",
            api.cuMemRangeGetAttribute(
                (&raw mut mostly).cast(),
                4,
                CUmem_range_attribute(1),
                word,
                4,
            ),
        );
        sheet.put("mostly", mostly);
    }),
    ("managed/advise", |api, sheet| {
        context(api);
        let (mut memory, plain) = (0, allocate(api, 4096));
        must(api.cuMemAllocManaged(&mut memory, 1 << 20, 1));
        for advice in 0..9 {
            sheet.put(
                &format!("advice_{advice}"),
                api.cuMemAdvise(memory, 1 << 20, CUmem_advise(advice), 0),
            );
        }
        sheet.put("host", api.cuMemAdvise(memory, 1 << 20, CUmem_advise(3), -1));
        sheet.put("device_7", api.cuMemAdvise(memory, 1 << 20, CUmem_advise(3), 7));
        sheet.put("none", api.cuMemAdvise(memory, 0, CUmem_advise(1), 0));
        sheet.put("too_long", api.cuMemAdvise(memory, 1 << 30, CUmem_advise(1), 0));
        sheet.put("plain", api.cuMemAdvise(plain, 4096, CUmem_advise(1), 0));
        sheet.put("null", api.cuMemAdvise(0, 4096, CUmem_advise(1), 0));
    }),
    ("managed/set_attribute", |api, sheet| {
        context(api);
        let (plain, yes, no) = (allocate(api, 4096), 1_u32, 0_u32);
        let sync = CUpointer_attribute(6);
        let mut told = 9_u32;
        sheet.put("set", api.cuPointerSetAttribute((&raw const yes).cast(), sync, plain));
        sheet.put("get", api.cuPointerGetAttribute((&raw mut told).cast(), sync, plain));
        sheet.put("is", told);
        sheet.put("unset", api.cuPointerSetAttribute((&raw const no).cast(), sync, plain));
        sheet.put("get_again", api.cuPointerGetAttribute((&raw mut told).cast(), sync, plain));
        sheet.put("is_again", told);
        sheet.put(
            "other",
            api.cuPointerSetAttribute((&raw const yes).cast(), CUpointer_attribute(2), plain),
        );
        sheet.put("null_value", api.cuPointerSetAttribute(std::ptr::null::<c_void>(), sync, plain));
        sheet.put("null", api.cuPointerSetAttribute((&raw const yes).cast(), sync, 0));
    }),
];
