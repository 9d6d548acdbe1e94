//! Several threads call any functions in any order, over objects that they share: they destroy what others use, and what
//! is busy. Kernels run meanwhile, and in every other round one fails; processes are forked.
//!
//! The sequences of calls are those of fixed seeds; how threads interleave is chance. The answers are documented ones, and
//! nothing crashes, hangs or panics; then all contexts end, and the device works again.

use crate::calls::FUNCTIONS;
use crate::rules::Rules;
use crate::world::{self, World};
use crate::{common, implemented};
use exported::calls::{Function, find};
use libloading::Library;
use splitmix::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::mem::ManuallyDrop;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// The seed of a child process.
const SEED: &str = "ZLUDA_TEST_SEED";
/// The file in which its threads note what they call.
const NOTES: &str = "ZLUDA_TEST_NOTES";
/// Set by whoever looks for the place of a crash.
const TELL: &str = "ZLUDA_TEST_TELL";
const LIMIT: Duration = Duration::from_secs(150);
const THREADS: usize = 4;
const ROUNDS: usize = 4;
const CALLS: usize = 600;
/// Bytes of a thread's note.
const NOTE: usize = 128;

/// Functions that wait for what nobody may do, or change what outlasts the round.
const LEFT_OUT: &[&str] = &["cuStreamWaitValue", "cuCoredump", "cuCheckpoint", "cuLogs"];

/// To these, memory that was freed is the program's own: what else may lie there by now is changed.
const OF_ANY_MEMORY: &[&str] = &[
    "cuMemcpy",
    "cuMemcpy_ptds",
    "cuMemcpyAsync",
    "cuMemcpyAsync_ptsz",
    "cuMemcpyPeer",
    "cuMemcpyPeer_ptds",
    "cuMemcpyPeerAsync",
    "cuMemcpyPeerAsync_ptsz",
];

/// Answers that are right besides those of one call in one thread.
const MORE: &[(&str, &[u32], &str)] = &[
    (
        "cuGraph",
        &[801],
        "graphs that allocate memory are neither copied nor cut, nor part of others",
    ),
    ("cuGraphDestroy", &[401], "a stream is captured into it"),
    ("cuGraphExecChildGraphNodeSetParams", &[910], "the graph has other nodes"),
    ("cuLink", &[300], "the same text was added before"),
    ("cuStreamBeginCapture", &[401], "it is captured"),
    ("cuMemPoolImportFromShareableHandle", &[999], "a descriptor of something else, as on an H100"),
];

fn is_drawn(function: &Function) -> bool {
    let is_left_out = |name: &&str| function.name.starts_with(*name);
    !LEFT_OUT.iter().any(is_left_out) && !OF_ANY_MEMORY.contains(&function.name)
}

fn is_right(rules: &Rules, function: &str, code: u32) -> bool {
    let is_more = |(name, codes, _): &(&str, &[u32], &str)| {
        function.starts_with(name) && codes.contains(&code)
    };
    rules.allow(function, code) || MORE.iter().any(is_more)
}

type Handles = Mutex<BTreeMap<String, Vec<u64>>>;

/// What all threads of a round know.
struct Round<'a> {
    library: &'a Library,
    functions: &'a [&'static Function],
    rules: &'a Rules,
    worlds: Vec<World>,
    /// What was made by calls, by type.
    made: Handles,
    notes: &'a File,
    wrong: Mutex<BTreeSet<String>>,
    fails: bool,
}

// SAFETY: what worlds have are handles and addresses of functions; each thread makes views of its own.
unsafe impl Sync for Round<'_> {}

struct Caller<'a> {
    round: &'a Round<'a>,
    number: usize,
    random: Random,
    views: Vec<ManuallyDrop<World>>,
}

