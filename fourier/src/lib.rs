//! Discrete Fourier transforms of one, two and three dimensions, of complex and of real numbers, in any layout of memory,
//! many at once. Sums are not scaled.
//!
//! `rustfft` and `realfft` transform single lines; what is here is everything around that:
//!
//! - [`descriptor`]: what a transform is, and where its elements lie.
//! - [`element`]: the types of elements in memory, and the types that are computed with.
//! - [`lines`](mod@lines): the planned transforms of single lines, which all transforms of a process share.
//! - [`pass`]: all lines of one dimension, from one memory to another.
//! - [`schedule`]: the passes of a transform, and how its work is cut in parts.
//! - [`transform`]: the whole, and its work at given addresses.
//!
//! There are no threads here. The work is a row of stages, one after the other, each of which has parts that may run at the
//! same time, on any threads.

pub mod descriptor;
pub mod element;
pub mod lines;
pub mod pass;
pub mod schedule;
pub mod transform;
mod twiddles;

pub use descriptor::{Descriptor, DescriptorError, Direction, Kind, Layout, Side};
pub use element::Element;
pub use transform::{Transform, Work};
