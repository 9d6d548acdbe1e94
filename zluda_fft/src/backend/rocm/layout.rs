//! The shape of a plan as hipFFT takes it: the lengths of the memory around a transform in place of strides.

use fourier::{Descriptor, Layout, Side};

/// A side of a transform.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Embedding<T> {
    /// The lengths of the memory; empty for no gaps.
    pub(super) lengths: Vec<T>,
    pub(super) stride: T,
    pub(super) distance: T,
}

/// Arguments of `hipfftMakePlanMany`, with numbers of one width.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arguments<T> {
    pub(super) lengths: Vec<T>,
    pub(super) input: Embedding<T>,
    pub(super) output: Embedding<T>,
    pub(super) batch: T,
}

impl<T: TryFrom<usize>> Arguments<T> {
    /// Nothing where a number does not fit.
    pub(super) fn of(descriptor: &Descriptor) -> Option<Arguments<T>> {
        let (input, output) = match &descriptor.layout {
            Layout::Packed => (Embedding::packed()?, Embedding::packed()?),
            Layout::Strided { input, output } => (
                Embedding::of(input, &descriptor.lengths)?,
                Embedding::of(output, &descriptor.lengths)?,
            ),
        };
        Some(Arguments {
            lengths: all(&descriptor.lengths)?,
            input,
            output,
            batch: T::try_from(descriptor.batch).ok()?,
        })
    }
}

fn all<T: TryFrom<usize>>(numbers: &[usize]) -> Option<Vec<T>> {
    numbers.iter().map(|number| T::try_from(*number).ok()).collect()
}

impl<T: TryFrom<usize>> Embedding<T> {
    fn packed() -> Option<Embedding<T>> {
        let (stride, distance) = (T::try_from(1).ok()?, T::try_from(1).ok()?);
        Some(Embedding { lengths: Vec::new(), stride, distance })
    }

    /// The strides are products of the lengths of the memory, in which the first plays no part.
    fn of(side: &Side, lengths: &[usize]) -> Option<Embedding<T>> {
        let mut memory = vec![*lengths.first()?];
        for pair in side.strides.windows(2) {
            memory.push(pair[0].checked_div(pair[1])?);
        }
        Some(Embedding {
            lengths: all(&memory)?,
            stride: T::try_from(*side.strides.last()?).ok()?,
            distance: T::try_from(side.distance).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fourier::{Element, Kind};

    fn shape(layout: Layout) -> Descriptor {
        let lengths = vec![4, 5, 6];
        Descriptor { lengths, kind: Kind::Complex, element: Element::F32, batch: 7, layout }
    }

    // b * dist + ((x * embed[1] + y) * embed[2] + z) * stride, with embed = {_, 8, 9} and stride 2.
    #[test]
    fn strides_are_lengths_of_memory() {
        let side = |distance| Side { strides: vec![8 * 9 * 2, 9 * 2, 2], distance };
        let layout = Layout::Strided { input: side(1000), output: side(2000) };
        let arguments = Arguments::<i32>::of(&shape(layout)).unwrap();
        assert_eq!(arguments.lengths, [4, 5, 6]);
        assert_eq!(
            arguments.input,
            Embedding { lengths: vec![4, 8, 9], stride: 2, distance: 1000 }
        );
        assert_eq!(arguments.output.distance, 2000);
        assert_eq!(arguments.batch, 7);
    }

    #[test]
    fn what_does_not_fit_needs_wider_numbers() {
        let side = Side { strides: vec![30, 6, 1], distance: 1 << 31 };
        let layout = Layout::Strided { input: side.clone(), output: side };
        assert_eq!(Arguments::<i32>::of(&shape(layout.clone())), None);
        assert_eq!(Arguments::<i64>::of(&shape(layout)).unwrap().input.distance, 1 << 31);
        assert_eq!(Arguments::<i32>::of(&shape(Layout::Packed)).unwrap().input.lengths, []);
    }
}
