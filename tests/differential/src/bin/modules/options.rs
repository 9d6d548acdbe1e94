//! Options of the just-in-time compiler, with what comes back through them.

use std::ffi::c_void;
use std::fmt::Write;

use cuda_types::cuda::*;

use crate::case::Setting;

/// The contents of buffers before a call, to see how much of them is written.
const UNTOUCHED: u8 = 0x5a;

pub struct Options {
    pub keys: Vec<CUjit_option>,
    pub values: Vec<*mut c_void>,
    /// The log buffers, with more room than the options say, and the names they are printed by.
    buffers: Vec<(&'static str, Vec<u8>)>,
    /// Places in `values` that calls write to.
    results: Vec<(&'static str, usize)>,
}

impl Options {
    /// The options of these settings; buffers are filled with [`UNTOUCHED`].
    pub fn new(settings: &[Setting]) -> Self {
        let mut options = Options {
            keys: Vec::new(),
            values: Vec::new(),
            buffers: Vec::new(),
            results: Vec::new(),
        };
        for setting in settings {
            match *setting {
                Setting::ErrorBuffer(size) => {
                    options.buffer(CUjit_option::CU_JIT_ERROR_LOG_BUFFER, "error", size)
                }
                Setting::InfoBuffer(size) => {
                    options.buffer(CUjit_option::CU_JIT_INFO_LOG_BUFFER, "info", size)
                }
                Setting::ErrorSize(size) => {
                    options.results.push(("error-size", options.values.len()));
                    options.add(CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, size as i64);
                }
                Setting::InfoSize(size) => {
                    options.results.push(("info-size", options.values.len()));
                    options.add(CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, size as i64);
                }
                Setting::Verbose(value) => {
                    options.add(CUjit_option::CU_JIT_LOG_VERBOSE, value as i64)
                }
                Setting::WallTime => {
                    options.results.push(("wall-time", options.values.len()));
                    options.add(CUjit_option::CU_JIT_WALL_TIME, 0);
                }
                Setting::Other(key, value) => options.add(CUjit_option(key as u32), value),
            }
        }
        options
    }

    fn add(&mut self, key: CUjit_option, value: i64) {
        self.keys.push(key);
        self.values.push(value as usize as *mut c_void);
    }

    fn buffer(&mut self, key: CUjit_option, name: &'static str, size: usize) {
        let mut buffer = vec![UNTOUCHED; size + 64];
        self.add(key, buffer.as_mut_ptr() as i64);
        self.buffers.push((name, buffer));
    }

    /// The number of options.
    pub fn count(&self) -> u32 {
        self.keys.len() as u32
    }

    /// The sizes and logs, a line each.
    pub fn print(&self) -> String {
        let mut text = String::new();
        for (name, index) in &self.results {
            let value = self.values[*index] as usize;
            if *name == "wall-time" {
                // Only that a time was written, in milliseconds, can be compared.
                let time = f32::from_bits(value as u32);
                let _ = writeln!(text, "wall-time {}", u8::from(time > 0.0 && time < 60_000.0));
            } else {
                let _ = writeln!(text, "{name} {value}");
            }
        }
        for (name, buffer) in &self.buffers {
            let touched = buffer.iter().rposition(|byte| *byte != UNTOUCHED).map_or(0, |at| at + 1);
            let end = buffer.iter().position(|byte| *byte == 0);
            let length = end.unwrap_or(touched);
            let _ = writeln!(
                text,
                "{name} touched {touched}{}",
                if end.is_some() { "" } else { ", without a zero" }
            );
            for line in String::from_utf8_lossy(&buffer[..length]).lines() {
                let _ = writeln!(text, "{name}> {line}");
            }
        }
        text
    }
}
