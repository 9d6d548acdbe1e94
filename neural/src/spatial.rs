//! Spatial transformers: grids of places of images, and what images have there. Places are from -1 to 1, which are the middles
//! of the first and the last element.

use crate::format::Format;
use crate::tensor::{CHUNK, Layout, Scale, Tensor, index_of};
use crate::work::{Stage, over};

/// The place of an element among `count` of a line.
fn place(number: usize, count: usize) -> f64 {
    if count == 1 { -1.0 } else { 2.0 * number as f64 / (count - 1) as f64 - 1.0 }
}

/// `grid[n, h, w] = theta[n] (x, y, 1)`, of theta `[n, 2, 3]` and a grid `[n, h, w, 2]`.
pub fn grid(theta: Tensor, grid: Tensor) -> Stage {
    let dims = grid.dims[..3].to_vec();
    over(dims.iter().product(), 40, move |range| {
        for number in range {
            let index = index_of(number, &dims);
            let at = [place(index[2], dims[2]), place(index[1], dims[1]), 1.0];
            let mut matrix = [0.0; 6];
            theta.load(theta.offset(&[index[0]]), 1, &mut matrix);
            let line = |line: usize| (0..3).map(|i| matrix[line * 3 + i] * at[i]).sum();
            let values: [f64; 2] = [line(0), line(1)];
            grid.store(grid.offset(&index), 1, &values);
        }
    })
}

/// The gradient of [`grid`]'s theta.
pub fn grid_backward(dgrid: Tensor, dtheta: Tensor) -> Stage {
    let dims = dgrid.dims[..3].to_vec();
    over(dims[0], dims[1] * dims[2] * 20, move |items| {
        for item in items {
            let mut sums = [0.0; 6];
            for (h, w) in (0..dims[1]).flat_map(|h| (0..dims[2]).map(move |w| (h, w))) {
                let mut gradient = [0.0; 2];
                dgrid.load(dgrid.offset(&[item, h, w]), 1, &mut gradient);
                let at = [place(w, dims[2]), place(h, dims[1]), 1.0];
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum += gradient[i / 3] * at[i % 3];
                }
            }
            dtheta.store(dtheta.offset(&[item]), 1, &sums);
        }
    })
}

/// The four elements around a place of an image of so many rows and columns.
struct Around {
    /// The first row and column, which may lie outside.
    row: isize,
    column: isize,
    /// How far the place is from them.
    down: f64,
    right: f64,
    rows: usize,
    columns: usize,
}

impl Around {
    fn new(grid: &Tensor, index: &[usize], (rows, columns): (usize, usize)) -> Around {
        let mut at = [0.0; 2];
        grid.load(grid.offset(index), 1, &mut at);
        // Of long lines the rounding shows. PyTorch's tests hold cuDNN against kernels that round so.
        let scaled = |at: f64, count: usize| match grid.format {
            Format::F64 => (at + 1.0) / 2.0 * (count as f64 - 1.0),
            _ => f64::from((at as f32 + 1.0) / 2.0 * (count as f32 - 1.0)),
        };
        let (x, y) = (scaled(at[0], columns), scaled(at[1], rows));
        Around {
            row: y.floor() as isize,
            column: x.floor() as isize,
            down: y - y.floor(),
            right: x - x.floor(),
            rows,
            columns,
        }
    }

    /// Calls with the row, the column and the steps (0 or 1) of each that lies inside.
    fn each(&self, mut each: impl FnMut(usize, usize, bool, bool)) {
        for (below, after) in [(false, false), (false, true), (true, false), (true, true)] {
            let row = usize::try_from(self.row.saturating_add(isize::from(below)));
            let column = usize::try_from(self.column.saturating_add(isize::from(after)));
            if let (Ok(row), Ok(column)) = (row, column)
                && row < self.rows
                && column < self.columns
            {
                each(row, column, below, after);
            }
        }
    }

    fn share(&self, below: bool, after: bool) -> f64 {
        let down = if below { self.down } else { 1.0 - self.down };
        let right = if after { self.right } else { 1.0 - self.right };
        down * right
    }
}

