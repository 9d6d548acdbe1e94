//! Every implemented function is called with wrong arguments, one at a time, and answers with an error of
//! its documentation; the process lives on.
//!
//! | file | what |
//! |---|---|
//! | `calls.rs` | the functions: those that `cuda.h` declares |
//! | `world.rs` | right and wrong values for each type of argument |
//! | `rules.rs` | which answers are right |
//! | `threads.rs` | the same in random order by several threads, over shared objects |
//! | `documented.txt` | the result codes that the documentation names for each function |
//! | `exceptions.txt` | answers that are right for another reason, with that reason |
//!
//! Each function has a process of its own, so that a crash or a hang has a name. A failure prints the
//! answers as they would have to stand in `exceptions.txt`, were they right.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod calls;
#[path = "../common/mod.rs"]
mod common;
mod rules;
mod threads;
mod world;

use calls::FUNCTIONS;
use exported::calls::{Function, address, find};
use libloading::Library;
use rules::{Answer, Rules};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use world::{Kind, Value, World};

/// Names the function that a child process is for.
const VARIABLE: &str = "ZLUDA_TEST_FUNCTION";
const LIMIT: Duration = Duration::from_secs(120);
/// The beginning of a line of a child's answers.
const MARK: &str = "answer:";

/// Calls, and says so before and after it.
fn call(library: &Library, function: &Function, case: &str, words: &[u64]) -> u32 {
    print!("\n{MARK}{case}:");
    std::io::stdout().flush().unwrap();
    // SAFETY: the words are wrong in the ways that this test is about: no function may trust them. Pointers
    // are null or point to more than any function asks for.
    let result = unsafe { function.run(library, words) };
    println!("{result}");
    result
}

/// `INVALID_VALUE`, `INVALID_DEVICE`, `INVALID_HANDLE` and `NOT_SUPPORTED`: a function that says so has done nothing.
const ABOUT_ARGUMENTS: [u32; 4] = [1, 101, 400, 801];

/// The child: all calls of one function.
#[test]
#[ignore = "the other test runs it, in a process for each function"]
fn one_function() {
    let name = std::env::var(VARIABLE).expect("the other test sets it");
    let function = find(FUNCTIONS, &name);
    let parameters = function.parameters;
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(common::library_path()) }.expect("the library loads");
    let zeros = vec![0; parameters.len()];
    call(&library, function, "uninitialized", &zeros);

    // SAFETY: the type is that of `cuInit`.
    let init: extern "C" fn(u32) -> u32 =
        unsafe { std::mem::transmute(address(&library, "cuInit")) };
    assert_eq!(init(0), 0);
    call(&library, function, "contextless", &zeros);
    let world = World::new(&library);
    call(&library, function, "zero", &zeros);
    drop(world);

    let mut world = World::new(&library);
    let words: Vec<u64> =
        parameters.iter().map(|(name, ty)| world.right(function.name, name, ty)).collect();
    call(&library, function, "right", &words);
    // A stream may be captured now, which would matter to other worlds.
    drop(world);

    // A call that fails leaves all as it was, or the answers after it differ; one that does something has a world of its own.
    let mut world = World::new(&library);
    let wrong: Vec<usize> = parameters.iter().map(|(_, ty)| world.wrong(ty).len()).collect();
    let spoilt = world.spoilt().len();
    let mut kept = Some(world);
    let mut ask = |at: usize, case: &str, prepare: &dyn Fn(&mut World, &mut [u64]) -> Value| {
        let mut world = kept.take().unwrap_or_else(|| World::new(&library));
        let mut words: Vec<u64> =
            parameters.iter().map(|(name, ty)| world.right(function.name, name, ty)).collect();
        let wrong = prepare(&mut world, &mut words);
        let case = format!("{}{case} {} {:?}", parameters[at].0, wrong.name, wrong.kind);
        let result = call(&library, function, &case, &words);
        synchronize(&library);
        kept = ABOUT_ARGUMENTS.contains(&result).then_some(world);
    };
    for (at, (_, ty)) in parameters.iter().enumerate() {
        for variant in 0..wrong[at] {
            ask(at, "", &|world, words| {
                let wrong = world.wrong(ty)[variant];
                words[at] = wrong.word;
                wrong
            });
        }
        for word in World::words_of(ty) {
            for variant in 0..spoilt {
                ask(at, &format!("[{word}]"), &|world, words| {
                    let wrong = world.spoilt()[variant];
                    // SAFETY: the argument points to a structure that has this word.
                    unsafe { (words[at] as *mut u64).add(word).write(wrong.word) };
                    wrong
                });
            }
        }
    }
    // The driver is of use still.
    World::new(&library);
    println!("\n{MARK}end:0");
}

