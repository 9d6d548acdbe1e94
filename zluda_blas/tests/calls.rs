//! Every function with arguments that are wrong: a status, and no crash.

use cuda_types::cublas::*;
use exported::calls::{Function, find};
use libloading::Library;

exported::functions!(cublas);

fn run(library: &Library, function: &Function, words: &[u64]) -> cublasStatus_t {
    // SAFETY: wrong arguments are what is tested; pointers are null or of the test.
    cublasStatus_t(unsafe { function.run(library, words) })
}

/// Functions whose result is no status.
fn has_no_status(name: &str) -> bool {
    ["Version", "Status", "Mask"].iter().any(|part| name.contains(part))
}

/// The places of arguments that are a handle of either library.
fn takes_handle(function: &Function) -> bool {
    function.types().next().is_some_and(|ty| ty == "cublasHandle_t" || ty == "cublasLtHandle_t")
}

#[test]
fn wrong_arguments_have_a_status() {
    use cublasStatus_t as S;
    // Most lines of the log would be about what is not implemented.
    // SAFETY: the only test of this program reads the environment later.
    unsafe { std::env::set_var("ZLUDA_LOG", "error") };
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(exported::file::staged("libzluda_blas.so")) };
    let library = library.expect("the library loads");
    let known: Vec<S> = RESULT_NAMES.iter().map(|(status, _)| *status).collect();
    let functions = || FUNCTIONS.iter().filter(|function| !has_no_status(function.name));
    for function in functions() {
        let status = run(&library, function, &[]);
        let fine: &[S] = match takes_handle(function) {
            true => &[S::CUBLAS_STATUS_NOT_INITIALIZED, S::CUBLAS_STATUS_NOT_SUPPORTED],
            false => &known,
        };
        assert!(fine.contains(&status), "{} of nothing: {}", function.name, status.0);
    }
    let mut handle = 0u64;
    let place = (&raw mut handle).expose_provenance() as u64;
    assert_eq!(
        run(&library, find(FUNCTIONS, "cublasCreate_v2"), &[place]),
        S::CUBLAS_STATUS_SUCCESS
    );
    for function in functions().filter(|function| takes_handle(function)) {
        let name = function.name;
        if name.contains("Destroy") {
            continue;
        }
        for wrong in [1, handle ^ 16, handle | 1 << 63, u64::MAX] {
            let status = run(&library, function, &[wrong]);
            let fine = [S::CUBLAS_STATUS_NOT_INITIALIZED, S::CUBLAS_STATUS_NOT_SUPPORTED];
            assert!(fine.contains(&status), "{name} of {wrong:#x}: {}", status.0);
        }
        // No sizes and no places; sizes and enumerations that there are none of.
        for other in [0, u64::MAX, 0x7fff_ffff] {
            let status = run(&library, function, &function.words_after(handle, other));
            assert!(known.contains(&status), "{name} of {other:#x}: {}", status.0);
        }
    }
    let end = find(FUNCTIONS, "cublasDestroy_v2");
    // Work on memory that is not there has failed, as a kernel does.
    assert_eq!(run(&library, end, &[handle]), S::CUBLAS_STATUS_EXECUTION_FAILED);
    assert_eq!(run(&library, end, &[handle]), S::CUBLAS_STATUS_NOT_INITIALIZED);
}
