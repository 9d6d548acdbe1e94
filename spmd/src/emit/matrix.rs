//! Matrix operations of a warp: a call of the runtime with the fragments in memory, a row of lanes each.
//!
//! A result of one operation that goes into others stays in its row, which all of them name: products in a row need no
//! instruction for their fragments.

use std::mem::offset_of;

use cpu_abi::Runtime;
use llvm_zluda::{Block, Linkage, Opcode, Type, Value};
use rustc_hash::FxHashMap;
use simt::intrinsics::{self, Property};

use super::{Emitter, LANES, Lanes};
use crate::Error;

const ROW_ALIGNMENT: u32 = 64;

/// The rows of a function.
#[derive(Default)]
pub(super) struct MatrixRows<'c> {
    /// Stands for all rows until their number is known.
    frame: Option<Value<'c>>,
    count: usize,
    free: Vec<usize>,
    /// Of per-thread code: what the operations of this block have still to read of each value, and how often.
    block: Option<Block<'c>>,
    /// The block's first operation: where it comes again, the block does.
    first: Option<Value<'c>>,
    left: FxHashMap<Value<'c>, usize>,
    /// The rows of values that were stored for the operations of this block.
    stored: FxHashMap<Value<'c>, usize>,
    /// Values that were made here for nothing but operations of this block.
    passing: FxHashMap<Value<'c>, usize>,
    /// The rows of vectors that were stored when they were made.
    kept: FxHashMap<Value<'c>, usize>,
}

impl<'c> MatrixRows<'c> {
    /// One that has held nothing before, at the end of the rows.
    fn add(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }

    fn take(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| self.add())
    }

    /// Begins with the operations of a block, where `call` is the first.
    fn enter(&mut self, call: Value<'c>) {
        let block = call.parent();
        if self.block == Some(block) && self.first != Some(call) {
            return;
        }
        let calls: Vec<_> = block.instructions().into_iter().filter(is_operation).collect();
        self.block = Some(block);
        self.first = calls.first().copied();
        self.left.clear();
        self.stored.clear();
        self.passing.clear();
        for input in calls.into_iter().flat_map(|call| call.arguments().into_iter().skip(1)) {
            *self.left.entry(input).or_default() += 1;
        }
    }

    /// One operation less reads the value.
    fn was_read(&mut self, value: Value<'c>) {
        let Some(left) = self.left.get_mut(&value) else { return };
        *left -= 1;
        if *left == 0 {
            let rows = [self.stored.remove(&value), self.passing.remove(&value)];
            self.free.extend(rows.into_iter().flatten());
        }
    }
}

fn is_operation(instruction: &Value<'_>) -> bool {
    intrinsics::called(*instruction).is_some_and(|it| it.has(Property::MatrixOperation))
}

fn all_in<'c>(block: Block<'c>, instructions: impl IntoIterator<Item = Value<'c>>) -> bool {
    instructions.into_iter().all(|instruction| instruction.parent() == block)
}

fn row_offset(row: usize) -> u64 {
    row as u64 * u64::from(LANES) * 4
}

