//! Copies and fills of memory, in one, two and three dimensions.

use crate::core::memory::check_range;
use crate::core::stream::Target;
use cuda_types::cuda::{CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUerror, CUmemorytype, CUres};
use hip_runtime_sys::hipMemcpyKind;
use std::ffi::c_void;

/// One side of a copy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// Memory of the program, which is as good as the program says.
    Host(u64),
    /// Memory that the driver knows.
    Device(u64),
    /// Either: an address that the driver does not know is the program's.
    Unified(u64),
}

impl Place {
    fn address(self) -> u64 {
        match self {
            Place::Host(address) | Place::Device(address) | Place::Unified(address) => address,
        }
    }

    /// `INVALID_VALUE` if the range cannot be accessed, as far as it is known.
    fn check(self, offset: usize, size: usize) -> CUres {
        match self {
            _ if size == 0 => Ok(()),
            Place::Host(0) | Place::Unified(0) => Err(CUerror::INVALID_VALUE),
            Place::Host(_) => Ok(()),
            Place::Device(address) => check_range(end(address, offset)?, size),
            Place::Unified(address) => match crate::core::memory::find(address) {
                // An address in an allocation must stay within it.
                Some(_) => check_range(end(address, offset)?, size),
                // Memory that has been freed looks like the program's own.
                None if !crate::os::is_mapped(end(address, offset)?, size) => {
                    Err(CUerror::INVALID_VALUE)
                }
                None => Ok(()),
            },
        }
    }
}

/// The address `offset` bytes behind another.
fn end(address: u64, offset: usize) -> CUres<u64> {
    address.checked_add(offset as u64).ok_or(CUerror::INVALID_VALUE)
}

/// Whether the program may go on before a copy or fill is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    Yes,
    No,
}

fn direction(to: Place, from: Place) -> hipMemcpyKind {
    match (to, from) {
        (Place::Host(_), Place::Host(_)) => hipMemcpyKind::hipMemcpyHostToHost,
        (Place::Host(_), Place::Device(_)) => hipMemcpyKind::hipMemcpyDeviceToHost,
        (Place::Device(_), Place::Host(_)) => hipMemcpyKind::hipMemcpyHostToDevice,
        (Place::Device(_), Place::Device(_)) => hipMemcpyKind::hipMemcpyDeviceToDevice,
        _ => hipMemcpyKind::hipMemcpyDefault,
    }
}

/// Copies `size` bytes.
pub(crate) fn copy(stream: &Target, to: Place, from: Place, size: usize, wait: Wait) -> CUres {
    to.check(0, size)?;
    from.check(0, size)?;
    if size == 0 {
        return Ok(());
    }
    let hip = &stream.current.driver.hip;
    let (destination, source) = (to.address() as *mut c_void, from.address() as *const c_void);
    let kind = direction(to, from);
    if wait == Wait::Yes && stream.hip.is_null() {
        // SAFETY: both ranges have been checked as far as they are known; the program answers for the rest.
        return stream.current.check(unsafe { hip.hipMemcpy(destination, source, size, kind) });
    }
    let current = &stream.current;
    // SAFETY: as above; the stream has been checked.
    current.check(unsafe { hip.hipMemcpyAsync(destination, source, size, kind, stream.hip) })?;
    match wait {
        Wait::Yes => stream.synchronize(),
        Wait::No => Ok(()),
    }
}

/// A box in memory: where it begins, and the distance of its rows and of its slices in bytes.
#[derive(Clone, Copy, Debug)]
struct Region {
    place: Place,
    /// From `place` to the first byte.
    offset: usize,
    pitch: usize,
    slice: usize,
}

/// `CUDA_MEMCPY2D` and `CUDA_MEMCPY3D` without arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxCopy {
    to: Region,
    from: Region,
    width: usize,
    height: usize,
    depth: usize,
}

fn place(kind: CUmemorytype, host: u64, device: u64) -> CUres<Place> {
    match kind {
        CUmemorytype::CU_MEMORYTYPE_HOST => Ok(Place::Host(host)),
        CUmemorytype::CU_MEMORYTYPE_DEVICE => Ok(Place::Device(device)),
        CUmemorytype::CU_MEMORYTYPE_UNIFIED => Ok(Place::Unified(device)),
        CUmemorytype::CU_MEMORYTYPE_ARRAY => {
            tracing::warn!("unsupported: copies of arrays");
            Err(CUerror::NOT_SUPPORTED)
        }
        _ => Err(CUerror::INVALID_VALUE),
    }
}

