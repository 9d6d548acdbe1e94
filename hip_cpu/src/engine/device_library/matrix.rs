//! Matrix operations of the device library against those of the engine.

use cpu_abi::{BlockContext, BlockScale, MatrixKind, MatrixOperation, MatrixRounding, MatrixType};

use super::{Library, Random};
use crate::engine::matrix::{Row, perform, rows_of};

const HOST: &str = "
unsigned host_lane, host_shared_size, host_warp;
const unsigned char *host_shared;
";

/// Of this many shared bytes, an address has all the bits that descriptors have.
const SHARED: usize = 1 << 18;

struct Device {
    library: Library,
    lane: *mut u32,
    warp: *mut u32,
    shared: Vec<u8>,
    context: BlockContext,
}

impl Device {
    fn new(random: &mut Random, defines: &[&str]) -> Device {
        let library = Library::build(&["matrix.c"], HOST, defines);
        let mut shared = vec![0_u8; 2 * SHARED];
        let start = shared.as_ptr().align_offset(SHARED);
        for byte in &mut shared[start..start + SHARED] {
            *byte = random.word() as u8;
        }
        let base = shared[start..].as_mut_ptr();
        // SAFETY: null pointers and zeros are a context; the symbols are what `HOST` and the library declare.
        unsafe {
            let mut context: BlockContext = std::mem::MaybeUninit::zeroed().assume_init();
            context.shared = base;
            context.total_shared_size = SHARED as u32;
            *library.symbol("host_shared").cast() = base;
            *library.symbol("host_shared_size").cast() = SHARED as u32;
            Device {
                lane: library.symbol("host_lane").cast(),
                warp: library.symbol("host_warp").cast(),
                library,
                shared,
                context,
            }
        }
    }

    /// Asks both.
    fn compare(&mut self, operation: &MatrixOperation, rows: &[Row], warp: u32) {
        assert!(!self.shared.is_empty());
        let words = operation.words();
        let mut expected = rows.to_vec();
        // SAFETY: nothing here names memory but descriptors, within the context's shared memory.
        unsafe { perform(&self.context, warp, u32::MAX, operation, &mut expected) };
        let name = match operation.kind {
            MatrixKind::Multiply if operation.is_quad_pairs() => "quad_pairs",
            MatrixKind::Multiply if operation.a == MatrixType::F64 => "doubles",
            MatrixKind::Multiply => "multiply",
            MatrixKind::WarpGroup => "warp_group",
            _ => "transpose",
        };
        let symbol = self.library.symbol(&format!("zluda.amd.matrix.{name}"));
        // SAFETY: the library's functions have this type.
        let run: extern "C" fn(u64, *const u32, *mut u32) = unsafe { std::mem::transmute(symbol) };
        for lane in 0..32 {
            let mut out = vec![0_u32; words.d as usize];
            // SAFETY: the library's own variables; rows and results are as long as the operation's words.
            unsafe {
                *self.lane = lane;
                *self.warp = warp;
            }
            run(operation.pack(), rows.as_ptr().cast(), out.as_mut_ptr());
            for (index, word) in out.iter().enumerate() {
                let wanted = expected[index][lane as usize];
                assert_eq!(
                    *word, wanted,
                    "{word:#x} instead of {wanted:#x} in word {index} of lane {lane}: {operation:?}"
                );
            }
        }
    }
}

/// Words of elements whose exponents lie near each other, or anywhere, with some special ones.
fn fill(random: &mut Random, ty: MatrixType, row: &mut Row) {
    let kind = random.below(4);
    for word in row {
        *word = random.word();
        let near = match (kind, ty) {
            (0, _) => continue,
            (_, MatrixType::F16) => 0x3000_3000 | *word & 0x8fff_8fff,
            (_, MatrixType::Bf16) => 0x3e00_3e00 | *word & 0x81ff_81ff,
            (_, MatrixType::Tf32 | MatrixType::F32) => 0x3e00_0000 | *word & 0x81ff_ffff,
            // Upper and lower halves alike: powers of two with hardly a bit behind them, whose sums are ties.
            (2, MatrixType::F64) => {
                const HALVES: [u32; 8] = [
                    0,
                    1,
                    0x8000_0000,
                    0x3ff0_0000,
                    0xbff0_0000,
                    0x4330_0000,
                    0x4340_0000,
                    0xc340_0000,
                ];
                HALVES[random.below(8) as usize]
            }
            (_, MatrixType::F64) => 0x3fe0_0000 | *word & 0x801f_ffff,
            _ => *word,
        };
        if kind < 3 || random.below(8) != 0 {
            *word = near;
        } else {
            *word = [0, 0x8000_8000, 0x7c00_7c00, 0x7f80_7f80, 0x7f80_0000, 0x1]
                [random.below(6) as usize];
        }
    }
}

