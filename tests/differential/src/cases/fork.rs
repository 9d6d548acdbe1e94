//! What a child that was forked can do with the driver.

use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::Case;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

/// Forks; what a function answers in the child, and how the child ended. It ends as programs do, with exit handlers.
#[cfg(unix)]
pub fn in_child(questions: impl FnOnce() -> Answers) -> Answers {
    let mut ends = [0; 2];
    // SAFETY: the array has room for two descriptors.
    assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
    // SAFETY: a case has one thread of its own; what the driver's threads hold is what the case is about.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    let mut answers = [0_i64; 64];
    let room = answers.as_mut_ptr().cast();
    if child == 0 {
        let given = questions();
        // SAFETY: the answers are that long; the process ends here.
        unsafe {
            libc::write(ends[1], given.as_ptr().cast(), size_of_val(given.as_slice()));
            libc::exit(0);
        }
    }
    let mut status = -1;
    // SAFETY: the array has room for that many bytes; `status` outlives the call.
    let bytes = unsafe {
        libc::close(ends[1]);
        libc::waitpid(child, &mut status, 0);
        libc::read(ends[0], room, size_of::<[i64; 64]>())
    };
    let count = usize::try_from(bytes).expect("a pipe can be read") / size_of::<i64>();
    let mut answers = answers[..count].to_vec();
    answers.push(status.into());
    answers
}

/// Cases that ask for it are in `answers/not_on_windows.txt`.
#[cfg(windows)]
pub fn in_child(_questions: impl FnOnce() -> Answers) -> Answers {
    panic!("Windows does not fork")
}

/// Questions that need the driver, but no context.
fn begin(api: &Api) -> Answers {
    let (mut count, mut device) = (0, 0);
    vec![api.cuInit(0), api.cuDeviceGetCount(&mut count), api.cuDeviceGet(&mut device, 0)]
}

pub const CASES: &[Case] = &[
    ("fork/before_init", |api| in_child(|| begin(api))),
    ("fork/after_init", |api| {
        must(api.cuInit(0));
        in_child(|| begin(api))
    }),
    ("fork/with_context", |api| {
        let context = context(api);
        let memory = allocate(api, 64);
        let stream = stream(api);
        let mut answers = in_child(|| {
            let mut answers = begin(api);
            let (mut current, mut pointer, mut word, mut version) = (null_mut(), 0, 0_u32, 0);
            let mut function = null_mut();
            let name = c"cuMemAlloc";
            let mut text = std::ptr::null();
            answers.extend([
                api.cuDriverGetVersion(&mut version),
                api.cuGetErrorName(CUresult::CUDA_SUCCESS, &mut text),
                api.cuGetErrorString(CUresult::CUDA_SUCCESS, &mut text),
                api.cuGetProcAddress_v2(name.as_ptr(), &mut function, 12000, 0, null_mut()),
                api.cuCtxGetCurrent(&mut current),
                api.cuCtxSetCurrent(context),
                api.cuCtxPopCurrent_v2(&mut current),
                api.cuMemAlloc_v2(&mut pointer, 64),
                api.cuMemAlloc_v2(null_mut(), 0),
                api.cuMemFree_v2(memory),
                api.cuMemcpyDtoH_v2((&raw mut word).cast(), memory, 4),
                api.cuCtxSynchronize(),
                api.cuStreamSynchronize(null_mut()),
                api.cuDevicePrimaryCtxRetain(&mut current, 0),
                api.cuDevicePrimaryCtxRelease_v2(0),
                api.cuCtxCreate_v2(&mut current, 0, 0),
                api.cuCtxDestroy_v2(context),
            ]);
            answers
        });
        // The parent goes on.
        answers.extend([api.cuMemsetD8_v2(memory, 1, 64), api.cuStreamSynchronize(stream)]);
        answers
    }),
];
