//! The numbers that both `dense` and faer compute with.

use dense::{Complex, Scalar};
use faer::diag::DiagMut;
use faer::dyn_stack::MemStack;
use faer::linalg::evd;
use faer::prelude::default;
use faer::traits::ComplexField;
use faer::{MatMut, MatRef, Par};

/// A number of four types: real and complex, of 32 and 64 bits a component.
pub trait Number: Scalar + ComplexField {
    /// Eigenvalues of any matrix; the eigenvectors are written where there is a place.
    fn general(
        a: MatRef<'_, Self>,
        left: Option<MatMut<'_, Self>>,
        right: Option<MatMut<'_, Self>>,
        stack: &mut MemStack,
    ) -> Option<Vec<Complex<<Self as Scalar>::Real>>>;
}

macro_rules! number {
    ($real:ty) => {
        impl Number for $real {
            fn general(
                a: MatRef<'_, $real>,
                left: Option<MatMut<'_, $real>>,
                right: Option<MatMut<'_, $real>>,
                stack: &mut MemStack,
            ) -> Option<Vec<Complex<$real>>> {
                let (mut re, mut im) = (vec![0.0; a.nrows()], vec![0.0; a.nrows()]);
                let places = (DiagMut::from_slice_mut(&mut re), DiagMut::from_slice_mut(&mut im));
                evd::evd_real(a, places.0, places.1, left, right, Par::Seq, stack, default())
                    .ok()?;
                Some(re.into_iter().zip(im).map(|(re, im)| Complex::new(re, im)).collect())
            }
        }

        impl Number for Complex<$real> {
            fn general(
                a: MatRef<'_, Self>,
                left: Option<MatMut<'_, Self>>,
                right: Option<MatMut<'_, Self>>,
                stack: &mut MemStack,
            ) -> Option<Vec<Self>> {
                let mut values = vec![Complex::new(0.0, 0.0); a.nrows()];
                let place = DiagMut::from_slice_mut(&mut values);
                evd::evd_cplx(a, place, left, right, Par::Seq, stack, default()).ok()?;
                Some(values)
            }
        }
    };
}

number!(f32);
number!(f64);
