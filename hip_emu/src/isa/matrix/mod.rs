//! Matrix instructions: `D = A * B + C` by a whole wave, whose lanes hold the elements as each generation lays them
//! out.
//!
//! The mnemonic says all that there is to know of an instruction: `v_wmma_f32_16x16x16_f16`,
//! `v_mfma_f32_32x32x4_2b_bf16`. Products are added to the accumulator one after the other in the order of `k`, each
//! with one rounding to nearest even, subnormal numbers kept; results of 16 bits are rounded at the end. The manuals
//! do not say in which order and precision the hardware adds. Forms with `xf32` or scaled blocks are not here.
//!
//! Of a sparse A, two elements of each four along `k` are there, and a register says which: `v_smfmac`, `v_swmmac`.

mod layout;

use super::float::convert::{self, convert_in};
use super::float::{BF16, F16, F32, F64, Float, Format};
use super::small_float::{self, Small};
use super::value::Value;
use super::{Mode, Round};
use layout::{Layout, MatrixElement};

/// Words of the largest result: 32 registers of 64 lanes.
pub const LARGEST: usize = 32 * 64;

/// Whose instructions these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// RDNA3's `v_wmma`, of waves of 32 lanes.
    Gfx11,
    /// RDNA4's.
    Gfx12,
    /// `v_mfma` and `v_smfmac` as they are named from GFX940 on: `v_mfma_f32_4x4x1_16b_f32`.
    Gfx940,
}

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Element {
    F16,
    Bf16,
    F32,
    F64,
    I32,
    I8,
    /// Signed where the instruction says so.
    Iu8,
    Iu4,
    Small(Small),
}

/// A matrix instruction.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    layout: Layout,
    pub sparse: bool,
    a: Element,
    b: Element,
    result: Element,
}

/// The modifiers of an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Modifiers {
    /// For each of A, B and C: the elements with even numbers are negated; of integers: they are signed.
    pub negated_lo: u32,
    /// The elements with odd numbers are negated; C: absolute values.
    pub negated_hi: u32,
    /// C and D of 16 bits lie in the upper halves of their registers: RDNA3.
    pub upper_half: bool,
    /// Integers saturate.
    pub clamp: bool,
    /// The part of its register that the indices of a sparse A are in.
    pub index_set: u32,
}

impl Element {
    fn parse(name: &str, fnuz: bool) -> Option<Element> {
        Some(match name {
            "f16" => Element::F16,
            "bf16" => Element::Bf16,
            "f32" => Element::F32,
            "f64" => Element::F64,
            "i32" => Element::I32,
            "i8" => Element::I8,
            "iu8" => Element::Iu8,
            "iu4" => Element::Iu4,
            "fp8" if fnuz => Element::Small(small_float::FP8_FNUZ),
            "bf8" if fnuz => Element::Small(small_float::BF8_FNUZ),
            "fp8" => Element::Small(small_float::FP8),
            "bf8" => Element::Small(small_float::BF8),
            _ => return None,
        })
    }

    fn width(self) -> usize {
        match self {
            Element::F64 => 64,
            Element::F32 | Element::I32 => 32,
            Element::F16 | Element::Bf16 => 16,
            Element::I8 | Element::Iu8 | Element::Small(_) => 8,
            Element::Iu4 => 4,
        }
    }

    /// The integer in these bits.
    fn integer(self, bits: u64, signed: bool) -> i64 {
        match self {
            Element::I32 => i64::from(bits as i32),
            Element::I8 => i64::from(bits as i8),
            Element::Iu8 if signed => i64::from(bits as i8),
            Element::Iu4 if signed && bits > 7 => bits as i64 - 16,
            _ => bits as i64,
        }
    }

    /// The float in these bits.
    fn float(self, bits: u64) -> f64 {
        match self {
            Element::F16 => F16::of(bits).wide(),
            Element::Bf16 => BF16::of(bits).wide(),
            Element::F64 => F64::of(bits).wide(),
            Element::Small(format) => small_float::widen(format, bits as u8).wide(),
            _ => F32::of(bits).wide(),
        }
    }
}

