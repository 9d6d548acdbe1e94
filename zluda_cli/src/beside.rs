//! `zluda install` and `zluda remove`: the driver in a program's own folder, where Windows looks first, and the libraries above
//! it that programs and DLLs there name.

#[cfg(windows)]
pub use command::{Options, install, remove};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use zluda_staged::{LIBRARIES, OPENED_WINDOWS, windows_file, windows_stub};

/// What is installed, a line each: the name, the size and the time of the file, and whether another one was there.
const LIST: &str = "zluda_installed.txt";
/// What a file is called meanwhile that was there before.
const KEPT: &str = "before_zluda";

#[cfg(windows)]
mod command {
    use super::*;
    use crate::{Failure, staged};
    use std::process::ExitCode;
    use zluda_staged::{CPU_PROVIDER, DRIVER};

    #[derive(clap::Args)]
    pub struct Options {
        /// The folder of the program
        folder: PathBuf,
    }

    /// Copies the driver and what it needs into a folder, and prints what lies there then.
    pub fn install(options: &Options) -> Result<ExitCode, Failure> {
        let mut files = vec![PathBuf::from(DRIVER), PathBuf::from(CPU_PROVIDER)];
        files.extend(needed(&options.folder)?);
        let lines = install_from(&staged::folder()?, &files, &options.folder)?;
        print(&lines)
    }

    /// Removes what was installed, and puts back what was there before.
    pub fn remove(options: &Options) -> Result<ExitCode, Failure> {
        print(&remove_from(&options.folder)?)
    }

    fn print(lines: &[String]) -> Result<ExitCode, Failure> {
        for line in lines {
            println!("{line}");
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Our files for what programs and DLLs of a folder name of NVIDIA's, beside the driver.
fn needed(folder: &Path) -> Result<BTreeSet<PathBuf>, String> {
    let mut needed = BTreeSet::new();
    let entries = fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_code = path.extension().is_some_and(|extension| {
            ["exe", "dll", "pyd"].iter().any(|known| extension.eq_ignore_ascii_case(known))
        });
        if !is_code || !path.is_file() {
            continue;
        }
        let bytes = fs::read(&path).map_err(|error| failed(&path, &error))?;
        for name in std::iter::once(name).chain(names_of_dlls(&bytes)) {
            if let Some(stub) = windows_stub(&name)
                && let Some(library) = stub.windows_library()
            {
                needed.insert(Path::new(LIBRARIES).join(stub.windows_name()));
                needed.insert(library.name.into());
                let opened = OPENED_WINDOWS.iter().filter(|(opens, _)| *opens == library.name);
                needed.extend(opened.map(|(_, opened)| PathBuf::from(opened)));
            } else if let Some(staged) = windows_file(&name) {
                needed.insert(staged.name.into());
            }
        }
    }
    needed.remove(Path::new(zluda_staged::DRIVER_WINDOWS));
    Ok(needed)
}

/// The names of DLLs that lie in a file as texts, of 8 bits or of 16 a letter: those of import tables, and those that its code
/// loads by their names.
fn names_of_dlls(bytes: &[u8]) -> BTreeSet<String> {
    let mut names = narrow_names(bytes);
    for start in [0, 1] {
        let halves: Vec<u8> = bytes.iter().skip(start).step_by(2).copied().collect();
        names.extend(narrow_names(&halves));
    }
    names
}

fn narrow_names(bytes: &[u8]) -> BTreeSet<String> {
    const END: &[u8] = b".dll";
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let ends =
        bytes.windows(END.len()).enumerate().filter(|(_, end)| end.eq_ignore_ascii_case(END));
    let names = ends.map(|(end, _)| {
        let length = bytes[..end].iter().rev().take_while(|byte| is_of_name(byte)).count();
        &bytes[end - length..end + END.len()]
    });
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Copies files of ours, of its folder or one below it.
fn install_from(from: &Path, files: &[PathBuf], to: &Path) -> Result<Vec<String>, String> {
    if to.join(LIST).exists() {
        // The list knows what was there first.
        remove_from(to)?;
    }
    let (mut list, mut lines) = (String::new(), Vec::new());
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let (source, target) = (from.join(file), to.join(&*name));
        let was_there = target.exists();
        if was_there {
            fs::rename(&target, kept(&target)).map_err(|error| failed(&target, &error))?;
        }
        fs::copy(&source, &target).map_err(|error| failed(&target, &error))?;
        list += &format!("{name}\t{}\t{}\n", stamp(&target)?, if was_there { KEPT } else { "new" });
        // Whatever comes next, this much can be removed.
        let path = to.join(LIST);
        fs::write(&path, &list).map_err(|error| failed(&path, &error))?;
        let before =
            if was_there { format!("; what was there is {name}.{KEPT}") } else { String::new() };
        lines.push(format!("installed {}{before}", target.display()));
    }
    Ok(lines)
}

fn remove_from(folder: &Path) -> Result<Vec<String>, String> {
    let path = folder.join(LIST);
    let list = fs::read_to_string(&path).map_err(|error| {
        format!("nothing of ZLUDA is installed there: {}", failed(&path, &error))
    })?;
    let mut lines = Vec::new();
    for line in list.lines() {
        let [name, known, before] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("{} is damaged", path.display()));
        };
        // The list may have been changed: it names files of the folder only.
        if Path::new(name).file_name() != Some(name.as_ref()) {
            return Err(format!("{} is damaged", path.display()));
        }
        let target = folder.join(name);
        if target.exists() && stamp(&target)? != known {
            lines.push(format!("{} stays: it has changed since", target.display()));
            continue;
        }
        if target.exists() {
            fs::remove_file(&target).map_err(|error| failed(&target, &error))?;
        }
        if before == KEPT {
            fs::rename(kept(&target), &target).map_err(|error| failed(&target, &error))?;
            lines.push(format!("put back {}", target.display()));
        } else {
            lines.push(format!("removed {}", target.display()));
        }
    }
    fs::remove_file(&path).map_err(|error| failed(&path, &error))?;
    Ok(lines)
}

