//! All lines of one dimension, from one memory to another.
//!
//! Input: the lines' places, a planned transform. Output: the transformed lines at their places. Lines that lie in one piece
//! are transformed where they are; others are gathered, a few neighbours at a time, so that what the processor fetches of
//! memory is used.

use crate::element::Storage;
use crate::lines::Precision;
use crate::twiddles::Twiddles;
use num_complex::Complex;
use realfft::{ComplexToReal, RealToComplex};
use rustfft::Fft;
use std::ops::Range;
use std::sync::Arc;

/// How a line is transformed.
pub enum Line<T> {
    Complex(Arc<dyn Fft<T>>),
    Forward(Arc<dyn RealToComplex<T>>),
    Inverse(Arc<dyn ComplexToReal<T>>),
}

/// A memory that a pass reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassBuffer {
    Input,
    Output,
    /// Memory of the transform's own, of complex numbers that are computed with.
    Between,
}

/// A side of the lines of a pass.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub buffer: PassBuffer,
    /// Between the elements of a line, in elements.
    pub stride: usize,
}

/// A dimension that is not that of the lines.
#[derive(Clone, Copy, Debug)]
pub struct Outer {
    pub count: usize,
    /// Between lines, in elements of either side.
    pub from: usize,
    pub to: usize,
}

/// All lines of a dimension.
pub struct Pass<T: Precision> {
    pub(crate) line: Line<T>,
    pub(crate) from: End,
    pub(crate) to: End,
    /// The other dimensions, at least one, that with neighbours first.
    pub(crate) outers: Vec<Outer>,
    /// Factors for the results, by the line's number in the first outer dimension.
    pub(crate) twiddles: Option<Arc<Twiddles>>,
}

/// The addresses of the memories.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    pub input: *mut u8,
    pub output: *mut u8,
    pub between: *mut u8,
    /// Whether the input and the output have no byte in common.
    pub apart: bool,
}

// SAFETY: addresses. Who makes the places says that the memories may be used from any thread.
unsafe impl Send for Places {}
// SAFETY: as above.
unsafe impl Sync for Places {}

/// Room for a group of lines, which a part of the work has to itself.
pub struct Room<T> {
    complex: Vec<Complex<T>>,
    real: Vec<T>,
    scratch: Vec<Complex<T>>,
}

/// Neighbours that are gathered at once: as many as lie in two lines of the processor's cache, of complex f32.
const NEIGHBOURS: usize = 16;
/// Elements of a group of gathered neighbours at most, unless a few lines have more: they fit the second cache.
const GROUP: usize = 1 << 14;
/// Elements of a group of lines in one piece: real lines are copied, into the first cache.
const PIECE: usize = 1 << 11;

impl<T: Precision> Line<T> {
    /// The lengths of its sides.
    pub fn lengths(&self) -> (usize, usize) {
        match self {
            Line::Complex(line) => (line.len(), line.len()),
            Line::Forward(line) => (line.len(), line.len() / 2 + 1),
            Line::Inverse(line) => (line.len() / 2 + 1, line.len()),
        }
    }

    fn scratch(&self) -> usize {
        match self {
            Line::Complex(line) => {
                line.get_inplace_scratch_len().max(line.get_immutable_scratch_len())
            }
            Line::Forward(line) => line.get_scratch_len(),
            Line::Inverse(line) => line.get_scratch_len(),
        }
    }
}

impl<T: Precision> Pass<T> {
    /// The number of lines in a group.
    fn group(&self) -> usize {
        let (from, to) = self.line.lengths();
        let length = from.max(to);
        let group = if self.from.stride == 1 && self.to.stride == 1 {
            (PIECE / length).max(1)
        } else {
            (GROUP / length).clamp(4, NEIGHBOURS)
        };
        group.min(self.outers[0].count)
    }

    /// The number of groups, which are the least that a part of the work takes.
    pub fn groups(&self) -> usize {
        let more: usize = self.outers[1..].iter().map(|outer| outer.count).product();
        self.outers[0].count.div_ceil(self.group()) * more
    }

    /// The number of elements of all lines.
    pub fn elements(&self) -> usize {
        let (from, to) = self.line.lengths();
        self.outers.iter().map(|outer| outer.count).product::<usize>() * from.max(to)
    }

    /// Room for a group, which is taken when it is first needed.
    pub fn room(&self) -> Room<T> {
        Room { complex: Vec::new(), real: Vec::new(), scratch: vec![zero(); self.line.scratch()] }
    }

