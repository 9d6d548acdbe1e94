//! Questions about pointers.

use crate::convert::In;
use crate::core::context::current;
use crate::core::memory::pool;
use crate::core::memory::{self, Allocation, Kind, virtual_memory};
use cuda_types::cuda::{
    CU_DEVICE_INVALID, CUcontext, CUdeviceptr, CUerror, CUmemorytype, CUpointer_attribute as A,
    CUres,
};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The value of an attribute, as the type that it has. What the manual calls a boolean is an `int` for
/// NVIDIA's runtime.
enum Value {
    Context(CUcontext),
    Int(c_int),
    Word(u64),
    /// Two words, for which the driver's interface to the kernel would be needed.
    Tokens,
}

impl Value {
    /// # Safety
    /// `data` points to room for a value of this type.
    unsafe fn store(self, data: *mut c_void) {
        // SAFETY: the caller says so.
        unsafe {
            match self {
                Value::Context(value) => data.cast::<CUcontext>().write_unaligned(value),
                Value::Int(value) => data.cast::<c_int>().write_unaligned(value),
                Value::Word(value) => data.cast::<u64>().write_unaligned(value),
                Value::Tokens => data.cast::<[u64; 2]>().write_unaligned([0; 2]),
            }
        }
    }
}

fn attribute(allocation: &Allocation, attribute: A, pointer: CUdeviceptr) -> CUres<Value> {
    let offset = pointer - allocation.base;
    let memory_type = match allocation.is_host() {
        true => CUmemorytype::CU_MEMORYTYPE_HOST,
        false => CUmemorytype::CU_MEMORYTYPE_DEVICE,
    };
    Ok(match attribute {
        // What comes from a pool is of no context.
        A::CU_POINTER_ATTRIBUTE_CONTEXT if matches!(allocation.kind, Kind::Pool(_)) => {
            Value::Context(null_mut())
        }
        A::CU_POINTER_ATTRIBUTE_CONTEXT => {
            Value::Context(allocation.context().map_or(null_mut(), |context| context.handle()))
        }
        A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE => Value::Int(memory_type.0 as c_int),
        // "CUDA_ERROR_INVALID_VALUE if the [memory] is not accessible from the context"
        A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER if allocation.is_of_host_alone() => {
            return Err(CUerror::INVALID_VALUE);
        }
        // "the address [for] kernels running in the current CUcontext"
        A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER => {
            if !allocation.is_accessible_in(&current()?.context) {
                return Err(CUerror::INVALID_VALUE);
            }
            Value::Word(pointer)
        }
        // "CUDA_ERROR_INVALID_VALUE if [the memory] cannot be accessed by the host"
        A::CU_POINTER_ATTRIBUTE_HOST_POINTER if allocation.is_managed_variable(pointer) => {
            Value::Word(pointer)
        }
        A::CU_POINTER_ATTRIBUTE_HOST_POINTER if allocation.host == 0 => {
            return Err(CUerror::INVALID_VALUE);
        }
        A::CU_POINTER_ATTRIBUTE_HOST_POINTER => Value::Word(allocation.host + offset),
        A::CU_POINTER_ATTRIBUTE_P2P_TOKENS if allocation.is_host() => {
            return Err(CUerror::INVALID_VALUE);
        }
        A::CU_POINTER_ATTRIBUTE_P2P_TOKENS => Value::Tokens,
        A::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS => {
            Value::Int(allocation.sync_memops.load(Ordering::Relaxed))
        }
        A::CU_POINTER_ATTRIBUTE_BUFFER_ID => Value::Word(allocation.id),
        // An H100 says so of managed memory too.
        A::CU_POINTER_ATTRIBUTE_IS_MANAGED if matches!(allocation.kind, Kind::Graph(_)) => {
            Value::Int(0)
        }
        A::CU_POINTER_ATTRIBUTE_IS_MANAGED => {
            Value::Int(c_int::from(allocation.is_managed_at(pointer)))
        }
        A::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => Value::Int(allocation.device()),
        A::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE => {
            Value::Int(c_int::from(allocation.kind == Kind::Device))
        }
        A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR => Value::Word(range(allocation, pointer).0),
        A::CU_POINTER_ATTRIBUTE_RANGE_SIZE => Value::Word(range(allocation, pointer).1 as u64),
        A::CU_POINTER_ATTRIBUTE_MAPPED => Value::Int(1),
        A::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES => {
            let mapped = allocation.mapping.as_ref().map(|m| m.memory.properties.handle_types);
            let share = allocation.share.as_ref();
            let types = mapped.or_else(|| share.map(|share| share.pool.handle_types));
            // Of the size of one of them, as an H100 stores it.
            Value::Int(types.map_or(0, |types| types.0 as c_int))
        }
        A::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE => Value::Int(0),
        // Read and write, but for mappings.
        A::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS => {
            Value::Int(allocation.mapping.as_ref().map_or(3, |m| m.own_access() as c_int))
        }
        A::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE if matches!(allocation.kind, Kind::Pool(_)) => {
            let [default, _] = pool::of_device(allocation.device())?;
            let pool = allocation.share.as_ref().map_or(&default, |share| &share.pool);
            Value::Word(pool.handle() as u64)
        }
        A::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE => Value::Word(0),
        A::CU_POINTER_ATTRIBUTE_MAPPING_SIZE => Value::Word(allocation.size as u64),
        A::CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR => Value::Word(allocation.base),
        A::CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID => Value::Word(allocation.id),
        A::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE => Value::Int(0),
        _ => return Err(CUerror::INVALID_VALUE),
    })
}

