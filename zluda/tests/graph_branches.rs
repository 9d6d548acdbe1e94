//! Branches of graphs run side by side, and nodes keep the order that their edges say, however kernels are put together.
//! The order is written down by the kernels themselves.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUDA_BATCH_MEM_OP_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS, CUDA_MEMSET_NODE_PARAMS, CUcontext,
    CUdeviceptr, CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUmodule, CUresult as R, CUstream,
    CUstreamBatchMemOpParams, CUstreamBatchMemOpType as T,
};
use libloading::Library;
use splitmix::Random;
use std::ffi::{c_char, c_uint, c_void};
use std::ptr::null_mut;

const OK: R = R::CUDA_SUCCESS;

/// `mark` takes a number from a counter, as its turn, and leaves it in a place; the last block of several does.
const PTX: &str = concat!(
    r#"
.version 7.0
.target sm_75
.address_size 64
.visible .entry mark(.param .u64 counter, .param .u64 place, .param .u64 blocks)
{
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [counter];
    ld.param.u64 %rd2, [place];
    ld.param.u64 %rd3, [blocks];
    mov.u32 %r1, %nctaid.x;
    sub.u32 %r1, %r1, 1;
    atom.global.inc.u32 %r2, [%rd3], %r1;
    setp.ne.u32 %p, %r2, %r1;
    @%p ret;
    atom.global.add.u32 %r3, [%rd1], 1;
    st.global.u32 [%rd2], %r3;
    ret;
}
"#,
    "\0"
);

/// Nodes of a graph at most.
const MOST: usize = 96;

struct Driver {
    library: Library,
    mark: CUfunction,
    stream: CUstream,
    /// The counter, a place for each node, and a count of blocks for each.
    memory: CUdeviceptr,
}

impl Driver {
    fn new() -> Driver {
        let library = common::driver();
        let (mut module, mut mark): (CUmodule, CUfunction) = (null_mut(), null_mut());
        assert_eq!(
            call!(library, cuModuleLoadData(&mut module, PTX.as_ptr().cast()): (*mut CUmodule, *const c_void)),
            OK
        );
        assert_eq!(
            call!(library, cuModuleGetFunction(&mut mark, module, c"mark".as_ptr()):
            (*mut CUfunction, CUmodule, *const c_char)),
            OK
        );
        let (mut stream, mut memory) = (null_mut(), 0);
        assert_eq!(call!(library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)), OK);
        let bytes = 4 * (1 + 2 * MOST);
        assert_eq!(
            call!(library, cuMemAlloc_v2(&mut memory, bytes): (*mut CUdeviceptr, usize)),
            OK
        );
        Driver { library, mark, stream, memory }
    }

    fn graph(&self) -> CUgraph {
        let mut graph = null_mut();
        assert_eq!(call!(self.library, cuGraphCreate(&mut graph, 0): (*mut CUgraph, c_uint)), OK);
        graph
    }

    fn place(&self, node: usize) -> CUdeviceptr {
        self.memory + 4 + 4 * node as u64
    }

    /// Runs a function with the parameters of a kernel that marks a place.
    fn with_mark<T>(
        &self,
        place: usize,
        blocks: c_uint,
        body: impl FnOnce(&CUDA_KERNEL_NODE_PARAMS) -> T,
    ) -> T {
        let mut words = [self.memory, self.place(place), self.place(MOST + place)];
        let mut list = words.each_mut().map(|word| std::ptr::from_mut(word).cast::<c_void>());
        body(&CUDA_KERNEL_NODE_PARAMS {
            gridDimX: blocks,
            kernelParams: list.as_mut_ptr(),
            ..common::kernel_node(self.mark)
        })
    }

    fn add_mark(
        &self,
        graph: CUgraph,
        before: &[CUgraphNode],
        place: usize,
        blocks: c_uint,
    ) -> CUgraphNode {
        let mut node = null_mut();
        let result = self.with_mark(place, blocks, |params| {
            call!(self.library, cuGraphAddKernelNode_v2(&mut node, graph, before.as_ptr(), before.len(), params):
            (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const CUDA_KERNEL_NODE_PARAMS))
        });
        assert_eq!(result, OK);
        node
    }

    fn add_child(&self, graph: CUgraph, before: &[CUgraphNode], child: CUgraph) -> CUgraphNode {
        let mut node = null_mut();
        assert_eq!(
            call!(self.library, cuGraphAddChildGraphNode(&mut node, graph, before.as_ptr(), before.len(), child):
            (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, CUgraph)),
            OK
        );
        node
    }

    /// A fill of the counter with 0, which no mark comes before.
    fn add_clear(&self, graph: CUgraph, before: &[CUgraphNode], words: usize) -> CUgraphNode {
        let (mut node, context): (_, CUcontext) = (null_mut(), null_mut());
        let params = CUDA_MEMSET_NODE_PARAMS {
            dst: self.memory,
            pitch: 0,
            value: 0,
            elementSize: 4,
            width: words,
            height: 1,
        };
        assert_eq!(
            call!(self.library, cuGraphAddMemsetNode(&mut node, graph, before.as_ptr(), before.len(), &params, context):
            (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const CUDA_MEMSET_NODE_PARAMS, CUcontext)),
            OK
        );
        node
    }

    fn instantiate(&self, graph: CUgraph) -> CUgraphExec {
        let mut exec = null_mut();
        assert_eq!(
            call!(self.library, cuGraphInstantiateWithFlags(&mut exec, graph, 0): (*mut CUgraphExec, CUgraph, u64)),
            OK
        );
        exec
    }

    fn run(&self, exec: CUgraphExec) -> Vec<u32> {
        assert_eq!(
            call!(self.library, cuGraphLaunch(exec, self.stream): (CUgraphExec, CUstream)),
            OK
        );
        assert_eq!(call!(self.library, cuStreamSynchronize(self.stream): (CUstream)), OK);
        let mut words = vec![0u32; 1 + MOST];
        let bytes = 4 * words.len();
        assert_eq!(
            call!(self.library, cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), self.memory, bytes):
            (*mut c_void, CUdeviceptr, usize)),
            OK
        );
        words
    }
}