impl Matrix {
    /// The operation of a mnemonic; `fnuz` chooses GFX942's formats of eight bits.
    pub fn parse(mnemonic: &str, family: Family, fnuz: bool) -> Option<Matrix> {
        let (dense, sparse) = match family {
            Family::Gfx940 => ("v_mfma_", "v_smfmac_"),
            Family::Gfx11 | Family::Gfx12 => ("v_wmma_", "v_swmmac_"),
        };
        let (rest, sparse) = match (mnemonic.strip_prefix(dense), mnemonic.strip_prefix(sparse)) {
            (Some(rest), _) => (rest, false),
            (_, Some(rest)) if family != Family::Gfx11 => (rest, true),
            _ => return None,
        };
        let (result, rest) = rest.split_once('_')?;
        let (shape, elements) = rest.split_once('_')?;
        let mut sizes = shape.split('x').map(str::parse);
        let (Some(Ok(rows)), Some(Ok(columns)), Some(Ok(depth)), None) =
            (sizes.next(), sizes.next(), sizes.next(), sizes.next())
        else {
            return None;
        };
        let (blocks, elements) = match elements.split_once("b_") {
            Some((blocks, elements)) => (blocks.parse().ok()?, elements),
            None => (1, elements),
        };
        let (a, b) = elements.split_once('_').unwrap_or((elements, elements));
        let element = |name| Element::parse(name, fnuz);
        let (a, b, result) = (element(a)?, element(b)?, element(result)?);
        let sizes = [rows, columns, depth, blocks];
        let layout = Layout::new(family, sizes, b.width(), result.width())?;
        Some(Matrix { layout, sparse, a, b, result })
    }

    /// The operation of a mnemonic from before GFX940, such as `v_mfma_f32_16x16x4f16` or `v_mfma_f32_16x16x4bf16_1k`: there are
    /// as many blocks as fill the operands, of which each type has as many elements in a lane. Elements lie as they do there.
    pub fn parse_older(mnemonic: &str) -> Option<Matrix> {
        let (result, shape) = mnemonic.strip_prefix("v_mfma_")?.split_once('_')?;
        let element = shape.find(|c: char| !c.is_ascii_digit() && c != 'x')?;
        let (shape, element) = shape.split_at(element);
        let (element, elements) = match element {
            "f32" => (Element::F32, 1_usize),
            "f64" => (Element::F64, 1),
            "f16" => (Element::F16, 4),
            "bf16" => (Element::Bf16, 2),
            "bf16_1k" => (Element::Bf16, 4),
            "i8" => (Element::I8, 4),
            _ => return None,
        };
        let sizes: Vec<usize> = shape.split('x').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [rows, columns, depth] = sizes[..] else { return None };
        let of_a_block = rows * depth;
        let blocks = (elements * 64).checked_div(of_a_block)?;
        if blocks * of_a_block != elements * 64 {
            return None;
        }
        let result = Element::parse(result, false)?;
        let (sizes, width) = ([rows, columns, depth, blocks], element.width());
        let layout = Layout::new(Family::Gfx940, sizes, width, result.width())?;
        Some(Matrix { layout, sparse: false, a: element, b: element, result })
    }

    /// The number of registers that A, B and D have; C has as many as D.
    pub fn registers(&self) -> [usize; 3] {
        let count = |elements: usize, width: usize| (elements * width).div_ceil(32);
        let operand = self.layout.operand_elements();
        let result = count(self.layout.result_elements(), self.layout.result_width());
        let stored = if self.sparse { operand / 2 } else { operand };
        [count(stored, self.a.width()), count(operand, self.b.width()), result]
    }

    /// An integer that stands for all elements of C: bits, whatever the type is.
    pub fn integer_constant(&self, value: i64) -> u64 {
        value as u64 & u64::MAX >> (64 - self.result.width())
    }

