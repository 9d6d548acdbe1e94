//! Functions: a kernel in one context, compiled when it is launched.

use crate::convert::FromC;
use crate::core::compile::metadata::check_kernel;
use crate::core::compile::target::Variant;
use crate::core::context::Current;
use crate::core::device::Device;
use crate::core::device::attributes::{MAX_THREADS_PER_BLOCK, SHARED_MEMORY_PER_BLOCK};
use crate::core::device::backend::DeviceContext;
use crate::core::device::driver::driver;
use crate::core::device::launch::Kernel;
use crate::core::module::ModuleData;
use crate::core::module::cluster::ClusterSettings;
use crate::core::module::kept_launch::Kept;
use crate::core::module::library;
use cuda_types::cuda::{
    CUerror, CUfunc_cache, CUfunction, CUfunction_attribute as A, CUkernel, CUmodule, CUres,
};
use hip_runtime_sys::{hipFunction_t, hipModule_t};
use parking_lot::Mutex;
use ptx::KernelInfo;
use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_common::config::config;
use zluda_common::handle::{HandleTable, Kind};

#[derive(Debug)]
pub(crate) struct Function {
    handle: OnceLock<u64>,
    /// The kernel's, where the function is one of a library.
    kernel: OnceLock<u64>,
    pub(crate) data: Arc<ModuleData>,
    /// The module's handle.
    module: u64,
    pub(crate) info: KernelInfo,
    /// The same with what its code says, of machine code, once it is lifted.
    lifted: OnceLock<CUres<KernelInfo>>,
    pub(crate) name: CString,
    pub(crate) settings: Arc<Settings>,
    /// For launches as CUDA 3 had them, which few programs make.
    kept: OnceLock<Kept>,
    /// By [`Variant::number`].
    code: [OnceLock<CUres<Code>>; Variant::COUNT],
}

/// The attributes of a kernel that programs set.
#[derive(Debug)]
pub(crate) struct Settings {
    max_dynamic_shared: AtomicI32,
    carveout: AtomicI32,
    pub(crate) cluster: ClusterSettings,
    pub(crate) cache_config: Mutex<CUfunc_cache>,
}

/// Code that the provider has loaded.
#[derive(Debug)]
pub(crate) struct Code {
    module: hipModule_t,
    pub(crate) function: hipFunction_t,
    /// ROCm does not say that it copies images.
    image: Vec<u8>,
}

// SAFETY: HIP's modules and functions may be used from any thread.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        if let Ok(driver) = driver() {
            // SAFETY: the module was loaded by this provider and is not used any more.
            let _ = unsafe { driver.hip.hipModuleUnload(self.module) };
        }
    }
}

static FUNCTIONS: LazyLock<HandleTable<Function>> =
    LazyLock::new(|| HandleTable::new(Kind::FUNCTION));

/// A `CUfunction` as an argument. NVIDIA's runtime passes a `CUkernel` too, which means the function of
/// the current context.
#[derive(Clone)]
pub(crate) struct FunctionArg(pub(crate) Arc<Function>);

impl FromC<CUfunction> for FunctionArg {
    unsafe fn from_c(handle: CUfunction) -> CUres<Self> {
        if let Ok(function) = from_handle(handle) {
            return Ok(FunctionArg(function));
        }
        let kernel = library::kernel_from_handle(handle as u64).ok_or(CUerror::INVALID_HANDLE)?;
        Ok(FunctionArg(kernel.current_function()?))
    }
}

/// The function with this handle, which is no kernel's; `INVALID_HANDLE` if there is none.
pub(crate) fn from_handle(handle: CUfunction) -> CUres<Arc<Function>> {
    FUNCTIONS.get(handle as u64).ok_or(CUerror::INVALID_HANDLE)
}

/// Gives a function a handle.
pub(crate) fn insert(function: Arc<Function>) -> CUres<u64> {
    let handle = FUNCTIONS.insert(function.clone()).ok_or(CUerror::OUT_OF_MEMORY)?;
    let _ = function.handle.set(handle);
    Ok(handle)
}

