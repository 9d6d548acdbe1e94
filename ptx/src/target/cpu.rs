//! x86-64: per-thread IR goes to `spmd`, which makes code for warps or for single lanes.

use llvm_zluda::{CodeGenOptLevel, Module, TargetMachine};

use super::Executor;
use crate::diagnostics::Diagnostics;
use crate::info::KernelInfo;
use crate::program::{Options, Stage};

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

pub struct Machine {
    llvm: TargetMachine,
    cpu: String,
    features: String,
    row_warps: bool,
    executor: Executor,
}

impl Machine {
    pub fn new(
        kernel: &str,
        cpu: &str,
        features: &str,
        row_warps: bool,
        executor: Executor,
    ) -> Result<Self, Diagnostics> {
        let llvm =
            TargetMachine::new(TRIPLE, cpu, features, CodeGenOptLevel::LLVMCodeGenLevelDefault)
                .map_err(|error| Diagnostics::bug(kernel, error.to_string()))?;
        Ok(Self { llvm, cpu: cpu.to_owned(), features: features.to_owned(), row_warps, executor })
    }

    pub fn prepare(&self, module: &Module<'_>) {
        module.set_triple(TRIPLE);
        module.set_data_layout(&self.llvm.data_layout());
    }

    pub fn finish(
        &self,
        module: Module<'_>,
        info: &KernelInfo,
        _options: &Options,
        stage: Stage,
    ) -> Result<Vec<u8>, Diagnostics> {
        let _ = (&self.cpu, &self.features, self.row_warps, self.executor);
        match stage {
            Stage::Ast | Stage::Ir | Stage::Llvm => Ok(module.print().into_bytes()),
            Stage::Asm | Stage::Obj => Err(Diagnostics::unsupported(
                &info.name,
                "code for x86-64: the vectoriser is not there".to_owned(),
            )),
        }
    }
}
