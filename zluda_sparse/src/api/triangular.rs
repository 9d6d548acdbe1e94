//! Systems of equations with a sparse triangular matrix, for a vector (SpSV) and for a matrix (SpSM).
//!
//! The analysis finds which elements there are of each row. Both functions are one: a vector is a matrix of one column.

use crate::convert::*;
use crate::descriptors::{Described, DnMat, DnVec, Object, SpMat, described};
use crate::handle::{Generic, Handle};
use cuda_types::cusparse::*;
use parking_lot::Mutex;
use sparse::lines::Lines;
use sparse::triangular::{System, Triangle};
use sparse::{Address, Dense, Layout, Matrix, Type};
use std::sync::Arc;

/// The results of an analysis; the values where a program has changed them since.
#[derive(Clone, Default)]
pub(crate) struct Analysis(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    lines: Arc<Lines>,
    values: Option<Arc<Vec<u8>>>,
    diagonal: Option<Arc<Vec<u8>>>,
    /// Of the values, and how many they are.
    ty: Option<Type>,
    stored: usize,
    rows: usize,
}

/// The descriptor of SpSV.
#[derive(Clone, Default)]
pub(crate) struct SpSv(Analysis);
/// The descriptor of SpSM.
#[derive(Clone, Default)]
pub(crate) struct SpSm(Analysis);

described! {
    SpSv of cusparseSpSVDescr_t = CUSPARSE_SPSV, INVALID_VALUE;
    SpSm of cusparseSpSMDescr_t = CUSPARSE_SPSM, INVALID_VALUE;
}

/// The checks of a system before it is analysed or solved.
struct Checked {
    a: Matrix,
    transposed: bool,
    system: System,
}

fn check_matrix(op: Operation, a: &SpMat) -> CusparseResult {
    let matrix = a.matrix;
    check(matrix.rows == matrix.columns)?;
    check(!op.conj || matrix.ty.is_complex())?;
    supported(!matches!(matrix.layout, Layout::BlockedEll { .. } | Layout::Blocks { .. }))
}

/// # Safety
/// `alpha` is as the API asks for.
unsafe fn check_system(
    handle: &Handle,
    op: Operation,
    op_b: Operation,
    alpha: Address,
    a: &SpMat,
    (x, y): (Dense, Dense),
    compute: Type,
) -> CusparseResult<Checked> {
    let x = if op_b.transposed { x.transposed() } else { x };
    let matrix = a.matrix;
    check_matrix(op, a)?;
    check(x.rows == matrix.rows && y.rows == matrix.rows && x.columns == y.columns)?;
    check(!op_b.conj || x.ty.is_complex())?;
    supported([x.ty, y.ty, compute].iter().all(|ty| *ty == matrix.ty))?;
    supported(matches!(compute, Type::F32 | Type::F64 | Type::C32 | Type::C64))?;
    // SAFETY: the caller says so.
    let alpha = unsafe { handle.factor(alpha, compute) }?;
    let [fill, diagonal, ..] = a.attributes;
    let upper = fill == cusparseFillMode_t::CUSPARSE_FILL_MODE_UPPER.0;
    let system = System {
        values: matrix.values,
        diagonal: None,
        ty: compute,
        triangle: Triangle {
            upper: upper != op.transposed,
            unit: diagonal == cusparseDiagType_t::CUSPARSE_DIAG_TYPE_UNIT.0,
        },
        conj: op.conj,
        x,
        x_conj: op_b.conj,
        y,
        alpha,
    };
    Ok(Checked { a: matrix, transposed: op.transposed, system })
}

impl Checked {
    fn analyse(self, handle: &Handle, Analysis(state): Analysis) -> CusparseResult {
        let Checked { a, transposed, .. } = self;
        handle.run(1, move |_| {
            // SAFETY: the program says that the matrix is there; where not, the work ends as a kernel does.
            let lines = Arc::new(unsafe { Lines::of(&a, transposed) });
            let (ty, stored, rows) = (Some(a.ty), a.stored, a.rows);
            *state.lock() = State { lines, ty, stored, rows, ..State::default() };
        })
    }

    fn solve(self, handle: &Handle, Analysis(state): Analysis) -> CusparseResult {
        let system = self.system;
        handle.run(system.y.columns, move |column| {
            let (lines, values, diagonal) = {
                let state = state.lock();
                (state.lines.clone(), state.values.clone(), state.diagonal.clone())
            };
            let held = |bytes: &Arc<Vec<u8>>| Address::of(bytes.as_ptr());
            let system = System {
                values: values.as_ref().map_or(system.values, held),
                diagonal: diagonal.as_ref().map(held),
                ..system
            };
            // A solution has as many rows as what was analysed.
            if lines.rows() == system.y.rows {
                // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
                unsafe { system.solve(&lines, column) };
            }
        })
    }
}

