//! Runs a case on a device through the driver API.

use std::ffi::{CString, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;
use twin::api::Api;

use crate::case::{Case, INPUTS, OUTPUTS};
use crate::resource::Made;

pub struct Device {
    api: Api,
    context: CUcontext,
}

fn must(code: i64) {
    assert_eq!(code, 0, "setting up the device failed");
}

fn ok(code: i64) -> Result<(), i64> {
    if code == 0 { Ok(()) } else { Err(code) }
}

impl Device {
    pub fn open(library: &Path) -> Self {
        let api = Api::load(library).unwrap_or_else(|error| panic!("{error}"));
        must(api.cuInit(0));
        let mut device = Self { api, context: null_mut() };
        must(device.api.cuCtxCreate_v2(&mut device.context, 0, 0));
        device
    }

    /// The output words of all threads, then those of the array where the case asks for them; or the
    /// code of the call that failed first. An error that stays with the context does not meet the next
    /// case.
    pub fn run(&mut self, case: &Case) -> Result<Vec<u64>, i64> {
        let result = case.resource.make(&self.api).and_then(|made| {
            let result = self.with_resource(case, &made);
            made.end(&self.api);
            result
        });
        if result.is_err() && self.api.cuCtxSynchronize() != 0 {
            self.api.cuCtxDestroy_v2(self.context);
            must(self.api.cuCtxCreate_v2(&mut self.context, 0, 0));
        }
        result
    }

    fn with_resource(&self, case: &Case, made: &Made) -> Result<Vec<u64>, i64> {
        let api = &self.api;
        let mut object = 0;
        if case.surface {
            ok(api.cuSurfObjectCreate(&mut object, &made.description))?;
        } else {
            ok(api.cuTexObjectCreate(&mut object, &made.description, &case.sampler, null()))?;
        }
        let result = self.launch(case, object).and_then(|mut words| {
            if case.reads_back {
                let bytes = case.resource.read(api, made)?;
                words.extend(bytes.into_iter().map(u64::from));
            }
            Ok(words)
        });
        if case.surface {
            api.cuSurfObjectDestroy(object);
        } else {
            api.cuTexObjectDestroy(object);
        }
        result
    }

    fn launch(&self, case: &Case, object: u64) -> Result<Vec<u64>, i64> {
        let api = &self.api;
        let text = CString::new(case.ptx()).unwrap();
        let mut module = null_mut();
        ok(api.cuModuleLoadData(&mut module, text.as_ptr().cast()))?;
        let (mut inputs, mut outputs) = (0, 0);
        let threads = case.operands.len();
        let words: Vec<u32> = case.operands.iter().flatten().copied().collect();
        must(api.cuMemAlloc_v2(&mut inputs, threads * INPUTS * 4));
        must(api.cuMemAlloc_v2(&mut outputs, threads * OUTPUTS * 4));
        let result = (|| {
            let mut function = null_mut();
            ok(api.cuModuleGetFunction(&mut function, module, c"form".as_ptr()))?;
            ok(api.cuMemcpyHtoD_v2(inputs, words.as_ptr().cast(), words.len() * 4))?;
            ok(api.cuMemsetD8_v2(outputs, 0, threads * OUTPUTS * 4))?;
            let mut values = [inputs, outputs, object, threads as u64];
            let mut parameters =
                values.each_mut().map(|value| (value as *mut u64).cast::<c_void>());
            let blocks = threads.div_ceil(64) as u32;
            let parameters = parameters.as_mut_ptr();
            ok(api.cuLaunchKernel(
                function,
                blocks,
                1,
                1,
                64,
                1,
                1,
                0,
                null_mut(),
                parameters,
                null_mut(),
            ))?;
            let mut read = vec![0_u32; OUTPUTS * threads];
            ok(api.cuMemcpyDtoH_v2(read.as_mut_ptr().cast(), outputs, read.len() * 4))?;
            Ok(read.into_iter().map(u64::from).collect())
        })();
        api.cuMemFree_v2(inputs);
        api.cuMemFree_v2(outputs);
        api.cuModuleUnload(module);
        result
    }
}
