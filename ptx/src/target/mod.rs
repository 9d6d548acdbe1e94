//! Targets: from per-thread IR to a linked object.

mod amd;
mod cpu;

use llvm_zluda::Module;
pub use simt::{Approximations, Blocks};

use amdgcn::Relocatable;
pub use amdgcn::{GPUS, Gpu, Matrices, MatrixUnit};

use crate::diagnostics::Diagnostics;
use crate::info::KernelInfo;
use crate::options::{Options, Stage};

/// The processor or GPU that a kernel is compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// x86-64.
    Cpu {
        /// LLVM's name of the processor: `znver3`, `x86-64-v3`.
        cpu: String,
        /// LLVM's features: `+avx2,-avx512f`.
        features: String,
        /// The launches that the code is for.
        blocks: Blocks,
        executor: Executor,
        approximations: Approximations,
    },
    /// AMD GPUs.
    Amdgcn {
        /// `gfx1100`
        gfx: String,
        /// The launches that the code is for.
        blocks: Blocks,
        matrices: Matrices,
        approximations: Approximations,
        /// For launches in clusters of several blocks, and for no others: behind the parameters such kernels find a
        /// `amd_abi::cluster_launch::ClusterLaunch`.
        clusters: bool,
    },
}

/// The way in which x86-64 code runs the threads of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Executor {
    /// 32 lanes at once.
    Vector,
    /// One lane at a time, each a coroutine: slow, and right by construction.
    Reference,
}

/// The word names no target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no target: native, reference, x86-64-v2, x86-64-v3, x86-64-v4, {names}", names = Gpu::names())]
pub struct UnknownTarget(String);

impl Target {
    /// A level of the x86-64 ABI such as `x86-64-v3`, or this machine's processor where none is given.
    pub fn cpu(level: Option<&str>, blocks: Blocks, executor: Executor) -> Self {
        match level {
            None => Self::cpu_host(blocks, executor),
            Some(level) => Self::cpu_like(level, String::new(), blocks, executor),
        }
    }

    /// The processor of this machine.
    pub fn cpu_host(blocks: Blocks, executor: Executor) -> Self {
        Self::cpu_like(&llvm_zluda::host_cpu(), llvm_zluda::host_features(), blocks, executor)
    }

    fn cpu_like(cpu: &str, features: String, blocks: Blocks, executor: Executor) -> Self {
        let approximations = Approximations::default();
        Target::Cpu { cpu: cpu.to_owned(), features, blocks, executor, approximations }
    }

    /// The same, with approximate functions of another kind.
    pub fn with_approximations(mut self, kind: Approximations) -> Self {
        let (Target::Cpu { approximations, .. } | Target::Amdgcn { approximations, .. }) =
            &mut self;
        *approximations = kind;
        self
    }

    /// The same, with vector code for other blocks.
    pub fn with_blocks(mut self, shape: Blocks) -> Self {
        let (Target::Cpu { blocks, .. } | Target::Amdgcn { blocks, .. }) = &mut self;
        *blocks = shape;
        self
    }

    /// `native`, `reference` (this processor, one lane at a time), a processor like `x86-64-v3` or
    /// `znver4`, or an AMD GPU like `gfx1100`. Vector code is that for blocks whose
    /// rows are whole warps, the most frequent.
    pub fn parse(word: &str) -> Result<Self, UnknownTarget> {
        let unknown = || UnknownTarget(word.to_owned());
        match word {
            "native" => Ok(Self::cpu_host(Blocks::WholeWarps, Executor::Vector)),
            "reference" => Ok(Self::cpu_host(Blocks::WholeWarps, Executor::Reference)),
            _ if word.starts_with("gfx") => {
                Gpu::named(word).ok_or_else(unknown)?;
                let (gfx, blocks) = (word.to_owned(), Blocks::Any);
                let (matrices, approximations) = (Matrices::default(), Approximations::default());
                Ok(Target::Amdgcn { gfx, blocks, matrices, approximations, clusters: false })
            }
            _ => {
                let good = !word.is_empty()
                    && word
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_' || b == b'.');
                if !good || !word.bytes().any(|b| b.is_ascii_alphabetic()) {
                    return Err(unknown());
                }
                Ok(Self::cpu_like(word, String::new(), Blocks::WholeWarps, Executor::Vector))
            }
        }
    }

    /// One object holds as many kernels as it should.
    pub fn joins_kernels(&self) -> bool {
        matches!(self, Target::Amdgcn { .. })
    }

    /// LLVM's machine for the target.
    pub(crate) fn machine(&self, kernel: &str, options: &Options) -> Result<Machine, Diagnostics> {
        Ok(match self {
            Target::Cpu { cpu, features, blocks, executor, approximations } => {
                Machine::Cpu(cpu::Machine::new(cpu, features, *blocks, *executor, *approximations))
            }
            Target::Amdgcn { gfx, blocks, matrices, approximations, clusters } => {
                let options = amdgcn::Options {
                    blocks: *blocks,
                    clusters: *clusters,
                    matrices: *matrices,
                    approximations: *approximations,
                    verify: options.verify,
                    watch: options.watch.clone(),
                };
                let machine = amdgcn::Machine::new(gfx, options);
                Machine::Amdgcn(machine.map_err(|error| amd::diagnostics(kernel, "", error))?)
            }
        })
    }
}

const ONE_BY_ONE: &str = "kernels of CPUs are objects each";

/// A target at work.
pub(crate) enum Machine {
    Cpu(cpu::Machine),
    Amdgcn(amdgcn::Machine),
}

impl Machine {
    /// Whether a warp runs until it waits before another one does.
    pub fn runs_warps_in_turn(&self) -> bool {
        matches!(self, Machine::Cpu(_))
    }

    /// Bytes that a block may have, where the target cannot have as many as programs say.
    pub fn shared_memory(&self) -> Option<u32> {
        match self {
            Machine::Cpu(_) => None,
            Machine::Amdgcn(machine) => Some(machine.shared_memory()),
        }
    }

    /// Sets triple and data layout, before lowering.
    pub fn prepare(&self, module: &Module<'_>) {
        match self {
            Machine::Cpu(machine) => machine.prepare(module),
            Machine::Amdgcn(machine) => machine.prepare(module),
        }
    }

    /// From per-thread IR to an object that is linked with those of other kernels, for targets that join kernels. `text`
    /// is the PTX, for errors that show their places.
    pub fn relocatable(
        &self,
        module: Module<'_>,
        text: &str,
        info: &KernelInfo,
    ) -> Result<Relocatable, Diagnostics> {
        match self {
            Machine::Cpu(_) => Err(Diagnostics::bug(&info.name, ONE_BY_ONE.to_owned())),
            Machine::Amdgcn(machine) => amd::relocatable(machine, module, text, &info.name),
        }
    }

    /// From per-thread IR to `stage`. `text` is the PTX, for errors that show their places.
    pub fn finish(
        &self,
        module: Module<'_>,
        text: &str,
        info: &KernelInfo,
        options: &Options,
        stage: Stage,
    ) -> Result<Vec<u8>, Diagnostics> {
        match self {
            Machine::Cpu(machine) => machine.finish(module, info, options, stage),
            Machine::Amdgcn(machine) => amd::finish(machine, module, text, &info.name, stage),
        }
    }
}

/// The object of several kernels, for targets that join them.
pub(crate) fn link(objects: Vec<Relocatable>) -> Result<Vec<u8>, Diagnostics> {
    amdgcn::link(objects).map_err(|error| amd::diagnostics("", "", error))
}
