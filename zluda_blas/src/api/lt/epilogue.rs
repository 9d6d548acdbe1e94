//! The epilogue of a product, before its elements are rounded: bias, activation, and their gradients.

use super::attributes::{Desc, desc};
use super::problem::Placed;
use crate::api::mixed::format;
use crate::number::{INVALID, Pointer, check};
use cuda_types::cublas::*;
use dense::Real;
use dense::mixed::Format;

/// What an epilogue computes with: single precision, to which elements of all formats are widened, or double.
pub(super) trait Number: Real {
    /// The bytes of an element of bias and auxiliary matrix, whose format says nothing for double precision.
    fn bytes(format: Format) -> usize;

    /// # Safety
    /// An element lies there.
    unsafe fn load(format: Format, place: *const u8) -> Self;

    /// # Safety
    /// There is room for an element.
    unsafe fn store(self, format: Format, place: *mut u8);

    fn tanh(self) -> Self;
}

impl Number for f32 {
    fn bytes(format: Format) -> usize {
        format.size()
    }

    unsafe fn load(format: Format, place: *const u8) -> f32 {
        // SAFETY: the caller says so.
        unsafe { format.load(place) }
    }

    unsafe fn store(self, format: Format, place: *mut u8) {
        // SAFETY: the caller says so.
        unsafe { format.store(place, self) }
    }

    fn tanh(self) -> f32 {
        f32::tanh(self)
    }
}

impl Number for f64 {
    fn bytes(_: Format) -> usize {
        size_of::<f64>()
    }

    unsafe fn load(_: Format, place: *const u8) -> f64 {
        // SAFETY: the caller says so.
        unsafe { place.cast::<f64>().read_unaligned() }
    }

    unsafe fn store(self, _: Format, place: *mut u8) {
        // SAFETY: the caller says so.
        unsafe { place.cast::<f64>().write_unaligned(self) }
    }

    fn tanh(self) -> f64 {
        f64::tanh(self)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Activation {
    None,
    Relu,
    Gelu,
    /// The derivative at what was kept of the product whose gradient this one is.
    ReluGradient,
    GeluGradient,
}

/// Sums that go where a bias comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sums {
    None,
    /// Of the rows of D.
    Result,
    /// Of the rows of A, of the columns of B.
    A,
    B,
}

#[derive(Clone, Copy)]
pub(super) struct Epilogue {
    activation: Activation,
    adds_bias: bool,
    /// The activation's input is stored, or was.
    has_aux: bool,
    pub(super) sums: Sums,
    bias: Pointer<u8>,
    bias_format: Format,
    bias_stride: i64,
    aux: Pointer<u8>,
    aux_format: Format,
    aux_leading: usize,
    aux_stride: i64,
}

impl Epilogue {
    /// The epilogue of a description; `has_any` where the types have more than the plain one.
    pub(super) fn of(description: &Desc, d: &Placed, has_any: bool) -> CublasResult<Epilogue> {
        use cublasLtEpilogue_t as E;
        let number = |attribute| description.0.number(attribute);
        let place = |attribute| Pointer::of(description.0.address(attribute).cast_const());
        let which = E(number(desc::EPILOGUE) as _);
        let (activation, adds_bias, has_aux, sums) = match which {
            E::CUBLASLT_EPILOGUE_DEFAULT => (Activation::None, false, false, Sums::None),
            E::CUBLASLT_EPILOGUE_RELU => (Activation::Relu, false, false, Sums::None),
            E::CUBLASLT_EPILOGUE_RELU_AUX => (Activation::Relu, false, true, Sums::None),
            E::CUBLASLT_EPILOGUE_BIAS => (Activation::None, true, false, Sums::None),
            E::CUBLASLT_EPILOGUE_RELU_BIAS => (Activation::Relu, true, false, Sums::None),
            E::CUBLASLT_EPILOGUE_RELU_AUX_BIAS => (Activation::Relu, true, true, Sums::None),
            E::CUBLASLT_EPILOGUE_DRELU => (Activation::ReluGradient, false, true, Sums::None),
            E::CUBLASLT_EPILOGUE_DRELU_BGRAD => {
                (Activation::ReluGradient, false, true, Sums::Result)
            }
            E::CUBLASLT_EPILOGUE_GELU => (Activation::Gelu, false, false, Sums::None),
            E::CUBLASLT_EPILOGUE_GELU_AUX => (Activation::Gelu, false, true, Sums::None),
            E::CUBLASLT_EPILOGUE_GELU_BIAS => (Activation::Gelu, true, false, Sums::None),
            E::CUBLASLT_EPILOGUE_GELU_AUX_BIAS => (Activation::Gelu, true, true, Sums::None),
            E::CUBLASLT_EPILOGUE_DGELU => (Activation::GeluGradient, false, true, Sums::None),
            E::CUBLASLT_EPILOGUE_DGELU_BGRAD => {
                (Activation::GeluGradient, false, true, Sums::Result)
            }
            E::CUBLASLT_EPILOGUE_BGRADA => (Activation::None, false, false, Sums::A),
            E::CUBLASLT_EPILOGUE_BGRADB => (Activation::None, false, false, Sums::B),
            _ => return Err(INVALID),
        };
        let is_plain = which == E::CUBLASLT_EPILOGUE_DEFAULT;
        if !has_any && !is_plain {
            return Err(cublasError::NOT_SUPPORTED);
        }
        // The types of bias and auxiliary elements are those of D unless something else is said; eight bits are for D alone.
        let is_double = d.ty == cudaDataType_t::CUDA_R_64F;
        let format_of = |attribute| match number(attribute) as u32 {
            _ if is_plain => Ok(Format::F32),
            ty if is_double => match ty == u32::MAX || cudaDataType_t(ty as _) == d.ty {
                true => Ok(Format::F32),
                false => Err(cublasError::NOT_SUPPORTED),
            },
            u32::MAX => Ok(match format(d.ty)? {
                Format::E4m3 | Format::E5m2 => Format::Bf16,
                format => format,
            }),
            ty => format(cudaDataType_t(ty as _)),
        };
        let aux_leading = number(desc::AUX_LEADING) as usize;
        if has_aux {
            check(aux_leading >= d.rows)?;
        }
        Ok(Epilogue {
            activation,
            adds_bias,
            has_aux,
            sums,
            bias: place(desc::BIAS),
            bias_format: format_of(desc::BIAS_TYPE)?,
            bias_stride: number(desc::BIAS_STRIDE) as i64,
            aux: place(desc::AUX),
            aux_format: format_of(desc::AUX_TYPE)?,
            aux_leading,
            aux_stride: number(desc::AUX_STRIDE) as i64,
        })
    }

