//! [`Shape`]: how a value of one thread differs from that of the next.

use llvm_zluda::{Module, Opcode, Type, Value};

use crate::intrinsics::{self, Uniformity};

/// The relation between the lanes of a value, as a lattice: unknown, then strided, then varying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing has been seen yet, or undefined.
    Unknown,
    /// Lane `n` has the value of lane 0 plus `n` times this; 0 is uniform.
    Strided(i64),
    /// The same within each half of the warp; lanes 0 and 16 are unrelated. Arises in blocks of 16 columns.
    Halves(i64),
    Varying,
}

impl Shape {
    pub const UNIFORM: Shape = Shape::Strided(0);

    /// The shape that holds for both, in the lattice's order.
    pub fn meet(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Unknown, shape) | (shape, Shape::Unknown) => shape,
            (a, b) if a == b => a,
            (Shape::Strided(a), Shape::Halves(b)) | (Shape::Halves(a), Shape::Strided(b))
                if a == b =>
            {
                Shape::Halves(a)
            }
            _ => Shape::Varying,
        }
    }

    /// All lanes have the same value.
    pub fn is_uniform(self) -> bool {
        self == Self::UNIFORM
    }

    /// All lanes have the same value, or nothing is known yet that says otherwise.
    pub fn is_uniform_or_unknown(self) -> bool {
        matches!(self, Shape::Strided(0) | Shape::Unknown)
    }
}

/// The rules by which shapes of operands make shapes of results.
pub struct ShapeRules<'m, 'c> {
    pub module: &'m Module<'c>,
    /// Warps never span rows of a block.
    pub row_warps: bool,
    /// Rows of a block have a multiple of 32 threads.
    pub whole_warps: bool,
    /// Blocks have 16 columns, and a warp is two rows.
    pub halves: bool,
    /// Two warps run as one, as on GPUs with waves of 64: what is the same for a warp differs.
    pub two_warps: bool,
}

/// The shape of an operand.
pub type Of<'f, 'c> = &'f dyn Fn(Value<'c>) -> Shape;

