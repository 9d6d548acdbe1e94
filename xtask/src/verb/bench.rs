//! `bench`: kernels built by nvcc, on the CPU device, against the same algorithms in C++ with OpenMP;
//! launches, starts of a program, and compilation. Prints Markdown.

use crate::program::{capture, quiet};
use crate::progress::{heading, spinner};
use crate::repository::{Profile, make, make_empty, root, target};
use crate::sample::{self, Runtime};
use crate::toolkit::{CUDA_13_0, Cuda, cuda};
use crate::{Result, verb};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(900);

/// Rounding differs between the two orders of summation.
const TOLERANCE: f64 = 1e-3;

#[derive(clap::Args)]
pub struct Options {
    /// Also write docs/dev/performance.md
    #[arg(long)]
    write: bool,
}

/// Milliseconds and a checksum, by name.
type Measurements = BTreeMap<String, (f64, f64)>;

pub fn run(options: &Options) -> Result<ExitCode> {
    heading("Building");
    verb::build::build(Profile::Release)?;
    let cuda = cuda(CUDA_13_0)?;
    let folder = target().join("bench");
    make(&folder)?;
    let native = build_native(&folder)?;
    let kernels = build_kernels(&cuda, &folder)?;
    heading("Measuring");
    let cache = folder.join("cache");
    make_empty(&cache)?;
    let theirs = spinner("native C++", || measure(Command::new(&native)))?;
    let ours = spinner("CUDA on the CPU", || measure(on_cpu(&kernels, &cache)))?;
    let mut text = format!("# Performance\n\nMeasured by `./x bench --write` on {}.\n", machine());
    text += &kernel_table(&ours, &theirs)?;
    text += &launches(&ours);
    text += &starts(&cuda, &folder)?;
    text += &spinner("compilation", || compilation(&cuda))?;
    println!("\n{text}");
    if options.write {
        let page = root().join("docs/dev/performance.md");
        fs::write(&page, text)?;
        println!("wrote {}", page.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn build_native(folder: &Path) -> Result<PathBuf> {
    let program = folder.join("native");
    let mut command = Command::new("g++");
    command.args(["-O3", "-march=native", "-fno-math-errno", "-fopenmp", "-o"]).arg(&program);
    quiet(command.arg(root().join("bench/native.cpp")), LIMIT)?;
    Ok(program)
}

fn build_kernels(cuda: &Cuda, folder: &Path) -> Result<PathBuf> {
    let program = folder.join("kernels");
    let mut command = Command::new(cuda.nvcc());
    command.args(["-arch=compute_75", "-code=compute_75", "-std=c++17", "-O3", "-o"]).arg(&program);
    quiet(command.arg(root().join("bench/kernels.cu")), LIMIT)?;
    Ok(program)
}

fn on_cpu(program: &Path, cache: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env("LD_LIBRARY_PATH", Profile::Release.staged())
        .env("ZLUDA_DEVICE", "cpu")
        .env("ZLUDA_CACHE_DIR", cache);
    command
}

fn measure(mut command: Command) -> Result<Measurements> {
    let output = quiet(&mut command, LIMIT)?;
    let mut measurements = Measurements::new();
    for line in output.stdout.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, time, checksum] = words.as_slice() else {
            return Err(format!("unexpected line: {line}").into());
        };
        measurements.insert((*name).to_owned(), (time.parse()?, checksum.parse()?));
    }
    Ok(measurements)
}

fn kernel_table(ours: &Measurements, theirs: &Measurements) -> Result<String> {
    let mut text = String::from(
        "\n## Kernels\n\nBest time of one launch in ms, all processors, against the same algorithm in C++ \
         (`g++ -O3 -march=native -fopenmp`, `bench/native.cpp`) in the same run. Checksums agree.\n\n\
         | kernel | CUDA on the CPU | native | ratio |\n|---|---|---|---|\n",
    );
    for name in
        ["saxpy", "matmul_naive", "matmul_tiled", "reduce", "mandelbrot", "histogram", "nbody"]
    {
        let (Some(ours), Some(theirs)) = (ours.get(name), theirs.get(name)) else {
            return Err(format!("{name} was not measured").into());
        };
        if (ours.1 - theirs.1).abs() > TOLERANCE * theirs.1.abs() {
            return Err(format!("{name}: the checksums differ: {} and {}", ours.1, theirs.1).into());
        }
        writeln!(text, "| {name} | {:.3} | {:.3} | {:.2} |", ours.0, theirs.0, ours.0 / theirs.0)?;
    }
    Ok(text)
}

fn launches(ours: &Measurements) -> String {
    let microseconds = |name: &str| ours.get(name).map_or(f64::NAN, |(time, _)| time * 1e3);
    format!(
        "\n## Launches\n\nAn empty kernel of 8 blocks: {:.2} us launched and waited for, {:.2} us each of many in a row.\n",
        microseconds("launch_waited"),
        microseconds("launch_queued")
    )
}

/// The whole process of the vector addition sample.
fn starts(cuda: &Cuda, folder: &Path) -> Result<String> {
    let samples = sample::all("vector_add")?;
    let [sample] = samples.as_slice() else { return Err("there is one sample vector_add".into()) };
    sample.build(cuda)?;
    let program = sample.program(cuda, Runtime::Static);
    let cache = folder.join("start-cache");
    let time = |empty: bool| -> Result<f64> {
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            if empty {
                make_empty(&cache)?;
            }
            best = best.min(quiet(&mut on_cpu(&program, &cache), LIMIT)?.time.as_secs_f64() * 1e3);
        }
        Ok(best)
    };
    let (cold, warm) = (time(true)?, time(false)?);
    Ok(format!(
        "\n## Start of a program\n\nThe sample vector_add, process start to end, best of 5: {cold:.0} ms with an empty \
         cache, {warm:.0} ms with its kernels there.\n"
    ))
}

