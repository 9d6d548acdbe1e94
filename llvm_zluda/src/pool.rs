//! LLVM's machines of code generators, which are used again: each makes tables of its processor's registers and
//! instructions as they are asked for, which takes longer than the code of a short function.
//!
//! A machine belongs to one user at a time. Nothing of a module stays with it but the tables for the processors and features
//! that attributes of functions name.

use std::sync::{Mutex, PoisonError};

use llvm_sys::target_machine::{
    LLVMDisposeTargetMachine, LLVMSetTargetMachineAsmVerbosity, LLVMTargetMachineRef,
};

/// The properties that two machines share where one can stand for the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    pub triple: String,
    pub cpu: String,
    pub features: String,
    /// LLVM's number.
    pub level: u32,
}

struct Idle {
    kind: Kind,
    raw: LLVMTargetMachineRef,
}

// SAFETY: a machine is no thread's own, and an idle one is nobody's.
unsafe impl Send for Idle {}

/// Machines that wait for their next users, at most: each has about 2 MB on AMD GPUs.
const MOST_IDLE: usize = 32;

static IDLE: Mutex<Vec<Idle>> = Mutex::new(Vec::new());

/// A machine of LLVM's, which goes back to the others when it is dropped.
pub struct Pooled {
    kind: Kind,
    raw: LLVMTargetMachineRef,
}

impl Pooled {
    /// An idle machine of the kind.
    pub fn idle(kind: &Kind) -> Option<Self> {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        // The last one's tables are the likeliest to be in the cache still.
        let index = idle.iter().rposition(|machine| machine.kind == *kind)?;
        let Idle { kind, raw } = idle.remove(index);
        Some(Self { kind, raw })
    }

    /// # Safety
    /// `raw` is a machine of the kind, which nothing else owns.
    pub unsafe fn new(kind: Kind, raw: LLVMTargetMachineRef) -> Self {
        Self { kind, raw }
    }

    pub fn raw(&self) -> LLVMTargetMachineRef {
        self.raw
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        // What the user has set goes with the user.
        // SAFETY: the machine is ours.
        unsafe { LLVMSetTargetMachineAsmVerbosity(self.raw, 0) };
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE {
            idle.push(Idle { kind: self.kind.clone(), raw: self.raw });
            return;
        }
        drop(idle);
        // SAFETY: as above, and nobody has it from here on.
        unsafe { LLVMDisposeTargetMachine(self.raw) }
    }
}
