//! The compiler, as the driver uses it: the only file that compiles with `ptx`.

use crate::core::compile::Failure;
use crate::core::compile::dump::{Kind, dump};
use crate::core::compile::jit_options::JitOptions;
use crate::core::compile::metadata::Metadata;
use crate::core::compile::target::CodeTarget;
use cuda_types::cuda::{CUerror, CUres};
use ptx::{Diagnostics, ErrorKind, LinkError, Options, Program, Watch};
use zluda_common::config::{DebugConfig, config};

/// A module that has been parsed.
#[derive(Debug)]
pub(crate) struct Parsed(Program);

/// Names everything that a kernel's code depends on besides its text and the build of the driver.
pub(crate) fn describe(CodeTarget { target, preempt }: &CodeTarget) -> String {
    let (check, preempt) = (config().check, if *preempt { " preempt" } else { "" });
    format!("{target:?} {check:?} abi {}{preempt}", ptx::CPU_ABI_VERSION)
}

/// Whether somebody looks at the passes of compilations.
pub(crate) fn is_watched(target: &CodeTarget) -> bool {
    !options(target).watch.is_idle()
}

fn options(target: &CodeTarget) -> Options {
    let DebugConfig { print, stop_after, verify, .. } = config().debug.clone();
    let (check_alignment, preempt) = (config().check.align, target.preempt);
    let options = Options { verify, check_alignment, preempt, ..Options::default() };
    options.watched(Watch { print, stop_after })
}

impl Parsed {
    /// Parses a module's PTX; fails with the diagnostics as the log.
    pub(crate) fn parse(text: &[u8]) -> Result<Parsed, Failure> {
        let text = String::from_utf8_lossy(text);
        match Program::parse(&text) {
            Ok(program) => Ok(Parsed(program)),
            // What is wrong with a whole module is wrong with its syntax.
            Err(diagnostics) => Err(failure(&diagnostics)),
        }
    }

    /// The kernels and variables of the module.
    pub(crate) fn metadata(&self) -> Metadata {
        Metadata { kernels: self.0.kernels().to_vec(), globals: self.0.globals().clone() }
    }

    /// Compiles a kernel to an object file for the target; fails with the diagnostics as the log.
    pub(crate) fn compile(&self, kernel: &str, target: &CodeTarget) -> Result<Vec<u8>, Failure> {
        self.0
            .compile(kernel, &target.target, &options(target))
            .map_err(|diagnostics| failure(&diagnostics))
    }
}

/// Modules that become one.
#[derive(Debug, Default)]
pub(crate) struct Linker(ptx::Linker);

impl Linker {
    /// Adds PTX text; what is wrong with it goes into the program's log.
    pub(crate) fn add(&mut self, name: &str, text: &[u8], options: &mut JitOptions) -> CUres {
        dump(Kind::Part, text);
        let text = String::from_utf8_lossy(text);
        self.0.add(name, &text).map_err(|error| link_failure(error, options))
    }

    /// Offers PTX text, which becomes a part if it is wanted.
    pub(crate) fn offer(&mut self, name: &str, text: &[u8]) {
        dump(Kind::Part, text);
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
