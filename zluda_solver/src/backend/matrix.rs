//! Sparse matrices, row after row.

use dense::Scalar;

/// The places of a matrix's elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) columns: usize,
    /// Where each row begins, and the end of the last one.
    pub(crate) starts: Vec<usize>,
    /// The column of each element, from 0.
    pub(crate) indices: Vec<usize>,
}

impl Pattern {
    /// A pattern by numbers that begin at `base`; none where they are not those of a matrix.
    pub(crate) fn new(
        columns: usize,
        base: i64,
        starts: &[i32],
        indices: &[i32],
    ) -> Option<Pattern> {
        let from_base = |number: &i32| usize::try_from(i64::from(*number) - base).ok();
        let starts: Vec<usize> = starts.iter().map(from_base).collect::<Option<_>>()?;
        let indices: Vec<usize> = indices.iter().map(from_base).collect::<Option<_>>()?;
        let in_order = starts.first() == Some(&0) && starts.is_sorted();
        let fits = starts.last() == Some(&indices.len());
        let known = indices.iter().all(|column| *column < columns);
        (in_order && fits && known).then_some(Pattern { columns, starts, indices })
    }

    pub(crate) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The places of a row's elements.
    pub(crate) fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// The columns of a row's elements.
    pub(crate) fn columns_of(&self, row: usize) -> &[usize] {
        &self.indices[self.row(row)]
    }

    /// For each row of a square matrix the others that it shares an element with, in either order, ascending.
    pub(crate) fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new(); self.rows()];
        for row in 0..self.rows() {
            for &column in self.columns_of(row) {
                if column != row {
                    found[row].push(column);
                    found[column].push(row);
                }
            }
        }
        for list in &mut found {
            list.sort_unstable();
            list.dedup();
        }
        found
    }

    /// The pattern with row and column `order[i]` at place i, and for each element the place where it stood.
    pub(crate) fn permuted(&self, rows: &[usize], columns: &[usize]) -> (Pattern, Vec<usize>) {
        let mut place_of = vec![0; self.columns];
        for (place, column) in columns.iter().enumerate() {
            place_of[*column] = place;
        }
        let mut result = Pattern { columns: self.columns, starts: vec![0], indices: Vec::new() };
        let mut origins = Vec::with_capacity(self.indices.len());
        for row in rows {
            let mut elements: Vec<(usize, usize)> =
                self.row(*row).map(|place| (place_of[self.indices[place]], place)).collect();
            elements.sort_unstable();
            result.indices.extend(elements.iter().map(|element| element.0));
            origins.extend(elements.iter().map(|element| element.1));
            result.starts.push(result.indices.len());
        }
        (result, origins)
    }
}

/// A matrix.
#[derive(Clone, Debug)]
pub(crate) struct Sparse<T> {
    pub(crate) pattern: Pattern,
    pub(crate) values: Vec<T>,
}

impl<T: Scalar> Sparse<T> {
    /// The same order of rows and columns: `order[i]` is at place i.
    pub(crate) fn permuted(&self, order: &[usize]) -> Sparse<T> {
        let (pattern, origins) = self.pattern.permuted(order, order);
        let values = origins.into_iter().map(|place| self.values[place]).collect();
        Sparse { pattern, values }
    }

    /// The columns of the matrix as rows of another one.
    pub(crate) fn transposed(&self) -> Sparse<T> {
        let Pattern { columns, starts, .. } = &self.pattern;
        let mut counts = vec![0; columns + 1];
        for column in &self.pattern.indices {
            counts[column + 1] += 1;
        }
        for i in 0..*columns {
            counts[i + 1] += counts[i];
        }
        let mut next = counts.clone();
        let count = self.values.len();
        let (mut indices, mut values) = (vec![0; count], vec![T::ZERO; count]);
        for row in 0..starts.len() - 1 {
            for place in self.pattern.row(row) {
                let to = &mut next[self.pattern.indices[place]];
                (indices[*to], values[*to]) = (row, self.values[place]);
                *to += 1;
            }
        }
        let pattern = Pattern { columns: starts.len() - 1, starts: counts, indices };
        Sparse { pattern, values }
    }
}
