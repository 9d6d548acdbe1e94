use super::*;

fn read(pairs: &[(&str, &str)]) -> (Config, Vec<String>) {
    Config::read(|name| {
        pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
    })
}

fn good(name: &str, value: &str) -> Config {
    let (config, problems) = read(&[(name, value)]);
    assert_eq!(problems, Vec::<String>::new());
    config
}

#[test]
fn unset_and_empty_variables_have_their_defaults() {
    assert_eq!(read(&[]), (Config::default(), Vec::new()));
    let empty: Vec<_> = VARIABLES.iter().map(|variable| (variable.name, "")).collect();
    assert_eq!(read(&empty), (Config::default(), Vec::new()));
}

#[test]
fn devices() {
    assert_eq!(good("ZLUDA_DEVICE", "auto").device, DeviceChoice::Auto);
    assert_eq!(good("ZLUDA_DEVICE", "rocm").device, DeviceChoice::Rocm);
    assert_eq!(good("ZLUDA_DEVICE", "cpu").device, DeviceChoice::Cpu);
    assert_eq!(
        good("ZLUDA_DEVICE", "emu:gfx90a").device,
        DeviceChoice::Emulated("gfx90a".to_owned())
    );
    assert_eq!(good("ZLUDA_EMULATED_GPU", "gfx942").emulated_gpu.as_deref(), Some("gfx942"));
}

#[test]
fn whose_memory() {
    let memory = |value| good("ZLUDA_EMULATED_MEMORY", value).emulated_memory;
    assert_eq!(memory("apart"), EmulatedMemory::Apart);
    assert_eq!(memory("shared"), EmulatedMemory::Shared);
}

#[test]
fn sizes() {
    for (value, bytes) in [
        ("4096", 4096),
        ("16K", 16_384),
        ("3M", 3_145_728),
        ("2g", 2_147_483_648),
        ("1 TiB", 1_099_511_627_776),
        ("7B", 7),
    ] {
        assert_eq!(good("ZLUDA_MEMORY", value).memory, Some(bytes), "{value}");
    }
    assert_eq!(good("ZLUDA_CACHE_SIZE", "64MB").cache_size, 67_108_864);
}

#[test]
fn numbers_of_devices() {
    for (value, count, are_divided) in [("1", 1, false), ("32", 32, false), ("4:divided", 4, true)]
    {
        let expected = Devices { count, are_divided };
        assert_eq!(good("ZLUDA_DEVICES", value).devices, expected, "{value}");
    }
}

#[test]
fn compute_capabilities() {
    assert_eq!(
        good("ZLUDA_CC", "12.1").compute_capability,
        ComputeCapability { major: 12, minor: 1 }
    );
    assert_eq!(good("ZLUDA_CC", "7.5").compute_capability.to_string(), "7.5");
}

#[test]
fn seeds_of_chaos() {
    assert_eq!(good("ZLUDA_CHAOS", "18446744073709551615").chaos, Some(u64::MAX));
    // Vector code can be left between accesses by odd seeds, the reference executor's by all.
    assert!(good("ZLUDA_CHAOS", "3").preempts() && !good("ZLUDA_CHAOS", "2").preempts());
    assert!(read(&[("ZLUDA_CHAOS", "2"), ("ZLUDA_EXECUTOR", "reference")]).0.preempts());
    assert_eq!(read(&[("ZLUDA_CHAOS", "-1")]).0.chaos, None);
}

#[test]
fn cache_folders() {
    assert_eq!(good("ZLUDA_CACHE_DIR", "off").cache_dir, CacheDir::Off);
    let folder = if cfg!(windows) { r"C:\var\k" } else { "/var/k" };
    assert_eq!(good("ZLUDA_CACHE_DIR", folder).cache_dir, CacheDir::Folder(PathBuf::from(folder)));
}

#[test]
fn logs() {
    let log = good("ZLUDA_LOG", "info,ptx=trace,file=/tmp/a=b.log").log;
    assert_eq!(log.levels, [(String::new(), LogLevel::Info), ("ptx".to_owned(), LogLevel::Trace)]);
    assert_eq!(log.file, Some(PathBuf::from("/tmp/a=b.log")));
}

#[test]
fn cpu_targets() {
    assert_eq!(good("ZLUDA_CPU_TARGET", "native").cpu_target, CpuTarget::Native);
    let (config, problems) = read(&[("ZLUDA_CPU_TARGET", "x86-64-v5")]);
    assert_eq!((config.cpu_target, problems.len()), (CpuTarget::Native, 1));
    // What this machine cannot run is not compiled for.
    for (level, feature) in [
        ("x86-64-v2", std::arch::is_x86_feature_detected!("sse4.2")),
        ("x86-64-v3", std::arch::is_x86_feature_detected!("avx2")),
        ("x86-64-v4", std::arch::is_x86_feature_detected!("avx512f")),
    ] {
        let (config, problems) = read(&[("ZLUDA_CPU_TARGET", level)]);
        assert_eq!(config.cpu_target == CpuTarget::Level(level), problems.is_empty(), "{level}");
        assert!(feature || !problems.is_empty(), "{level}");
    }
}