/// `zluda compile` of the samples' kernels, for this machine.
fn compilation(cuda: &Cuda) -> Result<String> {
    let mut text = String::from(
        "\n## Compilation\n\n`zluda compile --emit obj`, the process included, best of 3.\n\n\
         | sample | PTX instructions | ms | ms per 1,000 |\n|---|---|---|---|\n",
    );
    for name in ["vector_add", "matmul_tiled", "nbody", "scan", "reduce_cooperative"] {
        for sample in sample::all(name)?.iter().filter(|sample| sample.name == name) {
            sample.build_ptx(cuda)?;
            for ptx in sample.ptx(cuda) {
                let instructions = count_instructions(&fs::read_to_string(&ptx)?);
                let mut best = f64::INFINITY;
                for _ in 0..3 {
                    let mut command = Command::new(Profile::Release.staged().join("bin/zluda"));
                    command.arg("compile").arg(&ptx).args(["--emit", "obj", "-o", "/dev/null"]);
                    let output = capture(&mut command, LIMIT)?;
                    if !output.success() {
                        return Err(format!("{name}: {}", output.describe()).into());
                    }
                    best = best.min(output.time.as_secs_f64() * 1e3);
                }
                let rate = best * 1000.0 / instructions as f64;
                writeln!(text, "| {name} | {instructions} | {best:.0} | {rate:.0} |")?;
            }
        }
    }
    Ok(text)
}

/// Statements inside bodies that are not directives.
fn count_instructions(ptx: &str) -> usize {
    let mut depth = 0;
    let mut count = 0;
    for line in ptx.lines().map(str::trim) {
        depth += line.matches('{').count();
        if depth > 0 && line.ends_with(';') && !line.starts_with('.') && !line.starts_with("//") {
            count += 1;
        }
        depth = depth.saturating_sub(line.matches('}').count());
    }
    count
}

/// Processor and count.
fn machine() -> String {
    let model = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?.to_owned();
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{} ({processors} processors)",
        model.unwrap_or_else(|| "an unknown processor".to_owned())
    )
}

#[cfg(test)]
mod tests {
    use super::count_instructions;

    #[test]
    fn directives_and_labels_are_no_instructions() {
        let ptx = ".version 9.0\n.visible .entry k(\n.param .u64 p\n)\n{\n.reg .b32 %r<3>;\n\n// a comment;\n\
            mov.u32 \t%r1, %tid.x;\n$L__BB0_1:\n@%p1 bra $L__BB0_1;\n{ // callseq 0, 0\n.param .b32 a;\n\
            call.uni f, (a);\n} // callseq 0\nret;\n}\n.global .u32 x;\n";
        assert_eq!(count_instructions(ptx), 4);
    }
}
