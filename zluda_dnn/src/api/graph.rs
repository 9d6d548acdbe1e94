//! The graph API: descriptors with attributes, and graphs that run.

use crate::convert::{Out, check};
use crate::graph::attribute::{self, size};
use crate::graph::plan::Plan;
use crate::graph::tensor::described;
use crate::graph::{self, Backend, Value, operation, serial};
use crate::handle::Handle;
use cuda_types::cudnn::{
    CudnnResult, cudaGraph_t, cudnnBackendAttributeName_t as Name,
    cudnnBackendAttributeType_t as Type, cudnnBackendBehaviorNote_t, cudnnBackendDescriptor_t,
    cudnnBackendDescriptorType_t as Kind, cudnnError,
};
use neural::Work;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

pub(crate) fn create(kind: Kind, place: Out<cudnnBackendDescriptor_t>) -> CudnnResult {
    place.check()?;
    if !attribute::is_known(kind) {
        return Err(cudnnError::NOT_SUPPORTED);
    }
    place.set(std::ptr::without_provenance_mut(graph::create(kind)? as usize))
}

pub(crate) fn destroy(handle: cudnnBackendDescriptor_t) -> CudnnResult {
    if handle.is_null() {
        return Err(cudnnError::BAD_PARAM_NULL_POINTER);
    }
    graph::destroy(handle as u64)
}

/// Descriptors are made ready when they are created.
pub(crate) fn initialize(_: Arc<Backend>) -> CudnnResult {
    Ok(())
}

pub(crate) unsafe fn set_attribute(
    descriptor: Arc<Backend>,
    name: Name,
    ty: Type,
    count: i64,
    elements: *const c_void,
) -> CudnnResult {
    let attribute = attribute::find(descriptor.kind, name).ok_or(cudnnError::BAD_PARAM)?;
    if !attribute.takes(name, ty) {
        return Err(cudnnError::BAD_PARAM_ATTRIBUTE_TYPE);
    }
    let list = attribute.most > 1;
    check(
        count <= attribute.most
            && (count > 0 || (list && count == 0 && ty == Type::CUDNN_TYPE_BACKEND_DESCRIPTOR)),
    )?;
    check(count == 0 || !elements.is_null())?;
    let count = count as usize;
    let bytes = count * size(ty);
    // SAFETY: the caller passes that many elements.
    let bytes: Vec<u8> =
        (0..bytes).map(|i| unsafe { elements.cast::<u8>().add(i).read() }).collect();
    if ty != Type::CUDNN_TYPE_BACKEND_DESCRIPTOR {
        return descriptor.set(name, Value::Plain(ty, bytes));
    }
    let mut all = Vec::new();
    for word in bytes.chunks_exact(8) {
        let handle = u64::from_le_bytes(word.try_into().map_err(|_| cudnnError::INTERNAL_ERROR)?);
        let other = graph::find(handle)?;
        if !other.is_final() {
            return Err(cudnnError::BAD_PARAM_NOT_FINALIZED);
        }
        all.push(other);
    }
    descriptor.set(name, Value::Descriptors(all))
}

