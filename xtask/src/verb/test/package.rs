//! The packages for Linux, each installed in a root that has nothing else but what it says that it depends on, where CUDA
//! programs run on it. Python's goes into a virtual environment.

use super::Report;
use crate::Result;
use crate::package::{CHECKSUMS, Kind, VERSION, make_all};
use crate::program::{capture, capture_group, quiet};
use crate::progress::{heading, spinner};
use crate::repository::{Profile, make, make_empty, root, target};
use crate::sample::{Runtime, Sample, named};
use crate::toolkit::{CUDA_13_5, Cuda, cuda};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use zluda_staged::{STAGED, STUBS};

const LIMIT: Duration = Duration::from_secs(600);

const KINDS: [Kind; 3] = [Kind::Tar, Kind::Deb, Kind::Wheel];

/// CUDA programs that bring all of their own.
const SAMPLES: &[&str] = &["driver_module", "scan"];

/// What a root has of the system: the packages' dependencies, and what the programs of the tests need themselves.
const LIBRARIES: &[&str] = &["libc.so.6", "libm.so.6", "libgcc_s.so.1"];
const OF_PROGRAMS: &[&str] = &["libstdc++.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"];
/// Debian's packages of the former.
const DEPENDENCIES: &[&str] = &["libc6", "libgcc-s1"];
const LOADER: &str = "lib64/ld-linux-x86-64.so.2";
const FOLDER: &str = "lib/x86_64-linux-gnu";

/// Enters a root, which is its first argument.
const ENTER: &str =
    "mount --rbind /proc \"$0/proc\" && mount --rbind /dev \"$0/dev\" && exec chroot \"$0\" \"$@\"";

/// Makes, installs and tries the packages.
pub fn run(report: &mut Report) -> Result<()> {
    heading("Packing the release");
    let folder = target().join("test/package");
    let packages = folder.join("packages");
    make_empty(&packages)?;
    let staged = Profile::Release.staged();
    let made = spinner("packing", || make_all(&KINDS, &staged, &packages))?;
    let mut command = Command::new("sha256sum");
    command.args(["--check", "--strict", CHECKSUMS]).current_dir(&packages);
    report.check("package: checksums", capture(&mut command, LIMIT)?.succeeded());
    let [tar, deb, wheel] = &made[..] else { return Err("there are not three packages".into()) };

    heading("Installing the packages");
    let cuda = cuda(CUDA_13_5)?;
    let samples = named(SAMPLES)?;
    for sample in &samples {
        sample.build(&cuda)?;
    }
    let programs = Programs { cuda, samples, open: folder.join("open") };
    let mut compiler = Command::new("cc");
    compiler.arg("-O1").arg(root().join("tests/package/open.c")).arg("-o").arg(&programs.open);
    quiet(&mut compiler, LIMIT)?;

    let place = Place::new(&folder.join("tar"), &programs)?;
    let mut command = Command::new("tar");
    command.arg("-xf").arg(tar).arg("-C").arg(place.0.join("opt"));
    quiet(&mut command, LIMIT)?;
    let command = format!("/opt/zluda-{VERSION}-linux-x86_64/bin/zluda");
    try_out(report, "tar", &programs, &|words| place.command(&command, words));

    let place = Place::new(&folder.join("deb"), &programs)?;
    dpkg(&place.0, deb, |status| status)?;
    try_out(report, "deb", &programs, &|words| place.command("/usr/bin/zluda", words));
    let old = Place::new(&folder.join("deb_old"), &programs)?;
    report.check("package: deb, an old C library", refuses_an_old_library(&old, deb));

    let environment = folder.join("wheel");
    python(&environment, wheel)?;
    let zluda = environment.join("bin/zluda");
    try_out(report, "wheel", &programs, &|words| {
        let mut command = Command::new(&zluda);
        let inside = |word: &str| match word.strip_prefix("/test/") {
            Some(name) => programs.path(name).into_os_string(),
            None => word.into(),
        };
        command.args(words.iter().map(|word| inside(word)));
        without_environment(&mut command).env("XDG_CACHE_HOME", environment.join("cache"));
        command
    });
    report.check("package: wheel, the rest", the_rest_of_python(&environment));
    Ok(())
}

/// The programs that a package is tried with.
struct Programs {
    cuda: Cuda,
    samples: Vec<Sample>,
    open: PathBuf,
}

impl Programs {
    fn all(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        let program = |sample: &Sample| sample.program(&self.cuda, Runtime::Static);
        let samples =
            self.samples.iter().map(move |sample| (sample.name.as_str(), program(sample)));
        samples.chain([("open", self.open.clone())])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.all().find(|(found, _)| *found == name).map(|(_, path)| path).unwrap_or_default()
    }
}

/// A root with the C library and the programs, in its folder `test`.
struct Place(PathBuf);

impl Place {
    fn new(folder: &Path, programs: &Programs) -> Result<Place> {
        make_empty(folder)?;
        for part in ["proc", "dev", "tmp", "opt", "root", "test", "lib64", FOLDER] {
            make(&folder.join(part))?;
        }
        for name in LIBRARIES.iter().chain(OF_PROGRAMS) {
            let found =
                quiet(Command::new("cc").arg(format!("-print-file-name={name}")), LIMIT)?.stdout;
            copy(Path::new(found.trim()), &folder.join(FOLDER).join(name))?;
        }
        copy(&Path::new("/").join(LOADER), &folder.join(LOADER))?;
        for (name, path) in programs.all() {
            copy(&path, &folder.join("test").join(name))?;
        }
        Ok(Place(folder.to_owned()))
    }

