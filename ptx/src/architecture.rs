//! The architecture that a module is for, which programs ask for as `CU_FUNC_ATTRIBUTE_PTX_VERSION`.

use ptx_parser::{Directive, Module};

/// What a module says whose `.target` is another one than it is for: lifted machine code, whose target is one that has
/// all instructions, and linked modules.
const PRAGMA: &str = "compiled_for sm_";

/// The architecture's number: 75 for `sm_75`.
pub fn of(module: &Module<'_>) -> u32 {
    stated(module).or(module.target.sm()).unwrap_or_default()
}

/// Whether a module says it in another way than by its `.target`.
pub fn is_stated(module: &Module<'_>) -> bool {
    stated(module).is_some()
}

fn stated(module: &Module<'_>) -> Option<u32> {
    let pragmas = module.directives.iter().filter_map(|directive| match directive {
        Directive::Pragma(texts) => Some(texts),
        _ => None,
    });
    pragmas.flatten().find_map(|text| text.strip_prefix(PRAGMA)?.parse().ok())
}

/// That of modules that are linked: the lowest one, for all of them, as NVIDIA's driver has it.
pub fn of_linked<'a>(modules: impl Iterator<Item = &'a Module<'a>>) -> u32 {
    modules.map(of).min().unwrap_or_default()
}

/// The directive that states it.
pub fn directive(architecture: u32) -> String {
    format!(".pragma \"{PRAGMA}{architecture}\";\n")
}
