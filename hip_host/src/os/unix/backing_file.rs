//! Files that live in memory alone: what memory that is no private mapping lies in.
//!
//! Memory that other processes may get has a file of its own, or lies in that of its pool. All other memory without an
//! address shares one file, since programs make more pieces than a process may have files.

use std::ffi::CStr;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use hip_runtime_sys::hipError_t;
use parking_lot::Mutex;

use crate::ranges::FreeRanges;

/// The names of files, by which an import knows them: `/proc/self/fd` shows it.
const MEMORY: &CStr = c"zluda-device-memory";
pub const POOL: &CStr = c"zluda-memory-pool";
/// The end of a file that grows, which takes memory only where it is used.
const END: usize = 1 << 44;
/// Nobody makes a file shorter behind the back of those who have mapped it.
const KEPT: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_SEAL;
/// Nor longer.
pub const FIXED: i32 = KEPT | libc::F_SEAL_GROW;

const OUT_OF_MEMORY: hipError_t = hipError_t::hipErrorOutOfMemory;
const INVALID: hipError_t = hipError_t::hipErrorInvalidValue;

/// A file of so many bytes, all 0, with these seals.
pub fn create(name: &CStr, length: usize, seals: i32) -> Result<File, hipError_t> {
    // SAFETY: the name ends with NUL.
    let fd =
        unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    if fd < 0 {
        return Err(OUT_OF_MEMORY);
    }
    // SAFETY: a descriptor that was just made, which nobody else has.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
    lengthen(&file, length)?;
    // SAFETY: has no preconditions.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } != 0 {
        return Err(OUT_OF_MEMORY);
    }
    Ok(file)
}

/// The length of a file of this library's, of this process or another; `INVALID` for what is none of this name, and for
/// one that could become shorter.
pub fn check(file: &File, name: &CStr) -> Result<usize, hipError_t> {
    let fd = file.as_raw_fd();
    let path = std::fs::read_link(format!("/proc/self/fd/{fd}")).map_err(|_| INVALID)?;
    let found = path.to_str().and_then(|path| path.strip_prefix("/memfd:")).ok_or(INVALID)?;
    // SAFETY: has no preconditions.
    let seals = unsafe { libc::fcntl(fd, libc::F_GET_SEALS) };
    if found.split(' ').next() != name.to_str().ok() || seals < 0 || seals & KEPT != KEPT {
        return Err(INVALID);
    }
    let length = file.metadata().map_err(|_| INVALID)?.len();
    usize::try_from(length).ok().filter(|length| *length != 0).ok_or(INVALID)
}

/// A program's descriptor as a file of one's own; `INVALID` for one that is not open.
pub fn of_descriptor(fd: i32) -> Result<File, hipError_t> {
    // SAFETY: has no preconditions.
    if fd < 0 || unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0 {
        return Err(INVALID);
    }
    // SAFETY: the descriptor is open; if another thread closes it meanwhile, the call fails.
    let file = unsafe { BorrowedFd::borrow_raw(fd) };
    Ok(File::from(file.try_clone_to_owned().map_err(|_| INVALID)?))
}

/// The file that another process has under this number. The system lets processes of the same user have it, unless the
/// other one has forbidden that others look into it; `INVALID` where it does not, or nothing is there.
pub fn of_process(process: u32, fd: i32) -> Result<File, hipError_t> {
    let path = format!("/proc/{process}/fd/{fd}");
    // What is no file of this kind may have effects when it is opened.
    let target = std::fs::read_link(&path).map_err(|_| INVALID)?;
    if !target.to_str().is_some_and(|target| target.starts_with("/memfd:zluda-")) {
        return Err(INVALID);
    }
    File::options().read(true).write(true).open(path).map_err(|_| INVALID)
}

/// What the program gets.
pub type Exported = OwnedFd;

/// The number that is written for the program.
pub type Number = i32;

/// The number of what the program has from now on.
pub fn number(exported: Exported) -> Number {
    exported.into_raw_fd()
}

/// Closes a program's descriptor, of which [`of_descriptor`] has made a file.
pub fn close(descriptor: i32) {
    // SAFETY: it was open when the file was made, and is this library's from now on.
    drop(unsafe { OwnedFd::from_raw_fd(descriptor) });
}

