//! Texture and surface instructions of vector code: its rows of words for [`texture`](super::texture), and errors for the
//! kernel.

use cpu_abi::{BlockContext, TextureOperation};
use hip_runtime_sys::hipError_t;

use super::block::Block;
use super::runtime::{DefaultState, MISALIGNED_ADDRESS, stop};
use super::texture::quick::Quick;
use super::texture::{Operands, Stop, operand_words, run};

/// See [`cpu_abi::Runtime::texture`].
///
/// # Safety
/// As there: a kernel passes its block and a buffer of the right size.
pub unsafe extern "sysv64" fn texture(
    block: *const BlockContext,
    warp: u32,
    mask: u32,
    number: u64,
    lanes: u32,
    words: *mut u32,
) {
    let _default = DefaultState::begin();
    let Some(operation) = TextureOperation::decode(number) else { return };
    let rows = operand_words(&operation);
    let lanes = lanes as usize;
    let mut quick = Quick::does(&operation).then(Quick::default);
    for lane in 0..lanes {
        if lanes > 1 && mask >> lane & 1 == 0 {
            continue;
        }
        // SAFETY: the buffer has rows for operands and for results.
        let place = |row: usize| unsafe { words.add(row * lanes + lane) };
        // SAFETY: as above.
        let sampled = quick
            .as_mut()
            .and_then(|quick| quick.sample(&operation, |row| unsafe { place(row).read() }));
        if let Some(results) = sampled {
            // SAFETY: as above.
            results
                .into_iter()
                .enumerate()
                .for_each(|(row, word)| unsafe { place(row).write(word) });
            continue;
        }
        // SAFETY: as above.
        let mut operands = Operands::new((0..rows).map(|row| unsafe { place(row).read() }));
        match run(number, &operation, &mut operands) {
            Ok(results) => {
                for (row, word) in results.into_iter().enumerate() {
                    // SAFETY: as above.
                    unsafe { place(row).write(word) };
                }
            }
            Err(error) => {
                // SAFETY: a kernel passes the context that it was called with.
                let block = unsafe { Block::of(block) };
                report(block, warp, &operation, &error);
                stop(block, code(&error));
                return;
            }
        }
    }
}

fn code(error: &Stop) -> hipError_t {
    match error {
        Stop::NoObject(_) => hipError_t::hipErrorLaunchFailure,
        Stop::Outside => hipError_t::hipErrorIllegalAddress,
        Stop::Misaligned => MISALIGNED_ADDRESS,
    }
}

fn report(block: &Block, warp: u32, operation: &TextureOperation, error: &Stop) {
    block.on_thread_stack(|| {
        let (kernel, ctaid) = (&block.launch().kernel.name, block.context().ctaid);
        let action = operation.action;
        match error {
            Stop::NoObject(handle) => tracing::error!(
                "kernel {kernel}: {action:?} of {handle:#x}, which is no such object, in block {ctaid:?}, warp {warp}"
            ),
            Stop::Outside => tracing::error!(
                "kernel {kernel}: {action:?} outside of a surface in block {ctaid:?}, warp {warp}"
            ),
            Stop::Misaligned => tracing::error!(
                "kernel {kernel}: {action:?} of a surface is not aligned in block {ctaid:?}, warp {warp}"
            ),
        }
    });
}
