//! The driver API, one file an object: arguments are validated and converted, `core` does the rest.
//!
//! Functions carry the API's names. Sentences in quotation marks are those of the CUDA driver API manual.

// The names and the numbers of arguments are the API's.
#![allow(non_snake_case, clippy::too_many_arguments)]

pub(crate) mod array;
pub(crate) mod atomic_capability;
pub(crate) mod capture;
pub(crate) mod checkpoint;
pub(crate) mod context;
pub(crate) mod copy;
pub(crate) mod copy_batch;
pub(crate) mod copy_batch_3d;
pub(crate) mod core_dump;
pub(crate) mod device;
pub(crate) mod error_log;
pub(crate) mod event;
pub(crate) mod export_table;
pub(crate) mod external;
pub(crate) mod first_version;
pub(crate) mod function;
pub(crate) mod graph;
pub(crate) mod graph_exec;
pub(crate) mod graph_node;
pub(crate) mod graphics;
pub(crate) mod green;
pub(crate) mod init;
pub(crate) mod ipc;
pub(crate) mod kernel;
pub(crate) mod launch;
pub(crate) mod launch_attribute;
pub(crate) mod legacy_launch;
pub(crate) mod library;
pub(crate) mod link;
pub(crate) mod managed;
pub(crate) mod memory;
pub(crate) mod memory_operation;
pub(crate) mod memset;
pub(crate) mod module;
pub(crate) mod notification;
pub(crate) mod occupancy;
pub(crate) mod peer;
pub(crate) mod pointer;
pub(crate) mod pool;
pub(crate) mod primary;
pub(crate) mod proc_address;
pub(crate) mod profiler;
pub(crate) mod reference;
pub(crate) mod remote;
pub(crate) mod resource;
pub(crate) mod stream;
pub(crate) mod tensor_map;
pub(crate) mod texture;
pub(crate) mod virtual_memory;
