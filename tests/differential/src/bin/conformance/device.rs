//! Runs a form on a device through the driver API.

use std::ffi::c_void;
use std::path::Path;
use std::ptr::null_mut;

use cuda_types::cuda::{CUcontext, CUdeviceptr};
use differential::api::Api;
use differential::assembler::Assembler;

use crate::form::{CASES, Form, Runner, SCRATCH};

/// In place of a call's code: the assembler makes no code of a form for the architecture.
pub const NOT_ASSEMBLED: i64 = -1;

pub struct Device {
    api: Api,
    /// What makes machine code of the forms before they are loaded.
    assembler: Option<Assembler>,
    context: CUcontext,
    inputs: [CUdeviceptr; 4],
    outputs: CUdeviceptr,
    scratch: CUdeviceptr,
}

fn must(code: i64) {
    assert_eq!(code, 0, "setting up the device failed");
}

impl Device {
    /// Loads the library and makes a context with the memory that forms use; panics if that fails.
    pub fn open(library: &Path) -> Self {
        let api = Api::load(library).unwrap_or_else(|error| panic!("{error}"));
        must(api.cuInit(0));
        let mut device = Self {
            api,
            assembler: None,
            context: null_mut(),
            inputs: [0; 4],
            outputs: 0,
            scratch: 0,
        };
        device.prepare();
        device
    }

    /// Loads forms as machine code for an architecture, such as `sm_80`.
    pub fn with_assembler(mut self, ptxas: &Path, architecture: &str) -> Self {
        self.assembler = Some(Assembler::new(ptxas, architecture, 3));
        self
    }

    /// A new context, current, and the buffers in it.
    fn prepare(&mut self) {
        must(self.api.cuCtxCreate_v2(&mut self.context, 0, 0));
        let allocate = |bytes: usize| {
            let mut pointer = 0;
            must(self.api.cuMemAlloc_v2(&mut pointer, bytes));
            pointer
        };
        self.inputs = std::array::from_fn(|_| allocate(CASES * 8));
        self.outputs = allocate(CASES * 16);
        self.scratch = allocate(CASES * SCRATCH);
    }

    /// Two words a case, or the code of the call that failed first. An error that stays with the context
    /// does not meet the next form.
    pub fn run(&mut self, form: &Form, runner: Runner) -> Result<Vec<u64>, i64> {
        let result = self.run_once(form, runner);
        if result.is_err() && self.api.cuCtxSynchronize() != 0 {
            self.api.cuCtxDestroy_v2(self.context);
            self.prepare();
        }
        result
    }

    fn run_once(&self, form: &Form, runner: Runner) -> Result<Vec<u64>, i64> {
        let ok = |code: i64| if code == 0 { Ok(()) } else { Err(code) };
        let api = &self.api;
        let mut image = form.ptx(runner).into_bytes();
        image.push(0);
        if let Some(assembler) = &self.assembler {
            image = assembler.assemble(&form.ptx(runner)).ok_or(NOT_ASSEMBLED)?;
        }
        let mut module = null_mut();
        ok(api.cuModuleLoadData(&mut module, image.as_ptr().cast()))?;
        let result = (|| {
            let mut function = null_mut();
            ok(api.cuModuleGetFunction(&mut function, module, c"form".as_ptr()))?;
            let cases = form.cases;
            let columns = form.inputs();
            for (column, &pointer) in columns.iter().zip(&self.inputs) {
                ok(api.cuMemcpyHtoD_v2(pointer, column.as_ptr().cast(), CASES * 8))?;
            }
            ok(api.cuMemsetD8_v2(self.outputs, 0, CASES * 16))?;
            ok(api.cuMemsetD8_v2(self.scratch, 0, CASES * SCRATCH))?;
            let mut values = [
                self.inputs[0],
                self.inputs[1],
                self.inputs[2],
                self.inputs[3],
                self.outputs,
                self.scratch,
            ];
            let mut parameters =
                values.each_mut().map(|value| (value as *mut u64).cast::<c_void>());
            let grid = (cases / form.threads) as u32;
            ok(api.cuLaunchKernel(
                function,
                grid,
                1,
                1,
                form.threads as u32,
                1,
                1,
                0,
                null_mut(),
                parameters.as_mut_ptr(),
                null_mut(),
            ))?;
            let mut outputs = vec![0_u64; 2 * cases];
            ok(api.cuMemcpyDtoH_v2(outputs.as_mut_ptr().cast(), self.outputs, cases * 16))?;
            Ok(outputs)
        })();
        api.cuModuleUnload(module);
        result
    }
}