    /// Takes the room for gathered lines.
    fn take(&self, room: &mut Room<T>) {
        let (from, to) = self.line.lengths();
        let (complex, real) = match &self.line {
            Line::Complex(_) => (self.group() * pitch(from), 0),
            Line::Forward(_) => (to, self.group() * pitch(from)),
            Line::Inverse(_) => (self.group() * pitch(from), to),
        };
        if room.complex.len() < complex || room.real.len() < real {
            room.complex.resize(complex, zero());
            room.real.resize(real, T::zero());
        }
    }

    /// Transforms some groups of lines.
    ///
    /// # Safety
    /// The memories are as large as the descriptor says, nobody else writes to the lines' elements, and no other part of the
    /// work has these groups.
    pub unsafe fn run<S: Storage<Compute = T>>(
        &self,
        places: &Places,
        groups: Range<usize>,
        room: &mut Room<T>,
    ) where
        T: Storage<Compute = T>,
    {
        // SAFETY: by this function's contract; memory between passes has numbers that are computed with.
        unsafe {
            match (self.from.buffer == PassBuffer::Between, self.to.buffer == PassBuffer::Between) {
                (false, false) => self.run_typed::<S, S>(places, groups, room),
                (false, true) => self.run_typed::<S, T>(places, groups, room),
                (true, false) => self.run_typed::<T, S>(places, groups, room),
                (true, true) => self.run_typed::<T, T>(places, groups, room),
            }
        }
    }

    /// # Safety
    /// As for [`Self::run`]; the memories hold these types.
    unsafe fn run_typed<A: Storage<Compute = T>, B: Storage<Compute = T>>(
        &self,
        places: &Places,
        groups: Range<usize>,
        room: &mut Room<T>,
    ) {
        let from = places.of(self.from.buffer).cast::<A>();
        let to = places.of(self.to.buffer).cast::<B>();
        let (from_parts, to_parts) = self.parts();
        let access = self.access::<A, B>(places);
        let group = self.group();
        let row = self.outers[0].count.div_ceil(group);
        for number in groups {
            let mut rest = number / row;
            let first = number % row * group;
            let count = group.min(self.outers[0].count - first);
            let mut at = (first * self.outers[0].from, first * self.outers[0].to);
            for outer in &self.outers[1..] {
                at.0 += rest % outer.count * outer.from;
                at.1 += rest % outer.count * outer.to;
                rest /= outer.count;
            }
            // SAFETY: the group's lines lie within the memories.
            let (from, to) = unsafe { (from.add(at.0 * from_parts), to.add(at.1 * to_parts)) };
            // SAFETY: by this function's contract.
            unsafe { self.run_group(from, to, first, count, access, room) };
        }
    }

    /// The real numbers of an element of either side.
    fn parts(&self) -> (usize, usize) {
        match self.line {
            Line::Complex(_) => (2, 2),
            Line::Forward(_) => (1, 2),
            Line::Inverse(_) => (2, 1),
        }
    }

    /// Which sides' lines may be transformed where they are.
    fn access<A: Storage, B: Storage>(&self, places: &Places) -> Access {
        let (from_length, to_length) = self.line.lengths();
        let fits = |buffer, native, stride, length, strides: &dyn Fn(&Outer) -> usize| {
            let address = places.of(buffer).addr();
            native
                && (stride == 1 || length == 1)
                && address.is_multiple_of(align_of::<T>())
                && are_apart(length, self.outers.iter().map(|outer| (outer.count, strides(outer))))
        };
        let from = fits(self.from.buffer, A::NATIVE, self.from.stride, from_length, &|o| o.from);
        let to = fits(self.to.buffer, B::NATIVE, self.to.stride, to_length, &|o| o.to);
        let (a, b) = (self.from.buffer, self.to.buffer);
        let is_same = places.of(a) == places.of(b)
            && self.outers.iter().all(|outer| outer.from == outer.to || outer.count == 1);
        let is_apart =
            a != b && (a == PassBuffer::Between || b == PassBuffer::Between || places.apart);
        let both = from && to && matches!(self.line, Line::Complex(_));
        Access { in_place: both && is_same, across: both && is_apart, to }
    }

