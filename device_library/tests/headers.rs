//! The header that declares what kernels call for a lane is that of the list. `ZLUDA_BLESS=1` writes it.

use std::fmt::Write;
use std::path::Path;

use cpu_abi::LaneOperation;

const HEADER: &str = "c/lane_operations.h";

#[test]
fn the_header_is_that_of_the_list() {
    let mut wanted = String::from(
        "// The operations of `lane_operations!` in cpu_abi/src/lib.rs: `ZLUDA_BLESS=1 cargo test -p device_library` writes\n\
         // this file.\n\n#pragma once\n\n",
    );
    for operation in LaneOperation::ALL {
        let word = operation.word();
        let arguments: Vec<_> =
            operation.arguments().iter().map(|argument| format!("u64 {argument}")).collect();
        let (name, arguments) = (word.replace('.', "_"), arguments.join(", "));
        let _ =
            writeln!(wanted, "u64 zluda_lane_{name}({arguments}) NAMED(\"zluda.lane.{word}\");");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(HEADER);
    if std::env::var_os("ZLUDA_BLESS").is_some() {
        std::fs::write(&path, wanted).expect(HEADER);
    } else {
        let found = std::fs::read_to_string(&path).expect(HEADER);
        assert!(found == wanted, "`ZLUDA_BLESS=1 cargo test -p device_library` writes {HEADER}");
    }
}
