//! Packages of the staged files, in `target/package`: an archive, a Debian package and a Python wheel for Linux, an archive
//! for Windows, and the checksums of all. Each has the documentation for users and all licences in it.
//!
//! - [`licences`]: the texts of what is built in.
//! - [`needs`]: what the libraries ask of the system.
//! - `wheel.py`: the zip files; `zluda.py`: the package that Python installs.

mod licences;
pub mod needs;

use crate::Result;
use crate::program::{capture, quiet, shown};
use crate::repository::{make, make_empty, root, target};
use needs::Needs;
use std::fmt::Write;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

pub use licences::System;

/// Compression takes a minute or two where others work, too.
const LIMIT: Duration = Duration::from_secs(1800);

/// Higher levels take minutes for a few per cent.
const LEVEL: i32 = 12;
/// The power of two within which equal parts are found: the command has the same compiler in it as the driver. What unpacks
/// takes no more without being asked.
const WINDOW: u32 = 27;

/// Writes the zip files.
const ARCHIVER: &str = include_str!("package/wheel.py");
/// The module that the wheel installs.
const MODULE: &str = include_str!("package/zluda.py");
/// `bin/ptxas` in the wheel, which cannot have links.
const ASSEMBLER: &str = "#!/usr/bin/env python3
import os, sys
os.execv(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'zluda'), ['ptxas'] + sys.argv[1:])
";

const SUMMARY: &str = "Runs CUDA programs without an NVIDIA GPU";
const LICENCE: &str = "MIT OR Apache-2.0";

/// The version of everything.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The folder of the packages.
pub fn folder() -> PathBuf {
    target().join("package")
}

/// A kind of package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// An archive for Linux, .tar.zst
    Tar,
    /// A package for Debian and its kin, .deb
    Deb,
    /// A wheel for Python, .whl
    Wheel,
    /// An archive for Windows, .zip
    Zip,
}

impl Kind {
    pub fn system(self) -> System {
        if self == Kind::Zip { System::Windows } else { System::Linux }
    }
}

/// Makes packages of staged folders, all of one system. Returns their paths.
pub fn make_all(kinds: &[Kind], staged: &Path, to: &Path) -> Result<Vec<PathBuf>> {
    make(to)?;
    // Beside the packages: links and copies of what is staged need a place.
    let work = to.join("unfinished");
    make_empty(&work)?;
    let mut made = Vec::new();
    for &kind in kinds {
        let documents = Documents::write(&work.join("documents"), kind.system())?;
        let tree = work.join("tree");
        make_empty(&tree)?;
        made.push(match kind {
            Kind::Tar => tar(staged, &documents, &tree, to)?,
            Kind::Deb => deb(staged, &documents, &tree, to)?,
            Kind::Wheel => wheel(staged, &documents, &tree, to)?,
            Kind::Zip => zip(staged, &documents, &tree, to)?,
        });
    }
    fs::remove_dir_all(&work)?;
    checksums(to)?;
    Ok(made)
}

/// What each package has beside the program, in a folder.
struct Documents(PathBuf);

impl Documents {
    fn write(folder: &Path, system: System) -> Result<Documents> {
        make_empty(&folder.join("doc"))?;
        for file in crate::repository::files(&root().join("docs/user"), "md")? {
            // Links between them hold; those to the developers' part lead nowhere.
            fs::copy(&file, folder.join("doc").join(file.file_name().unwrap_or_default()))?;
        }
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            fs::copy(root().join(name), folder.join(name))?;
        }
        fs::write(folder.join("README.md"), readme(system))?;
        fs::write(folder.join("THIRD-PARTY.txt"), licences::text(system)?)?;
        Ok(Documents(folder.to_owned()))
    }

    fn copy(&self, to: &Path) -> Result<()> {
        copy_tree(&self.0, to, &|_| true)
    }
}

fn readme(system: System) -> String {
    let (command, first) = match system {
        System::Linux => ("bin/zluda", "doc/install.md"),
        System::Windows => ("zluda.exe", "doc/windows.md"),
    };
    format!(
        "# ZLUDA {VERSION}\n\n{SUMMARY}: on AMD GPUs, and where there is none on the processor.\n\n    \
         {command} run PROGRAM ARGUMENTS\n\nRead [{first}]({first}) first; the folder `doc` has the rest, such as the \
         [environment](doc/environment.md) and what to do\nwhen [something goes wrong](doc/troubleshooting.md).\n\n\
         Licence: MIT or Apache 2.0, as you like. THIRD-PARTY.txt has the licences of all that is built in.\n"
    )
}

