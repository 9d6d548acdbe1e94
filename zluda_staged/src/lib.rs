//! The staged folder: the files that a program finds in place of NVIDIA's, and those that they need. What builds them, what
//! packs them, the audit library that leads programs to them and the libraries themselves all go by these tables.
//!
//! The driver takes NVIDIA's place always, so it lies in the folder itself. Libraries above the driver that NVIDIA has too
//! ([`STUBS`]) lie in a folder below it, [`LIBRARIES`]: which ones a program gets is for [`Libraries`] to say.
//!
//! Without dependencies: an audit library has a namespace of its own, where nothing else should be loaded.

/// A file of the staged folder.
#[derive(Clone, Copy, Debug)]
pub struct Staged {
    /// The package that cargo builds it from, and the file that comes out.
    pub package: &'static str,
    pub built: &'static str,
    /// The name in the folder; a library's is its soname.
    pub name: &'static str,
    /// The other name under which the linker looks for the library when a program is built, or by which a command is
    /// another; a link beside the file.
    pub link: Option<&'static str>,
    /// Whether NVIDIA has a library of this name, which programs ask for.
    pub replaces: bool,
    /// Whether it holds the compiler.
    pub compiler: bool,
}

const OWN: Staged =
    Staged { package: "", built: "", name: "", link: None, replaces: false, compiler: false };

/// The driver's name in the folder.
pub const DRIVER: &str = if cfg!(windows) { DRIVER_WINDOWS } else { DRIVER_LINUX };
/// The driver's name on Linux.
pub const DRIVER_LINUX: &str = "libcuda.so.1";
/// The driver's name on Windows.
pub const DRIVER_WINDOWS: &str = "nvcuda.dll";
/// The DLL that leads processes of Windows to the driver.
pub const REDIRECT: &str = "zluda_redirect.dll";
/// The audit library's name in the folder.
pub const AUDIT: &str = "libzluda_ld.so";
/// The command by the name of NVIDIA's assembler.
pub const ASSEMBLER: &str = "bin/ptxas";

/// Our cuDNN, of version 9's ABI.
pub const NETWORKS: &str = if cfg!(windows) { NETWORKS_WINDOWS } else { NETWORKS_LINUX };
const NETWORKS_LINUX: &str = "libzluda_dnn.so";
const NETWORKS_WINDOWS: &str = "zluda_dnn.dll";

/// The HIP provider that is this machine's processor, in the folder.
pub const CPU_PROVIDER: &str = if cfg!(windows) { "zluda_hip_cpu.dll" } else { CPU_LINUX };
const CPU_LINUX: &str = "libzluda_hip_cpu.so";
/// The HIP provider that is an emulated AMD GPU.
pub const EMULATED_PROVIDER: &str =
    if cfg!(windows) { "zluda_hip_emu.dll" } else { EMULATED_LINUX };
const EMULATED_LINUX: &str = "libzluda_hip_emu.so";

/// The files.
pub const STAGED: &[Staged] = &[
    Staged {
        package: "zluda",
        built: "libzluda_cuda.so",
        name: DRIVER_LINUX,
        link: Some("libcuda.so"),
        replaces: true,
        compiler: true,
    },
    Staged {
        package: "zluda_ml",
        built: "libzluda_ml.so",
        name: "libnvidia-ml.so.1",
        link: Some("libnvidia-ml.so"),
        replaces: true,
        ..OWN
    },
    Staged { package: "zluda_blas", built: "libzluda_blas.so", name: "libzluda_blas.so", ..OWN },
    Staged { package: "zluda_dnn", built: NETWORKS_LINUX, name: NETWORKS_LINUX, ..OWN },
    Staged { package: "zluda_dnn8", built: "libzluda_dnn8.so", name: "libzluda_dnn8.so", ..OWN },
    Staged { package: "zluda_fft", built: "libzluda_fft.so", name: "libzluda_fft.so", ..OWN },
    Staged { package: "zluda_rand", built: "libzluda_rand.so", name: "libzluda_rand.so", ..OWN },
    Staged {
        package: "zluda_sparse",
        built: "libzluda_sparse.so",
        name: "libzluda_sparse.so",
        ..OWN
    },
    Staged {
        package: "zluda_solver",
        built: "libzluda_solver.so",
        name: "libzluda_solver.so",
        ..OWN
    },
    Staged { package: "hip_cpu", built: CPU_LINUX, name: CPU_LINUX, ..OWN },
    Staged { package: "hip_emu", built: EMULATED_LINUX, name: EMULATED_LINUX, ..OWN },
    Staged { package: "zluda_ld", built: "libzluda_ld.so", name: AUDIT, ..OWN },
    Staged {
        package: "zluda_cli",
        built: "zluda_cli",
        name: "bin/zluda",
        link: Some(ASSEMBLER),
        compiler: true,
        ..OWN
    },
];