impl<'c> Emitter<'_, 'c> {
    /// `zluda.matrix.*`: the operation as a number, then the words of the fragments.
    pub(super) fn matrix(&mut self, call: Value<'c>) -> Result<Option<Lanes<'c>>, Error> {
        let arguments = call.arguments();
        let Some((operation, inputs)) = arguments.split_first() else { return Ok(None) };
        let outputs = if call.ty().is_void() { 0 } else { call.ty().len() as usize };
        self.matrix_rows.enter(call);
        let mut places = Vec::with_capacity(inputs.len() + outputs);
        for &input in inputs {
            places.push(self.row_with(call, input));
        }
        inputs.iter().for_each(|input| self.matrix_rows.was_read(*input));
        let results: Vec<_> = (0..outputs).map(|_| self.matrix_rows.take()).collect();
        places.extend(&results);
        let table = self.table_of_rows(&places)?;
        let frame = self.frame();
        let operation = self.base(&self.get(*operation));
        let all = [
            self.environment.block,
            self.environment.warp,
            self.active_bits(),
            operation,
            frame,
            table,
        ];
        self.runtime(offset_of!(Runtime, matrix), self.cx.void(), &all);
        for (index, &row) in results.iter().enumerate() {
            self.note_readers(call, index, row);
        }
        let ty = self.cx.i32();
        let rows = results.into_iter().map(|row| Lanes::Row { row, ty }).collect();
        Ok((outputs > 0).then_some(Lanes::Composite(rows)))
    }

    /// The row that holds a value. What is made by the function is stored as soon as it is made, so that it does not
    /// live in registers, which calls do not keep.
    fn row_with(&mut self, call: Value<'c>, input: Value<'c>) -> usize {
        let lanes = self.get(input);
        let made = match lanes {
            Lanes::Row { row, .. } => return row,
            Lanes::Vector(vector) if vector.is_instruction() => Some(vector),
            _ => None,
        };
        let known = match made {
            Some(vector) => self.matrix_rows.kept.get(&vector),
            None => self.matrix_rows.stored.get(&input),
        };
        if let Some(&row) = known {
            return row;
        }
        let Some(vector) = made else {
            let row = self.matrix_rows.take();
            self.matrix_rows.stored.insert(input, row);
            let place = self.row_pointer(row);
            self.b.store(self.vector(&lanes), place, ROW_ALIGNMENT);
            return row;
        };
        let row = self.matrix_rows.add();
        self.matrix_rows.kept.insert(vector, row);
        let readers = input.users().into_iter().filter(is_operation);
        if input.parent() == call.parent() && all_in(call.parent(), readers) {
            self.matrix_rows.passing.insert(input, row);
        }
        let mut next = vector.next_instruction();
        while let Some(phi) = next.filter(|next| next.opcode() == Opcode::LLVMPHI) {
            next = phi.next_instruction();
        }
        let frame = self.frame();
        let b = self.cx.builder();
        match next {
            Some(next) => b.position_before(next),
            None => b.position_at_end(vector.parent()),
        }
        let bytes = row_offset(row);
        b.store(vector, b.byte_offset(frame, self.cx.i64().const_int(bytes)), ROW_ALIGNMENT);
        row
    }

    /// Finds out who reads an output. Its row is free at once, after the operations of the block, or never.
    fn note_readers(&mut self, call: Value<'c>, index: usize, row: usize) {
        let extracted = |user: &Value<'c>| {
            user.opcode() == Opcode::LLVMExtractValue && user.aggregate_indices() == [index as u32]
        };
        let users = call.users();
        let whole = users.iter().any(|user| user.opcode() != Opcode::LLVMExtractValue);
        let values: Vec<_> = users.into_iter().filter(extracted).collect();
        match values[..] {
            _ if whole => {}
            [] => self.matrix_rows.free.push(row),
            [value] => {
                let readers = value.users();
                if readers.iter().all(is_operation) && all_in(call.parent(), readers) {
                    self.matrix_rows.passing.insert(value, row);
                }
            }
            _ => {}
        }
    }

    /// The numbers of rows as a constant of the module.
    fn table_of_rows(&self, places: &[usize]) -> Result<Value<'c>, Error> {
        let too_many = |_| Error::Unsupported("so many matrix fragments in a function".to_owned());
        let numbers: Vec<_> = places
            .iter()
            .map(|&place| u16::try_from(place))
            .collect::<Result<_, _>>()
            .map_err(too_many)?;
        let name: Vec<_> = numbers.iter().map(u16::to_string).collect();
        let name = format!("spmd.rows.{}", name.join("."));
        if let Some(table) = self.module.global(&name) {
            return Ok(table);
        }
        let ty = self.cx.int(16);
        let words: Vec<_> = numbers.iter().map(|&number| ty.const_int(number.into())).collect();
        let words = ty.const_array(&words);
        let table = self.module.add_global(&name, words.ty(), 0, Linkage::LLVMPrivateLinkage);
        table.set_initializer(words);
        table.set_global_constant(true);
        Ok(table)
    }

    fn frame(&mut self) -> Value<'c> {
        match self.matrix_rows.frame {
            Some(frame) => frame,
            None => {
                let frame = self.stack(self.cx.i32().vector(LANES), ROW_ALIGNMENT);
                self.matrix_rows.frame = Some(frame);
                frame
            }
        }
    }

    fn row_pointer(&mut self, row: usize) -> Value<'c> {
        let frame = self.frame();
        self.pointer_to_row(frame, row)
    }

    fn pointer_to_row(&self, frame: Value<'c>, row: usize) -> Value<'c> {
        self.b.byte_offset(frame, self.cx.i64().const_int(row_offset(row)))
    }

    /// The lanes in a row, which stays as it is as long as they can be asked for.
    pub(super) fn load_matrix_row(&self, row: usize, ty: Type<'c>) -> Value<'c> {
        let vector = ty.vector(LANES);
        match self.matrix_rows.frame {
            Some(frame) => self.b.load(vector, self.pointer_to_row(frame, row), ROW_ALIGNMENT),
            None => vector.poison(),
        }
    }

    /// Makes room for all rows.
    pub(super) fn finish_rows(&mut self) {
        let Some(frame) = self.matrix_rows.frame else { return };
        let rows = self.cx.i32().vector(LANES).array(self.matrix_rows.count as u64);
        let all = self.stack(rows, ROW_ALIGNMENT);
        frame.replace_all_uses_with(all);
        frame.erase();
    }
}
