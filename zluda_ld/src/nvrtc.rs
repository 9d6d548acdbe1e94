//! NVRTC where a program asks it for machine code: it compiles for the virtual architecture of the same number instead, and
//! the PTX goes on as a cubin ([`cubin`]), which the driver takes.
//!
//! The linker tells of each library that it has mapped before it binds any symbol there ([`la_objopen`](crate::la_objopen)).
//! In NVRTC's table of symbols, three functions then lead to those below, which call NVRTC's own. So it does not matter how
//! a program finds them: linked, or by `dlopen` and `dlsym`.

mod symbols;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use symbols::Symbols;

/// What the linker knows of a library that it has mapped: the public part of glibc's `struct link_map`.
#[repr(C)]
pub struct LinkMap {
    address: usize,
    name: *const c_char,
    dynamic: *const symbols::Dynamic,
}

/// `nvrtcResult`.
type Result = c_int;
/// `NVRTC_SUCCESS`.
const SUCCESS: Result = 0;

type Compile = unsafe extern "C" fn(*mut c_void, c_int, *const *const c_char) -> Result;
type Size = unsafe extern "C" fn(*mut c_void, *mut usize) -> Result;
type Code = unsafe extern "C" fn(*mut c_void, *mut c_char) -> Result;

/// The addresses of the functions of one NVRTC in the process; 0 where it has none of the name.
struct Own {
    compile: AtomicUsize,
    cubin_size: AtomicUsize,
    cubin: AtomicUsize,
    ptx_size: AtomicUsize,
    ptx: AtomicUsize,
}

/// As many versions of NVRTC as a process may have at once.
const MOST: usize = 4;
static OWN: [Own; MOST] = [const { Own::new() }; MOST];

impl Own {
    const fn new() -> Own {
        Own {
            compile: AtomicUsize::new(0),
            cubin_size: AtomicUsize::new(0),
            cubin: AtomicUsize::new(0),
            ptx_size: AtomicUsize::new(0),
            ptx: AtomicUsize::new(0),
        }
    }
}

/// Functions that take the place of NVRTC's, by the place of its own in [`OWN`].
struct Instead {
    compile: Compile,
    cubin_size: Size,
    cubin: Code,
}

const INSTEAD: [Instead; MOST] =
    [Instead::of::<0>(), Instead::of::<1>(), Instead::of::<2>(), Instead::of::<3>()];

impl Instead {
    const fn of<const AT: usize>() -> Instead {
        Instead { compile: compile::<AT>, cubin_size: cubin_size::<AT>, cubin: cubin::<AT> }
    }
}

