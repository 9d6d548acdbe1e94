//! `amd-quality`: the code for AMD GPUs beside clang's, by counting. Each kernel of `bench/amd` is there in CUDA
//! C++, which nvcc and our compiler take to assembly, and in OpenCL C, which clang does.

use crate::program::quiet;
use crate::progress::heading;
use crate::repository::{Profile, files, llvm_program, make, root, stem, target};
use crate::toolkit::{CUDA_13_0, cuda};
use crate::{Result, verb};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);
const PAGE: &str = "docs/dev/amd_quality.md";
/// The line up to which the page is written by hand; the tables follow it.
const MARK: &str = "<!-- `./x amd-quality --write` writes what follows -->\n";

/// A GPU of each kind: waves of 32 lanes, and of 64.
const TARGETS: [&str; 2] = ["gfx1100", "gfx942"];

/// Instructions for each of clang's, in the geometric mean over all kernels.
pub const GOAL: f64 = 1.1;

#[derive(clap::Args)]
pub struct Options {
    /// Only kernels whose name contains this
    #[arg(long, default_value = "")]
    filter: String,
    /// Write docs/dev/amd_quality.md
    #[arg(long)]
    write: bool,
    /// Take the staged libraries as they are
    #[arg(long)]
    no_build: bool,
}

/// The size and needs of a kernel's code.
#[derive(Clone, Copy, Debug)]
struct Code {
    instructions: u32,
    vector_registers: u32,
    scalar_registers: u32,
    spills: u32,
    shared: u32,
    scratch: u32,
    /// Waves that run on a SIMD at the same time.
    occupancy: u32,
}

/// One kernel on one GPU.
#[derive(Debug)]
struct Row {
    kernel: String,
    ours: Code,
    clang: Code,
}

/// All kernels on one GPU.
#[derive(Debug)]
pub struct Comparison {
    pub target: &'static str,
    rows: Vec<Row>,
}

/// Prints the tables of both compilers' code. Fails where [`Comparison::check`] does.
pub fn run(options: &Options) -> Result<ExitCode> {
    if !options.no_build {
        heading("Building");
        verb::build::build(Profile::Debug)?;
    }
    let comparisons = compare(Profile::Debug, &options.filter)?;
    let tables: Vec<_> = comparisons.iter().map(Comparison::table).collect();
    let tables = tables.join("\n");
    println!("{tables}");
    if options.write {
        let path = root().join(PAGE);
        let page = fs::read_to_string(&path)?;
        let (head, _) = page.split_once(MARK).ok_or_else(|| format!("{PAGE} has no mark"))?;
        fs::write(&path, format!("{head}{MARK}\n{tables}"))?;
        println!("wrote {PAGE}");
    }
    let mut missed = comparisons.iter().filter_map(|comparison| comparison.check().err());
    match missed.next() {
        None => Ok(ExitCode::SUCCESS),
        Some(reason) => Err(reason.into()),
    }
}

/// Compiles everything in both ways with what is staged.
pub fn compare(profile: Profile, filter: &str) -> Result<Vec<Comparison>> {
    let sources = root().join("bench/amd");
    let folder = target().join("amd-quality");
    make(&folder)?;
    let nvcc = cuda(CUDA_13_0)?.nvcc();
    let mut comparisons = TARGETS.map(|target| Comparison { target, rows: Vec::new() });
    for source in files(&sources, "cu")? {
        let kernel = stem(&source);
        if !kernel.contains(filter) {
            continue;
        }
        let ptx = folder.join(&kernel).with_extension("ptx");
        let mut command = Command::new(&nvcc);
        command.args(["-arch=compute_80", "-ptx", "-o"]).args([&ptx, &source]);
        quiet(&mut command, LIMIT)?;
        for comparison in &mut comparisons {
            let target = comparison.target;
            let path = |who| folder.join(format!("{kernel}.{target}.{who}.s"));
            let ours = compile_ours(profile, &ptx, target, path("ours"))?;
            let clang = compile_clang(&source.with_extension("cl"), target, path("clang"))?;
            let row = Row {
                ours: Code::read(&ours, &kernel)?,
                clang: Code::read(&clang, &kernel)?,
                kernel: kernel.clone(),
            };
            comparison.rows.push(row);
        }
    }
    Ok(comparisons.into())
}

