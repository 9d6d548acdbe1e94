//! [`Program`]: a module that is parsed and laid out, and compiles its kernels one by one.

use std::sync::Once;

use llvm_zluda::{Watch, timed};
use self_cell::self_cell;

use crate::diagnostics::Diagnostics;
use crate::info::{GlobalLayout, KernelInfo};
use crate::options::{Options, Stage};
use crate::pipeline::{self, Analysis};
use crate::target::Target;

self_cell! {
    struct Source {
        owner: String,
        #[covariant]
        dependent: Analysis,
    }
}

/// Everything that is known of a module of PTX before a kernel of it is compiled.
pub struct Program {
    source: Source,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("kernels", &self.kernels()).finish_non_exhaustive()
    }
}

impl Options {
    /// With who looks at passes, as `ZLUDA_DEBUG` says. Names that no pass has are said once, with those that there are.
    pub fn watched(self, watch: Watch) -> Options {
        static SAID: Once = Once::new();
        let names: Vec<&str> = pipeline::pass_names().collect();
        if let Some(unknown) = watch.names().find(|name| !names.contains(name)) {
            SAID.call_once(|| {
                tracing::warn!(
                    "ZLUDA_DEBUG: there is no pass `{unknown}`; there are: {}",
                    names.join(", ")
                );
            });
        }
        Options { watch, ..self }
    }
}

/// One object of several kernels.
#[derive(Debug)]
pub struct Joined {
    /// Empty where no kernel is in it.
    pub object: Vec<u8>,
    /// The kernels that are not in it, and why.
    pub failures: Vec<(String, Diagnostics)>,
}

impl Program {
    /// Reads a module. Errors here concern all of it, as for NVIDIA's driver: all that are found. What is not
    /// known yet inside a function costs only the kernels that reach it, when they are compiled.
    pub fn parse(text: &str) -> Result<Program, Diagnostics> {
        let owner = text.trim_end_matches('\0').to_owned();
        let source = timed("parsing", || Source::try_new(owner, |text| pipeline::analyze(text)))?;
        Ok(Program { source })
    }

    fn analysis(&self) -> &Analysis<'_> {
        self.source.borrow_dependent()
    }

    /// All kernels, in the order of the module.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.analysis().kernels
    }

    /// The kernel of a name; none if the module has no such kernel.
    pub fn kernel(&self, name: &str) -> Option<&KernelInfo> {
        self.kernels().iter().find(|kernel| kernel.name == name)
    }

    /// The layout of the module's variables in their segment.
    pub fn globals(&self) -> &GlobalLayout {
        &self.analysis().globals.layout
    }

    /// The kernel with all that it reaches, as a linked object for the target: an ELF shared object for
    /// CPUs, a code object for AMD GPUs.
    pub fn compile(
        &self,
        kernel: &str,
        target: &Target,
        options: &Options,
    ) -> Result<Vec<u8>, Diagnostics> {
        self.emit(kernel, target, options, Stage::Obj)
    }

    /// Several kernels as one linked object, for targets that [join kernels](Target::joins_kernels).
    pub fn compile_together(
        &self,
        kernels: &[String],
        target: &Target,
        options: &Options,
    ) -> Result<Joined, Diagnostics> {
        let text = self.source.borrow_owner();
        pipeline::compile_together(text, self.analysis(), kernels, target, options)
    }

    /// The kernel at a point of its way; all stages but [`Stage::Obj`] are text.
    pub fn emit(
        &self,
        kernel: &str,
        target: &Target,
        options: &Options,
        stage: Stage,
    ) -> Result<Vec<u8>, Diagnostics> {
        pipeline::compile(
            self.source.borrow_owner(),
            self.analysis(),
            kernel,
            target,
            options,
            stage,
        )
    }
}
