//! Executable graphs that kernels may launch: what may be instantiated so, uploads, and what hosts may do with them.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::NamedCase;
use super::graph::{
    Arguments, copy_of, empty, graph, host_nothing, instantiate, kernel_of, memset_of,
};
use crate::setup::*;
use differential::api::Api;

const DEVICE_LAUNCH: u64 = 4;

/// A graph of the kernel `store`.
fn storing(api: &Api, arguments: &Arguments) -> CUgraph {
    let (module, graph, mut node) = (module(api), graph(api), null_mut());
    let params = kernel_of(kernel(api, module, c"store"), arguments.list());
    must(api.cuGraphAddKernelNode(&mut node, graph, null(), 0, &params));
    graph
}

fn with_params(api: &Api, graph: CUgraph, flags: u64) -> (i64, i64, CUgraphExec) {
    let (mut exec, mut params): (_, CUDA_GRAPH_INSTANTIATE_PARAMS) = (null_mut(), zeroed());
    params.flags = flags;
    let result = api.cuGraphInstantiateWithParams(&mut exec, graph, &mut params);
    (result, params.result_out.0.into(), exec)
}

pub const CASES: &[NamedCase] = &[
    ("graph_device_launch/kernel", |api, sheet| {
        context(api);
        let to = allocate(api, 4);
        let arguments = Arguments::new(to, 5);
        let graph = storing(api, &arguments);
        let (mut exec, mut flags, mut word) = (null_mut(), 0, 0_u32);
        sheet.put("instantiate", api.cuGraphInstantiateWithFlags(&mut exec, graph, DEVICE_LAUNCH));
        sheet.put("get_flags", api.cuGraphExecGetFlags(exec, &mut flags));
        sheet.put("flags", flags as i64);
        sheet.put("upload", api.cuGraphUpload(exec, null_mut()));
        sheet.put("launch", api.cuGraphLaunch(exec, null_mut()));
        sheet.put("synchronize", api.cuCtxSynchronize());
        must(api.cuMemcpyDtoH_v2((&raw mut word).cast(), to, 4));
        sheet.put("word", word);
        sheet.put("destroy", api.cuGraphExecDestroy(exec));
    }),
    ("graph_device_launch/by_params", |api, sheet| {
        context(api);
        let arguments = Arguments::new(allocate(api, 4), 5);
        let graph = storing(api, &arguments);
        for (name, flags) in [("plain", 4), ("upload", 6), ("auto_free", 5), ("priority", 12)] {
            let (result, told, _) = with_params(api, graph, flags);
            sheet.put(name, result);
            sheet.put(&format!("{name}_result"), told);
        }
    }),
    ("graph_device_launch/kinds_of_nodes", |api, sheet| {
        context(api);
        let memory = allocate(api, 64);
        let mut context = null_mut();
        must(api.cuCtxGetCurrent(&mut context));
        let try_it = |sheet: &mut crate::Sheet, name: &str, graph: CUgraph| {
            let (result, told, _) = with_params(api, graph, DEVICE_LAUNCH);
            sheet.put(name, result);
            sheet.put(&format!("{name}_result"), told);
        };
        let mut node = null_mut();
        let nothing = graph(api);
        try_it(sheet, "no_node", nothing);
        empty(api, nothing, &[]);
        try_it(sheet, "empty", nothing);
        let filled = graph(api);
        must(api.cuGraphAddMemsetNode(
            &mut node,
            filled,
            null(),
            0,
            &memset_of(memory, 1, 4, 4),
            context,
        ));
        try_it(sheet, "memset", filled);
        let copied = graph(api);
        must(api.cuGraphAddMemcpyNode(
            &mut node,
            copied,
            null(),
            0,
            &copy_of(memory, memory + 32, 16),
            context,
        ));
        try_it(sheet, "memcpy", copied);
        let called = graph(api);
        let host = CUDA_HOST_NODE_PARAMS { fn_: Some(host_nothing), userData: null_mut() };
        must(api.cuGraphAddHostNode(&mut node, called, null(), 0, &host));
        try_it(sheet, "host", called);
        let recorded = graph(api);
        must(api.cuGraphAddEventRecordNode(&mut node, recorded, null(), 0, event(api)));
        try_it(sheet, "event_record", recorded);
    }),
    ("graph_device_launch/child", |api, sheet| {
        context(api);
        let arguments = Arguments::new(allocate(api, 4), 5);
        let (child, parent, mut node) = (storing(api, &arguments), graph(api), null_mut());
        must(api.cuGraphAddChildGraphNode(&mut node, parent, null(), 0, child));
        let (result, told, _) = with_params(api, parent, DEVICE_LAUNCH);
        sheet.put("child", result);
        sheet.put("child_result", told);
    }),
    ("graph_device_launch/twice", |api, sheet| {
        context(api);
        let arguments = Arguments::new(allocate(api, 4), 5);
        let graph = storing(api, &arguments);
        let (first, _, exec) = with_params(api, graph, DEVICE_LAUNCH);
        let (second, told, _) = with_params(api, graph, DEVICE_LAUNCH);
        sheet.put("first", first);
        sheet.put("second", second);
        sheet.put("second_result", told);
        sheet.put("plain_too", with_params(api, graph, 0).0);
        sheet.put("update", api.cuGraphExecUpdate_v2(exec, graph, null_mut()));
    }),
    ("graph_device_launch/upload", |api, sheet| {
        context(api);
        let graph = graph(api);
        empty(api, graph, &[]);
        let (exec, stream) = (instantiate(api, graph), stream(api));
        sheet.put("plain", api.cuGraphUpload(exec, stream));
        sheet.put("null", api.cuGraphUpload(null_mut(), stream));
        must(api.cuStreamBeginCapture_v2(stream, CUstreamCaptureMode(0)));
        sheet.put("captured", api.cuGraphUpload(exec, stream));
    }),
];
