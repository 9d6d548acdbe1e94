//! `bench`: CUDA programs on the CPU beside the same algorithms in native C++, launches, matrix instructions, start of a
//! program, compilation, and libraries beside NumPy. All that is compared is measured in turn in one run. Prints
//! Markdown.

mod alone;
mod compare;
mod compile;
mod libraries;
mod lifted;
mod program;
mod start;
mod times;

use crate::progress::heading;
use crate::repository::{Profile, root, target};
use crate::toolkit::{CUDA_13_0, cuda};
use crate::{Result, verb};
use clap::ValueEnum;
use program::Runs;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

/// Seconds for which the runs of a kernel are repeated.
const SECONDS: f64 = 0.5;
/// The same for a quick look at all.
const QUICK_SECONDS: f64 = 0.05;

#[derive(clap::Args)]
pub struct Options {
    /// Only these parts
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// How often each program runs; what is compared runs in turn
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Only kernels whose program's name contains this
    #[arg(long, default_value = "")]
    filter: String,
    /// Only the kernel of this name; may be given more than once
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// The number of processors for kernels and for their native counterparts: all by default
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// One short round, and only the kernels if no part is named: less than a minute once all is compiled
    #[arg(long)]
    quick: bool,
    /// Also write the times of the kernels to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Take the staged libraries as they are
    #[arg(long)]
    no_build: bool,
    /// Also write docs/dev/performance.md, or the chosen parts of it
    #[arg(long)]
    write: bool,
}

impl Options {
    fn parts(&self) -> &[Part] {
        match self.parts.as_slice() {
            [] if self.quick || !self.only.is_empty() => &[Part::Kernels],
            [] => Part::value_variants(),
            parts => parts,
        }
    }

    fn rounds(&self) -> usize {
        if self.quick { 1 } else { self.rounds }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Kernels beside native code
    Kernels,
    /// The time of a launch, and of other calls of the driver
    Launches,
    /// Matrix instructions
    Matrices,
    /// The first and the second start of a small program
    Start,
    /// The compiler, for each 1,000 instructions of PTX
    Compile,
    /// Kernels by way of their machine code beside the same by way of their PTX
    MachineCode,
    /// The libraries beside NumPy
    Libraries,
}

/// Measures the chosen parts, all by default, and prints or writes the page. Fails if a program cannot be built or run.
pub fn run(options: &Options) -> Result<ExitCode> {
    if !options.no_build {
        heading("Building the release");
        verb::build::build(Profile::Release)?;
    }
    let cuda = cuda(CUDA_13_0)?;
    let path = root().join("docs/dev/performance.md");
    let mut page = format!(
        "# Performance\n\nWhat `./x bench --write` measured on {}.\n\
         Differences of a tenth are noise on a machine that others use.\n",
        machine()
    );
    let before = fs::read_to_string(&path)?;
    if !options.parts.is_empty() {
        page = before.clone();
    }
    let rounds = options.rounds();
    let seconds = if options.quick { QUICK_SECONDS } else { SECONDS };
    let runs = Runs::new(seconds, &options.only, options.threads, options.quick)?;
    // The names are those of kernels that have a counterpart.
    let all = Runs::new(seconds, &[], options.threads, options.quick)?;
    let mut problems = Vec::new();
    for part in options.parts() {
        let section = match part {
            Part::Kernels => {
                let comparison = compare::compare(&cuda, &options.filter, &runs, rounds)?;
                if let Some(file) = &options.json {
                    fs::write(file, comparison.json())?;
                }
                let section = comparison.section(&runs, rounds);
                problems.extend(comparison.problems);
                section
            }
            Part::Launches => alone::launches(&cuda, &all, rounds)?,
            Part::Matrices => alone::matrices(&cuda, &all, rounds)?,
            Part::Start => start::measure(&cuda, rounds)?,
            Part::Compile => compile::measure(&cuda, rounds)?,
            Part::MachineCode => lifted::measure(&cuda, &options.filter, &runs, rounds)?,
            Part::Libraries => libraries::measure(rounds)?,
        };
        println!("\n{section}");
        page = with_section(&page, &section);
    }
    if !problems.is_empty() {
        return Err(problems.join("\n").into());
    }
    if options.write {
        fs::write(&path, with_kept_sections(page, &before))?;
        println!("wrote {}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// The page with a section, in the place of the one of that title if there is one.
fn with_section(page: &str, section: &str) -> String {
    let title = section.lines().next().unwrap_or_default();
    let Some(begin) = page.find(&format!("\n{title}\n")) else {
        return format!("{page}\n{section}");
    };
    let (before, old) = page.split_at(begin + 1);
    let after = old.find("\n## ").map_or("", |end| &old[end..]);
    format!("{before}{section}{after}")
}

/// The page with the sections of the one before that were not measured but written, at its end.
fn with_kept_sections(page: String, before: &str) -> String {
    let sections = before.split("\n## ").skip(1);
    sections.fold(page, |page, section| {
        let title = section.lines().next().unwrap_or_default();
        match page.contains(&format!("\n## {title}\n")) {
            true => page,
            false => format!("{}\n\n## {}\n", page.trim_end(), section.trim_end()),
        }
    })
}

/// The processor, for whoever reads the numbers later.
fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown processor", |(_, model)| model.trim());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let vectors = [" avx512f", " avx2"].into_iter().find(|flag| info.contains(flag));
    format!("{model}, {threads} threads,{}", vectors.unwrap_or(" without AVX2"))
}

/// The folder of what is built to be measured.
fn folder() -> PathBuf {
    target().join("bench")
}

/// The middle of some numbers.
fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The smallest of some numbers.
fn best(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::with_section;

    #[test]
    fn a_section_takes_the_place_of_its_older_one() {
        let page = "# Page\n\n## One\n\n1\n\n## Two\n\n2\n";
        let new = with_section(page, "## One\n\n3\n");
        assert_eq!(new, "# Page\n\n## One\n\n3\n\n## Two\n\n2\n");
        assert_eq!(with_section(&new, "## Two\n\n4\n"), "# Page\n\n## One\n\n3\n\n## Two\n\n4\n");
        let more = with_section(page, "## Three\n\n5\n");
        assert_eq!(more, format!("{page}\n## Three\n\n5\n"));
    }
}
