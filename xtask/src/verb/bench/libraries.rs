//! Our libraries on the CPU device beside NumPy, which calls OpenBLAS and pocketfft.

use crate::program::capture;
use crate::progress::heading;
use crate::repository::{Profile, root};
use crate::{Result, toolkit};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(600);

/// The section of the page, in microseconds for each call. Fails if the results of both do not agree.
pub fn measure(rounds: usize) -> Result<String> {
    let python = toolkit::python_with_packages()?;
    heading("Measuring libraries beside NumPy");
    let mut command = Command::new(python);
    command
        .arg(root().join("bench/libraries.py"))
        .arg(rounds.to_string())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("LD_LIBRARY_PATH", Profile::Release.staged())
        .env("ZLUDA_DEVICE", "cpu");
    let output = capture(&mut command, LIMIT)?;
    if !output.success() {
        return Err(output.describe().into());
    }
    let mut text = format!(
        "## Libraries\n\nA call of our libraries, with a synchronisation after at most 200 microseconds of calls, beside \
         NumPy's in the same process, in microseconds: the best of {rounds} turns of each, with one thread. Results \
         agree. NumPy multiplies 16-bit floats and bytes as 32-bit floats, and convolves by a copy of the windows and \
         a product. Small calls go to OpenBLAS itself, both sides through ctypes.\n\n\
         | what | NumPy | ZLUDA | ZLUDA / NumPy |\n|---|---|---|---|\n"
    );
    for line in output.stdout.lines() {
        let (what, ours, native) =
            parse(line).ok_or_else(|| format!("not a measurement: {line}"))?;
        text += &format!("| {what} | {native:.1} | {ours:.1} | {:.2} |\n", ours / native);
    }
    Ok(text)
}

/// Reads a line `what`, our time, NumPy's time, with tabs between.
fn parse(line: &str) -> Option<(&str, f64, f64)> {
    let mut words = line.split('\t');
    let what = words.next()?;
    let mut number = || words.next()?.parse().ok();
    Some((what, number()?, number()?))
}
