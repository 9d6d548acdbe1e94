//! Graphs in graphs, as deep as a program can make them: those that are too deep are refused, as whatever is done with a graph
//! goes down on the stack of who asks for it. And counts of references that are none.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUcontext, CUgraph, CUgraphChildGraphNodeOwnership as Ownership, CUgraphConditionalHandle,
    CUgraphConditionalNodeType, CUgraphEdgeData, CUgraphExec, CUgraphNode, CUgraphNodeParams,
    CUgraphNodeType, CUresult as R, CUstream, CUuserObject,
};
use libloading::Library;
use std::ffi::{c_uint, c_ulonglong, c_void};
use std::ptr::{null, null_mut};

const OK: R = R::CUDA_SUCCESS;
const REFUSED: R = R::CUDA_ERROR_NOT_SUPPORTED;
/// More than the stack of any thread has room for.
const TOO_MANY: usize = 3000;
/// What every thread has at least.
const STACK: usize = 1 << 20;

fn graph(library: &Library) -> CUgraph {
    let mut graph: CUgraph = null_mut();
    assert_eq!(call!(library, cuGraphCreate(&mut graph, 0): (*mut CUgraph, c_uint)), OK);
    graph
}

fn add(library: &Library, graph: CUgraph, params: &mut CUgraphNodeParams) -> R {
    let mut node: CUgraphNode = null_mut();
    call!(library, cuGraphAddNode_v2(&mut node, graph, null(), null(), 0, params):
        (*mut CUgraphNode, CUgraph, *const CUgraphNode, *const CUgraphEdgeData, usize, *mut CUgraphNodeParams))
}

/// Puts a graph into a new one, until that is refused; the outermost, and how many there are.
fn put_around(library: &Library, ownership: Ownership) -> (CUgraph, usize) {
    let mut inner = graph(library);
    for number in 1..TOO_MANY {
        let outer = graph(library);
        // SAFETY: a structure of numbers and pointers.
        let mut params: CUgraphNodeParams = unsafe { std::mem::zeroed() };
        params.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_GRAPH;
        params.__bindgen_anon_1.graph.graph = inner;
        params.__bindgen_anon_1.graph.ownership = ownership;
        let added = add(library, outer, &mut params);
        let spare = match added {
            OK if ownership == Ownership::CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE => inner,
            OK => null_mut(),
            _ => outer,
        };
        if !spare.is_null() {
            assert_eq!(call!(library, cuGraphDestroy(spare): (CUgraph)), OK);
        }
        if added != OK {
            assert_eq!(added, REFUSED);
            return (inner, number);
        }
        inner = outer;
    }
    panic!("{TOO_MANY} graphs in graphs");
}

/// Puts a conditional node into the graph of the last one, until that is refused.
fn put_into(library: &Library) -> (CUgraph, usize) {
    let mut context: CUcontext = null_mut();
    assert_eq!(call!(library, cuCtxGetCurrent(&mut context): (*mut CUcontext)), OK);
    let outermost = graph(library);
    let mut inner = outermost;
    for number in 1..TOO_MANY {
        let mut handle: CUgraphConditionalHandle = 0;
        let made = call!(library, cuGraphConditionalHandleCreate(&mut handle, inner, context, 1, 1):
            (*mut CUgraphConditionalHandle, CUgraph, CUcontext, c_uint, c_uint));
        assert_eq!(made, OK);
        // SAFETY: a structure of numbers and pointers.
        let mut params: CUgraphNodeParams = unsafe { std::mem::zeroed() };
        params.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
        params.__bindgen_anon_1.conditional.handle = handle;
        params.__bindgen_anon_1.conditional.type_ =
            CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_IF;
        params.__bindgen_anon_1.conditional.size = 1;
        params.__bindgen_anon_1.conditional.ctx = context;
        let added = add(library, inner, &mut params);
        if added != OK {
            assert_eq!(added, REFUSED);
            return (outermost, number);
        }
        // SAFETY: the driver has written where the handles are, which stay as long as the node.
        inner = unsafe { *params.__bindgen_anon_1.conditional.phGraph_out };
    }
    panic!("{TOO_MANY} graphs in graphs");
}

