//! Rows that a part of the lanes loads are loaded where the kernel says so, before the lanes store something else there.

mod support;

use spmd::{Blocks, KernelKind};
use support::{address, compile_with, options_for, parse};

const TEXT: &str = include_str!("kernels/exchange.ll");

/// The results of the kernel for 64 threads.
#[repr(C)]
struct Out {
    words: [u32; 64],
    halves: [u16; 64],
}

#[test]
fn what_is_loaded_before_a_store_stays() {
    for level in [None, Some("x86-64-v2")] {
        for blocks in [Blocks::Any, Blocks::RowWarps, Blocks::WholeWarps] {
            let kernel = compile_with("exchange", TEXT, &options_for(level, blocks));
            for count in [1_u32, 31, 45, 64] {
                let mut words: [u32; 64] = std::array::from_fn(|index| 1000 + index as u32);
                let mut halves: [u16; 64] = std::array::from_fn(|index| 2000 + index as u16);
                let mut out = [Out { words: [0; 64], halves: [0; 64] }];
                let params =
                    [address(&mut words), address(&mut halves), address(&mut out), count.into()];
                kernel.launch([1, 1, 1], [64, 1, 1], &params);
                for index in 0..64 {
                    let takes = index < count as usize;
                    let (number, what) = (index as u16, format!("{level:?}, {blocks:?}, {index}"));
                    let old = if takes { 1000 + number } else { u16::MAX };
                    assert_eq!(out[0].words[index] as u16, old, "word: {what}");
                    let old = if takes { 2000 + number } else { u16::MAX };
                    assert_eq!(out[0].halves[index], old, "half: {what}");
                    let left = if takes { [number; 2] } else { [1000 + number, 2000 + number] };
                    assert_eq!([words[index] as u16, halves[index]], left, "{what}");
                }
            }
        }
    }
}

/// LLVM 22 makes one load of a masked load and the choice between its value and another one, behind what is stored
/// between them: processors that mask rows of words and those that mask rows of halves, too.
#[test]
fn no_masked_load_moves_behind_a_store() {
    for level in ["x86-64-v3", "x86-64-v4"] {
        let context = llvm_zluda::Context::new();
        let module = parse(&context, "exchange", TEXT);
        let options = options_for(Some(level), Blocks::RowWarps);
        let lowered = spmd::lower(module, KernelKind::Vector, &options);
        let text = lowered.expect("a kernel").print();
        // Where rows of halves have no masks, some block of theirs may stand between the two.
        let (kinds, end): (&[&str], _) =
            if level == "x86-64-v4" { (&["i32", "i16"], "\n\n") } else { (&["i32"], "\n}") };
        for kind in kinds {
            let (load, store) =
                ["load", "store"].map(|name| format!("@llvm.masked.{name}.v32{kind}.p0(")).into();
            let loads: Vec<_> = addresses(&text, &load).collect();
            assert!(!loads.is_empty(), "{level}, {kind}: {text}");
            for (address, rest) in loads {
                let block = rest.split(end).next().unwrap_or_default();
                let follows = addresses(block, &store).any(|(stored, _)| stored == address);
                assert!(follows, "{level}, {kind}, {address}: {text}");
            }
        }
    }
}

/// The addresses that an operation is called with, and the text after each.
fn addresses<'t>(text: &'t str, operation: &str) -> impl Iterator<Item = (&'t str, &'t str)> {
    text.match_indices(operation).filter_map(|(place, _)| {
        let rest = &text[place..];
        let (line, rest) = rest.split_once('\n')?;
        let address = line.split_once("ptr align ")?.1.split([' ', ',']).nth(1)?;
        Some((address, rest))
    })
}
