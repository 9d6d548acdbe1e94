//! Random kernels, which have to leave the same bits on every device and executor.
//!
//! `random LIBRARY record FILE COUNT` writes a hash of what the kernel of each seed leaves on the library's
//! device 0; with NVIDIA's library that makes `answers/<GPU>.random`.
//! `random LIBRARY check FILE [I/N]` compares, every N-th seed from the I-th on.
//! `random LIBRARY hash FIRST COUNT` prints the hashes of seeds. `random LIBRARY run FILE` prints that of a
//! kernel that `random LIBRARY show SEED` or `reduce SEED` printed; `reduce` looks for a small kernel for which
//! the vector and the reference executor of the library differ.

// A test program: it stops by panicking, and its output is its purpose.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod device;
mod generate;
mod kernel;
mod reduce;

use std::path::Path;
use std::process::{Command, ExitCode};

use device::Device;
use generate::generate;
use kernel::{Kernel, launch_of, lines};

fn run(device: &mut Device, kernel: &Kernel) -> Result<u64, i64> {
    device.run(&kernel.ptx(), [kernel.grid, kernel.block[0], kernel.block[1]])
}

fn open(library: &str) -> Device {
    Device::open(Path::new(library)).unwrap_or_else(|error| panic!("{error}"))
}

fn record(library: &str, file: &str, count: u64) {
    let mut device = open(library);
    let hashes: Vec<u64> = (0..count)
        .map(|seed| {
            run(&mut device, &generate(seed))
                .unwrap_or_else(|code| panic!("seed {seed}: error {code}"))
        })
        .collect();
    std::fs::write(file, lines(&hashes)).unwrap();
}

/// Every `of`-th seed from the `index`-th on.
fn check(library: &str, file: &str, index: usize, of: usize) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut device = open(library);
    let (mut agreeing, mut count) = (0, 0);
    for (seed, line) in text.lines().enumerate().skip(index).step_by(of) {
        count += 1;
        let expected =
            u64::from_str_radix(line, 16).unwrap_or_else(|error| panic!("{line}: {error}"));
        match run(&mut device, &generate(seed as u64)) {
            Ok(found) if found == expected => agreeing += 1,
            Ok(_) => println!("differs {seed}"),
            Err(code) => println!("fails {seed}: error {code}"),
        }
    }
    println!("{agreeing} of {count} kernels agree");
    agreeing == count
}

/// What another process of this program finds with an executor; it may hang or crash.
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

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().unwrap_or_else(|error| panic!("{text}: {error}"));
    match words.as_slice() {
        [library, "record", file, count] => record(library, file, number(count)),
        [library, "check", file, rest @ ..] if rest.len() <= 1 => {
            let (index, of) = rest.first().map_or((0, 1), |part| {
                let (index, of) = part.split_once('/').unwrap();
                (number(index), number(of))
            });
            if !check(library, file, index as usize, of as usize) {
                return ExitCode::FAILURE;
            }
        }
        [library, "hash", first, count] => {
            let mut device = open(library);
            for seed in number(first)..number(first) + number(count) {
                match run(&mut device, &generate(seed)) {
                    Ok(hash) => println!("{seed} {hash:016x}"),
                    Err(code) => println!("{seed} error {code}"),
                }
            }
        }
        [library, "run", file] => {
            let text = std::fs::read_to_string(file).unwrap();
            let launch = launch_of(&text).unwrap_or_else(|| panic!("{file}: no launch in line 1"));
            match open(library).run(&text, launch) {
                Ok(hash) => println!("{hash:016x}"),
                Err(code) => println!("error {code}"),
            }
        }
        [library, "reduce", seed] => {
            let kernel = generate(number(seed));
            if !executors_differ(library, &kernel) {
                eprintln!("the executors agree about seed {seed}");
                return ExitCode::FAILURE;
            }
            print!("{}", reduce::reduce(&kernel, |kernel| executors_differ(library, kernel)));
        }
        [_, "show", seed] => print!("{}", generate(number(seed))),
        _ => {
            eprintln!(
                "usage: random LIBRARY record FILE COUNT | check FILE [I/N] | hash FIRST COUNT | run FILE | \
                 show SEED | reduce SEED"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
