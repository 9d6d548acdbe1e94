//! The approximate functions on every level of x86-64 against the answers of an H100.
//!
//! For each form all operands of a sign and an exponent, another one for each form, and some of every sign and
//! exponent. `ZLUDA_WHOLE_RANGE=1` takes all 2^32 operands of all forms (an hour on two cores), and
//! `ZLUDA_WHOLE_RANGE=<form>` those of one.

mod support;

use splitmix::{STEP, mix};
use spmd::{Approximations, Blocks, Options};
use support::{Kernel, address, compile_with, options_for};

/// Line by line: `samples <form> <seed> <hash>`, `all <form> <hash>...`.
const ANSWERS: &str = include_str!("approximations/h100.txt");

/// Operands that share their upper nine bits.
const CHUNK: u32 = 1 << 23;
/// Operands of a sign and an exponent that `samples` has.
const SAMPLES: u32 = 512;

/// The levels that this machine can run.
fn levels() -> Vec<&'static str> {
    let mut levels = vec!["x86-64-v2"];
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        levels.push("x86-64-v3");
    }
    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
        levels.push("x86-64-v4");
    }
    levels
}

fn compile(form: &str, level: &str, approximations: Approximations) -> Kernel {
    compile_and(form, level, approximations, "", "%out = bitcast float %y to i32")
}

/// The kernel, with functions besides, and what makes the result `%out` of the float `%y`.
fn compile_and(
    form: &str,
    level: &str,
    approximations: Approximations,
    besides: &str,
    result: &str,
) -> Kernel {
    let call = match form.ends_with("f64") {
        false => format!(
            "%x = bitcast i32 %in to float
             %y = call float @zluda.{form}(float %x)
             {result}"
        ),
        // The lower word of the operand does not count, and that of the result is 0.
        true => format!(
            "%upper = zext i32 %in to i64
             %shifted = shl i64 %upper, 32
             %bits = or i64 %shifted, %upper
             %x = bitcast i64 %bits to double
             %y = call double @zluda.{form}(double %x)
             %result = bitcast double %y to i64
             %high = lshr i64 %result, 32
             %both = or i64 %high, %result
             %out = trunc i64 %both to i32"
        ),
    };
    let ty = if form.ends_with("f64") { "double" } else { "float" };
    let declaration = match form {
        "ex2.approx.ftz.f32" => String::new(),
        _ => format!("declare {ty} @zluda.{form}({ty})"),
    };
    let text = format!(
        "{declaration}
        {besides}
        define void @apply() #0 {{
          %p = call ptr addrspace(4) @zluda.params()
          %operands = load ptr addrspace(1), ptr addrspace(4) %p
          %rp = getelementptr i8, ptr addrspace(4) %p, i64 8
          %results = load ptr addrspace(1), ptr addrspace(4) %rp
          %tid = call i32 @zluda.tid.x()
          %ntid = call i32 @zluda.ntid.x()
          %cta = call i32 @zluda.ctaid.x()
          %start = mul i32 %cta, %ntid
          %i = add i32 %start, %tid
          %wide = zext i32 %i to i64
          %ip = getelementptr i32, ptr addrspace(1) %operands, i64 %wide
          %in = load i32, ptr addrspace(1) %ip
          {call}
          %op = getelementptr i32, ptr addrspace(1) %results, i64 %wide
          store i32 %out, ptr addrspace(1) %op
          ret void
        }}"
    );
    let options = options_for(Some(level), Blocks::WholeWarps);
    compile_with("apply", &text, &Options { approximations, ..options })
}

/// The sum over all operands of a mixture of operand and result, folded to 32 bits.
fn hash(kernel: &Kernel, operands: impl Iterator<Item = u32>) -> u32 {
    const BLOCK: u32 = 256;
    let mut operands: Vec<u32> = operands.collect();
    let mut results = vec![0u32; operands.len()];
    let params = [address(&mut operands), address(&mut results)];
    kernel.launch([operands.len() as u32 / BLOCK, 1, 1], [BLOCK, 1, 1], &params);
    let sum = operands.iter().zip(&results).fold(0u64, |sum, (&operand, &result)| {
        let mut word = u64::from(operand) << 32 | u64::from(result);
        word = word.wrapping_mul(STEP);
        word ^= word >> 32;
        word = word.wrapping_mul(0xd6e8_feb8_6659_fd93);
        word ^= word >> 32;
        sum.wrapping_add(word)
    });
    (sum ^ sum >> 32) as u32
}

