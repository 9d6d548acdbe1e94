//! `cublasLtMatmul`: D = epilogue(alpha A B + beta C).

use super::attributes::{Desc, Layout};
use super::epilogue::{Number, Sums};
use super::problem::{Kind, Placed, Problem};
use super::rocm;
use crate::api::mixed::Scale;
use crate::handle::Handle;
use crate::number::*;
use cuda_types::cublas::*;
use dense::mixed::{Format, Operand, multiply, multiply_bytes};
use dense::product::{Product, Tile, Tiles};
use dense::{Complex, Matrix, Scalar};
use std::ffi::c_void;
use std::sync::Arc;
use zluda_api::driver::threads;

/// Where the matrices of a product lie.
#[derive(Clone, Copy)]
struct Places {
    a: Pointer<u8>,
    b: Pointer<u8>,
    c: Pointer<u8>,
    d: Pointer<u8>,
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn matmul(
    mut handle: Arc<Handle>,
    description: Desc,
    alpha: *const c_void,
    a: *const c_void,
    layout_a: Layout,
    b: *const c_void,
    layout_b: Layout,
    beta: *const c_void,
    c: *const c_void,
    layout_c: Layout,
    d: *mut c_void,
    layout_d: Layout,
    _algorithm: *const cublasLtMatmulAlgo_t,
    workspace: *mut c_void,
    workspace_size: usize,
    stream: cudaStream_t,
) -> CublasResult {
    let problem = Problem::check(&description, [&layout_a, &layout_b, &layout_c, &layout_d])?;
    problem.epilogue.check_pointers()?;
    check(!alpha.is_null() && !beta.is_null())?;
    if let Some(blas) = handle.rocm() {
        let arguments = rocm::Arguments {
            places: [a, b, c, d.cast_const()],
            factors: [alpha, beta],
            workspace: (workspace, workspace_size),
            stream,
        };
        // SAFETY: the caller passes what the API asks for.
        let put = unsafe { rocm::matmul(&handle, blas, &problem, &description, &arguments) };
        if put != Err(cublasError::NOT_SUPPORTED) {
            return put;
        }
        handle = handle.here("cublasLtMatmul of such products");
    }
    let places = Places {
        a: Pointer::of(a.cast()),
        b: Pointer::of(b.cast()),
        c: Pointer::of(c.cast()),
        d: Pointer::of(d.cast_const().cast()),
    };
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        match problem.kind {
            Kind::F32 => plain::<f32>(&handle, problem, places, (alpha, beta), stream),
            Kind::F64 => plain::<f64>(&handle, problem, places, (alpha, beta), stream),
            Kind::C32 => plain::<Complex<f32>>(&handle, problem, places, (alpha, beta), stream),
            Kind::C64 => plain::<Complex<f64>>(&handle, problem, places, (alpha, beta), stream),
            Kind::Mixed(formats, scale) => {
                mixed(&handle, problem, places, (formats, scale), (alpha, beta), stream)
            }
            Kind::Planar(formats) => {
                planar(&handle, problem, places, formats, (alpha, beta), stream)
            }
        }
    }
}

/// The tiles of a product: whole rows where sums along them are wanted, one where something is to be known of all elements.
fn tiles(problem: &Problem) -> Tiles {
    let Placed { rows, columns, .. } = problem.d;
    if !problem.largest.at(0).is_null() || problem.epilogue.sums == Sums::Result {
        return Tiles::cut(rows, columns, 1);
    }
    Tiles::of_product(rows, columns, problem.a.columns, threads().div_ceil(problem.d.count.max(1)))
}

fn factor<T: Copy>(on_device: bool, place: *const c_void) -> Value<T> {
    match on_device {
        true => Value::Device(place.cast()),
        // SAFETY: the caller passes what the API asks for.
        false => Value::Host(unsafe { place.cast::<T>().read_unaligned() }),
    }
}

