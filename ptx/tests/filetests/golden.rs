//! Tests whose expected text is a file beside the input.

use std::path::Path;

use libtest_mimic::Failed;
use ptx::{Options, Program, Stage, Target};

fn target() -> Target {
    Target::parse("x86-64-v3").expect("a processor that LLVM knows")
}

pub fn lower(file: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let program = Program::parse(&text).map_err(|e| e.to_string())?;
    let options = Options { verify: true, ..Options::default() };
    let mut output = String::new();
    for kernel in program.kernels() {
        let ir = program
            .emit(&kernel.name, &target(), &options, Stage::Ir)
            .map_err(|e| e.to_string())?;
        output.push_str(&String::from_utf8_lossy(&ir));
    }
    compare(&file.with_extension("ll"), &output)
}

pub fn errors(file: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let output = match Program::parse(&text) {
        Err(error) => error.to_string(),
        Ok(program) => {
            let result = |name: &str| match program.compile(
                name,
                &target(),
                &Options { verify: true, ..Options::default() },
            ) {
                Ok(_) => format!("`{name}` compiles\n"),
                Err(error) => error.to_string(),
            };
            program.kernels().iter().map(|kernel| result(&kernel.name)).collect()
        }
    };
    compare(&file.with_extension("txt"), &output)
}

fn compare(expected: &Path, output: &str) -> Result<(), Failed> {
    if std::env::var_os("ZLUDA_BLESS").is_some() {
        std::fs::write(expected, output)?;
        return Ok(());
    }
    let text = std::fs::read_to_string(expected).unwrap_or_default();
    if text == output {
        return Ok(());
    }
    let line = text.lines().zip(output.lines()).take_while(|(a, b)| a == b).count();
    let show = |text: &str| text.lines().nth(line).unwrap_or("(the end)").to_owned();
    Err(format!(
        "{} differs at line {}\n  expected: {}\n  found:    {}\nZLUDA_BLESS=1 cargo test -p ptx --test filetests rewrites it",
        expected.display(),
        line + 1,
        show(&text),
        show(output),
    )
    .into())
}
