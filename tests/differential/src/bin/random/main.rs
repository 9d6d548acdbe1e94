//! Random kernels, which have to leave the same bits on every device and executor.
//!
//! `random LIBRARY record FIRST COUNT [I/N]` prints each seed, every N-th from the I-th on, and a hash of what its kernel
//! leaves on the library's device 0; with NVIDIA's library the hashes make `answers/<GPU>.random` and, of the seeds
//! from 2^32 on, which are those of the second generation, `answers/<GPU>.random-2`, whose first line names the first; a line `-` has no answer.
//! `random LIBRARY check FILE [I/N]` compares; `random LIBRARY check-sass PTXAS ARCHITECTURE LEVEL FILE [I/N]` runs machine code
//! that ptxas makes of the kernels at a level of optimisation. `random ZLUDA lift PTXAS LEVEL FILE FOLDER [I/N]` lifts such code
//! by the program `zluda` and keeps the texts in a folder, for NVIDIA's driver to run. `random LIBRARY check-kept FOLDER`
//! runs kernels that are kept with the hash of what they leave.
//! `random LIBRARY hash FIRST COUNT` prints the hashes of seeds. `random LIBRARY run FILE [OUTPUT]` prints that of a
//! kernel that `random LIBRARY show SEED` or `reduce SEED` printed, and keeps what it left; `reduce` looks for a
//! small kernel for which the vector and the reference executor of the library differ, `reduce SEED OTHER` for one
//! for which the library and another one do, `reduce-sass SEED PTXAS LEVEL` for one for which the library's own code and
//! machine code of ptxas's do, `reduce-levels SEED` for one for which the levels of optimisation of
//! NVIDIA's library do, of which `levels FILE` prints the hashes.

// A test program: it stops by panicking, and its output is its purpose.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod device;
mod generate;
mod kernel;
mod lifted;
mod reduce;
mod vectors;

use std::path::Path;
use std::process::{Command, ExitCode};

use device::Device;
use differential::assembler::Assembler;
use generate::generate;
use kernel::{Kernel, hash, launch_of, leaves_of};

fn run(device: &mut Device, kernel: &Kernel) -> Result<u64, i64> {
    device.run(&kernel.ptx(), kernel.launch())
}

fn open(library: &str) -> Device {
    Device::open(Path::new(library)).unwrap_or_else(|error| panic!("{error}"))
}

/// Hashes of what code leaves that the assembler did not optimise; says where optimised code leaves other bits,
/// which a kernel that is well defined never does. Each has to leave the same three times.
fn record(library: &str, seeds: impl Iterator<Item = u64>) {
    let mut device = open(library);
    for seed in seeds {
        let kernel = generate(seed);
        let [plain, optimised] = [(Some(0), 3), (None, 1)].map(|(level, launches)| {
            (device.level, device.launches) = (level, launches);
            run(&mut device, &kernel)
        });
        print_of(seed, plain);
        if optimised != plain {
            println!("optimised code differs {seed}: {optimised:x?}");
        }
        // Some errors stay with the process, however many contexts it makes.
        if plain.is_err() || optimised.is_err() {
            println!("ended at {seed}");
            return;
        }
    }
}

fn print_of(seed: u64, hash: Result<u64, i64>) {
    match hash {
        Ok(hash) => println!("{seed} {hash:016x}"),
        Err(code) => println!("{seed} error {code}"),
    }
}

/// The parts of `I/N`; all of it where nothing is said.
fn part(words: &[&str]) -> (usize, usize) {
    let number = |text: &str| text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    words.first().map_or((0, 1), |part| {
        let (index, of) = part.split_once('/').unwrap();
        (number(index), number(of))
    })
}

/// Runs the kernels in the files of a folder, which say what they leave.
fn check_kept(library: &str, folder: &str) -> bool {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{folder}: {error}"))
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut device = open(library);
    let differing = files.iter().filter(|file| {
        let name = file.to_string_lossy();
        let (text, launch) = shown(&name);
        let expected = leaves_of(&text).unwrap_or_else(|| panic!("{name}: no hash in line 2"));
        let left = device.run(&text, launch);
        let differs = left != Ok(expected);
        if differs {
            println!("{name} differs: {left:x?}");
        }
        differs
    });
    let differing = differing.count();
    println!("{} of {} kernels agree", files.len() - differing, files.len());
    differing == 0
}

