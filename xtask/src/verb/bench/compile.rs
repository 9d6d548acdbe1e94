//! The time that `zluda compile` takes for the samples' PTX, less what it takes for an empty kernel, for each 1,000
//! instructions.

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

/// The section of the page, in milliseconds. Fails if a text does not compile.
pub fn measure(cuda: &Cuda, rounds: usize) -> Result<String> {
    let mut files: Vec<PathBuf> = Vec::new();
    for sample in sample::all("")? {
        sample.build_ptx(cuda)?;
        files.extend(sample.ptx(cuda));
    }
    heading("Measuring the compiler");
    make(&folder())?;
    let empty = folder().join("empty.ptx");
    fs::write(&empty, EMPTY)?;
    let base = time(&empty, rounds)?.ok_or("`zluda compile` cannot compile an empty kernel")?;
    let mut text = format!(
        "## Compilation\n\n`zluda compile --emit obj` of the samples' kernels for this machine, less the \
         {base:.1} ms that an empty kernel takes; best of {rounds}.\n\n\
         | PTX | instructions | milliseconds | for 1,000 instructions |\n|---|---|---|---|\n"
    );
    let (mut instructions, mut milliseconds) = (0, 0.0);
    for file in files {
        let count = count_instructions(&fs::read_to_string(&file)?);
        if count < LEAST_INSTRUCTIONS {
            continue;
        }
        let Some(time) = time(&file, rounds)? else {
            text += &format!("| {} | {count} | does not compile | |\n", stem(&file));
            continue;
        };
        let time = (time - base).max(0.0);
        text += &format!(
            "| {} | {count} | {time:.1} | {:.1} |\n",
            stem(&file),
            time * 1000.0 / count as f64
        );
        instructions += count;
        milliseconds += time;
    }
    text += &format!(
        "| all | {instructions} | {milliseconds:.1} | {:.1} |\n",
        milliseconds * 1000.0 / instructions.max(1) as f64
    );
    Ok(text)
}

/// The least time of some runs, in milliseconds. `None`: it does not compile.
fn time(ptx: &Path, rounds: usize) -> Result<Option<f64>> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let mut command = Command::new(Profile::Release.staged().join("bin/zluda"));
        command.arg("compile").arg(ptx).args(["--emit", "obj", "-o", "/dev/null"]);
        let output = capture(&mut command, LIMIT)?;
        if !output.success() {
            return Ok(None);
        }
        times.push(output.time.as_secs_f64() * 1e3);
    }
    Ok(Some(best(&times)))
}

/// Statements inside bodies that are no directives.
fn count_instructions(ptx: &str) -> usize {
    let mut depth = 0;
    let mut count = 0;
    for line in ptx.lines().map(str::trim) {
        depth += line.matches('{').count();
        if depth > 0 && line.ends_with(';') && !line.starts_with('.') && !line.starts_with("//") {
            count += 1;
        }
        depth = depth.saturating_sub(line.matches('}').count());
    }
    count
}

#[cfg(test)]
mod tests {
    use super::count_instructions;

    #[test]
    fn directives_and_labels_are_no_instructions() {
        let ptx = ".version 9.0\n.visible .entry k(\n.param .u64 p\n)\n{\n.reg .b32 %r<3>;\n\n// a comment;\n\
            mov.u32 \t%r1, %tid.x;\n$L__BB0_1:\n@%p1 bra $L__BB0_1;\n{ // callseq 0, 0\n.param .b32 a;\n\
            call.uni f, (a);\n} // callseq 0\nret;\n}\n.global .u32 x;\n";
        assert_eq!(count_instructions(ptx), 4);
    }
}
