//! The device library of AMD GPUs (`amdgcn/library`), compiled for this machine and asked the same as
//! the code of this crate: both have to give the same bits.

mod matrix;
mod texture;

use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files of the library, as a shared object of this process.
struct Library {
    handle: *mut c_void,
    _folder: tempfile::TempDir,
}

impl Library {
    /// `host` is C code that gives what other files define for a GPU, `defines` are clang's.
    fn build(files: &[&str], host: &str, defines: &[&str]) -> Library {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../amdgcn/library");
        let folder = tempfile::tempdir().unwrap();
        let headers = sources.join("../../device_library/c");
        let (stub, object) = (folder.path().join("host.c"), folder.path().join("library.so"));
        std::fs::write(&stub, host).unwrap();
        let clang = match std::env::var_os("LLVM_SYS_221_PREFIX") {
            Some(prefix) => PathBuf::from(prefix).join("bin/clang"),
            None => PathBuf::from("clang-22"),
        };
        let status = Command::new(clang)
            .args(["-shared", "-fPIC", "-O1", "-std=c17", "-ffp-contract=off", "-mfma", "-w"])
            .args(defines)
            .args(["-fno-builtin", "-o"])
            .arg(&object)
            .arg("-I")
            .arg(headers)
            .args(files.iter().map(|file| sources.join(file)))
            .arg(&stub)
            .arg("-lm")
            .status()
            .expect("clang-22 runs");
        assert!(status.success());
        let name = CString::new(object.to_str().unwrap()).unwrap();
        // SAFETY: the object has no code that runs when it is loaded.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!handle.is_null());
        Library { handle, _folder: folder }
    }

    fn symbol(&self, name: &str) -> *mut c_void {
        let name = CString::new(name).unwrap();
        // SAFETY: the handle is open.
        let symbol = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        assert!(!symbol.is_null(), "{name:?}");
        symbol
    }
}

/// Numbers that look random, the same in every run, in words of a GPU.
struct Random(splitmix::Random);

impl Random {
    fn new(seed: u64) -> Random {
        Random(splitmix::Random::new(seed))
    }

    fn word(&mut self) -> u32 {
        (self.0.bits() >> 32) as u32
    }

    fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(limit)) >> 32) as u32
    }
}
