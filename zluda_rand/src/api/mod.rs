//! The functions by subject. Each gets arguments that have been converted.

// The names are cuRAND's.
#![allow(non_snake_case)]

pub(crate) mod generate;
pub(crate) mod generator;
pub(crate) mod tables;
