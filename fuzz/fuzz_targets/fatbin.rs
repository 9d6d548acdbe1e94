//! Any bytes: as a fat binary, as an object, and as an archive.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(container) = fatbin::Container::parse(bytes) {
        for capability in [30, 80, 200] {
            let _ = container.best_ptx(capability);
        }
    }
    let _ = fatbin::texts_of_object(bytes, 80);
    let _ = fatbin::texts_of_archive(bytes, 80);
});
