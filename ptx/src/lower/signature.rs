//! The signature of a `.func` in LLVM IR.

use llvm_zluda::{Context, Type};
use ptx_parser::{Error, ScalarType, StateSpace, Variable};
use simt::space;

use crate::passes::layout_parameters::{align_of, size_of};

/// A parameter or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Passed as a value.
    Scalar(ScalarType),
    /// Passed as a pointer to the caller's space; bytes. Vectors of registers are, too.
    Memory { size: u64, align: u64 },
}

impl Slot {
    /// The slot of a parameter or result. Fails for textures and samplers, and for arrays of registers.
    pub fn new(variable: &Variable<'_>) -> Result<Self, Error> {
        if variable.dimensions.is_empty() && variable.vector.is_none() {
            if variable.type_.bits() == 0 {
                return Err(Error::unsupported(variable.span, "texture and sampler parameters"));
            }
            return Ok(Slot::Scalar(variable.type_));
        }
        if variable.space == StateSpace::Reg && !variable.dimensions.is_empty() {
            return Err(Error::invalid(variable.span, "a register parameter is an array"));
        }
        Ok(Slot::Memory { size: size_of(variable), align: align_of(variable) })
    }

    /// Size and alignment where it lies in memory, in bytes.
    pub fn layout(self) -> (u64, u64) {
        match self {
            Slot::Scalar(type_) => {
                let size = u64::from(type_.size().max(1));
                (size, size)
            }
            Slot::Memory { size, align } => (size, align),
        }
    }

    /// Values of both have one form in LLVM IR, but for a bitcast.
    fn fits(self, other: Slot) -> bool {
        match (self, other) {
            (Slot::Scalar(a), Slot::Scalar(b)) => a.bits() == b.bits(),
            (Slot::Memory { size: a, .. }, Slot::Memory { size: b, .. }) => a == b,
            _ => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub returns: Vec<Slot>,
    pub parameters: Vec<Slot>,
}

impl Signature {
    /// The signature of a function. Fails where a parameter or result has no [`Slot`].
    pub fn new(returns: &[Variable<'_>], parameters: &[Variable<'_>]) -> Result<Self, Error> {
        Ok(Self {
            returns: returns.iter().map(Slot::new).collect::<Result<_, _>>()?,
            parameters: parameters.iter().map(Slot::new).collect::<Result<_, _>>()?,
        })
    }

    /// The first result, where it is a scalar: the LLVM function's return value.
    pub fn returned(&self) -> Option<ScalarType> {
        match self.returns.first() {
            Some(Slot::Scalar(type_)) => Some(*type_),
            _ => None,
        }
    }

    /// Results that go through pointers, which are the first LLVM parameters.
    pub fn returned_in_memory(&self) -> &[Slot] {
        let skip = usize::from(self.returned().is_some());
        self.returns.get(skip..).unwrap_or_default()
    }

    /// The types of the LLVM function's parameters: pointers for results in memory, then the parameters.
    pub fn parameter_types<'c>(&self, context: &'c Context) -> Vec<Type<'c>> {
        let pointer = context.ptr(space::LOCAL);
        let results = self.returned_in_memory().iter().map(|_| pointer);
        let parameters = self.parameters.iter().map(|slot| match slot {
            Slot::Scalar(type_) => storage_type(context, *type_),
            Slot::Memory { .. } => pointer,
        });
        results.chain(parameters).collect()
    }

    /// The type of the LLVM function's return value.
    pub fn return_type<'c>(&self, context: &'c Context) -> Type<'c> {
        self.returned().map_or_else(|| context.void(), |type_| storage_type(context, type_))
    }

    /// A call through a prototype of one may come to a function of the other.
    pub fn compatible(&self, other: &Signature) -> bool {
        let fits =
            |a: &[Slot], b: &[Slot]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.fits(*b));
        fits(&self.returns, &other.returns) && fits(&self.parameters, &other.parameters)
    }
}

/// The LLVM type that keeps a register or scalar of the type: a float, a double, i1 for predicates, else an integer of
/// its width.
pub fn storage_type<'c>(context: &'c Context, type_: ScalarType) -> Type<'c> {
    match type_ {
        ScalarType::F32 => context.f32(),
        ScalarType::F64 => context.f64(),
        _ => context.int(type_.bits().max(1)),
    }
}
