//! Decompositions of sparse Hermitian positive definite matrices, `A = L L'`, in the envelope of A: from the first element
//! of each row to the diagonal.

use super::matrix::Sparse;
use dense::{Real, Scalar};

/// The rows of L, each from its first column to the diagonal.
#[derive(Debug)]
pub(crate) struct Decomposed<T> {
    rows: Vec<(usize, Vec<T>)>,
}

/// Decomposes a matrix, of which the lower triangle is read. The number of the first row, from 0, whose pivot is not larger
/// than `least`, as an error.
pub(crate) fn decompose<T: Scalar>(a: &Sparse<T>, least: f64) -> Result<Decomposed<T>, usize> {
    let mut rows: Vec<(usize, Vec<T>)> = Vec::with_capacity(a.pattern.rows());
    for i in 0..a.pattern.rows() {
        let first = a.pattern.columns_of(i).iter().copied().min().unwrap_or(i).min(i);
        let mut row = vec![T::ZERO; i - first + 1];
        for place in a.pattern.row(i) {
            let column = a.pattern.indices[place];
            if column <= i {
                row[column - first] += a.values[place];
            }
        }
        for j in first..i {
            let (start, other) = &rows[j];
            let from = first.max(*start);
            let mut sum = row[j - first];
            for (x, y) in row[from - first..j - first].iter().zip(&other[from - start..]) {
                sum -= *x * y.conj();
            }
            row[j - first] = sum / other[j - start];
        }
        let mut pivot = row[i - first].re();
        for x in &row[..i - first] {
            pivot -= (*x * x.conj()).re();
        }
        // No number is not positive either.
        let positive = pivot.to_f64() > least;
        if !positive {
            return Err(i);
        }
        row[i - first] = T::of(pivot.sqrt());
        rows.push((first, row));
    }
    Ok(Decomposed { rows })
}

impl<T: Scalar> Decomposed<T> {
    /// The solution for a right side.
    pub(crate) fn solve(&self, b: &[T]) -> Vec<T> {
        let mut x = b.to_vec();
        for (i, (first, row)) in self.rows.iter().enumerate() {
            let mut value = x[i];
            for (factor, other) in row.iter().zip(&x[*first..i]) {
                value -= *factor * *other;
            }
            x[i] = value / row[i - first];
        }
        for (i, (first, row)) in self.rows.iter().enumerate().rev() {
            let value = x[i] / row[i - first];
            x[i] = value;
            for (factor, other) in row.iter().zip(&mut x[*first..i]) {
                *other -= factor.conj() * value;
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix::Pattern;
    use super::*;

    // By hand: A = L L' with L = ((2, 0), (1, 3)), x = (1, 2).
    #[test]
    fn a_small_system_is_solved_and_an_indefinite_one_told() {
        let pattern = Pattern::new(2, 0, &[0, 2, 4], &[0, 1, 0, 1]).expect("a matrix");
        let matrix = Sparse { pattern: pattern.clone(), values: vec![4.0, 2.0, 2.0, 10.0] };
        let found = decompose(&matrix, 0.0).expect("definite");
        assert_eq!(found.solve(&[8.0, 22.0]), [1.0, 2.0]);
        let indefinite = Sparse { pattern, values: vec![1.0, 2.0, 2.0, 1.0] };
        assert_eq!(decompose(&indefinite, 0.0).err(), Some(1));
    }
}
