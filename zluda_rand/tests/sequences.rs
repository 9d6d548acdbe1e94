//! Generators on the host make what NVIDIA's do: hashes of its library's values are kept in `nvidia.txt`.

#[macro_use]
mod call;

use call::Handle;
use libloading::Library;
use std::ptr::null_mut;

const KEPT: &str = include_str!("nvidia.txt");

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A new generator with all that a line's first columns say.
fn generator(library: &Library, columns: &[&str]) -> Handle {
    let number = |i: usize| columns[i].parse::<u64>().ok();
    let mut handle = null_mut();
    let create = "curandCreateGeneratorHost";
    let kind = number(0).expect("a type") as u32;
    assert_eq!(call!(library, create, *mut Handle: &mut handle, u32: kind), 0);
    let order = number(1).expect("an ordering") as u32;
    assert_eq!(call!(library, "curandSetGeneratorOrdering", Handle: handle, u32: order), 0);
    if let Some(seed) = number(2) {
        let set = "curandSetPseudoRandomGeneratorSeed";
        assert_eq!(call!(library, set, Handle: handle, u64: seed), 0);
    }
    if let Some(offset) = number(3) {
        assert_eq!(call!(library, "curandSetGeneratorOffset", Handle: handle, u64: offset), 0);
    }
    if let Some(dimensions) = number(4) {
        let set = "curandSetQuasiRandomGeneratorDimensions";
        assert_eq!(call!(library, set, Handle: handle, u32: dimensions as u32), 0);
    }
    handle
}

/// The values of a call, as bytes.
fn values(library: &Library, generator: Handle, function: &str, length: usize) -> Vec<u8> {
    let is_long = function.ends_with("Double") || function.ends_with("LongLong");
    let mut bytes = vec![0u8; length * if is_long { 8 } else { 4 }];
    let (name, to) = (format!("curand{function}"), bytes.as_mut_ptr());
    let name = name.as_str();
    let status = match function {
        "GenerateNormal" | "GenerateLogNormal" => {
            call!(library, name, Handle: generator, *mut u8: to, usize: length, f32: 1.5, f32: 0.25)
        }
        "GenerateNormalDouble" | "GenerateLogNormalDouble" => {
            call!(library, name, Handle: generator, *mut u8: to, usize: length, f64: 1.5, f64: 0.25)
        }
        _ => call!(library, name, Handle: generator, *mut u8: to, usize: length),
    };
    assert_eq!(status, 0, "{function}");
    bytes
}

#[test]
fn values_are_those_of_nvidias_library() {
    let library = call::open();
    let mut current: Option<(Vec<&str>, Handle)> = None;
    let mut different = Vec::new();
    for line in KEPT.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split(' ').collect();
        let (about, rest) = columns.split_at(5);
        if current.as_ref().is_none_or(|(columns, _)| columns != about) {
            current = Some((about.to_vec(), generator(&library, about)));
        }
        let Some((_, handle)) = current else { unreachable!() };
        let length = rest[1].parse().expect("a length");
        let found = hash(&values(&library, handle, rest[0], length));
        if u64::from_str_radix(rest[2], 16) != Ok(found) {
            different.push(line);
        }
    }
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn calls_that_are_cut_into_two_make_the_same_values() {
    let library = call::open();
    for kind in ["101 101", "121 103", "141 101", "161 101"] {
        let columns: Vec<&str> = kind.split(' ').chain(["9", "-", "-"]).collect();
        let whole = values(&library, generator(&library, &columns), "Generate", 70_000);
        let cut = generator(&library, &columns);
        let mut parts = values(&library, cut, "Generate", 4099);
        parts.extend(values(&library, cut, "Generate", 70_000 - 4099));
        assert!(whole == parts, "{kind}");
    }
}
