//! lld runs where the objects of a thread are gone already: in handlers of `exit`, and in destructors of others.
// A test stops by panicking.
#![allow(clippy::unwrap_used)]

mod common;

use common::{HOST, host_machine};
use llvm_zluda::*;
use std::cell::RefCell;
use std::sync::mpsc::{Sender, channel};

/// An object file with a function.
fn object() -> Vec<u8> {
    let context = Context::new();
    let text = format!("target triple = \"{HOST}\"\ndefine i32 @one() {{ ret i32 1 }}");
    host_machine().emit_object(&Module::parse(&context, "one", &text).unwrap()).unwrap()
}

/// Links when it is destroyed, many times, since what is wrong with memory does not show at once.
struct Last {
    object: Vec<u8>,
    tell: Sender<bool>,
}

impl Drop for Last {
    fn drop(&mut self) {
        let linked = (0..20).all(|_| {
            link_elf(std::slice::from_ref(&self.object), &["--no-undefined"])
                .is_ok_and(|linked| linked.starts_with(b"\x7fELF"))
        });
        let _ = self.tell.send(linked);
    }
}

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

#[test]
fn lld_runs_behind_the_destructors_of_its_thread() {
    let object = object();
    let (tell, told) = channel();
    let thread = std::thread::spawn(move || {
        // What is made first is destroyed last.
        LAST.set(Some(Last { object: object.clone(), tell }));
        assert!(link_elf(&[object], &["--no-undefined"]).is_ok());
    });
    thread.join().unwrap();
    assert_eq!(told.recv(), Ok(true));
}