/// The files of a build for Windows, beside the stubs. There is one folder: programs look for DLLs beside themselves.
pub const STAGED_WINDOWS: &[Staged] = &[
    Staged {
        package: "zluda",
        built: "zluda_cuda.dll",
        name: DRIVER_WINDOWS,
        replaces: true,
        compiler: true,
        ..OWN
    },
    Staged { package: "zluda_ml", built: "zluda_ml.dll", name: "nvml.dll", replaces: true, ..OWN },
    Staged { package: "hip_cpu", built: "zluda_hip_cpu.dll", name: "zluda_hip_cpu.dll", ..OWN },
    Staged { package: "zluda_blas", built: "zluda_blas.dll", name: "zluda_blas.dll", ..OWN },
    Staged { package: "zluda_dnn", built: NETWORKS_WINDOWS, name: NETWORKS_WINDOWS, ..OWN },
    Staged { package: "zluda_dnn8", built: "zluda_dnn8.dll", name: "zluda_dnn8.dll", ..OWN },
    Staged { package: "zluda_fft", built: "zluda_fft.dll", name: "zluda_fft.dll", ..OWN },
    Staged { package: "zluda_rand", built: "zluda_rand.dll", name: "zluda_rand.dll", ..OWN },
    Staged { package: "zluda_sparse", built: "zluda_sparse.dll", name: "zluda_sparse.dll", ..OWN },
    Staged { package: "zluda_solver", built: "zluda_solver.dll", name: "zluda_solver.dll", ..OWN },
    Staged { package: "zluda_redirect", built: "zluda_redirect.dll", name: REDIRECT, ..OWN },
    Staged {
        package: "zluda_cli",
        built: "zluda_cli.exe",
        name: "zluda.exe",
        compiler: true,
        ..OWN
    },
];

/// What files of [`STAGED_WINDOWS`] open beside themselves while they work, beside the driver.
pub const OPENED_WINDOWS: &[(&str, &str)] = &[("zluda_dnn8.dll", NETWORKS_WINDOWS)];

/// A name under which NVIDIA has a library whose work one of ours does. Programs ask for symbols of that name's version, and
/// a library has one name, so a stub stands for each: a library without code that has the name and the version, and needs
/// ours. All names of an API, and several APIs, lead to one library with one table of handles. Windows has no versions of
/// symbols; there a stub's exports forward to ours.
#[derive(Clone, Copy, Debug)]
pub struct Stub {
    /// Its soname, which is the version of its symbols too.
    pub name: &'static str,
    /// The name without a version, where this is the newest one; a link in the folder.
    pub link: Option<&'static str>,
    /// The library that does the work, of [`STAGED`].
    pub library: &'static str,
}

impl Stub {
    /// The DLL that does the work on Windows, where builds for it have one.
    pub fn windows_library(&self) -> Option<&'static Staged> {
        let stem = self.library.strip_prefix("lib")?.strip_suffix(".so")?;
        STAGED_WINDOWS.iter().find(|staged| staged.name.strip_suffix(".dll") == Some(stem))
    }

    /// Its name on Windows: that of `libcublas.so.13` is `cublas64_13.dll`.
    pub fn windows_name(&self) -> String {
        let parts = self.name.strip_prefix("lib").and_then(|rest| rest.split_once(".so."));
        let (stem, version) = parts.unwrap_or((self.name, ""));
        format!("{stem}64_{version}.dll")
    }
}

