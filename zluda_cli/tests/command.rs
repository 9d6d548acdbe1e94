//! The command as a person uses it on Linux, staged beside a stand-in for the driver; `./x test windows` has programs for its
//! other form.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"));
        let stage = Self { folder: folder.expect("a temporary folder") };
        std::fs::create_dir(stage.path("bin")).expect("a folder");
        // A link: a copy cannot be started while a child of another test still has it open for writing.
        std::fs::hard_link(env!("CARGO_BIN_EXE_zluda_cli"), stage.path("bin/zluda"))
            .expect("a link");
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
    let assembler = "echo \"$TRITON_PTXAS_PATH\"";
    assert_eq!(text(&stage.run(&["run", "sh", "-c", assembler]).stdout), "\n");
    std::os::unix::fs::symlink("zluda", stage.path("bin/ptxas")).expect("a link");
    assert_eq!(
        text(&stage.run(&["run", "sh", "-c", assembler]).stdout),
        format!("{}/bin/ptxas\n", folder.display())
    );
    let output = stage
        .command(&["run", "sh", "-c", assembler])
        .env("TRITON_PTXAS_PATH", "/mine")
        .output()
        .expect("zluda starts");
    assert_eq!(text(&output.stdout), "/mine\n");
    let script = "echo \"$LD_LIBRARY_PATH|$LD_AUDIT\"";
    assert_eq!(
        text(&stage.run(&["run", "sh", "-c", script]).stdout),
        format!("{0}:{0}/libraries|\n", folder.display())
    );
    let output = stage
        .command(&["run", "sh", "-c", script])
        .env("ZLUDA_LIBRARIES", "nvidia")
        .output()
        .expect("zluda starts");
    assert_eq!(text(&output.stdout), format!("{}|\n", folder.display()));
    let output = stage
        .command(&["run", "sh", "-c", script])
        .env("LD_LIBRARY_PATH", "/x:/y")
        .output()
        .expect("zluda starts");
    assert_eq!(text(&output.stdout), format!("{0}:{0}/libraries:/x:/y|\n", folder.display()));
    // A file that is no library: the linker says so and goes on.
    std::fs::write(stage.path("libzluda_ld.so"), "").expect("a file");
    let output = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(
        text(&output.stdout),
        format!("{0}:{0}/libraries|{0}/libzluda_ld.so\n", folder.display())
    );
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

const TWO_KERNELS: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry first(.param .u64 out)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry second() { ret; }
";

#[test]
fn compile_shows_stages_of_kernels() {
    let stage = Stage::new();
    let file = stage.path("two.ptx").display().to_string();
    std::fs::write(&file, TWO_KERNELS).expect("a file");
    for (emit, wanted, unwanted) in [
        ("ast", "st.global.u32", "define"),
        ("ir", "zluda.tid.x", "st.global"),
        ("llvm", "define", "st.global"),
        ("asm", "s_endpgm", "define"),
    ] {
        let output = stage
            .run(&["compile", &file, "--kernel", "first", "--target", "gfx1100", "--emit", emit]);
        let shown = text(&output.stdout);
        assert!(output.status.success(), "{emit}: {}", text(&output.stderr));
        assert!(shown.contains(wanted) && !shown.contains(unwanted), "{emit}: {shown}");
    }
}

