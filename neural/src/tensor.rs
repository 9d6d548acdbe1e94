//! Tensors as places in memory, and ways through several of them at once.

use crate::format::Format;
use dense::Real;
use std::ops::Range;

/// The elements of a tensor: their type, how many there are of each dimension, and the steps in elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    pub format: Format,
    pub dims: Vec<usize>,
    pub strides: Vec<isize>,
}

/// Bytes of the address space of a process.
const LARGEST: u128 = 1 << 47;

impl Layout {
    /// A tensor whose last dimension is the innermost, without gaps.
    pub fn packed(format: Format, dims: &[usize]) -> Layout {
        Layout { format, dims: dims.to_vec(), strides: packed_strides(dims) }
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        self.dims.iter().product()
    }

    /// Whether there can be such a tensor: its elements and the bytes from its first to its last one fit an address space.
    pub fn fits(&self) -> bool {
        let count = self.dims.iter().fold(1u128, |count, dim| count.saturating_mul(*dim as u128));
        let pairs = self.dims.iter().zip(&self.strides);
        let reach = pairs.fold(1u128, |reach, (dim, stride)| {
            let steps = dim.saturating_sub(1) as u128;
            reach.saturating_add(steps.saturating_mul(stride.unsigned_abs() as u128))
        });
        count.max(reach).saturating_mul(self.format.size() as u128) < LARGEST
    }

    /// Bytes from the first element to the end of the last one.
    pub fn bytes(&self) -> usize {
        if self.count() == 0 {
            return 0;
        }
        let pairs = self.dims.iter().zip(&self.strides);
        let last: isize = pairs.map(|(dim, stride)| (*dim as isize - 1) * stride).sum();
        let elements = usize::try_from(last + 1).unwrap_or(0);
        if self.format == Format::Bit {
            elements.div_ceil(8)
        } else {
            elements * self.format.size()
        }
    }

    /// The tensor that begins at an address. Who makes it answers for the memory.
    pub fn at(&self, first: *const u8) -> Tensor {
        Tensor { layout: self.clone(), first: first.cast_mut() }
    }
}

/// The steps of dimensions without gaps, the last one innermost.
pub fn packed_strides(dims: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; dims.len()];
    for i in (1..dims.len()).rev() {
        strides[i - 1] = strides[i] * dims[i] as isize;
    }
    strides
}

/// A tensor in memory. Who makes one answers for the memory: that what is read may be read while the work runs, and that
/// nobody else has what is written.
#[derive(Clone, Debug)]
pub struct Tensor {
    pub layout: Layout,
    pub first: *mut u8,
}

// SAFETY: an address and numbers; who reads through it answers for it.
unsafe impl Send for Tensor {}
// SAFETY: as above.
unsafe impl Sync for Tensor {}

impl std::ops::Deref for Tensor {
    type Target = Layout;
    fn deref(&self) -> &Layout {
        &self.layout
    }
}

impl Tensor {
    /// Loads elements from an offset on.
    #[inline]
    pub fn load<T: Real>(&self, offset: isize, step: isize, to: &mut [T]) {
        // SAFETY: who made the tensor says so.
        unsafe { self.format.load(self.first, offset, step, to) }
    }

    /// Stores elements from an offset on.
    #[inline]
    pub fn store<T: Real>(&self, offset: isize, step: isize, from: &[T]) {
        // SAFETY: who made the tensor says so.
        unsafe { self.format.store(self.first, offset, step, from) }
    }

    /// One element.
    #[inline]
    pub fn get(&self, offset: isize) -> f64 {
        let mut value = [0.0];
        self.load(offset, 1, &mut value);
        value[0]
    }

    /// The first element as an integer, without loss of its digits where it is one.
    pub fn integer(&self) -> i64 {
        match self.format {
            // SAFETY: who made the tensor says that it can be read.
            Format::I64 => unsafe { self.first.cast::<i64>().read_unaligned() },
            _ => self.get(0) as i64,
        }
    }

