//! The passes, a file each; `pipeline` has their order.

pub mod define_parameters;
pub mod end_waits;
pub mod expand_allocas;
pub mod form_pointers;
pub mod lower_barriers;
pub mod lower_clusters;
pub mod lower_wide_atomics;
pub mod make_kernel;
pub mod rejoin_traps;
pub mod separate_lanes;
pub mod specialise_operations;
pub mod take_instructions;
