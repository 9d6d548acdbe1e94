//! Every function with arguments that are wrong: a status, and no crash.

mod common;

use cuda_types::nvml::*;
use libloading::Library;

/// A function of the library, by name.
struct Function {
    name: &'static str,
    /// The types of its arguments.
    types: &'static [&'static str],
    /// Calls it with words for arguments, of which there are enough. The status, or the lower half of another result.
    call: unsafe fn(*const (), &[u64]) -> u32,
}

/// A number, an enumeration, a handle or a pointer from a word.
fn value<T: Copy>(word: u64) -> T {
    assert!(size_of::<T>() <= size_of::<u64>());
    // SAFETY: all of these are plain bits.
    unsafe { std::mem::transmute_copy(&word) }
}

macro_rules! table {
    ($(fn $name:ident($($argument:ident: $ty:ty),* $(,)?) -> $result:ty;)*) => {
        const FUNCTIONS: &[Function] = &[$(Function {
            name: stringify!($name),
            types: &[$(stringify!($ty)),*],
            call: {
                unsafe fn call(address: *const (), words: &[u64]) -> u32 {
                    let mut words = words.iter().copied();
                    let mut next = || words.next().unwrap_or(0);
                    let _ = &mut next;
                    // SAFETY: the caller has the address of the function of this name.
                    unsafe {
                        let function: unsafe extern "C" fn($($ty),*) -> $result = std::mem::transmute(address);
                        let result = function($(value::<$ty>({ let _ = stringify!($argument); next() })),*);
                        std::mem::transmute_copy::<_, u32>(&result)
                    }
                }
                call
            },
        }),*];
    };
}

cuda_macros::function_declarations!(nvml, table);

impl Function {
    fn run(&self, library: &Library, words: &[u64]) -> nvmlReturn_t {
        // SAFETY: only its address is taken.
        let address = unsafe { library.get::<unsafe extern "C" fn()>(self.name.as_bytes()) };
        let address = *address.expect(self.name) as *const ();
        // SAFETY: wrong arguments are what is tested; pointers are null.
        nvmlReturn_t(unsafe { (self.call)(address, words) })
    }
}

/// What can be called at any time, and the function that returns text.
fn needs_no_start(name: &str) -> bool {
    name.starts_with("nvmlInit") || name.contains("Version") || name == "nvmlErrorString"
}

fn start(library: &Library) {
    let init =
        FUNCTIONS.iter().find(|function| function.name == "nvmlInit_v2").expect("it is there");
    assert_eq!(init.run(library, &[]), nvmlReturn_t::NVML_SUCCESS);
}

fn open() -> Library {
    // SAFETY: the library has no initialisers of its own.
    unsafe { Library::new(common::staged()) }.expect("the library loads")
}

#[test]
fn wrong_arguments_have_a_status() {
    use nvmlReturn_t as R;
    // Most lines of the log would be about what is not implemented.
    // SAFETY: the only test of this program reads the environment later.
    unsafe { std::env::set_var("ZLUDA_LOG", "error") };
    let library = open();
    let run = |function: &Function, words: &[u64]| function.run(&library, words);
    for function in FUNCTIONS.iter().filter(|function| !needs_no_start(function.name)) {
        let status = run(function, &[]);
        let fine = [R::NVML_ERROR_UNINITIALIZED, R::NVML_ERROR_NOT_SUPPORTED];
        assert!(fine.contains(&status), "{} before the start: {}", function.name, status.0);
    }
    start(&library);
    let mut device = 0u64;
    let by_index =
        FUNCTIONS.iter().find(|function| function.name == "nvmlDeviceGetHandleByIndex_v2");
    let found =
        run(by_index.expect("it is there"), &[0, (&raw mut device).expose_provenance() as u64]);
    assert_eq!(found, R::NVML_SUCCESS);
    for function in FUNCTIONS.iter().filter(|function| !needs_no_start(function.name)) {
        let name = function.name;
        if name == "nvmlShutdown" {
            continue;
        }
        let wrong = [R::NVML_ERROR_INVALID_ARGUMENT, R::NVML_ERROR_NOT_SUPPORTED];
        let status = run(function, &[]);
        assert!(wrong.contains(&status), "{name} of nothing: {}", status.0);
        if function.types.first() != Some(&"nvmlDevice_t") {
            continue;
        }
        for handle in [0, 1, device ^ 16, device | 1 << 63, u64::MAX] {
            assert_eq!(run(function, &[handle]), status, "{name} of {handle:#x}");
        }
        // Results have no place to go; numbers and lengths are too great.
        for words in [[device, 0], [device, u32::MAX.into()]] {
            if function.types.get(1).is_some_and(|ty| ty.starts_with('*')) && words[1] != 0 {
                continue;
            }
            let status = run(function, &words);
            assert!(wrong.contains(&status), "{name} without places: {}", status.0);
        }
    }
    let end =
        FUNCTIONS.iter().find(|function| function.name == "nvmlShutdown").expect("it is there");
    assert_eq!(run(end, &[]), R::NVML_SUCCESS);
    assert_eq!(run(end, &[]), R::NVML_ERROR_UNINITIALIZED);
}
