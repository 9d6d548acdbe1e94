//! How far an address goes in a round of a loop.

use llvm_zluda::{Block, Opcode, Value};

/// Rows that are so many bytes apart share no page's neighbourhood: the processor does not read ahead from one to the next.
const FAR: i64 = 1 << 10;

/// What an expression does from one round to the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It grows by so much; 0 if it stays.
    By(i64),
    /// It grows by the same in each round, nobody knows by how much.
    Same,
    /// Anything else.
    Other,
}

/// A loop, as far as steps need to know it.
pub struct Rounds<'f, 'c> {
    pub header: Block<'c>,
    pub inside: &'f dyn Fn(Block<'c>) -> bool,
    /// The processor has masks that take no vector register.
    pub has_masks: bool,
}

/// Operations that an address may take.
pub const MOST: usize = 16;

impl<'c> Rounds<'_, 'c> {
    /// Whether an address goes to another page in each round, or nearly, by the same distance always.
    pub fn go_far(&self, address: Value<'c>) -> bool {
        match self.step(address, MOST) {
            Step::By(bytes) => bytes.abs() >= FAR,
            Step::Same => true,
            Step::Other => false,
        }
    }

    /// Whether an instruction loads a row that is far from the last round's: all of it, or the same part in each round.
    pub fn is_far_row(&self, load: Value<'c>) -> bool {
        let is_row = match load.opcode() {
            Opcode::LLVMLoad => load.ty().is_vector(),
            Opcode::LLVMCall
                if self.has_masks && load.called_name().starts_with("llvm.masked.load.") =>
            {
                self.stays(load.operand(1))
            }
            _ => false,
        };
        is_row && self.go_far(load.operand(0))
    }

    /// Whether a value comes from outside of the loop.
    pub fn stays(&self, value: Value<'c>) -> bool {
        !value.is_instruction() || !(self.inside)(value.parent())
    }

    fn step(&self, value: Value<'c>, left: usize) -> Step {
        if self.stays(value) {
            return Step::By(0);
        }
        let Some(left) = left.checked_sub(1) else { return Step::Other };
        let of = |index| self.step(value.operand(index), left);
        match value.opcode() {
            Opcode::LLVMPHI if value.parent() == self.header => {
                let ways = value.incoming();
                let mut again = ways.into_iter().filter(|(_, from)| (self.inside)(*from));
                match (again.next(), again.next()) {
                    (Some((next, _)), None) => self.advance(next, value, left),
                    _ => Step::Other,
                }
            }
            Opcode::LLVMAdd | Opcode::LLVMOr => sum(of(0), of(1)),
            Opcode::LLVMSub => sum(of(0), times(of(1), -1)),
            Opcode::LLVMGetElementPtr if value.operand_count() == 2 => {
                let size = value.gep_source_type();
                let bytes = if size.is_int() || size.is_float() { size.bits() / 8 } else { 0 };
                sum(of(0), times(of(1), bytes.into()))
            }
            Opcode::LLVMMul => match value.operand(1).as_const_signed() {
                Some(factor) => times(of(0), factor),
                None => match (of(0), of(1)) {
                    (Step::By(0), Step::By(0)) => Step::By(0),
                    (Step::By(_) | Step::Same, Step::By(0))
                    | (Step::By(0), Step::By(_) | Step::Same) => Step::Same,
                    _ => Step::Other,
                },
            },
            Opcode::LLVMShl => match value.operand(1).as_const_int() {
                Some(bits @ 0..=40) => times(of(0), 1 << bits),
                _ => Step::Other,
            },
            Opcode::LLVMSExt
            | Opcode::LLVMZExt
            | Opcode::LLVMTrunc
            | Opcode::LLVMFreeze
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMBitCast => of(0),
            _ => Step::Other,
        }
    }

    /// What is added to a phi on the way to what it is in the next round.
    fn advance(&self, next: Value<'c>, phi: Value<'c>, left: usize) -> Step {
        if next == phi {
            return Step::By(0);
        }
        let Some(left) = left.checked_sub(1) else { return Step::Other };
        if self.stays(next) {
            return Step::Other;
        }
        let added = |index: u32, size: i64| {
            let added = next.operand(index);
            match added.as_const_signed() {
                Some(number) => times(Step::By(number), size),
                None if self.stays(added) => Step::Same,
                None => Step::Other,
            }
        };
        match next.opcode() {
            Opcode::LLVMAdd if self.stays(next.operand(0)) => {
                sum(self.advance(next.operand(1), phi, left), added(0, 1))
            }
            Opcode::LLVMAdd => sum(self.advance(next.operand(0), phi, left), added(1, 1)),
            Opcode::LLVMGetElementPtr
                if next.operand_count() == 2
                    && next.gep_source_type().is_int()
                    && next.gep_source_type().bits() == 8 =>
            {
                sum(self.advance(next.operand(0), phi, left), added(1, 1))
            }
            _ => Step::Other,
        }
    }
}

fn sum(left: Step, right: Step) -> Step {
    match (left, right) {
        (Step::By(left), Step::By(right)) => left.checked_add(right).map_or(Step::Other, Step::By),
        (Step::Other, _) | (_, Step::Other) => Step::Other,
        _ => Step::Same,
    }
}

fn times(step: Step, factor: i64) -> Step {
    match step {
        Step::By(by) => by.checked_mul(factor).map_or(Step::Other, Step::By),
        Step::Same if factor != 0 => Step::Same,
        _ => Step::Other,
    }
}
