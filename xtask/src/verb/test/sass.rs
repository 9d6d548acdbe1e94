//! The decoder of machine code against nvdisasm: every instruction that ptxas makes for sm_80 of the PTX that is here, those that it makes
//! for other architectures of programs and forms, and words of sm_80 in which bits were changed. `sass/tests/nvdisasm.txt` lists the opcodes
//! in whose changed words the two may differ.

use super::Report;
use crate::Result;
use crate::machine_code::{
    Architecture, Nvdisasm, SM_75, SM_80, SM_86, SM_89, SM_90, assemble, assemble_kernels, words,
};
use crate::program::{capture, cargo, loud};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, make_empty, root, stem, target};
use crate::sample;
use crate::toolkit::{CUDA_13_0, CUDA_13_5, cuda, nvdisasm};
use splitmix::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(600);
/// Forms in one module.
const FORMS: usize = 60;
/// Random kernels of each generation, and those in one module.
const KERNELS: u64 = 200;
const KERNELS_OF_A_MODULE: u64 = 20;
/// What is assembled for each architecture.
const FORMS_OF_ALL: &str = "forms";
/// Changed words of each opcode.
const CHANGED: usize = 48;
const SEED: u64 = 0x5a55;

/// Bits 105 to 127 hold what scheduling needs, for which nvdisasm has rules of its own; these suit all instructions.
const SCHEDULING: u128 = 0x7e0 << 105;
const BELOW_SCHEDULING: u128 = (1 << 105) - 1;

/// Compares both on all words.
pub fn run(report: &mut Report) -> Result<()> {
    let folder = target().join("test/sass");
    make_empty(&folder)?;
    let disassembler = Nvdisasm { path: nvdisasm()?, folder: folder.clone() };
    let texts = texts()?;
    for of in [SM_75, SM_86, SM_89, SM_90] {
        ptxas_makes(report, of, &assembled(of, &texts, &folder)?, &disassembler)?;
    }
    let words = assembled(SM_80, &texts, &folder)?;
    ptxas_makes(report, SM_80, &words, &disassembler)?;
    heading("Comparing words in which bits were changed");
    let distinct: Vec<u128> = words.keys().copied().collect();
    let changed = changed(&distinct);
    let differences = compare(SM_80, &disassembler, &changed)?;
    println!("{} of {} words are the same", changed.len() - differences.len(), changed.len());
    report.pass(changed.len() - differences.len());
    against_list(report, &differences)
}

/// Compares both on words that ptxas makes, which come with how often it makes them.
fn ptxas_makes(
    report: &mut Report,
    of: Architecture,
    words: &BTreeMap<u128, usize>,
    disassembler: &Nvdisasm,
) -> Result<()> {
    heading(&format!("Comparing machine code that ptxas makes for {}", of.name));
    let distinct: Vec<u128> = words.keys().copied().collect();
    let mut differences = compare(of, disassembler, &distinct)?;
    // ptxas 13.5 makes two words of it for sm_75, which nvdisasm knows for sm_80 alone; and windows of tensors are not read.
    differences.retain(|it| of != SM_75 || it.kind() != "taken" || it.name() != "F2FP");
    differences
        .retain(|it| of != SM_90 || it.kind() != "unknown" || !it.name().starts_with("UTMA"));
    let differing: usize =
        differences.iter().map(|d| words.get(&d.word).copied().unwrap_or(1)).sum();
    let total: usize = words.values().sum();
    println!(
        "{} of {total} instructions are the same, {} distinct words",
        total - differing,
        distinct.len()
    );
    report.pass(distinct.len() - differences.len());
    for difference in differences.iter().take(20) {
        report.check(difference.name(), Err(difference.describe()));
    }
    if differences.len() > 20 {
        report.check("the others", Err(format!("{} differ too", differences.len() - 20)));
    }
    Ok(())
}

/// A word that the two see differently.
struct Difference {
    word: u128,
    /// What nvdisasm says; none where it refuses the word.
    theirs: Option<String>,
    ours: Option<String>,
}

impl Difference {
    /// The opcode, as nvdisasm says, or we do.
    fn name(&self) -> String {
        let text = self.theirs.as_deref().or(self.ours.as_deref()).unwrap_or_default();
        let mut words = text.split_whitespace().filter(|word| !word.starts_with('@'));
        words.next().and_then(|word| word.split('.').next()).unwrap_or_default().to_owned()
    }

    fn kind(&self) -> &'static str {
        match (&self.theirs, &self.ours) {
            (_, None) => "unknown",
            (None, _) => "taken",
            _ => "other",
        }
    }

    fn describe(&self) -> String {
        let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
        format!("{:#034x} is `{}`, read as `{}`", self.word, shown(&self.theirs), shown(&self.ours))
    }
}