/// Where a matrix of a batch begins, whose elements have so many bytes.
///
/// # Safety
/// Addresses, where the batch has some, can be read.
unsafe fn first(place: Pointer<u8>, placed: &Placed, number: usize, size: usize) -> *mut u8 {
    // A matrix that is one for all has no others.
    let number = if placed.count == 1 { 0 } else { number };
    if placed.by_addresses {
        // SAFETY: the caller says so.
        return unsafe { place.at(0).cast::<*mut u8>().add(number).read_unaligned() };
    }
    place.at(0).wrapping_offset(placed.stride as isize * number as isize * size as isize)
}

/// A matrix of a batch.
///
/// # Safety
/// As for [`first`].
unsafe fn item<T>(place: Pointer<u8>, placed: &Placed, number: usize, conj: bool) -> Matrix<T> {
    // SAFETY: the caller says so.
    let first = unsafe { first(place, placed, number, size_of::<T>()) }.cast();
    Matrix { first, row: placed.row, column: placed.column, conj }
}

/// As [`item`], of elements that are widened.
///
/// # Safety
/// As for [`first`].
unsafe fn operand(place: Pointer<u8>, placed: &Placed, number: usize, format: Format) -> Operand {
    // SAFETY: the caller says so.
    let first = unsafe { first(place, placed, number, format.size()) }.cast_const();
    Operand { first, format, row: placed.row, column: placed.column }
}

/// A product of numbers of one type.
unsafe fn plain<T: Scalar<Real: Number>>(
    handle: &Handle,
    problem: Problem,
    places: Places,
    (alpha, beta): (*const c_void, *const c_void),
    stream: cudaStream_t,
) -> CublasResult {
    let (alpha, beta) =
        (factor::<T>(problem.on_device, alpha), factor::<T>(problem.on_device, beta));
    if problem.d.rows == 0 || problem.d.columns == 0 {
        return Ok(());
    }
    let tiles = tiles(&problem);
    handle.run_in(stream.cast(), problem.d.count * tiles.count(), move |part| {
        let (number, tile) = (part / tiles.count(), tiles.tile(part % tiles.count()));
        let (alpha, beta) = (alpha.get(), beta.get());
        // SAFETY: the program says that the matrices are there; where not, the work ends as a kernel does.
        unsafe {
            let c = item::<T>(places.c, &problem.c, number, false);
            let d = item::<T>(places.d, &problem.d, number, false);
            if beta != T::ZERO && (c.first, c.row, c.column) != (d.first, d.row, d.column) {
                for j in tile.column..tile.column + tile.columns {
                    for i in tile.row..tile.row + tile.rows {
                        d.set(i, j, c.get(i, j));
                    }
                }
            }
            let a = item::<T>(places.a, &problem.a, number, problem.conj[0]);
            let b = item::<T>(places.b, &problem.b, number, problem.conj[1]);
            Product { a, b, c: d, depth: problem.a.columns, alpha, beta }.run(tile);
            // Epilogues are for real numbers alone.
            if !problem.epilogue.is_plain() {
                finish(
                    &problem,
                    (number, tile),
                    |i, j| d.get(i, j).re(),
                    |j, line: &[T::Real]| {
                        for (i, value) in line.iter().enumerate() {
                            d.set(tile.row + i, j, T::of(*value));
                        }
                    },
                );
                let (a, b) = (|i, k| a.get(i, k).re(), |k, j| b.get(k, j).re());
                input_sums(&problem, (number, tile), a, b);
            }
        }
    })
}