/// Every `of`-th seed of a record from the `index`-th on, and what its kernel leaves; not those for which the GPU gave no
/// answer.
fn answers(file: &str, index: usize, of: usize) -> Vec<(u64, u64)> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut lines = text.lines().peekable();
    let first = lines.next_if(|line| line.starts_with("seeds from "));
    let first: u64 = first.map_or(0, |line| line["seeds from ".len()..].parse().unwrap());
    let chosen = (first..).zip(lines).skip(index).step_by(of).filter(|(_, line)| *line != "-");
    let hash =
        |line| u64::from_str_radix(line, 16).unwrap_or_else(|error| panic!("{line}: {error}"));
    chosen.map(|(seed, line)| (seed, hash(line))).collect()
}

/// Keeps the lifted texts of kernels in a folder, as [`check_kept`] reads them.
fn lift(zluda: &str, assembler: &Assembler, kernels: &[(u64, u64)], folder: &str) -> bool {
    std::fs::create_dir_all(folder).unwrap();
    let mut count = 0;
    for &(seed, hash) in kernels {
        let kernel = generate(seed);
        let [blocks, width, height] = kernel.launch();
        match lifted::lifted(Path::new(zluda), assembler, &kernel.ptx()) {
            Ok(text) => {
                let text =
                    format!("// launch {blocks} {width} {height}\n// leaves {hash:016x}\n{text}");
                std::fs::write(Path::new(folder).join(format!("{seed}.ptx")), text).unwrap();
                count += 1;
            }
            Err(reason) => println!("fails {seed}: {reason}"),
        }
    }
    println!("{count} of {} kernels are lifted", kernels.len());
    count == kernels.len()
}

/// Every `of`-th seed from the `index`-th on.
fn check(mut device: Device, file: &str, index: usize, of: usize) -> bool {
    let kernels = answers(file, index, of);
    let mut agreeing = 0;
    for &(seed, expected) in &kernels {
        match run(&mut device, &generate(seed)) {
            Ok(found) if found == expected => agreeing += 1,
            Ok(_) => println!("differs {seed}"),
            Err(code) => println!("fails {seed}: error {code}"),
        }
    }
    println!("{agreeing} of {} kernels agree", kernels.len());
    agreeing == kernels.len()
}

