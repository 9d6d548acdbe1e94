//! Passes over a module's tree. Each is a file; `pipeline.rs` alone knows their order.

pub mod collect_functions;
pub mod index_symbols;
pub mod layout_globals;
pub mod layout_parameters;
pub mod number_functions;
pub mod summarize_functions;
