//! The declaration tables of NVIDIA's APIs, and the macros that hand them out.
//!
//! The tables are data of this crate: `cuda_functions.rs` (generated) has the declaration of every
//! function of the headers, `cuda_exports.txt` the names that NVIDIA's library exports, which are more.

mod export;

use proc_macro::TokenStream;
use quote::quote;
use std::collections::BTreeMap;

const FUNCTIONS: &str = include_str!("cuda_functions.rs");
const EXPORTS: &str = include_str!("cuda_exports.txt");

/// `cuda_function_declarations!(callback)` becomes `callback! { fn cuInit(Flags: u32) -> CUresult; ... }`
/// with all functions that `cuda.h` declares, in the order of their names. The types are those of
/// `cuda_types::cuda`, which have to be in scope where the callback uses them.
#[proc_macro]
pub fn cuda_function_declarations(input: TokenStream) -> TokenStream {
    let callback = syn::parse_macro_input!(input as syn::Path);
    match declarations() {
        Ok(functions) => {
            let signatures = functions.values().map(|function| &function.sig);
            quote! { #callback! { #(#signatures;)* } }.into()
        }
        Err(error) => error.into_compile_error().into(),
    }
}

/// Exports the whole driver API.
///
/// ```text
/// export_api! {
///     #[before_init] init { cuInit, cuDriverGetVersion },
///     context { cuCtxDestroy_v2, cuCtxDestroy => cuCtxDestroy_v2 },
/// }
/// ```
///
/// An export named in module `m` calls `crate::api::m::<name>` with its arguments, each converted by
/// `crate::convert::FromC::from_c`, through `crate::export::guard` (`guard_before_init` where the group says so,
/// `guard_by_handle` where an argument is a stream or an event, and none is a function); `a => b` exports `a` and calls
/// `b`. With a name its per-thread variants (`_ptds`, `_ptsz`) are exported: they pass
/// `CU_STREAM_PER_THREAD` where the stream is null. Functions with such variants and no parameter of type
/// `CUstream` get the default stream that is meant as one more, last argument.
///
/// All other names of the library are exported too and end in `crate::export::not_supported`.
/// `EXPORTED` is the table of all functions by name.
#[proc_macro]
pub fn export_api(input: TokenStream) -> TokenStream {
    let groups = syn::parse_macro_input!(input as export::Groups);
    declarations()
        .and_then(|functions| export::expand(&groups, &functions, &names()))
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

fn declarations() -> syn::Result<BTreeMap<String, syn::ForeignItemFn>> {
    let file = syn::parse_file(FUNCTIONS)?;
    let blocks = file.items.into_iter().filter_map(|item| match item {
        syn::Item::ForeignMod(block) => Some(block.items),
        _ => None,
    });
    Ok(blocks
        .flatten()
        .filter_map(|item| match item {
            syn::ForeignItem::Fn(function) => Some((function.sig.ident.to_string(), function)),
            _ => None,
        })
        .collect())
}

fn names() -> Vec<&'static str> {
    EXPORTS.lines().filter(|line| !line.is_empty()).collect()
}