    /// A constant that stands for all elements of C.
    pub fn constant(&self, value: f64, bits: u32) -> u64 {
        match self.result {
            Element::F64 => value.to_bits(),
            Element::F32 => (value as f32).to_bits().into(),
            Element::F16 => convert::narrow::<super::float::Half>(value),
            Element::Bf16 => convert::narrow::<super::float::Bf16>(value),
            _ => bits.into(),
        }
    }

    /// Computes D into `d`, which holds what D's registers hold. Each slice is of registers one after the other, a word
    /// for each lane.
    pub fn run(&self, modifiers: &Modifiers, a: &[u32], b: &[u32], c: C<'_>, d: &mut [u32]) {
        let layout = &self.layout;
        for block in 0..layout.blocks {
            for row in 0..layout.rows {
                for column in 0..layout.columns {
                    let place = layout.result(block, row, column);
                    let start = match c {
                        C::Registers(c) => self.read_result(c, place, modifiers),
                        C::Constant(bits) => bits,
                        C::Indices(_) => self.read_result(d, place, modifiers),
                    };
                    let factors = |step: usize| {
                        let (a_place, k) = match c {
                            C::Indices(indices) => self.stored(modifiers, indices, row, step),
                            _ => (layout.operand(block, row, step), step),
                        };
                        let b_place = layout.operand(block, column, k);
                        [
                            (
                                read(a, layout.lanes(), a_place, self.a.width()),
                                a_place.element % 2 == 1,
                            ),
                            (
                                read(b, layout.lanes(), b_place, self.b.width()),
                                b_place.element % 2 == 1,
                            ),
                        ]
                    };
                    let sum = self.sum(modifiers, factors, start);
                    self.write_result(d, place, modifiers, sum);
                }
            }
        }
    }

    /// The place where an element of a sparse A is stored, and the `k` at which it stands.
    fn stored(
        &self,
        modifiers: &Modifiers,
        indices: &[u32],
        row: usize,
        step: usize,
    ) -> (MatrixElement, usize) {
        let (four, which) = (step / 2, step % 2);
        let place = self.layout.operand(0, row, four * 4);
        // Two bits for each element, as many as a lane has of them for one instruction.
        let set = self.layout.operand_elements() * modifiers.index_set as usize;
        let index = indices[place.lane] >> ((set + place.element + which * 2) % 32) & 3;
        (
            MatrixElement { lane: place.lane, element: place.element / 2 + which },
            four * 4 + index as usize,
        )
    }

    /// Products added to an element of C.
    fn sum(
        &self,
        modifiers: &Modifiers,
        factors: impl Fn(usize) -> [(u64, bool); 2],
        start: u64,
    ) -> u64 {
        let steps = if self.sparse { self.layout.depth / 2 } else { self.layout.depth };
        if self.result == Element::I32 {
            let signed = |operand: u32| modifiers.negated_lo >> operand & 1 == 1;
            let sum = (0..steps).fold(i64::from(start as i32), |sum, step| {
                let [(a, _), (b, _)] = factors(step);
                sum + self.a.integer(a, signed(0)) * self.b.integer(b, signed(1))
            });
            let clamped = sum.clamp(i32::MIN.into(), i32::MAX.into());
            return u64::from(if modifiers.clamp { clamped as u32 } else { sum as u32 });
        }
        let negate = |value: f64, operand: u32, odd: bool| {
            let bits = if odd { modifiers.negated_hi } else { modifiers.negated_lo };
            if bits >> operand & 1 == 1 { -value } else { value }
        };
        let mut sum = self.result.float(start);
        if modifiers.negated_hi & 4 != 0 {
            sum = sum.abs();
        }
        sum = negate(sum, 2, false);
        for step in 0..steps {
            let [(a, a_odd), (b, b_odd)] = factors(step);
            let (a, b) = (negate(self.a.float(a), 0, a_odd), negate(self.b.float(b), 1, b_odd));
            sum = match self.result {
                Element::F64 => a.mul_add(b, sum),
                _ => f64::from((a as f32).mul_add(b as f32, sum as f32)),
            };
        }
        match self.result {
            Element::F16 => rounded::<super::float::Half>(sum),
            Element::Bf16 => rounded::<super::float::Bf16>(sum),
            Element::F64 => sum.to_bits(),
            _ => (sum as f32).to_bits().into(),
        }
    }

