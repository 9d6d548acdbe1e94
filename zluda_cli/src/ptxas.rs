//! `bin/ptxas` in the staged folder: this program by the name of NVIDIA's assembler, for compilers that start that (Triton,
//! XLA). It checks PTX, and writes it in the form of a cubin, which the driver takes in place of machine code.

use crate::Failure;
use ptx::{Diagnostics, Options, Program, Stage, Target, on_all_processors};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

/// The name that this program goes by then.
pub const NAME: &str = "ptxas";

/// The exit status of NVIDIA's for whatever is wrong.
const FAILED: u8 = 255;

/// As NVIDIA's says it, for programs that choose the version of PTX by it: Triton before 3.3 knows none later.
const VERSION: &str = "Cuda compilation tools, release 12.6, V12.6.85";

const HELP: &str = "\
Usage: ptxas [OPTIONS] FILE.ptx

Checks PTX, and writes it in the form of a cubin, which ZLUDA's driver runs. No machine code is made.

  -o, --output-file FILE  the cubin; elf.o if not given
  -arch, --gpu-name GPU   the GPU that the cubin names; the one of .target if not given
  -v, --verbose           name the kernels
  -V, --version           the version that other programs ask for
  -h, --help              this text

The other options of NVIDIA's ptxas are taken and change nothing.";

/// Options of NVIDIA's that have a value, which follows them or an equals sign: their long and short names.
const WITH_VALUE: &[&str] = &[
    "Ofast-compile",
    "Ofc",
    "allow-expensive-optimizations",
    "def-load-cache",
    "dlcm",
    "def-store-cache",
    "dscm",
    "device-function-maxrregcount",
    "func-maxrregcount",
    "device-stack-protector",
    "entry",
    "e",
    "fmad",
    "force-load-cache",
    "flcm",
    "force-store-cache",
    "fscm",
    "gpu-name",
    "arch",
    "machine",
    "m",
    "maxntid",
    "maxrregcount",
    "minnctapersm",
    "opt-level",
    "O",
    "output-file",
    "o",
    "position-independent-code",
    "pic",
    "register-usage-level",
    "regUsageLevel",
    "sanitize",
    "split-compile",
]; // fmt: skip

#[derive(Debug, Default, PartialEq, Eq)]
struct Arguments {
    file: Option<PathBuf>,
    output: Option<PathBuf>,
    gpu: Option<String>,
    verbose: bool,
    version: bool,
    help: bool,
}

impl Arguments {
    fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Arguments, String> {
        let mut found = Arguments::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let text = word.to_str().unwrap_or_default();
            let Some(option) = text.strip_prefix('-') else {
                if found.file.replace(PathBuf::from(&word)).is_some() {
                    return Err("more than one input file".to_owned());
                }
                continue;
            };
            let option = option.trim_start_matches('-');
            let (name, mut value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (option, None),
            };
            if value.is_none() && WITH_VALUE.contains(&name) {
                value = words.next();
                if value.is_none() {
                    return Err(format!("argument expected after '{text}'"));
                }
            }
            match (name, value) {
                ("output-file" | "o", Some(value)) => found.output = Some(value.into()),
                ("gpu-name" | "arch", Some(value)) => {
                    found.gpu = Some(value.to_string_lossy().into_owned());
                }
                ("verbose" | "v", _) => found.verbose = true,
                ("version" | "V", _) => found.version = true,
                ("help" | "h", _) => found.help = true,
                _ => {}
            }
        }
        Ok(found)
    }
}

/// What this program does by that name.
pub fn run() -> ExitCode {
    let fatal = |message: String| {
        eprintln!("ptxas fatal   : {message}");
        ExitCode::from(FAILED)
    };
    let arguments = match Arguments::parse(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => return fatal(message),
    };
    if arguments.help || arguments.version {
        println!("{}", if arguments.help { HELP } else { VERSION });
        return ExitCode::SUCCESS;
    }
    match assemble(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => fatal(failure.message),
    }
}

fn assemble(arguments: &Arguments) -> Result<(), Failure> {
    let file = arguments.file.as_ref().ok_or_else(|| "No input file specified".to_owned())?;
    let shown = file.display();
    let text = fs::read_to_string(file)
        .map_err(|error| format!("Input file '{shown}' could not be read: {error}"))?;
    let failed = |diagnostics: Diagnostics| {
        eprintln!("ptxas {shown}:\n{diagnostics}");
        "Ptx assembly aborted due to errors".to_owned()
    };
    let program = Program::parse(&text).map_err(failed)?;
    let kernels: Vec<String> =
        program.kernels().iter().map(|kernel| kernel.name.to_string()).collect();
    let target = Target::parse("native").map_err(|error| error.to_string())?;
    let options = Options::default();
    // As far as all that a kernel says is understood.
    let checked =
        on_all_processors(&kernels, |kernel| program.emit(kernel, &target, &options, Stage::Ir));
    for result in checked {
        result.map_err(failed)?;
    }
    let named = arguments.gpu.clone().unwrap_or_else(|| target_of(&text).to_owned());
    let digits: String = named.chars().filter(char::is_ascii_digit).collect();
    let gpu = digits
        .parse()
        .map_err(|_| format!("Value '{named}' is not defined for option 'gpu-name'"))?;
    if arguments.verbose {
        for kernel in &kernels {
            eprintln!("ptxas info    : Compiling entry function '{kernel}' for '{named}'");
        }
    }
    // With the NUL that ends PTX in other images.
    let head = cubin::head(text.len() + 1, gpu);
    let cubin = [&head[..], text.as_bytes(), &[0]].concat();
    let output = arguments.output.clone().unwrap_or_else(|| PathBuf::from("elf.o"));
    fs::write(&output, cubin)
        .map_err(|error| format!("'{}' could not be written: {error}", output.display()))?;
    Ok(())
}

/// The first target that a text names.
fn target_of(text: &str) -> &str {
    let rest = text.split_once(".target").map_or("", |(_, rest)| rest.trim_start());
    rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_are_spelled_as_nvidias() {
        let wanted = Arguments {
            file: Some("a.ptx".into()),
            output: Some("a.o".into()),
            gpu: Some("sm_90a".to_owned()),
            verbose: true,
            ..Arguments::default()
        };
        for line in [
            "-lineinfo -v --gpu-name=sm_90a a.ptx -o a.o",
            "--verbose -arch sm_90a -O3 -O 3 --opt-level 0 --output-file=a.o a.ptx --fmad=false -g",
            "-maxrregcount 32 -v -arch=sm_90a -o a.o -w a.ptx",
        ] {
            assert_eq!(parse(line).as_ref(), Ok(&wanted), "{line}");
        }
        for line in ["a.ptx b.ptx", "a.ptx -o", "-arch"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn the_target_is_that_of_the_text() {
        assert_eq!(target_of(".version 8.0\n.target sm_90a, debug\n"), "sm_90a");
        assert_eq!(target_of("nothing"), "");
    }
}
