//! [`MatrixOperation`]: what a matrix instruction does, as one number in per-thread IR.

/// The kind of a matrix operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MatrixKind {
    /// `d = a * b + c` of one warp, all in registers.
    Multiply = 0,
    /// `wgmma.mma_async`: `d = a * b + d` of four warps; `b`, and `a` unless `a_in_registers`, in shared memory.
    /// One warp computes its 16 rows.
    WarpGroup,
    /// `ldmatrix`
    Load,
    /// `stmatrix`
    Store,
    /// `movmatrix`
    Transpose,
}

/// Types of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MatrixType {
    F16 = 0,
    Bf16,
    Tf32,
    F32,
    F64,
    E4m3,
    E5m2,
    E3m2,
    E2m3,
    E2m1,
    S8,
    U8,
    S4,
    U4,
    S32,
    B1,
    B8,
    B16,
    B6x16P32,
    B4x16P64,
}

impl MatrixType {
    const ALL: [Self; 20] = [
        Self::F16,
        Self::Bf16,
        Self::Tf32,
        Self::F32,
        Self::F64,
        Self::E4m3,
        Self::E5m2,
        Self::E3m2,
        Self::E2m3,
        Self::E2m1,
        Self::S8,
        Self::U8,
        Self::S4,
        Self::U4,
        Self::S32,
        Self::B1,
        Self::B8,
        Self::B16,
        Self::B6x16P32,
        Self::B4x16P64,
    ];

    /// Bits of an element in a register. Formats below 8 bits lie in bytes of their own, except for
    /// those of `kind::mxf4` and `kind::mxf4nvf4`.
    pub fn bits(self) -> u32 {
        match self {
            Self::F64 => 64,
            Self::Tf32 | Self::F32 | Self::S32 => 32,
            Self::F16 | Self::Bf16 | Self::B16 => 16,
            Self::S4 | Self::U4 => 4,
            Self::B1 => 1,
            _ => 8,
        }
    }
}

/// The scaling of the parts of a block-scaled product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockScale {
    /// Factors for each row of `a` and column of `b`: 1, 2 or 4.
    pub factors: u8,
    /// The factors are `.ue4m3`, else `.ue8m0`.
    pub ue4m3: bool,
}

/// Rounding of f64 products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MatrixRounding {
    Nearest = 0,
    Zero,
    Down,
    Up,
}

/// A matrix operation. Fields without a meaning for its kind are as in [`MatrixOperation::new`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixOperation {
    pub kind: MatrixKind,
    /// For loads and stores the rows and columns of a matrix, as the shape names them.
    pub m: u16,
    pub n: u16,
    /// For loads and stores how many matrices.
    pub k: u16,
    pub a: MatrixType,
    pub b: MatrixType,
    pub c: MatrixType,
    pub d: MatrixType,
    /// `a` is in columns (`m8n8k4`), or transposed; for loads and stores `.trans`.
    pub a_columns: bool,
    /// `b` is in rows (`m8n8k4`), or transposed.
    pub b_rows: bool,
    pub saturate: bool,
    /// Single bits meet in `and`, else in `xor`.
    pub and: bool,
    /// `a` holds half of its elements, metadata say which.
    pub sparse: bool,
    /// Elements of four bits fill bytes in pairs (`kind::mxf4`, `kind::mxf4nvf4`).
    pub packed: bool,
    pub a_in_registers: bool,
    pub negate_a: bool,
    pub negate_b: bool,
    pub rounding: MatrixRounding,
    pub scale: Option<BlockScale>,
}

impl MatrixOperation {
    /// An operation of this shape with `f32` sums, and no more than that: dense, not scaled, with `a` by rows.
    pub fn new(kind: MatrixKind, m: u16, n: u16, k: u16, factors: MatrixType) -> Self {
        Self {
            kind,
            m,
            n,
            k,
            a: factors,
            b: factors,
            c: MatrixType::F32,
            d: MatrixType::F32,
            a_columns: false,
            b_rows: false,
            saturate: false,
            and: false,
            sparse: false,
            packed: false,
            a_in_registers: true,
            negate_a: false,
            negate_b: false,
            rounding: MatrixRounding::Nearest,
            scale: None,
        }
    }

    /// The operation as one number, which [`MatrixOperation::unpack`] reads.
    pub fn pack(&self) -> u64 {
        let mut bits = Bits { value: 0, at: 0 };
        bits.put(3, self.kind as u64);
        bits.put(7, self.m.into());
        bits.put(9, self.n.into());
        bits.put(9, self.k.into());
        for ty in [self.a, self.b, self.c, self.d] {
            bits.put(5, ty as u64);
        }
        for flag in [
            self.a_columns,
            self.b_rows,
            self.saturate,
            self.and,
            self.sparse,
            self.packed,
            self.a_in_registers,
            self.negate_a,
            self.negate_b,
        ] {
            bits.put(1, flag.into());
        }
        bits.put(2, self.rounding as u64);
        bits.put(3, self.scale.map_or(0, |scale| scale.factors.into()));
        bits.put(1, self.scale.is_some_and(|scale| scale.ue4m3).into());
        bits.value
    }