#[test]
fn compile_writes_an_object_for_each_kernel() {
    let stage = Stage::new();
    let file = stage.path("two.ptx").display().to_string();
    std::fs::write(&file, TWO_KERNELS).expect("a file");
    let objects = stage.path("objects");
    std::fs::create_dir(&objects).expect("a folder");
    let folder = objects.display().to_string();
    let output =
        stage.run(&["compile", &file, "--target", "gfx942", "--emit", "obj", "-o", &folder]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for kernel in ["first", "second"] {
        let bytes = std::fs::read(objects.join(format!("{kernel}.o"))).expect("an object");
        // ELF, 64 bits, for AMD GPUs (machine 224).
        assert_eq!((&bytes[..5], &bytes[18..20]), (b"\x7fELF\x02".as_slice(), [224, 0].as_slice()));
    }
    let single = stage.path("single.o").display().to_string();
    let output = stage.run(&["compile", &file, "-o", &single]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("several kernels"), "{}", text(&output.stderr));
}

#[test]
fn compile_makes_one_code_object_of_all_kernels() {
    let stage = Stage::new();
    let file = stage.path("two.ptx").display().to_string();
    std::fs::write(&file, TWO_KERNELS).expect("a file");
    let path = stage.path("two.hsaco");
    let output =
        stage.run(&["compile", &file, "--target", "gfx942", "-o", &path.display().to_string()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let bytes = std::fs::read(path).expect("an object");
    for name in [b"first.kd".as_slice(), b"second.kd"] {
        assert!(bytes.windows(name.len()).any(|window| window == name));
    }
}

#[test]
fn compile_says_how_long_it_takes() {
    let stage = Stage::new();
    let file = stage.path("two.ptx").display().to_string();
    std::fs::write(&file, TWO_KERNELS).expect("a file");
    let output =
        stage.run(&["compile", &file, "--emit", "obj", "-o", "/dev/null", "--repeat", "2"]);
    let said = text(&output.stderr);
    let time = said.trim_end().strip_prefix(&format!("zluda: {file}: "));
    let time = time.and_then(|time| time.strip_suffix(" ms")).expect("a time");
    assert!(time.parse::<f64>().is_ok_and(|time| time > 0.0), "{said}");
}

#[test]
fn compile_says_what_is_wrong() {
    let stage = Stage::new();
    let file = stage.path("bad.ptx").display().to_string();
    std::fs::write(&file, TWO_KERNELS.replace("st.global.u32", "st.nowhere.u32")).expect("a file");
    let output = stage.run(&["compile", &file, "--emit", "ir"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("st.nowhere"), "{}", text(&output.stderr));
    for (arguments, wanted) in [
        (&["compile", "/nonexistent.ptx"] as &[&str], "/nonexistent.ptx: "),
        (&["compile", &file, "--kernel", "third"], "no kernel third; there are: first, second"),
        (&["compile", &file, "--target", "!"], "is no target"),
        (&["compile", &file, "--target", "gfx1"], "`gfx1` is no target"),
    ] {
        let output = stage.run(arguments);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains(wanted), "{}", text(&output.stderr));
    }
}

#[test]
fn doctor_names_what_an_amd_gpu_needs() {
    let output = Stage::new().run(&["doctor"]);
    let said = text(&output.stdout);
    let about = |what: &str| said.lines().any(|line| line.contains(what));
    assert!(about("ok: the driver lies in"), "{said}");
    assert!(about("/dev/kfd"), "{said}");
    assert!(about("libamdhip64.so."), "{said}");
}

const KERNEL: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 out)
{
    .reg .b32 %r; .reg .b64 %d;
    ld.param.u64 %d, [out];
    mov.u32 %r, 7;
    st.global.u32 [%d], %r;
    ret;
}";

#[test]
fn compile_shows_passes() {
    let stage = Stage::new();
    std::fs::write(stage.path("kernel.ptx"), KERNEL).expect("a file");
    let file = stage.path("kernel.ptx").display().to_string();
    let compile = |debug: &str| {
        let mut command = stage.command(&["compile", &file, "--target", "x86-64-v2"]);
        let output = command.env("ZLUDA_DEBUG", debug).output().expect("zluda starts");
        assert!(output.status.success(), "{debug}: {}", text(&output.stderr));
        [text(&output.stdout), text(&output.stderr)]
    };
    let [plain, log] = compile("");
    assert!(plain.contains(".text") && log.is_empty(), "{log}");
    let [assembly, log] = compile("print=lower,print=outline_functions");
    assert_eq!(assembly, plain);
    for pass in ["lower", "outline_functions"] {
        assert!(log.contains(&format!("[zluda] info pass: after {pass}:\n; ModuleID")), "{log}");
    }
    let [shown, log] = compile("stop-after=clean");
    assert!(shown.contains("define void @store()") && log.is_empty(), "{shown}{log}");
    let [assembly, log] = compile("print=nonsense");
    assert_eq!(assembly, plain);
    assert!(log.contains("there is no pass `nonsense`; there are: parse, "), "{log}");
    let [assembly, log] = compile("time,verify");
    assert_eq!(assembly, plain);
    assert!(log.contains("[zluda] info time: ") && log.contains(" ms  lower store\n"), "{log}");
}

#[test]
fn ptxas_checks_ptx_and_makes_a_cubin_of_it() {
    let stage = Stage::new();
    std::os::unix::fs::symlink("zluda", stage.path("bin/ptxas")).expect("a link");
    let ptxas = |words: &[&str]| {
        let mut command = Command::new(stage.path("bin/ptxas"));
        command.args(words).current_dir(stage.path("")).output().expect("ptxas starts")
    };
    let version = text(&ptxas(&["--version"]).stdout);
    assert!(version.contains("release 12.6"), "{version}");

    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }\n";
    std::fs::write(stage.path("f.ptx"), ptx).expect("a file");
    let output = ptxas(&["-lineinfo", "-v", "--gpu-name=sm_90a", "f.ptx", "-o", "f.cubin"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("entry function 'f' for 'sm_90a'"));
    let cubin = std::fs::read(stage.path("f.cubin")).expect("the cubin");
    assert_eq!(cubin::text(&cubin), Some(format!("{ptx}\0").as_bytes()));
    assert_eq!(cubin.get(48), Some(&90));

    std::fs::write(stage.path("g.ptx"), ptx.replace("ret;", "add.u32 %r1, 1, 2; ret;"))
        .expect("a file");
    for words in [&["g.ptx"] as &[&str], &["no-such-file"], &[], &["f.ptx", "-o"]] {
        let output = ptxas(words);
        assert_eq!(output.status.code(), Some(255), "{words:?}");
        assert!(text(&output.stderr).contains("ptxas fatal   : "), "{words:?}");
    }
    assert!(text(&ptxas(&["g.ptx"]).stderr).contains("`%r1` is not declared"));
    assert!(!stage.path("elf.o").exists());
}
