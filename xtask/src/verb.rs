//! One file a verb.

pub mod amd_quality;
pub mod amd_targets;
pub mod bench;
pub mod bindgen;
pub mod build;
pub mod capabilities;
pub mod collect_ptx;
pub mod conformance;
pub mod corpus;
pub mod demo;
pub mod isa_audit;
pub mod llvm_windows;
pub mod package;
pub mod random;
pub mod rocm;
pub mod samples;
pub mod sanitize;
pub mod soak;
pub mod test;
pub mod toolkit;
pub mod windows;
