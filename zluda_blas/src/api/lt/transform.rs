//! `cublasLtMatrixTransform`: C = alpha op(A) + beta op(B), of matrices in any order and type.

use super::attributes::{Layout, Transform, layout, transform as attribute};
use crate::api::mixed::format;
use crate::handle::Handle;
use crate::number::*;
use cuda_types::cublas::*;
use dense::mixed::Format;
use std::ffi::c_void;
use std::sync::Arc;

/// Columns of a stripe in the order `CUBLASLT_ORDER_COL32`.
const STRIPE: usize = 32;

/// Elements of a part of the work.
const PART: usize = 1 << 14;

/// How an element is found.
#[derive(Clone, Copy)]
enum Order {
    Columns,
    Rows,
    /// Stripes of 32 columns, each row of a stripe together.
    Stripes,
}

/// The type of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    Narrow(Format),
    F64,
}

impl Element {
    fn of(ty: cudaDataType) -> CublasResult<Self> {
        if ty == cudaDataType_t::CUDA_R_64F {
            Ok(Element::F64)
        } else {
            format(ty).map(Element::Narrow)
        }
    }

    fn size(self) -> usize {
        match self {
            Element::Narrow(format) => format.size(),
            Element::F64 => 8,
        }
    }

    /// # Safety
    /// It is memory that may be read.
    unsafe fn load(self, place: *const u8) -> f64 {
        // SAFETY: the caller says so.
        unsafe {
            match self {
                // All 32 bits of an integer.
                Element::Narrow(Format::I32) => place.cast::<i32>().read_unaligned().into(),
                Element::Narrow(format) => format.load(place).into(),
                Element::F64 => place.cast::<f64>().read_unaligned(),
            }
        }
    }

    /// Rounds once; integers saturate.
    ///
    /// # Safety
    /// It is memory that may be written.
    unsafe fn store(self, place: *mut u8, value: f64) {
        // SAFETY: the caller says so.
        unsafe {
            match self {
                Element::Narrow(Format::I32) => {
                    place.cast::<i32>().write_unaligned(value.round_ties_even() as i32)
                }
                Element::Narrow(format) => format.store(place, value as f32),
                Element::F64 => place.cast::<f64>().write_unaligned(value),
            }
        }
    }
}

/// A matrix of a batch.
#[derive(Clone, Copy)]
struct Placed {
    first: Pointer<u8>,
    element: Element,
    rows: usize,
    columns: usize,
    order: Order,
    leading: usize,
    count: usize,
    stride: i64,
}

impl Placed {
    fn of(object: &Layout, first: *const c_void) -> CublasResult<Placed> {
        let number = |attribute| object.0.number(attribute);
        let (rows, columns) = (number(layout::ROWS) as usize, number(layout::COLUMNS) as usize);
        let (order, least) = match cublasLtOrder_t(number(layout::ORDER) as _) {
            cublasLtOrder_t::CUBLASLT_ORDER_COL => (Order::Columns, rows),
            cublasLtOrder_t::CUBLASLT_ORDER_ROW => (Order::Rows, columns),
            cublasLtOrder_t::CUBLASLT_ORDER_COL32 => (Order::Stripes, STRIPE * rows),
            _ => return Err(cublasError::NOT_SUPPORTED),
        };
        Ok(Placed {
            first: Pointer::of(first.cast()),
            element: Element::of(cudaDataType_t(number(layout::TYPE) as _))?,
            rows,
            columns,
            order,
            leading: leading(number(layout::LEADING) as i64, least)? as usize,
            count: size(i64::from(number(layout::COUNT) as i32))?,
            stride: number(layout::STRIDE) as i64,
        })
    }

    fn place(&self, item: usize, i: usize, j: usize) -> *mut u8 {
        let element = match self.order {
            Order::Columns => i + j * self.leading,
            Order::Rows => i * self.leading + j,
            Order::Stripes => j / STRIPE * self.leading + i * STRIPE + j % STRIPE,
        };
        // A matrix that is one for all has no others.
        let item = if self.count == 1 { 0 } else { item as i64 };
        let element = self.stride.wrapping_mul(item).wrapping_add(element as i64);
        let bytes = element.wrapping_mul(self.element.size() as i64);
        self.first.at(0).wrapping_offset(bytes as isize)
    }
}

