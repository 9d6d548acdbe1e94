//! Memory of pools and of graphs' own nodes, of the device and managed: where it may be, when it is there, and what streams do
//! with its words.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::NamedCase;
use super::graph::{graph, memset_of};
use super::graph_node::current;
use super::pool_place::{DEVICE, MANAGED, PINNED, attribute, properties};
use crate::Sheet;
use crate::setup::*;
use differential::api::Api;

use CUpointer_attribute as A;

/// Kinds and numbers of places.
const PLACES: &[(&str, u32, i32)] = &[
    ("nowhere", 0, 0),
    ("device", DEVICE, 0),
    ("no_device", DEVICE, 99),
    ("host", 2, 0),
    ("node", 3, 0),
    ("no_node", 3, 99),
    ("current_node", 4, 0),
];

pub fn alloc_of(kind: u32, location: u32, id: i32, bytes: usize) -> CUDA_MEM_ALLOC_NODE_PARAMS {
    let mut params: CUDA_MEM_ALLOC_NODE_PARAMS = zeroed();
    params.poolProps = properties(kind, location, id, 0);
    params.bytesize = bytes;
    params
}

/// A node that allocates memory of a kind, and one that fills it.
fn node(api: &Api, sheet: &mut Sheet, kind: u32) {
    context(api);
    let (graph, mut alloc, mut fill, mut free) = (graph(api), null_mut(), null_mut(), null_mut());
    let mut params = alloc_of(kind, DEVICE, 0, 4096);
    sheet.put("add", api.cuGraphAddMemAllocNode(&mut alloc, graph, null(), 0, &mut params));
    let memory = params.dptr;
    if memory == 0 {
        return;
    }
    let ask = |sheet: &mut Sheet, when: &str| {
        let [answer, value] = attribute(api, A::CU_POINTER_ATTRIBUTE_IS_MANAGED, memory);
        sheet.put(&format!("{when}_is_managed"), answer);
        sheet.put(&format!("{when}_is_managed_value"), value);
    };
    ask(sheet, "added");
    let memset = memset_of(memory, 5, 4, 4);
    sheet.put("fill", api.cuGraphAddMemsetNode(&mut fill, graph, &alloc, 1, &memset, current(api)));
    let mut exec = null_mut();
    sheet.put("instantiate", api.cuGraphInstantiateWithFlags(&mut exec, graph, 0));
    ask(sheet, "instantiated");
    sheet.put("launch", api.cuGraphLaunch(exec, null_mut()));
    sheet.put("synchronize", api.cuCtxSynchronize());
    ask(sheet, "launched");
    let mut word = 0_u32;
    sheet.put("copy", api.cuMemcpyDtoH_v2((&raw mut word).cast(), memory, 4));
    sheet.put("word", word);
    sheet.put("write", api.cuStreamWriteValue32_v2(null_mut(), memory, 5, 0));
    sheet.put("again", api.cuGraphLaunch(exec, null_mut()));
    sheet.put(
        "free_node_while_there",
        api.cuGraphAddMemFreeNode(&mut free, graph, &fill, 1, memory),
    );
    sheet.put("free", api.cuMemFreeAsync(memory, null_mut()));
    ask(sheet, "freed");
    sheet.put("free_node", api.cuGraphAddMemFreeNode(&mut free, graph, &fill, 1, memory));
    sheet.put("end", api.cuCtxSynchronize());
}

/// Operations of a stream on words of memory of a pool.
fn words(api: &Api, sheet: &mut Sheet, kind: u32) {
    context(api);
    let (mut pool, mut memory) = (null_mut(), 0);
    sheet.put("pool", api.cuMemPoolCreate(&mut pool, &properties(kind, DEVICE, 0, 0)));
    if pool.is_null() {
        return;
    }
    let stream = stream(api);
    sheet.put("allocate", api.cuMemAllocFromPoolAsync(&mut memory, 4096, pool, stream));
    sheet.put("memset", api.cuMemsetD8Async(memory, 0, 4096, stream));
    sheet.put("write", api.cuStreamWriteValue32_v2(stream, memory, 5, 0));
    sheet.put("write_64", api.cuStreamWriteValue64_v2(stream, memory + 8, 6, 0));
    // At least 0, which it is.
    sheet.put("wait", api.cuStreamWaitValue32_v2(stream, memory, 0, 0));
    sheet.put("synchronize", api.cuStreamSynchronize(stream));
    let mut words = [0_u32; 4];
    sheet.put("copy", api.cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), memory, 16));
    sheet.put("word", words[0]);
    sheet.put("word_64", words[2]);
    let mut managed = 0;
    must(api.cuMemAllocManaged(&mut managed, 64, 1));
    sheet.put("wait_on_managed", api.cuStreamWaitValue32_v2(stream, managed, 0, 0));
    sheet.put("free", api.cuMemFreeAsync(memory, stream));
    sheet.put("destroy", api.cuMemPoolDestroy(pool));
    sheet.put("end", api.cuCtxSynchronize());
}

pub const CASES: &[NamedCase] = &[
    ("allocation_kind/nodes_by_place", |api, sheet| {
        context(api);
        for (kind_name, kind) in [("pinned", PINNED), ("managed", MANAGED)] {
            for &(name, location, id) in PLACES {
                let (graph, mut node) = (graph(api), null_mut());
                let mut params = alloc_of(kind, location, id, 64);
                let answer = api.cuGraphAddMemAllocNode(&mut node, graph, null(), 0, &mut params);
                sheet.put(&format!("{kind_name}_{name}"), answer);
                if answer == 0 {
                    let mut exec = null_mut();
                    let made = api.cuGraphInstantiateWithFlags(&mut exec, graph, 0);
                    sheet.put(&format!("{kind_name}_{name}_instantiate"), made);
                }
            }
        }
    }),
    ("allocation_kind/managed_node", |api, sheet| node(api, sheet, MANAGED)),
    ("allocation_kind/device_node", |api, sheet| node(api, sheet, PINNED)),
    ("allocation_kind/node_after_instantiation", |api, sheet| {
        context(api);
        let (graph, mut alloc, mut other) = (graph(api), null_mut(), null_mut());
        let (mut fill, mut free, mut exec) = (null_mut(), null_mut(), null_mut());
        let mut params = alloc_of(PINNED, DEVICE, 0, 4096);
        must(api.cuGraphAddMemAllocNode(&mut alloc, graph, null(), 0, &mut params));
        sheet.put("instantiate", api.cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        let memset = memset_of(params.dptr, 5, 4, 4);
        let context = current(api);
        sheet.put("fill", api.cuGraphAddMemsetNode(&mut fill, graph, &alloc, 1, &memset, context));
        let mut more = alloc_of(PINNED, DEVICE, 0, 4096);
        sheet.put("allocate", api.cuGraphAddMemAllocNode(&mut other, graph, null(), 0, &mut more));
        sheet.put("free", api.cuGraphAddMemFreeNode(&mut free, graph, &alloc, 1, params.dptr));
        sheet.put("destroy", api.cuGraphExecDestroy(exec));
        let again = api.cuGraphAddMemFreeNode(&mut free, graph, &alloc, 1, params.dptr);
        sheet.put("free_then", again);
    }),
    ("allocation_kind/words_of_managed_pool", |api, sheet| words(api, sheet, MANAGED)),
    ("allocation_kind/words_of_device_pool", |api, sheet| words(api, sheet, PINNED)),
];
