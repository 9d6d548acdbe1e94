//! Texture and surface references: variables of modules that hold the handle of a texture or surface object,
//! which the driver makes anew whenever the program changes the reference.

use crate::convert::FromC;
use crate::core::context::{Context, Current, enter};
use crate::core::module::ModuleData;
use crate::core::texture;
use crate::core::texture::array;
use cuda_types::cuda::{
    CUDA_ARRAY3D_SURFACE_LDST, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUaddress_mode, CUarray,
    CUarray_format, CUdeviceptr, CUerror, CUmipmappedArray, CUres, CUresourcetype, CUsurfref,
    CUtexref,
};
use hip_runtime_sys::hipMemcpyKind;
use parking_lot::Mutex;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

/// The variable that the handle of a reference's object is written to.
#[derive(Clone, Debug)]
pub(crate) struct ReferenceVariable {
    pub(crate) module: Arc<ModuleData>,
    pub(crate) address: u64,
}

pub(crate) struct TextureReference {
    context: Arc<Context>,
    /// Nothing for references that no module knows.
    variable: Option<ReferenceVariable>,
    pub(crate) state: Mutex<State>,
}

/// The properties of a texture reference, as the program has set them.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) bound: Bound,
    pub(crate) format: CUarray_format,
    pub(crate) channels: u32,
    pub(crate) description: CUDA_TEXTURE_DESC,
    /// The handle in the variable; 0: none.
    object: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    Nothing,
    Array(CUarray),
    Mipmapped(CUmipmappedArray),
    Linear { address: CUdeviceptr, size: usize },
    Plane { address: CUdeviceptr, width: usize, height: usize, pitch: usize },
}

// SAFETY: handles of arrays are numbers.
unsafe impl Send for State {}

pub(crate) struct SurfaceReference {
    variable: ReferenceVariable,
    /// The array, and the handle in the variable.
    state: Mutex<(u64, u64)>,
}

static TEXTURES: LazyLock<HandleTable<TextureReference>> =
    LazyLock::new(|| HandleTable::new(Kind::TEXTURE_REFERENCE));
static SURFACES: LazyLock<HandleTable<SurfaceReference>> =
    LazyLock::new(|| HandleTable::new(Kind::SURFACE_REFERENCE));

impl TextureReference {
    /// Whether the reference is a variable of this module.
    pub(crate) fn is_of(&self, module: &Arc<ModuleData>) -> bool {
        self.variable.as_ref().is_some_and(|variable| Arc::ptr_eq(&variable.module, module))
    }
}

impl FromC<CUtexref> for Arc<TextureReference> {
    unsafe fn from_c(handle: CUtexref) -> CUres<Self> {
        TEXTURES.get(handle as u64).ok_or(CUerror::INVALID_HANDLE)
    }
}

impl FromC<CUsurfref> for Arc<SurfaceReference> {
    unsafe fn from_c(handle: CUsurfref) -> CUres<Self> {
        SURFACES.get(handle as u64).ok_or(CUerror::INVALID_HANDLE)
    }
}

/// A reference to the variable `variable`, or to nothing.
pub(crate) fn create_texture(
    context: Arc<Context>,
    variable: Option<ReferenceVariable>,
) -> CUres<CUtexref> {
    // SAFETY: all zeros is a description.
    let mut description: CUDA_TEXTURE_DESC = unsafe { std::mem::zeroed() };
    description.addressMode = [CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP; 3];
    let state = State {
        bound: Bound::Nothing,
        format: CUarray_format::CU_AD_FORMAT_FLOAT,
        channels: 1,
        description,
        object: 0,
    };
    let reference = TextureReference { context, variable, state: Mutex::new(state) };
    let handle = TEXTURES.insert(Arc::new(reference)).ok_or(CUerror::OUT_OF_MEMORY)?;
    Ok(handle as CUtexref)
}

/// Ends a texture reference and its object; `INVALID_HANDLE` if there is none.
pub(crate) fn destroy_texture(handle: CUtexref) -> CUres {
    let reference = TEXTURES.remove(handle as u64).ok_or(CUerror::INVALID_HANDLE)?;
    let object = std::mem::take(&mut reference.state.lock().object);
    if object != 0 {
        let _ = texture::destroy_texture(object);
    }
    Ok(())
}

/// A reference to the variable `variable`.
pub(crate) fn create_surface(variable: ReferenceVariable) -> CUres<CUsurfref> {
    let reference = SurfaceReference { variable, state: Mutex::new((0, 0)) };
    let handle = SURFACES.insert(Arc::new(reference)).ok_or(CUerror::OUT_OF_MEMORY)?;
    Ok(handle as CUsurfref)
}