/// An operand with its factor: read as it is, or with rows and columns exchanged. None where it is not there.
type Term = Option<(Placed, bool, Factor)>;

#[derive(Clone, Copy)]
enum Factor {
    F32(Value<f32>),
    F64(Value<f64>),
}

impl Factor {
    fn get(self) -> f64 {
        match self {
            Factor::F32(value) => value.get().into(),
            Factor::F64(value) => value.get(),
        }
    }
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn transform(
    handle: Arc<Handle>,
    description: Transform,
    alpha: *const c_void,
    a: *const c_void,
    layout_a: Option<Layout>,
    beta: *const c_void,
    b: *const c_void,
    layout_b: Option<Layout>,
    c: *mut c_void,
    layout_c: Layout,
    stream: cudaStream_t,
) -> CublasResult {
    use cudaDataType_t as D;
    let number = |attribute| description.0.number(attribute);
    let on_device = match number(attribute::POINTER_MODE) {
        0 => false,
        1 => true,
        _ => return Err(cublasError::NOT_SUPPORTED),
    };
    let scale = cudaDataType_t(number(attribute::SCALE) as _);
    // SAFETY: the caller passes what the API asks for.
    let factor = |place: *const c_void| unsafe {
        check(!place.is_null())?;
        Ok::<_, cublasError>(match (scale, on_device) {
            (D::CUDA_R_32F, true) => Factor::F32(Value::Device(place.cast())),
            (D::CUDA_R_32F, false) => {
                Factor::F32(Value::Host(place.cast::<f32>().read_unaligned()))
            }
            (D::CUDA_R_64F, true) => Factor::F64(Value::Device(place.cast())),
            (D::CUDA_R_64F, false) => {
                Factor::F64(Value::Host(place.cast::<f64>().read_unaligned()))
            }
            _ => return Err(cublasError::NOT_SUPPORTED),
        })
    };
    let c = Placed::of(&layout_c, c)?;
    let term =
        |place: *const c_void, layout: &Option<Layout>, factor_place, op| -> CublasResult<Term> {
            let Some(layout) = layout else { return Ok(None) };
            if place.is_null() {
                return Ok(None);
            }
            let placed = Placed::of(layout, place)?;
            let turned = operation(cublasOperation_t(number(op) as _))?.transposed;
            let (rows, columns) = match turned {
                true => (placed.columns, placed.rows),
                false => (placed.rows, placed.columns),
            };
            check(rows == c.rows && columns == c.columns)?;
            check(placed.count == c.count || placed.count == 1)?;
            Ok(Some((placed, turned, factor(factor_place)?)))
        };
    let terms =
        [term(a, &layout_a, alpha, attribute::OP_A)?, term(b, &layout_b, beta, attribute::OP_B)?];
    let handle = handle.here("cublasLtMatrixTransform");
    let elements = c.rows * c.columns;
    let parts = elements.div_ceil(PART);
    handle.run_in(stream.cast(), parts * c.count, move |part| {
        let (item, from) = (part / parts, part % parts * PART);
        let terms = terms.map(|term| term.map(|(placed, turned, f)| (placed, turned, f.get())));
        for element in from..(from + PART).min(elements) {
            let (i, j) = (element % c.rows, element / c.rows);
            let mut sum = 0.0;
            for (placed, turned, factor) in terms.iter().flatten() {
                // A matrix times 0 is not read.
                if *factor != 0.0 {
                    let (i, j) = if *turned { (j, i) } else { (i, j) };
                    // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
                    sum += factor * unsafe { placed.element.load(placed.place(item, i, j)) };
                }
            }
            // SAFETY: as above.
            unsafe { c.element.store(c.place(item, i, j), sum) };
        }
    })
}
