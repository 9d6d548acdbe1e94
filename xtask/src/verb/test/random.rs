//! Random kernels against the bits that an NVIDIA GPU leaves, by both executors and on emulated AMD GPUs.
//! `tests/twin/answers/random_missing.txt` lists those that do not agree, and is checked both ways.

use super::Report;
use crate::Result;
use crate::program::capture;
use crate::progress::{heading, parallel};
use crate::repository::{EMULATED, root};
use crate::verb::random::{build, check, check_kept};
use std::collections::BTreeSet;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(1800);

/// Each process runs every so-many-th kernel.
const PARTS: usize = 48;

/// The executors with the parts that they run, by as many processes at once as there are processors: compiling
/// a kernel to vector code takes ten times as long as compiling it for the reference executor.
const EXECUTORS: [(&str, usize); 4] = [
    ("vector", PARTS / 3),
    ("reference", PARTS),
    (EMULATED[0], PARTS / 3),
    (EMULATED[1], PARTS / 3),
];

pub fn run(report: &mut Report) -> Result<()> {
    let listed = std::fs::read_to_string(root().join("tests/twin/answers/random_missing.txt"))?;
    let listed: BTreeSet<u32> = listed
        .lines()
        .filter_map(|line| line.split_once('#'))
        .filter_map(|(seed, _)| seed.trim().parse().ok())
        .collect();
    heading("Running random kernels");
    build()?;
    let jobs: Vec<(&str, usize)> = EXECUTORS
        .into_iter()
        .flat_map(|(executor, parts)| (0..parts).map(move |part| (executor, part)))
        .collect();
    let results = parallel(
        &jobs,
        |(executor, part)| format!("random kernels, part {} of {PARTS} ({executor})", part + 1),
        |&(executor, part)| {
            let output = capture(&mut check(executor, part, PARTS), LIMIT)
                .map_err(|error| error.to_string())?;
            verdicts(&output.stdout).ok_or_else(|| output.describe())
        },
        |result| result.is_ok(),
    );
    for ((executor, part), result) in jobs.iter().zip(results) {
        let (agreeing, disagreeing) = match result {
            Ok(verdicts) => verdicts,
            Err(reason) => {
                let name = format!("random kernels, part {} ({executor})", part + 1);
                report.check(name, Err(reason));
                continue;
            }
        };
        report.pass(agreeing);
        for seed in disagreeing.difference(&listed) {
            let reason = "it does not leave the GPU's bits".to_owned();
            report.check(format!("random kernel {seed} ({executor})"), Err(reason));
        }
        let here = |seed: &&u32| **seed as usize % PARTS == *part;
        for seed in listed.iter().filter(here).filter(|seed| !disagreeing.contains(seed)) {
            let reason = "it agrees, and can leave random_missing.txt".to_owned();
            report.check(format!("random kernel {seed} ({executor})"), Err(reason));
        }
    }
    for (executor, _) in EXECUTORS {
        let output = capture(&mut check_kept(executor), LIMIT)?;
        let result = if output.success() { Ok(()) } else { Err(output.describe()) };
        report.check(format!("kept random kernels ({executor})"), result);
    }
    Ok(())
}

/// From lines `differs <seed>` and `fails <seed>: <reason>`, and the last line, `<n> of <m> kernels agree`:
/// how many agree, and which do not. `None`: the program did not come to its end.
fn verdicts(text: &str) -> Option<(usize, BTreeSet<u32>)> {
    let disagreeing: BTreeSet<u32> = text
        .lines()
        .filter_map(|line| line.strip_prefix("differs ").or_else(|| line.strip_prefix("fails ")))
        .filter_map(|rest| rest.split(':').next()?.parse().ok())
        .collect();
    let (agreeing, rest) = text.lines().last()?.split_once(" of ")?;
    let (agreeing, total): (usize, usize) =
        (agreeing.parse().ok()?, rest.strip_suffix(" kernels agree")?.parse().ok()?);
    (agreeing + disagreeing.len() == total).then_some((agreeing, disagreeing))
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
    }
}
