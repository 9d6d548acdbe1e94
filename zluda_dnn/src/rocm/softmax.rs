//! Softmax, its logarithm, and their gradients.

use super::Refusal;
use super::descriptors::Order;
use super::functions::*;
use super::placed::{Placed, alike, single};
use neural::softmax::{Kind, SoftmaxLayer};
use neural::{Layout, Tensor};
use std::ptr::from_ref;

/// A softmax with its tensors.
pub(super) struct Run {
    algorithm: miopenSoftmaxAlgorithm_t,
    mode: miopenSoftmaxMode_t,
    of: Placed,
    gradient: Option<Placed>,
    to: Placed,
    scale: (f32, f32),
}

impl Run {
    pub(super) fn new(f: &Functions, layer: &SoftmaxLayer) -> Result<Run, Refusal> {
        let SoftmaxLayer { kind, axes, of, gradient, to, scale } = layer;
        let algorithm = match kind {
            Kind::Fast => MIOPEN_SOFTMAX_FAST,
            Kind::Accurate => MIOPEN_SOFTMAX_ACCURATE,
            Kind::Log => MIOPEN_SOFTMAX_LOG,
        };
        let tensors = [Some(of), gradient.as_ref(), Some(to)];
        let order = alike(tensors)?;
        let is_of_channels = *axes == [1];
        if !is_of_channels && !axes.iter().copied().eq(1..of.dims.len()) {
            return Err(Refusal::Unsupported("softmax along these dimensions"));
        }
        // All of an image is one line, whatever the order of its elements.
        let placed = |tensor: &Tensor| match is_of_channels {
            true => Placed::new(f, tensor, order),
            false => {
                let line = tensor.dims[1..].iter().product();
                let layout = Layout::packed(tensor.format, &[tensor.dims[0], line, 1, 1]);
                Placed::new(f, &Tensor { layout, first: tensor.first }, Order::ChannelsFirst)
            }
        };
        Ok(Run {
            algorithm,
            mode: match is_of_channels {
                true => MIOPEN_SOFTMAX_MODE_CHANNEL,
                false => MIOPEN_SOFTMAX_MODE_INSTANCE,
            },
            of: placed(of)?,
            gradient: gradient.as_ref().map(placed).transpose()?,
            to: placed(to)?,
            scale: single(*scale)?,
        })
    }

    /// Puts it into the handle's stream.
    pub(super) fn run(&self, f: &Functions, handle: miopenHandle_t) -> Result<(), Refusal> {
        let (alpha, beta) = (from_ref(&self.scale.0).cast(), from_ref(&self.scale.1).cast());
        let (of, to) = (self.of.pair(), self.to.pair());
        let (algorithm, mode) = (self.algorithm, self.mode);
        // SAFETY: the handle is locked, and the factors live during the call; the program answers for its memory.
        let status = unsafe {
            match &self.gradient {
                None => (f.miopenSoftmaxForward_V2)(
                    handle, alpha, of.0, of.1, beta, to.0, to.1, algorithm, mode,
                ),
                Some(gradient) => {
                    let dy = gradient.pair();
                    (f.miopenSoftmaxBackward_V2)(
                        handle, alpha, of.0, of.1, dy.0, dy.1, beta, to.0, to.1, algorithm, mode,
                    )
                }
            }
        };
        Refusal::check("miopenSoftmax...", status)
    }
}