/// Ends a function's handle.
pub(crate) fn remove(handle: u64) {
    FUNCTIONS.remove(handle);
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            max_dynamic_shared: AtomicI32::new(-1),
            carveout: AtomicI32::new(-1),
            cluster: ClusterSettings::default(),
            cache_config: Mutex::new(CUfunc_cache::CU_FUNC_CACHE_PREFER_NONE),
        }
    }
}

impl Settings {
    /// Bytes of dynamic shared memory that a launch may ask for.
    pub(crate) fn max_dynamic_shared(&self, info: &KernelInfo) -> u32 {
        match self.max_dynamic_shared.load(Ordering::Relaxed) {
            size if size >= 0 => size as u32,
            _ => SHARED_MEMORY_PER_BLOCK.saturating_sub(info.static_shared),
        }
    }

    /// The value of an attribute, in CUDA's unit; `INVALID_VALUE` for attributes that there are not.
    pub(crate) fn get(&self, info: &KernelInfo, attribute: A) -> CUres<i32> {
        if let Some(value) = self.cluster.get(info, attribute) {
            return Ok(value);
        }
        let capability = config().compute_capability;
        let version = (capability.major * 10 + capability.minor) as i32;
        Ok(match attribute {
            A::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => {
                // `.reqntid` does not count: an H100 answers 1024.
                let most = if info.maxntid.is_some() { info.max_threads } else { u32::MAX };
                most.clamp(1, MAX_THREADS_PER_BLOCK) as i32
            }
            A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES => {
                info.machine_code_shared.unwrap_or(info.static_shared) as i32
            }
            A::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES => info.const_size as i32,
            A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES => info.local_size as i32,
            // Registers limit nothing here: those of machine code, or a number that lets programs choose large blocks.
            A::CU_FUNC_ATTRIBUTE_NUM_REGS => info.registers.unwrap_or(32) as i32,
            // What the module was compiled for, by which CUB finds the sizes of blocks that it was compiled with.
            A::CU_FUNC_ATTRIBUTE_PTX_VERSION => info.architecture as i32,
            A::CU_FUNC_ATTRIBUTE_BINARY_VERSION => version,
            A::CU_FUNC_ATTRIBUTE_CACHE_MODE_CA => 0,
            A::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => {
                self.max_dynamic_shared(info) as i32
            }
            A::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
                self.carveout.load(Ordering::Relaxed)
            }
            A(other) if other < A::CU_FUNC_ATTRIBUTE_MAX.0 => 0,
            _ => return Err(CUerror::INVALID_VALUE),
        })
    }

    /// Sets an attribute, in CUDA's unit; `INVALID_VALUE` for values out of range and attributes that cannot be set.
    pub(crate) fn set(
        &self,
        device: &Device,
        info: &KernelInfo,
        attribute: A,
        value: i32,
    ) -> CUres {
        if let Some(result) = self.cluster.set(info, attribute, value) {
            return result;
        }
        match attribute {
            // "The sum of this value and the function attribute CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES cannot
            // exceed the device attribute CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN."
            A::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => {
                let most = i64::from(device.shared_memory_optin());
                if value < 0 || i64::from(value) + i64::from(info.static_shared) > most {
                    return Err(CUerror::INVALID_VALUE);
                }
                self.max_dynamic_shared.store(value, Ordering::Relaxed);
                Ok(())
            }
            A::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
                if !(-1..=100).contains(&value) {
                    return Err(CUerror::INVALID_VALUE);
                }
                self.carveout.store(value, Ordering::Relaxed);
                Ok(())
            }
            _ => Err(CUerror::INVALID_VALUE),
        }
    }
}

impl Function {
    /// The kernel of this index in a module. `NOT_FOUND` if there is none; fails if the kernel cannot be compiled. What machine code
    /// is, [`loaded`](Self::loaded) tells.
    pub(crate) fn new(
        data: Arc<ModuleData>,
        module: CUmodule,
        index: usize,
        settings: Arc<Settings>,
    ) -> CUres<Function> {
        let info = data.program.kernel(index).map_err(|failure| failure.error)?.clone();
        check_kernel(&info)?;
        Ok(Function {
            handle: OnceLock::new(),
            kernel: OnceLock::new(),
            module: module as u64,
            name: CString::new(info.name.as_str()).map_err(|_| CUerror::INVALID_IMAGE)?,
            info,
            lifted: OnceLock::new(),
            settings,
            kept: OnceLock::new(),
            code: Default::default(),
            data,
        })
    }

