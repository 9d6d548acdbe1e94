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
use crate::core::compile::image::Source;
use crate::core::compile::machine_code::Lifted;
use crate::core::compile::metadata::{Metadata, check_kernel};
use crate::core::compile::target::CodeTarget;
use cuda_types::cuda::CUerror;
use parking_lot::Mutex;
use ptx::KernelInfo;
use std::collections::BTreeMap;
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

fn bug(text: String) -> Failure {
    tracing::error!("bug: {text}");
    Failure { error: CUerror::UNKNOWN, log: format!("bug: {text}") }
}

impl From<CUerror> for Failure {
    fn from(error: CUerror) -> Self {
        Failure { error, log: String::new() }
    }
}

/// A PTX module. Belongs to no device and no context.
#[derive(Debug)]
pub(crate) struct Program {
    /// Of machine code, its head.
    text: Vec<u8>,
    metadata: OnceLock<Result<Metadata, Failure>>,
    parsed: OnceLock<Result<Arc<compiler::Parsed>, Failure>>,
    machine_code: Option<Parts>,
}

/// Machine code, each of whose kernels is a module of its own when it has been asked for. They share the head's variables.
#[derive(Debug)]
struct Parts {
    lifted: Lifted,
    by_kernel: Mutex<BTreeMap<String, Arc<Part>>>,
}

type Part = OnceLock<Result<Arc<Program>, Failure>>;

static CACHE: LazyLock<Cache> = LazyLock::new(|| Cache::open(config()));

/// The bytes that tell this build of the driver from every other one. Code in the cache is from the same build.
static BUILD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut build = env!("CARGO_PKG_VERSION").as_bytes().to_vec();
    build.extend(zluda_common::own_file::stamp());
    build
});

impl Program {
    /// Takes what an image holds; no text at all is an empty module.
    pub(crate) fn load(source: Source) -> Result<Arc<Program>, Failure> {
        match source {
            Source::Ptx(text) => {
                dump(Kind::Module, &text);
                Self::of_text(text, None)
            }
            Source::MachineCode(lifted) => {
                let head = lifted.head()?;
                Self::of_text(head, Some(Parts { lifted, by_kernel: Mutex::default() }))
            }
        }
    }

    fn of_text(text: Vec<u8>, machine_code: Option<Parts>) -> Result<Arc<Program>, Failure> {
        let program =
            Program { metadata: OnceLock::new(), parsed: OnceLock::new(), text, machine_code };
        if program.text.is_empty() {
            let _ = program.metadata.set(Ok(Metadata::default()));
        } else if program.text.len() <= PARSE_AT_LOAD {
            program.metadata()?;
        }
        Ok(Arc::new(program))
    }

    /// Kernels and variables of the module. Of machine code, what a kernel's code says is in [`kernel`](Self::kernel) alone.
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

    /// What a program may ask of the kernel of an index; `NOT_FOUND` if there is none. Of machine code it is what the file says,
    /// without the code.
    pub(crate) fn kernel(&self, index: usize) -> Result<&KernelInfo, Failure> {
        Ok(self.metadata()?.kernels.get(index).ok_or(CUerror::NOT_FOUND)?)
    }

    /// Whether kernels have to be lifted before they can be launched.
    pub(crate) fn is_machine_code(&self) -> bool {
        self.machine_code.is_some()
    }

    /// What the code of a kernel of machine code says besides [`kernel`](Self::kernel): lifts it.
    pub(crate) fn lifted(&self, told: &KernelInfo) -> Result<KernelInfo, Failure> {
        let Some(part) = self.part(&told.name)? else { return Ok(told.clone()) };
        let kernels = &part.metadata()?.kernels;
        let own = kernels.iter().find(|kernel| kernel.name == told.name);
        let own = own.ok_or(CUerror::NOT_FOUND)?.clone();
        check_kernel(&own)?;
        // The program has made its launch by what was told.
        if (KernelInfo { launches_graphs: told.launches_graphs, ..own.clone() }) != *told {
            return Err(bug(format!("{} is not what its file says", told.name)));
        }
        Ok(own)
    }

    /// The module that has a kernel's code, where it is not this one.
    fn part(&self, kernel: &str) -> Result<Option<Arc<Program>>, Failure> {
        let Some(Parts { lifted, by_kernel }) = &self.machine_code else { return Ok(None) };
        let part = by_kernel.lock().entry(kernel.to_owned()).or_default().clone();
        let part = part.get_or_init(|| {
            let part = Program::load(Source::Ptx(lifted.kernel(kernel)?))?;
            if part.metadata()?.globals.vars != self.metadata()?.globals.vars {
                return Err(bug(format!("{kernel} has its variables elsewhere than its module")));
            }
            Ok(part)
        });
        part.clone().map(Some)
    }

    /// The code of one kernel, as the provider's `hipModuleLoadData` takes it.
    pub(crate) fn compile(&self, kernel: &str, target: &CodeTarget) -> Result<Vec<u8>, Failure> {
        if let Some(part) = self.part(kernel)? {
            return part.compile(kernel, target);
        }
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
