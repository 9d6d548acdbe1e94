//! Fragments from and to memory: `wmma.load`, `wmma.store`, `ldmatrix`, `stmatrix`, `movmatrix`.
//!
//! The fragments of `wmma` are what an H100 makes of them: those of one or two `mma`.

use llvm_zluda::{Type, Value};
use ptx_parser::isa::{Ldmatrix, Movmatrix, Stmatrix, WmmaLoad, WmmaStore};
use ptx_parser::{
    Address, Layout, MatrixShape, Operand, ScalarType, StateSpace, TileCount, TileShape, WmmaMatrix,
};
use simt_abi::{MatrixKind, MatrixOperation, MatrixType};

use super::Lowered;
use super::function::FunctionLowering;
use super::matrix::extent;

/// The place of a register's elements in the matrix. A lane is number `t` of four in group `g` of eight.
#[derive(Clone, Copy)]
struct FragmentLayout {
    /// Along the dimension that goes by groups: `g + line`.
    line: u64,
    /// Along the other one: `t * step + along`.
    along: u64,
    step: u64,
}

/// A fragment in memory.
struct Placement {
    places: Vec<FragmentLayout>,
    type_: MatrixType,
    /// Elements of a line lie side by side in memory, else those of all lines with one position.
    contiguous: bool,
    /// Elements from one to the next of these where the program does not say.
    stride: u64,
}

/// The registers of factor `a` or `b` of `wmma`.
fn factor(matrix: WmmaMatrix, shape: MatrixShape, layout: Layout, type_: MatrixType) -> Placement {
    let (m, n, k) = extent(shape);
    let (lines, k) = (u64::from(if matrix == WmmaMatrix::A { m } else { n }), u64::from(k));
    let contiguous = (matrix == WmmaMatrix::A) == (layout == Layout::Row);
    let each = u64::from(32 / type_.bits()).max(1);
    // `b` of m16n16 is that of two `mma`, side by side; what is 32 wide or high is `a` of two.
    let height = match lines {
        16 if matrix == WmmaMatrix::B => 8,
        lines => lines.min(16),
    };
    let mut places = Vec::new();
    for first in (0..lines).step_by(height as usize) {
        for along in (0..k).step_by(4 * each as usize) {
            for line in (first..first + height).step_by(8) {
                places.push(FragmentLayout { line, along, step: each });
            }
        }
    }
    // Factors of f16 have eight registers always: copies.
    if type_ == MatrixType::F16 {
        places = places.iter().copied().cycle().take(8).collect();
    }
    Placement { places, type_, contiguous, stride: if contiguous { k } else { lines } }
}

