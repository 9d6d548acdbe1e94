//! The facts of a version of HIP's or ROCm SMI's headers that a program depends on: the sizes of structures and the places of their
//! fields, the numbers of enumerators, the parameters of functions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use quote::ToTokens;

/// The facts of one version, by what they are about.
#[derive(Debug, Default)]
pub struct Facts {
    /// `size hipUUID_t`, `field hipUUID_t.bytes`, `hipError_t.hipErrorNotReady`, `hipMemAttachGlobal`,
    /// `function hipInit`, each with its value.
    values: BTreeMap<String, String>,
    /// Names of pointers.
    aliases: BTreeMap<String, String>,
    /// For each type and function, the types that it is made of.
    parts: BTreeMap<String, BTreeSet<String>>,
    /// For each function, the names and types of its parameters.
    parameters: BTreeMap<String, Vec<(String, String)>>,
}

/// Reads HIP's headers below a folder.
pub fn read(headers: &Path) -> Result<Facts, String> {
    Ok(facts(super::hip::translate(headers)?))
}

/// Reads ROCm SMI's headers below a folder.
pub fn read_smi(headers: &Path) -> Result<Facts, String> {
    Ok(facts(super::hip::translate_smi(headers)?))
}

/// Reads hipBLAS's headers below a folder: those of its second interface, or of the first.
pub fn read_blas(headers: &Path, second: bool) -> Result<Facts, String> {
    Ok(facts(super::hip::translate_blas(headers, second)?))
}

/// Reads hipBLASLt's headers below a folder.
pub fn read_blas_lt(headers: &Path) -> Result<Facts, String> {
    Ok(facts(super::hip::translate_blas_lt(headers)?))
}

/// Reads hipFFT's headers below a folder.
pub fn read_fft(headers: &Path) -> Result<Facts, String> {
    Ok(facts(super::hip::translate_fft(headers)?))
}

/// Reads MIOpen's headers below a folder.
pub fn read_miopen(headers: &Path) -> Result<Facts, String> {
    Ok(facts(super::hip::translate_miopen(headers)?))
}

fn facts(bindings: syn::File) -> Facts {
    let mut facts = Facts::default();
    for item in bindings.items {
        match item {
            syn::Item::Const(item) if item.ident == "_" => facts.add_layout(&item),
            syn::Item::Const(item) => {
                let value = item.expr.to_token_stream().to_string();
                facts.values.insert(item.ident.to_string(), value);
            }
            syn::Item::Impl(item) => facts.add_enumerators(&item),
            syn::Item::Type(item) => {
                let ident = item.ident.to_string();
                facts.add_parts(&ident, &item.ty);
                if matches!(*item.ty, syn::Type::Ptr(_)) {
                    facts.aliases.insert(ident, name(&item.ty));
                }
            }
            syn::Item::Struct(item) => facts.add_parts(&item.ident.to_string(), &item.fields),
            syn::Item::Union(item) => facts.add_parts(&item.ident.to_string(), &item.fields),
            syn::Item::ForeignMod(block) => {
                for item in block.items {
                    if let syn::ForeignItem::Fn(function) = item {
                        facts.add_function(&function.sig);
                    }
                }
            }
            _ => {}
        }
    }
    facts
}

impl Facts {
    /// `["Size of X"][size_of::<X>() - 8usize];` and the like, in one constant for each structure.
    fn add_layout(&mut self, item: &syn::ItemConst) {
        let text = item.expr.to_token_stream().to_string();
        let mut rest = text.as_str();
        while let Some((_, after)) = rest.split_once("[\"") {
            let Some((what, after)) = after.split_once('"') else { return };
            let Some((expression, after)) = after.split_once("usize]") else { return };
            let value = expression.rsplit(' ').next().unwrap_or_default();
            if let Some(name) = what.strip_prefix("Size of ") {
                self.values.insert(format!("size {name}"), value.to_owned());
            } else if let Some(field) = what.strip_prefix("Offset of field: ") {
                self.values.insert(format!("field {}", field.replace("::", ".")), value.to_owned());
            }
            rest = after;
        }
    }

