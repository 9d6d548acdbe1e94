//! Modules, separated by a zero: what they become is PTX.

#![no_main]

use ptx::Linker;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut linker = Linker::new();
    for (number, module) in text.split('\0').enumerate() {
        if number % 4 == 3 {
            linker.offer(&number.to_string(), module);
        } else {
            let _ = linker.add(&number.to_string(), module);
        }
    }
    if let Ok(linked) = linker.complete() {
        // What is not known yet stays unknown; nothing else is wrong with it.
        let wrong = |error: &ptx_parser::Error| error.kind != ptx_parser::ErrorKind::Unsupported;
        let errors = ptx_parser::parse(&linked).errors;
        assert!(!errors.iter().any(wrong), "{errors:?}\n{linked}");
    }
});
