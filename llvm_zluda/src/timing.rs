//! The time that the steps of a compilation take, for `ZLUDA_DEBUG=time`.

use std::fmt::Display;
use std::time::Instant;

/// Runs a step and logs its time as a line of `time`, at the level *info*.
pub fn timed<T>(step: impl Display, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    tracing::info!(target: "time", "{milliseconds:9.2} ms  {step}");
    result
}
