//! Transforms of all shapes, kinds, elements and layouts against the sums that define them, in f64.

// A test stops by panicking.
#![allow(clippy::unwrap_used)]

use fourier::{Descriptor, Direction, Element, Kind, Layout, Side, Transform};
use half::{bf16, f16};
use num_complex::Complex;
use splitmix::Random;

type C = Complex<f64>;

/// The memory of a side: elements of some type, of which those that are not the side's must stay as they are.
struct Memory {
    element: Element,
    bytes: Vec<u8>,
}

impl Memory {
    fn new(element: Element, numbers: usize, random: &mut Random) -> Memory {
        let mut memory = Memory { element, bytes: vec![0; numbers * element.size()] };
        for i in 0..numbers {
            memory.set(i, random.bits() as i32 as f64 / f64::from(i32::MIN));
        }
        memory
    }

    fn get(&self, i: usize) -> f64 {
        let size = self.element.size();
        let bytes = &self.bytes[i * size..][..size];
        match self.element {
            Element::F16 => f16::from_le_bytes(bytes.try_into().unwrap()).to_f64(),
            Element::BF16 => bf16::from_le_bytes(bytes.try_into().unwrap()).to_f64(),
            Element::F32 => f32::from_le_bytes(bytes.try_into().unwrap()).into(),
            Element::F64 => f64::from_le_bytes(bytes.try_into().unwrap()),
        }
    }

    fn set(&mut self, i: usize, number: f64) {
        let size = self.element.size();
        let to = &mut self.bytes[i * size..][..size];
        match self.element {
            Element::F16 => to.copy_from_slice(&f16::from_f64(number).to_le_bytes()),
            Element::BF16 => to.copy_from_slice(&bf16::from_f64(number).to_le_bytes()),
            Element::F32 => to.copy_from_slice(&(number as f32).to_le_bytes()),
            Element::F64 => to.copy_from_slice(&number.to_le_bytes()),
        }
    }

    fn address(&mut self) -> usize {
        self.bytes.as_mut_ptr().expose_provenance()
    }
}

/// The indices of all elements of a side: in transforms of these lengths, and in memory.
fn elements(lengths: &[usize], side: &Side, item: usize) -> Vec<usize> {
    let mut all = vec![item * side.distance];
    for (length, stride) in lengths.iter().zip(&side.strides) {
        all = all.iter().flat_map(|at| (0..*length).map(move |i| at + i * stride)).collect();
    }
    all
}

/// A sum that loses next to nothing (Kahan).
fn compensated(numbers: impl Iterator<Item = C>) -> C {
    let (mut sum, mut lost) = (C::default(), C::default());
    for number in numbers {
        let number = number - lost;
        let next = sum + number;
        lost = (next - sum) - number;
        sum = next;
    }
    sum
}

/// The sums, along every dimension.
fn sums(lengths: &[usize], numbers: &[C], sign: f64) -> Vec<C> {
    let mut numbers = numbers.to_vec();
    for axis in 0..lengths.len() {
        let (length, stride) = (lengths[axis], lengths[axis + 1..].iter().product::<usize>());
        let roots: Vec<C> = (0..length)
            .map(|k| C::from_polar(1.0, sign * std::f64::consts::TAU * k as f64 / length as f64))
            .collect();
        let before = numbers.clone();
        for (at, number) in numbers.iter_mut().enumerate() {
            let k = at / stride % length;
            let first = at - k * stride;
            let products = (0..length).map(|j| before[first + j * stride] * roots[j * k % length]);
            *number = compensated(products);
        }
    }
    numbers
}

fn epsilon(element: Element) -> f64 {
    match element {
        Element::F16 => 2f64.powi(-11),
        Element::BF16 => 2f64.powi(-8),
        Element::F32 => 2f64.powi(-24),
        Element::F64 => 2f64.powi(-53),
    }
}

/// All work, the parts in another order than they are numbered.
fn run(transform: &Transform, direction: Direction, input: usize, output: usize) {
    let work = transform.work(direction, input, output);
    for stage in 0..work.stages() {
        for part in (0..work.parts(stage)).rev() {
            // SAFETY: the memories are as large as the layout; stages and parts are done once, in order.
            unsafe { work.run(stage, part) };
        }
    }
}

