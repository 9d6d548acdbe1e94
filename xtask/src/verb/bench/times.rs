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
    /// The mean of the time of all processors.
    processors: f64,
    checksum: f64,
}

impl Times {
    /// Reads a line `kernel best median processors checksum`.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let kernel = words.next()?.to_owned();
        let mut number = || words.next()?.parse().ok();
        let (best, median) = (number()?, number()?);
        let (processors, checksum) = (number()?, number()?);
        let times = Self { kernel, best, median, processors, checksum };
        words.next().is_none().then_some(times)
    }
}

/// All times of a kernel over some runs of its program.
#[derive(Debug, Default)]
pub struct Series {
    best: Vec<f64>,
    median: Vec<f64>,
    processors: Vec<f64>,
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

    /// Processor time of a run: the best of the means, because whoever else uses the machine makes it only longer, by
    /// the caches.
    pub fn processors(&self) -> f64 {
        best(&self.processors)
    }

    /// How much more processor time the middle run of the program took than the best one, as a part.
    pub fn spread(&self) -> f64 {
        median(&self.processors) / self.processors() - 1.0
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
        series.checksum = times.checksum;
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, Times, add};

    #[test]
    fn lines_become_series() {
        let mut table = Table::new();
        for line in ["saxpy 1 2 4 5.5", "saxpy 2 3 5 5.5"] {
            add(&mut table, Times::parse(line).into_iter().collect());
        }
        let series = &table["saxpy"];
        assert_eq!((series.best(), series.processors(), series.spread()), (1.0, 4.0, 0.25));
        assert!(Times::parse("saxpy 1 2 3").is_none());
        assert!(Times::parse("cudaMalloc: out of memory").is_none());
    }
}
