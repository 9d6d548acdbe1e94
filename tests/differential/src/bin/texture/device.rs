//! Runs a case on a device through the driver API.

use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;
use differential::api::Api;
use differential::assembler::Assembler;
use differential::child;

use crate::case::{Case, INPUTS, OUTPUTS, Object};
use crate::resource::{Made, Store};

/// In place of a call's code: the assembler does not make code for sm_80 of a case.
pub const NOT_FOR_SM_80: i64 = -1;

pub struct Device {
    library: PathBuf,
    api: Api,
    context: CUcontext,
    /// Cases are loaded as machine code that this one makes, and its path.
    assembler: Option<(Assembler, PathBuf)>,
}

fn must(code: i64) {
    assert_eq!(code, 0, "setting up the device failed");
}

fn ok(code: i64) -> Result<(), i64> {
    if code == 0 { Ok(()) } else { Err(code) }
}

impl Device {
    /// Loads the library and makes a context; panics if that fails.
    pub fn open(library: &Path) -> Self {
        let api = Api::load(library).unwrap_or_else(|error| panic!("{error}"));
        must(api.cuInit(0));
        let mut device =
            Self { library: library.to_owned(), api, context: null_mut(), assembler: None };
        must(device.api.cuCtxCreate_v2(&mut device.context, 0, 0));
        device
    }

    /// Machine code for sm_80 is loaded in place of PTX.
    pub fn with_assembler(mut self, ptxas: &Path) -> Self {
        self.assembler = Some((Assembler::new(ptxas, "sm_80", 3), ptxas.to_owned()));
        self
    }

    /// The output words of all threads, then those of the array where the case asks for them; or the
    /// code of the call that failed first. An error that stays with the context does not meet the next
    /// case.
    pub fn run(&mut self, case: &Case) -> Result<Vec<u64>, i64> {
        if case.alone {
            return Ok(self.run_alone(case));
        }
        self.run_here(case)
    }

    /// The outputs, or the error alone.
    fn run_alone(&self, case: &Case) -> Vec<u64> {
        let this = std::env::current_exe().unwrap();
        let mut command = Command::new(this);
        command.arg(&self.library);
        match &self.assembler {
            None => command.arg("run"),
            Some((_, ptxas)) => command.arg("run-sass").arg(ptxas),
        };
        let output = command.arg(&case.name).output().unwrap();
        // The word for a crash is no number, and no answer of any case.
        let words = child::said(&output);
        words.split_whitespace().map(|word| word.parse().unwrap_or(u64::MAX)).collect()
    }

    /// Runs a case that may leave the context broken, and prints its answer at once.
    pub fn run_to_print(&self, case: &Case) {
        let result = case.resource.make(&self.api).and_then(|made| self.with_resource(case, &made));
        let words = result.unwrap_or_else(|code| vec![code as u64]);
        println!("{}", words.iter().map(u64::to_string).collect::<Vec<_>>().join(" "));
    }

    fn run_here(&mut self, case: &Case) -> Result<Vec<u64>, i64> {
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
        match case.object {
            Object::Surface => ok(api.cuSurfObjectCreate(&mut object, &made.description))?,
            Object::Texture => {
                let view = case.view.as_ref().map_or(null(), std::ptr::from_ref);
                ok(api.cuTexObjectCreate(&mut object, &made.description, &case.sampler, view))?;
            }
            Object::TextureReference | Object::SurfaceReference => {}
        }
        let result = self.launch(case, made, object).and_then(|mut words| {
            if case.reads_back {
                let bytes = case.resource.read(api, made)?;
                words.extend(bytes.into_iter().map(u64::from));
            }
            Ok(words)
        });
        match case.object {
            Object::Surface => api.cuSurfObjectDestroy(object),
            Object::Texture => api.cuTexObjectDestroy(object),
            Object::TextureReference | Object::SurfaceReference => 0,
        };
        result
    }

    /// Binds the resource to the variable that the kernel uses.
    fn bind(&self, case: &Case, made: &Made, module: CUmodule) -> Result<(), i64> {
        let api = &self.api;
        let resource = made.description.res;
        match case.object {
            Object::Texture | Object::Surface => Ok(()),
            Object::SurfaceReference => {
                let mut surface = null_mut();
                ok(api.cuModuleGetSurfRef(&mut surface, module, c"target".as_ptr()))?;
                // SAFETY: surfaces are of arrays.
                ok(api.cuSurfRefSetArray(surface, unsafe { resource.array.hArray }, 0))
            }
            Object::TextureReference => {
                let (mut texture, sampler) = (null_mut(), &case.sampler);
                ok(api.cuModuleGetTexRef(&mut texture, module, c"image".as_ptr()))?;
                for axis in 0..3 {
                    let mode = sampler.addressMode[axis];
                    ok(api.cuTexRefSetAddressMode(texture, axis as i32, mode))?;
                }
                let mut border = sampler.borderColor;
                ok(api.cuTexRefSetFilterMode(texture, sampler.filterMode))?;
                ok(api.cuTexRefSetFlags(texture, sampler.flags))?;
                ok(api.cuTexRefSetBorderColor(texture, border.as_mut_ptr()))?;
                let (format, channels) = (case.resource.format, case.resource.channels);
                let code = CUarray_format(format.code);
                // SAFETY: the store says which part of the union is meant.
                unsafe {
                    match case.resource.store {
                        Store::Array => ok(api.cuTexRefSetArray(texture, resource.array.hArray, 1)),
                        Store::Mipmapped(_) => {
                            let array = resource.mipmap.hMipmappedArray;
                            ok(api.cuTexRefSetMipmappedArray(texture, array, 1))?;
                            ok(api.cuTexRefSetMipmapFilterMode(texture, sampler.mipmapFilterMode))?;
                            let (low, high) =
                                (sampler.minMipmapLevelClamp, sampler.maxMipmapLevelClamp);
                            ok(api.cuTexRefSetMipmapLevelClamp(texture, low, high))
                        }
                        Store::Linear => {
                            ok(api.cuTexRefSetFormat(texture, code, channels as i32))?;
                            let (address, size) =
                                (resource.linear.devPtr, resource.linear.sizeInBytes);
                            ok(api.cuTexRefSetAddress_v2(&mut 0, texture, address, size))
                        }
                        Store::Pitch => {
                            let plane = resource.pitch2D;
                            let shape = CUDA_ARRAY_DESCRIPTOR {
                                Width: plane.width,
                                Height: plane.height,
                                Format: plane.format,
                                NumChannels: plane.numChannels,
                            };
                            let pitch = plane.pitchInBytes;
                            ok(api.cuTexRefSetAddress2D_v3(texture, &shape, plane.devPtr, pitch))
                        }
                    }
                }
            }
        }
    }

    fn launch(&self, case: &Case, made: &Made, object: u64) -> Result<Vec<u64>, i64> {
        let api = &self.api;
        let image = match &self.assembler {
            None => CString::new(case.ptx()).unwrap().into_bytes_with_nul(),
            Some((assembler, _)) => assembler.assemble(&case.ptx()).ok_or(NOT_FOR_SM_80)?,
        };
        let mut module = null_mut();
        ok(api.cuModuleLoadData(&mut module, image.as_ptr().cast()))?;
        let (mut inputs, mut outputs) = (0, 0);
        let threads = case.operands.len();
        let words: Vec<u32> = case.operands.iter().flatten().copied().collect();
        must(api.cuMemAlloc_v2(&mut inputs, threads * INPUTS * 4));
        must(api.cuMemAlloc_v2(&mut outputs, threads * OUTPUTS * 4));
        let result = (|| {
            self.bind(case, made, module)?;
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
