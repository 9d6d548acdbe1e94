//! `wgmma`: products of four warps, whose factors lie in shared memory.
//!
//! The hardware computes them aside, for all four at once; here each warp has computed its rows when the instruction is over, so
//! that fences and groups have nothing to do, and a wait is one for the other warps, on the CPU.

use ptx_parser::isa::{WgmmaMmaAsync, WgmmaMmaAsyncSp};
use ptx_parser::{Operand, ScalarType, WgmmaShape};
use simt_abi::{MatrixKind, MatrixOperation, MatrixType};

use super::Lowered;
use super::control::NAMED_BARRIERS;
use super::function::FunctionLowering;

/// Threads of four warps.
const WARP_GROUP: u32 = 128;

/// The modifiers and operands that the dense and the sparse form have in common.
struct Product<'i, 'a> {
    shape: WgmmaShape,
    /// d, a, b
    types: [ScalarType; 3],
    satfinite: bool,
    d: &'i Operand<'a>,
    /// Registers.
    a: Option<&'i Operand<'a>>,
    a_desc: Option<&'i Operand<'a>>,
    b_desc: &'i Operand<'a>,
    /// Metadata and selector.
    sparse: Option<[&'i Operand<'a>; 2]>,
    scale_d: &'i Operand<'a>,
    signs: [Option<&'i Operand<'a>>; 2],
    transposed: [Option<&'i Operand<'a>>; 2],
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    /// Waits for the other three warps of the group: the products that end are all of theirs, and whoever goes on may overwrite what they
    /// read.
    pub fn wgmma_wait(&self) {
        // Triton's products for sm_90 come out wrong with it on an emulated RX 7900; why is not known, and their warps run side by side.
        if self.module.is_amdgcn {
            return;
        }
        let group = self.builder.lshr(self.zluda("warpid", &[]), self.i32(2));
        let id = self.builder.add(group, self.i32(NAMED_BARRIERS));
        self.zluda("barrier.sync", &[id, self.i32(WARP_GROUP)]);
    }

    pub fn wgmma(&mut self, i: &WgmmaMmaAsync<'a>) -> Lowered {
        self.warp_group_product(&Product {
            shape: i.shape,
            types: [i.dtype, i.atype, i.btype],
            satfinite: i.satfinite,
            d: &i.d,
            a: i.a.as_ref(),
            a_desc: i.a_desc.as_ref(),
            b_desc: &i.b_desc,
            sparse: None,
            scale_d: &i.scale_d,
            signs: [i.imm_scale_a.as_ref(), i.imm_scale_b.as_ref()],
            transposed: [i.imm_trans_a.as_ref(), i.imm_trans_b.as_ref()],
        })
    }

    pub fn wgmma_sp(&mut self, i: &WgmmaMmaAsyncSp<'a>) -> Lowered {
        self.warp_group_product(&Product {
            shape: i.shape,
            types: [i.dtype, i.atype, i.btype],
            satfinite: i.satfinite,
            d: &i.d,
            a: i.a.as_ref(),
            a_desc: i.a_desc.as_ref(),
            b_desc: &i.b_desc,
            sparse: Some([&i.sp_meta, &i.sp_sel]),
            scale_d: &i.scale_d,
            signs: [i.imm_scale_a.as_ref(), i.imm_scale_b.as_ref()],
            transposed: [i.imm_trans_a.as_ref(), i.imm_trans_b.as_ref()],
        })
    }

    fn warp_group_product(&mut self, product: &Product<'_, 'a>) -> Lowered {
        // Where the operands are as many, registers are told from a descriptor by their braces.
        let registers = match (product.a, product.a_desc) {
            (None, Some(vector @ Operand::Vector(_))) => Some(vector),
            (a, _) => a,
        };
        let [d, a, b] = product.types;
        let WgmmaShape { n, k } = product.shape;
        let mut operation =
            MatrixOperation::new(MatrixKind::WarpGroup, 64, n, k, self.matrix_type(a)?);
        operation.b = self.matrix_type(b)?;
        operation.d = self.matrix_type(d)?;
        operation.c = operation.d;
        operation.saturate = product.satfinite;
        operation.and = operation.a == MatrixType::B1;
        operation.sparse = product.sparse.is_some();
        operation.a_in_registers = registers.is_some();
        operation.negate_a = self.flag(product.signs[0], -1)?;
        operation.negate_b = self.flag(product.signs[1], -1)?;
        operation.a_columns = self.flag(product.transposed[0], 1)?;
        operation.b_rows = self.flag(product.transposed[1], 1)?;

        let words = operation.words();
        let mut inputs = match (registers, product.a_desc) {
            (Some(a), _) => self.read_fragment(a, MatrixType::B16, words.a)?,
            (None, Some(descriptor)) => self.read_fragment(descriptor, MatrixType::F64, words.a)?,
            (None, None) => return Err(self.invalid("a product without `a`")),
        };
        inputs.extend(self.read_fragment(product.b_desc, MatrixType::F64, words.b)?);
        inputs.extend(self.read_fragment(product.d, operation.c, words.c)?);
        for operand in product.sparse.into_iter().flatten() {
            inputs.push(self.read_u32(operand)?);
        }
        let accumulates = self.read(product.scale_d, ScalarType::Pred)?;
        inputs.push(self.builder.zext(accumulates, self.context.i32()));
        let results = self.matrix(&operation, &inputs)?;
        self.write_fragment(product.d, operation.d, &results)
    }

    /// Whether an immediate operand has a value; the other one is 1 for signs and 0 for flags.
    fn flag(&self, operand: Option<&Operand<'a>>, value: i64) -> Lowered<bool> {
        match operand {
            None => Ok(false),
            Some(Operand::Immediate(immediate)) => {
                Ok(immediate.integer().is_some_and(|number| i64::try_from(number) == Ok(value)))
            }
            Some(_) => Err(self.invalid("a constant is wanted")),
        }
    }
}
