//! Whether threads run work of streams at this moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

/// How deep in work each thread is that ever was. A word of its own each, so that beginning and ending cost nothing.
static ALL: Mutex<Vec<Arc<Depth>>> = Mutex::new(Vec::new());

#[repr(align(64))]
#[derive(Default)]
struct Depth(AtomicU32);

thread_local! {
    static OWN: Arc<Depth> = {
        let mut all = ALL.lock();
        // Threads that have ended left theirs.
        all.retain(|depth| Arc::strong_count(depth) > 1);
        let own = Arc::<Depth>::default();
        all.push(own.clone());
        own
    };
}

/// The thread works as long as this lives.
pub struct Busy(());

impl Busy {
    /// From now on. In a thread that ends nobody sees it.
    pub fn begin() -> Busy {
        change(1);
        Busy(())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        change(u32::MAX);
    }
}

fn change(by: u32) {
    // Only its own thread writes it.
    let _ = OWN.try_with(|own| {
        let depth = &own.0;
        depth.store(depth.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
    });
}

/// Whether any thread does.
pub fn is_anybody() -> bool {
    ALL.lock().iter().any(|own| own.0.load(Ordering::Relaxed) != 0)
}
