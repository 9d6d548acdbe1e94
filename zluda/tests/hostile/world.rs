//! The values of arguments: live objects, freed ones, and what never was an object.

use crate::common::kernel_node;
use cuda_types::cuda::*;
use libloading::Library;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::{null, null_mut};

pub const TEXT: &[u8] = b".version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 variable;
.global .texref texture;
.global .surfref surface;
.visible .entry kernel() { ret; }
.visible .entry busy() {
    .reg .pred %p;
    .reg .b32 %r;
    mov.u32 %r, 20000;
again:
    sub.u32 %r, %r, 1;
    st.volatile.global.u32 [variable], %r;
    setp.ne.u32 %p, %r, 0;
@%p bra again;
    ret;
}
.visible .entry fault() {
    .reg .b64 %rd;
    mov.u64 %rd, 64;
    st.global.u32 [%rd], 1;
    ret;
}
\0";

/// The name of a file with the text above is in this variable.
pub const FILE: &str = "ZLUDA_TEST_FILE";

/// Bytes behind each pointer argument: more than any structure of the API, all 0.
const ROOM: usize = 64 << 10;

/// A live object and one that is gone, of each kind of handle.
pub struct World {
    handles: Vec<(&'static str, u64, u64)>,
    pointer: (u64, u64),
    host: u64,
    /// Nodes of graphs, by a part of the names of functions that are about them.
    nodes: Vec<(&'static str, u64)>,
    child: u64,
    clone: u64,
    /// Memory that a node of a graph allocates.
    graph_memory: u64,
    /// A reservation with memory in its first half, of the size below, that can be accessed; its second half is free.
    mapped: u64,
    /// A reservation without memory.
    reserved: u64,
    /// A file descriptor of memory.
    descriptor: i32,
    /// The memory that it is of.
    shareable: u64,
    /// Memory for pointers to point to.
    room: Vec<Box<[u64]>>,
    /// All multiprocessors of the device.
    resource: CUdevResource,
    end_context: unsafe extern "C" fn(CUcontext) -> CUresult,
    end_green: unsafe extern "C" fn(CUgreenCtx) -> CUresult,
    free_addresses: FreeAddresses,
}

/// The functions that give back memory that belongs to no context.
#[derive(Clone, Copy)]
struct FreeAddresses {
    unmap: unsafe extern "C" fn(CUdeviceptr, usize) -> CUresult,
    free: unsafe extern "C" fn(CUdeviceptr, usize) -> CUresult,
    release: unsafe extern "C" fn(u64) -> CUresult,
}

impl FreeAddresses {
    fn new(library: &Library) -> FreeAddresses {
        // SAFETY: the signatures are those of `cuda.h`.
        unsafe {
            FreeAddresses {
                unmap: *library.get(b"cuMemUnmap").expect("cuMemUnmap"),
                free: *library.get(b"cuMemAddressFree").expect("cuMemAddressFree"),
                release: *library.get(b"cuMemRelease").expect("cuMemRelease"),
            }
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let (green, _) = self.handle("CUgreenCtx").expect("it is one of the kinds");
        // SAFETY: the library is not unloaded before the process ends. The contexts may have ended already.
        unsafe {
            (self.end_context)(self.handles[0].1 as CUcontext);
            (self.end_green)(green as CUgreenCtx);
        }
        let FreeAddresses { unmap, free, release } = self.free_addresses;
        let (live, _) =
            self.handle("CUmemGenericAllocationHandle").expect("it is one of the kinds");
        // SAFETY: as above. What is gone already is found out.
        unsafe {
            unmap(self.mapped, UNIT);
            unmap(self.mapped + UNIT as u64, UNIT);
            free(self.mapped, 2 * UNIT);
            free(self.reserved, UNIT);
            release(live);
        }
    }
}

/// One value of an argument, and what it is called in the list of exceptions.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub name: &'static str,
    pub word: u64,
    pub kind: Kind,
}

/// The fault of a value, which decides about the answers that are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    NullHandle,
    WrongHandle,
    WrongDevice,
    NullPointer,
    /// A size, an address, a number or a text that may be wrong, which only the function knows.
    Number,
}

fn file() -> String {
    std::env::var(FILE).expect("the other test sets it")
}

fn pool_properties() -> CUmemPoolProps {
    // SAFETY: a structure of numbers.
    let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    properties
}

fn allocation() -> CUDA_MEM_ALLOC_NODE_PARAMS {
    // SAFETY: a structure of numbers and pointers.
    let zeros: CUDA_MEM_ALLOC_NODE_PARAMS = unsafe { std::mem::zeroed() };
    CUDA_MEM_ALLOC_NODE_PARAMS { poolProps: pool_properties(), bytesize: 64, ..zeros }
}

fn copy_node(pointer: CUdeviceptr) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        srcDevice: pointer,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        dstDevice: pointer,
        WidthInBytes: 64,
        Height: 1,
        Depth: 1,
        // SAFETY: a structure of numbers and pointers.
        ..unsafe { std::mem::zeroed() }
    }
}

fn memset_node(dst: CUdeviceptr) -> CUDA_MEMSET_NODE_PARAMS {
    CUDA_MEMSET_NODE_PARAMS { dst, pitch: 0, value: 1, elementSize: 4, width: 16, height: 1 }
}

