//! The products that programs use most, in vectors of AVX2 and AVX-512: those of dense fragments in registers, whose
//! elements have constant places.
//!
//! A lane of an accumulator keeps its place: its row of `a` lies in the same group of four lanes, and its columns of
//! `b` are put in order once. All levels of processors give the same bits, which are those of the general way, and
//! numbers that are not for this one are left to that.

#![expect(
    clippy::needless_range_loop,
    reason = "the same number names what belongs together in several arrays"
)]

/// Methods of [`vector::Vectors`] that are instructions.
macro_rules! instructions {
    (
        impl<const BYTES: bool> Vectors for $type:ty, of $words:ty, $length:expr, $parts:expr, $mixed_signs:expr;
        $(fn $name:ident($self:ident $(, $argument:ident: $of:ty)*) -> $result:ty $body:block)*
    ) => {
        impl<const BYTES: bool> Vectors for $type {
            type Words = $words;
            const LENGTH: usize = $length;
            const PARTS: usize = $parts;
            const MIXED_SIGNS: bool = $mixed_signs;

            $(
                #[inline(always)]
                fn $name($self $(, $argument: $of)*) -> $result {
                    // SAFETY: a value of this type is proof that the processor has the instructions. Pointers are
                    // those of slices of the length of what is loaded or stored.
                    unsafe { $body }
                }
            )*
        }
    };
}

mod avx2;
mod avx512;
mod floats;
mod integers;
#[cfg(test)]
mod tests;
mod vector;

use std::cell::Cell;
use std::sync::LazyLock;

use cpu_abi::{MatrixKind, MatrixOperation, MatrixType};
use rustc_hash::FxHashMap;
use zluda_common::config::{CpuTarget, config};

use self::avx2::Avx2;
use self::avx512::Avx512;
use self::floats::{Bf16, F16, HalfAccumulators, Tf32};
use self::integers::Integers;
use self::vector::Vectors;
use super::Row;

/// A register of the factors and results.
pub type Register = Cell<Row>;

