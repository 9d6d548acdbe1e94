//! Building a program by its own build file, in a tree of links to the checkout, which stays as it is.
//!
//! The products and the output of a build are kept beside it, until a file of the program or the toolkit changes.

use crate::Result;
use crate::corpus::discover::{Builder, Program};
use crate::corpus::toolchain::Toolchain;
use crate::corpus::verdict::Verdict;
use crate::program::{Output, capture_group, quiet};
use crate::repository::{make, make_empty, root};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// Some programs are made of a hundred sources.
const BUILD_LIMIT: Duration = Duration::from_secs(1800);

/// CMake's folder for what it builds, in the program's folder: programs look for their data above the folder that they
/// run in.
const CMAKE_FOLDER: &str = "corpus_build";

/// The last build's output, in the program's folder.
const RECORD: &str = ".corpus_build.txt";

/// What has been set up for all programs, in the tree's root.
const SETUP: &str = ".corpus_setup.txt";

/// The status of a list's command that leaves its program out, as that of a test that automake skips. Its last line is
/// the reason.
const LEFT_OUT: i32 = 77;

/// What a record begins with where the command leaves the program out.
const LEFT_OUT_MARK: &str = "left out: ";

/// A collection's folders.
#[derive(Clone, Debug)]
pub struct Collection {
    pub checkout: PathBuf,
    /// Links to the checkout's files, and what is built.
    pub tree: PathBuf,
    pub toolchain: Toolchain,
}

/// A line for a shell, and the folder that it runs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub folder: PathBuf,
    pub line: String,
}

impl Collection {
    /// Makes the tree's links; what is there stays.
    pub fn link(&self) -> Result<()> {
        link_tree(&self.checkout, &self.tree)
    }

    /// Builds a program, unless it is built. `Err`: what its compiler or ours said, first of all one line, or why its
    /// command leaves it out.
    pub fn build(&self, program: &Program) -> std::result::Result<(), Verdict> {
        let folder = self.tree.join(&program.folder);
        let record = folder.join(program.file(RECORD));
        let (newest, line) = match &program.builder {
            Builder::Command { source, line, .. } => {
                (newest(&self.checkout.join(&program.folder).join(source)), line.as_str())
            }
            _ => (newest(&self.checkout.join(&program.folder)), ""),
        };
        let key = format!("CUDA {}, {newest} s {line}\n", self.toolchain.version);
        let result = match fs::read_to_string(&record).ok().and_then(|text| {
            let said = text.strip_prefix(&key)?;
            Some(said.to_owned())
        }) {
            Some(said) => said,
            None => {
                let said = match self.build_now(program, &folder) {
                    Ok(output) if output.success() => String::new(),
                    Ok(output) if leaves_out(program, &output) => {
                        format!("{LEFT_OUT_MARK}{}", last_line(&output.stdout))
                    }
                    Ok(output) => output.describe(),
                    Err(error) => error.to_string(),
                };
                // Without the record the next run builds again.
                let _ = fs::write(&record, key + &said);
                said
            }
        };
        if result.is_empty() {
            return Ok(());
        }
        Err(match result.strip_prefix(LEFT_OUT_MARK) {
            Some(reason) => Verdict::LeftOut(reason.to_owned()),
            None => Verdict::DidNotBuild(complaint(&self.without_tree(&result))),
        })
    }

    /// Runs a list's lines that come before all programs, in the tree's root, unless they have run.
    pub fn set_up(&self, lines: &[String]) -> Result<()> {
        let record = self.tree.join(SETUP);
        let key = format!("CUDA {}\n{}\n", self.toolchain.version, lines.join("\n"));
        if lines.is_empty() || fs::read_to_string(&record).is_ok_and(|text| text == key) {
            return Ok(());
        }
        for line in lines {
            let mut command = self.shell(line);
            let output = capture_group(command.current_dir(&self.tree), BUILD_LIMIT)?;
            if !output.success() {
                return Err(format!("{line}: {}", output.describe()).into());
            }
        }
        Ok(fs::write(&record, key)?)
    }

