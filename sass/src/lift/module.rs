//! A module's PTX: all of it, or a head and a text for each kernel, which have their variables at the same places.

use super::call::{SYSTEM, code_address, is_grid_barrier};
use super::error::Error;
use super::image::{Image, Named, Variable};
use super::kernel;
use super::machine::{DYNAMIC, constants_name};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

/// What became of a module.
#[derive(Clone, Debug, Default)]
pub struct Lifted {
    /// PTX with all kernels. Those that could not be lifted have one line, which says why, and which no compiler takes.
    pub text: String,
    /// Those, by name.
    pub failures: Vec<(String, Error)>,
    /// The text declares functions of the grid's barrier, which whoever takes it has to define.
    pub wants_grid_barrier: bool,
}

/// What a module has: its variables, and kernels, of which all is right that programs can ask without launching them.
pub fn head(image: &Image) -> String {
    let mut text = String::new();
    begin(&mut text, image, &BTreeSet::new(), false);
    for of_image in &image.kernels {
        text.push_str(&kernel::empty(of_image));
    }
    text
}

/// The PTX of the image's kernels.
pub fn lift(image: &Image) -> Lifted {
    let mut lifted = Lifted::default();
    let mut kernels = String::new();
    let mut system_calls = BTreeSet::new();
    let mut uses_dynamic = false;
    for of_image in &image.kernels {
        match kernel::lift(image, of_image) {
            Ok(body) => {
                kernels.push_str(&body.text);
                system_calls.extend(body.system_calls);
                uses_dynamic |= body.uses_dynamic;
            }
            Err(error) => {
                kernels.push_str(&kernel::refused(of_image, &error));
                lifted.failures.push((of_image.name.clone(), error));
            }
        }
    }
    lifted.wants_grid_barrier = system_calls.iter().any(|name| is_grid_barrier(name));
    begin(&mut lifted.text, image, &system_calls, uses_dynamic);
    lifted.text.push_str(&kernels);
    lifted
}

/// What stands before the kernels.
fn begin(text: &mut String, image: &Image, system_calls: &BTreeSet<&str>, uses_dynamic: bool) {
    text.push_str(".version 9.1\n.target sm_90a\n.address_size 64\n");
    // The target lets all instructions be used; programs are told what the code was compiled for, by which CUB knows the sizes
    // of blocks that kernels have.
    if image.compiled_for != 0 {
        let _ = writeln!(text, ".pragma \"compiled_for sm_{}\";", image.compiled_for);
    }
    for function in SYSTEM.iter().filter(|function| system_calls.contains(function.name)) {
        let _ = writeln!(text, "{}", function.declaration());
    }
    if uses_dynamic {
        let _ = writeln!(text, ".extern .shared .align 16 .b8 {DYNAMIC}[];");
    }
    for reference in &image.references {
        let kind = if reference.is_surface { "surfref" } else { "texref" };
        let _ = writeln!(text, ".visible .global .{kind} {};", reference.name);
    }
    let by_symbol: HashMap<&str, &Variable> =
        image.variables.iter().rev().map(|variable| (variable.symbol.as_str(), variable)).collect();
    for variable in &image.variables {
        declare(text, image, variable, &by_symbol);
    }
    for bank in &image.banks {
        let (name, size) = (constants_name(&bank.kernel), bank.bytes.len());
        let _ = write!(text, ".const .align 16 .b8 {name}[{size}] = {{");
        numbers(text, if image.is_part { &[0] } else { &bank.bytes });
        text.push_str("};\n");
    }
}

/// `by_symbol`: the image's variables.
fn declare(
    text: &mut String,
    image: &Image,
    variable: &Variable,
    by_symbol: &HashMap<&str, &Variable>,
) {
    let space = if variable.is_constant { ".const" } else { ".global" };
    let linkage = if variable.is_visible { ".visible " } else { "" };
    let managed = if variable.is_managed { " .attribute(.managed)" } else { "" };
    let (name, align, size) = (&variable.name, variable.align.max(1), variable.size.max(1));
    let _ = write!(text, "{linkage}{space}{managed} .align {align} .b8 {name}[{size}]");
    if variable.bytes.is_empty() {
        text.push_str(";\n");
        return;
    }
    text.push_str(" = {");
    // Variables with values lie before those without.
    if image.is_part {
        text.push('0');
    } else if variable.addresses.is_empty() {
        numbers(text, &variable.bytes);
    } else {
        text.push_str(&with_addresses(image, variable, by_symbol).join(","));
    }
    text.push_str("};\n");
}

/// Bytes as numbers.
fn numbers(text: &mut String, bytes: &[u8]) {
    text.reserve(4 * bytes.len());
    for (index, byte) in bytes.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(text, "{comma}{byte}");
    }
}

/// The bytes of a variable, of which some are those of addresses.
fn with_addresses(
    image: &Image,
    variable: &Variable,
    by_symbol: &HashMap<&str, &Variable>,
) -> Vec<String> {
    let mut items: Vec<String> = variable.bytes.iter().map(u8::to_string).collect();
    for (offset, Named { symbol, addend }) in &variable.addresses {
        if let Some(place) = image.functions.get(symbol) {
            let address = code_address(*place).wrapping_add_signed(*addend);
            for (byte, value) in address.to_le_bytes().into_iter().enumerate() {
                if let Some(item) = items.get_mut(*offset as usize + byte) {
                    *item = value.to_string();
                }
            }
            continue;
        }
        // Modules have all that their variables name; of another image, a compiler says what is missing.
        let name = by_symbol.get(symbol.as_str()).map_or(symbol, |named| &named.name);
        let address = match addend {
            0 => format!("generic({name})"),
            addend => format!("generic({name})+{addend}"),
        };
        for byte in 0..8 {
            if let Some(item) = items.get_mut(*offset as usize + byte) {
                *item = format!("{:#X}({address})", 0xffu64 << (8 * byte));
            }
        }
    }
    items
}