/// Functions about addresses that memory is mapped to.
const VIRTUAL_MEMORY: &[&str] = &[
    "cuMemAddressFree",
    "cuMemCreate",
    "cuMemMap",
    "cuMemUnmap",
    "cuMemSetAccess",
    "cuMemGetAccess",
];

/// What lies at the pointer: streams that wait for it, or for any of the wrong values, or for that as another flag says it,
/// need not wait.
const AWAITED: u64 = 1 << 60 | 1;

/// The granularity of memory without an address, and its size here.
const UNIT: usize = 2 << 20;

fn memory_properties(handle_types: u32) -> CUmemAllocationProp {
    // SAFETY: a structure of numbers and a pointer.
    let mut properties: CUmemAllocationProp = unsafe { std::mem::zeroed() };
    properties.type_ = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    properties.requestedHandleTypes = CUmemAllocationHandleType(handle_types);
    properties
}

fn access() -> CUmemAccessDesc {
    let location = CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: 0 };
    CUmemAccessDesc { location, flags: CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE }
}

/// A write of a word.
fn batch_operation(address: CUdeviceptr) -> CUstreamBatchMemOpParams {
    // SAFETY: a union of structures of numbers.
    let mut operation: CUstreamBatchMemOpParams = unsafe { std::mem::zeroed() };
    operation.writeValue.operation = CUstreamBatchMemOpType::CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operation.writeValue.address = address;
    operation
}

fn batch_node(operation: *mut CUstreamBatchMemOpParams) -> CUDA_BATCH_MEM_OP_NODE_PARAMS {
    CUDA_BATCH_MEM_OP_NODE_PARAMS { ctx: null_mut(), count: 1, paramArray: operation, flags: 0 }
}

unsafe extern "C" fn end_object(_data: *mut c_void) {}

/// The parameters of nodes for semaphores: none of them.
fn no_semaphore() -> [u64; 3] {
    [0; 3]
}

fn host_node() -> CUDA_HOST_NODE_PARAMS {
    CUDA_HOST_NODE_PARAMS { fn_: Some(end_object), userData: null_mut() }
}

/// A row of bytes, which surfaces can be made of.
fn array_descriptor() -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR {
        Width: 128,
        Height: 0,
        Depth: 0,
        Format: CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8,
        NumChannels: 1,
        Flags: CUDA_ARRAY3D_SURFACE_LDST,
    }
}

/// All of the array.
fn view() -> CUDA_RESOURCE_VIEW_DESC {
    // SAFETY: a structure of numbers.
    let mut view: CUDA_RESOURCE_VIEW_DESC = unsafe { std::mem::zeroed() };
    view.format = CUresourceViewFormat::CU_RES_VIEW_FORMAT_UINT_1X8;
    view.width = array_descriptor().Width;
    view
}

fn resource(array: CUarray) -> CUDA_RESOURCE_DESC {
    // SAFETY: a structure of numbers and handles.
    let mut resource: CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
    resource.resType = CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    resource
}

extern "C" fn nothing() -> usize {
    0
}

macro_rules! ask {
    ($library:expr, $name:ident($($argument:expr),* $(,)?): ($($ty:ty),*)) => {{
        // SAFETY: the signature is that of `cuda.h`.
        let function = unsafe {
            $library.get::<unsafe extern "C" fn($($ty),*) -> CUresult>(stringify!($name).as_bytes())
        }
        .expect(stringify!($name));
        // SAFETY: every argument is valid.
        let result = unsafe { function($($argument),*) };
        assert_eq!(result, CUresult::CUDA_SUCCESS, "{} fails as part of setting up", stringify!($name));
    }};
}

/// Memory that can be shared, and a file descriptor of it: one for the whole process.
fn shared_memory(library: &Library) -> (u64, i32) {
    static SHARED: std::sync::OnceLock<(u64, i32)> = std::sync::OnceLock::new();
    *SHARED.get_or_init(|| {
        // SAFETY: the signatures are those of `cuda.h`.
        unsafe {
            let create =
                library
                    .get::<unsafe extern "C" fn(
                        *mut u64,
                        usize,
                        *const CUmemAllocationProp,
                        u64,
                    ) -> CUresult>(b"cuMemCreate")
                    .expect("cuMemCreate");
            let export = library
                .get::<unsafe extern "C" fn(*mut i32, u64, u32, u64) -> CUresult>(
                    b"cuMemExportToShareableHandle",
                )
                .expect("cuMemExportToShareableHandle");
            let (mut memory, mut descriptor) = (0, -1);
            create(&mut memory, UNIT, &memory_properties(1), 0);
            export(&mut descriptor, memory, 1, 0);
            (memory, descriptor)
        }
    })
}

