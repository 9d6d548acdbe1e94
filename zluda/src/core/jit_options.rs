//! Options of the just-in-time compiler: of all that there are, the logs matter here.

use cuda_types::cuda::{CUerror, CUjit_option, CUres};
use std::ffi::c_void;

/// A program's log buffers, and the options that say where their sizes are.
#[derive(Debug, Default)]
pub(crate) struct JitOptions {
    info: Buffer,
    error: Buffer,
    /// Where `CU_JIT_WALL_TIME` goes.
    wall_time: Option<Slot>,
    begun: Option<std::time::Instant>,
}

#[derive(Debug, Default)]
struct Buffer {
    /// The option is there, whatever its value.
    given: bool,
    text: usize,
    size: usize,
    /// The value of the size option, which becomes the length of the log.
    size_value: Option<Slot>,
    written: usize,
    /// There was more than fits.
    cut: bool,
}

/// There are fewer options than this. A program that passes more has passed a wrong count.
const MOST_OPTIONS: u32 = 256;

/// The values of `CU_JIT_TARGET`, without the bits above for features of one architecture or family.
const TARGETS: [u16; 25] = [
    30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110,
    120, 121,
];

/// `CU_JIT_CACHE_OPTION_CA`, the last of the cache modes.
const MOST_CACHE_MODE: u32 = 2;

/// The address of an option's value.
#[derive(Clone, Copy, Debug)]
struct Slot(usize);

impl JitOptions {
    /// Reads `count` options; `INVALID_VALUE` for arrays that are not there or too long, and for
    /// options that do not exist.
    ///
    /// # Safety
    /// The arrays have `count` elements, the buffers the sizes that the options say, and all stay as long
    /// as the result is used.
    pub(crate) unsafe fn read(
        count: u32,
        options: *const CUjit_option,
        values: *mut *mut c_void,
    ) -> CUres<JitOptions> {
        let mut read =
            JitOptions { begun: Some(std::time::Instant::now()), ..JitOptions::default() };
        if count > MOST_OPTIONS || (count != 0 && (options.is_null() || values.is_null())) {
            return Err(CUerror::INVALID_VALUE);
        }
        for i in 0..count as usize {
            // SAFETY: the caller says that the arrays have `count` elements.
            let (option, slot) = unsafe { (options.add(i).read_unaligned(), values.add(i)) };
            // SAFETY: as above.
            let value = unsafe { slot.read_unaligned() } as usize;
            match option {
                CUjit_option::CU_JIT_INFO_LOG_BUFFER => {
                    (read.info.text, read.info.given) = (value, true);
                }
                CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES => {
                    read.info.size = value as u32 as usize;
                    read.info.size_value = Some(Slot(slot as usize));
                }
                CUjit_option::CU_JIT_ERROR_LOG_BUFFER => {
                    (read.error.text, read.error.given) = (value, true);
                }
                CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES => {
                    read.error.size = value as u32 as usize;
                    read.error.size_value = Some(Slot(slot as usize));
                }
                CUjit_option::CU_JIT_TARGET if !TARGETS.contains(&(value as u16)) => {
                    return Err(CUerror::INVALID_VALUE);
                }
                CUjit_option::CU_JIT_CACHE_MODE if value as u32 > MOST_CACHE_MODE => {
                    return Err(CUerror::INVALID_VALUE);
                }
                CUjit_option::CU_JIT_WALL_TIME => read.wall_time = Some(Slot(slot as usize)),
                CUjit_option(option) if option < CUjit_option::CU_JIT_NUM_OPTIONS.0 => {}
                _ => return Err(CUerror::INVALID_VALUE),
            }
        }
        // NVIDIA's driver takes a buffer and its size only together.
        for buffer in [&read.info, &read.error] {
            if buffer.given != buffer.size_value.is_some() {
                return Err(CUerror::INVALID_VALUE);
            }
        }
        Ok(read)
    }

    /// Adds to the program's log of errors.
    pub(crate) fn log_error(&mut self, text: &str) {
        self.error.append(text);
    }

    /// Adds to the program's log of what is worth knowing.
    pub(crate) fn log_info(&mut self, text: &str) {
        self.info.append(text);
    }

    /// Stores the lengths of the logs where the sizes of their buffers were, and the time that it took.
    pub(crate) fn finish(&mut self) {
        self.info.finish();
        self.error.finish();
        if let (Some(Slot(slot)), Some(begun)) = (self.wall_time, self.begun) {
            // SAFETY: the option's value, which holds a float at its beginning.
            unsafe { (slot as *mut f32).write_unaligned(begun.elapsed().as_secs_f32() * 1000.0) }
        }
    }
}

impl Buffer {
    /// Adds a text: another line, where there is one already.
    fn append(&mut self, text: &str) {
        let text = text.trim_end();
        if self.text == 0 || self.size == 0 || text.is_empty() {
            return;
        }
        if self.written != 0 {
            self.write("\n");
        }
        self.write(text);
    }

    fn write(&mut self, text: &str) {
        let room = self.size.saturating_sub(self.written + 1);
        self.cut |= text.len() > room;
        let bytes = &text.as_bytes()[..text.len().min(room)];
        let end = self.text + self.written;
        // SAFETY: the program gave a buffer of `size` bytes; what is written ends before it does.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), end as *mut u8, bytes.len());
            ((end + bytes.len()) as *mut u8).write(0);
        }
        self.written += bytes.len();
    }

    /// "On output, option value corresponds to the amount of log space that was filled with messages": the
    /// NUL at the end counts only where the log was cut, and not in a buffer for it alone.
    fn finish(&self) {
        if let Some(Slot(slot)) = self.size_value {
            let filled = if self.cut && self.written > 0 { self.size } else { self.written };
            // SAFETY: the option's value.
            unsafe { (slot as *mut usize).write_unaligned(filled) }
        }
        if self.text != 0 && self.size != 0 && self.written == 0 {
            // SAFETY: the buffer has at least one byte.
            unsafe { (self.text as *mut u8).write(0) }
        }
    }
}
