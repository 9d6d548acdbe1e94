//! Graphs with nodes of each kind.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;
use differential::api::Api;

const PTX: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 out, .param .u32 value, .param .align 8 .b8 block[24])
{
    .reg .b32 %r<2>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [value];
    cvta.to.global.u64 %rd2, %rd1;
    st.global.u32 [%rd2], %r1;
    ret;
}
.visible .entry nothing() { ret; }
\0";

/// Panics if a call that a case only needs for its start has failed.
pub fn must(code: i64) {
    assert_eq!(code, 0, "setting up failed");
}

unsafe extern "C" fn host_nothing(_data: *mut c_void) {}

/// The handles that the nodes work on.
pub struct World<'a> {
    api: &'a Api,
    context: CUcontext,
    store: CUfunction,
    nothing: CUfunction,
    memory: CUdeviceptr,
    pinned: *mut c_void,
    array: CUarray,
    event: CUevent,
}

impl<'a> World<'a> {
    /// A context with all that nodes work on; panics if it cannot be had.
    pub fn new(api: &'a Api) -> Self {
        must(api.cuInit(0));
        let (mut context, mut module) = (null_mut(), null_mut());
        must(api.cuDevicePrimaryCtxRetain(&mut context, 0));
        must(api.cuCtxSetCurrent(context));
        must(api.cuModuleLoadData(&mut module, PTX.as_ptr().cast()));
        let (mut store, mut nothing) = (null_mut(), null_mut());
        must(api.cuModuleGetFunction(&mut store, module, c"store".as_ptr()));
        must(api.cuModuleGetFunction(&mut nothing, module, c"nothing".as_ptr()));
        let (mut memory, mut pinned, mut array, mut event) =
            (0, null_mut(), null_mut(), null_mut());
        must(api.cuMemAlloc_v2(&mut memory, 65536));
        must(api.cuMemHostAlloc(&mut pinned, 65536, 0));
        let shape = CUDA_ARRAY3D_DESCRIPTOR {
            Width: 32,
            Height: 16,
            Depth: 0,
            Format: CUarray_format::CU_AD_FORMAT_FLOAT,
            NumChannels: 2,
            Flags: 0,
        };
        must(api.cuArray3DCreate_v2(&mut array, &shape));
        must(api.cuEventCreate(&mut event, 0));
        Self { api, context, store, nothing, memory, pinned, array, event }
    }

    fn graph(&self) -> CUgraph {
        let mut graph = null_mut();
        must(self.api.cuGraphCreate(&mut graph, 0));
        graph
    }

    fn empty(&self, graph: CUgraph, after: &[CUgraphNode]) -> CUgraphNode {
        let mut node = null_mut();
        must(self.api.cuGraphAddEmptyNode(&mut node, graph, after.as_ptr(), after.len()));
        node
    }

    fn kernel(&self, graph: CUgraph, function: CUfunction) -> CUgraphNode {
        let (mut to, mut value, mut block) = (self.memory, 77_u32, [1_u64, 2, 3]);
        let mut parameters: [*mut c_void; 3] =
            [(&raw mut to).cast(), (&raw mut value).cast(), block.as_mut_ptr().cast()];
        let params = CUDA_KERNEL_NODE_PARAMS_v1 {
            func: function,
            gridDimX: 2,
            gridDimY: 3,
            gridDimZ: 4,
            blockDimX: 32,
            blockDimY: 5,
            blockDimZ: 6,
            sharedMemBytes: 1024,
            kernelParams: parameters.as_mut_ptr(),
            extra: null_mut(),
        };
        let mut node = null_mut();
        must(self.api.cuGraphAddKernelNode(&mut node, graph, null(), 0, &params));
        node
    }

    fn fill(&self, graph: CUgraph, size: u32, width: usize, height: usize) -> CUgraphNode {
        let pitch = if height > 1 { 512 } else { 0 };
        let params = CUDA_MEMSET_NODE_PARAMS {
            dst: self.memory,
            pitch,
            value: 0xab,
            elementSize: size,
            width,
            height,
        };
        let mut node = null_mut();
        must(self.api.cuGraphAddMemsetNode(&mut node, graph, null(), 0, &params, self.context));
        node
    }

    fn copy(&self, graph: CUgraph, change: impl FnOnce(&mut CUDA_MEMCPY3D)) -> CUgraphNode {
        // SAFETY: a plain structure, of which all zeros is a value.
        let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = self.memory;
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = self.memory + 4096;
        (copy.WidthInBytes, copy.Height, copy.Depth) = (64, 1, 1);
        change(&mut copy);
        let mut node = null_mut();
        must(self.api.cuGraphAddMemcpyNode(&mut node, graph, null(), 0, &copy, self.context));
        node
    }

