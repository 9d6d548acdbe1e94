//! `export_api!`.

use crate::api::Api;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::BTreeMap;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, Token, braced, bracketed};

/// The input of the macro.
pub(crate) struct Exports {
    pub(crate) api: Ident,
    groups: Vec<ModuleExports>,
    /// The module of the functions that all other declared names call.
    rest: Option<Ident>,
}

struct ModuleExports {
    before_init: bool,
    /// Whether calls go on to another library once they have been checked.
    forwarded: bool,
    module: syn::Path,
    names: Vec<Name>,
}

#[derive(Clone)]
struct Name {
    exported: Ident,
    called: Ident,
}

impl Parse for Exports {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let api = input.parse()?;
        input.parse::<Token![;]>()?;
        let (mut groups, mut rest) = (Vec::new(), None);
        while !input.is_empty() {
            if input.parse::<Option<Token![..]>>()?.is_some() {
                rest = Some(input.parse()?);
                break;
            }
            groups.push(input.parse()?);
            if input.parse::<Option<Token![,]>>()?.is_none() {
                break;
            }
        }
        Ok(Exports { api, groups, rest })
    }
}

impl Parse for ModuleExports {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(syn::Attribute::parse_outer)?;
        let has = |name| attributes.iter().any(|attribute| attribute.path().is_ident(name));
        let (before_init, forwarded) = (has("before_init"), has("forwarded"));
        let module = input.parse()?;
        let content;
        braced!(content in input);
        let patterns: Punctuated<Pattern, Token![,]> = Punctuated::parse_terminated(&content)?;
        let names = patterns.into_iter().flat_map(|pattern| pattern.0).collect();
        Ok(ModuleExports { before_init, forwarded, module, names })
    }
}

/// The names that a pattern stands for.
struct Pattern(Vec<Name>);

impl Parse for Pattern {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let span = input.span();
        let mut names = vec![String::new()];
        while !input.is_empty() && !input.peek(Token![,]) && !input.peek(Token![=>]) {
            let pieces = if input.peek(syn::token::Bracket) {
                let content;
                bracketed!(content in input);
                let mut pieces = Vec::new();
                while !content.is_empty() {
                    pieces.push(content.parse::<Ident>()?.to_string());
                }
                if input.parse::<Option<Token![?]>>()?.is_some() {
                    pieces.push(String::new());
                }
                pieces
            } else {
                vec![input.parse::<Ident>()?.to_string()]
            };
            names = names
                .iter()
                .flat_map(|name| pieces.iter().map(move |piece| format!("{name}{piece}")))
                .collect();
        }
        let called: Option<Ident> = match input.parse::<Option<Token![=>]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        let name = |name: &String| {
            let mut exported: Ident = syn::parse_str(name)?;
            exported.set_span(span);
            let called = called.clone().unwrap_or_else(|| exported.clone());
            Ok(Name { exported, called })
        };
        names.iter().map(name).collect::<syn::Result<_>>().map(Pattern)
    }
}

