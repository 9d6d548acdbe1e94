//! Every attribute of pointers into every kind of memory.

use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::NamedCase;
use crate::Sheet;
use crate::setup::*;
use differential::api::Api;

/// The attributes whose values are an address, which are told as whether they are the pointer's.
const ADDRESSES: [u32; 3] = [3, 4, 11];

fn describe(api: &Api, sheet: &mut Sheet, pointer: CUdeviceptr) {
    for number in 1..22 {
        let mut value = 0_u64;
        let result = api.cuPointerGetAttribute(
            (&raw mut value).cast(),
            CUpointer_attribute(number),
            pointer,
        );
        sheet.put(&format!("get_{number}"), result);
        // Contexts, tokens, numbers of buffers, pools, mappings and network cards are what they are.
        match number {
            _ if ADDRESSES.contains(&number) => {
                sheet.put(&format!("is_{number}"), i64::from(value == pointer));
            }
            2 | 6 | 8 | 9 | 10 | 12 | 13 | 14 | 16 => {
                sheet.put(&format!("is_{number}"), value as u32 as i32);
            }
            _ => {}
        }
    }
}

pub const CASES: &[NamedCase] = &[
    ("pointer_attribute/device", |api, sheet| {
        context(api);
        let memory = allocate(api, 1 << 20);
        describe(api, sheet, memory);
    }),
    ("pointer_attribute/inside", |api, sheet| {
        context(api);
        let memory = allocate(api, 1 << 20);
        describe(api, sheet, memory + 4096);
    }),
    ("pointer_attribute/host", |api, sheet| {
        context(api);
        let mut host = null_mut();
        must(api.cuMemHostAlloc(&mut host, 1 << 16, 0));
        describe(api, sheet, host as u64);
    }),
    ("pointer_attribute/write_combined", |api, sheet| {
        context(api);
        let mut host = null_mut();
        must(api.cuMemHostAlloc(&mut host, 1 << 16, 4));
        describe(api, sheet, host as u64);
    }),
    ("pointer_attribute/registered", |api, sheet| {
        context(api);
        let mut bytes = vec![0_u8; 1 << 16];
        must(api.cuMemHostRegister_v2(bytes.as_mut_ptr().cast(), 1 << 16, 0));
        describe(api, sheet, bytes.as_ptr() as u64);
    }),
    ("pointer_attribute/own", |api, sheet| {
        context(api);
        let bytes = vec![0_u8; 1 << 16];
        describe(api, sheet, bytes.as_ptr() as u64);
    }),
    ("pointer_attribute/managed", |api, sheet| {
        context(api);
        let mut memory = 0;
        must(api.cuMemAllocManaged(&mut memory, 1 << 16, 1));
        describe(api, sheet, memory);
    }),
    ("pointer_attribute/managed_host", |api, sheet| {
        context(api);
        let mut memory = 0;
        must(api.cuMemAllocManaged(&mut memory, 1 << 16, 2));
        describe(api, sheet, memory);
    }),
    ("pointer_attribute/pool", |api, sheet| {
        context(api);
        let mut memory = 0;
        must(api.cuMemAllocAsync(&mut memory, 1 << 16, null_mut()));
        must(api.cuCtxSynchronize());
        describe(api, sheet, memory);
    }),
    ("pointer_attribute/own_pool", |api, sheet| {
        context(api);
        let (pool, mut memory) = (memory_pool(api), 0);
        must(api.cuMemAllocFromPoolAsync(&mut memory, 1 << 16, pool, null_mut()));
        must(api.cuCtxSynchronize());
        describe(api, sheet, memory);
    }),
    ("pointer_attribute/variable", |api, sheet| {
        let (module, mut pointer, mut bytes) = (module(api), 0, 0);
        must(api.cuModuleGetGlobal_v2(&mut pointer, &mut bytes, module, c"counter".as_ptr()));
        sheet.put("bytes", bytes as i64);
        describe(api, sheet, pointer);
    }),
    ("pointer_attribute/freed", |api, sheet| {
        context(api);
        let memory = allocate(api, 1 << 22);
        must(api.cuMemFree_v2(memory));
        describe(api, sheet, memory);
    }),
];
