//! Calls of functions that cuBLAS and hipBLAS have with the same parameters in the same order: `export_api!` puts one after the
//! checks of each function that is `forwarded`.

use crate::backend::compute_here;
use crate::backend::rocm::call::Call;
use crate::handle::Handle;
use cuda_types::cublas::{CublasResult, cublasError};

/// The result of a call that goes on to hipBLAS, or where that does not do what is asked for of the one that lets this machine's
/// processor compute.
pub(crate) fn or_here(
    name: &'static str,
    forward: impl FnOnce() -> CublasResult,
    call: impl FnOnce() -> CublasResult,
) -> CublasResult {
    match forward() {
        Err(cublasError::NOT_SUPPORTED) => compute_here(name, call),
        result => result,
    }
}

/// Makes the call of a function whose arguments have been checked, where an AMD GPU is to do it.
macro_rules! forward {
    ($name:literal; $handle:ident: $handle_type:ty $(, $argument:ident: $type:ty)*) => {{
        use $crate::backend::rocm::argument::{Kept, Role, role};
        use $crate::backend::rocm::HipHandle;
        use $crate::backend::rocm::call::Found;
        /// The functions with sizes as cuBLAS's has them, and with 32 bits.
        type Wide = unsafe extern "C" fn(
            HipHandle $(, <<role!($argument) as Role<$type>>::Kept as Kept>::Hip)*
        ) -> u32;
        type Narrow = unsafe extern "C" fn(
            HipHandle $(, <<role!($argument) as Role<$type>>::Kept as Kept>::Narrow)*
        ) -> u32;
        static FOUND: Found<Wide, Narrow> = Found::new();
        // SAFETY: the caller passes what the API asks for.
        let handle: ::std::sync::Arc<$crate::handle::Handle> = unsafe { FromC::from_c($handle) }?;
        let Some(call) = $crate::forward::call(&handle, $name) else { return Ok(()) };
        // SAFETY: as above.
        $(let $argument = unsafe { <role!($argument) as Role<$type>>::keep($argument, &call) }?;)*
        let function = FOUND.get(&call)?;
        call.blas.enqueue(&call.settings, $name, move |hip| {
            let status = match function {
                // SAFETY: the function of this name has these parameters, which `./x test hip` compares; the program answers for
                // what addresses lead to.
                Ok(function) => unsafe { function(hip $(, $argument.hip())*) },
                Err(function) => {
                    $(let $argument = $argument
                        .narrow()
                        .ok_or(::cuda_types::cublas::cublasError::NOT_SUPPORTED)?;)*
                    // SAFETY: as above.
                    unsafe { function(hip $(, $argument)*) }
                }
            };
            $crate::backend::rocm::numbers::error(status)
        })
    }};
}
pub(crate) use forward;

/// The name of a parameter's type.
#[cfg(test)]
type NameOf = fn() -> String;

/// A function of cuBLAS that goes on to hipBLAS's: its name, and its parameters without the handle, their types first. There are
/// hundreds: as data they compile in no time.
#[cfg(test)]
pub(crate) struct Signature {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [(NameOf, &'static str)],
}

#[cfg(test)]
impl Signature {
    /// That of the function of hipBLAS.
    fn text(&self) -> String {
        let parameters = self.parameters.iter().map(|(ty, name)| format!("{} {name}", ty()));
        let parameters: Vec<String> = parameters.collect();
        format!("{}({})", crate::backend::rocm::call::hip_name(self.name), parameters.join(", "))
    }
}

/// The [`Signature`] of a function.
#[cfg_attr(not(test), allow(unused_macros))]
macro_rules! signature {
    ($name:literal; $handle:ident: $handle_type:ty $(, $argument:ident: $type:ty)*) => {
        $crate::forward::Signature {
            name: $name,
            parameters: &[$(
                (<$type as $crate::backend::rocm::argument::Argument>::name, stringify!($argument))
            ),*],
        }
    };
}
#[cfg_attr(not(test), allow(unused_imports))]
pub(crate) use signature;

/// The call, where it is not this machine's processor that makes it.
pub(crate) fn call<'a>(handle: &'a Handle, name: &'static str) -> Option<Call<'a>> {
    let blas = handle.rocm()?;
    let settings = handle.settings();
    // Rotations are made of numbers that, on the host, have been computed there.
    let is_done = name.contains("rotg") || name.contains("rotmg");
    (!is_done || settings.on_device()).then_some(Call { name, blas, settings })
}

#[cfg(test)]
mod tests {
    use super::Signature;
    use std::path::Path;

    /// `./x test hip` compares the list with hipBLAS's headers and libraries.
    #[test]
    fn signatures_are_those_of_the_list() {
        let mut lines: Vec<String> = crate::FORWARDED.iter().map(Signature::text).collect();
        lines.extend(crate::backend::rocm::mixed::signatures());
        lines.sort();
        lines.dedup();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/rocm/hipblas.txt");
        if std::env::var_os("ZLUDA_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(text == kept, "{} is out of date: ZLUDA_BLESS=1 writes it", path.display());
    }
}
