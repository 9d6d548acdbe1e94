//! Matrix operations of a warp: a call of the runtime with the fragments in memory, a row of lanes each.

use std::mem::offset_of;

use cpu_abi::Runtime;
use llvm_zluda::Value;

use super::{Emitter, LANES, Lanes};

impl<'c> Emitter<'_, 'c> {
    /// `zluda.matrix.*`: the operation as a number, then the words of the fragments.
    pub(super) fn matrix(&mut self, call: Value<'c>) -> Option<Lanes<'c>> {
        let arguments = call.arguments();
        let (operation, inputs) = arguments.split_first()?;
        let outputs = if call.ty().is_void() { 0 } else { call.ty().len() as usize };
        let words = self.cx.i32().vector(LANES);
        let size = words.array(inputs.len().max(outputs) as u64);
        let rows = match self.matrix_rows.iter().find(|(ty, _)| *ty == size) {
            Some((_, rows)) => *rows,
            None => {
                let rows = self.stack(size, 64);
                self.matrix_rows.push((size, rows));
                rows
            }
        };
        let row = |index: usize| {
            let offset = self.cx.i64().const_int(index as u64 * u64::from(LANES) * 4);
            self.b.byte_offset(rows, offset)
        };
        for (index, &input) in inputs.iter().enumerate() {
            let lanes = self.get(input);
            self.b.store(self.vector(&lanes), row(index), 64);
        }
        let operation = self.base(&self.get(*operation));
        let all =
            [self.environment.block, self.environment.warp, self.active_bits(), operation, rows];
        self.runtime(offset_of!(Runtime, matrix), self.cx.void(), &all);
        (outputs > 0).then(|| {
            let results =
                (0..outputs).map(|index| Lanes::Vector(self.b.load(words, row(index), 64)));
            Lanes::Composite(results.collect())
        })
    }
}
