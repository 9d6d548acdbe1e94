//! Attributes and priorities of streams: what is kept, and what is refused.

use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::NamedCase;
use crate::Sheet;
use crate::setup::*;
use differential::api::Api;

fn value(word: u32) -> CUlaunchAttributeValue {
    let mut value: CUlaunchAttributeValue = zeroed();
    // SAFETY: there are 64 bytes.
    unsafe { (&raw mut value).cast::<u32>().write_unaligned(word) };
    value
}

fn word(value: &CUlaunchAttributeValue) -> i32 {
    // SAFETY: there are 64 bytes, all of them written.
    unsafe { std::ptr::from_ref(value).cast::<i32>().read_unaligned() }
}

fn get(api: &Api, sheet: &mut Sheet, name: &str, stream: CUstream, id: u32) {
    let mut told = value(0);
    sheet.put(name, api.cuStreamGetAttribute(stream, CUlaunchAttributeID(id as _), &mut told));
    sheet.put(&format!("{name}_is"), word(&told));
}

/// Sets an attribute to each of some words, and asks for it.
fn each(api: &Api, sheet: &mut Sheet, id: u32, words: &[u32]) {
    context(api);
    let stream = stream(api);
    get(api, sheet, "default", stream, id);
    for given in words {
        let name = (*given as i32).to_string();
        let attribute = CUlaunchAttributeID(id as _);
        sheet.put(
            &format!("set_{name}"),
            api.cuStreamSetAttribute(stream, attribute, &value(*given)),
        );
        get(api, sheet, &format!("get_{name}"), stream, id);
    }
}

pub const CASES: &[NamedCase] = &[
    ("stream_attribute/numbers", |api, sheet| {
        context(api);
        let stream = stream(api);
        for id in 0..19 {
            let mut told = value(0);
            let name = CUlaunchAttributeID(id);
            sheet.put(&format!("get_{id}"), api.cuStreamGetAttribute(stream, name, &mut told));
            sheet.put(&format!("set_{id}"), api.cuStreamSetAttribute(stream, name, &told));
        }
    }),
    ("stream_attribute/synchronization", |api, sheet| each(api, sheet, 3, &[1, 2, 3, 4, 0, 9])),
    ("stream_attribute/priority", |api, sheet| {
        each(api, sheet, 8, &[0, 1, u32::MAX, -5_i32 as u32, -6_i32 as u32, 99]);
    }),
    ("stream_attribute/priority_told", |api, sheet| {
        context(api);
        let (stream, mut priority) = (stream(api), 99);
        sheet.put(
            "set",
            api.cuStreamSetAttribute(stream, CUlaunchAttributeID(8), &value(-3_i32 as u32)),
        );
        sheet.put("get", api.cuStreamGetPriority(stream, &mut priority));
        sheet.put("priority", priority);
        let mut urgent = null_mut();
        must(api.cuStreamCreateWithPriority(&mut urgent, 0, -4));
        get(api, sheet, "urgent", urgent, 8);
        get(api, sheet, "legacy", null_mut(), 8);
    }),
    ("stream_attribute/domain_map", |api, sheet| each(api, sheet, 9, &[0x0101, 0, 0x0300, 0x0400])),
    ("stream_attribute/domain", |api, sheet| each(api, sheet, 10, &[1, 0, 2, 99])),
    ("stream_attribute/nvlink", |api, sheet| each(api, sheet, 16, &[1, 0, 2])),
    ("stream_attribute/window", |api, sheet| {
        context(api);
        let (stream, memory) = (stream(api), allocate(api, 4096));
        let id = CUlaunchAttributeID(1);
        for (name, bytes, ratio, hit, miss) in [
            ("whole", 4096, 1.0, 2, 1),
            ("part", 2048, 0.5, 2, 0),
            ("ratio", 4096, 1.5, 2, 1),
            ("miss_persists", 4096, 1.0, 2, 2),
            ("none", 0, 0.0, 0, 0),
        ] {
            let mut window = value(0);
            window.accessPolicyWindow = CUaccessPolicyWindow {
                base_ptr: memory as *mut _,
                num_bytes: bytes,
                hitRatio: ratio,
                hitProp: CUaccessProperty_enum(hit),
                missProp: CUaccessProperty_enum(miss),
            };
            sheet.put(name, api.cuStreamSetAttribute(stream, id, &window));
            let mut told = value(0);
            must(api.cuStreamGetAttribute(stream, id, &mut told));
            // SAFETY: all bytes were written.
            let told = unsafe { told.accessPolicyWindow };
            sheet.put(&format!("{name}_base"), i64::from(told.base_ptr as u64 == memory));
            sheet.put(&format!("{name}_bytes"), told.num_bytes as i64);
            sheet.put(&format!("{name}_ratio"), (told.hitRatio * 100.0) as i64);
            sheet.put(&format!("{name}_hit"), told.hitProp.0);
            sheet.put(&format!("{name}_miss"), told.missProp.0);
        }
    }),
    ("stream_attribute/copy", |api, sheet| {
        context(api);
        let (from, to) = (stream(api), stream(api));
        for (id, word) in [(3, 2), (8, u32::MAX), (10, 1)] {
            let attribute = CUlaunchAttributeID(id);
            sheet
                .put(&format!("set_{id}"), api.cuStreamSetAttribute(from, attribute, &value(word)));
        }
        sheet.put("copy", api.cuStreamCopyAttributes(to, from));
        for id in [3, 8, 10] {
            get(api, sheet, &format!("get_{id}"), to, id);
        }
        sheet.put("copy_to_default", api.cuStreamCopyAttributes(null_mut(), from));
        sheet.put("copy_from_default", api.cuStreamCopyAttributes(to, null_mut()));
    }),
    ("stream_attribute/default_streams", |api, sheet| {
        context(api);
        for (name, stream) in [("legacy", 1_usize), ("per_thread", 2)] {
            for (id, word) in [(3, 2), (8, u32::MAX), (10, 1)] {
                let (stream, attribute) = (stream as CUstream, CUlaunchAttributeID(id));
                let set = api.cuStreamSetAttribute(stream, attribute, &value(word));
                sheet.put(&format!("{name}_set_{id}"), set);
                get(api, sheet, &format!("{name}_get_{id}"), stream, id);
            }
        }
    }),
    ("stream_attribute/priorities", |api, sheet| {
        context(api);
        for wanted in [0, 1, 5, -1, -2, -5, -6, -100] {
            let (mut stream, mut priority) = (null_mut(), 99);
            sheet.put(
                &format!("create_{wanted}"),
                api.cuStreamCreateWithPriority(&mut stream, 1, wanted),
            );
            must(api.cuStreamGetPriority(stream, &mut priority));
            sheet.put(&format!("is_{wanted}"), priority);
        }
    }),
];