    /// A command in the root.
    fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new("unshare");
        // SAFETY: asks for a number.
        if unsafe { libc::geteuid() } != 0 {
            command.args(["--user", "--map-root-user"]);
        }
        command.args(["--mount", "sh", "-c", ENTER]).arg(&self.0).arg(program).args(words);
        without_environment(&mut command).env("HOME", "/root");
        command
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map_err(|error| format!("{}: {error}", from.display()))?;
    Ok(())
}

fn without_environment(command: &mut Command) -> &mut Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path)
}

/// Runs programs by a package's command, which `command` makes of its arguments.
fn try_out(
    report: &mut Report,
    kind: &str,
    programs: &Programs,
    command: &dyn Fn(&[&str]) -> Command,
) {
    let says = |words: &[&str], wanted: &str| {
        let output =
            capture_group(&mut command(words), LIMIT).map_err(|error| error.to_string())?;
        let good = output.success() && output.stdout.contains(wanted);
        if good { Ok(()) } else { Err(output.describe()) }
    };
    let version = format!("zluda {VERSION}\n");
    report.check(format!("package: {kind}, the version"), says(&["--version"], &version));
    report.check(format!("package: {kind}, the device"), says(&["info"], "device 0: "));
    for sample in &programs.samples {
        let words = ["run", &format!("/test/{}", sample.name)];
        let result = capture_group(&mut command(&words), LIMIT)
            .map_err(|error| error.to_string())
            .and_then(|output| match sample.check(&output)[..] {
                [] => Ok(()),
                ref problems => Err(format!("{}; {}", problems.join("; "), output.describe())),
            });
        report.check(format!("package: {kind}, {}", sample.name), result);
    }
    let names = STAGED.iter().filter(|staged| staged.replaces).map(|staged| staged.name);
    let names = names.chain(STUBS.iter().map(|stub| stub.name));
    let words: Vec<&str> = ["run", "/test/open"].into_iter().chain(names).collect();
    report.check(format!("package: {kind}, all libraries"), says(&words, "0 missing"));
}

/// Installs a Debian package in a root whose dpkg knows the dependencies alone, as `change` has them.
fn dpkg(place: &Path, package: &Path, change: impl Fn(String) -> String) -> Result<()> {
    let database = place.join("var/lib/dpkg");
    for part in ["info", "updates", "triggers"] {
        make(&database.join(part))?;
    }
    let mut query = Command::new("dpkg-query");
    let status = quiet(query.arg("--status").args(DEPENDENCIES), LIMIT)?.stdout;
    fs::write(database.join("status"), change(status))?;
    let mut root = OsStr::new("--root=").to_owned();
    root.push(place);
    let mut command = Command::new("dpkg");
    command.arg(root).args(["--force-not-root", "--force-bad-path", "--install"]).arg(package);
    quiet(&mut command, LIMIT).map(drop)
}

/// The package says what it needs: where that is older, it is not installed.
fn refuses_an_old_library(place: &Place, package: &Path) -> std::result::Result<(), String> {
    let old = |status: String| {
        let lines = status.lines().map(|line| match line.strip_prefix("Version: ") {
            Some(_) => "Version: 1",
            None => line,
        });
        lines.flat_map(|line| [line, "\n"]).collect()
    };
    match dpkg(&place.0, package, old) {
        Ok(()) => Err("it was installed".to_owned()),
        Err(error) => {
            let error = error.to_string();
            let named =
                DEPENDENCIES.iter().all(|name| error.contains(&format!("depends on {name}")));
            if named { Ok(()) } else { Err(error) }
        }
    }
}

/// Installs a wheel in a new virtual environment.
fn python(environment: &Path, wheel: &Path) -> Result<()> {
    make_empty(environment)?;
    quiet(Command::new("python3").args(["-m", "venv"]).arg(environment), LIMIT)?;
    let mut pip = Command::new(environment.join("bin/pip"));
    pip.args(["install", "--quiet", "--no-index", "--disable-pip-version-check"]).arg(wheel);
    quiet(&mut pip, LIMIT).map(drop)
}

/// The module by its name, the assembler, and that nothing stays when the package is removed.
fn the_rest_of_python(environment: &Path) -> std::result::Result<(), String> {
    let bin = environment.join("bin");
    let run = |command: &mut Command| {
        quiet(without_environment(command), LIMIT)
            .map(|output| output.stdout)
            .map_err(|error| error.to_string())
    };
    let python = || Command::new(bin.join("python3"));
    let version = run(python().args(["-m", "zluda", "--version"]))?;
    if version != format!("zluda {VERSION}\n") {
        return Err(format!("its version is {version}"));
    }
    let folder = run(python().args(["-c", "import zluda; print(zluda.FOLDER)"]))?;
    let folder = Path::new(folder.trim());
    // As the command tells Triton of it.
    let assembler = ["run", "sh", "-c", "exec \"$TRITON_PTXAS_PATH\" --version"];
    let assembler = run(Command::new(bin.join("zluda")).args(assembler))?;
    if !assembler.contains("Cuda compilation tools") {
        return Err(format!("ptxas says {assembler}"));
    }
    run(Command::new(bin.join("pip")).args(["uninstall", "--quiet", "--yes", "zluda"]))?;
    if folder.join("bin").exists() || bin.join("zluda").exists() {
        return Err("files stay after it was removed".to_owned());
    }
    Ok(())
}
