//! Which file of ours a program gets in place of a DLL.

use std::path::{Path, PathBuf};

use zluda_staged::{LIBRARIES, choose, windows_file, windows_stub};

/// A file of ours that has the name of a DLL of NVIDIA's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ours {
    /// The library that does the work, which the file's exports lead to: it has to be in the process first.
    pub library: Option<PathBuf>,
    pub file: PathBuf,
}

/// Our files, in a folder, and whose libraries above the driver the program gets.
#[derive(Clone, Debug)]
pub struct Names {
    pub folder: PathBuf,
    /// Whether it gets ours although NVIDIA's may be there.
    prefer_own: bool,
    /// Whether it gets ours where NVIDIA's are not there.
    instead: bool,
}

impl Names {
    /// As the environment of this process says it.
    pub fn new(folder: &Path) -> Names {
        let [libraries, capability] = ["ZLUDA_LIBRARIES", "ZLUDA_CC"]
            .map(|name| std::env::var_os(name).map(|value| value.into_encoded_bytes()));
        Names::chosen(folder, choose(libraries.as_deref(), capability.as_deref()))
    }

    fn chosen(folder: &Path, (prefer_own, instead): (bool, bool)) -> Names {
        Names { folder: folder.to_owned(), prefer_own, instead }
    }

    /// Ours in place of a DLL; none for DLLs that are not NVIDIA's, and for those of NVIDIA's that the program is to have.
    pub fn ours(&self, name: &str) -> Option<Ours> {
        if let Some(staged) = windows_file(name) {
            return Some(Ours { library: None, file: self.folder.join(staged.name) });
        }
        self.library(name).filter(|_| self.prefer_own)
    }

    /// Ours in place of a library above the driver that is not there.
    pub fn instead(&self, name: &str) -> Option<Ours> {
        self.library(name).filter(|_| self.instead)
    }

    /// A folder may have been left without it.
    fn library(&self, name: &str) -> Option<Ours> {
        let stub = windows_stub(name)?;
        let library = self.folder.join(stub.windows_library()?.name);
        let file = self.folder.join(LIBRARIES).join(stub.windows_name());
        (library.exists() && file.exists()).then_some(Ours { library: Some(library), file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn libraries_are_ours_where_they_are_there_and_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::create_dir(folder.join(LIBRARIES)).unwrap();
        for name in ["zluda_fft.dll", "libraries/cufft64_12.dll", "libraries/curand64_10.dll"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let fft = Ours {
            library: Some(folder.join("zluda_fft.dll")),
            file: folder.join(LIBRARIES).join("cufft64_12.dll"),
        };
        let names = |choice| Names::chosen(folder, choice);
        let own = names((true, true));
        assert_eq!(own.ours(r"C:\app\CUFFT64_12.DLL"), Some(fft.clone()));
        assert_eq!(own.ours("cufft64_12"), Some(fft.clone()));
        // Its stub is not there; its library is not.
        assert_eq!(own.ours("cufft64_11.dll"), None);
        assert_eq!(own.ours("curand64_10.dll"), None);
        assert_eq!(own.ours("kernel32.dll"), None);
        let auto = names((false, true));
        assert_eq!(auto.ours("cufft64_12.dll"), None);
        assert_eq!(auto.instead("cufft64_12.dll"), Some(fft));
        assert_eq!(names((false, false)).instead("cufft64_12.dll"), None);
        // The driver is always ours.
        let driver = names((false, false)).ours("NVCUDA");
        assert_eq!(driver.map(|ours| ours.file), Some(folder.join("nvcuda.dll")));
    }
}