impl Caller<'_> {
    fn run(&mut self) {
        for call in 0..CALLS {
            if call % 16 == 0 {
                let context = self.shared("CUcontext");
                self.call(find(FUNCTIONS, "cuCtxSetCurrent"), &[context]);
            }
            match self.random.below(24) {
                0 => self.launch(c"busy"),
                1 if self.round.fails && self.number == 0 && call > CALLS / 2 => {
                    self.launch(c"fault")
                }
                2 if self.number == 1 && call % 8 == 0 => self.fork(),
                _ => self.draw(),
            }
        }
    }

    /// A call of any function, of whose arguments at most one is not of the right kind.
    fn draw(&mut self) {
        let function = self.round.functions[self.random.below(self.round.functions.len())];
        let words = self.words(function);
        if self.call(function, &words) == 0 {
            self.keep(function, &words);
        }
    }

    fn words(&mut self, function: &Function) -> Vec<u64> {
        let world = self.random.below(self.views.len());
        let wrong = match self.random.below(8) {
            0 => Some(self.random.below(function.parameters.len())),
            _ => None,
        };
        let mut words = Vec::new();
        for (at, (name, ty)) in function.parameters.iter().enumerate() {
            let own = self.views[world].right(function.name, name, ty);
            let plain = ty.replace(' ', "");
            let is_handle = self.views[world].handle(&plain).is_some();
            words.push(if Some(at) == wrong {
                let values = self.views[world].wrong(ty);
                values[self.random.below(values.len())].word
            } else if is_handle && self.random.below(3) == 0 {
                self.shared(&plain)
            } else {
                own
            });
        }
        words
    }

    /// An object of some world, or one that a call has made; it may be gone.
    fn shared(&mut self, ty: &str) -> u64 {
        let made = self.round.made.lock().unwrap();
        let made = made.get(ty).map_or(&[][..], Vec::as_slice);
        let all: Vec<u64> = self
            .views
            .iter()
            .filter_map(|view| view.handle(ty))
            .map(|(live, _)| live)
            .chain(made.iter().rev().take(8).copied())
            .collect();
        self.random.pick(&all).unwrap_or(0)
    }

    /// Shares what a call has made: the first argument is where it says what.
    fn keep(&mut self, function: &Function, words: &[u64]) {
        let Some((_, ty)) = function.parameters.first() else { return };
        let plain = ty.replace(' ', "");
        let Some(kind) = plain.strip_prefix("*mut") else { return };
        if self.views[0].handle(kind).is_some() && words[0] != 0 {
            // SAFETY: the function has written a handle there.
            let handle = unsafe { (words[0] as *const u64).read() };
            self.round.made.lock().unwrap().entry(kind.to_owned()).or_default().push(handle);
        }
    }

    fn launch(&mut self, kernel: &std::ffi::CStr) {
        let module = self.shared("CUmodule");
        let stream = self.shared("CUstream");
        let mut function = Box::new(0u64);
        let place = &raw mut *function;
        let get = find(FUNCTIONS, "cuModuleGetFunction");
        if self.call(get, &[place as u64, module, kernel.as_ptr() as u64]) == 0 {
            let launch = find(FUNCTIONS, "cuLaunchKernel");
            self.call(launch, &[*function, 8, 1, 1, 32, 1, 1, 0, stream, 0, 0]);
        }
    }

    /// Nothing works in a forked child, and nothing waits for what its parent's threads were doing.
    fn fork(&mut self) {
        let functions: Vec<_> = (0..8)
            .map(|_| self.round.functions[self.random.below(self.round.functions.len())])
            .collect();
        let calls: Vec<_> =
            functions.into_iter().map(|function| (function, self.words(function))).collect();
        let addresses: Vec<_> = calls
            .iter()
            .map(|(function, _)| exported::calls::address(self.round.library, function.name))
            .collect();
        self.note("fork");
        // SAFETY: the child calls nothing but the driver and `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            for (at, (function, words)) in calls.iter().enumerate() {
                // SAFETY: as in `call`.
                let code = unsafe { (function.call)(addresses[at], words) };
                // Errors have names and programs have versions everywhere.
                let is_right = match function.name {
                    // Its flags are looked at first.
                    "cuInit" => [1, 3].contains(&code),
                    name => code == 3 || BEFORE_INIT.contains(&name),
                };
                if !is_right {
                    // SAFETY: ends the child.
                    unsafe { libc::_exit(1 + at as i32) };
                }
            }
            // SAFETY: as above.
            unsafe { libc::_exit(0) };
        }
        let mut status = 0;
        // SAFETY: the child is this process's.
        unsafe { libc::waitpid(child, &mut status, 0) };
        if status != 0 {
            let names: Vec<_> = calls.iter().map(|(function, _)| function.name).collect();
            let line = format!("in a forked child, status {status:#x}: {names:?}");
            self.round.wrong.lock().unwrap().insert(line);
        }
    }

    fn note(&self, text: &str) {
        let text = format!("{:<width$.width$}\n", text, width = NOTE - 1);
        let place = (self.number * NOTE) as u64;
        std::os::unix::fs::FileExt::write_all_at(self.round.notes, text.as_bytes(), place).unwrap();
    }

    fn call(&mut self, function: &Function, words: &[u64]) -> u32 {
        self.note(&format!("{} {words:x?}", function.name));
        // SAFETY: handles may be anything; pointers are null or point to more than the function asks for, which stays.
        let code = unsafe { function.run(self.round.library, words) };
        if !is_right(self.round.rules, function.name, code) {
            self.round.wrong.lock().unwrap().insert(format!("{}: {code}", function.name));
        }
        self.note("between calls");
        code
    }
}