    fn add_enumerators(&mut self, item: &syn::ItemImpl) {
        for member in &item.items {
            if let syn::ImplItem::Const(constant) = member {
                let value = constant.expr.to_token_stream().to_string();
                let number = value.rsplit_once('(').map_or("", |(_, number)| number);
                let number = number.trim_end_matches(')').trim().replace(' ', "");
                self.values.insert(format!("{}.{}", name(&item.self_ty), constant.ident), number);
            }
        }
    }

    fn add_function(&mut self, signature: &syn::Signature) {
        let name = signature.ident.to_string();
        self.values.insert(format!("function {name}"), self.resolve(signature));
        self.add_parts(&name, &signature.inputs);
        let parameters = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(argument) => {
                Some((argument.pat.to_token_stream().to_string(), self::name(&argument.ty)))
            }
            syn::FnArg::Receiver(_) => None,
        });
        self.parameters.insert(name, parameters.collect());
    }

    /// The names and types of a function's parameters.
    pub fn parameters(&self, function: &str) -> Option<&[(String, String)]> {
        self.parameters.get(function).map(Vec::as_slice)
    }

    fn add_parts(&mut self, name: &str, tokens: &impl ToTokens) {
        let words = tokens.to_token_stream().to_string();
        let words = words.split(|c: char| !c.is_alphanumeric() && c != '_');
        let parts = words.filter(|word| !word.is_empty()).map(str::to_owned);
        self.parts.entry(name.to_owned()).or_default().extend(parts);
    }

    /// The value of a fact.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// Fails if a fact does not have this value, and says what it has.
    pub fn expect(&self, key: &str, value: &str) -> Result<(), String> {
        match self.values.get(key) {
            Some(found) if found == value => Ok(()),
            found => Err(format!("{key} is {found:?}, not {value}")),
        }
    }

    /// `names`, and all types that they are made of.
    pub fn closure(&self, names: &BTreeSet<String>) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut waiting: Vec<&str> = names.iter().map(String::as_str).collect();
        while let Some(name) = waiting.pop() {
            if let Some(parts) = self.parts.get(name).filter(|_| !found.contains(name)) {
                waiting.extend(parts.iter().map(String::as_str));
            }
            found.insert(name.to_owned());
        }
        found
    }

    /// The differences of another version in `names`, a line each; of what it lacks as a whole, one line.
    pub fn differences(&self, other: &Facts, names: &BTreeSet<String>) -> BTreeSet<String> {
        let mut lines = BTreeSet::new();
        for (key, value) in &self.values {
            let (what, subject) = key.rsplit_once(' ').unwrap_or(("", key));
            let owner = subject.split('.').next().unwrap_or(subject);
            if !names.contains(owner) {
                continue;
            }
            match other.values.get(key) {
                Some(same) if same == value => {}
                Some(differs) => drop(lines.insert(format!("{key} is {differs}, not {value}"))),
                None if what == "function" || key == owner || other.parts.contains_key(owner) => {
                    lines.insert(format!("{key} is missing"));
                }
                None => drop(lines.insert(format!("type {owner} is missing"))),
            }
        }
        lines
    }

    /// A signature whose names for pointers are what they stand for: versions have different ones.
    fn resolve(&self, signature: &syn::Signature) -> String {
        let types = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(argument) => Some(name(&argument.ty)),
            syn::FnArg::Receiver(_) => None,
        });
        let types: Vec<_> = types
            .map(|ty| {
                let (pointers, base) = match ty.rsplit_once(' ') {
                    Some((pointers, base)) => (format!("{pointers} "), base),
                    None => (String::new(), ty.as_str()),
                };
                format!("{pointers}{}", self.aliases.get(base).map_or(base, String::as_str))
            })
            .collect();
        format!("({})", types.join(", "))
    }
}

/// A type as people write it.
fn name(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    text.replace(":: core :: ffi :: ", "")
        .replace(" :: ", "::")
        .replace("* mut", "*mut")
        .replace("* const", "*const")
}
