//! Normalisations of channels over a batch, and their gradients.

use super::Refusal;
use super::descriptors::Order;
use super::functions::*;
use super::placed::Placed;
use neural::norm::{Finish, Given, Gradients, Norm, NormLayer, Parameter, Running, Statistics};
use neural::{Format, Scale, Tensor};
use std::ffi::c_void;
use std::ptr::{from_ref, null_mut};

/// A normalisation with its tensors. All parameters are alike.
pub(super) struct Run {
    x: Placed,
    /// The result, or the gradient of it.
    y: Placed,
    scale: Placed,
    epsilon: f64,
    what: What,
}

enum What {
    Training { bias: usize, saved: [usize; 2], running: [usize; 2], factor: f64 },
    Inference { bias: usize, mean: usize, variance: usize },
    Backward { dx: Placed, dscale: usize, dbias: usize, saved: [usize; 2] },
}

const OTHER: Refusal = Refusal::Unsupported("normalisation of this kind");

fn wanted(is: bool) -> Result<(), Refusal> {
    if is { Ok(()) } else { Err(OTHER) }
}

/// The address of one number for each channel.
fn numbers(norm: &Norm, tensor: &Option<Tensor>) -> Result<usize, Refusal> {
    let tensor = tensor.as_ref().ok_or(OTHER)?;
    wanted(tensor.format == Format::F32 && tensor.dims == norm.kept)?;
    let packed = tensor.dims.get(1) == Some(&1) || tensor.strides.get(1) == Some(&1);
    wanted(packed)?;
    Ok(tensor.first.expose_provenance())
}

/// The addresses of both or of none.
fn pair(norm: &Norm, saved: &Statistics) -> Result<[usize; 2], Refusal> {
    match (&saved.mean, &saved.inverse) {
        (None, None) => Ok([0; 2]),
        _ => Ok([numbers(norm, &saved.mean)?, numbers(norm, &saved.inverse)?]),
    }
}

/// The places of running averages, which are updated where they are.
fn averages(norm: &Norm, running: &Option<Running>) -> Result<([usize; 2], f64), Refusal> {
    let Some(running) = running else { return Ok(([0; 2], 0.0)) };
    let Parameter::Known(factor) = running.factor else { return Err(OTHER) };
    wanted(running.old_mean.first == running.mean.first)?;
    wanted(running.old_variance.first == running.variance.first)?;
    let mean = numbers(norm, &Some(running.mean.clone()))?;
    Ok(([mean, numbers(norm, &Some(running.variance.clone()))?], factor))
}

