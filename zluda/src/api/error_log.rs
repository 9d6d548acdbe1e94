//! The error log.

use crate::convert::{In, Out, Text};
use crate::core::tools::error_log;
use cuda_types::cuda::{CUerror, CUlogIterator, CUlogsCallback, CUlogsCallbackHandle, CUres};
use std::ffi::{c_char, c_uint, c_void};

pub(crate) fn cuLogsRegisterCallback(
    function: CUlogsCallback,
    data: *mut c_void,
    handle: Out<CUlogsCallbackHandle>,
) -> CUres {
    if function.is_none() {
        return Err(CUerror::INVALID_VALUE);
    }
    // An H100 lets programs go without the handle.
    handle.set_if_wanted(error_log::listen(function, data)? as CUlogsCallbackHandle);
    Ok(())
}

pub(crate) fn cuLogsUnregisterCallback(handle: CUlogsCallbackHandle) -> CUres {
    error_log::stop_listening(handle as u64)
}

pub(crate) fn cuLogsCurrent(iterator: Out<CUlogIterator>, _flags: c_uint) -> CUres {
    iterator.set(error_log::end()?)
}

/// The lines from an iterator on, or all; the iterator is moved to the end.
fn lines(iterator: *mut CUlogIterator) -> CUres<Vec<String>> {
    let (lines, end) = error_log::lines(In::of(iterator.cast_const()).optional())?;
    Out::of(iterator).set_if_wanted(end);
    Ok(lines)
}

pub(crate) fn cuLogsDumpToFile(
    iterator: *mut CUlogIterator,
    path: Text<'_>,
    _flags: c_uint,
) -> CUres {
    let path = path.get()?.to_str().map_err(|_| CUerror::INVALID_VALUE)?;
    let text = lines(iterator)?.concat();
    std::fs::write(path, text).map_err(|_| CUerror::INVALID_VALUE)
}

/// "size: Size of the buffer", on return the number of bytes without the final NUL. What does not fit is missing, and the
/// first line says so.
pub(crate) fn cuLogsDumpToMemory(
    iterator: *mut CUlogIterator,
    buffer: Out<c_char>,
    size: *mut usize,
    flags: c_uint,
) -> CUres {
    const MISSING: &str = "The provided buffer is not large enough to hold all messages. Some messages will be missing\n";
    buffer.check()?;
    let room = In::of(size.cast_const()).get()?;
    let written = Out::of(size);
    if flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    written.set(0)?;
    let lines = lines(iterator)?;
    let mut text = lines.concat();
    if text.len() >= room {
        // The newest lines that fit behind the first one.
        let mut left = room.checked_sub(MISSING.len() + 1).ok_or(CUerror::INVALID_VALUE)?;
        let fits = |line: &&String| match left.checked_sub(line.len()) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        };
        let mut newest: Vec<_> = lines.iter().rev().take_while(fits).map(String::as_str).collect();
        newest.push(MISSING);
        newest.reverse();
        text = newest.concat();
    }
    buffer.set_text(text.as_bytes(), room);
    written.set(text.len())
}
