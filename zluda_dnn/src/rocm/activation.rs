//! Activation functions by themselves, and their gradients.

use super::Refusal;
use super::descriptors::{self, Descriptor};
use super::functions::*;
use super::placed::{Placed, alike};
use neural::Scale;
use neural::activation::{Activation, ActivationLayer};
use std::ffi::c_void;
use std::ptr::from_ref;

/// An activation with its tensors.
pub(super) struct Run {
    activation: Descriptor,
    of: Placed,
    gradient: Option<Placed>,
    to: Placed,
}

impl Run {
    pub(super) fn new(f: &Functions, layer: &ActivationLayer) -> Result<Run, Refusal> {
        let ActivationLayer { activation, of, gradient, to, scale } = layer;
        if *scale != Scale::ONE {
            return Err(Refusal::Unsupported("factors for activations"));
        }
        if matches!(activation, Activation::Relu { propagates_nan: true, .. }) {
            // MIOpen's makes no number of minus infinity.
            return Err(Refusal::Unsupported("ReLU that propagates what is no number"));
        }
        let activation = descriptors::activation(f, activation)?
            .ok_or(Refusal::Unsupported("activation that changes nothing"))?;
        let tensors = [Some(of), gradient.as_ref(), Some(to)];
        let order = alike(tensors)?;
        let placed = |tensor| Placed::new(f, tensor, order);
        Ok(Run {
            activation,
            of: placed(of)?,
            gradient: gradient.as_ref().map(placed).transpose()?,
            to: placed(to)?,
        })
    }

    /// Puts it into the handle's stream.
    pub(super) fn run(&self, f: &Functions, handle: miopenHandle_t) -> Result<(), Refusal> {
        let (one, none): (*const c_void, *const c_void) =
            (from_ref(&1f32).cast(), from_ref(&0f32).cast());
        let activation = self.activation.handle;
        let (of, to) = (self.of.pair(), self.to.pair());
        let Some(gradient) = &self.gradient else {
            // SAFETY: the handle is locked, and the factors live during the call; the program answers for its memory.
            let status = unsafe {
                (f.miopenActivationForward)(handle, activation, one, of.0, of.1, none, to.0, to.1)
            };
            return Refusal::check("miopenActivationForward", status);
        };
        let dy = gradient.pair();
        // Of `x` and `y` it takes what the derivative is made of; ELU's asks for the sign of `x`, which is that of `y`.
        // SAFETY: as above.
        let status = unsafe {
            (f.miopenActivationBackward)(
                handle, activation, one, of.0, of.1, dy.0, dy.1, of.0, of.1, none, to.0, to.1,
            )
        };
        Refusal::check("miopenActivationBackward", status)
    }
}