fn products() -> Vec<MatrixOperation> {
    use MatrixType::*;
    let mut all = Vec::new();
    let mut add = |m, n, k, a, b, c, d| {
        let operation = MatrixOperation::new(MatrixKind::Multiply, m, n, k, a);
        all.push(MatrixOperation { b, c, d, ..operation });
    };
    for (c, d) in [(F16, F16), (F32, F32), (F16, F32), (F32, F16)] {
        for k in [8, 16] {
            add(16, 8, k, F16, F16, c, d);
        }
        for (a, b) in [(E4m3, E4m3), (E4m3, E5m2), (E5m2, E5m2), (E3m2, E2m1), (E2m3, E4m3)] {
            add(16, 8, 32, a, b, c, d);
        }
    }
    for k in [8, 16] {
        add(16, 8, k, Bf16, Bf16, F32, F32);
    }
    for k in [4, 8] {
        add(16, 8, k, Tf32, Tf32, F32, F32);
    }
    for (a, b) in [(S8, S8), (S8, U8), (U8, S8), (U8, U8)] {
        for (m, k) in [(8, 16), (16, 16), (16, 32)] {
            add(m, 8, k, a, b, S32, S32);
        }
    }
    for (a, b) in [(S4, S4), (S4, U4), (U4, S4), (U4, U4)] {
        for (m, k) in [(8, 32), (16, 32), (16, 64)] {
            add(m, 8, k, a, b, S32, S32);
        }
    }
    for (m, k) in [(8, 128), (16, 128), (16, 256)] {
        add(m, 8, k, B1, B1, S32, S32);
    }
    for (m, k) in [(8, 4), (16, 4), (16, 8), (16, 16)] {
        add(m, 8, k, F64, F64, F64, F64);
    }
    let mut more = Vec::new();
    for operation in &all {
        match operation.a {
            S8 | U8 | S4 | U4 => more.push(MatrixOperation { saturate: true, ..*operation }),
            B1 => more.push(MatrixOperation { and: true, ..*operation }),
            F64 => {
                for rounding in [MatrixRounding::Zero, MatrixRounding::Down, MatrixRounding::Up] {
                    more.push(MatrixOperation { rounding, ..*operation });
                }
            }
            _ => {}
        }
        // Sparse shapes have twice the k.
        if operation.m == 16 && !matches!(operation.a, B1 | F64) {
            more.push(MatrixOperation { sparse: true, k: 2 * operation.k, ..*operation });
        }
    }
    for (c, d) in [(F16, F16), (F32, F32), (F16, F32), (F32, F16)] {
        for columns in 0..4 {
            let operation = MatrixOperation::new(MatrixKind::Multiply, 8, 8, 4, F16);
            let (a_columns, b_rows) = (columns & 1 != 0, columns & 2 != 0);
            more.push(MatrixOperation { c, d, a_columns, b_rows, ..operation });
        }
    }
    for sparse in [false, true] {
        let k = if sparse { 2 } else { 1 };
        for (factors, ue4m3) in [(2, false), (4, false), (4, true)] {
            let scale = Some(BlockScale { factors, ue4m3 });
            let operation = MatrixOperation::new(MatrixKind::Multiply, 16, 8, 64 * k, E2m1);
            more.push(MatrixOperation { scale, sparse, packed: true, ..operation });
        }
        for ty in [E4m3, E5m2, E3m2, E2m1] {
            let scale = Some(BlockScale { factors: 1, ue4m3: false });
            let operation = MatrixOperation::new(MatrixKind::Multiply, 16, 8, 32 * k, ty);
            more.push(MatrixOperation { scale, sparse, b: E4m3, ..operation });
        }
    }
    all.extend(more);
    all
}

#[test]
fn products_have_the_bits_of_the_engine() {
    compare_products(products(), &[]);
}

#[test]
fn products_of_f64_need_no_fused_operation_of_the_c_library() {
    let mut doubles = products();
    doubles.retain(|operation| operation.a == MatrixType::F64);
    assert!(!doubles.is_empty());
    compare_products(doubles, &["-DFMA_ROUNDS_TWICE"]);
}

