//! `faults LIBRARY record [JOBS [SECONDS]]`: what kernels that do wrong give, each in a process of its own.
//!
//! `faults LIBRARY list` names the cases, `faults LIBRARY CASE` runs one, `faults LIBRARY ptx CASE` prints its
//! text. The answer is: results of loading, launching, and waiting; a word that the kernel wrote, where it
//! ended well. For some that do not, what the context gives afterwards: waiting once more, an allocation, a new
//! stream, and after a reset of the primary context a new one, and an allocation in it. Cases that have not begun
//! when the time is over are left out.

// A test program: it stops by panicking, and its output is its purpose.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod case;
mod misaligned;
mod outside;
mod special;

use std::ffi::c_void;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cuda_types::cuda::CUjit_option;
use differential::api::Api;
use differential::child;

use case::Case;

/// The longest that one case may take.
const LIMIT: Duration = Duration::from_secs(20);
/// Cases after which it is asked what of the context is left: one for each way in which a kernel may end.
const AFTERWARDS: [&str; 8] = [
    "trap",
    "brkpt",
    "assert",
    "call.0",
    "bar.id.17",
    "ld.global=0x0",
    "ld.shared+1048576",
    "ld.global.b32+2",
];
/// Cases that may wait for ever on some GPU come last.
const MAY_WAIT: [&str; 8] =
    ["bar.", "bulk.", "mbarrier.", "match.", "redux.", "shfl.", "vote.", "warp."];

fn cases() -> Vec<Case> {
    let mut cases = [special::cases(), outside::cases(), misaligned::cases()].concat();
    cases.sort_by_key(|case| MAY_WAIT.iter().any(|start| case.name.starts_with(start)));
    cases
}

/// Prints as it goes, so that what led to a crash is seen.
fn run(library: &str, case: &Case) {
    let say = |number: i64| print!("{number} ");
    let api = Api::load(Path::new(library)).unwrap();
    assert_eq!(api.cuInit(0), 0);
    let mut context = null_mut();
    assert_eq!(api.cuDevicePrimaryCtxRetain(&mut context, 0), 0);
    assert_eq!(api.cuCtxSetCurrent(context), 0);
    let (mut module, mut function, mut memory) = (null_mut(), null_mut(), 0);
    let text = case.ptx();
    // NVIDIA's assembler leaves out what seems to have no effect, unless it does not optimise.
    let (mut option, mut value) =
        (CUjit_option::CU_JIT_OPTIMIZATION_LEVEL, std::ptr::null_mut::<c_void>());
    let loaded =
        api.cuModuleLoadDataEx(&mut module, text.as_ptr().cast(), 1, &mut option, &mut value);
    say(loaded);
    if loaded != 0 {
        return;
    }
    assert_eq!(api.cuModuleGetFunction(&mut function, module, c"fault".as_ptr()), 0);
    assert_eq!(api.cuMemAlloc_v2(&mut memory, 4096), 0);
    assert_eq!(api.cuMemsetD8_v2(memory, 0, 4096), 0);
    assert_eq!(api.cuCtxSynchronize(), 0);
    let (mut offset, mut block) = (case.offset, [0_u64; 8]);
    let mut parameters: [*mut c_void; 3] =
        [(&raw mut memory).cast(), (&raw mut offset).cast(), block.as_mut_ptr().cast()];
    let parameters = parameters.as_mut_ptr();
    let (threads, shared) = (case.threads, case.shared);
    say(api.cuLaunchKernel(
        function,
        1,
        1,
        1,
        threads,
        1,
        1,
        shared,
        null_mut(),
        parameters,
        null_mut(),
    ));
    let answer = api.cuCtxSynchronize();
    say(answer);
    if answer == 0 {
        let mut word = 0_u32;
        assert_eq!(api.cuMemcpyDtoH_v2((&raw mut word).cast(), memory, 4), 0);
        print!("= {word}");
        return;
    }
    if !AFTERWARDS.contains(&case.name.as_str()) {
        return;
    }
    let (mut more, mut stream) = (0, null_mut());
    say(api.cuCtxSynchronize());
    say(api.cuMemAlloc_v2(&mut more, 64));
    say(api.cuStreamCreate(&mut stream, 0));
    say(api.cuDevicePrimaryCtxReset_v2(0));
    say(api.cuDevicePrimaryCtxRetain(&mut context, 0));
    say(api.cuCtxSetCurrent(context));
    say(api.cuMemAlloc_v2(&mut more, 64));
}

/// The answer of a case in a process of its own.
fn ask(library: &str, name: &str) -> String {
    let this = std::env::current_exe().unwrap();
    let mut command = Command::new(this);
    command.args([library, name]).stderr(Stdio::null());
    let (output, has_ended) = child::output(&mut command, LIMIT);
    if has_ended { child::said(&output) } else { "late".to_owned() }
}

fn record(library: &str, jobs: usize, time: Duration) {
    let (cases, start) = (cases(), Instant::now());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if start.elapsed() < time {
                        println!("{}: {}", case.name, ask(library, &case.name));
                    }
                }
            });
        }
    });
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let find = |name: &str| cases().into_iter().find(|case| case.name == name);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "list"] => cases().iter().for_each(|case| println!("{}", case.name)),
        [library, "record"] => record(library, 1, Duration::MAX),
        [library, "record", jobs] => record(library, jobs.parse().unwrap(), Duration::MAX),
        [library, "record", jobs, seconds] => {
            record(library, jobs.parse().unwrap(), Duration::from_secs(seconds.parse().unwrap()))
        }
        [_, "ptx", name] => println!("{}", find(name).unwrap().ptx().trim_end_matches('\0')),
        [library, name] => run(library, &find(name).unwrap()),
        _ => {
            eprintln!("usage: faults LIBRARY list|record [JOBS [SECONDS]]|ptx CASE|CASE");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