impl<'c> ShapeRules<'_, 'c> {
    /// Arguments of device functions.
    pub fn argument(&self, _argument: Value<'c>) -> Shape {
        Shape::Varying
    }

    /// The shape of an instruction other than a phi.
    pub fn instruction(&self, instruction: Value<'c>, of: Of<'_, 'c>) -> Shape {
        let opcode = instruction.opcode();
        match opcode {
            Opcode::LLVMAlloca => {
                return Shape::Strided(alloca_stride(self.module, instruction) as i64);
            }
            Opcode::LLVMCall => return self.call(instruction, of),
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => return Shape::Varying,
            Opcode::LLVMLoad => {
                return match of(instruction.operand(0)) {
                    Shape::Strided(0) => Shape::UNIFORM,
                    Shape::Unknown => Shape::Unknown,
                    _ => Shape::Varying,
                };
            }
            _ => {}
        }
        let operands: Vec<Shape> =
            instruction.operands().iter().map(|&operand| of(operand)).collect();
        if operands.contains(&Shape::Unknown) && !operands.contains(&Shape::Varying) {
            return Shape::Unknown;
        }
        if operands.iter().all(|shape| shape.is_uniform()) || self.clears_lanes(instruction, of) {
            return Shape::UNIFORM;
        }
        if operands.contains(&Shape::Varying) || !is_scalar_address_like(instruction.ty()) {
            return Shape::Varying;
        }
        self.strided(instruction, opcode, &operands).unwrap_or(Shape::Varying)
    }

    /// Operands are strided, and one at least is not uniform.
    fn strided(&self, instruction: Value<'c>, opcode: Opcode, operands: &[Shape]) -> Option<Shape> {
        let stride = |index: usize| match operands.get(index) {
            Some(Shape::Strided(stride) | Shape::Halves(stride)) => *stride,
            _ => 0,
        };
        let halves = operands.iter().any(|operand| matches!(operand, Shape::Halves(_)));
        if halves
            && (0..operands.len()).all(|index| stride(index) == 0)
            && computes_on_halves(opcode)
        {
            return Some(Shape::Halves(0));
        }
        let constant = |index: u32| instruction.operand(index).as_const_signed();
        let strided = match opcode {
            Opcode::LLVMAdd => stride(0).checked_add(stride(1))?,
            Opcode::LLVMSub => stride(0).checked_sub(stride(1))?,
            Opcode::LLVMOr if instruction.is_disjoint() => stride(0).checked_add(stride(1))?,
            Opcode::LLVMMul => match (constant(0), constant(1)) {
                (_, Some(factor)) => stride(0).checked_mul(factor)?,
                (Some(factor), _) => stride(1).checked_mul(factor)?,
                _ => return None,
            },
            Opcode::LLVMShl => {
                let bits = u32::try_from(constant(1)?).ok().filter(|&bits| bits < 32)?;
                stride(0).checked_mul(1 << bits)?
            }
            // Lanes that differ only in the bits that go away, or that stay.
            Opcode::LLVMLShr | Opcode::LLVMAShr | Opcode::LLVMAnd if halves => return None,
            Opcode::LLVMLShr | Opcode::LLVMAShr => {
                let bits = u32::try_from(constant(1)?).ok().filter(|&bits| bits < 32)?;
                if !self.lanes_stay_below(instruction.operand(0), stride(0), bits) {
                    return None;
                }
                0
            }
            Opcode::LLVMAnd => {
                let mask = constant(1)? as u64;
                let low = mask.trailing_ones();
                let cleared = mask.trailing_zeros();
                if mask == (1u64 << low.min(63)) - 1
                    && self.lanes_stay_below(instruction.operand(0), stride(0), low)
                {
                    stride(0)
                } else if self.lanes_stay_below(instruction.operand(0), stride(0), cleared) {
                    0
                } else {
                    return None;
                }
            }
            Opcode::LLVMSExt | Opcode::LLVMZExt if instruction.operand(0).ty().bits() >= 32 => {
                stride(0)
            }
            Opcode::LLVMTrunc if instruction.ty().bits() >= 8 => stride(0),
            Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr if pointer_sized(instruction) => stride(0),
            Opcode::LLVMAddrSpaceCast | Opcode::LLVMFreeze | Opcode::LLVMBitCast => stride(0),
            Opcode::LLVMSelect if stride(0) == 0 && stride(1) == stride(2) => stride(1),
            Opcode::LLVMGetElementPtr => self.element_pointer(instruction, operands)?,
            _ => return None,
        };
        // The stride of all lanes together stays far from any width.
        let shape = if halves { Shape::Halves(strided) } else { Shape::Strided(strided) };
        (strided.unsigned_abs() < 1 << 24).then_some(shape)
    }

    fn element_pointer(&self, gep: Value<'c>, operands: &[Shape]) -> Option<i64> {
        let mut ty = gep.gep_source_type();
        let mut total = 0i64;
        for (index, shape) in operands.iter().enumerate() {
            let (Shape::Strided(stride) | Shape::Halves(stride)) = *shape else { return None };
            let size = match index {
                0 => 1,
                1 => self.module.size_of(ty) as i64,
                _ if ty.is_struct() => {
                    let field = gep.operand(index as u32).as_const_int()? as usize;
                    ty = *ty.fields().get(field)?;
                    0
                }
                _ => {
                    ty = ty.element();
                    self.module.size_of(ty) as i64
                }
            };
            if index > 0 && stride != 0 && gep.operand(index as u32).ty().bits() < 64 {
                return None;
            }
            total = total.checked_add(stride.checked_mul(size)?)?;
        }
        Some(total)
    }

    /// All lanes differ from lane 0 only in the low `bits` bits: there it has zeros, as far up as they go.
    fn lanes_stay_below(&self, value: Value<'c>, stride: i64, bits: u32) -> bool {
        let zeros = self.base_zeros(value, 8).min(bits).min(31);
        stride >= 0 && stride * 31 < 1 << zeros
    }

    /// The bits in which lanes differ are shifted down, and then masked out: so LLVM writes `i / 32 * 4`.
    fn clears_lanes(&self, and: Value<'c>, of: Of<'_, 'c>) -> bool {
        let masked = || {
            let is_and = and.opcode() == Opcode::LLVMAnd;
            let mask = is_and.then(|| and.operand(1).as_const_int())??;
            let (mut value, mut bits) = (and.operand(0), mask.trailing_zeros());
            while value.is_instruction()
                && matches!(value.opcode(), Opcode::LLVMLShr | Opcode::LLVMAShr)
            {
                let by = u32::try_from(value.operand(1).as_const_int()?).ok()?;
                (value, bits) = (value.operand(0), bits.saturating_add(by));
            }
            let Shape::Strided(stride) = of(value) else { return None };
            Some(self.lanes_stay_below(value, stride, bits))
        };
        masked().unwrap_or(false)
    }

    /// Low bits of lane 0's value that are zero.
    fn base_zeros(&self, value: Value<'c>, depth: u32) -> u32 {
        if let Some(constant) = value.as_const_int() {
            return constant.trailing_zeros();
        }
        if !value.is_instruction() || depth == 0 {
            return 0;
        }
        let zeros = |index: u32| self.base_zeros(value.operand(index), depth - 1);
        match value.opcode() {
            Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMOr => zeros(0).min(zeros(1)),
            Opcode::LLVMMul => zeros(0).saturating_add(zeros(1)).min(64),
            Opcode::LLVMShl => {
                zeros(0) + value.operand(1).as_const_int().unwrap_or(0).min(64) as u32
            }
            Opcode::LLVMAnd => zeros(0).max(zeros(1)),
            Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc | Opcode::LLVMFreeze => {
                zeros(0)
            }
            Opcode::LLVMCall => match value.called_name().as_str() {
                "zluda.laneid" => 64,
                "zluda.tid.x" if self.row_warps => 5,
                "zluda.ntid.x" if self.whole_warps => 5,
                _ => 0,
            },
            _ => 0,
        }
    }

    fn call(&self, call: Value<'c>, of: Of<'_, 'c>) -> Shape {
        let name = call.called_name();
        let shapes: Vec<Shape> = call.arguments().iter().map(|&argument| of(argument)).collect();
        let all_uniform = || {
            if shapes.contains(&Shape::Varying)
                || shapes.iter().any(|s| {
                    matches!(s, Shape::Halves(_)) || matches!(s, Shape::Strided(n) if *n != 0)
                })
            {
                Shape::Varying
            } else if shapes.contains(&Shape::Unknown) {
                Shape::Unknown
            } else {
                Shape::UNIFORM
            }
        };
        // Uniform where all lanes name the same members.
        let by_members = || match shapes.last() {
            Some(Shape::Unknown) => Shape::Unknown,
            Some(Shape::Strided(0)) => Shape::UNIFORM,
            _ => Shape::Varying,
        };
        if name.starts_with("llvm.") {
            return all_uniform();
        }
        let Some(intrinsic) = intrinsics::called(call) else { return Shape::Varying };
        let differs_between_warps = matches!(
            intrinsic.uniformity,
            Uniformity::Thread | Uniformity::Members | Uniformity::Warp
        );
        if self.two_warps && differs_between_warps {
            return Shape::Varying;
        }
        match name.trim_start_matches(intrinsics::PREFIX) {
            "laneid" => return Shape::Strided(1),
            "tid.x" if self.row_warps => return Shape::Strided(1),
            "tid.x" if self.halves => return Shape::Halves(1),
            "tid.y" if self.halves => return Shape::Halves(0),
            "tid.z" if self.halves => return Shape::UNIFORM,
            "tid.y" | "tid.z" if self.row_warps => return Shape::UNIFORM,
            "shfl.idx" => {
                let whole_warp = call
                    .operand(2)
                    .as_const_int()
                    .is_some_and(|c| c & 0x1f00 == 0 && c & 0x1f == 0x1f);
                return match (shapes[1], whole_warp) {
                    (Shape::Unknown, _) => Shape::Unknown,
                    (Shape::Strided(0), true) => Shape::UNIFORM,
                    _ => Shape::Varying,
                };
            }
            _ => {}
        }
        match intrinsic.uniformity {
            Uniformity::Thread => Shape::Varying,
            Uniformity::Arguments => all_uniform(),
            Uniformity::Members => by_members(),
            Uniformity::Warp | Uniformity::Lockstep | Uniformity::Block => Shape::UNIFORM,
        }
    }
}

