//! Copies, reductions and tensor copies of the device library against those of the engine.

use std::ffi::c_void;

use cpu_abi::tensor_map::{Element, Interleave, RANK, Shape, TensorMap, WORDS};
use cpu_abi::{BlockContext, LaneOperation, TensorMode};

use super::{Library, Random};
use crate::engine::asynchronous::lane_operation;

const BYTES: usize = 1 << 16;

/// Memory that tensors and boxes lie in, an mbarrier, a map and places.
#[repr(C, align(1024))]
#[derive(Clone)]
struct Memory {
    global: [u8; BYTES],
    shared: [u8; BYTES],
    map: [u64; WORDS],
    barrier: u64,
    places: [i32; 8],
}

impl Memory {
    fn random(random: &mut Random) -> Box<Memory> {
        // SAFETY: zeros are numbers.
        let mut memory: Box<Memory> = unsafe { Box::new_zeroed().assume_init() };
        for byte in memory.global.iter_mut().chain(&mut memory.shared) {
            *byte = random.word() as u8;
        }
        memory.barrier = 3 | 3 << 20;
        memory
    }
}

/// The block is a cluster of its own.
const HOST: &str = r#"
unsigned blocks(void) __asm__("zluda.amd.cluster.blocks");
unsigned blocks(void) { return 1; }
unsigned long place(unsigned long place, unsigned rank) __asm__("zluda.amd.cluster.place");
unsigned long place(unsigned long place, unsigned rank) { return place; }
"#;

fn library() -> Library {
    Library::build(&["copy.c", "reduction.c", "tensor.c", "mbarrier.c"], HOST)
}

/// The function of an operation, called with as many words as it takes.
fn call(symbol: *mut c_void, words: &[u64]) {
    // SAFETY: operations are functions of so many words.
    unsafe {
        use std::mem::transmute;
        match *words {
            [a, b, c] => {
                transmute::<*mut c_void, extern "C" fn(u64, u64, u64) -> u64>(symbol)(a, b, c);
            }
            [a, b, c, d] => {
                type Four = extern "C" fn(u64, u64, u64, u64) -> u64;
                transmute::<*mut c_void, Four>(symbol)(a, b, c, d);
            }
            [a, b, c, d, e] => {
                type Five = extern "C" fn(u64, u64, u64, u64, u64) -> u64;
                transmute::<*mut c_void, Five>(symbol)(a, b, c, d, e);
            }
            [a, b, c, d, e, f] => {
                type Six = extern "C" fn(u64, u64, u64, u64, u64, u64) -> u64;
                transmute::<*mut c_void, Six>(symbol)(a, b, c, d, e, f);
            }
            _ => panic!("{} words", words.len()),
        }
    }
}

/// Does an operation with both, at the same addresses; the words come from the memory's own addresses.
fn compare(
    library: &Library,
    word: &str,
    memory: &mut Memory,
    words: impl Fn(&Memory) -> Vec<u64>,
    what: &dyn std::fmt::Debug,
) {
    let before = memory.clone();
    let words = words(memory);
    call(library.symbol(&format!("zluda.lane.{word}")), &words);
    let got = memory.clone();
    *memory = before;
    let operation = LaneOperation::from_word(word).unwrap();
    // SAFETY: zeros are a context.
    let context: BlockContext = unsafe { std::mem::MaybeUninit::zeroed().assume_init() };
    // SAFETY: the addresses are those of the memory, or of what is not reached.
    unsafe { lane_operation(&context, operation as u32, words.as_ptr()) };
    assert!(got.global == memory.global, "{word} {what:?}: global memory differs");
    assert!(got.shared == memory.shared, "{word} {what:?}: shared memory differs");
    assert_eq!(got.barrier, memory.barrier, "{word} {what:?}");
    assert_eq!(got.map, memory.map, "{word} {what:?}");
}

#[test]
fn reductions_have_the_bits_of_the_engine() {
    let (library, mut random) = (library(), Random::new(4));
    for operation in 0..28_u64 {
        for round in 0..8 {
            let mut memory = Memory::random(&mut random);
            // Special numbers, and those near each other.
            for place in 0..BYTES / 4 {
                let special = [0, 0x7fc0_1234, 0x7c01_7f81, 0x7f80_0000, 0xff80_0000, 0x8000_8000];
                if random.below(6) == 0 {
                    let word = special[random.below(6) as usize];
                    let at =
                        if random.below(2) == 0 { &mut memory.global } else { &mut memory.shared };
                    at[4 * place..4 * place + 4].copy_from_slice(&u32::to_le_bytes(word));
                }
            }
            let words = |memory: &Memory| {
                let (to, from) = (memory.global.as_ptr() as u64, memory.shared.as_ptr() as u64);
                vec![to + 16, from + 32, 16 * (round + 1) * 20, operation]
            };
            compare(&library, "reduce", &mut memory, words, &operation);
        }
    }
}