/// Functions that need no initialised driver.
const BEFORE_INIT: &[&str] = &[
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuGetExportTable",
    "cuGetProcAddress",
    "cuGetProcAddress_v2",
];

/// Ends all contexts of a round.
fn end(round: &Round) {
    let run = |name: &str, words: &[u64]| {
        // SAFETY: handles may be anything.
        unsafe { find(FUNCTIONS, name).run(round.library, words) }
    };
    let made = std::mem::take(&mut *round.made.lock().unwrap());
    let made = |ty: &str| made.get(ty).cloned().unwrap_or_default();
    for green in made("CUgreenCtx") {
        run("cuGreenCtxDestroy", &[green]);
    }
    for world in &round.worlds {
        run("cuGreenCtxDestroy", &[world.handle("CUgreenCtx").unwrap().0]);
    }
    for context in made("CUcontext") {
        run("cuCtxDestroy_v2", &[context]);
    }
    for world in &round.worlds {
        run("cuCtxDestroy_v2", &[world.handle("CUcontext").unwrap().0]);
    }
    while run("cuDevicePrimaryCtxRelease_v2", &[0]) == 0 {}
}

/// Tells where the process crashes: the instruction, the address that it accesses, and callers, as places in files.
extern "C" fn tell(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::ucontext_t) {
    let mut places = [std::ptr::null_mut(); 32];
    // SAFETY: the system passes valid pointers; there is room for so many places; the process ends.
    unsafe {
        let registers = (*context).uc_mcontext.gregs;
        eprintln!("signal {signal}, code {}, address {:p}", (*info).si_code, (*info).si_addr());
        places[0] = registers[libc::REG_RIP as usize] as *mut _;
        libc::backtrace_symbols_fd(places.as_ptr(), 1, 2);
        let count = libc::backtrace(places.as_mut_ptr(), 32);
        libc::backtrace_symbols_fd(places.as_ptr(), count, 2);
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
        libc::_exit(1);
    }
}

