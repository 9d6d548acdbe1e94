//! The kernels of `filetests/run/` on an emulated GPU with waves of 64 lanes.

#[path = "filetests/emulated.rs"]
mod emulated;
#[path = "filetests/run.rs"]
mod run;

fn main() {
    emulated::run("gfx942");
}
