//! ROCm's libraries as Debian's suites have them. Suites move on, so their versions are not pinned; what a library
//! calls itself is checked by the tests.

use super::debian::{Packages, Root};
use crate::Result;
use crate::repository::make;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

/// A version of ROCm, and where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct RocmVersion {
    /// As `hip/hip_version.h` has it: major and minor.
    pub name: &'static str,
    /// The suites to look in; the last one has the packages below.
    suites: &'static [&'static str],
    runtime: &'static str,
    /// The file name of HIP's library.
    pub library: &'static str,
    smi: &'static str,
    /// The file name of ROCm SMI's library.
    pub smi_library: &'static str,
    /// The packages of the libraries above HIP and of their headers, of 5 MB together: without rocBLAS and rocFFT, which have
    /// hundreds. Empty where the suite has none.
    above: &'static [&'static str],
    /// The file name of hipBLAS's library.
    pub blas_library: &'static str,
    /// Whether the headers of hipBLASLt are among them; the library has hundreds of megabytes.
    pub has_blas_lt: bool,
    /// Whether MIOpen is among them.
    pub has_miopen: bool,
}

/// From the oldest to the newest.
pub const ROCM_VERSIONS: [RocmVersion; 4] = [
    RocmVersion {
        name: "5.2",
        suites: &["bookworm"],
        runtime: "libamdhip64-5",
        library: "libamdhip64.so.5",
        smi: "librocm-smi64-1",
        smi_library: "librocm_smi64.so.1",
        above: &[],
        blas_library: "",
        has_blas_lt: false,
        has_miopen: false,
    },
    RocmVersion {
        name: "5.7",
        suites: &["trixie"],
        runtime: "libamdhip64-5",
        library: "libamdhip64.so.5",
        smi: "librocm-smi64-1",
        smi_library: "librocm_smi64.so.1",
        above: &["libhipblas0", "libhipblas-dev", "libhipfft0", "libhipfft-dev"],
        blas_library: "libhipblas.so.0",
        has_blas_lt: false,
        has_miopen: false,
    },
    RocmVersion {
        name: "6.4",
        suites: &["sid"],
        runtime: "libamdhip64-6",
        library: "libamdhip64.so.6",
        smi: "librocm-smi64-1",
        smi_library: "librocm_smi64.so.1",
        above: &[
            "libhipblas2",
            "libhipblas-dev",
            "libhipblas-common-dev",
            "libhipfft0",
            "libhipfft-dev",
            "libhipblaslt-dev",
            "libmiopen1",
            "libmiopen-dev",
        ],
        blas_library: "libhipblas.so.2",
        has_blas_lt: true,
        has_miopen: true,
    },
    RocmVersion {
        name: "7.2",
        suites: &["sid", "experimental"],
        runtime: "libamdhip64-7",
        library: "libamdhip64.so.7",
        smi: "librocm-smi64-7",
        smi_library: "librocm_smi64.so.7",
        above: &[
            "libhipblas3",
            "libhipblas-dev",
            "libhipblas-common-dev",
            "libhipfft0",
            "libhipfft-dev",
            "libhipblaslt-dev",
            "libmiopen1",
            "libmiopen-dev",
        ],
        blas_library: "libhipblas.so.3",
        has_blas_lt: true,
        has_miopen: true,
    },
];

/// Headers and developers' files of HIP.
const HEADERS: &[&str] = &["libamdhip64-dev"];

/// Those of ROCm SMI, and what they include.
const SMI_HEADERS: &[&str] = &["librocm-smi-dev", "libdrm-dev"];

/// An unpacked version of ROCm.
#[derive(Clone, Debug)]
pub struct Rocm {
    pub version: RocmVersion,
    /// Its headers are in `hip/` or `rocm_smi/`.
    pub root: Root,
}

/// Fetches HIP of a version of ROCm, unless it is there.
pub fn rocm(version: RocmVersion) -> Result<Rocm> {
    unpacked(version, "rocm", version.runtime, HEADERS)
}

/// Fetches ROCm SMI as the suite of a version of ROCm has it, unless it is there.
pub fn rocm_smi(version: RocmVersion) -> Result<Rocm> {
    unpacked(version, "rocm-smi", version.smi, SMI_HEADERS)
}

/// Fetches the libraries above HIP of a version of ROCm, unless they are there. They cannot be loaded, as what they need is not
/// fetched. `None` where the version has none.
pub fn rocm_above(version: RocmVersion) -> Result<Option<Rocm>> {
    if version.above.is_empty() {
        return Ok(None);
    }
    let mut headers = version.above.to_vec();
    headers.extend(HEADERS);
    let packages = Packages {
        suites: version.suites,
        components: "main",
        headers: &headers,
        ..Packages::default()
    };
    let root = packages.unpacked(&format!("rocm-above-{}", version.name))?;
    Ok(Some(Rocm { version, root }))
}

fn unpacked(
    version: RocmVersion,
    name: &str,
    package: &str,
    headers: &'static [&'static str],
) -> Result<Rocm> {
    let packages = Packages {
        suites: version.suites,
        components: "main",
        packages: &[package],
        headers,
        ..Packages::default()
    };
    Ok(Rocm { version, root: packages.unpacked(&format!("{name}-{}", version.name))? })
}

/// ROCm 6.4's libraries, the compilers that MIOpen starts, and Python.
const PACKAGES: &[&str] = &[
    "libmiopen1",
    "libhipblas2",
    "libhipfft0",
    "clang-21",
    "clang-tools-21",
    "lld-21",
    "rocm-device-libs-21",
    "libamdhip64-dev",
    "libstdc++-16-dev",
    "libc6-dev",
    "bash",
    "coreutils",
    "dash",
    "python3",
    "python3-numpy",
];

/// Fetches ROCm's libraries with their kernels, 2 GB, unless they are there: a root that programs can be started in.
pub fn rocm_libraries() -> Result<Root> {
    let packages = Packages {
        suites: &["sid"],
        components: "main",
        packages: PACKAGES,
        ..Packages::default()
    };
    let root = packages.unpacked("rocm-libraries")?;
    complete(&root)?;
    Ok(root)
}

/// What the installation of the packages would have done, and what Debian's MIOpen has wrong: it names `/usr/include` as a folder of
/// the system's, behind which libstdc++ does not find C's headers, and a compiler in the folder that it was built in.
fn complete(rocm: &Root) -> Result<()> {
    const COMPILER: &str = r#"#!/bin/bash
arguments=()
while [ $# -gt 0 ]; do
    if [ "$1" = -isystem ] && [ "$2" = /usr/include ]; then shift 2; else arguments+=("$1"); shift; fi
done
exec /usr/lib/llvm-21/bin/clang++ "${arguments[@]}"
"#;
    let compiler = rocm.program("clang++-21");
    fs::remove_file(&compiler)?;
    fs::write(&compiler, COMPILER)?;
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755))?;
    let library = fs::read(rocm.libraries().join("libMIOpen.so.1"))?;
    let begin = b"/build/reproducible-path/";
    let named = library.windows(begin.len()).enumerate().filter(|(_, window)| window == begin);
    for (at, _) in named {
        let text = library[at..].split(|byte| *byte == 0).next().unwrap_or_default();
        let Some(path) = std::str::from_utf8(text).ok().filter(|path| path.ends_with("/clang-21"))
        else {
            continue;
        };
        let link = rocm.folder().join(path.trim_start_matches('/'));
        make(link.parent().unwrap_or(rocm.folder()))?;
        if !link.is_symlink() {
            symlink("/usr/bin/clang-21", &link)?;
        }
    }
    Ok(())
}
