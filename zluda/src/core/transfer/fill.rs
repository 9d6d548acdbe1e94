//! Fills of memory, in one and two dimensions.

use crate::core::memory::virtual_memory::check_writable;
use crate::core::memory::{Rules, check_accessible, check_range_by};
use crate::core::stream::Target;
use cuda_types::cuda::{CUerror, CUres};
use std::ffi::c_void;

/// The values that memory is filled with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fill {
    D8(u8),
    D16(u16),
    D32(u32),
}

impl Fill {
    fn size(self) -> usize {
        match self {
            Fill::D8(_) => 1,
            Fill::D16(_) => 2,
            Fill::D32(_) => 4,
        }
    }

    /// As `CUDA_MEMSET_NODE_PARAMS` says it: the element's size, and its value.
    pub(crate) fn of_element(size: u32, value: u32) -> CUres<Fill> {
        match size {
            1 => Ok(Fill::D8(value as u8)),
            2 => Ok(Fill::D16(value as u16)),
            4 => Ok(Fill::D32(value)),
            _ => Err(CUerror::INVALID_VALUE),
        }
    }

    /// The size of an element in bytes, and its value.
    pub(crate) fn element(self) -> (u32, u32) {
        match self {
            Fill::D8(value) => (1, value.into()),
            Fill::D16(value) => (2, value.into()),
            Fill::D32(value) => (4, value),
        }
    }

    /// `INVALID_VALUE` where an address is not a multiple of the element, or the range is no memory of
    /// the device.
    pub(crate) fn check(
        self,
        address: u64,
        pitch: usize,
        width: usize,
        height: usize,
        rules: Rules,
    ) -> CUres {
        let size = self.check_shape(address, pitch, width, height)?;
        if size == 0 {
            return Ok(());
        }
        check_range_by(rules, address, size)?;
        check_writable(address, size)
    }

    /// The bytes from the first to behind the last that is filled; `INVALID_VALUE` where an address is not a multiple of
    /// the element, or rows overlap.
    pub(crate) fn check_shape(
        self,
        address: u64,
        pitch: usize,
        width: usize,
        height: usize,
    ) -> CUres<usize> {
        let element = self.size();
        if !address.is_multiple_of(element as u64) || (height > 1 && !pitch.is_multiple_of(element))
        {
            return Err(CUerror::INVALID_VALUE);
        }
        if width == 0 || height == 0 {
            return Ok(0);
        }
        let row = width.checked_mul(element).ok_or(CUerror::INVALID_VALUE)?;
        if height > 1 && pitch < row {
            return Err(CUerror::INVALID_VALUE);
        }
        let size = pitch.checked_mul(height - 1).and_then(|rows| rows.checked_add(row));
        size.ok_or(CUerror::INVALID_VALUE)
    }

    /// Puts a fill of `height` rows of `width` elements, `pitch` bytes apart, into a stream.
    ///
    /// `INVALID_VALUE` where an address is not a multiple of the element, or the range is no memory of
    /// the device.
    pub(crate) fn put(
        self,
        stream: &Target,
        address: u64,
        pitch: usize,
        width: usize,
        height: usize,
    ) -> CUres {
        self.check(address, pitch, width, height, Rules::Now)?;
        check_accessible(&stream.current.context, address)?;
        if width == 0 || height == 0 {
            return Ok(());
        }
        let row = width * self.size();
        // Rows without gaps are one.
        let (width, height) = if pitch == row { (width * height, 1) } else { (width, height) };
        for y in 0..height {
            let start = (address + (y * pitch) as u64) as *mut c_void;
            let hip = &stream.current.driver.hip;
            // SAFETY: the range has been checked, the stream too.
            stream.current.check(unsafe {
                match self {
                    Fill::D8(value) => hip.hipMemsetD8Async(start, value, width, stream.hip),
                    Fill::D16(value) => hip.hipMemsetD16Async(start, value, width, stream.hip),
                    Fill::D32(value) => {
                        hip.hipMemsetD32Async(start, value as i32, width, stream.hip)
                    }
                }
            })?;
        }
        Ok(())
    }
}
