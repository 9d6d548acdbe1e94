//! Runs kernels on a device through the driver API.

use std::ffi::{CString, c_void};
use std::path::Path;
use std::ptr::null_mut;

use cuda_types::cuda::{CUcontext, CUdeviceptr, CUjit_option};
use twin::api::Api;
use twin::random::Random;

use crate::kernel::{INPUT, ROW, SUMS, hash};

/// Threads of a launch at most.
const THREADS: usize = 4 * 128;

pub struct Device {
    api: Api,
    context: CUcontext,
    input: CUdeviceptr,
    output: CUdeviceptr,
    sums: CUdeviceptr,
    /// Of the assembler; its own where there is none.
    pub level: Option<u32>,
}

fn ok(code: i64) -> Result<(), i64> {
    if code == 0 { Ok(()) } else { Err(code) }
}

impl Device {
    pub fn open(library: &Path) -> Result<Self, String> {
        let api = Api::load(library)?;
        let mut device =
            Self { api, context: null_mut(), input: 0, output: 0, sums: 0, level: None };
        device.prepare().map_err(|code| format!("setting up the device: error {code}"))?;
        Ok(device)
    }

    fn prepare(&mut self) -> Result<(), i64> {
        ok(self.api.cuInit(0))?;
        ok(self.api.cuCtxCreate_v2(&mut self.context, 0, 0))?;
        ok(self.api.cuMemAlloc_v2(&mut self.input, 4 * INPUT))?;
        ok(self.api.cuMemAlloc_v2(&mut self.output, THREADS * ROW))?;
        ok(self.api.cuMemAlloc_v2(&mut self.sums, 4 * SUMS))?;
        let mut random = Random(1);
        let input: Vec<u32> =
            (0..INPUT).map(|_| (random.bits() >> (random.bits() & 31)) as u32).collect();
        ok(self.api.cuMemcpyHtoD_v2(self.input, input.as_ptr().cast(), 4 * INPUT))
    }

    /// The hash of all that the kernel `random` of a text leaves.
    pub fn run(&mut self, text: &str, launch: [u32; 3]) -> Result<u64, i64> {
        self.output(text, launch).map(hash)
    }

    /// The rows of the threads, then the sums. An error that stays with the context does not meet the next
    /// kernel.
    pub fn output(&mut self, text: &str, launch: [u32; 3]) -> Result<Vec<u8>, i64> {
        let result = self.run_once(text, launch);
        if result.is_err() && self.api.cuCtxSynchronize() != 0 {
            self.api.cuCtxDestroy_v2(self.context);
            self.prepare()?;
        }
        result
    }

    fn run_once(&self, text: &str, [grid, width, height]: [u32; 3]) -> Result<Vec<u8>, i64> {
        let api = &self.api;
        // A null byte is no PTX.
        let text = CString::new(text).map_err(|_| 218_i64)?;
        let mut module = null_mut();
        let image = text.as_ptr().cast();
        ok(match self.level {
            None => api.cuModuleLoadData(&mut module, image),
            Some(level) => {
                let mut option = CUjit_option::CU_JIT_OPTIMIZATION_LEVEL;
                let mut value = level as usize as *mut c_void;
                api.cuModuleLoadDataEx(&mut module, image, 1, &mut option, &mut value)
            }
        })?;
        let mut function = null_mut();
        ok(api.cuModuleGetFunction(&mut function, module, c"random".as_ptr()))?;
        ok(api.cuMemsetD8_v2(self.output, 0, THREADS * ROW))?;
        ok(api.cuMemsetD8_v2(self.sums, 0, 4 * SUMS))?;
        let mut values = [self.input, self.output, self.sums];
        let mut parameters = values.each_mut().map(|value| (value as *mut u64).cast::<c_void>());
        let parameters = parameters.as_mut_ptr();
        let (stream, extra) = (null_mut(), null_mut());
        ok(api
            .cuLaunchKernel(function, grid, 1, 1, width, height, 1, 0, stream, parameters, extra))?;
        let mut bytes = vec![0_u8; THREADS * ROW + 4 * SUMS];
        let (output, sums) = bytes.split_at_mut(THREADS * ROW);
        ok(api.cuMemcpyDtoH_v2(output.as_mut_ptr().cast(), self.output, output.len()))?;
        ok(api.cuMemcpyDtoH_v2(sums.as_mut_ptr().cast(), self.sums, sums.len()))?;
        ok(api.cuModuleUnload(module))?;
        Ok(bytes)
    }
}
