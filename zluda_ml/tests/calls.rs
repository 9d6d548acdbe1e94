//! Every function with arguments that are wrong: a status, and no crash.

use cuda_types::nvml::*;
use exported::calls::{Function, find};
use libloading::Library;

exported::functions!(nvml);

fn run(library: &Library, function: &Function, words: &[u64]) -> nvmlReturn_t {
    // SAFETY: wrong arguments are what is tested; pointers are null or of the test.
    nvmlReturn_t(unsafe { function.run(library, words) })
}

/// Functions that can be called at any time, and the function that returns text.
fn needs_no_start(name: &str) -> bool {
    name.starts_with("nvmlInit") || name.contains("Version") || name == "nvmlErrorString"
}

fn open() -> Library {
    // SAFETY: the library has no initialisers of its own.
    unsafe { Library::new(exported::file::staged("libnvidia-ml.so.1")) }.expect("the library loads")
}

#[test]
fn wrong_arguments_have_a_status() {
    use nvmlReturn_t as R;
    // Most lines of the log would be about what is not implemented.
    // SAFETY: the only test of this program reads the environment later.
    unsafe { std::env::set_var("ZLUDA_LOG", "error") };
    let library = open();
    let run = |function: &Function, words: &[u64]| run(&library, function, words);
    for function in FUNCTIONS.iter().filter(|function| !needs_no_start(function.name)) {
        let status = run(function, &[]);
        let fine = [R::NVML_ERROR_UNINITIALIZED, R::NVML_ERROR_NOT_SUPPORTED];
        assert!(fine.contains(&status), "{} before the start: {}", function.name, status.0);
    }
    assert_eq!(run(find(FUNCTIONS, "nvmlInit_v2"), &[]), R::NVML_SUCCESS);
    let mut device = 0u64;
    let by_index = find(FUNCTIONS, "nvmlDeviceGetHandleByIndex_v2");
    let found = run(by_index, &[0, (&raw mut device).expose_provenance() as u64]);
    assert_eq!(found, R::NVML_SUCCESS);
    for function in FUNCTIONS.iter().filter(|function| !needs_no_start(function.name)) {
        let name = function.name;
        if name == "nvmlShutdown" {
            continue;
        }
        let wrong = [R::NVML_ERROR_INVALID_ARGUMENT, R::NVML_ERROR_NOT_SUPPORTED];
        let status = run(function, &[]);
        assert!(wrong.contains(&status), "{name} of nothing: {}", status.0);
        if function.types().next() != Some("nvmlDevice_t") {
            continue;
        }
        for handle in [0, 1, device ^ 16, device | 1 << 63, u64::MAX] {
            assert_eq!(run(function, &[handle]), status, "{name} of {handle:#x}");
        }
        // A device is all that it is about.
        if function.types().count() == 1 {
            continue;
        }
        // Results have no place to go; numbers and lengths are too great.
        for words in [[device, 0], [device, u32::MAX.into()]] {
            if function.types().nth(1).is_some_and(|ty| ty.starts_with('*')) && words[1] != 0 {
                continue;
            }
            let status = run(function, &words);
            let fine = wrong.contains(&status) || status == R::NVML_ERROR_NO_PERMISSION;
            assert!(fine, "{name} without places: {}", status.0);
        }
    }
    let end = find(FUNCTIONS, "nvmlShutdown");
    assert_eq!(run(end, &[]), R::NVML_SUCCESS);
    assert_eq!(run(end, &[]), R::NVML_ERROR_UNINITIALIZED);
}
