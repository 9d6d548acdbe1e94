//! MIOpen's descriptors of tensors, convolutions, poolings and activations.

use super::Refusal;
use super::functions::*;
use neural::activation::Activation;
use neural::convolution::Convolution;
use neural::tensor::packed_strides;
use neural::window::{Axis, SPACE};
use neural::{Format, Layout};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// A descriptor, which ends with this.
pub(super) struct Descriptor {
    pub(super) handle: *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void) -> u32,
}

// SAFETY: nobody changes descriptors once they are set.
unsafe impl Send for Descriptor {}
// SAFETY: as above.
unsafe impl Sync for Descriptor {}

impl Descriptor {
    fn new(
        create: unsafe extern "C" fn(*mut *mut c_void) -> u32,
        destroy: unsafe extern "C" fn(*mut c_void) -> u32,
    ) -> Result<Descriptor, Refusal> {
        let mut handle = null_mut();
        // SAFETY: the place lives during the call.
        Refusal::check("a descriptor", unsafe { create(&mut handle) })?;
        Ok(Descriptor { handle, destroy })
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: the descriptor is this one's.
        unsafe { (self.destroy)(self.handle) };
    }
}

fn int(value: impl TryInto<c_int>) -> Result<c_int, Refusal> {
    value.try_into().map_err(|_| Refusal::Unsupported("sizes of more than 31 bits"))
}

/// A number of each axis.
fn of_axes(
    axes: &[Axis],
    number: impl Fn(&Axis) -> Result<c_int, Refusal>,
) -> Result<Vec<c_int>, Refusal> {
    axes.iter().map(number).collect()
}

/// MIOpen's number of a type.
fn data_type(format: Format) -> Result<miopenDataType_t, Refusal> {
    Ok(match format {
        Format::F32 => miopenFloat,
        Format::F16 => miopenHalf,
        Format::Bf16 => miopenBFloat16,
        // Of doubles it has a part, and says so only when it is to compute.
        _ => return Err(Refusal::Unsupported("other types than floats of 16 and 32 bits")),
    })
}

/// Spatial dimensions, of which MIOpen has two or three, of a tensor with so many dimensions.
fn spatial(rank: usize) -> usize {
    rank.saturating_sub(2).max(2)
}

/// How the elements of tensors lie, without gaps: MIOpen's ways to compute take no notice of other steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// `NCHW`
    ChannelsFirst,
    /// `NHWC`
    ChannelsLast,
}

impl Order {
    /// The order that all of these tensors are in.
    pub(super) fn of(layouts: &[&Layout]) -> Result<Order, Refusal> {
        [Order::ChannelsFirst, Order::ChannelsLast]
            .into_iter()
            .find(|order| layouts.iter().all(|layout| order.is_of(layout)))
            .ok_or(Refusal::Unsupported("tensors with gaps or in different orders"))
    }

    /// The steps of a tensor in this order.
    fn strides(self, dims: &[usize]) -> Vec<isize> {
        if self == Order::ChannelsFirst {
            return packed_strides(dims);
        }
        let mut last = dims.to_vec();
        let channels = last.remove(1);
        last.push(channels);
        let mut strides = packed_strides(&last);
        let step = strides.pop().unwrap_or(1);
        strides.insert(1, step);
        strides
    }

    /// Whether a tensor is in this order. Steps of dimensions of length 1 say nothing.
    fn is_of(self, layout: &Layout) -> bool {
        let strides = self.strides(&layout.dims);
        let mut pairs = layout.dims.iter().zip(layout.strides.iter().zip(&strides));
        pairs.all(|(dim, (ours, theirs))| *dim <= 1 || ours == theirs)
    }
}

/// A tensor. Where there is one spatial dimension, it is the width of images of height 1.
pub(super) fn tensor(f: &Functions, layout: &Layout, order: Order) -> Result<Descriptor, Refusal> {
    let mut dims = layout.dims.clone();
    if dims.len() == 3 {
        dims.insert(2, 1);
    }
    let strides = order.strides(&dims);
    let dims: Vec<c_int> = dims.into_iter().map(int).collect::<Result<_, _>>()?;
    let strides: Vec<c_int> = strides.into_iter().map(int).collect::<Result<_, _>>()?;
    let descriptor =
        Descriptor::new(f.miopenCreateTensorDescriptor, f.miopenDestroyTensorDescriptor)?;
    // SAFETY: the arrays have as many numbers.
    let status = unsafe {
        (f.miopenSetTensorDescriptor)(
            descriptor.handle,
            data_type(layout.format)?,
            dims.len() as c_int,
            dims.as_ptr(),
            strides.as_ptr(),
        )
    };
    Refusal::check("miopenSetTensorDescriptor", status)?;
    Ok(descriptor)
}

