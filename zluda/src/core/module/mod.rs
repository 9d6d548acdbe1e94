//! Modules: a program's variables and kernels in one context.

pub(crate) mod cluster;
pub(crate) mod function;
pub(crate) mod kept_launch;
pub(crate) mod library;
pub(crate) mod reference;

use crate::convert::FromC;
use crate::core::compile::{Failure, Program};
use crate::core::context::{Context, Current, current, enter};
use crate::core::device::driver::driver;
use crate::core::memory;
use crate::core::module::function::{Function, Settings};
use crate::core::module::reference::ReferenceVariable;
use crate::core::stream::own_memory;
use cuda_types::cuda::{CUdeviceptr, CUerror, CUfunction, CUmodule, CUres};
use parking_lot::Mutex;
use ptx::{GlobalLayout, GlobalSpace};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_common::handle::{HandleTable, Kind};

#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) data: Arc<ModuleData>,
    /// The kernels that the program has asked for, with their handles.
    functions: Mutex<BTreeMap<usize, (u64, Arc<Function>)>>,
    /// The texture and surface references that the program has asked for, by address.
    references: Mutex<BTreeMap<u64, u64>>,
}

/// The state that a module and its kernels share.
#[derive(Debug)]
pub(crate) struct ModuleData {
    pub(crate) context: Arc<Context>,
    pub(crate) program: Arc<Program>,
    /// The module's handle.
    handle: OnceLock<u64>,
    /// The segment of the variables, once something has asked for it.
    segment: OnceLock<CUres<u64>>,
}

static MODULES: LazyLock<HandleTable<Module>> = LazyLock::new(|| HandleTable::new(Kind::MODULE));

impl FromC<CUmodule> for Arc<Module> {
    unsafe fn from_c(handle: CUmodule) -> CUres<Self> {
        from_handle(handle as u64)
    }
}

/// The module with this handle; `INVALID_HANDLE` if there is none.
pub(crate) fn from_handle(handle: u64) -> CUres<Arc<Module>> {
    MODULES.get(handle).ok_or(CUerror::INVALID_HANDLE)
}

/// Loads a program into the current context.
pub(crate) fn load(current: &Current, program: Arc<Program>) -> Result<Arc<Module>, Failure> {
    let data = ModuleData {
        context: current.context.clone(),
        program,
        handle: OnceLock::new(),
        segment: OnceLock::new(),
    };
    let module = Arc::new(Module {
        data: Arc::new(data),
        functions: Mutex::new(BTreeMap::new()),
        references: Mutex::default(),
    });
    let handle = MODULES.insert(module.clone()).ok_or(CUerror::OUT_OF_MEMORY)?;
    let _ = module.data.handle.set(handle);
    Ok(module)
}

/// Ends a module: its handle, its kernels' handles, its variables.
pub(crate) fn unload(handle: CUmodule) -> CUres {
    let module = from_handle(handle as u64)?;
    // NVIDIA's driver asks for none.
    if let Err(error) = current()
        && error != CUerror::INVALID_CONTEXT
    {
        return Err(error);
    }
    // Kernels of the module may still run, and launch others of it.
    if let Ok(of_module) = enter(&module.data.context) {
        // SAFETY: has no preconditions.
        let _ = unsafe { of_module.driver.hip.hipDeviceSynchronize() };
    }
    let module = MODULES.remove(handle as u64).ok_or(CUerror::INVALID_HANDLE)?;
    module.end_functions();
    Ok(())
}

/// Ends the modules of a context that ends.
pub(crate) fn end_context(context: u64) {
    for (handle, module) in MODULES.all() {
        if module.data.context.id() == context {
            MODULES.remove(handle);
            module.end_functions();
        }
    }
}

impl Module {
    /// The program's handle.
    pub(crate) fn handle(&self) -> CUmodule {
        self.data.handle.get().copied().unwrap_or(0) as CUmodule
    }

    /// The kernel with this index.
    pub(crate) fn function(&self, index: usize) -> CUres<(CUfunction, Arc<Function>)> {
        self.function_with(index, &Arc::default())
    }

    /// The kernel with this index, which has these settings if nobody has asked for it before.
    pub(crate) fn function_with(
        &self,
        index: usize,
        settings: &Arc<Settings>,
    ) -> CUres<(CUfunction, Arc<Function>)> {
        let mut functions = self.functions.lock();
        if let Some((handle, function)) = functions.get(&index) {
            return Ok((*handle as CUfunction, function.clone()));
        }
        let function =
            Arc::new(Function::new(self.data.clone(), self.handle(), index, settings.clone())?);
        let handle = function::insert(function.clone())?;
        functions.insert(index, (handle, function.clone()));
        Ok((handle as CUfunction, function))
    }

    /// The kernel with this name; `NOT_FOUND` if there is none.
    pub(crate) fn function_by_name(&self, name: &CStr) -> CUres<(CUfunction, Arc<Function>)> {
        self.function(kernel_index(&self.data.program, name)?)
    }

