//! The seam of executors, with kernels that are Rust.

mod common;

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use common::*;
use hip_host::executor::*;
use hip_runtime_sys::*;

const KERNELS: [&str; 3] = ["number", "fail", "wait"];

/// Takes whatever it is given for a module with [`KERNELS`].
struct Rust;

struct Module(Vec<String>);

struct Kernel(&'static str);

/// Writes the number of each block behind the pointer that is the parameter, fails, or waits until something is there.
struct Launch(&'static str, Request);

impl Executor for Rust {
    fn arch(&self) -> &str {
        "rust"
    }

    fn limits(&self) -> Limits {
        Limits { processors: 3, shared: 512, shared_default: 256 }
    }

    unsafe fn load(&self, _: *const c_void, _: usize) -> Result<Box<dyn Code>, hipError_t> {
        Ok(Box::new(Module(KERNELS.map(str::to_owned).to_vec())))
    }
}

impl Code for Module {
    fn kernels(&self) -> &[String] {
        &self.0
    }

    fn variables(&self) -> &[Variable] {
        &[]
    }

    fn kernel(&self, name: &str) -> Result<Box<dyn KernelCode>, hipError_t> {
        let name = KERNELS.into_iter().find(|known| *known == name);
        Ok(Box::new(Kernel(name.ok_or(hipError_t::hipErrorNotFound)?)))
    }
}

impl KernelCode for Kernel {
    fn facts(&self) -> KernelFacts {
        KernelFacts { param_size: 8, static_shared: 0, local: 0, max_threads: 64 }
    }

    fn check_block(&self, block: [u32; 3]) -> Result<(), hipError_t> {
        if block[1] == 1 { Ok(()) } else { Err(hipError_t::hipErrorInvalidConfiguration) }
    }

    fn task(&self, request: Request) -> Result<(Arc<dyn Task>, Order), hipError_t> {
        Ok((Arc::new(Launch(self.0, request)), Order::Any))
    }
}

impl Task for Launch {
    fn run(&self, job: &Job, slot: u32) {
        let taken = Taken::new(job, slot);
        while let Some(block) = taken.claim() {
            if self.0 == "fail" {
                return self.1.fail(job, hipError_t::hipErrorLaunchFailure);
            }
            let to = self.1.params[0] as usize as *mut u32;
            if self.0 == "wait" {
                // SAFETY: a word of the test's.
                let word = unsafe { AtomicU32::from_ptr(to) };
                while word.load(Ordering::Relaxed) == 0 {
                    std::thread::yield_now();
                }
                continue;
            }
            // SAFETY: the test's buffer has a word for each block.
            unsafe { to.add(block as usize).write(block as u32 + 1) };
        }
    }
}

fn launch(module: hipModule_t, name: &std::ffi::CStr, block: [u32; 2], to: *mut u32) -> hipError_t {
    let mut function = null_mut();
    let mut buffer = [(&raw const to).cast_mut().cast::<c_void>()];
    let [x, y] = block;
    // SAFETY: valid pointers.
    unsafe {
        ok(hipModuleGetFunction(&mut function, module, name.as_ptr()));
        let (stream, extra) = (null_mut(), null_mut());
        hipModuleLaunchKernel(function, 1000, 1, 1, x, y, 1, 0, stream, buffer.as_mut_ptr(), extra)
    }
}

/// One test, because the executor is the process's.
#[test]
fn kernels_of_an_executor() {
    set_default(&Rust);
    let mut module = null_mut();
    let mut processors = 0;
    let (limit, image) = (hipDeviceAttribute_t::hipDeviceAttributeMultiprocessorCount, [0u8; 1]);
    // SAFETY: valid pointers.
    unsafe {
        ok(hipDeviceGetAttribute(&mut processors, limit, 0));
        ok(hipModuleLoadData(&mut module, image.as_ptr().cast()));
    }
    assert_eq!(processors, 3);
    assert!(!register(&Rust), "there is one already");

    let numbers = Buffer::new(&[0u32; 1000]);
    ok(launch(module, c"number", [64, 1], numbers.0));
    assert_eq!(numbers.read(), (1..=1000).collect::<Vec<u32>>());
    let refused = launch(module, c"number", [32, 2], numbers.0);
    assert_eq!(refused, hipError_t::hipErrorInvalidConfiguration);
    let refused = launch(module, c"number", [96, 1], numbers.0);
    assert_eq!(refused, hipError_t::hipErrorLaunchOutOfResources);

    // A failed launch takes the device with it, until it is reset. What was launched behind it does not begin.
    let (begins, others) = (AtomicU32::new(0), Buffer::new(&[7u32; 1000]));
    ok(launch(module, c"wait", [64, 1], begins.as_ptr()));
    ok(launch(module, c"fail", [64, 1], numbers.0));
    for _ in 0..20 {
        ok(launch(module, c"number", [64, 1], others.0));
    }
    begins.store(1, Ordering::Relaxed);
    assert_eq!(synchronize(), hipError_t::hipErrorLaunchFailure);
    assert_eq!(synchronize(), hipError_t::hipErrorLaunchFailure);
    // SAFETY: memory of the device is memory of the host.
    let others = unsafe { std::slice::from_raw_parts(others.0, 1000) };
    assert!(others.iter().all(|word| *word == 7));
    // SAFETY: no arguments.
    ok(unsafe { hipDeviceReset() });
    ok(synchronize());
}