/// Takes other values: all of them, or those of the diagonal. They are copied.
fn update(
    handle: &Handle,
    Analysis(state): Analysis,
    values: Address,
    part: u32,
) -> CusparseResult {
    check(part <= 1 && !values.is_null())?;
    handle.run(1, move |_| {
        let mut state = state.lock();
        let Some(ty) = state.ty else { return };
        let count = if part == 0 { state.stored } else { state.rows };
        // SAFETY: the program says that the values are there; where not, the work ends as a kernel does.
        let bytes = unsafe { std::slice::from_raw_parts(values.at::<u8>(0), count * ty.size()) };
        let copy = Some(Arc::new(bytes.to_vec()));
        if part == 0 {
            (state.values, state.diagonal) = (copy, None);
        } else {
            state.diagonal = copy;
        }
    })
}

const AS_IT_IS: Operation = Operation { transposed: false, conj: false };

/// The functions of one of both: its descriptors, the dense objects and how their memory is found.
macro_rules! functions {
    ($descriptor:ident, $pointer:ident, $update:ident, $alg:ident, $algorithms:literal, $dense:ident, $x:ty, $memory:expr,
        ($($op_b:ident: $operation:ty)?), $op:expr;
        $create:ident $destroy:ident $size:ident $analysis:ident $solve:ident $change:ident) => {
        pub(crate) fn $create(descriptor: Out<$pointer>) -> CusparseResult {
            descriptor.check()?;
            descriptor.set($descriptor::default().insert()?)
        }

        pub(crate) fn $destroy(descriptor: $pointer) -> CusparseResult {
            $descriptor::remove(descriptor)
        }

        /// The dense objects and the type of the arithmetic are not looked at.
        pub(crate) fn $size(
            _: Generic, op: Operation, $($op_b: $operation,)? alpha: Address, a: Arc<Object<SpMat>>,
            x: $x, _: Option<Arc<Object<$dense>>>, _: Type, alg: $alg,
            _: Arc<Object<$descriptor>>, size: Out<usize>,
        ) -> CusparseResult {
            size.check()?;
            check(alg.0 <= $algorithms && !alpha.is_null())?;
            let _ = ($($op_b,)? x);
            check_matrix(op, &a.get())?;
            size.set(0)
        }

        pub(crate) unsafe fn $analysis(
            handle: Generic, op: Operation, $($op_b: $operation,)? alpha: Address, a: Arc<Object<SpMat>>,
            x: Arc<Object<$dense>>, y: Arc<Object<$dense>>, compute: Type, alg: $alg,
            descriptor: Arc<Object<$descriptor>>, _buffer: Address,
        ) -> CusparseResult {
            check(alg.0 <= $algorithms)?;
            let memory: fn(&Object<$dense>) -> Dense = $memory;
            let both = (memory(&x), memory(&y));
            // SAFETY: the caller passes what the API asks for.
            unsafe { check_system(&handle, op, $op, alpha, &a.get(), both, compute) }?
                .analyse(&handle, descriptor.with(|analysis| analysis.0.clone()))
        }

        pub(crate) unsafe fn $solve(
            handle: Generic, op: Operation, $($op_b: $operation,)? alpha: Address, a: Arc<Object<SpMat>>,
            x: Arc<Object<$dense>>, y: Arc<Object<$dense>>, compute: Type, alg: $alg,
            descriptor: Arc<Object<$descriptor>>,
        ) -> CusparseResult {
            check(alg.0 <= $algorithms)?;
            let memory: fn(&Object<$dense>) -> Dense = $memory;
            let both = (memory(&x), memory(&y));
            // SAFETY: the caller passes what the API asks for.
            unsafe { check_system(&handle, op, $op, alpha, &a.get(), both, compute) }?
                .solve(&handle, descriptor.with(|analysis| analysis.0.clone()))
        }

        pub(crate) fn $change(
            handle: Generic, descriptor: Arc<Object<$descriptor>>, values: Address, part: $update,
        ) -> CusparseResult {
            update(&handle, descriptor.with(|analysis| analysis.0.clone()), values, part.0)
        }
    };
}

functions! {
    SpSv, cusparseSpSVDescr_t, cusparseSpSVUpdate_t, cusparseSpSVAlg_t, 2, DnVec, Option<Arc<Object<DnVec>>>, |vector| vector.get().0, (), AS_IT_IS;
    create_spsv destroy_spsv spsv_size spsv_analysis spsv_solve spsv_update
}

functions! {
    SpSm, cusparseSpSMDescr_t, cusparseSpSMUpdate_t, cusparseSpSMAlg_t, 0, DnMat, Arc<Object<DnMat>>, |matrix| matrix.get().dense,
        (op_b: Operation), op_b;
    create_spsm destroy_spsm spsm_size spsm_analysis spsm_solve spsm_update
}
