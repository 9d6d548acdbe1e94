//! Versions, which can be asked for at any time.

use crate::convert::{Out, put_text};
use cuda_types::nvml::NvmlResult;
use std::ffi::{c_char, c_int, c_uint};
use zluda_api::driver::VERSION;

/// The first of NVIDIA's Linux drivers with the version of CUDA that the driver reports.
const DRIVER: &str = "580.65.06";

pub(crate) fn nvmlSystemGetDriverVersion(version: Out<c_char>, length: c_uint) -> NvmlResult {
    put_text(version, length, DRIVER)
}

pub(crate) fn nvmlSystemGetNVMLVersion(version: Out<c_char>, length: c_uint) -> NvmlResult {
    put_text(version, length, &format!("{}.{DRIVER}", VERSION / 1000))
}

pub(crate) fn nvmlSystemGetCudaDriverVersion(version: Out<c_int>) -> NvmlResult {
    version.set(VERSION)
}
