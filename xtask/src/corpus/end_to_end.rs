//! The whole way of small programs that need neither nvcc nor a GPU: their Makefiles write shell scripts.

use crate::corpus::build::Collection;
use crate::corpus::discover;
use crate::corpus::expectations::Expectations;
use crate::corpus::run::{Driver, Limits, Platform};
use crate::corpus::session::Session;
use crate::corpus::shares::Shares;
use crate::corpus::table::Row;
use crate::corpus::toolchain::Toolchain;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// A program whose `run:` line has an argument, for a script that this shell text is.
fn program(folder: &Path, name: &str, script: &str) {
    let folder = folder.join("checkout").join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("script.sh"), script).unwrap();
    let makefile = "CC = nvcc\nmain: script.sh\n\tcp script.sh main\n\tchmod +x main\n\techo x >> builds\nrun: main\n\t./main 7\n";
    fs::write(folder.join("Makefile"), makefile).unwrap();
}

fn rows(folder: &Path, list: &str, resume: bool) -> Vec<Row> {
    let session = Session {
        collection: Collection {
            checkout: folder.join("checkout"),
            tree: folder.join("tree"),
            toolchain: Toolchain::none(),
        },
        driver: Driver {
            libraries: folder.to_owned(),
            cache: folder.to_owned(),
            runtime: folder.to_owned(),
            others: folder.to_owned(),
        },
        resume,
        list: Expectations::parse("list", list).unwrap(),
        shares: Shares::new(None).unwrap(),
        limits: Limits { processors: Duration::from_secs(1), clock: Duration::from_secs(5) },
    };
    session.collection.link().unwrap();
    let programs = discover::programs(&session.collection.checkout, &session.list).unwrap();
    let programs: Vec<_> = programs.iter().collect();
    session.collection.set_up(&session.list.setup).unwrap();
    let built = session.build(&programs, 2);
    let others = [Platform::new("cpu", Some("reference"), None)];
    session.run(&programs, built, &Platform::new("cpu", None, None), &others).unwrap()
}

/// Names and verdicts.
fn words(rows: &[Row]) -> Vec<String> {
    rows.iter()
        .map(|row| format!("{} {} {}", row.name, row.verdict.word(), row.verdict.detail()))
        .map(|text| text.trim().to_owned())
        .collect()
}

#[test]
fn programs_are_built_once_run_and_judged() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    program(folder, "good", "#!/bin/sh\necho it took $$ ms; echo sum $1\n");
    program(folder, "bad", "#!/bin/sh\necho FAILED\n");
    program(folder, "ends", "#!/bin/sh\nexit 3\n");
    program(folder, "dies", "#!/bin/sh\nkill -SEGV $$\n");
    program(folder, "hangs", "#!/bin/sh\nsleep 600 & sleep 600\n");
    program(folder, "spins", "#!/bin/sh\nwhile :; do :; done\n");
    program(folder, "differs", "#!/bin/sh\necho sum ${ZLUDA_EXECUTOR:-vector}\n");
    program(folder, "argument", "#!/bin/sh\n[ $1 = 3 ]\n");
    let cases = r#"[ "$CORPUS_CASES" = "$(printf "it's one\tof two")" ]"#;
    program(folder, "cases", &format!("#!/bin/sh\n{cases}\n"));
    program(folder, "window", "#!/bin/sh\n");
    fs::write(folder.join("checkout/window/Makefile"), "all:\n\tnvcc x.cu -lglut\n").unwrap();
    program(folder, "broken", "#!/bin/sh\n");
    fs::write(folder.join("checkout/broken/Makefile"), "all: # nvcc\n\t@echo 'error: no'; false\n")
        .unwrap();

    let start = Instant::now();
    let found = rows(folder, "", false);
    let expected = [
        "argument failed exit status 1",
        "bad wrong result FAILED",
        "broken did not build error: no",
        "cases failed exit status 1",
        "dies crashed signal 11",
        "differs passed",
        "ends failed exit status 3",
        "good passed",
        "hangs timed out",
        "spins timed out",
        "window left out needs OpenGL",
    ];
    assert_eq!(words(&found), expected);
    // What the hanging program left behind holds its output open.
    assert!(start.elapsed() < Duration::from_secs(300));
    let unexpected = |rows: &[Row]| -> Vec<String> {
        rows.iter().filter(|row| row.problem.is_some()).map(|row| row.name.clone()).collect()
    };
    assert_eq!(
        unexpected(&found),
        ["argument", "bad", "broken", "cases", "dies", "differs", "ends", "hangs", "spins"]
    );

    let list = "argument: run 3  # less\nbad: ignore FAILED  # a title\nbroken: did not build  # why\n\
                cases: case it's one  # why\ncases: case of two  # why\n\
                dies: crashed  # why\ndiffers: differs  # why\nends: failed  # why\n\
                hangs: left out  # why\nspins: left out  # why\nwindow: left out  # no window\n";
    let found = rows(folder, list, false);
    assert_eq!(unexpected(&found), Vec::<String>::new());
    let differences = &found[5].differences;
    assert_eq!(
        differences.as_slice(),
        [("reference".to_owned(), "`sum reference` for `sum vector`".to_owned())]
    );
    let builds = fs::read_to_string(folder.join("tree/good/builds")).unwrap();
    assert_eq!(builds, "x\n", "a second run builds nothing");
    assert!(!folder.join("checkout/good/main").exists(), "the checkout stays as it is");
    let found = rows(
        folder,
        "good: failed  # why\ndiffers: differs  # why\nhangs: left out  # why\nspins: left out  # why\n",
        true,
    );
    assert_eq!(unexpected(&found), ["argument", "bad", "broken", "cases", "dies", "ends", "good"]);
}

#[test]
fn files_are_built_by_the_lines_of_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let checkout = folder.join("checkout");
    fs::create_dir_all(checkout.join("a/b")).unwrap();
    for (name, text) in [
        ("head", "#!/bin/sh\n"),
        ("a/one.test", "echo $0\n"),
        ("a/two.test", "exit 3\n"),
        ("a/b/three.test", "echo error: no\n"),
        ("a/b/four.test", ""),
        ("a/b/five.skip", "it needs a window\n"),
    ] {
        fs::write(checkout.join(name), text).unwrap();
    }
    let list = "*: setup echo x >> setups; cat head > started  # all begin like it\n\
                **/*.test: source cat $tree/started $source > $product; chmod +x $product; echo x >> builds  # scripts\n\
                a/b/*: source cat $source; false  # they do not build\n\
                a/b/*.skip: source cat $source; exit 77  # a command leaves them out\n\
                a/b/fo*: left out  # why\n";
    let expected = [
        "a/b/five.skip left out it needs a window",
        "a/b/four.test left out why",
        "a/b/three.test did not build echo error: no",
        "a/one.test passed",
        "a/two.test failed exit status 3",
    ];
    for _ in 0..2 {
        assert_eq!(words(&rows(folder, list, false)), expected);
        let count = |file: &str| fs::read_to_string(folder.join("tree").join(file)).unwrap();
        assert_eq!(count("setups"), "x\n", "a second run sets nothing up");
        assert_eq!(count("a/builds"), "x\nx\n", "a second run builds nothing");
        assert!(count("a/one.test.corpus.corpus_output.txt").ends_with("\n./one.test.corpus\n"));
    }
    assert!(!checkout.join("a/builds").exists(), "the checkout stays as it is");
}
