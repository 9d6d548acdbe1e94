//! Arguments from C: pointers with a meaning, sizes, and enumerations.

use cuda_types::cusparse::*;
use sparse::{Address, Type, Width};

zluda_api::conversions!(cusparseError);

pub(crate) const INVALID: cusparseError = cusparseError::INVALID_VALUE;
pub(crate) const UNSUPPORTED: cusparseError = cusparseError::NOT_SUPPORTED;

/// `INVALID_VALUE` where it is not so.
pub(crate) fn check(is: bool) -> CusparseResult {
    if is { Ok(()) } else { Err(INVALID) }
}

/// `NOT_SUPPORTED` where it is not so.
pub(crate) fn supported(is: bool) -> CusparseResult {
    if is { Ok(()) } else { Err(UNSUPPORTED) }
}

/// Sizes are not negative.
impl FromC<i64> for usize {
    unsafe fn from_c(c: i64) -> CusparseResult<Self> {
        usize::try_from(c).map_err(|_| INVALID)
    }
}

impl FromC<i32> for usize {
    unsafe fn from_c(c: i32) -> CusparseResult<Self> {
        usize::try_from(c).map_err(|_| INVALID)
    }
}

/// Addresses are looked at when the work runs.
impl<T> FromC<*const T> for Address {
    unsafe fn from_c(c: *const T) -> CusparseResult<Self> {
        Ok(Address::of(c))
    }
}

impl<T> FromC<*mut T> for Address {
    unsafe fn from_c(c: *mut T) -> CusparseResult<Self> {
        Ok(Address::of(c))
    }
}

impl FromC<cusparseIndexType_t> for Width {
    unsafe fn from_c(c: cusparseIndexType_t) -> CusparseResult<Self> {
        Ok(match c {
            cusparseIndexType_t::CUSPARSE_INDEX_16U => Width::U16,
            cusparseIndexType_t::CUSPARSE_INDEX_32I => Width::I32,
            cusparseIndexType_t::CUSPARSE_INDEX_64I => Width::I64,
            _ => return Err(INVALID),
        })
    }
}

pub(crate) fn index_type(width: Width) -> cusparseIndexType_t {
    match width {
        Width::U16 => cusparseIndexType_t::CUSPARSE_INDEX_16U,
        Width::I32 => cusparseIndexType_t::CUSPARSE_INDEX_32I,
        Width::I64 => cusparseIndexType_t::CUSPARSE_INDEX_64I,
    }
}

/// The index of the first row or column: 0 or 1.
#[derive(Clone, Copy)]
pub(crate) struct Base(pub(crate) usize);

impl FromC<cusparseIndexBase_t> for Base {
    unsafe fn from_c(c: cusparseIndexBase_t) -> CusparseResult<Self> {
        check(c.0 <= 1)?;
        Ok(Base(c.0 as usize))
    }
}

/// Types of numbers, as the API has them and as [`sparse`] has them.
const TYPES: &[(cudaDataType, Type)] = &[
    (cudaDataType::CUDA_R_16F, Type::F16),
    (cudaDataType::CUDA_R_16BF, Type::BF16),
    (cudaDataType::CUDA_R_32F, Type::F32),
    (cudaDataType::CUDA_R_64F, Type::F64),
    (cudaDataType::CUDA_C_16F, Type::C16),
    (cudaDataType::CUDA_C_16BF, Type::CB16),
    (cudaDataType::CUDA_C_32F, Type::C32),
    (cudaDataType::CUDA_C_64F, Type::C64),
    (cudaDataType::CUDA_R_8I, Type::I8),
    (cudaDataType::CUDA_R_32I, Type::I32),
];

impl FromC<cudaDataType> for Type {
    unsafe fn from_c(c: cudaDataType) -> CusparseResult<Self> {
        TYPES.iter().find(|(ty, _)| *ty == c).map(|(_, own)| *own).ok_or(INVALID)
    }
}

pub(crate) fn data_type(ty: Type) -> CusparseResult<cudaDataType> {
    TYPES.iter().find(|(_, own)| *own == ty).map(|(ty, _)| *ty).ok_or(cusparseError::INTERNAL_ERROR)
}

/// The operation on a matrix before it is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) transposed: bool,
    pub(crate) conj: bool,
}

impl FromC<cusparseOperation_t> for Operation {
    unsafe fn from_c(c: cusparseOperation_t) -> CusparseResult<Self> {
        check(c.0 <= 2)?;
        Ok(Operation { transposed: c.0 != 0, conj: c.0 == 2 })
    }
}

impl Operation {
    /// Rows and columns of a matrix after it.
    pub(crate) fn turn(self, rows: usize, columns: usize) -> (usize, usize) {
        if self.transposed { (columns, rows) } else { (rows, columns) }
    }
}

/// Whether matrices lie row by row.
#[derive(Clone, Copy)]
pub(crate) struct ByRows(pub(crate) bool);

impl FromC<cusparseOrder_t> for ByRows {
    unsafe fn from_c(c: cusparseOrder_t) -> CusparseResult<Self> {
        match c {
            cusparseOrder_t::CUSPARSE_ORDER_COL => Ok(ByRows(false)),
            cusparseOrder_t::CUSPARSE_ORDER_ROW => Ok(ByRows(true)),
            _ => Err(INVALID),
        }
    }
}

/// The handle of an object, or an address, that the API takes or gives as a pointer.
pub(crate) trait Pointer: Copy {
    fn of_handle(handle: u64) -> Self;
    fn of_address(address: Address) -> Self;
}

impl<T> Pointer for *mut T {
    fn of_handle(handle: u64) -> Self {
        std::ptr::without_provenance_mut(handle as usize)
    }
    fn of_address(address: Address) -> Self {
        address.0.cast()
    }
}

impl<T> Pointer for *const T {
    fn of_handle(handle: u64) -> Self {
        std::ptr::without_provenance(handle as usize)
    }
    fn of_address(address: Address) -> Self {
        address.0.cast_const().cast()
    }
}

/// Fails unless there are places for all results.
pub(crate) fn check_places(places: &[bool]) -> CusparseResult {
    check(places.iter().all(|is_null| !is_null))
}

/// Memory that one function may change and another may only read.
impl<T> FromC<*mut T> for *const T {
    unsafe fn from_c(c: *mut T) -> CusparseResult<Self> {
        Ok(c.cast_const())
    }
}
