//! Tensors in memory, as what is done element by element or for each channel takes them.

use super::Refusal;
use super::descriptors::{self, Descriptor, Order};
use super::functions::Functions;
use neural::{Format, Layout, Scale, Tensor};
use std::ffi::c_void;

/// A tensor of MIOpen's in memory.
pub(super) struct Placed {
    pub(super) descriptor: Descriptor,
    first: usize,
}

/// A tensor as what is done element by element, or for each channel, takes it: of four dimensions, the width innermost. With
/// more, or with channels last, MIOpen has other results.
fn plain(layout: &Layout, order: Order) -> Layout {
    let [batch, channels] = [layout.dims[0], layout.dims[1]];
    let rest = layout.dims[2..].iter().product();
    let dims = match order {
        Order::ChannelsFirst => [batch, channels, rest, 1],
        Order::ChannelsLast => [batch * rest, channels, 1, 1],
    };
    Layout::packed(layout.format, &dims)
}

/// The order that all tensors are in, which are of one type, one of the two that layers without convolutions are for; of tensors
/// without channels there is none.
pub(super) fn alike<const N: usize>(tensors: [Option<&Tensor>; N]) -> Result<Order, Refusal> {
    let layouts: Vec<&Layout> =
        tensors.into_iter().flatten().map(|tensor| &tensor.layout).collect();
    let is_one = layouts.windows(2).all(|pair| pair[0].format == pair[1].format);
    if !is_one || !matches!(layouts.first(), Some(Layout { format: Format::F32 | Format::F16, .. }))
    {
        return Err(Refusal::Unsupported("layers of these types"));
    }
    if layouts.iter().any(|layout| layout.dims.len() < 2) {
        return Err(Refusal::Unsupported("tensors of one dimension"));
    }
    Order::of(&layouts)
}

/// The factors, where they are the same in single precision.
pub(super) fn single(scale: Scale) -> Result<(f32, f32), Refusal> {
    let (alpha, beta) = (scale.alpha as f32, scale.beta as f32);
    match (alpha.into(), beta.into()) == (scale.alpha, scale.beta) {
        true => Ok((alpha, beta)),
        false => Err(Refusal::Unsupported("factors in double precision")),
    }
}

impl Placed {
    pub(super) fn new(f: &Functions, tensor: &Tensor, order: Order) -> Result<Placed, Refusal> {
        let layout = plain(&tensor.layout, order);
        let descriptor = descriptors::tensor(f, &layout, Order::ChannelsFirst)?;
        Ok(Placed { descriptor, first: tensor.first.expose_provenance() })
    }

    /// The descriptor, and where the tensor lies.
    pub(super) fn pair(&self) -> (*mut c_void, *mut c_void) {
        (self.descriptor.handle, self.place())
    }

    pub(super) fn place(&self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.first)
    }
}
