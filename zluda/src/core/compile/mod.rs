//! From PTX text to code: through the cache where it has it, through the compiler where not.

pub(crate) mod compiler;
pub(crate) mod dump;
pub(crate) mod image;
pub(crate) mod jit_options;
pub(crate) mod link;
pub(crate) mod machine_code;
pub(crate) mod metadata;
pub(crate) mod target;

use crate::core::compile::dump::{Kind, dump};
use crate::core::compile::metadata::Metadata;
use crate::core::compile::target::CodeTarget;
use cuda_types::cuda::CUerror;
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_cache::{Cache, Key};
use zluda_common::config::config;

/// Text up to this size is looked through at load, so that bad PTX fails where CUDA says that it does.
/// Larger text waits until something in it is asked for.
const PARSE_AT_LOAD: usize = 1 << 20;

/// An error of the compiler: the code for the program, and the text for its log.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) error: CUerror,
    pub(crate) log: String,
}

impl From<CUerror> for Failure {
    fn from(error: CUerror) -> Self {
        Failure { error, log: String::new() }
    }
}

/// A PTX module. Belongs to no device and no context.
#[derive(Debug)]
pub(crate) struct Program {
    text: Vec<u8>,
    metadata: OnceLock<Result<Metadata, Failure>>,
    parsed: OnceLock<Result<Arc<compiler::Parsed>, Failure>>,
}

static CACHE: LazyLock<Cache> = LazyLock::new(|| Cache::open(config()));

/// The bytes that tell this build of the driver from every other one. Code in the cache is from the same build.
static BUILD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut build = env!("CARGO_PKG_VERSION").as_bytes().to_vec();
    build.extend(zluda_common::own_file::stamp());
    build
});

impl Program {
    /// Takes PTX text; none at all is an empty module.
    pub(crate) fn load(text: Vec<u8>) -> Result<Arc<Program>, Failure> {
        dump(Kind::Module, &text);
        let program = Program { metadata: OnceLock::new(), parsed: OnceLock::new(), text };
        if program.text.is_empty() {
            let _ = program.metadata.set(Ok(Metadata::default()));
        } else if program.text.len() <= PARSE_AT_LOAD {
            program.metadata()?;
        }
        Ok(Arc::new(program))
    }

    /// Kernels and variables of the module.
    pub(crate) fn metadata(&self) -> Result<&Metadata, Failure> {
        let metadata = self.metadata.get_or_init(|| {
            let key = Key::new(&[b"metadata", &BUILD, &self.text]);
            if let Some(metadata) = CACHE.get(&key).and_then(|bytes| Metadata::from_bytes(&bytes)) {
                return Ok(metadata);
            }
            let metadata = self.parsed()?.metadata();
            if let Some(bytes) = metadata.to_bytes() {
                CACHE.put(&key, &bytes);
            }
            Ok(metadata)
        });
        metadata.as_ref().map_err(Failure::clone)
    }

    /// The code of one kernel, as the provider's `hipModuleLoadData` takes it.
    pub(crate) fn compile(&self, kernel: &str, target: &CodeTarget) -> Result<Vec<u8>, Failure> {
        let description = compiler::describe(target);
        let key =
            Key::new(&[b"kernel", &BUILD, description.as_bytes(), kernel.as_bytes(), &self.text]);
        // Who wants to see the passes has none of code that is there.
        if !compiler::is_watched(target)
            && let Some(code) = CACHE.get(&key)
        {
            return Ok(code);
        }
        let code = self.parsed()?.compile(kernel, target).inspect_err(|failure| {
            tracing::warn!("kernel {kernel} cannot be compiled: {}", failure.log);
        })?;
        CACHE.put(&key, &code);
        Ok(code)
    }

    fn parsed(&self) -> Result<Arc<compiler::Parsed>, Failure> {
        let parsed = self.parsed.get_or_init(|| {
            let parsed = compiler::Parsed::parse(&self.text).inspect_err(|failure| {
                tracing::warn!("PTX cannot be loaded: {}", failure.log);
            })?;
            Ok(Arc::new(parsed))
        });
        parsed.clone()
    }
}
