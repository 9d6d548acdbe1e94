//! Rows that lie in pages, in any order.

use crate::tensor::{Tensor, index_of};
use crate::work::{Stage, over};

/// Copies the rows of a batch, `[batch, heads, rows, width]`, from pages, `[page, heads, rows of it, width]`, of which a table,
/// `[batch, 1, pages, 1]`, has the numbers. Rows of pages that there are not become 0.
pub fn gather(pages: Tensor, table: Tensor, to: Tensor) -> Stage {
    let lines = to.dims[..3].to_vec();
    over(lines.iter().product(), to.dims[3] * 4, move |range| {
        let mut values = vec![0.0; to.dims[3]];
        for line in range {
            let index = index_of(line, &lines);
            let (item, head, row) = (index[0], index[1], index[2]);
            let (page, row) = (row / pages.dims[2], row % pages.dims[2]);
            let number = if page < table.dims[2] {
                table.get(table.offset(&[item, 0, page, 0]))
            } else {
                -1.0
            };
            if (0.0..pages.dims[0] as f64).contains(&number) {
                let from = pages.offset(&[number as usize, head, row, 0]);
                pages.load(from, pages.strides[3], &mut values);
            } else {
                values.fill(0.0);
            }
            to.store(to.offset(&index), to.strides[3], &values);
        }
    })
}
