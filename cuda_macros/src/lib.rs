//! The declaration tables of NVIDIA's APIs, and the macros that hand them out.
//!
//! The tables are data of this crate, two for each API: `<api>_functions.rs` (generated) has the declaration of every
//! function of the headers, `<api>_exports.txt` the names that NVIDIA's library exports, which are more.

mod api;
mod export;

use api::Api;
use proc_macro::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, Path, Token};

/// `function_declarations!(cuda, callback)` becomes `callback! { fn cuInit(Flags: u32) -> CUresult; ... }`
/// with all functions that the API's headers declare, in the order of their names. The types are those of
/// `cuda_types::<api>`, which have to be in scope where the callback uses them.
#[proc_macro]
pub fn function_declarations(input: TokenStream) -> TokenStream {
    let Declarations { api, callback } = syn::parse_macro_input!(input as Declarations);
    match Api::find(&api).and_then(Api::declarations) {
        Ok(functions) => {
            let signatures = functions.values().map(|function| &function.sig);
            quote! { #callback! { #(#signatures;)* } }.into()
        }
        Err(error) => error.into_compile_error().into(),
    }
}

/// Exports a whole API.
///
/// ```text
/// export_api! {
///     cuda;
///     #[before_init] init { cuInit, cuDriverGetVersion },
///     context { cuCtxDestroy_v2, cuCtxDestroy => cuCtxDestroy_v2 },
/// }
/// ```
///
/// An export named in module `m` calls `crate::api::m::<name>` with its arguments, each converted by
/// `crate::convert::FromC::from_c`, through `crate::export::guard` (`guard_before_init` where the group says so, and, in
/// the driver, `guard_by_handle` where an argument is a stream or an event, and none is a function); `a => b` exports `a`
/// and calls `b`. `a[S D]b[_64]? => c` stands for `aSb`, `aSb_64`, `aDb` and `aDb_64`. With a name its per-thread variants (`_ptds`, `_ptsz`) are exported: they pass
/// `CU_STREAM_PER_THREAD` where the stream is null. Functions with such variants and no parameter of type
/// `CUstream` get the default stream that is meant as one more, last argument. A function that returns no status
/// gets its arguments as they are, through `crate::export::guard_value`.
///
/// Calls of a group that is `#[forwarded]` go on, once the function has succeeded: to `crate::forward::forward!`, which gets
/// the function's name and its parameters, and gives the result; `crate::forward::or_here` gets the name, that call and the
/// one before, in closures. `forwarded()`, for tests, is what
/// `crate::forward::signature!` makes of all of them.
///
/// All other names of the library are exported too and end in `crate::export::not_supported`; where a last line
/// `..m` says so, those that the headers declare call `crate::m::<name>` with their arguments as they are, through
/// `crate::export::relay`.
/// `IMPLEMENTED` is the table of the others by name, of `crate::export::Address`.
#[proc_macro]
pub fn export_api(input: TokenStream) -> TokenStream {
    let exports = syn::parse_macro_input!(input as export::Exports);
    Api::find(&exports.api)
        .and_then(|api| export::expand(&exports, api))
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

struct Declarations {
    api: Ident,
    callback: Path,
}

impl Parse for Declarations {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let api = input.parse()?;
        input.parse::<Token![,]>()?;
        Ok(Declarations { api, callback: input.parse()? })
    }
}
