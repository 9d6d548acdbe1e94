//! `corpus`: builds and runs a collection of foreign programs from a checkout, and holds what they give against
//! the collection's list in `tests/corpus`.

use crate::corpus::build::Collection;
use crate::corpus::discover::{self, Program};
use crate::corpus::expectations::Expectations;
use crate::corpus::run::{Driver, Limits, Platform};
use crate::corpus::session::Session;
use crate::corpus::shares::Shares;
use crate::corpus::table::{self, Source};
use crate::corpus::toolchain::Toolchain;
use crate::corpus::verdict::Verdict;
use crate::progress::heading;
use crate::repository::{EMULATED, Profile, has_avx512, make, root, target};
use crate::toolkit::{CUDA_13_0, cuda, nvidia_libraries};
use crate::{Result, verb};
use clap::ValueEnum;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

#[derive(clap::Args)]
pub struct Options {
    /// The collection: its list is tests/corpus/<NAME>.txt, and what is built lies in target/corpus/<NAME>
    name: String,
    /// A checkout of the collection, which stays as it is
    folder: PathBuf,
    /// Only programs whose name contains this, or one of several
    #[arg(long)]
    filter: Vec<String>,
    /// How many programs are built at once
    #[arg(long)]
    jobs: Option<usize>,
    /// How many processors each program has to itself: as many run side by side as the machine has of them; all by
    /// default
    #[arg(long)]
    processors: Option<usize>,
    /// How many seconds a program may keep its processors busy; one that waits may run for five times that
    #[arg(long, default_value_t = 120)]
    timeout: u64,
    /// The device, as ZLUDA_DEVICE has it
    #[arg(long, default_value = "cpu")]
    device: String,
    /// The executor of kernels on the CPU
    #[arg(long, value_enum)]
    executor: Option<Executor>,
    /// The processor to compile for, as ZLUDA_CPU_TARGET has it
    #[arg(long)]
    level: Option<String>,
    /// Run programs that pass by every executor, for every processor and on emulated GPUs too, and compare
    /// what they write
    #[arg(long)]
    compare: bool,
    /// Build the programs only
    #[arg(long)]
    build_only: bool,
    /// Build all programs again, those too that did not build
    #[arg(long)]
    fresh: bool,
    /// Do not run programs again that ran before in the same way on the same driver
    #[arg(long, conflicts_with = "compare")]
    resume: bool,
    /// The folder of the driver's libraries, in place of the release, which is built
    #[arg(long)]
    libraries: Option<PathBuf>,
    /// Also write the results to this file
    #[arg(long)]
    json: Option<PathBuf>,
    /// Also write the results to docs/dev/corpus.md
    #[arg(long)]
    write: bool,
}