impl World {
    /// Makes everything in a fresh context, which is current then.
    pub fn new(library: &Library) -> World {
        let mut handles = Vec::new();
        let context = || {
            let mut context = null_mut();
            ask!(library, cuCtxCreate_v2(&mut context, 0, 0): (*mut CUcontext, u32, CUdevice));
            context
        };
        let gone = context();
        ask!(library, cuCtxDestroy_v2(gone): (CUcontext));
        handles.push(("CUcontext", context() as u64, gone as u64));

        /// Makes two, and destroys one.
        macro_rules! two {
            ($ty:ident, $destroy:ident, |$out:ident| $make:expr) => {{
                let make = || {
                    let mut $out: $ty = null_mut();
                    $make;
                    $out
                };
                let (live, gone) = (make(), make());
                ask!(library, $destroy(gone): ($ty));
                handles.push((stringify!($ty), live as u64, gone as u64));
                live
            }};
        }

        two!(CUstream, cuStreamDestroy_v2, |new| ask!(library,
            cuStreamCreate(&mut new, 0): (*mut CUstream, u32)));
        let event = two!(CUevent, cuEventDestroy_v2, |new| ask!(library,
            cuEventCreate(&mut new, 0): (*mut CUevent, u32)));
        ask!(library, cuEventRecord(event, null_mut()): (CUevent, CUstream));
        ask!(library, cuEventSynchronize(event): (CUevent));

        let load_module = || {
            let (mut module, mut function) = (null_mut(), null_mut());
            ask!(library, cuModuleLoadData(&mut module, TEXT.as_ptr().cast()):
                (*mut CUmodule, *const c_void));
            ask!(library, cuModuleGetFunction(&mut function, module, c"kernel".as_ptr()):
                (*mut CUfunction, CUmodule, *const std::ffi::c_char));
            (module, function)
        };
        let (live, gone) = (load_module(), load_module());
        ask!(library, cuModuleUnload(gone.0): (CUmodule));
        handles.push(("CUmodule", live.0 as u64, gone.0 as u64));
        handles.push(("CUfunction", live.1 as u64, gone.1 as u64));
        let function = live.1;

        let load_library = || {
            let (mut new, mut kernel) = (null_mut(), null_mut());
            ask!(library, cuLibraryLoadData(&mut new, TEXT.as_ptr().cast(), null_mut(), null_mut(), 0,
                null_mut(), null_mut(), 0): (*mut CUlibrary, *const c_void, *mut CUjit_option,
                *mut *mut c_void, u32, *mut CUlibraryOption, *mut *mut c_void, u32));
            ask!(library, cuLibraryGetKernel(&mut kernel, new, c"kernel".as_ptr()):
                (*mut CUkernel, CUlibrary, *const std::ffi::c_char));
            (new, kernel)
        };
        let (live, gone) = (load_library(), load_library());
        ask!(library, cuLibraryUnload(gone.0): (CUlibrary));
        handles.push(("CUlibrary", live.0 as u64, gone.0 as u64));
        handles.push(("CUkernel", live.1 as u64, gone.1 as u64));

        two!(CUlinkState, cuLinkDestroy, |new| ask!(library,
            cuLinkCreate_v2(0, null_mut(), null_mut(), &mut new):
            (u32, *mut CUjit_option, *mut *mut c_void, *mut CUlinkState)));
        let properties = pool_properties();
        two!(CUmemoryPool, cuMemPoolDestroy, |new| ask!(library,
            cuMemPoolCreate(&mut new, &properties): (*mut CUmemoryPool, *const CUmemPoolProps)));

        let graph = two!(CUgraph, cuGraphDestroy, |new| ask!(library,
            cuGraphCreate(&mut new, 0): (*mut CUgraph, u32)));
        two!(CUgraphNode, cuGraphDestroyNode, |new| ask!(library,
            cuGraphAddKernelNode_v2(&mut new, graph, null(), 0, &kernel_node(function)):
            (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const CUDA_KERNEL_NODE_PARAMS)));
        let objects = || {
            let mut object = null_mut();
            ask!(library, cuUserObjectCreate(&mut object, null_mut(), Some(end_object), 2, 1):
                (*mut CUuserObject, *mut c_void, CUhostFn, u32, u32));
            object
        };
        let (live, gone) = (objects(), objects());
        ask!(library, cuUserObjectRelease(gone, 2): (CUuserObject, u32));
        ask!(library, cuGraphRetainUserObject(graph, live, 1, 0): (CUgraph, CUuserObject, u32, u32));
        handles.push(("CUuserObject", live as u64, gone as u64));
        let (mut live, mut gone) = (0, 0);
        for pointer in [&mut live, &mut gone] {
            ask!(library, cuMemAlloc_v2(pointer, 64 << 20): (*mut CUdeviceptr, usize));
        }
        ask!(library, cuMemFree_v2(gone): (CUdeviceptr));
        for (at, word) in [(0, AWAITED), (4, AWAITED >> 32)] {
            ask!(library, cuMemsetD32_v2(live + at, word as u32, 1): (CUdeviceptr, u32, usize));
        }
        let pointer = (live, gone);
        let new_graph = || {
            let mut graph = null_mut();
            ask!(library, cuGraphCreate(&mut graph, 0): (*mut CUgraph, u32));
            graph
        };
        let (child, keeper) = (new_graph(), new_graph());
        let mut nodes = Vec::new();
        /// Adds a node by a function of its own, with what follows the dependencies.
        macro_rules! node {
            ($part:literal, $graph:expr, $name:ident($($argument:expr),*): ($($ty:ty),*)) => {{
                let mut node = null_mut();
                ask!(library, $name(&mut node, $graph, null(), 0, $($argument),*):
                    (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, $($ty),*));
                nodes.push(($part, node as u64));
            }};
        }
        let mut graph_memory = allocation();
        node!("MemAlloc", keeper, cuGraphAddMemAllocNode(&mut graph_memory): (*mut CUDA_MEM_ALLOC_NODE_PARAMS));
        node!("MemFree", keeper, cuGraphAddMemFreeNode(graph_memory.dptr): (CUdeviceptr));
        node!("another", keeper, cuGraphAddMemAllocNode(&mut graph_memory): (*mut CUDA_MEM_ALLOC_NODE_PARAMS));
        node!("Memcpy", graph, cuGraphAddMemcpyNode(&copy_node(live), null_mut()): (*const CUDA_MEMCPY3D, CUcontext));
        node!("Memset", graph, cuGraphAddMemsetNode(&memset_node(live), null_mut()):
            (*const CUDA_MEMSET_NODE_PARAMS, CUcontext));
        let mut batch = batch_operation(live);
        node!("BatchMemOp", graph, cuGraphAddBatchMemOpNode(&batch_node(&mut batch)):
            (*const CUDA_BATCH_MEM_OP_NODE_PARAMS));
        node!("SemaphoresSignal", graph, cuGraphAddExternalSemaphoresSignalNode(&no_semaphore()): (*const [u64; 3]));
        node!("SemaphoresWait", graph, cuGraphAddExternalSemaphoresWaitNode(&no_semaphore()): (*const [u64; 3]));
        node!("Host", graph, cuGraphAddHostNode(&host_node()): (*const CUDA_HOST_NODE_PARAMS));
        node!("ChildGraph", graph, cuGraphAddChildGraphNode(child): (CUgraph));
        node!("EventRecord", graph, cuGraphAddEventRecordNode(event): (CUevent));
        node!("EventWait", graph, cuGraphAddEventWaitNode(event): (CUevent));
        let mut empty = null_mut();
        ask!(library, cuGraphAddEmptyNode(&mut empty, graph, null(), 0):
            (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize));
        nodes.push(("cuGraphNodeSetParams", empty as u64));
        nodes.push(("cuGraphExecNodeSetParams", empty as u64));
        let mut clone = null_mut();
        ask!(library, cuGraphClone(&mut clone, graph): (*mut CUgraph, CUgraph));
        two!(CUgraphExec, cuGraphExecDestroy, |new| ask!(library,
            cuGraphInstantiateWithFlags(&mut new, graph, 0): (*mut CUgraphExec, CUgraph, u64)));

        let descriptor = array_descriptor();
        let array = two!(CUarray, cuArrayDestroy, |new| ask!(library,
            cuArray3DCreate_v2(&mut new, &descriptor): (*mut CUarray, *const CUDA_ARRAY3D_DESCRIPTOR)));
        two!(CUmipmappedArray, cuMipmappedArrayDestroy, |new| ask!(library,
            cuMipmappedArrayCreate(&mut new, &descriptor, 2):
            (*mut CUmipmappedArray, *const CUDA_ARRAY3D_DESCRIPTOR, u32)));
        let resource = resource(array);
        let object = |surface: bool| {
            let mut object: CUtexObject = 0;
            // SAFETY: a structure of numbers.
            let description: CUDA_TEXTURE_DESC = unsafe { std::mem::zeroed() };
            if surface {
                ask!(library, cuSurfObjectCreate(&mut object, &resource):
                    (*mut CUsurfObject, *const CUDA_RESOURCE_DESC));
            } else {
                ask!(library, cuTexObjectCreate(&mut object, &resource, &description, null()):
                    (*mut CUtexObject, *const CUDA_RESOURCE_DESC, *const CUDA_TEXTURE_DESC,
                    *const CUDA_RESOURCE_VIEW_DESC));
            }
            object
        };
        let (texture, gone) = (object(false), object(false));
        ask!(library, cuTexObjectDestroy(gone): (CUtexObject));
        handles.push(("CUtexObject", texture, gone));
        let (surface, gone) = (object(true), object(true));
        ask!(library, cuSurfObjectDestroy(gone): (CUsurfObject));
        handles.push(("CUsurfObject", surface, gone));

        two!(CUtexref, cuTexRefDestroy, |new| ask!(library,
            cuTexRefCreate(&mut new): (*mut CUtexref)));
        let module = |index: usize| handles[index].1 as CUmodule;
        let canvas = |module: CUmodule| {
            let mut reference: CUsurfref = null_mut();
            ask!(library, cuModuleGetSurfRef(&mut reference, module, c"surface".as_ptr()):
                (*mut CUsurfref, CUmodule, *const std::ffi::c_char));
            reference as u64
        };
        let at =
            handles.iter().position(|(name, ..)| *name == "CUmodule").expect("it was made above");
        let (ended, _) = load_module();
        let (live, gone) = (canvas(module(at)), canvas(ended));
        ask!(library, cuModuleUnload(ended): (CUmodule));
        handles.push(("CUsurfref", live, gone));

        let memory = || {
            let mut memory = 0;
            ask!(library, cuMemCreate(&mut memory, UNIT, &memory_properties(0), 0):
                (*mut u64, usize, *const CUmemAllocationProp, u64));
            memory
        };
        let (live, gone) = (memory(), memory());
        ask!(library, cuMemRelease(gone): (u64));
        handles.push(("CUmemGenericAllocationHandle", live, gone));
        let (mut mapped, mut reserved) = (0, 0);
        ask!(library, cuMemAddressReserve(&mut mapped, 2 * UNIT, 0, 0, 0):
            (*mut CUdeviceptr, usize, usize, CUdeviceptr, u64));
        ask!(library, cuMemMap(mapped, UNIT, 0, live, 0): (CUdeviceptr, usize, usize, u64, u64));
        ask!(library, cuMemSetAccess(mapped, UNIT, &access(), 1):
            (CUdeviceptr, usize, *const CUmemAccessDesc, usize));
        ask!(library, cuMemAddressReserve(&mut reserved, UNIT, 0, 0, 0):
            (*mut CUdeviceptr, usize, usize, CUdeviceptr, u64));
        // SAFETY: numbers.
        let mut resource: CUdevResource = unsafe { std::mem::zeroed() };
        ask!(library, cuDeviceGetDevResource(0, &mut resource, CUdevResourceType::CU_DEV_RESOURCE_TYPE_SM):
            (CUdevice, *mut CUdevResource, CUdevResourceType));
        let mut description = null_mut();
        ask!(library, cuDevResourceGenerateDesc(&mut description, &mut resource, 1):
            (*mut CUdevResourceDesc, *mut CUdevResource, u32));
        handles.push(("CUdevResourceDesc", description as u64, gone));
        two!(CUgreenCtx, cuGreenCtxDestroy, |new| ask!(library,
            cuGreenCtxCreate(&mut new, description, 0, 1):
            (*mut CUgreenCtx, CUdevResourceDesc, CUdevice, u32)));
        let (shareable, descriptor) = shared_memory(library);
        let free_addresses = FreeAddresses::new(library);
        // SAFETY: the signature is that of `cuda.h`.
        let end_context = *unsafe { library.get(b"cuCtxDestroy_v2") }.expect("it was called above");
        // SAFETY: as above.
        let end_green = *unsafe { library.get(b"cuGreenCtxDestroy") }.expect("it was called above");
        let mut host = null_mut();
        ask!(library, cuMemAllocHost_v2(&mut host, 4096): (*mut *mut c_void, usize));
        World {
            handles,
            pointer,
            host: host as u64,
            nodes,
            child: child as u64,
            clone: clone as u64,
            graph_memory: graph_memory.dptr,
            mapped,
            reserved,
            descriptor,
            shareable,
            free_addresses,
            room: Vec::new(),
            resource,
            end_context,
            end_green,
        }
    }

