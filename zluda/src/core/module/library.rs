//! Libraries and their kernels: programs that are loaded into each context when it first needs them.

use crate::convert::FromC;
use crate::core::compile::Program;
use crate::core::compile::metadata::check_kernel;
use crate::core::context::{Current, current};
use crate::core::module::function::{Function, Settings};
use crate::core::module::{self, Module, kernel_index};
use cuda_types::cuda::{CUerror, CUfunction, CUkernel, CUlibrary, CUres};
use parking_lot::{Mutex, RwLock};
use ptx::KernelInfo;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, CString};
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_common::handle::{HandleTable, Kind};

#[derive(Debug)]
pub(crate) struct Library {
    handle: OnceLock<u64>,
    shared: Arc<Shared>,
    /// The kernels that the program has asked for, with their handles.
    kernels: Mutex<BTreeMap<usize, (u64, Arc<Kernel>)>>,
}

/// The program of a library and of its kernels, and its modules.
#[derive(Debug)]
struct Shared {
    program: Arc<Program>,
    /// By the context's id.
    modules: Mutex<HashMap<u64, Arc<Module>>>,
}

#[derive(Debug)]
pub(crate) struct Kernel {
    shared: Arc<Shared>,
    index: usize,
    /// The library's handle.
    library: u64,
    handle: OnceLock<u64>,
    pub(crate) name: CString,
    pub(crate) info: KernelInfo,
    pub(crate) settings: Arc<Settings>,
    /// The context that used the kernel last, and its function and that one's handle.
    last: RwLock<Option<(u64, u64, Arc<Function>)>>,
}

static LIBRARIES: LazyLock<HandleTable<Library>> =
    LazyLock::new(|| HandleTable::new(Kind::LIBRARY));
static KERNELS: LazyLock<HandleTable<Kernel>> = LazyLock::new(|| HandleTable::new(Kind::KERNEL));

impl FromC<CUlibrary> for Arc<Library> {
    unsafe fn from_c(handle: CUlibrary) -> CUres<Self> {
        LIBRARIES.get(handle as u64).ok_or(CUerror::INVALID_HANDLE)
    }
}

impl FromC<CUkernel> for Arc<Kernel> {
    unsafe fn from_c(handle: CUkernel) -> CUres<Self> {
        kernel_from_handle(handle as u64).ok_or(CUerror::INVALID_HANDLE)
    }
}

/// The kernel with this handle, if there is one.
pub(crate) fn kernel_from_handle(handle: u64) -> Option<Arc<Kernel>> {
    KERNELS.get(handle)
}

/// Makes a library of a program, and returns its handle.
pub(crate) fn load(program: Arc<Program>) -> CUres<CUlibrary> {
    let library = Arc::new(Library {
        handle: OnceLock::new(),
        shared: Arc::new(Shared { program, modules: Mutex::new(HashMap::new()) }),
        kernels: Mutex::new(BTreeMap::new()),
    });
    let handle = LIBRARIES.insert(library.clone()).ok_or(CUerror::OUT_OF_MEMORY)?;
    let _ = library.handle.set(handle);
    Ok(handle as CUlibrary)
}

/// Ends a library: its handle, its kernels, and its modules in all contexts.
pub(crate) fn unload(handle: CUlibrary) -> CUres {
    let library = LIBRARIES.remove(handle as u64).ok_or(CUerror::INVALID_HANDLE)?;
    for (handle, _) in std::mem::take(&mut *library.kernels.lock()).into_values() {
        KERNELS.remove(handle);
    }
    for module in std::mem::take(&mut *library.shared.modules.lock()).into_values() {
        // A module that went with its context is no error.
        let _ = module::unload(module.handle());
    }
    Ok(())
}

/// Forgets the modules and functions of a context that ends.
pub(crate) fn end_context(context: u64) {
    for (_, library) in LIBRARIES.all() {
        library.shared.modules.lock().remove(&context);
    }
    for (_, kernel) in KERNELS.all() {
        kernel.last.write().take_if(|(id, ..)| *id == context);
    }
}

impl Shared {
    /// The library's module in a context.
    fn module(&self, current: &Current) -> CUres<Arc<Module>> {
        let mut modules = self.modules.lock();
        let id = current.context.id();
        if let Some(module) = modules.get(&id) {
            return Ok(module.clone());
        }
        let module =
            module::load(current, self.program.clone()).map_err(|failure| failure.error)?;
        modules.insert(id, module.clone());
        Ok(module)
    }
}

impl Library {
    /// The library's module in a context.
    pub(crate) fn module(&self, current: &Current) -> CUres<Arc<Module>> {
        self.shared.module(current)
    }

    /// The kernel with this name; `NOT_FOUND` if there is none.
    pub(crate) fn kernel_by_name(&self, name: &CStr) -> CUres<CUkernel> {
        self.kernel(kernel_index(&self.shared.program, name)?)
    }

    /// The number of kernels; an error where the program cannot be read.
    pub(crate) fn kernel_count(&self) -> CUres<usize> {
        Ok(self.shared.program.metadata().map_err(|failure| failure.error)?.kernels.len())
    }

    /// The handle of the kernel with this index, the same one each time. `NOT_FOUND` if there is none; fails if it
    /// cannot be compiled.
    pub(crate) fn kernel(&self, index: usize) -> CUres<CUkernel> {
        let mut kernels = self.kernels.lock();
        if let Some((handle, _)) = kernels.get(&index) {
            return Ok(*handle as CUkernel);
        }
        let info = self.shared.program.kernel(index).map_err(|failure| failure.error)?.clone();
        check_kernel(&info)?;
        let kernel = Arc::new(Kernel {
            shared: self.shared.clone(),
            index,
            library: self.handle.get().copied().unwrap_or(0),
            handle: OnceLock::new(),
            name: CString::new(info.name.as_str()).map_err(|_| CUerror::INVALID_IMAGE)?,
            info,
            settings: Arc::default(),
            last: RwLock::new(None),
        });
        let handle = KERNELS.insert(kernel.clone()).ok_or(CUerror::OUT_OF_MEMORY)?;
        let _ = kernel.handle.set(handle);
        kernels.insert(index, (handle, kernel));
        Ok(handle as CUkernel)
    }
}

impl Kernel {
    /// The handle of the library.
    pub(crate) fn library(&self) -> CUlibrary {
        self.library as CUlibrary
    }

    /// The kernel's function in a context.
    pub(crate) fn function(&self, current: &Current) -> CUres<(CUfunction, Arc<Function>)> {
        let id = current.context.id();
        if let Some((context, handle, function)) = &*self.last.read()
            && *context == id
        {
            return Ok((*handle as CUfunction, function.clone()));
        }
        let (handle, function) =
            self.shared.module(current)?.function_with(self.index, &self.settings)?;
        function.set_kernel(self.handle.get().copied().unwrap_or(0));
        *self.last.write() = Some((id, handle as u64, function.clone()));
        Ok((handle, function))
    }

    /// The kernel's function in the current context.
    pub(crate) fn current_function(&self) -> CUres<Arc<Function>> {
        self.function(&current()?).map(|(_, function)| function)
    }
}