/// The result of another process of this program with an executor; it may hang or crash.
fn run_apart(library: &str, file: &Path, executor: &str) -> String {
    let output = Command::new("timeout")
        .arg("20")
        .arg(std::env::current_exe().unwrap())
        .args([library, "run"])
        .arg(file)
        .env("ZLUDA_EXECUTOR", executor)
        .env("ZLUDA_CACHE", "0")
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn executors_differ(library: &str, kernel: &Kernel) -> bool {
    let file = std::env::temp_dir().join(format!("random-{}.ptx", std::process::id()));
    std::fs::write(&file, kernel.to_string()).unwrap();
    let [vector, reference] = ["vector", "reference"].map(|name| run_apart(library, &file, name));
    std::fs::remove_file(&file).unwrap();
    vector != reference
}

/// Levels of optimisation of the assembler in the driver.
const LEVELS: [u32; 5] = [0, 1, 2, 3, 4];

/// The hash of what a kernel leaves, or its error, at each level.
fn by_level(device: &mut Device, text: &str, launch: [u32; 3]) -> Vec<Result<u64, i64>> {
    let hashes = LEVELS.map(|level| {
        device.level = Some(level);
        device.run(text, launch)
    });
    device.level = None;
    hashes.to_vec()
}

fn levels_differ(device: &mut Device, kernel: &Kernel) -> bool {
    let hashes = by_level(device, &kernel.ptx(), kernel.launch());
    hashes.iter().any(|hash| *hash != hashes[0])
}

fn print(hash: Result<u64, i64>) {
    match hash {
        Ok(hash) => println!("{hash:016x}"),
        Err(code) => println!("error {code}"),
    }
}

/// Prints the smallest kernel found that fails as that of the seed does.
fn reduce(seed: u64, mut fails: impl FnMut(&Kernel) -> bool) -> ExitCode {
    let kernel = generate(seed);
    if !fails(&kernel) {
        eprintln!("nothing differs for seed {seed}");
        return ExitCode::FAILURE;
    }
    print!("{}", reduce::reduce(&kernel, fails));
    ExitCode::SUCCESS
}

/// A shown kernel and its launch.
fn shown(file: &str) -> (String, [u32; 3]) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let launch = launch_of(&text).unwrap_or_else(|| panic!("{file}: no launch in line 1"));
    (text, launch)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().unwrap_or_else(|error| panic!("{text}: {error}"));
    match words.as_slice() {
        [library, "record", first, count, rest @ ..] if rest.len() <= 1 => {
            let (index, of) = part(rest);
            let seeds = number(first)..number(first) + number(count);
            record(library, seeds.skip(index).step_by(of));
        }
        [library, "check", file, rest @ ..] if rest.len() <= 1 => {
            let (index, of) = part(rest);
            if !check(open(library), file, index, of) {
                return ExitCode::FAILURE;
            }
        }
        [library, "check-sass", ptxas, architecture, level, file, rest @ ..] if rest.len() <= 1 => {
            let (index, of) = part(rest);
            let mut device = open(library);
            let level = number(level) as u32;
            device.assembler = Some(Assembler::new(Path::new(ptxas), architecture, level));
            if !check(device, file, index, of) {
                return ExitCode::FAILURE;
            }
        }
        [zluda, "lift", ptxas, level, file, folder, rest @ ..] if rest.len() <= 1 => {
            let (index, of) = part(rest);
            let assembler = Assembler::new(Path::new(ptxas), "sm_80", number(level) as u32);
            if !lift(zluda, &assembler, &answers(file, index, of), folder) {
                return ExitCode::FAILURE;
            }
        }
        [library, "check-kept", folder] => {
            if !check_kept(library, folder) {
                return ExitCode::FAILURE;
            }
        }
        [library, "hash", first, count] => {
            let mut device = open(library);
            for seed in number(first)..number(first) + number(count) {
                print_of(seed, run(&mut device, &generate(seed)));
            }
        }
        [library, "run", file, output @ ..] if output.len() <= 1 => {
            let (text, launch) = shown(file);
            let left = open(library).output(&text, launch);
            if let ([output], Ok(bytes)) = (output, &left) {
                std::fs::write(output, bytes).unwrap();
            }
            print(left.map(hash));
        }
        [library, "levels", file] => {
            let (text, launch) = shown(file);
            by_level(&mut open(library), &text, launch).into_iter().for_each(print);
        }
        [library, "reduce", seed] => {
            return reduce(number(seed), |kernel| executors_differ(library, kernel));
        }
        [library, "reduce", seed, other] => {
            let (mut library, mut other) = (open(library), open(other));
            return reduce(number(seed), |kernel| {
                run(&mut library, kernel) != run(&mut other, kernel)
            });
        }
        [library, "reduce-sass", seed, ptxas, level] => {
            let (mut by_text, mut by_code) = (open(library), open(library));
            by_code.assembler =
                Some(Assembler::new(Path::new(ptxas), "sm_80", number(level) as u32));
            return reduce(number(seed), |kernel| {
                run(&mut by_text, kernel) != run(&mut by_code, kernel)
            });
        }
        [library, "reduce-levels", seed] => {
            let mut device = open(library);
            return reduce(number(seed), |kernel| levels_differ(&mut device, kernel));
        }
        [_, "show", seed] => print!("{}", generate(number(seed))),
        _ => {
            eprintln!(
                "usage: random LIBRARY record FIRST COUNT [I/N] | check FILE [I/N] | check-sass PTXAS ARCHITECTURE LEVEL FILE [I/N] | check-kept FOLDER | \
                 lift PTXAS LEVEL FILE FOLDER [I/N] (with the program zluda for LIBRARY) | \
                 hash FIRST COUNT | run FILE [OUTPUT] | levels FILE | show SEED | reduce SEED [OTHER] | reduce-sass SEED PTXAS LEVEL | reduce-levels SEED"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
