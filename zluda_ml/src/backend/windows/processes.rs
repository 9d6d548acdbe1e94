//! The processes that compute on the device: those that have its library loaded. Of those of other users Windows does not
//! say it.

use super::super::rate::{Count, Rate, percent};
use super::super::{Process, ProcessUtilization};
use super::{microseconds, processors};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use windows_sys::Win32::Foundation::{CloseHandle, FILETIME, HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CREATE_TOOLHELP_SNAPSHOT_FLAGS, CreateToolhelp32Snapshot, MODULEENTRY32W, Module32FirstW,
    Module32NextW, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPMODULE,
    TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::SystemInformation::GetSystemTimeAsFileTime;
use windows_sys::Win32::System::Threading::{
    GetProcessTimes, OpenProcess, PROCESS_NAME_WIN32, PROCESS_QUERY_LIMITED_INFORMATION,
    QueryFullProcessImageNameW,
};

/// For how long a list of processes is good enough: to look into all of them takes a while.
const FRESH: Duration = Duration::from_millis(250);
/// The longest path, in words.
const LONGEST_PATH: usize = 1 << 15;

#[derive(Debug)]
pub(super) struct Processes {
    library: String,
    found: Vec<u32>,
    looked: Option<Instant>,
    /// By the number of a process and when it started, which together name it.
    rates: HashMap<(u32, u64), Rate>,
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
    pub(super) fn list(&mut self) -> Vec<Process> {
        self.look();
        let memory = |pid| Some(Handle::of_process(pid)?.memory());
        let processes =
            self.found.iter().filter_map(|&pid| Some(Process { pid, memory: memory(pid)? }));
        processes.collect()
    }

    /// The part of the processors' time that each had.
    pub(super) fn utilization(&mut self) -> Vec<ProcessUtilization> {
        self.look();
        let (now, capacity) = (now(), f64::from(processors()));
        let mut rates = HashMap::new();
        let mut answer = Vec::new();
        for &pid in &self.found {
            let Some((started, ran)) = Handle::of_process(pid).and_then(|process| process.times())
            else {
                continue;
            };
            let start = Count { amount: 0, time: started };
            let mut rate = self.rates.remove(&(pid, started)).unwrap_or_else(|| Rate::new(start));
            if let Some(busy) = rate.next(Count { amount: ran, time: now }) {
                answer.push(ProcessUtilization { pid, device: percent(busy / capacity) });
            }
            rates.insert((pid, started), rate);
        }
        self.rates = rates;
        answer
    }

    /// Finds the processes, unless that was done just now.
    fn look(&mut self) {
        if self.looked.is_some_and(|looked| looked.elapsed() < FRESH) {
            return;
        }
        let mut found = pids();
        found.retain(|&pid| has_loaded(pid, &self.library));
        found.sort_unstable();
        self.found = found;
        self.looked = Some(Instant::now());
    }
}

/// The path of a process' program, as far as it can be seen.
pub fn process_name(pid: u32) -> Option<String> {
    let process = Handle::of_process(pid)?;
    let mut path = vec![0; LONGEST_PATH];
    let mut length = LONGEST_PATH as u32;
    // SAFETY: there is room for as many words as the call is told.
    let done = unsafe {
        QueryFullProcessImageNameW(process.0, PROCESS_NAME_WIN32, path.as_mut_ptr(), &mut length)
    };
    (done != 0).then(|| String::from_utf16_lossy(path.get(..length as usize).unwrap_or(&[])))
}

/// An object of the system, closed in the end.
struct Handle(HANDLE);

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: nobody else has it.
        unsafe { CloseHandle(self.0) };
    }
}

impl Handle {
    fn of_process(pid: u32) -> Option<Handle> {
        // SAFETY: has no preconditions.
        let handle = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid) };
        (!handle.is_null()).then_some(Handle(handle))
    }

    fn snapshot(what: CREATE_TOOLHELP_SNAPSHOT_FLAGS, pid: u32) -> Option<Handle> {
        // SAFETY: has no preconditions.
        let handle = unsafe { CreateToolhelp32Snapshot(what, pid) };
        (handle != INVALID_HANDLE_VALUE).then_some(Handle(handle))
    }

    /// Bytes of memory that the process has in use.
    fn memory(&self) -> Option<u64> {
        let size = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
        let mut counters = PROCESS_MEMORY_COUNTERS { cb: size, ..Default::default() };
        // SAFETY: the structure is as long as the call is told.
        let done = unsafe { K32GetProcessMemoryInfo(self.0, &mut counters, size) };
        (done != 0).then_some(counters.WorkingSetSize as u64)
    }

    /// When the process started, and for how long its threads have run.
    fn times(&self) -> Option<(u64, u64)> {
        let [mut started, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
        // SAFETY: the places live during the call.
        let done =
            unsafe { GetProcessTimes(self.0, &mut started, &mut ended, &mut kernel, &mut user) };
        let ran = microseconds(kernel).saturating_add(microseconds(user));
        (done != 0).then(|| (microseconds(started), ran))
    }
}

/// On the clock of [`Handle::times`].
fn now() -> u64 {
    let mut now = FILETIME::default();
    // SAFETY: the place lives during the call.
    unsafe { GetSystemTimeAsFileTime(&mut now) };
    microseconds(now)
}

/// All processes that there are.
fn pids() -> Vec<u32> {
    let mut pids = Vec::new();
    let Some(snapshot) = Handle::snapshot(TH32CS_SNAPPROCESS, 0) else { return pids };
    let size = size_of::<PROCESSENTRY32W>() as u32;
    let mut entry = PROCESSENTRY32W { dwSize: size, ..Default::default() };
    // SAFETY: the structure says how long it is, here and below.
    let mut more = unsafe { Process32FirstW(snapshot.0, &mut entry) };
    while more != 0 {
        // 0 is nobody: it would stand for this process below.
        pids.extend((entry.th32ProcessID != 0).then_some(entry.th32ProcessID));
        // SAFETY: as above.
        more = unsafe { Process32NextW(snapshot.0, &mut entry) };
    }
    pids
}

/// Whether a process has a library loaded.
fn has_loaded(pid: u32, library: &str) -> bool {
    let Some(snapshot) = Handle::snapshot(TH32CS_SNAPMODULE, pid) else { return false };
    let size = size_of::<MODULEENTRY32W>() as u32;
    let mut entry = MODULEENTRY32W { dwSize: size, ..Default::default() };
    // SAFETY: the structure says how long it is, here and below.
    let mut more = unsafe { Module32FirstW(snapshot.0, &mut entry) };
    while more != 0 {
        let name = entry.szModule.split(|&word| word == 0).next().unwrap_or(&[]);
        if String::from_utf16_lossy(name).eq_ignore_ascii_case(library) {
            return true;
        }
        // SAFETY: as above.
        more = unsafe { Module32NextW(snapshot.0, &mut entry) };
    }
    false
}
