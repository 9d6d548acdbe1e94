//! Real programs under `LD_AUDIT`, with a library that stands for the driver.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Stands for the driver: says which one it is.
const DRIVER: &str = "int which(void) { return 42; }";

/// Stands for NVIDIA's driver.
const OTHER_DRIVER: &str = "int which(void) { return 7; }";

/// Opens each library that its arguments name and prints what it says. `--child` does the rest in a child
/// process; `--global` asks the program's own namespace for the symbol.
const PROGRAM: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    for (int i = 1; i < argc; ++i) {
        if (!strcmp(argv[i], "--child")) {
            pid_t child = fork();
            if (!child) {
                argv[i] = argv[0];
                execv(argv[0], argv + i);
                _exit(99);
            }
            int status;
            waitpid(child, &status, 0);
            return WEXITSTATUS(status);
        }
        void *library = dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL);
        if (!library) { printf("none\n"); continue; }
        int (*which)(void) = (int (*)(void))dlsym(library, "which");
        int (*global)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "which");
        printf("%d %s\n", which(), global == which ? "here" : "elsewhere");
    }
}
"#;

/// A program that is linked with the driver.
const LINKED: &str =
    "#include <stdio.h>\nint which(void); int main(void) { printf(\"%d\\n\", which()); }";

struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    /// A folder with `staged/{libzluda_ld.so, libcuda.so.1}`, `other/libcuda.so{,.1}` and the two programs.
    fn new() -> Self {
        let stage = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        for folder in ["staged", "other"] {
            std::fs::create_dir(stage.path(folder)).expect("a folder");
        }
        let test = std::env::current_exe().expect("this program");
        let library = test.with_file_name("libzluda_ld.so");
        std::fs::copy(&library, stage.path("staged/libzluda_ld.so"))
            .expect("cargo built the audit library");
        let shared = ["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1"];
        compile(DRIVER, &stage.path("staged/libcuda.so.1"), &shared);
        compile(OTHER_DRIVER, &stage.path("other/libcuda.so.1"), &shared);
        std::fs::copy(stage.path("other/libcuda.so.1"), stage.path("other/libcuda.so"))
            .expect("a copy");
        compile(PROGRAM, &stage.path("program"), &[]);
        let other = stage.path("other");
        compile(LINKED, &stage.path("linked"), &[&format!("-L{}", other.display()), "-lcuda"]);
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The output of a program under the audit library, with the other driver on the search path.
    fn run(&self, program: &str, arguments: &[&str]) -> String {
        self.output(&self.path("staged/libzluda_ld.so"), program, arguments)
    }

    fn output(&self, audit: &Path, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(self.path(program))
            .args(arguments)
            .current_dir(self.folder.path())
            .env("LD_AUDIT", audit)
            .env("LD_LIBRARY_PATH", self.path("other"))
            .output()
            .expect("the program starts");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert!(output.status.success(), "{}", output.status);
        String::from_utf8(output.stdout).expect("text")
    }
}

