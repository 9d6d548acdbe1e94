//! The display during long work: a bar on a terminal, a line for each finished piece elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A heading, so that a reader of the output knows what runs.
pub fn heading(text: &str) {
    println!("\n== {text}");
}

/// A number of jobs that run at the same time.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    total: usize,
    finished: AtomicUsize,
}

impl Progress {
    /// Shows that none of `total` jobs has finished yet.
    pub fn new(total: usize) -> Self {
        let bar = std::io::stdout().is_terminal().then(|| {
            let bar = ProgressBar::new(total as u64);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}")
            {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Self { bar, total, finished: AtomicUsize::new(0) }
    }

    /// One job is done.
    pub fn finish_one(&self, name: &str, good: bool, time: Duration) {
        let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                bar.set_message(name.to_owned());
                if !good {
                    bar.println(format!("FAILED {name}"));
                }
            }
            None => {
                let verdict = if good { "ok" } else { "FAILED" };
                println!(
                    "[{finished}/{}] {name}: {verdict}, {:.1} s",
                    self.total,
                    time.as_secs_f64()
                );
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Does something that may take long and says nothing meanwhile: each minute a line says that it goes on.
pub fn minute_by_minute<R>(what: &str, work: impl FnOnce() -> R) -> R {
    let (end, ended) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut minutes = 0;
            while ended.recv_timeout(Duration::from_secs(60)) == Err(RecvTimeoutError::Timeout) {
                minutes += 1;
                println!("  {what}: {minutes} min so far");
            }
        });
        let result = work();
        drop(end);
        result
    })
}

/// Something long that cannot say how far it is.
pub fn spinner<R>(text: &str, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let bar = std::io::stdout().is_terminal().then(|| {
        let bar = ProgressBar::new_spinner().with_message(text.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        bar
    });
    if bar.is_none() {
        println!("{text} ...");
    }
    let result = work();
    match bar {
        Some(bar) => {
            bar.finish_with_message(format!("{text}: {:.0} s", start.elapsed().as_secs_f64()))
        }
        None => println!("{text}: {:.0} s", start.elapsed().as_secs_f64()),
    }
    result
}

/// Runs `work` for every job, on as many threads as there are processors, and returns the results in
/// the order of the jobs. `name` is what is shown; `good` tells whether a result is.
pub fn parallel<J: Sync, R: Send>(
    jobs: &[J],
    name: impl Fn(&J) -> String + Sync,
    work: impl Fn(&J) -> R + Sync,
    good: impl Fn(&R) -> bool + Sync,
) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    parallel_on(threads, jobs, name, work, good)
}

/// The same, on at most `threads` threads.
pub fn parallel_on<J: Sync, R: Send>(
    threads: usize,
    jobs: &[J],
    name: impl Fn(&J) -> String + Sync,
    work: impl Fn(&J) -> R + Sync,
    good: impl Fn(&R) -> bool + Sync,
) -> Vec<R> {
    let progress = Progress::new(jobs.len());
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(jobs.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            scope.spawn(|| {
                while let Some((index, job)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    jobs.get(index).map(|job| (index, job))
                } {
                    let start = Instant::now();
                    let result = work(job);
                    progress.finish_one(&name(job), good(&result), start.elapsed());
                    results
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner)
                        .push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
