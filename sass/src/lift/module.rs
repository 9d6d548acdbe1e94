//! A module's PTX.

use super::call::{SYSTEM, is_grid_barrier};
use super::error::Error;
use super::image::{Image, Named, Variable};
use super::kernel;
use super::machine::DYNAMIC;
use std::collections::BTreeSet;
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

/// The PTX of a module.
pub fn lift(image: &Image) -> Lifted {
    let mut lifted = Lifted::default();
    let mut kernels = String::new();
    let mut system_calls = BTreeSet::new();
    let mut banks = String::new();
    let mut uses_dynamic = false;
    for of_image in &image.kernels {
        match kernel::lift(image, of_image) {
            Ok(body) => {
                kernels.push_str(&body.text);
                system_calls.extend(body.system_calls);
                uses_dynamic |= body.uses_dynamic;
                if let Some(name) = body.constants {
                    let _ = writeln!(
                        banks,
                        ".const .align 16 .b8 {name}[{}] = {};",
                        of_image.constants.len(),
                        bytes(&of_image.constants)
                    );
                }
            }
            Err(error) => {
                kernels.push_str(&kernel::refused(of_image, &error));
                lifted.failures.push((of_image.name.clone(), error));
            }
        }
    }
    let text = &mut lifted.text;
    text.push_str(".version 9.1\n.target sm_90a\n.address_size 64\n");
    // The target lets all instructions be used; programs are told what the code was compiled for, by which CUB knows the sizes
    // of blocks that kernels have.
    if image.compiled_for != 0 {
        let _ = writeln!(text, ".pragma \"compiled_for sm_{}\";", image.compiled_for);
    }
    lifted.wants_grid_barrier = system_calls.iter().any(|name| is_grid_barrier(name));
    for (name, declaration) in SYSTEM {
        if system_calls.contains(name) {
            let _ = writeln!(text, "{declaration}");
        }
    }
    if uses_dynamic {
        let _ = writeln!(text, ".extern .shared .align 16 .b8 {DYNAMIC}[];");
    }
    for variable in &image.variables {
        declare(text, image, variable);
    }
    text.push_str(&banks);
    text.push_str(&kernels);
    lifted
}

fn bytes(bytes: &[u8]) -> String {
    let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
    format!("{{{}}}", numbers.join(","))
}

fn declare(text: &mut String, image: &Image, variable: &Variable) {
    let space = if variable.is_constant { ".const" } else { ".global" };
    let linkage = if variable.is_visible { ".visible " } else { "" };
    let align = variable.align.max(1);
    let _ = write!(
        text,
        "{linkage}{space} .align {align} .b8 {}[{}]",
        variable.name,
        variable.size.max(1)
    );
    if !variable.bytes.is_empty() {
        let mut items: Vec<String> = variable.bytes.iter().map(u8::to_string).collect();
        for (offset, Named { symbol, addend }) in &variable.addresses {
            let Some(named) = image.variables.iter().find(|other| other.symbol == *symbol) else {
                continue;
            };
            let address = match addend {
                0 => format!("generic({})", named.name),
                addend => format!("generic({})+{addend}", named.name),
            };
            for byte in 0..8 {
                if let Some(item) = items.get_mut(*offset as usize + byte) {
                    *item = format!("{:#X}({address})", 0xffu64 << (8 * byte));
                }
            }
        }
        let _ = write!(text, " = {{{}}}", items.join(","));
    }
    text.push_str(";\n");
}
