//! Transforms on this machine's processor.

use super::device::driver;
use cuda_types::cuda::{CUerror, CUstream};
use cuda_types::cufft::{CufftResult, cufftError};
use fourier::{Descriptor, DescriptorError, Direction, Transform};
use zluda_api::driver::{Failures, compute, threads};

/// A transform of memory that is this machine's.
pub(crate) struct Plan(Transform);

impl Plan {
    pub(crate) fn new(descriptor: Descriptor) -> CufftResult<Plan> {
        let transform = Transform::new(descriptor, threads()).map_err(|error| match error {
            DescriptorError::Dimensions => cufftError::INVALID_VALUE,
            DescriptorError::Empty => cufftError::INVALID_SIZE,
            DescriptorError::TooLarge => cufftError::ALLOC_FAILED,
        })?;
        // The way that most programs go; others are planned when they are first taken.
        transform.prepare(Direction::Forward, false);
        Ok(Plan(transform))
    }

    pub(crate) fn descriptor(&self) -> &Descriptor {
        self.0.descriptor()
    }

    /// Puts a transform into a stream, a task for each of its stages.
    pub(crate) fn exec(
        &self,
        stream: CUstream,
        direction: Direction,
        input: usize,
        output: usize,
    ) -> CufftResult {
        let driver = driver()?;
        let work = self.0.work(direction, input, output);
        for stage in 0..work.stages() {
            let put = || {
                let (work, parts) = (work.clone(), work.parts(stage));
                compute(driver, stream, parts, move |part| {
                    // SAFETY: the program gave memory for the plan's layout; stages are in the order of the stream, and each
                    // part is done once.
                    unsafe { work.run(stage, part) };
                })
            };
            match put() {
                Err(CUerror::INVALID_CONTEXT) => {
                    driver.current_context().map_err(|error| EXEC.call(error))?;
                    put().map_err(|error| EXEC.call(error))?;
                }
                result => result.map_err(|error| EXEC.call(error))?,
            }
        }
        Ok(())
    }
}

/// While a transform is put into a stream.
const EXEC: Failures<cufftError> = Failures::all(cufftError::EXEC_FAILED);