/// Ends the references of a module, with their handles and objects.
pub(crate) fn end_module(module: &Arc<ModuleData>) {
    for (handle, reference) in TEXTURES.all() {
        if reference.variable.as_ref().is_some_and(|variable| Arc::ptr_eq(&variable.module, module))
        {
            let _ = destroy_texture(handle as CUtexref);
        }
    }
    for (handle, reference) in SURFACES.all() {
        if Arc::ptr_eq(&reference.variable.module, module) {
            SURFACES.remove(handle);
            let (_, object) = *reference.state.lock();
            if object != 0 {
                let _ = texture::destroy_surface(object);
            }
        }
    }
}

/// Ends the texture references of a context that ends.
pub(crate) fn end_context(context: u64) {
    for (handle, reference) in TEXTURES.all() {
        if reference.context.id() == context {
            let _ = destroy_texture(handle as CUtexref);
        }
    }
}

impl ReferenceVariable {
    fn store(&self, current: &Current, object: u64) -> CUres {
        let hip = &current.driver.hip;
        let kind = hipMemcpyKind::hipMemcpyHostToDevice;
        let from = std::ptr::from_ref(&object).cast::<c_void>();
        // SAFETY: the variable has eight bytes and lives as long as the module.
        current.check(unsafe { hip.hipMemcpy(self.address as *mut c_void, from, 8, kind) })
    }
}

impl State {
    fn resource(&self) -> Option<CUDA_RESOURCE_DESC> {
        // SAFETY: all zeros is a description.
        let mut resource: CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
        match self.bound {
            Bound::Nothing => return None,
            Bound::Array(array) => {
                resource.resType = CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
                resource.res.array.hArray = array;
            }
            Bound::Mipmapped(array) => {
                resource.resType = CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
                resource.res.mipmap.hMipmappedArray = array;
            }
            Bound::Linear { address, size } => {
                resource.resType = CUresourcetype::CU_RESOURCE_TYPE_LINEAR;
                resource.res.linear.devPtr = address;
                resource.res.linear.format = self.format;
                resource.res.linear.numChannels = self.channels;
                resource.res.linear.sizeInBytes = size;
            }
            Bound::Plane { address, width, height, pitch } => {
                resource.resType = CUresourcetype::CU_RESOURCE_TYPE_PITCH2D;
                resource.res.pitch2D.devPtr = address;
                resource.res.pitch2D.format = self.format;
                resource.res.pitch2D.numChannels = self.channels;
                resource.res.pitch2D.width = width;
                resource.res.pitch2D.height = height;
                resource.res.pitch2D.pitchInBytes = pitch;
            }
        }
        Some(resource)
    }
}

impl TextureReference {
    /// Changes the reference; what does not make a texture leaves it as it was.
    pub(crate) fn change(&self, change: impl FnOnce(&mut State) -> CUres) -> CUres {
        let current = enter(&self.context)?;
        let mut state = self.state.lock();
        let mut new = state.clone();
        change(&mut new)?;
        if let (Some(resource), Some(variable)) = (new.resource(), &self.variable) {
            new.object = texture::create_texture(&current, &resource, &new.description, None)?;
            variable.store(&current, new.object)?;
            if state.object != 0 {
                let _ = texture::destroy_texture(state.object);
            }
        }
        *state = new;
        Ok(())
    }
}

impl SurfaceReference {
    /// `INVALID_VALUE` where nothing is bound.
    pub(crate) fn array(&self) -> CUres<CUarray> {
        match self.state.lock().0 {
            0 => Err(CUerror::INVALID_VALUE),
            array => Ok(array as CUarray),
        }
    }

    /// Binds an array; `INVALID_VALUE` for one that was not made for surfaces.
    pub(crate) fn set_array(&self, array: CUarray) -> CUres {
        let current = enter(&self.variable.module.context)?;
        if array::from_handle(array)?.descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST == 0 {
            return Err(CUerror::INVALID_VALUE);
        }
        // SAFETY: all zeros is a description.
        let mut resource: CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
        resource.resType = CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = array;
        let object = texture::create_surface(&current, &resource)?;
        self.variable.store(&current, object)?;
        let (_, old) = std::mem::replace(&mut *self.state.lock(), (array as u64, object));
        if old != 0 {
            let _ = texture::destroy_surface(old);
        }
        Ok(())
    }
}
