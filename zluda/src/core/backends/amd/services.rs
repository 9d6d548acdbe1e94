//! Services of the host for kernels on AMD GPUs: printing, memory, and reports of what went wrong.
//!
//! A context has a block of host memory that its kernels see ([`amd_abi::services`]). The driver looks at it where
//! CUDA prints and tells errors: where it synchronises.

use crate::core::device::backend::{self, DeviceContext};
use crate::core::error::check;
use amd_abi::services::{HEAP_HEADER, RING_OFFSET, RecordKind, ServiceError, Services};
use cuda_types::cuda::{CUerror, CUlimit, CUres};
use hip_runtime_sys::{
    HipRuntime, hipHostMallocCoherent, hipHostMallocMapped, hipHostMallocPortable,
};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Bytes of the ring, whatever the program asks for.
const SMALLEST_RING: usize = 1 << 12;
const LARGEST_RING: usize = 1 << 30;

/// The block of a context, from its first launch on.
#[derive(Debug)]
struct Block {
    hip: &'static HipRuntime,
    /// As this process sees it.
    host: *mut Services,
    /// As kernels see it.
    device: u64,
    ring_bytes: u64,
    /// Held by the thread that takes records out.
    reader: Mutex<()>,
}

// SAFETY: what lies at the address is used through atomics, or by the one who has the lock.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: the provider allocated it; the context's kernels have ended.
        let _ = unsafe { self.hip.hipHostFree(self.host.cast()) };
    }
}

impl Block {
    /// With the limits that the context has now.
    fn new(context: &dyn DeviceContext) -> CUres<Block> {
        let limit = |limit| context.limit(limit);
        let ring = limit(CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE)?.clamp(SMALLEST_RING, LARGEST_RING);
        let ring = ring.next_power_of_two();
        let heap_bytes = limit(CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE)?.max(HEAP_HEADER);
        let heap = context.allocate(heap_bytes, &[0; HEAP_HEADER])?;
        let hip = &context.driver().hip;
        let mut host: *mut c_void = null_mut();
        let flags = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent;
        // SAFETY: `host` outlives the call.
        context.check(unsafe { hip.hipHostMalloc(&mut host, RING_OFFSET + ring, flags) })?;
        let mut device: *mut c_void = null_mut();
        // SAFETY: `device` outlives the call.
        let device = match check(unsafe { hip.hipHostGetDevicePointer(&mut device, host, 0) }) {
            Ok(()) if !device.is_null() => device,
            _ => host,
        };
        let services = Services {
            error: 0,
            reserved: 0,
            ring_bytes: ring as u64,
            ring_written: 0,
            ring_read: 0,
            heap,
            heap_bytes: heap_bytes as u64,
        };
        // SAFETY: no kernel knows the memory yet, which has room for both.
        unsafe {
            host.cast::<u8>().write_bytes(0, RING_OFFSET + ring);
            host.cast::<Services>().write(services);
        }
        Ok(Block {
            hip,
            host: host.cast(),
            device: device as u64,
            ring_bytes: ring as u64,
            reader: Mutex::new(()),
        })
    }

    /// The value of the hidden parameter.
    fn address(&self) -> u64 {
        self.device
    }

    /// The error that a kernel has left.
    fn error(&self) -> CUres {
        // SAFETY: the block lives as long as `self`; kernels change the word atomically.
        let number = unsafe { AtomicU32::from_ptr(&raw mut (*self.host).error) };
        match ServiceError::from_number(number.load(Ordering::Acquire)) {
            None => Ok(()),
            Some(ServiceError::Trap) => Err(CUerror::LAUNCH_FAILED),
            Some(ServiceError::Assert) => Err(CUerror::ASSERT),
            Some(ServiceError::IllegalAddress) => Err(CUerror::ILLEGAL_ADDRESS),
            Some(ServiceError::Misaligned) => Err(CUerror::MISALIGNED_ADDRESS),
            Some(ServiceError::IllegalInstruction) => Err(CUerror::ILLEGAL_INSTRUCTION),
        }
    }

    /// Prints what kernels have left so far.
    fn drain(&self) {
        let _reader = self.reader.lock();
        // SAFETY: as in `error`; only the reader changes this word.
        let (written, read) = unsafe {
            (
                AtomicU64::from_ptr(&raw mut (*self.host).ring_written),
                AtomicU64::from_ptr(&raw mut (*self.host).ring_read),
            )
        };
        let mut at = read.load(Ordering::Relaxed);
        let mut printed = false;
        while at != written.load(Ordering::Acquire) {
            let header = self.word(at).load(Ordering::Acquire);
            let bytes = header & u64::from(u32::MAX);
            // A kernel is still at it.
            if bytes < 8 || bytes > self.ring_bytes {
                break;
            }
            let words = (at + 8..at + bytes).step_by(8).map(|at| self.word(at));
            let content: Vec<u64> = words.map(|word| word.load(Ordering::Relaxed)).collect();
            (at..at + bytes).step_by(8).for_each(|at| self.word(at).store(0, Ordering::Relaxed));
            at += bytes;
            read.store(at, Ordering::Release);
            show(header >> 32, &content);
            printed = true;
        }
        if printed {
            flush();
        }
    }

