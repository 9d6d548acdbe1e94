//! Writes the structs, their tables, and the enum of all instructions.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Error, Ident, Token};

use crate::grammar::{Declaration, Family};
use crate::merge::{
    Atom, Kind, Merged, MergedForm, OperandField, OperandSlot, Rule, Slot, SpaceRule, TypeRule,
    merge,
};

/// The structs and tables of a family's instructions. Fails where a table does not make sense.
pub fn family(family: &Family) -> syn::Result<TokenStream> {
    family.instructions.iter().map(instruction).collect()
}

fn instruction(declaration: &Declaration) -> syn::Result<TokenStream> {
    let merged = merge(declaration)?;
    let name = &declaration.name;
    let docs = &declaration.docs;
    let ignored = &declaration.ignored;
    let Merged { rules, fields, operands, forms } = &merged;

    let mut members = Vec::new();
    let mut field_builds = Vec::new();
    let mut field_codes = Vec::new();
    let mut field_specs = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let id = format_ident!("{}", field.name);
        let text = &field.name;
        match (&field.type_, field.optional) {
            (None, _) => {
                members.push(quote!(pub #id: bool));
                field_builds.push(quote!(#id: codes[#index] != 0));
                field_codes.push(quote!(u16::from(self.#id)));
                field_specs.push(quote!(FieldSpec { name: #text, words: &[] }));
            }
            (Some(type_), optional) => {
                let type_ = format_ident!("{type_}");
                if optional {
                    members.push(quote!(pub #id: Option<#type_>));
                    field_builds.push(quote!(#id: <#type_ as Modifier>::from_code(codes[#index])));
                    field_codes.push(quote!(self.#id.map_or(0, Modifier::code)));
                } else {
                    members.push(quote!(pub #id: #type_));
                    field_builds.push(quote!(#id: <#type_ as Modifier>::from_code(codes[#index])?));
                    field_codes.push(quote!(Modifier::code(self.#id)));
                }
                field_specs
                    .push(quote!(FieldSpec { name: #text, words: <#type_ as Modifier>::WORDS }));
            }
        }
    }
    let mut operand_builds = Vec::new();
    let mut operand_parts = Vec::new();
    let mut operand_specs = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        let id = format_ident!("{}", operand.name);
        let (type_, take, variant) = match operand.kind {
            Kind::Operand => (quote!(Operand<'a>), quote!(take_operand), quote!(Operand)),
            Kind::Address => (quote!(Address<'a>), quote!(take_address), quote!(Address)),
        };
        if operand.optional {
            members.push(quote!(pub #id: Option<#type_>));
            operand_builds.push(quote!(#id: values[#index].#take()));
            operand_parts.push(quote!(self.#id.as_ref().map(OperandRef::#variant)));
        } else {
            members.push(quote!(pub #id: #type_));
            operand_builds.push(quote!(#id: values[#index].#take()?));
            operand_parts.push(quote!(Some(OperandRef::#variant(&self.#id))));
        }
        operand_specs.push(operand_spec(operand));
    }
    let lifetime = if operands.is_empty() { quote!() } else { quote!(<'a>) };
    let build = quote!(#name { #(#field_builds,)* #(#operand_builds,)* });
    let build = if merged.boxed() { quote!(Box::new(#build)) } else { build };
    let forms = forms.iter().map(|form| {
        let MergedForm { opcode, name, .. } = form;
        let modifiers = form.modifiers.iter().map(slot);
        let operands = form.operands.iter().map(operand_slot);
        quote!(Form {
            opcode: #opcode,
            name: #name,
            modifiers: &[#(#modifiers,)*],
            operands: &[#(#operands,)*],
        })
    });
    let rules = rules.iter().map(rule);
    let copy = if operands.is_empty() { quote!(Copy,) } else { quote!() };
    let text = name.to_string();
    let table = table(name);
    let codes = if fields.is_empty() { quote!(_codes) } else { quote!(codes) };
    let values = if operands.is_empty() { quote!(_values) } else { quote!(values) };
    let field_index = 0..fields.len();
    let operand_index = 0..operands.len();
    // Without operands the struct has no lifetime, and its parts may have any.
    let parts = if operands.is_empty() { quote!(parts<'a>) } else { quote!(parts) };
    let scope = &lifetime;
    Ok(quote! {
        #(#docs)*
        #[derive(Clone, #copy Debug, PartialEq)]
        pub struct #name #lifetime { #(#members,)* }

        pub(crate) static #table: Spec = Spec {
            name: #text,
            fields: &[#(#field_specs,)*],
            operands: &[#(#operand_specs,)*],
            forms: &[#(#forms,)*],
            ignored: &[#(#ignored,)*],
            rules: &[#(#rules,)*],
            build: #name::build,
        };

        impl #scope #name #lifetime {
            fn build<'b>(#codes: &Codes, #values: &mut Values<'b>) -> Option<Instruction<'b>> {
                Some(Instruction::#name(#build))
            }

            pub(crate) fn #parts(&self) -> Parts<'_, 'a> {
                #[allow(unused_mut)]
                let mut parts = Parts::new(&#table);
                #(parts.codes[#field_index] = #field_codes;)*
                #(parts.operands[#operand_index] = #operand_parts;)*
                parts
            }
        }
    })
}

fn operand_spec(operand: &OperandField) -> TokenStream {
    let OperandField { name, write, types, constants, space, .. } = operand;
    let types = types.iter().map(|rule| match rule {
        TypeRule::Field(field) => quote!(TypeRule::Field(#field)),
        TypeRule::Fixed(word) => quote!(TypeRule::Fixed(#word)),
        TypeRule::Wide(type_, mode) => quote!(TypeRule::Wide(#type_, #mode)),
    });
    let constants = constants.iter().map(|c| {
        let registers = c.registers;
        let ranges = c
            .ranges
            .iter()
            .map(|(first, last, step)| quote!(Range { first: #first, last: #last, step: #step }));
        let when = terms(&c.when);
        quote!(Constants { registers: #registers, ranges: &[#(#ranges,)*], when: &[#(#when,)*] })
    });
    let space = match space {
        Some(SpaceRule::Field(field)) => quote!(Some(SpaceRule::Field(#field))),
        Some(SpaceRule::Fixed(word)) => quote!(Some(SpaceRule::Fixed(#word))),
        None => quote!(None),
    };
    quote!(OperandSpec {
        name: #name,
        write: #write,
        types: &[#(#types,)*],
        constants: &[#(#constants,)*],
        space: #space,
    })
}

fn table(name: &Ident) -> Ident {
    format_ident!("{}", crate::resolve::snake(&name.to_string()).to_uppercase())
}

fn atom(atom: &Atom) -> TokenStream {
    match atom {
        Atom::Word(word) => quote!(Condition::Word(#word)),
        Atom::Field(field, word) => quote!(Condition::Field(#field, #word)),
        Atom::Operand(operand, kind) => {
            let mut name = kind.clone();
            name[..1].make_ascii_uppercase();
            let kind = format_ident!("{name}");
            quote!(Condition::Operand(#operand, OperandKind::#kind))
        }
    }
}

fn terms(terms: &[(bool, Vec<Atom>)]) -> Vec<TokenStream> {
    let term = |(not, any): &(bool, Vec<Atom>)| {
        let any = any.iter().map(atom);
        quote!(Term { not: #not, any: &[#(#any,)*] })
    };
    terms.iter().map(term).collect()
}

fn rule(rule: &Rule) -> TokenStream {
    let Rule { never, gone, version: (major, minor), targets, when } = rule;
    let terms = terms(when);
    quote!(Rule {
        never: #never,
        gone: #gone,
        version: (#major, #minor),
        targets: &[#(#targets,)*],
        when: &[#(#terms,)*],
    })
}

fn slot(slot: &Slot) -> TokenStream {
    let Slot { words, type_, field, optional } = slot;
    // `{ * }`
    let words = match (words.is_empty(), type_) {
        (true, Some(type_)) => {
            let type_ = format_ident!("{type_}");
            quote!(<#type_ as Modifier>::WORDS)
        }
        _ => quote!(&[#(#words,)*]),
    };
    let field = match field {
        Some(index) => quote!(Some(#index)),
        None => quote!(None),
    };
    quote!(Slot { words: #words, field: #field, optional: #optional })
}

fn operand_slot(operand: &OperandSlot) -> TokenStream {
    let OperandSlot { fields, bracket, vector, optional, not, minus, pair, suffix } = operand;
    let pair = match pair {
        Some((index, optional)) => quote!(Some((#index, #optional))),
        None => quote!(None),
    };
    let suffix = match suffix {
        Some(suffix) => {
            let suffix = slot(suffix);
            quote!(Some(#suffix))
        }
        None => quote!(None),
    };
    quote!(OperandSlot {
        fields: &[#(#fields,)*],
        bracket: #bracket,
        vector: #vector,
        optional: #optional,
        not: #not,
        minus: #minus,
        pair: #pair,
        suffix: #suffix,
    })
}

/// `arithmetic, memory, ...`: the families, by the names of their files beside `isa/mod.rs`.
pub struct Set {
    families: Vec<Ident>,
}

impl Parse for Set {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let families = input.parse_terminated(Ident::parse, Token![,])?;
        Ok(Set { families: families.into_iter().collect() })
    }
}

/// The enum of all instructions and the list of their tables, from the families' files. Fails where one cannot be read.
pub fn set(set: &Set) -> syn::Result<TokenStream> {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let mut variants = Vec::new();
    let mut names = Vec::new();
    let mut tables = Vec::new();
    let mut family_tables = Vec::new();
    let families = &set.families;
    for family in families {
        let first = tables.len();
        let path = format!("{root}/src/isa/{family}.rs");
        let fail = |e: &dyn std::fmt::Display| Error::new(family.span(), format!("{path}: {e}"));
        let text = std::fs::read_to_string(&path).map_err(|e| fail(&e))?;
        let file = syn::parse_file(&text).map_err(|e| fail(&e))?;
        for item in file.items {
            let syn::Item::Macro(item) = item else { continue };
            if !item.mac.path.is_ident("isa") {
                continue;
            }
            let declared: Family = item.mac.parse_body().map_err(|e| fail(&e))?;
            for declaration in &declared.instructions {
                let merged = merge(declaration)?;
                let name = Ident::new(&declaration.name.to_string(), Span::call_site());
                let lifetime = if merged.operands.is_empty() { quote!() } else { quote!(<'a>) };
                let docs = &declaration.docs;
                let type_ = quote!(#name #lifetime);
                let type_ = if merged.boxed() { quote!(Box<#type_>) } else { type_ };
                variants.push(quote!(#(#docs)* #name(#type_)));
                let table = table(&name);
                tables.push(quote!(&#family::#table));
                names.push(name);
            }
        }
        let name = family.to_string();
        let own = &tables[first..];
        family_tables.push(quote!((#name, &[#(#own,)*])));
    }
    Ok(quote! {
        #(pub mod #families; pub use #families::*;)*

        /// An instruction: one variant for each table, and `call`, which no table describes.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Instruction<'a> {
            #(#variants,)*
            /// Function call, direct or indirect.
            Call(Box<Call<'a>>),
        }

        impl<'a> Instruction<'a> {
            /// The instruction as its table has it; none for `call`.
            pub(crate) fn parts(&self) -> Option<Parts<'_, 'a>> {
                match self {
                    #(Instruction::#names(i) => Some(i.parts()),)*
                    Instruction::Call(_) => None,
                }
            }
        }

        /// All tables.
        pub(crate) static TABLES: &[&Spec] = &[#(#tables,)*];

        /// The tables of each family.
        pub(crate) static FAMILIES: &[(&str, &[&Spec])] = &[#(#family_tables,)*];
    })
}
