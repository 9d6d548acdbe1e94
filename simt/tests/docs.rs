//! The table of intrinsics in the documentation and the header of the device library are those of the code.
//! `ZLUDA_BLESS=1` writes them.

use std::path::Path;

const PAGE: &str = "../docs/dev/per_thread_ir.md";
const BEGIN: &str = "<!-- intrinsics -->\n";
const END: &str = "<!-- end of intrinsics -->";

#[test]
fn the_page_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = std::fs::read_to_string(&path).expect(PAGE);
    let (before, rest) = page.split_once(BEGIN).expect(BEGIN);
    let (found, after) = rest.split_once(END).expect(END);
    let wanted = simt::intrinsics::markdown(simt::intrinsics::ROWS);
    if std::env::var_os("ZLUDA_BLESS").is_some() {
        std::fs::write(&path, [before, BEGIN, &wanted, END, after].concat()).expect(PAGE);
    } else {
        assert!(found == wanted, "`ZLUDA_BLESS=1 cargo test -p simt` writes the table of {PAGE}");
    }
}

const HEADER: &str = "../device_library/c/intrinsics.h";

#[test]
fn the_header_is_that_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(HEADER);
    let wanted = format!(
        "// The intrinsics of simt/src/intrinsics/table.rs: `ZLUDA_BLESS=1 cargo test -p simt` writes this file.\n\n\
         #pragma once\n\n{}",
        simt::intrinsics::c_header(simt::intrinsics::ROWS)
    );
    if std::env::var_os("ZLUDA_BLESS").is_some() {
        std::fs::write(&path, wanted).expect(HEADER);
    } else {
        let found = std::fs::read_to_string(&path).expect(HEADER);
        assert!(found == wanted, "`ZLUDA_BLESS=1 cargo test -p simt` writes {HEADER}");
    }
}