fn check(descriptor: &Descriptor, direction: Direction, in_place: bool, threads: usize) {
    let random = &mut Random::new(descriptor.lengths.iter().sum::<usize>() as u64);
    let transform = Transform::new(descriptor.clone(), threads).expect("there is such a transform");
    let (from, to) = descriptor.sides(in_place);
    let (from_lengths, to_lengths) = descriptor.side_lengths();
    let (from_parts, to_parts) = match descriptor.kind {
        Kind::Complex => (2, 2),
        Kind::RealToComplex => (1, 2),
        Kind::ComplexToReal => (2, 1),
    };
    let from_size = from.extent(&from_lengths, descriptor.batch).unwrap() * from_parts;
    let to_size = to.extent(&to_lengths, descriptor.batch).unwrap() * to_parts;
    let size = if in_place { from_size.max(to_size) } else { from_size };
    let mut input = Memory::new(descriptor.element, size, random);
    let mut output = Memory::new(descriptor.element, to_size, random);
    let sign = match (descriptor.kind, direction) {
        (Kind::RealToComplex, _) | (Kind::Complex, Direction::Forward) => -1.0,
        _ => 1.0,
    };
    let read = |memory: &Memory, at: &usize, parts: usize| match parts {
        1 => C::new(memory.get(*at), 0.0),
        _ => C::new(memory.get(at * 2), memory.get(at * 2 + 1)),
    };

    let last = *descriptor.lengths.last().unwrap();
    let mut wanted = Vec::new();
    for item in 0..descriptor.batch {
        let places = elements(&from_lengths, &from, item);
        let mut numbers: Vec<C> = places.iter().map(|at| read(&input, at, from_parts)).collect();
        if descriptor.kind == Kind::ComplexToReal {
            numbers = whole(&descriptor.lengths, &numbers);
        }
        let mut results = sums(&descriptor.lengths, &numbers, sign);
        if descriptor.kind == Kind::RealToComplex {
            let mut at = 0..;
            results.retain(|_| at.next().unwrap() % last <= last / 2);
        }
        wanted.extend(elements(&to_lengths, &to, item).into_iter().zip(results));
    }

    let before = if in_place { input.bytes.clone() } else { output.bytes.clone() };
    let address = input.address();
    run(&transform, direction, address, if in_place { address } else { output.address() });
    let result = if in_place { &input } else { &output };

    let energy: f64 = wanted.iter().map(|(_, number)| number.norm_sqr()).sum();
    let norm = (energy / wanted.len() as f64).sqrt();
    let most = wanted.iter().map(|(_, number)| number.norm()).fold(0.0, f64::max);
    let count: usize = descriptor.lengths.iter().product();
    // Sums in pairs lose a rounding a level, long primes a few more; what is stored is rounded once.
    let narrow = epsilon(descriptor.element) * most;
    let bound = narrow
        + epsilon(match descriptor.element {
            Element::F64 => Element::F64,
            _ => Element::F32,
        }) * norm
            * (8.0 + 4.0 * (count as f64).log2());
    for (at, wanted) in &wanted {
        let mut got = read(result, at, to_parts);
        if to_parts == 1 {
            got.im = wanted.im;
        }
        let error = (got - wanted).norm();
        assert!(error <= bound, "{descriptor:?} {direction:?}: {got} for {wanted} at {at}");
    }
    let mut is_result = vec![false; before.len() / descriptor.element.size()];
    for (at, _) in &wanted {
        is_result[at * to_parts..][..to_parts].fill(true);
    }
    if in_place {
        return;
    }
    let size = descriptor.element.size();
    for (at, _) in is_result.iter().enumerate().filter(|(_, is_result)| !**is_result) {
        let bytes = at * size..(at + 1) * size;
        assert_eq!(result.bytes[bytes.clone()], before[bytes], "{descriptor:?}: written at {at}");
    }
}

