//! Graphs of operations as stages of work, in the order in which they need each other.
//!
//! Tensors between operations, and numbers that are passed by value, have places in the workspace; so have ragged tensors,
//! which are copied there before all operations, or back after them. Tensors between operations that are not needed at the
//! same time share places.

use super::rooms::{self, Need};
use super::tensor::{Described, described};
use super::{Backend, attention, operation};
use cuda_types::cudnn::{
    CudnnResult, cudnnBackendAttributeName_t as Name, cudnnBackendDescriptorType_t as Kind,
    cudnnError,
};
use neural::ragged::Ragged;
use neural::{Layout, Tensor, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Places in the workspace begin at multiples of this.
const ALIGN: usize = 256;

/// The numbers of the rooms of [`attention::rooms`] of a step, as tensors have such.
fn room_uid(step: usize, room: usize) -> i64 {
    i64::MIN + (step * 4 + room) as i64
}

/// Adds a need, or makes the one that is there as large and as long as this one too.
fn need(needs: &mut BTreeMap<i64, Need>, uid: i64, new: Need) {
    let all = needs.entry(uid).or_insert(new);
    all.bytes = all.bytes.max(new.bytes);
    all.first = all.first.min(new.first);
    all.last = all.last.max(new.last);
}

/// The operations of a graph in the order of their work, and the size of its workspace.
pub(crate) struct Plan {
    operations: Vec<Arc<Backend>>,
    /// The places of tensors in the workspace.
    places: BTreeMap<i64, usize>,
    /// Which of them are numbers that are passed by value, with their sizes.
    values: BTreeMap<i64, usize>,
    /// Those that are ragged, and whether an operation writes them.
    ragged: BTreeMap<i64, (Arc<Backend>, bool)>,
    pub(crate) workspace: usize,
}

impl Plan {
    /// The plan of a graph; `NOT_SUPPORTED` with a reason where an operation is not.
    pub(crate) fn new(graph: &Backend) -> CudnnResult<Plan> {
        let operations = in_order(graph.descriptors(Name::CUDNN_ATTR_OPERATIONGRAPH_OPS))?;
        let (mut needs, mut placed) = (BTreeMap::new(), BTreeSet::new());
        let (mut values, mut ragged) = (BTreeMap::new(), BTreeMap::new());
        let last = operations.len();
        for (step, operation) in operations.iter().enumerate() {
            let ports = operation::tensors(operation)?;
            for (i, descriptor) in ports.inputs.iter().chain(&ports.outputs).enumerate() {
                let tensor = described(descriptor)?;
                let bytes = tensor.layout.bytes();
                // Another descriptor of the same tensor may say that it is virtual where this one does not.
                need(&mut needs, tensor.uid, Need { bytes, first: step, last: step });
                if tensor.is_placed() {
                    placed.insert(tensor.uid);
                }
                if tensor.by_value {
                    values.entry(tensor.uid).or_insert(bytes);
                }
                if tensor.by_value || tensor.ragged.is_some() {
                    need(&mut needs, tensor.uid, Need { bytes, first: 0, last });
                }
                if let Some(offsets) = tensor.ragged {
                    let (_, is_written) =
                        ragged.entry(tensor.uid).or_insert((descriptor.clone(), false));
                    *is_written |= i >= ports.inputs.len();
                    // Copies before and after all operations read them. Whether they have a place, operations say.
                    let offsets = described(&offsets.tensor)?;
                    let bytes = offsets.layout.bytes();
                    need(&mut needs, offsets.uid, Need { bytes, first: 0, last });
                }
            }
            if operation.kind == Kind::CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR {
                for (i, room) in attention::rooms(operation)?.iter().enumerate() {
                    let (uid, bytes) = (room_uid(step, i), room.bytes());
                    placed.insert(uid);
                    need(&mut needs, uid, Need { bytes, first: step, last: step });
                }
            }
        }
        needs.retain(|uid, _| placed.contains(uid));
        let all: Vec<Need> = needs.values().copied().collect();
        let (places, workspace) = rooms::assign(&all, ALIGN);
        let places = needs.into_keys().zip(places).collect();
        let plan = Plan { operations, places, values, ragged, workspace };
        // What is not supported is found before anything runs.
        plan.work(&BTreeMap::new(), ALIGN, true)?;
        Ok(plan)
    }

    /// The work with tensors at addresses and a workspace. `dry`: no address is looked at.
    pub(crate) fn work(
        &self,
        addresses: &BTreeMap<i64, usize>,
        workspace: usize,
        dry: bool,
    ) -> CudnnResult<Work> {
        let find = |tensor: &Backend| -> CudnnResult<Tensor> {
            let tensor = described(tensor)?;
            let place = match self.places.get(&tensor.uid) {
                Some(place) => workspace + place,
                None if dry => ALIGN,
                None => *addresses.get(&tensor.uid).ok_or(cudnnError::BAD_PARAM)?,
            };
            if place == 0 {
                return Err(cudnnError::BAD_PARAM_NULL_POINTER);
            }
            Ok(tensor.layout.at(std::ptr::with_exposed_provenance(place)))
        };
        let mut work = Vec::new();
        if !dry && !self.values.is_empty() {
            work.push(self.pass_values(addresses, workspace)?);
        }
        let copies = |written: bool| -> CudnnResult<Work> {
            let chosen = self.ragged.values().filter(|(_, is_written)| *is_written == written);
            chosen.map(|(tensor, _)| self.copy(tensor, written, addresses, &find, dry)).collect()
        };
        work.extend(copies(false)?);
        for (step, operation) in self.operations.iter().enumerate() {
            if operation.kind != Kind::CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR {
                work.extend(operation::work(operation, &find)?);
                continue;
            }
            let layouts = attention::rooms(operation)?;
            let room = |i: usize| {
                let place = workspace + self.places[&room_uid(step, i)];
                layouts[i].at(std::ptr::with_exposed_provenance(place))
            };
            let (mut between, mut inner) = ((room(0), room(0)), Work::new());
            if let Some(graph) = attention::subgraph(operation) {
                let operations = in_order(graph.descriptors(Name::CUDNN_ATTR_OPERATIONGRAPH_OPS))?;
                for operation in &operations {
                    inner.extend(operation::work(operation, &find)?);
                }
                let of = |name| -> CudnnResult<Tensor> {
                    let uid = operation.integer(name, 0);
                    let place = workspace + self.places.get(&uid).ok_or(cudnnError::BAD_PARAM)?;
                    let layout = layout_of(&operations, uid)?;
                    Ok(layout.at(std::ptr::with_exposed_provenance(place)))
                };
                between = (
                    of(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH_INPUT_UID)?,
                    of(Name::CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH_OUTPUT_UID)?,
                );
            }
            let rooms = [room(1), room(2), room(3)];
            work.extend(attention::attend(operation, &find, between, rooms, inner)?);
        }
        work.extend(copies(true)?);
        Ok(work)
    }

    /// Copies a ragged tensor to its place in the workspace, or back.
    fn copy(
        &self,
        tensor: &Backend,
        back: bool,
        addresses: &BTreeMap<i64, usize>,
        find: operation::Find<'_>,
        dry: bool,
    ) -> CudnnResult<neural::Stage> {
        let Described { uid, layout, ragged, .. } = described(tensor)?;
        let offsets = ragged.ok_or(cudnnError::INTERNAL_ERROR)?;
        let address = match addresses.get(&uid) {
            Some(0) => return Err(cudnnError::BAD_PARAM_NULL_POINTER),
            Some(address) => *address,
            None if dry => ALIGN,
            None => return Err(cudnnError::BAD_PARAM),
        };
        let items = layout.at(std::ptr::with_exposed_provenance(address));
        let multiplier = offsets.multiplier as isize;
        let ragged = Ragged { items, offsets: find(&offsets.tensor)?, multiplier };
        let room = find(tensor)?;
        Ok(if back { ragged.scatter(room) } else { ragged.gather(room) })
    }

    /// Puts numbers that are passed by value into the workspace, as they are now.
    fn pass_values(
        &self,
        addresses: &BTreeMap<i64, usize>,
        workspace: usize,
    ) -> CudnnResult<neural::Stage> {
        let mut all = Vec::new();
        for (uid, bytes) in &self.values {
            let from = *addresses.get(uid).ok_or(cudnnError::BAD_PARAM)?;
            if from == 0 {
                return Err(cudnnError::BAD_PARAM_NULL_POINTER);
            }
            let from = std::ptr::with_exposed_provenance::<u8>(from);
            // SAFETY: the program passes the address of the number, on the host.
            let value: Vec<u8> = (0..*bytes).map(|i| unsafe { from.add(i).read() }).collect();
            all.push((workspace + self.places[uid], value));
        }
        Ok(neural::work::stage(1, move |_| {
            for (to, value) in &all {
                let to = std::ptr::with_exposed_provenance_mut::<u8>(*to);
                // SAFETY: the program gave a workspace as large as it was told.
                unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), to, value.len()) };
            }
        }))
    }
}

