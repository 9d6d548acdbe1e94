//! Memory pools. A pool only counts what is taken from it; the memory is the device's. That of a pool which other
//! processes can import lies in a file of the pool's.

use std::ffi::c_void;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hip_runtime_sys::{hipError_t, hipMemLocationType, hipMemPool_t, hipMemPoolAttr};

use super::context::current;
use super::device::Device;
use super::handle::Found;
use super::memory::{Kind, Range};
use super::tables::tables;
use crate::os::backing_file::{self, Exported, Growing, POOL, Piece};
use crate::os::shared_table::{Bytes, random};

const INVALID: hipError_t = hipError_t::hipErrorInvalidValue;
/// Bytes that a pool's file begins with: a word that says what it is, the pool's random number, and its place.
const HEAD: usize = 4 << 10;
const MAGIC: u64 = u64::from_le_bytes(*b"zludapol");

/// Where a pool's memory lies.
#[derive(Debug)]
enum Place {
    Device,
    /// In a file that other processes can have.
    File(Arc<Growing>, [u64; 2]),
    /// In another process's file: nothing is allocated here.
    Imported(Arc<File>, [u64; 2]),
}

#[derive(Debug)]
pub struct Pool {
    pub device: &'static Device,
    /// The place whose memory it gives, as its maker says.
    pub location: (hipMemLocationType, i32),
    default: bool,
    place: Place,
    /// Bytes that may ever be taken at the same time; 0: no limit but the device's.
    max_size: u64,
    used: AtomicU64,
    used_high: AtomicU64,
    threshold: AtomicU64,
    /// Attributes that change nothing here, as they were set: reuse by event, opportunistic, internal.
    reuse: [AtomicU64; 3],
}

impl Pool {
    /// A pool that nothing has been taken from; `max_size` is in bytes, 0 for no limit.
    pub fn new(device: &'static Device, default: bool, max_size: u64) -> Pool {
        Pool::at(device, own_location(device), Place::Device, default, max_size)
    }

    /// A pool whose memory other processes can import.
    pub fn shareable(
        device: &'static Device,
        location: (hipMemLocationType, i32),
        max_size: u64,
    ) -> Result<Pool, hipError_t> {
        let place = u64::from(location.0.0) << 32 | u64::from(location.1 as u32);
        let nonce = random()?;
        let mut head = [0; HEAD];
        for (to, word) in head.chunks_exact_mut(8).zip([MAGIC, nonce[0], nonce[1], place]) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        let file = Place::File(Growing::new(POOL, &head)?, nonce);
        Ok(Pool::at(device, location, file, false, max_size))
    }

    /// The pool behind a descriptor of [`Pool::export`]; `hipErrorUnknown` for what is none.
    pub fn import(fd: i32) -> Result<Pool, hipError_t> {
        let import = || {
            let file = backing_file::of_descriptor(fd)?;
            backing_file::check(&file, POOL)?;
            let mut words = [[0; 8]; 4];
            backing_file::read_head(&file, words.as_flattened_mut())?;
            match words.map(u64::from_le_bytes) {
                [MAGIC, low, high, place] => Ok((file, [low, high], place)),
                _ => Err(INVALID),
            }
        };
        // An H100 says so.
        let (file, nonce, place) = import().map_err(|_: hipError_t| hipError_t::hipErrorUnknown)?;
        let location = (hipMemLocationType((place >> 32) as u32), place as i32);
        // Another process may see more devices than this one.
        let device = match location {
            (hipMemLocationType::hipMemLocationTypeDevice, id) => Device::of(id).ok(),
            _ => None,
        };
        let file = Place::Imported(Arc::new(file), nonce);
        Ok(Pool::at(device.unwrap_or(current().device), location, file, false, 0))
    }

    fn at(
        device: &'static Device,
        location: (hipMemLocationType, i32),
        place: Place,
        default: bool,
        max_size: u64,
    ) -> Pool {
        Pool {
            device,
            location,
            default,
            place,
            max_size,
            used: AtomicU64::new(0),
            used_high: AtomicU64::new(0),
            threshold: AtomicU64::new(0),
            reuse: [const { AtomicU64::new(1) }; 3],
        }
    }

    /// The kind of its memory.
    fn kind(&self) -> Kind {
        match self.location.0 {
            hipMemLocationType::hipMemLocationTypeDevice => Kind::Device,
            _ => Kind::Host,
        }
    }

    /// Whether this is the device's own pool, which nobody can destroy.
    pub fn is_default(&self) -> bool {
        self.default
    }