    /// Address and size of a variable; `NOT_FOUND` if there is none of this name.
    pub(crate) fn global(&self, current: &Current, name: &CStr) -> CUres<(CUdeviceptr, usize)> {
        let metadata = self.data.program.metadata().map_err(|failure| failure.error)?;
        let variable = metadata
            .globals
            .vars
            .iter()
            .find(|variable| variable.name.as_bytes() == name.to_bytes());
        let variable = variable.ok_or(CUerror::NOT_FOUND)?;
        Ok((self.data.segment(current)? + variable.offset, variable.size as usize))
    }

    /// Whether a variable of this name is managed.
    pub(crate) fn is_managed(&self, name: &CStr) -> CUres<bool> {
        let metadata = self.data.program.metadata().map_err(|failure| failure.error)?;
        let named = |variable: &&ptx::GlobalVar| variable.name.as_bytes() == name.to_bytes();
        Ok(metadata.globals.vars.iter().find(named).is_some_and(|variable| variable.managed))
    }

    /// The handle of a texture or surface reference, the same one each time; `NOT_FOUND` if there is no such
    /// variable.
    pub(crate) fn reference(
        &self,
        name: &CStr,
        space: GlobalSpace,
        make: impl FnOnce(ReferenceVariable) -> CUres<u64>,
    ) -> CUres<u64> {
        let current = crate::core::context::enter(&self.data.context)?;
        let metadata = self.data.program.metadata().map_err(|failure| failure.error)?;
        let variables = &metadata.globals.vars;
        let variable = variables
            .iter()
            .find(|variable| variable.space == space && variable.name.as_bytes() == name.to_bytes())
            .ok_or(CUerror::NOT_FOUND)?;
        let address = self.data.segment(&current)? + variable.offset;
        let mut references = self.references.lock();
        if let Some(handle) = references.get(&address) {
            return Ok(*handle);
        }
        let handle = make(ReferenceVariable { module: self.data.clone(), address })?;
        references.insert(address, handle);
        Ok(handle)
    }

    fn end_functions(&self) {
        reference::end_module(&self.data);
        for (handle, _) in std::mem::take(&mut *self.functions.lock()).into_values() {
            function::remove(handle);
        }
    }
}

/// The index of the kernel with this name; `NOT_FOUND` if there is none.
pub(crate) fn kernel_index(program: &Program, name: &CStr) -> CUres<usize> {
    let metadata = program.metadata().map_err(|failure| failure.error)?;
    let index =
        metadata.kernels.iter().position(|kernel| kernel.name.as_bytes() == name.to_bytes());
    index.ok_or(CUerror::NOT_FOUND)
}

impl ModuleData {
    /// The address of the variables' segment, or 0 where there is none.
    pub(crate) fn segment(&self, current: &Current) -> CUres<u64> {
        *self.segment.get_or_init(|| {
            let metadata = self.program.metadata().map_err(|failure| failure.error)?;
            let is_launched = metadata.kernels.iter().any(|kernel| kernel.address != 0);
            let segment = allocate_segment(current, &metadata.globals, is_launched)?;
            if let (true, Some(handle)) = (is_launched, self.handle.get()) {
                current.driver.backend.add_module(segment, *handle);
            }
            Ok(segment)
        })
    }
}

/// Modules whose kernels launch kernels are known by their segment, and have one even without variables.
fn allocate_segment(current: &Current, globals: &GlobalLayout, is_launched: bool) -> CUres<u64> {
    if globals.size == 0 && !is_launched {
        return Ok(0);
    }
    let size = (globals.size as usize).max(8);
    // All of them lie in memory that the host finds where one has to, and devices have such memory.
    let (backend, properties) = (current.driver.backend, &current.device()?.properties);
    let can_be_managed = backend.is_one_with_host() || properties.abilities.managed_memory;
    let are_managed = can_be_managed && globals.vars.iter().any(|variable| variable.managed);
    let is_elsewhere = are_managed && !backend.is_one_with_host();
    let base = memory::allocate_variables(current, size, is_elsewhere)?.base;
    let mut image = globals.image.clone();
    // What the image does not say is zero.
    image.resize(globals.size as usize, 0);
    for relocation in &globals.relocations {
        let value = base.wrapping_add_signed(relocation.target) >> relocation.shift;
        let (offset, width) = (relocation.offset as usize, usize::from(relocation.width).min(8));
        let place = image.get_mut(offset..).and_then(|rest| rest.get_mut(..width));
        place.ok_or(CUerror::INVALID_IMAGE)?.copy_from_slice(&value.to_le_bytes()[..width]);
    }
    own_memory::fill(current, base, &image)?;
    for variable in &globals.vars {
        let is_managed = variable.managed && can_be_managed;
        memory::variable::add(base + variable.offset, variable.size, is_managed);
    }
    Ok(base)
}

impl Drop for ModuleData {
    fn drop(&mut self) {
        if let Some(Ok(base)) = self.segment.get()
            && *base != 0
        {
            if let Ok(driver) = driver() {
                driver.backend.end_module(*base);
            }
            memory::free_module(*base);
        }
    }
}