    /// The same objects for another thread. Its room stays for ever, since work of streams may write to it later.
    pub fn share(&self) -> ManuallyDrop<World> {
        ManuallyDrop::new(World {
            handles: self.handles.clone(),
            nodes: self.nodes.clone(),
            room: Vec::new(),
            free_addresses: self.free_addresses,
            ..*self
        })
    }

    /// Memory that is the program's own, and no object.
    fn room(&mut self) -> u64 {
        let room = vec![0u64; ROOM / size_of::<u64>()].into_boxed_slice();
        let address = room.as_ptr() as u64;
        self.room.push(room);
        address
    }

    /// A structure of which the rest of the room is 0.
    fn params<T>(&mut self, params: T) -> u64 {
        let room = self.room();
        // SAFETY: the room is larger than any structure, and aligned as memory is that words are in.
        unsafe { (room as *mut T).write(params) };
        room
    }

    fn text(&mut self, text: &str) -> u64 {
        let room = self.room();
        // SAFETY: no file has a name of 64 KiB; the room is 0 behind it.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), room as *mut u8, text.len()) };
        room
    }

    /// The live object of a type of handles, and the one that is gone.
    pub fn handle(&self, ty: &str) -> Option<(u64, u64)> {
        self.handles.iter().find(|(name, ..)| *name == ty).map(|(_, live, gone)| (*live, *gone))
    }

