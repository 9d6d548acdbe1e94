//! The kernels of `filetests/run/` on an emulated GPU with waves of 32 lanes.

#[path = "filetests/emulated.rs"]
mod emulated;
#[path = "filetests/run.rs"]
mod run;

fn main() {
    emulated::run("gfx1100");
}
