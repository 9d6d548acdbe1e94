//! Random kernels, made from numbers: the same number makes the same kernel everywhere.
//!
//! `random LIBRARY hashes FIRST COUNT` runs kernels on the library's device 0 and prints `<number> <hash>`,
//! the hash of all that the kernel wrote. `random LIBRARY file PATH THREADS BLOCKS` does so for PTX that is
//! kept. `random show NUMBER` prints a kernel.
//! `random LIBRARY reduce NUMBER` takes statements out of a kernel for as long as the executors, vector and
//! reference, still differ, and prints what is left.

// A test program: it stops by panicking, and its output is its purpose.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod device;
mod generate;
mod program;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use device::Device;
use program::Program;

/// What a kernel gives on one executor, in a process of its own, so that a hang or a crash is an answer.
fn answer(library: &str, executor: &str, program: &Program) -> String {
    let path = std::env::temp_dir().join(format!("random-kernel-{}.ptx", std::process::id()));
    std::fs::write(&path, program.ptx()).unwrap();
    let [x, y, z] = program.block;
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([library, "file", path.to_str().unwrap()])
        .args([format!("{x},{y},{z}"), program.grid.to_string()])
        .env("ZLUDA_EXECUTOR", executor)
        .env("ZLUDA_DEVICE", "cpu")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            child.wait().unwrap();
            return "no end".to_owned();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn reduce(library: &str, number: u64) -> bool {
    let differ = |program: &Program| {
        let [reference, vector] =
            ["reference", "vector"].map(|executor| answer(library, executor, program));
        // What the reference refuses says nothing.
        !reference.is_empty() && !reference.starts_with("error") && reference != vector
    };
    let mut program = generate::program(number);
    if !differ(&program) {
        println!("kernel {number}: the executors agree");
        return false;
    }
    let mut again = true;
    while again {
        again = false;
        let mut statement = 0;
        while statement < program.len() {
            let smaller = program.without(statement);
            if differ(&smaller) {
                program = smaller;
                again = true;
                eprintln!("{} statements left", program.len());
            } else {
                statement += 1;
            }
        }
    }
    let [x, y, z] = program.block;
    println!("// block = {x},{y},{z}\n// grid = {}\n{}", program.grid, program.ptx());
    true
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["show", number] => {
            println!("{}", generate::program(number.parse().unwrap()).ptx());
        }
        [library, "hashes", first, count] => {
            let (first, count): (u64, u64) = (first.parse().unwrap(), count.parse().unwrap());
            let mut device = Device::open(Path::new(library));
            for number in first..first + count {
                let program = generate::program(number);
                println!("{number} {}", device.run(&program.ptx(), program.block, program.grid));
            }
        }
        [library, "file", path, block, grid] => {
            let sizes: Vec<u32> = block.split(',').map(|size| size.parse().unwrap()).collect();
            let text = std::fs::read_to_string(path).unwrap();
            let mut device = Device::open(Path::new(library));
            println!(
                "{}",
                device.run(&text, [sizes[0], sizes[1], sizes[2]], grid.parse().unwrap())
            );
        }
        [library, "reduce", number] => {
            if reduce(library, number.parse().unwrap()) {
                return ExitCode::FAILURE;
            }
        }
        _ => {
            eprintln!(
                "usage: random LIBRARY hashes FIRST COUNT | LIBRARY file PATH X,Y,Z BLOCKS | LIBRARY reduce NUMBER | show NUMBER"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
