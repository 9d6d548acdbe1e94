//! Every function with arguments that are wrong: a status, and no crash.

use cuda_types::cusolver::*;
use exported::calls::{Function, find};
use libloading::Library;

exported::functions!(cusolver);

fn run(library: &Library, function: &Function, words: &[u64]) -> cusolverStatus_t {
    // SAFETY: wrong arguments are what is tested; pointers are null or of the test.
    cusolverStatus_t(unsafe { function.run(library, words) })
}

/// The type of handle that a function takes first.
fn handle_type(function: &Function) -> Option<&'static str> {
    let types = ["cusolverDnHandle_t", "cusolverSpHandle_t"];
    let first = function.types().next()?;
    types.into_iter().find(|ty| *ty == first)
}

#[test]
fn wrong_arguments_have_a_status() {
    use cusolverStatus_t as S;
    // Most lines of the log would be about what is not implemented.
    // SAFETY: the only test of this program reads the environment later.
    unsafe { std::env::set_var("ZLUDA_LOG", "error") };
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(exported::file::staged("libzluda_solver.so")) };
    let library = library.expect("the library loads");
    let known: Vec<S> = RESULT_NAMES.iter().map(|(status, _)| *status).collect();
    for function in FUNCTIONS {
        let status = run(&library, function, &[]);
        let fine: &[S] = match handle_type(function) {
            Some(_) => &[S::CUSOLVER_STATUS_NOT_INITIALIZED, S::CUSOLVER_STATUS_NOT_SUPPORTED],
            None => &known,
        };
        assert!(fine.contains(&status), "{} of nothing: {}", function.name, status.0);
    }
    for part in ["Dn", "Sp"] {
        let mut handle = 0u64;
        let place = (&raw mut handle).expose_provenance() as u64;
        let begin = find(FUNCTIONS, &format!("cusolver{part}Create"));
        assert_eq!(run(&library, begin, &[place]), S::CUSOLVER_STATUS_SUCCESS);
        let ty = format!("cusolver{part}Handle_t");
        for function in FUNCTIONS.iter().filter(|function| handle_type(function) == Some(&ty)) {
            let name = function.name;
            if name.contains("Destroy") {
                continue;
            }
            for wrong in [1, handle ^ 16, handle | 1 << 63, u64::MAX] {
                let status = run(&library, function, &[wrong]);
                let fine = [S::CUSOLVER_STATUS_NOT_INITIALIZED, S::CUSOLVER_STATUS_NOT_SUPPORTED];
                assert!(fine.contains(&status), "{name} of {wrong:#x}: {}", status.0);
            }
            // No sizes and no places; sizes and enumerations that there are none of.
            for other in [0, u64::MAX, 0x7fff_ffff] {
                let status = run(&library, function, &function.words_after(handle, other));
                assert!(known.contains(&status), "{name} of {other:#x}: {}", status.0);
            }
        }
        let end = find(FUNCTIONS, &format!("cusolver{part}Destroy"));
        // Work on memory that is not there has failed, as a kernel does.
        assert_eq!(run(&library, end, &[handle]), S::CUSOLVER_STATUS_EXECUTION_FAILED, "{part}");
        assert_eq!(run(&library, end, &[handle]), S::CUSOLVER_STATUS_NOT_INITIALIZED, "{part}");
    }
}
