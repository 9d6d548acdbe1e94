//! How long `zluda compile` takes for the samples' PTX, less what it takes for an empty kernel, for each
//! 1,000 instructions.

use super::{best, folder};
use crate::Result;
use crate::program::capture;
use crate::progress::heading;
use crate::repository::{Profile, make, stem};
use crate::sample;
use crate::toolkit::Cuda;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);

/// Less than this says little about the compiler.
const LEAST_INSTRUCTIONS: usize = 150;

const EMPTY: &str =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry empty() { ret; }\n";

pub fn measure(cuda: &Cuda, rounds: usize) -> Result<()> {
    let mut files: Vec<PathBuf> = Vec::new();
    for sample in sample::all("")? {
        sample.build_ptx(cuda)?;
        files.extend(sample.ptx(cuda));
    }
    heading("The compiler, over the samples' PTX");
    make(&folder())?;
    let empty = folder().join("empty.ptx");
    fs::write(&empty, EMPTY)?;
    let base = time(&empty, rounds)?.ok_or("`zluda compile` cannot compile an empty kernel")?;
    println!(
        "{:26} {:>12} {:>14} {:>24}",
        "PTX", "instructions", "milliseconds", "for 1,000 instructions"
    );
    let (mut instructions, mut milliseconds) = (0, 0.0);
    for file in files {
        let count = count_instructions(&fs::read_to_string(&file)?);
        if count < LEAST_INSTRUCTIONS {
            continue;
        }
        let Some(time) = time(&file, rounds)? else {
            println!("{:26} {count:12} does not compile", stem(&file));
            continue;
        };
        let time = (time - base).max(0.0);
        println!("{:26} {count:12} {time:14.1} {:24.1}", stem(&file), time * 1000.0 / count as f64);
        instructions += count;
        milliseconds += time;
    }
    println!(
        "{:26} {instructions:12} {milliseconds:14.1} {:24.1}",
        "all",
        milliseconds * 1000.0 / instructions.max(1) as f64
    );
    Ok(())
}

/// The least time of some runs, in milliseconds. `None`: it does not compile.
fn time(ptx: &Path, rounds: usize) -> Result<Option<f64>> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let mut command = Command::new(Profile::Release.staged().join("bin/zluda"));
        command.arg("compile").arg(ptx).args(["--emit", "obj", "--output", "/dev/null"]);
        let output = capture(&mut command, LIMIT)?;
        if !output.success() {
            return Ok(None);
        }
        times.push(output.time.as_secs_f64() * 1e3);
    }
    Ok(Some(best(&times)))
}

/// The instructions of a PTX text: statements that are no directives.
fn count_instructions(ptx: &str) -> usize {
    let statement = |line: &str| {
        let line = line.trim();
        // Operands of a call stand on lines of their own.
        let begins = |c: char| c.is_ascii_lowercase() || c == '@' || c == '{';
        line.contains(';') && line.starts_with(begins)
    };
    ptx.lines().filter(|line| statement(line)).count()
}

#[cfg(test)]
mod tests {
    use super::count_instructions;

    #[test]
    fn directives_and_labels_are_no_instructions() {
        let ptx =
            ".version 7.0\n.reg .b32 %r<3>;\n  mov.u32 %r1, 0;\nL1:\n@%p1 bra L1;\n// x;\n ret;\n";
        assert_eq!(count_instructions(ptx), 3);
    }
}
