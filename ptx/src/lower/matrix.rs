//! Products of matrices whose fragments are in registers: `mma`, `mma.sp`, `wmma.mma`.
//!
//! All are one intrinsic, `zluda.matrix`: what it does is a number, see [`simt_abi::MatrixOperation`].

use llvm_zluda::Value;
use ptx_parser::isa::{Mma, MmaSp, WmmaMma};
use ptx_parser::{
    BoolOp, Layout, MatrixShape, MmaKind, Operand, Rounding, ScalarType, ScaleVecSize,
};
use simt_abi::{BlockScale, MatrixKind, MatrixOperation, MatrixRounding, MatrixType, MatrixWords};

use super::Lowered;
use super::function::{FunctionLowering, word};

/// Rows of `a`, columns of `b`, and what is between.
pub fn extent(shape: MatrixShape) -> (u16, u16, u16) {
    match shape {
        MatrixShape::M8n8k4 => (8, 8, 4),
        MatrixShape::M8n8k16 => (8, 8, 16),
        MatrixShape::M8n8k32 => (8, 8, 32),
        MatrixShape::M8n8k128 => (8, 8, 128),
        MatrixShape::M16n8k4 => (16, 8, 4),
        MatrixShape::M16n8k8 => (16, 8, 8),
        MatrixShape::M16n8k16 => (16, 8, 16),
        MatrixShape::M16n8k32 => (16, 8, 32),
        MatrixShape::M16n8k64 => (16, 8, 64),
        MatrixShape::M16n8k128 => (16, 8, 128),
        MatrixShape::M16n8k256 => (16, 8, 256),
        MatrixShape::M16n16k16 => (16, 16, 16),
        MatrixShape::M16n16k8 => (16, 16, 8),
        MatrixShape::M8n32k16 => (8, 32, 16),
        MatrixShape::M32n8k16 => (32, 8, 16),
    }
}

/// None for types that matrices do not have.
pub fn matrix_type(type_: ScalarType) -> Option<MatrixType> {
    Some(match type_ {
        ScalarType::F16 => MatrixType::F16,
        ScalarType::Bf16 => MatrixType::Bf16,
        ScalarType::Tf32 => MatrixType::Tf32,
        ScalarType::F32 => MatrixType::F32,
        ScalarType::F64 => MatrixType::F64,
        ScalarType::E4m3 => MatrixType::E4m3,
        ScalarType::E5m2 => MatrixType::E5m2,
        ScalarType::E3m2 => MatrixType::E3m2,
        ScalarType::E2m3 => MatrixType::E2m3,
        ScalarType::E2m1 => MatrixType::E2m1,
        ScalarType::S8 => MatrixType::S8,
        ScalarType::U8 => MatrixType::U8,
        ScalarType::S4 => MatrixType::S4,
        ScalarType::U4 => MatrixType::U4,
        ScalarType::S32 => MatrixType::S32,
        ScalarType::B1 => MatrixType::B1,
        ScalarType::B8 => MatrixType::B8,
        ScalarType::B16 => MatrixType::B16,
        ScalarType::B6x16P32 => MatrixType::B6x16P32,
        ScalarType::B4x16P64 => MatrixType::B4x16P64,
        _ => return None,
    })
}

/// The modifiers and operands that `mma` and `mma.sp` have in common.
struct Product<'i, 'a> {
    shape: MatrixShape,
    /// d, a, b, c
    types: [ScalarType; 4],
    kind: Option<MmaKind>,
    scale_vec_size: Option<ScaleVecSize>,
    stype: Option<ScalarType>,
    satfinite: bool,
    operands: [&'i Operand<'a>; 4],
    /// Metadata and selector.
    sparse: Option<[&'i Operand<'a>; 2]>,
    /// Data and selector of `a`, then of `b`.
    scales: Option<[&'i Operand<'a>; 4]>,
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    /// The type of elements, or the error that there is none.
    pub fn matrix_type(&self, type_: ScalarType) -> Lowered<MatrixType> {
        matrix_type(type_).ok_or_else(|| self.invalid(format!("matrices of `.{}`", word(type_))))
    }

    /// Calls the intrinsic; gives the words of the result.
    pub fn matrix(
        &self,
        operation: &MatrixOperation,
        inputs: &[Value<'c>],
    ) -> Lowered<Vec<Value<'c>>> {
        let MatrixWords { d, .. } = operation.words();
        let mut arguments = vec![self.i64(operation.pack())];
        arguments.extend(inputs);
        let memory = match operation.kind {
            MatrixKind::Multiply | MatrixKind::Transpose => "",
            _ => "memory.",
        };
        let name = format!("matrix.{memory}{d}.{}", inputs.len());
        let all = self.zluda(&name, &arguments);
        Ok((0..d).map(|index| self.builder.extract_value(all, index)).collect())
    }