/// Leads programs to the functions below, if the library is NVRTC.
///
/// # Safety
/// The linker has mapped the library of this map, and nobody else uses it yet.
pub unsafe fn opened(map: *const LinkMap) {
    // SAFETY: by this function's contract.
    let (map, name) = unsafe { (&*map, CStr::from_ptr((*map).name)) };
    let file = name.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    if !file.starts_with(b"libnvrtc.so") {
        return;
    }
    // SAFETY: as above.
    let Some(symbols) = (unsafe { Symbols::of(map.address, map.dynamic) }) else { return };
    let names = [
        c"nvrtcCompileProgram",
        c"nvrtcGetCUBINSize",
        c"nvrtcGetCUBIN",
        c"nvrtcGetPTXSize",
        c"nvrtcGetPTX",
    ];
    let [Some(compile), Some(cubin_size), Some(cubin), Some(ptx_size), Some(ptx)] =
        names.map(|name| symbols.find(name))
    else {
        return;
    };
    for (own, instead) in OWN.iter().zip(&INSTEAD) {
        let is_free = own.compile.compare_exchange(
            0,
            symbols.address(compile),
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        if is_free.is_err() {
            continue;
        }
        own.cubin_size.store(symbols.address(cubin_size), Ordering::Release);
        own.cubin.store(symbols.address(cubin), Ordering::Release);
        own.ptx_size.store(symbols.address(ptx_size), Ordering::Release);
        own.ptx.store(symbols.address(ptx), Ordering::Release);
        // SAFETY: nothing has been bound to the symbols yet.
        unsafe {
            symbols.lead(compile, instead.compile as usize);
            symbols.lead(cubin_size, instead.cubin_size as usize);
            symbols.lead(cubin, instead.cubin as usize);
        }
        return;
    }
}

/// A function of NVRTC's by its address.
///
/// # Safety
/// `F` is the function's type; the address is set before the linker leads anybody here.
unsafe fn own<F: Copy>(address: &AtomicUsize) -> F {
    const { assert!(size_of::<F>() == size_of::<usize>()) };
    let address = address.load(Ordering::Acquire);
    // SAFETY: by this function's contract.
    unsafe { std::mem::transmute_copy(&address) }
}

/// The most options that are looked at; NVRTC itself knows fewer.
const MOST_OPTIONS: usize = 512;
/// The longest option that says for which architecture.
const LONGEST: usize = 64;

/// The spellings of the option that says for which architecture, whose value follows, or is the next option.
const ARCHITECTURE: [&[u8]; 3] = [b"--gpu-architecture", b"-gpu-architecture", b"-arch"];

/// `nvrtcCompileProgram`.
unsafe extern "C" fn compile<const AT: usize>(
    program: *mut c_void,
    count: c_int,
    options: *const *const c_char,
) -> Result {
    // SAFETY: the program calls NVRTC's function.
    let own: Compile = unsafe { own(&OWN[AT].compile) };
    let count_of = usize::try_from(count).unwrap_or(0);
    if options.is_null() || count_of > MOST_OPTIONS {
        // SAFETY: as above.
        return unsafe { own(program, count, options) };
    }
    let mut changed = [std::ptr::null(); MOST_OPTIONS];
    let mut texts = [[0u8; LONGEST]; 2];
    let mut unused = texts.iter_mut();
    let mut is_value = false;
    for (place, option) in changed.iter_mut().zip((0..count_of).map(|i| options.wrapping_add(i))) {
        // SAFETY: the program passes so many options.
        let option = unsafe { option.read() };
        *place = option;
        if option.is_null() {
            continue;
        }
        // SAFETY: an option is a C string.
        let text = unsafe { CStr::from_ptr(option) }.to_bytes();
        let begin = match ARCHITECTURE.iter().find_map(|name| text.strip_prefix(*name)) {
            Some([]) => {
                is_value = true;
                continue;
            }
            Some([b'=', value @ ..]) => text.len() - value.len(),
            _ if is_value => 0,
            _ => continue,
        };
        is_value = false;
        if let Some(number) = text[begin..].strip_prefix(b"sm_")
            && let Some(to) = unused.next()
            && virtual_architecture(to, &text[..begin], number)
        {
            *place = to.as_ptr().cast();
        }
    }
    // SAFETY: as above; the texts are there until the call returns.
    unsafe { own(program, count, changed.as_ptr()) }
}

/// Writes an option for the virtual architecture of a number, with a NUL; false where there is no room.
fn virtual_architecture(to: &mut [u8; LONGEST], before: &[u8], number: &[u8]) -> bool {
    let mut end = 0;
    for piece in [before, b"compute_", number, b"\0"] {
        let Some(place) = to.get_mut(end..end + piece.len()) else { return false };
        place.copy_from_slice(piece);
        end += piece.len();
    }
    true
}

/// `nvrtcGetCUBINSize`: of the PTX as a cubin, where there is no machine code.
unsafe extern "C" fn cubin_size<const AT: usize>(program: *mut c_void, size: *mut usize) -> Result {
    // SAFETY: the program calls NVRTC's function, whose arguments these are.
    unsafe {
        let status = own::<Size>(&OWN[AT].cubin_size)(program, size);
        if status != SUCCESS || size.is_null() || *size != 0 {
            return status;
        }
        match ptx_size::<AT>(program) {
            0 => SUCCESS,
            length => {
                *size = cubin::HEAD + length;
                SUCCESS
            }
        }
    }
}

/// `nvrtcGetCUBIN`.
unsafe extern "C" fn cubin<const AT: usize>(program: *mut c_void, code: *mut c_char) -> Result {
    // SAFETY: the program calls NVRTC's function, whose arguments these are.
    unsafe {
        let mut size = 0;
        let status = own::<Size>(&OWN[AT].cubin_size)(program, &mut size);
        let length = if status == SUCCESS && size == 0 { ptx_size::<AT>(program) } else { 0 };
        if length == 0 || code.is_null() {
            return own::<Code>(&OWN[AT].cubin)(program, code);
        }
        let text = code.add(cubin::HEAD);
        let status = own::<Code>(&OWN[AT].ptx)(program, text);
        if status == SUCCESS {
            let text = std::slice::from_raw_parts(text.cast(), length);
            let head = cubin::head(length, gpu(text));
            code.cast::<[u8; cubin::HEAD]>().write(head);
        }
        status
    }
}

/// The bytes of a program's PTX with its NUL; 0 where it has none.
///
/// # Safety
/// The program is one of NVRTC's, or what that refuses.
unsafe fn ptx_size<const AT: usize>(program: *mut c_void) -> usize {
    let mut size = 0;
    // SAFETY: by this function's contract.
    let status = unsafe { own::<Size>(&OWN[AT].ptx_size)(program, &mut size) };
    // A NUL alone is no text.
    if status == SUCCESS && size > 1 { size } else { 0 }
}

/// The number behind `.target sm_` in a text; 0 where there is none.
fn gpu(text: &[u8]) -> u8 {
    const TARGET: &[u8] = b".target sm_";
    let at = text.windows(TARGET.len()).position(|window| window == TARGET);
    let rest = at.and_then(|at| text.get(at + TARGET.len()..)).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0u8, |number, digit| number.wrapping_mul(10).wrapping_add(digit - b'0'))
}
