//! Descriptions, layouts, preferences and transforms: attributes that have a number and a size.

use crate::convert::{FromC, Out};
use crate::number::{INVALID, check};
use cuda_types::cublas::*;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind, is_handle};

/// Bytes before the attributes of an object in a program's memory.
const HEADER: usize = size_of::<u64>();

/// The attributes of an object: those that were set; others are zero.
pub(crate) struct Attributes {
    values: Mutex<BTreeMap<u32, Vec<u8>>>,
}

/// A class of objects, with the sizes of its attributes in bytes.
pub(crate) struct Class {
    handles: LazyLock<HandleTable<Attributes>>,
    /// What objects begin with that programs have memory of their own for: these 48 bits, and 16 with the bytes of that memory.
    /// All attributes follow that there is room for, one behind the other, so that programs may copy such an object.
    mark: u64,
    sizes: &'static [(u32, usize)],
}

impl Attributes {
    fn of(values: &[(u32, &[u8])]) -> Arc<Self> {
        let values = values.iter().map(|(attribute, value)| (*attribute, value.to_vec())).collect();
        Arc::new(Attributes { values: Mutex::new(values) })
    }

    /// A number that was set, else 0.
    pub(crate) fn number(&self, attribute: u32) -> u64 {
        let values = self.values.lock();
        let mut bytes = [0; 8];
        if let Some(value) = values.get(&attribute) {
            bytes[..value.len()].copy_from_slice(value);
        }
        u64::from_le_bytes(bytes)
    }

    /// An address.
    pub(crate) fn address(&self, attribute: u32) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.number(attribute) as usize)
    }
}

impl Class {
    /// Makes an object with some attributes.
    fn create(&self, values: &[(u32, &[u8])]) -> CublasResult<u64> {
        self.handles.insert(Attributes::of(values)).ok_or(cublasError::ALLOC_FAILED)
    }

    /// Makes an object in a program's memory.
    ///
    /// # Safety
    /// The place is null or has `size` bytes.
    unsafe fn create_in_place(
        &self,
        place: *mut u8,
        size: usize,
        values: &[(u32, &[u8])],
    ) -> CublasResult {
        check(!place.is_null() && (HEADER..1 << 16).contains(&size))?;
        let header = self.mark << 16 | size as u64;
        // SAFETY: the caller says so; `offset` says what is within.
        unsafe {
            place.write_bytes(0, size);
            place.cast::<u64>().write_unaligned(header);
            for (attribute, value) in values {
                if let Some(offset) = self.offset(*attribute, size) {
                    place.add(offset).copy_from_nonoverlapping(value.as_ptr(), value.len());
                }
            }
        }
        Ok(())
    }

    /// Where an attribute lies in an object of `size` bytes in a program's memory, if there is room for it.
    fn offset(&self, attribute: u32, size: usize) -> Option<usize> {
        let index = self.sizes.iter().position(|(number, _)| *number == attribute)?;
        let before: usize = self.sizes[..index].iter().map(|(_, size)| size).sum();
        Some(HEADER + before).filter(|offset| offset + self.sizes[index].1 <= size)
    }

    /// The memory of an object that a program has it for, and how much it is.
    ///
    /// # Safety
    /// The object is a handle, no multiple of 8, null, or an address that can be read.
    unsafe fn in_place(&self, object: u64) -> Option<(*mut u8, usize)> {
        // Such memory is an array of words.
        if object == 0 || !object.is_multiple_of(8) || is_handle(object) {
            return None;
        }
        let place: *mut u8 = std::ptr::with_exposed_provenance_mut(object as usize);
        // SAFETY: the caller says so.
        let header = unsafe { place.cast::<u64>().read_unaligned() };
        (header >> 16 == self.mark).then_some((place, header as usize & 0xffff))
    }

    /// # Safety
    /// As for [`Self::in_place`].
    unsafe fn find(&self, object: u64) -> CublasResult<Arc<Attributes>> {
        if let Some(found) = self.handles.get(object) {
            return Ok(found);
        }
        // SAFETY: the caller says so.
        let (place, size) = unsafe { self.in_place(object) }.ok_or(INVALID)?;
        let read = |&(attribute, bytes): &(u32, usize)| {
            let offset = self.offset(attribute, size)?;
            // SAFETY: the object was made in so many bytes.
            let value = unsafe { std::slice::from_raw_parts(place.add(offset), bytes) };
            Some((attribute, value))
        };
        let values: Vec<_> = self.sizes.iter().filter_map(read).collect();
        Ok(Attributes::of(&values))
    }

    fn size(&self, attribute: u32) -> CublasResult<usize> {
        let found = self.sizes.iter().find(|(number, _)| *number == attribute);
        found.map(|(_, size)| *size).ok_or(INVALID)
    }

