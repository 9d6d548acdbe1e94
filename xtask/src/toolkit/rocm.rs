//! ROCm's libraries as Debian's suites have them, each unpacked with all that it needs into a root of its
//! own. Nothing is installed in the system.
//!
//! Packages come through apt from the mirror that the system itself uses. Suites move on, so their
//! versions are not pinned; what a library calls itself is checked by the tests.

use super::{INSTALL_LIMIT, once};
use crate::Result;
use crate::program::quiet;
use crate::repository::{make, make_empty, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    },
    RocmVersion {
        name: "5.7",
        suites: &["trixie"],
        runtime: "libamdhip64-5",
        library: "libamdhip64.so.5",
        smi: "librocm-smi64-1",
        smi_library: "librocm_smi64.so.1",
    },
    RocmVersion {
        name: "6.4",
        suites: &["sid"],
        runtime: "libamdhip64-6",
        library: "libamdhip64.so.6",
        smi: "librocm-smi64-1",
        smi_library: "librocm_smi64.so.1",
    },
    RocmVersion {
        name: "7.2",
        suites: &["sid", "experimental"],
        runtime: "libamdhip64-7",
        library: "libamdhip64.so.7",
        smi: "librocm-smi64-7",
        smi_library: "librocm_smi64.so.7",
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
    root: PathBuf,
}

impl Rocm {
    /// The folder that holds `hip/` or `rocm_smi/`.
    pub fn headers(&self) -> PathBuf {
        self.root.join("usr/include")
    }

    /// The folder of the libraries.
    pub fn libraries(&self) -> PathBuf {
        self.root.join("usr/lib/x86_64-linux-gnu")
    }

    /// Runs a program of this system with the root's libraries: they may need a newer C library than the
    /// system has, which only its own loader can start.
    pub fn command(&self, program: &Path) -> Command {
        let loader = ["usr/lib64", "lib64"]
            .map(|folder| self.root.join(folder).join("ld-linux-x86-64.so.2"))
            .into_iter()
            .find(|path| path.exists())
            .unwrap_or_else(|| self.libraries().join("ld-linux-x86-64.so.2"));
        let mut path = self.libraries().into_os_string();
        path.push(":");
        path.push(self.root.join("lib/x86_64-linux-gnu"));
        path.push(":");
        path.push(self.root.join("usr/lib"));
        let mut command = Command::new(loader);
        command.arg("--library-path").arg(path).arg(program);
        command
    }
}

/// Fetches HIP of a version of ROCm, unless it is there.
pub fn rocm(version: RocmVersion) -> Result<Rocm> {
    unpacked(version, "rocm", version.runtime, HEADERS)
}

/// Fetches ROCm SMI as the suite of a version of ROCm has it, unless it is there.
pub fn rocm_smi(version: RocmVersion) -> Result<Rocm> {
    unpacked(version, "rocm-smi", version.smi, SMI_HEADERS)
}

fn unpacked(version: RocmVersion, name: &str, runtime: &str, headers: &[&str]) -> Result<Rocm> {
    let folder = target().join(format!("toolkit/{name}-{}", version.name));
    let contents = format!("{} {runtime} {}", version.suites.join(" "), headers.join(" "));
    let text = format!("fetching {name} {}", version.name);
    once(&folder, &contents, &text, |folder| fetch(version.suites, runtime, headers, folder))?;
    Ok(Rocm { version, root: folder.join("root") })
}

/// Unpacks a library with all that it needs, and headers without what their packages want beside them.
fn fetch(suites: &[&str], runtime: &str, headers: &[&str], folder: &Path) -> Result<()> {
    let apt = Apt::new(&folder.join("apt"), suites)?;
    quiet(apt.command("apt-get").args(["--quiet", "update"]), INSTALL_LIMIT)?;
    let suite = suites.last().unwrap_or(&"stable");
    let mut command = apt.command("apt-get");
    command.args(["--quiet", "--yes", "--download-only", "--no-install-recommends"]);
    command.args(["--target-release", suite, "install", runtime]);
    quiet(&mut command, INSTALL_LIMIT)?;
    let archives = apt.folder.join("cache/archives");
    let mut command = apt.command("apt-get");
    command.args(["--quiet", "--target-release", suite, "download"]).args(headers);
    quiet(command.current_dir(&archives), INSTALL_LIMIT)?;
    let root = folder.join("root");
    make(&root)?;
    for package in crate::repository::files(&archives, "deb")? {
        let mut command = Command::new("dpkg-deb");
        quiet(command.arg("--extract").args([&package, &root]), INSTALL_LIMIT)?;
    }
    Ok(fs::remove_dir_all(&apt.folder)?)
}

/// apt with folders of its own, which thinks that nothing is installed.
struct Apt {
    folder: PathBuf,
}

impl Apt {
    fn new(folder: &Path, suites: &[&str]) -> Result<Apt> {
        make_empty(folder)?;
        for part in [
            "state/lists/partial",
            "cache/archives/partial",
            "etc/apt.conf.d",
            "etc/preferences.d",
            "etc/trusted.gpg.d",
        ] {
            make(&folder.join(part))?;
        }
        fs::write(folder.join("status"), "")?;
        let mirror = mirror()?;
        let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let sources: String = suites
            .iter()
            .map(|suite| format!("deb [signed-by={keys}] {mirror} {suite} main\n"))
            .collect();
        fs::write(folder.join("etc/sources.list"), sources)?;
        let at = folder.display();
        // Mirrors may stand still for longer than their lists claim to be valid.
        let configuration = format!(
            "Dir::State \"{at}/state\";\nDir::State::status \"{at}/status\";\n\
             Dir::Cache \"{at}/cache\";\nDir::Etc \"{at}/etc\";\n\
             Dir::Etc::sourcelist \"{at}/etc/sources.list\";\nDir::Etc::sourceparts \"-\";\n\
             Debug::NoLocking \"1\";\nAcquire::Languages \"none\";\n\
             Acquire::Check-Valid-Until \"false\";\n"
        );
        fs::write(folder.join("apt.conf"), configuration)?;
        Ok(Apt { folder: folder.to_owned() })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("APT_CONFIG", self.folder.join("apt.conf"));
        command
    }
}

/// The mirror of Debian that the system's own apt uses.
fn mirror() -> Result<String> {
    let mut command = Command::new("apt-get");
    command.args(["indextargets", "--format", "$(ORIGIN) $(REPO_URI)", "Created-By: Packages"]);
    let output = quiet(&mut command, INSTALL_LIMIT)?;
    // Security updates have a mirror of their own, which has no other suites.
    let found = output
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("Debian "))
        .find(|uri| !uri.contains("security"));
    found.map(str::to_owned).ok_or_else(|| "apt knows no mirror of Debian".into())
}