    /// A shell for a list's line. What a line needs from elsewhere is in our environment.
    fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-e", "-c", line]).env("tree", &self.tree);
        command.env("lists", root().join("tests/corpus"));
        self.toolchain.apply(&mut command);
        command
    }

    /// A text with the names of the tree's files as they are below it.
    pub fn without_tree(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.tree.display()), "")
    }

    fn build_now(&self, program: &Program, folder: &Path) -> Result<Output> {
        let mut command = match &program.builder {
            Builder::Make => {
                let mut command = Command::new("make");
                self.make_variables(&mut command);
                command
            }
            Builder::CMake => {
                let configured = self.configure(folder)?;
                if !configured.success() {
                    return Ok(configured);
                }
                let mut command = Command::new("cmake");
                command.args(["--build", CMAKE_FOLDER]);
                command
            }
            Builder::Sources(files) => {
                let mut command = Command::new(self.toolchain.nvcc());
                command.args(["-std=c++17", "-O3", "-o", &program.file("")]).args(files);
                command
            }
            Builder::Command { source, variant, line } => {
                let mut command = self.shell(line);
                command.env("source", source).env("variant", variant);
                command.env("product", program.file(""));
                command
            }
        };
        self.toolchain.apply(&mut command);
        capture_group(command.current_dir(folder), BUILD_LIMIT)
    }

    fn make_variables(&self, command: &mut Command) {
        command.args(self.toolchain.variables().map(|(name, value)| format!("{name}={value}")));
    }

    fn configure(&self, folder: &Path) -> Result<Output> {
        let seed = self.seed()?;
        let to = folder.join(CMAKE_FOLDER);
        make_empty(&to)?;
        let copied = to.join("CMakeFiles");
        make(&copied)?;
        quiet(Command::new("cp").arg("-r").arg(seed).arg(copied), BUILD_LIMIT)?;
        let mut command = self.cmake(folder, &to);
        // Without it CMake takes what is there for remains.
        command.arg("-DCMAKE_PLATFORM_INFO_INITIALIZED=1");
        capture_group(&mut command, BUILD_LIMIT)
    }

    fn cmake(&self, from: &Path, to: &Path) -> Command {
        let mut command = Command::new("cmake");
        command.arg("-S").arg(from).arg("-B").arg(to).args(["-G", "Unix Makefiles"]);
        let nvcc = self.toolchain.nvcc();
        command.arg(format!("-DCMAKE_CUDA_COMPILER={}", nvcc.display()));
        command.arg(format!("-DCUDAToolkit_ROOT={}", self.toolchain.root.display()));
        command.arg("-DCMAKE_BUILD_TYPE=Release");
        self.toolchain.apply(&mut command);
        command
    }

    /// The folder of what CMake knows of the compilers when it has tried them once, which takes longer than most
    /// programs.
    fn seed(&self) -> Result<PathBuf> {
        static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let folder = self.toolchain.root.join("cmake");
        let known = |folder: &Path| -> Option<PathBuf> {
            let entries = fs::read_dir(folder.join("build/CMakeFiles")).ok()?;
            entries
                .flatten()
                .map(|entry| entry.path())
                .find(|path| path.join("CMakeCUDACompiler.cmake").exists())
        };
        if let Some(known) = known(&folder) {
            return Ok(known);
        }
        make_empty(&folder)?;
        fs::write(
            folder.join("CMakeLists.txt"),
            "cmake_minimum_required(VERSION 3.20)\nproject(compilers LANGUAGES C CXX CUDA)\n",
        )?;
        quiet(&mut self.cmake(&folder, &folder.join("build")), BUILD_LIMIT)?;
        known(&folder).ok_or_else(|| "CMake does not say what it knows of the compilers".into())
    }

    /// The command lines of a program that is built: as its Makefile's target `run` says, else each program that the
    /// build made, alone.
    pub fn runs(&self, program: &Program) -> Result<Vec<Run>> {
        let folder = self.tree.join(&program.folder);
        let run = |line: String| Run { folder: folder.clone(), line };
        if let Some(product) = program.product() {
            return Ok(vec![run(format!("./{product}"))]);
        }
        if program.builder == Builder::Make {
            let mut command = Command::new("make");
            self.make_variables(&mut command);
            self.toolchain.apply(&mut command);
            command.args(["-n", "--no-print-directory", "run"]).current_dir(&folder);
            let output = capture_group(&mut command, BUILD_LIMIT)?;
            let lines = recipe(&output.stdout);
            if output.success() && !lines.is_empty() {
                return Ok(lines.into_iter().map(run).collect());
            }
        }
        let made = match program.builder {
            Builder::CMake => folder.join(CMAKE_FOLDER),
            _ => folder,
        };
        let mut found = Vec::new();
        executables(&made, &mut found)?;
        found.sort();
        Ok(found
            .into_iter()
            .filter_map(|path| {
                let name = path.file_name()?.to_string_lossy().into_owned();
                Some(Run { folder: path.parent()?.to_owned(), line: format!("./{name}") })
            })
            .collect())
    }
}

