//! Work on several kernels at once.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The results of `work` for each item, in the order of the items; threads of all processors share the items.
pub fn on_all_processors<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let one_after_the_other = || {
        let indices = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let mine = indices.map_while(|index| Some((index, work(items.get(index)?))));
        mine.collect::<Vec<_>>()
    };
    // Linux reads several files to say how many processors there are.
    let threads = match items.len() {
        count @ ..=1 => count,
        count => std::thread::available_parallelism().map_or(1, usize::from).min(count),
    };
    let mut results = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(one_after_the_other)).collect();
        let mut results = one_after_the_other();
        for other in others {
            match other.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
