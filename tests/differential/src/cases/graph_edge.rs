//! Data of edges between nodes of each two kinds, and executable graphs whose nodes are changed.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::NamedCase;
use super::graph::{
    Arguments, copy_of, empty, graph, host_nothing, instantiate, kernel_of, memset_of,
};
use crate::Sheet;
use crate::setup::*;
use differential::api::Api;

/// A node of a kind.
fn node(
    api: &Api,
    graph: CUgraph,
    kind: &str,
    function: CUfunction,
    memory: CUdeviceptr,
) -> CUgraphNode {
    let (mut node, mut context) = (null_mut(), null_mut());
    must(api.cuCtxGetCurrent(&mut context));
    must(match kind {
        "kernel" => {
            api.cuGraphAddKernelNode(&mut node, graph, null(), 0, &kernel_of(function, null_mut()))
        }
        "memset" => api.cuGraphAddMemsetNode(
            &mut node,
            graph,
            null(),
            0,
            &memset_of(memory, 1, 4, 4),
            context,
        ),
        "copy" => api.cuGraphAddMemcpyNode(
            &mut node,
            graph,
            null(),
            0,
            &copy_of(memory, memory + 32, 16),
            context,
        ),
        "host" => {
            let call = CUDA_HOST_NODE_PARAMS { fn_: Some(host_nothing), userData: null_mut() };
            api.cuGraphAddHostNode(&mut node, graph, null(), 0, &call)
        }
        _ => api.cuGraphAddEmptyNode(&mut node, graph, null(), 0),
    });
    node
}

fn edge(from_port: u8, to_port: u8, kind: u8) -> CUgraphEdgeData {
    let mut data: CUgraphEdgeData = zeroed();
    (data.from_port, data.to_port, data.type_) = (from_port, to_port, kind);
    data
}

/// Edges with all data from a node of a kind.
fn from(api: &Api, sheet: &mut Sheet, kind: &str) {
    let module = module(api);
    let (function, memory) = (kernel(api, module, c"nothing"), allocate(api, 64));
    for to in ["kernel", "memset", "copy", "host", "empty"] {
        for (port, to_port, type_) in [
            (0, 0, 0),
            (1, 0, 0),
            (2, 0, 0),
            (1, 0, 1),
            (2, 0, 1),
            (0, 0, 1),
            (3, 0, 1),
            (0, 1, 0),
            (1, 0, 2),
        ] {
            let graph = graph(api);
            let (first, second) =
                (node(api, graph, kind, function, memory), node(api, graph, to, function, memory));
            let data = edge(port, to_port, type_);
            let result = api.cuGraphAddDependencies_v2(graph, &first, &second, &data, 1);
            sheet.put(&format!("{to}_{port}_{to_port}_{type_}"), result);
        }
    }
}

pub const CASES: &[NamedCase] = &[
    ("graph_edge/from_kernel", |api, sheet| from(api, sheet, "kernel")),
    ("graph_edge/from_memset", |api, sheet| from(api, sheet, "memset")),
    ("graph_edge/from_copy", |api, sheet| from(api, sheet, "copy")),
    ("graph_edge/from_host", |api, sheet| from(api, sheet, "host")),
    ("graph_edge/from_empty", |api, sheet| from(api, sheet, "empty")),
    ("graph_edge/programmatic_runs", |api, sheet| {
        let module = module(api);
        let function = kernel(api, module, c"nothing");
        let graph = graph(api);
        let (first, second) =
            (node(api, graph, "kernel", function, 0), node(api, graph, "kernel", function, 0));
        must(api.cuGraphAddDependencies_v2(graph, &first, &second, &edge(1, 0, 1), 1));
        let exec = instantiate(api, graph);
        sheet.put("launch", api.cuGraphLaunch(exec, null_mut()));
        sheet.put("synchronize", api.cuCtxSynchronize());
    }),
    ("graph_edge/wide", |api, sheet| {
        // Many branches, and the last of them that sees them all.
        let (module, graph, memory) = (module(api), graph(api), allocate(api, 4 * 64));
        let function = kernel(api, module, c"store");
        let arguments: Vec<Arguments> =
            (0..64).map(|at| Arguments::new(memory + 4 * at, at as u32 + 1)).collect();
        let first = empty(api, graph, &[]);
        let mut nodes = vec![];
        for arguments in &arguments {
            let mut node = null_mut();
            must(api.cuGraphAddKernelNode(
                &mut node,
                graph,
                &first,
                1,
                &kernel_of(function, arguments.list()),
            ));
            nodes.push(node);
        }
        let copy = allocate(api, 4 * 64);
        let (mut last, mut context) = (null_mut(), null_mut());
        must(api.cuCtxGetCurrent(&mut context));
        must(api.cuGraphAddMemcpyNode(
            &mut last,
            graph,
            nodes.as_ptr(),
            64,
            &copy_of(copy, memory, 256),
            context,
        ));
        let exec = instantiate(api, graph);
        let mut words = [0_u32; 64];
        for round in 0..3 {
            must(api.cuMemsetD32_v2(memory, 0, 64));
            sheet.put(&format!("launch_{round}"), api.cuGraphLaunch(exec, null_mut()));
            must(api.cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), copy, 256));
            sheet.put(&format!("sum_{round}"), words.iter().sum::<u32>());
        }
        arguments[5].set(memory + 20, 1000);
        sheet.put(
            "set",
            api.cuGraphExecKernelNodeSetParams(
                exec,
                nodes[5],
                &kernel_of(function, arguments[5].list()),
            ),
        );
        sheet.put("disable", api.cuGraphNodeSetEnabled(exec, nodes[6], 0));
        must(api.cuMemsetD32_v2(memory, 0, 64));
        must(api.cuGraphLaunch(exec, null_mut()));
        must(api.cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), copy, 256));
        sheet.put("sum", words.iter().sum::<u32>());
    }),
    ("graph_edge/chain", |api, sheet| {
        // A chain in which each kernel overwrites what the one before has stored.
        let (module, graph, memory) = (module(api), graph(api), allocate(api, 4));
        let function = kernel(api, module, c"store");
        let arguments: Vec<Arguments> =
            (0..200).map(|at| Arguments::new(memory, at as u32)).collect();
        let mut nodes: Vec<CUgraphNode> = vec![];
        for arguments in &arguments {
            let (mut node, before) = (null_mut(), nodes.last().copied());
            let count = before.iter().count();
            let before = before.unwrap_or(null_mut());
            must(api.cuGraphAddKernelNode(
                &mut node,
                graph,
                &before,
                count,
                &kernel_of(function, arguments.list()),
            ));
            nodes.push(node);
        }
        let exec = instantiate(api, graph);
        let mut word = 0_u32;
        must(api.cuGraphLaunch(exec, null_mut()));
        must(api.cuMemcpyDtoH_v2((&raw mut word).cast(), memory, 4));
        sheet.put("last", word);
        sheet.put("disable", api.cuGraphNodeSetEnabled(exec, nodes[199], 0));
        must(api.cuGraphLaunch(exec, null_mut()));
        must(api.cuMemcpyDtoH_v2((&raw mut word).cast(), memory, 4));
        sheet.put("last_but_one", word);
        arguments[198].set(memory, 7777);
        sheet.put(
            "set",
            api.cuGraphExecKernelNodeSetParams(
                exec,
                nodes[198],
                &kernel_of(function, arguments[198].list()),
            ),
        );
        must(api.cuGraphLaunch(exec, null_mut()));
        must(api.cuMemcpyDtoH_v2((&raw mut word).cast(), memory, 4));
        sheet.put("changed", word);
    }),
];
