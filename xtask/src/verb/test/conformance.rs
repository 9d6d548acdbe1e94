//! Single instructions on edge inputs, against the recorded answers of an NVIDIA GPU, by both executors and
//! for several processors, and on emulated AMD GPUs.
//! As machine code, too, which ptxas makes of the forms.
//! `tests/differential/answers/forms_missing.txt`, `forms_missing_sass.txt`, those for other architectures and
//! `forms_missing_emu_<gfx>.txt` list the forms that do not agree, and are checked both ways where all forms run.

use super::Report;
use crate::Result;
use crate::program::capture;
use crate::progress::{heading, parallel};
use crate::repository::{EMULATED, NO_AVX512, has_avx512, make_empty, root, target};
use crate::verb::conformance::{Code, build, command};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(1800);

/// The executors that the forms are run by, and the processors that they are compiled for.
const RUNS: [Run; 7] = [
    EXACT,
    Run { executor: "reference", first: PARTS / 2, parts: PARTS / 2, ..EXACT },
    // What it has besides the others is short vectors.
    Run { processor: "x86-64-v2", parts: PARTS / 8, ..EXACT },
    // Each form is assembled and lifted besides: `./x conformance --by sass` runs all.
    Run { by: Code::Sass, parts: PARTS / 16, ..EXACT },
    Run { by: Code::Sass75, first: PARTS / 4, parts: PARTS / 16, ..EXACT },
    Run { by: Code::Sass89, first: PARTS / 2, parts: PARTS / 16, ..EXACT },
    Run { by: Code::Sass90, first: PARTS / 4 * 3, parts: PARTS / 16, ..EXACT },
];

const EXACT: Run = Run {
    device: "cpu",
    executor: "vector",
    processor: "native",
    by: Code::Ptx,
    math: "exact",
    filter: "",
    first: 0,
    parts: PARTS,
};

/// The run without AVX-512 on a processor that has it.
const WITHOUT_AVX512: Run = Run { processor: "x86-64-v3", parts: PARTS / 2, ..EXACT };

/// The forms that differ between the ways to approximate.
const APPROXIMATE: &str = ".approx";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    device: &'static str,
    executor: &'static str,
    processor: &'static str,
    by: Code,
    /// As `ZLUDA_MATH` names it.
    math: &'static str,
    /// A part of the names of the forms that are run.
    filter: &'static str,
    /// The first part that runs, and how many do, of [`PARTS`].
    first: usize,
    parts: usize,
}

impl Run {
    fn name(self) -> String {
        let mut words = match self.device {
            "cpu" => vec![self.executor],
            device => vec![device],
        };
        let code = self.by.architecture().map(|of| format!("machine code for {of}"));
        words.extend(code.as_deref());
        words.extend([self.processor].into_iter().filter(|&processor| processor != "native"));
        words.extend([self.math].into_iter().filter(|_| self.filter == APPROXIMATE));
        words.join(", ")
    }

    /// The list of forms that do not agree.
    fn list(self) -> String {
        match (self.by, self.device.strip_prefix("emu:")) {
            (Code::Sass, _) => "forms_missing_sass.txt".to_owned(),
            (Code::Sass75, _) => "forms_missing_sass75.txt".to_owned(),
            (Code::Sass89, _) => "forms_missing_sass89.txt".to_owned(),
            (Code::Sass90, _) => "forms_missing_sass90.txt".to_owned(),
            (Code::Ptx, Some(gfx)) => format!("forms_missing_emu_{gfx}.txt"),
            (Code::Ptx, None) => "forms_missing.txt".to_owned(),
        }
    }
}

fn runs(report: &mut Report) -> Vec<Run> {
    let mut runs = RUNS.to_vec();
    if has_avx512() {
        runs.push(WITHOUT_AVX512);
    } else {
        report.cannot("instructions as code for AVX-512", NO_AVX512);
    }
    runs.push(Run { math: "fast", filter: APPROXIMATE, ..EXACT });
    // The code is the same up to what waves are long: each has forms that the other one leaves out.
    for (device, first, parts) in [(EMULATED[0], 0, PARTS / 4), (EMULATED[1], PARTS / 2, PARTS / 8)]
    {
        runs.push(Run { device, math: "fast", first, parts, ..EXACT });
        runs.push(Run { device, filter: APPROXIMATE, ..EXACT });
    }
    runs
}

/// The forms are run in this many parts, by as many processes at once as there are processors.
const PARTS: usize = 16;

/// The outcome of some forms.
#[derive(Debug, Default, PartialEq, Eq)]
struct Verdicts {
    /// The number of forms that agree with the recording.
    agreeing: usize,
    /// The others, with what is wrong.
    disagreeing: BTreeMap<String, String>,
}