/// The registers of an accumulator.
fn accumulator(shape: MatrixShape, layout: Layout, type_: MatrixType) -> Placement {
    let (m, n, _) = extent(shape);
    // m8n32 is a transposed m32n8.
    let transposed = (m, n) == (8, 32);
    let (lines, width) = if transposed { (n, m) } else { (m, n) };
    let (lines, width) = (u64::from(lines), u64::from(width));
    let contiguous = (layout == Layout::Row) != transposed;
    let each = if type_ == MatrixType::F16 { 2 } else { 1 };
    let mut places = Vec::new();
    for first in (0..lines).step_by(16) {
        for column in (0..width).step_by(8) {
            for line in (first..lines.min(first + 16)).step_by(8) {
                for along in (column..column + 2).step_by(each) {
                    places.push(FragmentLayout { line, along, step: 2 });
                }
            }
        }
    }
    Placement { places, type_, contiguous, stride: if contiguous { width } else { lines } }
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn wmma_load(&mut self, i: &WmmaLoad<'a>) -> Lowered {
        let type_ = self.matrix_type(i.type_)?;
        let placement = match i.matrix {
            WmmaMatrix::C => accumulator(i.shape, i.layout, type_),
            factor_of => factor(factor_of, i.shape, i.layout, type_),
        };
        let pointers = self.wmma_pointers(&i.p, i.ss, i.stride.as_ref(), &placement)?;
        let piece = self.piece_type(&placement);
        let mut words = Vec::new();
        for pieces in pointers {
            let bits = piece.bits();
            let mut word = self.context.int(bits * pieces.len() as u32).zero();
            for (index, pointer) in pieces.into_iter().enumerate() {
                let value = self.builder.load(piece, pointer, bits / 8);
                let value = self.builder.zext_or_trunc(value, word.ty());
                let shift = word.ty().const_int(u64::from(bits) * index as u64);
                word = self.builder.or(word, self.builder.shl(value, shift));
            }
            if bits == 64 {
                let high = self.builder.lshr(word, self.i64(32));
                words.push(self.builder.trunc(word, self.context.i32()));
                words.push(self.builder.trunc(high, self.context.i32()));
            } else {
                words.push(word);
            }
        }
        self.write_fragment(&i.r, type_, &words)
    }

    pub fn wmma_store(&mut self, i: &WmmaStore<'a>) -> Lowered {
        let type_ = self.matrix_type(i.type_)?;
        let placement = accumulator(i.shape, i.layout, type_);
        let count = placement.places.len() as u32 * type_.bits().div_ceil(32);
        let words = self.read_fragment(&i.r, type_, count)?;
        let pointers = self.wmma_pointers(&i.p, i.ss, i.stride.as_ref(), &placement)?;
        let piece = self.piece_type(&placement);
        let bits = piece.bits();
        for (index, pieces) in pointers.into_iter().enumerate() {
            let word = match bits {
                64 => {
                    let [low, high] = [2 * index, 2 * index + 1]
                        .map(|word| self.builder.zext(words[word], piece));
                    self.builder.or(low, self.builder.shl(high, self.i64(32)))
                }
                _ => words[index],
            };
            for (index, pointer) in pieces.into_iter().enumerate() {
                let shift = word.ty().const_int(u64::from(bits) * index as u64);
                let value = self.builder.zext_or_trunc(self.builder.lshr(word, shift), piece);
                self.builder.store(value, pointer, bits / 8);
            }
        }
        Ok(())
    }

    /// The type that is loaded or stored at once: a register where its elements lie side by side, else an element.
    fn piece_type(&self, placement: &Placement) -> Type<'c> {
        let bits = placement.type_.bits();
        self.context.int(if placement.contiguous { bits.max(32) } else { bits })
    }

    /// For each register the pointers of its pieces.
    fn wmma_pointers(
        &mut self,
        address: &Address<'a>,
        space: Option<StateSpace>,
        stride: Option<&Operand<'a>>,
        placement: &Placement,
    ) -> Lowered<Vec<Vec<Value<'c>>>> {
        let base = self.pointer(address, space, 0)?;
        let i64 = self.context.i64();
        let stride = match stride {
            Some(stride) => {
                let stride = self.read_u32(stride)?;
                self.builder.zext(stride, i64)
            }
            None => self.i64(placement.stride),
        };
        let lane = self.zluda("laneid", &[]);
        let lane = self.builder.zext(lane, i64);
        let group = self.builder.lshr(lane, self.i64(2));
        let number = self.builder.and(lane, self.i64(3));
        let bits = u64::from(placement.type_.bits());
        // Elements below a byte lie side by side always.
        let pieces = if placement.contiguous || bits >= 32 { 1 } else { 32 / bits };
        // f16 pairs of accumulators are two elements as well.
        let mut all = Vec::with_capacity(placement.places.len());
        for place in &placement.places {
            let line = self.builder.add(group, self.i64(place.line));
            let first = self.builder.mul(number, self.i64(place.step));
            let pointers = (0..pieces).map(|piece| {
                let along = self.builder.add(first, self.i64(place.along + piece));
                let (outer, inner) =
                    if placement.contiguous { (line, along) } else { (along, line) };
                let index = self.builder.add(self.builder.mul(outer, stride), inner);
                let offset = self.builder.mul(index, self.i64(bits));
                self.builder.byte_offset(base, self.builder.lshr(offset, self.i64(3)))
            });
            all.push(pointers.collect());
        }
        Ok(all)
    }

    /// Shared memory has addresses of 32 bits.
    fn tile_address(
        &mut self,
        address: &Address<'a>,
        space: Option<StateSpace>,
    ) -> Lowered<Value<'c>> {
        let pointer = self.pointer(address, space, 0)?;
        let address = self.builder.ptr_to_int(pointer, self.context.i64());
        Ok(self.builder.trunc(address, self.context.i32()))
    }

    fn tile_operation(
        &self,
        kind: MatrixKind,
        shape: TileShape,
        count: TileCount,
        type_: ScalarType,
        transposed: bool,
    ) -> Lowered<MatrixOperation> {
        let (m, n) = match shape {
            TileShape::M8n8 => (8, 8),
            TileShape::M16n16 => (16, 16),
            TileShape::M8n16 => (8, 16),
            TileShape::M16n8 => (16, 8),
        };
        let count = match count {
            TileCount::X1 => 1,
            TileCount::X2 => 2,
            TileCount::X4 => 4,
            _ => return Err(self.invalid("more than four matrices at once")),
        };
        let mut operation = MatrixOperation::new(kind, m, n, count, self.matrix_type(type_)?);
        operation.a_columns = transposed;
        Ok(operation)
    }

    pub fn ldmatrix(&mut self, i: &Ldmatrix<'a>) -> Lowered {
        let type_ = i.src_fmt.or(i.type_).unwrap_or(ScalarType::B8);
        let operation = self.tile_operation(MatrixKind::Load, i.shape, i.num, type_, i.trans)?;
        self.check_rows(&i.p, i.ss, rows(&operation))?;
        let address = self.tile_address(&i.p, i.ss)?;
        let words = self.matrix(&operation, &[address])?;
        self.write_fragment(&i.r, MatrixType::B16, &words)
    }

    pub fn stmatrix(&mut self, i: &Stmatrix<'a>) -> Lowered {
        let operation = self.tile_operation(MatrixKind::Store, i.shape, i.num, i.type_, i.trans)?;
        self.check_rows(&i.p, i.ss, rows(&operation))?;
        let mut inputs = vec![self.tile_address(&i.p, i.ss)?];
        inputs.extend(self.read_fragment(&i.r, MatrixType::B16, operation.words().b)?);
        self.matrix(&operation, &inputs)?;
        Ok(())
    }

    pub fn movmatrix(&mut self, i: &Movmatrix<'a>) -> Lowered {
        let operation = MatrixOperation::new(MatrixKind::Transpose, 8, 8, 1, MatrixType::B16);
        let a = self.read(&i.a, ScalarType::B32)?;
        let words = self.matrix(&operation, &[a])?;
        self.write_fragment(&i.d, MatrixType::B16, &words)
    }
}

/// How many lanes have the address of a row in `ldmatrix` and `stmatrix`.
fn rows(operation: &MatrixOperation) -> u64 {
    u64::from(operation.m.min(operation.n)) * u64::from(operation.k)
}
