//! Nodes that signal and wait for semaphores of other interfaces: of none here, as no such interface is there.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::NamedCase;
use super::graph::{empty, graph, instantiate, type_of};
use crate::setup::*;

fn signals(count: u32) -> CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
    let mut params: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS = zeroed();
    params.numExtSems = count;
    params
}

fn waits(count: u32) -> CUDA_EXT_SEM_WAIT_NODE_PARAMS {
    let mut params: CUDA_EXT_SEM_WAIT_NODE_PARAMS = zeroed();
    params.numExtSems = count;
    params
}

pub const CASES: &[NamedCase] = &[
    ("graph_semaphore/signal", |api, sheet| {
        context(api);
        let graph = graph(api);
        let first = empty(api, graph, &[]);
        let (mut node, none) = (null_mut(), signals(0));
        sheet.put(
            "add",
            api.cuGraphAddExternalSemaphoresSignalNode(&mut node, graph, &first, 1, &none),
        );
        sheet.put("type", type_of(api, node));
        let mut told = signals(7);
        sheet.put("get", api.cuGraphExternalSemaphoresSignalNodeGetParams(node, &mut told));
        sheet.put("count", told.numExtSems);
        sheet.put("semaphores_null", i64::from(told.extSemArray.is_null()));
        sheet.put("params_null", i64::from(told.paramsArray.is_null()));
        sheet.put("set", api.cuGraphExternalSemaphoresSignalNodeSetParams(node, &none));
        let exec = instantiate(api, graph);
        sheet.put(
            "exec_set",
            api.cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, &none),
        );
        sheet.put("launch", api.cuGraphLaunch(exec, null_mut()));
        sheet.put("synchronize", api.cuCtxSynchronize());
    }),
    ("graph_semaphore/wait", |api, sheet| {
        context(api);
        let graph = graph(api);
        let first = empty(api, graph, &[]);
        let (mut node, none) = (null_mut(), waits(0));
        sheet.put(
            "add",
            api.cuGraphAddExternalSemaphoresWaitNode(&mut node, graph, &first, 1, &none),
        );
        sheet.put("type", type_of(api, node));
        let mut told = waits(7);
        sheet.put("get", api.cuGraphExternalSemaphoresWaitNodeGetParams(node, &mut told));
        sheet.put("count", told.numExtSems);
        sheet.put("semaphores_null", i64::from(told.extSemArray.is_null()));
        sheet.put("params_null", i64::from(told.paramsArray.is_null()));
        sheet.put("set", api.cuGraphExternalSemaphoresWaitNodeSetParams(node, &none));
        let exec = instantiate(api, graph);
        sheet
            .put("exec_set", api.cuGraphExecExternalSemaphoresWaitNodeSetParams(exec, node, &none));
        sheet.put("launch", api.cuGraphLaunch(exec, null_mut()));
        sheet.put("synchronize", api.cuCtxSynchronize());
    }),
    ("graph_semaphore/arguments", |api, sheet| {
        context(api);
        let graph = graph(api);
        let other = empty(api, graph, &[]);
        let (mut node, none, mut told) = (null_mut(), signals(0), signals(0));
        sheet.put(
            "into_null",
            api.cuGraphAddExternalSemaphoresSignalNode(null_mut(), graph, null(), 0, &none),
        );
        sheet.put(
            "null_graph",
            api.cuGraphAddExternalSemaphoresSignalNode(&mut node, null_mut(), null(), 0, &none),
        );
        sheet.put(
            "null_params",
            api.cuGraphAddExternalSemaphoresSignalNode(&mut node, graph, null(), 0, null()),
        );
        sheet.put(
            "null_before",
            api.cuGraphAddExternalSemaphoresSignalNode(&mut node, graph, null(), 1, &none),
        );
        sheet.put(
            "get_of_other",
            api.cuGraphExternalSemaphoresSignalNodeGetParams(other, &mut told),
        );
        sheet.put("set_of_other", api.cuGraphExternalSemaphoresSignalNodeSetParams(other, &none));
        sheet.put("set_null", api.cuGraphExternalSemaphoresSignalNodeSetParams(null_mut(), &none));
        let (none, mut told) = (waits(0), waits(0));
        sheet.put(
            "wait_null_params",
            api.cuGraphAddExternalSemaphoresWaitNode(&mut node, graph, null(), 0, null()),
        );
        sheet.put(
            "wait_get_of_other",
            api.cuGraphExternalSemaphoresWaitNodeGetParams(other, &mut told),
        );
        sheet
            .put("wait_set_of_other", api.cuGraphExternalSemaphoresWaitNodeSetParams(other, &none));
    }),
    ("graph_semaphore/null_semaphore", |api, sheet| {
        context(api);
        let graph = graph(api);
        let (mut node, mut semaphores) = (null_mut(), [null_mut(); 1]);
        let one: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS = zeroed();
        let params = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
            extSemArray: semaphores.as_mut_ptr(),
            paramsArray: &one,
            numExtSems: 1,
        };
        sheet.put(
            "signal",
            api.cuGraphAddExternalSemaphoresSignalNode(&mut node, graph, null(), 0, &params),
        );
        let one: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS = zeroed();
        let params = CUDA_EXT_SEM_WAIT_NODE_PARAMS {
            extSemArray: semaphores.as_mut_ptr(),
            paramsArray: &one,
            numExtSems: 1,
        };
        sheet.put(
            "wait",
            api.cuGraphAddExternalSemaphoresWaitNode(&mut node, graph, null(), 0, &params),
        );
    }),
    ("graph_semaphore/by_type", |api, sheet| {
        context(api);
        let graph = graph(api);
        for (name, kind) in [
            ("signal", CUgraphNodeType::CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL),
            ("wait", CUgraphNodeType::CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT),
        ] {
            let (mut node, mut params): (_, CUgraphNodeParams) = (null_mut(), zeroed());
            params.type_ = kind;
            sheet
                .put(name, api.cuGraphAddNode_v2(&mut node, graph, null(), null(), 0, &mut params));
            sheet.put(&format!("{name}_set"), api.cuGraphNodeSetParams(node, &mut params));
        }
    }),
    ("graph_semaphore/in_streams", |api, sheet| {
        context(api);
        let stream = stream(api);
        sheet.put("signal_none", api.cuSignalExternalSemaphoresAsync(null(), null(), 0, stream));
        sheet.put("wait_none", api.cuWaitExternalSemaphoresAsync(null(), null(), 0, stream));
        sheet.put("signal_null", api.cuSignalExternalSemaphoresAsync(null(), null(), 1, stream));
        sheet.put("wait_null", api.cuWaitExternalSemaphoresAsync(null(), null(), 1, stream));
    }),
];
