//! Kernels that went through machine code and back, as texts that NVIDIA's own driver takes: it runs them beside the originals.

use std::path::Path;
use std::process::Command;

use differential::assembler::Assembler;

/// The newest version that the drivers of CUDA 13.0 take; nothing of newer ones is in what is lifted.
const VERSION: &str = ".version 9.0";

/// The PTX that `zluda compile` lifts the code of a kernel to, without what is for our own compiler alone. Fails with the
/// reason why there is none.
pub fn lifted(zluda: &Path, assembler: &Assembler, text: &str) -> Result<String, String> {
    let cubin = assembler.assemble(text).ok_or("ptxas makes no code of it")?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let [from, to] = ["kernel.cubin", "kernel.ptx"].map(|name| folder.path().join(name));
    std::fs::write(&from, cubin).map_err(|error| error.to_string())?;
    let output = Command::new(zluda)
        .arg("compile")
        .arg(&from)
        .args(["--emit", "ptx", "-o"])
        .arg(&to)
        .output()
        .map_err(|error| format!("{}: {error}", zluda.display()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = std::fs::read_to_string(&to).map_err(|error| error.to_string())?;
    let own = |line: &&str| !line.trim_start().starts_with(".pragma ");
    let mut lines = text.lines().filter(own);
    let newer = lines.next().filter(|line| line.starts_with(".version "));
    newer.ok_or("it does not begin with a version")?;
    Ok(std::iter::once(VERSION).chain(lines).fold(String::new(), |text, line| text + line + "\n"))
}