    /// Takes memory; it can be used at once, which is sooner than it has to be.
    pub fn allocate(&self, handle: hipMemPool_t, size: usize) -> Result<Range, hipError_t> {
        if matches!(self.place, Place::Imported(..)) {
            return Err(INVALID);
        }
        // More than there can be would overflow the sum of what is used.
        if size > isize::MAX as usize {
            return Err(hipError_t::hipErrorOutOfMemory);
        }
        let used = self.used.fetch_add(size as u64, Ordering::Relaxed) + size as u64;
        let result = if self.max_size != 0 && used > self.max_size {
            Err(hipError_t::hipErrorOutOfMemory)
        } else {
            let memory = &tables().memory;
            let allocate = || match &self.place {
                Place::File(file, _) => memory.allocate_in(file, self.kind(), size, handle.addr()),
                _ => memory.allocate(self.kind(), size, 0, handle.addr()),
            };
            // What was freed in some stream may be all that is missing.
            allocate().or_else(|error| memory.allocate_again(error, allocate))
        };
        match result {
            // It seldom is, and looking costs less.
            Ok(_) if used > self.used_high.load(Ordering::Relaxed) => {
                self.used_high.fetch_max(used, Ordering::Relaxed);
            }
            Ok(_) => {}
            Err(_) => {
                self.used.fetch_sub(size as u64, Ordering::Relaxed);
            }
        }
        result
    }

    /// A descriptor for the program, which it closes; `INVALID` for a pool that cannot be shared.
    pub fn export(&self) -> Result<Exported, hipError_t> {
        match &self.place {
            Place::File(file, _) => file.export(),
            _ => Err(INVALID),
        }
    }

    /// What another process finds a range of the pool's by, which has the pool.
    pub fn export_range(&self, range: &Range) -> Result<Bytes, hipError_t> {
        let Place::File(_, nonce) = self.place else { return Err(INVALID) };
        let offset = tables().memory.offset_of(range).ok_or(INVALID)?;
        let words = [MAGIC, nonce[0], nonce[1], offset as u64, range.size as u64, range.id];
        let mut bytes = [0; 64];
        for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        Ok(bytes)
    }

    /// Maps a range that another process has exported from this pool.
    pub fn import_range(&self, handle: hipMemPool_t, bytes: &Bytes) -> Result<Range, hipError_t> {
        let Place::Imported(file, nonce) = &self.place else { return Err(INVALID) };
        let mut words = [0; 8];
        for (word, from) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*from);
        }
        let [MAGIC, low, high, offset, size, _, 0, 0] = words else { return Err(INVALID) };
        let [Ok(offset), Ok(size)] = [offset, size].map(usize::try_from) else {
            return Err(INVALID);
        };
        if [low, high] != *nonce || offset < HEAD || !offset.is_multiple_of(HEAD) {
            return Err(INVALID);
        }
        let piece = Piece::of_part(file, offset, size)?;
        let kind = if self.kind() == Kind::Device { Kind::Imported } else { Kind::Host };
        tables().memory.import(piece, 0, size, kind, handle.addr())
    }

    /// Memory that was taken has been freed.
    pub fn freed(&self, size: usize) {
        if matches!(self.place, Place::Imported(..)) {
            return;
        }
        self.used.fetch_sub(size as u64, Ordering::Relaxed);
    }

    /// The attribute's storage, and whether programs may set it.
    pub fn attribute(&self, attribute: hipMemPoolAttr) -> Option<(&AtomicU64, bool)> {
        Some(match attribute {
            hipMemPoolAttr::hipMemPoolReuseFollowEventDependencies => (&self.reuse[0], true),
            hipMemPoolAttr::hipMemPoolReuseAllowOpportunistic => (&self.reuse[1], true),
            hipMemPoolAttr::hipMemPoolReuseAllowInternalDependencies => (&self.reuse[2], true),
            hipMemPoolAttr::hipMemPoolAttrReleaseThreshold => (&self.threshold, true),
            hipMemPoolAttr::hipMemPoolAttrReservedMemCurrent => (&self.used, false),
            hipMemPoolAttr::hipMemPoolAttrReservedMemHigh => (&self.used_high, true),
            hipMemPoolAttr::hipMemPoolAttrUsedMemCurrent => (&self.used, false),
            hipMemPoolAttr::hipMemPoolAttrUsedMemHigh => (&self.used_high, true),
            _ => return None,
        })
    }
}

fn own_location(device: &Device) -> (hipMemLocationType, i32) {
    (hipMemLocationType::hipMemLocationTypeDevice, device.ordinal as i32)
}

/// The pool that a device allocates from unless the program says another, and its handle.
pub fn default_pool(device: &'static Device) -> (hipMemPool_t, &'static Arc<Pool>) {
    let (handle, pool) = device.default_pool.get_or_init(|| {
        let pool = Arc::new(Pool::new(device, true, 0));
        let handle: hipMemPool_t = tables().pools.insert(pool.clone());
        (handle.addr(), pool)
    });
    (std::ptr::without_provenance_mut(*handle), pool)
}

/// The pool of a handle. That of a device's default pool, which most have, is not looked up.
pub fn find(device: &'static Device, handle: usize) -> Option<Found<Pool>> {
    match device.default_pool.get() {
        Some((default, pool)) if *default == handle => Some(Found::Default(pool)),
        _ => {
            tables().pools.get(std::ptr::without_provenance_mut::<c_void>(handle)).map(Found::Other)
        }
    }
}
