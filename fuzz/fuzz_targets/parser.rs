//! Any text: parsing and checking end. What parses without an error prints, and parses to the same tree again.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let parse = ptx_parser::parse(text);
    if parse.errors.is_empty() {
        let printed = parse.module.to_string();
        let again = ptx_parser::parse(&printed);
        assert_eq!(again.errors, [], "{printed}");
        assert_eq!(again.module, parse.module, "{printed}");
    } else {
        parse.errors.iter().for_each(|error| drop(error.render(text)));
    }
    // Names, layout, and what each kernel reaches.
    let _ = ptx::Program::parse(text);
});
