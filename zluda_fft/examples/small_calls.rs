//! The cost of a small call: the time of many transforms of eight numbers in a stream, a call.
//!
//!     ./x build && cargo run --example small_calls -p zluda_fft FOLDER
//!
//! where FOLDER is the staged one.

// An example prints.
#![allow(clippy::print_stdout)]

use cuda_types::cufft::*;
use libloading::Library;
use std::path::PathBuf;
use std::ptr::null_mut;
use std::time::Instant;
use zluda_api::driver::Driver;

const CALLS: u32 = 20_000;

fn main() {
    let folder = PathBuf::from(std::env::args_os().nth(1).expect("the staged folder"));
    let driver = Driver::open_file(&folder.join("libcuda.so.1")).expect("our driver");
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(folder.join("libzluda_fft.so")) }.expect("it loads");
    let (mut plan, mut memory) = (0, 0);
    type Plan = unsafe extern "C" fn(*mut cufftHandle, i32, cufftType, i32) -> cufftResult;
    type Exec = unsafe extern "C" fn(cufftHandle, u64, u64, i32) -> cufftResult;
    // SAFETY: the functions have these types; the places live during the calls.
    unsafe {
        let make = library.get::<Plan>(b"cufftPlan1d").expect("it is there");
        let exec = library.get::<Exec>(b"cufftExecC2C").expect("it is there");
        assert_eq!(make(&mut plan, 8, cufftType::CUFFT_C2C, 1), cufftResult::CUFFT_SUCCESS);
        driver.cuMemAlloc_v2(&mut memory, 64).expect("memory");
        let mut best = f64::MAX;
        for _ in 0..20 {
            let begun = Instant::now();
            for _ in 0..CALLS {
                assert_eq!(exec(plan, memory, memory, -1), cufftResult::CUFFT_SUCCESS);
            }
            driver.cuStreamSynchronize(null_mut()).expect("it ends well");
            best = best.min(begun.elapsed().as_secs_f64() / f64::from(CALLS));
        }
        println!("{:.2} us a call", best * 1e6);
    }
}
