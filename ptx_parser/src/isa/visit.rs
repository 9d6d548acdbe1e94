//! Questions that all instructions answer alike.

use super::{Instruction, OperandRef};
use crate::modifier::ScalarType;
use crate::operand::{Access, Operand};

impl<'a> Instruction<'a> {
    /// Visits the operands in the order of their fields. A vector is one operand. An address counts as
    /// read, whatever happens in the memory behind it.
    pub fn operands(&self, mut visit: impl FnMut(OperandRef<'_, 'a>, Access)) {
        self.typed_operands(|operand, access, _| visit(operand, access));
    }

    /// Visits the operands with their types. A vector's type is that of its elements, but in `mov` and
    /// `cvt` that of the whole. There is none for operands of `call`, for fragments of matrices and for
    /// descriptors; that of an address is the type of what is there.
    pub fn typed_operands(
        &self,
        mut visit: impl FnMut(OperandRef<'_, 'a>, Access, Option<ScalarType>),
    ) {
        match self {
            Instruction::Call(call) => {
                call.returns
                    .iter()
                    .for_each(|o| visit(OperandRef::Operand(o), Access::Write, None));
                call.arguments
                    .iter()
                    .for_each(|o| visit(OperandRef::Operand(o), Access::Read, None));
            }
            _ => {
                let Some(parts) = self.parts() else { return };
                for (spec, operand) in parts.spec.operands.iter().zip(parts.operands) {
                    let access = if spec.write { Access::Write } else { Access::Read };
                    if let Some(operand) = operand {
                        visit(operand, access, spec.type_(&parts.codes));
                    }
                }
            }
        }
    }

    /// The names that the instruction reads (`Access::Read`, address bases included) and writes, vector
    /// elements one by one. The target of a `call` is not among them.
    pub fn names(&self, mut visit: impl FnMut(&'a str, Access)) {
        self.operands(|operand, access| match operand {
            OperandRef::Operand(operand) => operand_names(operand, access, &mut visit),
            OperandRef::Address(address) => {
                if let Some(base) = address.base {
                    visit(base, Access::Read);
                }
                if let Some(index) = address.index {
                    visit(index.register, Access::Read);
                }
            }
        });
    }
}

fn operand_names<'a>(
    operand: &Operand<'a>,
    access: Access,
    visit: &mut impl FnMut(&'a str, Access),
) {
    match operand {
        Operand::Name(name)
        | Operand::Component(name, _)
        | Operand::Not(name)
        | Operand::Minus(name) => {
            visit(name, access);
        }
        Operand::Offset(address) => {
            if let Some(base) = address.base {
                visit(base, access);
            }
            if let Some(index) = address.index {
                visit(index.register, access);
            }
        }
        Operand::Vector(elements) => elements.iter().for_each(|e| operand_names(e, access, visit)),
        Operand::Special(_) | Operand::Immediate(_) | Operand::Sink => {}
    }
}
