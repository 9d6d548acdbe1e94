//! Results of functions: an API's status is a number, 0 for success; its error is a status that is not success.

use core::fmt;

/// The errors of an API.
pub trait ApiError: Copy + fmt::Debug + fmt::Display + 'static {
    /// The type that functions of the API return.
    type Status;

    /// The status of a call that did what was asked.
    const SUCCESS: Self::Status;
    /// An argument is not what the function takes.
    const INVALID_ARGUMENT: Self;
    /// The library does not do this.
    const NOT_SUPPORTED: Self;
    /// A failure that the API has no number for.
    const UNKNOWN: Self;

    /// The status that tells of the error.
    fn status(self) -> Self::Status;
}

/// Completes the generated error type of an API: `status!(Error, Status, invalid argument, not supported, unknown)`, the
/// last three by the names of the generated constants.
macro_rules! status {
    ($error:ident, $status:ident, $invalid:ident, $not_supported:ident, $unknown:ident) => {
        impl $error {
            /// The error with the code of a status, which must not be success (that would be an error without a code of
            /// the API).
            pub const fn of(status: $status) -> Self {
                match core::num::NonZeroU32::new(status.0) {
                    Some(code) => $error(code),
                    None => $error(core::num::NonZeroU32::MAX),
                }
            }

            /// The name of the status, where the code is one of the API's.
            pub fn name(self) -> Option<&'static core::ffi::CStr> {
                result_name(self.into())
            }
        }

        /// The name of a status.
        pub fn result_name(status: $status) -> Option<&'static core::ffi::CStr> {
            RESULT_NAMES.iter().find(|(code, _)| *code == status).map(|(_, name)| *name)
        }

        impl From<$error> for $status {
            fn from(error: $error) -> Self {
                $status(error.0.get())
            }
        }

        impl core::fmt::Debug for $error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self.name().and_then(|name| name.to_str().ok()) {
                    Some(name) => f.write_str(name),
                    None => write!(f, concat!(stringify!($error), "({})"), self.0),
                }
            }
        }

        impl core::fmt::Display for $error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Debug::fmt(self, f)
            }
        }

        impl std::error::Error for $error {}

        impl $crate::status::ApiError for $error {
            type Status = $status;

            const SUCCESS: $status = $status(0);
            const INVALID_ARGUMENT: Self = Self::$invalid;
            const NOT_SUPPORTED: Self = Self::$not_supported;
            const UNKNOWN: Self = Self::$unknown;

            fn status(self) -> $status {
                self.into()
            }
        }
    };
}

pub(crate) use status;
