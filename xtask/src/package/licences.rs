//! The licences of what is built in: crates as cargo knows them, and libraries from elsewhere.

use crate::program::{cargo, quiet};
use crate::repository::root;
use crate::{Result, windows};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use zluda_staged::{STAGED, STAGED_WINDOWS, Staged};

const LIMIT: Duration = Duration::from_secs(300);

/// The system that a package is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Linux,
    Windows,
}

impl System {
    fn staged(self) -> &'static [Staged] {
        match self {
            System::Linux => STAGED,
            System::Windows => STAGED_WINDOWS,
        }
    }

    fn target(self) -> &'static str {
        match self {
            System::Linux => "x86_64-unknown-linux-gnu",
            System::Windows => windows::TARGET,
        }
    }
}

/// A library that is linked statically and is no crate: what it is, and the Debian package whose copyright file says more.
struct Linked {
    name: &'static str,
    package: &'static str,
    /// Part of LLVM, and of what LLVM needs.
    compiler: bool,
}

const LINKED: &[Linked] = &[
    Linked { name: "LLVM and lld", package: "llvm-22-dev", compiler: true },
    Linked { name: "zlib", package: "zlib1g-dev", compiler: true },
    Linked { name: "Zstandard, for LLVM", package: "libzstd-dev", compiler: true },
    Linked { name: "GCC's C++ library", package: "libstdc++-12-dev", compiler: true },
];

const LINKED_WINDOWS: &[Linked] = &[
    Linked { name: "LLVM and lld", package: "llvm-22-dev", compiler: true },
    Linked { name: "mingw-w64's runtime", package: "mingw-w64-x86-64-dev", compiler: false },
    Linked { name: "GCC's libraries", package: "gcc-mingw-w64-base", compiler: false },
];

/// Sources of others in this repository: the notice is what their first comment says.
const NOTICES: &[(&str, &str)] = &[
    ("HIP's headers", "ext/hip_runtime-sys/src/generated.rs"),
    ("MTGP32's parameters", "zluda_rand/src/generators/mtgp32_parameters.rs"),
    ("Sobol' direction numbers", "zluda_rand/src/generators/sobol/joe_kuo.txt"),
];

/// Notices that lie deeper in a crate than its own licence.
const INNER: &[&str] = &["zstd", "minhook"];

/// A crate as cargo lists it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    /// Name and version, as the folder of its sources is called.
    folder: String,
    licence: String,
    home: String,
}

/// The whole text. Fails where a licence has no text: better no package than one without.
pub fn text(system: System) -> Result<String> {
    let crates = crates(system)?;
    let sources = sources()?;
    let mut text = String::from("What is built into ZLUDA, and under which licence.\n\n");
    let mut bodies: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |body: String, of: &str| bodies.entry(body).or_default().push(of.to_owned());
    for Crate { folder, licence, home } in &crates {
        let _ = writeln!(text, "{folder}: {licence} ({home})");
        let found = crate_texts(&sources, folder)?;
        for body in found {
            add(body, folder);
        }
    }
    let linked = if system == System::Linux { LINKED } else { LINKED_WINDOWS };
    let has_compiler = system == System::Linux || windows::llvm::is_built();
    for Linked { name, package, .. } in linked.iter().filter(|it| has_compiler || !it.compiler) {
        let _ = writeln!(text, "{name}: see below");
        let path = Path::new("/usr/share/doc").join(package).join("copyright");
        add(read(&path)?, name);
    }
    for (name, path) in NOTICES {
        let _ = writeln!(text, "{name}: see below");
        add(notice(&fs::read_to_string(root().join(path))?), name);
    }
    let _ = writeln!(
        text,
        "Rust's standard library: MIT OR Apache-2.0 (https://github.com/rust-lang/rust)"
    );
    for name in ["Apache-2.0", "BSD"] {
        let path = Path::new("/usr/share/common-licenses").join(name);
        add(read(&path)?, &format!("texts that others refer to: {}", path.display()));
    }
    let mut bodies: Vec<(String, Vec<String>)> = bodies.into_iter().collect();
    bodies.sort_by(|a, b| a.1.cmp(&b.1));
    for (body, of) in bodies {
        let _ = write!(text, "\n{}\n{}\n{0}\n\n{body}", "=".repeat(80), of.join(", "));
        if !body.ends_with('\n') {
            text.push('\n');
        }
    }
    Ok(text)
}

/// The crates from outside that a system's files are built of; macros and build scripts leave nothing of theirs in them.
fn crates(system: System) -> Result<BTreeSet<Crate>> {
    let mut command = cargo();
    command.args(["tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none"]);
    command.args(["--target", system.target(), "--format", "{p}|{l}|{r}"]);
    for staged in system.staged() {
        command.args(["--package", staged.package]);
    }
    let listed = quiet(&mut command, LIMIT)?.stdout;
    Ok(listed.lines().filter_map(parse).collect())
}

/// A line of cargo's; none for crates of this repository.
fn parse(line: &str) -> Option<Crate> {
    let mut parts = line.trim_end_matches("(*)").trim().split('|');
    let (package, licence, home) = (parts.next()?, parts.next()?, parts.next()?);
    if package.contains('(') {
        return None;
    }
    let (name, version) = package.split_once(" v")?;
    Some(Crate {
        folder: format!("{name}-{version}"),
        licence: licence.to_owned(),
        home: home.trim().to_owned(),
    })
}

/// The folders in which cargo keeps the sources of crates.
fn sources() -> Result<Vec<PathBuf>> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let folder = home.ok_or("neither CARGO_HOME nor HOME is set")?.join("registry/src");
    let entries =
        fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

/// The texts that lie in a crate. Some have none, and name their licence only.
fn crate_texts(sources: &[PathBuf], folder: &str) -> Result<Vec<String>> {
    let found = sources.iter().map(|source| source.join(folder)).find(|path| path.exists());
    let found = found.ok_or_else(|| format!("the sources of {folder} are not there"))?;
    let mut texts = Vec::new();
    for folder in std::iter::once(found.clone()).chain(INNER.iter().map(|inner| found.join(inner)))
    {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.is_file() && is_licence(file)) {
            texts.push(read(file)?);
        }
    }
    Ok(texts)
}

fn is_licence(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
    ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"]
        .iter()
        .any(|start| name.starts_with(start))
}

fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).replace('\r', ""))
}

/// The first comment of a source, or all of a text.
fn notice(source: &str) -> String {
    if !source.starts_with("//") {
        return source.to_owned();
    }
    let comment = source.lines().map_while(|line| line.strip_prefix("//"));
    let words = comment.map(|line| line.trim_start_matches('!').trim());
    words.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_of_others_are_listed() {
        let wanted = Crate {
            folder: "a-b-1.2.3+c".to_owned(),
            licence: "MIT/Apache-2.0".to_owned(),
            home: "https://example.org/a".to_owned(),
        };
        let line = "a-b v1.2.3+c|MIT/Apache-2.0|https://example.org/a";
        assert_eq!(parse(line).as_ref(), Some(&wanted));
        assert_eq!(parse(&format!("{line} (*)")).as_ref(), Some(&wanted));
        assert_eq!(parse("zluda v0.1.0 (/a/zluda)|MIT|"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn notices_are_the_first_comment() {
        assert_eq!(notice("//! A\n//!\n//! b\n\nuse c;\n// d\n"), "A\n\nb\n");
        for (name, path) in NOTICES {
            let text = notice(&fs::read_to_string(root().join(path)).unwrap());
            assert!(text.contains("Copyright (c)") && text.contains("AS IS"), "{name}: {text}");
        }
    }
}