fn compare_products(products: Vec<MatrixOperation>, defines: &[&str]) {
    let mut random = Random::new(1);
    let mut device = Device::new(&mut random, defines);
    for operation in products {
        for _ in 0..6 {
            let mut rows = vec![[0_u32; 32]; rows_of(&operation)];
            let words = operation.words();
            let (a, b) = (words.a as usize, (words.a + words.b) as usize);
            let c = b + words.c as usize;
            // Nearness is that of one fragment, so that terms meet.
            for (range, ty) in [(0..a, operation.a), (a..b, operation.b), (b..c, operation.c)] {
                for row in &mut rows[range] {
                    fill(&mut random, ty, row);
                }
            }
            for (index, row) in rows[c..words.inputs() as usize].iter_mut().enumerate() {
                match (operation.sparse, index) {
                    // Metadata name two different places, the first one below.
                    (true, 0) => {
                        for word in &mut *row {
                            let codes = [4, 8, 9, 12, 13, 14];
                            *word = (0..8)
                                .fold(0, |word, _| word << 4 | codes[random.below(6) as usize]);
                        }
                    }
                    (true, 1) => *row = [random.below(2); 32],
                    _ => row.fill_with(|| random.word()),
                }
            }
            if operation.scale.is_some() {
                for row in [1, 2, 4, 5] {
                    let index = c + row + if operation.sparse { 2 } else { 0 };
                    rows[index] = [random.below(2); 32];
                }
            }
            device.compare(&operation, &rows, 0);
        }
    }
}

#[test]
fn products_of_warp_groups_have_the_bits_of_the_engine() {
    use MatrixType::*;
    let mut random = Random::new(2);
    let mut device = Device::new(&mut random, &[]);
    let factors = [
        (F16, F16, F16),
        (F16, F16, F32),
        (Bf16, Bf16, F32),
        (Tf32, Tf32, F32),
        (E4m3, E5m2, F32),
        (E4m3, E4m3, F16),
        (S8, U8, S32),
        (B1, B1, S32),
    ];
    for (a, b, c) in factors {
        for round in 0..32_u32 {
            let bit = |index: u32| round >> index & 1 != 0;
            let bits = if a == B1 { 1 } else { a.bits() };
            let sixteen = bits == 16;
            let operation = MatrixOperation {
                b,
                c,
                d: c,
                a_in_registers: bit(0),
                sparse: bit(1) && a != B1,
                a_columns: sixteen && bit(2),
                b_rows: sixteen && bit(3),
                negate_a: bit(2) && matches!(a, F16 | Bf16),
                negate_b: bit(4) && matches!(a, F16 | Bf16),
                ..MatrixOperation::new(
                    MatrixKind::WarpGroup,
                    64,
                    8 + 8 * (round as u16 % 3),
                    256,
                    a,
                )
            };
            let k = 256 / bits * if operation.sparse { 2 } else { 1 };
            let operation = MatrixOperation { k: k as u16, ..operation };
            let words = operation.words();
            let mut rows = vec![[0_u32; 32]; rows_of(&operation)];
            for row in &mut rows {
                fill(&mut random, a, row);
            }
            let mut descriptor = |first: usize| {
                let low = random.below(0x3fff) | random.below(64) << 16;
                let high = random.below(64) | random.below(4) << 30;
                rows[first] = [low; 32];
                rows[first + 1] = [high; 32];
            };
            if !operation.a_in_registers {
                descriptor(0);
            }
            descriptor(words.a as usize);
            let more = (words.a + words.b + words.c) as usize;
            if operation.sparse {
                for word in &mut rows[more] {
                    *word = 0x4e4e_94d9_u32.rotate_left(4 * (random.below(8)));
                }
                rows[more + 1] = [random.below(2); 32];
            }
            rows[words.inputs() as usize - 1] = [round & 1; 32];
            device.compare(&operation, &rows, round % 7);
        }
    }
}

#[test]
fn a_transposed_matrix_has_the_bits_of_the_engine() {
    let mut random = Random::new(3);
    let mut device = Device::new(&mut random, &[]);
    let operation = MatrixOperation::new(MatrixKind::Transpose, 8, 8, 1, MatrixType::B16);
    let mut rows = vec![[0_u32; 32]];
    rows[0].fill_with(|| random.word());
    device.compare(&operation, &rows, 0);
}
