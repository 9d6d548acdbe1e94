//! `export_api!`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::BTreeMap;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, Token, braced};

/// The input of the macro.
pub(crate) struct Groups(Punctuated<Group, Token![,]>);

struct Group {
    before_init: bool,
    module: Ident,
    names: Punctuated<Name, Token![,]>,
}

struct Name {
    exported: Ident,
    called: Ident,
}

impl Parse for Groups {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Punctuated::parse_terminated(input).map(Groups)
    }
}

impl Parse for Group {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(syn::Attribute::parse_outer)?;
        let before_init =
            attributes.iter().any(|attribute| attribute.path().is_ident("before_init"));
        let module = input.parse()?;
        let content;
        braced!(content in input);
        Ok(Group { before_init, module, names: Punctuated::parse_terminated(&content)? })
    }
}

impl Parse for Name {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let exported: Ident = input.parse()?;
        let called = match input.parse::<Option<Token![=>]>>()? {
            Some(_) => input.parse()?,
            None => exported.clone(),
        };
        Ok(Name { exported, called })
    }
}

pub(crate) fn expand(
    groups: &Groups,
    functions: &BTreeMap<String, syn::ForeignItemFn>,
    names: &[&str],
) -> syn::Result<TokenStream> {
    let mut implemented = BTreeMap::new();
    for group in &groups.0 {
        for name in &group.names {
            let plain = name.exported.to_string();
            let declared = functions.get(&plain).ok_or_else(|| {
                syn::Error::new(name.exported.span(), "cuda.h does not declare this function")
            })?;
            let variants = [format!("{plain}_ptds"), format!("{plain}_ptsz")];
            let variant = variants.iter().find_map(|variant| functions.get_key_value(variant));
            let earlier = implemented
                .insert(plain.clone(), definition(group, name, declared, variant.is_some(), false));
            if earlier.is_some() {
                return Err(syn::Error::new(name.exported.span(), "named twice"));
            }
            if let Some((variant, declared)) = variant {
                implemented.insert(variant.clone(), definition(group, name, declared, true, true));
            }
        }
    }
    let rest = names.iter().filter(|name| !implemented.contains_key(**name)).map(|name| {
        let ident = format_ident!("{name}");
        if is_data(name) {
            return quote! {
                // The debugger writes these from outside; nothing here reads them.
                #[allow(non_upper_case_globals)]
                #[unsafe(no_mangle)]
                pub static #ident: crate::export::DebuggerWord = crate::export::DebuggerWord::new();
            };
        }
        quote! {
            #[allow(non_snake_case)]
            #[unsafe(no_mangle)]
            pub extern "C" fn #ident() -> ::cuda_types::cuda::CUresult {
                static LOGGED: ::core::sync::atomic::AtomicBool = ::core::sync::atomic::AtomicBool::new(false);
                crate::export::not_supported(#name, &LOGGED)
            }
        }
    });
    let table = names.iter().filter(|name| !is_data(name)).map(|name| {
        let ident = format_ident!("{name}");
        quote! { (#name, crate::export::Address(#ident as *const ())) }
    });
    let definitions = implemented.values();
    Ok(quote! {
        #(#definitions)*
        #(#rest)*
        /// Every exported function, sorted by name.
        pub(crate) static EXPORTED: &[(&str, crate::export::Address)] = &[#(#table),*];
    })
}

/// The symbols that are variables: what cuda-gdb looks at.
fn is_data(name: &str) -> bool {
    const FUNCTIONS: [&str; 8] = [
        "cudbgApiAttach",
        "cudbgApiDetach",
        "cudbgApiInit",
        "cudbgGetAPI",
        "cudbgGetAPIVersion",
        "cudbgMain",
        "cudbgReportDriverApiError",
        "cudbgReportDriverInternalError",
    ];
    name.starts_with("cudbg") && !FUNCTIONS.contains(&name)
}

fn definition(
    group: &Group,
    name: &Name,
    declared: &syn::ForeignItemFn,
    has_variants: bool,
    per_thread: bool,
) -> TokenStream {
    let signature = &declared.sig;
    let ident = &signature.ident;
    let (inputs, output) = (&signature.inputs, &signature.output);
    let mut takes_stream = false;
    let (mut takes_handle, mut takes_function) = (false, false);
    let mut arguments: Vec<TokenStream> = Vec::new();
    for input in inputs {
        let syn::FnArg::Typed(argument) = input else { continue };
        let pattern = &argument.pat;
        let is =
            |name: &str| matches!(&*argument.ty, syn::Type::Path(path) if path.path.is_ident(name));
        let is_stream = is("CUstream");
        takes_stream |= is_stream;
        takes_handle |= is_stream || is("CUevent");
        takes_function |= is("CUfunction");
        arguments.push(if is_stream && per_thread {
            quote! { FromC::from_c(crate::export::or_per_thread(#pattern))? }
        } else {
            quote! { FromC::from_c(#pattern)? }
        });
    }
    if has_variants && !takes_stream {
        arguments.push(if per_thread {
            quote! { FromC::from_c(::cuda_types::cuda::CU_STREAM_PER_THREAD)? }
        } else {
            quote! { FromC::from_c(::cuda_types::cuda::CU_STREAM_LEGACY)? }
        });
    }
    let text = ident.to_string();
    let (module, called) = (&group.module, &name.called);
    let guard = match (group.before_init, takes_handle && !takes_function) {
        (true, _) => quote!(guard_before_init),
        (false, true) => quote!(guard_by_handle),
        (false, false) => quote!(guard),
    };
    quote! {
        #[allow(non_snake_case, clippy::too_many_arguments)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn #ident(#inputs) #output {
            crate::export::#guard(#text, || {
                #[allow(unused_imports)]
                use crate::convert::FromC;
                // SAFETY: the caller passes what the driver API asks for.
                #[allow(unused_unsafe)]
                unsafe { crate::api::#module::#called(#(#arguments),*) }
            })
        }
    }
}
