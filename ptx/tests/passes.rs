//! The state of a compilation after each pass over PTX and over the per-thread IR of all targets: `passes/<pass>/*.ptx`.

// Tests may.
#![allow(clippy::expect_used)]

#[path = "../../simt/tests/support/pass_files.rs"]
mod pass_files;

use std::process::ExitCode;

use pass_files::Case;
use ptx::{Options, Program, Stage, Target, Watch, pass_names};

const WITHOUT: &[(&str, &str)] = &[("lower", "tests/filetests/lower"), ("clean", "LLVM's")];

fn main() -> ExitCode {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/passes");
    // Those of the targets come last, and have tests of their own.
    let of_targets = spmd::pass_names().count() + amdgcn::pass_names().count();
    let own = pass_names().count() - of_targets;
    pass_files::main(folder, pass_names().take(own), WITHOUT, run)
}

/// Compiles the module's first kernel until the pass is over.
fn run(case: &Case<'_>) -> Result<String, String> {
    let program = Program::parse(case.input).map_err(|error| error.to_string())?;
    let kernel = program.kernels().first().ok_or("no kernel")?;
    let target = Target::parse("x86-64-v3").map_err(|error| error.to_string())?;
    let watch = Watch { stop_after: Some(case.pass.to_owned()), ..Watch::default() };
    let options = Options {
        verify: true,
        preempt: case.setting("preempt", "no") == "yes",
        ..Options::default()
    };
    let options = options.watched(watch);
    match program.emit(&kernel.name, &target, &options, Stage::Obj) {
        Ok(_) => Err("compilation does not come by the pass".to_owned()),
        Err(stopped) => stopped.left().map(str::to_owned).ok_or_else(|| stopped.to_string()),
    }
}
