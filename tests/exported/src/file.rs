//! The files of built libraries, as a test finds them.

use std::path::{Path, PathBuf};

fn of_this_test() -> PathBuf {
    std::env::current_exe().expect("a test knows its own file")
}

/// The file that cargo built for the tests of a package, beside which there is no driver.
pub fn built(name: &str) -> PathBuf {
    of_this_test().with_file_name(name)
}

/// A file of the staged folder, where the driver lies too.
pub fn staged(name: &str) -> PathBuf {
    let test = of_this_test();
    let profile = test.parent().and_then(Path::parent).expect("target/<profile>/deps");
    let path = profile.join("zluda").join(name);
    assert!(path.exists(), "{} is not there: run `./x build` first", path.display());
    path
}
