//! Every function of cuDNN with arguments that are wrong: a status, and no crash. Both versions of its interface have this
//! test.

use crate::calls::{Function, find};
use libloading::Library;

/// The numbers of a version.
pub struct Statuses {
    /// Those of calls that are wrong, or of functions that are not implemented.
    pub wrong: fn(u32) -> bool,
    /// All that there are.
    pub known: fn(u32) -> bool,
    pub bad_param: u32,
}

fn run(library: &Library, function: &Function, words: &[u64]) -> u32 {
    // SAFETY: wrong arguments are what is tested; pointers are null or of the test.
    unsafe { function.run(library, words) }
}

/// Functions whose result is no status, or whose success needs no argument.
fn takes_nothing(name: &str) -> bool {
    [
        "cudnnGetVersion",
        "cudnnGetMaxDeviceVersion",
        "cudnnGetCudartVersion",
        "ErrorString",
        "VersionCheck",
        "Callback",
    ]
    .iter()
    .any(|part| name.contains(part))
}

/// Fails where a call of the staged library has no status of its version, or one that is not about what is wrong.
pub fn assert_wrong_arguments_have_a_status(
    file: &str,
    functions: &'static [Function],
    statuses: &Statuses,
) {
    let Statuses { wrong, known, bad_param } = *statuses;
    let all = functions;
    // Most lines of the log would be about what is not implemented.
    // SAFETY: the only test of this program reads the environment later.
    unsafe { std::env::set_var("ZLUDA_LOG", "off") };
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(crate::file::staged(file)) };
    let library = library.expect("the library loads");
    let functions = || all.iter().filter(|function| !takes_nothing(function.name));
    for function in functions().filter(|function| !function.name.contains("Destroy")) {
        let status = run(&library, function, &[]);
        assert!(wrong(status), "{} of nothing: {}", function.name, status);
    }
    // Handles that there are none of.
    for function in functions() {
        for word in [1, 16, 1 << 45, u64::MAX] {
            let first = function.types().next().unwrap_or("");
            if first.starts_with('*')
                || !(first.ends_with("Handle_t") || first.ends_with("Descriptor_t"))
            {
                continue;
            }
            let status = run(&library, function, &[word]);
            assert!(wrong(status), "{} of {word:#x}: {}", function.name, status);
        }
    }
    let mut handle = 0u64;
    let place = (&raw mut handle).expose_provenance() as u64;
    assert_eq!(run(&library, find(all, "cudnnCreate"), &[place]), 0);
    // A descriptor of each kind, with nothing set.
    let mut made = Vec::new();
    for function in all {
        let kind = function.name.strip_prefix("cudnnCreate").unwrap_or("");
        let mut descriptor = 0u64;
        let place = (&raw mut descriptor).expose_provenance() as u64;
        if kind.ends_with("Descriptor") && run(&library, function, &[place]) == 0 {
            made.push((format!("cudnn{kind}_t"), descriptor));
        }
    }
    assert!(made.len() >= 5, "{made:?}");
    for function in functions() {
        if function.name.contains("Destroy") {
            continue;
        }
        for other in [0, u64::MAX, 0x7fff_ffff, 3] {
            let word = |(_, ty): &(&str, &str)| {
                let ty = ty.replace(' ', "");
                if ty == "cudnnHandle_t" {
                    return handle;
                }
                if let Some((_, descriptor)) = made.iter().find(|(kind, _)| *kind == ty) {
                    return *descriptor;
                }
                if ty.starts_with('*')
                    || ty.ends_with("Stream_t")
                    || ty.ends_with("_t") && ty.contains("Descriptor")
                {
                    return 0;
                }
                other
            };
            let words: Vec<u64> = function.parameters.iter().map(word).collect();
            let status = run(&library, function, &words);
            assert!(known(status), "{} of {other:#x}: {}", function.name, status);
        }
    }
    for (kind, descriptor) in &made {
        let name = kind.replace("cudnn", "cudnnDestroy").replace("_t", "");
        let end = find(all, &name);
        assert_eq!(run(&library, end, &[*descriptor]), 0, "{name}");
        assert_eq!(run(&library, end, &[*descriptor]), bad_param, "{name} again");
    }
    let end = find(all, "cudnnDestroy");
    assert_eq!(run(&library, end, &[handle]), 0);
    assert_eq!(run(&library, end, &[handle]), bad_param);
}
