//! Random kernels against the bits that an NVIDIA GPU leaves, by both executors and on emulated AMD GPUs.
//! `tests/differential/answers/random_missing.txt` lists those that do not agree, and is checked both ways.

use super::Report;
use crate::Result;
use crate::program::capture;
use crate::progress::{heading, parallel};
use crate::repository::{EMULATED, root};
use crate::verb::random::{build, check, check_kept};
use std::collections::BTreeSet;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(1800);

/// Kernels of a generation, by the file of what they leave. Each process runs every so-many-th of them.
struct Generation {
    answers: &'static str,
    /// The first seed.
    first: u64,
    parts: usize,
    /// The executors with the parts that they run, by as many processes at once as there are processors: compiling
    /// a kernel to vector code takes ten times as long as compiling it for the reference executor.
    executors: [(&'static str, usize); 4],
}

const GENERATIONS: [Generation; 2] = [
    Generation {
        answers: "h100.random",
        first: 0,
        parts: 48,
        executors: [("vector", 4), ("reference", 24), (EMULATED[0], 4), (EMULATED[1], 2)],
    },
    Generation {
        answers: "h100.random-2",
        first: 1 << 32,
        parts: 160,
        executors: [("vector", 4), ("reference", 16), (EMULATED[0], 2), (EMULATED[1], 1)],
    },
];

/// Runs the recorded seeds in every way, and holds them against the list of those that do not agree.
pub fn run(report: &mut Report) -> Result<()> {
    let listed =
        std::fs::read_to_string(root().join("tests/differential/answers/random_missing.txt"))?;
    let listed: BTreeSet<u64> = listed
        .lines()
        .filter_map(|line| line.split_once('#'))
        .filter_map(|(seed, _)| seed.trim().parse().ok())
        .collect();
    heading("Running random kernels");
    build()?;
    let jobs: Vec<(&Generation, &str, usize)> = GENERATIONS
        .iter()
        .flat_map(|generation| {
            let parts = |&(executor, parts): &(&'static str, usize)| {
                (0..parts).map(move |part| (executor, part))
            };
            let all = generation.executors.iter().flat_map(parts);
            all.map(move |(executor, part)| (generation, executor, part))
        })
        .collect();
    let name = |&(generation, executor, part): &(&Generation, &str, usize)| {
        format!(
            "random kernels, {}, part {} of {} ({executor})",
            generation.answers,
            part + 1,
            generation.parts
        )
    };
    let results = parallel(
        &jobs,
        name,
        |&(generation, executor, part)| {
            let mut command = check(executor, generation.answers, part, generation.parts);
            let output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
            verdicts(&output.stdout).ok_or_else(|| output.describe())
        },
        |result| result.is_ok(),
    );
    for (job, result) in jobs.iter().zip(results) {
        let (generation, executor, part) = job;
        let (agreeing, disagreeing) = match result {
            Ok(verdicts) => verdicts,
            Err(reason) => {
                report.check(name(job), Err(reason));
                continue;
            }
        };
        report.pass(agreeing);
        for seed in disagreeing.difference(&listed) {
            let reason = "it does not leave the GPU's bits".to_owned();
            report.check(format!("random kernel {seed} ({executor})"), Err(reason));
        }
        let here = |seed: &&u64| {
            seed.checked_sub(generation.first).is_some_and(|number| {
                number < 1 << 32 && number as usize % generation.parts == *part
            })
        };
        for seed in listed.iter().filter(here).filter(|seed| !disagreeing.contains(seed)) {
            let reason = "it agrees, and can leave random_missing.txt".to_owned();
            report.check(format!("random kernel {seed} ({executor})"), Err(reason));
        }
    }
    for (executor, _) in GENERATIONS[0].executors {
        let output = capture(&mut check_kept(executor), LIMIT)?;
        let agree = output.success() && verdicts(&output.stdout).is_some();
        let result = if agree { Ok(()) } else { Err(output.describe()) };
        report.check(format!("kept random kernels ({executor})"), result);
    }
    Ok(())
}

/// From lines `differs <seed>` and `fails <seed>: <reason>`, and the last line, `<n> of <m> kernels agree`:
/// how many agree, and which do not. `None`: the program did not come to its end, or there is no kernel.
pub fn verdicts(text: &str) -> Option<(usize, BTreeSet<u64>)> {
    let disagreeing: BTreeSet<u64> = text
        .lines()
        .filter_map(|line| line.strip_prefix("differs ").or_else(|| line.strip_prefix("fails ")))
        .filter_map(|rest| rest.split(':').next()?.parse().ok())
        .collect();
    let (agreeing, rest) = text.lines().last()?.split_once(" of ")?;
    let (agreeing, total): (usize, usize) =
        (agreeing.parse().ok()?, rest.strip_suffix(" kernels agree")?.parse().ok()?);
    let complete = total != 0 && agreeing + disagreeing.len() == total;
    complete.then_some((agreeing, disagreeing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_to_the_last_line() {
        assert_eq!(verdicts("5 of 5 kernels agree\n"), Some((5, BTreeSet::new())));
        let text = "differs 4\nfails 7: error 801\n3 of 5 kernels agree\n";
        assert_eq!(verdicts(text), Some((3, BTreeSet::from([4, 7]))));
        assert_eq!(verdicts("differs 4\n"), None);
        assert_eq!(verdicts("differs 4\n3 of 5 kernels agree\n"), None);
        assert_eq!(verdicts("0 of 0 kernels agree\n"), None);
    }
}
