//! The types of NVIDIA's APIs, generated from the headers: one module an API. [`status`] is what their results have in
//! common.

#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]

pub mod cublas;
pub mod cuda;
pub mod cudnn;
pub mod cudnn8;
pub mod cufft;
pub mod curand;
pub mod cusolver;
pub mod cusparse;
pub mod nvml;
pub mod status;