    /// # Safety
    /// The buffer is null or as large as it is said to be, and the object as for [`Self::in_place`].
    unsafe fn set(
        &self,
        object: u64,
        attribute: u32,
        buffer: *const c_void,
        size: usize,
    ) -> CublasResult {
        // SAFETY: the caller says so.
        let found = unsafe { self.find(object) }?;
        let wanted = self.size(attribute)?;
        check(!buffer.is_null() && size == wanted)?;
        // SAFETY: the caller says so.
        let value = unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), size) }.to_vec();
        // SAFETY: the object was found.
        if let Some((place, room)) = unsafe { self.in_place(object) } {
            let offset = self.offset(attribute, room).ok_or(cublasError::NOT_SUPPORTED)?;
            // SAFETY: the object was made in so many bytes.
            unsafe { place.add(offset).copy_from_nonoverlapping(value.as_ptr(), wanted) };
        } else {
            found.values.lock().insert(attribute, value);
        }
        Ok(())
    }

    /// # Safety
    /// As for [`Self::set`].
    unsafe fn get(
        &self,
        object: u64,
        attribute: u32,
        buffer: *mut c_void,
        size: usize,
        written: Out<usize>,
    ) -> CublasResult {
        // SAFETY: the caller says so.
        let object = unsafe { self.find(object) }?;
        let wanted = self.size(attribute)?;
        if size == 0 {
            return written.set(wanted);
        }
        check(!buffer.is_null() && size >= wanted)?;
        let values = object.values.lock();
        let zeros = vec![0; wanted];
        let value = values.get(&attribute).unwrap_or(&zeros);
        // SAFETY: the caller says so.
        unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), buffer.cast::<u8>(), wanted) };
        written.set_if_wanted(wanted);
        Ok(())
    }
}

/// Numbers of attributes.
pub(crate) mod desc {
    use cuda_types::cublas::cublasLtMatmulDescAttributes_t as A;

    pub(crate) const COMPUTE: u32 = A::CUBLASLT_MATMUL_DESC_COMPUTE_TYPE.0;
    pub(crate) const SCALE: u32 = A::CUBLASLT_MATMUL_DESC_SCALE_TYPE.0;
    pub(crate) const POINTER_MODE: u32 = A::CUBLASLT_MATMUL_DESC_POINTER_MODE.0;
    pub(crate) const OP_A: u32 = A::CUBLASLT_MATMUL_DESC_TRANSA.0;
    pub(crate) const OP_B: u32 = A::CUBLASLT_MATMUL_DESC_TRANSB.0;
    pub(crate) const OP_C: u32 = A::CUBLASLT_MATMUL_DESC_TRANSC.0;
    pub(crate) const EPILOGUE: u32 = A::CUBLASLT_MATMUL_DESC_EPILOGUE.0;
    pub(crate) const BIAS: u32 = A::CUBLASLT_MATMUL_DESC_BIAS_POINTER.0;
    pub(crate) const BIAS_STRIDE: u32 = A::CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE.0;
    pub(crate) const BIAS_TYPE: u32 = A::CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE.0;
    pub(crate) const AUX: u32 = A::CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER.0;
    pub(crate) const AUX_LEADING: u32 = A::CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD.0;
    pub(crate) const AUX_STRIDE: u32 = A::CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE.0;
    pub(crate) const AUX_TYPE: u32 = A::CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE.0;
    pub(crate) const SCALES: [u32; 4] = [
        A::CUBLASLT_MATMUL_DESC_A_SCALE_POINTER.0,
        A::CUBLASLT_MATMUL_DESC_B_SCALE_POINTER.0,
        A::CUBLASLT_MATMUL_DESC_C_SCALE_POINTER.0,
        A::CUBLASLT_MATMUL_DESC_D_SCALE_POINTER.0,
    ];
    pub(crate) const SCALE_MODES: std::ops::RangeInclusive<u32> =
        A::CUBLASLT_MATMUL_DESC_A_SCALE_MODE.0..=A::CUBLASLT_MATMUL_DESC_D_SCALE_MODE.0;
    pub(crate) const LARGEST: u32 = A::CUBLASLT_MATMUL_DESC_AMAX_D_POINTER.0;
}

/// Numbers of attributes.
pub(crate) mod layout {
    use cuda_types::cublas::cublasLtMatrixLayoutAttribute_t as A;