    fn read_result(&self, c: &[u32], place: MatrixElement, modifiers: &Modifiers) -> u64 {
        let width = self.layout.result_width();
        let bits = read(c, self.layout.lanes(), place, width);
        match (self.result.width(), modifiers.upper_half) {
            (16, true) if width == 32 => bits >> 16,
            (16, _) => bits & 0xffff,
            _ => bits,
        }
    }

    fn write_result(&self, d: &mut [u32], place: MatrixElement, modifiers: &Modifiers, bits: u64) {
        let lanes = self.layout.lanes();
        let half = |word: &mut u32, upper: bool| {
            *word = if upper {
                *word & 0xffff | (bits as u32) << 16
            } else {
                *word & 0xffff_0000 | bits as u32
            };
        };
        let at = |register: usize| register * lanes + place.lane;
        match (self.result.width(), self.layout.result_width()) {
            (16, 32) => half(&mut d[at(place.element)], modifiers.upper_half),
            (16, _) => half(&mut d[at(place.element / 2)], place.element % 2 == 1),
            (64, _) => {
                d[at(place.element * 2)] = bits as u32;
                d[at(place.element * 2 + 1)] = (bits >> 32) as u32;
            }
            _ => d[at(place.element)] = bits as u32,
        }
    }
}

/// The accumulator's old values.
#[derive(Clone, Copy, Debug)]
pub enum C<'a> {
    Registers(&'a [u32]),
    /// All elements are the same.
    Constant(u64),
    /// They are D's; here is which elements a sparse A has.
    Indices(&'a [u32]),
}

fn rounded<F: Format>(value: f64) -> u64 {
    const EXACT: Mode = Mode {
        round_f32: Round::NearestEven,
        round_f64: Round::NearestEven,
        flush_in_f32: false,
        flush_out_f32: false,
        flush_in_f64: false,
        flush_out_f64: false,
        dx10_clamp: false,
        ieee: true,
    };
    let result: Float<F> = convert_in(&EXACT, Round::NearestEven, F64::of(value.to_bits()));
    result.bits()
}

/// An element of a lane: the first ones are in the low bits of the first register.
fn read(words: &[u32], lanes: usize, place: MatrixElement, width: usize) -> u64 {
    let bit = place.element * width;
    let word = |register: usize| u64::from(words[register * lanes + place.lane]);
    if width == 64 {
        return word(bit / 32) | word(bit / 32 + 1) << 32;
    }
    word(bit / 32) >> (bit % 32) & ((1 << width) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplies matrices of small integers through an instruction, and by definition.
    fn check(mnemonic: &str, family: Family, encode: fn(i32) -> u64) {
        check_parsed(mnemonic, Matrix::parse(mnemonic, family, true), encode);
    }

    /// The same through one that is named as before GFX940.
    fn check_older(mnemonic: &str, encode: fn(i32) -> u64) {
        check_parsed(mnemonic, Matrix::parse_older(mnemonic), encode);
    }

    fn check_parsed(mnemonic: &str, matrix: Option<Matrix>, encode: fn(i32) -> u64) {
        let matrix = matrix.expect("an instruction");
        let layout = matrix.layout;
        let lanes = layout.lanes();
        let [a_registers, b_registers, d_registers] = matrix.registers();
        let (mut a, mut b) = (vec![0_u32; a_registers * lanes], vec![0_u32; b_registers * lanes]);
        let a_value = |block: usize, i: usize, k: usize| ((i * 3 + k * 5 + block) % 7) as i32 - 3;
        let b_value =
            |block: usize, j: usize, k: usize| ((j * 2 + k * 7 + block * 3) % 5) as i32 - 2;
        let put = |words: &mut [u32], place: MatrixElement, width: usize, value: i32| {
            let bit = place.element * width;
            let bits = encode(value);
            let at = bit / 32 * lanes + place.lane;
            words[at] |= ((bits & u64::MAX >> (64 - width)) << (bit % 32)) as u32;
            if width == 64 {
                words[at + lanes] |= (bits >> 32) as u32;
            }
        };
        for block in 0..layout.blocks {
            for k in 0..layout.depth {
                for i in 0..layout.rows {
                    put(
                        &mut a,
                        layout.operand(block, i, k),
                        matrix.a.width(),
                        a_value(block, i, k),
                    );
                    put(
                        &mut b,
                        layout.operand(block, i, k),
                        matrix.b.width(),
                        b_value(block, i, k),
                    );
                }
            }
        }
        let mut d = vec![0; d_registers * lanes];
        let modifiers = Modifiers {
            negated_lo: if matrix.result == Element::I32 { 3 } else { 0 },
            ..Modifiers::default()
        };
        matrix.run(&modifiers, &a, &b, C::Constant(matrix.constant(1.0, 1)), &mut d);
        for block in 0..layout.blocks {
            for i in 0..layout.rows {
                for j in 0..layout.columns {
                    let products =
                        (0..layout.depth).map(|k| a_value(block, i, k) * b_value(block, j, k));
                    let expected = 1 + products.sum::<i32>();
                    let bits = matrix.read_result(&d, layout.result(block, i, j), &modifiers);
                    let got = match matrix.result {
                        Element::I32 => f64::from(bits as i32),
                        result => result.float(bits),
                    };
                    assert_eq!(got, f64::from(expected), "{mnemonic}: row {i}, column {j}");
                }
            }
        }
    }

    /// The same with an A of which two elements of four are there.
    fn check_sparse(mnemonic: &str, family: Family, index_set: u32, encode: fn(i32) -> u64) {
        let matrix = Matrix::parse(mnemonic, family, true).expect("an instruction");
        let layout = matrix.layout;
        let lanes = layout.lanes();
        let [a_registers, b_registers, d_registers] = matrix.registers();
        let (mut a, mut b) = (vec![0_u32; a_registers * lanes], vec![0_u32; b_registers * lanes]);
        let (mut indices, mut d) = (vec![0_u32; lanes], vec![0_u32; d_registers * lanes]);
        let a_value = |i: usize, step: usize| ((i * 3 + step * 5) % 7) as i32 - 3;
        let b_value = |j: usize, k: usize| ((j * 2 + k * 7) % 5) as i32 - 2;
        // Which of four: in order, and different for each row.
        let index =
            |i: usize, step: usize| [[0, 1], [1, 3], [0, 2], [2, 3]][(i + step / 2) % 4][step % 2];
        let put = |words: &mut [u32], place: MatrixElement, width: usize, bits: u64| {
            let bit = place.element * width;
            words[bit / 32 * lanes + place.lane] |=
                ((bits & ((1 << width) - 1)) << (bit % 32)) as u32;
        };
        let set = layout.operand_elements() * index_set as usize;
        for i in 0..layout.rows {
            for step in 0..layout.depth / 2 {
                let four = layout.operand(0, i, step / 2 * 4);
                let place = MatrixElement { lane: four.lane, element: four.element / 2 + step % 2 };
                put(&mut a, place, matrix.a.width(), encode(a_value(i, step)));
                indices[four.lane] |=
                    (index(i, step) as u32) << (set + four.element + step % 2 * 2);
            }
            for k in 0..layout.depth {
                put(&mut b, layout.operand(0, i, k), matrix.b.width(), encode(b_value(i, k)));
            }
        }
        let negated_lo = if matrix.result == Element::I32 { 3 } else { 0 };
        let modifiers = Modifiers { negated_lo, index_set, ..Modifiers::default() };
        // Twice, onto what is there.
        matrix.run(&modifiers, &a, &b, C::Indices(&indices), &mut d);
        matrix.run(&modifiers, &a, &b, C::Indices(&indices), &mut d);
        for i in 0..layout.rows {
            for j in 0..layout.columns {
                let product =
                    |step: usize| a_value(i, step) * b_value(j, step / 2 * 4 + index(i, step));
                let expected = 2 * (0..layout.depth / 2).map(product).sum::<i32>();
                let bits = matrix.read_result(&d, layout.result(0, i, j), &modifiers);
                let got = match matrix.result {
                    Element::I32 => f64::from(bits as i32),
                    result => result.float(bits),
                };
                assert_eq!(got, f64::from(expected), "{mnemonic}: row {i}, column {j}");
            }
        }
    }

    #[test]
    fn sparse_products_are_those_of_matrices() {
        for set in 0..4 {
            check_sparse("v_smfmac_f32_16x16x32_f16", Family::Gfx940, set, half);
            check_sparse("v_smfmac_f32_32x32x16_bf16", Family::Gfx940, set, bf16);
        }
        for set in 0..2 {
            check_sparse("v_smfmac_i32_16x16x64_i8", Family::Gfx940, set, integer);
            check_sparse("v_smfmac_i32_32x32x32_i8", Family::Gfx940, set, integer);
            check_sparse("v_swmmac_f32_16x16x32_f16", Family::Gfx12, set, half);
            check_sparse("v_swmmac_f16_16x16x32_f16", Family::Gfx12, set, half);
            check_sparse("v_swmmac_bf16_16x16x32_bf16", Family::Gfx12, set, bf16);
            check_sparse("v_swmmac_i32_16x16x32_iu8", Family::Gfx12, set, integer);
            check_sparse("v_swmmac_i32_16x16x32_iu4", Family::Gfx12, set, integer);
        }
        check_sparse("v_swmmac_i32_16x16x64_iu4", Family::Gfx12, 0, integer);
    }

    fn half(value: i32) -> u64 {
        convert::narrow::<super::super::float::Half>(value.into())
    }

    fn bf16(value: i32) -> u64 {
        convert::narrow::<super::super::float::Bf16>(value.into())
    }

    fn integer(value: i32) -> u64 {
        value as u32 as u64
    }

    fn single(value: i32) -> u64 {
        (value as f32).to_bits().into()
    }

    fn double(value: i32) -> u64 {
        f64::from(value).to_bits()
    }

    #[test]
    fn products_are_those_of_matrices() {
        for family in [Family::Gfx11, Family::Gfx12] {
            check("v_wmma_f32_16x16x16_f16", family, half);
            check("v_wmma_f32_16x16x16_bf16", family, bf16);
            check("v_wmma_f16_16x16x16_f16", family, half);
            check("v_wmma_bf16_16x16x16_bf16", family, bf16);
            check("v_wmma_i32_16x16x16_iu8", family, integer);
            check("v_wmma_i32_16x16x16_iu4", family, integer);
        }
        check("v_wmma_i32_16x16x32_iu4", Family::Gfx12, integer);
        for shape in ["32x32x8", "32x32x4_2b", "16x16x16", "16x16x4_4b", "4x4x4_16b"] {
            check(&format!("v_mfma_f32_{shape}_f16"), Family::Gfx940, half);
            check(&format!("v_mfma_f32_{shape}_bf16"), Family::Gfx940, bf16);
        }
        for shape in ["32x32x16", "32x32x4_2b", "16x16x32", "16x16x4_4b", "4x4x4_16b"] {
            check(&format!("v_mfma_i32_{shape}_i8"), Family::Gfx940, integer);
        }
        for shape in ["32x32x2", "32x32x1_2b", "16x16x4", "16x16x1_4b", "4x4x1_16b"] {
            check(&format!("v_mfma_f32_{shape}_f32"), Family::Gfx940, single);
        }
        for shape in ["32x32x1", "16x16x1", "4x4x1", "32x32x2", "16x16x4"] {
            check_older(&format!("v_mfma_f32_{shape}f32"), single);
        }
        for shape in ["32x32x4", "16x16x4", "4x4x4", "32x32x8", "16x16x16"] {
            check_older(&format!("v_mfma_f32_{shape}f16"), half);
            check_older(&format!("v_mfma_f32_{shape}bf16_1k"), bf16);
            check_older(&format!("v_mfma_i32_{shape}i8"), integer);
        }
        for shape in ["32x32x2", "16x16x2", "4x4x2", "32x32x4", "16x16x8"] {
            check_older(&format!("v_mfma_f32_{shape}bf16"), bf16);
        }
        for shape in ["16x16x4", "4x4x4"] {
            check_older(&format!("v_mfma_f64_{shape}f64"), double);
        }
        for shape in ["16x16x4", "4x4x4_4b"] {
            check(&format!("v_mfma_f64_{shape}_f64"), Family::Gfx940, double);
        }
    }

    /// Registers as the assembler wants them.
    #[test]
    fn operands_have_their_registers() {
        let registers = |mnemonic, family| {
            Matrix::parse(mnemonic, family, true).map(|matrix| matrix.registers())
        };
        assert_eq!(registers("v_wmma_f32_16x16x16_f16", Family::Gfx11), Some([8, 8, 8]));
        assert_eq!(registers("v_wmma_f16_16x16x16_f16", Family::Gfx11), Some([8, 8, 8]));
        assert_eq!(registers("v_wmma_i32_16x16x16_iu8", Family::Gfx11), Some([4, 4, 8]));
        assert_eq!(registers("v_wmma_i32_16x16x16_iu4", Family::Gfx11), Some([2, 2, 8]));
        assert_eq!(registers("v_wmma_f32_16x16x16_f16", Family::Gfx12), Some([4, 4, 8]));
        assert_eq!(registers("v_wmma_f16_16x16x16_f16", Family::Gfx12), Some([4, 4, 4]));
        assert_eq!(registers("v_wmma_f32_16x16x16_fp8_bf8", Family::Gfx12), Some([2, 2, 8]));
        assert_eq!(registers("v_wmma_i32_16x16x16_iu4", Family::Gfx12), Some([1, 1, 8]));
        assert_eq!(registers("v_mfma_f32_32x32x8_f16", Family::Gfx940), Some([2, 2, 16]));
        assert_eq!(registers("v_mfma_f32_4x4x4_16b_f16", Family::Gfx940), Some([2, 2, 4]));
        assert_eq!(registers("v_mfma_f32_32x32x1_2b_f32", Family::Gfx940), Some([1, 1, 32]));
        assert_eq!(registers("v_mfma_f32_16x16x32_fp8_fp8", Family::Gfx940), Some([2, 2, 4]));
        assert_eq!(registers("v_mfma_f64_16x16x4_f64", Family::Gfx940), Some([2, 2, 8]));
        assert_eq!(registers("v_mfma_f32_16x16x8_xf32", Family::Gfx940), None);
        assert_eq!(registers("v_mfma_f64_4x4x4_4b_f64", Family::Gfx940), Some([2, 2, 2]));
        let older = |mnemonic| Matrix::parse_older(mnemonic).map(|matrix| matrix.registers());
        assert_eq!(older("v_mfma_f32_4x4x1f32"), Some([1, 1, 4]));
        assert_eq!(older("v_mfma_f32_32x32x4f16"), Some([2, 2, 32]));
        assert_eq!(older("v_mfma_f32_32x32x4bf16"), Some([1, 1, 16]));
        assert_eq!(older("v_mfma_f32_32x32x4bf16_1k"), Some([2, 2, 32]));
        assert_eq!(older("v_mfma_i32_16x16x16i8"), Some([1, 1, 4]));
        assert_eq!(older("v_mfma_f64_16x16x4f64"), Some([2, 2, 8]));
        assert_eq!(older("v_mfma_f32_4x4x3f32"), None);
        assert_eq!(older("v_mfma_f32_16x16x16_f16"), None);
        assert_eq!(registers("v_smfmac_f32_16x16x32_f16", Family::Gfx940), Some([2, 4, 4]));
        assert_eq!(registers("v_smfmac_i32_32x32x32_i8", Family::Gfx940), Some([2, 4, 16]));
        assert_eq!(registers("v_swmmac_f16_16x16x32_f16", Family::Gfx12), Some([4, 8, 4]));
        assert_eq!(registers("v_swmmac_i32_16x16x64_iu4", Family::Gfx12), Some([2, 4, 8]));
    }
}
