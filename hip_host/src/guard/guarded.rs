//! Code whose faults end it instead of the process: an interpreter that reads and writes wherever a kernel
//! says.

use std::cell::Cell;

use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::fault::{self, Exit, Fault, Running};
use super::stack::KernelStack;

/// A stack for such code.
pub struct Guarded {
    stack: Option<KernelStack>,
    size: usize,
    running: Running,
}

impl Guarded {
    /// For code that needs up to `size` bytes of stack.
    pub fn new(size: usize) -> Guarded {
        fault::prepare_thread();
        Guarded { stack: None, size, running: Cell::new(None) }
    }

    /// Runs `body` to its end, or to the bad access that ends it: then its frames are gone without being
    /// dropped, so they must not own anything. `None` where there is no memory for a stack.
    pub fn run(&mut self, body: impl FnOnce()) -> Option<Result<(), Fault>> {
        let stack = self.stack.take().or_else(|| KernelStack::new(self.size))?;
        let mut body = Some(body);
        let body: *mut Option<_> = &raw mut body;
        let body = call_of(body);
        let mut coroutine: Coroutine<(), (), Exit, KernelStack> =
            Coroutine::with_stack(stack.cleared(), move |_: &Yielder<(), ()>, ()| {
                body.call();
                Exit::Finished
            });
        self.running.set(Some(coroutine.trap_handler()));
        let result = fault::catching(&self.running, || coroutine.resume(()));
        self.running.set(None);
        let result = match result {
            CoroutineResult::Return(Exit::Fault(fault)) => Err(fault),
            // Nothing ever pauses.
            CoroutineResult::Return(Exit::Finished) | CoroutineResult::Yield(_) => Ok(()),
        };
        self.stack = Some(coroutine.into_stack());
        Some(result)
    }
}

/// A closure that is called once, without its type and lifetime: a coroutine wants them to be static.
struct Call {
    body: *mut (),
    run: unsafe fn(*mut ()),
}

fn call_of<F: FnOnce()>(body: *mut Option<F>) -> Call {
    unsafe fn run<F: FnOnce()>(body: *mut ()) {
        // SAFETY: `body` is what `call_of` was given, alive until the coroutine has ended.
        if let Some(body) = unsafe { (*body.cast::<Option<F>>()).take() } {
            body();
        }
    }
    Call { body: body.cast(), run: run::<F> }
}

impl Call {
    fn call(&self) {
        // SAFETY: made together by `call_of`.
        unsafe { (self.run)(self.body) }
    }
}
