//! The passes, a file each; `pipeline` has their order.

pub mod chain_warps;
pub mod check_rows;
mod effects;
pub mod expand_clusters;
pub mod expand_masks;
pub mod flush_by_state;
pub mod homes;
pub mod jam_loops;
pub mod join_atomics;
pub mod legalize_operations;
pub mod narrow_addresses;
pub mod narrow_arithmetic;
pub mod outline_functions;
pub mod place_variables;
pub mod prefetch_rows;
pub mod read_ahead;
pub mod return_at_barriers;
pub mod round_whole_numbers;
pub mod saturate_sums;
pub mod scalarize_accesses;
pub mod split_constant_offsets;
mod steps;
pub mod strip_mine_arithmetic;
pub mod substitute_known_threads;
pub mod thaw_loads;
pub mod transpose_accesses;
pub mod x86_instructions;