/// The words on which the two differ. Values that have no name (`INVALID3`, `???1`, `SR12`) are no instructions.
fn compare(of: Architecture, disassembler: &Nvdisasm, words: &[u128]) -> Result<Vec<Difference>> {
    let theirs = disassembler.texts(of, words)?;
    let mut differences = Vec::new();
    for (index, (word, theirs)) in words.iter().zip(theirs).enumerate() {
        let address = (index * sass::decode::SIZE) as u64;
        let ours =
            of.encoding.decode(address, *word).ok().map(|instruction| instruction.to_string());
        // Printed again, so that numbers and spaces are alike.
        let theirs = match theirs.filter(|text| !is_nameless(text)) {
            None => None,
            Some(text) => Some(match sass::text::parse(&text) {
                Ok(instruction) => instruction.to_string(),
                Err(error) => return Err(error.to_string().into()),
            }),
        };
        if theirs != ours {
            differences.push(Difference { word: *word, theirs, ours });
        }
    }
    Ok(differences)
}

fn is_nameless(text: &str) -> bool {
    let is_number = |word: &str| {
        let digits = word.strip_prefix("SR").unwrap_or_default();
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    };
    text.contains("INVALID") || text.contains("???") || text.split([' ', ',']).any(is_number)
}

/// The PTX that machine code is made of.
struct Texts {
    forms: Vec<String>,
    samples: Vec<PathBuf>,
}

/// What the program `random` or `conformance` shows.
fn shown(program: &str, what: &str) -> Result<String> {
    let mut command = Command::new(Profile::Release.folder().join(program));
    let output = capture(command.args(["-", "show", what]), LIMIT)?;
    output.succeeded()?;
    Ok(output.stdout)
}

/// Builds what shows and has them.
fn texts() -> Result<Texts> {
    let older = cuda(CUDA_13_0)?;
    loud(cargo().args([
        "build",
        "--release",
        "--package",
        "differential",
        "--bin",
        "conformance",
        "--bin",
        "random",
    ]))?;
    let samples = sample::all("")?;
    heading(&format!("Compiling {} programs to PTX", samples.len()));
    // Other suites build all samples with the older toolkit, too.
    let built =
        parallel(&samples, |s| s.name.clone(), |sample| sample.build_ptx(&older), Result::is_ok);
    built.into_iter().collect::<Result<Vec<()>>>()?;
    let forms = shown("conformance", "all")?;
    let forms = forms.split("\n// ").filter(|form| !form.contains(".explicitcluster"));
    Ok(Texts {
        forms: forms.map(str::to_owned).collect(),
        samples: samples.iter().flat_map(|sample| sample.ptx(&older)).collect(),
    })
}

/// The words that ptxas makes, and how often. Where most are those of sm_80, without random kernels and optimised; of forms then those alone
/// that each architecture has instructions of its own for.
fn assembled(of: Architecture, texts: &Texts, folder: &Path) -> Result<BTreeMap<u128, usize>> {
    heading(&format!("Assembling for {}", of.name));
    let ptxas = cuda(CUDA_13_5)?.ptxas();
    let is_whole = of == SM_80;
    // Most words of many forms are alike.
    let every = if of == SM_90 { 3 } else { 1 };
    let forms = texts.forms.iter().step_by(every).filter(|form| has_own(of, form));
    let forms: Vec<String> = forms.cloned().collect();
    let chunks: Vec<(usize, &[String])> = forms.chunks(FORMS).enumerate().collect();
    let seeds =
        [0, 1 << 32].map(|first| (first..first + KERNELS).step_by(KERNELS_OF_A_MODULE as usize));
    let seeds: Vec<u64> = seeds.into_iter().flatten().filter(|_| is_whole).collect();
    let results = parallel_words(&chunks, |(number, chunk)| {
        // The first line of each is its name.
        let kernels: Vec<String> = chunk.iter().map(|form| format!("// {form}")).collect();
        let kernels: Vec<&str> = kernels.iter().map(String::as_str).collect();
        let file = folder.join(format!("forms-{number}.ptx"));
        Ok(vec![assemble_kernels(&ptxas, of, &file, &kernels)?])
    });
    let random = parallel_words(&seeds, |first| {
        let kernels: Result<Vec<String>> = (*first..first + KERNELS_OF_A_MODULE)
            .map(|seed| shown("random", &seed.to_string()))
            .collect();
        let kernels = kernels?;
        let kernels: Vec<&str> = kernels.iter().map(String::as_str).collect();
        let file = folder.join(format!("random-{first}.ptx"));
        let optimised = assemble_kernels(&ptxas, of, &file, &kernels)?;
        Ok(vec![optimised, (assemble(&ptxas, of, &file, &["-O0"])?, kernels.len())])
    });
    // What sm_86 and sm_89 have of their own is in their forms; of the others each program is assembled for one besides sm_80.
    let (first, every) = match of {
        SM_80 => (0, 1),
        SM_75 => (0, 2),
        SM_90 => (1, 2),
        _ => (texts.samples.len(), 1),
    };
    let samples: Vec<&PathBuf> = texts.samples.iter().skip(first).step_by(every).collect();
    let programs = parallel_words(&samples, |text| {
        let copy = folder.join(format!("{}.ptx", stem(text)));
        std::fs::copy(text, &copy)?;
        // What is for a newer GPU alone stays away.
        let Ok(optimised) = assemble(&ptxas, of, &copy, &[]) else { return Ok(Vec::new()) };
        let mut all = vec![(optimised, 1)];
        if is_whole {
            all.push((assemble(&ptxas, of, &copy, &["-O0"])?, 1));
        }
        Ok(all)
    });
    let mut all = BTreeMap::new();
    for (what, results) in
        [(FORMS_OF_ALL, results), ("random kernels", random), ("texts of samples", programs)]
    {
        let mut count = 0;
        for (found, kernels) in results.into_iter().collect::<Result<Vec<_>>>()? {
            count += kernels;
            found.into_iter().for_each(|word| *all.entry(word).or_insert(0) += 1);
        }
        if count == 0 && (is_whole || what == FORMS_OF_ALL) {
            return Err(format!("no {what}").into());
        }
        println!("{count} {what}");
    }
    Ok(all)
}