/// The first and last ones of each sign and exponent, and some from between.
fn sample(seed: u64, index: u32) -> u32 {
    let (chunk, place) = (index / SAMPLES, index % SAMPLES);
    let fraction = match place {
        0..32 => place,
        32..64 => CHUNK - 1 - (place - 32),
        _ => {
            let place = (seed << 32 | u64::from(index)).wrapping_mul(STEP);
            (mix(place.wrapping_add(STEP)) >> 41) as u32
        }
    };
    chunk << 23 | fraction
}

fn word(words: &[&str], index: usize) -> u32 {
    u32::from_str_radix(words[index], 16).expect("a hash is hexadecimal")
}

/// The hash that belongs to a line `samples`.
fn samples(kernel: &Kernel, line: &[&str]) -> u32 {
    let seed = line[2].parse().expect("a seed is a number");
    hash(kernel, (0..512 * SAMPLES).map(|index| sample(seed, index)))
}

#[test]
fn mixed_is_exact_but_for_reciprocals_and_roots() {
    let lines = ANSWERS.lines().filter(|line| line.starts_with("samples "));
    for words in lines.map(|line| line.split(' ').collect::<Vec<_>>()) {
        let form = words[1];
        let kernel = compile(form, "x86-64-v2", Approximations::Mixed);
        let is_exact = samples(&kernel, &words) == word(&words, 3);
        let function = form.split('.').next().unwrap();
        assert_eq!(is_exact, !["rcp", "rsqrt", "sqrt"].contains(&function), "{form}");
    }
}

#[test]
fn the_state_that_flushes_changes_nothing() {
    // An operation that flushes what is flushed, so that the state is set.
    const PRODUCT: &str = "define internal float @flushing.mul(float %a, float %b) alwaysinline {
          %product = fmul float %a, %b
          ret float %product
        }";
    const TIMES_ONE: &str = "%z = call float @flushing.mul(float %y, float 1.0)
             %out = bitcast float %z to i32";
    let lines = ANSWERS.lines().filter(|line| line.starts_with("samples "));
    let mut forms = 0;
    for words in lines.map(|line| line.split(' ').collect::<Vec<_>>()) {
        let form = words[1];
        for level in levels().into_iter().filter(|_| form.ends_with(".approx.ftz.f32")) {
            let kernel = compile_and(form, level, Approximations::Exact, PRODUCT, TIMES_ONE);
            let flushes = kernel.descriptor.flags & cpu_abi::FLAG_FLUSHES != 0;
            assert_eq!(flushes, level != "x86-64-v2", "{form} for {level}");
            assert_eq!(samples(&kernel, &words), word(&words, 3), "samples of {form} for {level}");
            forms += 1;
        }
    }
    assert_ne!(forms, 0, "there is no such form");
}

#[test]
fn every_operand_gives_the_bits_of_an_h100() {
    let wanted = std::env::var("ZLUDA_WHOLE_RANGE").unwrap_or_default();
    let mut forms = 0;
    for (number, line) in ANSWERS.lines().filter(|line| !line.starts_with('#')).enumerate() {
        let words: Vec<&str> = line.split(' ').collect();
        let (kind, form) = (words[0], words[1]);
        if !wanted.is_empty() && wanted != "1" && wanted != form {
            continue;
        }
        let word = |index: usize| word(&words, index);
        for level in levels() {
            let kernel = compile(form, level, Approximations::Exact);
            if kind == "samples" {
                assert_eq!(samples(&kernel, &words), word(3), "samples of {form} for {level}");
                continue;
            }
            forms += 1;
            // One of those around 1, where results differ most.
            let some = 120 + number as u32 % 12;
            let chunks = if wanted.is_empty() { some..some + 1 } else { 0..512 };
            for chunk in chunks {
                let operands = chunk * CHUNK..=chunk * CHUNK + (CHUNK - 1);
                let found = hash(&kernel, operands);
                assert_eq!(
                    found,
                    word(2 + chunk as usize),
                    "{form} from {chunk:#x}00000 * 8 on, {level}"
                );
            }
        }
    }
    assert_ne!(forms, 0, "there is no such form");
}