/// A convolution of tensors with so many dimensions.
pub(super) fn convolution(
    f: &Functions,
    convolution: &Convolution,
    rank: usize,
) -> Result<Descriptor, Refusal> {
    if convolution.flip && convolution.axes.iter().any(|axis| axis.window > 1) {
        return Err(Refusal::Unsupported("filters that are turned around"));
    }
    let axes = &convolution.axes[SPACE - spatial(rank)..];
    let pads = of_axes(axes, |axis| int(axis.pad))?;
    let strides = of_axes(axes, |axis| int(axis.stride))?;
    let dilations = of_axes(axes, |axis| int(axis.dilation))?;
    let descriptor =
        Descriptor::new(f.miopenCreateConvolutionDescriptor, f.miopenDestroyConvolutionDescriptor)?;
    // SAFETY: the arrays have as many numbers.
    let status = unsafe {
        (f.miopenInitConvolutionNdDescriptor)(
            descriptor.handle,
            axes.len() as c_int,
            pads.as_ptr(),
            strides.as_ptr(),
            dilations.as_ptr(),
            miopenConvolution,
        )
    };
    Refusal::check("miopenInitConvolutionNdDescriptor", status)?;
    let groups = int(convolution.groups)?;
    // SAFETY: the descriptor is this function's.
    let status = unsafe { (f.miopenSetConvolutionGroupCount)(descriptor.handle, groups) };
    Refusal::check("miopenSetConvolutionGroupCount", status)?;
    Ok(descriptor)
}

/// A pooling of tensors with so many dimensions. The places of greatest elements are numbers of 32 bits in the image.
pub(super) fn pooling(
    f: &Functions,
    mode: miopenPoolingMode_t,
    axes: &[Axis; SPACE],
    rank: usize,
) -> Result<Descriptor, Refusal> {
    let axes = &axes[SPACE - spatial(rank)..];
    let window = of_axes(axes, |axis| int(axis.window))?;
    let pads = of_axes(axes, |axis| int(axis.pad))?;
    let strides = of_axes(axes, |axis| int(axis.stride))?;
    let descriptor =
        Descriptor::new(f.miopenCreatePoolingDescriptor, f.miopenDestroyPoolingDescriptor)?;
    let pooling = descriptor.handle;
    let (count, [window, pads, strides]) =
        (axes.len() as c_int, [&window, &pads, &strides].map(|numbers| numbers.as_ptr()));
    // SAFETY: the descriptor is this function's, and the arrays have as many numbers.
    let statuses = unsafe {
        [
            (f.miopenSetNdPoolingDescriptor)(pooling, mode, count, window, pads, strides),
            (f.miopenSetPoolingIndexType)(pooling, miopenIndexUint32),
            (f.miopenSetPoolingWorkSpaceIndexMode)(pooling, miopenPoolingWorkspaceIndexImage),
        ]
    };
    for status in statuses {
        Refusal::check("miopenSetPooling...", status)?;
    }
    Ok(descriptor)
}

/// An activation; nothing where values stay as they are.
pub(super) fn activation(
    f: &Functions,
    activation: &Activation,
) -> Result<Option<Descriptor>, Refusal> {
    let (mode, alpha, beta) = match *activation {
        Activation::Identity => return Ok(None),
        Activation::Relu { lower: 0.0, upper: f64::INFINITY, slope: 0.0, propagates_nan: true } => {
            (miopenActivationRELU, 0.0, 0.0)
        }
        // What is no number becomes zero, with a bound that is infinite, too.
        Activation::Relu { lower: 0.0, upper, slope: 0.0, .. } => {
            (miopenActivationCLIPPEDRELU, upper, 0.0)
        }
        Activation::Relu { lower: 0.0, upper: f64::INFINITY, slope, .. } => {
            (miopenActivationLEAKYRELU, slope, 0.0)
        }
        Activation::Sigmoid => (miopenActivationLOGISTIC, 0.0, 0.0),
        Activation::Tanh => (miopenActivationTANH, 1.0, 1.0),
        Activation::Elu { alpha } => (miopenActivationELU, alpha, 0.0),
        _ => return Err(Refusal::Unsupported("such activation")),
    };
    let descriptor =
        Descriptor::new(f.miopenCreateActivationDescriptor, f.miopenDestroyActivationDescriptor)?;
    // SAFETY: the descriptor is this function's.
    let status =
        unsafe { (f.miopenSetActivationDescriptor)(descriptor.handle, mode, alpha, beta, 0.0) };
    Refusal::check("miopenSetActivationDescriptor", status)?;
    Ok(Some(descriptor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_tensors() {
        let layout = |dims: &[usize], strides: &[isize]| Layout {
            format: Format::F32,
            dims: dims.to_vec(),
            strides: strides.to_vec(),
        };
        let first = layout(&[2, 3, 4, 5], &[60, 20, 5, 1]);
        let last = layout(&[2, 3, 4, 5], &[60, 1, 15, 3]);
        let single = layout(&[2, 1, 4, 5], &[20, 7, 5, 1]);
        let gaps = layout(&[2, 3, 4, 5], &[61, 20, 5, 1]);
        assert_eq!(Order::of(&[&first, &single]).unwrap(), Order::ChannelsFirst);
        assert_eq!(Order::of(&[&last, &single]).unwrap(), Order::ChannelsLast);
        assert!(Order::of(&[&first, &last]).is_err() && Order::of(&[&gaps]).is_err());
    }
}