/// Reads what a file begins with.
pub fn read_head(file: &File, bytes: &mut [u8]) -> Result<(), hipError_t> {
    file.read_exact_at(bytes, 0).map_err(|_| INVALID)
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

/// A file of many pieces, which becomes longer as it must.
#[derive(Debug)]
pub struct Growing {
    file: File,
    state: Mutex<Extent>,
}

/// The bytes of such a file, and those that no piece has.
#[derive(Debug)]
struct Extent {
    length: usize,
    free: FreeRanges,
}

impl Growing {
    /// A file that begins with `head`, which no piece has; whole pages.
    pub fn new(name: &CStr, head: &[u8]) -> Result<Arc<Growing>, hipError_t> {
        let file = create(name, head.len(), KEPT)?;
        file.write_all_at(head, 0).map_err(|_| OUT_OF_MEMORY)?;
        let free = FreeRanges::new(head.len(), END - head.len());
        Ok(Arc::new(Growing { file, state: Mutex::new(Extent { length: head.len(), free }) }))
    }

    /// A piece of `size` bytes, whole pages, all 0.
    pub fn take(self: &Arc<Self>, size: usize) -> Result<Piece, hipError_t> {
        let mut state = self.state.lock();
        let offset = state.free.take(size).ok_or(OUT_OF_MEMORY)?;
        if offset + size > state.length {
            if let Err(error) = lengthen(&self.file, offset + size) {
                state.free.give(offset, size);
                return Err(error);
            }
            state.length = offset + size;
        }
        Ok(Piece { of: Of::Growing(self.clone()), offset, size })
    }

    /// A descriptor for the program, which it closes.
    pub fn export(&self) -> Result<Exported, hipError_t> {
        self.file.as_fd().try_clone_to_owned().map_err(|_| OUT_OF_MEMORY)
    }
}

/// The file that a piece is of.
enum Of {
    Own(Arc<File>),
    Growing(Arc<Growing>),
}

/// A part of a file.
pub struct Piece {
    of: Of,
    pub offset: usize,
    pub size: usize,
}

/// The file of all memory without an address that no other process gets.
static COMMON: Mutex<Option<Arc<Growing>>> = Mutex::new(None);

impl Piece {
    /// A part of the common file.
    pub fn of_common(size: usize) -> Result<Piece, hipError_t> {
        let mut common = COMMON.lock();
        let common = match &mut *common {
            Some(common) => common,
            none => none.insert(Growing::new(MEMORY, &[])?),
        };
        common.take(size)
    }

    /// A whole file.
    pub fn of_own(size: usize) -> Result<Piece, hipError_t> {
        let file = create(MEMORY, size, FIXED)?;
        Ok(Piece { of: Of::Own(Arc::new(file)), offset: 0, size })
    }

    /// All of a file that [`Piece::of_own`] has made, in this process or another; `INVALID` for what is none.
    pub fn of_file(file: File) -> Result<Piece, hipError_t> {
        let size = check(&file, MEMORY)?;
        Ok(Piece { of: Of::Own(Arc::new(file)), offset: 0, size })
    }

    /// A part of a file that other pieces are of, too; `INVALID` unless it is one of whole pages in the file.
    pub fn of_part(file: &Arc<File>, offset: usize, size: usize) -> Result<Piece, hipError_t> {
        let length = file.metadata().map_err(|_| INVALID)?.len();
        let end = offset.checked_add(size).ok_or(INVALID)?;
        if size == 0 || end as u64 > length {
            return Err(INVALID);
        }
        Ok(Piece { of: Of::Own(file.clone()), offset, size })
    }

    /// A descriptor for the program, which it closes; `INVALID` for a part of a file that grows.
    pub fn export(&self) -> Result<Exported, hipError_t> {
        match &self.of {
            Of::Growing(_) => Err(INVALID),
            Of::Own(file) => file.as_fd().try_clone_to_owned().map_err(|_| OUT_OF_MEMORY),
        }
    }

    /// Writes what the piece begins with; an error where the system has no memory for it.
    pub fn write(&self, bytes: &[u8], at: usize) -> Result<(), hipError_t> {
        self.file().write_all_at(bytes, (self.offset + at) as u64).map_err(|_| OUT_OF_MEMORY)
    }

    fn file(&self) -> &File {
        match &self.of {
            Of::Own(file) => file,
            Of::Growing(growing) => &growing.file,
        }
    }

    /// The number of the file for `mmap`.
    pub fn fd(&self) -> i32 {
        self.file().as_raw_fd()
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let Of::Growing(growing) = &self.of else { return };
        let how = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: nothing of this process maps this part of the file any more.
        unsafe { libc::fallocate(self.fd(), how, self.offset as i64, self.size as i64) };
        growing.state.lock().free.give(self.offset, self.size);
    }
}