/// Copies a folder with its links. `take` is asked for each file, by its path in the folder.
fn copy_tree(from: &Path, to: &Path, take: &dyn Fn(&Path) -> bool) -> Result<()> {
    copy_part(from, Path::new(""), to, take)
}

fn copy_part(from: &Path, part: &Path, to: &Path, take: &dyn Fn(&Path) -> bool) -> Result<()> {
    make(&to.join(part))?;
    let folder = from.join(part);
    let entries =
        fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = part.join(entry.file_name());
        let (source, target) = (entry.path(), to.join(&name));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_part(from, &name, to, take)?;
        } else if !take(&name) {
            continue;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&source)?, &target)?;
        } else {
            fs::copy(&source, &target)?;
            let executable = entry.metadata()?.permissions().mode() & 0o100 != 0;
            set_mode(&target, if executable { 0o755 } else { 0o644 })?;
        }
    }
    Ok(())
}

fn set_mode(path: &Path, mode: u32) -> Result<()> {
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
}

/// When the sources were made, in seconds since 1970: equal sources make equal archives.
fn time() -> String {
    if let Ok(time) = std::env::var("SOURCE_DATE_EPOCH") {
        return time;
    }
    let mut command = Command::new("git");
    command.args(["log", "-1", "--format=%ct"]).current_dir(root());
    // Zip files know no earlier time than that of 1980.
    let known = capture(&mut command, LIMIT).ok().filter(|output| output.success());
    known.map_or_else(|| "315532800".to_owned(), |output| output.stdout.trim().to_owned())
}

fn tar(staged: &Path, documents: &Documents, tree: &Path, to: &Path) -> Result<PathBuf> {
    let name = format!("zluda-{VERSION}-linux-x86_64");
    let top = tree.join(&name);
    copy_tree(staged, &top, &|_| true)?;
    documents.copy(&top)?;
    let path = to.join(format!("{name}.tar.zst"));
    let mut command = Command::new("tar");
    command
        .args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
        .arg(format!("--mtime=@{}", time()))
        .arg("--directory")
        .arg(tree)
        .arg(&name);
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut encoder = zstd::Encoder::new(File::create(&path)?, LEVEL)?;
    encoder.long_distance_matching(true)?;
    encoder.window_log(WINDOW)?;
    if let Some(mut bytes) = child.stdout.take() {
        std::io::copy(&mut bytes, &mut encoder)?;
    }
    encoder.finish()?;
    let status = child.wait()?;
    if status.success() { Ok(path) } else { Err(format!("{}: {status}", shown(&command)).into()) }
}

fn deb(staged: &Path, documents: &Documents, tree: &Path, to: &Path) -> Result<PathBuf> {
    let (library, document) = (tree.join("usr/lib/zluda"), tree.join("usr/share/doc/zluda"));
    copy_tree(staged, &library, &|_| true)?;
    documents.copy(&document)?;
    let licences = ["LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"];
    let mut copyright = format!(
        "ZLUDA: {LICENCE}, as you like. The texts, and the licences of all that is built in:\n"
    );
    for name in licences {
        let _ = write!(copyright, "\n==== {name}\n\n{}", fs::read_to_string(document.join(name))?);
        fs::remove_file(document.join(name))?;
    }
    fs::write(document.join("copyright"), copyright)?;
    make(&tree.join("usr/bin"))?;
    symlink("../lib/zluda/bin/zluda", tree.join("usr/bin/zluda"))?;
    let control = tree.join("DEBIAN");
    make(&control)?;
    let size: u64 = sizes(&tree.join("usr"))?.div_ceil(1024);
    fs::write(
        control.join("control"),
        format!(
            "Package: zluda\nVersion: {VERSION}\nArchitecture: amd64\nMaintainer: ZLUDA developers <developers@zluda.invalid>\n\
             Installed-Size: {size}\nDepends: {}\nSection: libs\nPriority: optional\nDescription: {SUMMARY}\n \
             A driver library in place of NVIDIA's, for programs that are started with\n zluda run. Others are left alone.\n",
            Needs::of_folder(staged)?.debian()?
        ),
    )?;
    let path = to.join(format!("zluda_{VERSION}_amd64.deb"));
    let mut command = Command::new("dpkg-deb");
    command.args(["--root-owner-group", "-Zzstd", "-z12", "--build"]).arg(tree).arg(&path);
    quiet(command.env("SOURCE_DATE_EPOCH", time()), LIMIT)?;
    Ok(path)
}

