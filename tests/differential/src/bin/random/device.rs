//! Runs kernels on a device through the driver API.

use std::ffi::{CString, c_void};
use std::path::Path;
use std::ptr::null_mut;

use cuda_types::cuda::{
    CUDA_ARRAY_DESCRIPTOR_st, CUDA_MEMCPY2D_st, CUDA_RESOURCE_DESC_st,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, CUDA_TEXTURE_DESC_st, CUaddress_mode,
    CUarray, CUarray_format, CUcontext, CUdeviceptr, CUfilter_mode, CUfunction, CUjit_option,
    CUlimit, CUmemorytype, CUresourcetype, CUtexObject,
};
use differential::api::Api;
use differential::assembler::Assembler;
use splitmix::Random;

use crate::kernel::{CHAINS, INPUT, OWN, ROW, SUMS, hash};

/// Threads of a launch at most.
const THREADS: usize = 4 * 128;
/// Bytes that blocks and threads use besides.
const MORE: usize = CHAINS + THREADS * OWN;
/// Texels of the texture with two dimensions, of four bytes each.
const PICTURE: [usize; 2] = [16, 8];
/// Bytes of stack of a thread: no level of optimisation knows what an indirect call takes.
const STACK: usize = 4096;
const TRSF_READ_AS_INTEGER: u32 = 1;

pub struct Device {
    api: Api,
    context: CUcontext,
    input: CUdeviceptr,
    output: CUdeviceptr,
    sums: CUdeviceptr,
    more: CUdeviceptr,
    textures: [CUtexObject; 2],
    /// What makes machine code of the kernels before they are loaded.
    pub assembler: Option<Assembler>,
    /// Of the assembler; its own where there is none.
    pub level: Option<u32>,
    /// The number of times that each kernel is launched, to leave the same each time.
    pub launches: u32,
}

fn ok(code: i64) -> Result<(), i64> {
    if code == 0 { Ok(()) } else { Err(code) }
}

impl Device {
    /// Loads the library and makes a context with the memory that kernels use; fails with the reason why it cannot.
    pub fn open(library: &Path) -> Result<Self, String> {
        let api = Api::load(library)?;
        let mut device = Self {
            api,
            context: null_mut(),
            input: 0,
            output: 0,
            sums: 0,
            more: 0,
            textures: [0; 2],
            assembler: None,
            level: None,
            launches: 1,
        };
        device.prepare().map_err(|code| format!("setting up the device: error {code}"))?;
        Ok(device)
    }

    fn prepare(&mut self) -> Result<(), i64> {
        ok(self.api.cuInit(0))?;
        ok(self.api.cuCtxCreate_v2(&mut self.context, 0, 0))?;
        ok(self.api.cuMemAlloc_v2(&mut self.input, 4 * INPUT))?;
        ok(self.api.cuMemAlloc_v2(&mut self.output, THREADS * ROW))?;
        ok(self.api.cuMemAlloc_v2(&mut self.sums, 4 * SUMS))?;
        let mut random = Random::new(1);
        let input: Vec<u32> =
            (0..INPUT).map(|_| (random.bits() >> (random.bits() & 31)) as u32).collect();
        ok(self.api.cuMemcpyHtoD_v2(self.input, input.as_ptr().cast(), 4 * INPUT))?;
        ok(self.api.cuCtxSetLimit(CUlimit::CU_LIMIT_STACK_SIZE, STACK))?;
        ok(self.api.cuMemAlloc_v2(&mut self.more, MORE))?;
        self.make_textures(&input)
    }

    /// The input as words in a row, and its first bytes as a picture that is read by points.
    fn make_textures(&mut self, input: &[u32]) -> Result<(), i64> {
        let api = &self.api;
        // SAFETY: zeros are a value of each of these.
        let (mut resource, mut texture, mut copy): (
            CUDA_RESOURCE_DESC_st,
            CUDA_TEXTURE_DESC_st,
            CUDA_MEMCPY2D_st,
        ) = unsafe { std::mem::zeroed() };
        texture.filterMode = CUfilter_mode::CU_TR_FILTER_MODE_POINT;
        texture.addressMode = [CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP; 3];
        texture.flags = TRSF_READ_AS_INTEGER;
        resource.resType = CUresourcetype::CU_RESOURCE_TYPE_LINEAR;
        resource.res.linear = CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
            devPtr: self.input,
            format: CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32,
            numChannels: 1,
            sizeInBytes: 4 * INPUT,
        };
        ok(api.cuTexObjectCreate(&mut self.textures[0], &resource, &texture, std::ptr::null()))?;
        let [width, height] = PICTURE;
        let descriptor = CUDA_ARRAY_DESCRIPTOR_st {
            Width: width,
            Height: height,
            Format: CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8,
            NumChannels: 4,
        };
        let mut array: CUarray = null_mut();
        ok(api.cuArrayCreate_v2(&mut array, &descriptor))?;
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        copy.srcHost = input.as_ptr().cast();
        copy.srcPitch = 4 * width;
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        copy.dstArray = array;
        copy.WidthInBytes = 4 * width;
        copy.Height = height;
        ok(api.cuMemcpy2D_v2(&copy))?;
        resource.resType = CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
        resource.res.array = CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: array };
        ok(api.cuTexObjectCreate(&mut self.textures[1], &resource, &texture, std::ptr::null()))
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
        let c_text = CString::new(text).map_err(|_| 218_i64)?;
        let cubin = self
            .assembler
            .as_ref()
            .map(|assembler| assembler.assemble(text).ok_or(-1_i64))
            .transpose()?;
        let mut module = null_mut();
        let image = cubin.as_ref().map_or(c_text.as_ptr().cast(), |cubin| cubin.as_ptr().cast());
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
        let mut bytes = self.launch(function, [grid, width, height])?;
        for _ in 1..self.launches {
            let again = self.launch(function, [grid, width, height])?;
            if again != bytes {
                // No code of the driver's.
                return Err(-1);
            }
            bytes = again;
        }
        ok(api.cuModuleUnload(module))?;
        Ok(bytes)
    }

    fn launch(
        &self,
        function: CUfunction,
        [grid, width, height]: [u32; 3],
    ) -> Result<Vec<u8>, i64> {
        let api = &self.api;
        ok(api.cuMemsetD8_v2(self.output, 0, THREADS * ROW))?;
        ok(api.cuMemsetD8_v2(self.sums, 0, 4 * SUMS))?;
        ok(api.cuMemsetD8_v2(self.more, 0, MORE))?;
        let [words, picture] = self.textures;
        // Kernels of the first generation have the first three.
        let mut values = [self.input, self.output, self.sums, self.more, words, picture];
        let mut parameters = values.each_mut().map(|value| (value as *mut u64).cast::<c_void>());
        let parameters = parameters.as_mut_ptr();
        let (stream, extra) = (null_mut(), null_mut());
        ok(api
            .cuLaunchKernel(function, grid, 1, 1, width, height, 1, 0, stream, parameters, extra))?;
        let mut bytes = vec![0_u8; THREADS * ROW + 4 * SUMS];
        let (output, sums) = bytes.split_at_mut(THREADS * ROW);
        ok(api.cuMemcpyDtoH_v2(output.as_mut_ptr().cast(), self.output, output.len()))?;
        ok(api.cuMemcpyDtoH_v2(sums.as_mut_ptr().cast(), self.sums, sums.len()))?;
        Ok(bytes)
    }
}
