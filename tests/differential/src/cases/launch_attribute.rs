//! Attributes of launches, each by itself: what values are taken, and what is recorded in graphs.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::NamedCase;
use super::graph::{graph, kernel_of};
use crate::Sheet;
use crate::setup::*;
use differential::api::Api;

/// A value whose first words are these.
fn value(words: [u32; 16]) -> CUlaunchAttributeValue {
    let mut value: CUlaunchAttributeValue = zeroed();
    // SAFETY: there are 64 bytes.
    unsafe { (&raw mut value).cast::<[u32; 16]>().write_unaligned(words) };
    value
}

fn words(first: &[u32]) -> [u32; 16] {
    std::array::from_fn(|at| first.get(at).copied().unwrap_or(0))
}

/// A value that names an event, with two words behind it.
fn of_event(event: CUevent, one: u32, two: u32) -> CUlaunchAttributeValue {
    let address = event as u64;
    value(words(&[address as u32, (address >> 32) as u32, one, two]))
}

/// Launches the kernel `nothing` with attributes, in grids of `blocks`.
fn launch_with(
    api: &Api,
    function: CUfunction,
    stream: CUstream,
    blocks: u32,
    attributes: &[(u32, CUlaunchAttributeValue)],
) -> i64 {
    let mut list: Vec<CUlaunchAttribute> = attributes
        .iter()
        .map(|(id, value)| {
            let mut attribute: CUlaunchAttribute = zeroed();
            (attribute.id, attribute.value) = (CUlaunchAttributeID(*id as _), *value);
            attribute
        })
        .collect();
    let mut config: CUlaunchConfig = zeroed();
    (config.gridDimX, config.gridDimY, config.gridDimZ) = (blocks, 1, 1);
    (config.blockDimX, config.blockDimY, config.blockDimZ) = (1, 1, 1);
    (config.hStream, config.attrs, config.numAttrs) =
        (stream, list.as_mut_ptr(), list.len() as u32);
    api.cuLaunchKernelEx(&config, function, null_mut(), null_mut())
}

fn nothing(api: &Api) -> CUfunction {
    let module = module(api);
    kernel(api, module, c"nothing")
}

/// Launches with each of some values of one attribute.
fn each(api: &Api, sheet: &mut Sheet, id: u32, values: &[&[u32]]) {
    let function = nothing(api);
    for given in values {
        let name: Vec<_> = given.iter().map(|word| (*word as i32).to_string()).collect();
        let name = name.join("_");
        sheet.put(&name, launch_with(api, function, null_mut(), 4, &[(id, value(words(given)))]));
    }
    sheet.put("synchronize", api.cuCtxSynchronize());
}

/// The same for a node of a graph: set, then asked for.
fn of_node(api: &Api, sheet: &mut Sheet, id: u32, values: &[&[u32]]) {
    let (function, graph, mut node) = (nothing(api), graph(api), null_mut());
    must(api.cuGraphAddKernelNode(&mut node, graph, null(), 0, &kernel_of(function, null_mut())));
    let id = CUlaunchAttributeID(id as _);
    let mut told = value([0; 16]);
    sheet.put("get", api.cuGraphKernelNodeGetAttribute(node, id, &mut told));
    tell(sheet, "default", &told);
    for given in values {
        let name: Vec<_> = given.iter().map(|word| (*word as i32).to_string()).collect();
        let name = name.join("_");
        sheet.put(&name, api.cuGraphKernelNodeSetAttribute(node, id, &value(words(given))));
        told = value([0; 16]);
        sheet.put(&format!("{name}_get"), api.cuGraphKernelNodeGetAttribute(node, id, &mut told));
        tell(sheet, &format!("{name}_is"), &told);
    }
}

