//! The CUDA programs under `samples/`.
//!
//! A sample checks its own results: it ends with status 0 and prints `PASS <name>`. Lines at its top of the
//! form `// sample: key = value` say more: `flags` are further flags for nvcc, `stderr` is a text that must
//! appear on standard error. The lines of a file `<name>.stdout` beside it must appear on standard output,
//! in their order.

use crate::program::{Output, quiet};
use crate::repository::{files, make, root, stem, target};
use crate::toolkit::Cuda;
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// nvcc is slow on a busy machine.
const COMPILE_LIMIT: Duration = Duration::from_secs(600);

/// PTX alone, as every machine with an NVIDIA GPU would have to compile it too.
const ARCHITECTURE: [&str; 2] = ["-arch=compute_75", "-code=compute_75"];

/// A program and what it promises.
#[derive(Clone, Debug)]
pub struct Sample {
    pub name: String,
    source: PathBuf,
    flags: Vec<String>,
    stderr: Vec<String>,
    stdout: Vec<String>,
}

/// How a sample is bound to CUDA's runtime library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    Static,
    Shared,
}

impl Runtime {
    pub fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Shared => "shared",
        }
    }
}

/// All samples whose name contains `filter`.
pub fn all(filter: &str) -> Result<Vec<Sample>> {
    let samples = files(&root().join("samples"), "cu")?;
    samples
        .iter()
        .filter(|path| stem(path).contains(filter))
        .map(|path| Sample::read(path))
        .collect()
}

impl Sample {
    fn read(source: &Path) -> Result<Self> {
        let text = fs::read_to_string(source)?;
        let mut sample = Self {
            name: stem(source),
            source: source.to_owned(),
            flags: Vec::new(),
            stderr: Vec::new(),
            stdout: Vec::new(),
        };
        for line in text.lines().filter_map(|line| line.strip_prefix("// sample:")) {
            match line.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
                Some(("flags", value)) => {
                    sample.flags.extend(value.split_whitespace().map(str::to_owned))
                }
                Some(("stderr", value)) => sample.stderr.push(value.to_owned()),
                _ => {
                    return Err(
                        format!("{}: unknown line `// sample:{line}`", source.display()).into()
                    );
                }
            }
        }
        let stdout = source.with_extension("stdout");
        if stdout.exists() {
            sample.stdout = fs::read_to_string(stdout)?.lines().map(str::to_owned).collect();
        }
        Ok(sample)
    }

    fn folder(cuda: &Cuda) -> PathBuf {
        target().join("samples").join(cuda.version)
    }

    /// The program that [`build`](Self::build) makes.
    pub fn program(&self, cuda: &Cuda, runtime: Runtime) -> PathBuf {
        Self::folder(cuda).join(runtime.name()).join(&self.name)
    }

    /// The kernels' PTX, which [`build_ptx`](Self::build_ptx) makes.
    pub fn ptx(&self, cuda: &Cuda) -> PathBuf {
        Self::folder(cuda).join("ptx").join(&self.name).with_extension("ptx")
    }

    /// Compiles the sample, and links it with both kinds of runtime library.
    pub fn build(&self, cuda: &Cuda) -> Result<()> {
        let object = Self::folder(cuda).join("object").join(&self.name).with_extension("o");
        if self.outdated(&object)? {
            self.compile(cuda, &["-c"], &object)?;
        }
        for runtime in [Runtime::Static, Runtime::Shared] {
            let program = self.program(cuda, runtime);
            if self.outdated(&program)? {
                self.nvcc(cuda, &["-cudart", runtime.name()], &object, &program)?;
            }
        }
        Ok(())
    }

    /// Compiles the kernels to PTX text.
    pub fn build_ptx(&self, cuda: &Cuda) -> Result<()> {
        let ptx = self.ptx(cuda);
        if self.outdated(&ptx)? { self.compile(cuda, &["-ptx"], &ptx) } else { Ok(()) }
    }

    fn compile(&self, cuda: &Cuda, arguments: &[&str], to: &Path) -> Result<()> {
        let flags = self.flags.iter().map(String::as_str);
        let arguments: Vec<&str> = ["-std=c++17", "-O3"]
            .into_iter()
            .chain(arguments.iter().copied())
            .chain(flags)
            .collect();
        self.nvcc(cuda, &arguments, &self.source, to)
    }

    fn nvcc(&self, cuda: &Cuda, arguments: &[&str], from: &Path, to: &Path) -> Result<()> {
        make(to.parent().unwrap_or(to))?;
        // -ptx takes a virtual architecture alone.
        let architecture =
            if arguments.contains(&"-ptx") { &ARCHITECTURE[..1] } else { &ARCHITECTURE[..] };
        let unfinished = to.with_file_name(format!("{}.unfinished", self.name));
        let mut command = Command::new(cuda.nvcc());
        command.args(architecture).args(arguments).arg("-o").arg(&unfinished).arg(from);
        quiet(&mut command, COMPILE_LIMIT)
            .map_err(|error| -> Error { format!("{}: {error}", self.name).into() })?;
        fs::rename(&unfinished, to)?;
        Ok(())
    }

    /// Whether `product` is older than the sample's sources.
    fn outdated(&self, product: &Path) -> Result<bool> {
        let Ok(made) = modified(product) else { return Ok(true) };
        let header = self.source.with_file_name("sample.h");
        Ok(modified(&self.source)? > made || modified(&header)? > made)
    }

    /// What is wrong with a run of the sample. Empty: nothing.
    pub fn check(&self, output: &Output) -> Vec<String> {
        let mut problems = Vec::new();
        if !output.success() {
            problems.push("it did not end with status 0".to_owned());
        }
        let pass = format!("PASS {}", self.name);
        if !output.stdout.lines().any(|line| line == pass) {
            problems.push(format!("it did not print `{pass}`"));
        }
        let mut lines = output.stdout.lines();
        if let Some(missing) =
            self.stdout.iter().find(|wanted| !lines.any(|line| line == wanted.as_str()))
        {
            problems.push(format!(
                "this line of {}.stdout is missing or in another place: {missing}",
                self.name
            ));
        }
        for text in self.stderr.iter().filter(|text| !output.stderr.contains(text.as_str())) {
            problems.push(format!("standard error does not say: {text}"));
        }
        problems
    }
}

/// The lines `<what> <16 hexadecimal digits>` of a run: hashes of results, equal from run to run.
pub fn hashes(output: &Output) -> Vec<&str> {
    let is_hash =
        |word: &str| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    output
        .stdout
        .lines()
        .filter(|line| line.rsplit_once(' ').is_some_and(|(_, word)| is_hash(word)))
        .collect()
}

fn modified(path: &Path) -> Result<SystemTime> {
    fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .map_err(|error| format!("{}: {error}", path.display()).into())
}