/// A product of elements that are widened.
unsafe fn mixed(
    handle: &Handle,
    problem: Problem,
    places: Places,
    (formats, scale): ([Format; 4], Scale),
    (alpha, beta): (*const c_void, *const c_void),
    stream: cudaStream_t,
) -> CublasResult {
    // SAFETY: the caller passes what the API asks for.
    let (alpha, beta) =
        unsafe { (scale.value(problem.on_device, alpha)?, scale.value(problem.on_device, beta)?) };
    if problem.d.rows == 0 || problem.d.columns == 0 {
        return Ok(());
    }
    let tiles = tiles(&problem);
    handle.run_in(stream.cast(), problem.d.count * tiles.count(), move |part| {
        let (number, tile) = (part / tiles.count(), tiles.tile(part % tiles.count()));
        if tile.rows == 0 || tile.columns == 0 {
            return;
        }
        // SAFETY: as for numbers of one type.
        unsafe {
            let factors = problem.scales.map(|place| match place.at(0).is_null() {
                true => 1.0,
                false => f64::from(place.get()),
            });
            let alpha = scale.get(alpha) * factors[0] * factors[1];
            let beta = scale.get(beta) * factors[2];
            let a = operand(places.a, &problem.a, number, formats[0]);
            let b = operand(places.b, &problem.b, number, formats[1]);
            let c = operand(places.c, &problem.c, number, formats[2]);
            let d = operand(places.d, &problem.d, number, formats[3]);
            let depth = if alpha == 0.0 { 0 } else { problem.a.columns };
            let value = |i: usize, j: usize, sum: f64| {
                let product = if alpha == 0.0 { 0.0 } else { alpha * sum };
                let place = c.place(i, j);
                match (beta == 0.0, c.format) {
                    (true, _) => product,
                    (_, Format::I32) => {
                        product + beta * f64::from(place.cast::<i32>().read_unaligned())
                    }
                    _ => product + beta * f64::from(c.format.load(place)),
                }
            };
            let index = |i: usize, j: usize| (j - tile.column) * tile.rows + (i - tile.row);
            let is_small = matches!(d.format, Format::E4m3 | Format::E5m2 | Format::I8);
            let factor = match problem.scales[3].at(0).is_null() || !is_small {
                true => 1.0,
                false => problem.scales[3].get(),
            };
            let store = |j, line: &[f32]| {
                let line: Vec<f32> = line.iter().map(|value| value * factor).collect();
                d.store_column(tile.row, j, &line);
            };
            if formats[0] == Format::I8 {
                let sums = multiply_bytes(&a, &b, depth, tile);
                if d.format == Format::I32 {
                    for j in tile.column..tile.column + tile.columns {
                        for i in tile.row..tile.row + tile.rows {
                            let value = value(i, j, sums[index(i, j)].into());
                            d.place(i, j)
                                .cast_mut()
                                .cast::<i32>()
                                .write_unaligned(value as i64 as i32);
                        }
                    }
                } else {
                    let at = |i, j| value(i, j, sums[index(i, j)].into()) as f32;
                    finish(&problem, (number, tile), at, store);
                }
            } else {
                multiply(&a, &b, depth, tile, |sums| {
                    let at = |i, j| value(i, j, sums[index(i, j)].into()) as f32;
                    finish(&problem, (number, tile), at, store);
                });
            }
            let (a, b) = (|i, k| a.format.load(a.place(i, k)), |k, j| b.format.load(b.place(k, j)));
            input_sums(&problem, (number, tile), a, b);
        }
    })
}

