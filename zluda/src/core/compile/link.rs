//! Linking of PTX at run time.
//!
//! The result is again PTX text: what `cuLinkComplete` calls a cubin is an image that `cuModuleLoadData`
//! takes.

use crate::convert::FromC;
use crate::core::compile::compiler::Linker;
use crate::core::compile::image::Parts;
use crate::core::compile::jit_options::JitOptions;
use cuda_types::cuda::{CUerror, CUlinkState, CUres};
use parking_lot::Mutex;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

#[derive(Debug, Default)]
pub(crate) struct Link(pub(crate) Mutex<State>);

#[derive(Debug, Default)]
pub(crate) struct State {
    options: JitOptions,
    linker: Linker,
    /// NUL-terminated text; stays where it is until the link is destroyed.
    output: Option<Box<[u8]>>,
}

static LINKS: LazyLock<HandleTable<Link>> = LazyLock::new(|| HandleTable::new(Kind::LINK));

impl FromC<CUlinkState> for Arc<Link> {
    unsafe fn from_c(handle: CUlinkState) -> CUres<Self> {
        LINKS.get(handle as u64).ok_or(CUerror::INVALID_HANDLE)
    }
}

/// Begins a link, and returns its handle.
pub(crate) fn create(options: JitOptions) -> CUres<CUlinkState> {
    let link = Arc::new(Link(Mutex::new(State { options, ..State::default() })));
    Ok(LINKS.insert(link).ok_or(CUerror::OUT_OF_MEMORY)? as CUlinkState)
}

/// Ends a link, and its output; `INVALID_HANDLE` if there is none.
pub(crate) fn destroy(handle: CUlinkState) -> CUres {
    LINKS.remove(handle as u64).map(drop).ok_or(CUerror::INVALID_HANDLE)
}

impl State {
    /// Adds what an input holds. `name` is what messages call it.
    pub(crate) fn add(&mut self, parts: CUres<Parts>, name: &str) -> CUres {
        let added = parts.and_then(|parts| self.add_parts(parts, name));
        self.options.finish();
        added
    }

    fn add_parts(&mut self, parts: Parts, name: &str) -> CUres {
        if self.output.is_some() {
            return Err(CUerror::INVALID_HANDLE);
        }
        match parts {
            Parts::Texts(texts) if texts.is_empty() => {
                self.options.log_info(&format!("info    : No PTX in {name}; continuing."));
                Ok(())
            }
            Parts::Texts(texts) => {
                texts.iter().try_for_each(|text| self.linker.add(name, text, &mut self.options))
            }
            Parts::Archive(members) => {
                members.iter().for_each(|text| self.linker.offer(name, text));
                Ok(())
            }
        }
    }

    /// The linked image and its size, NUL included.
    pub(crate) fn complete(&mut self) -> CUres<&[u8]> {
        let linked = match self.output.take() {
            Some(output) => Ok(output),
            None => self.link(),
        };
        self.options.finish();
        Ok(self.output.insert(linked?))
    }

    fn link(&mut self) -> CUres<Box<[u8]>> {
        let mut text = self.linker.complete(&mut self.options)?.into_bytes();
        text.push(0);
        Ok(text.into_boxed_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

    fn texts(bodies: &[&str]) -> Vec<Vec<u8>> {
        bodies.iter().map(|body| format!("{HEAD}{body}").into_bytes()).collect()
    }

    #[test]
    fn results_end_with_nul_and_stay() {
        let mut state = State::default();
        state.add(Ok(Parts::Texts(texts(&[".entry k() { ret; }"]))), "a").unwrap();
        let address = state.complete().unwrap().as_ptr();
        let again = state.complete().unwrap();
        assert_eq!((again.as_ptr(), again.last()), (address, Some(&0)));
        let late = state.add(Ok(Parts::Texts(Vec::new())), "b");
        assert_eq!(late, Err(CUerror::INVALID_HANDLE));
    }

    #[test]
    fn members_of_archives_come_when_they_are_wanted() {
        let mut state = State::default();
        let members = texts(&[
            ".visible .func g() { ret; }",
            ".visible .func unwanted() { ret; }",
            ".extern .func g(); .visible .func f() { call g; ret; }",
            ".visible .entry kernel() { ret; }",
        ]);
        state.add(Ok(Parts::Archive(members)), "library").unwrap();
        let main = texts(&[".extern .func f(); .visible .entry k() { call f; ret; }"]);
        state.add(Ok(Parts::Texts(main)), "main").unwrap();
        let text = String::from_utf8(state.complete().unwrap().to_vec()).unwrap();
        assert!(text.contains(".func g()\n{") && text.contains(".func f()\n{"), "{text}");
        assert!(text.contains(".entry kernel()") && !text.contains("unwanted"), "{text}");
    }

    #[test]
    fn one_that_fails_stays_failed() {
        let mut state = State::default();
        let twice = || Ok(Parts::Texts(texts(&[".visible .func f() { ret; }"])));
        state.add(twice(), "a").unwrap();
        assert_eq!(state.add(twice(), "b"), Err(CUerror::INVALID_SOURCE));
        assert_eq!(state.complete().map(<[u8]>::len), Err(CUerror::INVALID_SOURCE));
    }
}
