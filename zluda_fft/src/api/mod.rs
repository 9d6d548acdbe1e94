//! The functions, by their subjects: what they take is checked and converted here.

#![allow(non_snake_case, clippy::too_many_arguments)]

pub(crate) mod callback;
pub(crate) mod descriptor;
pub(crate) mod exec;
pub(crate) mod plan;
pub(crate) mod property;
pub(crate) mod several;
pub(crate) mod size;
pub(crate) mod version;
pub(crate) mod work_area;
