//! Copies of boxes of tensors, and changes of the maps that describe them.

use llvm_zluda::Value;
use ptx_parser::isa::{
    CpAsyncBulkTensor, CpReduceAsyncBulkTensor, TensormapCpFenceproxy, TensormapReplace,
};
use ptx_parser::{AtomicOp, Operand, ScalarType, StateSpace, TensorMode, TensormapField as Field};
use simt_abi::{TensorField, TensorMode as Mode, TensorReduction};

use super::Lowered;
use super::function::{FunctionLowering, word};
use super::operand::Width;

/// Coordinates at most, and offsets of a window.
const COORDINATES: usize = 5;
const OFFSETS: usize = 3;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn cp_async_bulk_tensor(&mut self, i: &CpAsyncBulkTensor<'a>) -> Lowered {
        let map = self.generic_address(&i.tensor_map)?;
        let mode = self.tensor_mode(i.load_mode)?;
        let places = self.places(&i.tensor_coords, i.im2col_info.as_ref())?;
        let mode = self.i64(mode as u64);
        if let Some(source) = &i.src_mem {
            let source = self.word_address(source, Some(StateSpace::Shared))?;
            return self.lane("tensor.store", &[source, map, places, mode]).map(drop);
        }
        let (Some(target), Some(barrier)) = (&i.dst_mem, &i.mbar) else {
            return Err(self.invalid("a copy of a tensor has a destination and an mbarrier"));
        };
        let space = Some(StateSpace::SharedCluster);
        let target = self.word_address(target, space)?;
        let barrier = self.word_address(barrier, space)?;
        let mask = match &i.cta_mask {
            Some(mask) => self.read_short(mask)?,
            None => self.i64(0),
        };
        self.lane("tensor.load", &[target, map, places, mode, barrier, mask]).map(drop)
    }

    pub fn cp_reduce_async_bulk_tensor(&mut self, i: &CpReduceAsyncBulkTensor<'a>) -> Lowered {
        let map = self.generic_address(&i.tensor_map)?;
        let mode = self.tensor_mode(i.load_mode)?;
        let places = self.places(&i.tensor_coords, None)?;
        let source = self.word_address(&i.src_mem, Some(StateSpace::Shared))?;
        let operation = match i.red_op {
            AtomicOp::Add => TensorReduction::Add,
            AtomicOp::Min => TensorReduction::Min,
            AtomicOp::Max => TensorReduction::Max,
            AtomicOp::Inc => TensorReduction::Inc,
            AtomicOp::Dec => TensorReduction::Dec,
            AtomicOp::And => TensorReduction::And,
            AtomicOp::Or => TensorReduction::Or,
            AtomicOp::Xor => TensorReduction::Xor,
            other => return Err(self.invalid(format!("`.{}` is no reduction", word(other)))),
        };
        let [mode, operation] = [mode as u64, operation as u64].map(|word| self.i64(word));
        self.lane("tensor.reduce", &[source, map, places, mode, operation]).map(drop)
    }

    /// An operand that is a generic address.
    fn generic_address(&mut self, operand: &Operand<'a>) -> Lowered<Value<'c>> {
        self.read_width(operand, ScalarType::B64, Width::AtLeast)
    }

    fn tensor_mode(&self, mode: Option<TensorMode>) -> Lowered<Mode> {
        Ok(match mode {
            None | Some(TensorMode::Tile) => Mode::Tile,
            Some(TensorMode::TileGather4 | TensorMode::TileScatter4) => Mode::Rows4,
            Some(TensorMode::Im2col) => Mode::Im2col,
            Some(TensorMode::Im2colNoOffs) => Mode::Im2colNoOffsets,
            Some(other) => {
                return Err(self.unsupported(format!("copies in mode `.{}`", word(other))));
            }
        })
    }

    /// Coordinates and offsets in local memory; returns its address.
    fn places(
        &mut self,
        coordinates: &Operand<'a>,
        offsets: Option<&Operand<'a>>,
    ) -> Lowered<Value<'c>> {
        let coordinates = self.elements(coordinates)?;
        let offsets = match offsets {
            Some(offsets) => self.elements(offsets)?,
            None => Vec::new(),
        };
        if coordinates.len() > COORDINATES || offsets.len() > OFFSETS {
            return Err(self.invalid("a tensor has five dimensions at most"));
        }
        let places = self.local(4 * (COORDINATES + OFFSETS) as u64, 8);
        for index in 0..COORDINATES + OFFSETS {
            let value = match index.checked_sub(COORDINATES) {
                None => match coordinates.get(index) {
                    Some(coordinate) => self.read_u32(coordinate)?,
                    None => self.i32(0),
                },
                Some(index) => match offsets.get(index) {
                    Some(offset) => {
                        let value = self.read_width(offset, ScalarType::B16, Width::AtLeast)?;
                        self.builder.zext(value, self.context.i32())
                    }
                    None => self.i32(0),
                },
            };
            let place = self.builder.byte_offset(places, self.i64(4 * index as u64));
            self.builder.store(value, place, 4);
        }
        let generic = self.builder.addr_space_cast(places, self.generic_pointer());
        Ok(self.builder.ptr_to_int(generic, self.context.i64()))
    }

    pub fn tensormap_replace(&mut self, i: &TensormapReplace<'a>) -> Lowered {
        let map = self.word_address(&i.addr, i.ss)?;
        let field = match i.field {
            Field::GlobalAddress => TensorField::GlobalAddress,
            Field::Rank => TensorField::Rank,
            Field::BoxDim => TensorField::BoxDim,
            Field::GlobalDim => TensorField::GlobalDim,
            Field::GlobalStride => TensorField::GlobalStride,
            Field::ElementStride => TensorField::ElementStride,
            Field::Elemtype => TensorField::ElementType,
            Field::InterleaveLayout => TensorField::InterleaveLayout,
            Field::SwizzleMode => TensorField::SwizzleMode,
            Field::SwizzleAtomicity => TensorField::SwizzleAtomicity,
            Field::FillMode => TensorField::FillMode,
        };
        let ordinal = match &i.ord {
            Some(ordinal) => self.read_word(ordinal)?,
            None => self.i64(0),
        };
        let value = self.read(&i.new_val, i.type_)?;
        let value = self.builder.zext(value, self.context.i64());
        let field = self.i64(field as u64);
        self.lane("tensor.replace", &[map, field, ordinal, value]).map(drop)
    }

    pub fn tensormap_cp_fenceproxy(&mut self, i: &TensormapCpFenceproxy<'a>) -> Lowered {
        let to = self.word_address(&i.dst, Some(StateSpace::Global))?;
        let from = self.word_address(&i.src, Some(StateSpace::Shared))?;
        let bytes = self.read_word(&i.size)?;
        self.lane("copy", &[to, from, bytes]).map(drop)
    }
}