#[test]
fn debug_switches() {
    let debug =
        good("ZLUDA_DEBUG", "print=lower,verify,print=expand,stop-after=lower,ptx=/a/b").debug;
    assert_eq!(debug.print, ["lower", "expand"]);
    assert_eq!(debug.stop_after.as_deref(), Some("lower"));
    assert!(debug.verify && !debug.time);
    assert_eq!(debug.ptx.as_deref(), Some(std::path::Path::new("/a/b")));
}

#[test]
fn whose_libraries() {
    assert!(good("ZLUDA_LIBRARIES", "own").prefers_own_libraries());
    assert!(!good("ZLUDA_LIBRARIES", "nvidia").prefers_own_libraries());
    assert!(good("ZLUDA_LIBRARIES", "auto").prefers_own_libraries());
    assert!(!good("ZLUDA_CC", "13.0").prefers_own_libraries());
}

#[test]
fn checks() {
    assert!(good("ZLUDA_CHECK", "align").check.align);
    let both = good("ZLUDA_CHECK", "bounds,align").check;
    assert!(both.align && both.bounds);
}

#[test]
fn a_bad_value_gives_one_line_and_the_default() {
    for (name, value) in [
        ("ZLUDA_DEVICE", "gpu"),
        ("ZLUDA_DEVICE", "emu:sm_80"),
        ("ZLUDA_DEVICES", "0"),
        ("ZLUDA_DEVICES", "33"),
        ("ZLUDA_DEVICES", "two"),
        ("ZLUDA_DEVICES", "2:shared"),
        ("ZLUDA_DEVICES", ":divided"),
        ("ZLUDA_EMULATED_GPU", "emu:gfx942"),
        ("ZLUDA_EMULATED_MEMORY", "own"),
        ("ZLUDA_MEMORY", "-1"),
        ("ZLUDA_MEMORY", "many"),
        ("ZLUDA_MEMORY", "5X"),
        ("ZLUDA_MEMORY", "0"),
        ("ZLUDA_MEMORY", "i"),
        ("ZLUDA_MEMORY", "17179869184G"),
        ("ZLUDA_CC", "8"),
        ("ZLUDA_CC", "99.0"),
        ("ZLUDA_CACHE_DIR", "here"),
        ("ZLUDA_CACHE_SIZE", "1P"),
        ("ZLUDA_LOG", "loud"),
        ("ZLUDA_LOG", "file="),
        ("ZLUDA_EXECUTOR", "fast"),
        ("ZLUDA_LIBRARIES", "mine"),
        ("ZLUDA_CHECK", "races"),
        ("ZLUDA_DEBUG", "everything"),
        ("ZLUDA_DEBUG", "print="),
    ] {
        let (config, problems) = read(&[(name, value)]);
        assert_eq!(config, Config::default(), "{name}={value}");
        assert_eq!(problems.len(), 1, "{name}={value}");
        assert!(
            problems[0].starts_with(&format!("{name}={value} is ignored: ")),
            "{}",
            problems[0]
        );
        assert!(!problems[0].contains('\n'));
    }
}

#[cfg(unix)]
#[test]
fn a_value_that_is_not_utf8_is_a_bad_value() {
    use std::os::unix::ffi::OsStringExt;
    let (config, problems) =
        Config::read(|name| (name == "ZLUDA_DEVICE").then(|| OsString::from_vec(vec![b'c', 0xff])));
    assert_eq!(config, Config::default());
    assert_eq!(problems.len(), 1);
}

/// `docs/user/environment.md` holds the table of [`VARIABLES`]. `ZLUDA_BLESS=1` writes it.
#[test]
fn the_documentation_shows_every_variable() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/user/environment.md");
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let mut table = "| variable | meaning | values | default |\n|---|---|---|---|\n".to_owned();
    for Variable { name, meaning, values, default, .. } in VARIABLES {
        // Angle brackets alone would be taken for HTML.
        let cell = |text: &str| text.replace('<', "\\<");
        table +=
            &format!("| `{name}` | {} | {} | {} |\n", cell(meaning), cell(values), cell(default));
    }
    let before = text.split("| variable |").next().expect("a text has a beginning");
    let expected = format!("{before}{table}");
    if std::env::var_os("ZLUDA_BLESS").is_some() {
        std::fs::write(&path, &expected).expect("the page can be written");
    }
    assert_eq!(
        std::fs::read_to_string(&path).expect("the page is there"),
        expected,
        "update with ZLUDA_BLESS=1"
    );
}
