//! The CUDA programs under `samples/`.
//!
//! A sample is a file `<name>.cu`, a file `<name>.c` that uses the Driver API alone, or a folder of `.cu`
//! files, of which `main.cu` speaks for all. It checks its own results: it ends with status 0 and prints
//! `PASS <name>`. Lines at its top of the form `// sample: key = value` say more:
//!
//! - `flags`: further flags for nvcc.
//! - `arch`: the virtual architecture to compile for.
//! - `libraries`: libraries to link with.
//! - `stderr`: a text that must appear on standard error.
//! - `alone`: why the program cannot share a process with others.
//! - `race`: why the program is not run with `ZLUDA_CHAOS`.
//! - `cpu`: why the program does not run on AMD GPUs.
//! - `long`: why the program is run in fewer ways: once on emulated AMD GPUs, in no pairs and without `ZLUDA_CHAOS`.
//! - `machine_code`: what it shows of machine code: the program is also built without PTX.
//!
//! The lines of a file `<name>.stdout` beside it must appear on standard output, in their order.

use crate::program::{Output, quiet};
use crate::ptx_text::fat_binaries;
use crate::repository::{files, make, root, stem, target};
use crate::toolkit::Cuda;
use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

/// nvcc is slow on a busy machine.
const COMPILE_LIMIT: Duration = Duration::from_secs(600);

/// The oldest that CUDA 13 knows.
const ARCHITECTURE: &str = "compute_75";

/// The architecture of machine code that is lifted, virtual and real.
const LIFTED: [&str; 2] = ["compute_80", "sm_80"];

/// A program and what it promises.
#[derive(Clone, Debug)]
pub struct Sample {
    pub name: String,
    /// The first speaks for all.
    sources: Vec<PathBuf>,
    flags: Vec<String>,
    architecture: String,
    libraries: Vec<String>,
    alone: bool,
    /// It relies on an order that nothing promises.
    pub race: bool,
    /// It does not run on AMD GPUs.
    pub cpu: bool,
    /// It takes so long that not all ways of running it are worth their time.
    pub long: bool,
    /// It is also built without PTX.
    pub machine_code: bool,
    stderr: Vec<String>,
    stdout: Vec<String>,
}

/// The library of CUDA's runtime that a sample is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    Static,
    Shared,
}

impl Runtime {
    /// The name, as nvcc's option `--cudart` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Shared => "shared",
        }
    }
}

/// All samples whose name contains `filter`.
pub fn all(filter: &str) -> Result<Vec<Sample>> {
    let folder = root().join("samples");
    let mut samples = Vec::new();
    for source in files(&folder, "cu")?.into_iter().chain(files(&folder, "c")?) {
        samples.push(Sample::read(stem(&source), vec![source])?);
    }
    for entry in fs::read_dir(&folder)? {
        let folder = entry?.path();
        let main = folder.join("main.cu");
        if main.exists() {
            let others = files(&folder, "cu")?.into_iter().filter(|file| *file != main);
            samples.push(Sample::read(
                stem(&folder),
                std::iter::once(main.clone()).chain(others).collect(),
            )?);
        }
    }
    samples.retain(|sample| sample.name.contains(filter));
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(samples)
}

/// The samples of these names. Fails if one of them is none.
pub fn named(names: &[&str]) -> Result<Vec<Sample>> {
    let mut samples = all("")?;
    samples.retain(|sample| names.contains(&sample.name.as_str()));
    match names.iter().find(|name| !samples.iter().any(|sample| sample.name == **name)) {
        None => Ok(samples),
        Some(name) => Err(format!("there is no sample {name}").into()),
    }
}

