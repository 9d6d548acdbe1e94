//! The descriptor of a plan from a function's arguments, which are numbers of 32 or 64 bits.

use crate::convert::{In, Type};
use cuda_types::cufft::{CufftResult, cufftError};
use fourier::{Descriptor, Element, Layout, Side};

/// The number of a dimension or of transforms: `INVALID_SIZE` unless it is positive.
fn count(number: i64) -> CufftResult<usize> {
    usize::try_from(number).ok().filter(|number| *number > 0).ok_or(cufftError::INVALID_SIZE)
}

/// Transforms without gaps.
pub(crate) fn packed(lengths: &[i32], ty: Type, batch: i32) -> CufftResult<Descriptor> {
    let lengths: CufftResult<_> = lengths.iter().map(|length| count((*length).into())).collect();
    let batch = count(batch.into())?;
    let descriptor = Descriptor {
        lengths: lengths?,
        kind: ty.kind,
        element: ty.element,
        batch,
        layout: Layout::Packed,
    };
    check(descriptor)
}

/// A side of the functions with advanced layouts.
#[derive(Clone, Copy)]
pub(crate) struct Embedding<T> {
    /// The lengths of the memory that the transform lies in; null for no gaps.
    pub(crate) lengths: In<T>,
    pub(crate) stride: T,
    pub(crate) distance: T,
}

/// Many transforms, in the manual's advanced layout, where the lengths of the memory on both sides say so.
pub(crate) fn many<T: Copy + Into<i64>>(
    rank: i32,
    lengths: In<T>,
    input: Embedding<T>,
    output: Embedding<T>,
    ty: Type,
    batch: T,
) -> CufftResult<Descriptor> {
    let rank = usize::try_from(rank).ok().filter(|rank| (1..=3).contains(rank));
    let rank = rank.ok_or(cufftError::INVALID_VALUE)?;
    let lengths = lengths.array(rank, rank)?;
    let lengths: CufftResult<_> = lengths.into_iter().map(|length| count(length.into())).collect();
    let (lengths, batch) = (lengths?, count(batch.into())?);
    let sides = (input.lengths.array(rank, rank), output.lengths.array(rank, rank));
    let layout = match sides {
        (Ok(from), Ok(to)) => Layout::Strided {
            input: side(&from, input.stride, input.distance)?,
            output: side(&to, output.stride, output.distance)?,
        },
        (Err(_), Err(_)) => Layout::Packed,
        _ => return Err(cufftError::INVALID_VALUE),
    };
    check(Descriptor { lengths, kind: ty.kind, element: ty.element, batch, layout })
}

/// `b * dist + ((x * embed[1] + y) * embed[2] + z) * stride` is where an element lies: the first length plays no part.
fn side<T: Copy + Into<i64>>(lengths: &[T], stride: T, distance: T) -> CufftResult<Side> {
    let positive = |number: T| {
        let number = usize::try_from(number.into()).ok().filter(|number| *number > 0);
        number.ok_or(cufftError::INVALID_VALUE)
    };
    let mut strides = vec![positive(stride)?];
    for length in lengths[1..].iter().rev() {
        let next = strides[0].checked_mul(positive(*length)?).ok_or(cufftError::INVALID_SIZE)?;
        strides.insert(0, next);
    }
    Ok(Side { strides, distance: positive(distance)? })
}

/// "Sizes are restricted to powers of two" in half precision.
fn check(descriptor: Descriptor) -> CufftResult<Descriptor> {
    let is_narrow = matches!(descriptor.element, Element::F16 | Element::BF16);
    if is_narrow && !descriptor.lengths.iter().all(|length| length.is_power_of_two()) {
        return Err(cufftError::NOT_SUPPORTED);
    }
    Ok(descriptor)
}
