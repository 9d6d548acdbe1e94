//! What programs print of their kernels, and what several runs of a program say together.

use super::{best, median};
use std::collections::BTreeMap;

/// The line that a program prints of one kernel, times in microseconds.
#[derive(Clone, Debug)]
pub struct Times {
    pub kernel: String,
    /// The best and the median run, on the clock.
    best: f64,
    median: f64,
    /// The median of the time of all processors, and how far its quartiles are apart.
    processors: f64,
    spread: f64,
    checksum: f64,
}

impl Times {
    /// Reads a line `kernel best median processors spread checksum`.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let kernel = words.next()?.to_owned();
        let mut number = || words.next()?.parse().ok();
        let (best, median) = (number()?, number()?);
        let (processors, spread, checksum) = (number()?, number()?, number()?);
        let times = Self { kernel, best, median, processors, spread, checksum };
        words.next().is_none().then_some(times)
    }
}

/// All times of a kernel over some runs of its program.
#[derive(Debug, Default)]
pub struct Series {
    best: Vec<f64>,
    median: Vec<f64>,
    processors: Vec<f64>,
    spread: Vec<f64>,
    pub checksum: f64,
}

impl Series {
    /// Microseconds of the best run.
    pub fn best(&self) -> f64 {
        best(&self.best)
    }

    /// The median of the medians.
    pub fn median(&self) -> f64 {
        median(&self.median)
    }

    /// Processor time of a run: the best of the medians, because whoever else uses the machine makes it only longer, by
    /// the caches.
    pub fn processors(&self) -> f64 {
        best(&self.processors)
    }

    /// The distance of the quartiles of the processor time, as a part of it, in the quietest run of the program.
    pub fn spread(&self) -> f64 {
        let parts = self.spread.iter().zip(&self.processors).map(|(spread, time)| spread / time);
        best(&parts.collect::<Vec<f64>>())
    }
}

/// Kernels by name.
pub type Table = BTreeMap<String, Series>;

pub fn add(table: &mut Table, times: Vec<Times>) {
    for times in times {
        let series = table.entry(times.kernel).or_default();
        series.best.push(times.best);
        series.median.push(times.median);
        series.processors.push(times.processors);
        series.spread.push(times.spread);
        series.checksum = times.checksum;
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, Times, add};

    #[test]
    fn lines_become_series() {
        let mut table = Table::new();
        for line in ["saxpy 1 2 4 1 5.5", "saxpy 2 3 5 1 5.5"] {
            add(&mut table, Times::parse(line).into_iter().collect());
        }
        let series = &table["saxpy"];
        assert_eq!((series.best(), series.processors(), series.spread()), (1.0, 4.0, 0.2));
        assert!(Times::parse("saxpy 1 2 3 4").is_none());
        assert!(Times::parse("cudaMalloc: out of memory").is_none());
    }
}