impl Options {
    fn chooses(&self, name: &str) -> bool {
        self.filter.is_empty() || self.filter.iter().any(|text| name.contains(text))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Executor {
    Vector,
    Reference,
}

impl Executor {
    fn name(self) -> &'static str {
        match self {
            Self::Vector => "vector",
            Self::Reference => "reference",
        }
    }
}

/// Builds, runs and compares the chosen programs. Fails if a result is not what the list says.
pub fn run(options: &Options) -> Result<ExitCode> {
    let list_path = root().join("tests/corpus").join(format!("{}.txt", options.name));
    let list = fs::read_to_string(&list_path).unwrap_or_default();
    let list = Expectations::parse(&list_path.display().to_string(), &list)?;
    let programs = discover::programs(&options.folder, &list)?;
    if programs.is_empty() {
        return Err(format!("no programs of CUDA in {}", options.folder.display()).into());
    }
    let toolchain = Toolchain::new(&cuda(CUDA_13_0)?, &nvidia_libraries()?)?;
    let driver = driver(options, &toolchain)?;
    let collection = Collection {
        checkout: fs::canonicalize(&options.folder)?,
        tree: target().join("corpus").join(&options.name),
        toolchain,
    };
    if options.fresh {
        crate::repository::make_empty(&collection.tree)?;
    }
    collection.link()?;
    let shares = Shares::new(options.processors)?;
    let session = Session {
        collection,
        driver,
        list,
        limits: Limits::busy_for(Duration::from_secs(options.timeout), shares.size),
        shares,
        resume: options.resume,
    };
    let place = Platform::new(
        &options.device,
        options.executor.map(Executor::name),
        options.level.as_deref(),
    );
    let jobs =
        options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let others = if options.compare { other_places(&place) } else { Vec::new() };
    let chosen: Vec<&Program> =
        programs.iter().filter(|program| options.chooses(&program.name)).collect();
    session.collection.set_up(&session.list.setup)?;
    let built = session.build(&chosen, jobs);
    if options.build_only {
        let failed = |result: &std::result::Result<(), Verdict>| {
            matches!(result, Err(Verdict::DidNotBuild(_)))
        };
        return Ok(if built.iter().any(failed) { ExitCode::FAILURE } else { ExitCode::SUCCESS });
    }
    let rows = session.run(&chosen, built, &place, &others)?;
    let source = Source {
        collection: options.name.clone(),
        commit: commit(&options.folder),
        place: place.name.clone(),
        programs: programs.len(),
        seconds: options.timeout,
    };
    println!("\n{}", table::markdown(&source, &rows));
    if let Some(path) = &options.json {
        fs::write(path, table::json(&source, &rows))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if options.write {
        let path = root().join("docs/dev/corpus.md");
        fs::write(
            &path,
            table::replace_section(&fs::read_to_string(&path)?, &table::markdown(&source, &rows)),
        )?;
        println!("wrote {}", path.display());
    }
    let names: Vec<&str> = programs.iter().map(|program| program.name.as_str()).collect();
    let strangers: Vec<&str> = session.list.strangers(&names).collect();
    for stranger in &strangers {
        println!("{}: the checkout has no program {stranger}", list_path.display());
    }
    let problems = rows.iter().filter(|row| row.problem.is_some()).count();
    println!("{}; {problems} not as expected", table::counts(&rows));
    Ok(if problems + strangers.len() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn driver(options: &Options, toolchain: &Toolchain) -> Result<Driver> {
    let libraries = match &options.libraries {
        Some(folder) => {
            fs::canonicalize(folder).map_err(|error| format!("{}: {error}", folder.display()))?
        }
        None => {
            heading("Building the release");
            verb::build::build(Profile::Release)?;
            Profile::Release.staged()
        }
    };
    let cache = target().join("corpus/cache");
    make(&cache)?;
    let runtime = cuda(CUDA_13_0)?.libraries();
    Ok(Driver { libraries, cache, runtime, others: toolchain.others() })
}

/// The other places where programs run to be compared.
fn other_places(first: &Platform) -> Vec<Platform> {
    let mut places =
        vec![Platform::new("cpu", Some("reference"), None), Platform::new("cpu", None, None)];
    let levels: &[&str] = if has_avx512() { &["x86-64-v2", "x86-64-v3"] } else { &["x86-64-v2"] };
    places.extend(levels.iter().map(|level| Platform::new("cpu", None, Some(level))));
    places.extend(EMULATED.iter().map(|device| Platform::new(device, None, None)));
    places.retain(|place| place != first);
    places
}

/// The last commit of a checkout and its date, or `unknown`.
fn commit(folder: &Path) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["log", "-1", "--format=%h of %cs"]);
    let output = crate::program::quiet(&mut command, Duration::from_secs(60));
    let archived = || archived(&fs::read_to_string(folder.join(".git_archival.txt")).ok()?);
    match output {
        Ok(output) => output.stdout.trim().to_owned(),
        Err(_) => archived().unwrap_or_else(|| "unknown".to_owned()),
    }
}

/// The commit that an archive was made of and its date, which git has put into a file for setuptools-scm.
fn archived(text: &str) -> Option<String> {
    let value =
        |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    let node = value("node")?;
    let is_commit = node.len() >= 9 && node.chars().all(|digit| digit.is_ascii_hexdigit());
    is_commit.then_some(())?;
    Some(format!("{} of {}", &node[..9], value("node-date")?.split('T').next()?))
}

#[cfg(test)]
mod tests {
    use super::archived;

    #[test]
    fn archives_name_their_commit() {
        let node = "cb56ab9f9ae3b4a0ef19666697336945925589a5";
        let text =
            format!("node: {node}\nnode-date: 2026-07-23T13:57:01Z\nref-names: HEAD -> main\n");
        assert_eq!(archived(&text), Some("cb56ab9f9 of 2026-07-23".into()));
        // As a checkout has it.
        assert_eq!(archived("node: $Format:%H$\nnode-date: $Format:%cI$\n"), None);
        assert_eq!(archived(""), None);
    }
}
