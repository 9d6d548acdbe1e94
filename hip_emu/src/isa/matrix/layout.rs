//! The lane that holds each element, as the manuals draw it.
//!
//! A sparse A has two elements of each four along `k`, in the lane where B has those four, in their order.

use super::Family;

/// A lane, and which of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixElement {
    pub lane: usize,
    pub element: usize,
}

#[derive(Clone, Copy, Debug)]
pub struct Layout {
    family: Family,
    pub rows: usize,
    pub columns: usize,
    pub depth: usize,
    /// Matrices that are multiplied at once.
    pub blocks: usize,
    /// Elements along `k` that a lane has in a row, before the next lanes have theirs.
    run: usize,
    /// The bits that an element of the result takes.
    width: usize,
}

impl Layout {
    /// Of these rows, columns, depth and blocks, and widths of elements of B and of the result; nothing where an
    /// instruction of this shape is not known.
    pub fn new(
        family: Family,
        sizes: [usize; 4],
        width: usize,
        result_width: usize,
    ) -> Option<Layout> {
        let [rows, columns, depth, blocks] = sizes;
        let known = match family {
            Family::Gfx11 => sizes == [16, 16, 16, 1],
            Family::Gfx12 => {
                (rows, columns, blocks) == (16, 16, 1) && matches!(depth, 16 | 32 | 64)
            }
            Family::Gfx940 => {
                let fills_lanes = matches!((rows, blocks), (32, 1 | 2) | (16, 1 | 4) | (4, 16));
                let double = [[16, 16, 4, 1], [4, 4, 4, 4]].contains(&sizes);
                let fits = if result_width == 64 { double } else { fills_lanes };
                rows == columns
                    && fits
                    && (1..=128).contains(&depth)
                    && (rows * blocks * depth) % 64 == 0
            }
        };
        // RDNA3 puts results of 16 bits into registers of their own.
        let result_width = if family == Family::Gfx11 { 32 } else { result_width };
        let mut layout =
            Layout { family, rows, columns, depth, blocks, run: 1, width: result_width };
        layout.run = match family {
            Family::Gfx12 if width == 16 => layout.operand_elements() / 2,
            _ => layout.operand_elements(),
        };
        known.then_some(layout)
    }

    /// Lanes of a wave that multiplies.
    pub fn lanes(&self) -> usize {
        if self.family == Family::Gfx940 { 64 } else { 32 }
    }

    /// The number of groups of lanes that share the elements along `k`.
    fn groups(&self) -> usize {
        // RDNA3's have them all.
        if self.family == Family::Gfx11 { 1 } else { self.lanes() / (self.rows * self.blocks) }
    }

    /// Elements of A, and of B, in a lane.
    pub fn operand_elements(&self) -> usize {
        self.depth / self.groups().max(1)
    }

    /// Elements of C, and of D, in a lane.
    pub fn result_elements(&self) -> usize {
        self.rows * self.columns * self.blocks / self.lanes()
    }

    /// The bits of a register or of its part that an element of C has for itself.
    pub fn result_width(&self) -> usize {
        self.width
    }

    /// An element of a row of A, or of a column of B.
    pub fn operand(&self, block: usize, index: usize, k: usize) -> MatrixElement {
        let (runs, in_run) = (k / self.run, k % self.run);
        let group = runs % self.groups();
        MatrixElement {
            lane: (group * self.blocks + block) * self.rows + index,
            element: runs / self.groups() * self.run + in_run,
        }
    }

    /// An element of C and D.
    pub fn result(&self, block: usize, row: usize, column: usize) -> MatrixElement {
        match self.family {
            Family::Gfx11 => MatrixElement { lane: row % 2 * 16 + column, element: row / 2 },
            Family::Gfx12 => MatrixElement { lane: row / 8 * 16 + column, element: row % 8 },
            Family::Gfx940 if self.width == 64 => {
                MatrixElement { lane: row % 4 * 16 + block * 4 + column, element: row / 4 }
            }
            Family::Gfx940 if self.rows == 4 => {
                MatrixElement { lane: block * 4 + column, element: row }
            }
            Family::Gfx940 => {
                // Four rows in a lane, then those of the next group of lanes.
                let groups = 64 / self.columns;
                let (four, rest) = (row / 4, row % 4);
                let in_block = self.rows * self.columns / 64;
                MatrixElement {
                    lane: four % groups * self.columns + column,
                    element: block * in_block + four / groups * 4 + rest,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(family: Family, sizes: [usize; 4]) -> Layout {
        Layout::new(family, sizes, 16, 32).expect("a shape")
    }

    /// Places that the manuals and AMD's articles on these instructions show.
    #[test]
    fn elements_lie_where_they_are_drawn() {
        let place = |lane, element| MatrixElement { lane, element };
        let wmma = layout(Family::Gfx11, [16, 16, 16, 1]);
        assert_eq!(wmma.operand(0, 3, 9), place(3, 9));
        assert_eq!(wmma.result(0, 5, 7), place(23, 2));
        let wmma = layout(Family::Gfx12, [16, 16, 16, 1]);
        assert_eq!(wmma.operand(0, 3, 13), place(19, 5));
        assert_eq!(wmma.result(0, 9, 7), place(23, 1));
        let wide = layout(Family::Gfx940, [32, 32, 8, 1]);
        assert_eq!(wide.operand(0, 5, 6), place(37, 2));
        assert_eq!(wide.result(0, 13, 2), place(34, 5));
        let small = layout(Family::Gfx940, [16, 16, 16, 1]);
        assert_eq!(small.operand(0, 5, 9), place(37, 1));
        assert_eq!(small.result(0, 6, 3), place(19, 2));
        let blocks = layout(Family::Gfx940, [4, 4, 4, 16]);
        assert_eq!(blocks.operand(5, 2, 3), place(22, 3));
        assert_eq!(blocks.result(5, 2, 3), place(23, 2));
        let double = Layout::new(Family::Gfx940, [4, 4, 4, 4], 64, 64).expect("a shape");
        assert_eq!(double.operand(3, 2, 1), place(30, 0));
        assert_eq!(double.result(3, 2, 1), place(45, 0));
    }

    #[test]
    fn no_two_elements_share_a_place() {
        for (family, sizes) in [
            (Family::Gfx11, [16, 16, 16, 1]),
            (Family::Gfx12, [16, 16, 32, 1]),
            (Family::Gfx940, [32, 32, 4, 2]),
            (Family::Gfx940, [16, 16, 4, 4]),
            (Family::Gfx940, [4, 4, 4, 16]),
            (Family::Gfx940, [32, 32, 16, 1]),
        ] {
            let layout = layout(family, sizes);
            let mut seen = vec![false; layout.lanes() * layout.result_elements()];
            for block in 0..layout.blocks {
                for row in 0..layout.rows {
                    for column in 0..layout.columns {
                        let place = layout.result(block, row, column);
                        let at = place.element * layout.lanes() + place.lane;
                        assert!(
                            !std::mem::replace(&mut seen[at], true),
                            "{sizes:?} {row} {column}"
                        );
                    }
                }
            }
        }
    }
}
