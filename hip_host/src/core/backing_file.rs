//! Files that live in memory alone: what memory without an address lies in.
//!
//! Memory that other processes may get has a file of its own. All other memory shares one, since programs make more
//! pieces than a process may have files.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;

use hip_runtime_sys::hipError_t;
use parking_lot::Mutex;

use super::ranges::FreeRanges;

/// The name of the files, by which an import knows them: `/proc/self/fd` shows it.
const NAME: &std::ffi::CStr = c"zluda-device-memory";
/// The end of the shared file, which takes memory only where it is used.
const END: usize = 1 << 44;
/// Seals of files that other processes get: nobody makes them shorter behind the back of those who have mapped them.
const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

const OUT_OF_MEMORY: hipError_t = hipError_t::hipErrorOutOfMemory;
const INVALID: hipError_t = hipError_t::hipErrorInvalidValue;

/// A part of a file.
pub struct Piece {
    file: Arc<File>,
    pub offset: usize,
    pub size: usize,
    is_shared: bool,
}

/// The file of all pieces that no other process gets, how long it is, and what of it is free.
struct Common {
    file: Arc<File>,
    length: usize,
    free: FreeRanges,
}

static COMMON: Mutex<Option<Common>> = Mutex::new(None);

fn create() -> Result<File, hipError_t> {
    // SAFETY: the name ends with NUL.
    let fd =
        unsafe { libc::memfd_create(NAME.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    if fd < 0 {
        return Err(OUT_OF_MEMORY);
    }
    // SAFETY: a descriptor that was just made, which nobody else has.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(fd) }))
}

/// Makes a file at least as long, unless the process may not have such long ones: the system would end it.
fn lengthen(file: &File, length: usize) -> Result<(), hipError_t> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` outlives the call.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    if !known || (length as u64) > limit.rlim_cur {
        return Err(OUT_OF_MEMORY);
    }
    file.set_len(length as u64).map_err(|_| OUT_OF_MEMORY)
}

impl Piece {
    /// A part of the common file.
    pub fn of_common(size: usize) -> Result<Piece, hipError_t> {
        let mut common = COMMON.lock();
        let common = match &mut *common {
            Some(common) => common,
            none => none.insert(Common {
                file: Arc::new(create()?),
                length: 0,
                free: FreeRanges::new(0, END),
            }),
        };
        let offset = common.free.take(size).ok_or(OUT_OF_MEMORY)?;
        if offset + size > common.length {
            if let Err(error) = lengthen(&common.file, offset + size) {
                common.free.give(offset, size);
                return Err(error);
            }
            common.length = offset + size;
        }
        Ok(Piece { file: common.file.clone(), offset, size, is_shared: true })
    }

    /// A whole file.
    pub fn of_own(size: usize) -> Result<Piece, hipError_t> {
        let file = create()?;
        lengthen(&file, size)?;
        // SAFETY: has no preconditions.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, SEALS) } != 0 {
            return Err(OUT_OF_MEMORY);
        }
        Ok(Piece { file: Arc::new(file), offset: 0, size, is_shared: false })
    }

    /// The file behind a descriptor of another piece, of this process or another; `INVALID` for what is none.
    pub fn of_descriptor(fd: i32) -> Result<Piece, hipError_t> {
        let path = std::fs::read_link(format!("/proc/self/fd/{fd}")).map_err(|_| INVALID)?;
        let name = path.to_str().and_then(|path| path.strip_prefix("/memfd:")).ok_or(INVALID)?;
        if name.split(' ').next() != NAME.to_str().ok() {
            return Err(INVALID);
        }
        // SAFETY: the descriptor is open, or the link above would not have been there; if another thread closes it
        // meanwhile, the call fails.
        let file = unsafe { BorrowedFd::borrow_raw(fd) };
        let file = File::from(file.try_clone_to_owned().map_err(|_| INVALID)?);
        // SAFETY: has no preconditions.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        let length = file.metadata().map_err(|_| INVALID)?.len();
        let size = usize::try_from(length).ok().filter(|size| *size != 0).ok_or(INVALID)?;
        if seals & SEALS != SEALS {
            return Err(INVALID);
        }
        Ok(Piece { file: Arc::new(file), offset: 0, size, is_shared: false })
    }

    /// A descriptor for the program, which it closes; `INVALID` for a part of the common file.
    pub fn export(&self) -> Result<OwnedFd, hipError_t> {
        if self.is_shared {
            return Err(INVALID);
        }
        self.file.as_fd().try_clone_to_owned().map_err(|_| OUT_OF_MEMORY)
    }

    /// The number of the file for `mmap`.
    pub fn fd(&self) -> i32 {
        self.file.as_raw_fd()
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if !self.is_shared {
            return;
        }
        let mut common = COMMON.lock();
        let Some(common) = &mut *common else { return };
        let how = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: nothing maps this part of the file any more.
        unsafe { libc::fallocate(self.fd(), how, self.offset as i64, self.size as i64) };
        common.free.give(self.offset, self.size);
    }
}
