//! The cases, by the object that they are about. A name is `<object>/<what>`.

mod address;
mod allocation_kind;
mod array;
mod barrier;
mod callback;
mod capture;
mod capture_call;
mod capture_event;
mod capture_null;
mod checkpoint;
mod context;
mod context_end;
mod copy;
mod device;
mod devices;
mod devices_memory;
mod devices_work;
mod execution;
mod external;
mod feature;
mod first_version;
mod fork;
mod graph;
mod graph_device_launch;
mod graph_edge;
mod graph_exec;
mod graph_memory;
mod graph_move;
mod graph_node;
mod graph_semaphore;
mod green;
mod hints;
mod ipc;
mod launch_attribute;
mod legacy_launch;
mod library;
mod lifetime;
mod managed;
mod memory;
mod memory_operation;
mod module;
mod no_access;
mod old_name;
mod peer_copy;
mod pointer_attribute;
mod pool;
mod pool_attribute;
mod pool_place;
mod question;
mod reference;
mod setting;
mod stream;
mod stream_attribute;
mod tensor_map;
mod texture;
mod virtual_memory;

use crate::{Answers, Sheet};
use differential::api::Api;

pub type Case = (&'static str, fn(&Api) -> Answers);

/// A case whose answers have names, which are written down one by one: of one that crashes there is what came before.
pub type NamedCase = (&'static str, fn(&Api, &mut Sheet));

#[derive(Clone, Copy)]
pub enum Body {
    Row(fn(&Api) -> Answers),
    Sheet(fn(&Api, &mut Sheet)),
}

/// All cases, in the order of the record.
pub fn all() -> Vec<(&'static str, Body)> {
    let rows = rows().into_iter().map(|(name, body)| (name, Body::Row(body)));
    rows.chain(sheets().into_iter().map(|(name, body)| (name, Body::Sheet(body)))).collect()
}

fn sheets() -> Vec<NamedCase> {
    [
        graph_semaphore::CASES,
        graph_move::CASES,
        graph_device_launch::CASES,
        launch_attribute::CASES,
        stream_attribute::CASES,
        library::CASES,
        managed::CASES,
        old_name::CASES,
        peer_copy::CASES,
        question::CASES,
        setting::CASES,
        pool_attribute::CASES,
        pointer_attribute::CASES,
        graph_edge::CASES,
        address::CASES,
        capture_null::CASES,
        allocation_kind::CASES,
        context_end::CASES,
        checkpoint::CASES,
        no_access::CASES,
    ]
    .concat()
}

fn rows() -> Vec<Case> {
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
        devices::CASES,
        devices_memory::CASES,
        devices_work::CASES,
    ]
    .concat()
}
