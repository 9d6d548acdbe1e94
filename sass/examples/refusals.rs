//! Why kernels of libraries are refused: lifts all machine code for an architecture (80, unless `--architecture` says otherwise) in
//! fat binaries and cubins, and counts reasons.
//!
//!     cargo run --release -p sass --example refusals -- libtorch_cuda.so
//!
//! `--every N` takes each Nth module only, `--kernel TEXT` the kernels with that in their names. `--keep FOLDER` writes each
//! module and its PTX there.

// A tool at the command line prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use sass::cubin::{Cubin, is_cubin};
use sass::decode::Encoding;
use sass::lift::{Module, lift};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(Default)]
struct Counts {
    modules: usize,
    unreadable: usize,
    kernels: usize,
    refused: usize,
    /// The reasons with how many kernels they cost, and the first of them.
    reasons: BTreeMap<String, (usize, String)>,
}

impl Counts {
    fn add(&mut self, reason: String, example: impl FnOnce() -> String) {
        self.reasons.entry(reason).or_insert_with(|| (0, example())).0 += 1;
    }
}

/// The machine code for an architecture of all fat binaries in a file.
fn cubins(bytes: &[u8], architecture: u32) -> Vec<Vec<u8>> {
    if is_cubin(bytes) {
        return vec![bytes.to_owned()];
    }
    let code = |container: fatbin::Container| container.machine_code(&[architecture])?.ok();
    fatbin::containers(bytes).filter_map(code).collect()
}

/// A reason without what differs from place to place.
fn without_numbers(reason: &str) -> String {
    let mut text = String::new();
    for word in reason.split(' ') {
        let is_symbol = word.starts_with("`_Z") || word.contains("_param_");
        let word = if is_symbol { "`SYMBOL`" } else { word };
        text.push_str(if text.is_empty() { "" } else { " " });
        text.push_str(word);
    }
    text
}

fn count(
    counts: &Mutex<Counts>,
    number: usize,
    bytes: &[u8],
    wanted: &str,
    keep: Option<&PathBuf>,
) {
    let with = |change: &mut dyn FnMut(&mut Counts)| {
        change(&mut counts.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    };
    let read = Cubin::parse(bytes).map_err(|error| error.to_string());
    if let Ok(cubin) = &read
        && !cubin.kernels().any(|kernel| kernel.name.contains(wanted))
    {
        return;
    }
    let module = read.and_then(|cubin| {
        let encoding =
            Encoding::of(cubin.architecture).ok_or("an architecture that is not known")?;
        Module::new(cubin, encoding).map_err(|error| error.to_string())
    });
    let module = match module {
        Ok(module) => module,
        Err(error) => {
            return with(&mut |counts| {
                counts.unreadable += 1;
                counts.add(error.clone(), || format!("module {number}"));
            });
        }
    };
    let mut image = module.all();
    image.kernels.retain(|kernel| kernel.name.contains(wanted));
    let lifted = lift(&image);
    let files: [(&str, &[u8]); 2] = [("cubin", bytes), ("ptx", lifted.text.as_bytes())];
    for (folder, (ending, bytes)) in keep.into_iter().flat_map(|keep| files.map(|f| (keep, f))) {
        if let Err(error) = std::fs::write(folder.join(format!("{number}.{ending}")), bytes) {
            eprintln!("{}: {error}", folder.display());
        }
    }
    with(&mut |counts| {
        counts.modules += 1;
        counts.kernels += image.kernels.len();
        counts.refused += lifted.failures.len();
        for (kernel, error) in &lifted.failures {
            let opcode = error.instruction.split(' ').find(|word| !word.starts_with('@'));
            let reason = without_numbers(&error.reason.to_string());
            counts.add(format!("{} {reason}", opcode.unwrap_or_default()), || {
                format!("module {number}, {kernel}: {error}")
            });
        }
    });
}

fn main() -> Result<()> {
    let (mut files, mut every, mut wanted, mut keep) = (Vec::new(), 1, String::new(), None);
    let mut architecture = 80;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--every" => every = arguments.next().ok_or("--every NUMBER")?.parse::<usize>()?.max(1),
            "--architecture" => {
                architecture = arguments.next().ok_or("--architecture NUMBER")?.parse()?;
            }
            "--kernel" => wanted = arguments.next().ok_or("--kernel TEXT")?,
            "--keep" => keep = Some(PathBuf::from(arguments.next().ok_or("--keep FOLDER")?)),
            file => files.push(file.to_owned()),
        }
    }
    let mut all = Vec::new();
    for file in files {
        all.extend(cubins(&std::fs::read(file)?, architecture));
    }
    let counts = Mutex::new(Counts::default());
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism()?.get();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = every * next.fetch_add(1, Ordering::Relaxed);
                    let Some(bytes) = all.get(number) else { break };
                    count(&counts, number, bytes, &wanted, keep.as_ref());
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut reasons: Vec<_> = counts.reasons.into_iter().collect();
    reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (reason, (count, example)) in reasons {
        println!("{count:6} {reason}\n       {example}");
    }
    println!(
        "{} of {} kernels in {} modules are refused; {} modules cannot be read",
        counts.refused, counts.kernels, counts.modules, counts.unreadable
    );
    Ok(())
}