    /// A value that is right for a parameter of a function.
    pub fn right(&mut self, function: &str, name: &str, ty: &str) -> u64 {
        let ty = &*ty.replace(' ', "");
        let node = self.nodes.iter().find(|(part, _)| function.contains(part));
        match (name, ty) {
            (_, "CUgraphNode") if node.is_some() => return node.map_or(0, |(_, node)| *node),
            ("childGraph", _) => return self.child,
            ("hClonedGraph", _) => return self.clone,
            _ => {}
        }
        if let Some((live, _)) = self.handle(ty) {
            return match function {
                // What a program has asked to share.
                "cuMemExportToShareableHandle" => self.shareable,
                _ => live,
            };
        }
        match (name, ty) {
            ("size" | "alignment", "usize") if function == "cuMemAddressReserve" => UNIT as u64,
            ("addr", "CUdeviceptr") if function == "cuMemAddressReserve" => 0,
            ("ptr", "CUdeviceptr") if function == "cuMemAddressFree" => self.reserved,
            ("ptr", "CUdeviceptr") if function == "cuMemMap" => self.mapped + UNIT as u64,
            ("offset", "usize") if function == "cuMemMap" => 0,
            ("size", "usize") if VIRTUAL_MEMORY.contains(&function) => UNIT as u64,
            ("ptr", "CUdeviceptr") if VIRTUAL_MEMORY.contains(&function) => self.mapped,
            ("addr", "*mut::core::ffi::c_void") if function == "cuMemRetainAllocationHandle" => {
                self.mapped
            }
            ("count", "usize") if function == "cuMemSetAccess" => 1,
            ("osHandle", _) if function == "cuMemImportFromShareableHandle" => {
                self.descriptor as u64
            }
            (_, "CUmemAllocationHandleType") => 1,
            (_, "*constCUmemAllocationProp") => self.params(memory_properties(0)),
            (_, "*constCUmemAccessDesc") if function == "cuMemSetAccess" => self.params(access()),
            ("count", "::core::ffi::c_uint")
                if function.starts_with("cuStreamBatchMemOp")
                    || function.ends_with("AtomicCapabilities") =>
            {
                1
            }
            ("pid", _) => std::process::id().into(),
            ("scope", _) if function == "cuFlushGPUDirectRDMAWrites" => 100,
            ("x" | "y" | "z" | "grid_width" | "grid_height", "::core::ffi::c_int") => 1,
            ("texunit", _) => -1_i64 as u64,
            (_, "CUcoredumpSettings" | "CUmemRangeHandleType") => 1,
            // A number of one byte.
            (_, "*mutusize") if function.starts_with("cuCoredump") => self.params(1usize),
            (_, "*mutusize") if function.starts_with("cuLogs") => self.params(64usize),
            ("pathToFile", _) => c"/dev/null".as_ptr() as u64,
            (_, "*mutCUlogIterator") => self.params(0u32),
            ("flags", _) if function == "cuDeviceGetNvSciSyncAttributes" => 1,
            ("flags", _) if function == "cuLogsDumpToMemory" => 0,
            (_, "*mutCUstreamBatchMemOpParams") => {
                let pointer = self.pointer.0;
                self.params(batch_operation(pointer))
            }
            (_, "*constCUDA_BATCH_MEM_OP_NODE_PARAMS") => {
                let pointer = self.pointer.0;
                let operation = self.params(batch_operation(pointer));
                self.params(batch_node(operation as *mut _))
            }
            ("input", "*constCUdevResource") | ("resources", "*mutCUdevResource") => {
                let resource = self.resource;
                self.params(resource)
            }
            ("nbResources", _) => 1,
            ("nbGroups", _) => self.params(1u32),
            // The flags that must be given.
            ("flags", _) if matches!(function, "cuGreenCtxCreate" | "cuGreenCtxStreamCreate") => 1,
            ("value", "cuuint32_t") => AWAITED & u64::from(u32::MAX),
            ("value", "cuuint64_t") => AWAITED,
            ("path", _) if function == "cuGraphDebugDotPrint" => c"/dev/null".as_ptr() as u64,
            ("dptr", "CUdeviceptr") if function == "cuGraphAddMemFreeNode" => self.graph_memory,
            ("initialRefcount", _) | ("flags", _) if function == "cuUserObjectCreate" => 1,
            ("count", "::core::ffi::c_uint") if function.ends_with("UserObject") => 1,
            ("count", "::core::ffi::c_uint") if function.starts_with("cuUserObject") => 1,
            // Room for as many.
            (_, "*mutusize") if function.starts_with("cuGraph") => self.params(4usize),
            (_, "CUkernelNodeAttrID") => CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PRIORITY.0.into(),
            (_, "CUgraphMem_attribute") => 1,
            (_, "*mutCUDA_MEM_ALLOC_NODE_PARAMS") => self.params(allocation()),
            (_, "*constCUDA_HOST_NODE_PARAMS") => self.params(host_node()),
            (
                _,
                "*constCUDA_EXT_SEM_SIGNAL_NODE_PARAMS" | "*constCUDA_EXT_SEM_WAIT_NODE_PARAMS",
            ) => self.params(no_semaphore()),
            (_, "CUstreamAttrID") => CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PRIORITY.0.into(),
            ("format" | "numChannels", _) if function == "cuDeviceGetTexture1DLinearMaxWidth" => 1,
            (_, "*constCUDA_MEMSET_NODE_PARAMS") => {
                let pointer = self.pointer.0;
                self.params(memset_node(pointer))
            }
            (_, "*mutCUgraphNodeParams" | "*constCUgraphNodeParams") => {
                self.params(CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY)
            }
            ("code" | "image" | "fatCubin", _) => TEXT.as_ptr() as u64,
            ("data", _) if function.starts_with("cuLinkAddData") => TEXT.as_ptr() as u64,
            ("size", _) if function.starts_with("cuLinkAddData") => TEXT.len() as u64,
            ("p" | "pp", "*mut::core::ffi::c_void") if function.starts_with("cuMem") => {
                match function {
                    "cuMemHostRegister" | "cuMemHostRegister_v2" => self.room(),
                    _ => self.host,
                }
            }
            ("fileName" | "path" | "fname", _) => self.text(&file()),
            ("symbol", _) => c"cuInit".as_ptr() as u64,
            ("name", _) if function.contains("Global") || function.contains("Managed") => {
                c"variable".as_ptr() as u64
            }
            ("dstOffset" | "srcOffset", "usize") => 0,
            ("numMipmapLevels", _) => 1,
            ("name", _) if function.contains("TexRef") => c"texture".as_ptr() as u64,
            ("name", _) if function.contains("SurfRef") => c"surface".as_ptr() as u64,
            ("Flags", _) if function.starts_with("cuTexRefSet") => 1,
            ("fmt", "CUarray_format") | ("NumPackedComponents", _) => 1,
            ("extra", _) => 0,
            ("cudaVersion", _) => 13000,
            ("len", _) => 64,
            ("ElementSizeBytes", _) => 4,
            ("dstPitch", _) => 4096,
            ("Pitch", _) => 512,
            ("flags", _) if function.starts_with("cuMemAllocManaged") => 1,
            (
                "blockSize" | "numBlocks" | "numChannels" | "numKernels" | "numFunctions",
                "::core::ffi::c_int" | "::core::ffi::c_uint",
            ) => 1,
            (_, "usize") if name.starts_with("num") || name == "count" || name == "paramIndex" => 0,
            (_, "::core::ffi::c_uint")
                if name.starts_with("gridDim") || name.starts_with("blockDim") =>
            {
                1
            }
            (_, "CUdevice_attribute" | "CUmemPool_attribute" | "CUmemAllocationType") => 1,
            (_, "CUjitInputType") => CUjitInputType::CU_JIT_INPUT_PTX.0.into(),
            (_, "CUpointer_attribute") => {
                CUpointer_attribute::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS.0.into()
            }
            (_, "CUfunction_attribute") => {
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES.0.into()
            }
            (_, "CUdevResourceType") => CUdevResourceType::CU_DEV_RESOURCE_TYPE_SM.0.into(),
            // A device, the first.
            (_, "CUmemLocation") => 1,
            (_, "*constCUmemLocation" | "*mutCUmemLocation") => self.params(1u64),
            (_, "*constCUmemPoolProps") => self.params(pool_properties()),
            (_, "*constCUDA_KERNEL_NODE_PARAMS" | "*constCUDA_KERNEL_NODE_PARAMS_v1") => {
                let function = self.handle("CUfunction").expect("it is one of the kinds").0;
                self.params(kernel_node(function as CUfunction))
            }
            (_, "*constCUDA_ARRAY_DESCRIPTOR") => self.params(CUDA_ARRAY_DESCRIPTOR {
                Width: 128,
                Height: 0,
                Format: CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8,
                NumChannels: 1,
            }),
            (_, "*constCUDA_ARRAY3D_DESCRIPTOR") => self.params(array_descriptor()),
            (_, "*constCUDA_RESOURCE_DESC") => {
                let array = self.handle("CUarray").expect("it is one of the kinds").0;
                self.params(resource(array as CUarray))
            }
            (_, "*constCUDA_RESOURCE_VIEW_DESC") => self.params(view()),
            (_, "*constCUlaunchConfig") => self.params([1u32; 6]),
            (_, "*constCUDA_MEMCPY2D") => {
                let pointer = self.pointer.0;
                self.params(CUDA_MEMCPY2D {
                    srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                    srcDevice: pointer,
                    dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                    dstDevice: pointer,
                    WidthInBytes: 64,
                    Height: 1,
                    // SAFETY: a structure of numbers and pointers.
                    ..unsafe { std::mem::zeroed() }
                })
            }
            (_, "*constCUDA_MEMCPY3D" | "*constCUDA_MEMCPY3D_PEER") => {
                let (pointer, context) = (self.pointer.0, self.handles[0].1 as CUcontext);
                // The other one has something reserved where this one has contexts.
                let peer = ty.ends_with("PEER");
                self.params(CUDA_MEMCPY3D_PEER {
                    srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                    srcDevice: pointer,
                    srcContext: if peer { context } else { null_mut() },
                    dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                    dstDevice: pointer,
                    dstContext: if peer { context } else { null_mut() },
                    WidthInBytes: 64,
                    Height: 1,
                    Depth: 1,
                    // SAFETY: a structure of numbers and pointers.
                    ..unsafe { std::mem::zeroed() }
                })
            }
            (_, "CUdeviceptr") => self.pointer.0,
            (_, "usize") => 64,
            (
                _,
                "CUstreamCallback" | "CUhostFn" | "CUoccupancyB2DSize" | "CUlogsCallback"
                | "CUasyncCallback",
            ) => nothing as *const () as u64,
            _ if ty.starts_with("*const") && ty.ends_with("c_char") => c"kernel".as_ptr() as u64,
            _ if ty.starts_with('*') => self.room(),
            _ => 0,
        }
    }

