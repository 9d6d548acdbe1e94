//! Times of transforms here, on one thread, and of the same lines by rustfft and realfft called directly.
//!
//!     cargo run --release -p fourier --example against_rustfft

// An example prints.
#![allow(clippy::print_stdout)]

use fourier::lines::Precision;
use fourier::{Descriptor, Direction, Element, Kind, Layout, Transform};
use num_complex::Complex;
use realfft::RealFftPlanner;
use rustfft::FftPlanner;
use std::time::{Duration, Instant};

/// The best of many runs, which others on the machine disturb least.
fn best(mut run: impl FnMut()) -> Duration {
    let begun = Instant::now();
    let mut best = Duration::MAX;
    while begun.elapsed() < Duration::from_millis(400) {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
    }
    best
}

fn compare<T: Precision>(
    kind: Kind,
    element: Element,
    length: usize,
    batch: usize,
    in_place: bool,
) {
    let layout = Layout::Packed;
    let descriptor = Descriptor { lengths: vec![length], kind, element, batch, layout };
    let transform = Transform::new(descriptor, 1).expect("there is such a transform");
    let zero = Complex::new(T::zero(), T::zero());
    let mut from = vec![zero; length * batch];
    let mut to = vec![zero; (length + 2) * batch];
    let address = from.as_mut_ptr().expose_provenance();
    let target = if in_place { address } else { to.as_mut_ptr().expose_provenance() };
    let ours = best(|| {
        let work = transform.work(Direction::Forward, address, target);
        for part in 0..work.parts(0) {
            // SAFETY: the memories hold all elements; parts are done one after the other.
            unsafe { work.run(0, part) };
        }
    });
    let theirs = match kind {
        Kind::Complex => {
            let line = FftPlanner::<T>::new().plan_fft_forward(length);
            let size = line.get_inplace_scratch_len().max(line.get_immutable_scratch_len());
            let mut scratch = vec![zero; size];
            best(|| match in_place {
                true => line.process_with_scratch(&mut from, &mut scratch),
                false => {
                    let to = &mut to[..length * batch];
                    line.process_immutable_with_scratch(&from, to, &mut scratch);
                }
            })
        }
        _ => {
            let line = RealFftPlanner::<T>::new().plan_fft_forward(length);
            let mut scratch = line.make_scratch_vec();
            let mut from = vec![T::zero(); length * batch];
            best(|| {
                let lines = from.chunks_exact_mut(length).zip(to.chunks_exact_mut(length / 2 + 1));
                for (from, to) in lines {
                    line.process_with_scratch(from, to, &mut scratch).expect("lengths are right");
                }
            })
        }
    };
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let way = if in_place { "in place" } else { "" };
    println!("{element:?} {kind:?} {length} x {batch} {way}: {ours:?} of {theirs:?}, {ratio:.2}");
}

fn main() {
    for (length, batch) in
        [(8, 20_000), (64, 4000), (1024, 1), (1024, 1000), (1000, 1000), (1009, 100), (1 << 20, 1)]
    {
        for in_place in [false, true] {
            compare::<f32>(Kind::Complex, Element::F32, length, batch, in_place);
            compare::<f64>(Kind::Complex, Element::F64, length, batch, in_place);
        }
        compare::<f32>(Kind::RealToComplex, Element::F32, length, batch, false);
    }
}