    /// The word at this byte of all that was ever written.
    fn word(&self, at: u64) -> &AtomicU64 {
        let offset = RING_OFFSET as u64 + at % self.ring_bytes;
        // SAFETY: the ring lies behind the block and has so many bytes.
        unsafe { AtomicU64::from_ptr(self.host.cast::<u8>().add(offset as usize).cast()) }
    }
}

/// Nothing is said of records that are not what they should be: a kernel may write anywhere.
fn show(kind: u64, content: &[u64]) {
    if kind == RecordKind::Printf as u64 {
        print(content);
    } else if kind == RecordKind::Assert as u64 {
        tell_assertion(content);
    }
}

fn halves(word: u64) -> [usize; 2] {
    [word as u32 as usize, (word >> 32) as usize]
}

fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[cfg(target_os = "linux")]
fn print(content: &[u64]) {
    use zluda_common::printf;
    let Some((&lengths, rest)) = content.split_first() else { return };
    let [format_bytes, argument_bytes] = halves(lengths);
    let format_words = format_bytes.div_ceil(8);
    let string_words = format_words.saturating_add(argument_bytes.div_ceil(8));
    let Some(strings) = rest.get(string_words..) else { return };
    let format = bytes_of(&rest[..format_words]);
    let format = &format[..format_bytes.min(format.len())];
    let mut arguments = rest[format_words..string_words].to_vec();
    let (places, bytes) = printf::string_places(format);
    if bytes != argument_bytes {
        return;
    }
    let strings = bytes_of(strings);
    let mut at = 0;
    for place in places {
        let word = &mut arguments[place / 8];
        let Some(string) = strings.get(at..) else { return };
        let Some(length) = string.iter().position(|byte| *byte == 0) else { return };
        if *word != 0 {
            *word = string.as_ptr() as u64;
        }
        at += length + 1;
    }
    // SAFETY: the arguments are what the format names, the strings end and live.
    unsafe { printf::print(format, arguments.as_ptr().cast()) };
}

#[cfg(target_os = "linux")]
fn flush() {
    zluda_common::printf::flush();
}

#[cfg(not(target_os = "linux"))]
fn print(_content: &[u64]) {
    tracing::warn!("unsupported: printf of kernels, on this system");
}

#[cfg(not(target_os = "linux"))]
fn flush() {}

fn tell_assertion(content: &[u64]) {
    use std::io::Write;
    let Some((numbers, strings)) = content.split_at_checked(4) else { return };
    let strings = bytes_of(strings);
    let mut texts = strings.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let mut text = || texts.next().unwrap_or_default();
    let (file, function, message) = (text(), text(), text());
    let [[line, x], [y, z], [tx, ty], [tz, _]] = [0, 1, 2, 3].map(|i| halves(numbers[i]));
    // Nothing can be done about a standard error stream that is closed.
    let _ = writeln!(
        std::io::stderr(),
        "{file}:{line}: {function}: block: [{x},{y},{z}], thread: [{tx},{ty},{tz}] Assertion `{message}` failed."
    );
}

/// A context's block, which the first launch makes.
#[derive(Debug, Default)]
pub(super) struct Slot(Mutex<Option<Block>>, OnceLock<()>);

impl backend::Services for Slot {
    fn address(&self, context: &dyn DeviceContext) -> CUres<u64> {
        if let Some(block) = self.0.lock().as_ref() {
            return Ok(block.address());
        }
        // Without the lock here: to allocate takes the context's own, which others hold while they ask for errors. As long as
        // one that came second is freed, too.
        let made = Block::new(context)?;
        let mut slot = self.0.lock();
        if let Some(first) = slot.as_ref() {
            return Ok(first.address());
        }
        let address = made.address();
        *slot = Some(made);
        let _ = self.1.set(());
        Ok(address)
    }

    fn error(&self) -> CUres {
        // A context whose kernels have not run yet has none.
        if self.1.get().is_none() {
            return Ok(());
        }
        self.0.lock().as_ref().map_or(Ok(()), Block::error)
    }

    fn settle(&self) -> CUres {
        if self.1.get().is_none() {
            return Ok(());
        }
        let slot = self.0.lock();
        let Some(block) = slot.as_ref() else { return Ok(()) };
        block.drain();
        block.error()
    }

    fn end(&self) {
        let _ = self.settle();
        // Freed without the lock.
        let block = self.0.lock().take();
        drop(block);
    }
}