/// A node that has marks of its own: a kernel has one, a child graph those of all its nodes.
struct Marked {
    node: CUgraphNode,
    marks: Vec<usize>,
}

/// Adds nodes by chance, each after some of those before it, and the pairs of marks of which one comes before another.
fn add_nodes(
    driver: &Driver,
    random: &mut Random,
    graph: CUgraph,
    first: &[CUgraphNode],
    count: usize,
    next: &mut usize,
    pairs: &mut Vec<(usize, usize)>,
) -> Vec<Marked> {
    let mut all: Vec<Marked> = Vec::new();
    // Chains, trees and what lies between: how far back a node reaches, and after how many it comes.
    let (reach, most) = (1 + random.below(6), 1 + random.below(3));
    for _ in 0..count {
        if *next + 8 > MOST {
            break;
        }
        let mut before: Vec<usize> = Vec::new();
        for _ in 0..random.below(most + 1) {
            if !all.is_empty() {
                before.push(all.len() - 1 - random.below(reach.min(all.len())));
            }
        }
        before.sort_unstable();
        before.dedup();
        let nodes: Vec<CUgraphNode> = match before.is_empty() {
            true => first.to_vec(),
            false => before.iter().map(|at| all[*at].node).collect(),
        };
        let own = *next;
        let node = if random.below(8) == 0 {
            let child = driver.graph();
            let size = 1 + random.below(4);
            add_nodes(driver, random, child, &[], size, next, pairs);
            driver.add_child(graph, &nodes, child)
        } else {
            *next += 1;
            let blocks = random.pick(&[1, 1, 1, 2, 100]).unwrap();
            driver.add_mark(graph, &nodes, own, blocks)
        };
        let marks: Vec<usize> = (own..*next).collect();
        for mark in before.iter().flat_map(|at| &all[*at].marks) {
            pairs.extend(marks.iter().map(|later| (*mark, *later)));
        }
        all.push(Marked { node, marks });
    }
    all
}

