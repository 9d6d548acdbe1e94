//! The programs of `bench/`: how they are built, and run.
//!
//! `<name>.cu` measures kernels, and `<name>.cpp`, where there is one, the same algorithms in C++. Lines at their top of
//! the form `// bench: key = value` say more:
//!
//! - `flags`: further flags for the compiler.
//! - `arch`: the virtual architecture to compile for.

use super::folder;
use super::times::Times;
use crate::Result;
use crate::program::{capture, quiet, shown};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, files, make, make_empty, root, stem};
use crate::toolkit::Cuda;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// For a compiler, or for one run of a program.
const LIMIT: Duration = Duration::from_secs(600);

/// Without errno, which nobody asks, square roots can be vectors; and nvcc contracts multiplications and additions, too.
pub const NATIVE_FLAGS: [&str; 6] =
    ["-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-ffp-contract=fast", "-std=c++17"];

/// How often a thread of OpenMP looks for work before it sleeps: some tens of microseconds, as ours do.
const SPINS: &str = "1000";

/// The oldest that CUDA 13 knows.
const ARCHITECTURE: &str = "compute_75";

/// What machine code is for.
const MACHINE: &str = "sm_80";

/// One side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Built as PTX alone, so that the driver has to compile it.
    Cuda,
    /// The same as machine code alone, which the driver has to lift.
    MachineCode,
    Native,
}

/// How programs run.
#[derive(Debug)]
pub struct Runs {
    /// Seconds for which the runs of a kernel are repeated.
    pub seconds: f64,
    /// The names of the kernels that run; empty means all.
    pub only: Vec<String>,
    /// The processors for the process. `None`: all.
    pub processors: Option<Vec<usize>>,
    cache: PathBuf,
}

impl Runs {
    /// `keep_cache`: kernels that an earlier run of the bench has compiled are not compiled again.
    pub fn new(
        seconds: f64,
        only: &[String],
        threads: Option<usize>,
        keep_cache: bool,
    ) -> Result<Self> {
        let cache = folder().join("cache");
        if !keep_cache {
            make_empty(&cache)?;
        }
        let processors = threads.map(last_processors).transpose()?;
        Ok(Self { seconds, only: only.to_vec(), processors, cache })
    }

    /// Milliseconds of processor time that a program's first start takes more than its second one.
    pub fn compiling(&self, program: &str, side: Side) -> Result<f64> {
        let cache = folder().join("cache-of-one");
        make_empty(&cache)?;
        let short = Self { seconds: 0.0, only: self.only.clone(), processors: None, cache };
        let mut times = [0.0; 2];
        for time in &mut times {
            let before = processor_time_of_children()?;
            short.run(program, side)?;
            *time = processor_time_of_children()? - before;
        }
        Ok(times[0] - times[1])
    }

    /// Runs a program that is [built](build). Fails if it does not print lines of times, and only those.
    pub fn run(&self, program: &str, side: Side) -> Result<Vec<Times>> {
        let path = built(program, side);
        let mut command = match &self.processors {
            None => Command::new(path),
            Some(processors) => {
                let list: Vec<String> = processors.iter().map(usize::to_string).collect();
                let mut command = Command::new("taskset");
                command.arg("-c").arg(list.join(",")).arg(path);
                command.env("OMP_NUM_THREADS", processors.len().to_string());
                command
            }
        };
        command.env("BENCH_SECONDS", self.seconds.to_string());
        // By default a thread that waits spins for milliseconds, which are processor time: on a busy machine, most of it.
        command.env("GOMP_SPINCOUNT", SPINS);
        if !self.only.is_empty() {
            command.env(
                "BENCH_ONLY",
                self.only.iter().map(|name| format!("{name},")).collect::<String>(),
            );
        }
        if side != Side::Native {
            command
                .env("LD_LIBRARY_PATH", Profile::Release.staged())
                .env("ZLUDA_DEVICE", "cpu")
                .env("ZLUDA_CACHE_DIR", &self.cache);
        }
        let output = capture(&mut command, LIMIT)?;
        let times: Option<Vec<Times>> = output.stdout.lines().map(Times::parse).collect();
        match times {
            Some(times) if output.success() => Ok(times),
            _ => Err(format!("{}: {}", shown(&command), output.describe()).into()),
        }
    }
}

/// Milliseconds that all programs that have ended were on a processor.
fn processor_time_of_children() -> Result<f64> {
    // SAFETY: all zeros are a value of it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: it can be written.
    if unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) } != 0 {
        return Err(std::io::Error::last_os_error().into());
    }
    let milliseconds = |time: libc::timeval| time.tv_sec as f64 * 1e3 + time.tv_usec as f64 * 1e-3;
    Ok(milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime))
}