    /// The words of a fragment's registers, which have 64 bits for f64.
    pub fn read_fragment(
        &mut self,
        operand: &Operand<'a>,
        type_: MatrixType,
        words: u32,
    ) -> Lowered<Vec<Value<'c>>> {
        let registers = self.registers(operand)?;
        let mut values = Vec::with_capacity(words as usize);
        for register in &registers {
            if type_ == MatrixType::F64 {
                let wide = self.read(register, ScalarType::B64)?;
                let high = self.builder.lshr(wide, self.i64(32));
                values.push(self.builder.trunc(wide, self.context.i32()));
                values.push(self.builder.trunc(high, self.context.i32()));
            } else {
                values.push(self.read(register, ScalarType::B32)?);
            }
        }
        if values.len() != words as usize {
            return Err(self.fragment_error(registers.len(), type_, words));
        }
        Ok(values)
    }

    /// Writes a fragment, in words of 32 bits, to registers. Fails if the registers are more or fewer.
    pub fn write_fragment(
        &mut self,
        operand: &Operand<'a>,
        type_: MatrixType,
        words: &[Value<'c>],
    ) -> Lowered {
        let registers = self.registers(operand)?;
        let each = if type_ == MatrixType::F64 { 2 } else { 1 };
        if registers.len() * each != words.len() {
            return Err(self.fragment_error(registers.len(), type_, words.len() as u32));
        }
        for (register, words) in registers.iter().zip(words.chunks(each)) {
            let value = match words {
                [low, high] => {
                    let wide = self.context.i64();
                    let high = self.builder.shl(self.builder.zext(*high, wide), self.i64(32));
                    self.builder.or(self.builder.zext(*low, wide), high)
                }
                _ => words[0],
            };
            self.write(register, value)?;
        }
        Ok(())
    }

    fn fragment_error(&self, found: usize, type_: MatrixType, words: u32) -> ptx_parser::Error {
        let wanted = if type_ == MatrixType::F64 { words / 2 } else { words };
        self.invalid(format!("a fragment of {found} registers where {wanted} are wanted"))
    }

    /// `{a, b}`, a vector register, or one register alone.
    fn registers(&mut self, operand: &Operand<'a>) -> Lowered<Vec<Operand<'a>>> {
        match self.elements(operand) {
            Ok(elements) => Ok(elements),
            Err(_) if matches!(operand, Operand::Name(_)) => Ok(vec![operand.clone()]),
            Err(error) => Err(error),
        }
    }

    pub fn mma(&mut self, i: &Mma<'a>) -> Lowered {
        let scales = all_of([&i.scale_a_data, &i.selector_a, &i.scale_b_data, &i.selector_b]);
        let product = Product {
            shape: i.shape,
            types: [i.dtype, i.atype, i.btype, i.ctype],
            kind: i.kind,
            scale_vec_size: i.scale_vec_size,
            stype: i.stype,
            satfinite: i.satfinite,
            operands: [&i.d, &i.a, &i.b, &i.c],
            sparse: None,
            scales,
        };
        let mut operation = self.product_operation(&product)?;
        operation.a_columns = i.alayout == Layout::Col;
        operation.b_rows = i.blayout == Layout::Row;
        operation.and = i.bit_op == Some(BoolOp::And);
        operation.rounding = self.matrix_rounding(i.rnd)?;
        self.fragment_product(&product, &operation)
    }

    pub fn mma_sp(&mut self, i: &MmaSp<'a>) -> Lowered {
        let scales = all_of([&i.scale_a_data, &i.selector_a, &i.scale_b_data, &i.selector_b]);
        let product = Product {
            shape: i.shape,
            types: [i.dtype, i.atype, i.btype, i.ctype],
            kind: i.kind,
            scale_vec_size: i.scale_vec_size,
            stype: i.stype,
            satfinite: i.satfinite,
            operands: [&i.d, &i.a, &i.b, &i.c],
            sparse: Some([&i.e, &i.f]),
            scales,
        };
        let mut operation = self.product_operation(&product)?;
        operation.sparse = true;
        self.fragment_product(&product, &operation)
    }

    fn matrix_rounding(&self, rounding: Option<Rounding>) -> Lowered<MatrixRounding> {
        Ok(match rounding {
            None | Some(Rounding::Rn) => MatrixRounding::Nearest,
            Some(Rounding::Rz) => MatrixRounding::Zero,
            Some(Rounding::Rm) => MatrixRounding::Down,
            Some(Rounding::Rp) => MatrixRounding::Up,
            Some(other) => return Err(self.invalid(format!("`.{}` on a product", word(other)))),
        })
    }

    fn product_operation(&self, product: &Product<'_, 'a>) -> Lowered<MatrixOperation> {
        let (m, n, k) = extent(product.shape);
        let [d, a, b, c] = product.types;
        let mut operation =
            MatrixOperation::new(MatrixKind::Multiply, m, n, k, self.matrix_type(a)?);
        operation.b = self.matrix_type(b)?;
        operation.c = self.matrix_type(c)?;
        operation.d = self.matrix_type(d)?;
        operation.saturate = product.satfinite;
        operation.packed = matches!(product.kind, Some(MmaKind::Mxf4 | MmaKind::Mxf4nvf4));
        if product.scales.is_some() {
            let factors = match (product.scale_vec_size, operation.packed) {
                (Some(ScaleVecSize::X1), _) | (None, false) => 1,
                (Some(ScaleVecSize::X2), _) | (None, true) => 2,
                _ => 4,
            };
            let ue4m3 = product.stype == Some(ScalarType::Ue4m3);
            operation.scale = Some(BlockScale { factors, ue4m3 });
        }
        Ok(operation)
    }

    fn fragment_product(
        &mut self,
        product: &Product<'_, 'a>,
        operation: &MatrixOperation,
    ) -> Lowered {
        let words = operation.words();
        let [d, a, b, c] = product.operands;
        let mut inputs = self.read_fragment(a, operation.a, words.a)?;
        inputs.extend(self.read_fragment(b, operation.b, words.b)?);
        inputs.extend(self.read_fragment(c, operation.c, words.c)?);
        for operand in product.sparse.into_iter().flatten() {
            inputs.push(self.read_u32(operand)?);
        }
        if let Some([data_a, selector_a, data_b, selector_b]) = product.scales {
            for (data, selector) in [(data_a, selector_a), (data_b, selector_b)] {
                inputs.push(self.read_u32(data)?);
                // The first byte, and the threads that have it.
                let Operand::Vector(selector) = selector else {
                    return Err(self.invalid("a selector of scales is a pair"));
                };
                for part in selector.iter() {
                    inputs.push(self.read_u32(part)?);
                }
            }
        }
        if inputs.len() != words.inputs() as usize {
            return Err(self.invalid("a selector of scales is a pair"));
        }
        let results = self.matrix(operation, &inputs)?;
        self.write_fragment(d, operation.d, &results)
    }

    /// Fragments of `wmma` are those of one or two `mma`: shapes that are 32 wide or high are two halves,
    /// and `m8n32` is the transpose of `m32n8`.
    pub fn wmma_mma(&mut self, i: &WmmaMma<'a>) -> Lowered {
        let (m, n, k) = extent(i.shape);
        let [a_type, b_type] = [i.atype, i.btype].map(|type_| type_.unwrap_or(ScalarType::F16));
        let (halves, transposed) = (m * n == 256, m == 8 && n == 32);
        let (height, width) = if halves { (16, 8) } else { (m, n) };
        let first = if transposed { b_type } else { a_type };
        let second = if transposed { a_type } else { b_type };
        let mut operation =
            MatrixOperation::new(MatrixKind::Multiply, height, width, k, self.matrix_type(first)?);
        operation.b = self.matrix_type(second)?;
        operation.c = self.matrix_type(i.ctype)?;
        operation.d = self.matrix_type(i.dtype)?;
        operation.saturate = i.satfinite;
        operation.and = i.op == Some(BoolOp::And);
        operation.rounding = self.matrix_rounding(i.rnd)?;
        // tf32 goes by four elements of k at a time, the other types at once.
        let steps = if operation.a == MatrixType::Tf32 { 2 } else { 1 };
        operation.k = k / steps as u16;
        let mut words = operation.words();
        words.a *= steps as u32;
        words.b *= steps as u32;
        let pieces = if halves { 2 } else { 1 };
        // How many pieces `a` and `b` of the product have.
        let (a_pieces, b_pieces) = match (halves, m, transposed) {
            (false, ..) => (1, 1),
            (true, 16, _) => (1, 2),
            _ => (2, 1),
        };
        let (a, b) = if transposed { (&i.b, &i.a) } else { (&i.a, &i.b) };
        let a = self.read_wmma_fragment(a, operation.a, words.a * a_pieces)?;
        let b = self.read_wmma_fragment(b, operation.b, words.b * b_pieces)?;
        let c = self.read_fragment(&i.c, operation.c, words.c * pieces)?;
        let mut results = Vec::new();
        for piece in 0..pieces {
            let of = |fragment: &[Value<'c>], count: u32, pieces: u32| {
                let first = if pieces > 1 { piece * count } else { 0 };
                fragment[first as usize..(first + count) as usize].to_vec()
            };
            let mut sum = of(&c, words.c, pieces);
            let (a, b) = (of(&a, words.a, a_pieces), of(&b, words.b, b_pieces));
            for (a, b) in a.chunks(a.len() / steps).zip(b.chunks(b.len() / steps)) {
                let inputs = [a, b, sum.as_slice()].concat();
                sum = self.matrix(&operation, &inputs)?;
            }
            results.extend(sum);
        }
        self.write_fragment(&i.d, operation.d, &results)
    }

    /// Factors of f16 have eight registers always, of which the last ones are copies.
    fn read_wmma_fragment(
        &mut self,
        operand: &Operand<'a>,
        type_: MatrixType,
        words: u32,
    ) -> Lowered<Vec<Value<'c>>> {
        if type_ != MatrixType::F16 {
            return self.read_fragment(operand, type_, words);
        }
        let mut all = self.read_fragment(operand, type_, 8)?;
        all.truncate(words as usize);
        Ok(all)
    }
}

/// The operands of a block-scaled product, which has all of them or none.
fn all_of<T>(operands: [&Option<T>; 4]) -> Option<[&T; 4]> {
    let [data_a, selector_a, data_b, selector_b] = operands.map(Option::as_ref);
    Some([data_a?, selector_a?, data_b?, selector_b?])
}