/// The layout of a tensor that operations have.
pub(super) fn layout_of(operations: &[Arc<Backend>], uid: i64) -> CudnnResult<Layout> {
    for operation in operations {
        let ports = operation::tensors(operation)?;
        for tensor in ports.inputs.iter().chain(&ports.outputs) {
            let tensor = described(tensor)?;
            if tensor.uid == uid {
                return Ok(tensor.layout);
            }
        }
    }
    Err(cudnnError::BAD_PARAM)
}

/// Operations in an order in which each comes when all that it reads is there.
fn in_order(all: Vec<Arc<Backend>>) -> CudnnResult<Vec<Arc<Backend>>> {
    let uids = |tensors: &[Arc<Backend>]| -> CudnnResult<BTreeSet<i64>> {
        tensors.iter().map(|tensor| described(tensor).map(|tensor| tensor.uid)).collect()
    };
    let mut waiting = Vec::new();
    for operation in all {
        let ports = operation::tensors(&operation)?;
        waiting.push((operation, uids(&ports.inputs)?, uids(&ports.outputs)?));
    }
    let mut ordered = Vec::new();
    while !waiting.is_empty() {
        let is_ready = |place: &usize| {
            let (_, inputs, _) = &waiting[*place];
            let mut others = waiting.iter().enumerate().filter(|(i, _)| i != place);
            others.all(|(_, (_, _, outputs))| outputs.is_disjoint(inputs))
        };
        let ready = (0..waiting.len()).find(is_ready);
        ordered.push(waiting.remove(ready.ok_or(cudnnError::NOT_SUPPORTED_GRAPH_PATTERN)?).0);
    }
    Ok(ordered)
}
