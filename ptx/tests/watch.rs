//! `ZLUDA_DEBUG=stop-after=<pass>`: compilation ends after each pass that there is, with what the pass left.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

use std::collections::BTreeSet;

use ptx::{Options, Program, Stage, Target, Watch, pass_names};

const KERNEL: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 out)
{
    .reg .b32 %r; .reg .b64 %d;
    ld.param.u64 %d, [out];
    mov.u32 %r, %tid.x;
    st.global.u32 [%d], %r;
    ret;
}";

fn stopping_after(pass: &str) -> Options {
    let watch = Watch { stop_after: Some(pass.to_owned()), ..Watch::default() };
    Options::default().watched(watch)
}

#[test]
fn compilation_stops_after_each_pass() {
    let program = Program::parse(KERNEL).unwrap();
    let mut stopped = BTreeSet::new();
    for target in ["x86-64-v2", "reference", "gfx1100"] {
        let target = Target::parse(target).unwrap();
        for pass in pass_names() {
            let options = stopping_after(pass);
            match program.emit("store", &target, &options, Stage::Obj) {
                // A pass of another target.
                Ok(object) => assert!(!object.is_empty()),
                Err(diagnostics) => {
                    let text = diagnostics.left().unwrap_or_else(|| panic!("{diagnostics}"));
                    assert!(diagnostics.to_string().contains(pass), "{diagnostics}");
                    // What the compiler knows of a module, or IR.
                    let word = match pass {
                        "summarize_functions" | "number_functions" | "collect_functions" => "{",
                        "layout_globals" => "size: 0",
                        _ => "store",
                    };
                    assert!(text.contains(word), "{pass}: {text}");
                    stopped.insert(pass);
                }
            }
        }
    }
    assert_eq!(stopped, pass_names().collect());
}

#[test]
fn a_later_pass_sees_what_an_earlier_one_left() {
    let program = Program::parse(KERNEL).unwrap();
    let left = |pass| {
        let target = Target::parse("x86-64-v2").unwrap();
        let result = program.emit("store", &target, &stopping_after(pass), Stage::Obj);
        result.unwrap_err().left().unwrap().to_owned()
    };
    // Registers are memory until they become values; lanes become vectors.
    assert!(left("lower").contains("alloca"));
    assert!(!left("clean").contains("alloca"));
    assert!(!left("per_thread_passes").contains("<32 x"));
    assert!(left("vectorize").contains("<32 x"));
}
