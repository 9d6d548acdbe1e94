//! The device library, of which there is one: C in `c/`, for AMD GPUs (`amdgcn/library`) and for this machine's processor,
//! whose code this crate is. docs/dev/device_library.md says what is here and what each target has of its own.

pub mod matrix;
pub mod texture;

include!(concat!(env!("OUT_DIR"), "/lane_functions.rs"));

/// A function that kernels call for one lane: it takes words of 64 bits and gives one.
#[derive(Clone, Copy, Debug)]
pub struct LaneFunction(unsafe extern "C" fn());

impl LaneFunction {
    /// Calls the function; 0 if there is none of so many arguments.
    ///
    /// # Safety
    /// The function takes as many arguments. Addresses among them are valid, or the caller is a kernel, on whose stack it
    /// faults.
    #[inline]
    pub unsafe fn call(self, arguments: &[u64]) -> u64 {
        type Word = u64;
        macro_rules! call {
            ($($argument:ident)*) => {{
                // SAFETY: the caller's promise.
                unsafe {
                    let function: unsafe extern "C" fn($(call!(@ $argument)),*) -> u64 =
                        std::mem::transmute(self.0);
                    function($($argument),*)
                }
            }};
            (@ $argument:ident) => { Word };
        }
        match *arguments {
            [a] => call!(a),
            [a, b] => call!(a b),
            [a, b, c] => call!(a b c),
            [a, b, c, d] => call!(a b c d),
            [a, b, c, d, e] => call!(a b c d e),
            [a, b, c, d, e, f] => call!(a b c d e f),
            _ => 0,
        }
    }
}
