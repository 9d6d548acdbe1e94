//! Matrix instructions: all lanes at once, whatever EXEC says.

use super::wave::Wave;
use crate::decode::matrix::{Accumulator, Multiply};
use crate::isa::matrix::{C, LARGEST};

/// Runs a multiplication of matrices.
pub fn run(wave: &mut Wave, multiply: &Multiply) {
    let [a_count, b_count, c_count] = multiply.matrix.registers();
    let range = |first: u16, count: usize| {
        let start = wave.row(first.into());
        start..start + count * wave.lanes
    };
    let target = range(multiply.result, c_count);
    // Sources may be where the result goes.
    let mut words = [0; LARGEST];
    let result = &mut words[..c_count * wave.lanes];
    result.copy_from_slice(&wave.vector[target.clone()]);
    let c = match multiply.c {
        Accumulator::Registers(first) => C::Registers(&wave.vector[range(first, c_count)]),
        Accumulator::Constant(bits) => C::Constant(bits),
        Accumulator::Indices(register) => C::Indices(&wave.vector[range(register, 1)]),
    };
    let a = &wave.vector[range(multiply.a, a_count)];
    let b = &wave.vector[range(multiply.b, b_count)];
    multiply.matrix.run(&multiply.modifiers, a, b, c, result);
    wave.vector[target].copy_from_slice(result);
}
