//! The runner of passes. A pipeline is a table of passes in their order, ours and LLVM's, each with a name.
//!
//! After each of them the IR is checked where that is asked for, shown to those who watch the pass (`ZLUDA_DEBUG=print=`
//! and `stop-after=`), and the time that it took is logged (`time`).

use llvm_zluda::{Context, Module, Stopped, TargetMachine, Watch, run_passes, timed};

use crate::Error;
use crate::intrinsics::{self, Private};

/// A pass of a pipeline whose passes know of each other by an `S`.
pub struct Pass<S, E> {
    /// The name in `ZLUDA_DEBUG`: for most of ours that of their file.
    pub name: &'static str,
    pub work: Work<S, E>,
}

/// The work of a pass.
pub enum Work<S, E> {
    /// Ours, which change the module.
    Own(fn(&Module<'_>, &mut S) -> Result<(), E>),
    /// Ours, which make another module of it.
    Replacing(for<'c> fn(Module<'c>, &mut S) -> Result<Module<'c>, E>),
    /// LLVM's, in the syntax of `opt -passes=`, for modules that need them.
    Llvm { passes: &'static str, is_needed: fn(&Module<'_>, &S) -> bool },
}

impl<S, E> Pass<S, E> {
    /// A pass of ours that changes the module.
    pub const fn own(name: &'static str, run: fn(&Module<'_>, &mut S) -> Result<(), E>) -> Self {
        Self { name, work: Work::Own(run) }
    }

    /// A pass of ours that makes another module.
    pub const fn replacing(
        name: &'static str,
        run: for<'c> fn(Module<'c>, &mut S) -> Result<Module<'c>, E>,
    ) -> Self {
        Self { name, work: Work::Replacing(run) }
    }

    /// Passes of LLVM, for all modules.
    pub const fn llvm(name: &'static str, passes: &'static str) -> Self {
        Self::llvm_where(name, passes, |_, _| true)
    }

    /// Passes of LLVM, for modules that need them.
    pub const fn llvm_where(
        name: &'static str,
        passes: &'static str,
        is_needed: fn(&Module<'_>, &S) -> bool,
    ) -> Self {
        Self { name, work: Work::Llvm { passes, is_needed } }
    }
}

/// The way in which passes run.
#[derive(Clone, Copy)]
pub struct Runner<'r> {
    /// The machine whose costs LLVM's passes ask for.
    pub machine: Option<&'r TargetMachine>,
    /// The functions that the target has besides intrinsics.
    pub private: Private,
    /// Checks the IR after each pass of the table.
    pub verify: bool,
    /// Checks it after each of LLVM's own passes too.
    pub verify_each: bool,
    pub watch: &'r Watch,
}

impl Runner<'_> {
    /// Runs passes, one after the other. Fails where one fails or leaves broken IR, and after the pass with which
    /// compilation is to end.
    pub fn run<'p, 'c, S: 'p, E: From<Error> + 'p>(
        &self,
        passes: impl IntoIterator<Item = &'p Pass<S, E>>,
        mut module: Module<'c>,
        state: &mut S,
    ) -> Result<Module<'c>, E> {
        for pass in passes {
            module = self.run_one(pass, module, state)?;
        }
        Ok(module)
    }

    fn run_one<'c, S, E: From<Error>>(
        &self,
        pass: &Pass<S, E>,
        module: Module<'c>,
        state: &mut S,
    ) -> Result<Module<'c>, E> {
        let module = timed(pass.name, || match pass.work {
            Work::Own(run) => run(&module, state).map(|()| module),
            Work::Replacing(run) => run(module, state),
            Work::Llvm { passes, is_needed } => {
                if is_needed(&module, state) {
                    run_passes(&module, passes, self.machine, self.verify_each)
                        .map_err(Error::from)?;
                }
                Ok(module)
            }
        })?;
        self.after(pass.name, &module)?;
        Ok(module)
    }

    /// Fails if LLVM has none of the names that a pass of LLVM's consists of, or does not understand it.
    pub fn knows<S, E>(&self, pass: &Pass<S, E>) -> Result<(), String> {
        let Work::Llvm { passes, .. } = pass.work else { return Ok(()) };
        let context = Context::new();
        let module = context.module("empty");
        run_passes(&module, passes, self.machine, false).map_err(|error| error.to_string())
    }

    /// Checks and shows what a pass left. Fails if the IR is broken, a mistake of ours, or if compilation is to end here.
    pub fn after(&self, pass: &'static str, module: &Module<'_>) -> Result<(), Error> {
        if self.verify {
            let checked = module.verify().and_then(|()| intrinsics::verify(module, self.private));
            checked.map_err(|message| Error::Bug(format!("LLVM IR after {pass}: {message}")))?;
        }
        self.show(pass, || module.print())
    }

    /// Shows what a pass left that is no IR.
    pub fn show(&self, pass: &'static str, text: impl FnOnce() -> String) -> Result<(), Error> {
        let shown: Result<(), Stopped> = self.watch.after(pass, text);
        Ok(shown?)
    }
}