#[test]
fn nodes_keep_the_order_of_their_edges() {
    let driver = Driver::new();
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let (graph, mut next, mut pairs) = (driver.graph(), 0, Vec::new());
        let clear = driver.add_clear(graph, &[], 1 + 2 * MOST);
        let size = 2 + random.below(60);
        let nodes = add_nodes(&driver, &mut random, graph, &[clear], size, &mut next, &mut pairs);
        let exec = driver.instantiate(graph);
        for _ in 0..2 {
            let turns = driver.run(exec);
            assert_eq!(turns[0] as usize, next, "each node ran once, of seed {seed}");
            for (from, to) in &pairs {
                assert!(turns[1 + from] < turns[1 + to], "{from} before {to}, of seed {seed}");
            }
        }
        // A node that is switched off leaves its place; another that gets other parameters leaves one.
        let kernels: Vec<&Marked> = nodes.iter().filter(|node| node.marks.len() == 1).collect();
        let (Some(off), Some(other)) = (kernels.first(), kernels.last()) else { continue };
        let is_off = call!(driver.library, cuGraphNodeSetEnabled(exec, off.node, 0): (CUgraphExec, CUgraphNode, c_uint));
        // The node of a child graph with one node is none that can be.
        if is_off != OK || std::ptr::eq(*off, *other) {
            continue;
        }
        let changed = driver.with_mark(MOST - 1, 3, |params| {
            call!(driver.library, cuGraphExecKernelNodeSetParams_v2(exec, other.node, params):
            (CUgraphExec, CUgraphNode, *const CUDA_KERNEL_NODE_PARAMS))
        });
        if changed != OK {
            continue;
        }
        let turns = driver.run(exec);
        assert_eq!(turns[0] as usize, next - 1, "all but one ran, of seed {seed}");
        assert_eq!(turns[1 + off.marks[0]], 0, "of seed {seed}");
        assert_eq!(turns[1 + other.marks[0]], 0, "of seed {seed}");
        for (from, to) in &pairs {
            let place = |mark: usize| if mark == other.marks[0] { MOST - 1 } else { mark };
            let is_there = |mark: usize| mark != off.marks[0];
            if is_there(*from) && is_there(*to) {
                assert!(turns[1 + place(*from)] < turns[1 + place(*to)], "of seed {seed}");
            }
        }
    }
}

fn batch(
    driver: &Driver,
    graph: CUgraph,
    before: &[CUgraphNode],
    operation: T,
    at: CUdeviceptr,
    value: u32,
) -> CUgraphNode {
    // SAFETY: a plain structure, of which all zeros is a value.
    let mut one: CUstreamBatchMemOpParams = unsafe { std::mem::zeroed() };
    one.waitValue.operation = operation;
    one.waitValue.address = at;
    one.waitValue.__bindgen_anon_1.value = value;
    one.waitValue.flags = u32::from(operation == T::CU_STREAM_MEM_OP_WAIT_VALUE_32);
    let params =
        CUDA_BATCH_MEM_OP_NODE_PARAMS { ctx: null_mut(), count: 1, paramArray: &mut one, flags: 0 };
    let mut node = null_mut();
    assert_eq!(
        call!(driver.library, cuGraphAddBatchMemOpNode(&mut node, graph, before.as_ptr(), before.len(), &params):
        (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const CUDA_BATCH_MEM_OP_NODE_PARAMS)),
        OK
    );
    node
}

/// Each branch waits for the other one: a chain of all nodes would never end.
#[test]
fn branches_run_side_by_side() {
    const WAIT: T = T::CU_STREAM_MEM_OP_WAIT_VALUE_32;
    const WRITE: T = T::CU_STREAM_MEM_OP_WRITE_VALUE_32;
    let driver = Driver::new();
    let graph = driver.graph();
    let clear = driver.add_clear(graph, &[], 1 + 2 * MOST);
    let (one, other) = (driver.place(MOST - 1), driver.place(MOST - 2));
    let waits = batch(&driver, graph, &[clear], WAIT, one, 1);
    let answers = batch(&driver, graph, &[waits], WRITE, other, 1);
    let writes = batch(&driver, graph, &[clear], WRITE, one, 1);
    let goes_on = batch(&driver, graph, &[writes], WAIT, other, 1);
    let ends = [answers, goes_on];
    driver.add_mark(graph, &ends, 0, 1);
    let exec = driver.instantiate(graph);
    for _ in 0..3 {
        assert_eq!(driver.run(exec)[0], 1);
    }
}