fn is_scalar_address_like(ty: Type<'_>) -> bool {
    ty.is_pointer() || (ty.is_int() && (8..=64).contains(&ty.bits()))
}

/// Operations that are done for both halves when each half is uniform; none that traps.
fn computes_on_halves(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LLVMAdd
            | LLVMSub
            | LLVMMul
            | LLVMShl
            | LLVMLShr
            | LLVMAShr
            | LLVMAnd
            | LLVMOr
            | LLVMXor
            | LLVMSExt
            | LLVMZExt
            | LLVMTrunc
            | LLVMFreeze
            | LLVMPtrToInt
            | LLVMIntToPtr
            | LLVMAddrSpaceCast
            | LLVMGetElementPtr
    )
}

fn pointer_sized(cast: Value<'_>) -> bool {
    [cast.ty(), cast.operand(0).ty()].iter().all(|ty| ty.is_pointer() || ty.bits() == 64)
}

/// A cache has places for some lines at each multiple of a few of these, 32 lanes' lines being more.
const HALF_PAGE: u64 = 2048;
const LINE: u64 = 64;

/// Bytes from one lane's copy of a stack variable to the next one's. The same elements of all copies do not lie in the same
/// sets of a cache.
pub fn alloca_stride(module: &Module<'_>, alloca: Value<'_>) -> u64 {
    let count = alloca.operand(0).as_const_int().unwrap_or(1);
    let align = alloca.alignment().max(1) as u64;
    let size = (module.size_of(alloca.allocated_type()) * count).next_multiple_of(align).max(align);
    if size.is_multiple_of(HALF_PAGE) { size + align.max(LINE) } else { size }
}