fn kept(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(KEPT);
    name.into()
}

/// The size of a file and when it was changed.
fn stamp(path: &Path) -> Result<String, String> {
    let metadata = fs::metadata(path).map_err(|error| failed(path, &error))?;
    let time = metadata.modified().map_err(|error| failed(path, &error))?;
    let time = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{} {}", metadata.len(), time.as_nanos()))
}

fn failed(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir(&from).unwrap();
        fs::create_dir(&to).unwrap();
        for name in ["a", "b"] {
            fs::write(from.join(name), name.repeat(10)).unwrap();
        }
        (folder, from, to)
    }

    fn files() -> [PathBuf; 2] {
        ["a", "b"].map(PathBuf::from)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_there_comes_back() {
        let (_folder, from, to) = folders();
        fs::write(to.join("a"), "old").unwrap();
        // Twice: the second time, what is there is ours.
        for _ in 0..2 {
            install_from(&from, &files(), &to).unwrap();
            assert_eq!(names(&to), ["a", "a.before_zluda", "b", LIST]);
            assert_eq!(fs::read_to_string(to.join("a")).unwrap(), "a".repeat(10));
        }
        remove_from(&to).unwrap();
        assert_eq!(names(&to), ["a"]);
        assert_eq!(fs::read_to_string(to.join("a")).unwrap(), "old");
        assert!(remove_from(&to).is_err());
    }

    #[test]
    fn a_folder_gets_what_its_programs_name() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
        let wide: Vec<u8> = "x cuRAND64_10.dll".encode_utf16().flat_map(u16::to_le_bytes).collect();
        write(
            "app.exe",
            &[&b"\0cufft64_12.DLL\0nvcuda.dll\0kernel32.dll\0.dll"[..], &*wide].concat(),
        );
        // No program; one that is nobody's; a library of NVIDIA's own.
        write("notes.txt", b"curand64_10.dll");
        write("odd.dll", &[&b"\0"[..], &*wide].concat());
        write("cufft64_11.dll", b"");
        write("tool.exe", b"nvml.dll\0cudnn64_8.dll\0");
        let found: Vec<_> = needed(folder.path()).unwrap().into_iter().collect();
        let below = |name: &str| Path::new(LIBRARIES).join(name);
        let wanted = [
            below("cudnn64_8.dll"),
            below("cufft64_11.dll"),
            below("cufft64_12.dll"),
            below("curand64_10.dll"),
            "nvml.dll".into(),
            "zluda_dnn.dll".into(),
            "zluda_dnn8.dll".into(),
            "zluda_fft.dll".into(),
            "zluda_rand.dll".into(),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn what_has_changed_stays() {
        let (_folder, from, to) = folders();
        install_from(&from, &files(), &to).unwrap();
        fs::write(to.join("b"), "another").unwrap();
        let lines = remove_from(&to).unwrap();
        assert!(lines[1].contains("stays"), "{lines:?}");
        assert_eq!(names(&to), ["b"]);
    }

    #[test]
    fn a_list_that_leads_elsewhere_removes_nothing() {
        let (folder, _, to) = folders();
        fs::write(folder.path().join("c"), "").unwrap();
        let stamp = stamp(&folder.path().join("c")).unwrap();
        fs::write(to.join(LIST), format!("../c\t{stamp}\tnew\n")).unwrap();
        assert!(remove_from(&to).is_err());
        assert!(folder.path().join("c").exists());
    }
}