/// The stub of the library above the driver that a program of Windows means by a name or a path, with an extension or
/// without.
pub fn windows_stub(path: &str) -> Option<&'static Stub> {
    let mut name = windows_name(path).to_owned();
    if !name.get(name.len().saturating_sub(4)..).is_some_and(|end| end.eq_ignore_ascii_case(".dll"))
    {
        name.push_str(".dll");
    }
    STUBS.iter().find(|stub| stub.windows_name().eq_ignore_ascii_case(&name))
}

/// The name of the file in a path of Windows.
fn windows_name(path: &str) -> &str {
    path.rsplit(['/', '\\', ':']).next().unwrap_or(path)
}

/// The folder of the stubs, below the staged folder.
pub const LIBRARIES: &str = "libraries";

/// The stubs.
pub const STUBS: &[Stub] = &[
    Stub { name: "libcublas.so.13", link: Some("libcublas.so"), library: "libzluda_blas.so" },
    Stub { name: "libcublas.so.12", link: None, library: "libzluda_blas.so" },
    Stub { name: "libcublasLt.so.13", link: Some("libcublasLt.so"), library: "libzluda_blas.so" },
    Stub { name: "libcublasLt.so.12", link: None, library: "libzluda_blas.so" },
    Stub { name: "libcudnn.so.9", link: Some("libcudnn.so"), library: "libzluda_dnn.so" },
    Stub { name: "libcudnn_adv.so.9", link: Some("libcudnn_adv.so"), library: "libzluda_dnn.so" },
    Stub { name: "libcudnn_cnn.so.9", link: Some("libcudnn_cnn.so"), library: "libzluda_dnn.so" },
    Stub {
        name: "libcudnn_engines_precompiled.so.9",
        link: Some("libcudnn_engines_precompiled.so"),
        library: "libzluda_dnn.so",
    },
    Stub {
        name: "libcudnn_engines_runtime_compiled.so.9",
        link: Some("libcudnn_engines_runtime_compiled.so"),
        library: "libzluda_dnn.so",
    },
    Stub {
        name: "libcudnn_graph.so.9",
        link: Some("libcudnn_graph.so"),
        library: "libzluda_dnn.so",
    },
    Stub {
        name: "libcudnn_heuristic.so.9",
        link: Some("libcudnn_heuristic.so"),
        library: "libzluda_dnn.so",
    },
    Stub { name: "libcudnn_ops.so.9", link: Some("libcudnn_ops.so"), library: "libzluda_dnn.so" },
    Stub { name: "libcudnn.so.8", link: None, library: "libzluda_dnn8.so" },
    Stub {
        name: "libcudnn_adv_infer.so.8",
        link: Some("libcudnn_adv_infer.so"),
        library: "libzluda_dnn8.so",
    },
    Stub {
        name: "libcudnn_adv_train.so.8",
        link: Some("libcudnn_adv_train.so"),
        library: "libzluda_dnn8.so",
    },
    Stub {
        name: "libcudnn_cnn_infer.so.8",
        link: Some("libcudnn_cnn_infer.so"),
        library: "libzluda_dnn8.so",
    },
    Stub {
        name: "libcudnn_cnn_train.so.8",
        link: Some("libcudnn_cnn_train.so"),
        library: "libzluda_dnn8.so",
    },
    Stub {
        name: "libcudnn_ops_infer.so.8",
        link: Some("libcudnn_ops_infer.so"),
        library: "libzluda_dnn8.so",
    },
    Stub {
        name: "libcudnn_ops_train.so.8",
        link: Some("libcudnn_ops_train.so"),
        library: "libzluda_dnn8.so",
    },
    Stub { name: "libcufft.so.12", link: Some("libcufft.so"), library: "libzluda_fft.so" },
    Stub { name: "libcufft.so.11", link: None, library: "libzluda_fft.so" },
    Stub { name: "libcurand.so.10", link: Some("libcurand.so"), library: "libzluda_rand.so" },
    Stub { name: "libcusparse.so.12", link: Some("libcusparse.so"), library: "libzluda_sparse.so" },
    Stub { name: "libcusolver.so.12", link: Some("libcusolver.so"), library: "libzluda_solver.so" },
    Stub { name: "libcusolver.so.11", link: None, library: "libzluda_solver.so" },
];

