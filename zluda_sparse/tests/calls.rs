//! Every function with arguments that are wrong: a status, and no crash.

use cuda_types::cusparse::*;
use exported::calls::{Function, find};
use libloading::Library;

exported::functions!(cusparse);

fn run(library: &Library, function: &Function, words: &[u64]) -> cusparseStatus_t {
    // SAFETY: wrong arguments are what is tested; pointers are null or of the test.
    cusparseStatus_t(unsafe { function.run(library, words) })
}

/// Functions whose result is no status.
fn has_no_status(name: &str) -> bool {
    name.starts_with("cusparseGetMat") || name.starts_with("cusparseGetError")
}

/// Whether a function's first argument is a handle.
fn takes_handle(function: &Function) -> bool {
    function.types().next() == Some("cusparseHandle_t")
}

#[test]
fn wrong_arguments_have_a_status() {
    use cusparseStatus_t as S;
    // Most lines of the log would be about what is not implemented.
    // SAFETY: the only test of this program reads the environment later.
    unsafe { std::env::set_var("ZLUDA_LOG", "off") };
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(exported::file::staged("libzluda_sparse.so")) };
    let library = library.expect("the library loads");
    let known: Vec<S> = RESULT_NAMES.iter().map(|(status, _)| *status).collect();
    let functions = || FUNCTIONS.iter().filter(|function| !has_no_status(function.name));
    let refused = [
        S::CUSPARSE_STATUS_NOT_INITIALIZED,
        S::CUSPARSE_STATUS_INVALID_VALUE,
        S::CUSPARSE_STATUS_NOT_SUPPORTED,
    ];
    for function in functions() {
        let status = run(&library, function, &[]);
        // Nothing is ended, and the log may be left as it is.
        let takes_nothing = function.name.contains("estroy") || function.name.contains("Logger");
        let fine = refused.contains(&status) || (takes_nothing && status.0 == 0);
        assert!(fine, "{} of nothing: {}", function.name, status.0);
    }
    let mut handle = 0u64;
    let place = (&raw mut handle).expose_provenance() as u64;
    assert_eq!(
        run(&library, find(FUNCTIONS, "cusparseCreate"), &[place]),
        S::CUSPARSE_STATUS_SUCCESS
    );
    for function in functions().filter(|function| takes_handle(function)) {
        let name = function.name;
        if name.contains("Destroy") {
            continue;
        }
        for wrong in [1, handle ^ 16, handle | 1 << 63, u64::MAX] {
            let status = run(&library, function, &[wrong]);
            assert!(refused.contains(&status), "{name} of {wrong:#x}: {}", status.0);
        }
        // No sizes and no places; sizes and enumerations that there are none of.
        for other in [0, u64::MAX, 0x7fff_ffff] {
            let status = run(&library, function, &function.words_after(handle, other));
            assert!(known.contains(&status), "{name} of {other:#x}: {}", status.0);
        }
    }
    // Descriptors of matrices: sizes, types and layouts that there are none of.
    let mut matrix = 0u64;
    let place = (&raw mut matrix).expose_provenance() as u64;
    let create = |words: &[u64]| run(&library, find(FUNCTIONS, "cusparseCreateCsr"), words);
    let right = [place, 4, 5, 3, 0, 0, 0, 2, 2, 0, 0];
    assert_eq!(create(&right), S::CUSPARSE_STATUS_SUCCESS);
    for (at, wrong) in [(0, 0), (1, u64::MAX), (3, 21), (7, 0), (8, 4), (9, 2), (10, 7)] {
        let mut words = right;
        words[at] = wrong;
        assert_eq!(create(&words), S::CUSPARSE_STATUS_INVALID_VALUE, "{at}: {wrong}");
    }
    let format =
        |matrix: u64| run(&library, find(FUNCTIONS, "cusparseSpMatGetFormat"), &[matrix, place]);
    let end = find(FUNCTIONS, "cusparseDestroySpMat");
    let made = matrix;
    assert_eq!(format(made), S::CUSPARSE_STATUS_SUCCESS);
    assert_eq!(matrix as u32, cusparseFormat_t::CUSPARSE_FORMAT_CSR.0);
    assert_eq!(run(&library, end, &[made]), S::CUSPARSE_STATUS_SUCCESS);
    assert_eq!(run(&library, end, &[made]), S::CUSPARSE_STATUS_INVALID_VALUE);
    assert_eq!(format(made), S::CUSPARSE_STATUS_INVALID_VALUE);
    let end = find(FUNCTIONS, "cusparseDestroy");
    // Work on memory that is not there may have failed, as a kernel does.
    let ended = run(&library, end, &[handle]);
    assert!([0, S::CUSPARSE_STATUS_EXECUTION_FAILED.0].contains(&ended.0), "{}", ended.0);
    assert_eq!(run(&library, end, &[handle]), S::CUSPARSE_STATUS_NOT_INITIALIZED);
}
