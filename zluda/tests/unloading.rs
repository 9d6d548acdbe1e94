//! Threads of the engine run on when a program closes the driver; its code has to stay.

mod common;

use libloading::Library;

#[test]
fn the_library_stays_when_it_is_closed() {
    let path = common::library_path();
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
    // What a thread keeps of the library ends with the thread, so that nothing but the library itself holds it.
    let opened = std::thread::spawn(move || {
        // SAFETY: the library has no initialisers of its own.
        let library = unsafe { Library::new(path) }.expect("the library loads");
        // SAFETY: the type is that of `cuInit`.
        let init = unsafe { library.get::<extern "C" fn(u32) -> u32>(b"cuInit") };
        assert_eq!(init.expect("cuInit")(0), 0);
        library
    });
    drop(opened.join().expect("the thread ends well"));
    assert!(common::is_mapped(&name), "{name} is gone");
}
