//! The compiler, as the driver uses it: the only file that names `ptx`.

use crate::core::compile::{Failure, Target, Variant};
use crate::core::metadata::{KernelInfo, Metadata};
use cuda_types::cuda::CUerror;

/// Changes with what the compiler makes.
pub(crate) const VERSION: &str = "0";

/// A module that has been parsed.
#[derive(Debug)]
pub(crate) struct Parsed {
    metadata: Metadata,
}

/// Names everything that a kernel's code depends on besides its text.
pub(crate) fn describe(target: &Target, variant: Variant) -> String {
    format!("{target:?} {variant:?}")
}

impl Parsed {
    pub(crate) fn parse(text: &[u8]) -> Result<Parsed, Failure> {
        let text = String::from_utf8_lossy(text);
        if !text.contains(".version") {
            return Err(Failure {
                error: CUerror::INVALID_PTX,
                log: "error[invalid]: no .version".to_owned(),
            });
        }
        let kernels = text
            .split(".entry")
            .skip(1)
            .map(|rest| KernelInfo {
                name: rest
                    .trim_start()
                    .split(|c: char| c == '(' || c.is_whitespace())
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
                max_threads: 1024,
                ..KernelInfo::default()
            })
            .collect();
        Ok(Parsed { metadata: Metadata { kernels, ..Metadata::default() } })
    }

    pub(crate) fn metadata(&self) -> Metadata {
        self.metadata.clone()
    }

    pub(crate) fn compile(
        &self,
        kernel: &str,
        _target: &Target,
        _variant: Variant,
    ) -> Result<Vec<u8>, Failure> {
        Err(Failure {
            error: CUerror::NOT_SUPPORTED,
            log: format!("error[unsupported]: no compiler for {kernel}"),
        })
    }
}
