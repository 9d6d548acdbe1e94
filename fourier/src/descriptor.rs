//! The descriptor of a transform: its lengths, elements and layout.

use crate::Element;

/// The most dimensions that a transform has.
pub const MOST_DIMENSIONS: usize = 3;

/// A number of transforms of the same lengths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The lengths of one to three dimensions, the slowest first; of the real side, where there is one.
    pub lengths: Vec<usize>,
    pub kind: Kind,
    pub element: Element,
    /// How many transforms there are.
    pub batch: usize,
    pub layout: Layout,
}

/// Which sides of a transform are complex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Complex,
    /// From real to complex numbers, of which the last dimension has the half that is not redundant.
    RealToComplex,
    /// The way back. Imaginary parts that would be 0 were the result real are taken for 0.
    ComplexToReal,
}

/// The sign of the exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Minus.
    Forward,
    /// Plus.
    Inverse,
}

/// Where elements lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One after the other. Where a transform of real numbers takes place in its input, each line of these has room for its
    /// complex half.
    Packed,
    Strided {
        input: Side,
        output: Side,
    },
}

/// Where the elements of one side of a transform lie; in elements, real or complex as the side is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Between neighbours of each dimension, in the order of the lengths.
    pub strides: Vec<usize>,
    /// Between transforms.
    pub distance: usize,
}

/// A descriptor that no transform has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescriptorError {
    /// Not one to three dimensions, or a layout of another number of dimensions.
    Dimensions,
    /// A length or the number of transforms is 0.
    Empty,
    /// Its elements have no addresses, or the tables for its lines would fill the memory of most machines.
    TooLarge,
}

/// Tables of a line are as long as the line; of a line that is longer than this they take gigabytes.
const LONGEST_LINE: usize = 1 << 28;

impl Descriptor {
    /// Whether there is such a transform.
    pub fn check(&self) -> Result<(), DescriptorError> {
        if self.lengths.is_empty() || self.lengths.len() > MOST_DIMENSIONS {
            return Err(DescriptorError::Dimensions);
        }
        if self.batch == 0 || self.lengths.contains(&0) {
            return Err(DescriptorError::Empty);
        }
        if self.lengths.iter().any(|length| *length > LONGEST_LINE) {
            return Err(DescriptorError::TooLarge);
        }
        if let Layout::Strided { input, output } = &self.layout
            && [input, output].iter().any(|side| side.strides.len() != self.lengths.len())
        {
            return Err(DescriptorError::Dimensions);
        }
        let is_small = |in_place| {
            let (input, output) = self.sides_if_small(in_place)?;
            let (from, to) = self.side_lengths();
            let most = isize::MAX as usize / (2 * self.element.size());
            let input = input.extent(&from, self.batch)?;
            Some(input.max(output.extent(&to, self.batch)?) <= most)
        };
        if is_small(false) == Some(true) && is_small(true) == Some(true) {
            Ok(())
        } else {
            Err(DescriptorError::TooLarge)
        }
    }

    /// The lengths of the input and of the output.
    pub fn side_lengths(&self) -> (Vec<usize>, Vec<usize>) {
        let mut halves = self.lengths.clone();
        if let Some(last) = halves.last_mut() {
            *last = *last / 2 + 1;
        }
        match self.kind {
            Kind::Complex => (self.lengths.clone(), self.lengths.clone()),
            Kind::RealToComplex => (self.lengths.clone(), halves),
            Kind::ComplexToReal => (halves, self.lengths.clone()),
        }
    }

    /// Where the input and the output lie, of a descriptor that was checked.
    pub fn sides(&self, in_place: bool) -> (Side, Side) {
        let nowhere = Side { strides: vec![0; self.lengths.len()], distance: 0 };
        self.sides_if_small(in_place).unwrap_or_else(|| (nowhere.clone(), nowhere))
    }

    fn sides_if_small(&self, in_place: bool) -> Option<(Side, Side)> {
        if let Layout::Strided { input, output } = &self.layout {
            return Some((input.clone(), output.clone()));
        }
        let (mut from, mut to) = self.side_lengths();
        if in_place {
            // A line of reals is as long as its complex half, of twice as many numbers.
            let room = 2 * (self.lengths.last()? / 2 + 1);
            match self.kind {
                Kind::Complex => {}
                Kind::RealToComplex => *from.last_mut()? = room,
                Kind::ComplexToReal => *to.last_mut()? = room,
            }
        }
        Some((Side::packed(&from)?, Side::packed(&to)?))
    }
}

impl Side {
    /// One element after the other; none where there are more than there are numbers.
    pub fn packed(lengths: &[usize]) -> Option<Side> {
        let (inner, all) = lengths.split_first()?;
        let mut strides = vec![1usize];
        for length in all.iter().rev() {
            strides.insert(0, strides[0].checked_mul(*length)?);
        }
        let distance = strides[0].checked_mul(*inner)?;
        Some(Side { strides, distance })
    }

    /// The number of elements from the first one to the last one, both counted.
    pub fn extent(&self, lengths: &[usize], batch: usize) -> Option<usize> {
        let steps = self.strides.iter().zip(lengths).chain([(&self.distance, &batch)]);
        let mut last = 0usize;
        for (stride, count) in steps {
            last = last.checked_add(stride.checked_mul(count.checked_sub(1)?)?)?;
        }
        last.checked_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(lengths: &[usize], kind: Kind) -> Descriptor {
        Descriptor {
            lengths: lengths.to_vec(),
            kind,
            element: Element::F32,
            batch: 2,
            layout: Layout::Packed,
        }
    }

    #[test]
    fn real_lines_in_place_have_room_for_their_complex_half() {
        let descriptor = descriptor(&[3, 4, 5], Kind::RealToComplex);
        let (from, to) = descriptor.sides(false);
        assert_eq!((from.strides, from.distance), (vec![20, 5, 1], 60));
        assert_eq!((to.strides, to.distance), (vec![12, 3, 1], 36));
        let (from, to) = descriptor.sides(true);
        assert_eq!((from.strides, from.distance), (vec![24, 6, 1], 72));
        assert_eq!((to.strides, to.distance), (vec![12, 3, 1], 36));
    }

    #[test]
    fn what_has_no_elements_or_no_addresses_is_refused() {
        assert_eq!(descriptor(&[], Kind::Complex).check(), Err(DescriptorError::Dimensions));
        assert_eq!(descriptor(&[2; 4], Kind::Complex).check(), Err(DescriptorError::Dimensions));
        assert_eq!(descriptor(&[2, 0], Kind::Complex).check(), Err(DescriptorError::Empty));
        let huge = [1 << 27, 1 << 27, 1 << 27];
        assert_eq!(descriptor(&huge, Kind::Complex).check(), Err(DescriptorError::TooLarge));
        assert_eq!(
            descriptor(&[usize::MAX], Kind::RealToComplex).check(),
            Err(DescriptorError::TooLarge)
        );
        assert_eq!(descriptor(&[1, 2, 3], Kind::Complex).check(), Ok(()));
    }
}