/// Whether an architecture may have instructions for a form that those before it lack.
fn has_own(of: Architecture, form: &str) -> bool {
    let name = form.lines().next().unwrap_or_default();
    const OF_MEMORY: [&str; 7] = ["ld", "st", "atom", "red", "mma", "wmma", "cp"];
    match of.name {
        "sm_75" => OF_MEMORY.iter().any(|start| name.starts_with(start)),
        "sm_86" => name.starts_with("cvt"),
        "sm_89" => ["e4m3", "e5m2", "bf16"].iter().any(|type_| name.contains(type_)),
        _ => true,
    }
}

/// The words of the cubins that each job makes, and how many kernels they hold.
fn parallel_words<J: Sync>(
    jobs: &[J],
    work: impl Fn(&J) -> Result<Vec<(Vec<u8>, usize)>> + Sync,
) -> Vec<Result<(Vec<u128>, usize)>> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results = std::sync::Mutex::new(Vec::new());
    let one = |job: &J| -> Result<(Vec<u128>, usize)> {
        let mut all = (Vec::new(), 0);
        for (cubin, kernels) in work(job)? {
            all.0.extend(words(&cubin)?);
            all.1 += kernels;
        }
        Ok(all)
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(job) =
                    jobs.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    let result = one(job);
                    if let Ok(mut results) = results.lock() {
                        results.push(result);
                    }
                }
            });
        }
    });
    results.into_inner().unwrap_or_default()
}

/// Words of all opcodes that the table has: those that ptxas makes with some bits changed, few or many. An opcode that it does
/// not make is put into words of others.
fn changed(words: &[u128]) -> Vec<u128> {
    let mut random = Random::new(SEED);
    let mut by_opcode: BTreeMap<u16, Vec<u128>> = BTreeMap::new();
    for word in words {
        by_opcode.entry((word & 0xfff) as u16).or_default().push(*word);
    }
    let mut all = Vec::new();
    for opcode in SM_80.encoding.opcodes() {
        let is_kin = |other: &&u16| **other & 0xff == opcode & 0xff;
        let kin = by_opcode.get(&opcode).or_else(|| by_opcode.get(by_opcode.keys().find(is_kin)?));
        let others = || by_opcode.values().flatten().copied().collect();
        let from: Vec<u128> = kin.cloned().unwrap_or_else(others);
        for _ in 0..CHANGED {
            let word = random.pick(&from).unwrap_or_default() & !0xfff | u128::from(opcode);
            // Each bit is changed with one of these probabilities.
            let chance = random.pick(&[2, 5, 10, 30]).unwrap_or(2);
            let mut change = 0;
            for bit in 12..105 {
                change |= u128::from(random.below(100) < chance) << bit;
            }
            all.push((word ^ change) & BELOW_SCHEDULING | SCHEDULING);
        }
    }
    all
}

/// Holds the differences against the list: each of its lines is a kind, an opcode and a reason.
fn against_list(report: &mut Report, differences: &[Difference]) -> Result<()> {
    let text = std::fs::read_to_string(root().join("sass/tests/nvdisasm.txt"))?;
    let listed: BTreeSet<(&str, &str)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(": ")?.0.split_once(' '))
        .collect();
    let mut found: BTreeMap<(&str, String), Vec<&Difference>> = BTreeMap::new();
    for difference in differences {
        found.entry((difference.kind(), difference.name())).or_default().push(difference);
    }
    for ((kind, name), all) in &found {
        let is_listed = listed.contains(&(*kind, name.as_str()));
        let reason = format!("{} words, such as {}", all.len(), all[0].describe());
        report.check(format!("{kind} {name}"), if is_listed { Ok(()) } else { Err(reason) });
    }
    // Which words are changed depends on all code that ptxas made, so that an opcode of the list may be missing by chance.
    for (kind, name) in
        listed.iter().filter(|(kind, name)| !found.contains_key(&(*kind, (*name).to_owned())))
    {
        println!("not met this time: {kind} {name}");
    }
    Ok(())
}
