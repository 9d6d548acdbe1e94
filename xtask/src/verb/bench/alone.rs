//! Programs that have nothing beside them: launches of kernels that do nothing, and matrix instructions.

use super::program::{Runs, Side, build};
use super::times::{Table, add};
use crate::Result;
use crate::progress::heading;
use crate::toolkit::Cuda;

fn measure(cuda: &Cuda, program: &str, what: &str, runs: &Runs, rounds: usize) -> Result<Table> {
    build(cuda, &[(program.to_owned(), Side::Cuda)])?;
    heading(&format!("Measuring {what}"));
    let mut table = Table::new();
    for _ in 0..rounds {
        add(&mut table, runs.run(program, Side::Cuda)?);
    }
    Ok(table)
}

/// Measures launches and other calls of the driver.
pub fn launches(cuda: &Cuda, runs: &Runs, rounds: usize) -> Result<String> {
    let table = measure(cuda, "launch", "launches and calls", runs, rounds)?;
    let mut text = "## Launches\n\nMicroseconds for each launch, and for what other calls of the driver do.\n\n\
                    | what | best | median |\n|---|---|---|\n"
        .to_owned();
    for (kernel, series) in &table {
        text += &format!(
            "| {} | {:.2} | {:.2} |\n",
            kernel.replace('_', " "),
            series.best(),
            series.median()
        );
    }
    Ok(text)
}

/// Measures matrix instructions.
pub fn matrices(cuda: &Cuda, runs: &Runs, rounds: usize) -> Result<String> {
    let table = measure(cuda, "matrix", "matrix instructions", runs, rounds)?;
    let mut text = "## Matrix instructions\n\nOne warp's `mma`, on one core. Sums are f32 or s32 but where it \
                    says so; a multiplication and an addition are two operations.\n\n\
                    | instruction | nanoseconds, best | median | GOP/s, best |\n|---|---|---|---|\n"
        .to_owned();
    for (instruction, series) in &table {
        let nanoseconds = series.best() * 1e3;
        text += &format!(
            "| {} | {nanoseconds:.0} | {:.0} | {:.1} |\n",
            instruction.replace('_', " "),
            series.median() * 1e3,
            series.checksum / nanoseconds
        );
    }
    Ok(text)
}
