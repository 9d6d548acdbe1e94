//! Windows that move over the spatial dimensions of a tensor: those of convolutions and of pooling.

use crate::tensor::Tensor;
use std::ops::Range;

/// Spatial dimensions: depth, height, width; what there is less of has length 1.
pub const SPACE: usize = 3;

/// A window along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// Its elements, those between them aside.
    pub window: usize,
    /// Elements before the first one that the first window begins with.
    pub pad: isize,
    pub stride: usize,
    pub dilation: usize,
}

impl Axis {
    /// The window of a dimension that there is not.
    pub const NONE: Axis = Axis { window: 1, pad: 0, stride: 1, dilation: 1 };

    /// The index of the element `tap` of window `at`.
    pub fn source(&self, at: usize, tap: usize) -> isize {
        (at * self.stride) as isize - self.pad + (tap * self.dilation) as isize
    }

    /// The number of windows over `length` elements with as many elements of padding on both sides.
    pub fn outputs(&self, length: usize) -> isize {
        let reach = ((self.window.max(1) - 1) * self.dilation + 1) as isize;
        (length as isize + 2 * self.pad - reach).div_euclid(self.stride.max(1) as isize) + 1
    }
}

/// Elements `first + i * to_step` of one side that meet elements `source + i * from_step` of the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    pub first: usize,
    pub to_step: usize,
    pub source: usize,
    pub from_step: usize,
    pub count: usize,
}

/// Which side is asked for its elements that overlap the other one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Windows, for the elements below them.
    Windows,
    /// Elements, for the windows over them.
    Elements,
}

impl Axis {
    /// The elements that `range` of one side reaches through element `tap` of the window, of `length` elements of the other side.
    pub fn overlap(&self, side: Side, tap: usize, range: Range<usize>, length: usize) -> Overlap {
        let (begin, end, length) = (range.start as isize, range.end as isize, length as isize);
        let stride = self.stride as isize;
        let shift = (tap * self.dilation) as isize - self.pad;
        let none = Overlap { first: range.start, to_step: 1, source: 0, from_step: 1, count: 0 };
        match side {
            Side::Windows => {
                // 0 <= at * stride + shift < length
                let low = begin.max(-(shift.div_euclid(stride)));
                let high = end.min((length - shift + stride - 1).div_euclid(stride));
                if low >= high {
                    return none;
                }
                Overlap {
                    first: low as usize,
                    to_step: 1,
                    source: (low * stride + shift) as usize,
                    from_step: self.stride,
                    count: (high - low) as usize,
                }
            }
            Side::Elements => {
                // element = at * stride + shift
                let at = (begin - shift + stride - 1).div_euclid(stride).max(0);
                let first = at * stride + shift;
                if first >= end || at >= length {
                    return none;
                }
                let count = ((end - first + stride - 1) / stride).min(length - at);
                Overlap {
                    first: first as usize,
                    to_step: self.stride,
                    source: at as usize,
                    from_step: 1,
                    count: count as usize,
                }
            }
        }
    }
}

/// The lengths and steps of a tensor's spatial dimensions, filled up to three.
pub fn space(tensor: &Tensor) -> ([usize; SPACE], [isize; SPACE]) {
    let (mut lengths, mut steps) = ([1; SPACE], [0; SPACE]);
    let there = tensor.dims.len() - 2;
    for i in 0..there {
        lengths[SPACE - there + i] = tensor.dims[2 + i];
        steps[SPACE - there + i] = tensor.strides[2 + i];
    }
    (lengths, steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_meet_through_the_same_elements() {
        for (pad, stride, dilation, window) in
            [(0, 1, 1, 3), (2, 2, 1, 3), (1, 3, 2, 2), (-1, 2, 1, 2), (5, 1, 3, 4)]
        {
            let axis = Axis { window, pad, stride, dilation };
            let (elements, windows) = (11usize, axis.outputs(11).max(0) as usize);
            for tap in 0..window {
                let mut wanted = Vec::new();
                for at in 0..windows {
                    let source = axis.source(at, tap);
                    if (0..elements as isize).contains(&source) {
                        wanted.push((at, source as usize));
                    }
                }
                for cut in 0..=windows {
                    let mut found = Vec::new();
                    for range in [0..cut, cut..windows] {
                        let m = axis.overlap(Side::Windows, tap, range, elements);
                        found.extend(
                            (0..m.count)
                                .map(|i| (m.first + i * m.to_step, m.source + i * m.from_step)),
                        );
                    }
                    assert_eq!(found, wanted, "{axis:?} {tap} {cut}");
                }
                for cut in 0..=elements {
                    let mut found = Vec::new();
                    for range in [0..cut, cut..elements] {
                        let m = axis.overlap(Side::Elements, tap, range, windows);
                        found.extend(
                            (0..m.count)
                                .map(|i| (m.source + i * m.from_step, m.first + i * m.to_step)),
                        );
                    }
                    assert_eq!(found, wanted, "{axis:?} {tap} {cut}");
                }
            }
        }
    }
}