impl Region {
    /// `INVALID_VALUE` for rows or slices that overlap, or offsets that leave the address space.
    fn new(
        place: Place,
        [x, y, z]: [usize; 3],
        pitch: usize,
        height: usize,
        size: [usize; 3],
    ) -> CUres<Region> {
        let [width, rows, depth] = size;
        // The distance of rows and slices does not matter where there is only one.
        let pitch =
            if pitch == 0 && rows <= 1 && depth <= 1 && y == 0 && z == 0 { width } else { pitch };
        let height = if height == 0 { rows } else { height };
        if pitch < width.saturating_add(x) && (rows > 1 || depth > 1) {
            return Err(CUerror::INVALID_VALUE);
        }
        let offset = || {
            let slice = pitch.checked_mul(height)?;
            let offset =
                z.checked_mul(slice)?.checked_add(y.checked_mul(pitch)?)?.checked_add(x)?;
            Some((slice, offset))
        };
        let (slice, offset) = offset().ok_or(CUerror::INVALID_VALUE)?;
        Ok(Region { place, offset, pitch, slice })
    }

    fn check(&self, width: usize, height: usize, depth: usize) -> CUres {
        let end = || {
            let rows = self.pitch.checked_mul(height - 1)?;
            self.slice.checked_mul(depth - 1)?.checked_add(rows)?.checked_add(width)
        };
        self.place.check(self.offset, end().ok_or(CUerror::INVALID_VALUE)?)
    }

    fn row(&self, z: usize) -> u64 {
        self.place.address() + (self.offset + z * self.slice) as u64
    }
}

impl BoxCopy {
    pub(crate) fn from_2d(copy: &CUDA_MEMCPY2D) -> CUres<BoxCopy> {
        let size = [copy.WidthInBytes, copy.Height, 1];
        let to = place(copy.dstMemoryType, copy.dstHost as u64, copy.dstDevice)?;
        let from = place(copy.srcMemoryType, copy.srcHost as u64, copy.srcDevice)?;
        Ok(BoxCopy {
            to: Region::new(to, [copy.dstXInBytes, copy.dstY, 0], copy.dstPitch, 0, size)?,
            from: Region::new(from, [copy.srcXInBytes, copy.srcY, 0], copy.srcPitch, 0, size)?,
            width: size[0],
            height: size[1],
            depth: 1,
        })
    }

    pub(crate) fn from_3d(copy: &CUDA_MEMCPY3D) -> CUres<BoxCopy> {
        if copy.srcLOD != 0 || copy.dstLOD != 0 {
            return Err(CUerror::INVALID_VALUE);
        }
        let size = [copy.WidthInBytes, copy.Height, copy.Depth];
        let to = place(copy.dstMemoryType, copy.dstHost as u64, copy.dstDevice)?;
        let from = place(copy.srcMemoryType, copy.srcHost as u64, copy.srcDevice)?;
        let to_corner = [copy.dstXInBytes, copy.dstY, copy.dstZ];
        let from_corner = [copy.srcXInBytes, copy.srcY, copy.srcZ];
        Ok(BoxCopy {
            to: Region::new(to, to_corner, copy.dstPitch, copy.dstHeight, size)?,
            from: Region::new(from, from_corner, copy.srcPitch, copy.srcHeight, size)?,
            width: size[0],
            height: size[1],
            depth: size[2],
        })
    }

    pub(crate) fn run(&self, stream: &Target, wait: Wait) -> CUres {
        if self.width == 0 || self.height == 0 || self.depth == 0 {
            return Ok(());
        }
        self.to.check(self.width, self.height, self.depth)?;
        self.from.check(self.width, self.height, self.depth)?;
        let kind = direction(self.to.place, self.from.place);
        for z in 0..self.depth {
            // SAFETY: both boxes have been checked as far as they are known; the program answers for the
            // rest.
            stream.current.check(unsafe {
                stream.current.driver.hip.hipMemcpy2DAsync(
                    self.to.row(z) as *mut c_void,
                    self.to.pitch.max(self.width),
                    self.from.row(z) as *const c_void,
                    self.from.pitch.max(self.width),
                    self.width,
                    self.height,
                    kind,
                    stream.hip,
                )
            })?;
        }
        match wait {
            Wait::Yes => stream.synchronize(),
            Wait::No => Ok(()),
        }
    }
}

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

    /// Fills `height` rows of `width` elements, `pitch` bytes apart.
    ///
    /// `INVALID_VALUE` where an address is not a multiple of the element, or the range is no memory of
    /// the device.
    pub(crate) fn run(
        self,
        stream: &Target,
        address: u64,
        pitch: usize,
        width: usize,
        height: usize,
    ) -> CUres {
        let element = self.size();
        if !address.is_multiple_of(element as u64) || (height > 1 && !pitch.is_multiple_of(element))
        {
            return Err(CUerror::INVALID_VALUE);
        }
        if width == 0 || height == 0 {
            return Ok(());
        }
        let row = width.checked_mul(element).ok_or(CUerror::INVALID_VALUE)?;
        if height > 1 && pitch < row {
            return Err(CUerror::INVALID_VALUE);
        }
        let size = pitch.checked_mul(height - 1).and_then(|rows| rows.checked_add(row));
        check_range(address, size.ok_or(CUerror::INVALID_VALUE)?)?;
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
