//! The thread on which functions of the program run in stream order.

use std::cell::Cell;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use super::op::{self, Op};

type Call = (Arc<Op>, Box<dyn FnOnce() + Send>);

thread_local! {
    static HERE: Cell<bool> = const { Cell::new(false) };
}

static CALLS: LazyLock<Mutex<Option<Sender<Call>>>> = LazyLock::new(|| {
    let (sender, receiver) = channel::<Call>();
    let spawned = std::thread::Builder::new().name("zluda-host".to_owned()).spawn(move || {
        HERE.set(true);
        for (op, call) in receiver {
            call();
            op::finish(&op);
        }
    });
    Mutex::new(match spawned {
        Ok(_) => Some(sender),
        Err(error) => {
            tracing::error!("no thread for host functions: {error}");
            None
        }
    })
});

/// Runs a function on the thread, then ends its operation.
pub fn run(op: Arc<Op>, call: Box<dyn FnOnce() + Send>) {
    let call = (op, call);
    let sent = match &*CALLS.lock() {
        Some(sender) => sender.send(call).map_err(|error| error.0),
        None => Err(call),
    };
    if let Err((op, call)) = sent {
        // Without a thread of its own, the function runs here: late is worse than in the wrong place.
        call();
        op::finish(&op);
    }
}

/// Whether the calling thread is the one for host functions, where waiting for the device would never end.
pub fn is_here() -> bool {
    HERE.get()
}
