//! Tensors whose items lie one after the other, with fewer rows than there is room for, as tensors with room for all.

use crate::tensor::{Tensor, index_of};
use crate::work::{Stage, over};

/// Items of a batch that begin where numbers in memory say: `[batch, heads, ...]` of four dimensions.
#[derive(Clone, Debug)]
pub struct Ragged {
    /// The steps within an item are those of this tensor.
    pub items: Tensor,
    /// Where items begin, and the last one ends: `batch + 1` numbers, of so many elements each.
    pub offsets: Tensor,
    pub multiplier: isize,
}

impl Ragged {
    fn offset(&self, item: usize) -> isize {
        let step = self.offsets.strides[0];
        self.offsets.get(item as isize * step) as isize * self.multiplier
    }

    /// How many elements of the last two dimensions an item has. Rows are the ones that lie farther apart.
    fn lengths(&self, item: usize) -> [usize; 2] {
        let mut lengths = [self.items.dims[2], self.items.dims[3]];
        let along = usize::from(self.items.strides[3] > self.items.strides[2]);
        let step = self.items.strides[2 + along].max(1);
        let rows = (self.offset(item + 1) - self.offset(item)) / step;
        lengths[along] = lengths[along].min(usize::try_from(rows).unwrap_or(0));
        lengths
    }

    /// Calls for each line of the last dimension: with its offsets in the items and in a tensor with room for all, and how
    /// many of its elements there are.
    fn rows(
        self,
        room: Tensor,
        each: impl Fn(&Tensor, isize, &Tensor, isize, usize) + Send + Sync + 'static,
    ) -> Stage {
        let lines = self.items.dims[..3].to_vec();
        over(lines.iter().product(), self.items.dims[3] * 4, move |range| {
            for line in range {
                let index = index_of(line, &lines);
                let [rows, columns] = self.lengths(index[0]);
                let count = if index[2] < rows { columns } else { 0 };
                let within = self.items.offset(&[0, index[1], index[2]]);
                let first = self.offset(index[0]) + within;
                each(&self.items, first, &room, room.offset(&index), count);
            }
        })
    }

    /// Copies to a tensor with room for all rows. Those that there are not become 0.
    pub fn gather(self, room: Tensor) -> Stage {
        self.rows(room, |items, first, room, to, count| {
            let mut values = vec![0.0; items.dims[3]];
            items.load(first, items.strides[3], &mut values[..count]);
            room.store(to, room.strides[3], &values);
        })
    }

    /// Copies from such a tensor the rows that there are.
    pub fn scatter(self, room: Tensor) -> Stage {
        self.rows(room, |items, first, room, from, count| {
            let mut values = vec![0.0; count];
            room.load(from, room.strides[3], &mut values);
            items.store(first, items.strides[3], &values);
        })
    }
}
