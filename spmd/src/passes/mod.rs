//! The passes, a file each; `pipeline` has their order.

pub mod cut_functions;
pub mod emulate_operations;
pub mod expand_clusters;
pub mod narrow_addresses;
pub mod outline_strips;
pub mod place_variables;
pub mod split_displacements;
pub mod thaw_loads;
