//! Contexts that end while their streams wait for what another one does, or nobody.

use std::ptr::null_mut;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use cuda_types::cuda::*;
use differential::api::Api;

use super::NamedCase;
use crate::Sheet;
use crate::setup::*;

/// After how long a word is written.
const LATER: Duration = Duration::from_secs(3);
/// What returns within this time has not waited for the word.
const SOON: Duration = Duration::from_millis(1500);

/// Words of the host's memory, all 0, which every context has.
#[derive(Clone, Copy)]
struct Words(*mut u32);
// SAFETY: the words are there as long as the process.
unsafe impl Send for Words {}

impl Words {
    fn new(api: &Api) -> Words {
        let mut words = null_mut();
        // CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP
        must(api.cuMemHostAlloc(&mut words, 4096, 3));
        let words = Words(words.cast());
        (0..16).for_each(|at| words.set(at, 0));
        words
    }

    fn at(self, at: usize) -> CUdeviceptr {
        self.0.wrapping_add(at) as u64
    }

    fn set(self, at: usize, value: u32) {
        // SAFETY: there are a thousand words.
        unsafe { self.0.add(at).write_volatile(value) }
    }

    fn get(self, at: usize) -> u32 {
        // SAFETY: as above.
        unsafe { self.0.add(at).read_volatile() }
    }
}

/// A new context, current, and a stream of it.
fn another(api: &Api) -> (CUcontext, CUstream) {
    let (mut context, mut stream) = (null_mut(), null_mut());
    must(api.cuCtxCreate_v2(&mut context, 0, 0));
    must(api.cuStreamCreate(&mut stream, 1));
    (context, stream)
}

/// Lets a stream wait until the first word is 1, and then write 42 to the second.
fn wait_and_write(api: &Api, stream: CUstream, words: Words) {
    // CU_STREAM_WAIT_VALUE_EQ
    must(api.cuStreamWaitValue32_v2(stream, words.at(0), 1, 1));
    must(api.cuStreamWriteValue32_v2(stream, words.at(1), 42, 0));
}

/// Ends a context on a thread of its own, which tells the answer.
fn end_aside(api: &Api, context: CUcontext) -> Receiver<i64> {
    let (api, context) = (api as *const Api as usize, context as usize);
    let (ended, end) = channel();
    std::thread::spawn(move || {
        // SAFETY: it lives as long as the process, which does not wait for this thread.
        let api = unsafe { &*(api as *const Api) };
        let _ = ended.send(api.cuCtxDestroy_v2(context as CUcontext));
    });
    end
}

/// Ends the process, whatever its threads wait for.
fn leave() -> ! {
    #[cfg(unix)]
    // SAFETY: nothing is left to be done.
    unsafe {
        libc::_exit(0)
    }
    #[cfg(not(unix))]
    std::process::exit(0)
}

/// Ends a context; another thread writes the first word later.
fn end_and_write(api: &Api, sheet: &mut Sheet, context: CUcontext, words: Words) {
    let begun = Instant::now();
    let writer = std::thread::spawn(move || {
        let words = words;
        std::thread::sleep(LATER);
        words.set(0, 1);
    });
    sheet.put("destroy", api.cuCtxDestroy_v2(context));
    sheet.put("waited", i64::from(begun.elapsed() > SOON));
    sheet.put("behind", words.get(1));
    writer.join().unwrap();
}

pub const CASES: &[NamedCase] = &[
    ("context_end/awaited_word", |api, sheet| {
        context(api);
        let words = Words::new(api);
        let (context, stream) = another(api);
        wait_and_write(api, stream, words);
        end_and_write(api, sheet, context, words);
    }),
    ("context_end/word_that_nobody_writes", |api, sheet| {
        context(api);
        let words = Words::new(api);
        let (context, stream) = another(api);
        wait_and_write(api, stream, words);
        let end = end_aside(api, context);
        let soon = end.recv_timeout(SOON);
        sheet.put("soon", i64::from(soon.is_ok()));
        let later = soon.or_else(|_| end.recv_timeout(Duration::from_secs(10)));
        sheet.put("in_ten_seconds", i64::from(later.is_ok()));
        words.set(0, 1);
        let last = later.or_else(|_| end.recv_timeout(LATER));
        sheet.put("destroy", last.unwrap_or(-1));
        sheet.put("behind", words.get(1));
        leave()
    }),
    ("context_end/awaited_event", |api, sheet| {
        context(api);
        let (words, waits) = (Words::new(api), stream(api));
        must(api.cuStreamWaitValue32_v2(waits, words.at(0), 1, 1));
        let event = event(api);
        must(api.cuEventRecord(event, waits));
        let (context, stream) = another(api);
        must(api.cuStreamWaitEvent(stream, event, 0));
        must(api.cuStreamWriteValue32_v2(stream, words.at(1), 42, 0));
        end_and_write(api, sheet, context, words);
    }),
    ("context_end/reset_of_primary", |api, sheet| {
        context(api);
        // Its own words go with it: those of another context stay.
        let mut other = null_mut();
        must(api.cuCtxCreate_v2(&mut other, 0, 0));
        let words = Words::new(api);
        must(api.cuCtxPopCurrent_v2(&mut other));
        let mut stream = null_mut();
        must(api.cuStreamCreate(&mut stream, 1));
        wait_and_write(api, stream, words);
        let begun = Instant::now();
        let writer = std::thread::spawn(move || {
            let words = words;
            std::thread::sleep(Duration::from_secs(8));
            words.set(0, 1);
        });
        sheet.put("reset", api.cuDevicePrimaryCtxReset_v2(0));
        sheet.put("waited", i64::from(begun.elapsed() > Duration::from_secs(7)));
        sheet.put("behind", words.get(1));
        writer.join().unwrap();
    }),
    ("context_end/event_that_nobody_reaches", |api, sheet| {
        context(api);
        let (words, waits) = (Words::new(api), stream(api));
        must(api.cuStreamWaitValue32_v2(waits, words.at(0), 1, 1));
        let event = event(api);
        must(api.cuEventRecord(event, waits));
        let (context, stream) = another(api);
        must(api.cuStreamWaitEvent(stream, event, 0));
        must(api.cuStreamWriteValue32_v2(stream, words.at(1), 42, 0));
        let end = end_aside(api, context);
        let soon = end.recv_timeout(SOON);
        sheet.put("soon", i64::from(soon.is_ok()));
        let later = soon.or_else(|_| end.recv_timeout(Duration::from_secs(10)));
        sheet.put("in_ten_seconds", i64::from(later.is_ok()));
        words.set(0, 1);
        let last = later.or_else(|_| end.recv_timeout(LATER));
        sheet.put("destroy", last.unwrap_or(-1));
        sheet.put("behind", words.get(1));
        leave()
    }),
];
