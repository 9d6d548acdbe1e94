//! Options of the just-in-time compiler: of all that there are, the logs matter here.

use cuda_types::cuda::{CUerror, CUjit_option, CUres};
use std::ffi::c_void;

/// A program's log buffers, and the options that say where their sizes are.
#[derive(Debug, Default)]
pub(crate) struct JitOptions {
    info: Buffer,
    error: Buffer,
    /// The slot for the value of `CU_JIT_WALL_TIME`.
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
    /// The length that the program has been told.
    told: Option<usize>,
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

    /// Stores the lengths of the logs where the sizes of their buffers were, and the time that it took. What has been
    /// stored is not stored again: `cuda.core` has given the values' memory back when it completes a link.
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
    fn finish(&mut self) {
        let filled = if self.cut && self.written > 0 { self.size } else { self.written };
        if self.told.replace(filled) == Some(filled) {
            return;
        }
        if let Some(Slot(slot)) = self.size_value {
            // SAFETY: the option's value.
            unsafe { (slot as *mut usize).write_unaligned(filled) }
        }
        if self.text != 0 && self.size != 0 && self.written == 0 {
            // SAFETY: the buffer has at least one byte.
            unsafe { (self.text as *mut u8).write(0) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The buffer and the size after a log of 30 characters went into a buffer of `size`.
    fn logged(size: usize) -> (Vec<u8>, usize) {
        let mut buffer = vec![0x5a_u8; size + 8];
        let options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values = [buffer.as_mut_ptr().cast::<c_void>(), size as *mut c_void];
        // SAFETY: two options, and a buffer that is larger than they say.
        let mut read =
            unsafe { JitOptions::read(2, options.as_ptr(), values.as_mut_ptr()) }.unwrap();
        read.log_error("0123456789\n");
        read.log_error("");
        read.log_error("abcdefghijklmnopqrs");
        read.finish();
        (buffer, values[1] as usize)
    }

    /// The answers of an H100: tests/differential/answers/h100.modules/logs.txt.
    #[test]
    fn logs_are_cut_and_their_sizes_written_back() {
        let whole = b"0123456789\nabcdefghijklmnopqrs\0";
        assert_eq!(logged(64).1, 30);
        assert_eq!(logged(64).0[..31], *whole);
        assert_eq!(logged(31).1, 30);
        let (buffer, size) = logged(20);
        assert_eq!(size, 20);
        assert_eq!(buffer[..19], whole[..19]);
        assert_eq!(buffer[19..], [0, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a]);
        let (buffer, size) = logged(1);
        assert_eq!((size, &buffer[..2]), (0, &[0, 0x5a][..]));
        assert_eq!(logged(0), (vec![0x5a; 8], 0));
    }

    #[test]
    fn what_has_been_stored_is_not_stored_again() {
        let mut buffer = [0x5a_u8; 32];
        let options =
            [CUjit_option::CU_JIT_INFO_LOG_BUFFER, CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES];
        let mut values = [buffer.as_mut_ptr().cast::<c_void>(), 32 as *mut c_void];
        // SAFETY: two options, and a buffer of that size.
        let mut read =
            unsafe { JitOptions::read(2, options.as_ptr(), values.as_mut_ptr()) }.unwrap();
        for (text, before, after) in [("", 77, 0), ("", 78, 78), ("abc", 79, 3), ("", 80, 80)] {
            values[1] = before as *mut c_void;
            read.log_info(text);
            read.finish();
            assert_eq!(values[1] as usize, after);
        }
        assert_eq!(buffer[..4], *b"abc\0");
    }

    #[test]
    fn options_that_make_no_sense_are_told() {
        let read = |option: u32, value: usize| {
            let mut value = value as *mut c_void;
            // SAFETY: one option, which is no buffer.
            unsafe { JitOptions::read(1, &CUjit_option(option), &mut value) }.map(drop)
        };
        // The numbers of the options, with the answers of an H100.
        for (option, value, good) in [
            (0, 32, true),
            (5, 0, false),
            (6, 4096, false),
            (7, 5, true),
            (9, 90, true),
            (9, 12345, false),
            (14, 7, false),
            (99, 1, false),
            (u32::MAX, 1, false),
        ] {
            assert_eq!(read(option, value).is_ok(), good, "{option} = {value}");
        }
    }
}