/// The addresses that an allocation belongs to: where they begin, and their size. Those of a mapping are reserved.
fn range(allocation: &Allocation, pointer: u64) -> (u64, usize) {
    let part = match allocation.kind {
        Kind::Mapped => virtual_memory::reservation(allocation.base),
        _ => allocation.variable(pointer),
    };
    part.unwrap_or((allocation.base, allocation.size))
}

/// What is at an address: of a graph's memory, what a launch has put there.
fn find(pointer: CUdeviceptr) -> Option<Arc<Allocation>> {
    let found = memory::find(pointer).or_else(|| memory::find_host(pointer));
    let is_graphs = |found: &Allocation| matches!(found.kind, Kind::Graph(_));
    found.filter(|found| !(is_graphs(found) && found.is_absent.load(Ordering::Acquire)))
}

pub(crate) fn cuPointerGetAttribute(data: *mut c_void, wanted: A, pointer: CUdeviceptr) -> CUres {
    if data.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    let allocation = find(pointer).ok_or(CUerror::INVALID_VALUE)?;
    let device = if allocation.host != 0
        && !(allocation.base..allocation.base + allocation.size as u64).contains(&pointer)
    {
        pointer - allocation.host + allocation.base
    } else {
        pointer
    };
    // An H100 stores null, too.
    if wanted == A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER && allocation.is_of_host_alone() {
        // SAFETY: as below.
        unsafe { nothing(wanted).store(data) };
    }
    let value = attribute(&allocation, wanted, device)?;
    // SAFETY: the program passes room for the attribute that it names.
    unsafe { value.store(data) };
    Ok(())
}

/// There are fewer attributes than this. A program that asks for more has passed a wrong count.
const MOST_ATTRIBUTES: usize = 256;

pub(crate) fn cuPointerGetAttributes(
    count: c_uint,
    attributes: In<A>,
    data: In<*mut c_void>,
    pointer: CUdeviceptr,
) -> CUres {
    let attributes = attributes.array(count as usize, MOST_ATTRIBUTES)?;
    let data = data.array(count as usize, MOST_ATTRIBUTES)?;
    let allocation = find(pointer);
    for (wanted, room) in attributes.into_iter().zip(data) {
        if room.is_null()
            || wanted.0 == 0
            || wanted.0 > A::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE.0
        {
            return Err(CUerror::INVALID_VALUE);
        }
        // "Unlike cuPointerGetAttribute, this function will not return an error when the ptr encountered is
        // not a valid CUDA pointer. Instead, the attributes are assigned default NULL values and
        // CUDA_SUCCESS is returned."
        let value = match &allocation {
            Some(allocation) if memory::find(pointer).is_some() => {
                attribute(allocation, wanted, pointer)
            }
            Some(allocation) => {
                attribute(allocation, wanted, pointer - allocation.host + allocation.base)
            }
            None => Err(CUerror::INVALID_VALUE),
        };
        let value = value.unwrap_or_else(|_| nothing(wanted));
        // SAFETY: the program passes room for each attribute that it names.
        unsafe { value.store(room) };
    }
    Ok(())
}

/// The value of an attribute that a pointer does not have.
fn nothing(attribute: A) -> Value {
    match attribute {
        A::CU_POINTER_ATTRIBUTE_CONTEXT => Value::Context(null_mut()),
        A::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => Value::Int(CU_DEVICE_INVALID),
        A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE
        | A::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
        | A::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES
        | A::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS => Value::Int(0),
        A::CU_POINTER_ATTRIBUTE_IS_MANAGED
        | A::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE
        | A::CU_POINTER_ATTRIBUTE_MAPPED
        | A::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE
        | A::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE => Value::Int(0),
        A::CU_POINTER_ATTRIBUTE_P2P_TOKENS => Value::Tokens,
        _ => Value::Word(0),
    }
}

pub(crate) fn cuPointerSetAttribute(value: In<c_void>, wanted: A, pointer: CUdeviceptr) -> CUres {
    let value = value.cast::<c_int>().get()?;
    current()?;
    let allocation = memory::find(pointer).ok_or(CUerror::INVALID_VALUE)?;
    // "The supported attribute is CU_POINTER_ATTRIBUTE_SYNC_MEMOPS".
    if wanted != A::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS {
        return Err(CUerror::INVALID_VALUE);
    }
    allocation.sync_memops.store(value, Ordering::Relaxed);
    Ok(())
}
