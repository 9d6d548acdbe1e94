//! The table of intrinsics in the documentation is that of the code. `ZLUDA_BLESS=1` writes it.

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
