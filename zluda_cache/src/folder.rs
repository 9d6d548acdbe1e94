//! The folder of the cache, and whether it can be trusted: the cache holds code, and who can write to it can run code
//! as this user.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use zluda_common::config::CacheDir;

/// The folder of the cache. `None`: there is to be none, or there is no home to put it in.
pub(crate) fn choose(
    configured: &CacheDir,
    lookup: impl Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    // The XDG base directory specification wants relative paths ignored.
    let absolute = |name: &str| lookup(name).map(PathBuf::from).filter(|path| path.is_absolute());
    match configured {
        CacheDir::Off => None,
        CacheDir::Folder(folder) => Some(folder.clone()),
        CacheDir::User => of_user(absolute).map(|caches| caches.join("zluda")),
    }
}

/// The user's folder for what can be made again.
#[cfg(not(windows))]
fn of_user(absolute: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
}

/// The user's folder for what stays on this machine.
#[cfg(windows)]
fn of_user(absolute: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    absolute("LOCALAPPDATA")
}

/// Makes the folder, for this user alone, if it is not there. An error is the reason not to use it.
pub(crate) fn prepare(folder: &Path) -> Result<(), String> {
    create(folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    check_trusted(folder)
}

#[cfg(unix)]
fn create(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Refuses what others than this user and root can write to.
#[cfg(unix)]
pub(crate) fn check_trusted(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // SAFETY: geteuid has no preconditions.
    let user = unsafe { libc::geteuid() };
    if metadata.uid() != user && metadata.uid() != 0 {
        return Err(format!("{} belongs to another user", path.display()));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(format!(
            "other users can write to {} (mode {:o})",
            path.display(),
            metadata.mode() & 0o7777
        ));
    }
    Ok(())
}

/// Folders of a Windows user are the user's own.
#[cfg(not(unix))]
pub(crate) fn check_trusted(_path: &Path) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(configured: &CacheDir, variables: &[(&str, &str)]) -> Option<PathBuf> {
        choose(configured, |name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[cfg(windows)]
    #[test]
    fn the_cache_lies_among_what_stays_on_this_machine() {
        let variables = [("LOCALAPPDATA", r"C:\Users\a"), ("HOME", r"C:\home")];
        assert_eq!(chosen(&CacheDir::User, &variables), Some(r"C:\Users\a\zluda".into()));
        assert_eq!(chosen(&CacheDir::Folder("c".into()), &variables), Some("c".into()));
        assert_eq!(chosen(&CacheDir::User, &variables[1..]), None);
        assert_eq!(chosen(&CacheDir::User, &[("LOCALAPPDATA", r"Users\a")]), None);
    }

    #[cfg(unix)]
    #[test]
    fn the_configured_folder_comes_first() {
        let variables = [("XDG_CACHE_HOME", "/x"), ("HOME", "/home/a")];
        assert_eq!(chosen(&CacheDir::Folder("/c".into()), &variables), Some("/c".into()));
        assert_eq!(chosen(&CacheDir::Off, &variables), None);
        assert_eq!(chosen(&CacheDir::User, &variables), Some("/x/zluda".into()));
        assert_eq!(chosen(&CacheDir::User, &variables[1..]), Some("/home/a/.cache/zluda".into()));
        assert_eq!(
            chosen(&CacheDir::User, &[("XDG_CACHE_HOME", "x"), ("HOME", "/home/a")]),
            Some("/home/a/.cache/zluda".into())
        );
        assert_eq!(chosen(&CacheDir::User, &[]), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_folder_is_private_and_an_open_one_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().expect("a temporary folder");
        let folder = parent.path().join("a/b");
        assert_eq!(prepare(&folder), Ok(()));
        assert_eq!(fs::metadata(&folder).expect("it is there").permissions().mode() & 0o777, 0o700);
        for mode in [0o770, 0o702, 0o1777] {
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode))
                .expect("the folder is ours");
            let reason = prepare(&folder).expect_err("others can write");
            assert!(reason.starts_with("other users can write to "), "{reason}");
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))
            .expect("the folder is ours");
        assert_eq!(prepare(&folder), Ok(()));
    }
}
