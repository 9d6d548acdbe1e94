//! NVIDIA's assembler, which makes machine code of PTX.

use std::path::{Path, PathBuf};
use std::process::Command;

/// `ptxas`, with a folder for its files.
pub struct Assembler {
    ptxas: PathBuf,
    /// Of optimisation, 0 to 3.
    level: u32,
    folder: tempfile::TempDir,
}

impl Assembler {
    pub fn new(ptxas: &Path, level: u32) -> Self {
        Self { ptxas: ptxas.to_owned(), level, folder: tempfile::tempdir().unwrap() }
    }

    /// The cubin for sm_80 of a module for any target; none where the assembler makes none.
    pub fn assemble(&self, text: &str) -> Option<Vec<u8>> {
        let (before, rest) = text.split_once(".target ")?;
        let (_, after) = rest.split_once('\n')?;
        let [from, to] = ["module.ptx", "module.cubin"].map(|name| self.folder.path().join(name));
        std::fs::write(&from, format!("{before}.target sm_80\n{after}")).unwrap();
        let mut command = Command::new(&self.ptxas);
        command.args(["-arch=sm_80", &format!("-O{}", self.level)]).arg(&from).arg("-o").arg(&to);
        let output = command.output().unwrap();
        output.status.success().then(|| std::fs::read(&to).unwrap())
    }
}