/// Checks a descriptor, after which it does not change.
pub(crate) fn finalize(descriptor: Arc<Backend>) -> CudnnResult {
    let text = serial::name_of(descriptor.kind).and_then(|name| descriptor.value(name));
    if let Some(Value::Plain(_, text)) = text {
        // A plan that was kept is what its text says.
        descriptor.fill(serial::read(&text, descriptor.kind, finalize)?);
    }
    match descriptor.kind {
        Kind::CUDNN_BACKEND_TENSOR_DESCRIPTOR => {
            described(&descriptor)?;
        }
        Kind::CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR => {
            check(!descriptor.descriptors(Name::CUDNN_ATTR_OPERATIONGRAPH_OPS).is_empty())?;
            Plan::new(&descriptor)?;
        }
        Kind::CUDNN_BACKEND_ENGINE_DESCRIPTOR => {
            descriptor.needed(Name::CUDNN_ATTR_ENGINE_OPERATION_GRAPH)?;
            check(descriptor.integer(Name::CUDNN_ATTR_ENGINE_GLOBAL_INDEX, -1) == ENGINE)?;
        }
        Kind::CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR => {
            descriptor.needed(Name::CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)?;
        }
        Kind::CUDNN_BACKEND_ENGINECFG_DESCRIPTOR => {
            descriptor.needed(Name::CUDNN_ATTR_ENGINECFG_ENGINE)?;
        }
        Kind::CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR => {
            descriptor.needed(Name::CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)?;
        }
        Kind::CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR => {
            let ids = descriptor.integers(Name::CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
            let pointers = descriptor.integers(Name::CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
            check(ids.len() == pointers.len())?;
        }
        _ if operation::is_operation(descriptor.kind) => {
            check(!operation::tensors(&descriptor)?.outputs.is_empty())?;
        }
        _ => {}
    }
    descriptor.finish();
    Ok(())
}

/// The number of the only engine.
const ENGINE: i64 = 0;

/// The graph that an execution plan, a configuration, an engine or heuristics are about.
fn graph_of(descriptor: &Backend) -> CudnnResult<Arc<Backend>> {
    match descriptor.kind {
        Kind::CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR => {
            graph_of(descriptor.needed(Name::CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)?.as_ref())
        }
        Kind::CUDNN_BACKEND_ENGINECFG_DESCRIPTOR => {
            graph_of(descriptor.needed(Name::CUDNN_ATTR_ENGINECFG_ENGINE)?.as_ref())
        }
        Kind::CUDNN_BACKEND_ENGINE_DESCRIPTOR => {
            descriptor.needed(Name::CUDNN_ATTR_ENGINE_OPERATION_GRAPH)
        }
        _ => descriptor.needed(Name::CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH),
    }
}

/// Attributes that are told besides those that were set.
fn told(descriptor: &Arc<Backend>, name: Name) -> CudnnResult<Option<Value>> {
    let number =
        |value: i64| Some(Value::Plain(Type::CUDNN_TYPE_INT64, value.to_le_bytes().to_vec()));
    let none = |ty| Some(Value::Plain(ty, Vec::new()));
    let zero = |ty| Some(Value::Plain(ty, vec![0; size(ty)]));
    if serial::name_of(descriptor.kind) == Some(name) {
        let text = serial::write(descriptor).into_bytes();
        return Ok(Some(Value::Plain(Type::CUDNN_TYPE_CHAR, text)));
    }
    Ok(match name {
        Name::CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE
        | Name::CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE => {
            number(Plan::new(graph_of(descriptor)?.as_ref())?.workspace as i64)
        }
        Name::CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT => number(1),
        Name::CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED => zero(Type::CUDNN_TYPE_INT32),
        Name::CUDNN_ATTR_ENGINE_NUMERICAL_NOTE => none(Type::CUDNN_TYPE_NUMERICAL_NOTE),
        Name::CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE => {
            let note =
                cudnnBackendBehaviorNote_t::CUDNN_BEHAVIOR_NOTE_SUPPORTS_CUDA_GRAPH_NATIVE_API;
            Some(Value::Plain(Type::CUDNN_TYPE_BEHAVIOR_NOTE, note.0.to_le_bytes().to_vec()))
        }
        Name::CUDNN_ATTR_ENGINE_KNOB_INFO | Name::CUDNN_ATTR_ENGINE_LAYOUT_INFO => {
            Some(Value::Descriptors(Vec::new()))
        }
        _ => descriptor.value(name),
    })
}

/// The contents for descriptors that the caller made: the results of heuristics, or a part.
fn filling(descriptor: &Arc<Backend>, name: Name) -> CudnnResult<Option<Vec<(Name, Value)>>> {
    let graph = || graph_of(descriptor).map(|graph| Value::Descriptors(vec![graph]));
    let engine = |graph| {
        let index = Value::Plain(Type::CUDNN_TYPE_INT64, ENGINE.to_le_bytes().to_vec());
        vec![
            (Name::CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph),
            (Name::CUDNN_ATTR_ENGINE_GLOBAL_INDEX, index),
        ]
    };
    Ok(match name {
        Name::CUDNN_ATTR_ENGINEHEUR_RESULTS => {
            let made = graph::made(Kind::CUDNN_BACKEND_ENGINE_DESCRIPTOR, engine(graph()?));
            Some(vec![(Name::CUDNN_ATTR_ENGINECFG_ENGINE, Value::Descriptors(vec![made]))])
        }
        Name::CUDNN_ATTR_ENGINECFG_ENGINE => Some(engine(graph()?)),
        Name::CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG => {
            let made = graph::made(Kind::CUDNN_BACKEND_ENGINE_DESCRIPTOR, engine(graph()?));
            Some(vec![(Name::CUDNN_ATTR_ENGINECFG_ENGINE, Value::Descriptors(vec![made]))])
        }
        _ => None,
    })
}

pub(crate) unsafe fn get_attribute(
    descriptor: Arc<Backend>,
    name: Name,
    ty: Type,
    wanted: i64,
    count: Out<i64>,
    elements: *mut c_void,
) -> CudnnResult {
    if !descriptor.is_final() {
        return Err(cudnnError::NOT_INITIALIZED);
    }
    let attribute = attribute::find(descriptor.kind, name).ok_or(cudnnError::BAD_PARAM)?;
    if !attribute.takes(name, ty) {
        return Err(cudnnError::BAD_PARAM_ATTRIBUTE_TYPE);
    }
    check(wanted >= 0)?;
    if ty == Type::CUDNN_TYPE_BACKEND_DESCRIPTOR {
        let Some(values) = filling(&descriptor, name)? else {
            let found = told(&descriptor, name)?;
            let found = if let Some(Value::Descriptors(all)) = found { all.len() } else { 0 };
            count.set_if_wanted(found as i64);
            return if found == 0 || wanted == 0 { Ok(()) } else { Err(cudnnError::NOT_SUPPORTED) };
        };
        count.set_if_wanted(1);
        if wanted > 0 && !elements.is_null() {
            // SAFETY: the caller passes that many descriptors of its own.
            let handle = unsafe { elements.cast::<u64>().read_unaligned() };
            let to = graph::find(handle)?;
            let kind = match name {
                Name::CUDNN_ATTR_ENGINECFG_ENGINE => Kind::CUDNN_BACKEND_ENGINE_DESCRIPTOR,
                _ => Kind::CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
            };
            if to.kind != kind {
                return Err(cudnnError::BAD_PARAM_DESCRIPTOR_TYPE);
            }
            to.become_final(values);
        }
        return Ok(());
    }
    let Some(Value::Plain(_, bytes)) = told(&descriptor, name)? else {
        count.set_if_wanted(0);
        return Ok(());
    };
    let found = bytes.len() / size(ty);
    count.set_if_wanted(found as i64);
    if !elements.is_null() {
        let length = found.min(wanted as usize) * size(ty);
        // SAFETY: the caller has room for as many elements as it asks for.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), elements.cast(), length) };
    }
    Ok(())
}

/// The work of a plan with the addresses of a pack.
fn work_of(plan: &Backend, pack: &Backend) -> CudnnResult<Work> {
    if !plan.is_final() || !pack.is_final() {
        return Err(cudnnError::BAD_PARAM_NOT_FINALIZED);
    }
    check(plan.kind == Kind::CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)?;
    check(pack.kind == Kind::CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)?;
    let plan = Plan::new(graph_of(plan)?.as_ref())?;
    let ids = pack.integers(Name::CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
    let pointers = pack.integers(Name::CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
    let addresses: BTreeMap<i64, usize> =
        ids.into_iter().zip(pointers.into_iter().map(|pointer| pointer as usize)).collect();
    let workspace = pack.integer(Name::CUDNN_ATTR_VARIANT_PACK_WORKSPACE, 0) as usize;
    if plan.workspace > 0 && workspace == 0 {
        return Err(cudnnError::BAD_PARAM_NULL_POINTER);
    }
    plan.work(&addresses, workspace, false)
}

pub(crate) fn execute(handle: Arc<Handle>, plan: Arc<Backend>, pack: Arc<Backend>) -> CudnnResult {
    handle.run_all(work_of(&plan, &pack)?)
}

/// Puts nodes into a graph, which has none.
pub(crate) fn populate(
    handle: Arc<Handle>,
    plan: Arc<Backend>,
    pack: Arc<Backend>,
    graph: cudaGraph_t,
) -> CudnnResult {
    check(!graph.is_null())?;
    handle.put_into(graph.cast(), work_of(&plan, &pack)?, false)
}

/// Gives the nodes of a graph that [`populate`] made other addresses.
pub(crate) fn update(
    handle: Arc<Handle>,
    plan: Arc<Backend>,
    pack: Arc<Backend>,
    graph: cudaGraph_t,
) -> CudnnResult {
    check(!graph.is_null())?;
    handle.put_into(graph.cast(), work_of(&plan, &pack)?, true)
}

pub(crate) fn workspace_size(
    _: Arc<Handle>,
    plan: Arc<Backend>,
    _pack: cudnnBackendDescriptor_t,
    bytes: Out<usize>,
) -> CudnnResult {
    check(plan.kind == Kind::CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)?;
    bytes.set(Plan::new(graph_of(&plan)?.as_ref())?.workspace)
}