    /// Stores one element.
    #[inline]
    pub fn set(&self, offset: isize, value: f64) {
        self.store(offset, 1, &[value]);
    }

    /// The offset of an element.
    pub fn offset(&self, index: &[usize]) -> isize {
        index.iter().zip(&self.strides).map(|(i, stride)| *i as isize * stride).sum()
    }

    /// The steps with which the tensor is repeated along dimensions of which it has one element.
    pub fn steps(&self) -> Vec<isize> {
        let pairs = self.dims.iter().zip(&self.strides);
        pairs.map(|(dim, stride)| if *dim == 1 { 0 } else { *stride }).collect()
    }

    /// `scale.alpha * values + scale.beta * old`, where `beta` is zero without reading the old ones.
    #[inline]
    pub fn blend<T: Real>(&self, offset: isize, step: isize, values: &mut [T], scale: Scale) {
        let (alpha, beta) = (T::from_f64(scale.alpha), T::from_f64(scale.beta));
        if alpha != T::ONE {
            values.iter_mut().for_each(|value| *value = alpha * *value);
        }
        if beta != T::ZERO {
            let mut old = [T::ZERO; CHUNK];
            for (i, values) in values.chunks_mut(CHUNK).enumerate() {
                let old = &mut old[..values.len()];
                self.load(offset + (i * CHUNK) as isize * step, step, old);
                for (value, old) in values.iter_mut().zip(old) {
                    *value += beta * *old;
                }
            }
        }
        self.store(offset, step, values);
    }
}

/// How a result joins what is there: `alpha * result + beta * old`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    pub alpha: f64,
    pub beta: f64,
}

impl Scale {
    /// The result alone.
    pub const ONE: Scale = Scale { alpha: 1.0, beta: 0.0 };
}

/// Elements that are looked at at once.
pub const CHUNK: usize = 256;

/// A way through `V` tensors at once: their elements of the same index, in rows that are as long as can be. The first
/// tensor's order in memory is that of the way.
#[derive(Clone, Debug)]
pub struct Walk<const V: usize> {
    dims: Vec<usize>,
    steps: Vec<[isize; V]>,
    length: usize,
    step: [isize; V],
}

impl<const V: usize> Walk<V> {
    /// Through `dims`, with the steps of each tensor.
    pub fn new(dims: &[usize], steps: [&[isize]; V]) -> Self {
        let mut order: Vec<usize> = (0..dims.len()).filter(|i| dims[*i] != 1).collect();
        order.sort_by_key(|i| {
            let step = steps.iter().map(|steps| steps[*i].unsigned_abs()).find(|step| *step != 0);
            std::cmp::Reverse(step.unwrap_or(0))
        });
        let mut all: Vec<(usize, [isize; V])> = Vec::new();
        for i in order {
            let step = steps.map(|steps| steps[i]);
            if let Some((length, outer)) = all.last_mut() {
                let joins = (0..V).all(|v| outer[v] == step[v] * dims[i] as isize);
                if joins {
                    (*length, *outer) = (*length * dims[i], step);
                    continue;
                }
            }
            all.push((dims[i], step));
        }
        if dims.contains(&0) {
            all = vec![(0, [0; V])];
        }
        let (length, step) = all.pop().unwrap_or((1, [0; V]));
        let (dims, steps) = all.into_iter().unzip();
        Walk { dims, steps, length, step }
    }

    /// Pieces of at most [`CHUNK`] elements.
    pub fn pieces(&self) -> usize {
        self.dims.iter().product::<usize>() * self.length.div_ceil(CHUNK)
    }

    /// The steps within a piece.
    pub fn step(&self) -> [isize; V] {
        self.step
    }

