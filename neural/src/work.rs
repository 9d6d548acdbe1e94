//! Work in parts: who calls decides which thread runs which. Nothing here starts a thread.

use std::any::Any;
use std::ops::Range;

/// A part of the work whose parts may run at the same time.
pub struct Stage {
    pub parts: usize,
    pub run: Box<dyn Fn(usize) + Send + Sync>,
    /// What this stage and those behind it compute, for devices that have a library of their own for it.
    pub layer: Option<Layer>,
}

/// What some stages compute. Who leaves them to somebody else gets the same result but for the order of sums.
pub struct Layer {
    /// A structure of the module that made the stages, such as [`ConvolutionLayer`](crate::convolution::ConvolutionLayer).
    pub what: Box<dyn Any + Send + Sync>,
    /// Stages, from the one that has this.
    pub stages: usize,
}

impl Stage {
    /// The stage, of which is known what it and those behind it compute.
    pub fn of(self, stages: usize, what: impl Any + Send + Sync) -> Stage {
        Stage { layer: Some(Layer { what: Box::new(what), stages }), ..self }
    }
}

/// Stages, each of which begins when the one before is done.
pub type Work = Vec<Stage>;

/// A stage of `parts` parts.
pub fn stage(parts: usize, run: impl Fn(usize) + Send + Sync + 'static) -> Stage {
    Stage { parts, run: Box::new(run), layer: None }
}

/// A stage over `count` items of about `cost` nanoseconds each: a part gets a range of them.
pub fn over(
    count: usize,
    cost: usize,
    run: impl Fn(Range<usize>) + Send + Sync + 'static,
) -> Stage {
    let parts = parts(count, cost);
    let each = count.div_ceil(parts.max(1)).max(1);
    stage(parts, move |part| {
        let begin = (part * each).min(count);
        run(begin..(begin + each).min(count));
    })
}

/// The least work of a part, in nanoseconds.
const LEAST: usize = 20_000;
/// Parts for each thread, so that a slow one does not keep the others waiting.
const PARTS_A_THREAD: usize = 4;

/// In how many parts `count` items of about `cost` nanoseconds each are cut.
pub fn parts(count: usize, cost: usize) -> usize {
    let worth = (count.saturating_mul(cost) / LEAST).max(1);
    worth.min(threads() * PARTS_A_THREAD).min(count)
}

/// The threads that run parts.
pub fn threads() -> usize {
    use std::sync::OnceLock;
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, |count| count.get()))
}
