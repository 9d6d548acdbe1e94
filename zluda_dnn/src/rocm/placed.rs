//! Tensors in memory, as what is done element by element or for each channel takes them.

use super::Refusal;
use super::descriptors::{self, Descriptor, Order};
use super::functions::Functions;
use neural::{Layout, Tensor};
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

impl Placed {
    pub(super) fn new(f: &Functions, tensor: &Tensor, order: Order) -> Result<Placed, Refusal> {
        let layout = plain(&tensor.layout, order);
        let descriptor = descriptors::tensor(f, &layout, Order::ChannelsFirst)?;
        Ok(Placed { descriptor, first: tensor.first.expose_provenance() })
    }

    pub(super) fn place(&self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.first)
    }
}
