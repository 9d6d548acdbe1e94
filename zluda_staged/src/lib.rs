//! The staged folder: the files that a program finds in place of NVIDIA's, and those that they need. What builds them, what
//! packs them, the audit library that leads programs to them and the libraries themselves all go by this table.
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
    /// The other name under which the linker looks for the library when a program is built; a link in the folder.
    pub link: Option<&'static str>,
    /// Whether NVIDIA has a library of this name, which programs ask for.
    pub replaces: bool,
    /// Whether it holds the compiler.
    pub compiler: bool,
}

const OWN: Staged =
    Staged { package: "", built: "", name: "", link: None, replaces: false, compiler: false };

/// The driver's name in the folder.
pub const DRIVER: &str = "libcuda.so.1";
/// The audit library's name in the folder.
pub const AUDIT: &str = "libzluda_ld.so";

/// The HIP provider that is this machine's processor, in the folder.
#[cfg(not(windows))]
pub const CPU_PROVIDER: &str = "libzluda_hip_cpu.so";
/// The HIP provider that is an emulated AMD GPU.
#[cfg(not(windows))]
pub const EMULATED_PROVIDER: &str = "libzluda_hip_emu.so";
#[cfg(windows)]
pub const CPU_PROVIDER: &str = "zluda_hip_cpu.dll";
#[cfg(windows)]
pub const EMULATED_PROVIDER: &str = "zluda_hip_emu.dll";

/// The files.
pub const STAGED: &[Staged] = &[
    Staged {
        package: "zluda",
        built: "libzluda_cuda.so",
        name: DRIVER,
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
    Staged { package: "zluda_fft", built: "libzluda_fft.so", name: "libzluda_fft.so", ..OWN },
    Staged { package: "zluda_rand", built: "libzluda_rand.so", name: "libzluda_rand.so", ..OWN },
    Staged { package: "hip_cpu", built: CPU_PROVIDER, name: CPU_PROVIDER, ..OWN },
    Staged { package: "hip_emu", built: EMULATED_PROVIDER, name: EMULATED_PROVIDER, ..OWN },
    Staged { package: "zluda_ld", built: "libzluda_ld.so", name: AUDIT, ..OWN },
    Staged { package: "zluda_cli", built: "zluda_cli", name: "bin/zluda", compiler: true, ..OWN },
];

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
            assert_eq!(place(wanted.as_bytes()).map(|place| STAGED[place].name), Some(DRIVER));
        }
        for other in ["libcuda.so.12", "cuda", "", AUDIT, CPU_PROVIDER] {
            assert!(place(other.as_bytes()).is_none(), "{other}");
        }
    }

    #[test]
    fn no_name_is_there_twice() {
        let mut names: Vec<&str> =
            STAGED.iter().flat_map(|staged| [Some(staged.name), staged.link]).flatten().collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
