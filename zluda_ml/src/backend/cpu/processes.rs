//! The processes that compute on the device: those that have its library loaded.

use super::super::rate::{Count, Rate, percent};
use super::super::{Process, ProcessUtilization};
use super::load::{TICK, capacity};
use std::collections::HashMap;
use zluda_common::linux::files::{Root, uptime, value};
use zluda_common::linux::processes::has_loaded;

/// Microseconds for which a list of processes is good enough: to look into all of them takes a while.
const FRESH: u64 = 250_000;

#[derive(Debug)]
pub(super) struct Processes {
    library: String,
    found: Vec<u32>,
    looked: Option<u64>,
    rates: HashMap<(u32, u64), Rate>,
}

/// The times of a process in `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Times {
    /// Ticks that its threads have run.
    ran: u64,
    /// Ticks from the start of the system to that of the process. Together with its number, that names it.
    started: u64,
}

impl Processes {
    pub(super) fn new(library: &str) -> Processes {
        Processes {
            library: library.to_owned(),
            found: Vec::new(),
            looked: None,
            rates: HashMap::new(),
        }
    }

    /// With the bytes of memory that they have in use.
    pub(super) fn list(&mut self, root: &Root) -> Vec<Process> {
        self.look(root);
        let processes = self.found.iter().filter_map(|&pid| {
            let status = root.text(format!("proc/{pid}/status"))?;
            let memory = value(&status, "VmRSS").and_then(|value| {
                let kilobytes: u64 = value.strip_suffix("kB")?.trim().parse().ok()?;
                kilobytes.checked_mul(1024)
            });
            Some(Process { pid, memory })
        });
        processes.collect()
    }

    /// The part of the processors' time that each had.
    pub(super) fn utilization(&mut self, root: &Root) -> Vec<ProcessUtilization> {
        self.look(root);
        let (Some(capacity), Some(now)) = (capacity(root), uptime(root)) else {
            return Vec::new();
        };
        let mut rates = HashMap::new();
        let mut answer = Vec::new();
        for &pid in &self.found {
            let Some(times) = root.text(format!("proc/{pid}/stat")).and_then(|text| times(&text))
            else {
                continue;
            };
            let name = (pid, times.started);
            let start = Count { amount: 0, time: times.started.saturating_mul(TICK) };
            let mut rate = self.rates.remove(&name).unwrap_or_else(|| Rate::new(start));
            let count = Count { amount: times.ran.saturating_mul(TICK), time: now };
            if let Some(busy) = rate.next(count) {
                answer.push(ProcessUtilization { pid, device: percent(busy / capacity) });
            }
            rates.insert(name, rate);
        }
        self.rates = rates;
        answer
    }

    /// Finds the processes, unless that was done just now.
    fn look(&mut self, root: &Root) {
        let now = uptime(root);
        let passed = now.zip(self.looked).and_then(|(now, then)| now.checked_sub(then));
        if passed.is_some_and(|passed| passed < FRESH) {
            return;
        }
        self.looked = now;
        let pids = root.names("proc").into_iter().filter_map(|name| name.parse::<u32>().ok());
        self.found = pids.filter(|&pid| has_loaded(root, pid, &self.library)).collect();
        self.found.sort_unstable();
    }
}

/// The path of a process' program, as far as it can be seen.
pub fn process_name(pid: u32) -> Option<String> {
    let folder = std::path::Path::new("/proc").join(pid.to_string());
    let seen = || {
        let command = std::fs::read(folder.join("cmdline")).ok()?;
        let program = command.split(|byte| *byte == 0).next()?;
        (!program.is_empty()).then(|| String::from_utf8_lossy(program).into_owned())
    };
    let named = || Some(std::fs::read_to_string(folder.join("comm")).ok()?.trim_end().to_owned());
    seen().or_else(named)
}

fn times(stat: &str) -> Option<Times> {
    // The name of the program stands in parentheses and may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    // The first of these is the third of all, which the manual counts from 1.
    let (user, system) = (fields.nth(14 - 3)?.parse::<u64>().ok()?, fields.next()?.parse().ok()?);
    let started = fields.nth(22 - 16)?.parse().ok()?;
    Some(Times { ran: user.checked_add(system)?, started })
}