/// The rows and columns of images `[n, c, h, w]`.
fn size(layout: &Layout) -> (usize, usize) {
    (layout.dims[2], layout.dims[3])
}

/// `y = alpha * (x at the places of the grid) + beta * y`, linearly between elements, with zeros outside.
pub fn sample(x: Tensor, grid: Tensor, y: Tensor, scale: Scale) -> Stage {
    let dims = grid.dims[..3].to_vec();
    let channels = x.dims[1];
    over(dims.iter().product(), 30 + channels * 12, move |range| {
        for number in range {
            let index = index_of(number, &dims);
            let (item, h, w) = (index[0], index[1], index[2]);
            let around = Around::new(&grid, &index, size(&x));
            let mut values = [0.0; CHUNK];
            for first in (0..channels).step_by(CHUNK) {
                let values = &mut values[..CHUNK.min(channels - first)];
                values.fill(0.0);
                around.each(|row, column, below, after| {
                    let share = around.share(below, after);
                    for (i, value) in values.iter_mut().enumerate() {
                        *value += share * x.get(x.offset(&[item, first + i, row, column]));
                    }
                });
                y.blend(y.offset(&[item, first, h, w]), y.strides[1], values, scale);
            }
        }
    })
}

/// `dx = alpha * (gradient of x) + beta * dx`, of [`sample`].
pub fn sample_backward_image(dy: Tensor, grid: Tensor, dx: Tensor, scale: Scale) -> Stage {
    let (rows, columns) = size(&dx);
    let planes = dx.dims[..2].to_vec();
    over(planes.iter().product(), grid.dims[1] * grid.dims[2] * 30, move |range| {
        let mut plane = vec![0.0; rows * columns];
        for number in range {
            let index = index_of(number, &planes);
            let (item, channel) = (index[0], index[1]);
            plane.fill(0.0);
            for place in 0..grid.dims[1] * grid.dims[2] {
                let (h, w) = (place / grid.dims[2], place % grid.dims[2]);
                let gradient = dy.get(dy.offset(&[item, channel, h, w]));
                let around = Around::new(&grid, &[item, h, w], (rows, columns));
                around.each(|row, column, below, after| {
                    plane[row * columns + column] += gradient * around.share(below, after);
                });
            }
            for (row, values) in plane.chunks_exact_mut(columns).enumerate() {
                dx.blend(dx.offset(&[item, channel, row, 0]), dx.strides[3], values, scale);
            }
        }
    })
}

/// `dgrid = alpha * (gradient of the grid) + beta * dgrid`, of [`sample`].
pub fn sample_backward_grid(
    x: Tensor,
    dy: Tensor,
    grid: Tensor,
    dgrid: Tensor,
    scale: Scale,
) -> Stage {
    let dims = grid.dims[..3].to_vec();
    let (rows, columns) = size(&x);
    let channels = x.dims[1];
    over(dims.iter().product(), 30 + channels * 20, move |range| {
        for number in range {
            let index = index_of(number, &dims);
            let (item, h, w) = (index[0], index[1], index[2]);
            let around = Around::new(&grid, &index, (rows, columns));
            let (mut right, mut down) = (0.0, 0.0);
            around.each(|row, column, below, after| {
                let mut sum = 0.0;
                for channel in 0..channels {
                    let gradient = dy.get(dy.offset(&[item, channel, h, w]));
                    sum += gradient * x.get(x.offset(&[item, channel, row, column]));
                }
                let sign = |is: bool| if is { 1.0 } else { -1.0 };
                right += sum * sign(after) * if below { around.down } else { 1.0 - around.down };
                down += sum * sign(below) * if after { around.right } else { 1.0 - around.right };
            });
            let half = |count: usize| (count as f64 - 1.0) / 2.0;
            let mut values = [right * half(columns), down * half(rows)];
            dgrid.blend(dgrid.offset(&index), 1, &mut values, scale);
        }
    })
}