    /// `INVALID_VALUE` where a pointer is missing that the work uses.
    pub(super) fn check_pointers(&self) -> CublasResult {
        let uses_bias = self.adds_bias || self.sums != Sums::None;
        check(!(uses_bias && self.bias.at(0).is_null()))?;
        check(!(self.has_aux && self.aux.at(0).is_null()))
    }

    /// Whether nothing happens.
    pub(super) fn is_plain(&self) -> bool {
        self.activation == Activation::None && !self.adds_bias && self.sums == Sums::None
    }

    fn place<R: Number>(base: Pointer<u8>, elements: i64, format: Format) -> *mut u8 {
        base.at(0).wrapping_offset(elements as isize * R::bytes(format) as isize)
    }

    /// Stores a sum.
    ///
    /// # Safety
    /// There is room for it.
    pub(super) unsafe fn store_sum<R: Number>(&self, item: usize, place: usize, value: f64) {
        let at = self.bias_stride * item as i64 + place as i64;
        let place = Self::place::<R>(self.bias, at, self.bias_format);
        // SAFETY: the caller says so.
        unsafe { R::from_f64(value).store(self.bias_format, place) };
    }

    /// Where the bit of an element lies in a mask: its byte and its place there.
    fn bit(&self, item: usize, i: usize, j: usize) -> (*mut u8, u8) {
        // Strides of masks are in bits, as their leading dimension is.
        let bit = self.aux_stride * item as i64 + (j * self.aux_leading + i) as i64;
        (self.aux.at(0).wrapping_offset((bit / 8) as isize), 1 << (bit % 8))
    }

    /// An element of D before it is scaled and rounded.
    ///
    /// # Safety
    /// Bias and auxiliary matrix are memory; other threads write to other rows of eight bits.
    pub(super) unsafe fn apply<R: Number>(
        &self,
        item: usize,
        (i, j): (usize, usize),
        value: R,
    ) -> R {
        let mut value = value;
        if self.adds_bias {
            let at = self.bias_stride * item as i64 + i as i64;
            let place = Self::place::<R>(self.bias, at, self.bias_format);
            // SAFETY: the caller says so.
            value += unsafe { R::load(self.bias_format, place) };
        }
        let aux = || {
            let at = self.aux_stride * item as i64 + (j * self.aux_leading + i) as i64;
            Self::place::<R>(self.aux, at, self.aux_format)
        };
        // SAFETY: the caller says so.
        unsafe {
            match self.activation {
                Activation::None => value,
                Activation::Relu => {
                    if self.has_aux {
                        let (byte, bit) = self.bit(item, i, j);
                        let old = byte.read() & !bit;
                        byte.write(if value > R::ZERO { old | bit } else { old });
                    }
                    // What is no number becomes 0.
                    if value > R::ZERO { value } else { R::ZERO }
                }
                Activation::ReluGradient => {
                    let (byte, bit) = self.bit(item, i, j);
                    if byte.read() & bit != 0 { value } else { R::ZERO }
                }
                Activation::Gelu => {
                    if self.has_aux {
                        value.store(self.aux_format, aux());
                    }
                    gelu(value)
                }
                Activation::GeluGradient => value * gelu_slope(R::load(self.aux_format, aux())),
            }
        }
    }
}

const SQRT_2_OVER_PI: f64 = 0.797_884_560_802_865_4;
const CUBIC: f64 = 0.044_715;

/// The hyperbolic tangent in GELU.
fn inner<R: Number>(x: R) -> R {
    (R::from_f64(SQRT_2_OVER_PI) * (x + R::from_f64(CUBIC) * x * x * x)).tanh()
}

/// GELU by the hyperbolic tangent.
fn gelu<R: Number>(x: R) -> R {
    R::from_f64(0.5) * x * (R::ONE + inner(x))
}

fn gelu_slope<R: Number>(x: R) -> R {
    let [half, cubic] = [0.5, 3.0 * CUBIC].map(R::from_f64);
    let t = inner(x);
    let slope = R::from_f64(SQRT_2_OVER_PI) * (R::ONE + cubic * x * x);
    half * (R::ONE + t) + half * x * (R::ONE - t * t) * slope
}