fn compile_ours(profile: Profile, ptx: &Path, target: &str, out: PathBuf) -> Result<String> {
    let mut command = Command::new(profile.staged().join("bin/zluda"));
    command.arg("compile").arg(ptx).args(["--target", target, "--emit", "asm", "-o"]).arg(&out);
    quiet(&mut command, LIMIT)?;
    Ok(fs::read_to_string(out)?)
}

fn compile_clang(source: &Path, target: &str, out: PathBuf) -> Result<String> {
    let mut command = Command::new(llvm_program("clang"));
    // Kernels stand for their bodies too, which share their variables of local memory: a warning.
    command.args(["-w", "-x", "cl", "-cl-std=CL2.0", "-cl-uniform-work-group-size"]);
    command.args(["-target", "amdgcn-amd-amdhsa", "-nogpulib", "-mcode-object-version=5", "-O3"]);
    command.arg(format!("-mcpu={target}")).arg("-S").arg(source).arg("-o").arg(&out);
    quiet(&mut command, LIMIT)?;
    Ok(fs::read_to_string(out)?)
}

impl Code {
    /// Reads LLVM's assembly: the function's instructions, the metadata and the comments.
    fn read(assembly: &str, kernel: &str) -> Result<Code> {
        let start = format!("\n{kernel}:");
        let body = assembly
            .split_once(&start)
            .and_then(|(_, rest)| rest.split_once(".Lfunc_end"))
            .map(|(body, _)| body)
            .ok_or_else(|| format!("no function {kernel} in the assembly"))?;
        let instruction = |line: &&str| {
            line.strip_prefix('\t').is_some_and(|text| text.starts_with(char::is_alphabetic))
        };
        let number = |key: &str| -> Result<u32> {
            let (_, rest) = assembly
                .split_once(key)
                .ok_or_else(|| format!("no {key} in the assembly of {kernel}"))?;
            let digits: String =
                rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
            Ok(digits.parse()?)
        };
        Ok(Code {
            instructions: u32::try_from(body.lines().filter(instruction).count())?,
            vector_registers: number("    .vgpr_count:")?,
            scalar_registers: number("    .sgpr_count:")?,
            spills: number("    .vgpr_spill_count:")? + number("    .sgpr_spill_count:")?,
            shared: number("    .group_segment_fixed_size:")?,
            scratch: number("    .private_segment_fixed_size:")?,
            occupancy: number("; Occupancy:")?,
        })
    }
}

impl Row {
    fn ratio(&self) -> f64 {
        f64::from(self.ours.instructions) / f64::from(self.clang.instructions)
    }
}

impl Comparison {
    /// The geometric mean of our instructions for each of clang's.
    fn mean(&self) -> f64 {
        let sum: f64 = self.rows.iter().map(|row| row.ratio().ln()).sum();
        (sum / self.rows.len().max(1) as f64).exp()
    }

    /// Whether the goal is met, and nothing spills that clang keeps in registers.
    pub fn check(&self) -> std::result::Result<(), String> {
        let spilled = |row: &&Row| {
            (row.clang.spills == 0 && row.ours.spills != 0)
                || (row.clang.scratch == 0 && row.ours.scratch != 0)
        };
        if let Some(row) = self.rows.iter().find(spilled) {
            return Err(format!("{} spills for {}", row.kernel, self.target));
        }
        if self.mean() > GOAL {
            return Err(format!(
                "{:.3} instructions for each of clang's for {}, more than {GOAL}",
                self.mean(),
                self.target
            ));
        }
        Ok(())
    }

    fn table(&self) -> String {
        let mut text = format!(
            "## {}\n\n\
             | kernel | instructions | | ratio | VGPRs | | SGPRs | | spills | | LDS | | occupancy | |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n\
             | | ours | clang | | ours | clang | ours | clang | ours | clang | ours | clang | ours | clang |\n",
            self.target
        );
        for row in &self.rows {
            let (o, c) = (&row.ours, &row.clang);
            text += &format!(
                "| {} | {} | {} | {:.2} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                row.kernel,
                o.instructions,
                c.instructions,
                row.ratio(),
                o.vector_registers,
                c.vector_registers,
                o.scalar_registers,
                c.scalar_registers,
                o.spills,
                c.spills,
                o.shared,
                c.shared,
                o.occupancy,
                c.occupancy,
            );
        }
        text + &format!("| geometric mean | | | **{:.3}** | | | | | | | | | | |\n", self.mean())
    }
}