    /// None for a number that [`MatrixOperation::pack`] does not make.
    pub fn unpack(value: u64) -> Option<Self> {
        let mut bits = Bits { value, at: 0 };
        let kind = match bits.take(3) {
            0 => MatrixKind::Multiply,
            1 => MatrixKind::WarpGroup,
            2 => MatrixKind::Load,
            3 => MatrixKind::Store,
            4 => MatrixKind::Transpose,
            _ => return None,
        };
        let [m, n, k] = [7, 9, 9].map(|width| bits.take(width) as u16);
        let mut operation = Self::new(kind, m, n, k, MatrixType::F16);
        for ty in [&mut operation.a, &mut operation.b, &mut operation.c, &mut operation.d] {
            *ty = *MatrixType::ALL.get(bits.take(5) as usize)?;
        }
        for flag in [
            &mut operation.a_columns,
            &mut operation.b_rows,
            &mut operation.saturate,
            &mut operation.and,
            &mut operation.sparse,
            &mut operation.packed,
            &mut operation.a_in_registers,
            &mut operation.negate_a,
            &mut operation.negate_b,
        ] {
            *flag = bits.take(1) != 0;
        }
        operation.rounding = match bits.take(2) {
            0 => MatrixRounding::Nearest,
            1 => MatrixRounding::Zero,
            2 => MatrixRounding::Down,
            _ => MatrixRounding::Up,
        };
        let (factors, ue4m3) = (bits.take(3) as u8, bits.take(1) != 0);
        operation.scale = (factors != 0).then_some(BlockScale { factors, ue4m3 });
        Some(operation)
    }

    /// Words of each fragment in a thread.
    pub fn words(&self) -> MatrixWords {
        let (m, n, k) = (u32::from(self.m), u32::from(self.n), u32::from(self.k));
        let words = |elements: u32, bits: u32| (elements * bits).div_ceil(32 * 32);
        let bits = |ty: MatrixType| if self.packed { 4 } else { ty.bits() };
        let mut counts = MatrixWords { a: 0, b: 0, c: 0, d: 0, more: 0 };
        match self.kind {
            // `m8n8k4` of f16 is four products at once, one for each pair of quads.
            MatrixKind::Multiply if self.is_quad_pairs() => {
                counts.a = 2;
                counts.b = 2;
                counts.c = if self.c == MatrixType::F16 { 4 } else { 8 };
                counts.d = if self.d == MatrixType::F16 { 4 } else { 8 };
            }
            MatrixKind::Multiply => {
                let stored_k = if self.sparse { k / 2 } else { k };
                counts.a = words(m * stored_k, bits(self.a));
                counts.b = words(k * n, bits(self.b));
                counts.c = words(m * n, self.c.bits());
                counts.d = words(m * n, self.d.bits());
                counts.more =
                    if self.sparse { 2 } else { 0 } + if self.scale.is_some() { 6 } else { 0 };
            }
            MatrixKind::WarpGroup => {
                // Registers of `a`, or the halves of its descriptor; those of the descriptor of `b`;
                // metadata and selector; `scale-d`.
                counts.a = if self.a_in_registers { 4 } else { 2 };
                counts.b = 2;
                counts.c = words(16 * n, self.c.bits());
                counts.d = counts.c;
                counts.more = if self.sparse { 2 } else { 0 } + 1;
            }
            MatrixKind::Load => {
                counts.a = 1;
                counts.d = if self.n == 16 && self.m == 16 { 2 * k } else { k };
            }
            MatrixKind::Store => {
                counts.a = 1;
                counts.b = k;
            }
            MatrixKind::Transpose => {
                counts.a = 1;
                counts.d = 1;
            }
        }
        counts
    }

    /// The one shape whose warp computes four products.
    pub fn is_quad_pairs(&self) -> bool {
        self.kind == MatrixKind::Multiply
            && (self.m, self.n, self.k) == (8, 8, 4)
            && self.a == MatrixType::F16
    }
}

/// 32-bit words of the operands of one thread, in the order of the operands, and of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixWords {
    pub a: u32,
    pub b: u32,
    pub c: u32,
    pub d: u32,
    /// Metadata and selector; then factor, byte and thread of the scales of `a` and of `b`; `scale-d`.
    pub more: u32,
}

impl MatrixWords {
    /// The number of words that the operation reads.
    pub fn inputs(&self) -> u32 {
        self.a + self.b + self.c + self.more
    }
}

struct Bits {
    value: u64,
    at: u32,
}

impl Bits {
    fn put(&mut self, width: u32, value: u64) {
        self.value |= (value & ((1 << width) - 1)) << self.at;
        self.at += width;
    }

    fn take(&mut self, width: u32) -> u64 {
        let value = self.value >> self.at & ((1 << width) - 1);
        self.at += width;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_survives_its_number() {
        let mut operation =
            MatrixOperation::new(MatrixKind::WarpGroup, 64, 256, 256, MatrixType::S8);
        operation.d = MatrixType::B4x16P64;
        operation.negate_b = true;
        operation.rounding = MatrixRounding::Up;
        operation.scale = Some(BlockScale { factors: 4, ue4m3: true });
        assert_eq!(MatrixOperation::unpack(operation.pack()), Some(operation));
    }

    #[test]
    fn fragments_have_the_registers_of_the_manual() {
        let words = |m, n, k, ty| MatrixOperation::new(MatrixKind::Multiply, m, n, k, ty).words();
        let count = |w: MatrixWords| (w.a, w.b, w.c);
        assert_eq!(count(words(16, 8, 16, MatrixType::F16)), (4, 2, 4));
        assert_eq!(count(words(16, 8, 32, MatrixType::S8)), (4, 2, 4));
        assert_eq!(count(words(8, 8, 128, MatrixType::B1)), (1, 1, 2));
        assert_eq!(count(words(16, 8, 16, MatrixType::F64)), (16, 8, 4));
    }
}