/// The bytes of all files of a folder.
fn sizes(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        sum += if metadata.is_dir() { sizes(&entry.path())? } else { metadata.len() };
    }
    Ok(sum)
}

fn wheel(staged: &Path, documents: &Documents, tree: &Path, to: &Path) -> Result<PathBuf> {
    let package = tree.join("zluda");
    // Wheels have no links: the loader asks for the names that are files here.
    copy_tree(staged, &package, &|name| !staged.join(name).is_symlink())?;
    let assembler = package.join(zluda_staged::ASSEMBLER);
    fs::write(&assembler, ASSEMBLER)?;
    set_mode(&assembler, 0o755)?;
    fs::write(package.join("__init__.py"), MODULE)?;
    fs::write(package.join("__main__.py"), "from zluda import main\n\nmain()\n")?;
    let platform = Needs::of_folder(staged)?.manylinux()?;
    let information = tree.join(format!("zluda-{VERSION}.dist-info"));
    let licences = information.join("licenses");
    make(&licences)?;
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"] {
        fs::copy(documents.0.join(name), licences.join(name))?;
    }
    copy_tree(&documents.0.join("doc"), &package.join("doc"), &|_| true)?;
    let readme = fs::read_to_string(documents.0.join("README.md"))?;
    fs::write(
        information.join("METADATA"),
        format!(
            "Metadata-Version: 2.4\nName: zluda\nVersion: {VERSION}\nSummary: {SUMMARY}\nLicense-Expression: {LICENCE}\n\
             License-File: LICENSE-MIT\nLicense-File: LICENSE-APACHE\nLicense-File: THIRD-PARTY.txt\n\
             Requires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n{readme}"
        ),
    )?;
    let tag = format!("py3-none-{platform}");
    fs::write(
        information.join("WHEEL"),
        format!(
            "Wheel-Version: 1.0\nGenerator: zluda ({VERSION})\nRoot-Is-Purelib: false\nTag: {tag}\n"
        ),
    )?;
    fs::write(information.join("entry_points.txt"), "[console_scripts]\nzluda = zluda:main\n")?;
    let path = to.join(format!("zluda-{VERSION}-{tag}.whl"));
    archive(tree, &path, &[information.file_name().unwrap_or_default().as_ref()])?;
    Ok(path)
}

fn zip(staged: &Path, documents: &Documents, tree: &Path, to: &Path) -> Result<PathBuf> {
    let name = format!("zluda-{VERSION}-windows-x86_64");
    let top = tree.join(&name);
    copy_tree(staged, &top, &|_| true)?;
    documents.copy(&top)?;
    let path = to.join(format!("{name}.zip"));
    archive(tree, &path, &[])?;
    Ok(path)
}

/// Writes a zip file of a folder; with the list of its files, where a folder for it is named.
fn archive(tree: &Path, path: &Path, record: &[&Path]) -> Result<()> {
    let mut command = Command::new("python3");
    command.args(["-c", ARCHIVER]).arg(tree).arg(path).args(record);
    quiet(command.env("SOURCE_DATE_EPOCH", time()), LIMIT).map(drop)
}

/// Writes the checksums of all packages that lie in a folder.
fn checksums(folder: &Path) -> Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name() != CHECKSUMS {
            names.push(entry.file_name());
        }
    }
    names.sort();
    let mut command = Command::new("sha256sum");
    let sums = quiet(command.args(names).current_dir(folder), LIMIT)?.stdout;
    Ok(fs::write(folder.join(CHECKSUMS), sums)?)
}

/// The file of the checksums.
pub const CHECKSUMS: &str = "SHA256SUMS";
