//! `dot LIBRARY`: the texts that the library prints of graphs with nodes of each kind, without flags, and under each
//! flag that makes a difference; what differs from process to process is taken out. With NVIDIA's library that makes
//! `answers/h100.dot`.

// A test program: it stops by panicking, and its output is its purpose.
#![allow(clippy::panic, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod graphs;
mod normal;

use std::path::Path;
use std::process::ExitCode;

use differential::api::Api;

/// Each flag alone; of the kinds of nodes that need other hardware there are none. All flags but that for handles, and
/// all.
const FLAGS: [u32; 15] =
    [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0xfbfe, 0xffff];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [library] = arguments.as_slice() else {
        eprintln!("usage: dot LIBRARY");
        return ExitCode::FAILURE;
    };
    let api = Api::load(Path::new(library)).unwrap();
    let world = graphs::World::new(&api);
    for (name, build) in graphs::GRAPHS {
        // A driver that does not know a kind of node still prints the others.
        let text = |flags: u32| {
            let text = || normal::normal(graphs::text(&world, *build, flags).trim_end());
            let text = std::panic::catch_unwind(std::panic::AssertUnwindSafe(text));
            text.unwrap_or_else(|_| "cannot be built".to_owned())
        };
        let plain = text(0);
        println!("==== {name} 0x0 {plain}");
        for flags in FLAGS {
            let shown = text(flags);
            if shown != plain {
                println!("==== {name} {flags:#x} {shown}");
            }
        }
    }
    ExitCode::SUCCESS
}
