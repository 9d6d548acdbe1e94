//! Single instructions on edge inputs, against the recorded answers of an NVIDIA GPU, by both executors.

use super::Report;
use crate::Result;
use crate::program::capture;
use crate::progress::heading;
use crate::verb::conformance::command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(1200);

pub fn run(report: &mut Report) -> Result<()> {
    for executor in ["vector", "reference"] {
        heading(&format!("Comparing instructions with an NVIDIA GPU's answers ({executor})"));
        let mut command = command("")?;
        command.env("ZLUDA_EXECUTOR", executor);
        let output = capture(&mut command, LIMIT)?;
        let mut disagreements = 0;
        for line in output.stdout.lines() {
            if let Some((form, reason)) =
                line.split_once(": ").filter(|(form, _)| is_disagreement(form))
            {
                disagreements += 1;
                report.check(format!("{form} ({executor})"), Err(reason.to_owned()));
            } else {
                println!("{line}");
            }
        }
        match agreeing(&output.stdout) {
            Some(agreeing) => report.pass(agreeing),
            None => report.check(format!("conformance ({executor})"), Err(output.describe())),
        }
        if disagreements == 0 && !output.success() && agreeing(&output.stdout).is_some() {
            report.check(format!("conformance ({executor})"), Err(output.describe()));
        }
    }
    Ok(())
}

fn is_disagreement(form: &str) -> bool {
    form.starts_with("refused ") || form.starts_with("differs ")
}

/// From the last line, `<n> of <m> forms agree`.
fn agreeing(text: &str) -> Option<usize> {
    let last = text.lines().last()?;
    last.strip_suffix(" forms agree")?.split_once(" of ")?.0.parse().ok()
}
