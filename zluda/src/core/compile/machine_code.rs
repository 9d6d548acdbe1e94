//! Machine code of NVIDIA's GPUs, lifted to PTX: each kernel when it is first asked for. What was lifted once is in the cache.

use crate::core::compile::Failure;
use cuda_types::cuda::{CUerror, CUres};
use zluda_common::config::{MachineCode, config};

/// The architectures whose code can be lifted, the best first.
const ARCHITECTURES: [u32; 6] = [80, 86, 87, 89, 75, 90];

/// The same for a device of a compute capability (90 for 9.0): first those whose code such a device runs, the nearest before the others,
/// as kernels look at what it is.
pub(crate) fn architectures(capability: u32) -> Vec<u32> {
    let runs =
        |architecture: &u32| *architecture <= capability && architecture / 10 == capability / 10;
    let (mut own, others): (Vec<u32>, Vec<u32>) = ARCHITECTURES.iter().partition(|it| runs(it));
    own.sort_unstable_by(|a, b| b.cmp(a));
    [own, others].concat()
}

const ELF_HEADER: usize = 64;
/// No file of machine code is larger: 2 GiB.
const LARGEST: u64 = 2 << 30;

/// Whether machine code is used at all.
pub(crate) fn is_on() -> bool {
    cfg!(feature = "sass") && config().machine_code != MachineCode::Off
}

/// `INVALID_IMAGE` for ELF files of other machines, `NO_BINARY_FOR_GPU` where machine code is of no use.
pub(crate) fn check(header: &[u8]) -> CUres {
    const EM_CUDA: [u8; 2] = 190u16.to_le_bytes();
    if header.get(18..20) != Some(&EM_CUDA) {
        return Err(CUerror::INVALID_IMAGE);
    }
    if is_on() { Ok(()) } else { Err(unsupported("it is off (ZLUDA_SASS)")) }
}

fn unsupported(reason: impl std::fmt::Display) -> CUerror {
    tracing::warn!("unsupported: machine code of NVIDIA's GPUs (SASS): {reason}");
    CUerror::NO_BINARY_FOR_GPU
}

/// All bytes of a file that begins at an address.
///
/// # Safety
/// It begins with an ELF header of 64 bits, and all that its tables name can be read.
pub(crate) unsafe fn file<'a>(start: *const u8) -> CUres<&'a [u8]> {
    // SAFETY: the file is as long as the caller says.
    let bytes =
        |at: u64, size: usize| unsafe { std::slice::from_raw_parts(start.add(at as usize), size) };
    let field = |table: &[u8], at: usize, size: usize| {
        let field = table.get(at..at + size).unwrap_or_default();
        field.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    };
    let header = bytes(0, ELF_HEADER);
    let mut end = ELF_HEADER as u64;
    // The tables of segments and of sections: where they lie, the size of an entry, and how many there are; and where an entry
    // has offset and size of what it names.
    for [table, entry, count, offset, size] in [[32, 54, 56, 8, 32], [40, 58, 60, 24, 32]] {
        let [table, entry, count] =
            [field(header, table, 8), field(header, entry, 2), field(header, count, 2)];
        let whole = table.saturating_add(entry * count);
        if table == 0 || count == 0 {
            continue;
        }
        if whole > LARGEST || entry < 56 {
            return Err(CUerror::INVALID_IMAGE);
        }
        end = end.max(whole);
        for index in 0..count {
            let row = bytes(table + index * entry, entry as usize);
            // Sections without bytes in the file have a size all the same.
            let is_empty = offset == 24 && field(row, 4, 4) == 8;
            if !is_empty {
                end = end.max(field(row, offset, 8).saturating_add(field(row, size, 8)));
            }
        }
    }
    if end > LARGEST { Err(CUerror::INVALID_IMAGE) } else { Ok(bytes(0, end as usize)) }
}

/// A file of machine code that can be lifted: what it has, and each kernel when it is asked for.
#[cfg(feature = "sass")]
pub(crate) struct Lifted {
    file: std::sync::Arc<Vec<u8>>,
    encoding: sass::decode::Encoding,
    /// Of the file, and of this build.
    digest: zluda_cache::Key,
    /// What its kernels share, once something is not in the cache.
    module: std::sync::OnceLock<Result<lifting::Read, Failure>>,
}

#[cfg(not(feature = "sass"))]
#[derive(Debug)]
pub(crate) enum Lifted {}

#[cfg(feature = "sass")]
mod lifting {
    use super::{Lifted, unsupported};
    use crate::core::compile::{BUILD, CACHE, Failure};
    use cuda_types::cuda::{CUerror, CUres};
    use sass::cubin::Cubin;
    use sass::decode::Encoding;
    use sass::lift::{Image, Module, head, lift};
    use std::fmt::{self, Debug};
    use std::sync::{Arc, OnceLock};
    use zluda_cache::Key;

