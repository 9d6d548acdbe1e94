//! AMD GPUs: per-thread IR goes to `amdgcn`.

use amdgcn::{Error, Relocatable};
use llvm_zluda::Module;
use ptx_parser::Span;

use crate::diagnostics::{self, Diagnostics};
use crate::options::Stage;

/// The error of a kernel; `text` is its PTX, where that is at hand.
pub fn diagnostics(kernel: &str, text: &str, error: Error) -> Diagnostics {
    match error {
        Error::UnknownGpu(_) => Diagnostics::unsupported(kernel, error.to_string()),
        Error::Refused(refusals) => {
            let errors = refusals.into_iter().map(|refusal| {
                let span = refusal.span.map(|bytes| Span { start: bytes.start, end: bytes.end });
                let error =
                    diagnostics::Error::unsupported(span.unwrap_or_default(), refusal.message);
                error.in_function(&refusal.function)
            });
            Diagnostics::new(errors.collect(), text)
        }
        Error::Simt(error) => Diagnostics::of_pass(kernel, error),
        error => Diagnostics::bug(kernel, error.to_string()),
    }
}

/// From per-thread IR to an object that is linked with those of other kernels.
pub fn relocatable(
    machine: &amdgcn::Machine,
    module: Module<'_>,
    text: &str,
    kernel: &str,
) -> Result<Relocatable, Diagnostics> {
    let made = machine.lower(module).and_then(|lowered| machine.emit_relocatable(&lowered));
    made.map_err(|error| diagnostics(kernel, text, error))
}

/// From per-thread IR to the IR, assembly or code object of a stage.
pub fn finish(
    machine: &amdgcn::Machine,
    module: Module<'_>,
    text: &str,
    kernel: &str,
    stage: Stage,
) -> Result<Vec<u8>, Diagnostics> {
    let made = machine.lower(module).and_then(|lowered| match stage {
        Stage::Ast | Stage::Ir | Stage::Llvm => Ok(lowered.print().into_bytes()),
        Stage::Asm => machine.emit_assembly(&lowered).map(String::into_bytes),
        Stage::Obj => amdgcn::link(vec![machine.emit_relocatable(&lowered)?]),
    });
    made.map_err(|error| diagnostics(kernel, text, error))
}
