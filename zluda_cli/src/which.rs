//! Which driver a program of Windows would load: where the system looks for a DLL that is named without a folder, and whose
//! file lies there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use zluda_staged::DRIVER_WINDOWS;

/// A variable's name that only files of ours have in them.
const MARK: &[u8] = b"ZLUDA_CACHE_DIR";

/// What the order of folders follows from.
#[derive(Debug)]
pub struct Places<'a> {
    /// That of the program's file; none where no program is named.
    pub program: Option<&'a Path>,
    pub windows: &'a Path,
    /// The working directory.
    pub here: &'a Path,
    /// The value of `PATH`.
    pub path: &'a OsStr,
}

impl Places<'_> {
    /// The folders, the first one first: "Dynamic-link library search order" of Microsoft's, in the safe mode that is the
    /// default.
    fn folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = self.program.map(Path::to_owned).into_iter().collect();
        folders.extend(["System32", "System"].map(|name| self.windows.join(name)));
        folders.extend([self.windows, self.here].map(Path::to_owned));
        folders.extend(std::env::split_paths(self.path));
        folders
    }

    /// The driver's file that is found first.
    pub fn driver(&self) -> Option<PathBuf> {
        self.folders()
            .into_iter()
            .map(|folder| folder.join(DRIVER_WINDOWS))
            .find(|path| path.is_file())
    }
}

/// Whose driver a file is, told beside our own.
pub fn whose(file: &Path, own: &Path) -> &'static str {
    match (std::fs::read(file), std::fs::read(own)) {
        (Ok(bytes), Ok(own)) if bytes == own => "this ZLUDA's",
        (Ok(bytes), _) if bytes.windows(MARK.len()).any(|window| window == MARK) => {
            "another ZLUDA's"
        }
        (Ok(_), _) => "not ZLUDA's",
        (Err(_), _) => "which cannot be read",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_folder_of_the_program_comes_first_and_the_search_path_last() {
        let root = tempfile::tempdir().unwrap();
        let of = |name: &str| root.path().join(name);
        let names = ["app", "windows/System32", "here", "late"];
        for name in names {
            fs::create_dir_all(of(name)).unwrap();
        }
        let (app, windows, here, late) = (of("app"), of("windows"), of("here"), of("late"));
        let places =
            |program| Places { program, windows: &windows, here: &here, path: late.as_os_str() };
        assert_eq!(places(Some(&*app)).driver(), None);
        let found: Vec<_> = names
            .iter()
            .rev()
            .map(|name| {
                fs::write(of(name).join(DRIVER_WINDOWS), "").unwrap();
                places(Some(&*app)).driver() == Some(of(name).join(DRIVER_WINDOWS))
            })
            .collect();
        assert_eq!(found, [true; 4]);
        assert_eq!(places(None).driver(), Some(of("windows/System32").join(DRIVER_WINDOWS)));
    }

    #[test]
    fn drivers_of_others_are_told_from_ours() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let own = write("own", b"..ZLUDA_CACHE_DIR..1");
        assert_eq!(whose(&write("copy", b"..ZLUDA_CACHE_DIR..1"), &own), "this ZLUDA's");
        assert_eq!(whose(&write("older", b"..ZLUDA_CACHE_DIR.."), &own), "another ZLUDA's");
        assert_eq!(whose(&write("nvidia", b"MZ"), &own), "not ZLUDA's");
        assert_eq!(whose(&folder.path().join("none"), &own), "which cannot be read");
    }
}
