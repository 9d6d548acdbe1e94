//! Every function with arguments that are wrong: a status, and no crash.

use cuda_types::cufft::*;
use exported::calls::{Function, find};
use libloading::Library;

exported::functions!(cufft);

/// Functions that take 0 for their other arguments, as NVIDIA's library does: the default stream, no work area, the least
/// of them.
const TAKE_NOTHING: &[&str] =
    &["cufftSetStream", "cufftSetAutoAllocation", "cufftSetWorkArea", "cufftXtSetWorkAreaPolicy"];

fn run(library: &Library, name: &str, words: &[u64]) -> cufftResult {
    // SAFETY: wrong arguments are what is tested; pointers are null or of the test.
    cufftResult(unsafe { find(FUNCTIONS, name).run(library, words) })
}

fn address<T>(place: &mut T) -> u64 {
    (&raw mut *place).expose_provenance() as u64
}

#[test]
fn wrong_arguments_have_a_status() {
    use cufftResult as R;
    // Most lines of the log would be about what is not implemented.
    // SAFETY: the only test of this program reads the environment later.
    unsafe { std::env::set_var("ZLUDA_LOG", "off") };
    let file = exported::file::staged("libzluda_fft.so");
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(file) }.expect("the library loads");
    let run = |name: &str, words: &[u64]| run(&library, name, words);
    let wrong = [
        R::CUFFT_INVALID_PLAN,
        R::CUFFT_INVALID_TYPE,
        R::CUFFT_INVALID_VALUE,
        R::CUFFT_INVALID_SIZE,
        R::CUFFT_NOT_IMPLEMENTED,
        R::CUFFT_NOT_SUPPORTED,
    ];
    let others = |function: &&Function| function.name != "cufftGetVersion";
    let check = |function: &Function, words: &[u64]| {
        let status = run(function.name, words);
        assert!(wrong.contains(&status), "{} of {words:x?}: {}", function.name, status.0);
        status
    };
    for function in FUNCTIONS.iter().filter(others) {
        check(function, &[]);
    }
    let (mut plan, mut size) = (0i32, 7usize);
    let made = run("cufftPlan1d", &[address(&mut plan), 8, 0x29, 1]);
    assert_eq!(made, R::CUFFT_SUCCESS);
    let plan = plan as u64;
    for function in FUNCTIONS.iter().filter(others) {
        if function.types().next() != Some("cufftHandle") {
            continue;
        }
        if function.name != "cufftDestroy" && !TAKE_NOTHING.contains(&function.name) {
            // Results have no place to go; numbers and lengths are too great.
            for word in [0, u64::from(u32::MAX)] {
                let is_place = function.types().nth(1).is_some_and(|ty| ty.starts_with('*'));
                if !is_place || word == 0 {
                    check(function, &[plan, word]);
                }
            }
        }
        for handle in [0, 1, plan ^ 1, plan ^ 1 << 16, plan | 1 << 31, u64::from(u32::MAX) - 1] {
            check(function, &[handle]);
        }
    }
    // A plan is made once, of lengths that there are.
    let size = address(&mut size);
    for (name, words, status) in [
        ("cufftMakePlan1d", &[plan, 8, 0x29, 1, size][..], R::CUFFT_INVALID_PLAN),
        ("cufftEstimate1d", &[0, 0x29, 1, size], R::CUFFT_INVALID_SIZE),
        ("cufftEstimate1d", &[8, 0x29, 0, size], R::CUFFT_INVALID_SIZE),
        ("cufftEstimate1d", &[8, 0x28, 1, size], R::CUFFT_INVALID_TYPE),
        ("cufftEstimate1d", &[8, 0x29, 1, 0], R::CUFFT_INVALID_VALUE),
        ("cufftEstimate1d", &[8, 0x29, 1, size], R::CUFFT_SUCCESS),
        ("cufftExecC2C", &[plan, size, size, 0], R::CUFFT_INVALID_VALUE),
        ("cufftExecC2C", &[plan, 0, size, 1], R::CUFFT_INVALID_VALUE),
        ("cufftExecC2C", &[plan, size, 0, 1], R::CUFFT_INVALID_VALUE),
        ("cufftXtSetWorkAreaPolicy", &[plan, 3, 0], R::CUFFT_INVALID_VALUE),
    ] {
        assert_eq!(run(name, words), status, "{name} of {words:x?}");
    }
    assert_eq!(run("cufftDestroy", &[plan]), R::CUFFT_SUCCESS);
    assert_eq!(run("cufftDestroy", &[plan]), R::CUFFT_INVALID_PLAN);
    assert_eq!(run("cufftDestroy", &[u64::from(u32::MAX)]), R::CUFFT_SUCCESS);
}
