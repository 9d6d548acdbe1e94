//! An argument until the call is made, which is long after where a stream is captured: numbers on the host are kept by
//! their value.

use super::call::Call;
use super::numbers::{Enumeration, HIPBLAS_OP_C};
use cuda_types::cublas::*;
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};

/// An argument that waits for its call.
pub(crate) trait Kept: Send + Sync {
    /// The form that hipBLAS takes.
    type Hip;
    /// The form that its function with sizes of 32 bits takes, where cuBLAS's has 64.
    type Narrow;

    fn hip(&self) -> Self::Hip;

    /// Nothing where it does not fit.
    fn narrow(&self) -> Option<Self::Narrow>;
}

macro_rules! kept {
    ($(#[$doc:meta])* $name:ident($inner:ty): $hip:ty, $narrow:ty; |$this:ident| $call:expr, $call_narrow:expr) => {
        $(#[$doc])*
        pub(crate) struct $name($inner);

        // SAFETY: addresses are numbers; what is written is nobody else's while hipBLAS's handle is locked for the call.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}

        impl Kept for $name {
            type Hip = $hip;
            type Narrow = $narrow;

            fn hip(&self) -> $hip {
                let $this = &self.0;
                $call
            }

            fn narrow(&self) -> Option<$narrow> {
                let $this = &self.0;
                $call_narrow
            }
        }
    };
}

kept! {
    /// A size of 32 bits.
    Int(c_int): c_int, c_int; |size| *size, Some(*size)
}
kept! {
    /// A size of 64 bits.
    Long(i64): i64, c_int; |size| *size, c_int::try_from(*size).ok()
}
kept! {
    /// Elements from matrix to matrix: of 64 bits always.
    Stride(i64): i64, i64; |stride| *stride, Some(*stride)
}
kept! {
    Enumerator(u32): u32, u32; |number| *number, Some(*number)
}
kept! {
    /// An address of the device's.
    Address(*mut c_void): *mut c_void, *mut c_void; |address| *address, Some(*address)
}
kept! {
    /// A place for a result, and whether it is an index of 64 bits, which no function with sizes of 32 bits fills.
    Outcome((*mut c_void, bool)): *mut c_void, *mut c_void; |place| place.0, (!place.1).then_some(place.0)
}
kept! {
    /// A number by its value, or by an address of the device's.
    Scalar(Result<[u64; MOST], *mut c_void>): *const c_void, *const c_void;
    |scalar| address_of(scalar), Some(address_of(scalar))
}
kept! {
    /// Where a function tells of a batch: an array of the device's, or one number on the host. There it is always 0, as the
    /// checks have told the program already, and its place may be gone when a graph is launched.
    Info((*mut c_void, UnsafeCell<c_int>)): *mut c_void, *mut c_void;
    |info| place_of(info), Some(place_of(info))
}

fn place_of((device, host): &(*mut c_void, UnsafeCell<c_int>)) -> *mut c_void {
    if device.is_null() { host.get().cast() } else { *device }
}

/// Words of the longest scalar: the five numbers of a modified rotation in double precision.
const MOST: usize = 5;

fn address_of(scalar: &Result<[u64; MOST], *mut c_void>) -> *const c_void {
    match scalar {
        Ok(words) => words.as_ptr().cast(),
        Err(place) => *place,
    }
}

impl Scalar {
    /// A number of some bytes.
    ///
    /// # Safety
    /// On the host, it can be read.
    pub(crate) unsafe fn of(
        on_device: bool,
        place: *const c_void,
        bytes: usize,
    ) -> CublasResult<Scalar> {
        if place.is_null() {
            return Err(cublasError::INVALID_VALUE);
        }
        if on_device {
            return Ok(Scalar(Err(place.cast_mut())));
        }
        let mut words = [0; MOST];
        let bytes = bytes.min(size_of_val(&words));
        // SAFETY: the caller says so.
        unsafe {
            std::ptr::copy_nonoverlapping(place.cast::<u8>(), words.as_mut_ptr().cast(), bytes)
        };
        Ok(Scalar(Ok(words)))
    }
}

/// The type of an argument of a function of cuBLAS.
pub(crate) trait Argument: Copy {
    type Kept: Kept;

    fn keep(self) -> CublasResult<Self::Kept>;

    /// The type as the list of signatures has it.
    #[cfg(test)]
    fn name() -> String;
}

impl Argument for c_int {
    type Kept = Int;

    fn keep(self) -> CublasResult<Int> {
        Ok(Int(self))
    }

    #[cfg(test)]
    fn name() -> String {
        "int".into()
    }
}

impl Argument for i64 {
    type Kept = Long;

    fn keep(self) -> CublasResult<Long> {
        Ok(Long(self))
    }

    #[cfg(test)]
    fn name() -> String {
        "int64".into()
    }
}

impl<E: Enumeration> Argument for E {
    type Kept = Enumerator;

    fn keep(self) -> CublasResult<Enumerator> {
        self.number().map(Enumerator)
    }

    #[cfg(test)]
    fn name() -> String {
        E::NAME.into()
    }
}

/// Types that pointers lead to.
pub(crate) trait Pointee: Copy {
    fn name() -> String;
}

macro_rules! pointees {
    ($($type:ty = $name:literal)*) => {$(
        impl Pointee for $type {
            fn name() -> String {
                $name.into()
            }
        }
    )*};
}

pointees! {
    f32 = "float" f64 = "double" cuComplex = "complex" cuDoubleComplex = "double complex" c_int = "int" i64 = "int64"
}

impl<T: Pointee> Pointee for *const T {
    fn name() -> String {
        format!("{}*", T::name())
    }
}

impl<T: Pointee> Pointee for *mut T {
    fn name() -> String {
        format!("{}*", T::name())
    }
}

impl<T: Pointee> Argument for *const T {
    type Kept = Address;

    fn keep(self) -> CublasResult<Address> {
        Ok(Address(self.cast_mut().cast()))
    }

    #[cfg(test)]
    fn name() -> String {
        format!("{}*", T::name())
    }
}

impl<T: Pointee> Argument for *mut T {
    type Kept = Address;

    fn keep(self) -> CublasResult<Address> {
        Ok(Address(self.cast()))
    }

    #[cfg(test)]
    fn name() -> String {
        format!("{}*", T::name())
    }
}

/// The purpose of a parameter, which its name says.
pub(crate) trait Role<T> {
    type Kept: Kept;

    /// # Safety
    /// The argument is what the API asks for.
    unsafe fn keep(argument: T, call: &Call<'_>) -> CublasResult<Self::Kept>;
}

/// The kind of a parameter by its type.
pub(crate) struct Plain;

impl<T: Argument> Role<T> for Plain {
    type Kept = T::Kept;

    unsafe fn keep(argument: T, _: &Call<'_>) -> CublasResult<T::Kept> {
        argument.keep()
    }
}

/// Numbers by the handle's mode, unless they are written.
pub(crate) struct Numbers<const COUNT: usize>;

impl<T, const COUNT: usize> Role<*const T> for Numbers<COUNT> {
    type Kept = Scalar;

    unsafe fn keep(argument: *const T, call: &Call<'_>) -> CublasResult<Scalar> {
        // SAFETY: the caller says so.
        unsafe { Scalar::of(call.settings.on_device(), argument.cast(), COUNT * size_of::<T>()) }
    }
}

impl<T: Pointee, const COUNT: usize> Role<*mut T> for Numbers<COUNT> {
    type Kept = Address;

    unsafe fn keep(argument: *mut T, _: &Call<'_>) -> CublasResult<Address> {
        argument.keep()
    }
}

/// A place for a result. On the host the function waits for it, which no captured stream can.
pub(crate) struct Answer;

impl<T: Pointee> Role<*mut T> for Answer {
    type Kept = Outcome;

    unsafe fn keep(argument: *mut T, call: &Call<'_>) -> CublasResult<Outcome> {
        if !call.settings.on_device() && call.is_captured()? {
            tracing::warn!("{}: a result on the host is for no stream that is captured", call.name);
            return Err(cublasError::EXECUTION_FAILED);
        }
        Ok(Outcome((argument.cast(), T::name() == "int64")))
    }
}

/// The number that a function tells of a batch.
pub(crate) struct Report;

impl Role<*mut c_int> for Report {
    type Kept = Info;

    unsafe fn keep(argument: *mut c_int, call: &Call<'_>) -> CublasResult<Info> {
        let on_host = ["getrsBatched", "geqrfBatched", "gelsBatched"];
        let on_host = on_host.iter().any(|function| call.name.ends_with(function));
        let device = if on_host { std::ptr::null_mut() } else { argument.cast() };
        Ok(Info((device, UnsafeCell::new(0))))
    }
}

/// Elements from matrix to matrix.
pub(crate) struct Distance;

impl Role<i64> for Distance {
    type Kept = Stride;

    unsafe fn keep(argument: i64, _: &Call<'_>) -> CublasResult<Stride> {
        Ok(Stride(argument))
    }
}

/// What is done with a matrix first.
pub(crate) struct Operation;

impl<E: Enumeration> Role<E> for Operation {
    type Kept = Enumerator;

    unsafe fn keep(argument: E, call: &Call<'_>) -> CublasResult<Enumerator> {
        let number = argument.number()?;
        // rocBLAS 6.4 does not conjugate the diagonal of 64 and fewer equations at a time.
        if number == HIPBLAS_OP_C && ["Ctrsm", "Ztrsm"].iter().any(|name| call.name.contains(name))
        {
            tracing::warn!(
                "{}: equations of conjugate matrices, which rocBLAS solves wrong",
                call.name
            );
            return Err(cublasError::NOT_SUPPORTED);
        }
        Ok(Enumerator(number))
    }
}

/// The role of a parameter of this name.
macro_rules! role {
    (alpha) => { $crate::backend::rocm::argument::Numbers<1> };
    (beta) => { $crate::backend::rocm::argument::Numbers<1> };
    (c) => { $crate::backend::rocm::argument::Numbers<1> };
    (s) => { $crate::backend::rocm::argument::Numbers<1> };
    (param) => { $crate::backend::rocm::argument::Numbers<5> };
    (trans) => { $crate::backend::rocm::argument::Operation };
    (result) => { $crate::backend::rocm::argument::Answer };
    (info) => { $crate::backend::rocm::argument::Report };
    (strideA) => { $crate::backend::rocm::argument::Distance };
    (strideB) => { $crate::backend::rocm::argument::Distance };
    (strideC) => { $crate::backend::rocm::argument::Distance };
    (stridex) => { $crate::backend::rocm::argument::Distance };
    (stridey) => { $crate::backend::rocm::argument::Distance };
    ($other:ident) => { $crate::backend::rocm::argument::Plain };
}
pub(crate) use role;