    /// What the kernel is, with all that its code says. Machine code is lifted for it, and is an error here if that cannot be.
    pub(crate) fn loaded(&self) -> CUres<&KernelInfo> {
        let program = &self.data.program;
        if !program.is_machine_code() {
            return Ok(&self.info);
        }
        let lifted =
            self.lifted.get_or_init(|| program.lifted(&self.info).map_err(|failure| failure.error));
        lifted.as_ref().map_err(|error| *error)
    }

    /// Whether nothing is left to do for that.
    pub(crate) fn is_loaded(&self) -> bool {
        !self.data.program.is_machine_code() || self.lifted.get().is_some_and(Result::is_ok)
    }

    /// Whether the kernel's code launches graphs.
    pub(crate) fn launches_graphs(&self) -> bool {
        self.loaded().is_ok_and(|info| info.launches_graphs)
    }

    /// What the function keeps for launches as CUDA 3 had them.
    pub(crate) fn kept(&self) -> &Kept {
        self.kept.get_or_init(Kept::default)
    }

    /// The same, if the program has ever set or used it.
    pub(crate) fn kept_already(&self) -> Option<&Kept> {
        self.kept.get()
    }

    /// The handle of the module.
    pub(crate) fn module(&self) -> CUmodule {
        self.module as CUmodule
    }

    /// The program's handle.
    pub(crate) fn handle(&self) -> CUfunction {
        self.handle.get().copied().unwrap_or(0) as CUfunction
    }

    /// The kernel of a library that this is; null for functions of modules.
    pub(crate) fn kernel(&self) -> CUkernel {
        self.kernel.get().copied().unwrap_or(0) as CUkernel
    }

    /// Notes the kernel of a library that this is, once.
    pub(crate) fn set_kernel(&self, handle: u64) {
        let _ = self.kernel.set(handle);
    }

    /// The code for a block of this shape, compiled now if it has not been; `clusters` asks for that for launches in
    /// clusters of several blocks, where the device has it.
    pub(crate) fn code(&self, current: &Current, block: [u32; 3], clusters: bool) -> CUres<&Code> {
        let variant = current.driver.backend.variant(block, clusters);
        let code = self.code[variant.number()].get_or_init(|| self.load(current, variant));
        code.as_ref().map_err(|error| *error)
    }

    fn load(&self, current: &Current, variant: Variant) -> CUres<Code> {
        let target = current.device()?.model.code_target(variant);
        let image =
            self.data.program.compile(&self.info.name, &target).map_err(|failure| failure.error)?;
        let hip = &current.driver.hip;
        let mut code = Code { module: null_mut(), function: null_mut(), image };
        // SAFETY: the image is an object of the provider's kind; the others outlive the calls.
        unsafe {
            current.check(hip.hipModuleLoadData(&mut code.module, code.image.as_ptr().cast()))?;
            current.check(hip.hipModuleGetFunction(
                &mut code.function,
                code.module,
                self.name.as_ptr(),
            ))?;
        }
        Ok(code)
    }
}

/// A function in its context, for backends.
pub(crate) struct InContext<'a> {
    current: &'a Current,
    function: &'a Function,
}

impl Function {
    /// The function for the backend of the context's device.
    pub(crate) fn in_context<'a>(&'a self, current: &'a Current) -> InContext<'a> {
        InContext { current, function: self }
    }
}

impl Kernel for InContext<'_> {
    fn context(&self) -> &dyn DeviceContext {
        self.current
    }

    fn info(&self) -> &KernelInfo {
        &self.function.info
    }

    fn code(&self, block: [u32; 3], clusters: bool) -> CUres<hipFunction_t> {
        Ok(self.function.code(self.current, block, clusters)?.function)
    }

    fn max_cluster_blocks(&self) -> u32 {
        self.function.settings.cluster.max_blocks(&self.function.info)
    }
}