/// The words of a value, as one number of three of them.
fn tell(sheet: &mut Sheet, name: &str, value: &CUlaunchAttributeValue) {
    // SAFETY: there are 64 bytes, all of them written.
    let words = unsafe { std::ptr::from_ref(value).cast::<[i32; 16]>().read_unaligned() };
    for (at, word) in words.iter().take(3).enumerate() {
        sheet.put(&format!("{name}.{at}"), *word);
    }
}

const MINUS_ONE: u32 = u32::MAX;
const MINUS_FIVE: u32 = -5_i32 as u32;

pub const CASES: &[NamedCase] = &[
    ("launch_attribute/numbers", |api, sheet| {
        let function = nothing(api);
        for id in [0, 11, 15, 16, 17, 18, 99] {
            sheet.put(
                &id.to_string(),
                launch_with(api, function, null_mut(), 4, &[(id, value([0; 16]))]),
            );
        }
    }),
    ("launch_attribute/cooperative", |api, sheet| each(api, sheet, 2, &[&[0], &[1], &[2]])),
    ("launch_attribute/cluster", |api, sheet| {
        each(
            api,
            sheet,
            4,
            &[
                &[1, 1, 1],
                &[2, 1, 1],
                &[4, 1, 1],
                &[3, 1, 1],
                &[8, 1, 1],
                &[0, 1, 1],
                &[0, 0, 0],
                &[2, 2, 1],
            ],
        );
    }),
    ("launch_attribute/cluster_policy", |api, sheet| {
        each(api, sheet, 5, &[&[0], &[1], &[2], &[3], &[99]])
    }),
    ("launch_attribute/serialization", |api, sheet| {
        each(api, sheet, 6, &[&[0], &[1], &[2], &[MINUS_ONE]])
    }),
    ("launch_attribute/priority", |api, sheet| {
        each(api, sheet, 8, &[&[0], &[1], &[MINUS_ONE], &[MINUS_FIVE], &[99], &[-99_i32 as u32]]);
    }),
    ("launch_attribute/domain_map", |api, sheet| {
        each(api, sheet, 9, &[&[0x0100], &[0], &[0x0101], &[0x0300], &[0x0400]])
    }),
    ("launch_attribute/domain", |api, sheet| each(api, sheet, 10, &[&[0], &[1], &[2], &[99]])),
    ("launch_attribute/preferred_cluster", |api, sheet| {
        each(api, sheet, 11, &[&[1, 1, 1], &[2, 1, 1], &[4, 1, 1], &[0, 0, 0], &[3, 1, 1]]);
    }),
    ("launch_attribute/both_clusters", |api, sheet| {
        let function = nothing(api);
        for (name, own, preferred) in
            [("2_4", 2, 4), ("2_2", 2, 2), ("2_3", 2, 3), ("4_2", 4, 2), ("1_4", 1, 4)]
        {
            let attributes =
                [(4, value(words(&[own, 1, 1]))), (11, value(words(&[preferred, 1, 1])))];
            sheet.put(name, launch_with(api, function, null_mut(), 8, &attributes));
        }
        sheet.put("synchronize", api.cuCtxSynchronize());
    }),
    ("launch_attribute/carveout", |api, sheet| {
        each(api, sheet, 14, &[&[0], &[50], &[100], &[101], &[MINUS_ONE], &[-2_i32 as u32]]);
    }),
    ("launch_attribute/synchronization", |api, sheet| each(api, sheet, 3, &[&[1], &[2], &[9]])),
    ("launch_attribute/nvlink", |api, sheet| each(api, sheet, 16, &[&[0], &[1], &[2]])),
    ("launch_attribute/updatable", |api, sheet| each(api, sheet, 13, &[&[0], &[1], &[2]])),
    ("launch_attribute/window", |api, sheet| {
        let function = nothing(api);
        let memory = allocate(api, 4096);
        for (name, bytes, ratio, hit, miss) in [
            ("none", 0, 0.0, 0, 0),
            ("whole", 4096, 1.0, 2, 1),
            ("part", 4096, 0.5, 2, 1),
            ("ratio", 4096, 1.5, 2, 1),
            ("negative", 4096, -0.5, 2, 1),
            ("miss_persists", 4096, 1.0, 2, 2),
            ("unknown", 4096, 1.0, 7, 0),
        ] {
            let mut window: CUlaunchAttributeValue = zeroed();
            window.accessPolicyWindow = CUaccessPolicyWindow {
                base_ptr: memory as *mut _,
                num_bytes: bytes,
                hitRatio: ratio,
                hitProp: CUaccessProperty_enum(hit),
                missProp: CUaccessProperty_enum(miss),
            };
            sheet.put(name, launch_with(api, function, null_mut(), 1, &[(1, window)]));
        }
    }),
    ("launch_attribute/programmatic_event", |api, sheet| {
        let (function, stream) = (nothing(api), stream(api));
        let (plain, mut untimed) = (event(api), null_mut());
        must(api.cuEventCreate(&mut untimed, 2));
        for (name, event, flags, trigger) in [
            ("null", null_mut(), 0, 0),
            ("timed", plain, 0, 0),
            ("untimed", untimed, 0, 0),
            ("trigger", untimed, 0, 1),
            ("trigger_2", untimed, 0, 2),
            ("flags_1", untimed, 1, 0),
            ("flags_2", untimed, 2, 0),
        ] {
            sheet.put(
                name,
                launch_with(api, function, stream, 1, &[(7, of_event(event, flags, trigger))]),
            );
        }
        sheet.put("synchronize", api.cuEventSynchronize(untimed));
        sheet.put("query", api.cuEventQuery(untimed));
        sheet.put("wait", api.cuStreamWaitEvent(stream, untimed, 0));
        sheet.put(
            "legacy_stream",
            launch_with(api, function, null_mut(), 1, &[(7, of_event(untimed, 0, 0))]),
        );
        sheet.put("end", api.cuCtxSynchronize());
    }),
    ("launch_attribute/completion_event", |api, sheet| {
        let (function, stream) = (nothing(api), stream(api));
        let (plain, mut untimed) = (event(api), null_mut());
        must(api.cuEventCreate(&mut untimed, 2));
        for (name, event, flags) in [
            ("null", null_mut(), 0),
            ("timed", plain, 0),
            ("untimed", untimed, 0),
            ("flags_1", untimed, 1),
            ("flags_2", untimed, 2),
        ] {
            sheet.put(
                name,
                launch_with(api, function, stream, 1, &[(12, of_event(event, flags, 0))]),
            );
        }
        sheet.put("synchronize", api.cuEventSynchronize(untimed));
        sheet.put("query", api.cuEventQuery(untimed));
        sheet.put(
            "both",
            launch_with(
                api,
                function,
                stream,
                1,
                &[(7, of_event(untimed, 0, 0)), (12, of_event(untimed, 0, 0))],
            ),
        );
        sheet.put("end", api.cuCtxSynchronize());
    }),
    ("launch_attribute/events_captured", |api, sheet| {
        let function = nothing(api);
        let mut untimed = null_mut();
        must(api.cuEventCreate(&mut untimed, 2));
        for (name, id) in [("programmatic", 7), ("completion", 12)] {
            let (stream, mut graph, mut count) = (stream(api), null_mut(), 0);
            must(api.cuStreamBeginCapture_v2(stream, CUstreamCaptureMode(0)));
            sheet
                .put(name, launch_with(api, function, stream, 1, &[(id, of_event(untimed, 0, 0))]));
            sheet.put(&format!("{name}_wait"), api.cuStreamWaitEvent(stream, untimed, 0));
            sheet.put(&format!("{name}_launch"), launch_with(api, function, stream, 1, &[]));
            sheet.put(&format!("{name}_end"), api.cuStreamEndCapture(stream, &mut graph));
            if !graph.is_null() {
                must(api.cuGraphGetNodes(graph, null_mut(), &mut count));
            }
            sheet.put(&format!("{name}_nodes"), count as i64);
            let (mut from, mut to, mut edges, mut many) =
                ([null_mut(); 4], [null_mut(); 4], [zeroed::<CUgraphEdgeData>(); 4], 4);
            if !graph.is_null() {
                sheet.put(
                    &format!("{name}_edges"),
                    api.cuGraphGetEdges_v2(
                        graph,
                        from.as_mut_ptr(),
                        to.as_mut_ptr(),
                        edges.as_mut_ptr(),
                        &mut many,
                    ),
                );
                sheet.put(&format!("{name}_many"), many as i64);
                sheet.put(&format!("{name}_port"), edges[0].from_port);
                sheet.put(&format!("{name}_kind"), edges[0].type_);
            }
        }
    }),
    ("launch_attribute/twice", |api, sheet| {
        let function = nothing(api);
        let clusters = [(4, value(words(&[2, 1, 1]))), (4, value(words(&[4, 1, 1])))];
        sheet.put("clusters", launch_with(api, function, null_mut(), 4, &clusters));
        let mut config: CUlaunchConfig = zeroed();
        (config.gridDimX, config.gridDimY, config.gridDimZ) = (1, 1, 1);
        (config.blockDimX, config.blockDimY, config.blockDimZ) = (1, 1, 1);
        config.numAttrs = 1;
        sheet.put("null_list", api.cuLaunchKernelEx(&config, function, null_mut(), null_mut()));
        sheet.put("null_config", api.cuLaunchKernelEx(null(), function, null_mut(), null_mut()));
    }),
    ("node_attribute/numbers", |api, sheet| {
        let (function, graph, mut node) = (nothing(api), graph(api), null_mut());
        must(api.cuGraphAddKernelNode(
            &mut node,
            graph,
            null(),
            0,
            &kernel_of(function, null_mut()),
        ));
        for id in 0..19 {
            let mut told = value([0; 16]);
            let name = CUlaunchAttributeID(id);
            sheet.put(
                &format!("get_{id}"),
                api.cuGraphKernelNodeGetAttribute(node, name, &mut told),
            );
            sheet.put(&format!("set_{id}"), api.cuGraphKernelNodeSetAttribute(node, name, &told));
        }
    }),
    ("node_attribute/cooperative", |api, sheet| of_node(api, sheet, 2, &[&[1], &[0]])),
    ("node_attribute/cluster", |api, sheet| {
        of_node(api, sheet, 4, &[&[1, 1, 1], &[2, 1, 1], &[0, 0, 0]])
    }),
    ("node_attribute/cluster_policy", |api, sheet| {
        of_node(api, sheet, 5, &[&[1], &[2], &[9], &[0]])
    }),
    ("node_attribute/priority", |api, sheet| {
        of_node(api, sheet, 8, &[&[MINUS_ONE], &[MINUS_FIVE], &[99], &[-99_i32 as u32]])
    }),
    ("node_attribute/domain_map", |api, sheet| {
        of_node(api, sheet, 9, &[&[0x0101], &[0], &[0x0400]])
    }),
    ("node_attribute/domain", |api, sheet| of_node(api, sheet, 10, &[&[1], &[2], &[0]])),
    ("node_attribute/carveout", |api, sheet| {
        of_node(api, sheet, 14, &[&[50], &[101], &[MINUS_ONE], &[0]])
    }),
    ("node_attribute/updatable", |api, sheet| {
        let (function, graph, mut node) = (nothing(api), graph(api), null_mut());
        must(api.cuGraphAddKernelNode(
            &mut node,
            graph,
            null(),
            0,
            &kernel_of(function, null_mut()),
        ));
        let id = CUlaunchAttributeID(13);
        for word in [0, 1, 0, 2] {
            let set = api.cuGraphKernelNodeSetAttribute(node, id, &value(words(&[word])));
            sheet.put(&format!("set_{word}_of_{}", sheet.count()), set);
        }
    }),
    ("node_attribute/graph_of_updatable", |api, sheet| {
        let (function, graph, outer) = (nothing(api), graph(api), graph(api));
        let params = kernel_of(function, null_mut());
        let (mut node, mut other, mut copy) = (null_mut(), null_mut(), null_mut());
        must(api.cuGraphAddKernelNode(&mut node, graph, null(), 0, &params));
        must(api.cuGraphAddKernelNode(&mut other, graph, null(), 0, &params));
        let id = CUlaunchAttributeID(13);
        let set = api.cuGraphKernelNodeSetAttribute(node, id, &value(words(&[1])));
        sheet.put("set", set);
        sheet.put("clone", api.cuGraphClone(&mut copy, graph));
        sheet.put("copy_from", api.cuGraphKernelNodeCopyAttributes(other, node));
        sheet.put("copy_to", api.cuGraphKernelNodeCopyAttributes(node, other));
        sheet.put("destroy_node", api.cuGraphDestroyNode(node));
        let mut child = null_mut();
        sheet.put("child", api.cuGraphAddChildGraphNode(&mut child, outer, null(), 0, graph));
        let (mut exec, mut second) = (null_mut(), null_mut());
        sheet.put("instantiate", api.cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        sheet.put("again", api.cuGraphInstantiateWithFlags(&mut second, graph, 0));
        let mut told = zeroed();
        sheet.put("update", api.cuGraphExecUpdate_v2(exec, graph, &mut told));
        sheet.put("destroy", api.cuGraphExecDestroy(exec));
        sheet.put("once_more", api.cuGraphInstantiateWithFlags(&mut second, graph, 0));
    }),
    ("node_attribute/captured", |api, sheet| {
        // What a launch asked for, its node says.
        let (function, stream) = (nothing(api), stream(api));
        let (mut graph, mut node, mut count) = (null_mut(), null_mut(), 1);
        must(api.cuStreamBeginCapture_v2(stream, CUstreamCaptureMode(0)));
        let attributes = [
            (2, value(words(&[1]))),
            (8, value(words(&[MINUS_ONE]))),
            (10, value(words(&[1]))),
            (14, value(words(&[50]))),
        ];
        sheet.put("launch", launch_with(api, function, stream, 1, &attributes));
        must(api.cuStreamEndCapture(stream, &mut graph));
        must(api.cuGraphGetNodes(graph, &mut node, &mut count));
        for id in [2, 8, 10, 14] {
            let mut told = value([0; 16]);
            sheet.put(
                &format!("get_{id}"),
                api.cuGraphKernelNodeGetAttribute(node, CUlaunchAttributeID(id), &mut told),
            );
            tell(sheet, &format!("is_{id}"), &told);
        }
    }),
    ("node_attribute/copy", |api, sheet| {
        let (function, graph) = (nothing(api), graph(api));
        let (mut from, mut to) = (null_mut(), null_mut());
        must(api.cuGraphAddKernelNode(
            &mut from,
            graph,
            null(),
            0,
            &kernel_of(function, null_mut()),
        ));
        must(api.cuGraphAddKernelNode(&mut to, graph, null(), 0, &kernel_of(function, null_mut())));
        for (id, word) in [(8, MINUS_ONE), (10, 1), (14, 50)] {
            must(api.cuGraphKernelNodeSetAttribute(
                from,
                CUlaunchAttributeID(id),
                &value(words(&[word])),
            ));
        }
        sheet.put("copy", api.cuGraphKernelNodeCopyAttributes(to, from));
        for id in [8, 10, 14] {
            let mut told = value([0; 16]);
            must(api.cuGraphKernelNodeGetAttribute(to, CUlaunchAttributeID(id), &mut told));
            tell(sheet, &format!("is_{id}"), &told);
        }
    }),
];
