//! Linking of PTX at run time.
//!
//! The result is again PTX text: what `cuLinkComplete` calls a cubin is an image that `cuModuleLoadData`
//! takes. Several inputs become one text.

use crate::convert::FromC;
use crate::core::jit_options::JitOptions;
use crate::core::kind;
use cuda_types::cuda::{CUerror, CUlinkState, CUres};
use parking_lot::Mutex;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::HandleTable;

#[derive(Debug, Default)]
pub(crate) struct Link(pub(crate) Mutex<State>);

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) options: JitOptions,
    inputs: Vec<Vec<u8>>,
    /// NUL-terminated text; stays where it is until the link is destroyed.
    output: Option<Box<[u8]>>,
}

static LINKS: LazyLock<HandleTable<Link>> = LazyLock::new(|| HandleTable::new(kind::LINK));

impl FromC<CUlinkState> for Arc<Link> {
    unsafe fn from_c(handle: CUlinkState) -> CUres<Self> {
        LINKS.get(handle as u64).ok_or(CUerror::INVALID_HANDLE)
    }
}

pub(crate) fn create(options: JitOptions) -> CUres<CUlinkState> {
    let link = Arc::new(Link(Mutex::new(State { options, ..State::default() })));
    Ok(LINKS.insert(link).ok_or(CUerror::OUT_OF_MEMORY)? as CUlinkState)
}

pub(crate) fn destroy(handle: CUlinkState) -> CUres {
    LINKS.remove(handle as u64).map(drop).ok_or(CUerror::INVALID_HANDLE)
}

impl State {
    /// Adds PTX text.
    pub(crate) fn add(&mut self, text: Vec<u8>) -> CUres {
        if self.output.is_some() {
            return Err(CUerror::INVALID_HANDLE);
        }
        self.inputs.push(text);
        Ok(())
    }

    /// The linked image and its size, NUL included.
    pub(crate) fn complete(&mut self) -> CUres<&[u8]> {
        if self.inputs.is_empty() {
            return Err(CUerror::INVALID_VALUE);
        }
        let inputs = &self.inputs;
        let output = self.output.get_or_insert_with(|| {
            let mut text = join(inputs);
            text.push(0);
            text.into_boxed_slice()
        });
        Ok(output)
    }
}

/// One text from several: the first one's header serves all.
fn join(inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut joined = inputs.first().cloned().unwrap_or_default();
    for input in inputs.iter().skip(1) {
        joined.push(b'\n');
        for line in input.split_inclusive(|byte| *byte == b'\n') {
            let start = line.trim_ascii_start();
            let header = [&b".version"[..], b".target", b".address_size"]
                .iter()
                .any(|word| start.starts_with(word));
            if !header {
                joined.extend_from_slice(line);
            }
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_share_one_header() {
        let first =
            b".version 8.0\n.target sm_80\n.address_size 64\n.entry a() { ret; }\n".to_vec();
        let second =
            b".version 7.0\n  .target sm_70\n.address_size 64\n.entry b() { ret; }".to_vec();
        let joined = ".version 8.0\n.target sm_80\n.address_size 64\n.entry a() { ret; }\n\n.entry b() { ret; }";
        assert_eq!(join(&[first, second]), joined.as_bytes());
    }

    #[test]
    fn results_end_with_nul_and_stay() {
        let mut state = State::default();
        assert_eq!(state.complete(), Err(CUerror::INVALID_VALUE));
        state.add(b".version 8.0".to_vec()).unwrap();
        let address = state.complete().unwrap().as_ptr();
        let again = state.complete().unwrap();
        assert_eq!((again.as_ptr(), again), (address, &b".version 8.0\0"[..]));
        assert_eq!(state.add(Vec::new()), Err(CUerror::INVALID_HANDLE));
    }
}
