//! Initialisation, devices, attributes, error texts, entry points.

use std::ffi::CStr;
use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::Case;
use crate::setup::*;

fn attribute(number: u32) -> CUdevice_attribute {
    CUdevice_attribute(number as _)
}

pub const CASES: &[Case] = &[
    ("device/before_init", |api| {
        let mut count = -1;
        let mut device = -1;
        let mut context = null_mut();
        vec![
            api.cuDeviceGetCount(&mut count),
            api.cuDeviceGet(&mut device, 0),
            api.cuCtxGetCurrent(&mut context),
        ]
    }),
    ("device/alloc_before_init", |api| {
        let mut pointer = 0;
        vec![api.cuMemAlloc_v2(&mut pointer, 16)]
    }),
    ("device/init_flags", |api| vec![api.cuInit(1), api.cuInit(0), api.cuInit(0)]),
    ("device/driver_version", |api| {
        let mut version = 0;
        vec![
            api.cuDriverGetVersion(null_mut()),
            api.cuDriverGetVersion(&mut version),
            (version >= 13000) as i64,
        ]
    }),
    ("device/count", |api| {
        let mut count = 0;
        must(api.cuInit(0));
        vec![
            api.cuDeviceGetCount(null_mut()),
            api.cuDeviceGetCount(&mut count),
            (count >= 1) as i64,
        ]
    }),
    ("device/get", |api| {
        let mut device = -7;
        must(api.cuInit(0));
        vec![
            api.cuDeviceGet(null_mut(), 0),
            api.cuDeviceGet(&mut device, -1),
            api.cuDeviceGet(&mut device, 1000),
            api.cuDeviceGet(&mut device, 0),
            device as i64,
        ]
    }),
    ("device/name", |api| {
        must(api.cuInit(0));
        let mut name = [0x55_u8; 8];
        vec![
            api.cuDeviceGetName(null_mut(), 8, 0),
            api.cuDeviceGetName(name.as_mut_ptr().cast(), 0, 0),
            api.cuDeviceGetName(name.as_mut_ptr().cast(), -1, 0),
            api.cuDeviceGetName(name.as_mut_ptr().cast(), 8, 99),
            api.cuDeviceGetName(name.as_mut_ptr().cast(), 4, 0),
            (name[3] == 0) as i64,
            (name[4] == 0x55) as i64,
        ]
    }),
    ("device/attribute", |api| {
        must(api.cuInit(0));
        let mut value = -1;
        vec![
            api.cuDeviceGetAttribute(null_mut(), attribute(1), 0),
            api.cuDeviceGetAttribute(&mut value, attribute(0), 0),
            api.cuDeviceGetAttribute(&mut value, attribute(100_000), 0),
            api.cuDeviceGetAttribute(&mut value, attribute(1), 99),
            api.cuDeviceGetAttribute(&mut value, attribute(1), 0),
            value as i64,
            api.cuDeviceGetAttribute(&mut value, attribute(10), 0),
            value as i64,
        ]
    }),
    ("device/total_memory", |api| {
        must(api.cuInit(0));
        let mut bytes = 0;
        vec![
            api.cuDeviceTotalMem_v2(null_mut(), 0),
            api.cuDeviceTotalMem_v2(&mut bytes, -1),
            api.cuDeviceTotalMem_v2(&mut bytes, 0),
            (bytes > 0) as i64,
        ]
    }),
    ("device/uuid", |api| {
        must(api.cuInit(0));
        vec![
            api.cuDeviceGetUuid_v2(null_mut(), 0),
            // SAFETY: an array of bytes.
            api.cuDeviceGetUuid_v2(&mut unsafe { std::mem::zeroed() }, 99),
        ]
    }),
    ("device/pci", |api| {
        must(api.cuInit(0));
        let mut text = [0_u8; 32];
        let mut device = -1;
        vec![
            api.cuDeviceGetPCIBusId(null_mut(), 32, 0),
            api.cuDeviceGetPCIBusId(text.as_mut_ptr().cast(), 32, 99),
            api.cuDeviceGetPCIBusId(text.as_mut_ptr().cast(), 32, 0),
            text.iter().position(|&byte| byte == 0).unwrap_or(32) as i64,
            api.cuDeviceGetByPCIBusId(&mut device, text.as_ptr().cast()),
            device as i64,
            api.cuDeviceGetByPCIBusId(&mut device, c"no such device".as_ptr()),
            api.cuDeviceGetByPCIBusId(null_mut(), text.as_ptr().cast()),
            api.cuDeviceGetByPCIBusId(&mut device, null_mut()),
        ]
    }),
    ("device/peer", |api| {
        must(api.cuInit(0));
        let mut can = -1;
        vec![
            api.cuDeviceCanAccessPeer(null_mut(), 0, 0),
            api.cuDeviceCanAccessPeer(&mut can, 0, 99),
            api.cuDeviceCanAccessPeer(&mut can, 0, 0),
            can as i64,
        ]
    }),
    ("device/error_name", |api| {
        let mut text = std::ptr::null();
        let mut answers = vec![api.cuGetErrorName(CUresult(1), null_mut())];
        for code in [0, 1, 2, 200, 218, 400, 700, 719, 999] {
            answers.push(api.cuGetErrorName(CUresult(code), &mut text));
            // SAFETY: the driver returned a text.
            answers.push(unsafe { CStr::from_ptr(text) }.to_bytes().len() as i64);
        }
        answers.push(api.cuGetErrorName(CUresult(54321), &mut text));
        answers.push(text.is_null() as i64);
        answers
    }),
    ("device/error_string", |api| {
        let mut text = std::ptr::null();
        let mut answers = vec![api.cuGetErrorString(CUresult(1), null_mut())];
        for code in [0, 1, 2, 200, 218, 400, 700, 719, 999] {
            answers.push(api.cuGetErrorString(CUresult(code), &mut text));
            // SAFETY: the driver returned a text.
            answers.push(unsafe { CStr::from_ptr(text) }.to_bytes().len() as i64);
        }
        answers.push(api.cuGetErrorString(CUresult(54321), &mut text));
        answers.push(text.is_null() as i64);
        answers
    }),
    ("device/get_proc_address", |api| {
        let mut pointer = null_mut();
        let mut status = CUdriverProcAddressQueryResult(77);
        let mut ask = |name: &CStr, version: i32, flags: u64| {
            pointer = null_mut();
            status = CUdriverProcAddressQueryResult(77);
            [
                api.cuGetProcAddress_v2(name.as_ptr(), &mut pointer, version, flags, &mut status),
                !pointer.is_null() as i64,
                status.0 as i64,
            ]
        };
        let mut answers = Vec::new();
        answers.extend(ask(c"cuMemAlloc", 13000, 0));
        answers.extend(ask(c"cuMemAlloc", 3020, 0));
        answers.extend(ask(c"cuMemAlloc", 1000, 0));
        answers.extend(ask(c"cuMemAlloc_v2", 13000, 0));
        answers.extend(ask(c"cuNoSuchFunction", 13000, 0));
        answers.extend(ask(c"cuLaunchKernel", 13000, 2));
        answers.extend(ask(c"cuLaunchKernel", 13000, 1));
        answers.extend(ask(c"cuLaunchKernel", 13000, 64));
        answers.extend(ask(c"cuGreenCtxCreate", 12000, 0));
        answers.push(api.cuGetProcAddress_v2(std::ptr::null(), &mut pointer, 13000, 0, null_mut()));
        answers.push(api.cuGetProcAddress_v2(c"cuInit".as_ptr(), null_mut(), 13000, 0, null_mut()));
        answers
    }),
    ("device/export_table", |api| {
        let mut table = std::ptr::null();
        // SAFETY: an array of bytes.
        let unknown: CUuuid = unsafe { std::mem::zeroed() };
        must(api.cuInit(0));
        vec![api.cuGetExportTable(&mut table, &unknown), api.cuGetExportTable(null_mut(), &unknown)]
    }),
];
