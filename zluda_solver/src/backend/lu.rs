//! Decompositions of sparse matrices into a lower and an upper triangular one, a column at a time, with rows exchanged
//! (Gilbert and Peierls, 1988).

use super::matrix::Sparse;
use dense::{Real, Scalar};

/// `P A = L U`; the diagonal of L is one and not stored.
#[derive(Debug)]
pub(crate) struct Decomposed<T> {
    /// Columns of L below the diagonal, by rows of A.
    lower: Vec<Vec<(usize, T)>>,
    /// Columns of U above the diagonal, by places of pivots.
    upper: Vec<Vec<(usize, T)>>,
    diagonal: Vec<T>,
    /// The row of A that is the pivot of each column.
    rows: Vec<usize>,
}

/// Decomposes a square matrix. The number of the first column, from 0, whose pivot is not larger than `least`, as an error.
pub(crate) fn decompose<T: Scalar>(a: &Sparse<T>, least: f64) -> Result<Decomposed<T>, usize> {
    let n = a.pattern.rows();
    let columns = a.transposed();
    let mut found = Decomposed {
        lower: Vec::with_capacity(n),
        upper: Vec::with_capacity(n),
        diagonal: Vec::with_capacity(n),
        rows: Vec::with_capacity(n),
    };
    let mut place_of: Vec<Option<usize>> = vec![None; n];
    let mut x = vec![T::ZERO; n];
    let mut marked = vec![usize::MAX; n];
    for j in 0..n {
        // Rows that are not zero: those that an elimination of columns before leads to.
        let mut order = Vec::new();
        let mut stack = Vec::new();
        for place in columns.pattern.row(j) {
            let row = columns.pattern.indices[place];
            x[row] += columns.values[place];
            if marked[row] != j {
                marked[row] = j;
                stack.push((row, 0));
            }
            while let Some((row, next)) = stack.pop() {
                let below = place_of[row].map(|column| &found.lower[column]);
                match below.and_then(|below| below.get(next)) {
                    Some(&(other, _)) => {
                        stack.push((row, next + 1));
                        if marked[other] != j {
                            marked[other] = j;
                            stack.push((other, 0));
                        }
                    }
                    None => order.push(row),
                }
            }
        }
        let mut above = Vec::new();
        let mut rest = Vec::new();
        for &row in order.iter().rev() {
            let Some(column) = place_of[row] else {
                rest.push(row);
                continue;
            };
            let value = x[row];
            above.push((column, value));
            for &(other, factor) in &found.lower[column] {
                x[other] -= factor * value;
            }
        }
        let mut pivot: Option<usize> = None;
        for &row in &rest {
            if pivot.is_none_or(|best| x[row].modulus() > x[best].modulus()) {
                pivot = Some(row);
            }
        }
        // No number is no pivot either.
        let Some(pivot) = pivot.filter(|row| x[*row].modulus().to_f64() > least) else {
            return Err(j);
        };
        let value = x[pivot];
        let below = rest.iter().filter(|row| **row != pivot && x[**row] != T::ZERO);
        found.lower.push(below.map(|row| (*row, x[*row] / value)).collect());
        found.upper.push(above);
        found.diagonal.push(value);
        found.rows.push(pivot);
        place_of[pivot] = Some(j);
        order.iter().for_each(|row| x[*row] = T::ZERO);
    }
    Ok(found)
}

impl<T: Scalar> Decomposed<T> {
    /// The solution for a right side.
    pub(crate) fn solve(&self, b: &[T]) -> Vec<T> {
        let mut rest = b.to_vec();
        let mut x: Vec<T> = Vec::with_capacity(b.len());
        for (row, below) in self.rows.iter().zip(&self.lower) {
            let value = rest[*row];
            x.push(value);
            for &(other, factor) in below {
                rest[other] -= factor * value;
            }
        }
        for j in (0..x.len()).rev() {
            let value = x[j] / self.diagonal[j];
            x[j] = value;
            for &(place, factor) in &self.upper[j] {
                x[place] -= factor * value;
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix::Pattern;
    use super::*;

    // A x of a matrix without a zero-free diagonal, by hand: x = (1, 2, 3).
    #[test]
    fn rows_are_exchanged_and_singular_columns_told() {
        let pattern = Pattern::new(3, 1, &[1, 3, 4, 6], &[2, 3, 1, 1, 2]).expect("a matrix");
        let matrix = Sparse { pattern, values: vec![2.0, 1.0, 4.0, 1.0, 5.0] };
        let found = decompose(&matrix, 0.0).expect("not singular");
        assert_eq!(found.solve(&[7.0, 4.0, 11.0]), [1.0, 2.0, 3.0]);
        let pattern = Pattern::new(2, 0, &[0, 2, 4], &[0, 1, 0, 1]).expect("a matrix");
        let singular = Sparse { pattern, values: vec![1.0, 2.0, 2.0, 4.0] };
        assert_eq!(decompose(&singular, 1e-12).err(), Some(1));
    }
}
