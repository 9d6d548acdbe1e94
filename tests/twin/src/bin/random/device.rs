//! Runs a kernel on a device through the driver API.

use std::ffi::{CString, c_void};
use std::path::Path;
use std::ptr::null_mut;

use cuda_types::cuda::{CUdeviceptr, CUlimit};
use twin::api::Api;

use crate::generate::Random;
use crate::program::ROW;

/// Bytes of the buffers.
const INPUT: usize = 16 << 10;
const OUTPUT: usize = 2 * 128 * ROW;
const ATOMICS: usize = 1 << 10;
const STACK: usize = 16 << 10;

pub struct Device {
    api: Api,
    input: CUdeviceptr,
    output: CUdeviceptr,
    atomics: CUdeviceptr,
    words: Vec<u64>,
}

fn must(code: i64) {
    assert_eq!(code, 0, "setting up the device failed");
}

impl Device {
    pub fn open(library: &Path) -> Self {
        let api = Api::load(library).unwrap_or_else(|error| panic!("{error}"));
        must(api.cuInit(0));
        let mut random = Random::new(0);
        let words = (0..INPUT / 8).map(|_| random.word()).collect();
        let mut device = Self { api, input: 0, output: 0, atomics: 0, words };
        device.prepare();
        device
    }

    fn prepare(&mut self) {
        let mut context = null_mut();
        must(self.api.cuCtxCreate_v2(&mut context, 0, 0));
        // How deep functions call themselves is not known to compilers.
        must(self.api.cuCtxSetLimit(CUlimit::CU_LIMIT_STACK_SIZE, STACK));
        for (pointer, bytes) in
            [(&mut self.input, INPUT), (&mut self.output, OUTPUT), (&mut self.atomics, ATOMICS)]
        {
            must(self.api.cuMemAlloc_v2(pointer, bytes));
        }
        must(self.api.cuMemcpyHtoD_v2(self.input, self.words.as_ptr().cast(), INPUT));
    }

    /// The hash of what the kernel writes, or the error. A context with an error that stays is left behind.
    pub fn run(&mut self, text: &str, block: [u32; 3], grid: u32) -> String {
        let result = self.run_once(text, block, grid);
        if result.is_err() && self.api.cuCtxSynchronize() != 0 {
            self.prepare();
        }
        match result {
            Ok(hash) => format!("{hash:016x}"),
            Err(code) => format!("error {code}"),
        }
    }

    fn run_once(&self, text: &str, block: [u32; 3], grid: u32) -> Result<u64, i64> {
        let ok = |code: i64| if code == 0 { Ok(()) } else { Err(code) };
        let api = &self.api;
        let text = CString::new(text).unwrap();
        let mut module = null_mut();
        ok(api.cuModuleLoadData(&mut module, text.as_ptr().cast()))?;
        let result = (|| {
            let mut function = null_mut();
            ok(api.cuModuleGetFunction(&mut function, module, c"kernel".as_ptr()))?;
            ok(api.cuMemsetD8_v2(self.output, 0, OUTPUT))?;
            ok(api.cuMemcpyHtoD_v2(self.atomics, self.words.as_ptr().cast(), ATOMICS))?;
            let mut values = [self.input, self.output, self.atomics];
            let mut parameters =
                values.each_mut().map(|value| (value as *mut u64).cast::<c_void>());
            let [x, y, z] = block;
            ok(api.cuLaunchKernel(
                function,
                grid,
                1,
                1,
                x,
                y,
                z,
                0,
                null_mut(),
                parameters.as_mut_ptr(),
                null_mut(),
            ))?;
            let mut written = vec![0_u64; (OUTPUT + ATOMICS) / 8];
            ok(api.cuMemcpyDtoH_v2(written.as_mut_ptr().cast(), self.output, OUTPUT))?;
            let atomics = written[OUTPUT / 8..].as_mut_ptr();
            ok(api.cuMemcpyDtoH_v2(atomics.cast(), self.atomics, ATOMICS))?;
            Ok(hash(&written))
        })();
        api.cuModuleUnload(module);
        result
    }
}

/// 64 bits that depend on every bit and its place.
fn hash(words: &[u64]) -> u64 {
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |hash: u64, word| {
        let mixed = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ (mixed >> 32)
    })
}