/// The last of the processors that this process may use: others prefer the first.
fn last_processors(count: usize) -> Result<Vec<usize>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .ok_or("/proc/self/status has no list of processors")?;
    let allowed = processors(list.trim()).ok_or_else(|| format!("no processors: {list}"))?;
    match allowed.len().checked_sub(count) {
        Some(rest) if count > 0 => Ok(allowed[rest..].to_vec()),
        _ => Err(format!("{count} threads, and {} processors", allowed.len()).into()),
    }
}

/// Reads a list such as `0-3,8`.
fn processors(list: &str) -> Option<Vec<usize>> {
    let mut all: Vec<usize> = Vec::new();
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        all.extend(first..=last);
    }
    Some(all)
}

/// The programs that have a native counterpart and whose name contains `filter`.
pub fn with_counterparts(filter: &str) -> Result<Vec<String>> {
    let natives = files(&root().join("bench"), "cpp")?;
    Ok(natives.iter().map(|file| stem(file)).filter(|name| name.contains(filter)).collect())
}

fn source(program: &str, side: Side) -> PathBuf {
    let extension = match side {
        Side::Cuda | Side::MachineCode => "cu",
        Side::Native => "cpp",
    };
    root().join("bench").join(format!("{program}.{extension}"))
}

fn built(program: &str, side: Side) -> PathBuf {
    let folder = folder().join(match side {
        Side::Cuda => "cuda",
        Side::MachineCode => "machine-code",
        Side::Native => "native",
    });
    folder.join(program)
}

/// Builds programs, but for those that are newer than their sources and were built in the same way.
pub fn build(cuda: &Cuda, programs: &[(String, Side)]) -> Result<()> {
    let mut outdated = Vec::new();
    for (program, side) in programs {
        let (source, to) = (source(program, *side), built(program, *side));
        let words = compiler(cuda, *side, &source, &to)?;
        let record = to.with_extension("command");
        let same = fs::read_to_string(&record).is_ok_and(|before| before == words.join("\n"));
        if !same || !is_current(&to, &source)? {
            outdated.push((words, record));
        }
    }
    if outdated.is_empty() {
        return Ok(());
    }
    heading("Building the programs to measure");
    let results = parallel(
        &outdated,
        |(words, _)| words.last().cloned().unwrap_or_default(),
        |(words, record)| {
            let Some((program, arguments)) = words.split_first() else { return Ok(()) };
            make(record.parent().unwrap_or(record))?;
            quiet(Command::new(program).args(arguments), LIMIT)?;
            fs::write(record, words.join("\n"))?;
            Ok(())
        },
        Result::is_ok,
    );
    results.into_iter().collect()
}

/// The command that compiles a program.
fn compiler(cuda: &Cuda, side: Side, source: &Path, to: &Path) -> Result<Vec<String>> {
    let text =
        fs::read_to_string(source).map_err(|error| format!("{}: {error}", source.display()))?;
    let mut words: Vec<String> = Vec::new();
    match side {
        Side::Cuda | Side::MachineCode => {
            let architecture = settings(&text, "arch").next().unwrap_or(ARCHITECTURE);
            let code = if side == Side::Cuda { architecture } else { MACHINE };
            words.push(cuda.nvcc().display().to_string());
            words.extend(["-O3", "-std=c++17"].map(Into::into));
            words.extend(["-arch", architecture, "-code", code].map(Into::into));
        }
        Side::Native => {
            words.push("g++".into());
            words.extend(NATIVE_FLAGS.map(Into::into));
        }
    }
    words.extend(settings(&text, "flags").flat_map(str::split_whitespace).map(Into::into));
    words.extend(["-o".into(), to.display().to_string(), source.display().to_string()]);
    Ok(words)
}

/// The values of the lines `// bench: key = value`.
fn settings<'a>(text: &'a str, key: &str) -> impl Iterator<Item = &'a str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("// bench:")?.split_once('='))
        .filter(move |(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim())
}

/// Whether a product is newer than its source and all headers.
fn is_current(product: &Path, source: &Path) -> Result<bool> {
    let Ok(made) = fs::metadata(product).and_then(|metadata| metadata.modified()) else {
        return Ok(false);
    };
    for file in files(&root().join("bench"), "h")?.iter().chain([&source.to_owned()]) {
        if fs::metadata(file)?.modified()? > made {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{processors, settings};

    #[test]
    fn lists_of_processors() {
        assert_eq!(processors("0-2,5"), Some(vec![0, 1, 2, 5]));
        assert_eq!(processors("7"), Some(vec![7]));
        assert_eq!(processors("x"), None);
    }

    #[test]
    fn settings_stand_in_lines_of_their_own() {
        let text = "// bench: flags = -a -b\n// bench: arch = compute_80\nint x = 3;\n";
        assert_eq!(settings(text, "arch").collect::<Vec<_>>(), ["compute_80"]);
        assert_eq!(settings(text, "flags").collect::<Vec<_>>(), ["-a -b"]);
    }
}