/// The whole of a transform of real numbers, of which the last dimension's half is given.
fn whole(lengths: &[usize], halves: &[C]) -> Vec<C> {
    let (last, count) = (lengths[lengths.len() - 1], lengths.iter().product::<usize>());
    let half = last / 2 + 1;
    // What the transform takes from a half: the inverse along the other dimensions, then real lines.
    let others = &lengths[..lengths.len() - 1];
    let mut columns = vec![C::default(); halves.len()];
    for k in 0..half {
        let column: Vec<C> = halves.iter().skip(k).step_by(half).copied().collect();
        for (row, number) in sums(others, &column, 1.0).into_iter().enumerate() {
            columns[row * half + k] = number;
        }
    }
    let mut all = vec![C::default(); count];
    for row in 0..count / last {
        for k in 0..last {
            let number = columns[row * half + k.min(last - k)];
            let number = if k > last / 2 { number.conj() } else { number };
            let is_real = k == 0 || 2 * k == last;
            all[row * last + k] = if is_real { C::new(number.re, 0.0) } else { number };
        }
    }
    // Back, as the sums go along all dimensions.
    for k in 0..last {
        let column: Vec<C> = all.iter().skip(k).step_by(last).copied().collect();
        for (row, number) in sums(others, &column, -1.0).into_iter().enumerate() {
            all[row * last + k] = number / (count / last) as f64;
        }
    }
    all
}

const KINDS: [Kind; 3] = [Kind::Complex, Kind::RealToComplex, Kind::ComplexToReal];

fn packed(lengths: &[usize], kind: Kind, element: Element, batch: usize) -> Descriptor {
    Descriptor { lengths: lengths.to_vec(), kind, element, batch, layout: Layout::Packed }
}

fn directions(kind: Kind) -> &'static [Direction] {
    match kind {
        Kind::Complex => &[Direction::Forward, Direction::Inverse],
        _ => &[Direction::Forward],
    }
}

#[test]
fn lines_of_all_lengths() {
    let lengths = (1..=34).chain([64, 97, 100, 128, 210, 243, 509, 512, 1000, 1009, 1024]);
    for length in lengths {
        for kind in KINDS {
            for element in [Element::F32, Element::F64] {
                for direction in directions(kind) {
                    for in_place in [false, true] {
                        check(&packed(&[length], kind, element, 3), *direction, in_place, 2);
                    }
                }
            }
        }
    }
}