    /// Calls with the offsets and the length of each of these pieces.
    #[inline]
    pub fn visit(&self, pieces: Range<usize>, mut each: impl FnMut([isize; V], usize)) {
        let per_row = self.length.div_ceil(CHUNK);
        for piece in pieces {
            let (mut row, begin) = (piece / per_row, piece % per_row * CHUNK);
            let mut offsets = self.step.map(|step| step * begin as isize);
            for (dim, steps) in self.dims.iter().zip(&self.steps).rev() {
                let i = (row % dim) as isize;
                row /= dim;
                for (offset, step) in offsets.iter_mut().zip(steps) {
                    *offset += i * step;
                }
            }
            each(offsets, CHUNK.min(self.length - begin));
        }
    }

    /// As [`Self::visit`], of all pieces.
    pub fn all(&self, each: impl FnMut([isize; V], usize)) {
        self.visit(0..self.pieces(), each);
    }
}

/// The index of an element in its tensor, by its number.
pub fn index_of(mut number: usize, dims: &[usize]) -> Vec<usize> {
    let mut index = vec![0; dims.len()];
    for (place, dim) in index.iter_mut().zip(dims).rev() {
        *place = number % dim;
        number /= dim;
    }
    index
}

/// Elements in rows, to go through them by their number.
pub(crate) fn in_rows(mut tensor: Tensor) -> Tensor {
    if tensor.strides == packed_strides(&tensor.dims) {
        tensor.layout.dims = vec![tensor.count()];
        tensor.layout.strides = vec![1];
    }
    tensor
}

/// Calls with the offsets of elements by their number, the step, and their range, for each row of `range`.
pub(crate) fn rows(
    tensor: &Tensor,
    begin: usize,
    count: usize,
    mut each: impl FnMut(isize, isize, usize, usize),
) {
    let last = tensor.dims.len() - 1;
    let mut at = 0;
    while at < count {
        let index = index_of(begin + at, &tensor.dims);
        let length = (tensor.dims[last] - index[last]).min(count - at);
        each(tensor.offset(&index), tensor.strides[last], at, length);
        at += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_beyond_an_address_space_do_not_fit() {
        let fits = |format, dims: &[usize], strides: &[isize]| {
            Layout { format, dims: dims.to_vec(), strides: strides.to_vec() }.fits()
        };
        assert!(fits(Format::F32, &[1 << 20, 1 << 20], &[1 << 20, 1]));
        assert!(!fits(Format::F32, &[1 << 23, 1 << 22], &[1 << 22, 1]));
        // Repeated elements count as well, and steps backwards reach as far as others.
        assert!(!fits(Format::F32, &[usize::MAX, usize::MAX], &[0, 0]));
        assert!(!fits(Format::F64, &[3, 2], &[isize::MIN, isize::MAX]));
        assert!(fits(Format::F64, &[0, 2], &[2, 1]));
    }

    #[test]
    fn a_way_joins_what_lies_in_a_row_and_reaches_every_element_once() {
        // Channels innermost.
        let (dims, inner_channels) = ([2, 3, 4, 5], [60, 1, 15, 3]);
        let walk = Walk::new(&dims, [&inner_channels, &packed_strides(&dims)]);
        assert_eq!((walk.dims.len(), walk.step), (2, [1, 20]));
        let mut seen = vec![0; 120];
        walk.all(|[a, b], count| {
            for i in 0..count as isize {
                let (a, b) = (a + i, (b + i * 20) as usize);
                let index = index_of(b, &dims);
                let there: isize =
                    index.iter().zip(inner_channels).map(|(i, s)| *i as isize * s).sum();
                assert_eq!(a, there);
                seen[b] += 1;
            }
        });
        assert!(seen.iter().all(|count| *count == 1));
        assert_eq!(Walk::new(&dims, [&packed_strides(&dims)]).pieces(), 1);
        assert_eq!(Walk::new(&[1000], [&[1]]).pieces(), 4);
        assert_eq!(Walk::new(&[3, 0], [&[0, 1]]).pieces(), 0);
    }
}
