//! An audit library for glibc's dynamic linker (`man 7 rtld-audit`): with its path in `LD_AUDIT`, every
//! request for NVIDIA's driver or another library of NVIDIA's that we have, by name or by path, is answered with the one
//! that lies beside this library; `ZLUDA_LIBRARIES` may leave the libraries above the driver to NVIDIA's. Child processes
//! inherit the variable and are served alike.
//!
//! An audit library lives in a namespace of its own, with its own copy of libc. So what is here loads
//! nothing and allocates nothing: it only tells the linker another name, and the linker loads the library
//! where the program wanted it. Since no audit functions for calls are exported, calls between libraries are
//! not slowed down.
//!
//! NVRTC, NVIDIA's compiler in a library, stays NVIDIA's own, but for what it makes where a program asks it for machine
//! code: [`nvrtc`].

mod nvrtc;

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use zluda_staged::{LIBRARIES, STAGED, STUBS};

/// The paths of the libraries that take NVIDIA's place, in the order of [`zluda_staged::STAGED`].
static PATHS: [StagedPath; STAGED.len()] = [const { StagedPath::new() }; STAGED.len()];

/// The paths of the libraries above the driver, in the order of [`STUBS`].
static STUB_PATHS: [StagedPath; STUBS.len()] = [const { StagedPath::new() }; STUBS.len()];
/// The choice by `ZLUDA_LIBRARIES`: programs get ours whatever else there is, or where the linker's last folders have
/// none.
static PREFER_OWN: AtomicBool = AtomicBool::new(false);
static MAY_BE_OWN: AtomicBool = AtomicBool::new(false);

/// The path of a library, which the linker may keep for as long as it likes.
struct StagedPath {
    bytes: UnsafeCell<[u8; libc::PATH_MAX as usize]>,
    found: AtomicBool,
}

// SAFETY: `bytes` is written before `found` is set, by `la_version`, which the linker calls once before
// the program runs, and only read afterwards.
unsafe impl Sync for StagedPath {}

/// The linker's first call: says which version of the interface we speak. All versions have what we use.
#[unsafe(no_mangle)]
extern "C" fn la_version(version: c_uint) -> c_uint {
    choose();
    find();
    version
}

/// Chooses by `ZLUDA_LIBRARIES`, or by `ZLUDA_CC` where that is not set.
fn choose() {
    let (prefer, may) = zluda_staged::choose(variable(c"ZLUDA_LIBRARIES"), variable(c"ZLUDA_CC"));
    PREFER_OWN.store(prefer, Ordering::Release);
    MAY_BE_OWN.store(may, Ordering::Release);
}

fn variable(name: &CStr) -> Option<&'static [u8]> {
    // SAFETY: the name is a C string; nothing in this library's copy of libc changes variables.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    // SAFETY: a value is a C string.
    (!value.is_null()).then(|| unsafe { CStr::from_ptr(value) }.to_bytes())
}

/// Asked for every library that the program wants: may give another name.
///
/// # Safety
/// `name` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objsearch(
    name: *const c_char,
    _cookie: *mut usize,
    flag: c_uint,
) -> *const c_char {
    // SAFETY: by this function's contract.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    let file = bytes.rsplit(|byte| *byte == b'/').next().unwrap_or(bytes);
    let driver = || zluda_staged::place(file).and_then(|place| PATHS.get(place)?.get());
    let library = || {
        let path = zluda_staged::stub(file).and_then(|place| STUB_PATHS.get(place)?.get())?;
        let own = PREFER_OWN.load(Ordering::Acquire)
            || flag == LA_SER_DEFAULT
                && MAY_BE_OWN.load(Ordering::Acquire)
                // SAFETY: by this function's contract.
                && unsafe { libc::access(name, libc::R_OK) } != 0;
        own.then_some(path)
    };
    driver().or_else(library).unwrap_or(name)
}

/// The linker has looked everywhere but in the folders that it always looks in at the end.
const LA_SER_DEFAULT: c_uint = 0x40;

/// Told of every library that the linker has mapped, before it binds symbols; says that calls are of no interest.
///
/// # Safety
/// `map` is the linker's.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objopen(
    map: *const nvrtc::LinkMap,
    _namespace: c_long,
    _cookie: *mut usize,
) -> c_uint {
    // SAFETY: by this function's contract.
    unsafe { nvrtc::opened(map) };
    0
}

/// Finds the libraries that lie beside this one. Requests for those that do not are left alone.
fn find() {
    // SAFETY: all-zero is a valid `Dl_info`.
    let mut own: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is one of this library's, and `own` is a place for the answer.
    let known = unsafe { libc::dladdr(la_version as *const c_void, &mut own) } != 0;
    if !known || own.dli_fname.is_null() {
        return;
    }
    // SAFETY: `dli_fname` is a C string.
    let own = unsafe { CStr::from_ptr(own.dli_fname) };
    for (path, staged) in PATHS.iter().zip(STAGED) {
        if staged.replaces {
            path.find(own, &[staged.name]);
        }
    }
    for (path, stub) in STUB_PATHS.iter().zip(STUBS) {
        path.find(own, &[LIBRARIES, "/", stub.name]);
    }
}

impl StagedPath {
    const fn new() -> Self {
        StagedPath {
            bytes: UnsafeCell::new([0; libc::PATH_MAX as usize]),
            found: AtomicBool::new(false),
        }
    }

    /// Replaces the file name in the path of `own`, with links resolved, by the pieces of `name`.
    fn find(&self, own: &CStr, name: &[&str]) {
        // SAFETY: see `Sync`; nobody else uses the bytes yet.
        let bytes = unsafe { &mut *self.bytes.get() };
        // SAFETY: `own` is a C string, and `bytes` has the size that realpath asks for.
        if unsafe { libc::realpath(own.as_ptr(), bytes.as_mut_ptr().cast()) }.is_null() {
            return;
        }
        let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let mut end =
            bytes[..length].iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        for piece in name.iter().copied().chain(["\0"]) {
            let Some(place) = bytes.get_mut(end..end + piece.len()) else { return };
            place.copy_from_slice(piece.as_bytes());
            end += piece.len();
        }
        // SAFETY: `bytes` holds a C string.
        let readable: c_int = unsafe { libc::access(bytes.as_ptr().cast(), libc::R_OK) };
        self.found.store(readable == 0, Ordering::Release);
    }

    fn get(&self) -> Option<*const c_char> {
        self.found.load(Ordering::Acquire).then_some(self.bytes.get().cast_const().cast())
    }
}
