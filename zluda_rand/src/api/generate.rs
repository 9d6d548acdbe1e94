//! Values: computed at the call, or as work of the generator's stream.

use super::generator::{Generator, Target, driver};
use crate::generators::output::OutputBuffer;
use crate::generators::poisson::Poisson;
use crate::generators::sequence::{Scale, Values};
use crate::rocm::Upload;
use cuda_types::curand::*;
use std::ffi::{c_double, c_float, c_uint, c_ulonglong};
use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;
use zluda_api::driver::Failures;

/// While values are put into a stream.
const LAUNCH: Failures<curandError> = Failures {
    out_of_memory: curandError::ALLOCATION_FAILED,
    ..Failures::all(curandError::LAUNCH_FAILURE)
};

/// Makes values at an address of the caller's.
fn generate<T: Copy>(
    generator: &Generator,
    output: *mut T,
    length: usize,
    values: impl FnOnce(OutputBuffer<T>) -> Values,
) -> CurandResult {
    let upload = match generator.target {
        Target::Rocm => {
            let bytes = length.checked_mul(size_of::<T>()).ok_or(curandError::ALLOCATION_FAILED)?;
            Some(Upload::new(output.cast(), bytes).ok_or(curandError::ALLOCATION_FAILED)?)
        }
        Target::Host | Target::Here => None,
    };
    let place = upload.as_ref().map_or(output, Upload::place);
    // SAFETY: the API asks for memory of so many values; on a device, which is this machine, until the work has ended.
    let values = values(unsafe { OutputBuffer::new(place, length) });
    let mut state = generator.state.lock();
    if !length.is_multiple_of(state.sequence.dimensions()) {
        return Err(curandError::LENGTH_NOT_MULTIPLE);
    }
    if values.is_normal() && state.sequence.makes_pairs() && !length.is_multiple_of(2) {
        return Err(curandError::LENGTH_NOT_MULTIPLE);
    }
    if length == 0 {
        return Ok(());
    }
    if output.is_null() {
        return Err(curandError::OUT_OF_RANGE);
    }
    let call = state.sequence.call(values);
    if generator.target == Target::Host {
        // No other call of this generator comes between.
        (0..call.parts).for_each(|part| call.run(part));
        return Ok(());
    }
    let stream = with_exposed_provenance_mut(state.stream);
    let driver = driver()?;
    let work = driver.current_context().and_then(|_| match upload {
        Some(upload) => zluda_api::driver::enqueue(driver, stream, 1, move |part| {
            upload.run(&call, part.stream)
        }),
        None => zluda_api::driver::compute(driver, stream, call.parts, move |part| call.run(part)),
    });
    work.map_err(|error| LAUNCH.call(error))
}

pub(crate) fn curandGenerate(
    generator: Arc<Generator>,
    output: *mut c_uint,
    length: usize,
) -> CurandResult {
    if generator.has_long_draws() {
        return Err(curandError::TYPE_ERROR);
    }
    generate(&generator, output, length, Values::Bits)
}

pub(crate) fn curandGenerateLongLong(
    generator: Arc<Generator>,
    output: *mut c_ulonglong,
    length: usize,
) -> CurandResult {
    if !generator.has_long_draws() {
        return Err(curandError::TYPE_ERROR);
    }
    generate(&generator, output, length, Values::Bits64)
}

pub(crate) fn curandGenerateUniform(
    generator: Arc<Generator>,
    output: *mut c_float,
    length: usize,
) -> CurandResult {
    generate(&generator, output, length, Values::Uniform)
}

pub(crate) fn curandGenerateUniformDouble(
    generator: Arc<Generator>,
    output: *mut c_double,
    length: usize,
) -> CurandResult {
    generate(&generator, output, length, Values::UniformDouble)
}

pub(crate) fn curandGenerateNormal(
    generator: Arc<Generator>,
    output: *mut c_float,
    length: usize,
    mean: c_float,
    deviation: c_float,
) -> CurandResult {
    let scale = Scale { mean, deviation, log: false };
    generate(&generator, output, length, |output| Values::Normal(output, scale))
}

pub(crate) fn curandGenerateLogNormal(
    generator: Arc<Generator>,
    output: *mut c_float,
    length: usize,
    mean: c_float,
    deviation: c_float,
) -> CurandResult {
    let scale = Scale { mean, deviation, log: true };
    generate(&generator, output, length, |output| Values::Normal(output, scale))
}

pub(crate) fn curandGenerateNormalDouble(
    generator: Arc<Generator>,
    output: *mut c_double,
    length: usize,
    mean: c_double,
    deviation: c_double,
) -> CurandResult {
    let scale = Scale { mean, deviation, log: false };
    generate(&generator, output, length, |output| Values::NormalDouble(output, scale))
}

pub(crate) fn curandGenerateLogNormalDouble(
    generator: Arc<Generator>,
    output: *mut c_double,
    length: usize,
    mean: c_double,
    deviation: c_double,
) -> CurandResult {
    let scale = Scale { mean, deviation, log: true };
    generate(&generator, output, length, |output| Values::NormalDouble(output, scale))
}

/// Means up to which there are values.
const LARGEST_MEAN: f64 = 400_000.0;

pub(crate) fn curandGeneratePoisson(
    generator: Arc<Generator>,
    output: *mut c_uint,
    length: usize,
    mean: c_double,
) -> CurandResult {
    // What is no number makes zeros, as in NVIDIA's library.
    if mean <= 0.0 || mean > LARGEST_MEAN {
        return Err(curandError::OUT_OF_RANGE);
    }
    let method = generator.state.lock().sequence.poisson_method();
    let poisson = Poisson::new(mean, method);
    generate(&generator, output, length, |output| Values::Poisson(output, poisson))
}
