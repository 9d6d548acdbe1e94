//! Systems of equations with a triangular matrix: `op(a) * y = alpha * x`.

use crate::lines::Lines;
use crate::number::{Factor, Type, with_scalar};
use crate::place::{Address, Dense};

/// Which elements of a matrix count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triangle {
    pub upper: bool,
    /// The diagonal is 1, whatever is stored.
    pub unit: bool,
}

/// A system, which columns of the right side can be solved of one by one.
#[derive(Clone, Copy, Debug)]
pub struct System {
    pub values: Address,
    /// The diagonal, where it is not that of the values.
    pub diagonal: Option<Address>,
    pub ty: Type,
    /// As the rows of the lines are: of a transposed matrix the other triangle.
    pub triangle: Triangle,
    pub conj: bool,
    pub x: Dense,
    pub x_conj: bool,
    pub y: Dense,
    pub alpha: Factor,
}

impl System {
    /// Solves for one column. The right side and the solution may be the same memory.
    ///
    /// # Safety
    /// All is memory of the types and sizes that it tells.
    pub unsafe fn solve(&self, lines: &Lines, column: usize) {
        let Triangle { upper, unit } = self.triangle;
        let n = lines.rows();
        with_scalar!(self.ty, S => {
            // SAFETY: the caller says so, of all that follows.
            unsafe {
                let alpha = self.alpha.get::<S>();
                let turn = |value: S| dense::Scalar::conj_if(value, self.conj);
                for step in 0..n {
                    let i = if upper { n - 1 - step } else { step };
                    let right = dense::Scalar::conj_if(self.x.get::<S>(i, column), self.x_conj);
                    let mut sum = alpha * right;
                    let mut diagonal = <S as dense::Scalar>::ZERO;
                    for (j, at) in lines.of_row(i) {
                        if *j == i {
                            diagonal += turn(self.values.get::<S>(*at));
                        } else if (*j > i) == upper {
                            sum -= turn(self.values.get::<S>(*at)) * self.y.get::<S>(*j, column);
                        }
                    }
                    if let Some(own) = self.diagonal {
                        diagonal = turn(own.get::<S>(i));
                    }
                    self.y.set(i, column, if unit { sum } else { sum / diagonal });
                }
            }
        });
    }

    /// The first row whose diagonal is not there, or is 0.
    ///
    /// # Safety
    /// As for [`Self::solve`].
    pub unsafe fn zero_pivot(
        values: Address,
        ty: Type,
        lines: &Lines,
        look: bool,
    ) -> Option<usize> {
        with_scalar!(ty, S => {
            (0..lines.rows()).find(|i| {
                let mut diagonal = lines.of_row(*i).iter().filter(|(j, _)| j == i).peekable();
                if diagonal.peek().is_none() {
                    return true;
                }
                // SAFETY: the caller says so.
                look && diagonal.all(|(_, at)| unsafe { values.get::<S>(*at) } == <S as dense::Scalar>::ZERO)
            })
        })
        .flatten()
    }
}