    /// The words of a structure that may be spoilt: all but pointers that the program answers for.
    pub fn words_of(ty: &str) -> Vec<usize> {
        let size = match &*ty.replace(' ', "") {
            "*constCUDA_MEMSET_NODE_PARAMS" => size_of::<CUDA_MEMSET_NODE_PARAMS>(),
            "*mutCUgraphNodeParams" => size_of::<CUgraphNodeParams>(),
            "*mutCUDA_MEM_ALLOC_NODE_PARAMS" => size_of::<CUDA_MEM_ALLOC_NODE_PARAMS>(),
            "*constCUdevResource" => size_of::<CUdevResource>(),
            "*constCUDA_MEMCPY2D" => size_of::<CUDA_MEMCPY2D>(),
            "*constCUDA_MEMCPY3D" => size_of::<CUDA_MEMCPY3D>(),
            "*constCUDA_MEMCPY3D_PEER" => size_of::<CUDA_MEMCPY3D_PEER>(),
            "*constCUDA_ARRAY_DESCRIPTOR" => size_of::<CUDA_ARRAY_DESCRIPTOR>(),
            "*constCUDA_ARRAY3D_DESCRIPTOR" => size_of::<CUDA_ARRAY3D_DESCRIPTOR>(),
            "*constCUDA_RESOURCE_DESC" => size_of::<CUDA_RESOURCE_DESC>(),
            "*constCUDA_TEXTURE_DESC" => size_of::<CUDA_TEXTURE_DESC>(),
            "*constCUDA_RESOURCE_VIEW_DESC" => size_of::<CUDA_RESOURCE_VIEW_DESC>(),
            "*constCUmemPoolProps" => size_of::<CUmemPoolProps>(),
            "*constCUmemLocation" | "*mutCUmemLocation" => size_of::<CUmemLocation>(),
            "*constCUlaunchConfig" => {
                // Before it stand sizes, of which most are right, and take their time.
                let first = std::mem::offset_of!(CUlaunchConfig, sharedMemBytes) / 8;
                return (first..size_of::<CUlaunchConfig>() / 8).collect();
            }
            "*constCUDA_KERNEL_NODE_PARAMS" | "*constCUDA_KERNEL_NODE_PARAMS_v1" => {
                // `kernelParams` and `extra` are arrays without a length.
                let arrays = std::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS, kernelParams) / 8;
                return (0..arrays).collect();
            }
            _ => 0,
        };
        (0..size.div_ceil(8)).collect()
    }

    /// The values that a word of a structure is spoilt with.
    pub fn spoilt(&mut self) -> Vec<Value> {
        let gone = self.handle("CUfunction").expect("it is one of the kinds").1;
        let value = |name, word| Value { name, word, kind: Kind::Number };
        vec![
            value("0", 0),
            value("1", 1),
            value("2^40", 1 << 40),
            value("2^60", 1 << 60),
            value("max", u64::MAX),
            value("freed", gone),
            value("foreign", self.room()),
        ]
    }

    /// All wrong values for a parameter.
    pub fn wrong(&mut self, ty: &str) -> Vec<Value> {
        let ty = &*ty.replace(' ', "");
        let value = |name, word, kind| Value { name, word, kind };
        // A handle is told by its type: those that cannot be made here are opaque pointers all the same.
        if let Some((_, gone)) = self.handle(ty) {
            let other = if ty == "CUevent" { "CUstream" } else { "CUevent" };
            let (other, _) = self.handle(other).expect("it is one of the kinds");
            return vec![
                // The default stream.
                value("null", 0, if ty == "CUstream" { Kind::Number } else { Kind::NullHandle }),
                value("freed", gone, Kind::WrongHandle),
                value("foreign", self.room(), Kind::WrongHandle),
                value("other", other, Kind::WrongHandle),
                value("last", u64::MAX, Kind::WrongHandle),
            ];
        }
        match ty {
            "CUdevice" => vec![
                value("-1", -1i64 as u64, Kind::WrongDevice),
                value("99", 99, Kind::WrongDevice),
            ],
            "CUdeviceptr" => vec![
                value("null", 0, Kind::Number),
                value("freed", self.pointer.1, Kind::Number),
                value("foreign", self.room(), Kind::Number),
                value("last", u64::MAX, Kind::Number),
            ],
            "usize" | "::core::ffi::c_ulonglong" | "cuuint64_t" => vec![
                value("0", 0, Kind::Number),
                value("2^40", 1 << 40, Kind::Number),
                value("2^60", 1 << 60, Kind::Number),
                value("max", u64::MAX, Kind::Number),
            ],
            _ if ty.ends_with("c_char") && ty.starts_with("*const") => vec![
                value("null", 0, Kind::NullPointer),
                value("empty", c"".as_ptr() as u64, Kind::Number),
                value("strange", c"\xff\xfe%s%n/../\x01".as_ptr() as u64, Kind::Number),
            ],
            _ if ty.starts_with('*') => vec![value("null", 0, Kind::NullPointer)],
            "CUstreamCallback" | "CUhostFn" | "CUoccupancyB2DSize" | "CUlogsCallback"
            | "CUasyncCallback" => {
                vec![value("null", 0, Kind::NullPointer)]
            }
            _ => vec![
                value("0", 0, Kind::Number),
                value("1", 1, Kind::Number),
                value("max", u64::MAX, Kind::Number),
            ],
        }
    }
}