fn launch(library: &Library, graph: CUgraph) {
    let mut exec: CUgraphExec = null_mut();
    let made = call!(library, cuGraphInstantiateWithFlags(&mut exec, graph, 0):
        (*mut CUgraphExec, CUgraph, c_ulonglong));
    assert_eq!(made, OK);
    assert_eq!(call!(library, cuGraphLaunch(exec, null_mut()): (CUgraphExec, CUstream)), OK);
    assert_eq!(call!(library, cuCtxSynchronize(): ()), OK);
    assert_eq!(call!(library, cuGraphExecDestroy(exec): (CUgraphExec)), OK);
}

fn on_a_small_stack(what: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, what);
        thread.unwrap().join().unwrap();
    });
}

#[test]
fn graphs_in_graphs_are_launched_or_refused() {
    let library = common::driver();
    let mut context: CUcontext = null_mut();
    assert_eq!(call!(library, cuCtxGetCurrent(&mut context): (*mut CUcontext)), OK);
    let context = context as usize;
    on_a_small_stack(|| {
        let context = context as CUcontext;
        assert_eq!(call!(library, cuCtxSetCurrent(context): (CUcontext)), OK);
        for ownership in [
            Ownership::CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE,
            Ownership::CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE,
        ] {
            let (outermost, count) = put_around(&library, ownership);
            assert!(count >= 100, "{count} levels");
            launch(&library, outermost);
            let mut clone: CUgraph = null_mut();
            assert_eq!(
                call!(library, cuGraphClone(&mut clone, outermost): (*mut CUgraph, CUgraph)),
                OK
            );
            for graph in [clone, outermost] {
                assert_eq!(call!(library, cuGraphDestroy(graph): (CUgraph)), OK);
                assert_eq!(
                    call!(library, cuGraphDestroy(graph): (CUgraph)),
                    R::CUDA_ERROR_INVALID_VALUE
                );
            }
        }
        let (outermost, count) = put_into(&library);
        assert!(count >= 100, "{count} levels");
        assert_eq!(call!(library, cuGraphDestroy(outermost): (CUgraph)), OK);
    });
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

/// "Must be nonzero and not larger than INT_MAX."
#[test]
fn counts_of_references_are_positive() {
    let library = common::driver();
    let (graph, mut object): (_, CUuserObject) = (graph(&library), null_mut());
    let made = call!(library, cuUserObjectCreate(&mut object, null_mut(), Some(nothing), 1, 1):
        (*mut CUuserObject, *mut c_void, Option<unsafe extern "C" fn(*mut c_void)>, c_uint, c_uint));
    assert_eq!(made, OK);
    for (count, expected) in [
        (0, R::CUDA_ERROR_INVALID_VALUE),
        (1 << 31, R::CUDA_ERROR_INVALID_VALUE),
        (u32::MAX, R::CUDA_ERROR_INVALID_VALUE),
        (i32::MAX as u32, OK),
    ] {
        let answers = [
            call!(library, cuUserObjectRetain(object, count): (CUuserObject, c_uint)),
            call!(library, cuUserObjectRelease(object, count): (CUuserObject, c_uint)),
            call!(library, cuGraphRetainUserObject(graph, object, count, 0): (CUgraph, CUuserObject, c_uint, c_uint)),
            call!(library, cuGraphReleaseUserObject(graph, object, count): (CUgraph, CUuserObject, c_uint)),
        ];
        assert_eq!(answers, [expected; 4], "{count}");
    }
    assert_eq!(call!(library, cuUserObjectRelease(object, 1): (CUuserObject, c_uint)), OK);
    assert_eq!(call!(library, cuGraphDestroy(graph): (CUgraph)), OK);
}