impl Sample {
    fn read(name: String, sources: Vec<PathBuf>) -> Result<Self> {
        let source = sources.first().ok_or("a sample without sources")?.clone();
        let text = fs::read_to_string(&source)?;
        let mut sample = Self {
            name,
            sources,
            flags: Vec::new(),
            architecture: ARCHITECTURE.to_owned(),
            libraries: Vec::new(),
            alone: false,
            race: false,
            cpu: false,
            long: false,
            machine_code: false,
            stderr: Vec::new(),
            stdout: Vec::new(),
        };
        for line in text.lines().filter_map(|line| line.strip_prefix("// sample:")) {
            match line.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
                Some(("flags", value)) => {
                    sample.flags.extend(value.split_whitespace().map(str::to_owned))
                }
                Some(("arch", value)) => sample.architecture = value.to_owned(),
                Some(("libraries", value)) => {
                    sample.libraries.extend(value.split_whitespace().map(str::to_owned))
                }
                Some(("alone", _)) => sample.alone = true,
                Some(("race", _)) => sample.race = true,
                Some(("cpu", _)) => sample.cpu = true,
                Some(("long", _)) => sample.long = true,
                Some(("machine_code", _)) => sample.machine_code = true,
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

    /// The kinds of runtime library that the sample is linked with. What uses the Driver API alone is
    /// the same with both.
    pub fn runtimes(&self) -> &'static [Runtime] {
        if self.uses_driver_alone() {
            &[Runtime::Static]
        } else {
            &[Runtime::Static, Runtime::Shared]
        }
    }

    /// Whether all of its sources are C, which calls the driver and no runtime library.
    pub fn uses_driver_alone(&self) -> bool {
        self.sources
            .iter()
            .all(|source| source.extension().is_some_and(|extension| extension == "c"))
    }

    fn folder(cuda: &Cuda) -> PathBuf {
        target().join("samples").join(cuda.version)
    }

    /// The program that [`build`](Self::build) makes.
    pub fn program(&self, cuda: &Cuda, runtime: Runtime) -> PathBuf {
        Self::folder(cuda).join(runtime.name()).join(&self.name)
    }

    /// The program as a library, with a function `sample_main` for its `main`. `None`: it cannot share a
    /// process with others.
    pub fn library(&self, cuda: &Cuda) -> Option<PathBuf> {
        let library = Self::folder(cuda).join("library").join(format!("{}.so", self.name));
        (!self.alone && !self.uses_driver_alone()).then_some(library)
    }

    /// Makes the [`library`](Self::library), if there is one, from what [`build`](Self::build) made.
    pub fn build_library(&self, cuda: &Cuda) -> Result<()> {
        let Some(library) = self.library(cuda) else { return Ok(()) };
        if !self.outdated(&library)? {
            return Ok(());
        }
        let folder = tempfile::tempdir()?;
        let mut objects = Vec::new();
        for (index, (_, object)) in self.products(cuda, "o").into_iter().enumerate() {
            let renamed = folder.path().join(format!("{index}.o"));
            let mut command = Command::new("objcopy");
            command.args(["--redefine-sym", "main=sample_main"]).arg(object).arg(&renamed);
            quiet(&mut command, COMPILE_LIMIT)?;
            objects.push(renamed);
        }
        let mut command = self.nvcc(cuda);
        command.arg(format!("-code={}", self.architecture));
        command.args(["-shared", "-cudart", "static"]).args(objects);
        self.make(command, &library)
    }

    /// What is compiled for Windows: the one source of CUDA C++, if there is no other, its architecture and nvcc's flags.
    pub fn single_source(&self) -> Option<(&Path, &str, &[String])> {
        let [source] = self.sources.as_slice() else { return None };
        if self.uses_driver_alone() || self.is_linked_by_the_driver() {
            return None;
        }
        Some((source, &self.architecture, &self.flags))
    }

    /// Whether the kernels of a source are nothing without the other sources.
    pub fn is_linked_by_the_driver(&self) -> bool {
        self.flags.iter().any(|flag| flag == "-rdc=true")
    }

    /// The kernels' PTX, a file for each source, which [`build_ptx`](Self::build_ptx) makes.
    pub fn ptx(&self, cuda: &Cuda) -> Vec<PathBuf> {
        if self.uses_driver_alone() || self.is_linked_by_the_driver() {
            return Vec::new();
        }
        self.products(cuda, "ptx").into_iter().map(|(_, product)| product).collect()
    }

    /// Compiles the sample, and links it with both kinds of runtime library.
    pub fn build(&self, cuda: &Cuda) -> Result<()> {
        let objects = self.build_objects(cuda)?;
        let objects: Vec<&Path> = objects.iter().map(PathBuf::as_path).collect();
        for &runtime in self.runtimes() {
            let program = self.program(cuda, runtime);
            if self.outdated(&program)? {
                self.link(cuda, runtime, &objects, &program)?;
            }
        }
        Ok(())
    }

    /// Compiles the sources, an object of each.
    fn build_objects(&self, cuda: &Cuda) -> Result<Vec<PathBuf>> {
        let mut objects = Vec::new();
        for (source, object) in self.products(cuda, "o") {
            if self.outdated(&object)? {
                self.compile(cuda, source, &object)?;
            }
            objects.push(object);
        }
        Ok(objects)
    }

    /// The program that [`build_machine_code`](Self::build_machine_code) makes.
    pub fn machine_code_program(&self, cuda: &Cuda) -> PathBuf {
        Self::folder(cuda).join("machine-code").join(&self.name)
    }

    /// Compiles the sample, whose kernels are machine code alone.
    pub fn build_machine_code(&self, cuda: &Cuda) -> Result<()> {
        let program = self.machine_code_program(cuda);
        if !self.outdated(&program)? {
            return Ok(());
        }
        let [virtual_, real] = LIFTED;
        let mut command = Command::new(cuda.nvcc());
        command.args([format!("-arch={virtual_}"), format!("-code={real}")]);
        command.args(["-std=c++17", "-O3"]).args(&self.flags).args(&self.sources);
        command.args(["-cudart", "static", "-ldl", "-lpthread"]);
        self.make(command, &program)
    }

    /// Takes the kernels' PTX text out of the objects, which hold nothing else that the driver could load.
    pub fn build_ptx(&self, cuda: &Cuda) -> Result<()> {
        if self.uses_driver_alone() || self.is_linked_by_the_driver() {
            return Ok(());
        }
        let objects = self.build_objects(cuda)?;
        for ((_, ptx), object) in self.products(cuda, "ptx").into_iter().zip(objects) {
            if !self.outdated(&ptx)? {
                continue;
            }
            let [text] =
                <[_; 1]>::try_from(fat_binaries(&fs::read(&object)?)).map_err(|texts| {
                    format!("{} has {} texts of PTX, not one", object.display(), texts.len())
                })?;
            make(ptx.parent().ok_or("a file lies in a folder")?)?;
            fs::write(ptx, text)?;
        }
        Ok(())
    }

    /// Each source, and the path of what is made of it with this file name extension.
    fn products(&self, cuda: &Cuda, extension: &str) -> Vec<(&Path, PathBuf)> {
        let folder = Self::folder(cuda).join(extension);
        let product = |source: &Path| match stem(source) {
            file if file == self.name => format!("{file}.{extension}"),
            file => format!("{}-{file}.{extension}", self.name),
        };
        self.sources.iter().map(|source| (source.as_path(), folder.join(product(source)))).collect()
    }

    fn compile(&self, cuda: &Cuda, source: &Path, to: &Path) -> Result<()> {
        if self.uses_driver_alone() {
            let mut command = Command::new("cc");
            command
                .args(["-std=gnu11", "-O2", "-c", "-I"])
                .arg(cuda.headers())
                .args(&self.flags)
                .arg(source);
            return self.make(command, to);
        }
        let mut command = self.nvcc(cuda);
        // PTX alone, so that the driver has to compile it.
        command.arg(format!("-code={}", self.architecture));
        // Position independent: the objects also make a library.
        command.args(["-std=c++17", "-O3", "-Xcompiler", "-fPIC", "-c"]);
        command.args(&self.flags).arg(source);
        self.make(command, to)
    }

    fn link(&self, cuda: &Cuda, runtime: Runtime, objects: &[&Path], to: &Path) -> Result<()> {
        let mut command = if self.uses_driver_alone() {
            Command::new("cc")
        } else {
            let mut nvcc = self.nvcc(cuda);
            nvcc.arg(format!("-code={}", self.architecture)).args(["-cudart", runtime.name()]);
            nvcc
        };
        command.args(objects);
        if !self.libraries.is_empty() {
            command.arg("-L").arg(stub_driver()?);
        }
        command
            .args(self.libraries.iter().map(|library| format!("-l{library}")))
            .args(["-ldl", "-lpthread"]);
        self.make(command, to)
    }

    fn nvcc(&self, cuda: &Cuda) -> Command {
        let mut command = Command::new(cuda.nvcc());
        command.arg(format!("-arch={}", self.architecture));
        command
    }

    /// Runs a compiler; `to` appears when it is complete.
    fn make(&self, mut command: Command, to: &Path) -> Result<()> {
        make(to.parent().unwrap_or(to))?;
        let unfinished = to.with_file_name(format!("{}.unfinished", self.name));
        command.arg("-o").arg(&unfinished);
        quiet(&mut command, COMPILE_LIMIT)
            .map_err(|error| -> Error { format!("{}: {error}", self.name).into() })?;
        fs::rename(&unfinished, to)?;
        Ok(())
    }

    /// Whether `product` is older than the sample's sources, or than any header of the samples.
    pub fn outdated(&self, product: &Path) -> Result<bool> {
        let Ok(made) = modified(product) else { return Ok(true) };
        let headers = files(&root().join("samples"), "h")?;
        for source in self.sources.iter().chain(&headers) {
            if modified(source)? > made {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The faults of a run of the sample; empty where there are none.
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

/// A folder with a `libcuda.so` to link with, which has all names and no code.
pub fn stub_driver() -> Result<PathBuf> {
    static STUB: OnceLock<std::result::Result<PathBuf, String>> = OnceLock::new();
    STUB.get_or_init(|| make_stub_driver().map_err(|error| error.to_string()))
        .clone()
        .map_err(Error::from)
}

fn make_stub_driver() -> Result<PathBuf> {
    let folder = target().join("samples/stub");
    make(&folder)?;
    let names = fs::read_to_string(root().join("cuda_macros/src/cuda_exports.txt"))?;
    let names = names.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let source = folder.join("cuda.c");
    fs::write(&source, names.map(|name| format!("void {name}(void) {{}}\n")).collect::<String>())?;
    let mut command = Command::new("cc");
    command
        .args(["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o"])
        .arg(folder.join("libcuda.so"))
        .arg(&source);
    quiet(&mut command, COMPILE_LIMIT)?;
    Ok(folder)
}

fn modified(path: &Path) -> Result<SystemTime> {
    fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .map_err(|error| format!("{}: {error}", path.display()).into())
}
