//! What the staged libraries ask of the system: the libraries that they need, and of which version.

use crate::Result;
use object::Endianness;
use object::elf::DT_NEEDED;
use object::read::elf::{Dyn, ElfFile64};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A library of the system and the Debian package that has it.
const PACKAGES: &[(&str, &str)] = &[
    ("libc.so.6", "libc6"),
    ("libm.so.6", "libc6"),
    ("libdl.so.2", "libc6"),
    ("libpthread.so.0", "libc6"),
    ("ld-linux-x86-64.so.2", "libc6"),
    ("libgcc_s.so.1", "libgcc-s1"),
];

/// Libraries that are needed, each with the versions of its symbols.
#[derive(Debug, Default)]
pub struct Needs {
    libraries: BTreeMap<String, BTreeSet<String>>,
}

impl Needs {
    /// What all ELF files of a folder need, but for what lies there itself.
    pub fn of_folder(folder: &Path) -> Result<Needs> {
        let (mut needs, mut own) = (Needs::default(), BTreeSet::new());
        needs.add(folder, &mut own)?;
        needs.libraries.retain(|name, _| !own.contains(name));
        Ok(needs)
    }

    fn add(&mut self, folder: &Path, own: &mut BTreeSet<String>) -> Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.add(&entry.path(), own)?;
            } else if kind.is_file() {
                own.insert(entry.file_name().to_string_lossy().into_owned());
                let bytes = fs::read(entry.path())?;
                if bytes.starts_with(b"\x7fELF") {
                    self.read(&bytes)
                        .map_err(|error| format!("{}: {error}", entry.path().display()))?;
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, bytes: &[u8]) -> object::Result<()> {
        let file = ElfFile64::<Endianness>::parse(bytes)?;
        let (endian, sections) = (file.endian(), file.elf_section_table());
        if let Some((entries, strings)) = sections.dynamic(endian, bytes)? {
            let strings = sections.strings(endian, bytes, strings)?;
            for entry in entries.iter().filter(|entry| entry.tag32(endian) == Some(DT_NEEDED)) {
                let name = String::from_utf8_lossy(entry.string(endian, strings)?).into_owned();
                self.libraries.entry(name).or_default();
            }
        }
        let Some((mut files, strings)) = sections.gnu_verneed(endian, bytes)? else {
            return Ok(());
        };
        let strings = sections.strings(endian, bytes, strings)?;
        while let Some((library, mut versions)) = files.next()? {
            let name = String::from_utf8_lossy(library.file(endian, strings)?).into_owned();
            let found = self.libraries.entry(name).or_default();
            while let Some(version) = versions.next()? {
                found.insert(String::from_utf8_lossy(version.name(endian, strings)?).into_owned());
            }
        }
        Ok(())
    }

    /// Debian's packages, as a field `Depends` has them.
    pub fn debian(&self) -> Result<String> {
        let mut packages: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (library, versions) in &self.libraries {
            let (_, package) = PACKAGES
                .iter()
                .find(|(name, _)| name == library)
                .ok_or_else(|| format!("{library} is of no known package"))?;
            let newest = versions.iter().filter_map(|version| numbers(version)).max();
            let known = packages.entry(package).or_default();
            *known = newest.into_iter().chain([std::mem::take(known)]).max().unwrap_or_default();
        }
        let field = packages.into_iter().map(|(package, version)| {
            let version: Vec<String> = version.iter().map(u32::to_string).collect();
            if version.is_empty() {
                package.to_owned()
            } else {
                format!("{package} (>= {})", version.join("."))
            }
        });
        Ok(field.collect::<Vec<_>>().join(", "))
    }

    /// The platform of a wheel (PEP 600): the C library's version, and nothing that a Linux may lack.
    pub fn manylinux(&self) -> Result<String> {
        if let Some(other) =
            self.libraries.keys().find(|library| PACKAGES.iter().all(|(name, _)| name != library))
        {
            return Err(format!("{other} is not there on every Linux").into());
        }
        let versions = self.libraries.values().flatten();
        let of_the_c_library = versions.filter(|version| version.starts_with("GLIBC_"));
        match of_the_c_library.filter_map(|version| numbers(version)).max().as_deref() {
            Some([major, minor, ..]) => Ok(format!("manylinux_{major}_{minor}_x86_64")),
            _ => Err("the version of the C library is not known".into()),
        }
    }
}

/// The numbers of a version such as `GLIBC_2.34`; none for names such as `GLIBC_PRIVATE`.
fn numbers(version: &str) -> Option<Vec<u32>> {
    let (_, numbers) = version.split_once('_')?;
    numbers.split('.').map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(of: &[(&str, &[&str])]) -> Needs {
        let libraries = of.iter().map(|(library, versions)| {
            ((*library).to_owned(), versions.iter().map(|&version| version.to_owned()).collect())
        });
        Needs { libraries: libraries.collect() }
    }

    #[test]
    fn the_newest_version_counts() {
        let needs = needs(&[
            ("libc.so.6", &["GLIBC_2.9", "GLIBC_2.34", "GLIBC_2.2.5"]),
            ("libm.so.6", &["GLIBC_2.35"]),
            ("libgcc_s.so.1", &["GCC_3.0", "GCC_4.2.0"]),
            ("ld-linux-x86-64.so.2", &[]),
        ]);
        assert_eq!(needs.debian().unwrap(), "libc6 (>= 2.35), libgcc-s1 (>= 4.2.0)");
        assert_eq!(needs.manylinux().unwrap(), "manylinux_2_35_x86_64");
    }

    #[test]
    fn what_no_table_has_is_an_error() {
        let needs = needs(&[("libc.so.6", &["GLIBC_2.34"]), ("libstdc++.so.6", &["GLIBCXX_3.4"])]);
        assert!(needs.debian().is_err() && needs.manylinux().is_err());
    }

    #[test]
    fn a_program_of_this_system_needs_its_c_library() {
        let folder = tempfile::tempdir().unwrap();
        fs::copy("/proc/self/exe", folder.path().join("program")).unwrap();
        let needs = Needs::of_folder(folder.path()).unwrap();
        assert!(!needs.libraries["libc.so.6"].is_empty(), "{needs:?}");
    }
}