/// The lines of `make -n`, with those put together that end in a backslash.
fn recipe(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let lines = joined.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("make"))
        .map(str::to_owned)
        .collect()
}

fn leaves_out(program: &Program, output: &Output) -> bool {
    let code = output.status.and_then(|status| status.code());
    matches!(program.builder, Builder::Command { .. }) && code == Some(LEFT_OUT)
}

fn last_line(text: &str) -> &str {
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("its command says so")
}

/// The line of a compiler's output to show: the first that names an error.
fn complaint(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| {
        ["error:", "error :", "Error ", "fatal", "undefined reference", "*** "]
            .iter()
            .any(|word| line.contains(word))
    };
    let line = lines.clone().find(is_error).or_else(|| lines.next()).unwrap_or("it made nothing");
    line.chars().take(200).collect()
}

/// Programs below a folder that a compiler made. Links are the checkout's.
fn executables(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() && name != "CMakeFiles" {
            executables(&path, found)?;
        } else if kind.is_file() && !name.contains(".so") && is_program(&path) {
            found.push(path);
        }
    }
    Ok(())
}

fn is_program(path: &Path) -> bool {
    let executable = fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o111 != 0);
    executable && fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF"))
}

fn link_tree(from: &Path, to: &Path) -> Result<()> {
    make(to)?;
    for entry in fs::read_dir(from).map_err(|error| format!("{}: {error}", from.display()))? {
        let entry = entry?;
        let link = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            if entry.file_name() != ".git" {
                link_tree(&entry.path(), &link)?;
            }
        } else if link.symlink_metadata().is_err() {
            symlink(entry.path(), &link).map_err(|error| format!("{}: {error}", link.display()))?;
        }
    }
    Ok(())
}

/// The time at which a file or the last of a folder's files was written, in seconds.
fn newest(path: &Path) -> u64 {
    let Ok(data) = path.symlink_metadata() else { return 0 };
    if data.is_dir() {
        let Ok(entries) = fs::read_dir(path) else { return 0 };
        return entries.flatten().map(|entry| newest(&entry.path())).max().unwrap_or(0);
    }
    let since =
        data.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_is_what_make_would_run() {
        let text = "./main 1 \\\n  2\n# a remark\n\nmake[1]: Nothing to be done\ncd x && ./y\n";
        assert_eq!(recipe(text), ["./main 1    2", "cd x && ./y"]);
    }

    #[test]
    fn the_line_that_says_why_is_shown() {
        let text =
            "exit status: 2\n--- stdout\nnvcc -c a.cu\n--- stderr\na.cu(3): error: no\nmore\n";
        assert_eq!(complaint(text), "a.cu(3): error: no");
        assert_eq!(complaint("\nexit status: 2\n"), "exit status: 2");
    }
}
