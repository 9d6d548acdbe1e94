//! The cases, by the object that they are about. A name is `<object>/<what>`.

mod array;
mod barrier;
mod callback;
mod capture;
mod capture_call;
mod capture_event;
mod context;
mod copy;
mod device;
mod execution;
mod external;
mod feature;
mod first_version;
mod fork;
mod graph;
mod graph_exec;
mod graph_memory;
mod graph_node;
mod green;
mod hints;
mod ipc;
mod legacy_launch;
mod lifetime;
mod memory;
mod memory_operation;
mod module;
mod pool;
mod pool_place;
mod reference;
mod stream;
mod tensor_map;
mod texture;
mod virtual_memory;

use crate::Answers;
use differential::api::Api;

pub type Case = (&'static str, fn(&Api) -> Answers);

/// All cases, in the order of the record.
pub fn all() -> Vec<Case> {
    [
        device::CASES,
        context::CASES,
        memory::CASES,
        pool::CASES,
        stream::CASES,
        callback::CASES,
        graph::CASES,
        graph_node::CASES,
        graph_exec::CASES,
        graph_memory::CASES,
        capture::CASES,
        capture_event::CASES,
        capture_call::CASES,
        module::CASES,
        execution::CASES,
        barrier::CASES,
        array::CASES,
        copy::CASES,
        texture::CASES,
        reference::CASES,
        tensor_map::CASES,
        lifetime::CASES,
        virtual_memory::CASES,
        memory_operation::CASES,
        hints::CASES,
        fork::CASES,
        legacy_launch::CASES,
        green::CASES,
        feature::CASES,
        external::CASES,
        first_version::CASES,
        pool_place::CASES,
        ipc::CASES,
    ]
    .concat()
}
