//! Element-wise operations on several tensors.

use crate::tensor::{CHUNK, Scale, Tensor, Walk};
use crate::work::{Stage, over};

/// Tensors of which elements of the same index meet. Inputs have the output's lengths, or 1, and are repeated then.
#[derive(Clone, Debug)]
pub struct Elementwise {
    /// At most [`INPUTS`].
    pub inputs: Vec<Tensor>,
    pub output: Tensor,
    pub scale: Scale,
}

/// Inputs that there may be.
pub const INPUTS: usize = 6;

/// `output = alpha * compute(inputs) + beta * output`. `compute` gets as many elements of each input as it has to make.
pub fn elementwise(
    all: Elementwise,
    compute: impl Fn(&[&[f64]], &mut [f64]) + Send + Sync + 'static,
) -> Stage {
    let Elementwise { inputs, output, scale } = all;
    let steps: Vec<Vec<isize>> =
        inputs.iter().map(|input| aligned(input, output.dims.len())).collect();
    let none = vec![0; output.dims.len()];
    let of = |i: usize| steps.get(i).unwrap_or(&none).as_slice();
    let walk: Walk<{ INPUTS + 1 }> =
        Walk::new(&output.dims, [&output.strides, of(0), of(1), of(2), of(3), of(4), of(5)]);
    over(walk.pieces(), CHUNK * 2 * (1 + inputs.len()), move |pieces| {
        let mut values = [[0.0; CHUNK]; INPUTS];
        let mut result = [0.0; CHUNK];
        let step = walk.step();
        walk.visit(pieces, |offsets, count| {
            for (i, input) in inputs.iter().enumerate() {
                input.load(offsets[i + 1], step[i + 1], &mut values[i][..count]);
            }
            let views: [&[f64]; INPUTS] = std::array::from_fn(|i| &values[i][..count]);
            compute(&views[..inputs.len()], &mut result[..count]);
            output.blend(offsets[0], step[0], &mut result[..count], scale);
        });
    })
}

/// The steps of a tensor beside one of `rank` dimensions: its own are the last ones.
fn aligned(tensor: &Tensor, rank: usize) -> Vec<isize> {
    let steps = tensor.steps();
    let mut all = vec![0; rank.saturating_sub(steps.len())];
    all.extend_from_slice(&steps[steps.len().saturating_sub(rank)..]);
    all
}
