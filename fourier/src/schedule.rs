//! The passes of a transform, and how they are cut in parts.
//!
//! A pass along the last dimension comes first, except to real numbers, where it comes last; then a pass along each other
//! dimension, over what the one before left. Between the passes numbers stay in the output, where it can hold them.
//!
//! Many transforms of several dimensions are cut between transforms: a part takes some of them, from the first pass to the
//! last one, while they are in its processor's cache. Else each pass is cut between lines. One long line is a matrix, row by
//! row: its columns are transformed, multiplied by factors, and then its rows, whose results are columns.

use crate::Element;
use crate::descriptor::{Descriptor, Direction, Kind, Side};
use crate::lines::Precision;
use crate::pass::{End, Line, Outer, Pass, PassBuffer};
use crate::twiddles::Twiddles;
use std::sync::Arc;

/// The passes of a transform.
pub(crate) struct Schedule<T: Precision> {
    pub(crate) passes: Vec<Pass<T>>,
    /// The complex numbers between passes, of a transform, or of all where passes are cut.
    pub(crate) between: usize,
    /// Between transforms, where a part takes whole ones: their passes are of one transform.
    pub(crate) whole: Option<Whole>,
}

/// Transforms that are not cut.
#[derive(Clone, Copy)]
pub(crate) struct Whole {
    pub(crate) batch: usize,
    /// The bytes between transforms.
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Lines from this length on are cut where there are too few of them for all processors.
const LONG: usize = 1 << 16;
/// A cut line is a matrix of at least so many rows.
const ROWS: usize = 64;
/// Whole transforms are for a part up to this size.
const WHOLE: usize = 1 << 20;
/// All work of no more elements is one part.
const SMALL: usize = 1 << 14;

impl<T: Precision> Schedule<T> {
    pub(crate) fn new(
        descriptor: &Descriptor,
        direction: Direction,
        in_place: bool,
        threads: usize,
    ) -> Schedule<T> {
        let (input, output) = descriptor.sides(in_place);
        if descriptor.kind == Kind::Complex
            && let [length] = descriptor.lengths[..]
            && length >= LONG
            && descriptor.batch < threads
            && let Some(rows) = rows(length)
        {
            return Schedule::long(descriptor, direction, rows, &input, &output);
        }
        let items: usize = descriptor.lengths.iter().product();
        // Transforms whose elements lie among each other's are not cut apart.
        let nested = [&input, &output].iter().any(|side| {
            let most = side.strides.iter().max().copied().unwrap_or(0);
            descriptor.batch > 1 && side.distance < most
        });
        let is_whole = descriptor.lengths.len() > 1
            && !nested
            && items <= WHOLE
            && (descriptor.batch >= 2 * threads || items * descriptor.batch <= SMALL);
        let builder = Builder { descriptor, direction, input, output, is_whole };
        builder.schedule()
    }

    /// One dimension in two passes.
    fn long(
        descriptor: &Descriptor,
        direction: Direction,
        rows: usize,
        input: &Side,
        output: &Side,
    ) -> Schedule<T> {
        let length = descriptor.lengths[0];
        let columns = length / rows;
        let (from, to) = (input.strides[0], output.strides[0]);
        let line = |length| Line::Complex(T::planned().complex(length, direction));
        let down = Pass {
            line: line(rows),
            from: End { buffer: PassBuffer::Input, stride: from * columns },
            to: End { buffer: PassBuffer::Between, stride: columns },
            outers: vec![
                Outer { count: columns, from, to: 1 },
                Outer { count: descriptor.batch, from: input.distance, to: length },
            ],
            twiddles: Some(Arc::new(Twiddles::new(length, direction))),
        };
        let across = Pass {
            line: line(columns),
            from: End { buffer: PassBuffer::Between, stride: 1 },
            to: End { buffer: PassBuffer::Output, stride: to * rows },
            outers: vec![
                Outer { count: rows, from: columns, to },
                Outer { count: descriptor.batch, from: length, to: output.distance },
            ],
            twiddles: None,
        };
        Schedule { passes: vec![down, across], between: length * descriptor.batch, whole: None }
    }

    /// The parts of a pass.
    pub(crate) fn parts(&self, stage: usize) -> usize {
        match &self.whole {
            Some(whole) => {
                let elements: usize = self.passes.iter().map(Pass::elements).sum();
                cut(elements * whole.batch, whole.batch)
            }
            None => cut(self.passes[stage].elements(), self.passes[stage].groups()),
        }
    }

