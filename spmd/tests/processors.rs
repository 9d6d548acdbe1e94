//! One kernel for processors of several ages: what they lack is emulated, and long arithmetic goes in strips.

mod support;

use rustc_apfloat::ieee::{Double, Half};
use rustc_apfloat::{Float, FloatConvert};
use spmd::{Blocks, KernelKind};
use support::{address, compile_with, options_for, parse};

const TEXT: &str = include_str!("kernels/operations.ll");
const NUMBERS: &str = include_str!("kernels/numbers.ll");

/// The results of the kernel for each element.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Results {
    double: u64,
    single: u32,
    extended: u32,
    truncated: u16,
    narrow: u16,
    less: u32,
    mixed: u32,
    padding: u32,
}

/// The levels that this machine can run.
fn levels() -> Vec<Option<&'static str>> {
    let mut levels = vec![None, Some("x86-64-v2")];
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        levels.push(Some("x86-64-v3"));
    }
    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
        levels.push(Some("x86-64-v4"));
    }
    levels
}

fn half_value(bits: u16) -> f64 {
    wide(Half::from_bits(bits.into()))
}

fn wide(half: Half) -> f64 {
    f64::from_bits(FloatConvert::<Double>::convert(half, &mut false).value.to_bits() as u64)
}

/// The nearest half, ties to even.
fn nearest_half(value: f64) -> f64 {
    wide(Double::from_bits(value.to_bits().into()).convert(&mut false).value)
}

fn same(got: f64, wanted: f64) -> bool {
    got.to_bits() == wanted.to_bits() || (got.is_nan() && wanted.is_nan())
}

fn mixed(x: f32, i: u32) -> u32 {
    let mut s = x.to_bits();
    for round in 0..12 {
        let m = s.wrapping_mul(1_664_525 + 2 * round);
        let t = m.wrapping_add(i);
        let v = t >> (round + 3);
        let w = v ^ t;
        s = if (w as i32) < m as i32 { w } else { v };
    }
    s
}

/// Numbers of all magnitudes, with specials and near cancellations among them.
fn inputs(count: usize) -> (Vec<[f32; 3]>, Vec<[f64; 3]>) {
    let mut random = splitmix::Random::new(1);
    let mut next = || random.bits();
    (0..count)
        .map(|index| {
            let single = |word: u64| f32::from_bits((word >> 32) as u32);
            let [mut x, mut y, mut z] = [(); 3].map(|()| single(next()));
            let [d, e, mut f] = [(); 3].map(|()| f64::from_bits(next()));
            match index % 5 {
                0 => (x, y) = (x.abs().clamp(1e-6, 7e4), y.abs().clamp(1e-3, 1e3)),
                1 => z = -(x * y),
                2 => f = -(d * e),
                3 => x = (f64::from(x).abs().clamp(2f64.powi(-26), 2f64.powi(-13))) as f32,
                _ => {}
            }
            if index % 5 == 0 {
                z = -(x * y) * (1.0 + f32::EPSILON);
            }
            ([x, y, z], [d, e, f])
        })
        .unzip()
}

#[test]
fn all_processors_give_the_same_results() {
    const COUNT: usize = 65_536 - 7;
    let (singles, doubles) = inputs(COUNT);
    let mut columns: Vec<Vec<f32>> =
        (0..3).map(|k| singles.iter().map(|row| row[k]).collect()).collect();
    let mut wide: Vec<Vec<f64>> =
        (0..3).map(|k| doubles.iter().map(|row| row[k]).collect()).collect();
    let mut halves: Vec<u16> = (0..COUNT as u32).map(|index| index as u16).collect();
    for level in levels() {
        for blocks in [Blocks::Any, Blocks::RowWarps, Blocks::WholeWarps] {
            let kernel = compile_with("operations", TEXT, &options_for(level, blocks));
            let mut out = vec![Results::default(); COUNT];
            let [x, y, z] = [0, 1, 2].map(|k| address(&mut columns[k]));
            let [d, e, f] = [0, 1, 2].map(|k| address(&mut wide[k]));
            let params = [x, y, z, d, e, f, address(&mut halves), address(&mut out), COUNT as u64];
            kernel.launch([COUNT.div_ceil(256) as u32, 1, 1], [256, 1, 1], &params);
            for (index, got) in out.iter().enumerate() {
                let ([x, y, z], [d, e, f]) = (singles[index], doubles[index]);
                let what = || format!("{level:?}, {blocks:?}, element {index}");
                let single = f32::from_bits(got.single);
                let wanted = x.mul_add(y, z);
                assert!(same(single.into(), wanted.into()), "{}: {single} {wanted}", what());
                let double = f64::from_bits(got.double);
                assert!(same(double, d.mul_add(e, f)), "{}: {double}", what());
                let half = half_value(halves[index]);
                assert!(same(f32::from_bits(got.extended).into(), half), "{}: {half}", what());
                let truncated = half_value(got.truncated);
                assert!(same(truncated, nearest_half(x.into())), "{}: {truncated}", what());
                let narrow = half_value(got.narrow);
                assert!(same(narrow, nearest_half(d)), "{}: {narrow} of {d}", what());
                assert_eq!(got.less, u32::from(truncated < half), "{}", what());
                assert_eq!(got.mixed, mixed(x, index as u32), "{}", what());
            }
        }
    }
}

/// LLVM 22 lets the NaN through where it knows that the other one is a number, on processors with AVX-512.
#[test]
fn a_number_comes_before_a_nan() {
    for level in levels() {
        let kernel = compile_with("numbers", NUMBERS, &options_for(level, Blocks::RowWarps));
        for (x, y) in [0, 3, -3].into_iter().flat_map(|x| [f32::NAN, -0.0, 1.5].map(|y| (x, y))) {
            let mut out = [0f32; 2];
            let words = u64::from(x as u32) | u64::from(y.to_bits()) << 32;
            kernel.launch([1, 1, 1], [32, 1, 1], &[address(&mut out), words]);
            let x = x as f32;
            let wanted = match x.total_cmp(&y) {
                _ if y.is_nan() => [x, x],
                std::cmp::Ordering::Less => [x, y],
                _ => [y, x],
            };
            assert_eq!(out.map(f32::to_bits), wanted.map(f32::to_bits), "{level:?}, {x}, {y}");
        }
    }
}

#[test]
fn a_choice_for_avx_512_leaves_no_nan_to_llvm() {
    let context = llvm_zluda::Context::new();
    for kind in [KernelKind::Vector, KernelKind::Reference] {
        let module = parse(&context, "numbers", NUMBERS);
        let options = options_for(Some("x86-64-v4"), Blocks::RowWarps);
        let lowered = spmd::lower(module, kind, &options).expect("a kernel");
        let text = lowered.print();
        assert!(text.contains("call float @llvm.minimum.f32"), "{text}");
        assert!(!text.contains("call float @llvm.minimumnum.f32"), "{text}");
    }
}

#[test]
fn long_arithmetic_goes_in_strips() {
    let context = llvm_zluda::Context::new();
    let module = parse(&context, "operations", TEXT);
    let options = options_for(Some("x86-64-v3"), Blocks::RowWarps);
    let lowered =
        spmd::lower(module, KernelKind::Vector, &options).expect("the kernel is supported");
    let text = lowered.print();
    // The two copies, for whole warps and for others, share what is the same.
    assert_eq!(text.matches("define internal void @spmd.strip.").count(), 1, "{text}");
    assert_eq!(text.matches("call void @spmd.strip.").count(), 2, "{text}");
}
