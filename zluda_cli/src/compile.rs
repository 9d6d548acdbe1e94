//! `zluda compile`: a file of PTX, or of machine code of NVIDIA's GPUs, through the compiler, up to any stage, for any target.

use crate::Failure;
use ptx::{
    Approximations, Blocks, Diagnostics, Options as Compilation, Program, Stage, Target, Watch,
    on_all_processors,
};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use zluda_common::config::{DebugConfig, Math, config};

#[derive(clap::Args)]
pub struct Options {
    /// A file of PTX, or a cubin for sm_75 to sm_90
    file: PathBuf,
    /// Only this kernel; otherwise all, each by itself
    #[arg(long)]
    kernel: Option<String>,
    /// native, reference, a processor such as x86-64-v3, or an AMD GPU such as gfx1100
    #[arg(long, default_value = "native")]
    target: String,
    /// The blocks that vector code is for; whole-warps on a processor and any on an AMD GPU if not given
    #[arg(long, value_enum)]
    blocks: Option<Shape>,
    /// How far to go; asm if not given, obj for files that are named .o or .hsaco
    #[arg(long, value_enum)]
    emit: Option<Emit>,
    /// A file, or a folder that gets a file for each kernel; standard output if not given
    #[arg(short, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Compile so often once more, and print how many milliseconds the fastest took in a process that is warm
    #[arg(long, value_name = "TIMES", default_value_t = 0)]
    repeat: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Shape {
    /// All
    Any,
    /// Of two rows of 16 threads a warp
    HalfWarpRows,
    /// Of one row a warp
    RowWarps,
    /// Of one row and 32 threads a warp
    WholeWarps,
}

impl Shape {
    fn blocks(self) -> Blocks {
        match self {
            Self::Any => Blocks::Any,
            Self::HalfWarpRows => Blocks::HalfWarpRows,
            Self::RowWarps => Blocks::RowWarps,
            Self::WholeWarps => Blocks::WholeWarps,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    /// The PTX that goes in, or that machine code is lifted to
    Ptx,
    /// The module as it was understood, as PTX
    Ast,
    /// Per-thread LLVM IR, the same for all targets
    Ir,
    /// The LLVM IR that the target's code is generated from
    Llvm,
    /// Assembly
    Asm,
    /// A linked object
    Obj,
}

impl Options {
    fn emit(&self) -> Emit {
        let path = self.output.as_ref();
        let extension = path.and_then(|path| path.extension()).and_then(|found| found.to_str());
        self.emit.unwrap_or(match extension {
            Some("o" | "hsaco") => Emit::Obj,
            _ => Emit::Asm,
        })
    }

    /// The kernels become one object, in one file.
    fn is_together(&self, target: &Target) -> bool {
        let file = self.output.as_ref().is_some_and(|path| !path.is_dir());
        file && self.emit() == Emit::Obj && target.joins_kernels()
    }
}

impl Emit {
    fn stage(self) -> Stage {
        match self {
            Self::Ptx | Self::Ast => Stage::Ast,
            Self::Ir => Stage::Ir,
            Self::Llvm => Stage::Llvm,
            Self::Asm => Stage::Asm,
            Self::Obj => Stage::Obj,
        }
    }

    /// Of files in a folder of results.
    fn extension(self) -> &'static str {
        match self {
            Self::Ptx | Self::Ast => "ptx",
            Self::Ir | Self::Llvm => "ll",
            Self::Asm => "s",
            Self::Obj => "o",
        }
    }
}

/// The results of one file: bytes by kernel, under no name where they are of all of them.
#[derive(Default)]
struct Outcome {
    results: Vec<(String, Vec<u8>)>,
    failures: Vec<(String, Diagnostics)>,
}

/// A kernel that fails does not keep the others from being compiled.
pub fn run(options: &Options) -> Result<ExitCode, Failure> {
    let approximations = match config().math {
        Math::Exact => Approximations::Exact,
        Math::Mixed => Approximations::Mixed,
        Math::Fast => Approximations::Fast,
    };
    let mut target = Target::parse(&options.target)
        .map_err(|error| error.to_string())?
        .with_approximations(approximations);
    if let Some(shape) = options.blocks {
        target = target.with_blocks(shape.blocks());
    }
    let shown = options.file.display();
    let text = fs::read(&options.file).map_err(|error| format!("{shown}: {error}"))?;
    let text = if sass::cubin::is_cubin(&text) {
        lifted(&text).map_err(|error| format!("{shown}: {error}"))?
    } else {
        String::from_utf8(text).map_err(|_| format!("{shown}: it is not text"))?
    };
    if options.emit() == Emit::Ptx {
        write(&[(String::new(), text.into_bytes())], options)?;
        return Ok(ExitCode::SUCCESS);
    }
    let outcome = compile(&text, &target, options)?;
    for (kernel, diagnostics) in &outcome.failures {
        eprintln!("zluda: {shown}: kernel {kernel}:\n{diagnostics}");
    }
    write(&outcome.results, options)?;
    let again = || {
        let start = Instant::now();
        compile(&text, &target, options).map(|_| start.elapsed())
    };
    let times: Result<Vec<_>, _> = (0..options.repeat).map(|_| again()).collect();
    if let Some(least) = times?.into_iter().min() {
        eprintln!("zluda: {shown}: {:.2} ms", least.as_secs_f64() * 1e3);
    }
    Ok(if outcome.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The PTX of a cubin.
fn lifted(file: &[u8]) -> Result<String, String> {
    let cubin = sass::cubin::Cubin::parse(file).map_err(|error| error.to_string())?;
    let Some(encoding) = sass::decode::Encoding::of(cubin.architecture) else {
        return Err(format!("machine code for sm_{} cannot be lifted", cubin.architecture));
    };
    let module = sass::lift::Module::new(cubin, encoding).map_err(|error| error.to_string())?;
    let mut lifted = sass::lift::lift(&module.all());
    for (kernel, error) in &lifted.failures {
        eprintln!("zluda: kernel {kernel} cannot be lifted: {error}");
    }
    if lifted.wants_grid_barrier {
        lifted.text.push_str(ptx::grid_barrier());
    }
    Ok(lifted.text)
}

fn compile(text: &str, target: &Target, options: &Options) -> Result<Outcome, Failure> {
    let shown = options.file.display();
    let message = |diagnostics: Diagnostics| format!("{shown}:\n{diagnostics}");
    let program = Program::parse(text).map_err(message)?;
    let kernels = selected(&program, options)?;
    let DebugConfig { print, stop_after, verify, .. } = config().debug.clone();
    let check_alignment = config().check.align;
    let compilation = Compilation { verify, check_alignment, ..Compilation::default() };
    let compilation = compilation.watched(Watch { print, stop_after });
    let mut outcome = Outcome::default();
    if options.is_together(target) && compilation.watch.stop_after.is_none() {
        let joined = program.compile_together(&kernels, target, &compilation).map_err(message)?;
        outcome.failures = joined.failures;
        if !joined.object.is_empty() {
            outcome.results.push((String::new(), joined.object));
        }
        return Ok(outcome);
    }
    let emitted = on_all_processors(&kernels, |kernel| {
        program.emit(kernel, target, &compilation, options.emit().stage())
    });
    for (kernel, result) in kernels.into_iter().zip(emitted) {
        match result {
            Ok(bytes) => outcome.results.push((kernel, bytes)),
            Err(diagnostics) => match diagnostics.left() {
                Some(text) => outcome.results.push((kernel, text.as_bytes().to_vec())),
                None => outcome.failures.push((kernel, diagnostics)),
            },
        }
    }
    Ok(outcome)
}

/// The names of the kernels to compile. The tree is the whole module's, whichever kernel it is asked for.
fn selected(program: &Program, options: &Options) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> =
        program.kernels().iter().map(|kernel| kernel.name.to_string()).collect();
    if let Some(wanted) = &options.kernel {
        if !names.contains(wanted) {
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(Failure::from(format!(
                "{}: no kernel {wanted}; there are: {known}",
                options.file.display()
            )));
        }
        names = vec![wanted.clone()];
    } else if names.is_empty() {
        return Err(Failure::from(format!("{}: there are no kernels", options.file.display())));
    }
    if options.emit() == Emit::Ast {
        names.truncate(1);
    }
    Ok(names)
}

fn write(results: &[(String, Vec<u8>)], options: &Options) -> Result<(), String> {
    let all: Vec<u8> = results.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
    let Some(path) = &options.output else {
        if options.emit() == Emit::Obj {
            return Err("objects need a place to be written to: -o PATH".to_owned());
        }
        return std::io::stdout().write_all(&all).map_err(|error| error.to_string());
    };
    if path.is_dir() {
        for (number, (kernel, bytes)) in results.iter().enumerate() {
            let name = file_name(kernel, number);
            write_file(&path.join(format!("{name}.{}", options.emit().extension())), bytes)?;
        }
        return Ok(());
    }
    // Texts may follow each other; objects only where nobody reads them.
    let is_device = path.exists() && !path.is_file();
    if options.emit() == Emit::Obj && results.len() > 1 && !is_device {
        return Err(format!(
            "there are several kernels: choose one with --kernel, or make {} a folder",
            path.display()
        ));
    }
    if results.is_empty() { Ok(()) } else { write_file(path, &all) }
}

/// The name of a kernel's file. Names of templates may be longer than those of files: such a one is cut, and has
/// the kernel's number.
fn file_name(kernel: &str, number: usize) -> String {
    const LONGEST: usize = 200;
    match kernel.get(..LONGEST) {
        Some(start) if kernel.len() > LONGEST => format!("{start}-{number}"),
        _ => kernel.to_owned(),
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_names_that_file_systems_take() {
        assert_eq!(file_name("kernel", 3), "kernel");
        assert_eq!(file_name(&"k".repeat(200), 3), "k".repeat(200));
        assert_eq!(file_name(&"k".repeat(201), 3), format!("{}-3", "k".repeat(200)));
    }
}