    /// Passes that are one after the other; all at once where transforms are not cut.
    pub(crate) fn stages(&self) -> usize {
        if self.whole.is_some() { 1 } else { self.passes.len() }
    }
}

/// The parts of so many elements, of which there are at most `most`.
fn cut(elements: usize, most: usize) -> usize {
    (elements / SMALL).clamp(1, most.clamp(1, 256))
}

/// The rows of the matrix that a line becomes: a divisor next to the square root.
fn rows(length: usize) -> Option<usize> {
    (ROWS..=length.isqrt()).rev().find(|rows| length.is_multiple_of(*rows))
}

/// The input of making passes.
struct Builder<'a> {
    descriptor: &'a Descriptor,
    direction: Direction,
    input: Side,
    output: Side,
    is_whole: bool,
}

impl Builder<'_> {
    fn schedule<T: Precision>(&self) -> Schedule<T> {
        let rank = self.descriptor.lengths.len();
        let last = rank - 1;
        let axes: Vec<usize> = match self.descriptor.kind {
            Kind::ComplexToReal => (0..rank).collect(),
            _ => (0..rank).rev().collect(),
        };
        let stays = match self.descriptor.kind {
            // The output has no room for the complex half.
            Kind::ComplexToReal => PassBuffer::Between,
            // Sums that are rounded once lose less.
            _ if self.is_narrow() => PassBuffer::Between,
            _ => PassBuffer::Output,
        };
        let passes: Vec<Pass<T>> = axes
            .iter()
            .enumerate()
            .map(|(i, axis)| {
                let from = if i == 0 { PassBuffer::Input } else { stays };
                let to = if i == last { PassBuffer::Output } else { stays };
                self.pass(*axis, from, to)
            })
            .collect();
        let uses_between = passes.iter().any(|pass| pass.to.buffer == PassBuffer::Between);
        let batch = if self.is_whole { 1 } else { self.descriptor.batch };
        let whole = self.is_whole.then(|| {
            let (from, to) = match self.descriptor.kind {
                Kind::Complex => (2, 2),
                Kind::RealToComplex => (1, 2),
                Kind::ComplexToReal => (2, 1),
            };
            let size = self.descriptor.element.size();
            Whole {
                batch: self.descriptor.batch,
                from: self.input.distance * from * size,
                to: self.output.distance * to * size,
            }
        });
        let between = self.between().distance * batch * usize::from(uses_between);
        Schedule { passes, between, whole }
    }

    fn is_narrow(&self) -> bool {
        matches!(self.descriptor.element, Element::F16 | Element::BF16)
    }

    /// The lengths of what is complex.
    fn complex_lengths(&self) -> Vec<usize> {
        let (from, to) = self.descriptor.side_lengths();
        if self.descriptor.kind == Kind::ComplexToReal { from } else { to }
    }

    fn between(&self) -> Side {
        let nowhere = Side { strides: Vec::new(), distance: 0 };
        Side::packed(&self.complex_lengths()).unwrap_or(nowhere)
    }

    fn side(&self, buffer: PassBuffer) -> Side {
        match buffer {
            PassBuffer::Input => self.input.clone(),
            PassBuffer::Output => self.output.clone(),
            PassBuffer::Between => self.between(),
        }
    }

    fn pass<T: Precision>(&self, axis: usize, from: PassBuffer, to: PassBuffer) -> Pass<T> {
        let planned = T::planned();
        let length = self.descriptor.lengths[axis];
        let is_last = axis + 1 == self.descriptor.lengths.len();
        let line = match self.descriptor.kind {
            Kind::RealToComplex if is_last => Line::Forward(planned.forward(length)),
            Kind::ComplexToReal if is_last => Line::Inverse(planned.inverse(length)),
            _ => Line::Complex(planned.complex(length, self.direction)),
        };
        let (from_side, to_side) = (self.side(from), self.side(to));
        let mut outers: Vec<Outer> = self
            .complex_lengths()
            .into_iter()
            .enumerate()
            .filter(|(other, _)| *other != axis)
            .map(|(other, count)| Outer {
                count,
                from: from_side.strides[other],
                to: to_side.strides[other],
            })
            .collect();
        if !self.is_whole {
            outers.push(Outer {
                count: self.descriptor.batch,
                from: from_side.distance,
                to: to_side.distance,
            });
        }
        Pass {
            line,
            from: End { buffer: from, stride: from_side.strides[axis] },
            to: End { buffer: to, stride: to_side.strides[axis] },
            outers: joined(outers),
            twiddles: None,
        }
    }
}

/// The dimensions with neighbours first, and those that continue each other as one.
fn joined(mut outers: Vec<Outer>) -> Vec<Outer> {
    outers.retain(|outer| outer.count > 1);
    outers.sort_by_key(|outer| outer.from.min(outer.to));
    let mut all: Vec<Outer> = Vec::new();
    for outer in outers {
        match all.last_mut() {
            Some(last)
                if outer.from == last.from * last.count && outer.to == last.to * last.count =>
            {
                last.count *= outer.count;
            }
            _ => all.push(outer),
        }
    }
    if all.is_empty() {
        all.push(Outer { count: 1, from: 0, to: 0 });
    }
    all
}
