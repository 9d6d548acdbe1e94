//! One module: loaded, and its kernel run by 64 threads.

use std::ffi::{CString, c_void};
use std::fmt::Write;
use std::ptr::null_mut;

use cuda_types::cuda::*;
use differential::api::Api;

use crate::answer::Answer;
use crate::case::Case;
use crate::grid::Dialect;

const THREADS: usize = 64;
/// Words of each thread: results in the first 8, operands in the others.
const WORDS: usize = 16;
const RESULTS: usize = 8;
const CUDA_ERROR_NOT_FOUND: i64 = 500;

pub struct Device<'a> {
    api: &'a Api,
    memory: CUdeviceptr,
    operands: Vec<u32>,
}

/// Bits of numbers at the edges of what single precision, integers and half precision have.
const EDGES: [u32; 24] = [
    0x0000_0000,
    0x8000_0000,
    0x3F80_0000,
    0xBFC0_0000,
    0x0000_0001,
    0x8000_0003,
    0x007F_FFFF,
    0x0080_0000,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0x7F80_0001,
    0xFFC1_2345,
    0x4049_0FDB,
    0x1F12_3456,
    0x9F65_4321,
    0x4B7F_FFFF,
    0x4F00_0000,
    0xFFFF_FFFF,
    0x0001_0000,
    0x0000_0020,
    0x3EAA_AAAB,
];

/// The operands of each thread, in its last words.
fn operands() -> Vec<u32> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut words = vec![0; THREADS * WORDS];
    for (thread, words) in words.chunks_mut(WORDS).enumerate() {
        for (place, word) in words[RESULTS..].iter_mut().enumerate() {
            let number = random();
            *word = match number >> 61 {
                // Numbers near 1, integers, and anything.
                0 => 0x3F00_0000 + (number as u32 >> 7),
                1 => number as u32 & 0xFF,
                2 => number as u32,
                _ => EDGES[(number as usize >> 8) % EDGES.len()],
            };
            if place == 0 && thread < EDGES.len() {
                *word = EDGES[thread];
            }
        }
    }
    words
}

impl<'a> Device<'a> {
    /// The primary context of device 0, current.
    pub fn new(api: &'a Api) -> Self {
        let (mut context, mut memory) = (null_mut(), 0);
        assert_eq!(api.cuInit(0), 0);
        assert_eq!(api.cuDevicePrimaryCtxRetain(&mut context, 0), 0);
        assert_eq!(api.cuCtxSetCurrent(context), 0);
        assert_eq!(api.cuMemAlloc_v2(&mut memory, THREADS * WORDS * 4), 0);
        Device { api, memory, operands: operands() }
    }

    /// The library's answer, and whether nothing can be asked of it any more.
    pub fn ask(&self, case: &Case, dialect: &Dialect) -> (Answer, bool) {
        let source = CString::new(case.text(dialect)).unwrap();
        let mut log = vec![0_u8; 4096];
        let mut keys = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), log.len() as *mut c_void];
        let mut module = null_mut();
        let code = self.api.cuModuleLoadDataEx(
            &mut module,
            source.as_ptr().cast(),
            keys.len() as u32,
            keys.as_mut_ptr(),
            values.as_mut_ptr(),
        );
        let mut answer =
            Answer { code: code.to_string(), output: "-".to_owned(), remark: remark(&log) };
        if code != 0 {
            return (answer, false);
        }
        answer.remark.clear();
        let (mut function, mut spoilt) = (null_mut(), false);
        let code = self.api.cuModuleGetFunction(&mut function, module, c"k".as_ptr());
        if code == CUDA_ERROR_NOT_FOUND {
            // No kernel is asked for.
        } else if code != 0 {
            answer.output = format!("get:{code}");
        } else if case.runs_in(dialect) {
            (answer.output, spoilt) = self.run(function);
        }
        let _ = self.api.cuModuleUnload(module);
        (answer, spoilt)
    }

    fn run(&self, function: CUfunction) -> (String, bool) {
        let (api, mut memory) = (self.api, self.memory);
        let mut words = self.operands.clone();
        let size = size_of_val(&words[..]);
        assert_eq!(api.cuMemcpyHtoD_v2(memory, words.as_ptr().cast(), size), 0);
        // Some kernels have more parameters, which nobody looks at.
        let mut others = [0_u64; 64];
        let mut parameters: [*mut c_void; 4] = [(&raw mut others).cast(); 4];
        parameters[0] = (&raw mut memory).cast();
        let (threads, shared) = (THREADS as u32, 1024);
        let parameters = parameters.as_mut_ptr();
        let code = api.cuLaunchKernel(
            function,
            1,
            1,
            1,
            threads,
            1,
            1,
            shared,
            null_mut(),
            parameters,
            null_mut(),
        );
        let code = if code == 0 {
            api.cuCtxSynchronize()
        } else {
            return (format!("launch:{code}"), false);
        };
        if code != 0 {
            return (format!("run:{code}"), true);
        }
        assert_eq!(api.cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), memory, size), 0);
        (columns(&words), false)
    }
}

/// The results, word by word of all threads, without words that are 0 in all of them.
fn columns(words: &[u32]) -> String {
    let mut text = String::new();
    for column in 0..RESULTS {
        let all = || words.chunks(WORDS).map(|thread| thread[column]);
        if all().any(|word| word != 0) {
            let _ = write!(text, "{column}:");
            all().for_each(|word| {
                let _ = write!(text, "{word:08x}");
            });
        }
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// The first error of a log, without its line and the words that all have.
fn remark(log: &[u8]) -> String {
    let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
    let text = String::from_utf8_lossy(&log[..end]).into_owned();
    let line = text.lines().find(|line| line.contains("error") || line.contains("fatal"));
    let line = line.or(text.lines().next()).unwrap_or_default();
    let words = line.find("error   : ").or(line.find("fatal   : "));
    line[words.map_or(0, |at| at + 10)..].trim().to_owned()
}
