//! Failures of the driver as the errors of an API above it.

use super::{Driver, OpenError, shared};
use cuda_types::cuda::CUerror;

/// An API's errors for failures of the driver, which has more of them than any API above it.
///
/// Most APIs have one error for nearly all of them: [`Failures::all`] is the base that others differ from.
#[derive(Clone, Copy, Debug)]
pub struct Failures<E> {
    /// No driver can be opened.
    pub no_driver: E,
    /// The driver is NVIDIA's, or of another build.
    pub foreign_driver: E,
    pub out_of_memory: E,
    /// There is no device, or the driver cannot be started.
    pub no_device: E,
    pub not_supported: E,
    /// All others.
    pub other: E,
}

impl<E: Copy> Failures<E> {
    /// The same error for all failures.
    pub const fn all(error: E) -> Failures<E> {
        Failures {
            no_driver: error,
            foreign_driver: error,
            out_of_memory: error,
            no_device: error,
            not_supported: error,
            other: error,
        }
    }

    /// The error for a driver that cannot be opened.
    pub fn open(&self, error: &OpenError) -> E {
        match error {
            OpenError::NotFound(_) => self.no_driver,
            OpenError::Foreign => self.foreign_driver,
        }
    }

    /// The error for a call of the driver that fails.
    pub fn call(&self, error: CUerror) -> E {
        tracing::debug!("the driver: {error}");
        match error {
            CUerror::OUT_OF_MEMORY => self.out_of_memory,
            CUerror::NO_DEVICE | CUerror::NOT_INITIALIZED => self.no_device,
            CUerror::NOT_SUPPORTED => self.not_supported,
            _ => self.other,
        }
    }

    /// The driver that all of the library [shares](shared).
    pub fn driver(&self) -> Result<&'static Driver, E> {
        shared().map_err(|error| self.open(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: Failures<u32> = Failures {
        no_driver: 1,
        foreign_driver: 2,
        out_of_memory: 3,
        no_device: 4,
        not_supported: 5,
        other: 6,
    };

    #[test]
    fn failures_to_open_are_told_apart() {
        assert_eq!(NUMBERS.open(&OpenError::NotFound(String::new())), 1);
        assert_eq!(NUMBERS.open(&OpenError::Foreign), 2);
    }

    #[test]
    fn every_error_of_the_driver_has_one_of_the_api() {
        let expected = |code| match code {
            2 => 3,
            3 | 100 => 4,
            801 => 5,
            _ => 6,
        };
        for code in 1..=1000 {
            let error = CUerror::of(cuda_types::cuda::CUresult(code));
            assert_eq!(NUMBERS.call(error), expected(code), "{error}");
        }
    }
}
