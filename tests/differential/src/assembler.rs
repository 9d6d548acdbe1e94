//! NVIDIA's assembler, which makes machine code of PTX.

use std::path::{Path, PathBuf};
use std::process::Command;

/// `ptxas`, with a folder for its files.
pub struct Assembler {
    ptxas: PathBuf,
    /// `sm_80`
    architecture: String,
    /// Of optimisation, 0 to 3.
    level: u32,
    folder: tempfile::TempDir,
}

impl Assembler {
    pub fn new(ptxas: &Path, architecture: &str, level: u32) -> Self {
        let (ptxas, architecture) = (ptxas.to_owned(), architecture.to_owned());
        Self { ptxas, architecture, level, folder: tempfile::tempdir().unwrap() }
    }

    /// The cubin of a module for any target; none where the assembler makes none.
    pub fn assemble(&self, text: &str) -> Option<Vec<u8>> {
        let (before, rest) = text.split_once(".target ")?;
        let (_, after) = rest.split_once('\n')?;
        let [from, to] = ["module.ptx", "module.cubin"].map(|name| self.folder.path().join(name));
        let architecture = &self.architecture;
        std::fs::write(&from, format!("{before}.target {architecture}\n{after}")).unwrap();
        let mut command = Command::new(&self.ptxas);
        command.args(["-arch", architecture, &format!("-O{}", self.level)]);
        command.arg(&from).arg("-o").arg(&to);
        let output = command.output().unwrap();
        output.status.success().then(|| std::fs::read(&to).unwrap())
    }
}
