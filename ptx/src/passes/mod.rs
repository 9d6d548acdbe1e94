//! Passes over a module's tree, and over what it is lowered to. Each is a file; `pipeline.rs` alone
//! knows their order.

pub mod canonicalize_nans;
pub mod choose_nans;
pub mod collect_functions;
pub mod fuse_products;
pub mod index_symbols;
pub mod inline_exits;
pub mod insert_preemptions;
pub mod insert_turns;
pub mod layout_globals;
pub mod layout_parameters;
pub mod list_parameters;
pub mod number_functions;
pub mod remove_flushes;
pub mod summarize_functions;
pub mod watch_shared;