impl Run {
    pub(super) fn new(f: &Functions, layer: &NormLayer) -> Result<Run, Refusal> {
        let (norm, y) = match layer {
            NormLayer::Training { norm, finish, .. }
            | NormLayer::Inference { norm, finish, .. } => {
                let Finish { z, relu, blend, .. } = finish;
                wanted(z.is_none() && !relu && *blend == Scale::ONE)?;
                (norm, &finish.y)
            }
            NormLayer::Backward { norm, gradients, .. } => {
                let Gradients { y, dz, dx_blend, parameter_blend, .. } = gradients;
                wanted(y.is_none() && dz.is_none())?;
                wanted(*dx_blend == Scale::ONE && *parameter_blend == Scale::ONE)?;
                (norm, &gradients.dy)
            }
        };
        let Parameter::Known(epsilon) = norm.epsilon else { return Err(OTHER) };
        // One number for each channel.
        let of_channels =
            |(axis, kept): (usize, &usize)| *kept == if axis == 1 { norm.x.dims[1] } else { 1 };
        wanted(norm.centred && norm.kept.iter().enumerate().all(of_channels))?;
        wanted(matches!(norm.x.format, Format::F32 | Format::F16) && norm.x.format == y.format)?;
        let order = Order::of(&[&norm.x.layout, &y.layout])?;
        let placed = |tensor: &Tensor| Placed::new(f, tensor, order);
        let parameter = |tensor: &Option<Tensor>| {
            numbers(norm, tensor)?;
            Placed::new(f, tensor.as_ref().ok_or(OTHER)?, Order::ChannelsFirst)
        };
        let (scale, what) = match layer {
            NormLayer::Training { finish, saved, running, .. } => {
                let bias = numbers(norm, &finish.bias)?;
                let (running, factor) = averages(norm, running)?;
                let what = What::Training { bias, saved: pair(norm, saved)?, running, factor };
                (&finish.scale, what)
            }
            NormLayer::Inference { finish, mean, spread, given, .. } => {
                wanted(*given == Given::Variance)?;
                let bias = numbers(norm, &finish.bias)?;
                let (mean, variance) =
                    (numbers(norm, mean)?, numbers(norm, &Some(spread.clone()))?);
                (&finish.scale, What::Inference { bias, mean, variance })
            }
            NormLayer::Backward { gradients, saved, .. } => {
                let dx = gradients.dx.as_ref().ok_or(OTHER)?;
                wanted(
                    dx.format == norm.x.format && Order::of(&[&dx.layout, &y.layout])? == order,
                )?;
                let dscale = numbers(norm, &gradients.dscale)?;
                let dbias = numbers(norm, &gradients.dbias)?;
                let saved = pair(norm, saved)?;
                (&gradients.scale, What::Backward { dx: placed(dx)?, dscale, dbias, saved })
            }
        };
        Ok(Run { x: placed(&norm.x)?, y: placed(y)?, scale: parameter(scale)?, epsilon, what })
    }

    /// Puts it into the handle's stream.
    pub(super) fn run(&self, f: &Functions, handle: miopenHandle_t) -> Result<(), Refusal> {
        let at = |first: usize| match first {
            0 => null_mut(),
            first => std::ptr::with_exposed_provenance_mut::<c_void>(first),
        };
        let (one, none): (*const c_void, *const c_void) =
            (from_ref(&1f32).cast(), from_ref(&0f32).cast());
        let (x, y, scale, epsilon) = (&self.x, &self.y, &self.scale, self.epsilon);
        let [of_x, of_y, of_scale] = [x, y, scale].map(|placed| placed.descriptor.handle);
        let mode = miopenBNSpatial;
        // SAFETY: the handle is locked, and the factors, which nobody writes, live during the call; the program answers for its
        // memory.
        let status = unsafe {
            match &self.what {
                What::Training { bias, saved: [mean, inverse], running, factor } => (f
                    .miopenBatchNormalizationForwardTraining)(
                    handle,
                    mode,
                    one.cast_mut(),
                    none.cast_mut(),
                    of_x,
                    x.place(),
                    of_y,
                    y.place(),
                    of_scale,
                    scale.place(),
                    at(*bias),
                    *factor,
                    at(running[0]),
                    at(running[1]),
                    epsilon,
                    at(*mean),
                    at(*inverse),
                ),
                What::Inference { bias, mean, variance } => (f
                    .miopenBatchNormalizationForwardInference)(
                    handle,
                    mode,
                    one.cast_mut(),
                    none.cast_mut(),
                    of_x,
                    x.place(),
                    of_y,
                    y.place(),
                    of_scale,
                    scale.place(),
                    at(*bias),
                    at(*mean),
                    at(*variance),
                    epsilon,
                ),
                What::Backward { dx, dscale, dbias, saved: [mean, inverse] } => (f
                    .miopenBatchNormalizationBackward)(
                    handle,
                    mode,
                    one,
                    none,
                    one,
                    none,
                    of_x,
                    x.place(),
                    of_y,
                    y.place(),
                    dx.descriptor.handle,
                    dx.place(),
                    of_scale,
                    scale.place(),
                    at(*dscale),
                    at(*dbias),
                    epsilon,
                    at(*mean),
                    at(*inverse),
                ),
            }
        };
        Refusal::check("miopenBatchNormalization...", status)
    }
}
