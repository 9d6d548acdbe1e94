//! Single passes over IR: `passes/<pass>/*.ll`.

// Tests may.
#![allow(clippy::expect_used)]

#[path = "../../simt/tests/support/pass_files.rs"]
mod pass_files;

use std::process::ExitCode;

use amdgcn::{Approximations, Blocks, Machine, Matrices, Options, pass_names};
use llvm_zluda::{Context, Module, Watch};
use pass_files::Case;

const WITHOUT: &[(&str, &str)] = &[
    ("lower_barriers", "links code of the device library, which is clang's"),
    ("link_library", "as above"),
    ("link_rest", "as above"),
    ("inline_library", "LLVM's"),
    ("optimise", "LLVM's"),
    ("inline_rest", "LLVM's"),
    ("place_parameters_of_rest", "as place_parameters"),
    ("last_passes", "LLVM's"),
    ("take_apart", "LLVM's"),
    ("give_one_entry", "LLVM's"),
];

fn main() -> ExitCode {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/passes");
    pass_files::main(folder, pass_names(), WITHOUT, run)
}

fn run(case: &Case<'_>) -> Result<String, String> {
    let options = Options {
        blocks: Blocks::Any,
        clusters: false,
        matrices: Matrices::Exact,
        approximations: Approximations::Exact,
        verify: true,
        watch: Watch::default(),
    };
    let machine = Machine::new(case.setting("gpu", "gfx1100"), options);
    let machine = machine.map_err(|error| error.to_string())?;
    let context = Context::new();
    let module = Module::parse(&context, "test", case.input)?;
    machine.prepare(&module);
    let made = machine.run_pass(case.pass, module).map_err(|error| error.to_string())?;
    Ok(made.print())
}