/// The place in [`STUBS`] of the library that a program means by the name of a file.
pub fn stub(file: &[u8]) -> Option<usize> {
    STUBS.iter().position(|stub| {
        let is = |name: &str| name.as_bytes() == file;
        is(stub.name) || stub.link.is_some_and(is)
    })
}

/// `ZLUDA_LIBRARIES`: whose libraries above the driver a program gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Libraries {
    /// NVIDIA's where they are installed and can work: they ask for a device of compute capability 13.0. Else ours.
    #[default]
    Auto,
    Own,
    Nvidia,
}

impl Libraries {
    /// The value of the variable.
    pub fn parse(value: &[u8]) -> Option<Libraries> {
        match value {
            b"auto" => Some(Libraries::Auto),
            b"own" => Some(Libraries::Own),
            b"nvidia" => Some(Libraries::Nvidia),
            _ => None,
        }
    }

    /// Whether a program gets ours although NVIDIA's may be installed; `capability` is the major version of the compute
    /// capability that devices report.
    pub fn prefer_own(self, capability: u32) -> bool {
        match self {
            Libraries::Auto => capability < NVIDIA_LIBRARIES_NEED,
            Libraries::Own => true,
            Libraries::Nvidia => false,
        }
    }
}

/// What the values of `ZLUDA_LIBRARIES` and `ZLUDA_CC` say, for who leads programs to libraries: whether they get ours
/// although NVIDIA's may be installed, and whether they get ours where they are not. Values that make no sense count for
/// nothing; the driver complains of them.
pub fn choose(libraries: Option<&[u8]>, capability: Option<&[u8]>) -> (bool, bool) {
    let libraries = libraries.and_then(Libraries::parse).unwrap_or_default();
    let capability = capability.and_then(|value| {
        let major = value.split(|byte| *byte == b'.').next()?;
        str::from_utf8(major).ok()?.parse().ok()
    });
    // Without the variable, less than what NVIDIA's libraries ask for.
    (libraries.prefer_own(capability.unwrap_or(0)), libraries != Libraries::Nvidia)
}

/// The major version of the compute capability from which on NVIDIA's libraries have PTX for a device.
const NVIDIA_LIBRARIES_NEED: u32 = 13;

/// The file of [`STAGED_WINDOWS`] that a program means by the name or the path of a DLL, with an extension or without.
/// Windows does not tell capital letters from others.
pub fn windows_file(path: &str) -> Option<&'static Staged> {
    let name = windows_name(path);
    STAGED_WINDOWS.iter().filter(|staged| staged.replaces).find(|staged| {
        let stem = staged.name.strip_suffix(".dll").unwrap_or(staged.name);
        [staged.name, stem].iter().any(|wanted| name.eq_ignore_ascii_case(wanted))
    })
}

