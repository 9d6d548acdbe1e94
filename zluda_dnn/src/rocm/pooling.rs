//! Pooling, and its gradients.

use super::Refusal;
use super::descriptors::{self, Descriptor, Order};
use super::functions::*;
use super::memory::Scratch;
use super::placed::alike;
use hip_runtime_sys::hipStream_t;
use neural::pooling::{Kind, PoolingLayer};
use neural::{Layout, Scale, Tensor};
use std::ffi::c_void;
use std::ptr::{from_ref, null, null_mut};

/// A pooling with its tensors.
pub(super) struct Run {
    pooling: Descriptor,
    /// What is pooled, and what comes out.
    x: Descriptor,
    y: Descriptor,
    what: What,
}

enum What {
    Forward {
        x: usize,
        y: usize,
    },
    /// `x` is that of a maximum, whose places are found by pooling again: then `y` has so many bytes.
    Backward {
        x: Option<usize>,
        dy: usize,
        dx: usize,
        bytes: usize,
    },
}

fn at(tensor: &Tensor) -> usize {
    tensor.first.expose_provenance()
}

impl Run {
    pub(super) fn new(f: &Functions, layer: &PoolingLayer) -> Result<Run, Refusal> {
        let PoolingLayer { pooling, x, gradient, to, scale } = layer;
        if *scale != Scale::ONE {
            return Err(Refusal::Unsupported("factors for pooling"));
        }
        let tensors = [x.as_ref(), gradient.as_ref(), Some(to)];
        if alike(tensors)? != Order::ChannelsFirst {
            return Err(Refusal::Unsupported("pooling of tensors whose channels are last"));
        }
        let described = |layout: &Layout| descriptors::tensor(f, layout, Order::ChannelsFirst);
        let (of_x, of_y, what) = match (x, gradient) {
            (x, Some(dy)) => {
                let bytes = if x.is_some() { dy.bytes() } else { 0 };
                let (x, dy_at, dx) = (x.as_ref().map(at), at(dy), at(to));
                (&to.layout, &dy.layout, What::Backward { x, dy: dy_at, dx, bytes })
            }
            (Some(x), None) => (&x.layout, &to.layout, What::Forward { x: at(x), y: at(to) }),
            (None, None) => return Err(Refusal::Unsupported("pooling of nothing")),
        };
        let mode = match pooling.kind {
            Kind::Max { propagates_nan: false } => miopenPoolingMax,
            Kind::Max { propagates_nan: true } => {
                return Err(Refusal::Unsupported("maximum that propagates what is no number"));
            }
            Kind::Average { with_padding: true } => miopenPoolingAverageInclusive,
            Kind::Average { with_padding: false } => miopenPoolingAverage,
        };
        Ok(Run {
            pooling: descriptors::pooling(f, mode, &pooling.axes, of_x.dims.len())?,
            x: described(of_x)?,
            y: described(of_y)?,
            what,
        })
    }

    /// Puts it into the handle's stream.
    pub(super) fn run(
        &self,
        f: &Functions,
        handle: miopenHandle_t,
        stream: hipStream_t,
    ) -> Result<(), Refusal> {
        match self.what {
            What::Forward { x, y } => {
                let y = std::ptr::with_exposed_provenance_mut(y);
                self.forward(f, handle, (x, y), (null_mut(), 0))
            }
            What::Backward { x, dy, dx, bytes } => {
                let mut room = 0;
                if x.is_some() {
                    // SAFETY: the descriptors are set, and the place lives during the call.
                    let status = unsafe {
                        (f.miopenPoolingGetWorkSpaceSizeV2)(
                            self.pooling.handle,
                            self.y.handle,
                            &mut room,
                        )
                    };
                    Refusal::check("miopenPoolingGetWorkSpaceSizeV2", status)?;
                }
                let (places, y) = (Scratch::new(room, stream)?, Scratch::new(bytes, stream)?);
                if let Some(x) = x {
                    self.forward(f, handle, (x, y.place), (places.place, room))?;
                }
                self.backward(f, handle, (x, y.place), (dy, dx), places.place)
            }
        }
    }

    fn forward(
        &self,
        f: &Functions,
        handle: miopenHandle_t,
        (x, y): (usize, *mut c_void),
        (places, room): (*mut c_void, usize),
    ) -> Result<(), Refusal> {
        let (one, none) = (from_ref(&1f32).cast(), from_ref(&0f32).cast());
        let x = std::ptr::with_exposed_provenance(x);
        // SAFETY: the handle is locked, and the factors live during the call; the program answers for its memory.
        let status = unsafe {
            (f.miopenPoolingForward)(
                handle,
                self.pooling.handle,
                one,
                self.x.handle,
                x,
                none,
                self.y.handle,
                y,
                !places.is_null(),
                places,
                room,
            )
        };
        Refusal::check("miopenPoolingForward", status)
    }

    fn backward(
        &self,
        f: &Functions,
        handle: miopenHandle_t,
        (x, y): (Option<usize>, *const c_void),
        (dy, dx): (usize, usize),
        places: *mut c_void,
    ) -> Result<(), Refusal> {
        let (one, none) = (from_ref(&1f32).cast(), from_ref(&0f32).cast());
        let x = x.map_or(null(), std::ptr::with_exposed_provenance);
        let dy = std::ptr::with_exposed_provenance(dy);
        let dx = std::ptr::with_exposed_provenance_mut(dx);
        let (of_x, of_y) = (self.x.handle, self.y.handle);
        // SAFETY: as above.
        let status = unsafe {
            (f.miopenPoolingBackward)(
                handle,
                self.pooling.handle,
                one,
                of_y,
                y,
                of_y,
                dy,
                of_x,
                x,
                none,
                of_x,
                dx,
                places,
            )
        };
        Refusal::check("miopenPoolingBackward", status)
    }
}