    self_cell::self_cell!(
        /// A file, and what was read of it.
        pub(crate) struct Read {
            owner: Arc<Vec<u8>>,
            #[covariant]
            dependent: Module,
        }
    );

    impl Lifted {
        /// `INVALID_IMAGE` for what is no such file, `NO_BINARY_FOR_GPU` for other architectures.
        pub(crate) fn of(file: &[u8]) -> CUres<Lifted> {
            let architecture = cubin(file)?.architecture;
            let unknown = || unsupported(format_args!("sm_{architecture} cannot be lifted"));
            Ok(Lifted {
                encoding: Encoding::of(architecture).ok_or_else(unknown)?,
                file: Arc::new(file.to_vec()),
                digest: Key::new(&[&BUILD, file]),
                module: OnceLock::new(),
            })
        }

        /// The PTX of the variables and of all kernels, which have no code in it.
        pub(crate) fn head(&self) -> Result<Vec<u8>, Failure> {
            self.cached(&[b"head of lifted"], |module| Ok(head(&module.without_code())))
        }

        /// The PTX of one kernel, whose variables lie where those of the head do. One that cannot be lifted fails when it is
        /// asked for.
        pub(crate) fn kernel(&self, name: &str) -> Result<Vec<u8>, Failure> {
            self.cached(&[b"lifted kernel", name.as_bytes()], |module| {
                Ok(text_of(&module.kernel(name).ok_or(CUerror::NOT_FOUND)?))
            })
        }

        /// The PTX of all kernels, for linking.
        pub(crate) fn whole(&self) -> Result<Vec<u8>, Failure> {
            self.cached(&[b"lifted"], |module| Ok(text_of(&module.all())))
        }

        fn cached(
            &self,
            what: &[&[u8]],
            make: impl FnOnce(&Module<'_>) -> CUres<String>,
        ) -> Result<Vec<u8>, Failure> {
            let key = Key::new(&[&[&self.digest.as_bytes()[..]][..], what].concat());
            if let Some(text) = CACHE.get(&key) {
                return Ok(text);
            }
            let read = self
                .module
                .get_or_init(|| Read::try_new(self.file.clone(), |file| read(file, self.encoding)));
            let text = make(read.as_ref().map_err(Failure::clone)?.borrow_dependent())?;
            CACHE.put(&key, text.as_bytes());
            Ok(text.into_bytes())
        }
    }

    impl Debug for Lifted {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("Lifted").field("digest", &self.digest).finish_non_exhaustive()
        }
    }

    fn cubin(file: &[u8]) -> CUres<Cubin<'_>> {
        Cubin::parse(file).map_err(|error| {
            tracing::warn!("invalid: machine code: {error}");
            CUerror::INVALID_IMAGE
        })
    }

    /// What is missing is said as the linker says it.
    fn read(file: &[u8], encoding: Encoding) -> Result<Module<'_>, Failure> {
        Module::new(cubin(file)?, encoding).map_err(|undefined| {
            tracing::warn!("invalid: machine code: {undefined}");
            Failure { error: CUerror::INVALID_SOURCE, log: format!("error   : {undefined}") }
        })
    }

    fn text_of(image: &Image) -> String {
        let mut lifted = lift(image);
        for (kernel, error) in &lifted.failures {
            tracing::info!("kernel {kernel} cannot be lifted: {error}");
        }
        if lifted.wants_grid_barrier {
            lifted.text.push_str(ptx::grid_barrier());
        }
        lifted.text
    }
}

#[cfg(not(feature = "sass"))]
impl Lifted {
    pub(crate) fn of(_: &[u8]) -> CUres<Lifted> {
        Err(unsupported("this build cannot lift it"))
    }

    pub(crate) fn head(&self) -> Result<Vec<u8>, Failure> {
        match *self {}
    }

    pub(crate) fn kernel(&self, _: &str) -> Result<Vec<u8>, Failure> {
        match *self {}
    }

    pub(crate) fn whole(&self) -> Result<Vec<u8>, Failure> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::architectures;

    #[test]
    fn the_devices_own_code_comes_first() {
        assert_eq!(architectures(80), [80, 86, 87, 89, 75, 90]);
        assert_eq!(architectures(89), [89, 87, 86, 80, 75, 90]);
        assert_eq!(architectures(90), [90, 80, 86, 87, 89, 75]);
        assert_eq!(architectures(120), [80, 86, 87, 89, 75, 90]);
    }
}
