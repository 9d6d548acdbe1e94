//! What `cuGetProcAddress` finds of names in versions.

use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::NamedCase;
use crate::Sheet;
use crate::setup::*;
use differential::api::Api;

/// Looks names up in versions, and says the status of each.
fn find(api: &Api, sheet: &mut Sheet, names: &[&std::ffi::CStr], versions: &[i32], flags: u64) {
    must(api.cuInit(0));
    for name in names {
        for version in versions {
            let (mut function, mut status) = (null_mut(), CUdriverProcAddressQueryResult_enum(9));
            let result =
                api.cuGetProcAddress_v2(name.as_ptr(), &mut function, *version, flags, &mut status);
            let label = format!("{}_{version}", name.to_str().unwrap());
            sheet.put(&label, result * 100 + i64::from(status.0));
        }
    }
}

pub const CASES: &[NamedCase] = &[
    ("address/contexts", |api, sheet| {
        find(
            api,
            sheet,
            &[
                c"cuCtxCreate",
                c"cuCtxDestroy",
                c"cuCtxGetId",
                c"cuCtxFromGreenCtx",
                c"cuDevicePrimaryCtxReset",
            ],
            &[2000, 3020, 4000, 7000, 11040, 12000, 12040, 13000],
            0,
        );
    }),
    ("address/memory", |api, sheet| {
        find(
            api,
            sheet,
            &[
                c"cuMemAlloc",
                c"cuMemAllocAsync",
                c"cuMemcpyBatchAsync",
                c"cuMemPrefetchAsync",
                c"cuMemAdvise",
                c"cuMemAllocManaged",
            ],
            &[2000, 3020, 6000, 8000, 11020, 12020, 12080, 13000],
            0,
        );
    }),
    ("address/graphs", |api, sheet| {
        find(
            api,
            sheet,
            &[
                c"cuGraphCreate",
                c"cuGraphAddNode",
                c"cuGraphInstantiate",
                c"cuGraphAddKernelNode",
                c"cuGraphExecUpdate",
                c"cuGraphLaunch",
            ],
            &[9000, 10000, 11000, 12000, 12020, 12030, 13000],
            0,
        );
    }),
    ("address/launches", |api, sheet| {
        find(
            api,
            sheet,
            &[
                c"cuLaunchKernel",
                c"cuLaunchKernelEx",
                c"cuLaunch",
                c"cuLaunchHostFunc",
                c"cuLaunchCooperativeKernelMultiDevice",
            ],
            &[2000, 4000, 7000, 9000, 10000, 11060, 13000],
            0,
        );
    }),
    ("address/per_thread", |api, sheet| {
        find(
            api,
            sheet,
            &[
                c"cuLaunchKernel",
                c"cuMemcpy",
                c"cuStreamSynchronize",
                c"cuMemAlloc",
                c"cuGraphLaunch",
            ],
            &[4000, 7000, 10000, 13000],
            2,
        );
    }),
    ("address/flags", |api, sheet| {
        for flags in [0, 1, 2, 3, 4, 8] {
            let (mut function, mut status) = (null_mut(), CUdriverProcAddressQueryResult_enum(9));
            let result = api.cuGetProcAddress_v2(
                c"cuMemcpy".as_ptr(),
                &mut function,
                12000,
                flags,
                &mut status,
            );
            sheet.put(&flags.to_string(), result);
        }
    }),
    ("address/spelling", |api, sheet| {
        find(
            api,
            sheet,
            &[
                c"",
                c"cuinit",
                c"cuInit",
                c"cuInit_v2",
                c"cuMemAlloc_v2",
                c"cuLaunchKernel_ptsz",
                c"cudaMalloc",
                c"cuMemcpyHtoD_v2",
            ],
            &[13000],
            0,
        );
    }),
];