    /// Transforms neighbours, of which the first one has the number `first`.
    ///
    /// # Safety
    /// As for [`Self::run_typed`].
    unsafe fn run_group<A: Storage<Compute = T>, B: Storage<Compute = T>>(
        &self,
        from: *const A,
        to: *mut B,
        first: usize,
        count: usize,
        access: Access,
        room: &mut Room<T>,
    ) {
        let (from_length, to_length) = self.line.lengths();
        let outer = self.outers[0];
        if !access.in_place && !access.across {
            self.take(room);
        }
        let Room { complex, real, scratch } = room;
        match &self.line {
            Line::Complex(line) if access.in_place || access.across => {
                let length = from_length;
                // Neighbours without gaps are one piece.
                let joined = outer.from == length && outer.to == length;
                let (pieces, size) = if joined { (1, count * length) } else { (count, length) };
                for piece in 0..pieces {
                    // SAFETY: lines in one piece, of numbers that are computed with, which are aligned, and which no other
                    // line and no other thread has.
                    unsafe {
                        let from = from.add(piece * outer.from * 2).cast::<Complex<T>>();
                        let to = to.add(piece * outer.to * 2).cast::<Complex<T>>();
                        let output = std::slice::from_raw_parts_mut(to, size);
                        if access.in_place {
                            line.process_with_scratch(output, scratch);
                        } else {
                            let input = std::slice::from_raw_parts(from, size);
                            line.process_immutable_with_scratch(input, output, scratch);
                        }
                        if let Some(twiddles) = &self.twiddles {
                            for (i, line) in output.chunks_exact_mut(length).enumerate() {
                                twiddles.multiply(line, first + piece + i);
                            }
                        }
                    }
                }
            }
            Line::Complex(line) => {
                let pitch = pitch(from_length);
                // SAFETY: the lines lie within the memories.
                unsafe {
                    gather(from, self.from.stride, outer.from, complex, from_length, count, pitch)
                };
                for (i, numbers) in complex.chunks_exact_mut(pitch).take(count).enumerate() {
                    let numbers = &mut numbers[..from_length];
                    line.process_with_scratch(numbers, scratch);
                    if let Some(twiddles) = &self.twiddles {
                        twiddles.multiply(numbers, first + i);
                    }
                }
                // SAFETY: as above.
                unsafe { scatter(complex, to, self.to.stride, outer.to, to_length, count, pitch) };
            }
            Line::Forward(line) => {
                let pitch = pitch(from_length);
                // SAFETY: as above.
                unsafe {
                    gather(from, self.from.stride, outer.from, real, from_length, count, pitch)
                };
                for i in 0..count {
                    let numbers = &mut real[i * pitch..][..from_length];
                    // SAFETY: as above.
                    let address = unsafe { to.add(i * outer.to * 2) };
                    let output = if access.to {
                        // SAFETY: as for complex lines.
                        unsafe { std::slice::from_raw_parts_mut(address.cast(), to_length) }
                    } else {
                        &mut complex[..to_length]
                    };
                    // Lengths are right, which is all that it complains of.
                    let _ = line.process_with_scratch(numbers, output, scratch);
                    if !access.to {
                        // SAFETY: as above.
                        unsafe { scatter(complex, address, self.to.stride, 0, to_length, 1, 0) };
                    }
                }
            }
            Line::Inverse(line) => {
                let pitch = pitch(from_length);
                // SAFETY: as above.
                unsafe {
                    gather(from, self.from.stride, outer.from, complex, from_length, count, pitch)
                };
                for i in 0..count {
                    let numbers = &mut complex[i * pitch..][..from_length];
                    numbers[0].im = T::zero();
                    if to_length.is_multiple_of(2) {
                        numbers[from_length - 1].im = T::zero();
                    }
                    // SAFETY: as above.
                    let address = unsafe { to.add(i * outer.to) };
                    let output = if access.to {
                        // SAFETY: as for complex lines.
                        unsafe { std::slice::from_raw_parts_mut(address.cast(), to_length) }
                    } else {
                        &mut real[..to_length]
                    };
                    let _ = line.process_with_scratch(numbers, output, scratch);
                    if !access.to {
                        // SAFETY: as above.
                        unsafe { scatter(real, address, self.to.stride, 0, to_length, 1, 0) };
                    }
                }
            }
        }
    }
}

/// How the lines of a pass may be reached.
#[derive(Clone, Copy)]
struct Access {
    /// Both sides of complex lines are the same slices.
    in_place: bool,
    /// Both sides of complex lines are slices that have nothing in common.
    across: bool,
    /// The results are slices.
    to: bool,
}

impl Places {
    fn of(&self, buffer: PassBuffer) -> *mut u8 {
        match buffer {
            PassBuffer::Input => self.input,
            PassBuffer::Output => self.output,
            PassBuffer::Between => self.between,
        }
    }
}

/// Whether lines of a length, in one piece each, have no element in common: each dimension steps over all of the ones before.
fn are_apart(length: usize, outers: impl Iterator<Item = (usize, usize)>) -> bool {
    let mut steps: Vec<(usize, usize)> = outers.filter(|(count, _)| *count > 1).collect();
    steps.sort_unstable_by_key(|(_, stride)| *stride);
    let mut extent = length;
    steps.iter().all(|(count, stride)| {
        let apart = *stride >= extent;
        extent += stride * (count - 1);
        apart
    })
}