    fn conditional(&self, graph: CUgraph, kind: u32, size: u32) {
        let (mut handle, mut node) = (0, null_mut());
        must(self.api.cuGraphConditionalHandleCreate(&mut handle, graph, self.context, 1, 1));
        // SAFETY: a plain structure, of which all zeros is a value.
        let mut params: CUgraphNodeParams = unsafe { std::mem::zeroed() };
        params.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
        params.__bindgen_anon_1.conditional = CUDA_CONDITIONAL_NODE_PARAMS {
            handle,
            type_: CUgraphConditionalNodeType(kind as _),
            size,
            phGraph_out: null_mut(),
            ctx: self.context,
        };
        must(self.api.cuGraphAddNode_v2(&mut node, graph, null(), null(), 0, &mut params));
        for i in 0..size {
            // SAFETY: there are as many as were asked for.
            let body =
                unsafe { params.__bindgen_anon_1.conditional.phGraph_out.add(i as usize).read() };
            self.empty(body, &[]);
        }
    }
}

pub type Build = fn(&World<'_>, CUgraph);

pub const GRAPHS: &[(&str, Build)] = &[
    ("none", |_, _| {}),
    ("empty", |w, graph| {
        let a = w.empty(graph, &[]);
        let b = w.empty(graph, &[]);
        w.empty(graph, &[a, b]);
        w.empty(graph, &[b]);
    }),
    ("kernel", |w, graph| {
        w.kernel(graph, w.store);
        w.kernel(graph, w.nothing);
    }),
    ("kernel_attributes", |w, graph| {
        let a = w.kernel(graph, w.store);
        // SAFETY: all zeros is a value of every member.
        let mut value: CUkernelNodeAttrValue = unsafe { std::mem::zeroed() };
        value.priority = -2;
        let priority = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PRIORITY;
        must(w.api.cuGraphKernelNodeSetAttribute(a, priority, &value));
        value.cooperative = 1;
        let cooperative = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        must(w.api.cuGraphKernelNodeSetAttribute(a, cooperative, &value));
    }),
    ("port", |w, graph| {
        let (a, b) = (w.kernel(graph, w.nothing), w.kernel(graph, w.nothing));
        let edge = CUgraphEdgeData { from_port: 1, to_port: 0, type_: 1, reserved: [0; 5] };
        must(w.api.cuGraphAddDependencies_v2(graph, &a, &b, &edge, 1));
    }),
    ("memset", |w, graph| {
        w.fill(graph, 1, 16, 1);
        w.fill(graph, 4, 8, 3);
    }),
    ("copy", |w, graph| {
        w.copy(graph, |_| {});
    }),
    ("copy_from_host", |w, graph| {
        w.copy(graph, |copy| {
            copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
            copy.srcHost = w.pinned;
        });
    }),
    ("copy_to_host", |w, graph| {
        w.copy(graph, |copy| {
            copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
            copy.dstHost = w.pinned;
        });
    }),
    ("copy_unified", |w, graph| {
        w.copy(graph, |copy| {
            copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_UNIFIED;
            copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_UNIFIED;
        });
    }),
    ("copy_box", |w, graph| {
        w.copy(graph, |copy| {
            (copy.WidthInBytes, copy.Height, copy.Depth) = (24, 3, 2);
            (copy.srcPitch, copy.srcHeight, copy.dstPitch, copy.dstHeight) = (64, 4, 128, 8);
            (copy.srcXInBytes, copy.srcY, copy.srcZ) = (4, 1, 2);
            (copy.dstXInBytes, copy.dstY, copy.dstZ) = (8, 2, 1);
        });
    }),
    ("copy_array", |w, graph| {
        w.copy(graph, |copy| {
            (copy.WidthInBytes, copy.Height, copy.Depth) = (64, 2, 1);
            copy.srcPitch = 64;
            copy.srcHeight = 2;
            copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
            (copy.dstDevice, copy.dstArray) = (0, w.array);
        });
    }),
    ("host", |w, graph| {
        let params = CUDA_HOST_NODE_PARAMS { fn_: Some(host_nothing), userData: null_mut() };
        must(w.api.cuGraphAddHostNode(&mut null_mut(), graph, null(), 0, &params));
    }),
    ("child", |w, graph| {
        let (child, inner) = (w.graph(), w.graph());
        w.fill(inner, 1, 16, 1);
        w.empty(child, &[]);
        must(w.api.cuGraphAddChildGraphNode(&mut null_mut(), child, null(), 0, inner));
        let before = w.empty(graph, &[]);
        must(w.api.cuGraphAddChildGraphNode(&mut null_mut(), graph, &before, 1, child));
    }),
    ("event", |w, graph| {
        let mut record = null_mut();
        must(w.api.cuGraphAddEventRecordNode(&mut record, graph, null(), 0, w.event));
        must(w.api.cuGraphAddEventWaitNode(&mut null_mut(), graph, &record, 1, w.event));
    }),
    ("memory", |w, graph| {
        // SAFETY: a plain structure, of which all zeros is a value.
        let mut params: CUDA_MEM_ALLOC_NODE_PARAMS = unsafe { std::mem::zeroed() };
        params.poolProps.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        params.poolProps.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        params.bytesize = 100;
        let mut alloc = null_mut();
        must(w.api.cuGraphAddMemAllocNode(&mut alloc, graph, null(), 0, &mut params));
        must(w.api.cuGraphAddMemFreeNode(&mut null_mut(), graph, &alloc, 1, params.dptr));
    }),
    ("batch", |w, graph| {
        // SAFETY: plain unions, of which all zeros is a value.
        let mut operations: [CUstreamBatchMemOpParams; 3] = unsafe { std::mem::zeroed() };
        operations[0].writeValue.operation =
            CUstreamBatchMemOpType::CU_STREAM_MEM_OP_WRITE_VALUE_32;
        operations[0].writeValue.address = w.memory;
        operations[0].writeValue.__bindgen_anon_1.value = 77;
        operations[1].waitValue.operation = CUstreamBatchMemOpType::CU_STREAM_MEM_OP_WAIT_VALUE_32;
        operations[1].waitValue.address = w.memory;
        operations[1].waitValue.__bindgen_anon_1.value = 7;
        operations[2].writeValue.operation =
            CUstreamBatchMemOpType::CU_STREAM_MEM_OP_WRITE_VALUE_64;
        operations[2].writeValue.address = w.memory + 8;
        operations[2].writeValue.__bindgen_anon_1.value64 = 5;
        let params = CUDA_BATCH_MEM_OP_NODE_PARAMS {
            ctx: w.context,
            count: 3,
            paramArray: operations.as_mut_ptr(),
            flags: 0,
        };
        must(w.api.cuGraphAddBatchMemOpNode(&mut null_mut(), graph, null(), 0, &params));
    }),
    ("if", |w, graph| w.conditional(graph, 0, 1)),
    ("if_else", |w, graph| w.conditional(graph, 0, 2)),
    ("while", |w, graph| w.conditional(graph, 1, 1)),
    ("switch", |w, graph| w.conditional(graph, 2, 3)),
    ("captured", |w, graph| {
        let (mut stream, mut out) = (null_mut(), null_mut());
        must(w.api.cuStreamCreate(&mut stream, 1));
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        must(w.api.cuStreamBeginCaptureToGraph(stream, graph, null(), null(), 0, mode));
        let (mut to, mut value, mut block) = (w.memory, 1_u32, [0_u64; 3]);
        let mut parameters: [*mut c_void; 3] =
            [(&raw mut to).cast(), (&raw mut value).cast(), block.as_mut_ptr().cast()];
        must(w.api.cuLaunchKernel(
            w.store,
            1,
            1,
            1,
            1,
            1,
            1,
            0,
            stream,
            parameters.as_mut_ptr(),
            null_mut(),
        ));
        must(w.api.cuMemcpyDtoHAsync_v2(w.pinned, w.memory, 256, stream));
        must(w.api.cuMemcpyHtoDAsync_v2(w.memory, w.pinned, 256, stream));
        must(w.api.cuMemcpyDtoDAsync_v2(w.memory + 1024, w.memory, 100, stream));
        must(w.api.cuMemsetD32Async(w.memory, 3, 10, stream));
        must(w.api.cuMemsetD2D16Async(w.memory, 256, 3, 10, 4, stream));
        must(w.api.cuStreamEndCapture(stream, &mut out));
    }),
    ("mixed", |w, graph| {
        let (a, b) = (w.kernel(graph, w.nothing), w.fill(graph, 1, 16, 1));
        must(w.api.cuGraphAddDependencies_v2(graph, &a, &b, null(), 1));
        let c = w.copy(graph, |_| {});
        must(w.api.cuGraphAddDependencies_v2(graph, &a, &c, null(), 1));
        w.empty(graph, &[b, c]);
    }),
];

/// The text of a graph under flags, and the answer of the call.
pub fn text(w: &World<'_>, build: Build, flags: u32) -> String {
    let graph = w.graph();
    build(w, graph);
    let file = std::env::temp_dir().join(format!("dot-{}", std::process::id()));
    let path = std::ffi::CString::new(file.to_str().unwrap_or_default()).unwrap_or_default();
    let answer = w.api.cuGraphDebugDotPrint(graph, path.as_ptr(), flags);
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let _ = std::fs::remove_file(&file);
    format!("{answer}\n{text}")
}