    pub(crate) const TYPE: u32 = A::CUBLASLT_MATRIX_LAYOUT_TYPE.0;
    pub(crate) const ORDER: u32 = A::CUBLASLT_MATRIX_LAYOUT_ORDER.0;
    pub(crate) const ROWS: u32 = A::CUBLASLT_MATRIX_LAYOUT_ROWS.0;
    pub(crate) const COLUMNS: u32 = A::CUBLASLT_MATRIX_LAYOUT_COLS.0;
    pub(crate) const LEADING: u32 = A::CUBLASLT_MATRIX_LAYOUT_LD.0;
    pub(crate) const COUNT: u32 = A::CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT.0;
    pub(crate) const STRIDE: u32 = A::CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET.0;
    pub(crate) const PLANE: u32 = A::CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET.0;
    pub(crate) const BATCH_MODE: u32 = A::CUBLASLT_MATRIX_LAYOUT_BATCH_MODE.0;
}

/// Numbers of attributes.
pub(crate) mod transform {
    use cuda_types::cublas::cublasLtMatrixTransformDescAttributes_t as A;

    pub(crate) const SCALE: u32 = A::CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE.0;
    pub(crate) const POINTER_MODE: u32 = A::CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE.0;
    pub(crate) const OP_A: u32 = A::CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA.0;
    pub(crate) const OP_B: u32 = A::CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB.0;
}

/// Numbers of attributes.
mod emulation {
    use cuda_types::cublas::cublasLtEmulationDescAttributes_t as A;

    pub(super) const SPECIAL_VALUES: u32 = A::CUBLASLT_EMULATION_DESC_SPECIAL_VALUES_SUPPORT.0;
}

static DESCS: Class = Class {
    handles: LazyLock::new(|| HandleTable::new(Kind::CUBLASLT_MATMUL_DESC)),
    mark: 0x7a6c_4d64_6573,
    sizes: &[
        (desc::COMPUTE, 4),
        (desc::SCALE, 4),
        (desc::POINTER_MODE, 4),
        (desc::OP_A, 4),
        (desc::OP_B, 4),
        (desc::OP_C, 4),
        (6, 4),
        (desc::EPILOGUE, 4),
        (desc::BIAS, 8),
        (desc::BIAS_STRIDE, 8),
        (desc::AUX, 8),
        (desc::AUX_LEADING, 8),
        (desc::AUX_STRIDE, 8),
        (14, 8),
        (15, 4),
        (17, 8),
        (18, 8),
        (19, 8),
        (20, 8),
        (desc::LARGEST, 8),
        (desc::AUX_TYPE, 4),
        (23, 8),
        (24, 8),
        (25, 1),
        (desc::BIAS_TYPE, 4),
        (31, 4),
        (32, 4),
        (33, 4),
        (34, 4),
        (35, 4),
        (36, 8),
        (37, 4),
        (38, 8),
        (39, 8),
        (40, 8),
    ],
};

static LAYOUTS: Class = Class {
    handles: LazyLock::new(|| HandleTable::new(Kind::CUBLASLT_LAYOUT)),
    mark: 0x7a6c_4c61_796f,
    sizes: &[
        (layout::TYPE, 4),
        (layout::ORDER, 4),
        (layout::ROWS, 8),
        (layout::COLUMNS, 8),
        (layout::LEADING, 8),
        (layout::COUNT, 4),
        (layout::STRIDE, 8),
        (layout::PLANE, 8),
        (layout::BATCH_MODE, 4),
    ],
};

static TRANSFORMS: Class = Class {
    handles: LazyLock::new(|| HandleTable::new(Kind::CUBLASLT_TRANSFORM_DESC)),
    mark: 0x7a6c_5472_616e,
    sizes: &[
        (transform::SCALE, 4),
        (transform::POINTER_MODE, 4),
        (transform::OP_A, 4),
        (transform::OP_B, 4),
    ],
};

static PREFERENCES: Class = Class {
    handles: LazyLock::new(|| HandleTable::new(Kind::CUBLASLT_PREFERENCE)),
    mark: 0x7a6c_5072_6566,
    sizes: &[
        (0, 4),
        (1, 8),
        (3, 4),
        (5, 4),
        (6, 4),
        (7, 4),
        (8, 4),
        (9, 4),
        (12, 8),
        (13, 4),
        (14, 4),
        (15, 4),
    ],
};

/// Nothing is emulated, whatever they tell: products have the precision of their numbers.
static EMULATIONS: Class = Class {
    handles: LazyLock::new(|| HandleTable::new(Kind::CUBLASLT_EMULATION_DESC)),
    mark: 0x7a6c_456d_756c,
    sizes: &[(0, 4), (emulation::SPECIAL_VALUES, 4), (2, 4), (3, 4), (4, 4), (5, 8)],
};

