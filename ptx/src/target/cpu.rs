//! x86-64: per-thread IR goes to `spmd`, which makes code for warps or for single lanes.

use llvm_zluda::{Module, Watch};
use simt::{Approximations, Blocks};
use spmd::KernelKind;

use super::Executor;
use crate::diagnostics::Diagnostics;
use crate::info::KernelInfo;
use crate::options::{Options, Stage};

pub struct Machine {
    options: spmd::Options,
    kind: KernelKind,
}

/// Whether the threads of a warp keep step in code for an architecture. On GPUs before Volta, sm_70, all do. Code for those may
/// count on that, and has it on later ones too (CUDA's Volta Tuning Guide, "Independent Thread Scheduling").
fn keeps_step(architecture: u32) -> bool {
    (1..70).contains(&architecture)
}

impl Machine {
    /// A code generator for a processor with LLVM's name and features for it.
    pub fn new(
        cpu: &str,
        features: &str,
        blocks: Blocks,
        executor: Executor,
        approximations: Approximations,
    ) -> Self {
        let kind = match executor {
            Executor::Vector => KernelKind::Vector,
            Executor::Reference => KernelKind::Reference,
        };
        let (cpu, features) = (cpu.to_owned(), features.to_owned());
        Self {
            options: spmd::Options {
                blocks,
                cpu,
                features,
                approximations,
                in_step: false,
                returns: true,
                jams: true,
                verify: false,
                watch: Watch::default(),
            },
            kind,
        }
    }

    /// Gives a module the target's triple and data layout.
    pub fn prepare(&self, module: &Module<'_>) {
        module.set_triple(spmd::TRIPLE);
        module.set_data_layout(spmd::DATA_LAYOUT);
    }

    /// From per-thread IR to the IR, assembly or object of a stage. Fails if an instruction is not supported, if
    /// compilation is to end after a pass, or through a mistake of ours.
    pub fn finish(
        &self,
        module: Module<'_>,
        info: &KernelInfo,
        options: &Options,
        stage: Stage,
    ) -> Result<Vec<u8>, Diagnostics> {
        let (verify, watch) = (options.verify, options.watch.clone());
        // The engine chooses at each place who is preempted.
        let own = spmd::Options {
            verify,
            watch,
            returns: !options.preempt,
            in_step: keeps_step(info.architecture),
            ..self.options.clone()
        };
        let result = match stage {
            Stage::Ast | Stage::Ir | Stage::Llvm => {
                spmd::lower(module, self.kind, &own).map(|module| module.print().into_bytes())
            }
            Stage::Asm => spmd::compile_assembly(module, self.kind, &own).map(String::into_bytes),
            Stage::Obj => spmd::compile_object(module, self.kind, &own),
        };
        result.map_err(|error| match error {
            spmd::Error::Simt(error) => Diagnostics::of_pass(&info.name, error),
            spmd::Error::Unsupported(_) => Diagnostics::unsupported(&info.name, error.to_string()),
            _ => Diagnostics::bug(&info.name, error.to_string()),
        })
    }
}