#[test]
fn several_dimensions() {
    let shapes: &[&[usize]] = &[
        &[1, 1],
        &[2, 3],
        &[7, 1],
        &[1, 9],
        &[16, 16],
        &[12, 35],
        &[3, 4, 5],
        &[8, 1, 6],
        &[17, 8, 9],
        &[1, 1, 1],
    ];
    for lengths in shapes {
        for kind in KINDS {
            for element in [Element::F32, Element::F64] {
                // Cut between transforms, and between lines.
                for (batch, threads) in [(1, 2), (5, 2), (5, 64)] {
                    for direction in directions(kind) {
                        for in_place in [false, true] {
                            check(
                                &packed(lengths, kind, element, batch),
                                *direction,
                                in_place,
                                threads,
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn work_of_many_parts() {
    for kind in KINDS {
        check(&packed(&[64, 24, 40], kind, Element::F32, 1), Direction::Inverse, false, 64);
        check(&packed(&[24, 40], kind, Element::F32, 70), Direction::Forward, true, 4);
        check(&packed(&[60], kind, Element::F64, 900), Direction::Forward, false, 4);
    }
}

#[test]
fn half_precision_is_rounded_once() {
    for kind in KINDS {
        for element in [Element::F16, Element::BF16] {
            for lengths in [&[1][..], &[2], &[64], &[256], &[8, 16], &[4, 8, 8]] {
                for in_place in [false, true] {
                    check(&packed(lengths, kind, element, 3), Direction::Forward, in_place, 2);
                }
            }
        }
    }
}

#[test]
fn strided_layouts() {
    let side = |strides: &[usize], distance| Side { strides: strides.to_vec(), distance };
    // Lengths, transforms, the input and the output.
    let layouts = [
        (vec![12], 4, side(&[1], 12), side(&[1], 20)),
        (vec![12], 4, side(&[4], 1), side(&[1], 12)),
        (vec![12], 4, side(&[1], 13), side(&[4], 1)),
        (vec![15], 20, side(&[21], 1), side(&[20], 1)),
        (vec![15], 3, side(&[2], 31), side(&[3], 50)),
        (vec![4, 6], 3, side(&[8, 1], 40), side(&[7, 1], 28)),
        (vec![4, 6], 3, side(&[24, 3], 1), side(&[18, 3], 1)),
        (vec![4, 6], 3, side(&[1, 4], 24), side(&[1, 5], 30)),
        (vec![3, 4, 5], 2, side(&[48, 8, 1], 144), side(&[60, 12, 2], 181)),
        (vec![1, 1], 2, side(&[5, 5], 7), side(&[1, 1], 3)),
    ];
    for (lengths, batch, input, output) in layouts {
        for kind in KINDS {
            for element in [Element::F32, Element::F64, Element::BF16] {
                let layout = Layout::Strided { input: input.clone(), output: output.clone() };
                let descriptor =
                    Descriptor { lengths: lengths.clone(), kind, element, batch, layout };
                check(&descriptor, Direction::Forward, false, 2);
                check(&descriptor, Direction::Inverse, false, 2);
            }
        }
        // In place, where both sides are the same.
        let layout = Layout::Strided { input: output.clone(), output };
        let descriptor =
            Descriptor { lengths, kind: Kind::Complex, element: Element::F32, batch, layout };
        check(&descriptor, Direction::Forward, true, 2);
    }
}

#[test]
fn a_long_line_is_cut() {
    let descriptor = packed(&[1 << 16], Kind::Complex, Element::F64, 1);
    let parts = |threads| {
        let transform =
            Transform::new(descriptor.clone(), threads).expect("there is such a transform");
        let work = transform.work(Direction::Forward, 16, 16);
        (0..work.stages()).map(|stage| work.parts(stage)).collect::<Vec<_>>()
    };
    assert_eq!(parts(1), [1]);
    assert_eq!(parts(2), [4, 4]);
    let length = 3 << 15;
    for element in [Element::F32, Element::F64] {
        for direction in [Direction::Forward, Direction::Inverse] {
            for in_place in [false, true] {
                check_some(&packed(&[length], Kind::Complex, element, 2), direction, in_place);
            }
        }
    }
}

/// All sums of a long line take too long, so some are looked at.
fn check_some(descriptor: &Descriptor, direction: Direction, in_place: bool) {
    let transform = Transform::new(descriptor.clone(), 8).expect("there is such a transform");
    assert_eq!(transform.work(direction, 16, 16).stages(), 2);
    let length = descriptor.lengths[0];
    let random = &mut Random::new(1);
    let mut input = Memory::new(descriptor.element, 2 * length * descriptor.batch, random);
    let mut output = Memory::new(descriptor.element, 2 * length * descriptor.batch, random);
    let get = |memory: &Memory, i| C::new(memory.get(2 * i), memory.get(2 * i + 1));
    let before: Vec<C> = (0..length * descriptor.batch).map(|i| get(&input, i)).collect();
    let address = input.address();
    run(&transform, direction, address, if in_place { address } else { output.address() });
    let result = if in_place { &input } else { &output };
    let sign = if direction == Direction::Forward { -1.0 } else { 1.0 };
    let root = |k| C::from_polar(1.0, sign * std::f64::consts::TAU * k as f64 / length as f64);
    let roots: Vec<C> = (0..length).map(root).collect();
    for (item, numbers) in before.chunks_exact(length).enumerate() {
        let norm = numbers.iter().map(C::norm_sqr).sum::<f64>().sqrt();
        let bound = epsilon(descriptor.element) * norm * (8.0 + 4.0 * (length as f64).log2());
        let some = (0..24).map(|_| random.below(length)).collect::<Vec<_>>();
        for k in some.into_iter().chain([0, 1, length / 2, length - 1]) {
            let wanted = compensated((0..length).map(|j| numbers[j] * roots[j * k % length]));
            let error = (get(result, item * length + k) - wanted).norm();
            assert!(error <= bound, "{descriptor:?} {direction:?} at {k}: {error} of {bound}");
        }
    }
}