#[test]
fn copies_and_fills_have_the_bytes_of_the_engine() {
    let (library, mut random) = (library(), Random::new(5));
    for _ in 0..60 {
        let mut memory = Memory::random(&mut random);
        let align = [1, 4, 16][random.below(3) as usize];
        let mut number = || u64::from(random.below(200)) * align;
        let (to, from, bytes, value) = (number(), number(), number(), number());
        let from_shared = |memory: &Memory| memory.shared.as_ptr() as u64 + from;
        let to_global = |memory: &Memory| memory.global.as_ptr() as u64 + to;
        let copy = |m: &Memory| vec![to_global(m), from_shared(m), bytes];
        compare(&library, "copy", &mut memory, copy, &(to, from, bytes));
        let fill = |m: &Memory| vec![to_global(m), bytes / 2, value];
        compare(&library, "fill", &mut memory, fill, &(to, bytes, value));
        let masked = |m: &Memory| vec![to_global(m), from_shared(m), bytes / 3, value * 0x9e37];
        compare(&library, "copy.masked", &mut memory, masked, &(to, from, bytes, value));
    }
}

fn map(random: &mut Random, address: u64) -> TensorMap {
    let rank = 1 + random.below(5) as usize;
    let all = [Element::U8, Element::U16, Element::U32, Element::S32, Element::U64, Element::S64]
        .into_iter()
        .chain([Element::F16, Element::F32, Element::F32Ftz, Element::F64, Element::Bf16])
        .chain([Element::Tf32, Element::Tf32Ftz]);
    let all: Vec<Element> = all.collect();
    let element = all[random.below(13) as usize];
    let dims = std::array::from_fn(|i| u64::from(1 + random.below(if i == 0 { 40 } else { 6 })));
    let mut strides = [0; RANK - 1];
    let mut stride = (dims[0] * element.size()).next_multiple_of(16);
    for (i, place) in strides.iter_mut().enumerate().take(rank - 1) {
        *place = stride;
        stride *= dims[i + 1];
    }
    let swizzle = random.below(4);
    let widest = if swizzle == 0 { 40 } else { (16 << swizzle) / element.size() as u32 };
    let first = 1 + random.below(widest);
    let steps = std::array::from_fn(|i| if i == 0 { 1 } else { 1 + random.below(2) });
    let shape = if rank >= 3 && random.below(2) == 0 {
        let mut corner = || std::array::from_fn(|_| random.below(5) as i32 - 2);
        Shape::Im2col {
            lower: corner(),
            upper: corner(),
            channels: first,
            pixels: 1 + random.below(20),
        }
    } else {
        Shape::Tile(std::array::from_fn(|i| if i == 0 { first } else { 1 + random.below(4) }))
    };
    TensorMap {
        address,
        rank,
        element,
        interleave: Interleave::None,
        swizzle,
        nan_fill: element.is_float() && random.below(2) == 0,
        l2_promotion: 0,
        dims,
        strides,
        steps,
        shape,
    }
}

#[test]
fn tensor_copies_have_the_bytes_of_the_engine() {
    let (library, mut random) = (library(), Random::new(6));
    for round in 0..600 {
        let mut memory = Memory::random(&mut random);
        let tensor = map(&mut random, memory.global.as_ptr() as u64 + 1024);
        memory.map = tensor.encode();
        memory.places.fill_with(|| random.below(6) as i32 - 2);
        let rows4 = round % 7 == 0 && tensor.rank == 2;
        let mode = if rows4 { TensorMode::Rows4 } else { TensorMode::Tile } as u64;
        let at = |memory: &Memory| {
            let (map, places) = (memory.map.as_ptr() as u64, memory.places.as_ptr() as u64);
            (memory.shared.as_ptr() as u64 + 1024, map, places)
        };
        let what = (&tensor, memory.places);
        if round % 3 == 0 {
            let words = |memory: &Memory| {
                let ((shared, map, places), barrier) =
                    (at(memory), &raw const memory.barrier as u64);
                vec![shared, map, places, mode, barrier, 0]
            };
            compare(&library, "tensor.load", &mut memory, words, &what);
        } else if round % 3 == 1 {
            let words = |memory: &Memory| {
                let (shared, map, places) = at(memory);
                vec![shared, map, places, mode]
            };
            compare(&library, "tensor.store", &mut memory, words, &what);
        } else {
            let operation = u64::from(random.below(8));
            let words = |memory: &Memory| {
                let (shared, map, places) = at(memory);
                vec![shared, map, places, 0, operation]
            };
            compare(&library, "tensor.reduce", &mut memory, words, &(what, operation));
        }
    }
}

#[test]
fn tensor_maps_change_as_those_of_the_engine() {
    let (library, mut random) = (library(), Random::new(7));
    for _ in 0..600 {
        let mut memory = Memory::random(&mut random);
        let tensor = map(&mut random, 1024);
        memory.map = tensor.encode();
        let field = u64::from(random.below(11));
        let ordinal = u64::from(random.below(tensor.rank as u32));
        // Ranks grow, so that nothing is left behind.
        let value = match field {
            1 => tensor.rank as u64,
            5 => 1 + u64::from(random.below(8)),
            4 => 16 * u64::from(random.word()),
            _ => 1 + u64::from(random.below(16)),
        };
        let im2col = matches!(tensor.shape, Shape::Im2col { .. });
        if (im2col && field == 1) || (field == 4 && ordinal + 1 >= tensor.rank as u64) {
            continue;
        }
        let words = |memory: &Memory| vec![memory.map.as_ptr() as u64, field, ordinal, value];
        compare(&library, "tensor.replace", &mut memory, words, &(tensor, field, ordinal, value));
    }
}