/// The complex 0.
pub(crate) fn zero<T: Precision>() -> Complex<T> {
    Complex::new(T::zero(), T::zero())
}

/// Between gathered lines: lines of a power of two would all fall into the same places of the processor's cache.
fn pitch(length: usize) -> usize {
    length + 8
}

/// A number of a line: some real numbers, one after the other.
trait Number<T>: Copy {
    const PARTS: usize;

    /// # Safety
    /// The memory holds the number.
    unsafe fn load<S: Storage<Compute = T>>(address: *const S) -> Self;

    /// # Safety
    /// The memory has room for the number.
    unsafe fn store<S: Storage<Compute = T>>(self, address: *mut S);
}

impl<T: Precision> Number<T> for T {
    const PARTS: usize = 1;

    unsafe fn load<S: Storage<Compute = T>>(address: *const S) -> T {
        // SAFETY: by this function's contract.
        unsafe { address.read_unaligned() }.widen()
    }

    unsafe fn store<S: Storage<Compute = T>>(self, address: *mut S) {
        // SAFETY: by this function's contract.
        unsafe { address.write_unaligned(S::narrow(self)) }
    }
}

impl<T: Precision> Number<T> for Complex<T> {
    const PARTS: usize = 2;

    unsafe fn load<S: Storage<Compute = T>>(address: *const S) -> Complex<T> {
        // SAFETY: by this function's contract; two numbers have no gap.
        let [re, im] = unsafe { address.cast::<[S; 2]>().read_unaligned() };
        Complex::new(re.widen(), im.widen())
    }

    unsafe fn store<S: Storage<Compute = T>>(self, address: *mut S) {
        // SAFETY: by this function's contract.
        unsafe {
            address.cast::<[S; 2]>().write_unaligned([S::narrow(self.re), S::narrow(self.im)]);
        }
    }
}

/// Copies `count` lines with `stride` between their elements and `outer` between them to lines in one piece.
///
/// # Safety
/// The lines lie in memory that holds numbers.
unsafe fn gather<T, N: Number<T>, S: Storage<Compute = T>>(
    from: *const S,
    stride: usize,
    outer: usize,
    to: &mut [N],
    length: usize,
    count: usize,
    pitch: usize,
) {
    // SAFETY: by this function's contract.
    let load = |i: usize, line: usize| unsafe {
        N::load(from.add((i * stride + line * outer) * N::PARTS))
    };
    if S::NATIVE && stride == 1 {
        for (line, to) in to.chunks_mut(pitch).take(count).enumerate() {
            let to = to[..length].as_mut_ptr().cast::<u8>();
            let bytes = length * N::PARTS * size_of::<S>();
            // SAFETY: by this function's contract; numbers in memory are those that are computed with.
            unsafe {
                let from = from.add(line * outer * N::PARTS).cast::<u8>();
                std::ptr::copy_nonoverlapping(from, to, bytes);
            }
        }
    } else if stride <= outer {
        for (line, to) in to.chunks_mut(pitch).take(count).enumerate() {
            for (i, element) in to[..length].iter_mut().enumerate() {
                *element = load(i, line);
            }
        }
    } else {
        for i in 0..length {
            for line in 0..count {
                to[line * pitch + i] = load(i, line);
            }
        }
    }
}

/// The way back.
///
/// # Safety
/// The lines lie in memory that has room for numbers.
unsafe fn scatter<T, N: Number<T>, S: Storage<Compute = T>>(
    from: &[N],
    to: *mut S,
    stride: usize,
    outer: usize,
    length: usize,
    count: usize,
    pitch: usize,
) {
    // SAFETY: by this function's contract.
    let store = |i: usize, line: usize, number: N| unsafe {
        number.store(to.add((i * stride + line * outer) * N::PARTS));
    };
    if S::NATIVE && stride == 1 {
        for line in 0..count {
            let from = from[line * pitch..][..length].as_ptr().cast::<u8>();
            let bytes = length * N::PARTS * size_of::<S>();
            // SAFETY: by this function's contract; numbers in memory are those that are computed with.
            unsafe {
                let to = to.add(line * outer * N::PARTS).cast::<u8>();
                std::ptr::copy_nonoverlapping(from, to, bytes);
            }
        }
    } else if stride <= outer {
        for line in 0..count {
            for (i, number) in from[line * pitch..][..length].iter().enumerate() {
                store(i, line, *number);
            }
        }
    } else {
        for i in 0..length {
            for line in 0..count {
                store(i, line, from[line * pitch + i]);
            }
        }
    }
}