fn compile(source: &str, to: &Path, arguments: &[&str]) {
    let file = to.with_extension("c");
    std::fs::write(&file, source).expect("a source file");
    let output = Command::new("cc")
        .arg(&file)
        .arg("-o")
        .arg(to)
        .args(arguments)
        .output()
        .expect("cc is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn names_and_paths_lead_to_the_staged_driver_in_the_namespace_of_the_program() {
    let stage = Stage::new();
    let absolute = stage.path("other/libcuda.so.1").display().to_string();
    let nowhere = "/nonexistent/stubs/libcuda.so";
    for wanted in ["libcuda.so.1", "libcuda.so", &absolute, nowhere, "other/libcuda.so"] {
        assert_eq!(stage.run("program", &[wanted]), "42 here\n", "{wanted}");
    }
    // All of them are one library.
    assert_eq!(stage.run("program", &["libcuda.so.1", &absolute]), "42 here\n42 here\n");
}

#[test]
fn a_program_that_is_linked_with_the_driver_gets_the_staged_one() {
    let stage = Stage::new();
    assert_eq!(stage.run("linked", &[]), "42\n");
}

#[test]
fn child_processes_are_served_alike() {
    let stage = Stage::new();
    assert_eq!(
        stage.run("program", &["--child", "libcuda.so.1", "libcuda.so"]),
        "42 here\n42 here\n"
    );
}

#[test]
fn a_relative_path_to_the_audit_library_will_do() {
    let stage = Stage::new();
    assert_eq!(
        stage.output(Path::new("./staged/libzluda_ld.so"), "program", &["libcuda.so.1"]),
        "42 here\n"
    );
}

#[test]
fn other_libraries_are_left_alone() {
    let stage = Stage::new();
    compile(OTHER_DRIVER, &stage.path("other/libcuda.so.12"), &["-shared", "-fPIC"]);
    compile(OTHER_DRIVER, &stage.path("other/mylibcuda.so"), &["-shared", "-fPIC"]);
    assert_eq!(
        stage.run("program", &["libcuda.so.12", "mylibcuda.so", "libcuda.so.2"]),
        "7 here\n7 elsewhere\nnone\n"
    );
}

#[test]
fn each_library_that_is_staged_is_led_to() {
    let stage = Stage::new();
    compile(OTHER_DRIVER, &stage.path("other/libnvidia-ml.so.1"), &["-shared", "-fPIC"]);
    assert_eq!(stage.run("program", &["libnvidia-ml.so.1"]), "7 here\n");
    compile(DRIVER, &stage.path("staged/libnvidia-ml.so.1"), &["-shared", "-fPIC"]);
    let wanted = ["libnvidia-ml.so.1", "libnvidia-ml.so", "/usr/lib64/libnvidia-ml.so.1"];
    assert_eq!(stage.run("program", &wanted), "42 here\n42 here\n42 here\n");
}

/// A library above the driver with a version of its symbols, and a program that is linked with it.
fn add_library(stage: &Stage) {
    let versions = stage.path("versions");
    std::fs::write(&versions, "libcublas.so.13 { global: *; };").expect("a file");
    let script = format!("-Wl,--version-script,{}", versions.display());
    let options = ["-shared", "-fPIC", "-Wl,-soname,libcublas.so.13", &script];
    compile(OTHER_DRIVER, &stage.path("other/libcublas.so.13"), &options);
    std::fs::create_dir(stage.path("staged/libraries")).expect("a folder");
    compile(DRIVER, &stage.path("staged/libraries/libcublas.so.13"), &options);
    let other = stage.path("other");
    let options = [&format!("-L{}", other.display()), "-l:libcublas.so.13"];
    compile(LINKED, &stage.path("with_library"), &options);
}

#[test]
fn the_environment_says_whose_libraries_programs_get() {
    let stage = Stage::new();
    add_library(&stage);
    let audit = stage.path("staged/libzluda_ld.so");
    for (variables, wanted) in [
        (&[] as &[(&str, &str)], "42"),
        (&[("ZLUDA_LIBRARIES", "own"), ("ZLUDA_CC", "13.0")], "42"),
        (&[("ZLUDA_LIBRARIES", "nvidia")], "7"),
        (&[("ZLUDA_CC", "13.0")], "7"),
        (&[("ZLUDA_CC", "9.0")], "42"),
    ] {
        let run = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(stage.path(program));
            command.args(arguments).env("LD_AUDIT", &audit).envs(variables.iter().copied());
            let output = command.env("LD_LIBRARY_PATH", stage.path("other")).output();
            let output = output.expect("the program starts");
            // Nor a word of the linker's about versions.
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{variables:?}");
            String::from_utf8(output.stdout).expect("text")
        };
        assert_eq!(
            run("program", &["libcublas.so.13"]),
            format!("{wanted} here\n"),
            "{variables:?}"
        );
        assert_eq!(run("with_library", &[]), format!("{wanted}\n"), "{variables:?}");
    }
}

#[test]
fn own_libraries_stand_in_where_nvidias_are_not_installed() {
    let stage = Stage::new();
    add_library(&stage);
    std::fs::remove_file(stage.path("other/libcublas.so.13")).expect("it was there");
    for (libraries, wanted) in [("auto", "42 here\n"), ("nvidia", "none\n")] {
        let output = Command::new(stage.path("program"))
            .arg("libcublas.so.13")
            .env("LD_AUDIT", stage.path("staged/libzluda_ld.so"))
            .env("ZLUDA_LIBRARIES", libraries)
            .env("ZLUDA_CC", "13.0")
            .output()
            .expect("the program starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout), wanted);
    }
}

#[test]
fn without_a_staged_driver_nothing_changes() {
    let stage = Stage::new();
    std::fs::remove_file(stage.path("staged/libcuda.so.1")).expect("it was there");
    assert_eq!(stage.run("program", &["libcuda.so.1"]), "7 here\n");
}