/// A product of complex numbers in planes, by four products of their parts.
unsafe fn planar(
    handle: &Handle,
    problem: Problem,
    places: Places,
    formats: [Format; 4],
    (alpha, beta): (*const c_void, *const c_void),
    stream: cudaStream_t,
) -> CublasResult {
    let (alpha, beta) = (
        factor::<Complex<f32>>(problem.on_device, alpha),
        factor::<Complex<f32>>(problem.on_device, beta),
    );
    if problem.d.rows == 0 || problem.d.columns == 0 {
        return Ok(());
    }
    let tiles = tiles(&problem);
    handle.run_in(stream.cast(), problem.d.count * tiles.count(), move |part| {
        let (number, tile) = (part / tiles.count(), tiles.tile(part % tiles.count()));
        if tile.rows == 0 || tile.columns == 0 {
            return;
        }
        let (alpha, beta) = (alpha.get(), beta.get());
        let depth = problem.a.columns;
        // SAFETY: as for numbers of one type.
        unsafe {
            let planes = |place, placed: &Placed, format| {
                let real = operand(place, placed, number, format);
                [real, Operand { first: real.first.wrapping_offset(placed.plane), ..real }]
            };
            let (a, b) = (
                planes(places.a, &problem.a, formats[0]),
                planes(places.b, &problem.b, formats[1]),
            );
            let (c, d) = (
                planes(places.c, &problem.c, formats[2]),
                planes(places.d, &problem.d, formats[3]),
            );
            let sums = |x: usize, y: usize| {
                let mut kept = Vec::new();
                multiply(&a[x], &b[y], depth, tile, |sums| kept = sums.to_vec());
                kept
            };
            let [sums_00, sums_01, sums_10, sums_11] =
                [sums(0, 0), sums(0, 1), sums(1, 0), sums(1, 1)];
            let sign = |conj: bool| if conj { -1.0 } else { 1.0 };
            let [sign_a, sign_b] = problem.conj.map(sign);
            for j in tile.column..tile.column + tile.columns {
                for i in tile.row..tile.row + tile.rows {
                    let at = (j - tile.column) * tile.rows + (i - tile.row);
                    let sum = Complex {
                        re: sums_00[at] - sign_a * sign_b * sums_11[at],
                        im: sign_b * sums_01[at] + sign_a * sums_10[at],
                    };
                    let mut value = alpha * sum;
                    if beta != Complex::ZERO {
                        let [re, im] = [&c[0], &c[1]].map(|c| c.format.load(c.place(i, j)));
                        value += beta * Complex { re, im };
                    }
                    for (d, part) in d.iter().zip([value.re, value.im]) {
                        d.format.store(d.place(i, j).cast_mut(), part);
                    }
                }
            }
        }
    })
}

/// The epilogue of a tile of a member of a batch: its elements, which are stored by columns, the sums of its rows, the greatest
/// of them.
///
/// # Safety
/// D and what the epilogue uses are memory.
unsafe fn finish<R: Number>(
    problem: &Problem,
    (number, tile): (usize, Tile),
    at: impl Fn(usize, usize) -> R,
    store: impl Fn(usize, &[R]),
) {
    let epilogue = &problem.epilogue;
    let mut largest = R::ZERO;
    let mut sums = vec![0f64; tile.rows];
    let mut line = vec![R::ZERO; tile.rows];
    // SAFETY: the caller says so.
    unsafe {
        for j in tile.column..tile.column + tile.columns {
            for (row, element) in line.iter_mut().enumerate() {
                let i = tile.row + row;
                let value = epilogue.apply(number, (i, j), at(i, j));
                if value.abs() > largest {
                    largest = value.abs();
                }
                sums[row] += value.to_f64();
                *element = value;
            }
            store(j, &line);
        }
        if !problem.largest.at(0).is_null() {
            problem.largest.set(largest.to_f64() as f32);
        }
        if epilogue.sums == Sums::Result {
            for (i, sum) in sums.iter().enumerate() {
                epilogue.store_sum::<R>(number, tile.row + i, *sum);
            }
        }
    }
}

/// The sums of the rows of A or of the columns of B, by the tiles of the first column or row.
///
/// # Safety
/// The matrices and the place of the sums are memory.
unsafe fn input_sums<R: Number>(
    problem: &Problem,
    (number, tile): (usize, Tile),
    a: impl Fn(usize, usize) -> R,
    b: impl Fn(usize, usize) -> R,
) {
    let depth = problem.a.columns;
    // SAFETY: the caller says so.
    unsafe {
        if problem.epilogue.sums == Sums::A && tile.column == 0 {
            for i in tile.row..tile.row + tile.rows {
                let sum: f64 = (0..depth).map(|k| a(i, k).to_f64()).sum();
                problem.epilogue.store_sum::<R>(number, i, sum);
            }
        }
        if problem.epilogue.sums == Sums::B && tile.row == 0 {
            for j in tile.column..tile.column + tile.columns {
                let sum: f64 = (0..depth).map(|k| b(k, j).to_f64()).sum();
                problem.epilogue.store_sum::<R>(number, j, sum);
            }
        }
    }
}
