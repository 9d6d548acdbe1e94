//! The command as a person uses it, staged beside a stand-in for the driver.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let stage = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        std::fs::create_dir(stage.path("bin")).expect("a folder");
        std::fs::copy(env!("CARGO_BIN_EXE_zluda_cli"), stage.path("bin/zluda")).expect("a copy");
        std::fs::write(stage.path("libcuda.so.1"), "").expect("a file");
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.path("bin/zluda"));
        command
            .args(arguments)
            .env("ZLUDA_CACHE_DIR", self.path("cache"))
            .env_remove("LD_LIBRARY_PATH");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("zluda starts")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn run_keeps_arguments_output_and_exit_status() {
    let stage = Stage::new();
    for arguments in [
        &["run", "sh", "-c", "echo \"$0 $1\"; exit 7", "a", "--b"] as &[&str],
        &["run", "--", "sh", "-c", "echo \"$0 $1\"; exit 7", "a", "--b"],
    ] {
        let output = stage.run(arguments);
        assert_eq!(text(&output.stdout), "a --b\n");
        assert_eq!(output.status.code(), Some(7));
    }
    let killed = stage.run(&["run", "sh", "-c", "kill -9 $$"]);
    assert_eq!(killed.status.signal(), Some(9));
}

#[test]
fn run_puts_the_staged_folder_first() {
    let stage = Stage::new();
    let folder = stage.folder.path().canonicalize().expect("the folder");
    let script = "echo \"$LD_LIBRARY_PATH|$LD_AUDIT\"";
    assert_eq!(
        text(&stage.run(&["run", "sh", "-c", script]).stdout),
        format!("{}|\n", folder.display())
    );
    let output = stage
        .command(&["run", "sh", "-c", script])
        .env("LD_LIBRARY_PATH", "/x:/y")
        .output()
        .expect("zluda starts");
    assert_eq!(text(&output.stdout), format!("{}:/x:/y|\n", folder.display()));
    // A file that is no library: the linker says so and goes on.
    std::fs::write(stage.path("libzluda_ld.so"), "").expect("a file");
    let output = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(text(&output.stdout), format!("{0}|{0}/libzluda_ld.so\n", folder.display()));
}

#[test]
fn run_says_what_is_wrong() {
    let stage = Stage::new();
    let output = stage.run(&["run", "no-such-program"]);
    assert_eq!(output.status.code(), Some(127));
    assert_eq!(text(&output.stderr), "zluda: no-such-program: program not found\n");

    let file = stage.path("data");
    std::fs::write(&file, "").expect("a file");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644))
        .expect("the file is ours");
    let output = stage.run(&["run", &file.display().to_string()]);
    assert_eq!(output.status.code(), Some(126));
    assert!(text(&output.stderr).contains("cannot be executed"), "{}", text(&output.stderr));

    std::fs::remove_file(stage.path("libcuda.so.1")).expect("it was there");
    let output = stage.run(&["run", "true"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).starts_with("zluda: libcuda.so.1 is neither in "),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn cache_counts_and_clears() {
    let stage = Stage::new();
    let cache = |path: &Path| zluda_cache::Cache::at(path, 1 << 30);
    let key = zluda_cache::Key::new(&[b"k"]);
    cache(&stage.path("cache")).put(&key, &vec![0; 3 << 20]);
    let folder = stage.path("cache").display().to_string();
    let stats = stage.run(&["cache", "stats"]);
    assert_eq!(text(&stats.stdout), format!("{folder}: 1 kernels, 3.0 MiB of 1024.0 MiB\n"));
    assert_eq!(text(&stage.run(&["cache", "clear"]).stdout), "removed 1 kernels, 3.0 MiB\n");
    assert_eq!(cache(&stage.path("cache")).get(&key), None);
    assert_eq!(
        text(&stage.run(&["cache", "stats"]).stdout),
        format!("{folder}: 0 kernels, 0.0 MiB of 1024.0 MiB\n")
    );
}

#[test]
fn without_a_cache_there_is_nothing_to_clear() {
    let stage = Stage::new();
    let output = stage
        .command(&["cache", "clear"])
        .env("ZLUDA_CACHE_DIR", "off")
        .output()
        .expect("zluda starts");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr), "zluda: there is no cache that can be cleared\n");
}
