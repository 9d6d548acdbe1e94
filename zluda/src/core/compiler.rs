//! The compiler, as the driver uses it: the only file that calls `ptx`.

use crate::core::compile::{Failure, Rows, Target, Variant};
use crate::core::jit_options::JitOptions;
use crate::core::keep::{Kind, keep};
use crate::core::metadata::Metadata;
use cuda_types::cuda::{CUerror, CUres};
use ptx::{
    Approximations, Blocks, Diagnostics, ErrorKind, Executor, LinkError, Matrices, Options,
    Program, Watch,
};
use zluda_common::config::{self, AmdMatrix, CpuTarget, DebugConfig, Math, config};

/// A module that has been parsed.
#[derive(Debug)]
pub(crate) struct Parsed(Program);

/// Names everything that a kernel's code depends on besides its text and the build of the driver.
pub(crate) fn describe(target: &Target, variant: Variant) -> String {
    let (target_of_code, check) = (ptx_target(target, variant), config().check);
    let preempt = if preempts(target) { " preempt" } else { "" };
    format!("{target_of_code:?} {check:?} abi {}{preempt}", cpu_abi::ABI_VERSION)
}

/// Whether somebody looks at the passes of compilations.
pub(crate) fn is_watched(target: &Target) -> bool {
    !options(target).watch.is_idle()
}

fn preempts(target: &Target) -> bool {
    matches!(target, Target::Cpu) && config().preempts()
}

fn options(target: &Target) -> Options {
    let DebugConfig { print, stop_after, verify, .. } = config().debug.clone();
    let (check_alignment, preempt) = (config().check.align, preempts(target));
    let options = Options { verify, check_alignment, preempt, ..Options::default() };
    options.watched(Watch { print, stop_after })
}

fn ptx_target(target: &Target, variant: Variant) -> ptx::Target {
    let executor = match config().executor {
        config::Executor::Vector => Executor::Vector,
        config::Executor::Reference => Executor::Reference,
    };
    let blocks = match variant.rows {
        Rows::General => Blocks::Any,
        Rows::RowWarps => Blocks::RowWarps,
        Rows::WholeWarps => Blocks::WholeWarps,
    };
    let approximations = match config().math {
        Math::Exact => Approximations::Exact,
        Math::Mixed => Approximations::Mixed,
        Math::Fast => Approximations::Fast,
    };
    match target {
        Target::Cpu => {
            let level = match config().cpu_target {
                CpuTarget::Native => None,
                CpuTarget::Level(name) => Some(name),
            };
            ptx::Target::cpu(level, blocks, executor).with_approximations(approximations)
        }
        Target::Amd(name) => {
            let matrices = match config().amd_matrix {
                AmdMatrix::Exact => Matrices::Exact,
                AmdMatrix::Fast => Matrices::Fast,
            };
            let (gfx, clusters) = (name.clone(), variant.clusters);
            ptx::Target::Amdgcn { gfx, blocks, matrices, approximations, clusters }
        }
    }
}

/// Bytes of shared memory that a block may have on an AMD GPU; none of GPUs that code is not made for.
pub(crate) fn amd_shared_memory(gfx: &str) -> Option<u32> {
    ptx::Gpu::named(gfx).map(|gpu| gpu.lds)
}

/// The AMD GPUs that code is made for.
pub(crate) fn amd_gpus() -> String {
    ptx::Gpu::names()
}

impl Parsed {
    pub(crate) fn parse(text: &[u8]) -> Result<Parsed, Failure> {
        let text = String::from_utf8_lossy(text);
        match Program::parse(&text) {
            Ok(program) => Ok(Parsed(program)),
            // What is wrong with a whole module is wrong with its syntax.
            Err(diagnostics) => Err(failure(&diagnostics)),
        }
    }

    pub(crate) fn metadata(&self) -> Metadata {
        Metadata { kernels: self.0.kernels().to_vec(), globals: self.0.globals().clone() }
    }

    pub(crate) fn compile(
        &self,
        kernel: &str,
        target: &Target,
        variant: Variant,
    ) -> Result<Vec<u8>, Failure> {
        self.0
            .compile(kernel, &ptx_target(target, variant), &options(target))
            .map_err(|diagnostics| failure(&diagnostics))
    }
}

/// Modules that become one.
#[derive(Debug, Default)]
pub(crate) struct Linker(ptx::Linker);

impl Linker {
    /// Adds PTX text; what is wrong with it goes into the program's log.
    pub(crate) fn add(&mut self, name: &str, text: &[u8], options: &mut JitOptions) -> CUres {
        keep(Kind::Part, text);
        let text = String::from_utf8_lossy(text);
        self.0.add(name, &text).map_err(|error| link_failure(error, options))
    }

    /// Offers PTX text, which becomes a part if it is wanted.
    pub(crate) fn offer(&mut self, name: &str, text: &[u8]) {
        keep(Kind::Part, text);
        self.0.offer(name, &String::from_utf8_lossy(text));
    }

    /// All modules as one text.
    pub(crate) fn complete(&mut self, options: &mut JitOptions) -> CUres<String> {
        self.0.complete().map_err(|error| link_failure(error, options))
    }
}

fn link_failure(error: LinkError, options: &mut JitOptions) -> CUerror {
    let failure = match error {
        LinkError::Text(diagnostics) => failure(&diagnostics),
        LinkError::Symbols(messages) => {
            let lines: Vec<_> = messages.iter().map(|m| format!("error   : {m}")).collect();
            Failure { error: CUerror::INVALID_SOURCE, log: lines.join("\n") }
        }
    };
    if !failure.log.is_empty() {
        tracing::warn!("PTX cannot be linked: {}", failure.log);
    }
    options.log_error(&failure.log);
    failure.error
}

fn failure(diagnostics: &Diagnostics) -> Failure {
    let error = match diagnostics.kind() {
        ErrorKind::Unsupported => CUerror::NOT_SUPPORTED,
        ErrorKind::Invalid => CUerror::INVALID_PTX,
        ErrorKind::Bug => CUerror::UNKNOWN,
    };
    Failure { error, log: diagnostics.to_string() }
}
