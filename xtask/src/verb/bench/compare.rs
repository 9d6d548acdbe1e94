//! Kernels beside the same algorithms in C++.
//!
//! What is compared is the time of the processors: on a machine that others use, the clock says more about them than
//! about a kernel. Threads that spin while they wait count on both sides, so one processor says most about a kernel. The
//! clock's time stands beside it, because a kernel that leaves processors idle shows in nothing else.

use super::program::{NATIVE_FLAGS, Runs, Side, build, with_counterparts};
use super::times::{Series, Table, add};
use crate::Result;
use crate::progress::heading;
use crate::toolkit::Cuda;

/// Sums are rounded in another order.
const TOLERANCE: f64 = 1e-4;

/// The ratios that are counted.
const LIMITS: [f64; 3] = [1.3, 2.0, 3.0];

/// A kernel that ran on both sides, with times in microseconds.
#[derive(Debug)]
pub struct Row {
    pub kernel: String,
    pub native: f64,
    pub ours: f64,
    pub native_processors: f64,
    pub ours_processors: f64,
    /// The larger one of both sides, as a part of the time.
    pub spread: f64,
}

impl Row {
    fn new(kernel: &str, native: &Series, ours: &Series) -> Self {
        Self {
            kernel: kernel.to_owned(),
            native: native.median(),
            ours: ours.median(),
            native_processors: native.processors(),
            ours_processors: ours.processors(),
            spread: native.spread().max(ours.spread()),
        }
    }

    pub fn ratio(&self) -> f64 {
        self.ours_processors / self.native_processors
    }
}

/// The kernels of both sides, and what is wrong with those that have no row.
#[derive(Debug, Default)]
pub struct Comparison {
    pub rows: Vec<Row>,
    pub problems: Vec<String>,
}

/// Measures the programs of `bench/` that have a native counterpart and whose name contains `filter`, each `rounds`
/// times, in turn.
pub fn compare(cuda: &Cuda, filter: &str, runs: &Runs, rounds: usize) -> Result<Comparison> {
    let programs = with_counterparts(filter)?;
    let both = |name: &String| [(name.clone(), Side::Native), (name.clone(), Side::Cuda)];
    build(cuda, &programs.iter().flat_map(both).collect::<Vec<_>>())?;
    heading("Measuring kernels and their native counterparts");
    let mut comparison = Comparison::default();
    let (mut native, mut ours) = (Table::new(), Table::new());
    // All programs before the next round: what disturbs a machine often lasts longer than the rounds of one.
    for _ in 0..rounds {
        for program in &programs {
            add(&mut native, runs.run(program, Side::Native)?);
            match runs.run(program, Side::Cuda) {
                Ok(times) => add(&mut ours, times),
                Err(error) => comparison.problems.push(error.to_string()),
            }
        }
    }
    for (kernel, native) in &native {
        match ours.get(kernel) {
            None => comparison.problems.push(format!("no CUDA program measures {kernel}")),
            Some(ours) if !agree(native.checksum, ours.checksum) => {
                let (native, ours) = (native.checksum, ours.checksum);
                comparison.problems.push(format!("{kernel}: the checksum is {ours} for {native}"));
            }
            Some(ours) => comparison.rows.push(Row::new(kernel, native, ours)),
        }
    }
    for name in &runs.only {
        let mut all = comparison.rows.iter().map(|row| &row.kernel);
        if comparison.problems.is_empty() && !all.any(|kernel| kernel == name) {
            comparison.problems.push(format!("there is no kernel {name}"));
        }
    }
    Ok(comparison)
}

/// Whether checksums are the same, but for rounding.
pub fn agree(native: f64, ours: f64) -> bool {
    (native - ours).abs() <= TOLERANCE * native.abs()
}

impl Comparison {
    /// The section of the page.
    pub fn section(&self, runs: &Runs, rounds: usize) -> String {
        let processors = match &runs.processors {
            None => "all processors".to_owned(),
            Some(list) if list.len() == 1 => "one processor".to_owned(),
            Some(list) => format!("{} processors", list.len()),
        };
        let mut text = format!(
            "## Kernels\n\nLaunch and synchronisation of kernels built by nvcc, beside the same algorithm in C++ \
             (`g++ {}`, and `-ffast-math` where nvcc has its own, or where the C library's functions have vectors with it \
             only), in microseconds, on {processors}; {rounds} runs of each program in turn. Checksums agree. The ratio is that of the processors' time, of the best of the runs; the spread is how much longer the \
             middle one took, on the side where that is more.\n\n\
             | kernel | native | ZLUDA | native, processors | ZLUDA, processors | ZLUDA / native | spread |\n\
             |---|---|---|---|---|---|---|\n",
            NATIVE_FLAGS.join(" ")
        );
        for row in &self.rows {
            // One run of a program says nothing about that.
            let spread =
                if rounds > 1 { format!("{:.0} %", row.spread * 100.0) } else { String::new() };
            text += &format!(
                "| {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} | {spread} |\n",
                row.kernel,
                row.native,
                row.ours,
                row.native_processors,
                row.ours_processors,
                row.ratio()
            );
        }
        if self.rows.is_empty() {
            return text;
        }
        let ratios: Vec<f64> = self.rows.iter().map(Row::ratio).collect();
        let above = LIMITS.map(|limit| {
            format!("{} above {limit}", ratios.iter().filter(|ratio| **ratio > limit).count())
        });
        text += &format!(
            "\nThe geometric mean of the {} ratios is {:.2}; {}.\n",
            ratios.len(),
            geometric_mean(&ratios),
            above.join(", ")
        );
        text
    }

    /// The same numbers for programs.
    pub fn json(&self) -> String {
        // Names are those of C++, and numbers are finite: nothing needs an escape.
        let rows: Vec<String> = self
            .rows
            .iter()
            .map(|row| {
                format!(
                    "    {{\"kernel\": \"{}\", \"native\": {:.3}, \"zluda\": {:.3}, \"native_processors\": {:.3}, \
                     \"zluda_processors\": {:.3}, \"ratio\": {:.4}, \"spread\": {:.4}}}",
                    row.kernel,
                    row.native,
                    row.ours,
                    row.native_processors,
                    row.ours_processors,
                    row.ratio(),
                    row.spread
                )
            })
            .collect();
        format!(
            "{{\n  \"unit\": \"microseconds\",\n  \"kernels\": [\n{}\n  ]\n}}\n",
            rows.join(",\n")
        )
    }
}

fn geometric_mean(numbers: &[f64]) -> f64 {
    let logarithms: f64 = numbers.iter().map(|number| number.ln()).sum();
    (logarithms / numbers.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::{agree, geometric_mean};

    #[test]
    fn means_and_checksums() {
        assert!((geometric_mean(&[0.5, 2.0, 4.0, 0.25]) - 1.0).abs() < 1e-12);
        assert!(agree(-3.0, -3.0001) && agree(0.0, 0.0));
        assert!(!agree(-3.0, -3.1) && !agree(1.0, f64::NAN) && !agree(0.0, 1.0));
    }
}
