//! Kernels by way of their machine code, beside the same kernels by way of their PTX: how long they run, and how long it takes to
//! compile them.

use super::program::{Runs, Side, build, with_counterparts};
use super::times::{Table, add};
use crate::Result;
use crate::progress::heading;
use crate::toolkit::Cuda;

const SIDES: [Side; 2] = [Side::Cuda, Side::MachineCode];

/// The section of the page. Fails where machine code leaves another checksum than PTX.
pub fn measure(cuda: &Cuda, filter: &str, runs: &Runs, rounds: usize) -> Result<String> {
    // Those with native counterparts, as for the kernels; what the others measure is no kernel.
    let programs = with_counterparts(filter)?;
    let both = |name: &String| SIDES.map(|side| (name.clone(), side));
    build(cuda, &programs.iter().flat_map(both).collect::<Vec<_>>())?;
    heading("Measuring kernels by their PTX and by their machine code");
    let (mut ptx, mut code) = (Table::new(), Table::new());
    let mut compiling: Vec<(&str, [f64; 2])> = Vec::new();
    for program in &programs {
        let mut both = [0.0; 2];
        for (side, time) in SIDES.into_iter().zip(&mut both) {
            *time = runs.compiling(program, side)?;
        }
        compiling.push((program, both));
    }
    for _ in 0..rounds {
        for program in &programs {
            add(&mut ptx, runs.run(program, Side::Cuda)?);
            add(&mut code, runs.run(program, Side::MachineCode)?);
        }
    }
    let mut text = format!(
        "## Machine code\n\nThe same kernels, built by nvcc as PTX alone and as machine code for sm_80 alone; processors' time of launch and \
         synchronisation in microseconds, best of {rounds} runs.\n\n\
         | kernel | by PTX | by machine code | ratio |\n|---|---|---|---|\n"
    );
    for (kernel, ptx) in &ptx {
        let code = code.get(kernel).ok_or_else(|| format!("{kernel} has no machine code"))?;
        if !super::compare::agree(ptx.checksum, code.checksum) {
            let (ptx, code) = (ptx.checksum, code.checksum);
            return Err(format!("{kernel}: the checksum is {code} for {ptx}").into());
        }
        let (ptx, code) = (ptx.processors(), code.processors());
        text += &format!("| {kernel} | {ptx:.1} | {code:.1} | {:.2} |\n", code / ptx);
    }
    text += "\nWhat a program's first start takes more than its second one: lifting and compiling, in milliseconds of processor time.\n\n\
             | program | PTX | machine code | ratio |\n|---|---|---|---|\n";
    for (program, [ptx, code]) in compiling {
        text += &format!("| {program} | {ptx:.0} | {code:.0} | {:.2} |\n", code / ptx);
    }
    Ok(text)
}