/// The place in [`STAGED`] of the library that a program means by the name of a file.
pub fn place(file: &[u8]) -> Option<usize> {
    STAGED.iter().position(|staged| {
        let is = |name: &str| name.as_bytes() == file;
        staged.replaces && (is(staged.name) || staged.link.is_some_and(is))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_both_names_and_no_others() {
        for wanted in ["libcuda.so.1", "libcuda.so"] {
            assert_eq!(
                place(wanted.as_bytes()).map(|place| STAGED[place].name),
                Some(DRIVER_LINUX)
            );
        }
        for other in ["libcuda.so.12", "cuda", "", AUDIT, CPU_LINUX] {
            assert!(place(other.as_bytes()).is_none(), "{other}");
        }
    }

    #[test]
    fn stubs_are_known_by_their_names_and_lead_to_a_staged_library() {
        for (wanted, name) in [
            ("libcublas.so", "libcublas.so.13"),
            ("libcublas.so.12", "libcublas.so.12"),
            ("libcublasLt.so.13", "libcublasLt.so.13"),
        ] {
            assert_eq!(stub(wanted.as_bytes()).map(|place| STUBS[place].name), Some(name));
        }
        assert!(stub(b"libcublas.so.11").is_none() && stub(b"libcuda.so.1").is_none());
        for Stub { name, library, .. } in STUBS {
            assert!(STAGED.iter().any(|staged| staged.name == *library), "{name}: {library}");
        }
    }

    #[test]
    fn nvidias_libraries_are_for_devices_that_they_know() {
        assert_eq!(Libraries::parse(b"own"), Some(Libraries::Own));
        assert_eq!(Libraries::parse(b"ours"), None);
        let [auto, own, nvidia] = [Libraries::Auto, Libraries::Own, Libraries::Nvidia];
        assert!(auto.prefer_own(8) && auto.prefer_own(12) && !auto.prefer_own(13));
        assert!(own.prefer_own(13) && !nvidia.prefer_own(8));
        assert_eq!(choose(None, None), (true, true));
        assert_eq!(choose(Some(b"auto"), Some(b"13.0")), (false, true));
        assert_eq!(choose(Some(b"nvidia"), Some(b"8.0")), (false, false));
        assert_eq!(choose(Some(b"?"), Some(b"?")), (true, true));
    }

    #[test]
    fn windows_names_lead_to_dlls() {
        let name = |path| Some(windows_stub(path)?.windows_library()?.name);
        for path in ["cufft64_12.dll", "CUFFT64_11", r"C:\a\cufft64_12.DLL", "Z:/b/cufft64_11.dll"]
        {
            assert_eq!(name(path), Some("zluda_fft.dll"), "{path}");
        }
        for (path, library) in [
            ("curand64_10.dll", "zluda_rand.dll"),
            ("cublas64_13.dll", "zluda_blas.dll"),
            ("cublasLt64_12.dll", "zluda_blas.dll"),
            ("cudnn64_9.dll", "zluda_dnn.dll"),
            ("cudnn_cnn_infer64_8.dll", "zluda_dnn8.dll"),
            ("cusparse64_12.dll", "zluda_sparse.dll"),
            ("cusolver64_11.dll", "zluda_solver.dll"),
        ] {
            assert_eq!(name(path), Some(library), "{path}");
        }
        let theirs = |path| windows_stub(path).map(|stub| stub.name);
        assert_eq!(theirs("cublasLt64_12.dll"), Some("libcublasLt.so.12"));
        assert_eq!(theirs("cudnn_ops64_9"), Some("libcudnn_ops.so.9"));
        for other in [
            "cufft64_10.dll",
            "cufft",
            "cufft64_12.exe",
            "cudnn_adv64.dll",
            "nvcuda.dll",
            "",
            ".dll",
            "é.d",
        ] {
            assert_eq!(name(other), None, "{other}");
        }
        assert_eq!(
            windows_file(r"C:\windows\NVCUDA").map(|staged| staged.name),
            Some("nvcuda.dll")
        );
        let nvml = windows_file(r"C:\Program Files\NVIDIA Corporation\NVSMI\nvml.dll");
        assert_eq!(nvml.map(|staged| staged.package), Some("zluda_ml"));
        // All of Linux's are there.
        for stub in STUBS {
            assert!(stub.windows_library().is_some(), "{}", stub.name);
        }
        for (opens, opened) in OPENED_WINDOWS {
            let staged = |name| STAGED_WINDOWS.iter().any(|staged| staged.name == name);
            assert!(staged(*opens) && staged(*opened), "{opens}");
        }
    }

    #[test]
    fn no_name_is_there_twice() {
        let mut names: Vec<&str> =
            STAGED.iter().flat_map(|staged| [Some(staged.name), staged.link]).flatten().collect();
        names.extend(STUBS.iter().flat_map(|stub| [Some(stub.name), stub.link]).flatten());
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
