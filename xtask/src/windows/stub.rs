//! DLLs that have a name of NVIDIA's, and no code but what an entry needs: their exports are those of ours, whose name the
//! loader reads in their place ("forwarders").

use super::mingw;
use crate::Result;
use crate::program::quiet;
use object::read::pe::PeFile64;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// What the loader calls when it has loaded one.
const ENTRY: &str = "int entry(void *module, unsigned reason, void *reserved) { return 1; }\n";

/// Makes the stub of a name, whose library lies in the staged folder.
pub fn make(name: &str, library: &str, staged: &Path, libraries: &Path) -> Result<()> {
    let exports = exports(&staged.join(library))?;
    let folder = tempfile::tempdir()?;
    let [definitions, source] = ["stub.def", "entry.c"].map(|file| folder.path().join(file));
    fs::write(&definitions, forwarders(name, library, &exports))?;
    fs::write(&source, ENTRY)?;
    let unfinished = libraries.join(name).with_extension("unfinished");
    let mut compiler = mingw("gcc-posix");
    compiler.args(["-shared", "-nostdlib", "-s", "-Wl,--entry=entry"]).arg(&source);
    compiler.arg(&definitions).arg("-o").arg(&unfinished);
    quiet(&mut compiler, Duration::from_secs(60))?;
    Ok(fs::rename(&unfinished, libraries.join(name))?)
}

/// A module definition: each export leads to that of the library.
fn forwarders(name: &str, library: &str, exports: &[String]) -> String {
    let of = library.strip_suffix(".dll").unwrap_or(library);
    let mut text = format!("LIBRARY \"{name}\"\nEXPORTS\n");
    for export in exports {
        let _ = writeln!(text, "{export} = {of}.{export}");
    }
    text
}

/// The names of a DLL's exports.
fn exports(dll: &Path) -> Result<Vec<String>> {
    let bytes = fs::read(dll).map_err(|error| format!("{}: {error}", dll.display()))?;
    let table = PeFile64::parse(&*bytes)?.export_table()?;
    let mut names = Vec::new();
    for (name, _) in table.iter().flat_map(|table| table.name_iter()) {
        let name = table.as_ref().map(|table| table.name_from_pointer(name)).transpose()?;
        names.extend(name.map(|name| String::from_utf8_lossy(name).into_owned()));
    }
    if names.is_empty() { Err(format!("{}: no exports", dll.display()).into()) } else { Ok(names) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_lead_to_the_library() {
        let exports = ["cufftPlan1d", "cufftDestroy"].map(str::to_owned);
        assert_eq!(
            forwarders("cufft64_12.dll", "zluda_fft.dll", &exports),
            "LIBRARY \"cufft64_12.dll\"\nEXPORTS\ncufftPlan1d = zluda_fft.cufftPlan1d\n\
             cufftDestroy = zluda_fft.cufftDestroy\n"
        );
    }
}