/// Runs the forms in every way, and holds them against the lists of those that do not agree.
pub fn run(report: &mut Report) -> Result<()> {
    heading("Comparing instructions with an NVIDIA GPU's answers");
    build()?;
    let cache = target().join("test/conformance-cache");
    make_empty(&cache)?;
    let runs = runs(report);
    let jobs: Vec<(Run, usize)> = runs
        .iter()
        .flat_map(|&run| (run.first..run.first + run.parts).map(move |part| (run, part)))
        .collect();
    let results = parallel(
        &jobs,
        |(run, part)| format!("instructions, part {} of {PARTS} ({})", part + 1, run.name()),
        |&(run, part)| {
            let mut command =
                command(run.device, run.by, run.filter).map_err(|error| error.to_string())?;
            command
                .arg(format!("{part}/{PARTS}"))
                .env("ZLUDA_EXECUTOR", run.executor)
                .env("ZLUDA_CPU_TARGET", run.processor)
                .env("ZLUDA_MATH", run.math)
                .env("ZLUDA_CACHE_DIR", &cache);
            let output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
            verdicts(&output.stdout).ok_or_else(|| output.describe())
        },
        |result| result.is_ok(),
    );
    for run in runs {
        let executor = run.name();
        let list = run.list();
        let listed =
            std::fs::read_to_string(root().join("tests/differential/answers").join(&list))?;
        let mut listed = names(&listed);
        listed.retain(|name| name.contains(run.filter));
        let mut all = Verdicts::default();
        let mut complete = run.parts == PARTS;
        for ((_, part), result) in jobs.iter().zip(&results).filter(|((of, _), _)| *of == run) {
            match result {
                Ok(verdicts) => {
                    all.agreeing += verdicts.agreeing;
                    all.disagreeing.extend(verdicts.disagreeing.clone());
                }
                Err(reason) => {
                    complete = false;
                    let name = format!("instructions, part {} ({executor})", part + 1);
                    report.check(name, Err(reason.clone()));
                }
            }
        }
        println!("{executor}: {} forms agree, {} do not", all.agreeing, all.disagreeing.len());
        report.pass(all.agreeing);
        for (form, reason) in &all.disagreeing {
            if !listed.contains(form.as_str()) {
                report.check(format!("{form} ({executor})"), Err(reason.clone()));
            }
        }
        if complete {
            for form in listed.iter().filter(|form| !all.disagreeing.contains_key(**form)) {
                let reason = format!("it agrees, or is no form: it can leave {list}");
                report.check(format!("{form} ({executor})"), Err(reason));
            }
        }
    }
    Ok(())
}

/// The names of a list with lines `name  # reason`.
fn names(list: &str) -> BTreeSet<&str> {
    list.lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|name| !name.is_empty())
        .collect()
}

/// From lines `refused <form>: <reason>` and `differs <form>: <reason>`, and the last line,
/// `<n> of <m> forms agree`. `None`: the program did not come to its end, or there is no form.
fn verdicts(text: &str) -> Option<Verdicts> {
    let mut disagreeing = BTreeMap::new();
    for line in text.lines() {
        // Names of forms hold colons, but none before a space.
        if let Some(rest) = line.strip_prefix("refused ").or_else(|| line.strip_prefix("differs "))
            && let Some((form, reason)) = rest.split_once(": ")
        {
            disagreeing.insert(form.to_owned(), reason.to_owned());
        }
    }
    let (agreeing, rest) = text.lines().last()?.split_once(" of ")?;
    let (total, _) = rest.split_once(" forms agree")?;
    let agreeing: usize = agreeing.parse().ok()?;
    let total: usize = total.parse().ok()?;
    let complete = total != 0 && agreeing + disagreeing.len() == total;
    complete.then_some(Verdicts { agreeing, disagreeing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_to_the_last_line() {
        let text = "refused fns.b32: error 801\ndiffers sin.approx.f32:small: case 1 (0x1): expected 0x0\n\
            float: 3 of 5 forms agree\n3 of 5 forms agree\n";
        let disagreeing = BTreeMap::from([
            ("fns.b32".to_owned(), "error 801".to_owned()),
            ("sin.approx.f32:small".to_owned(), "case 1 (0x1): expected 0x0".to_owned()),
        ]);
        assert_eq!(verdicts(text), Some(Verdicts { agreeing: 3, disagreeing }));
        assert_eq!(verdicts("refused fns.b32: error 801\n"), None);
        assert_eq!(verdicts("3 of 5 forms agree"), None);
        assert_eq!(verdicts("0 of 0 forms agree"), None);
        assert_eq!(names("# a list\na.b  # why\n\nc\n"), BTreeSet::from(["a.b", "c"]));
    }
}