pub(crate) fn expand(exports: &Exports, api: &Api) -> syn::Result<TokenStream> {
    let (functions, names) = (api.declarations()?, api.names());
    let mut implemented = BTreeMap::new();
    let mut signatures = Vec::new();
    for group in &exports.groups {
        for name in &group.names {
            let plain = name.exported.to_string();
            let declared = functions.get(&plain).ok_or_else(|| {
                syn::Error::new(
                    name.exported.span(),
                    "the API's headers do not declare this function",
                )
            })?;
            let variants = [format!("{plain}_ptds"), format!("{plain}_ptsz")];
            let variant = variants.iter().find_map(|variant| functions.get_key_value(variant));
            let mut define = |name_of: &str, declared, per_thread| {
                let definition = Definition {
                    api,
                    group,
                    name,
                    declared,
                    has_variants: variant.is_some(),
                    per_thread,
                };
                if group.forwarded {
                    let call = definition.parameters();
                    signatures.push(quote! { crate::forward::signature! { #call } });
                }
                implemented.insert(name_of.to_owned(), definition.expand())
            };
            if define(&plain, declared, false).is_some() {
                return Err(syn::Error::new(name.exported.span(), "named twice"));
            }
            if let Some((variant, declared)) = variant {
                define(variant, declared, true);
            }
        }
    }
    let exported = exported();
    let types = format_ident!("{}", api.name);
    let status = format_ident!("{}", api.status);
    let rest = names.iter().filter(|name| !implemented.contains_key(**name)).map(|name| {
        let ident = format_ident!("{name}");
        if (api.is_variable)(name) {
            return quote! {
                // The debugger writes these from outside; nothing here reads them.
                #[allow(non_upper_case_globals)]
                #exported
                pub static #ident: crate::export::DebuggerWord = crate::export::DebuggerWord::new();
            };
        }
        if let (Some(module), Some(declared)) = (&exports.rest, functions.get(*name)) {
            return relayed(module, declared);
        }
        quote! {
            #[allow(non_snake_case)]
            #exported
            pub extern "C" fn #ident() -> ::cuda_types::#types::#status {
                static LOGGED: ::core::sync::atomic::AtomicBool = ::core::sync::atomic::AtomicBool::new(false);
                crate::export::not_supported(#name, &LOGGED)
            }
        }
    });
    let table = implemented.keys().map(|name| {
        let ident = format_ident!("{name}");
        quote! { (#name, crate::export::Address(#ident as *const ())) }
    });
    let definitions = implemented.values();
    let signatures = (!signatures.is_empty()).then(|| {
        quote! {
            /// The functions that calls go on to.
            #[cfg(test)]
            pub(crate) static FORWARDED: &[crate::forward::Signature] = &[#(#signatures),*];
        }
    });
    Ok(quote! {
        #(#definitions)*
        #signatures
        #(#rest)*
        /// Every exported function that is implemented, sorted by name. No static, which would be compiled where nobody asks for it.
        pub(crate) const IMPLEMENTED: &[(&str, crate::export::Address)] = &[#(#table),*];
    })
}

/// The attribute of what is exported, which is compiled whether or not it is called. A crate's own unit tests call a few functions
/// of hundreds, and the others are not compiled for them.
fn exported() -> TokenStream {
    quote! { #[cfg_attr(not(test), unsafe(no_mangle))] }
}

/// An exported function that another library has.
fn relayed(module: &Ident, declared: &syn::ForeignItemFn) -> TokenStream {
    let syn::Signature { ident, inputs, output, .. } = &declared.sig;
    let text = ident.to_string();
    let exported = exported();
    let arguments = arguments(declared).map(|argument| &argument.pat);
    quote! {
        #[allow(non_snake_case, clippy::too_many_arguments)]
        #exported
        pub unsafe extern "C" fn #ident(#inputs) #output {
            // SAFETY: the caller passes what the API asks for.
            crate::export::relay(#text, || unsafe { crate::#module::#ident(#(#arguments),*) })
        }
    }
}

fn arguments(declared: &syn::ForeignItemFn) -> impl Iterator<Item = &syn::PatType> {
    declared.sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(argument) => Some(argument),
        syn::FnArg::Receiver(_) => None,
    })
}

/// An exported function that is implemented.
struct Definition<'a> {
    api: &'a Api,
    group: &'a ModuleExports,
    name: &'a Name,
    declared: &'a syn::ForeignItemFn,
    /// Whether the function has a variant whose default stream is the thread's own.
    has_variants: bool,
    /// Whether this is that variant.
    per_thread: bool,
}

impl Definition<'_> {
    fn expand(&self) -> TokenStream {
        let signature = &self.declared.sig;
        let ident = &signature.ident;
        let (inputs, output) = (&signature.inputs, &signature.output);
        let text = ident.to_string();
        let exported = exported();
        let (module, called) = (&self.group.module, &self.name.called);
        if !self.returns_status() {
            let arguments = self.arguments().map(|argument| &argument.pat);
            return quote! {
                #[allow(non_snake_case)]
                #exported
                pub unsafe extern "C" fn #ident(#inputs) #output {
                    crate::export::guard_value(#text, || {
                        // SAFETY: the caller passes what the API asks for.
                        #[allow(unused_unsafe)]
                        unsafe { crate::api::#module::#called(#(#arguments),*) }
                    })
                }
            };
        }
        let guard = self.guard();
        let arguments = self.converted();
        let forward = self.group.forwarded.then(|| {
            let call = self.parameters();
            quote! {
                ?;
                crate::forward::or_here(
                    #text,
                    || crate::forward::forward! { #call },
                    // SAFETY: as above.
                    #[allow(unused_unsafe)]
                    || unsafe { crate::api::#module::#called(#(#arguments),*) },
                )
            }
        });
        quote! {
            #[allow(non_snake_case, clippy::too_many_arguments)]
            #exported
            pub unsafe extern "C" fn #ident(#inputs) #output {
                crate::export::#guard(#text, || {
                    #[allow(unused_imports)]
                    use crate::convert::FromC;
                    // SAFETY: the caller passes what the API asks for.
                    #[allow(unused_unsafe)]
                    unsafe { crate::api::#module::#called(#(#arguments),*) } #forward
                })
            }
        }
    }

    /// The function's name and its parameters, for macros of the crate that calls this one.
    fn parameters(&self) -> TokenStream {
        let (name, inputs) = (self.declared.sig.ident.to_string(), self.arguments());
        quote! { #name; #(#inputs),* }
    }

    fn returns_status(&self) -> bool {
        match &self.declared.sig.output {
            syn::ReturnType::Type(_, ty) => is(ty, self.api.status),
            syn::ReturnType::Default => false,
        }
    }

    fn arguments(&self) -> impl Iterator<Item = &syn::PatType> {
        arguments(self.declared)
    }

    fn takes(&self, ty: &str) -> bool {
        self.arguments().any(|argument| is(&argument.ty, ty))
    }

    fn guard(&self) -> TokenStream {
        let by_handle =
            (self.takes("CUstream") || self.takes("CUevent")) && !self.takes("CUfunction");
        match (self.group.before_init, by_handle) {
            (true, _) => quote!(guard_before_init),
            (false, true) => quote!(guard_by_handle),
            (false, false) => quote!(guard),
        }
    }

    fn converted(&self) -> Vec<TokenStream> {
        let convert = |argument: &syn::PatType| {
            let pattern = &argument.pat;
            if self.per_thread && is(&argument.ty, "CUstream") {
                quote! { FromC::from_c(crate::export::or_per_thread(#pattern))? }
            } else {
                quote! { FromC::from_c(#pattern)? }
            }
        };
        let mut arguments: Vec<TokenStream> = self.arguments().map(convert).collect();
        if self.has_variants && !self.takes("CUstream") {
            let stream = format_ident!(
                "{}",
                if self.per_thread { "CU_STREAM_PER_THREAD" } else { "CU_STREAM_LEGACY" }
            );
            arguments.push(quote! { FromC::from_c(::cuda_types::cuda::#stream)? });
        }
        arguments
    }
}

fn is(ty: &syn::Type, name: &str) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident(name))
}