/// The registers of all fragments. Where there are fewer, those at the end are copies.
#[repr(C)]
struct Registers<'r> {
    a: [&'r Register; 4],
    b: [&'r Register; 2],
    c: [&'r Register; 4],
    d: [&'r Register; 4],
}

/// What [`Registers`] begin with, to be read.
#[repr(C)]
struct Fragments<'r> {
    a: [&'r Row; 4],
    b: [&'r Row; 2],
    c: [&'r Row; 4],
}

impl<'r> Registers<'r> {
    /// Not a copy: what was stored word by word would be loaded as vectors, for which the processor waits.
    ///
    /// # Safety
    /// No register is written as long as the result is used.
    #[inline(always)]
    unsafe fn read(&self) -> &Fragments<'r> {
        // SAFETY: a cell has the layout of what is in it; nobody writes there, as the caller says.
        unsafe { &*(&raw const *self).cast() }
    }
}

/// How a product is made in vectors.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    factors: Factors,
    /// Registers of `b`: one or two.
    registers: usize,
    /// Blocks of eight rows of `a`: one or two.
    blocks: usize,
    /// Registers of all fragments: of `a`, `b`, `c` and `d`.
    ends: [usize; 4],
}

#[derive(Clone, Copy, Debug)]
enum Factors {
    F16(HalfAccumulators),
    Bf16,
    Tf32,
    Bytes(Integers),
    FourBits(Integers),
}

const SINGLE: HalfAccumulators = HalfAccumulators { c: false, d: false };

impl Plan {
    /// None for products that are only made in general.
    pub fn of(operation: &MatrixOperation) -> Option<Self> {
        use MatrixType::*;
        let &MatrixOperation { kind, m, k, a, b, c, d, .. } = operation;
        // A warp's part of a group's product is one like others.
        let (m, n) = match kind {
            MatrixKind::Multiply => (m, operation.n),
            MatrixKind::WarpGroup => (16, 8),
            _ => return None,
        };
        let half = HalfAccumulators { c: c == F16, d: d == F16 };
        let [a_signed, b_signed] = [a, b].map(|ty| matches!(ty, S8 | S4));
        let integers = Integers { a_signed, b_signed, saturate: operation.saturate };
        let factors = match (a, b) {
            (F16, F16) => Factors::F16(half),
            (Bf16, Bf16) if half == SINGLE => Factors::Bf16,
            (Tf32, Tf32) if half == SINGLE => Factors::Tf32,
            (S8 | U8, S8 | U8) => Factors::Bytes(integers),
            (S4 | U4, S4 | U4) => Factors::FourBits(integers),
            _ => return None,
        };
        // A register of `b` has four words of each column.
        let registers = match u32::from(k) * a.bits() {
            128 => 1,
            256 => 2,
            _ => return None,
        };
        let blocks = match (m, registers, factors) {
            (16, ..) => 2,
            (8, 1, Factors::Bytes(_) | Factors::FourBits(_)) => 1,
            _ => return None,
        };
        let usual = n == 8 && !operation.sparse && !operation.packed && operation.scale.is_none();
        let accumulators = |half| 2 * blocks / if half { 2 } else { 1 };
        let a = blocks * registers;
        let b = a + registers;
        let c = b + accumulators(half.c);
        let ends = [a, b, c, c + accumulators(half.d)];
        usual.then_some(Self { factors, registers, blocks, ends })
    }

    /// The plan for [`MatrixOperation::pack`]'s number of one of the usual [`operations`].
    pub fn of_number(number: u64) -> Option<&'static Self> {
        PLANS.get(&number)
    }

    /// Makes a product in place: `rows` are the registers of `a`, `b` and `c`, and then begin with those of `d`.
    pub fn multiply_rows(&self, rows: &mut [Row]) -> bool {
        // SAFETY: the processor has what the routine needs.
        (*BEST).is_some_and(|run| unsafe { run(self, &self.registers_of_rows(rows)) })
    }

    /// Makes a product. `register` gives those of `a`, of `b`, of `c`, and of `d`, which may be the same as others and
    /// are written when all has been read. False if that is left to the general way: nothing is written then.
    pub fn multiply<'r>(&self, register: impl Fn(usize) -> &'r Register) -> bool {
        // SAFETY: the processor has what the routine needs.
        (*BEST).is_some_and(|run| unsafe { run(self, &self.registers(register)) })
    }

    fn registers_of_rows<'r>(&self, rows: &'r mut [Row]) -> Registers<'r> {
        let inputs = self.ends[2];
        let rows = Cell::from_mut(rows).as_slice_of_cells();
        self.registers(|index| &rows[if index < inputs { index } else { index - inputs }])
    }

    #[inline]
    fn registers<'r>(&self, register: impl Fn(usize) -> &'r Register) -> Registers<'r> {
        let [a, b, c, d] = self.ends;
        Registers {
            a: std::array::from_fn(|index| register(index.min(a - 1))),
            b: std::array::from_fn(|index| register((a + index).min(b - 1))),
            c: std::array::from_fn(|index| register((b + index).min(c - 1))),
            d: std::array::from_fn(|index| register((c + index).min(d - 1))),
        }
    }

    #[inline(always)]
    fn run<V: Vectors>(&self, v: V, registers: &Registers) -> bool {
        let mut d = [[0; 32]; 4];
        // SAFETY: nothing is written before the product is made.
        if !self.product(v, unsafe { registers.read() }, &mut d) {
            return false;
        }
        for (index, row) in d.iter().enumerate().take(self.ends[3] - self.ends[2]) {
            registers.d[index].set(*row);
        }
        true
    }

    #[inline(always)]
    fn product<V: Vectors>(&self, v: V, fragments: &Fragments, d: &mut [Row; 4]) -> bool {
        match (self.factors, self.registers, self.blocks) {
            (Factors::F16(half), 1, _) => floats::multiply::<V, F16, 1>(v, fragments, half, d),
            (Factors::F16(half), ..) => floats::multiply::<V, F16, 2>(v, fragments, half, d),
            (Factors::Bf16, 1, _) => floats::multiply::<V, Bf16, 1>(v, fragments, SINGLE, d),
            (Factors::Bf16, ..) => floats::multiply::<V, Bf16, 2>(v, fragments, SINGLE, d),
            (Factors::Tf32, 1, _) => floats::multiply::<V, Tf32, 1>(v, fragments, SINGLE, d),
            (Factors::Tf32, ..) => floats::multiply::<V, Tf32, 2>(v, fragments, SINGLE, d),
            (Factors::Bytes(of), ..) => self.integers::<V, 1>(v, fragments, of, d),
            (Factors::FourBits(of), ..) => self.integers::<V, 2>(v, fragments, of, d),
        }
    }

    /// A product of integers, which this way is always for.
    #[inline(always)]
    fn integers<V: Vectors, const EACH: usize>(
        &self,
        v: V,
        fragments: &Fragments,
        of: Integers,
        d: &mut [Row; 4],
    ) -> bool {
        match (self.registers, self.blocks) {
            (1, 1) => integers::multiply::<V, 1, 1, EACH>(v, fragments, of, d),
            (1, _) => integers::multiply::<V, 1, 2, EACH>(v, fragments, of, d),
            _ => integers::multiply::<V, 2, 2, EACH>(v, fragments, of, d),
        }
        true
    }
}

