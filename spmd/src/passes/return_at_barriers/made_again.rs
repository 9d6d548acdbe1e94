//! Vectors that are made again of scalars, and addresses at constant distances from others, which take less room in a frame
//! and less time to store.

use llvm_zluda::{Builder, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Operations that a vector may take.
const MOST: usize = 6;

/// How values are made again.
#[derive(Default)]
pub struct Recipes<'c> {
    /// The scalars that each of these values takes.
    scalars: FxHashMap<Value<'c>, Vec<Value<'c>>>,
    /// The operands of all instructions that take part, as they are before values move to stack variables.
    operands: FxHashMap<Value<'c>, Vec<Value<'c>>>,
}

impl<'c> Recipes<'c> {
    /// Finds those of some values.
    pub fn new(values: impl Iterator<Item = Value<'c>>) -> Self {
        let mut recipes = Recipes::default();
        let mut seen = FxHashSet::default();
        for value in values.filter(|value| value.ty().is_vector() || is_at_distance(*value)) {
            if !seen.insert(value) {
                continue;
            }
            let (mut scalars, mut left) = (Vec::new(), MOST);
            if recipes.find(value, &mut scalars, &mut left) {
                recipes.scalars.insert(value, scalars);
            }
        }
        recipes
    }

    fn find(&mut self, value: Value<'c>, scalars: &mut Vec<Value<'c>>, left: &mut usize) -> bool {
        if !value.is_instruction() {
            return true;
        }
        if !value.ty().is_vector() && !is_at_distance(value) {
            scalars.push(value);
            return value.opcode() != Opcode::LLVMAlloca;
        }
        if *left == 0 || !is_simple(value.opcode()) {
            return false;
        }
        *left -= 1;
        let operands = value.operands();
        self.operands.insert(value, operands.clone());
        operands.into_iter().all(|operand| self.find(operand, scalars, left))
    }

    /// Whether there is one for a value.
    pub fn has(&self, value: Value<'c>) -> bool {
        self.scalars.contains_key(&value)
    }

    /// The values that a frame has to hold for those that live, each once.
    pub fn stored(&self, live: &[Value<'c>]) -> Vec<Value<'c>> {
        let mut seen = FxHashSet::default();
        live.iter()
            .flat_map(|value| match self.scalars.get(value) {
                Some(scalars) => scalars.as_slice(),
                None => std::slice::from_ref(value),
            })
            .copied()
            .filter(|value| seen.insert(*value))
            .collect()
    }

    /// Makes a value. `known` has its scalars, and gets the vectors that are made.
    pub fn make(
        &self,
        b: &Builder<'c>,
        value: Value<'c>,
        known: &mut FxHashMap<Value<'c>, Value<'c>>,
    ) -> Value<'c> {
        if let Some(&made) = known.get(&value) {
            return made;
        }
        let Some(operands) = self.operands.get(&value) else { return value };
        let operands: Vec<_> =
            operands.iter().map(|operand| self.make(b, *operand, known)).collect();
        let again = b.copy_with(value, operands);
        known.insert(value, again);
        again
    }
}

/// An address at a constant distance from another one.
fn is_at_distance(value: Value<'_>) -> bool {
    value.is_instruction()
        && !value.ty().is_vector()
        && value.opcode() == Opcode::LLVMGetElementPtr
        && value.operands().iter().skip(1).all(|index| index.is_constant())
}

fn is_simple(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::LLVMShuffleVector
            | Opcode::LLVMInsertElement
            | Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMShl
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMTrunc
            | Opcode::LLVMGetElementPtr
            | Opcode::LLVMICmp
    )
}
