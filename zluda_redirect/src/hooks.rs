//! The functions of Windows that do something else for NVIDIA's DLLs and for child processes.

use std::ffi::c_void;
use std::sync::OnceLock;

use minhook::{MH_STATUS, MinHook};
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::SystemServices::DLL_PROCESS_ATTACH;
use windows_sys::Win32::System::Threading::{CREATE_SUSPENDED, PROCESS_INFORMATION, ResumeThread};
use windows_sys::core::BOOL;

use windows_sys::Win32::System::LibraryLoader::GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS as FROM_ADDRESS;

use crate::names::{Module, Name, Paths, for_children};

/// Declares hooks: for each function its type, the DLL that exports it, and what it does with `original`, the function as it
/// was.
macro_rules! hooks {
    ($(
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty => $dll:literal, |$original:ident| $body:block
    )*) => {
        $(
            #[allow(non_snake_case)]
            mod $name {
                use super::*;

                pub type Function = unsafe extern "system" fn($($type),*) -> $result;

                pub static ORIGINAL: OnceLock<Function> = OnceLock::new();

                pub unsafe extern "system" fn hook($($argument: $type),*) -> $result {
                    // SAFETY: the program's arguments, as the function takes them. It is known before the hook is enabled;
                    // zeros say that it failed.
                    unsafe {
                        let Some($original) = ORIGINAL.get() else { return std::mem::zeroed() };
                        $body
                    }
                }
            }
        )*

        /// Makes the hooks.
        fn make() -> Result<(), MH_STATUS> {
            $(
                let hook = $name::hook as *const () as *mut c_void;
                // SAFETY: the hook has the type of the function, and stays as long as this DLL, which is never unloaded.
                unsafe {
                    let function = MinHook::create_hook_api($dll, stringify!($name), hook)?;
                    let _ = $name::ORIGINAL.set(std::mem::transmute::<*mut c_void, $name::Function>(function));
                }
            )*
            // SAFETY: all hooks are whole.
            unsafe { MinHook::enable_all_hooks() }
        }
    };
}

hooks! {
    fn LoadLibraryA(name: *const u8) -> Module => "kernelbase", |original| {
        match LoadLibraryW::ORIGINAL.get() {
            Some(wide) => load(Name::narrow(name), || original(name), |path| wide(path)),
            None => original(name),
        }
    }

    fn LoadLibraryW(name: *const u16) -> Module => "kernelbase", |original| {
        load(Name::wide(name), || original(name), |path| original(path))
    }

    fn LoadLibraryExA(name: *const u8, file: HANDLE, flags: u32) -> Module => "kernelbase", |original| {
        match LoadLibraryExW::ORIGINAL.get() {
            Some(wide) => load(Name::narrow(name), || original(name, file, flags), |path| wide(path, file, flags)),
            None => original(name, file, flags),
        }
    }

    fn LoadLibraryExW(name: *const u16, file: HANDLE, flags: u32) -> Module => "kernelbase", |original| {
        load(Name::wide(name), || original(name, file, flags), |path| original(path, file, flags))
    }

    fn GetModuleHandleA(name: *const u8) -> Module => "kernelbase", |original| {
        match GetModuleHandleW::ORIGINAL.get() {
            Some(wide) => load(Name::narrow(name), || original(name), |path| wide(path)),
            None => original(name),
        }
    }

    fn GetModuleHandleW(name: *const u16) -> Module => "kernelbase", |original| {
        load(Name::wide(name), || original(name), |path| original(path))
    }

    fn GetModuleHandleExA(flags: u32, name: *const u8, module: *mut Module) -> BOOL => "kernelbase", |original| {
        let named = if flags & FROM_ADDRESS == 0 { Name::narrow(name) } else { None };
        match GetModuleHandleExW::ORIGINAL.get() {
            Some(wide) => find(named, module, || original(flags, name, module), |path| wide(flags, path, module)),
            None => original(flags, name, module),
        }
    }

    fn GetModuleHandleExW(flags: u32, name: *const u16, module: *mut Module) -> BOOL => "kernelbase", |original| {
        let named = if flags & FROM_ADDRESS == 0 { Name::wide(name) } else { None };
        find(named, module, || original(flags, name, module), |path| original(flags, path, module))
    }

    // All ways to start a process end here.
    fn CreateProcessInternalW(
        token: HANDLE, application: *const u16, command: *mut u16, process: *const c_void, thread: *const c_void,
        inherit: BOOL, flags: u32, environment: *const c_void, folder: *const u16, startup: *const c_void,
        information: *mut PROCESS_INFORMATION, new_token: *mut HANDLE,
    ) -> BOOL => "kernelbase", |original| {
        let good = original(
            token, application, command, process, thread, inherit, flags | CREATE_SUSPENDED, environment, folder,
            startup, information, new_token,
        );
        if good != 0 {
            let child = *information;
            // A child that cannot have the DLLs, as one for another kind of processor, runs without.
            if let Some((dlls, names)) = for_children() {
                let _ = zluda_inject::inject(child.hProcess, &dlls, names);
            }
            if flags & CREATE_SUSPENDED == 0 {
                ResumeThread(child.hThread);
            }
        }
        good
    }
}

/// Loads our file where there is one for a name, or where what is meant cannot be loaded. Nothing is loaded by functions that
/// look for what is there.
fn load(
    name: Option<Name>,
    original: impl FnOnce() -> Module,
    ours: impl Fn(*const u16) -> Module,
) -> Module {
    let get = |paths: Paths| {
        // Of the library the file's exports are; a file that is loaded has it.
        match paths.library.map(|path| ours(path.as_ptr())) {
            Some(library) if library.is_null() => library,
            _ => ours(paths.file.as_ptr()),
        }
    };
    let Some(name) = name else { return original() };
    if let Some(paths) = name.ours() {
        return get(paths);
    }
    let module = original();
    match name.instead() {
        Some(paths) if module.is_null() => get(paths),
        _ => module,
    }
}

/// As [`load`], for functions that store the module.
fn find(
    name: Option<Name>,
    module: *mut Module,
    original: impl FnOnce() -> BOOL,
    ours: impl Fn(*const u16) -> BOOL,
) -> BOOL {
    let last = std::cell::Cell::new(0);
    let found = |result: BOOL| {
        last.set(result);
        match result {
            0 => std::ptr::null_mut(),
            // SAFETY: a function that succeeds has stored a module there.
            _ => unsafe { *module },
        }
    };
    load(name, || found(original()), |path| found(ours(path)));
    last.get()
}

/// What an import table names: it does nothing.
#[unsafe(no_mangle)]
pub extern "C" fn zluda_redirect() {}

/// Makes the hooks when the process begins. Where that fails, what was imported is there all the same.
#[unsafe(no_mangle)]
pub extern "system" fn DllMain(_module: Module, reason: u32, _reserved: *mut c_void) -> BOOL {
    if reason == DLL_PROCESS_ATTACH {
        let _ = make();
    }
    1
}
