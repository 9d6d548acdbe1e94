//! Single passes over IR: `passes/<pass>/*.ll`.

// Tests may.
#![allow(clippy::expect_used)]

#[path = "../../simt/tests/support/pass_files.rs"]
mod pass_files;

use std::process::ExitCode;

use llvm_zluda::{Context, Module};
use pass_files::Case;
use spmd::{Blocks, KernelKind, Options, pass_names};

const WITHOUT: &[(&str, &str)] = &[
    ("promoting_passes", "LLVM's"),
    ("per_thread_passes", "LLVM's"),
    ("final_passes", "LLVM's"),
    ("returning_passes", "LLVM's"),
    ("chained_passes", "LLVM's"),
    ("merge_strips", "LLVM's"),
    (
        "define_approximations",
        "hundreds of lines of arithmetic: tests/approximations.rs has the answers",
    ),
    ("outline_functions", "begins with functions of 700 instructions: tests/cut.rs"),
];

fn main() -> ExitCode {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/passes");
    pass_files::main(folder, pass_names(), WITHOUT, run)
}

fn run(case: &Case<'_>) -> Result<String, String> {
    let options = Options {
        cpu: case.setting("cpu", "x86-64-v3").to_owned(),
        features: case.setting("features", "").to_owned(),
        in_step: case.setting("threads", "apart") == "in step",
        verify: true,
        ..Options::host(Blocks::WholeWarps)
    };
    let kind = match case.pass {
        "reference" => KernelKind::Reference,
        _ => KernelKind::Vector,
    };
    let context = Context::new();
    let module = Module::parse(&context, "test", case.input)?;
    module.set_triple(spmd::TRIPLE);
    // Vector code has its variables where all other memory is.
    let flat = spmd::DATA_LAYOUT.replace("-A5", "");
    let is_flat = case.setting("stack", "apart") == "flat";
    module.set_data_layout(if is_flat { &flat } else { spmd::DATA_LAYOUT });
    let made = spmd::run_pass(case.pass, module, kind, &options);
    Ok(made.map_err(|error| error.to_string())?.print())
}