type Routine = unsafe fn(&Plan, &Registers) -> bool;

/// A way to make products.
struct Level {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests say which one fails"))]
    name: &'static str,
    /// The level of x86-64 that has all of it, if there is one.
    of: Option<u32>,
    has: fn() -> bool,
    run: Routine,
}

macro_rules! level {
    ($name:literal, $of:expr, $vectors:ty, $($feature:tt)*) => {{
        #[target_feature($(enable = $feature),*)]
        fn run(plan: &Plan, registers: &Registers) -> bool {
            // SAFETY: who calls this function knows that the processor has its features.
            plan.run(unsafe { <$vectors>::new() }, registers)
        }
        let has = || $(is_x86_feature_detected!($feature))&&*;
        Level { name: $name, of: $of, has, run }
    }};
}

/// The products of fragments in registers that have plans.
fn operations() -> impl Iterator<Item = MatrixOperation> {
    use MatrixType::*;
    let floats = [
        ([F16, F16, F32, F32], [8, 16]),
        ([F16, F16, F16, F16], [8, 16]),
        ([F16, F16, F16, F32], [8, 16]),
        ([F16, F16, F32, F16], [8, 16]),
        ([Bf16, Bf16, F32, F32], [8, 16]),
        ([Tf32, Tf32, F32, F32], [4, 8]),
    ];
    let floats = floats.into_iter().flat_map(|(types, ks)| ks.map(|k| (16, k, types, false)));
    let integers = [([S8, U8], 16), ([S4, U4], 32)].into_iter().flat_map(|(types, k)| {
        let signs = types.into_iter().flat_map(move |a| types.map(|b| [a, b, S32, S32]));
        signs.flat_map(move |types| {
            let shapes = [(8, k), (16, k), (16, 2 * k)].into_iter();
            shapes.flat_map(move |(m, k)| [false, true].map(|saturate| (m, k, types, saturate)))
        })
    });
    floats.chain(integers).map(|(m, k, [a, b, c, d], saturate)| {
        let operation = MatrixOperation::new(MatrixKind::Multiply, m, 8, k, a);
        MatrixOperation { b, c, d, saturate, ..operation }
    })
}

/// By numbers, since taking a number apart takes as long as a product of bytes.
static PLANS: LazyLock<FxHashMap<u64, Plan>> =
    LazyLock::new(|| operations().filter_map(|it| Some((it.pack(), Plan::of(&it)?))).collect());

/// The best first.
#[rustfmt::skip]
static LEVELS: [Level; 4] = [
    level!("AVX-512 VNNI", None, Avx512<true>, "avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512vnni"),
    level!("AVX-512", Some(4), Avx512<false>, "avx512f" "avx512bw" "avx512dq" "avx512vl"),
    level!("AVX-VNNI", None, Avx2<true>, "avx2" "fma" "f16c" "avxvnni"),
    level!("AVX2", Some(3), Avx2<false>, "avx2" "fma" "f16c"),
];

/// The best routine that the processor has and the program's configuration allows.
static BEST: LazyLock<Option<Routine>> = LazyLock::new(|| {
    let allowed = |level: &&Level| match config().cpu_target {
        CpuTarget::Native => true,
        CpuTarget::Level(name) => {
            let most = name.trim_start_matches("x86-64-v").parse().unwrap_or(0);
            level.of.is_some_and(|of| of <= most)
        }
    };
    let level = LEVELS.iter().filter(allowed).find(|level| (level.has)())?;
    Some(level.run)
});