/// The child: all rounds of one seed.
#[test]
#[ignore = "the other test runs it, in a process for each seed"]
fn one_seed() {
    // SAFETY: all zeros is a value of this structure; whatever the handler does, the process ends.
    unsafe {
        // What the driver finds out itself would end the process, too.
        if std::env::var_os(TELL).is_some() {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = tell as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGSEGV, &action, std::ptr::null_mut());
        }
    }
    let seed: u64 = std::env::var(SEED).expect("the other test sets it").parse().unwrap();
    let notes = File::options().write(true).open(std::env::var(NOTES).expect("likewise")).unwrap();
    // SAFETY: the library has no initialisers of its own.
    let library = unsafe { Library::new(common::library_path()) }.expect("the library loads");
    let functions: Vec<_> =
        implemented().into_iter().filter(|function| is_drawn(function)).collect();
    // SAFETY: the function has no pointers.
    assert_eq!(unsafe { find(FUNCTIONS, "cuInit").run(&library, &[0]) }, 0);
    let rules = Rules::read();
    let mut wrong = BTreeSet::new();
    for number in 0..ROUNDS {
        let round = Round {
            library: &library,
            functions: &functions,
            rules: &rules,
            worlds: (0..3).map(|_| World::new(&library)).collect(),
            made: Mutex::default(),
            notes: &notes,
            wrong: Mutex::default(),
            fails: number % 2 != 0,
        };
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let round = &round;
                scope.spawn(move || {
                    let views = round.worlds.iter().map(World::share).collect();
                    let place = (seed as usize * ROUNDS + number) * THREADS + thread;
                    let random = Random::new(place as u64);
                    Caller { round, number: thread, random, views }.run();
                });
            }
        });
        end(&round);
        wrong.extend(std::mem::take(&mut *round.wrong.lock().unwrap()));
        // The device works, whatever was done to it.
        drop(World::new(&library));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Runs a child to its end; what went wrong there.
fn run(seed: u64, device: &str) -> Result<(), String> {
    let (mut notes, mut output) =
        (tempfile::NamedTempFile::new().unwrap(), tempfile::tempfile().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("module.ptx");
    std::fs::write(&file, world::TEXT).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "threads::one_seed", "--ignored", "--nocapture", "--test-threads=1"])
        .env(SEED, seed.to_string())
        .env(NOTES, notes.path())
        .env("ZLUDA_DEVICE", device)
        .env("ZLUDA_CACHE_DIR", "off")
        .env("ZLUDA_LOG", "off")
        .env(world::FILE, &file)
        .stdin(Stdio::null())
        .stdout(output.try_clone().unwrap())
        .stderr(output.try_clone().unwrap())
        .spawn()
        .unwrap();
    let status = common::wait_for(&mut child, LIMIT);
    let (mut text, mut calls) = (Vec::new(), String::new());
    output.seek(SeekFrom::Start(0)).unwrap();
    output.read_to_end(&mut text).unwrap();
    notes.read_to_string(&mut calls).unwrap();
    notes.flush().unwrap();
    let text = String::from_utf8_lossy(&text);
    let told = || format!("the threads called\n{calls}\n{text}");
    match status {
        None => Err(format!("seed {seed} hangs on {device}: {}", told())),
        Some(status) if !status.success() => {
            Err(format!("seed {seed} on {device}: {status}: {}", told()))
        }
        Some(_) if text.contains("panicked") => {
            Err(format!("seed {seed} on {device} panics: {text}"))
        }
        Some(_) => Ok(()),
    }
}

/// `ZLUDA_TEST_SEEDS=from..to` runs others, for as long as they take.
fn seeds() -> std::ops::Range<u64> {
    let range = std::env::var("ZLUDA_TEST_SEEDS").unwrap_or_else(|_| "0..6".to_owned());
    let (from, to) = range.split_once("..").expect("from..to");
    from.parse().unwrap()..to.parse().unwrap()
}

#[test]
fn threads_share_objects() {
    let mut wrong = Vec::new();
    for device in ["cpu", "emu:gfx1100"] {
        wrong.extend(seeds().filter_map(|seed| run(seed, device).err()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