/// Defines the functions of a class of objects.
macro_rules! class {
    ($class:ident $handle:ident $attribute:ident $destroy:ident $set:ident $get:ident $name:ident) => {
        /// An object of the class. No answer depends on a preference.
        #[allow(dead_code)]
        pub(crate) struct $name(pub(crate) Arc<Attributes>);

        impl FromC<$handle> for $name {
            unsafe fn from_c(handle: $handle) -> CublasResult<Self> {
                // SAFETY: the caller passes what the API asks for.
                unsafe { $class.find(handle as u64) }.map($name)
            }
        }

        /// An object, or none.
        impl FromC<$handle> for Option<$name> {
            unsafe fn from_c(handle: $handle) -> CublasResult<Self> {
                if handle.is_null() {
                    Ok(None)
                } else {
                    // SAFETY: the caller passes what the API asks for.
                    unsafe { $class.find(handle as u64) }.map($name).map(Some)
                }
            }
        }

        pub(crate) fn $destroy(object: $handle) -> CublasResult {
            $class.handles.remove(object as u64).map(drop).ok_or(INVALID)
        }

        pub(crate) unsafe fn $set(
            object: $handle,
            attribute: $attribute,
            buffer: *const c_void,
            size: usize,
        ) -> CublasResult {
            // SAFETY: the caller passes what the API asks for.
            unsafe { $class.set(object as u64, attribute.0, buffer, size) }
        }

        pub(crate) unsafe fn $get(
            object: $handle,
            attribute: $attribute,
            buffer: *mut c_void,
            size: usize,
            written: Out<usize>,
        ) -> CublasResult {
            // SAFETY: the caller passes what the API asks for.
            unsafe { $class.get(object as u64, attribute.0, buffer, size, written) }
        }
    };
}

class! { DESCS cublasLtMatmulDesc_t cublasLtMatmulDescAttributes_t destroy_desc set_desc get_desc Desc }
class! { LAYOUTS cublasLtMatrixLayout_t cublasLtMatrixLayoutAttribute_t destroy_layout set_layout get_layout Layout }
class! {
    TRANSFORMS cublasLtMatrixTransformDesc_t cublasLtMatrixTransformDescAttributes_t
    destroy_transform set_transform get_transform Transform
}
class! {
    EMULATIONS cublasLtEmulationDesc_t cublasLtEmulationDescAttributes_t
    destroy_emulation set_emulation get_emulation Emulation
}
class! {
    PREFERENCES cublasLtMatmulPreference_t cublasLtMatmulPreferenceAttributes_t
    destroy_preference set_preference get_preference Preference
}

/// Defines the functions that make objects, and the one that has their first attributes.
macro_rules! makers {
    ($($class:ident $handle:ident $create:ident $init:ident ($($argument:ident: $ty:ty),*) $values:expr;)*) => {$(
        pub(crate) fn $create(object: Out<$handle> $(, $argument: $ty)*) -> CublasResult {
            object.check()?;
            let handle = $class.create($values)?;
            object.set(std::ptr::without_provenance_mut(handle as usize))
        }

        pub(crate) unsafe fn $init(object: $handle, size: usize $(, $argument: $ty)*) -> CublasResult {
            // SAFETY: the caller passes what the API asks for.
            unsafe { $class.create_in_place(object.cast(), size, $values) }
        }
    )*};
}

makers! {
    DESCS cublasLtMatmulDesc_t create_desc init_desc (compute: cublasComputeType_t, scale: cudaDataType) &[
        (desc::COMPUTE, &compute.0.to_le_bytes()),
        (desc::SCALE, &scale.0.to_le_bytes()),
        (desc::EPILOGUE, &cublasLtEpilogue_t::CUBLASLT_EPILOGUE_DEFAULT.0.to_le_bytes()),
        (desc::BIAS_TYPE, &u32::MAX.to_le_bytes()),
        (desc::AUX_TYPE, &u32::MAX.to_le_bytes()),
    ];
    LAYOUTS cublasLtMatrixLayout_t create_layout init_layout (
        ty: cudaDataType, rows: u64, columns: u64, leading: i64
    ) &[
        (layout::TYPE, &ty.0.to_le_bytes()),
        (layout::ROWS, &rows.to_le_bytes()),
        (layout::COLUMNS, &columns.to_le_bytes()),
        (layout::LEADING, &leading.to_le_bytes()),
        (layout::COUNT, &1i32.to_le_bytes()),
    ];
    PREFERENCES cublasLtMatmulPreference_t create_preference init_preference () &[];
    EMULATIONS cublasLtEmulationDesc_t create_emulation init_emulation () &[
        (emulation::SPECIAL_VALUES, &0xffffu32.to_le_bytes()),
    ];
    TRANSFORMS cublasLtMatrixTransformDesc_t create_transform init_transform (scale: cudaDataType) &[
        (transform::SCALE, &scale.0.to_le_bytes()),
    ];
}