/// Waits for the work that was asked for, which may run in the background still.
fn synchronize(library: &Library) {
    // SAFETY: the function has no arguments.
    unsafe { find(FUNCTIONS, "cuCtxSynchronize").run(library, &[]) };
}

/// All answers of a function; what it did instead of answering is an error.
fn ask(function: &Function, device: &str, cache: &std::path::Path) -> Result<Vec<Answer>, String> {
    let mut output = tempfile::tempfile().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "one_function", "--ignored", "--nocapture", "--test-threads=1"])
        .env(VARIABLE, function.name)
        .env("ZLUDA_DEVICE", device)
        .env("ZLUDA_CACHE_DIR", cache)
        .env("ZLUDA_LOG", "error")
        .env(world::FILE, cache.join("module.ptx"))
        .stdin(Stdio::null())
        .stdout(output.try_clone().unwrap())
        .stderr(output.try_clone().unwrap())
        .spawn()
        .unwrap();
    let status = common::wait_for(&mut child, LIMIT);
    let mut bytes = Vec::new();
    std::io::Seek::rewind(&mut output).unwrap();
    std::io::Read::read_to_end(&mut output, &mut bytes).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(MARK)).collect();
    let last = lines.last().copied().unwrap_or_default();
    match status {
        None => return Err(format!("{}: hangs: {last}", function.name)),
        Some(status) if !status.success() || last != "end:0" => {
            return Err(format!("{}: {status} after {last}\n{text}", function.name));
        }
        Some(_) => {}
    }
    let parse = |line: &&str| {
        let (case, code) = line.rsplit_once(':')?;
        Some(Answer { function: function.name, case: case.to_owned(), code: code.parse().ok()? })
    };
    lines[..lines.len() - 1]
        .iter()
        // What a panic prints stands where the code should, though the driver answers after it.
        .map(|line| parse(line).ok_or_else(|| format!("{}: panics: {line}\n{text}", function.name)))
        .collect()
}

/// The functions that the library has: all others answer `NOT_SUPPORTED`, initialised or not.
fn implemented() -> Vec<&'static Function> {
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(common::library_path()) }.expect("the library loads");
    FUNCTIONS
        .iter()
        // `cuInit` would do what it is for.
        .filter(|function| {
            let zeros = vec![0; function.parameters.len()];
            // SAFETY: no pointer is anything but null.
            function.name == "cuInit" || unsafe { function.run(&library, &zeros) } != 801
        })
        .collect()
}

#[test]
fn wrong_arguments_give_the_documented_errors() {
    // SAFETY: no other thread reads the environment yet.
    unsafe { std::env::set_var("ZLUDA_LOG", "off") };
    // Arguments are looked at above the providers: of the second one, a third of the functions.
    for (device, step) in [("cpu", 1), ("emu:gfx1100", 3)] {
        check(device, step);
    }
}

/// How many processes run at once. ThreadSanitizer lets each sleep for a second in its end, to see what its threads do then.
fn at_once() -> usize {
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    if cfg!(zluda_sanitizer = "thread") { 4 * processors } else { processors }
}

/// Asks one of `step` functions.
fn check(device: &str, step: usize) {
    let functions = implemented();
    assert!(functions.len() > 200, "only {} functions are implemented", functions.len());
    let functions: Vec<_> = functions.into_iter().step_by(step).collect();
    let cache = tempfile::tempdir().unwrap();
    std::fs::write(cache.path().join("module.ptx"), world::TEXT).unwrap();
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::new());
    let crashes = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for _ in 0..at_once() {
            scope.spawn(|| {
                while let Some(function) = functions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match ask(function, device, cache.path()) {
                        Ok(all) => answers.lock().unwrap().extend(all),
                        Err(error) => _ = crashes.lock().unwrap().insert(error),
                    }
                }
            });
        }
    });
    let answers = answers.into_inner().unwrap();
    let crashes = crashes.into_inner().unwrap();
    let is_asked = |name: &str| step == 1 || functions.iter().any(|function| function.name == name);
    let wrong = Rules::read().check(&answers, is_asked);
    assert!(
        crashes.is_empty() && wrong.is_empty(),
        "{device}: {} of {} functions do not answer:\n{}\n{} of {} answers are wrong:\n{}",
        crashes.len(),
        functions.len(),
        crashes.into_iter().collect::<Vec<_>>().join("\n"),
        wrong.len(),
        answers.len(),
        wrong.join("\n")
    );
}
