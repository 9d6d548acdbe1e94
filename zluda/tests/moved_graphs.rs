//! Graphs that are moved to be nodes of others (`CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE`): none ever holds itself, and one that
//! could not be moved is the program's as before.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUgraph, CUgraphChildGraphNodeOwnership as Ownership, CUgraphEdgeData, CUgraphNode,
    CUgraphNodeParams, CUgraphNodeType, CUresult as R,
};
use libloading::Library;
use std::ffi::c_uint;
use std::ptr::{null, null_mut};
use std::sync::Barrier;

const OK: R = R::CUDA_SUCCESS;

fn graph(library: &Library) -> usize {
    let mut graph: CUgraph = null_mut();
    assert_eq!(call!(library, cuGraphCreate(&mut graph, 0): (*mut CUgraph, c_uint)), OK);
    graph as usize
}

fn destroy(library: &Library, graph: usize) -> R {
    call!(library, cuGraphDestroy(graph as CUgraph): (CUgraph))
}

/// Moves a graph into another, behind some nodes.
fn move_into(library: &Library, child: usize, parent: usize, before: &[CUgraphNode]) -> R {
    let mut node: CUgraphNode = null_mut();
    // SAFETY: a structure of numbers and pointers.
    let mut params: CUgraphNodeParams = unsafe { std::mem::zeroed() };
    params.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_GRAPH;
    params.__bindgen_anon_1.graph.graph = child as CUgraph;
    params.__bindgen_anon_1.graph.ownership = Ownership::CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    call!(library, cuGraphAddNode_v2(&mut node, parent as CUgraph, before.as_ptr(), null(), before.len(), &mut params):
        (*mut CUgraphNode, CUgraph, *const CUgraphNode, *const CUgraphEdgeData, usize, *mut CUgraphNodeParams))
}

fn empty_node(library: &Library, graph: usize) -> CUgraphNode {
    let mut node: CUgraphNode = null_mut();
    assert_eq!(
        call!(library, cuGraphAddEmptyNode(&mut node, graph as CUgraph, null(), 0):
            (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize)),
        OK
    );
    node
}

/// Of two threads that move two graphs into each other, one is too late, whenever they come.
#[test]
fn two_graphs_are_not_moved_into_each_other() {
    let library = common::driver();
    let rounds = 20_000;
    let pairs: Vec<[usize; 2]> = (0..rounds).map(|_| [graph(&library), graph(&library)]).collect();
    let meet = Barrier::new(2);
    let results: [Vec<R>; 2] = std::thread::scope(|scope| {
        let threads = [0, 1].map(|child| {
            let (library, pairs, meet) = (&library, &pairs, &meet);
            scope.spawn(move || {
                let run = |pair: &[usize; 2]| {
                    meet.wait();
                    move_into(library, pair[child], pair[1 - child], &[])
                };
                pairs.iter().map(run).collect()
            })
        });
        threads.map(|thread| thread.join().unwrap())
    });
    for ((pair, first), second) in pairs.iter().zip(&results[0]).zip(&results[1]) {
        let other = match (*first, *second) {
            (OK, other) | (other, OK) => other,
            (first, second) => panic!("{first:?} and {second:?}"),
        };
        assert_eq!(other, R::CUDA_ERROR_INVALID_VALUE);
        // The one that was moved goes with the other.
        let moved = usize::from(*second == OK);
        assert_eq!(destroy(&library, pair[moved]), R::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(destroy(&library, pair[1 - moved]), OK);
    }
}

#[test]
fn a_graph_that_was_not_moved_stays_the_programs() {
    let library = common::driver();
    let [child, parent, other] = [(); 3].map(|()| graph(&library));
    let foreign = empty_node(&library, other);
    assert_eq!(move_into(&library, child, parent, &[foreign]), R::CUDA_ERROR_INVALID_VALUE);
    let own = empty_node(&library, parent);
    assert_eq!(move_into(&library, child, parent, &[own, own]), R::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(move_into(&library, child, parent, &[own]), OK);
    assert_eq!(move_into(&library, child, other, &[]), R::CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(destroy(&library, child), R::CUDA_ERROR_INVALID_VALUE);
    for graph in [parent, other] {
        assert_eq!(destroy(&library, graph), OK);
    }
}
