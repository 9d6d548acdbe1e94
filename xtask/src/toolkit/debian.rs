//! Packages of Debian's suites, each unpacked with all that it needs into a root of its own. Nothing is installed in
//! the system.
//!
//! Packages come through apt from the mirror that the system itself uses.

use super::{INSTALL_LIMIT, once};
use crate::Result;
use crate::program::quiet;
use crate::repository::{make, make_empty, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages, and where they come from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packages<'a> {
    /// The suites to look in; the last one has the packages below.
    pub suites: &'a [&'a str],
    pub components: &'a str,
    /// They are unpacked with all that they need.
    pub packages: &'a [&'a str],
    /// These are unpacked without what they want beside them.
    pub headers: &'a [&'a str],
    /// What these have is there otherwise: they are not fetched.
    pub provided: &'a [&'a str],
    /// Of what they have, only these folders are unpacked; all if there are none.
    pub parts: &'a [&'a str],
}

impl Packages<'_> {
    /// Fetches the packages into `target/toolkit/<name>`, unless they are there.
    pub fn unpacked(&self, name: &str) -> Result<Root> {
        let folder = target().join("toolkit").join(name);
        let mut contents = format!(
            "{} {} {}",
            self.suites.join(" "),
            self.packages.join(" "),
            self.headers.join(" ")
        );
        if self.components != "main" {
            contents = format!("{contents} {}", self.components);
        }
        if !self.provided.is_empty() {
            contents = format!("{contents} without {}", self.provided.join(" "));
        }
        if !self.parts.is_empty() {
            contents = format!("{contents} only {}", self.parts.join(" "));
        }
        once(&folder, &contents, &format!("fetching {name}"), |folder| self.fetch(folder))?;
        Ok(Root(folder.join("root")))
    }

    fn fetch(&self, folder: &Path) -> Result<()> {
        let apt = Apt::new(&folder.join("apt"), self)?;
        quiet(apt.command("apt-get").args(["--quiet", "update"]), INSTALL_LIMIT)?;
        let suite = self.suites.last().unwrap_or(&"stable");
        if !self.packages.is_empty() {
            let mut command = apt.command("apt-get");
            command.args(["--quiet", "--yes", "--download-only", "--no-install-recommends"]);
            command.args(["--target-release", suite, "install"]).args(self.packages);
            quiet(&mut command, INSTALL_LIMIT)?;
        }
        let archives = apt.folder.join("cache/archives");
        if !self.headers.is_empty() {
            let mut command = apt.command("apt-get");
            command.args(["--quiet", "--target-release", suite, "download"]).args(self.headers);
            quiet(command.current_dir(&archives), INSTALL_LIMIT)?;
        }
        let root = folder.join("root");
        make(&root)?;
        for package in crate::repository::files(&archives, "deb")? {
            unpack(&package, self.parts, &root)?;
            // An archive and what is in it need not lie side by side on a small disk.
            fs::remove_file(&package)?;
        }
        Ok(fs::remove_dir_all(&apt.folder)?)
    }
}

/// Unpacks some folders of a package, or all of it.
fn unpack(package: &Path, parts: &[&str], root: &Path) -> Result<()> {
    const SCRIPT: &str = r#"set -o pipefail
        package=$1 root=$2
        shift 2
        dpkg-deb --fsys-tarfile "$package" | tar --extract --directory "$root" "$@""#;
    let mut command = Command::new("bash");
    command.args(["-c", SCRIPT, "unpack"]).args([package, root]);
    command.args(parts.iter().map(|part| format!("./{part}")));
    quiet(&mut command, INSTALL_LIMIT)?;
    Ok(())
}

/// Fetches the sources of a package, unless they are there. Returns their archive, as its authors have published it.
pub fn source(package: &str, suite: &str) -> Result<PathBuf> {
    let folder = target().join("toolkit").join(format!("{package}-source"));
    let contents = format!("{suite} {package}");
    once(&folder, &contents, &format!("fetching the sources of {package}"), |folder| {
        let packages = Packages { suites: &[suite], components: "main", ..Packages::default() };
        let apt = Apt::new(&folder.join("apt"), &packages)?;
        let sources = apt.folder.join("etc/sources.list");
        let list = fs::read_to_string(&sources)?.replace("deb [", "deb-src [");
        fs::write(&sources, list)?;
        quiet(apt.command("apt-get").args(["--quiet", "update"]), INSTALL_LIMIT)?;
        let mut command = apt.command("apt-get");
        // Debian's own changes are not wanted, and mirrors lose them first.
        command.args(["--quiet", "--download-only", "--tar-only", "source", package]);
        quiet(command.current_dir(folder), INSTALL_LIMIT)?;
        Ok(fs::remove_dir_all(&apt.folder)?)
    })?;
    let archives = crate::repository::files(&folder, "xz")?;
    let is_original = |path: &PathBuf| path.to_string_lossy().ends_with(".orig.tar.xz");
    let found = archives.into_iter().find(is_original);
    found.ok_or_else(|| format!("the sources of {package} have no archive").into())
}

/// The folder that packages are unpacked in.
#[derive(Clone, Debug)]
pub struct Root(PathBuf);

impl Root {
    /// The root itself.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// The folder of the headers.
    pub fn headers(&self) -> PathBuf {
        self.0.join("usr/include")
    }

    /// The folder of the libraries.
    pub fn libraries(&self) -> PathBuf {
        self.0.join("usr/lib/x86_64-linux-gnu")
    }

    /// A program of the packages.
    pub fn program(&self, name: &str) -> PathBuf {
        self.0.join("usr/bin").join(name)
    }

    /// Runs a program with the root's libraries: they may need a newer C library than the system has, which only
    /// its own loader can start. `libraries` are folders with more of them.
    pub fn command(&self, program: &Path, libraries: &[&Path]) -> Command {
        let loader = ["usr/lib64", "lib64"]
            .map(|folder| self.0.join(folder).join("ld-linux-x86-64.so.2"))
            .into_iter()
            .find(|path| path.exists())
            .unwrap_or_else(|| self.libraries().join("ld-linux-x86-64.so.2"));
        let mut path = self.libraries().into_os_string();
        for folder in ["lib/x86_64-linux-gnu", "usr/lib"].map(|folder| self.0.join(folder)) {
            path.push(":");
            path.push(folder);
        }
        for folder in libraries {
            path.push(":");
            path.push(folder);
        }
        let mut command = Command::new(loader);
        command.arg("--library-path").arg(path).arg(program);
        command
    }
}

/// apt with folders of its own, which thinks that nothing is installed but what is provided.
struct Apt {
    folder: PathBuf,
}

impl Apt {
    fn new(folder: &Path, packages: &Packages<'_>) -> Result<Apt> {
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
        let installed = packages.provided.iter().map(|package| {
            format!(
                "Package: {package}\nStatus: install ok installed\nMaintainer: none\n\
                 Architecture: amd64\nVersion: 999\nDescription: {package}\n\n"
            )
        });
        fs::write(folder.join("status"), installed.collect::<String>())?;
        let mirror = mirror()?;
        let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let components = packages.components;
        let sources = packages.suites.iter();
        let sources: String = sources
            .map(|suite| format!("deb [signed-by={keys}] {mirror} {suite} {components}\n"))
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
